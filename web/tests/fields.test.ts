import { describe, expect, it } from "vitest";

import { label, numericPaths, stampOf, valueAt } from "../src/plots/fields";
import { joined, Series } from "../src/plots/series";

const joints = { header: { stamp: { sec: 3, nanosec: 500000000 }, frame_id: "x" }, name: ["a", "b"], position: new Float64Array([1, 2]), ok: true };

describe("numeric fields", () => {
  it("finds numbers in objects, arrays and typed arrays", () => {
    expect(numericPaths(joints)).toEqual(["header.stamp.sec", "header.stamp.nanosec", "position[0]", "position[1]", "ok"]);
    expect(numericPaths({ a: [{ b: 1 }, { b: "no" }] })).toEqual(["a[0].b"]);
    expect(numericPaths({ a: new Array(1000).fill(0) }, 10)).toHaveLength(10);
  });

  it("reads them back, big integers and booleans too", () => {
    expect(valueAt(joints, "position[1]")).toBe(2);
    expect(valueAt(joints, "ok")).toBe(1);
    expect(valueAt({ n: 5n }, "n")).toBe(5);
    expect(valueAt(joints, "position[7]")).toBeNaN();
    expect(valueAt(null, "x.y")).toBeNaN();
  });

  it("names entries after what they belong to", () => {
    expect(label(joints, "position[1]")).toBe("position b");
    expect(label({ v: [1] }, "v[0]")).toBe("v[0]");
  });

  it("takes the time of the header where there is one", () => {
    expect(stampOf(joints, 9)).toBe(3.5);
    expect(stampOf({ data: 1 }, 9)).toBe(9);
  });
});

describe("curves", () => {
  it("forgets the oldest and starts anew when time runs back", () => {
    const curve = new Series(10);
    for (let i = 0; i < 30; i++) curve.add(i, i);
    expect(curve.times.length).toBeLessThanOrEqual(10);
    expect(curve.times.at(-1)).toBe(29);
    curve.add(1, 5);
    expect(curve.times).toEqual([1]);
  });

  it("joins curves of different times with gaps", () => {
    const [a, b] = [new Series(), new Series()];
    a.add(1, 10);
    a.add(3, 30);
    b.add(2, 20);
    b.add(3, NaN);
    expect(joined([a, b], 0)).toEqual([[1, 2, 3], [10, null, 30], [null, 20, null]]);
    expect(joined([a, b], 2)[0]).toEqual([2, 3]);
  });
});
