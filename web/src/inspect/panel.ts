/** Topics panel: all topics with types, the rate and the newest message of one of them, and messages of one's own. */

import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { fixed } from "../ui/format";
import { icon } from "../ui/icons";
import { toast } from "../ui/toast";
import { shown, template, type TypeDef } from "./message";

const DRAWING = 250; // between two looks [ms]
const LATELY = 3000; // over which the rate is counted [ms]
const HEAVY = /image|\/map$|costmap$|points/i; // at most some a second

export class Topics {
  readonly element: HTMLElement;
  private readonly search = h("input", { type: "search", placeholder: "Search topics", "aria-label": "Search topics" });
  private readonly list = h("div", { class: "fieldtree", role: "group", "aria-label": "Topics" });
  private readonly head = h("div", { class: "row topichead" });
  private readonly text = h("pre", { class: "message", tabindex: 0, role: "region", "aria-label": "Newest message" });
  private readonly typed = h("textarea", { rows: 5, spellcheck: "false", "aria-label": "Message to publish" });
  private readonly rate = h("select", { "aria-label": "How often it is published" }, h("option", { value: 0 }, "once"), ...[1, 2, 5, 10, 20].map((hz) => h("option", { value: hz }, `${String(hz)} Hz`)));
  private readonly publish = h("button", { type: "button", class: "small primary" });
  private types = new Map<string, string>();
  private chosen = "";
  private last: unknown;
  private arrivals: number[] = [];
  private end: (() => void) | undefined;
  private timer = 0;
  private repeating = 0;
  private ends = "";

  constructor(private readonly studio: Studio) {
    this.search.addEventListener("input", () => { this.draw(); });
    this.publish.addEventListener("click", () => { this.send(); });
    this.element = h("div", { class: "column" }, h("div", { class: "plotbody" },
      h("div", { class: "treecol" }, this.search, this.list),
      h("div", { class: "topic" }, this.head, h("div", { class: "topicbody" }, this.text, h("div", { class: "sending" }, this.typed, h("div", { class: "row" }, this.rate, this.publish,
        h("button", { type: "button", class: "small", title: "An empty message of its type", onclick: () => { void this.blank(); } }, "Empty"),
        h("button", { type: "button", class: "small", title: "The newest message, to be changed", onclick: () => { this.take(); } }, "Newest")))))));
    this.tellSending();
  }

  show(): void {
    void this.load();
    if (this.chosen) this.listen();
    this.timer = window.setInterval(() => { this.tell(); }, DRAWING);
  }

  hide(): void {
    clearInterval(this.timer);
    this.stopSending();
    this.end?.();
    this.end = undefined;
  }

  private async load(): Promise<void> {
    try {
      const { topics, types } = await this.studio.connection.call<{ topics: string[]; types: string[] }>("/rosapi/topics", "rosapi_msgs/srv/Topics");
      this.types = new Map(topics.map((name, i) => [name, types[i]!] as const).sort(([a], [b]) => a.localeCompare(b)));
      this.draw();
      if (!this.chosen) this.choose(this.types.has("/joint_states") ? "/joint_states" : ([...this.types.keys()][0] ?? ""));
    } catch {
      // asked again when the panel is shown
    }
  }

  private draw(): void {
    const text = this.search.value.trim().toLowerCase();
    const rows = [...this.types].filter(([name, type]) => `${name} ${type}`.toLowerCase().includes(text)).map(([name, type]) =>
      h("button", { type: "button", class: "branch", "aria-pressed": String(name === this.chosen), "data-topic": name, onclick: () => { this.choose(name); } }, name, h("small", {}, ` ${type.replace("/msg/", "/")}`)));
    refill(this.list, ...rows, rows.length === 0 && h("p", { class: "hint" }, "Nothing fits."));
  }

  private choose(name: string): void {
    if (!name) return;
    this.chosen = name;
    this.stopSending();
    this.last = undefined;
    this.listen();
    this.draw();
    this.tell();
    void this.blank();
    void this.neighbours(name);
  }

  private listen(): void {
    this.end?.();
    this.arrivals = [];
    const name = this.chosen;
    this.end = this.studio.connection.subscribe(name, this.types.get(name) ?? "", (message: unknown) => {
      this.last = message;
      this.arrivals.push(performance.now());
    }, HEAVY.test(name) ? 500 : 0, HEAVY.test(name) ? 1 : 0);
  }

  private async neighbours(topic: string): Promise<void> {
    try {
      const [{ publishers }, { subscribers }] = await Promise.all([
        this.studio.connection.call<{ publishers: string[] }>("/rosapi/publishers", "rosapi_msgs/srv/Publishers", { topic }),
        this.studio.connection.call<{ subscribers: string[] }>("/rosapi/subscribers", "rosapi_msgs/srv/Subscribers", { topic }),
      ]);
      if (topic === this.chosen) this.ends = `from ${publishers.join(", ") || "nobody"} to ${subscribers.join(", ") || "nobody"}`;
    } catch {
      this.ends = "";
    }
  }

  private tell(): void {
    const now = performance.now();
    this.arrivals = this.arrivals.filter((at) => now - at < LATELY);
    const span = Math.max(250, now - (this.arrivals[0] ?? now));
    const hertz = this.arrivals.length > 1 ? (1000 * (this.arrivals.length - 1)) / span : 0;
    const heavy = HEAVY.test(this.chosen) ? " (heard at most 2 times a second)" : "";
    refill(this.head, h("b", {}, this.chosen), h("span", { class: "muted" }, this.types.get(this.chosen) ?? ""), h("output", { class: "number", "aria-label": "Rate" }, hertz > 0 ? `${fixed(hertz, 1)} Hz${heavy}` : this.last === undefined ? "silent" : "at rest"), h("small", { class: "muted" }, this.ends));
    const text = this.last === undefined ? "No message yet." : shown(this.last);
    if (text !== this.text.textContent) this.text.textContent = text;
  }

  private async blank(): Promise<void> {
    const type = this.types.get(this.chosen) ?? "";
    try {
      const { typedefs } = await this.studio.connection.call<{ typedefs: TypeDef[] }>("/rosapi/message_details", "rosapi_msgs/srv/MessageDetails", { type });
      this.typed.value = JSON.stringify(template(typedefs), null, 1);
    } catch {
      this.typed.value = "{}";
    }
  }

  private take(): void {
    if (this.last === undefined) return;
    this.typed.value = JSON.stringify(this.last, (_key, value: unknown) => (ArrayBuffer.isView(value) ? Array.from(value as unknown as ArrayLike<number>) : typeof value === "bigint" ? Number(value) : value), 1);
  }

  // ---- messages of one's own ---------------------------------------------------------------------
  private send(): void {
    if (this.repeating) {
      this.stopSending();
      return;
    }
    let message: unknown;
    try {
      message = JSON.parse(this.typed.value);
    } catch (error) {
      toast(`The message is no JSON: ${error instanceof Error ? error.message : String(error)}`, "bad");
      return;
    }
    const type = this.types.get(this.chosen) ?? "";
    const once = (): void => { if (!this.studio.connection.publish(this.chosen, type, message)) this.stopSending(); };
    once();
    const hertz = Number(this.rate.value);
    if (hertz > 0) {
      this.repeating = window.setInterval(once, 1000 / hertz);
      this.tellSending();
    } else {
      toast(`Published on ${this.chosen}.`, "good");
    }
  }

  private stopSending(): void {
    clearInterval(this.repeating);
    this.repeating = 0;
    this.tellSending();
  }

  private tellSending(): void {
    refill(this.publish, icon(this.repeating ? "stop" : "right", 12), this.repeating ? "Stop" : "Publish");
  }
}
