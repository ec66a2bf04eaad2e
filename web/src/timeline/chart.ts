/** The timeline: a ruler with the playhead, the keys, and the curves of the chosen joints; all of it can be dragged. */

import { h, refill, s } from "../ui/dom";
import { DEGREES, fixed, short } from "../ui/format";
import { keyAt, shiftKeys, Track, type Draft, type Key } from "./draft";

const COLORS = ["#d1410c", "#2f6fdb", "#15803d", "#9333ea", "#b7791f", "#0e7490", "#be185d", "#64748b"];
const [LEFT, RIGHT, RULER, KEYS, BELOW] = [44, 14, 18, 20, 6]; // margins, height of ruler and of the row of keys [px]
const STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];
const SNAP = 0.05; // of what is dragged [s]
const LEAST = 1; // shown [s]

export interface Held {
  draft: Draft;
  start: Record<string, number>;
  limits: Record<string, [number | null, number | null, number | null]>;
  playhead: number;
  joints: readonly string[];
  chosen: ReadonlySet<Key>;
  /** From when on the robot lies, as a rehearsal told [s]. */
  falls: number;
}

export interface Acts {
  seek(time: number): void;
  choose(keys: ReadonlySet<Key>): void;
  /** Something was changed by a drag; `done`: it has ended. */
  change(done: boolean): void;
}

export function colorOf(index: number): string {
  return COLORS[index % COLORS.length]!;
}

export class Chart {
  readonly element = h("div", { class: "curves" });
  private readonly svg = s("svg", { role: "group", "aria-label": "Timeline: keys and curves over time" });
  private held: Held | undefined;
  private span = 4; // seconds in view
  private first = 0; // at the left edge [s]
  private low = -1;
  private high = 1;

  constructor(private readonly acts: Acts) {
    this.element.append(this.svg);
    new ResizeObserver(() => { this.draw(); }).observe(this.element);
    this.svg.addEventListener("pointerdown", (event) => { this.scrub(event); });
    this.svg.addEventListener("wheel", (event) => { this.wheel(event); }, { passive: false });
  }

  show(held: Held): void {
    this.held = held;
    this.draw();
  }

  /** The whole motion in view. */
  fit(): void {
    this.first = 0;
    this.span = Math.max(LEAST, 1.15 * (this.held?.draft.keys.at(-1)?.time ?? 3.5), 2);
    this.draw();
  }

  private get width(): number {
    return Math.max(this.element.clientWidth, 120);
  }

  private get height(): number {
    return Math.max(this.element.clientHeight, 80);
  }

  private x(time: number): number {
    return LEFT + ((time - this.first) / this.span) * (this.width - LEFT - RIGHT);
  }

  private y(value: number): number {
    const top = RULER + KEYS + 4;
    return top + ((this.high - value) / (this.high - this.low || 1)) * (this.height - top - BELOW);
  }

  private timeAt(event: { clientX: number }): number {
    const at = event.clientX - this.svg.getBoundingClientRect().left;
    return this.first + ((at - LEFT) / (this.width - LEFT - RIGHT)) * this.span;
  }

  private valueAt(event: { clientY: number }): number {
    const top = RULER + KEYS + 4;
    const at = event.clientY - this.svg.getBoundingClientRect().top;
    return this.high - ((at - top) / (this.height - top - BELOW)) * (this.high - this.low);
  }

  private draw(): void {
    const held = this.held;
    if (!held || this.element.clientWidth === 0) return;
    const { width, height } = this;
    this.svg.setAttribute("viewBox", `0 0 ${String(width)} ${String(height)}`);
    const tracks = held.joints.map((joint) => new Track(held.draft, joint, held.start[joint] ?? 0));
    this.range(tracks);
    const clip = s("clipPath", { id: "curves-clip" }, s("rect", { x: LEFT, y: RULER + KEYS, width: width - LEFT - RIGHT, height: height - RULER - KEYS }));
    const head = this.x(held.playhead);
    const inside = held.playhead >= this.first && held.playhead <= this.first + this.span;
    refill(
      this.svg,
      s("defs", {}, clip),
      s("rect", { class: "ruler", x: LEFT, y: 0, width: width - LEFT - RIGHT, height: RULER }),
      Number.isFinite(held.falls) && s("rect", { class: "falls", x: this.x(held.falls), y: RULER, width: Math.max(0, width - RIGHT - this.x(held.falls)), height: height - RULER }),
      ...this.ticks(),
      ...this.levels(),
      s("g", { "clip-path": "url(#curves-clip)" }, ...tracks.map((track, i) => s("polyline", { class: "curve", points: this.line(track), stroke: colorOf(i) }))),
      ...tracks.flatMap((_, i) => this.points(held, held.joints[i]!, i)),
      ...held.draft.keys.filter((key) => this.seen(key.time)).map((key) => this.diamond(held, key)),
      inside && s("path", { class: "playhead", d: `M${String(head)} 0V${String(height)}M${String(head - 5)} 0h10l-5 8z` }),
    );
  }

  private seen(time: number): boolean {
    return time >= this.first - 1e-6 && time <= this.first + this.span + 1e-6;
  }

  /** Values that are in view: those of the curves, and some room. */
  private range(tracks: readonly Track[]): void {
    const values = tracks.flatMap((track) => track.values);
    const [low, high] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [-1, 1];
    const room = Math.max(0.12 * (high - low), 0.15);
    [this.low, this.high] = [low - room, high + room];
  }

  private ticks(): SVGElement[] {
    const room = this.width - LEFT - RIGHT;
    const step = STEPS.find((one) => (one / this.span) * room > 46) ?? 60;
    const found: SVGElement[] = [];
    for (let k = Math.ceil(this.first / step); k * step <= this.first + this.span; k++) {
      const x = this.x(k * step);
      found.push(s("line", { class: "grid", x1: x, x2: x, y1: RULER, y2: this.height }), s("text", { class: "tick", x, y: 12, "text-anchor": "middle" }, `${short(k * step)} s`));
    }
    return found;
  }

  private levels(): SVGElement[] {
    return [this.high, (this.high + this.low) / 2, this.low].map((value, i) => {
      const y = this.y(value) + (i === 0 ? 9 : i === 2 ? -2 : 3);
      return s("text", { class: "tick", x: LEFT - 5, y, "text-anchor": "end" }, `${fixed(value * DEGREES, 0)}°`);
    });
  }

  private line(track: Track): string {
    const count = Math.min(400, Math.max(60, Math.round(this.width / 3)));
    const points: string[] = [];
    for (let k = 0; k <= count; k++) {
      const time = this.first + (k / count) * this.span;
      points.push(`${this.x(time).toFixed(1)},${this.y(track.at(time)).toFixed(1)}`);
    }
    return points.join(" ");
  }

  /** The points of a curve, dragged in time and value. */
  private points(held: Held, joint: string, index: number): SVGElement[] {
    return held.draft.keys.filter((key) => joint in key.positions && this.seen(key.time)).map((key) => {
      const dot = s("circle", { class: "point", cx: this.x(key.time), cy: this.y(key.positions[joint]!), r: 4.5, fill: colorOf(index), "data-curve": joint, "data-time": key.time });
      dot.addEventListener("pointerdown", (event) => {
        event.stopPropagation();
        const [low, high] = held.limits[joint] ?? [null, null];
        this.acts.choose(new Set([key]));
        this.follow(event, (next) => {
          key.positions[joint] = Math.min(Math.max(this.valueAt(next), low ?? -Infinity), high ?? Infinity);
          this.acts.change(false);
        });
      });
      return dot;
    });
  }

  /** A key with all its joints, dragged in time. */
  private diamond(held: Held, key: Key): SVGElement {
    const [x, y] = [this.x(key.time), RULER + KEYS / 2];
    const chosen = held.chosen.has(key);
    const mark = s("g", {
      class: chosen ? "key chosen" : "key", tabindex: 0, role: "button", "aria-pressed": String(chosen), "data-key": key.time,
      "aria-label": `Key at ${short(key.time)} s, ${String(Object.keys(key.positions).length)} joints`,
    }, s("path", { d: `M${String(x)} ${String(y - 7)}l6 7l-6 7l-6-7z` }));
    mark.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      const together = chosen || event.shiftKey ? new Set([...held.chosen, key]) : new Set([key]);
      this.acts.choose(together);
      this.acts.seek(key.time);
      let before = this.timeAt(event);
      this.follow(event, (next) => {
        const by = Math.round((this.timeAt(next) - before) / SNAP) * SNAP;
        if (by === 0) return;
        before += by;
        shiftKeys(held.draft, [...together], by);
        this.acts.seek(key.time);
        this.acts.change(false);
      });
    });
    mark.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -SNAP, ArrowRight: SNAP }[event.key];
      if (event.key === "Enter" || event.key === " ") {
        this.acts.choose(event.shiftKey ? new Set([...held.chosen, key]) : new Set([key]));
        this.acts.seek(key.time);
      } else if (by !== undefined) {
        shiftKeys(held.draft, [...new Set([...held.chosen, key])], by);
        this.acts.seek(key.time);
        this.acts.change(true);
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      this.svg.querySelector<SVGElement>(`[data-key="${String(key.time)}"]`)?.focus();
    });
    return mark;
  }

  /** Follow a pointer over the window, as what it began on is drawn anew meanwhile. */
  private follow(event: PointerEvent, move: (next: PointerEvent) => void): void {
    event.preventDefault();
    const end = (): void => {
      window.removeEventListener("pointermove", move);
      this.acts.change(true);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end, { once: true });
  }

  private scrub(event: PointerEvent): void {
    const held = this.held;
    if (!held || event.button !== 0) return;
    const to = (next: PointerEvent): void => {
      const time = Math.max(0, this.timeAt(next));
      const near = held.draft.keys.find((key) => Math.abs(this.x(key.time) - this.x(time)) < 5);
      this.acts.seek(near?.time ?? Math.round(time / 0.01) * 0.01);
    };
    to(event);
    const key = keyAt(held.draft, held.playhead);
    if (!key && !event.shiftKey) this.acts.choose(new Set());
    const end = (): void => { window.removeEventListener("pointermove", to); };
    window.addEventListener("pointermove", to);
    window.addEventListener("pointerup", end, { once: true });
  }

  /** Zoom at the pointer; with Shift, or sideways, go along. */
  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const along = event.shiftKey ? event.deltaY : event.deltaX;
    if (along !== 0) {
      this.first = Math.max(0, this.first + (along / 800) * this.span);
    } else {
      const at = this.timeAt(event);
      const span = Math.min(Math.max(this.span * Math.exp(event.deltaY / 500), LEAST / 2), 600);
      this.first = Math.max(0, at - ((at - this.first) / this.span) * span);
      this.span = span;
    }
    this.draw();
  }
}
