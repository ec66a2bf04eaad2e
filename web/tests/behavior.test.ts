import { expect, it } from "vitest";

import { edge, emptyMachine, freshState, label, layout, lines, remove, rename, texts, type Machine } from "../src/behavior/machine";

const greet = (): Machine => ({
  name: "greet", initial: "life",
  states: {
    life: { kind: "parallel", transitions: [{ to: "end", when: "waves >= 3" }] },
    body: { parent: "life", initial: "wait" },
    wait: { parent: "body", place: [40, 40], transitions: [{ to: "wave", on: "touch.Head" }] },
    wave: { parent: "body", do: "play('wave_hand')", transitions: [{ to: "wait", on: "done" }] },
    face: { parent: "life" },
    end: { kind: "final" },
  },
});

it("puts states into those that they lie in, and beside each other", () => {
  const boxes = layout(greet());
  const [life, body, wait, wave, end] = ["life", "body", "wait", "wave", "end"].map((name) => boxes.get(name)!);
  const within = (a: { x: number; y: number; width: number; height: number }, b: typeof a): boolean => a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;
  expect(within(body!, life!)).toBe(true);
  expect(within(wait!, body!)).toBe(true);
  expect(within(wave!, body!)).toBe(true);
  expect(end!.x).toBeGreaterThan(life!.x + life!.width);
  expect([...boxes.keys()].indexOf("life")).toBeLessThan([...boxes.keys()].indexOf("wait"));
});

it("renames everywhere and takes out with all ways", () => {
  const machine = greet();
  expect(rename(machine, "wait", "rest")).toBe(true);
  expect(machine.states["wave"]!.transitions![0]!.to).toBe("rest");
  expect(machine.states["body"]!.initial).toBe("rest");
  expect(rename(machine, "rest", "wave")).toBe(false);
  expect(rename(machine, "rest", "two words")).toBe(false);
  remove(machine, "body");
  expect(Object.keys(machine.states)).toEqual(["life", "face", "end"]);
  remove(machine, "end");
  expect(machine.states["life"]!.transitions).toEqual([]);
});

it("texts, labels and names", () => {
  expect(texts(" a \n\n b ")).toEqual(["a", "b"]);
  expect(texts("a")).toBe("a");
  expect(texts(" ")).toBeUndefined();
  expect(lines("a")).toEqual(["a"]);
  expect(label({ on: "done", when: "x > 1", after: 2 })).toBe("done [x > 1] 2 s");
  expect(freshState(emptyMachine())).toBe("state_1");
});

it("finds the edge of a box towards a point", () => {
  const box = { name: "a", x: 0, y: 0, width: 100, height: 50, depth: 0 };
  expect(edge(box, { x: 500, y: 25 })).toEqual({ x: 100, y: 25 });
  expect(edge(box, { x: 50, y: -100 })).toEqual({ x: 50, y: 0 });
});
