import * as THREE from "three";
import { expect, test } from "vitest";

import { decode, dressed } from "../src/scene/meshes";

/** A triangle as the server writes it; with a picture of that many bytes. */
function triangle(picture?: number): ArrayBuffer {
  const head = picture === undefined ? 16 : 20;
  const padded = picture === undefined ? 0 : 4 * Math.ceil(picture / 4);
  const buffer = new ArrayBuffer(head + 3 * 20 + 12 + (picture === undefined ? 0 : 24 + padded));
  const view = new DataView(buffer);
  [..."AND" + (picture === undefined ? "M" : "T")].forEach((letter, i) => { view.setUint8(i, letter.charCodeAt(0)); });
  view.setUint32(4, 3, true);
  view.setUint32(8, 3, true);
  if (picture !== undefined) view.setUint32(16, picture, true);
  new Float32Array(buffer, head, 9).set([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  new Uint32Array(buffer, head + 60, 3).set([0, 1, 2]);
  if (picture !== undefined) new Float32Array(buffer, head + 72, 6).set([0, 1, 1, 1, 0, 0]);
  return buffer;
}

function joined(...buffers: ArrayBuffer[]): ArrayBuffer {
  const all = new Uint8Array(buffers.reduce((sum, one) => sum + one.byteLength, 0));
  let at = 0;
  for (const one of buffers) {
    all.set(new Uint8Array(one), at);
    at += one.byteLength;
  }
  return all.buffer;
}

test("parts with pictures follow the painted ones", () => {
  const found = decode(joined(triangle(), triangle(5), triangle(8)));
  expect(found.geometry.getIndex()!.count).toBe(3);
  expect(found.pictured.map((part) => part.picture.length)).toEqual([5, 8]);
  expect([...found.pictured[1]!.geometry.getAttribute("uv").array]).toEqual([0, 1, 1, 1, 0, 0]);
});

test("what breaks off is refused", () => {
  const whole = joined(triangle(), triangle(5));
  expect(() => decode(whole.slice(0, whole.byteLength - 4))).toThrow("breaks off");
  expect(() => decode(new ArrayBuffer(20))).toThrow("not a mesh");
});

test("every picture is worn by a mesh of its own", () => {
  const [look, glass] = [new THREE.MeshLambertMaterial(), new THREE.MeshLambertMaterial()];
  const found = decode(joined(triangle(), triangle(5)));
  found.pictured[0]!.texture = new THREE.Texture();
  const meshes = dressed(found, look, glass);
  expect(meshes.map((mesh) => mesh.material === look)).toEqual([true, false]);
  expect((meshes[1]!.material as THREE.MeshLambertMaterial).map).toBe(found.pictured[0]!.texture);
});
