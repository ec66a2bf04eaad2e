/** The newest transforms between frames, looked up in the plane. */

import type { Connection } from "./connection";
import type { Transforms } from "./messages";
import { subscribe } from "./topics";
import { composed, inverse, planar, type Planar } from "../map/planar";

export class Frames {
  private readonly up = new Map<string, { parent: string; pose: Planar }>();

  /** Take in what a tf message says. */
  take(message: Transforms): void {
    for (const item of message.transforms) {
      const pose = planar(item.transform.translation, item.transform.rotation);
      this.up.set(item.child_frame_id.replace(/^\//, ""), { parent: item.header.frame_id.replace(/^\//, ""), pose });
    }
  }

  /** Start hearing /tf and /tf_static; the result ends it. */
  listen(connection: Connection): () => void {
    const ends = [
      subscribe(connection, "/tf", (message) => { this.take(message); }),
      subscribe(connection, "/tf_static", (message) => { this.take(message); }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  clear(): void {
    this.up.clear();
  }

  has(frame: string): boolean {
    return this.up.has(frame) || [...this.up.values()].some((entry) => entry.parent === frame);
  }

  /** target_from_source, undefined where the two are not joined. */
  lookup(target: string, source: string): Planar | undefined {
    const from = this.chain(source);
    const to = this.chain(target);
    for (const [frame, pose] of from) {
      const other = to.get(frame);
      if (other) return composed(inverse(other), pose);
    }
    return undefined;
  }

  /** Every frame above one, with ancestor_from_frame. */
  private chain(frame: string): Map<string, Planar> {
    const found = new Map<string, Planar>([[frame, { x: 0, y: 0, yaw: 0 }]]);
    let pose: Planar = { x: 0, y: 0, yaw: 0 };
    for (let at = this.up.get(frame); at && !found.has(at.parent); at = this.up.get(at.parent)) {
      pose = composed(at.pose, pose);
      found.set(at.parent, pose);
    }
    return found;
  }
}
