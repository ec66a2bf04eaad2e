import { describe, expect, it } from "vitest";

import { tilt } from "../src/drive/joystick";
import type { LinkPoses, SearchState, Transforms } from "../src/link/messages";
import { Frames } from "../src/link/tf";
import { quaternion } from "../src/map/planar";
import { stateWords } from "../src/panels/search_words";
import { Track } from "../src/scene/track";
import { stageWords } from "../src/ui/banner";
import { plain } from "../src/ui/format";

const stamp = (time: number): { sec: number; nanosec: number } => ({ sec: Math.floor(time), nanosec: Math.round(1e9 * (time % 1)) });

function turn(time: number, yaw: number): Transforms {
  return { transforms: [{ header: { frame_id: "odom", stamp: stamp(time) }, child_frame_id: "base", transform: { translation: { x: time, y: 0, z: 0 }, rotation: quaternion(yaw) } }] };
}

describe("frames over time", () => {
  const frames = new Frames();
  for (let i = 0; i <= 20; i++) frames.take(turn(10 + 0.05 * i, 3 * 0.05 * i));

  it("are those of the time asked for, between two messages", () => {
    expect(frames.lookup("odom", "base")!.yaw).toBeCloseTo(3);
    expect(frames.lookup("odom", "base", 10.325)!.yaw).toBeCloseTo(3 * 0.325);
    expect(frames.lookup("odom", "base", 10.325)!.x).toBeCloseTo(10.325);
    expect(frames.lookup("odom", "base", 9)!.yaw).toBeCloseTo(0);
  });

  it("begin anew when time runs back", () => {
    frames.take(turn(1, 0.5));
    expect(frames.lookup("odom", "base", 10.3)!.yaw).toBeCloseTo(0.5);
  });
});

it("links are known where they were", () => {
  const track = new Track();
  const at = (time: number, x: number): LinkPoses => ({ header: { frame_id: "world", stamp: stamp(time) }, scene: 1, names: ["scan"], poses: [x, 0, 0, 0, 0, 0, 1] });
  track.add(at(1, 0));
  track.add(at(1.1, 1));
  expect(track.at("scan", 1.05)!.elements[12]).toBeCloseTo(0.5);
  expect(track.at("scan", 5)!.elements[12]).toBeCloseTo(1);
  expect(track.at("other", 1.05)).toBeUndefined();
});

it("a stick tells its share and rests in the middle", () => {
  expect(tilt(0, -44)).toEqual([1, 0]);
  expect(tilt(3, 3)).toEqual([0, 0]);
  const [up, left] = tilt(-200, 0);
  expect(left).toBeCloseTo(1);
  expect(up).toBe(0);
});

it("words", () => {
  expect(stageWords("building nao", 3210)).toBe("Building nao … 3.2 s");
  expect(plain("/home/me/My robot.urdf")).toBe("My robot");
  expect(plain("lab")).toBe("lab");
  const state = { status: "failed", evaluated: 3, budget: 20, study: "a", message: "Traceback\n  x\nValueError: no gait" } as SearchState;
  expect(stateWords(state, "")).toBe("The search failed: 3 of 20 candidates tried. Study: a. No gait.");
});
