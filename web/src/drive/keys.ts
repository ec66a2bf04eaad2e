/** Keys and what they ask for. */

export interface Velocity {
  /** Ahead [m/s]. */
  vx: number;
  /** To the left [m/s]. */
  vy: number;
  /** Turning left [rad/s]. */
  wz: number;
}

export interface Tops {
  speed: number;
  turn: number;
  /** Percent of them that is asked for. */
  percent: number;
}

export const STOP: Velocity = { vx: 0, vy: 0, wz: 0 };
/** Keys that every robot understands. */
export const DRIVE_KEYS = ["w", "a", "s", "d", "q", "e"] as const;
/** Share of the speed ahead that is asked for to the side. */
export const SIDE = 0.6;

export const MEANINGS: Readonly<Record<string, string>> = {
  w: "ahead",
  s: "back",
  a: "left",
  d: "right",
  q: "turn left",
  e: "turn right",
  u: "raise",
  l: "lower",
  i: "level",
  up: "tilt ahead",
  down: "tilt back",
  left: "tilt left",
  right: "tilt right",
};

/** The name of a key of the keyboard, undefined for keys that mean nothing here. */
export function keyName(event: { key: string; code: string }): string | undefined {
  const key = event.key.toLowerCase().replace(/^arrow/, "");
  if (key in MEANINGS) return key;
  const code = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase(); // other alphabets
  return code !== undefined && code in MEANINGS && !/^[a-z]$/.test(key) ? code : undefined;
}

/** What held keys and sticks (each -1 to 1: ahead, left, turn) ask for together. */
export function velocity(held: ReadonlySet<string>, sticks: readonly [number, number, number], tops: Tops): Velocity {
  const between = (plus: string, minus: string): number => Number(held.has(plus)) - Number(held.has(minus));
  const bound = (value: number): number => Math.min(1, Math.max(-1, value));
  const share = tops.percent / 100;
  return {
    vx: share * tops.speed * bound(between("w", "s") + sticks[0]),
    vy: share * SIDE * tops.speed * bound(between("a", "d") + sticks[1]),
    wz: share * tops.turn * bound(between("q", "e") + sticks[2]),
  };
}

/** Whether a velocity asks for motion. */
export function moves(v: Velocity): boolean {
  return v.vx !== 0 || v.vy !== 0 || v.wz !== 0;
}
