import { describe, expect, it } from "vitest";

import { Frames } from "../src/link/tf";
import { knownCells, paintGrid } from "../src/map/grid";
import { composed, inverse, quaternion, wrap, yawOf } from "../src/map/planar";
import { dragged, Viewport } from "../src/map/viewport";

describe("poses in the plane", () => {
  it("undoes a pose by its inverse", () => {
    const a = { x: 1.5, y: -2, yaw: 2.8 };
    const none = composed(a, inverse(a));
    expect(Math.hypot(none.x, none.y, none.yaw)).toBeLessThan(1e-12);
  });

  it("goes from heading to quaternion and back", () => {
    for (const yaw of [-3, -0.4, 0, 1, 3.1]) expect(yawOf(quaternion(yaw))).toBeCloseTo(yaw);
    expect(wrap(3 * Math.PI + 0.1)).toBeCloseTo(-Math.PI + 0.1);
  });
});

describe("the view of the map", () => {
  it("keeps the point under the pointer while zooming", () => {
    const view = new Viewport();
    Object.assign(view, { width: 400, height: 300, x: 2, y: 1 });
    const before = view.toMetres(70, 90);
    view.zoom(1.7, 70, 90);
    expect(view.toMetres(70, 90)[0]).toBeCloseTo(before[0]);
    expect(view.toPixels(...before)[1]).toBeCloseTo(90);
  });

  it("fits a rectangle and has y upwards", () => {
    const view = new Viewport();
    Object.assign(view, { width: 400, height: 200 });
    view.fit([0, 0], [4, 2]);
    expect(view.toPixels(2, 1)).toEqual([200, 100]);
    expect(view.toPixels(0, 2)[1]).toBeLessThan(view.toPixels(0, 0)[1]);
    expect(view.toPixels(0, 0)[0]).toBeGreaterThan(0);
  });

  it("takes the heading from the drag, or the other one after a click", () => {
    expect(dragged([1, 1], [1, 3], 0)).toEqual({ x: 1, y: 1, yaw: Math.PI / 2 });
    expect(dragged([1, 1], [1.01, 1], 0.7).yaw).toBe(0.7);
  });
});

describe("grids", () => {
  it("paints rows from the top and leaves unknown cells clear", () => {
    const pixels = paintGrid([0, 100, -1, 0], 2, 2, "map", false);
    expect([...pixels.slice(0, 4)]).toEqual([0, 0, 0, 0]); // row 1 of the grid is on top
    expect(pixels[8]).toBe(255); // free
    expect(pixels[12]).toBe(28); // occupied
  });

  it("finds the bounds of what is known", () => {
    expect(knownCells([-1, -1, -1, -1, 0, 100], 3, 2)).toEqual([1, 2, 1, 1]);
    expect(knownCells([-1, -1], 2, 1)).toBeUndefined();
  });
});

describe("transforms", () => {
  const item = (parent: string, child: string, x: number, yaw: number) => ({
    header: { stamp: { sec: 0, nanosec: 0 }, frame_id: parent },
    child_frame_id: child,
    transform: { translation: { x, y: 0, z: 0 }, rotation: quaternion(yaw) },
  });

  it("joins frames through their common ancestor", () => {
    const frames = new Frames();
    frames.take({ transforms: [item("map", "odom", 1, Math.PI / 2), item("odom", "base", 2, 0), item("base", "laser", 0.1, 0)] });
    const found = frames.lookup("map", "laser")!;
    expect(found.x).toBeCloseTo(1);
    expect(found.y).toBeCloseTo(2.1);
    expect(frames.lookup("laser", "base")!.x).toBeCloseTo(-0.1);
    expect(frames.lookup("map", "nowhere")).toBeUndefined();
  });

  it("does not hang in a circle", () => {
    const frames = new Frames();
    frames.take({ transforms: [item("a", "b", 1, 0), item("b", "a", 1, 0)] });
    expect(frames.lookup("a", "b")).toBeDefined();
  });
});
