import { describe, expect, it } from "vitest";

import { Undo } from "../src/editor/history";
import { readPgm, rectangles } from "../src/editor/rooms";
import { freshName, KINDS, snapped, solids, wallBetween, type Solid } from "../src/editor/things";
import { readShared, writeShared } from "../src/help/share";
import table from "./things.json";

const known = table as unknown as { kind: string; size: [number, number, number]; solids: Solid[] }[];

describe("things", () => {
  it.each(known.map((one) => [one.kind, one] as const))("%s is made of what the session makes of it", (_, one) => {
    const mine = solids(one.kind, one.size);
    expect(mine.map(([shape]) => shape)).toEqual(one.solids.map(([shape]) => shape));
    mine.forEach(([, at, size, pitch], i) => {
      const [, otherAt, otherSize, otherPitch] = one.solids[i]!;
      [...at, ...size, pitch].forEach((value, k) => { expect(value).toBeCloseTo([...otherAt, ...otherSize, otherPitch][k]!, 9); });
    });
  });

  it("has every kind of the session", () => {
    expect(Object.keys(KINDS).sort()).toEqual(known.map((one) => one.kind).sort());
  });

  it("names, grids and walls", () => {
    expect(freshName("box", new Set(["box_1", "box_2"]))).toBe("box_3");
    expect(snapped(0.13, 0.05)).toBeCloseTo(0.15);
    expect(snapped(0.13, 0)).toBe(0.13);
    const wall = wallBetween([0, 0], [0, 2]);
    expect(wall.size[0]).toBe(2);
    expect(wall.yaw).toBeCloseTo(Math.PI / 2);
    expect([wall.x, wall.y]).toEqual([0, 1]);
  });
});

it("goes back and forward", () => {
  const undo = new Undo<number[]>("[]");
  undo.push([1]);
  undo.push([1]);
  undo.push([1, 2]);
  expect(undo.undo()).toEqual([1]);
  expect(undo.undo()).toEqual([]);
  expect(undo.undo()).toBeUndefined();
  expect(undo.redo()).toEqual([1]);
  undo.push([7]);
  expect(undo.canRedo).toBe(false);
});

it("rooms from a picture", () => {
  const rows = ["#####", "#...#", "#...#", "#####"].map((row) => [...row].map((c) => (c === "#" ? 0 : 255)));
  const picture = { width: 5, height: 4, grey: Uint8Array.from(rows.flat()) };
  const found = rectangles(picture);
  expect(found).toContainEqual([0, 1, 1, 2]);
  expect(found).toContainEqual([4, 1, 1, 2]);
  expect(found.reduce((sum, [, , w, h]) => sum + w * h, 0)).toBe(14);
  const pgm = Uint8Array.from([...new TextEncoder().encode("P5\n# a map\n2 1\n255\n"), 0, 254]);
  expect([...readPgm(pgm)!.grey]).toEqual([0, 254]);
  expect(readPgm(new TextEncoder().encode("P5 9 9 255 "))).toBeUndefined();
});

it("shared views", () => {
  const view = { robot: "nao", world: "/a b/c.sdf", camera: [1, 2, 3, 0, 0, 0.5], panels: ["drive", "map"] };
  expect(readShared(writeShared(view))).toEqual(view);
  expect(readShared("#camera=1,2,x&panels=<b>")).toEqual({});
});
