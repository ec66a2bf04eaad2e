/** Balance: centre of mass, its foot on the ground, and the support polygon. */

import * as THREE from "three";

import type { Vector3 } from "../link/messages";
import type { Hearing } from "../link/topics";
import type { Overlay } from "./overlay";
import type { Stage } from "./stage";

export class BalanceOverlay implements Overlay {
  readonly id = "balance";
  readonly title = "Centre of mass and support";
  readonly icon = "balance";
  private readonly group = new THREE.Group();
  private readonly centre: THREE.Mesh;
  private readonly foot: THREE.Mesh;
  private readonly plumb: THREE.Line;
  private readonly edge: THREE.LineLoop;
  private readonly area: THREE.Mesh;
  private ground = 0;

  constructor() {
    const seen = { depthTest: false, transparent: true };
    this.centre = new THREE.Mesh(new THREE.SphereGeometry(0.018, 20, 14), new THREE.MeshBasicMaterial({ ...seen, color: 0x8b5cf6 }));
    this.foot = new THREE.Mesh(new THREE.RingGeometry(0.008, 0.014, 28), new THREE.MeshBasicMaterial({ ...seen, color: 0x8b5cf6 }));
    this.plumb = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
      new THREE.LineBasicMaterial({ ...seen, color: 0x8b5cf6, opacity: 0.7 }),
    );
    this.edge = new THREE.LineLoop(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ ...seen, color: 0x16a34a }));
    this.area = new THREE.Mesh(
      new THREE.BufferGeometry(),
      new THREE.MeshBasicMaterial({ ...seen, color: 0x22c55e, opacity: 0.28, side: THREE.DoubleSide }),
    );
    this.group.add(this.area, this.edge, this.plumb, this.foot, this.centre);
    this.group.traverse((one) => {
      one.frustumCulled = false;
      one.renderOrder = 9;
    });
  }

  show(stage: Stage, hearing: Hearing): void {
    stage.view.scene.add(this.group);
    hearing.subscribe("/ground_truth/com", (message) => {
      this.setCentre(message.point);
      stage.view.invalidate();
    });
    hearing.subscribe("/ground_truth/support_polygon", (message) => {
      this.setPolygon(message.polygon.points);
      stage.view.invalidate();
    });
  }

  hide(stage: Stage): void {
    stage.view.scene.remove(this.group);
  }

  private setCentre({ x, y, z }: Vector3): void {
    this.centre.position.set(x, y, z);
    this.foot.position.set(x, y, this.ground + 0.002);
    this.plumb.geometry.setFromPoints([new THREE.Vector3(x, y, z), new THREE.Vector3(x, y, this.ground)]);
  }

  private setPolygon(points: Vector3[]): void {
    const corners = points.map((p) => new THREE.Vector3(p.x, p.y, p.z + 0.003));
    this.edge.visible = this.area.visible = corners.length > 2;
    if (corners.length < 3) return;
    this.ground = points.reduce((sum, p) => sum + p.z, 0) / points.length;
    this.edge.geometry.dispose();
    this.edge.geometry = new THREE.BufferGeometry().setFromPoints(corners);
    const fan = corners.slice(2).flatMap((_, i) => [corners[0]!, corners[i + 1]!, corners[i + 2]!]);
    this.area.geometry.dispose();
    this.area.geometry = new THREE.BufferGeometry().setFromPoints(fan);
  }
}
