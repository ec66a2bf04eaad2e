/** Files dropped anywhere on the page. */

import { h } from "../ui/dom";
import { dropped, type Dropped } from "./drop";

/** Files dropped anywhere on the page are brought in; a frame shows that they may be. */
export function takeDrops(bring: (files: Dropped[]) => void): void {
  const frame = h("div", { class: "dropframe", hidden: true }, h("p", {}, "Drop a robot or a world"));
  document.body.append(frame);
  const carries = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  let depth = 0;
  const count = (by: number): void => {
    depth = Math.max(0, depth + by);
    frame.hidden = depth === 0;
  };
  window.addEventListener("dragenter", (event) => { if (carries(event)) count(1); });
  window.addEventListener("dragleave", (event) => { if (carries(event)) count(-1); });
  window.addEventListener("dragover", (event) => { if (carries(event)) event.preventDefault(); });
  window.addEventListener("drop", (event) => {
    if (!carries(event) || !event.dataTransfer) return;
    event.preventDefault();
    depth = 0;
    frame.hidden = true;
    void dropped(event.dataTransfer).then(bring);
  });
}
