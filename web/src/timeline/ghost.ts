/** The posture that is edited, as a ghost beside the robot; its links can be dragged. */

import * as THREE from "three";

import { RobotModel } from "../scene/robot";
import type { Stage } from "../scene/stage";

const GHOST = new THREE.MeshLambertMaterial({ color: 0x3b82f6, transparent: true, opacity: 0.45, depthWrite: false });
const LEVEL = 0.005; // feet this near in height are as low [m]

export interface Drag {
  link: string;
  /** Where the link is wanted, in axes of the ghost's root [m]. */
  position: [number, number, number];
}

export class Ghost {
  /** Links on which the robot stands. */
  feet: readonly string[] = [];
  private model: RobotModel | undefined;
  private shown = false;
  private posture: Record<string, number> = {};

  constructor(
    private readonly stage: Stage,
    private readonly onDrag: (drag: Drag) => void,
    private readonly onDrop: () => void,
  ) {
    stage.view.canvas.addEventListener("pointerdown", (event) => { this.grab(event); }, { capture: true });
    stage.robot.on(() => { this.forget(); });
  }

  /** Show it, or not. */
  show(shown: boolean): void {
    this.shown = shown;
    if (shown && !this.model) void this.load();
    if (this.model) this.model.urdf.visible = shown;
    this.stage.view.invalidate();
  }

  /** Take a posture; the lower foot stands where that of the robot does. */
  pose(posture: Record<string, number>): void {
    this.posture = posture;
    const model = this.model;
    const robot = this.stage.robot.value;
    if (!model || !robot) return;
    model.bend({ name: Object.keys(posture), position: Object.values(posture), velocity: [], effort: [] });
    const root = model.urdf;
    root.position.set(0, 0, 0);
    root.quaternion.identity();
    root.updateWorldMatrix(true, true);
    robot.urdf.updateWorldMatrix(true, true);
    const world = robot.urdf.matrixWorld.clone();
    const feet = this.feet.flatMap((name) => {
      const [mine, there] = [root.links[name], robot.urdf.links[name]];
      return mine && there ? [{ mine: mine.matrixWorld, there: there.matrixWorld }] : [];
    });
    const heights = feet.map(({ mine }) => mine.elements[14]);
    const lowest = feet[heights.findIndex((z) => z <= Math.min(...heights) + LEVEL)];
    if (lowest) world.multiplyMatrices(lowest.there, lowest.mine.clone().invert());
    world.decompose(root.position, root.quaternion, root.scale);
    root.updateWorldMatrix(true, true);
    this.stage.view.invalidate();
  }

  private forget(): void {
    if (this.model) this.stage.view.scene.remove(this.model.urdf);
    this.model = undefined;
    if (this.shown) void this.load();
  }

  private async load(): Promise<void> {
    const robot = this.stage.robot.value;
    if (!robot) return;
    const model = await RobotModel.load(robot.name, () => { this.paint(); }, this.stage.robotVersion);
    if (this.model || this.stage.robot.value !== robot) return;
    this.model = model;
    model.urdf.visible = this.shown;
    this.stage.view.scene.add(model.urdf);
    this.paint();
    this.pose(this.posture);
  }

  private paint(): void {
    this.model?.urdf.traverse((one) => {
      if (one instanceof THREE.Mesh && one.material !== GHOST) {
        one.material = GHOST;
        one.castShadow = false;
      }
    });
    this.stage.view.invalidate();
  }

  /** Drag the link under the pointer in a plane that faces the camera. */
  private grab(event: PointerEvent): void {
    const model = this.model;
    if (!this.shown || !model || event.button !== 0 || event.shiftKey) return;
    const { view } = this.stage;
    const hit = view.ray(event).intersectObject(model.urdf, true)[0];
    const link = hit && model.linkOf(hit.object);
    if (!hit || link === undefined) return;
    event.stopImmediatePropagation();
    const origin = model.info(link)!.position.sub(hit.point); // from the grabbed point to that of the link
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    const { canvas } = view;
    canvas.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent): void => {
      const at = view.ray(next).ray.intersectPlane(plane, new THREE.Vector3());
      if (at) this.onDrag({ link, position: model.urdf.worldToLocal(at.add(origin)).toArray() });
    };
    canvas.addEventListener("pointermove", move);
    const end = (): void => {
      canvas.removeEventListener("pointermove", move);
      this.onDrop();
    };
    canvas.addEventListener("pointerup", end, { once: true });
  }
}
