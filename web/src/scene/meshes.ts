/** Meshes as the server sends them: positions, normals, colours and indices in one buffer. */

import * as THREE from "three";

import { SOFTWARE } from "./quality";

const MAGIC = 0x4d444e41; // "ANDM"
const HEAD = 16;

export interface Painted {
  geometry: THREE.BufferGeometry;
  transparent: boolean;
}

/** The geometry in a buffer; throws on anything that is not such a mesh. */
export function decode(buffer: ArrayBuffer): Painted {
  const head = new DataView(buffer);
  if (buffer.byteLength < HEAD || head.getUint32(0, true) !== MAGIC) throw new Error("this is not a mesh of the studio");
  const vertices = head.getUint32(4, true);
  const indices = head.getUint32(8, true);
  const flags = head.getUint32(12, true);
  if (buffer.byteLength !== HEAD + 20 * vertices + 4 * indices) throw new Error("the mesh breaks off");
  const geometry = new THREE.BufferGeometry();
  const normals = HEAD + 12 * vertices;
  const colors = normals + 4 * vertices;
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(buffer, HEAD, 3 * vertices), 3));
  const directions = new THREE.InterleavedBuffer(new Int8Array(buffer, normals, 4 * vertices), 4);
  geometry.setAttribute("normal", new THREE.InterleavedBufferAttribute(directions, 3, 0, true));
  const paint = new Uint8Array(buffer, colors, 4 * vertices);
  geometry.setAttribute("color", new THREE.BufferAttribute(SOFTWARE ? paint : linear(paint), 4, true));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(buffer, colors + 4 * vertices, indices), 1));
  geometry.computeBoundingSphere();
  return { geometry, transparent: (flags & 1) === 1 };
}

const TABLE = Uint16Array.from({ length: 256 }, (_, i) => {
  const c = i / 255;
  return Math.round(65535 * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
});

/** Colours as light adds them up: red, green and blue from sRGB to linear, alpha as it is; 65535 is full. */
export function linear(rgba: Uint8Array): Uint16Array {
  return Uint16Array.from(rgba, (value, index) => (index % 4 === 3 ? value * 257 : TABLE[value]!));
}

/** A name (which may be that of a file) as one part of an address: the server decodes it once more than usual. */
export function address(name: string): string {
  return encodeURIComponent(encodeURIComponent(name));
}

const cache = new Map<string, Promise<Painted>>();

/** The mesh behind an address, fetched once. */
export function fetchMesh(url: string): Promise<Painted> {
  let found = cache.get(url);
  if (!found) {
    found = fetch(url).then(async (answer) => {
      if (!answer.ok) throw new Error(`${url}: ${String(answer.status)}`);
      return decode(await answer.arrayBuffer());
    });
    cache.set(url, found);
    found.catch(() => cache.delete(url));
  }
  return found;
}
