import * as THREE from "three";
import { expect, test } from "vitest";

import { baked } from "../src/scene/bake";
import { FlatRobot } from "../src/scene/flat";
import { GLASS, PICKED, ROBOT } from "../src/scene/materials";

const LIGHT = {
  sun: new THREE.Vector3(-0.4, 0.25, -0.9).normalize(),
  sunColor: new THREE.Color(0.4, 0.38, 0.35),
  sky: new THREE.Color(0.6, 0.6, 0.6),
  ground: new THREE.Color(0.3, 0.29, 0.28),
};

function box(paint: [number, number, number]): THREE.BufferGeometry {
  const geometry = new THREE.BoxGeometry(0.2, 0.4, 0.6);
  const count = geometry.getAttribute("position").count;
  geometry.setAttribute("color", new THREE.BufferAttribute(Uint8Array.from({ length: 4 * count }, (_, i) => (i % 4 === 3 ? 255 : paint[i % 4]!)), 4, true));
  return geometry;
}

function robot(): { root: THREE.Group; first: THREE.Mesh; second: THREE.Mesh; glass: THREE.Mesh } {
  const root = new THREE.Group();
  const [first, second] = [new THREE.Mesh(box([200, 100, 50]), ROBOT), new THREE.Mesh(box([20, 220, 120]), ROBOT)];
  const glass = new THREE.Mesh(box([0, 0, 0]), GLASS);
  const link = new THREE.Group();
  link.position.set(0.3, -0.2, 1);
  link.rotation.set(0.4, -0.9, 2);
  link.add(second);
  root.add(first, link, glass);
  root.position.set(1, 2, 3);
  return { root, first, second, glass };
}

test("every vertex is where its link is", () => {
  const { root, first, second, glass } = robot();
  const flat = new FlatRobot(root, LIGHT);
  flat.update();
  const at = flat.mesh.geometry.getAttribute("position");
  const count = first.geometry.getAttribute("position").count;
  expect(at.count).toBe(2 * count);
  [first, second].forEach((mesh, k) => {
    const own = mesh.geometry.getAttribute("position");
    for (let i = 0; i < count; i++) {
      const wanted = new THREE.Vector3().fromBufferAttribute(own, i).applyMatrix4(mesh.matrixWorld);
      expect(wanted.distanceTo(new THREE.Vector3().fromBufferAttribute(at, k * count + i))).toBeLessThan(1e-6);
    }
    expect(mesh.visible).toBe(false);
  });
  expect(glass.visible).toBe(true);
  flat.dispose();
  expect(first.visible && second.visible).toBe(true);
});

test("it is lit as what stands still is", () => {
  const { root, second } = robot();
  const flat = new FlatRobot(root, LIGHT);
  flat.update();
  const turned = second.geometry.clone().applyMatrix4(new THREE.Matrix4().extractRotation(second.matrixWorld));
  const wanted = baked(turned, LIGHT).getAttribute("color");
  const got = flat.mesh.geometry.getAttribute("color");
  const from = got.count - wanted.count;
  for (let i = 0; i < wanted.count; i++) {
    expect(Math.abs(got.getX(from + i) - wanted.getX(i))).toBeLessThan(0.012);
    expect(Math.abs(got.getY(from + i) - wanted.getY(i))).toBeLessThan(0.012);
    expect(Math.abs(got.getZ(from + i) - wanted.getZ(i))).toBeLessThan(0.012);
  }
});

test("a picked link glows", () => {
  const { root, first } = robot();
  const flat = new FlatRobot(root, LIGHT);
  flat.update();
  const color = flat.mesh.geometry.getAttribute("color");
  const before = color.getX(0);
  first.material = PICKED;
  flat.update();
  expect(color.getX(0)).toBeGreaterThan(before + 0.1);
});
