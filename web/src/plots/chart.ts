/** One chart: curves over time, an axis for each of up to two units, values at the cursor, zoom and pan. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { short } from "../ui/format";
import { icon } from "../ui/icons";
import { color } from "../ui/theme";
import { label, stampOf, valueAt } from "./fields";
import { joined, Series } from "./series";
import type { Field } from "./tree";
import { unitOf } from "./units";

const COLORS = ["#e4572e", "#2f80ed", "#16a34a", "#a855f7", "#f59e0b", "#06b6d4", "#ec4899", "#64748b"];

export interface Curve extends Field {
  name: string;
  unit: string;
  series: Series;
  end: () => void;
}

/** The times that are shown: the last seconds, or a part that was zoomed to. */
export interface Window {
  span: number;
  zoom: [number, number] | undefined;
}

export interface Acts {
  changed(): void;
  /** Show this part of the time; undefined: the newest again. */
  zoomed(part: [number, number] | undefined): void;
  activate(chart: Chart): void;
  close(chart: Chart): void;
}

export class Chart {
  readonly element: HTMLElement;
  curves: Curve[] = [];
  private readonly canvas = h("div", { class: "plot", role: "img", "aria-label": "Curves over time", title: "Wheel: zoom. Shift+wheel: along. Drag: a part. Double click: live." });
  private readonly legend = h("ul", { class: "legend" });
  private plot: uPlot | undefined;
  private cursor: number | null = null;

  constructor(private readonly studio: Studio, private readonly window: Window, private readonly acts: Acts) {
    const close = h("button", { type: "button", class: "ghost square close", "aria-label": "Remove this chart", title: "Remove this chart", onclick: () => { acts.close(this); } }, icon("close", 12));
    this.element = h("div", { class: "plotarea" }, this.canvas, this.legend, close);
    this.element.addEventListener("pointerdown", () => { acts.activate(this); });
    new ResizeObserver(() => { this.resize(); }).observe(this.canvas);
    this.canvas.addEventListener("wheel", (event) => { this.wheel(event); }, { passive: false });
    this.canvas.addEventListener("dblclick", () => { acts.zoomed(undefined); });
    this.rebuild();
  }

  static color(index: number): string {
    return COLORS[index]!;
  }

  /** Add the curve of a field; it is recorded from now on, also while the panel is hidden. */
  add(field: Field): void {
    if (this.curves.length >= COLORS.length || this.curves.some((curve) => curve.topic === field.topic && curve.path === field.path)) return;
    const series = new Series();
    const curve: Curve = { ...field, name: `${field.topic} ${field.path}`, unit: unitOf(field.type, field.path), series, end: () => undefined };
    curve.end = this.studio.connection.subscribe(field.topic, field.type, (message: unknown) => {
      series.add(stampOf(message, this.studio.status.value?.sim_time ?? 0), valueAt(message, field.path));
      const name = `${field.topic} ${label(message, field.path)}`;
      if (name !== curve.name) {
        curve.name = name;
        this.rebuild();
      }
    });
    this.curves.push(curve);
    this.rebuild();
  }

  clear(): void {
    for (const curve of this.curves) curve.end();
    this.curves = [];
    this.rebuild();
  }

  forget(): void {
    for (const curve of this.curves) curve.series.clear();
  }

  get newest(): number {
    return Math.max(-Infinity, ...this.curves.map((curve) => curve.series.times.at(-1) ?? -Infinity));
  }

  /** The drawn picture. */
  get picture(): HTMLCanvasElement | undefined {
    return this.plot?.ctx.canvas;
  }

  rebuild(): void {
    this.plot?.destroy();
    const line = { stroke: color("muted"), ticks: { stroke: color("line"), width: 1 }, font: "11px system-ui" };
    const units = [...new Set(this.curves.map((curve) => curve.unit))];
    const scale = (curve: Curve): string => (units.indexOf(curve.unit) === 1 ? "right" : "left");
    const values = (_: uPlot, ticks: number[]): string[] => ticks.map((t) => short(t));
    const axes: uPlot.Axis[] = [
      { ...line, grid: { stroke: color("line"), width: 1 }, size: 24, values: (_: uPlot, ticks: number[]) => ticks.map((t) => String(Math.round(t * 100) / 100)) },
      { ...line, grid: { stroke: color("line"), width: 1 }, scale: "left", size: 50, values, ...(units[0] && { label: units[0], labelSize: 14, labelFont: "11px system-ui", labelGap: 0 }) },
    ];
    if (units.length > 1) axes.push({ ...line, grid: { show: false }, side: 1, scale: "right", size: 46, values, ...(units[1] && { label: units[1], labelSize: 14, labelFont: "11px system-ui" }) });
    this.plot = new uPlot(
      {
        width: Math.max(this.canvas.clientWidth, 50), height: Math.max(this.canvas.clientHeight, 40), legend: { show: false }, axes,
        cursor: { y: false, sync: { key: "andante" }, drag: { x: true, y: false, setScale: false } },
        scales: { x: { time: false, range: (_plot, low, high) => this.window.zoom ?? [Number.isFinite(low) ? low : 0, Number.isFinite(high) ? high : 1] } },
        series: [{}, ...this.curves.map((curve, i) => ({ label: curve.name, scale: scale(curve), stroke: COLORS[i]!, width: 1.6, spanGaps: true, points: { show: false } }))],
        hooks: {
          setCursor: [(plot) => { this.cursor = plot.cursor.idx ?? null; this.tell(); }],
          setSelect: [(plot) => {
            if (plot.select.width < 6) return;
            this.acts.zoomed([plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x")]);
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          }],
        },
      },
      this.data(),
      this.canvas,
    );
    refill(
      this.legend,
      ...this.curves.map((curve, i) =>
        h("li", {}, h("span", { class: "swatch", style: `background:${COLORS[i]!}` }), h("span", { class: "text", title: curve.name }, h("b", {}, curve.name.slice(curve.topic.length + 1)), " ", h("small", {}, curve.topic)), h("output", { class: "number" }),
          h("button", { type: "button", class: "ghost square", "aria-label": `Remove ${curve.name}`, onclick: () => { this.remove(curve); } }, icon("close", 11)))),
      this.curves.length === 0 && h("li", { class: "hint" }, "Choose a field in the tree, or a preset."),
    );
    this.tell();
  }

  private remove(curve: Curve): void {
    curve.end();
    this.curves = this.curves.filter((one) => one !== curve);
    this.rebuild();
    this.acts.changed();
  }

  private data(): uPlot.AlignedData {
    const { zoom, span } = this.window;
    return joined(this.curves.map((curve) => curve.series), zoom ? zoom[0] - 0.05 * (zoom[1] - zoom[0]) : this.newest - span) as uPlot.AlignedData;
  }

  draw(): void {
    if (!this.plot || this.curves.length === 0) return;
    this.plot.setData(this.data());
    this.tell();
  }

  /** Values at the cursor, else the newest. */
  private tell(): void {
    const data = this.plot?.data;
    this.legend.querySelectorAll("output").forEach((output, i) => {
      const curve = this.curves[i];
      if (!curve) return;
      let value = curve.series.values.at(-1) ?? NaN;
      if (this.cursor !== null && data) value = before(data[i + 1] as (number | null)[], this.cursor);
      output.textContent = `${short(value)}${curve.unit && ` ${curve.unit}`}`;
    });
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width > 0 && height > 0) this.plot?.setSize({ width, height });
  }

  /** Zoom at the pointer; with Shift, or sideways, go along. */
  private wheel(event: WheelEvent): void {
    const plot = this.plot;
    const [low, high] = [plot?.scales["x"]?.min, plot?.scales["x"]?.max];
    if (!plot || low === undefined || low === null || high === undefined || high === null) return;
    event.preventDefault();
    const along = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    const box = plot.over.getBoundingClientRect();
    const at = plot.posToVal(event.clientX - box.left, "x");
    const factor = along === 0 ? Math.exp(event.deltaY / 500) : 1;
    const shift = along === 0 ? 0 : (along / 800) * (high - low);
    this.acts.zoomed([at + (low - at) * factor + shift, at + (high - at) * factor + shift]);
  }
}

/** The last value at or before an index. */
function before(column: readonly (number | null)[] | undefined, index: number): number {
  for (let k = index; k >= 0; k--) {
    const value = column?.[k];
    if (value !== null && value !== undefined) return value;
  }
  return NaN;
}
