/** Timeline panel: the motion editor's buttons, a slider per joint, the curves, and what is wrong with the motion. */

import "../styles/workshop.css";
import type { Stage } from "../scene/stage";
import type { Listing, Studio } from "../studio";
import { h, refill, takesText } from "../ui/dom";
import { DEGREES, fixed, short } from "../ui/format";
import { icon, type IconName } from "../ui/icons";
import { saveText } from "../ui/saving";
import { Chart, colorOf } from "./chart";
import { emptyDraft, INTERPOLATIONS, type Interpolation } from "./draft";
import { MotionEditor, type About } from "./editor";

const FORMS = [["toml", "Motion file (TOML)"], ["json", "JSON"], ["python", "Python program"], ["choregraphe", "Key-frame code (Choregraphe)"]] as const;
const RATE = 4; // keys a second of a captured recording

interface Row {
  name: string;
  element: HTMLElement;
  slider: HTMLInputElement;
  value: HTMLElement;
  show: HTMLButtonElement;
}

export class Timeline {
  readonly element: HTMLElement;
  readonly editor: MotionEditor;
  private readonly chart: Chart;
  private readonly rows = new Map<string, Row>();
  private readonly list = h("div", { class: "sliders", role: "group", "aria-label": "Joints of the ghost" });
  private readonly filter = h("input", { type: "search", placeholder: "Filter joints", "aria-label": "Filter joints of the motion" });
  private readonly name = h("input", { type: "text", maxlength: 60, spellcheck: "false", "aria-label": "Name of the motion", class: "name" });
  private readonly interpolation = h("select", { "aria-label": "Between keys", title: "How joints go from key to key" }, ...INTERPOLATIONS.map((one) => h("option", { value: one }, one)));
  private readonly loop = h("input", { type: "number", min: 0, max: 100, step: 1, "aria-label": "Rounds (0: without end)", title: "Rounds; 0: without end" });
  private readonly factor = h("input", { type: "number", min: 0.1, max: 10, step: 0.1, value: 1.5, "aria-label": "Stretch factor", title: "Stretch factor" });
  private readonly known = h("select", { "aria-label": "Open a motion or a recording", title: "Open" });
  private readonly time = h("output", { class: "number", "aria-label": "Time of the playhead" });
  private readonly told = h("ul", { class: "told", "aria-live": "polite", "aria-label": "Remarks on the motion" });
  private readonly preview: HTMLButtonElement;
  private readonly live: HTMLButtonElement;
  private readonly trial: HTMLButtonElement;

  constructor(private readonly studio: Studio, stage: Stage) {
    const editor = new MotionEditor(studio, stage);
    this.editor = editor;
    this.chart = new Chart({ seek: (time) => { editor.seek(time); }, choose: (keys) => { editor.choose(keys); }, change: (done) => { if (done) editor.commit(); else editor.refresh(); } });
    const forms = h("select", { "aria-label": "Export", title: "Export as a file" }, h("option", { value: "" }, "Export …"), ...FORMS.map(([form, words]) => h("option", { value: form }, words)));
    forms.addEventListener("change", () => {
      const form = forms.value;
      forms.value = "";
      if (form) void editor.exported(form).then((made) => { if (made) saveText(made.text, made.file); });
    });
    this.known.addEventListener("change", () => {
      const [kind, name] = [this.known.value.slice(0, 2), this.known.value.slice(2)];
      this.known.value = "";
      const done = (): void => { this.chart.fit(); };
      if (kind === "m:") void editor.load(name).then(done);
      else if (kind === "r:") void editor.capture(name, RATE).then(done);
    });
    for (const kind of ["pointerdown", "focus"]) this.known.addEventListener(kind, () => { void this.listKnown(); });
    this.name.addEventListener("change", () => { editor.draft.name = this.name.value.trim() || "my_motion"; editor.commit(); });
    this.interpolation.addEventListener("change", () => { editor.draft.interpolation = this.interpolation.value as Interpolation; editor.commit(); });
    this.loop.addEventListener("change", () => { editor.draft.loop = Number(this.loop.value) === 0 ? true : Math.max(1, Math.round(Number(this.loop.value)) || 1); editor.commit(); });
    const balance = h("input", { type: "checkbox", id: "motion-balance", checked: true });
    balance.addEventListener("change", () => { editor.balanced = balance.checked; });
    this.preview = h("button", { type: "button", class: "small", onclick: () => { editor.play(); } });
    this.live = h("button", { type: "button", class: "small", "aria-pressed": "false", title: "Keys of how the robot moves, until it is pressed again", onclick: () => { editor.captureLive(); } }, icon("record", 12), "Capture");
    this.trial = h("button", { type: "button", class: "small", title: "Try it under physics, without moving the robot", onclick: () => { void editor.rehearse(); } });
    this.element = h("div", { class: "column timeline" },
      h("div", { class: "row tools" },
        this.known, this.name, this.button("plus", "New motion", () => { editor.take(emptyDraft()); this.chart.fit(); }), this.button("save", "Save the motion", () => { void editor.save(); }), forms,
        h("span", { class: "gap" }), h("label", { class: "tight balance", for: "motion-balance", title: "While a link of the ghost is dragged the legs keep the center of mass over the feet" }, balance, "keep balance"), this.button("expand", "The whole motion in view", () => { this.chart.fit(); }), this.preview, h("button", { type: "button", class: "small primary", title: "Play it on the robot", onclick: () => { void editor.perform(); } }, icon("play", 12), "Play"), this.trial, this.time),
      h("div", { class: "row tools" },
        this.words("plus", "Key", "A key of the posture at the playhead (K)", () => { editor.addKey(); }), this.words("hand", "Key of robot", "A key of where the robot's joints are", () => { editor.fromRobot(); }), this.live,
        this.button("trash", "Delete the chosen keys (Del)", () => { editor.remove(); }), this.button("copy", "Copy the chosen keys, or all (Ctrl+C)", () => { editor.copy(); }), this.button("down", "Paste at the playhead (Ctrl+V)", () => { editor.paste(); }),
        this.words("mirror", "Mirror", "Left and right of the chosen keys, or of all, changed about", () => { editor.mirror(); }),
        this.factor, this.words("stretch", "Stretch", "Times of the chosen keys, or of all, by the factor", () => { editor.stretch(Number(this.factor.value)); this.chart.fit(); }),
        this.interpolation, h("label", { class: "tight" }, "rounds", this.loop), this.button("undo", "Undo (Ctrl+Z)", () => { editor.undo(true); }), this.button("redo", "Redo (Ctrl+Y)", () => { editor.undo(false); })),
      h("div", { class: "timebody" }, h("div", { class: "jointcol" }, this.filter, this.list), h("div", { class: "curvecol" }, this.chart.element, this.told)));
    this.element.addEventListener("keydown", (event) => { this.key(event); });
    this.filter.addEventListener("input", () => { this.applyFilter(); });
    editor.about.on((about) => { this.fill(about); });
    editor.changed.on(() => { this.update(); });
    editor.problems.watch(() => { this.tell(); });
    editor.words.on(() => { this.tell(); });
    editor.playing.watch((on) => { refill(this.preview, icon(on ? "stop" : "eye", 13), on ? "Stop" : "Preview"); });
    editor.capturing.on((on) => { this.live.setAttribute("aria-pressed", String(on)); });
    editor.rehearsing.watch((on) => { refill(this.trial, icon("check", 13), on ? "Rehearsing …" : "Rehearse"); this.trial.disabled = on; });
  }

  async show(): Promise<void> {
    await this.editor.show();
    await this.listKnown();
    this.chart.fit();
  }

  hide(): void {
    this.editor.hide();
  }

  private button(name: IconName, title: string, run: () => void): HTMLButtonElement {
    return h("button", { type: "button", class: "small", title, "aria-label": title, onclick: run }, icon(name, 13));
  }

  private words(name: IconName, text: string, title: string, run: () => void): HTMLButtonElement {
    return h("button", { type: "button", class: "small", title, onclick: run }, icon(name, 13), text);
  }

  /** Motions and recordings that can be opened. */
  private async listKnown(): Promise<void> {
    const names = async (kind: string): Promise<string[]> => {
      try {
        return (await this.studio.connection.call<Listing>("/list", "andante_msgs/srv/List", { kind })).names;
      } catch {
        return [];
      }
    };
    const [motions, recordings] = await Promise.all([names("editable"), names("recordings")]);
    const told = [...motions, "", ...recordings].join();
    if (told === this.known.dataset["told"]) return;
    this.known.dataset["told"] = told;
    refill(this.known, h("option", { value: "" }, "Open …"),
      h("optgroup", { label: "Motions" }, ...motions.map((name) => h("option", { value: `m:${name}` }, name))),
      recordings.length > 0 && h("optgroup", { label: "Keys of a recording" }, ...[...recordings].reverse().map((name) => h("option", { value: `r:${name}` }, name))));
  }

  private fill(about: About | null): void {
    this.rows.clear();
    for (const [name, [low, high]] of Object.entries(about?.limits ?? {})) {
      const [least, most] = [low ?? -Math.PI, high ?? Math.PI];
      const slider = h("input", { type: "range", min: least, max: most, step: (most - least) / 400, "aria-label": `${name} of the ghost` });
      slider.addEventListener("input", () => { this.reveal(name); this.editor.set({ [name]: Number(slider.value) }, false); });
      slider.addEventListener("change", () => { this.editor.commit(); });
      const show = h("button", { type: "button", class: "swatch", "aria-pressed": "false", "aria-label": `Curve of ${name}`, title: "Show its curve", onclick: () => { this.toggle(name); } });
      const value = h("output", { class: "number" });
      const element = h("div", { class: "slide", "data-slide": name }, show, h("span", { class: "text", title: name }, name), slider, value);
      this.rows.set(name, { name, element, slider, value, show });
    }
    refill(this.list, ...[...this.rows.values()].map((row) => row.element), this.rows.size === 0 && h("p", { class: "hint" }, "This robot has no joints that a motion could move."));
    this.applyFilter();
    this.update();
  }

  private reveal(joint: string): void {
    if (!this.editor.joints.includes(joint)) this.editor.joints = [...this.editor.joints.slice(-7), joint];
  }

  private toggle(joint: string): void {
    const { editor } = this;
    if (editor.joints.includes(joint)) editor.joints = editor.joints.filter((one) => one !== joint);
    else this.reveal(joint);
    editor.refresh();
  }

  private update(): void {
    const { editor } = this;
    const { draft, posture, present } = editor;
    this.chart.show(editor.held);
    this.time.textContent = `${fixed(editor.playhead, 2)} s`;
    if (document.activeElement !== this.name) this.name.value = draft.name;
    this.interpolation.value = draft.interpolation;
    if (document.activeElement !== this.loop) this.loop.value = draft.loop === true ? "0" : String(draft.loop);
    for (const row of this.rows.values()) {
      const value = posture[row.name] ?? 0;
      if (document.activeElement !== row.slider || Math.abs(Number(row.slider.value) - value) > 0.02) row.slider.value = String(value);
      row.value.textContent = `${fixed(value * DEGREES, 1)}°`;
      const index = editor.joints.indexOf(row.name);
      row.show.setAttribute("aria-pressed", String(index >= 0));
      row.show.style.background = index >= 0 ? colorOf(index) : "";
      row.element.classList.toggle("keyed", present !== undefined && row.name in present.positions);
    }
  }

  private tell(): void {
    const { editor } = this;
    const lines = [...editor.problems.value].map((line) => h("li", { class: line.startsWith("error") ? "bad" : "warn" }, line.replace(/^(error|warning|info): /, "")));
    refill(this.told, editor.words.value && h("li", {}, editor.words.value), ...lines.slice(0, 6), lines.length > 6 && h("li", {}, `and ${short(lines.length - 6)} more`),
      !editor.words.value && lines.length === 0 && editor.draft.keys.length === 0 && h("li", { class: "hint" }, "Put the playhead somewhere, then move a slider or drag a hand, a foot or the body of the blue ghost: that makes a key."));
  }

  private applyFilter(): void {
    const text = this.filter.value.trim().toLowerCase();
    for (const row of this.rows.values()) row.element.hidden = text !== "" && !row.name.toLowerCase().includes(text);
  }

  private key(event: KeyboardEvent): void {
    if (takesText(event.target)) return;
    const { editor } = this;
    const name = `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${event.key.toLowerCase()}`;
    const action = {
      "ctrl+z": () => { editor.undo(!event.shiftKey); }, "ctrl+y": () => { editor.undo(false); }, "ctrl+c": () => { editor.copy(); }, "ctrl+v": () => { editor.paste(); },
      delete: () => { editor.remove(); }, k: () => { editor.addKey(); },
    }[name];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}
