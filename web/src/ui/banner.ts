/** A line over the picture that says what is being waited for and for how long already. */

import type { Busy } from "../link/busy";
import { h } from "./dom";

/** "Building nao in lab on bullet … 3.2 s". */
export function stageWords(words: string, milliseconds: number): string {
  const whole = words.charAt(0).toUpperCase() + words.slice(1);
  return `${whole} … ${(milliseconds / 1000).toFixed(1)} s`;
}

/** The line, shown as long as there is a stage. */
export function banner(busy: Busy): HTMLElement {
  const words = h("span", {});
  const line = h("div", { class: "badge stage", role: "status", hidden: true }, h("span", { class: "spinner small", "aria-hidden": "true" }), words);
  const draw = (): void => {
    const stage = busy.stage.value;
    line.hidden = stage === null;
    if (stage) words.textContent = stageWords(stage.words, Math.max(0, performance.now() - stage.since));
  };
  busy.stage.watch(draw);
  setInterval(() => { if (busy.stage.value) draw(); }, 100);
  return line;
}

