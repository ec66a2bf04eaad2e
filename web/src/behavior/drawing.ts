/** A state machine drawn: boxes that can be dragged, arrows that can be chosen and pulled out, lit where it is. */

import { h, refill, s } from "../ui/dom";
import { children, edge, holds, inside, label, layout, told, type Box, type Machine } from "./machine";

/** What is chosen: a state, or one of its ways by number. */
export interface Choice {
  state: string;
  way?: number;
}

export interface Acts {
  choose(choice: Choice | undefined): void;
  /** A state was moved; `done`: the drag has ended. */
  moved(done: boolean): void;
  connect(from: string, to: string): void;
}

const GRID = 10; // places of states [px]
const STILL = 3; // a drag that moved less is a click [px]

export class Drawing {
  readonly element = h("div", { class: "machine", tabindex: 0, role: "group", "aria-label": "States and transitions" });
  private machine: Machine = { name: "", states: {} };
  private chosen: Choice | undefined;
  private active: ReadonlySet<string> = new Set();
  private last = ""; // the way that was taken last, as "state number"
  private pulling: { from: string; x: number; y: number } | undefined;
  private svg = s("svg", {});

  constructor(private readonly acts: Acts) {
    this.element.append(this.svg);
    this.element.addEventListener("pointerdown", (event) => { if (event.target === this.element || event.target === this.svg) acts.choose(undefined); });
  }

  show(machine: Machine, chosen: Choice | undefined): void {
    this.machine = machine;
    this.chosen = chosen;
    this.draw();
  }

  /** Light the states that are active and the last way. */
  light(active: readonly string[], last: string): void {
    this.active = new Set(active);
    this.last = last;
    for (const group of this.svg.querySelectorAll<SVGElement>("[data-state]")) group.classList.toggle("active", this.active.has(group.dataset["state"]!));
    for (const way of this.svg.querySelectorAll<SVGElement>("[data-way]")) way.classList.toggle("taken", way.dataset["way"] === last);
  }

  private draw(): void {
    const boxes = layout(this.machine);
    const all = [...boxes.values()];
    const width = Math.max(200, ...all.map((box) => box.x + box.width)) + 60;
    const height = Math.max(120, ...all.map((box) => box.y + box.height)) + 30;
    const { scrollLeft, scrollTop } = this.element;
    const head = (id: string): SVGElement => s("marker", { id, viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse" }, s("path", { d: "M0 0.500l8 3.500l-8 3.500z" }));
    const fresh = s("svg", { width, height, viewBox: `0 0 ${String(width)} ${String(height)}` },
      s("defs", {}, head("arrow"), head("arrow-lit"), head("arrow-chosen")),
      ...all.map((box) => this.state(box, boxes)),
      ...all.flatMap((box) => this.ways(box, boxes)),
      ...this.firsts(boxes),
      this.pulled(boxes));
    this.svg.replaceWith(fresh);
    this.svg = fresh;
    this.element.scrollTo(scrollLeft, scrollTop);
    this.light([...this.active], this.last);
  }

  private state(box: Box, boxes: Map<string, Box>): SVGElement {
    const state = this.machine.states[box.name]!;
    const outer = children(this.machine, box.name).length > 0;
    const kind = state.kind ?? "state";
    const chosen = this.chosen?.state === box.name && this.chosen.way === undefined;
    const round = kind === "final" || kind.includes("history");
    const group = s("g", { class: `state ${kind}${outer ? " outer" : ""}${chosen ? " chosen" : ""}`, "data-state": box.name, transform: `translate(${String(box.x)} ${String(box.y)})`, tabindex: 0, role: "button", "aria-label": `State ${box.name}`, "aria-pressed": String(chosen) },
      s("rect", { width: box.width, height: box.height, rx: round ? box.height / 2 : 8 }),
      kind === "final" && s("rect", { x: 3, y: 3, width: box.width - 6, height: box.height - 6, rx: box.height / 2 - 3, class: "inner" }),
      s("text", { class: "name", x: outer ? 12 : box.width / 2, y: round ? box.height / 2 + 4 : 17, "text-anchor": outer ? "start" : "middle" }, kind.includes("history") ? `${kind === "history" ? "H" : "H*"} ${box.name}` : box.name),
      ...told(state).map((line, i) => s("text", { class: "does", x: outer ? 12 : box.width / 2, y: 31 + 13 * i, "text-anchor": outer ? "start" : "middle" }, line)),
      s("title", {}, state.note ?? box.name));
    if (kind === "parallel") group.append(s("text", { class: "does", x: box.width - 10, y: 16, "text-anchor": "end" }, "side by side"));
    group.addEventListener("pointerdown", (event) => { this.drag(event, box); });
    group.addEventListener("keydown", (event) => { this.nudge(event, box); });
    if (chosen && kind !== "final" && !kind.includes("history")) {
      const port = s("circle", { class: "port", cx: box.width, cy: box.height / 2, r: 6 }, s("title", {}, "Drag to another state: a transition"));
      port.addEventListener("pointerdown", (event) => { this.pull(event, box, boxes); });
      group.append(port);
    }
    return group;
  }

  private ways(box: Box, boxes: Map<string, Box>): SVGElement[] {
    const ways = this.machine.states[box.name]!.transitions ?? [];
    return ways.flatMap((way, i) => {
      const target = way.to !== undefined && way.to !== box.name ? boxes.get(way.to) : undefined;
      const twins = ways.slice(0, i).filter((one) => one.to === way.to).length;
      const path = target ? this.between(box, target, twins) : this.around(box, twins + (way.to === box.name ? 0 : 1));
      const chosen = this.chosen?.state === box.name && this.chosen.way === i;
      const group = s("g", { class: chosen ? "way chosen" : "way", "data-way": `${box.name} ${String(i)}`, tabindex: 0, role: "button", "aria-label": `Transition from ${box.name} to ${way.to ?? "itself"}${label(way) ? ` on ${label(way)}` : ""}` },
        s("path", { class: "wide", d: path.d }), s("path", { class: "line", d: path.d }), s("text", { x: path.x, y: path.y, "text-anchor": "middle" }, label(way)));
      group.addEventListener("pointerdown", (event) => { event.stopPropagation(); this.acts.choose({ state: box.name, way: i }); });
      group.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.acts.choose({ state: box.name, way: i }); } });
      return [group];
    });
  }

  /** A bowed line from one box to another, and where its words stand. */
  private between(a: Box, b: Box, twins: number): { d: string; x: number; y: number } {
    const nested = inside(this.machine, b.name, a.name) || inside(this.machine, a.name, b.name);
    const middle = (box: Box): { x: number; y: number } => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
    const [from, to] = [middle(a), middle(b)];
    const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const bow = 18 + 26 * twins + (nested ? 30 : 0);
    const control = { x: (from.x + to.x) / 2 - ((to.y - from.y) / far) * bow * 1.6, y: (from.y + to.y) / 2 + ((to.x - from.x) / far) * bow * 1.6 };
    const [start, end] = [edge(a, holds(a, control) ? to : control), edge(b, holds(b, control) ? from : control)];
    if (holds(a, control) || holds(b, control)) Object.assign(control, { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 + 10 * twins });
    const at = (u: string | number): string => (typeof u === "number" ? u.toFixed(1) : u);
    return {
      d: `M${at(start.x)} ${at(start.y)}Q${at(control.x)} ${at(control.y)} ${at(end.x)} ${at(end.y)}`,
      x: 0.25 * start.x + 0.5 * control.x + 0.25 * end.x, y: 0.25 * start.y + 0.5 * control.y + 0.25 * end.y - 3,
    };
  }

  /** A loop at the upper edge. */
  private around(box: Box, twins: number): { d: string; x: number; y: number } {
    const x = box.x + box.width - 26 - 16 * twins;
    return { d: `M${String(x - 8)} ${String(box.y)}c-6 -20 22 -20 16 0`, x, y: box.y - 17 };
  }

  /** A dot and an arrow at what is entered first. */
  private firsts(boxes: Map<string, Box>): SVGElement[] {
    const parents = ["", ...Object.keys(this.machine.states)].filter((name) => name === "" || (this.machine.states[name]!.kind ?? "state") === "state");
    return parents.flatMap((parent) => {
      const inner = children(this.machine, parent).filter((name) => !this.machine.states[name]!.kind?.includes("history"));
      const first = (parent === "" ? this.machine.initial : this.machine.states[parent]!.initial) ?? inner[0];
      const box = first === undefined ? undefined : boxes.get(first);
      if (!box) return [];
      const y = box.y + 12;
      return [s("g", { class: "first" }, s("circle", { cx: box.x - 15, cy: y, r: 3.5 }), s("path", { d: `M${String(box.x - 14)} ${String(y)}h13` }))];
    });
  }

  private pulled(boxes: Map<string, Box>): SVGElement | null {
    const from = this.pulling && boxes.get(this.pulling.from);
    if (!this.pulling || !from) return null;
    const start = edge(from, this.pulling);
    return s("path", { class: "pulling", d: `M${String(start.x)} ${String(start.y)}L${String(this.pulling.x)} ${String(this.pulling.y)}`, "marker-end": "url(#arrow)" });
  }

  private at(event: { clientX: number; clientY: number }): { x: number; y: number } {
    const box = this.svg.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private origin(box: Box): [number, number] {
    const parent = this.machine.states[box.name]!.parent;
    const outer = parent === undefined ? undefined : layout(this.machine).get(parent);
    return [outer?.x ?? 0, outer?.y ?? 0];
  }

  private drag(event: PointerEvent, box: Box): void {
    if (event.button !== 0) return;
    event.stopPropagation();
    const from = this.at(event);
    const [ox, oy] = this.origin(box);
    let far = false;
    const move = (next: PointerEvent): void => {
      const to = this.at(next);
      far ||= Math.hypot(to.x - from.x, to.y - from.y) > STILL;
      if (!far) return;
      const place = [box.x - ox + to.x - from.x, box.y - oy + to.y - from.y].map((v) => Math.max(0, Math.round(v / GRID) * GRID)) as [number, number];
      this.machine.states[box.name]!.place = place;
      this.acts.moved(false);
    };
    this.follow(move, () => {
      this.acts.choose({ state: box.name });
      if (far) this.acts.moved(true);
    });
  }

  private nudge(event: KeyboardEvent, box: Box): void {
    const by = { ArrowLeft: [-GRID, 0], ArrowRight: [GRID, 0], ArrowUp: [0, -GRID], ArrowDown: [0, GRID] }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      this.acts.choose({ state: box.name });
    } else if (by) {
      const [ox, oy] = this.origin(box);
      this.machine.states[box.name]!.place = [Math.max(0, box.x - ox + by[0]!), Math.max(0, box.y - oy + by[1]!)];
      this.acts.moved(true);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.svg.querySelector<SVGElement>(`[data-state="${CSS.escape(box.name)}"]`)?.focus();
  }

  /** Pull a transition out to another state. */
  private pull(event: PointerEvent, box: Box, boxes: Map<string, Box>): void {
    event.stopPropagation();
    const move = (next: PointerEvent): void => {
      this.pulling = { from: box.name, ...this.at(next) };
      this.draw();
    };
    this.follow(move, (next) => {
      const to = this.at(next);
      this.pulling = undefined;
      const hit = [...boxes.values()].filter((one) => holds(one, to)).sort((a, b) => b.depth - a.depth)[0];
      if (hit) this.acts.connect(box.name, hit.name);
      else this.draw();
    });
  }

  private follow(move: (next: PointerEvent) => void, end: (last: PointerEvent) => void): void {
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", (last) => {
      window.removeEventListener("pointermove", move);
      end(last);
    }, { once: true });
  }

  /** Nothing is there to be drawn. */
  hint(words: string): void {
    refill(this.svg, s("text", { x: 16, y: 28, class: "does" }, words));
  }
}
