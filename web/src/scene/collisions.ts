/** Collision shapes of the robot. */

import type { Overlay } from "./overlay";
import type { Stage } from "./stage";

export class CollisionOverlay implements Overlay {
  readonly id = "collisions";
  readonly title = "Collision shapes";
  readonly icon = "collision";
  private end: (() => void) | undefined;

  show(stage: Stage): void {
    this.end = stage.robot.watch((robot) => {
      robot?.showCollisions(true);
      stage.view.invalidate();
    });
  }

  hide(stage: Stage): void {
    this.end?.();
    stage.robot.value?.showCollisions(false);
  }
}
