/** Footsteps: where feet stood and where the next steps go. */

import * as THREE from "three";

import type { Footsteps } from "../link/messages";
import type { Hearing } from "../link/topics";
import type { Overlay } from "./overlay";
import type { Stage } from "./stage";

const MOST = 40;
const LEFT = 0x2f80ed;
const RIGHT = 0xe4572e;

export class FootstepOverlay implements Overlay {
  readonly id = "footsteps";
  readonly title = "Footsteps";
  readonly icon = "steps";
  private readonly group = new THREE.Group();
  private readonly sole: THREE.ShapeGeometry;

  constructor() {
    const shape = new THREE.Shape();
    shape.absellipse(0.02, 0, 0.075, 0.042, 0, 2 * Math.PI, false, 0);
    this.sole = new THREE.ShapeGeometry(shape, 20);
  }

  show(stage: Stage, hearing: Hearing): void {
    stage.view.scene.add(this.group);
    hearing.subscribe("/footsteps", (message) => {
      this.update(message, stage);
      stage.view.invalidate();
    });
  }

  hide(stage: Stage): void {
    stage.view.scene.remove(this.group);
  }

  private update(message: Footsteps, stage: Stage): void {
    this.group.clear();
    for (const step of message.steps.slice(-MOST)) {
      const side = /^l|left/i.test(step.foot) ? LEFT : RIGHT;
      const look = new THREE.MeshBasicMaterial({ color: side, transparent: true, opacity: step.planned ? 0.3 : 0.65, depthWrite: false });
      const mark = new THREE.Mesh(this.sole, look);
      mark.position.set(step.pose.x, step.pose.y, 0.003);
      mark.rotation.z = step.pose.theta;
      mark.renderOrder = 3;
      this.group.add(mark);
    }
    const where = stage.offset(message.header.frame_id);
    this.group.position.set(where.x, where.y, 0);
    this.group.rotation.z = where.yaw;
  }
}
