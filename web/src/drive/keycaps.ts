/** Keys drawn on the page: lit while held, and to be pressed with the mouse or a finger as well. */

import { h } from "../ui/dom";
import { icon, type IconName } from "../ui/icons";
import type { Driver } from "./driver";
import { MEANINGS } from "./keys";

const ARROWS: Readonly<Record<string, IconName>> = { up: "up", down: "down", left: "left", right: "right" };

/** One key. */
export function keycap(driver: Driver, name: string, labelled: boolean): HTMLElement {
  const meaning = MEANINGS[name] ?? name;
  const arrow = ARROWS[name];
  const cap = h(
    "button",
    { type: "button", class: "keycap", "data-key": name, "aria-label": `${name.toUpperCase()}: ${meaning}`, "aria-pressed": "false", title: meaning, tabindex: -1 },
    h("kbd", {}, arrow ? icon(arrow, 13) : name.toUpperCase()),
    labelled && h("small", {}, meaning),
  );
  cap.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    cap.setPointerCapture(event.pointerId);
    driver.press(name, true);
  });
  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
    cap.addEventListener(kind, () => { driver.press(name, false); });
  }
  driver.held.watch((held) => { cap.setAttribute("aria-pressed", String(held.has(name))); });
  return cap;
}

/** Keys in rows, as on the keyboard; an empty name leaves a gap. */
export function keypad(driver: Driver, rows: readonly (readonly string[])[], labelled: boolean, label: string): HTMLElement {
  return h(
    "div",
    { class: labelled ? "keypad labelled" : "keypad", role: "group", "aria-label": label },
    ...rows.map((row) => h("div", { class: "keyrow" }, ...row.map((name) => (name ? keycap(driver, name, labelled) : h("span", { class: "keygap" }))))),
  );
}
