/** Motions panel: poses, motions and behaviours of the robot to click, and the strength of its servos. */

import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { words } from "../ui/format";
import { icon } from "../ui/icons";
import type { Panel } from "../ui/panel";
import { toast } from "../ui/toast";

const GROUPS = [
  ["poses", "Poses"],
  ["motions", "Motions"],
  ["behaviours", "Behaviours"],
] as const;

export class MotionsPanel implements Panel {
  readonly id = "motions";
  readonly title = "Motions";
  readonly element: HTMLElement;
  private readonly groups = h("div", { class: "groups" });
  private readonly filter = h("input", { type: "search", placeholder: "Filter poses and motions", "aria-label": "Filter poses and motions" });
  private readonly rounds = h("input", { type: "checkbox", id: "rounds" });

  constructor(private readonly studio: Studio) {
    const strength = h("input", { id: "strength", type: "range", min: 0, max: 100, step: 5, value: 100, "aria-label": "Servo strength in percent" });
    const strengthText = h("output", { for: "strength" }, "100 %");
    strength.addEventListener("input", () => { strengthText.textContent = `${strength.value} %`; });
    strength.addEventListener("change", () => {
      void studio.ask("/set_stiffness", "andante_msgs/srv/SetStiffness", { joints: [], share: Number(strength.value) / 100 });
    });
    this.filter.addEventListener("input", () => { this.applyFilter(); });
    this.element = h(
      "div",
      {},
      h("div", { class: "row" }, this.filter),
      this.groups,
      h("div", { class: "row" }, h("label", { for: "rounds" }, this.rounds, " Repeat motions without end")),
      h("div", { class: "row" }, h("label", { for: "strength" }, "Servo strength"), strength, strengthText),
    );
    studio.robot.watch((robot) => { void this.load(robot); });
    studio.listed.on(() => { void this.load(studio.robot.value); });
    studio.status.on((status) => {
      if (!status) return;
      for (const button of this.groups.querySelectorAll<HTMLElement>("[data-name]")) {
        button.classList.toggle("active", status.detail !== "" && button.dataset["name"] === status.detail);
      }
    });
  }

  private async load(robot: string): Promise<void> {
    if (!robot) return;
    const parts = await Promise.all(GROUPS.map(async ([kind, title]) => this.group(kind, title)));
    if (this.studio.robot.value === robot) refill(this.groups, ...parts);
    this.applyFilter();
  }

  private async group(kind: string, title: string): Promise<HTMLElement | null> {
    try {
      const { names, help } = await this.studio.list(kind);
      if (names.length === 0) return null;
      const buttons = names.map((name, i) => {
        const refused = kind === "poses" ? (help[i] ?? "") : ""; // why it is not taken from standing
        const press = (): void => {
          if (refused && this.studio.status.value?.fallen !== true) toast(refused, "bad");
          else this.play(kind, name);
        };
        return h("button", { type: "button", class: "chip", "data-name": name, title: help[i] ?? "", "aria-disabled": refused !== "" && "true", onclick: press }, kind === "motions" && icon("play", 11), words(name));
      });
      return h("section", { "aria-label": title }, h("h3", {}, title), h("div", { class: "chips" }, ...buttons));
    } catch {
      return null;
    }
  }

  private play(kind: string, name: string): void {
    if (kind === "behaviours") void this.studio.ask("/set_behaviour", "andante_msgs/srv/Choose", { name });
    else void this.studio.ask("/play", "andante_msgs/srv/Play", { name, speed: 1, rounds: kind === "motions" && this.rounds.checked ? -1 : 0 });
  }

  private applyFilter(): void {
    const text = this.filter.value.trim().toLowerCase();
    for (const button of this.groups.querySelectorAll<HTMLElement>("[data-name]")) {
      button.hidden = text !== "" && !button.dataset["name"]!.toLowerCase().includes(text);
    }
  }
}
