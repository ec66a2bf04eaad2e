/** A group of panels of which one is seen, with tabs that follow the keyboard rules for tab lists. */

import { h, refill } from "./dom";
import { icon } from "./icons";
import type { Panel } from "./panel";
import { recall, remember } from "./store";

export class Tabs {
  readonly element: HTMLElement;
  private readonly list: HTMLElement;
  private readonly body: HTMLElement;
  private readonly grow: HTMLButtonElement;
  private current: Panel | undefined;

  /** @param onGrow is called when the group shall fill the page or go back. */
  constructor(
    private readonly name: string,
    private readonly panels: Panel[],
    private readonly onGrow: () => boolean,
  ) {
    this.list = h("div", { class: "tablist", role: "tablist", "aria-label": `${name} panels` });
    this.body = h("div", { class: "tabbody" });
    this.grow = h(
      "button",
      { class: "ghost square", type: "button", title: "Larger or smaller", "aria-label": `Enlarge ${name} panels`, onclick: () => { this.toggle(); } },
      icon("expand", 14),
    );
    this.element = h("section", { class: "dock", "aria-label": name }, h("h2", { class: "unseen" }, name), h("header", {}, this.list, this.grow), this.body);
    for (const panel of panels) {
      const tab = h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${panel.id}`,
          "aria-controls": `panel-${panel.id}`,
          "aria-selected": "false",
          tabindex: -1,
          onclick: () => { this.open(panel.id); },
          ondblclick: () => { this.toggle(); },
        },
        panel.title,
      );
      this.list.append(tab);
      panel.element.id = `panel-${panel.id}`;
      panel.element.setAttribute("role", "tabpanel");
      panel.element.setAttribute("aria-labelledby", tab.id);
      panel.element.classList.add("panel");
      panel.element.hidden = true;
      this.body.append(panel.element);
      panel.available?.watch((there) => {
        tab.hidden = !there;
        if (!there && this.current === panel) this.open(this.panels.find((one) => one.available?.value ?? true)!.id);
      });
    }
    this.list.addEventListener("keydown", (event) => { this.onKey(event); });
    this.open(recall(`tab.${name}`, panels[0]!.id));
  }

  /** Bring a panel into view. */
  open(id: string): void {
    const panel = this.panels.find((one) => one.id === id) ?? this.panels[0]!;
    if (panel === this.current) return;
    if (this.current) {
      this.current.hide?.();
      this.current.element.hidden = true;
      this.mark(this.current, false);
    }
    this.current = panel;
    panel.element.hidden = false;
    this.mark(panel, true);
    panel.show?.();
    remember(`tab.${this.name}`, panel.id);
  }

  /** The panel in view. */
  get shown(): string {
    return this.current?.id ?? "";
  }

  /** Open the panel of that place, from 0. */
  openAt(index: number): void {
    const panel = this.panels.filter((one) => one.available?.value ?? true)[index];
    if (panel) this.open(panel.id);
  }

  has(id: string): boolean {
    return this.panels.some((panel) => panel.id === id);
  }

  private mark(panel: Panel, selected: boolean): void {
    const tab = this.list.querySelector<HTMLElement>(`#tab-${panel.id}`)!;
    tab.setAttribute("aria-selected", String(selected));
    tab.tabIndex = selected ? 0 : -1;
    if (selected) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  private toggle(): void {
    const large = this.onGrow();
    refill(this.grow, icon(large ? "shrink" : "expand", 14));
  }

  private onKey(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || !this.current) return;
    event.preventDefault();
    event.stopPropagation();
    const shown = this.panels.filter((one) => one.available?.value ?? true);
    const next = shown[(shown.indexOf(this.current) + step + shown.length) % shown.length]!;
    this.open(next.id);
    this.list.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  }
}
