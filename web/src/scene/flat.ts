/** A robot as one mesh whose vertices are moved and lit here: without a graphics card every further mesh costs more. */

import * as THREE from "three";

import type { Lighting } from "./bake";
import { BAKED, PICKED, ROBOT } from "./materials";

const WHOLE = 255;
const FLAT = "flat"; // mark of meshes that are drawn as a part of the one

interface Part {
  mesh: THREE.Mesh;
  first: number; // vertex
  positions: Float32Array;
  normals: Int8Array; // three a vertex, of length 127
  colors: Uint8Array;
}

/** Stands in for the opaque meshes below an object, which stay for picking but are not drawn. */
export class FlatRobot {
  readonly mesh: THREE.Mesh;
  private readonly parts: Part[] = [];
  private readonly positions: Float32Array;
  private readonly colors: Uint8Array;

  constructor(
    private readonly root: THREE.Object3D,
    private readonly light: Lighting,
  ) {
    const indices: number[] = [];
    let count = 0;
    root.traverse((object) => {
      if (!(object instanceof THREE.Mesh) || (object.material !== ROBOT && object.material !== PICKED)) return;
      const geometry = object.geometry as THREE.BufferGeometry;
      const part = { mesh: object, first: count, ...plain(geometry) };
      this.parts.push(part);
      for (const index of geometry.getIndex()?.array ?? []) indices.push(count + index);
      count += part.positions.length / 3;
      object.visible = false;
      object.userData[FLAT] = true;
    });
    this.positions = new Float32Array(3 * count);
    this.colors = new Uint8Array(4 * count).fill(WHOLE);
    const whole = new THREE.BufferGeometry();
    whole.setAttribute("position", new THREE.BufferAttribute(this.positions, 3).setUsage(THREE.DynamicDrawUsage));
    whole.setAttribute("color", new THREE.BufferAttribute(this.colors, 4, true).setUsage(THREE.DynamicDrawUsage));
    whole.setIndex(indices);
    this.mesh = new THREE.Mesh(whole, BAKED);
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => undefined;
  }

  /** Put every vertex where its link is, in the light that falls on it there. */
  update(): void {
    this.root.updateWorldMatrix(true, true);
    for (const part of this.parts) this.place(part);
    for (const name of ["position", "color"]) this.mesh.geometry.getAttribute(name).needsUpdate = true;
  }

  private place({ mesh, first, positions, normals, colors }: Part): void {
    const e = mesh.matrixWorld.elements;
    const { sun, sunColor, sky, ground } = this.light;
    const glow = mesh.material === PICKED ? PICKED.emissive : undefined;
    for (let i = 0, p = 0, to = 3 * first, c = 4 * first; p < positions.length; i += 4, p += 3, to += 3, c += 4) {
      const [x, y, z] = [positions[p]!, positions[p + 1]!, positions[p + 2]!];
      this.positions[to] = e[0] * x + e[4] * y + e[8] * z + e[12];
      this.positions[to + 1] = e[1] * x + e[5] * y + e[9] * z + e[13];
      this.positions[to + 2] = e[2] * x + e[6] * y + e[10] * z + e[14];
      const [u, v, w] = [normals[p]! / 127, normals[p + 1]! / 127, normals[p + 2]! / 127];
      const nx = e[0] * u + e[4] * v + e[8] * w;
      const ny = e[1] * u + e[5] * v + e[9] * w;
      const nz = e[2] * u + e[6] * v + e[10] * w;
      const lit = Math.max(0, -(nx * sun.x + ny * sun.y + nz * sun.z));
      const up = 0.5 * nz + 0.5;
      this.colors[c] = shade(colors[i]!, ground.r + up * (sky.r - ground.r) + lit * sunColor.r, glow?.r ?? 0);
      this.colors[c + 1] = shade(colors[i + 1]!, ground.g + up * (sky.g - ground.g) + lit * sunColor.g, glow?.g ?? 0);
      this.colors[c + 2] = shade(colors[i + 2]!, ground.b + up * (sky.b - ground.b) + lit * sunColor.b, glow?.b ?? 0);
    }
  }

  /** Give the meshes back that it stood in for. */
  dispose(): void {
    for (const { mesh } of this.parts) {
      mesh.visible = true;
      mesh.userData[FLAT] = false;
    }
    this.mesh.geometry.dispose();
    this.mesh.removeFromParent();
  }
}

/** Whether a mesh is seen though it is not drawn itself. */
export function standsFor(mesh: THREE.Object3D): boolean {
  return mesh.userData[FLAT] === true;
}

function shade(paint: number, light: number, glow: number): number {
  return Math.min(WHOLE, paint * light + 0.5 * WHOLE * glow);
}

/** The arrays of a geometry as they are needed above. */
function plain(geometry: THREE.BufferGeometry): { positions: Float32Array; normals: Int8Array; colors: Uint8Array } {
  const [position, normal, color] = ["position", "normal", "color"].map((name) => geometry.getAttribute(name)) as [
    THREE.BufferAttribute, THREE.BufferAttribute, THREE.BufferAttribute,
  ];
  const normals = new Int8Array(3 * normal.count);
  const colors = new Uint8Array(4 * color.count);
  for (let i = 0; i < position.count; i++) {
    normals.set([normal.getX(i), normal.getY(i), normal.getZ(i)].map((n) => Math.round(127 * n)), 3 * i);
    colors.set([color.getX(i), color.getY(i), color.getZ(i), color.getW(i)].map((n) => Math.round(WHOLE * n)), 4 * i);
  }
  return { positions: position.array as Float32Array, normals, colors };
}
