/** Waypoints in order: sent one after the other as the robot arrives, once or round and round. */

import type { NavigationState } from "../link/messages";
import { Signal } from "../ui/signal";
import type { Planar } from "./planar";

export class Route {
  readonly changed = new Signal<number>(0);
  points: Planar[] = [];
  /** The waypoint that the robot is on its way to; -1: none. */
  at = -1;
  patrol = false;
  private under = false; // the present goal has been taken up

  /** @param send tells the robot where to go. */
  constructor(private readonly send: (pose: Planar) => void) {}

  add(pose: Planar): void {
    this.points.push(pose);
    this.changed.value += 1;
  }

  clear(): void {
    this.points = [];
    this.stop();
  }

  stop(): void {
    this.at = -1;
    this.changed.value += 1;
  }

  start(): void {
    if (this.points.length > 0) this.go(0);
  }

  /** How the navigation goes: on to the next one after an arrival; a goal that was given up or called off ends it. */
  heard({ active, state }: NavigationState): void {
    if (this.at < 0) return;
    if (active) this.under = true;
    else if (this.under && state === "arrived") {
      const next = this.at + 1;
      if (next < this.points.length) this.go(next);
      else if (this.patrol && this.points.length > 1) this.go(0);
      else this.stop();
    } else if (this.under) {
      this.stop();
    }
  }

  private go(index: number): void {
    this.at = index;
    this.under = false;
    this.send(this.points[index]!);
    this.changed.value += 1;
  }

  get words(): string {
    if (this.points.length === 0) return "";
    const count = `${String(this.points.length)} waypoint${this.points.length > 1 ? "s" : ""}`;
    return this.at < 0 ? count : `${this.patrol ? "patrol, " : ""}waypoint ${String(this.at + 1)} of ${String(this.points.length)}`;
  }
}
