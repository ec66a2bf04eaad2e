/** The laser scan as dots, put where the scanner is. */

import * as THREE from "three";

import { seconds, type LaserScan } from "../link/messages";
import type { Hearing } from "../link/topics";
import type { Overlay } from "./overlay";
import type { Stage } from "./stage";

const MOST = 4096;

export class LaserOverlay implements Overlay {
  readonly id = "laser";
  readonly title = "Laser scan";
  readonly icon = "laser";
  private readonly dots: THREE.Points;

  constructor() {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * MOST), 3));
    geometry.setDrawRange(0, 0);
    this.dots = new THREE.Points(geometry, new THREE.PointsMaterial({ color: 0xe11d48, size: 4, sizeAttenuation: false }));
    this.dots.frustumCulled = false;
    this.dots.matrixAutoUpdate = false;
  }

  show(stage: Stage, hearing: Hearing): void {
    stage.view.scene.add(this.dots);
    hearing.subscribe("/scan", (scan) => {
      this.update(scan, stage);
      stage.view.invalidate();
    });
  }

  hide(stage: Stage): void {
    stage.view.scene.remove(this.dots);
  }

  private update(scan: LaserScan, stage: Stage): void {
    const at = this.dots.geometry.getAttribute("position") as THREE.BufferAttribute;
    let count = 0;
    for (let i = 0; i < scan.ranges.length && count < MOST; i++) {
      const range = scan.ranges[i]!;
      if (!(range >= scan.range_min && range <= scan.range_max)) continue;
      const angle = scan.angle_min + i * scan.angle_increment;
      at.setXYZ(count++, range * Math.cos(angle), range * Math.sin(angle), 0);
    }
    at.needsUpdate = true;
    this.dots.geometry.setDrawRange(0, count);
    const middle = seconds(scan.header.stamp) + 0.5 * scan.time_increment * scan.ranges.length;
    const then = stage.poseAt(scan.header.frame_id, middle);
    if (then) {
      this.dots.matrix.copy(then);
      return;
    }
    const link = stage.robot.value?.urdf.links[scan.header.frame_id] as THREE.Object3D | undefined;
    if (!link) return;
    link.updateWorldMatrix(true, false);
    this.dots.matrix.copy(link.matrixWorld);
  }
}
