import { describe, expect, it } from "vitest";

import { PATIENCE, Repeater, type Command } from "../src/drive/repeater";

const drive = (x: number): Command => ({ topic: "/cmd_vel", type: "t", message: x, moving: x !== 0 });
const key = (data: string): Command => ({ topic: "/key", type: "s", message: data, moving: data !== "" });

describe("the repeater of driving commands", () => {
  it("sends a command at once, repeats it, and ends with the one that stops", () => {
    const repeater = new Repeater();
    expect(repeater.tick(0)).toEqual([]);
    expect(repeater.tell(drive(1), drive(0), 0)).toEqual([drive(1)]);
    expect(repeater.tick(50)).toEqual([drive(1)]);
    expect(repeater.tell(drive(2), drive(0), 60)).toEqual([drive(2)]);
    expect(repeater.tick(100)).toEqual([drive(2)]);
    expect(repeater.tell(undefined, drive(0), 110)).toEqual([drive(0)]);
    expect(repeater.tell(undefined, drive(0), 120)).toEqual([]);
    expect(repeater.tick(150)).toEqual([]);
  });

  it("stops one topic before it goes on with another", () => {
    const repeater = new Repeater();
    repeater.tell(drive(1), drive(0), 0);
    expect(repeater.tell(key("u"), key(""), 10)).toEqual([drive(0), key("u")]);
    expect(repeater.tick(50)).toEqual([key("u")]);
    expect(repeater.tell(undefined, drive(0), 60)).toEqual([key("")]);
  });

  it("stops for a page that hangs, and goes on when that speaks again", () => {
    const repeater = new Repeater();
    repeater.tell(drive(1), drive(0), 0);
    expect(repeater.tick(PATIENCE)).toEqual([drive(1)]);
    expect(repeater.tick(PATIENCE + 50)).toEqual([drive(0)]);
    expect(repeater.tick(PATIENCE + 100)).toEqual([]);
    expect(repeater.tell(drive(1), drive(0), PATIENCE + 120)).toEqual([drive(1)]);
  });
});
