/** What can stand in a scene, and the solids that each kind is made of: the same as the session makes of them (editing/things.py). */

export type Shape = "box" | "cylinder" | "sphere";
type Triple = [number, number, number];
/** Shape, middle [m], size [m], pitch [rad], in the frame of the thing: z from its foot upwards. */
export type Solid = [Shape, Triple, Triple, number];

export interface Thing {
  name: string;
  kind: string;
  x: number;
  y: number;
  z: number;
  yaw: number;
  size: Triple;
  color: string;
  fixed: boolean;
  mass: number;
  friction: number;
  group: string;
}

/** A model of the loaded world that is only moved, turned or deleted. */
export interface Kept {
  name: string;
  x: number;
  y: number;
  z: number;
  yaw: number;
  solids: [Shape, Triple, Triple, [number, number, number, number]][];
  color: string;
}

export interface SceneData {
  name: string;
  things: Thing[];
  kept: Kept[];
}

const BOARD = 0.04;
const LEG = 0.05;
const STEP_HEIGHT = 0.17;

/** Kinds with the size and colour in which they begin. */
export const KINDS: Readonly<Record<string, { size: Triple; color: string; fixed: boolean; mass: number }>> = {
  box: { size: [0.4, 0.4, 0.4], color: "#b9895a", fixed: false, mass: 1 },
  cylinder: { size: [0.3, 0.3, 0.5], color: "#7d8fa3", fixed: false, mass: 1 },
  sphere: { size: [0.3, 0.3, 0.3], color: "#c9623f", fixed: false, mass: 1 },
  ball: { size: [0.12, 0.12, 0.12], color: "#e4572e", fixed: false, mass: 0.05 },
  wall: { size: [2, 0.1, 1], color: "#dedbd2", fixed: true, mass: 50 },
  door: { size: [1, 0.12, 2], color: "#8a6f52", fixed: true, mass: 20 },
  table: { size: [1.2, 0.7, 0.75], color: "#a87b4f", fixed: true, mass: 20 },
  chair: { size: [0.45, 0.45, 0.9], color: "#2f5d8c", fixed: true, mass: 5 },
  shelf: { size: [0.3, 1, 1.6], color: "#9b7448", fixed: true, mass: 25 },
  stairs: { size: [1.2, 0.8, 0.51], color: "#a5a9ad", fixed: true, mass: 100 },
  ramp: { size: [1.2, 0.8, 0.2], color: "#a5a9ad", fixed: true, mass: 30 },
  person: { size: [0.3, 0.5, 1.75], color: "#5b7f95", fixed: true, mass: 70 },
};

/** What a thing of a kind and size is made of. */
export function solids(kind: string, [x, y, z]: Triple): Solid[] {
  switch (kind) {
    case "cylinder": return [["cylinder", [0, 0, z / 2], [x, x, z], 0]];
    case "sphere":
    case "ball": return [["sphere", [0, 0, x / 2], [x, x, x], 0]];
    case "table": {
      const top = Math.min(BOARD, z / 3);
      return [["box", [0, 0, z - top / 2], [x, y, top], 0], ...legs(x, y, z - top)];
    }
    case "chair": {
      const seat = 0.5 * z;
      const board = Math.min(BOARD, z / 6);
      return [["box", [0, 0, seat - board / 2], [x, y, board], 0], ["box", [-(x - board) / 2, 0, (seat + z) / 2], [board, y, z - seat], 0], ...legs(x, y, seat - board)];
    }
    case "shelf": {
      const board = Math.min(BOARD, x / 4, z / 6);
      const count = Math.max(2, even(z / 0.4) + 1);
      const levels = Array.from({ length: count }, (_, k) => board / 2 + (k * (z - board)) / (count - 1));
      return [...[-1, 1].map((s): Solid => ["box", [0, (s * (y - board)) / 2, z / 2], [x, board, z], 0]), ...levels.map((level): Solid => ["box", [0, 0, level], [x, y - 2 * board, board], 0])];
    }
    case "stairs": {
      const count = Math.max(1, even(z / STEP_HEIGHT));
      const [rise, run] = [z / count, x / count];
      return Array.from({ length: count }, (_, k): Solid => ["box", [-x / 2 + (k + 0.5) * run, 0, ((k + 1) * rise) / 2], [run, y, (k + 1) * rise], 0]);
    }
    case "ramp": {
      const slope = Math.atan2(z, x);
      const thick = Math.min(0.05, z);
      return [["box", [(thick / 2) * Math.sin(slope), 0, z / 2 - (thick / 2) * Math.cos(slope)], [Math.hypot(x, z), y, thick], -slope]];
    }
    case "door": {
      const post = Math.min(0.08, x / 4);
      return [...[-1, 1].map((s): Solid => ["box", [(s * (x - post)) / 2, 0, z / 2], [post, y, z], 0]), ["box", [0, 0, z - post / 2], [x - 2 * post, y, post], 0]];
    }
    case "person": {
      const head = 0.13 * z;
      return [...[-1, 1].map((s): Solid => ["cylinder", [0, (s * y) / 5, 0.24 * z], [x / 3, x / 3, 0.48 * z], 0]), ["box", [0, 0, 0.48 * z + 0.18 * z], [x / 2, y, 0.36 * z], 0], ["sphere", [0, 0, z - head / 2], [head, head, head], 0]];
    }
    default: return [["box", [0, 0, z / 2], [x, y, z], 0]];
  }
}

function legs(x: number, y: number, z: number): Solid[] {
  const edge = Math.min(LEG, x / 3, y / 3);
  return [-1, 1].flatMap((sx) => [-1, 1].map((sy): Solid => ["box", [(sx * (x - edge)) / 2, (sy * (y - edge)) / 2, z / 2], [edge, edge, z], 0]));
}

/** Rounded as Python does: a half goes to the even neighbour. */
function even(value: number): number {
  const down = Math.floor(value);
  if (value - down === 0.5) return down % 2 === 0 ? down : down + 1;
  return Math.round(value);
}

/** A name that nothing in the scene has. */
export function freshName(kind: string, taken: ReadonlySet<string>): string {
  for (let k = 1; ; k++) if (!taken.has(`${kind}_${String(k)}`)) return `${kind}_${String(k)}`;
}

/** A value on a grid of some step; 0: as it is. */
export function snapped(value: number, step: number): number {
  return step > 0 ? Math.round(value / step) * step : value;
}

/** The wall from one point of the floor to another. */
export function wallBetween(from: [number, number], to: [number, number], height = 1, thick = 0.1): Pick<Thing, "x" | "y" | "yaw" | "size"> {
  const length = Math.max(0.05, Math.hypot(to[0] - from[0], to[1] - from[1]));
  return { x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2, yaw: Math.atan2(to[1] - from[1], to[0] - from[0]), size: [length, thick, height] };
}
