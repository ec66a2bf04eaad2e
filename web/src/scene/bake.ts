/** Light of things that never move, added up once per vertex, so that drawing them costs next to nothing. */

import * as THREE from "three";

export interface Lighting {
  /** Direction in which the sun shines, of length 1. */
  sun: THREE.Vector3;
  sunColor: THREE.Color;
  sky: THREE.Color;
  ground: THREE.Color;
}

const WHOLE = 65535;

/** The geometry with colours as the light makes them: Lambert's law for the sun, a gradient for sky and ground. */
export function baked(geometry: THREE.BufferGeometry, light: Lighting): THREE.BufferGeometry {
  const normals = geometry.getAttribute("normal");
  const colors = geometry.getAttribute("color");
  const out = new Uint16Array(4 * colors.count);
  const seen = new THREE.Color();
  for (let i = 0; i < colors.count; i++) {
    const [x, y, z] = [normals.getX(i), normals.getY(i), normals.getZ(i)];
    const share = Math.max(0, -(x * light.sun.x + y * light.sun.y + z * light.sun.z));
    seen.copy(light.ground).lerp(light.sky, 0.5 * z + 0.5);
    seen.r = (seen.r + share * light.sunColor.r) * colors.getX(i);
    seen.g = (seen.g + share * light.sunColor.g) * colors.getY(i);
    seen.b = (seen.b + share * light.sunColor.b) * colors.getZ(i);
    out.set([seen.r, seen.g, seen.b].map((c) => Math.round(WHOLE * Math.min(1, c))), 4 * i);
    out[4 * i + 3] = Math.round(WHOLE * colors.getW(i));
  }
  const copy = geometry.clone();
  copy.setAttribute("color", new THREE.BufferAttribute(out, 4, true));
  return copy;
}

/** A soft round shadow to lie under the robot where real ones cost too much. */
export function blobShadow(): THREE.Mesh {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const paint = canvas.getContext("2d")!;
  const fade = paint.createRadialGradient(32, 32, 4, 32, 32, 32);
  fade.addColorStop(0, "rgba(0, 0, 0, 0.45)");
  fade.addColorStop(1, "rgba(0, 0, 0, 0)");
  paint.fillStyle = fade;
  paint.fillRect(0, 0, 64, 64);
  const look = new THREE.MeshBasicMaterial({ map: new THREE.CanvasTexture(canvas), transparent: true, depthWrite: false });
  const blob = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), look);
  blob.renderOrder = 1;
  return blob;
}
