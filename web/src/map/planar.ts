/** Poses in the plane. */

import type { Quaternion, Vector3 } from "../link/messages";

export interface Planar {
  x: number;
  y: number;
  yaw: number;
}

/** Heading of a quaternion [rad]. */
export function yawOf(q: Quaternion): number {
  return Math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
}

export function planar(position: Vector3, orientation: Quaternion): Planar {
  return { x: position.x, y: position.y, yaw: yawOf(orientation) };
}

/** a_from_c of a_from_b and b_from_c. */
export function composed(a: Planar, b: Planar): Planar {
  const c = Math.cos(a.yaw);
  const s = Math.sin(a.yaw);
  return { x: a.x + c * b.x - s * b.y, y: a.y + s * b.x + c * b.y, yaw: wrap(a.yaw + b.yaw) };
}

export function inverse(a: Planar): Planar {
  const c = Math.cos(a.yaw);
  const s = Math.sin(a.yaw);
  return { x: -c * a.x - s * a.y, y: s * a.x - c * a.y, yaw: wrap(-a.yaw) };
}

/** A pose on the way from one to another, at a share of it. */
export function between(a: Planar, b: Planar, share: number): Planar {
  return { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y), yaw: wrap(a.yaw + share * wrap(b.yaw - a.yaw)) };
}

/** An angle in (-pi, pi]. */
export function wrap(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}

/** The quaternion of a heading. */
export function quaternion(yaw: number): Quaternion {
  return { x: 0, y: 0, z: Math.sin(yaw / 2), w: Math.cos(yaw / 2) };
}
