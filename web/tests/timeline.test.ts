import { describe, expect, it } from "vitest";

import { emptyDraft, mirrored, pasteKeys, postureAt, readDraft, setAt, shiftKeys, stretchKeys, Track, writeDraft, type Draft } from "../src/timeline/draft";
import table from "./curves.json";

const known = table as unknown as { motion: object; start: Record<string, number>; times: number[]; names: string[]; rows: number[][] }[];

describe("curves", () => {
  it.each(known.map((one) => [(one.motion as { interpolation: string }).interpolation, one] as const))("%s are those that the session plays", (_, one) => {
    const draft = readDraft(JSON.stringify(one.motion));
    one.times.forEach((time, i) => {
      const posture = postureAt(draft, one.start, time);
      one.names.forEach((name, k) => { expect(posture[name]).toBeCloseTo(one.rows[i]![k]!, 9); });
    });
  });
});

describe("a draft", () => {
  const made = (): Draft => {
    const draft = emptyDraft();
    setAt(draft, 1, { a: 0.5 });
    setAt(draft, 0.5, { a: 0.1, b: 1 });
    return draft;
  };

  it("is written and read back", () => {
    expect(readDraft(writeDraft(made()))).toEqual(made());
  });

  it("puts keys in order and changes those that are there", () => {
    const draft = made();
    expect(draft.keys.map((key) => key.time)).toEqual([0.5, 1]);
    setAt(draft, 0.5002, { a: 0.2 });
    expect(draft.keys[0]!.positions).toEqual({ a: 0.2, b: 1 });
  });

  it("moves keys but not onto others or before the start", () => {
    const draft = made();
    shiftKeys(draft, [draft.keys[0]!], 0.5);
    shiftKeys(draft, [draft.keys[0]!], -0.6);
    expect(draft.keys.map((key) => key.time)).toEqual([0.5, 1]);
    shiftKeys(draft, [draft.keys[0]!], 0.75);
    expect(draft.keys.map((key) => key.time)).toEqual([1, 1.25]);
  });

  it("stretches all from zero, some about their first", () => {
    const all = made();
    stretchKeys(all, all.keys, 2);
    expect(all.keys.map((key) => key.time)).toEqual([1, 2]);
    const some = made();
    setAt(some, 2, { a: 0 });
    stretchKeys(some, some.keys.slice(0, 2), 2);
    expect(some.keys.map((key) => key.time)).toEqual([0.5, 1.5, 2.5]);
  });

  it("copies and mirrors", () => {
    const draft = made();
    pasteKeys(draft, draft.keys.map((key) => ({ ...key })), 2);
    expect(draft.keys.map((key) => key.time)).toEqual([0.5, 1, 2, 2.5]);
    expect(mirrored({ a: 0.5, b: 1, c: 3 }, { a: ["b", -1, 0], b: ["a", -1, 0] })).toEqual({ b: -0.5, a: -1, c: 3 });
  });

  it("starts where the robot is", () => {
    expect(new Track(made(), "b", 0.3).at(0)).toBe(0.3);
    expect(new Track(made(), "c", 0.3).at(7)).toBe(0.3);
  });
});
