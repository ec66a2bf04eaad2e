/** Search panel: look for a gait; best list, parameter against fitness, and replay on the robot. */

import { Hearing } from "../link/topics";
import type { SearchState } from "../link/messages";
import type { Studio } from "../studio";
import { h, refill, s } from "../ui/dom";
import { clock, fixed, short } from "../ui/format";
import { icon } from "../ui/icons";
import type { Panel } from "../ui/panel";
import { Signal } from "../ui/signal";
import { dark } from "../ui/theme";
import { GaitForm } from "./gait_form";
import { dots, Scatter } from "./scatter";
import { stateWords } from "./search_words";

export class SearchPanel implements Panel {
  readonly id = "search";
  readonly title = "Search";
  readonly element: HTMLElement;
  /** Whether the robot has a gait to be searched. */
  readonly available = new Signal<boolean>(true);
  private readonly budget = h("input", { type: "number", id: "budget", min: 1, max: 100000, value: 60 });
  private readonly study = h("input", { type: "text", id: "study", placeholder: "by the time of day", spellcheck: "false" });
  private readonly sampler = h("select", { id: "sampler", "aria-label": "Sampler" }, h("option", { value: "" }, "usual"));
  private readonly variant = h("select", { id: "variant" }, h("option", { value: "smooth" }, "smooth"), h("option", { value: "exact" }, "exact (as published)"));
  private readonly fitness = h("select", { id: "fitness" }, h("option", { value: "better" }, "better"), h("option", { value: "source" }, "source (as published)"));
  private readonly engine = h("select", { id: "search-engine" }, h("option", { value: "" }, "that of the session"));
  private readonly seconds = h("input", { type: "number", id: "search-seconds", min: 0.5, max: 60, step: 0.5, value: 6 });
  private readonly curve = s("svg", { class: "bestcurve", viewBox: "0 0 300 60", preserveAspectRatio: "none", role: "img", "aria-label": "Best fitness so far over the candidates" });
  private readonly numbers: GaitForm;
  private began = 0; // when the present search began or went on [ms]
  private spent = 0; // before that [ms]
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
    this.numbers = new GaitForm(studio);
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
        h("label", { for: "variant" }, "Variant"), this.variant,
        h("label", { for: "fitness" }, "Fitness"), this.fitness,
        h("label", { for: "search-engine" }, "Engine"), this.engine,
        h("label", { for: "search-seconds" }, "Trial [s]"), this.seconds,
        h("label", { for: "study" }, "Study"), this.study),
      this.numbers.element,
      h("div", { class: "row buttons" }, this.start, this.hold),
      this.bar,
      this.words,
      this.curve,
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
    this.numbers.show();
  }

  hide(): void {
    this.hearing.stop();
    this.numbers.hide();
  }

  private async loadSamplers(): Promise<void> {
    try {
      const { names, help } = await this.studio.list("samplers");
      refill(this.sampler, h("option", { value: "" }, "usual"), ...names.map((name, i) => h("option", { value: name, title: help[i] ?? "" }, name)));
    } catch {
      // the usual sampler remains
    }
    try {
      const { names } = await this.studio.list("engines");
      refill(this.engine, h("option", { value: "" }, "that of the session"), ...names.map((name) => h("option", { value: name }, name)));
    } catch {
      // that of the session remains
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
    this.numbers.name(this.about);
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
    const request = { study: this.study.value.trim(), sampler: this.sampler.value, budget: Number(this.budget.value) || 0, workers: 1, seed: 0, seconds: Number(this.seconds.value) || 0, variant: this.variant.value, fitness: this.fitness.value, engine: this.engine.value, ...this.numbers.ranges };
    this.spent = 0;
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
    const was = this.state?.status;
    if (state.status === "running" && was !== "running") this.began = performance.now();
    if (was === "running" && state.status !== "running") this.spent += performance.now() - this.began;
    this.state = state;
    this.numbers.usual(state.parameters, state.low, state.high);
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
          h("td", {}, h("button", { type: "button", class: "ghost square", "aria-label": `Replay candidate ${String(one.number)}`, title: "Replay", onclick: () => { this.replay(one.number); } }, icon("play", 11)),
            h("button", { type: "button", class: "ghost square", "aria-label": `Use the gait of candidate ${String(one.number)}`, title: "Use this gait: its numbers into the form", onclick: () => { this.use(state, one.values); } }, icon("check", 11))))),
    );
    this.tell();
    this.plot();
  }

  /** Walk with a candidate's numbers from now on. */
  private use(state: SearchState, values: ArrayLike<number>): void {
    this.numbers.take(state.parameters, values);
    (this.numbers.element as HTMLDetailsElement).open = true;
  }

  /** Elapsed and left time in words. */
  private times(state: SearchState): string {
    const now = state.status === "running" ? performance.now() - this.began : 0;
    const elapsed = `, ${clock((this.spent + now) / 1000)} so far`;
    const left = (state.budget - state.evaluated) / state.rate;
    return state.status === "running" && state.rate > 0 && left > 0 ? `${elapsed}, about ${clock(left)} left` : elapsed;
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
    const rate = running && state.rate > 0 ? `, ${fixed(state.rate, 1)} a second${this.times(state)}` : state.status === "idle" ? "" : this.times(state);
    this.words.textContent = stateWords(state, rate);
  }

  private plot(): void {
    const state = this.state;
    if (!state) return;
    this.drawBest(state);
    const index = Math.max(0, state.parameters.indexOf(this.parameter.value));
    const points = dots(state.numbers, state.values, state.fitness, state.parameters.length, index);
    this.scatter.draw(points, new Set(state.best.slice(0, 5).map((one) => one.number)), this.called(state.parameters[index] ?? ""));
  }

  /** The best so far over the candidates. */
  private drawBest(state: SearchState): void {
    let best = -Infinity;
    const steps = Array.from(state.fitness as ArrayLike<number>).map((one) => (best = Math.max(best, Number.isFinite(one) ? one : -Infinity))).filter(Number.isFinite);
    const [low, high] = [steps[0] ?? 0, steps.at(-1) ?? 1];
    const points = steps.map((one, i) => `${((300 * i) / Math.max(1, steps.length - 1)).toFixed(1)},${(56 - (52 * (one - low)) / (high - low || 1)).toFixed(1)}`);
    refill(this.curve, s("polyline", { points: points.join(" ") }));
    this.curve.toggleAttribute("hidden", steps.length < 2);
  }
}
