/** A state machine as it is edited: the table of its JSON form, changes to it, and where its states are drawn. */

export interface Transition {
  to?: string;
  on?: string;
  when?: string;
  after?: number;
  actions?: string | string[];
}
export interface State {
  kind?: string;
  parent?: string;
  initial?: string;
  do?: string | string[];
  entry?: string | string[];
  exit?: string | string[];
  note?: string;
  /** From the upper left corner of the state that it lies in [px]. */
  place?: [number, number];
  transitions?: Transition[];
}
export interface Machine {
  name: string;
  robot?: string;
  note?: string;
  initial?: string;
  variables?: Record<string, unknown>;
  states: Record<string, State>;
}

export const KINDS = ["state", "parallel", "final", "history", "deep_history"] as const;

export interface Box {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
}

const [LEAF, LINE, HEAD, PAD, GAP, BETWEEN] = [132, 13, 24, 16, 74, 30]; // widths, heights and distances [px]
const LETTERS = 26; // of a line in a box

export function emptyMachine(): Machine {
  return { name: "my_behaviour", initial: "wait", states: { wait: { place: [40, 40], transitions: [{ to: "end", after: 5 }] }, end: { kind: "final", place: [290, 40] } } };
}

export function lines(text: string | string[] | undefined): string[] {
  return text === undefined ? [] : typeof text === "string" ? [text] : text;
}

/** One text, several, or none. */
export function texts(typed: string): string | string[] | undefined {
  const found = typed.split("\n").map((line) => line.trim()).filter(Boolean);
  return found.length === 0 ? undefined : found.length === 1 ? found[0] : found;
}

export function children(machine: Machine, parent = ""): string[] {
  return Object.keys(machine.states).filter((name) => (machine.states[name]!.parent ?? "") === parent);
}

/** Whether a state lies in another one, or is it. */
export function inside(machine: Machine, name: string, outer: string): boolean {
  for (let at: string | undefined = name; at; at = machine.states[at]?.parent) if (at === outer) return true;
  return false;
}

export function freshState(machine: Machine): string {
  for (let k = 1; ; k++) if (!(`state_${String(k)}` in machine.states)) return `state_${String(k)}`;
}

/** Another name everywhere; false where it is taken or none. */
export function rename(machine: Machine, from: string, to: string): boolean {
  if (from === to) return true;
  if (!/^\S{1,100}$/.test(to) || to in machine.states) return false;
  machine.states = Object.fromEntries(Object.entries(machine.states).map(([name, state]) => [name === from ? to : name, state]));
  if (machine.initial === from) machine.initial = to;
  for (const state of Object.values(machine.states)) {
    if (state.parent === from) state.parent = to;
    if (state.initial === from) state.initial = to;
    for (const way of state.transitions ?? []) if (way.to === from) way.to = to;
  }
  return true;
}

/** Take a state out with all that lies in it and all ways that lead there. */
export function remove(machine: Machine, name: string): void {
  const gone = new Set(Object.keys(machine.states).filter((one) => inside(machine, one, name)));
  machine.states = Object.fromEntries(Object.entries(machine.states).filter(([one]) => !gone.has(one)));
  if (machine.initial !== undefined && gone.has(machine.initial)) delete machine.initial;
  for (const state of Object.values(machine.states)) {
    if (state.initial !== undefined && gone.has(state.initial)) delete state.initial;
    if (state.transitions) state.transitions = state.transitions.filter((way) => way.to === undefined || !gone.has(way.to));
  }
}

/** What stands in the box of a state. */
export function told(state: State): string[] {
  const cut = (line: string): string => (line.length > LETTERS ? `${line.slice(0, LETTERS - 1)}…` : line);
  return [...lines(state.do).map((line) => cut(line)), ...lines(state.entry).map((line) => cut(`↓ ${line}`)), ...lines(state.exit).map((line) => cut(`↑ ${line}`))].slice(0, 4);
}

/** What a way waits for. */
export function label(way: Transition): string {
  const parts = [way.on ?? "", way.when ? `[${way.when}]` : "", way.after !== undefined ? `${String(way.after)} s` : ""].filter(Boolean);
  const text = parts.join(" ");
  return text.length > 30 ? `${text.slice(0, 29)}…` : text;
}

/** Boxes of all states, outer ones first; those without a place are put in columns by how far they are from the first. */
export function layout(machine: Machine): Map<string, Box> {
  const boxes = new Map<string, Box>();
  const size = (name: string): [number, number] => {
    const state = machine.states[name]!;
    const inner = children(machine, name);
    const own = told(state).length;
    if (inner.length === 0) {
      if (state.kind === "final" || state.kind?.includes("history")) return [Math.max(64, 7.4 * name.length + 20), 34];
      return [Math.max(LEAF, 7.4 * name.length + 20, ...told(state).map((line) => 6.1 * line.length + 18)), HEAD + 6 + LINE * own];
    }
    const at = places(name);
    const [width, height] = [Math.max(...inner.map((one) => at.get(one)![0] + at.get(one)![2])), Math.max(...inner.map((one) => at.get(one)![1] + at.get(one)![3]))];
    return [Math.max(width + PAD, 7.4 * name.length + 40), height + PAD];
  };
  const known = new Map<string, Map<string, [number, number, number, number]>>();
  const places = (parent: string): Map<string, [number, number, number, number]> => {
    const found = known.get(parent);
    if (found) return found;
    const all = children(machine, parent);
    const rank = ranks(machine, all, parent === "" ? machine.initial : machine.states[parent]?.initial);
    const at = new Map<string, [number, number, number, number]>();
    const top = parent === "" ? 16 : HEAD + PAD / 2 + LINE * told(machine.states[parent]!).length;
    for (const name of all) {
      const place = machine.states[name]!.place;
      if (place) at.set(name, [Math.max(4, place[0]), Math.max(top, place[1]), ...size(name)]);
    }
    let x = PAD;
    for (let column = 0; column <= Math.max(0, ...rank.values()); column++) {
      let y = top;
      let widest = 0;
      for (const name of all.filter((one) => rank.get(one) === column && !at.has(one))) {
        const [width, height] = size(name);
        for (const [left, up, w, h] of [...at.values()].sort((a, b) => a[1] - b[1])) {
          if (x < left + w + GAP / 2 && left < x + width + GAP / 2 && y < up + h + BETWEEN && up < y + height + BETWEEN) y = up + h + BETWEEN;
        }
        at.set(name, [x, y, width, height]);
        y += height + BETWEEN;
        widest = Math.max(widest, width);
      }
      if (widest > 0) x += widest + GAP;
    }
    known.set(parent, at);
    return at;
  };
  const walk = (parent: string, dx: number, dy: number, depth: number): void => {
    for (const [name, [x, y, width, height]] of places(parent)) {
      boxes.set(name, { name, x: dx + x, y: dy + y, width, height, depth });
      walk(name, dx + x, dy + y, depth + 1);
    }
  };
  walk("", 0, 0, 0);
  return boxes;
}

/** How many ways each of some states is from the first of them. */
function ranks(machine: Machine, names: readonly string[], first: string | undefined): Map<string, number> {
  const rank = new Map<string, number>();
  const queue = [first !== undefined && names.includes(first) ? first : names[0]!, ...names];
  const spread = (name: string, at: number): void => {
    if (rank.has(name)) return;
    rank.set(name, at);
    const ways = Object.keys(machine.states).filter((one) => inside(machine, one, name)).flatMap((one) => machine.states[one]!.transitions ?? []);
    for (const { to } of ways) {
      const next = to === undefined ? undefined : names.find((one) => to in machine.states && inside(machine, to, one));
      if (next !== undefined && next !== name && !rank.has(next)) later.push([next, at + 1]);
    }
  };
  const later: [string, number][] = [];
  for (const name of queue) {
    if (name === undefined || rank.has(name)) continue;
    later.push([name, 0]);
    while (later.length > 0) {
      const [next, at] = later.shift()!;
      spread(next, at);
    }
  }
  return rank;
}

export function holds(box: Box, at: { x: number; y: number }): boolean {
  return at.x >= box.x && at.x <= box.x + box.width && at.y >= box.y && at.y <= box.y + box.height;
}

/** Where a line from the middle of a box to a point leaves it. */
export function edge(box: Box, to: { x: number; y: number }): { x: number; y: number } {
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
  const [dx, dy] = [to.x - cx, to.y - cy];
  const share = Math.min(dx === 0 ? Infinity : box.width / 2 / Math.abs(dx), dy === 0 ? Infinity : box.height / 2 / Math.abs(dy));
  return Number.isFinite(share) ? { x: cx + share * dx, y: cy + share * dy } : { x: cx, y: cy };
}
