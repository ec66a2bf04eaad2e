/** Short notes in the corner, read out by screen readers. */

import { h } from "./dom";

const box = h("div", { class: "toasts", role: "status", "aria-live": "polite" });

export interface Action {
  label: string;
  run: () => void;
}

/** Put the place for notes into the page. */
export function startToasts(): void {
  document.body.append(box);
}

/** Show a note for some seconds; with an action, for longer. */
export function toast(text: string, kind: "info" | "good" | "bad" = "info", action?: Action): void {
  const note = h("div", { class: `toast ${kind}` }, h("span", {}, text));
  const end = (): void => {
    note.classList.add("gone");
    setTimeout(() => { note.remove(); }, 300);
  };
  if (action) {
    note.append(h("button", { type: "button", class: "small", onclick: () => { end(); action.run(); } }, action.label));
  }
  box.append(note);
  while (box.children.length > 4) box.firstElementChild?.remove();
  setTimeout(end, action ? 12000 : kind === "bad" ? 7000 : 3500);
}
