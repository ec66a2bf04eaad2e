/** Frames: red, green and blue axes at every link. */

import * as THREE from "three";

import type { Overlay } from "./overlay";
import type { RobotModel } from "./robot";
import type { Stage } from "./stage";

export class FrameOverlay implements Overlay {
  readonly id = "frames";
  readonly title = "Frames of the links";
  readonly icon = "frames";
  private axes: THREE.AxesHelper[] = [];
  private end: (() => void) | undefined;

  show(stage: Stage): void {
    this.end = stage.robot.watch((robot) => {
      this.clear();
      if (robot) this.fill(robot);
      stage.view.invalidate();
    });
  }

  hide(): void {
    this.end?.();
    this.clear();
  }

  private fill(robot: RobotModel): void {
    const length = Math.min(0.08, 0.016 * Math.cbrt(robot.mass + 1)); // grows with the robot [m]
    for (const link of Object.values(robot.urdf.links)) {
      const axes = new THREE.AxesHelper(length);
      const look = axes.material as THREE.LineBasicMaterial;
      look.depthTest = false;
      axes.renderOrder = 8;
      (link as THREE.Object3D).add(axes);
      this.axes.push(axes);
    }
  }

  private clear(): void {
    for (const axes of this.axes) {
      axes.removeFromParent();
      axes.dispose();
    }
    this.axes = [];
  }
}
