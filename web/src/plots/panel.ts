/** Plots panel: any numeric fields of any topics in several charts; zoomed, kept, and taken along as CSV and PNG. */

import type { Studio } from "../studio";
import { h } from "../ui/dom";
import { icon, type IconName } from "../ui/icons";
import { saveBlob, saveText } from "../ui/saving";
import { recall, remember } from "../ui/store";
import { color, dark } from "../ui/theme";
import { toast } from "../ui/toast";
import { Chart, type Window } from "./chart";
import { PRESETS } from "./presets";
import { table } from "./series";
import { FieldTree, type Field } from "./tree";

const WINDOWS = [5, 10, 30, 60, 120];
const DRAWING = 80; // between redraws [ms]
const MOST = 6; // charts

interface Kept {
  span: number;
  charts: Field[][];
}

export class Plots {
  readonly element: HTMLElement;
  private readonly window: Window = { span: 10, zoom: undefined };
  private readonly span = h("select", { "aria-label": "Time shown" }, ...WINDOWS.map((s) => h("option", { value: s }, `${String(s)} s`)));
  private readonly hold = h("button", { type: "button", class: "small", "aria-pressed": "false", "aria-label": "Hold the plot", title: "Hold" }, icon("pause", 13));
  private readonly live = h("button", { type: "button", class: "small", hidden: true, title: "Show the newest again (double click)" }, "Live");
  private readonly area = h("div", { class: "charts" });
  private readonly tree: FieldTree;
  private charts: Chart[] = [];
  private active: Chart | undefined;
  private timer = 0;

  constructor(private readonly studio: Studio) {
    const preset = h("select", { "aria-label": "Charts of a kind", title: "Charts of a kind" }, h("option", { value: "" }, "Presets …"), ...PRESETS.map((one, i) => h("option", { value: i }, one.name)));
    preset.addEventListener("change", () => {
      const chosen = PRESETS[Number(preset.value)];
      if (preset.value !== "" && chosen) void this.choose(chosen.name, chosen.charts);
      preset.value = "";
    });
    this.tree = new FieldTree(studio, (field) => { this.add(field); });
    this.hold.addEventListener("click", () => { this.hold.setAttribute("aria-pressed", String(!this.held)); });
    this.live.addEventListener("click", () => { this.zoom(undefined); });
    this.span.addEventListener("change", () => { this.window.span = Number(this.span.value); this.zoom(undefined); this.keep(); });
    this.element = h("div", { class: "column plots" },
      h("div", { class: "row tools" }, preset, this.button("plus", "One more chart", () => { this.addChart(); this.keep(); }), this.span, this.hold, this.live,
        h("button", { type: "button", class: "small", title: "Download the curves as a table", onclick: () => { this.csv(); } }, icon("download", 12), "CSV"), h("button", { type: "button", class: "small", title: "Download the charts as a picture", onclick: () => { this.png(); } }, icon("download", 12), "PNG"),
        this.button("trash", "Remove all curves", () => { this.removeAll(); })),
      h("div", { class: "plotbody" }, this.tree.element, this.area));
    const kept = recall<Kept | null>("plots", null);
    this.window.span = kept?.span ?? 10;
    this.span.value = String(this.window.span);
    for (const fields of (kept?.charts ?? [[]]).slice(0, MOST)) {
      const chart = this.addChart();
      for (const field of fields) chart.add(field);
    }
    if (this.charts.length === 0) this.addChart();
    this.activate(this.charts[0]!);
    dark.on(() => { for (const chart of this.charts) chart.rebuild(); });
    studio.scene.on(() => { for (const chart of this.charts) chart.forget(); });
  }

  show(): void {
    void this.tree.load();
    this.timer = window.setInterval(() => { if (!this.held) this.draw(); }, DRAWING);
  }

  hide(): void {
    clearInterval(this.timer);
  }

  private get held(): boolean {
    return this.hold.getAttribute("aria-pressed") === "true";
  }

  private button(name: IconName, title: string, run: () => void): HTMLButtonElement {
    return h("button", { type: "button", class: "small", title, "aria-label": title, onclick: run }, icon(name, 13));
  }

  private draw(): void {
    for (const chart of this.charts) chart.draw();
  }

  private addChart(): Chart {
    if (this.charts.length >= MOST) return this.charts.at(-1)!;
    const chart = new Chart(this.studio, this.window, {
      changed: () => { this.keep(); }, zoomed: (part) => { this.zoom(part); }, activate: (one) => { this.activate(one); }, close: (one) => { this.close(one); },
    });
    this.charts.push(chart);
    this.area.append(chart.element);
    this.activate(chart);
    return chart;
  }

  private activate(chart: Chart): void {
    this.active = chart;
    for (const one of this.charts) one.element.classList.toggle("chosen", one === chart && this.charts.length > 1);
  }

  private close(chart: Chart): void {
    chart.clear();
    if (this.charts.length > 1) {
      this.charts = this.charts.filter((one) => one !== chart);
      chart.element.remove();
      this.activate(this.charts[0]!);
    }
    this.keep();
  }

  private zoom(part: [number, number] | undefined): void {
    this.window.zoom = part;
    this.live.hidden = part === undefined;
    this.draw();
  }

  add(field: Field): void {
    (this.active ?? this.charts[0]!).add(field);
    this.keep();
  }

  private removeAll(): void {
    for (const chart of this.charts.slice(1)) this.close(chart);
    this.charts[0]!.clear();
    this.zoom(undefined);
    this.keep();
  }

  private async choose(name: string, wanted: readonly (readonly [RegExp, RegExp][])[]): Promise<void> {
    const found = await Promise.all(wanted.map(async (rules) => (await Promise.all(rules.map(([topic, field]) => this.tree.matching(topic, field)))).flat()));
    const charts = found.filter((fields) => fields.length > 0);
    if (charts.length === 0) {
      toast(`This robot tells nothing of that kind (${name}).`, "bad");
      return;
    }
    this.removeAll();
    charts.forEach((fields, i) => {
      const chart = i === 0 ? this.charts[0]! : this.addChart();
      for (const field of fields) chart.add(field);
    });
    this.activate(this.charts[0]!);
    this.keep();
  }

  private keep(): void {
    const charts = this.charts.map((chart) => chart.curves.map(({ topic, type, path }) => ({ topic, type, path })));
    remember("plots", { span: this.window.span, charts });
  }

  private csv(): void {
    const curves = this.charts.flatMap((chart) => chart.curves);
    if (curves.length === 0) toast("There are no curves yet.", "bad");
    else saveText(table(curves.map((curve) => ({ name: `${curve.name}${curve.unit && ` [${curve.unit}]`}`, series: curve.series }))), "curves.csv");
  }

  /** All charts below each other, with the names of their curves. */
  private png(): void {
    const pictures = this.charts.flatMap((chart) => (chart.picture && chart.curves.length > 0 ? [{ picture: chart.picture, chart }] : []));
    if (pictures.length === 0) {
      toast("There are no curves yet.", "bad");
      return;
    }
    const ratio = window.devicePixelRatio || 1;
    const row = Math.round(18 * ratio);
    const whole = h("canvas", { width: Math.max(...pictures.map(({ picture }) => picture.width)), height: pictures.reduce((sum, { picture, chart }) => sum + picture.height + row * chart.curves.length, 0) });
    const paint = whole.getContext("2d")!;
    paint.fillStyle = color("surface");
    paint.fillRect(0, 0, whole.width, whole.height);
    paint.font = `${String(12 * ratio)}px system-ui`;
    let y = 0;
    for (const { picture, chart } of pictures) {
      chart.curves.forEach((curve, i) => {
        paint.fillStyle = Chart.color(i);
        paint.fillText(`${curve.name}${curve.unit && ` [${curve.unit}]`}`, 8 * ratio, y + row - 5 * ratio);
        y += row;
      });
      paint.drawImage(picture, 0, y);
      y += picture.height;
    }
    whole.toBlob((blob) => { if (blob) saveBlob(blob, "curves.png"); });
  }
}
