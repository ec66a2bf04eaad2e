/** All robots and things of the scene: who is driven, one more beside them, and away with one. */

import type { Driver } from "../drive/driver";
import type { Stage } from "../scene/stage";
import type { Listing, Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { plain } from "../ui/format";

interface Robots {
  names: string[];
  robots: string[];
  namespaces: string[];
}

const BESIDE = 0.9; // where another one is put, from the middle of the picture [m]

export class RobotList {
  readonly element: HTMLElement;
  private readonly rows = h("div", { class: "others", role: "radiogroup", "aria-label": "Robot that is driven" });
  private readonly model = h("select", { "aria-label": "Robot to add" });
  private robots: Robots = { names: [], robots: [], namespaces: [] };

  constructor(private readonly studio: Studio, private readonly driver: Driver, private readonly stage: Stage) {
    const add = h("button", { type: "button", class: "small", title: "Put it beside what you look at", onclick: () => { void this.add(); } }, "Add");
    this.element = h("details", { class: "robots" }, h("summary", {}, "Robots in the scene"), this.rows, h("div", { class: "row" }, this.model, add));
    studio.connection.subscribe<Robots>("/robots", "andante_msgs/msg/Robots", (told) => { this.robots = told; this.draw(); });
    stage.added.watch((names) => {
      if (names.length > 0) (this.element as HTMLDetailsElement).open = true;
      this.draw();
    });
    driver.space.on(() => { this.draw(); });
    studio.ready.on((ready) => { if (ready) void this.list(); });
    studio.listed.on(() => { void this.list(); });
  }

  private async list(): Promise<void> {
    const names = async (kind: string): Promise<Listing> => this.studio.connection.call<Listing>("/list", "andante_msgs/srv/List", { kind }).catch(() => ({ names: [], help: [] }));
    const [known, own] = await Promise.all([names("robots"), names("gallery")]);
    const mine = own.names.filter((_, i) => own.help[i]?.startsWith("robot"));
    refill(this.model, ...known.names.map((name) => h("option", { value: `r:${name}` }, plain(name))), mine.length > 0 && h("optgroup", { label: "Your own" }, ...mine.map((key) => h("option", { value: `g:${key}` }, key))));
  }

  private async add(): Promise<void> {
    const [kind, model] = [this.model.value.slice(0, 2), this.model.value.slice(2)];
    const { target } = this.stage.view.controls;
    const taken = this.stage.added.value.length;
    const angle = taken * 1.9 + Math.PI / 2;
    const request = { model, name: "", x: target.x + BESIDE * Math.cos(angle), y: target.y + BESIDE * Math.sin(angle), yaw: 0, pose: "", height: 0 };
    await this.studio.ask(kind === "g:" ? "/gallery/spawn" : "/spawn", "andante_msgs/srv/Spawn", request, 90, `adding ${model}`);
  }

  private draw(): void {
    const { names, robots, namespaces } = this.robots;
    if (!namespaces.includes(this.driver.space.value)) this.driver.drive("");
    const things = this.stage.added.value.filter((name) => !names.includes(name));
    const remove = (name: string): HTMLElement => h("button", { type: "button", class: "small", "aria-label": `Remove ${name}`, onclick: () => { void this.studio.ask("/remove", "andante_msgs/srv/Choose", { name }, 60, `removing ${name}`); } }, "Remove");
    refill(this.rows,
      ...names.map((name, i) => {
        const space = namespaces[i] ?? "";
        const pick = h("input", { type: "radio", name: "driven", checked: space === this.driver.space.value, onchange: () => { this.driver.drive(space); } });
        return h("div", { class: "row" }, h("label", { class: "grow" }, pick, ` ${name}`, robots[i] !== name && h("small", { class: "muted" }, ` ${robots[i] ?? ""}`)), i > 0 && remove(name));
      }),
      ...things.map((name) => h("div", { class: "row" }, h("span", { class: "grow" }, name), remove(name))));
  }
}
