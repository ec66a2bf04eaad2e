/** What is chosen of a state machine, as fields: a state, one of its transitions, or the machine itself. */

import { h, refill } from "../ui/dom";
import { icon } from "../ui/icons";
import { toast } from "../ui/toast";
import type { Choice } from "./drawing";
import { children, inside, KINDS, lines, rename, texts, type Machine, type State, type Transition } from "./machine";

export interface Host {
  readonly machine: Machine;
  readonly skills: readonly string[];
  choose(choice: Choice | undefined): void;
  commit(): void;
  removeChosen(): void;
}

type Texts = "do" | "entry" | "exit";

export class MachineForm {
  readonly element = h("div", { class: "fields" });
  private shown = "";

  constructor(private readonly host: Host) {}

  show(choice: Choice | undefined): void {
    const { machine } = this.host;
    const key = JSON.stringify([choice, machine]);
    if (key === this.shown || this.element.contains(document.activeElement) && document.activeElement instanceof HTMLTextAreaElement) return;
    this.shown = key;
    const state = choice && machine.states[choice.state];
    if (!choice || !state) this.ofMachine(machine);
    else if (choice.way !== undefined && state.transitions?.[choice.way]) this.ofWay(choice.state, state, choice.way);
    else this.ofState(choice.state, state);
  }

  private row(name: string, field: HTMLElement): HTMLElement {
    field.id = `machine-${name.replace(/\W+/g, "-")}`;
    return h("div", { class: "fieldrow" }, h("label", { for: field.id }, name), field);
  }

  private text(name: string, value: string, take: (typed: string) => void, hint = ""): HTMLElement {
    const field = h("input", { type: "text", value, spellcheck: "false", placeholder: hint });
    field.addEventListener("change", () => { take(field.value.trim()); this.host.commit(); });
    return this.row(name, field);
  }

  private area(name: string, value: string, take: (typed: string) => void, hint = ""): HTMLElement {
    const field = h("textarea", { rows: Math.max(1, value.split("\n").length), spellcheck: "false", placeholder: hint }, value);
    field.addEventListener("change", () => { take(field.value); this.host.commit(); });
    return this.row(name, field);
  }

  private choice(name: string, value: string, names: readonly string[], take: (chosen: string) => void, none = ""): HTMLElement {
    const field = h("select", {}, none !== "" && h("option", { value: "" }, none), ...names.map((one) => h("option", { value: one, selected: one === value }, one)));
    field.addEventListener("change", () => { take(field.value); this.host.commit(); });
    return this.row(name, field);
  }

  private ofMachine(machine: Machine): void {
    const variables = Object.entries(machine.variables ?? {}).map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join("\n");
    refill(this.element, h("h3", {}, "Machine"),
      this.choice("begins in", machine.initial ?? "", children(machine), (name) => { if (name) machine.initial = name; else delete machine.initial; }, "the first one"),
      this.area("variables", variables, (typed) => {
        const found: Record<string, unknown> = {};
        for (const line of typed.split("\n").filter((one) => one.trim())) {
          const at = line.indexOf("=");
          try {
            found[line.slice(0, at).trim()] = JSON.parse(line.slice(at + 1)) as unknown;
          } catch {
            toast(`${line.trim()}: a variable is written as name = value, with a number, "text" or true`, "bad");
          }
        }
        if (Object.keys(found).length > 0) machine.variables = found;
        else delete machine.variables;
      }, "count = 0"),
      this.area("note", machine.note ?? "", (typed) => { optional(machine, "note", typed.trim()); }),
      h("p", { class: "hint" }, "Click a state or an arrow to change it; drag the dot of a chosen state to another one for a transition. Skills: ", h("code", {}, this.host.skills.join(", ")), "."));
  }

  private ofState(name: string, state: State): void {
    const { machine } = this.host;
    const several = (field: Texts) => (typed: string): void => {
      const found = texts(typed);
      if (found === undefined) Reflect.deleteProperty(state, field);
      else state[field] = found;
    };
    const others = Object.keys(machine.states).filter((one) => !inside(machine, one, name));
    const kind = state.kind ?? "state";
    const ways = (state.transitions ?? []).map((way, i) => h("li", {}, h("button", { type: "button", class: "small", onclick: () => { this.host.choose({ state: name, way: i }); } }, `${String(i + 1)}. ${way.to ?? "stays"}`)));
    refill(this.element, h("h3", {}, `State ${name}`),
      this.text("name", name, (typed) => {
        if (rename(machine, name, typed)) this.host.choose({ state: typed });
        else toast(`${typed || "An empty name"} is no free name for a state.`, "bad");
      }),
      this.choice("kind", kind, KINDS, (chosen) => { optional(state, "kind", chosen === "state" ? "" : chosen); }),
      this.choice("lies in", state.parent ?? "", others, (chosen) => { optional(state, "parent", chosen); delete state.place; }, "the machine"),
      children(machine, name).length > 0 && this.choice("begins in", state.initial ?? "", children(machine, name), (chosen) => { optional(state, "initial", chosen); }, "the first one"),
      kind !== "final" && this.area("does", lines(state.do).join("\n"), several("do"), "play('wave_hand')"),
      this.area("on entry", lines(state.entry).join("\n"), several("entry"), "say('Hello')"),
      kind !== "final" && this.area("on exit", lines(state.exit).join("\n"), several("exit"), "count = count + 1"),
      this.area("note", state.note ?? "", (typed) => { optional(state, "note", typed.trim()); }),
      ways.length > 0 && h("ul", { class: "ways", "aria-label": "Transitions" }, ...ways),
      h("div", { class: "row buttons" },
        kind !== "final" && h("button", { type: "button", class: "small", onclick: () => { this.addWay(name, state); } }, icon("right", 12), "Transition"),
        h("button", { type: "button", class: "small", onclick: () => { this.host.removeChosen(); } }, icon("trash", 12), "Delete")));
  }

  private addWay(name: string, state: State): void {
    state.transitions = [...(state.transitions ?? []), { on: "done" }];
    this.host.choose({ state: name, way: state.transitions.length - 1 });
    this.host.commit();
  }

  private ofWay(name: string, state: State, index: number): void {
    const { machine } = this.host;
    const way = state.transitions![index]!;
    const field = (key: "on" | "when") => (typed: string): void => { optional(way, key, typed); };
    const swap = (by: number): void => {
      const all = state.transitions!;
      const other = index + by;
      if (other < 0 || other >= all.length) return;
      [all[index], all[other]] = [all[other]!, all[index]!];
      this.host.choose({ state: name, way: other });
      this.host.commit();
    };
    refill(this.element, h("h3", {}, `From ${name}`),
      this.choice("to", way.to ?? "", Object.keys(machine.states), (chosen) => { optional(way, "to", chosen); }, "stays there"),
      this.text("on event", way.on ?? "", field("on"), "done, touch.Head, ball …"),
      this.text("when", way.when ?? "", field("when"), "pose.x > 0.5"),
      this.text("after [s]", way.after === undefined ? "" : String(way.after), (typed) => {
        const seconds = Number(typed);
        if (typed === "" || !Number.isFinite(seconds)) delete way.after;
        else way.after = Math.max(0, seconds);
      }, "0.5"),
      this.area("actions", lines(way.actions).join("\n"), (typed) => {
        const found = texts(typed);
        if (found === undefined) delete way.actions;
        else way.actions = found;
      }, "count = count + 1"),
      h("div", { class: "row buttons" },
        h("button", { type: "button", class: "small", title: "Asked earlier", "aria-label": "Asked earlier", onclick: () => { swap(-1); } }, icon("up", 12)),
        h("button", { type: "button", class: "small", title: "Asked later", "aria-label": "Asked later", onclick: () => { swap(1); } }, icon("down", 12)),
        h("button", { type: "button", class: "small", onclick: () => { this.host.choose({ state: name }); } }, "State"),
        h("button", { type: "button", class: "small", onclick: () => { this.host.removeChosen(); } }, icon("trash", 12), "Delete")));
  }
}

/** Set a text, or leave the entry out where it is empty. */
function optional(of: Machine | State | Transition, key: string, value: string): void {
  if (value) Object.assign(of, { [key]: value });
  else Reflect.deleteProperty(of, key);
}
