/** Transforms between frames of the last seconds, looked up in the plane, now or at a time. */

import type { Connection } from "./connection";
import { seconds, type Transforms } from "./messages";
import { subscribe } from "./topics";
import { between, composed, inverse, planar, type Planar } from "../map/planar";

const KEPT = 3; // [s]

interface Edge {
  parent: string;
  /** parent_from_child over time, the newest last; one entry where it never moves. */
  track: { time: number; pose: Planar }[];
}

export class Frames {
  private readonly up = new Map<string, Edge>();

  /** Take in what a tf message says. */
  take(message: Transforms): void {
    for (const item of message.transforms) {
      const pose = planar(item.transform.translation, item.transform.rotation);
      this.add(item.child_frame_id.replace(/^\//, ""), item.header.frame_id.replace(/^\//, ""), seconds(item.header.stamp), pose);
    }
  }

  private add(child: string, parent: string, time: number, pose: Planar): void {
    const known = this.up.get(child);
    const last = known?.track.at(-1);
    if (known?.parent !== parent || !last || time < last.time) {
      this.up.set(child, { parent, track: [{ time, pose }] }); // another tree, or time that ran back
      return;
    }
    if (time === last.time) known.track[known.track.length - 1] = { time, pose };
    else known.track.push({ time, pose });
    while (known.track.length > 2 && known.track[1]!.time < time - KEPT) known.track.shift();
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

  /** target_from_source, undefined where the two are not joined; at a time [s], else the newest. */
  lookup(target: string, source: string, time = Infinity): Planar | undefined {
    const from = this.chain(source, time);
    const to = this.chain(target, time);
    for (const [frame, pose] of from) {
      const other = to.get(frame);
      if (other) return composed(inverse(other), pose);
    }
    return undefined;
  }

  /** Every frame above one, with ancestor_from_frame. */
  private chain(frame: string, time: number): Map<string, Planar> {
    const found = new Map<string, Planar>([[frame, { x: 0, y: 0, yaw: 0 }]]);
    let pose: Planar = { x: 0, y: 0, yaw: 0 };
    for (let at = this.up.get(frame); at && !found.has(at.parent); at = this.up.get(at.parent)) {
      pose = composed(poseAt(at.track, time), pose);
      found.set(at.parent, pose);
    }
    return found;
  }
}

/** The pose of a track at a time, between its two neighbours; at the ends the first or last. */
function poseAt(track: Edge["track"], time: number): Planar {
  let later = track.length - 1;
  while (later > 0 && track[later - 1]!.time >= time) later -= 1;
  const b = track[later]!;
  const a = track[later - 1];
  if (!a || time >= b.time) return b.pose;
  return between(a.pose, b.pose, (time - a.time) / (b.time - a.time));
}
