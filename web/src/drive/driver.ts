/** Driving: keys held down (keyboard or buttons of the page) and the gamepad become commands, which a worker sends at 20 Hz. */

import type { Studio } from "../studio";
import { takesText } from "../ui/dom";
import { Signal } from "../ui/signal";
import { readGamepad } from "./gamepad";
import { DRIVE_KEYS, keyName, moves, STOP, velocity, type Velocity } from "./keys";
import { PERIOD, type Command } from "./repeater";
import { Sender } from "./sender";

export class Driver {
  readonly held = new Signal<ReadonlySet<string>>(new Set());
  readonly gamepad = new Signal<string>("");
  /** Percent of the top speed. */
  readonly percent = new Signal<number>(60);
  /** Keys beyond WASD and QE that the robot of the session understands. */
  readonly extra = new Signal<readonly string[]>([]);
  /** Namespace of the robot that is driven, like /waffle_2; empty: the first one. */
  readonly space = new Signal<string>("");
  private tops: { top_speed: number; top_turn: number } | undefined; // of another robot than the first
  private endTops: (() => void) | undefined;
  /** Sticks of the page: ahead, left, turn, each -1 to 1. */
  private sticks: [number, number, number] = [0, 0, 0];
  private readonly sender: Sender;

  constructor(private readonly studio: Studio) {
    this.sender = new Sender(studio.connection.url);
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
      const name = keyName(event);
      if (name === undefined || !this.known(name)) return;
      if (["up", "down", "left", "right"].includes(name)) {
        const role = event.target instanceof HTMLElement ? event.target.getAttribute("role") : null;
        if (role === "tab" || role === "separator" || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
      }
      event.preventDefault();
      if (!event.repeat) this.press(name, true);
    });
    window.addEventListener("keyup", (event) => {
      const name = keyName(event);
      if (name !== undefined) this.press(name, false);
    });
    window.addEventListener("blur", () => { this.releaseAll(); });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.releaseAll();
    });
    document.addEventListener("focusin", (event) => {
      if (takesText(event.target)) this.releaseAll();
    });
    studio.robot.watch((robot) => {
      void this.learn(robot);
      this.percent.value = Math.round(studio.status.value?.speed ?? this.percent.value);
    });
    setInterval(() => { this.send(); }, PERIOD);
  }

  /** Drive another robot of the session. */
  drive(space: string): void {
    if (space === this.space.value) return;
    this.releaseAll();
    this.endTops?.();
    this.tops = this.endTops = undefined;
    if (space) this.endTops = this.studio.connection.subscribe<{ top_speed: number; top_turn: number }>(`${space}/status`, "andante_msgs/msg/Status", (status) => { this.tops = status; }, 500);
    this.space.value = space;
  }

  /** A key goes down or up. */
  press(name: string, down: boolean): void {
    if (this.held.value.has(name) === down) return;
    const next = new Set(this.held.value);
    if (down) next.add(name);
    else next.delete(name);
    this.held.value = next;
    this.send();
  }

  /** A stick of the page is pushed: ahead, left, turn. */
  push(ahead: number, left: number, turn: number): void {
    this.sticks = [ahead, left, turn];
    this.send();
  }

  releaseAll(): void {
    if (this.held.value.size === 0 && !this.sticks.some(Boolean)) return;
    this.sticks = [0, 0, 0];
    this.held.value = new Set();
    this.send();
  }

  /** Press one of the robot's own buttons, such as "shell". */
  button(name: string): void {
    this.studio.connection.publish(`${this.space.value}/key`, "std_msgs/msg/String", { data: name });
  }

  private known(name: string): boolean {
    return (DRIVE_KEYS as readonly string[]).includes(name) || this.extra.value.includes(name);
  }

  private async learn(robot: string): Promise<void> {
    this.extra.value = [];
    if (!robot) return;
    try {
      const { names } = await this.studio.list("keys");
      this.extra.value = names.map((name) => name.toLowerCase()).filter((name) => !(DRIVE_KEYS as readonly string[]).includes(name));
    } catch {
      this.extra.value = [];
    }
  }

  private send(): void {
    const status = this.studio.status.value;
    const pad = readGamepad();
    this.gamepad.value = pad?.name ?? "";
    if (!status) return;
    const held = this.held.value;
    if ([...held].some((name) => this.extra.value.includes(name))) {
      this.sender.want(keys(this.space.value, [...held].join(" ")), keys(this.space.value, ""));
      return;
    }
    const { top_speed, top_turn } = this.space.value ? (this.tops ?? { top_speed: 0, top_turn: 0 }) : status;
    const tops = { speed: top_speed, turn: top_turn, percent: this.percent.value };
    const both = this.sticks.map((own, i) => own + (pad?.sticks[i] ?? 0)) as [number, number, number];
    const wanted = velocity(held, both, tops);
    const { value: space } = this.space;
    this.sender.want(moves(wanted) ? twist(space, wanted) : undefined, twist(space, STOP));
  }
}

function keys(space: string, data: string): Command {
  return { topic: `${space}/key`, type: "std_msgs/msg/String", message: { data }, moving: data !== "" };
}

function twist(space: string, wanted: Velocity): Command {
  const message = { linear: { x: wanted.vx, y: wanted.vy, z: 0 }, angular: { x: 0, y: 0, z: wanted.wz } };
  return { topic: `${space}/cmd_vel`, type: "geometry_msgs/msg/Twist", message, moving: moves(wanted) };
}
