import { describe, expect, it } from "vitest";
import { Vector3 } from "three";

import { commonStart, History } from "../src/panels/history";
import { layout, ROW } from "../src/panels/graph_layout";
import { dots, range } from "../src/panels/scatter";
import { discRadius } from "../src/panels/feet";
import { address, decode, linear } from "../src/scene/meshes";
import { pull } from "../src/scene/push";
import { clock, fixed, short, words } from "../src/ui/format";
import { Signal } from "../src/ui/signal";

describe("texts", () => {
  it("writes numbers", () => {
    expect(short(0.123456)).toBe("0.1235");
    expect(short(1e-7)).toBe("1.0e-7");
    expect(short(NaN)).toBe("–");
    expect(fixed(-0.0001, 2)).toBe("0.00");
    expect(fixed(-1.5, 1)).toBe("−1.5");
    expect(clock(75.25)).toBe("1:15.2");
    expect(clock(3661)).toBe("1:01:01.0");
    expect(words("get_up_belly")).toBe("get up belly");
    expect(words("StandInit")).toBe("Stand Init");
  });
});

describe("signals", () => {
  it("tell changes only, until they are ended", () => {
    const signal = new Signal(1);
    const heard: number[] = [];
    const end = signal.watch((value) => heard.push(value));
    signal.value = 1;
    signal.value = 2;
    end();
    signal.value = 3;
    expect(heard).toEqual([1, 2]);
  });
});

describe("the terminal's history", () => {
  it("walks back and forth and keeps the unsent line", () => {
    const history = new History();
    history.add("one");
    history.add("two");
    expect(history.walk(-1, "dra")).toBe("two");
    expect(history.walk(-1, "two")).toBe("one");
    expect(history.walk(-1, "one")).toBe("one");
    expect(history.walk(1, "one")).toBe("two");
    expect(history.walk(1, "two")).toBe("dra");
  });

  it("completes what all lines begin with", () => {
    expect(commonStart(["play stand", "play sit"])).toBe("play s");
    expect(commonStart([])).toBe("");
  });
});

describe("the graph", () => {
  it("puts nodes beside their topics without overlaps", () => {
    const { boxes, wires } = layout([
      { topic: "/a", type: "", publishers: ["/p"], subscribers: ["/s", "/t"] },
      { topic: "/b", type: "", publishers: ["/p"], subscribers: ["/s"] },
    ]);
    expect(wires).toHaveLength(5);
    expect(boxes.filter((box) => box.column === 0)).toHaveLength(1);
    const right = boxes.filter((box) => box.column === 2).sort((a, b) => a.y - b.y);
    expect(right[1]!.y - right[0]!.y).toBeGreaterThanOrEqual(ROW);
  });
});

describe("pictures of numbers", () => {
  it("takes one parameter of every candidate", () => {
    expect(dots([4, 5], [1, 2, 3, 4], [0.5, NaN], 2, 1)).toEqual([{ number: 4, x: 2, y: 0.5 }]);
    expect(range([2, 2])[0]).toBeLessThan(2);
  });

  it("draws loads by their area", () => {
    expect(discRadius(0, 20)).toBe(1.5);
    expect(discRadius(20, 20) - 1.5).toBeCloseTo(2 * (discRadius(5, 20) - 1.5));
  });
});

describe("meshes", () => {
  it("reads the buffer of the server and refuses others", () => {
    const buffer = new ArrayBuffer(16 + 20 * 3 + 4 * 3);
    const head = new DataView(buffer);
    [..."ANDM"].forEach((letter, i) => { head.setUint8(i, letter.charCodeAt(0)); });
    head.setUint32(4, 3, true);
    head.setUint32(8, 3, true);
    head.setUint32(12, 1, true);
    const { geometry, transparent } = decode(buffer);
    expect(geometry.getAttribute("position").count).toBe(3);
    expect(transparent).toBe(true);
    expect(() => decode(buffer.slice(0, 40))).toThrow("breaks off");
    expect(() => decode(new ArrayBuffer(20))).toThrow("not a mesh");
  });

  it("turns colours linear and leaves alpha", () => {
    expect([...linear(new Uint8Array([255, 0, 188, 128]))]).toEqual([65535, 0, 32957, 32896]);
    expect(address("/a b")).toBe("%252Fa%2520b");
  });
});

describe("pushing", () => {
  it("pulls with the weight at a forearm's length and with two at most", () => {
    expect(pull(new Vector3(0.35, 0, 0), 5).x).toBeCloseTo(49.05);
    expect(pull(new Vector3(0, 9, 0), 5).length()).toBeCloseTo(98.1);
  });
});
