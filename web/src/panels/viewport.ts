/** The 3D picture with its buttons, the card of the picked link, and the keys. */

import type { Driver } from "../drive/driver";
import { joystick } from "../drive/joystick";
import { keypad } from "../drive/keycaps";
import { Hearing } from "../link/topics";
import { BalanceOverlay } from "../scene/balance";
import { CollisionOverlay } from "../scene/collisions";
import { ContactOverlay } from "../scene/contacts";
import { Expression } from "../scene/expression";
import { FootstepOverlay } from "../scene/footsteps";
import { FrameOverlay } from "../scene/frames";
import { LaserOverlay } from "../scene/laser";
import type { Overlay } from "../scene/overlay";
import { Picker } from "../scene/pick";
import { Pusher } from "../scene/push";
import { Stage } from "../scene/stage";
import { View } from "../scene/view";
import type { Studio } from "../studio";
import { banner, stageWords } from "../ui/banner";
import { h } from "../ui/dom";
import { icon, type IconName } from "../ui/icons";
import type { Signal } from "../ui/signal";

export class ViewportPanel {
  readonly element: HTMLElement;
  readonly stage: Stage;
  private readonly pusher: Pusher;

  constructor(
    private readonly studio: Studio,
    driver: Driver,
  ) {
    const holder = h("div", { class: "holder" });
    this.element = h("section", { class: "viewport", "aria-label": "3D view" }, holder);
    const view = new View(holder);
    this.stage = new Stage(studio, view);
    this.pusher = new Pusher(studio, this.stage);
    const picker = new Picker(this.stage);
    const overlays: Overlay[] = [new ContactOverlay(), new BalanceOverlay(), new FootstepOverlay(), new LaserOverlay(), new FrameOverlay(), new CollisionOverlay()];
    const bar = h(
      "div",
      { class: "viewbar", role: "toolbar", "aria-label": "View" },
      this.action("home", "Look at the robot", () => { this.stage.home(); }),
      this.toggle("follow", "follow", "Follow the robot", this.stage.follow),
      this.toggle("push", "push", "Push: drag the robot (or hold Shift)", this.pusher.active),
      h("hr", {}),
      ...overlays.map((overlay) => this.overlay(overlay)),
    );
    const fps = h("span", { class: "badge fps", title: "Frames drawn in the last second" });
    setInterval(() => {
      fps.textContent = `${String(view.fps)} fps`;
      this.element.dataset["fps"] = String(view.fps);
    }, 500);
    const hud = h("div", { class: "hud" }, keypad(driver, [["q", "w", "e"], ["a", "s", "d"]], false, "Driving keys in the view"));
    const touch = h("div", { class: "sticks" }, joystick("Stick: ahead, back, turn", (up, left) => { driver.push(up, 0, left); }), joystick("Stick: to the sides", (_, left) => { driver.push(0, left, 0); }));
    this.element.append(new Expression(studio, this.stage).bubble, bar, picker.card, hud, touch, this.pusher.badge, fps, banner(studio.busy), this.curtain());
  }

  /** Says what is being waited for until the robot stands there. */
  private curtain(): HTMLElement {
    const words = h("p", {}, "Connecting to the session …");
    const curtain = h("div", { class: "curtain", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), words);
    const tell = (): void => {
      const state = this.studio.connection.state.value;
      const there = this.stage.robot.value !== null && this.studio.status.value !== null;
      curtain.hidden = there && state !== "connecting";
      this.stage.view.hold(!curtain.hidden);
      const stage = this.studio.busy.stage.value;
      if (stage) words.textContent = stageWords(stage.words, Math.max(0, performance.now() - stage.since));
      else words.textContent = state === "open" || this.stage.robot.value ? "Loading the robot …" : "Connecting to the session …";
    };
    setInterval(() => { if (!curtain.hidden) tell(); }, 100);
    this.studio.connection.state.watch(tell);
    this.studio.ready.on(tell);
    this.stage.robot.on((robot) => {
      tell();
      this.element.dataset["robot"] = robot?.name ?? "";
    });
    this.stage.world.on((world) => { this.element.dataset["world"] = world?.data.name ?? ""; });
    return curtain;
  }

  private action(sign: IconName, title: string, work: () => void): HTMLButtonElement {
    return h("button", { type: "button", class: "ghost square", title, "aria-label": title, onclick: work }, icon(sign));
  }

  private toggle(id: string, sign: IconName, title: string, signal: Signal<boolean>): HTMLButtonElement {
    const button = this.action(sign, title, () => { signal.value = !signal.value; });
    button.dataset["toggle"] = id;
    signal.watch((on) => { button.setAttribute("aria-pressed", String(on)); });
    return button;
  }

  private overlay(overlay: Overlay): HTMLButtonElement {
    const hearing = new Hearing(this.studio.connection);
    let shown = false;
    const button = this.action(overlay.icon, overlay.title, () => {
      shown = !shown;
      button.setAttribute("aria-pressed", String(shown));
      if (shown) {
        if (overlay.id === "footsteps") hearing.add(this.stage.frames.listen(this.studio.connection));
        overlay.show(this.stage, hearing);
      } else {
        hearing.stop();
        overlay.hide(this.stage);
      }
      this.stage.view.invalidate();
    });
    button.dataset["toggle"] = overlay.id;
    button.setAttribute("aria-pressed", "false");
    return button;
  }
}
