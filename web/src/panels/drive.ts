/** Drive panel: keys, speed, gait, gamepad, and the robot's own buttons. */

import type { Driver } from "../drive/driver";
import { keypad } from "../drive/keycaps";
import type { Stage } from "../scene/stage";
import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { fixed, words } from "../ui/format";
import type { Panel } from "../ui/panel";
import { toast } from "../ui/toast";
import { RobotList } from "./robots";

const BUTTONS = ["shell", "hexapod"];

export class DrivePanel implements Panel {
  readonly id = "drive";
  readonly title = "Drive";
  readonly element: HTMLElement;
  private readonly own = h("div", {});
  private readonly gait = h("select", { id: "gait", "aria-label": "Gait" });
  private readonly speedText = h("output", { for: "speed" });
  private readonly facts = h("dl", { class: "facts" });
  private sending = 0;
  private told = "";

  constructor(
    private readonly studio: Studio,
    private readonly driver: Driver,
    stage: Stage,
  ) {
    const speed = h("input", { id: "speed", type: "range", min: 5, max: 100, step: 5, value: driver.percent.value, "aria-label": "Speed in percent" });
    speed.addEventListener("input", () => { this.setSpeed(Number(speed.value)); });
    driver.percent.watch((percent) => {
      speed.value = String(percent);
      this.speedText.textContent = `${String(percent)} %`;
    });
    this.gait.addEventListener("change", () => {
      void studio.ask("/set_gait", "andante_msgs/srv/Choose", { name: this.gait.value });
    });
    const pad = h("span", { class: "muted" });
    driver.gamepad.watch((name) => { pad.textContent = name ? `Gamepad: ${name}` : "Gamepad: press a button on it to connect"; });
    this.element = h(
      "div",
      {},
      keypad(driver, [["q", "w", "e"], ["a", "s", "d"]], true, "Driving keys"),
      h("div", { class: "row" }, h("label", { for: "speed" }, "Speed"), speed, this.speedText),
      h("div", { class: "row" }, h("label", { for: "gait" }, "Gait"), this.gait),
      this.own,
      this.facts,
      new RobotList(studio, driver, stage).element,
      h("p", { class: "hint" }, "Hold the keys; the robot stops when you let go, when this window loses its focus, or when the connection breaks. ", pad),
    );
    driver.extra.watch((keys) => { this.showOwn(keys); });
    studio.robot.watch((robot) => { void this.loadGaits(robot); });
    studio.status.on(() => { this.tell(); });
  }

  private setSpeed(percent: number): void {
    this.driver.percent.value = percent;
    clearTimeout(this.sending);
    this.sending = window.setTimeout(() => {
      this.studio.connection.call("/set_speed", "andante_msgs/srv/SetSpeed", { percent }).catch((error: unknown) => { toast(String(error), "bad"); });
    }, 150);
  }

  private showOwn(keys: readonly string[]): void {
    const has = (name: string): string => (keys.includes(name) ? name : "");
    const rows = [["u", "i", "l"].map(has), ["", "up", ""].map((name) => (name ? has(name) : "")), ["left", "down", "right"].map(has)];
    const buttons = BUTTONS.filter((name) => keys.includes(name));
    refill(
      this.own,
      keys.some((name) => name !== "i" && !BUTTONS.includes(name)) && keypad(this.driver, rows, true, "Keys of this robot"),
      buttons.length > 0 &&
        h("div", { class: "row buttons" }, ...buttons.map((name) => h("button", { type: "button", onclick: () => { this.driver.button(name); } }, name === "shell" ? "Fold to a ball" : "Unfold and stand"))),
    );
  }

  private async loadGaits(robot: string): Promise<void> {
    if (!robot) return;
    try {
      const { names } = await this.studio.list("gaits");
      refill(this.gait, ...names.map((name) => h("option", { value: name }, words(name))));
      this.gait.closest<HTMLElement>(".row")!.hidden = names.length < 2;
    } catch {
      this.gait.closest<HTMLElement>(".row")!.hidden = true;
    }
    this.tell();
  }

  private tell(): void {
    const status = this.studio.status.value;
    if (!status) return;
    if (document.activeElement !== this.gait && status.gait) this.gait.value = status.gait;
    const key = [status.behaviour, status.detail, status.top_speed, status.top_turn, status.fall_state].join("|");
    if (key === this.told) return; // nothing to draw anew
    this.told = key;
    const entry = (name: string, value: string): HTMLElement => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    refill(
      this.facts,
      entry("doing", status.detail ? `${status.behaviour}: ${status.detail}` : status.behaviour),
      entry("top speed", `${fixed(status.top_speed, 2)} m/s, ${fixed(status.top_turn, 2)} rad/s`),
      status.fall_state && status.fall_state !== "upright" && entry("fall", status.fall_state),
    );
  }
}
