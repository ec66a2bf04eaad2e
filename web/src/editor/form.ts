/** The window of the editor: what can be added, the numbers of what is chosen, undo, save. */

import { h, refill } from "../ui/dom";
import { icon, type IconName } from "../ui/icons";
import type { Editor, Mode } from "./editor";
import { KINDS, type Kept, type Thing } from "./things";

const DEGREES = 180 / Math.PI;

export class Form {
  readonly element: HTMLElement;
  private readonly numbers = h("div", { class: "numbers" });
  private readonly name = h("input", { type: "text", id: "scene-name", value: "my_scene", maxlength: 60, "aria-label": "Name of the scene", spellcheck: "false" });
  private readonly said = h("output", { class: "muted" });
  private shown = "";

  constructor(private readonly editor: Editor) {
    const palette = Object.keys(KINDS).filter((kind) => kind !== "wall").map((kind) =>
      h("button", { type: "button", class: "chip", "data-add": kind, onclick: () => { editor.add(kind); } }, kind));
    const picture = h("input", { type: "file", accept: "image/*,.pgm", class: "unseen", tabindex: -1, "aria-label": "Picture of a map" });
    const resolution = h("input", { type: "number", value: 0.05, min: 0.005, max: 1, step: 0.005, "aria-label": "Meters per pixel of the map picture", title: "Meters per pixel" });
    picture.addEventListener("change", () => {
      const file = picture.files?.[0];
      picture.value = "";
      if (file) void editor.rooms(file, Number(resolution.value) || 0.05);
    });
    const snap = h("select", { "aria-label": "Grid", title: "Grid on which things are put" }, ...[0, 0.01, 0.05, 0.1, 0.25, 0.5].map((step) => h("option", { value: step, selected: step === 0.05 }, step ? `grid ${String(step)} m` : "no grid")));
    snap.addEventListener("change", () => { editor.snap = Number(snap.value); });
    const still = h("input", { type: "checkbox", id: "still" });
    still.addEventListener("change", () => { editor.pause(still.checked); });
    this.element = h("section", { class: "card editor", "aria-label": "Scene editor", hidden: true },
      h("header", {}, h("strong", {}, "Scene"), this.said, this.button("close", "Leave without saving", () => { void editor.toggle(); })),
      h("div", { class: "chips" }, ...palette),
      h("div", { class: "row tools" }, this.mode("choose", "Choose and move", "hand"), this.mode("wall", "Draw walls", "edit"), this.mode("measure", "Measure", "ruler"), snap),
      h("div", { class: "row tools" },
        this.button("undo", "Undo (Ctrl+Z)", () => { editor.undo(true); }), this.button("redo", "Redo (Ctrl+Y)", () => { editor.undo(false); }),
        this.button("copy", "Copy (Ctrl+D)", () => { editor.copy(); }), this.button("rotate", "Turn by 15 degrees (R)", () => { editor.turn(); }),
        this.button("trash", "Delete (Del)", () => { editor.remove(); }),
        this.text("x", "Align along x", () => { editor.align("x"); }), this.text("y", "Align along y", () => { editor.align("y"); }),
        this.text("Group", "Move together from now on", () => { editor.group(true); }), this.text("Apart", "No longer together", () => { editor.group(false); })),
      this.numbers,
      h("div", { class: "row tools" }, h("button", { type: "button", class: "small", onclick: () => { picture.click(); } }, "Rooms from a map picture"), resolution, picture),
      h("div", { class: "row tools" }, h("label", { for: "still" }, still, "pause meanwhile")),
      h("div", { class: "row" }, this.name, h("button", { type: "button", class: "primary", id: "scene-save", onclick: () => { void editor.save(this.name.value.trim() || "my_scene"); } }, icon("save", 13), "Save and use")));
    this.element.addEventListener("keydown", (event) => { if (event.target instanceof HTMLInputElement) event.stopPropagation(); });
    editor.changed.on(() => { this.tell(); });
    editor.words.on((words) => { this.said.textContent = words; });
  }

  private button(sign: IconName, title: string, action: () => void): HTMLElement {
    return h("button", { type: "button", class: "ghost square", title, "aria-label": title, onclick: action }, icon(sign, 14));
  }

  private text(words: string, title: string, action: () => void): HTMLElement {
    return h("button", { type: "button", class: "small", title, "aria-label": title, onclick: action }, words);
  }

  private mode(mode: Mode, title: string, sign: IconName): HTMLElement {
    const button = this.button(sign, title, () => { this.editor.mode.value = mode; });
    button.dataset["mode"] = mode;
    this.editor.mode.watch((now) => { button.setAttribute("aria-pressed", String(now === mode)); });
    return button;
  }

  /** Numbers of the one that is chosen; how many, where there are several. */
  private tell(): void {
    const picked = this.editor.picked;
    this.said.textContent = this.editor.words.value || (picked.length > 1 ? `${String(picked.length)} chosen` : `${String(this.editor.items.length)} things`);
    const one = picked.length === 1 ? picked[0]! : undefined;
    const key = JSON.stringify(one ?? null);
    if (key === this.shown || (one && this.numbers.contains(document.activeElement) && this.shown.includes(`"name":"${one.name}"`))) return;
    this.shown = key;
    refill(this.numbers, ...(one ? this.rows(one) : [h("p", { class: "hint" }, "Add something, or click a thing to move it. Shift adds to the choice; walls are drawn on the floor.")]));
  }

  private rows(one: Thing | Kept): HTMLElement[] {
    const number = (label: string, value: number, set: (value: number) => void, step = 0.05): HTMLElement => {
      const input = h("input", { type: "number", step, value: Math.round(value * 1e4) / 1e4, "aria-label": label });
      input.addEventListener("change", () => {
        if (input.value === "" || !Number.isFinite(input.valueAsNumber)) return;
        set(input.valueAsNumber);
        this.editor.commit();
      });
      return h("label", {}, h("span", {}, label), input);
    };
    const rows = [
      h("strong", {}, one.name),
      number("x [m]", one.x, (v) => { one.x = v; }), number("y [m]", one.y, (v) => { one.y = v; }), number("z [m]", one.z, (v) => { one.z = v; }),
      number("yaw [deg]", one.yaw * DEGREES, (v) => { one.yaw = v / DEGREES; }, 5),
    ];
    if (!("kind" in one)) return [...rows, h("p", { class: "hint" }, "A model of the loaded world: it can be moved, turned and deleted.")];
    const color = h("input", { type: "color", value: one.color, "aria-label": "Color" });
    color.addEventListener("input", () => { one.color = color.value; this.editor.redraw(); });
    color.addEventListener("change", () => { this.editor.commit(); });
    const fixed = h("input", { type: "checkbox", checked: one.fixed, "aria-label": "Fixed" });
    fixed.addEventListener("change", () => { one.fixed = fixed.checked; this.editor.commit(); });
    return [
      ...rows,
      ...(["along x [m]", "along y [m]", "height [m]"].map((label, i) => number(label, one.size[i]!, (v) => { one.size[i] = Math.max(0.001, v); }))),
      number("mass [kg]", one.mass, (v) => { one.mass = v; }, 0.1), number("friction", one.friction, (v) => { one.friction = v; }, 0.1),
      h("label", {}, h("span", {}, "color"), color), h("label", {}, h("span", {}, "fixed"), fixed),
    ];
  }
}
