/** Solver: settings that the present engine has, in a small window below the bar; applying them builds the scene anew. */

import type { Listing, Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { words } from "../ui/format";
import { icon } from "../ui/icons";

/** A setting as the session lists it: "present | own | about | choices". */
export interface Setting {
  name: string;
  present: string;
  own: string;
  about: string;
  choices: string[];
}

export function readSettings(listing: Listing): Setting[] {
  return listing.names.map((name, i) => {
    const [present = "", own = "", about = "", choices = ""] = (listing.help[i] ?? "").split("|").map((part) => part.trim());
    return { name, present, own, about, choices: choices ? choices.split(",").map((each) => each.trim()) : [] };
  });
}

/** What is sent: settings whose field is not empty. */
export function settingsLine(values: ReadonlyMap<string, string>): string {
  return [...values].filter(([, value]) => value.trim() !== "").map(([name, value]) => `${name}=${value.trim()}`).join(", ");
}

export class SolverMenu {
  readonly button: HTMLButtonElement;
  readonly element: HTMLElement;
  private readonly form = h("form", { class: "form", autocomplete: "off" });
  private readonly head = h("h3", {}, "Solver");
  private readonly fields = new Map<string, HTMLInputElement | HTMLSelectElement>();

  constructor(private readonly studio: Studio) {
    this.button = h("button", {
      type: "button", id: "solver", class: "ghost square", "aria-label": "Solver settings", title: "Solver settings",
      "aria-expanded": "false", "aria-controls": "solver-menu", onclick: () => { this.toggle(Boolean(this.element.hidden)); },
    }, icon("sliders"));
    const apply = h("button", { type: "submit", class: "primary", form: "solver-form" }, "Apply");
    const own = h("button", { type: "button", onclick: () => { void this.send(""); } }, "As usual");
    this.form.id = "solver-form";
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const values = new Map([...this.fields].map(([name, field]) => [name, field.value]));
      void this.send(settingsLine(values));
    });
    this.element = h("section", { id: "solver-menu", class: "menu solver", "aria-label": "Solver", hidden: true },
      this.head,
      this.form,
      h("p", { class: "hint" }, "An empty field: the world's value, else the engine's own. The scene is built anew where the robot stands."),
      h("div", { class: "row buttons" }, apply, own));
    document.addEventListener("pointerdown", (event) => {
      if (event.target instanceof Node && !this.element.contains(event.target) && !this.button.contains(event.target)) this.toggle(false);
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.toggle(false);
      this.button.focus();
    });
    studio.scene.on(() => { if (!this.element.hidden) void this.load(); });
  }

  private toggle(open: boolean): void {
    this.element.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (open) void this.load();
  }

  private async load(): Promise<void> {
    let settings: Setting[] = [];
    try {
      settings = readSettings(await this.studio.connection.call<Listing>("/list", "andante_msgs/srv/List", { kind: "solver" }));
    } catch {
      // the session is away
    }
    this.head.textContent = `Solver of ${this.studio.status.value?.engine ?? "the engine"}`;
    this.fields.clear();
    refill(this.form, ...settings.flatMap((setting) => this.row(setting)));
  }

  private row(setting: Setting): HTMLElement[] {
    const id = `solver-${setting.name}`;
    const value = setting.present === setting.own ? "" : setting.present;
    const own = setting.own || "by the scene";
    let field: HTMLInputElement | HTMLSelectElement;
    if (setting.choices.length > 0) {
      field = h("select", { id }, h("option", { value: "" }, `${own} (usual)`), ...setting.choices.map((each) => h("option", { value: each }, each)));
    } else {
      field = h("input", { id, type: "text", inputmode: "decimal", placeholder: own, spellcheck: "false" });
    }
    field.value = value;
    this.fields.set(setting.name, field);
    const unit = /\[[^\]]+\]$/.exec(setting.about)?.[0] ?? "";
    return [h("label", { for: id, title: setting.about }, `${words(setting.name)} ${unit}`.trim()), field];
  }

  private async send(name: string): Promise<void> {
    const went = await this.studio.ask("/set_solver", "andante_msgs/srv/Choose", { name }, 120, "building the scene with other solver settings");
    if (went) await this.load();
  }
}
