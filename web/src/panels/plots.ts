/** Plots panel: any numeric field of any topic over time. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { short } from "../ui/format";
import { icon } from "../ui/icons";
import type { Panel } from "../ui/panel";
import { color, dark } from "../ui/theme";
import { FieldChooser } from "./field_chooser";
import { label, stampOf, valueAt } from "./fields";
import { joined, Series } from "./series";

const COLORS = ["#e4572e", "#2f80ed", "#16a34a", "#a855f7", "#f59e0b", "#06b6d4", "#ec4899", "#64748b"];
const WINDOWS = [5, 10, 30, 60, 120];
const DRAWING = 80; // between redraws [ms]

interface Curve {
  topic: string;
  path: string;
  name: string;
  series: Series;
  end: () => void;
}

export class PlotsPanel implements Panel {
  readonly id = "plots";
  readonly title = "Plots";
  readonly element: HTMLElement;
  private readonly canvas = h("div", { class: "plot", role: "img", "aria-label": "Curves over time" });
  private readonly legend = h("ul", { class: "legend" });
  private readonly span = h("select", { "aria-label": "Time shown" }, ...WINDOWS.map((s) => h("option", { value: s, selected: s === 10 }, `${String(s)} s`)));
  private readonly hold = h("button", { type: "button", class: "small", "aria-pressed": "false", "aria-label": "Hold the plot", title: "Hold" }, icon("pause", 13));
  private curves: Curve[] = [];
  private chart: uPlot | undefined;
  private timer = 0;
  private seen = false;

  constructor(private readonly studio: Studio) {
    const chooser = new FieldChooser(studio, (topic, type, path) => { this.add(topic, type, path); });
    const clear = h("button", { type: "button", class: "small", "aria-label": "Remove all curves", title: "Remove all", onclick: () => { this.removeAll(); } }, icon("trash", 13));
    this.hold.addEventListener("click", () => { this.hold.setAttribute("aria-pressed", String(this.hold.getAttribute("aria-pressed") !== "true")); });
    this.element = h("div", { class: "column" }, h("div", { class: "row tools" }, chooser.element, this.span, this.hold, clear), h("div", { class: "plotarea" }, this.canvas, this.legend));
    dark.on(() => { this.rebuild(); });
    new ResizeObserver(() => { this.resize(); }).observe(this.canvas);
    studio.scene.on(() => { for (const curve of this.curves) curve.series.clear(); });
    this.rebuild();
  }

  show(): void {
    this.seen = true;
    this.timer = window.setInterval(() => { this.draw(); }, DRAWING);
    this.resize();
  }

  hide(): void {
    this.seen = false;
    clearInterval(this.timer);
  }

  /** Add the curve of a field; it is recorded from now on, also while the panel is hidden. */
  add(topic: string, type: string, path: string): void {
    if (this.curves.length >= COLORS.length || this.curves.some((curve) => curve.topic === topic && curve.path === path)) return;
    const series = new Series();
    const curve: Curve = { topic, path, name: `${topic} ${path}`, series, end: () => undefined };
    curve.end = this.studio.connection.subscribe(topic, type, (message: unknown) => {
      series.add(stampOf(message, this.studio.status.value?.sim_time ?? 0), valueAt(message, path));
      const name = `${topic} ${label(message, path)}`;
      if (name !== curve.name) {
        curve.name = name;
        this.rebuild();
      }
    });
    this.curves.push(curve);
    this.rebuild();
  }

  private removeAll(): void {
    for (const curve of this.curves) curve.end();
    this.curves = [];
    this.rebuild();
  }

  private remove(curve: Curve): void {
    curve.end();
    this.curves = this.curves.filter((one) => one !== curve);
    this.rebuild();
  }

  private rebuild(): void {
    this.chart?.destroy();
    const axis = { stroke: color("muted"), grid: { stroke: color("line"), width: 1 }, ticks: { stroke: color("line"), width: 1 }, font: "11px system-ui" };
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const axes = [{ ...axis, size: 26, values: (_: uPlot, ticks: number[]) => ticks.map((t) => `${String(Math.round(t * 10) / 10)}`) }, { ...axis, size: 52, values: (_: uPlot, ticks: number[]) => ticks.map((t) => short(t)) }];
    this.chart = new uPlot(
      {
        width: Math.max(width, 50), height: Math.max(height, 50), legend: { show: false }, cursor: { y: false }, axes,
        scales: { x: { time: false } },
        series: [{}, ...this.curves.map((curve, i) => ({ label: curve.name, stroke: COLORS[i]!, width: 1.6, spanGaps: true, points: { show: false } }))],
      },
      joined(this.curves.map((curve) => curve.series), this.since()) as uPlot.AlignedData,
      this.canvas,
    );
    refill(
      this.legend,
      ...this.curves.map((curve, i) =>
        h("li", {}, h("span", { class: "swatch", style: `background:${COLORS[i]!}` }), h("span", { class: "text", title: curve.name }, h("b", {}, curve.name.slice(curve.topic.length + 1)), " ", h("small", {}, curve.topic)), h("output", { class: "number" }),
          h("button", { type: "button", class: "ghost square", "aria-label": `Remove ${curve.name}`, onclick: () => { this.remove(curve); } }, icon("close", 11)))),
      this.curves.length === 0 && h("li", { class: "hint" }, "Choose a topic and a field, then Add."),
    );
  }

  private since(): number {
    const newest = Math.max(...this.curves.map((curve) => curve.series.times.at(-1) ?? -Infinity));
    return newest - Number(this.span.value);
  }

  private draw(): void {
    if (!this.chart || this.hold.getAttribute("aria-pressed") === "true" || this.curves.length === 0) return;
    this.chart.setData(joined(this.curves.map((curve) => curve.series), this.since()) as uPlot.AlignedData);
    this.legend.querySelectorAll("output").forEach((output, i) => {
      output.textContent = short(this.curves[i]?.series.values.at(-1) ?? NaN);
    });
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.seen && width > 0 && height > 0) this.chart?.setSize({ width, height });
  }
}
