/** A window over the page, closed by its button or Escape; keys typed in it do not drive. */

import { h } from "./dom";
import { icon } from "./icons";

/** A dialog that is not open yet. */
export function dialog(title: string, ...children: (Node | string)[]): HTMLDialogElement {
  const heading = h("h2", {}, title);
  heading.id = `dialog-${title.toLowerCase().replace(/\W+/g, "-")}`;
  const box = h("dialog", { class: "window", "aria-labelledby": heading.id });
  const close = h("button", { type: "button", class: "ghost square", "aria-label": "Close", onclick: () => { box.close(); } }, icon("close", 14));
  box.append(h("header", {}, heading, close), ...children);
  box.addEventListener("keydown", (event) => { event.stopPropagation(); });
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  return box;
}
