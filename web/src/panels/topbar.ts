/** The bar at the top: robot, world and engine, time, recording, theme and connection. */

import type { Status } from "../link/messages";
import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { clock, fixed, plain } from "../ui/format";
import { icon, type IconName } from "../ui/icons";
import { choice, nextTheme } from "../ui/theme";
import { toast } from "../ui/toast";
import { SolverMenu } from "./solver";

const SELECTS = ["robot", "world", "engine"] as const;
type Kind = (typeof SELECTS)[number];

export class Topbar {
  readonly element: HTMLElement;
  private readonly selects: Record<Kind, HTMLSelectElement>;
  private readonly play: HTMLButtonElement;
  private readonly time = h("span", { class: "number", title: "Simulated time" }, "–");
  private readonly factor = h("span", { class: "number pill", title: "Real-time factor: simulated by wall time" }, "–");
  private readonly state = h("span", { class: "pill state", role: "status" }, "connecting");
  private readonly record: HTMLButtonElement;
  private readonly clip: HTMLButtonElement;
  private readonly open: HTMLButtonElement;
  private readonly edit: HTMLButtonElement;
  private readonly help: HTMLButtonElement;
  private readonly share: HTMLButtonElement;

  constructor(
    private readonly studio: Studio,
    actions: { open: () => void; edit: () => void; help: () => void; share: () => void },
  ) {
    this.open = this.button("open", "Open a robot or a world (O)", actions.open);
    this.open.id = "open";
    this.edit = this.button("edit", "Edit the scene (B)", actions.edit);
    this.edit.id = "edit";
    this.help = this.button("help", "Help (?)", actions.help);
    this.help.id = "help";
    this.share = this.button("share", "Copy a link to this view", actions.share);
    this.selects = Object.fromEntries(SELECTS.map((kind) => [kind, this.select(kind)])) as Record<Kind, HTMLSelectElement>;
    this.play = this.button("pause", "Pause", () => { void this.toggle(); });
    this.play.id = "pause";
    const step = this.button("step", "One step", () => { void studio.ask("/step", "andante_msgs/srv/Step", { periods: 1 }); });
    const reset = this.button("reset", "Reset", () => { void studio.ask("/reset", "std_srvs/srv/Trigger", {}, 120, "building the scene anew"); });
    this.record = this.button("record", "Record", () => { void this.toggleRecord(); });
    this.record.classList.add("record");
    this.clip = this.button("clip", "Film a clip of 5 s", () => { void studio.ask("/clip", "andante_msgs/srv/Clip", { seconds: 5, name: "" }); });
    const solver = new SolverMenu(studio);
    const theme = this.button("system", "Theme", nextTheme);
    choice.watch((value) => {
      refill(theme, icon(({ system: "system", light: "sun", dark: "moon" } as const)[value]));
      theme.setAttribute("aria-label", `Theme: ${value}`);
      theme.title = `Theme: ${value}`;
    });
    this.element = h(
      "header",
      { class: "topbar" },
      h("h1", {}, h("img", { src: "./icon.svg", alt: "", width: 22, height: 22 }), "Andante"),
      ...SELECTS.map((kind) => h("label", { class: "choice" }, h("span", {}, kind), this.selects[kind])),
      this.open,
      this.edit,
      h("div", { class: "anchor" }, solver.button, solver.element),
      h("div", { class: "group", role: "group", "aria-label": "Time" }, this.play, step, reset, this.time, this.factor),
      h("span", { class: "spring" }),
      this.state,
      h("div", { class: "group", role: "group", "aria-label": "Recording" }, this.record, this.clip),
      this.share,
      theme,
      this.help,
    );
    studio.status.on((status) => { if (status) this.tell(status); });
    studio.connection.state.watch((state) => {
      this.element.dataset["link"] = state;
      if (state === "open") return;
      this.state.textContent = state === "lost" ? "connection lost" : "connecting";
      this.state.className = "pill state bad";
    });
    studio.ready.on((ready) => { if (ready) void this.load(); });
    studio.listed.on(() => { void this.load(); });
    setInterval(() => {
      if (!studio.silent || studio.connection.state.value !== "open") return;
      put(this.factor, "busy"); // the last factor says nothing about now
      this.factor.classList.add("warn");
    }, 250);
    studio.replay.watch((replay) => {
      for (const button of [this.play, step, this.record, this.clip]) button.disabled = replay !== null; // of the live session
    });
  }

  private button(sign: IconName, label: string, action: () => void): HTMLButtonElement {
    return h("button", { type: "button", class: "ghost square", "aria-label": label, title: label, onclick: action }, icon(sign));
  }

  private select(kind: Kind): HTMLSelectElement {
    const select = h("select", { id: `select-${kind}`, "aria-label": kind });
    select.addEventListener("change", () => {
      void this.choose(kind, select.value);
    });
    select.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const walks = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"].includes(event.key);
      if (event.key.length > 1 && !walks) return;
      event.preventDefault(); // a letter or an arrow shall not replace the robot: the list opens, and a choice is made there
      if (walks || event.key === " ") select.showPicker();
    });
    return select;
  }

  /** Choose by name; nothing happens where that is there already. */
  async want(kind: Kind, name: string): Promise<void> {
    if (this.studio.status.value?.[kind] !== name) await this.choose(kind, name);
  }

  /** Another robot, world or engine; the one before comes back by a button. */
  private async choose(kind: Kind, name: string): Promise<void> {
    const select = this.selects[kind];
    const before = this.studio.status.value?.[kind] ?? "";
    const wanted = { engine: "", world: "", robot: "", [kind]: name };
    select.disabled = true;
    const went = await this.studio.ask("/select", "andante_msgs/srv/Select", wanted, 120, `changing the ${kind} to ${plain(name)}`);
    select.disabled = false;
    select.blur();
    const status = this.studio.status.value;
    if (status) this.set(kind, went ? name : status[kind]);
    if (went && kind !== "engine" && before && before !== name) {
      toast(`The ${kind} was ${plain(before)}.`, "info", { label: "Undo", run: () => { void this.choose(kind, before); } });
    }
  }

  private async load(): Promise<void> {
    for (const kind of SELECTS) {
      try {
        const { names, help } = await this.studio.list(`${kind}s`);
        refill(this.selects[kind], ...names.map((name, i) => h("option", { value: name, title: help[i] ?? "" }, plain(name))));
        const status = this.studio.status.value;
        if (status) this.set(kind, status[kind]);
      } catch {
        // the present choice alone is shown
      }
    }
  }

  private set(kind: Kind, value: string): void {
    const select = this.selects[kind];
    if (value === "" || select.value === value) return;
    if (![...select.options].some((option) => option.value === value)) select.append(h("option", { value }, plain(value)));
    select.value = value;
  }

  /** Pause or go on. */
  async toggle(): Promise<void> {
    await this.studio.ask(this.studio.status.value?.paused ? "/resume" : "/pause", "std_srvs/srv/Trigger");
  }

  private async toggleRecord(): Promise<void> {
    const on = this.studio.status.value?.recording ?? false;
    await this.studio.ask(on ? "/record_stop" : "/record_start", "andante_msgs/srv/Record", { name: "", topics: [], format: "" });
  }

  private shown = { paused: false, recording: false };

  private tell(status: Status): void {
    for (const kind of SELECTS) {
      if (document.activeElement !== this.selects[kind] && !this.selects[kind].disabled) this.set(kind, status[kind]);
    }
    put(this.time, clock(Math.floor(2 * status.sim_time) / 2));
    const replay = this.studio.replay.value;
    put(this.factor, replay ? `replay ${String(replay.speed)} ×` : status.paused ? "paused" : `${fixed(status.real_time_factor, 2)} ×`);
    this.factor.classList.toggle("warn", !replay && !status.paused && status.real_time_factor < 0.9);
    if (status.paused !== this.shown.paused) {
      refill(this.play, icon(status.paused ? "play" : "pause"));
      this.play.setAttribute("aria-label", status.paused ? "Go on" : "Pause");
      this.play.title = status.paused ? "Go on" : "Pause";
    }
    const recording = status.recording && !replay; // a recording tells that it was recorded
    if (recording !== this.shown.recording) {
      refill(this.record, icon(recording ? "stop" : "record"));
      this.record.classList.toggle("on", recording);
      this.record.setAttribute("aria-label", recording ? "Stop recording" : "Record");
    }
    this.record.title = recording ? `Stop recording ${status.record_file} (${String(status.record_messages)} messages)` : "Record";
    this.shown = { paused: status.paused, recording };
    const bad = status.fallen || ["falling", "fallen", "failed"].includes(status.fall_state);
    const doing = status.fallen ? "fallen" : status.fall_state && status.fall_state !== "upright" ? status.fall_state : status.detail ? `${status.behaviour}: ${status.detail}` : status.behaviour || "ready";
    put(this.state, replay ? `${replay.file}: ${doing}` : doing);
    const look = `pill state ${bad ? "bad" : "good"}`;
    if (this.state.className !== look) this.state.className = look;
  }
}

/** Set a text only where it changes, so that nothing is drawn anew for nothing. */
function put(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
