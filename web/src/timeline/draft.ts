/** A key-frame motion as it is edited, and its curves: the same ones as those that the session plays. */

export interface Key {
  time: number;
  positions: Record<string, number>;
}
export const INTERPOLATIONS = ["smooth", "cubic", "linear", "hold"] as const;
export type Interpolation = (typeof INTERPOLATIONS)[number];

export interface Draft {
  name: string;
  interpolation: Interpolation;
  /** Rounds; true: without end. */
  loop: number | true;
  keys: Key[];
}

/** The mirrored joint has the position sign * q + offset. */
export type Mate = [joint: string, sign: number, offset: number];

const SAME = 5e-4; // times this near are one key [s]
const MILLI = 1000;

export function emptyDraft(): Draft {
  return { name: "my_motion", interpolation: "smooth", loop: 1, keys: [] };
}

/** The draft of a motion file in JSON. */
export function readDraft(text: string): Draft {
  const told = JSON.parse(text) as { name?: string; interpolation?: string; loop?: number | boolean; keys?: Record<string, number>[] };
  const keys = (told.keys ?? []).map(({ time, ...positions }) => ({ time: time ?? 0, positions: positions as Record<string, number> }));
  const interpolation = INTERPOLATIONS.find((one) => one === told.interpolation) ?? "smooth";
  return { name: told.name ?? "motion", interpolation, loop: told.loop === true ? true : Number(told.loop) || 1, keys };
}

export function writeDraft(draft: Draft): string {
  return JSON.stringify({ name: draft.name, interpolation: draft.interpolation, loop: draft.loop, keys: draft.keys.map(({ time, positions }) => ({ time, ...positions })) });
}

export function duration(draft: Draft): number {
  return draft.keys.at(-1)?.time ?? 0;
}

/** Joints that the motion moves. */
export function moved(draft: Draft): string[] {
  return [...new Set(draft.keys.flatMap((key) => Object.keys(key.positions)))];
}

/** The key at a time. */
export function keyAt(draft: Draft, time: number): Key | undefined {
  return draft.keys.find((key) => Math.abs(key.time - time) < SAME);
}

/** Give joints positions at a time: in the key there, or a new one. */
export function setAt(draft: Draft, time: number, positions: Record<string, number>): Key {
  let key = keyAt(draft, time);
  if (!key) {
    key = { time: Math.round(time * MILLI) / MILLI, positions: {} };
    draft.keys.push(key);
    draft.keys.sort((a, b) => a.time - b.time);
  }
  Object.assign(key.positions, positions);
  return key;
}

/** Move keys in time; they keep apart from all others. */
export function shiftKeys(draft: Draft, keys: readonly Key[], by: number): void {
  const others = draft.keys.filter((key) => !keys.includes(key)).map((key) => key.time);
  const wanted = keys.map((key) => Math.round((key.time + by) * MILLI) / MILLI);
  if (wanted.some((time) => time < 0 || others.some((other) => Math.abs(other - time) < SAME))) return;
  keys.forEach((key, i) => { key.time = wanted[i]!; });
  draft.keys.sort((a, b) => a.time - b.time);
}

/** Stretch the times of keys about the first of them. */
export function stretchKeys(draft: Draft, keys: readonly Key[], factor: number): void {
  if (!(factor > 0) || keys.length === 0) return;
  const first = Math.min(...keys.map((key) => key.time));
  const from = keys.length === draft.keys.length ? 0 : first;
  const last = Math.max(...keys.map((key) => key.time));
  const more = (last - from) * (factor - 1);
  for (const key of draft.keys) {
    if (keys.includes(key)) key.time = from + (key.time - from) * factor;
    else if (key.time > last) key.time += more; // what follows keeps its distance
    key.time = Math.round(key.time * MILLI) / MILLI;
  }
  draft.keys.sort((a, b) => a.time - b.time);
  draft.keys = draft.keys.filter((key, i, all) => i === 0 || key.time - all[i - 1]!.time >= SAME);
}

/** Positions with left and right changed about. */
export function mirrored(positions: Record<string, number>, mates: Record<string, Mate>): Record<string, number> {
  const out: Record<string, number> = {};
  for (const [name, value] of Object.entries(positions)) {
    const mate = mates[name];
    if (mate) out[mate[0]] = mate[1] * value + mate[2];
    else out[name] = value;
  }
  return out;
}

/** Copies of keys with the first at a time; what is there is overwritten. */
export function pasteKeys(draft: Draft, keys: readonly Key[], time: number): Key[] {
  const first = Math.min(...keys.map((key) => key.time));
  return keys.map((key) => setAt(draft, time + key.time - first, { ...key.positions }));
}

// ---- curves --------------------------------------------------------------------------------------

/** One joint over time, from where it starts. */
export class Track {
  readonly times: number[] = [];
  readonly values: number[] = [];
  private slopes: number[] | undefined;

  constructor(draft: Draft, joint: string, start: number, private readonly kind: Interpolation = draft.interpolation) {
    for (const key of draft.keys) {
      const value = key.positions[joint];
      if (value === undefined) continue;
      if (this.times.length === 0 && key.time > 0) {
        this.times.push(0);
        this.values.push(start);
      }
      this.times.push(key.time);
      this.values.push(value);
    }
    if (this.times.length === 0) {
      this.times.push(0);
      this.values.push(start);
    }
    if (kind === "cubic" && this.times.length > 1) this.slopes = clamped(this.times, this.values);
  }

  at(time: number): number {
    const { times, values } = this;
    const last = times.length - 1;
    if (time <= times[0]!) return values[0]!;
    if (time >= times[last]!) return values[last]!;
    let k = 0;
    while (k < last - 1 && times[k + 1]! <= time) k++;
    if (this.kind === "hold") return values[k]!;
    const width = times[k + 1]! - times[k]!;
    const x = (time - times[k]!) / width;
    const way = values[k + 1]! - values[k]!;
    if (this.slopes) {
      const [a, b] = [this.slopes[k]! * width, this.slopes[k + 1]! * width];
      return values[k]! + x * (a + x * (3 * way - 2 * a - b + x * (a + b - 2 * way)));
    }
    return values[k]! + way * (this.kind === "linear" ? x : x ** 3 * (10 + x * (6 * x - 15)));
  }
}

/** Slopes of the C2 cubic through points that rests at both ends. */
function clamped(times: readonly number[], values: readonly number[]): number[] {
  const n = times.length;
  const slopes = new Array<number>(n).fill(0);
  const [diagonal, right] = [new Array<number>(n).fill(1), new Array<number>(n).fill(0)];
  const width = (i: number): number => times[i + 1]! - times[i]!;
  const rise = (i: number): number => (values[i + 1]! - values[i]!) / width(i);
  for (let i = 1; i < n - 1; i++) {
    const lower = width(i); // of slope i - 1
    const upper = i > 1 ? width(i - 2) : 0; // that row i - 1 has for slope i
    const factor = i > 1 ? lower / diagonal[i - 1]! : 0;
    diagonal[i] = 2 * (width(i - 1) + width(i)) - factor * upper;
    right[i] = 3 * (width(i) * rise(i - 1) + width(i - 1) * rise(i)) - factor * right[i - 1]!;
  }
  for (let i = n - 2; i > 0; i--) slopes[i] = (right[i]! - width(i - 1) * slopes[i + 1]!) / diagonal[i]!;
  return slopes;
}

/** Positions of all joints at a time; those that no key names stay at the start. */
export function postureAt(draft: Draft, start: Record<string, number>, time: number): Record<string, number> {
  const out = { ...start };
  for (const joint of moved(draft)) out[joint] = new Track(draft, joint, start[joint] ?? 0).at(time);
  return out;
}
