import { expect, it } from "vitest";

import { shown, template } from "../src/inspect/message";

it("cuts long arrays and keeps numbers short", () => {
  const text = shown({ a: Float64Array.from({ length: 40 }, (_, i) => i / 3), b: { c: 1n, d: Infinity }, e: ["x"] });
  expect(text).toContain("… 40 in all");
  expect(text).toContain("0.333333");
  expect(text).toContain('"c": 1');
  expect(text).toContain('"x"');
  expect(text.length).toBeLessThan(400);
});

it("makes an empty message of a type", () => {
  const defs = [
    { type: "a/A", fieldnames: ["v", "names", "fixed", "on"], fieldtypes: ["a/B", "string", "float64", "bool"], fieldarraylen: [-1, 0, 3, -1] },
    { type: "a/B", fieldnames: ["x"], fieldtypes: ["float64"], fieldarraylen: [-1] },
  ];
  expect(template(defs)).toEqual({ v: { x: 0 }, names: [], fixed: [0, 0, 0], on: false });
});
