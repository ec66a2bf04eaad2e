/** Log panel: what the session says on /rosout, a line per command among it. */

import { subscribe } from "../link/topics";
import type { LogLine } from "../link/messages";
import type { Studio } from "../studio";
import { h } from "../ui/dom";
import { clock } from "../ui/format";
import { icon } from "../ui/icons";
import type { Panel } from "../ui/panel";

const MOST = 600;
const LEVELS: readonly [number, string][] = [
  [50, "fatal"],
  [40, "error"],
  [30, "warn"],
  [20, "info"],
  [10, "debug"],
];

/** The word of a level number of ROS 2. */
export function levelName(level: number): string {
  return LEVELS.find(([number]) => level >= number)?.[1] ?? "debug";
}

export class LogPanel implements Panel {
  readonly id = "log";
  readonly title = "Log";
  readonly element: HTMLElement;
  private readonly lines = h("ol", { class: "log", "aria-label": "Log lines", tabindex: 0 });
  private readonly level = h("select", { "aria-label": "Least level" }, ...["debug", "info", "warn", "error"].map((name) => h("option", { value: name }, name)));
  private readonly filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the log" });

  constructor(studio: Studio) {
    this.level.value = "info";
    const clear = h("button", { type: "button", class: "small", "aria-label": "Clear the log", title: "Clear", onclick: () => { this.lines.replaceChildren(); } }, icon("trash", 13));
    const again = (): void => {
      for (const line of this.lines.children) this.applyFilter(line as HTMLElement);
    };
    this.level.addEventListener("change", again);
    this.filter.addEventListener("input", again);
    this.element = h("div", { class: "column" }, h("div", { class: "row tools" }, this.level, this.filter, clear), this.lines);
    subscribe(studio.connection, "/rosout", (line) => { this.add(line); });
  }

  private add(message: LogLine): void {
    const bottom = this.lines.scrollHeight - this.lines.scrollTop - this.lines.clientHeight < 30;
    const level = levelName(message.level);
    const time = message.stamp.sec + message.stamp.nanosec * 1e-9;
    const line = h(
      "li",
      { class: level, "data-level": level },
      h("time", {}, clock(time)),
      h("span", { class: "level" }, level),
      h("span", { class: "node" }, message.name),
      h("span", { class: "text" }, message.msg),
    );
    this.applyFilter(line);
    this.lines.append(line);
    while (this.lines.children.length > MOST) this.lines.firstElementChild!.remove();
    if (bottom) this.lines.scrollTop = this.lines.scrollHeight;
  }

  private applyFilter(line: HTMLElement): void {
    const order = LEVELS.map(([, name]) => name);
    const low = order.indexOf(line.dataset["level"] ?? "info") > order.indexOf(this.level.value);
    const text = this.filter.value.trim().toLowerCase();
    line.hidden = low || (text !== "" && !line.textContent.toLowerCase().includes(text));
  }
}
