/** Five hints for somebody who is here for the first time; kept away once they were read or skipped. */

import { h, refill } from "../ui/dom";
import { recall, remember } from "../ui/store";

const HINTS: readonly [selector: string, words: string][] = [
  [".viewport", "This is the robot in its world, simulated live. Drag to turn the picture, use the wheel to zoom."],
  ["#tab-drive", "Hold W, A, S, D, Q, E to drive, here or anywhere on the page. It stops when you let go."],
  ["#select-robot", "Another robot, world or physics engine. Undo brings the one before back."],
  ["#open", "Open your own robot or world, or drop its files on the page."],
  ["#help", "All keys and places: press ? at any time."],
];

/** Show the hints unless they were seen. */
export function startTour(again = false): void {
  if (!again && recall("toured", false)) return;
  let at = 0;
  const words = h("p", {});
  const count = h("span", { class: "muted" });
  const next = h("button", { type: "button", class: "small primary" }, "Next");
  const skip = h("button", { type: "button", class: "small" }, "Skip");
  const card = h("aside", { class: "tour", role: "dialog", "aria-label": "First hints" }, words, h("div", { class: "row" }, count, skip, next));
  const end = (): void => {
    document.querySelector(".hinted")?.classList.remove("hinted");
    remember("toured", true);
    card.remove();
  };
  const show = (): void => {
    document.querySelector(".hinted")?.classList.remove("hinted");
    const hint = HINTS[at];
    if (!hint) {
      end();
      return;
    }
    document.querySelector(hint[0])?.classList.add("hinted");
    refill(words, hint[1]);
    count.textContent = `${String(at + 1)} of ${String(HINTS.length)}`;
    next.textContent = at === HINTS.length - 1 ? "Done" : "Next";
  };
  next.addEventListener("click", () => {
    at += 1;
    show();
  });
  skip.addEventListener("click", end);
  document.body.append(card);
  show();
}
