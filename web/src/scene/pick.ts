/** Picking: a click on a link shows its name, mass and pose. */

import * as THREE from "three";

import { h, refill } from "../ui/dom";
import { DEGREES, fixed } from "../ui/format";
import { icon } from "../ui/icons";
import { standsFor } from "./flat";
import type { Stage } from "./stage";

const STILL = 4; // a click that moved further is a drag [px]

export class Picker {
  readonly card = h("div", { class: "card pick", hidden: true, "aria-live": "polite", "aria-label": "Picked link" });
  private picked: string | undefined;
  private down: { x: number; y: number } | undefined;
  private readonly rows = h("dl", {});
  private readonly title = h("strong", {});

  constructor(private readonly stage: Stage) {
    const close = h("button", { class: "ghost square", type: "button", "aria-label": "Close", onclick: () => { this.pick(undefined); } }, icon("close", 13));
    refill(this.card, h("header", {}, this.title, close), this.rows);
    const { canvas } = stage.view;
    canvas.addEventListener("pointerdown", (event) => {
      this.down = { x: event.clientX, y: event.clientY };
    });
    canvas.addEventListener("pointerup", (event) => {
      const from = this.down;
      this.down = undefined;
      if (!from || event.button !== 0 || Math.hypot(event.clientX - from.x, event.clientY - from.y) > STILL) return;
      this.pick(hit(stage, event)?.link);
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.pick(undefined);
    });
    stage.robot.on(() => { this.pick(undefined); });
    setInterval(() => { this.update(); }, 150);
  }

  pick(link: string | undefined): void {
    this.picked = link;
    this.stage.robot.value?.pick(link);
    this.card.hidden = link === undefined;
    this.stage.view.invalidate();
    this.update();
  }

  private update(): void {
    if (this.picked === undefined) return;
    const info = this.stage.robot.value?.info(this.picked);
    if (!info) return;
    const euler = new THREE.Euler().setFromQuaternion(info.quaternion, "ZYX");
    const { x, y, z } = info.position;
    this.title.textContent = info.name;
    const row = (name: string, value: string): HTMLElement => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    refill(
      this.rows,
      row("mass", `${fixed(info.mass, 3)} kg`),
      row("position", `${fixed(x, 3)}  ${fixed(y, 3)}  ${fixed(z, 3)} m`),
      row("roll pitch yaw", `${fixed(euler.x * DEGREES, 1)}  ${fixed(euler.y * DEGREES, 1)}  ${fixed(euler.z * DEGREES, 1)} °`),
    );
  }
}

/** The nearest link of the robot under the pointer, with the point that was hit [m]. */
export function hit(stage: Stage, event: PointerEvent): { link: string; point: THREE.Vector3 } | undefined {
  const robot = stage.robot.value;
  if (!robot) return undefined;
  const found = stage.view.ray(event).intersectObject(robot.urdf, true).find(({ object }) => object instanceof THREE.Mesh && (object.visible || standsFor(object)));
  const link = found && robot.linkOf(found.object);
  return found && link !== undefined ? { link, point: found.point } : undefined;
}
