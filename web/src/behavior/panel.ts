/** Behaviour panel: a state machine drawn, changed, checked, run and watched. */

import "../styles/workshop.css";
import { Undo } from "../editor/history";
import type { MachineState } from "../link/messages";
import { Hearing } from "../link/topics";
import type { Listing, Studio } from "../studio";
import { h, refill, takesText } from "../ui/dom";
import { fixed, short } from "../ui/format";
import { icon, type IconName } from "../ui/icons";
import { saveText } from "../ui/saving";
import { recall, remember } from "../ui/store";
import { toast } from "../ui/toast";
import { Drawing, type Choice } from "./drawing";
import { MachineForm } from "./form";
import { emptyMachine, freshState, remove, type Machine } from "./machine";

const CHECKING = 500; // after the last change [ms]

interface Answer {
  success: boolean;
  message: string;
  definition?: string;
  problems?: string[];
}

export class Behaviour {
  readonly element: HTMLElement;
  machine: Machine = recall<Machine | null>("machine", null) ?? emptyMachine();
  skills: readonly string[] = [];
  private chosen: Choice | undefined;
  private undos = new Undo<Machine>(JSON.stringify(this.machine));
  private readonly drawing: Drawing;
  private readonly form: MachineForm;
  private readonly hearing: Hearing;
  private readonly known = h("select", { "aria-label": "Open a behaviour", title: "Open" });
  private readonly name = h("input", { type: "text", maxlength: 60, spellcheck: "false", "aria-label": "Name of the behaviour", class: "name" });
  private readonly run = h("button", { type: "button", class: "small primary" });
  private readonly event = h("input", { type: "text", "aria-label": "Event to send", placeholder: "event", class: "event", spellcheck: "false" });
  private readonly words = h("output", { class: "now", role: "status" });
  private readonly told = h("ul", { class: "told", "aria-live": "polite", "aria-label": "Remarks on the behaviour" });
  private running = false;
  private timer = 0;

  constructor(private readonly studio: Studio) {
    this.hearing = new Hearing(studio.connection);
    this.drawing = new Drawing({
      choose: (choice) => { this.choose(choice); },
      moved: (done) => { if (done) this.commit(); else this.redraw(); },
      connect: (from, to) => { this.connect(from, to); },
    });
    this.form = new MachineForm(this);
    this.known.addEventListener("change", () => {
      const name = this.known.value;
      this.known.value = "";
      if (name) void this.load(name);
    });
    for (const kind of ["pointerdown", "focus"]) this.known.addEventListener(kind, () => { void this.list(); });
    this.name.addEventListener("change", () => { this.machine.name = this.name.value.trim() || "my_behaviour"; this.commit(); });
    this.run.addEventListener("click", () => { void (this.running ? this.ask("stop") : this.start()); });
    this.event.addEventListener("keydown", (event) => { if (event.key === "Enter") this.send(); });
    this.element = h("div", { class: "column behaviour" },
      h("div", { class: "row tools" }, this.known, this.name, this.button("plus", "New behaviour", () => { this.take(emptyMachine()); }), this.button("save", "Save the behaviour", () => { void this.save(); }), this.button("download", "Download as JSON", () => { saveText(JSON.stringify(this.machine, null, 2), `${this.machine.name}.json`); }),
        h("button", { type: "button", class: "small", onclick: () => { this.add(); } }, icon("plus", 12), "State"), this.button("trash", "Delete what is chosen (Del)", () => { this.removeChosen(); }),
        this.button("undo", "Undo (Ctrl+Z)", () => { this.undo(true); }), this.button("redo", "Redo (Ctrl+Y)", () => { this.undo(false); }), this.button("grid", "Arrange the states anew", () => { this.arrange(); }),
        h("span", { class: "gap" }), this.event, h("button", { type: "button", class: "small", onclick: () => { this.send(); } }, "Send"), this.run),
      h("div", { class: "machinebody" }, h("div", { class: "curvecol" }, this.drawing.element, h("div", { class: "row" }, this.words), this.told), this.form.element));
    this.element.addEventListener("keydown", (event) => { this.key(event); });
    this.redraw();
    this.tellRunning(false);
  }

  show(): void {
    this.hearing.subscribe("/machine/state", (state) => { this.heard(state); });
    void this.list();
    void this.studio.list("skills").then(({ names }) => { this.skills = names; this.form.show(this.chosen); }, () => undefined);
    this.check();
  }

  hide(): void {
    this.hearing.stop();
  }

  private button(name: IconName, title: string, run: () => void): HTMLButtonElement {
    return h("button", { type: "button", class: "small", title, "aria-label": title, onclick: run }, icon(name, 13));
  }

  // ---- the session -------------------------------------------------------------------------------
  private async call(verb: string, type: string, request: object = {}): Promise<Answer> {
    const answer = await this.studio.connection.call<Answer>(`/machine/${verb}`, type, request);
    return answer;
  }

  private async ask(verb: string): Promise<boolean> {
    return this.studio.ask(`/machine/${verb}`, "std_srvs/srv/Trigger");
  }

  private async list(): Promise<void> {
    try {
      const { names, help } = await this.studio.connection.call<Listing>("/list", "andante_msgs/srv/List", { kind: "machines" });
      if (names.join() === this.known.dataset["told"]) return;
      this.known.dataset["told"] = names.join();
      refill(this.known, h("option", { value: "" }, "Open …"), ...names.map((name, i) => h("option", { value: name, title: help[i] ?? "" }, name)));
    } catch {
      // asked again when the list is opened
    }
  }

  private async load(name: string): Promise<void> {
    if (!(await this.studio.ask("/machine/load", "andante_msgs/srv/Choose", { name }))) return;
    const { definition } = await this.call("get", "andante_msgs/srv/GetMachine");
    if (definition) this.take(JSON.parse(definition) as Machine);
  }

  /** Give the machine to the session; whether it is taken. */
  private async set(): Promise<boolean> {
    try {
      const answer = await this.call("set", "andante_msgs/srv/SetMachine", { definition: JSON.stringify(this.machine) });
      this.tell(answer.problems ?? []);
      if (!answer.success) toast(answer.message, "bad");
      return answer.success;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
      return false;
    }
  }

  private async start(): Promise<void> {
    if (await this.set()) await this.ask("start");
  }

  private async save(): Promise<void> {
    if (await this.set()) await this.studio.ask("/machine/save", "andante_msgs/srv/Choose", { name: this.machine.name });
  }

  private send(): void {
    const name = this.event.value.trim();
    if (name) this.studio.connection.publish("/machine/event", "std_msgs/msg/String", { data: name });
  }

  private check(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.call("check", "andante_msgs/srv/SetMachine", { definition: JSON.stringify(this.machine) }).then(
        (answer) => { this.tell(answer.success ? (answer.problems ?? []) : [`error: ${answer.message}`]); },
        () => undefined,
      );
    }, CHECKING);
  }

  private tell(problems: readonly string[]): void {
    const shown = problems.slice(0, 6).map((line) => h("li", { class: /error: /.test(line) ? "bad" : "warn" }, line.replace(/(error|warning|info): /, "")));
    refill(this.told, ...shown, problems.length > 6 && h("li", {}, `and ${short(problems.length - 6)} more`), problems.length === 0 && h("li", { class: "hint" }, "Nothing is wrong with it."));
  }

  private heard(state: MachineState): void {
    const mine = state.name === this.machine.name;
    this.tellRunning(state.running);
    this.drawing.light(mine && state.running ? state.active : [], mine && state.transition >= 0 ? `${state.source} ${String(state.transition)}` : "");
    const since = state.elapsed.length > 0 ? ` for ${fixed(Number(state.elapsed[state.elapsed.length - 1]), 1)} s` : "";
    const variables = state.variables && state.variables !== "{}" ? `; ${state.variables.slice(1, -1).replaceAll('"', "")}` : "";
    if (state.running) this.words.textContent = `${state.name}: ${state.active.join(" › ")}${since}${variables}`;
    else this.words.textContent = state.outcome ? `${state.name} ended in ${state.outcome}${variables}` : "";
  }

  private tellRunning(on: boolean): void {
    if (this.running === on && this.run.childElementCount > 0) return;
    this.running = on;
    refill(this.run, icon(on ? "stop" : "play", 12), on ? "Stop" : "Start");
  }

  // ---- changes -----------------------------------------------------------------------------------
  take(machine: Machine): void {
    this.machine = machine;
    this.chosen = undefined;
    this.commit();
  }

  choose(choice: Choice | undefined): void {
    this.chosen = choice;
    this.redraw();
  }

  commit(): void {
    this.undos.push(this.machine);
    remember("machine", this.machine);
    this.check();
    this.redraw();
  }

  redraw(): void {
    if (document.activeElement !== this.name) this.name.value = this.machine.name;
    this.drawing.show(this.machine, this.chosen);
    this.form.show(this.chosen);
  }

  undo(back: boolean): void {
    const state = back ? this.undos.undo() : this.undos.redo();
    if (!state) return;
    this.machine = state;
    if (this.chosen && !(this.chosen.state in state.states)) this.chosen = undefined;
    this.check();
    this.redraw();
  }

  add(): void {
    const name = freshState(this.machine);
    const beside = this.chosen && this.machine.states[this.chosen.state];
    this.machine.states[name] = { ...(beside?.parent !== undefined && { parent: beside.parent }) };
    this.chosen = { state: name };
    this.commit();
  }

  connect(from: string, to: string): void {
    const state = this.machine.states[from]!;
    state.transitions = [...(state.transitions ?? []), { to, on: "done" }];
    this.chosen = { state: from, way: state.transitions.length - 1 };
    this.commit();
  }

  removeChosen(): void {
    const { chosen } = this;
    if (!chosen) return;
    if (chosen.way === undefined) remove(this.machine, chosen.state);
    else this.machine.states[chosen.state]?.transitions?.splice(chosen.way, 1);
    this.chosen = chosen.way === undefined ? undefined : { state: chosen.state };
    this.commit();
  }

  private arrange(): void {
    for (const state of Object.values(this.machine.states)) delete state.place;
    this.commit();
  }

  private key(event: KeyboardEvent): void {
    if (takesText(event.target)) return;
    const name = `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${event.key.toLowerCase()}`;
    const action = { "ctrl+z": () => { this.undo(!event.shiftKey); }, "ctrl+y": () => { this.undo(false); }, delete: () => { this.removeChosen(); } }[name];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}
