/** The numbers of the wave gait as a form: what each does, its value to walk with, its range to search in. */

import type { Studio } from "../studio";
import { h, refill, s } from "../ui/dom";
import { fixed, short } from "../ui/format";
import { toast } from "../ui/toast";

/** The ten of the published model. */
const TEN = ["T", "A_h", "s_h", "A_k", "f_k", "s_k", "A_a", "f_a", "s_a", "b"];
const LOOKING = 500; // between two looks at how it walks [ms]

interface Row {
  symbol: string;
  value: HTMLInputElement;
  low: HTMLInputElement;
  high: HTMLInputElement;
}

interface Statistics {
  success: boolean;
  walking: boolean;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  time: number;
  along: number;
  aside: number;
  deviation: number;
  turned: number;
  fallen: boolean;
  fitness: number;
}

export interface Ranges {
  parameters: string[];
  low: number[];
  high: number[];
}

export class GaitForm {
  readonly element: HTMLElement;
  private readonly table = h("tbody");
  private readonly told = h("dl", { class: "facts statistics", hidden: true });
  private rows: Row[] = [];
  private timer = 0;

  constructor(private readonly studio: Studio) {
    const button = (text: string, title: string, run: () => void, primary = false): HTMLElement => h("button", { type: "button", class: primary ? "small primary" : "small", title, onclick: run }, text);
    this.element = h("details", { class: "gait" }, h("summary", {}, "The numbers of the gait"),
      h("table", {}, h("thead", {}, h("tr", {}, ...["", "number", "value", "from", "to"].map((name) => h("th", { scope: "col" }, name || h("span", { class: "unseen" }, "picture"))))), this.table),
      h("div", { class: "row buttons" }, button("Walk", "Walk with these numbers", () => { void this.walk(); }, true), button("Stop", "Let the waves die", () => { void studio.ask("/walker/stop", "std_srvs/srv/Trigger"); }), button("As it is", "The numbers that the robot has now", () => { void this.load(); })),
      this.told);
  }

  /** The parameters of the robot, in words. */
  name(about: ReadonlyMap<string, string>): void {
    const number = (label: string, hint: string): HTMLInputElement => h("input", { type: "number", step: "any", "aria-label": label, placeholder: hint });
    this.rows = TEN.filter((symbol) => about.has(symbol)).map((symbol) => {
      const words = about.get(symbol)!;
      const called = words.replace(/:.*$/, "");
      return { symbol, value: number(called, ""), low: number(`${called} from`, "usual"), high: number(`${called} to`, "usual") };
    });
    refill(this.table, ...this.rows.map((row) => {
      const words = about.get(row.symbol)!;
      return h("tr", { title: words }, h("td", {}, picture(row.symbol)), h("th", { scope: "row" }, words.replace(/:.*$/, ""), h("small", {}, ` ${row.symbol}`)), h("td", {}, row.value), h("td", {}, row.low), h("td", {}, row.high));
    }));
  }

  show(): void {
    void this.load();
    this.timer = window.setInterval(() => { if ((this.element as HTMLDetailsElement).open && this.studio.status.value?.behaviour === "wave") void this.look(); }, LOOKING);
  }

  hide(): void {
    clearInterval(this.timer);
  }

  /** Ends of ranges that a search has used. */
  usual(parameters: readonly string[], low: ArrayLike<number>, high: ArrayLike<number>): void {
    for (const row of this.rows) {
      const k = parameters.indexOf(row.symbol);
      if (k < 0) continue;
      row.low.placeholder = short(low[k]!);
      row.high.placeholder = short(high[k]!);
    }
  }

  /** Take the numbers of a candidate over. */
  take(parameters: readonly string[], values: ArrayLike<number>): void {
    for (const row of this.rows) {
      const k = parameters.indexOf(row.symbol);
      if (k >= 0) row.value.value = short(values[k]!, 5);
    }
  }

  /** Ranges that are other than usual. */
  get ranges(): Ranges {
    const wanted = this.rows.filter((row) => row.low.value !== "" || row.high.value !== "");
    const end = (field: HTMLInputElement): number => Number(field.value || field.placeholder);
    return { parameters: wanted.map((row) => row.symbol), low: wanted.map((row) => end(row.low)), high: wanted.map((row) => end(row.high)) };
  }

  private async set(symbols: string[], values: number[]): Promise<boolean> {
    const answer = await this.studio.connection.call<{ success: boolean; message: string; parameters: { symbols: string[]; values: ArrayLike<number> } }>(
      "/walker/set_parameters", "andante_msgs/srv/SetWalker", { parameters: { symbols, values }, variant: "" });
    if (!answer.success) toast(answer.message, "bad");
    else this.take(answer.parameters.symbols, answer.parameters.values);
    return answer.success;
  }

  private async load(): Promise<void> {
    if (this.rows.length === 0) return;
    await this.set([], []).catch(() => undefined);
  }

  private async walk(): Promise<void> {
    const given = this.rows.filter((row) => row.value.value !== "");
    try {
      if (await this.set(given.map((row) => row.symbol), given.map((row) => Number(row.value.value)))) await this.studio.ask("/walker/start", "std_srvs/srv/Trigger");
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  /** How the walk goes. */
  private async look(): Promise<void> {
    try {
      const one = await this.studio.connection.call<Statistics>("/walker/get_statistics", "andante_msgs/srv/WalkerStatistics");
      if (!one.success) return;
      const row = (name: string, value: string): HTMLElement => h("div", {}, h("dt", {}, name), h("dd", {}, value));
      this.told.hidden = false;
      refill(this.told, row("from", `${fixed(one.x0, 2)}, ${fixed(one.y0, 2)} m`), row("to", `${fixed(one.x1, 2)}, ${fixed(one.y1, 2)} m`), row("ahead", `${fixed(one.along, 2)} m in ${fixed(one.time, 1)} s`), row("deviation", `${fixed(one.deviation, 3)} m`), row("fallen", one.fallen ? "yes" : "no"), row("fitness (source)", short(one.fitness, 3)));
    } catch {
      // asked again soon
    }
  }
}

const WAVE = "M2 14C6 4 10 4 14 14S22 24 26 14S34 4 38 14";

/** What a number changes of a wave: its length, its height, its place in time, its middle, or the sway. */
function picture(symbol: string): SVGElement {
  const kind = symbol[0]!;
  const marks: Record<string, string> = { T: "M2 25H26M2 23v4M26 23v4", A: "M8 6V22M6 8l2-2l2 2M6 20l2 2l2-2", f: "M14 14H22M20 12l2 2l-2 2", s: "M2 14H38M32 14V7M30 9l2-2l2 2", b: "M20 24L12 6M20 24L28 6M12 6h16" };
  return s("svg", { viewBox: "0 0 40 28", width: 40, height: 28, class: "wavemark", "aria-hidden": "true" }, kind !== "b" && s("path", { class: "wave", d: WAVE }), s("path", { class: "mark", d: marks[kind] ?? "" }));
}
