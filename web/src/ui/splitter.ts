/** A bar between two panels that can be dragged, or moved by the arrow keys. */

import { h } from "./dom";
import { recall, remember } from "./store";

export interface SplitterOptions {
  name: string;
  /** x: the bar stands upright and changes a width; y: it lies and changes a height. */
  axis: "x" | "y";
  /** CSS variable that holds the size [px] of the panel after the bar. */
  variable: string;
  initial: number;
  least: number;
  /** Share of the window that the panel may take at most. */
  most: number;
}

/** The bar; it sets the CSS variable on the root of the page. */
export function splitter(options: SplitterOptions): HTMLElement {
  const { name, axis, variable, initial, least, most } = options;
  let size = recall<number>(`size.${name}`, initial);
  const bar = h("div", {
    class: `splitter ${axis}`,
    role: "separator",
    tabindex: 0,
    "aria-label": `Size of the ${name} panels`,
    "aria-orientation": axis === "x" ? "vertical" : "horizontal",
  });
  const set = (wanted: number): void => {
    const room = axis === "x" ? window.innerWidth : window.innerHeight;
    size = Math.round(Math.min(Math.max(wanted, least), Math.max(least, room * most)));
    document.documentElement.style.setProperty(variable, `${String(size)}px`);
    bar.setAttribute("aria-valuenow", String(size));
  };
  /** The size that is seen: panels that need room take more than was chosen. */
  const seen = (): number => {
    const panel = bar.nextElementSibling;
    if (!panel?.classList.contains("dock")) return size;
    return Math.max(size, axis === "x" ? panel.clientWidth : panel.clientHeight);
  };
  const keep = (): void => {
    remember(`size.${name}`, size);
  };
  bar.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    const start = axis === "x" ? event.clientX : event.clientY;
    const before = seen();
    const move = (next: PointerEvent): void => {
      set(before + start - (axis === "x" ? next.clientX : next.clientY));
    };
    const end = (): void => {
      bar.removeEventListener("pointermove", move);
      keep();
    };
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", end, { once: true });
    bar.addEventListener("pointercancel", end, { once: true });
  });
  bar.addEventListener("keydown", (event) => {
    const larger = axis === "x" ? "ArrowLeft" : "ArrowUp";
    const smaller = axis === "x" ? "ArrowRight" : "ArrowDown";
    if (event.key !== larger && event.key !== smaller) return;
    event.preventDefault();
    event.stopPropagation();
    set(seen() + (event.key === larger ? 20 : -20));
    keep();
  });
  bar.addEventListener("dblclick", () => {
    set(initial);
    keep();
  });
  window.addEventListener("resize", () => { set(size); });
  set(size);
  return bar;
}
