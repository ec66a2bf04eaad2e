import { describe, expect, it } from "vitest";

import { stick } from "../src/drive/gamepad";
import { keyName, moves, velocity } from "../src/drive/keys";

const tops = { speed: 0.5, turn: 2, percent: 50 };
const still: [number, number, number] = [0, 0, 0];

describe("keys", () => {
  it("names keys whatever the case or the arrows", () => {
    expect(keyName({ key: "W", code: "KeyW" })).toBe("w");
    expect(keyName({ key: "ArrowUp", code: "ArrowUp" })).toBe("up");
    expect(keyName({ key: "ц", code: "KeyW" })).toBe("w");
    expect(keyName({ key: "z", code: "KeyW" })).toBeUndefined();
    expect(keyName({ key: "F5", code: "F5" })).toBeUndefined();
  });

  it("adds up held keys within the chosen share of the top speed", () => {
    expect(velocity(new Set(["w"]), still, tops)).toEqual({ vx: 0.25, vy: 0, wz: 0 });
    expect(velocity(new Set(["s", "d", "q"]), still, tops)).toEqual({ vx: -0.25, vy: -0.15, wz: 1 });
    expect(velocity(new Set(["w", "s"]), still, tops).vx).toBe(0);
    expect(velocity(new Set(["w"]), [1, 0, -1], tops)).toEqual({ vx: 0.25, vy: 0, wz: -1 });
  });

  it("knows when nothing is asked for", () => {
    expect(moves(velocity(new Set(), still, tops))).toBe(false);
    expect(moves(velocity(new Set(["e"]), still, tops))).toBe(true);
  });

  it("has a dead zone for sticks and reaches one at the end", () => {
    expect(stick(0.1)).toBe(0);
    expect(stick(undefined)).toBe(0);
    expect(stick(-1)).toBe(-1);
    expect(stick(0.575)).toBeCloseTo(0.5);
  });
});
