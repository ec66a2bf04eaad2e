/** Where links were in the last seconds. */

import * as THREE from "three";

import { seconds, type LinkPoses } from "../link/messages";

const KEPT = 2; // [s]

export class Track {
  private messages: LinkPoses[] = [];

  /** Keep a message; time that runs back begins anew. */
  add(message: LinkPoses): void {
    const now = seconds(message.header.stamp);
    const last = this.messages.at(-1);
    if (last && now < seconds(last.header.stamp)) this.messages = [];
    this.messages.push(message);
    while (this.messages.length > 2 && seconds(this.messages[0]!.header.stamp) < now - KEPT) this.messages.shift();
  }

  /** world_from_link at a time [s], between the two messages around it; the last one where it is newer than all. */
  at(link: string, time: number): THREE.Matrix4 | undefined {
    const later = this.messages.findIndex((one) => seconds(one.header.stamp) >= time);
    const b = later < 0 ? this.messages.at(-1) : this.messages[later];
    const a = later > 0 ? this.messages[later - 1] : b;
    if (!a || !b) return undefined;
    const [from, to] = [poseOf(a, link), poseOf(b, link)];
    if (!from || !to) return undefined;
    const [ta, tb] = [seconds(a.header.stamp), seconds(b.header.stamp)];
    const share = tb > ta ? Math.min(1, Math.max(0, (time - ta) / (tb - ta))) : 1;
    return new THREE.Matrix4().compose(from[0].lerp(to[0], share), from[1].slerp(to[1], share), new THREE.Vector3(1, 1, 1));
  }
}

function poseOf(message: LinkPoses, link: string): [THREE.Vector3, THREE.Quaternion] | undefined {
  const i = message.names.indexOf(link);
  if (i < 0) return undefined;
  const p = message.poses.slice(7 * i, 7 * i + 7);
  return [new THREE.Vector3(p[0], p[1], p[2]), new THREE.Quaternion(p[3], p[4], p[5], p[6])];
}
