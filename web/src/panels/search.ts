/** Search panel: look for a gait; best list, parameter against fitness, and replay on the robot. */

import { Hearing } from "../link/topics";
import type { SearchState } from "../link/messages";
import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { fixed, short } from "../ui/format";
import { icon } from "../ui/icons";
import type { Panel } from "../ui/panel";
import { Signal } from "../ui/signal";
import { dark } from "../ui/theme";
import { dots, Scatter } from "./scatter";

export class SearchPanel implements Panel {
  readonly id = "search";
  readonly title = "Search";
  readonly element: HTMLElement;
  /** Whether the robot has a gait to be searched. */
  readonly available = new Signal<boolean>(true);
  private readonly budget = h("input", { type: "number", id: "budget", min: 1, max: 100000, value: 60 });
  private readonly study = h("input", { type: "text", id: "study", placeholder: "by the time of day", spellcheck: "false" });
  private readonly sampler = h("select", { id: "sampler", "aria-label": "Sampler" }, h("option", { value: "" }, "usual"));
  private readonly start = h("button", { type: "button", class: "primary" }, icon("play", 13), "Start");
  private readonly hold = h("button", { type: "button" }, "Pause");
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "Candidates tried" });
  private readonly words = h("p", { class: "muted", role: "status" }, "No search yet.");
  private readonly parameter = h("select", { "aria-label": "Parameter of the scatter" });
  private readonly scatter = new Scatter(h("canvas", { class: "scatter", role: "img", "aria-label": "Parameter against fitness; click a dot to replay it" }));
  private readonly best = h("tbody");
  private readonly hearing: Hearing;
  private state: SearchState | undefined;
  private about = new Map<string, string>(); // parameters in words

  constructor(private readonly studio: Studio) {
    this.hearing = new Hearing(studio.connection);
    this.start.addEventListener("click", () => { void this.begin(); });
    this.hold.addEventListener("click", () => { void this.toggle(); });
    this.parameter.addEventListener("change", () => { this.plot(); });
    this.scatter.canvas.addEventListener("click", (event) => {
      const dot = this.scatter.at(event.offsetX, event.offsetY);
      if (dot) this.replay(dot.number);
    });
    new ResizeObserver(() => { this.plot(); }).observe(this.scatter.canvas);
    dark.on(() => { this.plot(); });
    const head = h("tr", {}, ...[["#", "Number of the candidate"], ["fitness", "Higher is better"], ["ahead m", "Distance ahead [m]"], ["aside m", "Drift to the side [m]"], ["time s", "Until it fell or the trial ended [s]"], ["", "Replay"]].map(([name, about]) => h("th", { scope: "col", title: about }, name || h("span", { class: "unseen" }, about))));
    this.element = h(
      "div",
      { class: "search" },
      h("div", { class: "form" },
        h("label", { for: "budget" }, "Candidates"), this.budget,
        h("label", { for: "sampler" }, "Sampler"), this.sampler,
        h("label", { for: "study" }, "Study"), this.study),
      h("div", { class: "row buttons" }, this.start, this.hold),
      this.bar,
      this.words,
      h("div", { class: "row" }, h("label", {}, "Fitness over ", this.parameter)),
      this.scatter.canvas,
      h("h3", {}, "Best"),
      h("table", { class: "best" }, h("thead", {}, head), this.best),
    );
    studio.ready.on((ready) => { if (ready) void this.loadSamplers(); });
    studio.robot.watch((robot) => { if (robot) void this.learn(); });
    this.tell();
  }

  show(): void {
    this.hearing.subscribe("/search/state", (state) => { this.update(state); });
  }

  hide(): void {
    this.hearing.stop();
  }

  private async loadSamplers(): Promise<void> {
    try {
      const { names, help } = await this.studio.list("samplers");
      refill(this.sampler, h("option", { value: "" }, "usual"), ...names.map((name, i) => h("option", { value: name, title: help[i] ?? "" }, name)));
    } catch {
      // the usual sampler remains
    }
  }

  /** Names of the parameters; a robot without a wave gait has nothing to search for. */
  private async learn(): Promise<void> {
    try {
      const { names, help } = await this.studio.list("gait_parameters");
      this.about = new Map(names.map((name, i) => [name, help[i] ?? ""]));
    } catch {
      this.about = new Map();
    }
    this.available.value = this.about.size > 0;
    this.name();
    this.plot();
  }

  /** What a parameter is called, with its unit. */
  private called(symbol: string): string {
    return this.about.get(symbol)?.replace(/:.*$/, "") ?? symbol;
  }

  private name(): void {
    for (const option of this.parameter.options) {
      option.textContent = `${this.called(option.value)} (${option.value})`;
      option.title = this.about.get(option.value) ?? "";
    }
  }

  private async begin(): Promise<void> {
    const request = { study: this.study.value.trim(), sampler: this.sampler.value, budget: Number(this.budget.value) || 0, workers: 1, seed: 0, seconds: 0 };
    await this.studio.ask("/search/start", "andante_msgs/srv/SearchStart", request);
  }

  private async toggle(): Promise<void> {
    const name = this.state?.status === "paused" ? "/search/resume" : "/search/pause";
    await this.studio.ask(name, "std_srvs/srv/Trigger");
  }

  private replay(number: number): void {
    void this.studio.ask("/search/replay", "andante_msgs/srv/SearchReplay", { number });
  }

  private update(state: SearchState): void {
    this.state = state;
    const names = [...this.parameter.options].map((option) => option.value);
    if (names.join() !== state.parameters.join()) {
      refill(this.parameter, ...state.parameters.map((name) => h("option", { value: name }, name)));
      this.name();
    }
    refill(
      this.best,
      ...state.best.slice(0, 12).map((one) =>
        h("tr", {},
          h("td", {}, one.number), h("td", { class: "number" }, short(one.fitness, 3)), h("td", { class: "number" }, fixed(one.distance, 2)), h("td", { class: "number" }, fixed(one.drift, 2)),
          h("td", { class: "number" }, fixed(one.time, 1)),
          h("td", {}, h("button", { type: "button", class: "ghost square", "aria-label": `Replay candidate ${String(one.number)}`, title: "Replay", onclick: () => { this.replay(one.number); } }, icon("play", 11))))),
    );
    this.tell();
    this.plot();
  }

  private tell(): void {
    const state = this.state;
    const running = state?.status === "running";
    const paused = state?.status === "paused";
    this.start.disabled = running;
    this.hold.disabled = !running && !paused;
    refill(this.hold, icon(paused ? "play" : "pause", 13), paused ? "Resume" : "Pause");
    if (!state) return;
    this.bar.max = Math.max(1, state.budget);
    this.bar.value = state.evaluated;
    const rate = running && state.rate > 0 ? `, ${fixed(state.rate, 1)} a second` : "";
    this.words.textContent = stateWords(state, rate);
  }

  private plot(): void {
    const state = this.state;
    if (!state) return;
    const index = Math.max(0, state.parameters.indexOf(this.parameter.value));
    const points = dots(state.numbers, state.values, state.fitness, state.parameters.length, index);
    this.scatter.draw(points, new Set(state.best.slice(0, 5).map((one) => one.number)), this.called(state.parameters[index] ?? ""));
  }
}

/** How a search stands, in a sentence. */
export function stateWords(state: SearchState, rate: string): string {
  if (state.status === "idle") return "No search yet.";
  const tried = `${String(state.evaluated)} of ${String(state.budget)} candidates tried${rate}`;
  const study = state.study ? ` Study: ${state.study}.` : "";
  const how = { running: "Searching", paused: "Paused", done: "Done", failed: "The search failed" }[state.status] ?? state.status;
  const message = state.message ? ` ${sentence(state.message)}` : "";
  return `${how}: ${tried}.${study}${message}`;
}

/** The last line of a message, as a sentence: what a process said before it ended may have many. */
function sentence(text: string): string {
  const line = text.trim().split("\n").at(-1)!.replace(/^\w*(Error|Exception): /, "");
  return line.charAt(0).toUpperCase() + line.slice(1) + (/[.!?]$/.test(line) ? "" : ".");
}
