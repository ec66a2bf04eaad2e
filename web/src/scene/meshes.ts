/** Meshes as the server sends them: positions, normals, colours, indices and pictures in one buffer. */

import * as THREE from "three";

import { SOFTWARE } from "./quality";

const MAGIC = 0x4d444e41; // "ANDM"
const PICTURED = 0x54444e41; // "ANDT"

/** Triangles with a picture on them. */
export interface Pictured {
  geometry: THREE.BufferGeometry;
  transparent: boolean;
  /** The picture as a file (PNG or JPEG). */
  picture: Uint8Array<ArrayBuffer>;
  /** The same, once it has been read. */
  texture?: THREE.Texture;
}

export interface Painted {
  geometry: THREE.BufferGeometry;
  transparent: boolean;
  pictured: Pictured[];
}

/** The geometries in a buffer; throws on anything that is not such a mesh. */
export function decode(buffer: ArrayBuffer): Painted {
  if (buffer.byteLength < 16 || new DataView(buffer).getUint32(0, true) !== MAGIC) throw new Error("this is not a mesh of the studio");
  const first = piece(buffer, 0);
  const pictured: Pictured[] = [];
  let at = first.end;
  while (at < buffer.byteLength) {
    const next = piece(buffer, at);
    pictured.push(next);
    at = next.end;
  }
  return { geometry: first.geometry, transparent: first.transparent, pictured };
}

function piece(buffer: ArrayBuffer, at: number): Pictured & { end: number } {
  const head = new DataView(buffer, at);
  const magic = head.byteLength < 16 ? 0 : head.getUint32(0, true);
  const hasPicture = magic === PICTURED;
  if (magic !== MAGIC && !(hasPicture && head.byteLength >= 20)) throw new Error("the mesh breaks off");
  const [vertices, indices, flags] = [head.getUint32(4, true), head.getUint32(8, true), head.getUint32(12, true)];
  const size = hasPicture ? head.getUint32(16, true) : 0;
  const positions = at + (hasPicture ? 20 : 16);
  const normals = positions + 12 * vertices;
  const colors = normals + 4 * vertices;
  const order = colors + 4 * vertices;
  const places = order + 4 * indices;
  const picture = places + (hasPicture ? 8 * vertices : 0);
  const end = picture + 4 * Math.ceil(size / 4);
  if (end > buffer.byteLength) throw new Error("the mesh breaks off");
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(buffer, positions, 3 * vertices), 3));
  const directions = new THREE.InterleavedBuffer(new Int8Array(buffer, normals, 4 * vertices), 4);
  geometry.setAttribute("normal", new THREE.InterleavedBufferAttribute(directions, 3, 0, true));
  const paint = new Uint8Array(buffer, colors, 4 * vertices);
  geometry.setAttribute("color", new THREE.BufferAttribute(SOFTWARE ? paint : linear(paint), 4, true));
  if (hasPicture) geometry.setAttribute("uv", new THREE.BufferAttribute(new Float32Array(buffer, places, 2 * vertices), 2));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(buffer, order, indices), 1));
  geometry.computeBoundingSphere();
  return { geometry, transparent: (flags & 1) === 1, picture: new Uint8Array(buffer, picture, size), end };
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

/** What an address carries so that another content under the same name is fetched anew. */
export function queried(version: string): string {
  return version ? `?v=${version}` : "";
}

const cache = new Map<string, Promise<Painted>>();

/** The mesh behind an address, fetched once. */
export function fetchMesh(url: string): Promise<Painted> {
  let found = cache.get(url);
  if (!found) {
    found = fetch(url).then(async (answer) => {
      if (!answer.ok) throw new Error(`${url}: ${String(answer.status)}`);
      return readPictures(decode(await answer.arrayBuffer()));
    });
    cache.set(url, found);
    found.catch(() => cache.delete(url));
  }
  return found;
}

/** Meshes of all of it: what is only painted in one look, the others in copies of it that wear their pictures. */
export function dressed(painted: Painted, look: THREE.Material, glass: THREE.Material, relit = same): THREE.Mesh[] {
  const meshes: THREE.Mesh[] = [];
  if (painted.pictured.length === 0 || painted.geometry.getIndex()!.count > 0) {
    meshes.push(new THREE.Mesh(relit(painted.geometry), painted.transparent ? glass : look));
  }
  for (const { geometry, transparent, texture } of painted.pictured) {
    const worn = look.clone() as THREE.MeshLambertMaterial;
    worn.map = texture ?? null;
    worn.transparent = transparent;
    worn.alphaTest = transparent ? 0.05 : 0;
    meshes.push(new THREE.Mesh(relit(geometry), worn));
  }
  return meshes;
}

function same(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  return geometry;
}

/** Read the pictures of a mesh; one that cannot be read leaves its triangles in their own colour. */
async function readPictures(painted: Painted): Promise<Painted> {
  await Promise.all(painted.pictured.map(async (part) => {
    const bitmap = await createImageBitmap(new Blob([part.picture])).catch(() => undefined);
    if (!bitmap) return;
    part.texture = new THREE.Texture(bitmap);
    part.texture.wrapS = part.texture.wrapT = THREE.RepeatWrapping;
    part.texture.colorSpace = SOFTWARE ? THREE.NoColorSpace : THREE.SRGBColorSpace;
    part.texture.flipY = false;
    part.texture.anisotropy = SOFTWARE ? 1 : 4;
    part.texture.needsUpdate = true;
  }));
  return painted;
}
