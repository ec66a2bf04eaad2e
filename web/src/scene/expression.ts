/** What the robot says and shows: words in a bubble over its head, lights in its eyes. */

import * as THREE from "three";

import type { Studio } from "../studio";
import { h } from "../ui/dom";
import type { RobotModel } from "./robot";
import type { Stage } from "./stage";

const SHORTEST = 2500; // that words are shown [ms]
const LETTER = 70; // longer for every letter [ms]
const AGAIN = 800; // what comes so soon after listening began was said before [ms]
const HEAD = /head/i;
const ASIDE = 0.185; // of the head's width: eyes from its middle
const UP = -0.05; // of its height: eyes over its middle
const SLANT = 0.35; // how much they look aside
const SIZE = 0.085; // radius of an eye, of the head's height

interface Lights {
  names: string[];
  colors: { r: number; g: number; b: number }[];
}

export class Expression {
  readonly bubble = h("div", { class: "bubble", role: "status", hidden: true });
  private readonly eyes = [0, 1].map(() => new THREE.Mesh(new THREE.CircleGeometry(1, 24), new THREE.MeshBasicMaterial({ color: 0 })));
  private robot: RobotModel | undefined;
  private head: THREE.Object3D | undefined;
  private placed = false;
  private end = 0; // of what is said [ms]

  constructor(studio: Studio, private readonly stage: Stage) {
    this.eyes.forEach((eye) => { eye.visible = false; });
    const began = performance.now();
    studio.connection.subscribe<{ data: string }>("/speech/said", "std_msgs/msg/String", ({ data }) => { if (performance.now() - began > AGAIN) this.say(data); });
    studio.connection.subscribe<Lights>("/leds", "andante_msgs/msg/Leds", (lights) => { this.shine(lights); });
    stage.view.onFrame(() => { this.draw(); });
  }

  /** Words over the head, for as long as they take to read. */
  say(text: string): void {
    if (!text.trim()) return;
    this.bubble.textContent = text;
    this.end = performance.now() + SHORTEST + LETTER * text.length;
    window.setTimeout(() => { if (performance.now() >= this.end - 1) this.bubble.hidden = true; }, SHORTEST + LETTER * text.length);
    this.bubble.hidden = false;
    this.stage.view.invalidate();
  }

  /** Colours of the eyes: those of lights that are named after face, eyes or all, the closest name last. */
  shine({ names, colors }: Lights): void {
    const order = names.map((name, i) => ({ name, color: colors[i]! })).filter(({ name }) => /all|face|eye/i.test(name)).sort((a, b) => closeness(a.name) - closeness(b.name));
    if (order.length === 0 || !this.settle()) return;
    for (const { name, color } of order) {
      this.eyes.forEach((eye, side) => {
        if (new RegExp(side === 0 ? "right" : "left", "i").test(name)) return;
        (eye.material as THREE.MeshBasicMaterial).color.setRGB(color.r, color.g, color.b);
        eye.visible = this.placed;
      });
    }
    this.stage.view.invalidate();
  }

  /** Find the head of the robot that is there and put the eyes onto its front; whether there is one. */
  private settle(): boolean {
    const robot = this.stage.robot.value ?? undefined;
    if (robot !== this.robot) {
      this.robot = robot;
      this.placed = false;
      this.eyes.forEach((eye) => { eye.removeFromParent(); eye.visible = false; });
      const links = robot ? Object.entries(robot.urdf.links) : [];
      this.head = links.filter(([name]) => HEAD.test(name)).sort(([a], [b]) => a.length - b.length)[0]?.[1];
    }
    if (this.head && !this.placed) this.placed = this.putEyes(this.head);
    return this.head !== undefined;
  }

  private putEyes(head: THREE.Object3D): boolean {
    head.updateWorldMatrix(true, true);
    const inside = head.matrixWorld.clone().invert();
    const box = new THREE.Box3();
    const meshes: THREE.Mesh[] = [];
    for (const child of head.children) {
      if ("isURDFVisual" in child) child.traverse((one) => { if (one instanceof THREE.Mesh) meshes.push(one); });
    }
    for (const mesh of meshes) {
      const geometry = mesh.geometry as THREE.BufferGeometry;
      geometry.computeBoundingBox();
      if (geometry.boundingBox) box.union(geometry.boundingBox.clone().applyMatrix4(mesh.matrixWorld).applyMatrix4(inside));
    }
    if (box.isEmpty()) return false;
    const size = box.getSize(new THREE.Vector3());
    const middle = box.getCenter(new THREE.Vector3());
    const ray = new THREE.Raycaster();
    this.eyes.forEach((eye, side) => {
      const from = new THREE.Vector3(box.max.x + size.x, middle.y + (side === 0 ? ASIDE : -ASIDE) * size.y, middle.z + UP * size.z);
      ray.set(from.clone().applyMatrix4(head.matrixWorld), new THREE.Vector3(-1, 0, 0).transformDirection(head.matrixWorld));
      const hit = ray.intersectObjects(meshes, false)[0];
      const at = hit ? hit.point.clone().applyMatrix4(inside) : new THREE.Vector3(box.max.x, from.y, from.z);
      const normal = new THREE.Vector3(1, side === 0 ? SLANT : -SLANT, 0).normalize();
      eye.position.copy(at).addScaledVector(normal, 0.03 * size.x);
      eye.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      eye.scale.setScalar(SIZE * size.z);
      head.add(eye);
    });
    return true;
  }

  private draw(): void {
    if (this.bubble.hidden) return;
    this.settle();
    const top = this.head ?? this.robot?.urdf;
    if (!top) return;
    const place = new THREE.Vector3().setFromMatrixPosition(top.matrixWorld).setZ(new THREE.Vector3().setFromMatrixPosition(top.matrixWorld).z + 0.12);
    place.project(this.stage.view.camera);
    const { clientWidth: width, clientHeight: height } = this.stage.view.canvas;
    this.bubble.style.transform = `translate(${String(Math.round((0.5 + 0.5 * place.x) * width))}px, ${String(Math.round((0.5 - 0.5 * place.y) * height))}px) translate(-50%, -100%)`;
  }
}

/** How much a light's name is about one eye. */
function closeness(name: string): number {
  return (/face|eye/i.test(name) ? 1 : 0) + (/left|right/i.test(name) ? 1 : 0);
}
