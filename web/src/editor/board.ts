/** The things of the scene in the picture: drawn, hit by the pointer, marked when chosen. */

import * as THREE from "three";

import type { View } from "../scene/view";
import { solids, type Kept, type Shape, type Thing } from "./things";

const GEOMETRY: Record<Shape, THREE.BufferGeometry> = {
  box: new THREE.BoxGeometry(1, 1, 1),
  cylinder: new THREE.CylinderGeometry(0.5, 0.5, 1, 28).rotateX(Math.PI / 2),
  sphere: new THREE.SphereGeometry(0.5, 24, 16),
};
const CHOSEN = new THREE.LineBasicMaterial({ color: 0xe4572e, depthTest: false, transparent: true }); // seen through all else
const EDGES: Record<Shape, THREE.BufferGeometry> = {
  box: new THREE.EdgesGeometry(GEOMETRY.box),
  cylinder: new THREE.EdgesGeometry(GEOMETRY.cylinder, 30),
  sphere: new THREE.EdgesGeometry(new THREE.SphereGeometry(0.5, 10, 6)),
};

export class Board {
  readonly group = new THREE.Group();
  private readonly shown = new Map<string, { look: string; object: THREE.Group }>();
  private readonly grid = new THREE.GridHelper(20, 40, 0x8896a5, 0xb9c2cc);
  private readonly looks = new Map<string, THREE.MeshLambertMaterial>();

  constructor(private readonly view: View) {
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.z = 0.003;
    this.group.add(this.grid);
  }

  /** Draw all of them; those that have not changed their look are only moved. */
  draw(things: readonly Thing[], kept: readonly Kept[], chosen: ReadonlySet<string>): void {
    const names = new Set<string>();
    for (const one of [...things, ...kept]) {
      names.add(one.name);
      const marked = chosen.has(one.name);
      const look = "kind" in one ? `${one.kind} ${one.size.join(" ")} ${one.color} ${String(marked)}` : `kept ${one.color} ${String(marked)}`;
      let entry = this.shown.get(one.name);
      if (entry?.look !== look) {
        if (entry) this.group.remove(entry.object);
        entry = { look, object: this.made(one, marked) };
        this.shown.set(one.name, entry);
        this.group.add(entry.object);
      }
      entry.object.position.set(one.x, one.y, one.z);
      entry.object.rotation.z = one.yaw;
    }
    for (const [name, { object }] of [...this.shown]) {
      if (names.has(name)) continue;
      this.group.remove(object);
      this.shown.delete(name);
    }
    this.view.invalidate();
  }

  /** Name of the thing under the pointer. */
  hit(event: { clientX: number; clientY: number }): string | undefined {
    const found = this.view.ray(event).intersectObjects([...this.shown.values()].map((one) => one.object), true)[0];
    for (let at: THREE.Object3D | null = found?.object ?? null; at; at = at.parent) {
      const name = at.userData["thing"] as string | undefined;
      if (name !== undefined) return name;
    }
    return undefined;
  }

  /** Point of the floor under the pointer [m]. */
  floor(event: { clientX: number; clientY: number }, height = 0): [number, number] | undefined {
    const at = this.view.ray(event).ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), -height), new THREE.Vector3());
    return at && at.length() < 500 ? [at.x, at.y] : undefined;
  }

  private made(one: Thing | Kept, marked: boolean): THREE.Group {
    const group = new THREE.Group();
    group.userData["thing"] = one.name;
    const parts: [Shape, THREE.Vector3, THREE.Vector3, THREE.Quaternion][] = "kind" in one
      ? solids(one.kind, one.size).map(([shape, at, size, pitch]) => [shape, new THREE.Vector3(...at), new THREE.Vector3(...size), new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), pitch)])
      : one.solids.map(([shape, at, size, turn]) => [shape, new THREE.Vector3(...at), new THREE.Vector3(...size), new THREE.Quaternion(...turn)]);
    for (const [shape, at, size, turn] of parts) {
      const mesh = new THREE.Mesh(GEOMETRY[shape], this.look(one.color));
      mesh.position.copy(at);
      mesh.scale.copy(size);
      mesh.quaternion.copy(turn);
      if (marked) mesh.add(new THREE.LineSegments(EDGES[shape], CHOSEN));
      group.add(mesh);
    }
    return group;
  }

  private look(color: string): THREE.MeshLambertMaterial {
    let found = this.looks.get(color);
    if (!found) {
      found = new THREE.MeshLambertMaterial({ color });
      this.looks.set(color, found);
    }
    return found;
  }
}
