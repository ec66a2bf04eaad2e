import { expect, test } from "vitest";

import { chequer } from "../src/scene/floor";

test("a painted floor has its size and two shades in turn", () => {
  const plane = chequer(4, 3);
  const at = plane.getAttribute("position");
  const color = plane.getAttribute("color");
  expect(at.count).toBe(6 * 4 * 3);
  plane.computeBoundingBox();
  expect(plane.boundingBox!.max.toArray()).toEqual([2, 1.5, 0]);
  const shade = new Map<string, number>();
  for (let i = 0; i < at.count; i += 3) {
    const x = (at.getX(i) + at.getX(i + 1) + at.getX(i + 2)) / 3;
    const y = (at.getY(i) + at.getY(i + 1) + at.getY(i + 2)) / 3;
    const tile = `${String(Math.floor(x + 2))},${String(Math.floor(y + 1.5))}`;
    expect(shade.get(tile) ?? color.getX(i)).toBe(color.getX(i)); // both halves of a tile alike
    shade.set(tile, color.getX(i));
  }
  expect(shade.size).toBe(12);
  for (const [tile, value] of shade) {
    const [column = 0, row = 0] = tile.split(",").map(Number);
    const right = shade.get(`${String(column + 1)},${String(row)}`);
    if (right !== undefined) expect(right).not.toBe(value);
  }
});

test("a floor without end is painted in few tiles", () => {
  expect(chequer(60, 60).getAttribute("position").count).toBe(6 * 40 * 40);
});
