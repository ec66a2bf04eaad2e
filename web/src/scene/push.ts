/** Pushing: drag a link with the mouse and a spring pulls it towards the pointer. */

import * as THREE from "three";

import { h } from "../ui/dom";
import { Signal } from "../ui/signal";
import type { Studio } from "../studio";
import { hit } from "./pick";
import type { Stage } from "./stage";

const PERIOD = 50; // between messages [ms]
const SECONDS = 0.1; // that each of them acts
const FULL = 0.35; // distance of the pointer at which the force is the robot's weight [m]
const MOST = 2; // weights

/** Force [N] of a pull by a distance [m] on a robot of some mass [kg]. */
export function pull(distance: THREE.Vector3, mass: number): THREE.Vector3 {
  const weight = Math.max(mass, 0.2) * 9.81;
  return distance.clone().multiplyScalar(weight / FULL).clampLength(0, MOST * weight);
}

export class Pusher {
  readonly active = new Signal<boolean>(false);
  readonly badge = h("div", { class: "badge push", hidden: true });
  private readonly arrow = new THREE.ArrowHelper(new THREE.Vector3(1, 0, 0), new THREE.Vector3(), 0.1, 0xe4572e, 0.04, 0.025);
  private grip: { link: string; local: THREE.Vector3; plane: THREE.Plane } | undefined;
  private pointer = new THREE.Vector3();
  private timer = 0;

  constructor(
    private readonly studio: Studio,
    private readonly stage: Stage,
  ) {
    const { canvas } = stage.view;
    // before the orbit controls see it
    canvas.addEventListener("pointerdown", (event) => { this.take(event); }, { capture: true });
    canvas.addEventListener("pointermove", (event) => { this.move(event); });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
      canvas.addEventListener(kind, () => { this.release(); });
    }
    this.active.on((on) => canvas.classList.toggle("pushing", on));
  }

  private take(event: PointerEvent): void {
    if (event.button !== 0 || !(this.active.value || event.shiftKey)) return;
    const found = hit(this.stage, event);
    const link = found && (this.stage.robot.value?.urdf.links[found.link] as THREE.Object3D | undefined);
    if (!found || !link) return;
    event.stopImmediatePropagation();
    this.stage.view.canvas.setPointerCapture(event.pointerId);
    const facing = this.stage.view.camera.getWorldDirection(new THREE.Vector3());
    this.grip = {
      link: found.link,
      local: link.worldToLocal(found.point.clone()),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, found.point),
    };
    this.pointer.copy(found.point);
    this.stage.view.scene.add(this.arrow);
    this.timer = window.setInterval(() => { this.send(); }, PERIOD);
  }

  private move(event: PointerEvent): void {
    if (!this.grip) return;
    this.stage.view.ray(event).ray.intersectPlane(this.grip.plane, this.pointer);
    this.draw();
  }

  private release(): void {
    if (!this.grip) return;
    this.grip = undefined;
    clearInterval(this.timer);
    this.stage.view.scene.remove(this.arrow);
    this.badge.hidden = true;
    this.stage.view.invalidate();
  }

  /** Where the gripped point is now, and the force on it. */
  private force(): { at: THREE.Vector3; force: THREE.Vector3 } | undefined {
    const robot = this.stage.robot.value;
    const link = this.grip && (robot?.urdf.links[this.grip.link] as THREE.Object3D | undefined);
    if (!this.grip || !robot || !link) return undefined;
    link.updateWorldMatrix(true, false);
    const at = link.localToWorld(this.grip.local.clone());
    return { at, force: pull(new THREE.Vector3().subVectors(this.pointer, at), robot.mass) };
  }

  private draw(): void {
    const now = this.force();
    if (!now) return;
    const away = new THREE.Vector3().subVectors(this.pointer, now.at);
    this.arrow.position.copy(now.at);
    if (away.length() > 1e-3) {
      this.arrow.setDirection(away.clone().normalize());
      this.arrow.setLength(away.length(), Math.min(0.06, 0.4 * away.length()), 0.03);
    }
    this.badge.hidden = false;
    this.badge.textContent = `${this.grip!.link}  ${now.force.length().toFixed(1)} N`;
    this.stage.view.invalidate();
  }

  private send(): void {
    const now = this.force();
    if (!now || !this.grip || now.force.length() < 0.05) return;
    const { x, y, z } = now.force;
    const point = this.grip.local;
    this.studio.connection.publish("/push", "andante_msgs/msg/Push", {
      link: this.grip.link,
      force: { x, y, z },
      seconds: SECONDS,
      point: { x: point.x, y: point.y, z: point.z },
      at_point: true,
    });
    this.draw();
  }
}
