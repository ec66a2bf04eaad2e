/** Contacts: a dot where something touches and an arrow as long as the force. */

import * as THREE from "three";

import type { Contacts } from "../link/messages";
import type { Hearing } from "../link/topics";
import type { Overlay } from "./overlay";
import type { Stage } from "./stage";

const MOST = 96;
const LENGTH = 0.004; // [m/N]
const LONGEST = 0.5; // [m]

export class ContactOverlay implements Overlay {
  readonly id = "contacts";
  readonly title = "Contacts and forces";
  readonly icon = "contacts";
  private readonly lines: THREE.LineSegments;
  private readonly dots: THREE.Points;

  constructor() {
    const buffer = (count: number): THREE.BufferGeometry => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage));
      geometry.setDrawRange(0, 0);
      return geometry;
    };
    this.lines = new THREE.LineSegments(buffer(2 * MOST), new THREE.LineBasicMaterial({ color: 0xf5a524, depthTest: false }));
    this.dots = new THREE.Points(
      buffer(MOST),
      new THREE.PointsMaterial({ color: 0xe4572e, size: 7, sizeAttenuation: false, depthTest: false }),
    );
    this.lines.frustumCulled = this.dots.frustumCulled = false;
    this.lines.renderOrder = this.dots.renderOrder = 10;
  }

  show(stage: Stage, hearing: Hearing): void {
    stage.view.scene.add(this.lines, this.dots);
    hearing.subscribe("/ground_truth/contacts", (message) => {
      this.update(message);
      stage.view.invalidate();
    });
  }

  hide(stage: Stage): void {
    stage.view.scene.remove(this.lines, this.dots);
  }

  private update(message: Contacts): void {
    const tips = this.lines.geometry.getAttribute("position") as THREE.BufferAttribute;
    const points = this.dots.geometry.getAttribute("position") as THREE.BufferAttribute;
    const contacts = message.contacts.slice(0, MOST);
    contacts.forEach(({ position: p, force: f }, i) => {
      const size = Math.hypot(f.x, f.y, f.z);
      const scale = size > 0 ? Math.min(LENGTH * size, LONGEST) / size : 0;
      tips.setXYZ(2 * i, p.x, p.y, p.z);
      tips.setXYZ(2 * i + 1, p.x + scale * f.x, p.y + scale * f.y, p.z + scale * f.z);
      points.setXYZ(i, p.x, p.y, p.z);
    });
    tips.needsUpdate = points.needsUpdate = true;
    this.lines.geometry.setDrawRange(0, 2 * contacts.length);
    this.dots.geometry.setDrawRange(0, contacts.length);
  }
}
