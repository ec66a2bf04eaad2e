/** Joints panel: a slider per joint within its limits, with the live value; joints that follow another say so. */

import type { URDFJoint } from "urdf-loader";

import { Hearing } from "../link/topics";
import type { JointState } from "../link/messages";
import type { RobotModel } from "../scene/robot";
import type { Stage } from "../scene/stage";
import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { DEGREES, fixed } from "../ui/format";
import type { Panel } from "../ui/panel";
import { recall, remember } from "../ui/store";

const SPEED = 0.25; // fraction of the joints' top speed
const SENDING = 40; // at most one message in so long [ms]

interface Row {
  element: HTMLElement;
  slider: HTMLInputElement;
  value: HTMLElement;
  marker: HTMLElement;
  joint: URDFJoint;
  low: number;
  high: number;
  shown: number;
}

export class JointsPanel implements Panel {
  readonly id = "joints";
  readonly title = "Joints";
  readonly element: HTMLElement;
  private readonly list = h("div", { class: "joints" });
  private readonly filter = h("input", { type: "search", placeholder: "Filter joints", "aria-label": "Filter joints" });
  private readonly hearing: Hearing;
  private rows = new Map<string, Row>();
  private degrees = recall("degrees", true);
  private held: string | undefined;
  private wanted = new Map<string, number>();
  private timer = 0;

  constructor(
    private readonly studio: Studio,
    stage: Stage,
  ) {
    this.hearing = new Hearing(studio.connection);
    const unit = h("button", { type: "button", class: "small", title: "Degrees or radians" }, this.degrees ? "deg" : "rad");
    unit.addEventListener("click", () => {
      this.degrees = !this.degrees;
      remember("degrees", this.degrees);
      unit.textContent = this.degrees ? "deg" : "rad";
      for (const row of this.rows.values()) row.shown = NaN;
    });
    this.filter.addEventListener("input", () => { this.applyFilter(); });
    this.element = h("div", {}, h("div", { class: "row" }, this.filter, unit), this.list);
    stage.robot.watch((robot) => { this.fill(robot); });
  }

  show(): void {
    this.hearing.subscribe("/joint_states", (message) => { this.update(message); });
  }

  hide(): void {
    this.hearing.stop();
  }

  private fill(robot: RobotModel | null): void {
    this.rows = new Map();
    const movable = Object.values(robot?.joints ?? {}).filter((joint) => ["revolute", "continuous", "prismatic"].includes(joint.jointType));
    for (const joint of movable) this.rows.set(joint.urdfName, this.row(joint));
    refill(this.list, ...[...this.rows.values()].map((row) => row.element));
    if (this.rows.size === 0) refill(this.list, h("p", { class: "hint" }, "This robot has no joints to move."));
    this.applyFilter();
  }

  private row(joint: URDFJoint): Row {
    const name = joint.urdfName;
    const endless = joint.jointType === "continuous" || joint.limit.lower >= joint.limit.upper;
    const [low, high] = endless ? [-Math.PI, Math.PI] : [joint.limit.lower, joint.limit.upper];
    const follows = "mimicJoint" in joint ? String((joint as { mimicJoint: string }).mimicJoint) : undefined;
    const slider = h("input", {
      type: "range", min: low, max: high, step: (high - low) / 400, "aria-label": `${name}${follows ? `, follows ${follows}` : ""}`, disabled: follows !== undefined,
    });
    slider.addEventListener("input", () => { this.send(name, Number(slider.value)); });
    slider.addEventListener("pointerdown", () => { this.held = name; });
    slider.addEventListener("pointerup", () => { this.held = undefined; });
    slider.addEventListener("blur", () => { if (this.held === name) this.held = undefined; });
    const value = h("output", { class: "number" }, "–");
    const marker = h("span", { class: "marker", "aria-hidden": "true" });
    const element = h(
      "div",
      { class: "joint", "data-joint": name },
      h("div", { class: "name" }, name, follows && h("span", { class: "tag", title: `moves with ${follows}` }, `follows ${follows}`)),
      h("div", { class: "track" }, slider, marker),
      value,
    );
    return { element, slider, value, marker, joint, low, high, shown: NaN };
  }

  private update(message: JointState): void {
    message.name.forEach((name, i) => {
      const row = this.rows.get(name);
      const q = message.position[i];
      if (!row || q === undefined || !Number.isFinite(q) || Math.abs(q - row.shown) < 1e-4) return;
      row.shown = q;
      const turns = row.joint.jointType !== "prismatic";
      row.value.textContent = turns && this.degrees ? `${fixed(q * DEGREES, 1)}°` : fixed(q, 3);
      const share = Math.min(1, Math.max(0, (q - row.low) / (row.high - row.low || 1)));
      row.marker.style.left = `calc(8px + ${String(share)} * (100% - 16px))`;
      if (this.held !== name && !this.wanted.has(name) && document.activeElement !== row.slider) row.slider.value = String(q);
    });
  }

  private send(name: string, value: number): void {
    this.wanted.set(name, value);
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      const names = [...this.wanted.keys()];
      const angles = [...this.wanted.values()];
      this.wanted.clear();
      this.studio.connection.publish("/joint_angles", "naoqi_bridge_msgs/msg/JointAnglesWithSpeed", {
        joint_names: names, joint_angles: angles, speed: SPEED, relative: 0,
      });
    }, SENDING);
  }

  private applyFilter(): void {
    const text = this.filter.value.trim().toLowerCase();
    for (const [name, row] of this.rows) row.element.hidden = text !== "" && !name.toLowerCase().includes(text);
  }
}
