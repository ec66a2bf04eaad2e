/** Short notes in the corner, read out by screen readers. */

import { h } from "./dom";

const box = h("div", { class: "toasts", role: "status", "aria-live": "polite" });

/** Put the place for notes into the page. */
export function startToasts(): void {
  document.body.append(box);
}

/** Show a note for some seconds. */
export function toast(text: string, kind: "info" | "good" | "bad" = "info"): void {
  const note = h("div", { class: `toast ${kind}` }, text);
  box.append(note);
  while (box.children.length > 4) box.firstElementChild?.remove();
  setTimeout(() => {
    note.classList.add("gone");
    setTimeout(() => {
      note.remove();
    }, 300);
  }, kind === "bad" ? 7000 : 3500);
}
