/** Choosing a topic and one of its numeric fields. */

import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { icon } from "../ui/icons";
import { label, numericPaths } from "./fields";

const SKIPPED = new Set(["/robot_description", "/map", "/costmap", "/camera/image_raw/compressed", "/tf_static", "/parameter_events"]);

export class FieldChooser {
  readonly element: HTMLElement;
  private readonly topic = h("select", { "aria-label": "Topic", class: "grow" });
  private readonly field = h("select", { "aria-label": "Field", class: "grow" });
  private types = new Map<string, string>();
  private end: (() => void) | undefined;

  constructor(
    private readonly studio: Studio,
    private readonly onAdd: (topic: string, type: string, path: string) => void,
  ) {
    const add = h("button", { type: "button", class: "small primary", onclick: () => { this.add(); } }, icon("plus", 13), "Add");
    this.topic.addEventListener("change", () => { this.sample(); });
    this.topic.addEventListener("pointerdown", () => { void this.load(); });
    this.topic.addEventListener("focus", () => { void this.load(); });
    this.element = h("div", { class: "chooser" }, this.topic, this.field, add);
    studio.ready.on((ready) => { if (ready) void this.load(); });
  }

  private async load(): Promise<void> {
    try {
      const { topics, types } = await this.studio.connection.call<{ topics: string[]; types: string[] }>("/rosapi/topics", "rosapi_msgs/srv/Topics");
      const known = topics.map((name, i) => [name, types[i]!] as const).filter(([name]) => !SKIPPED.has(name));
      const same = known.length === this.types.size && known.every(([name]) => this.types.has(name));
      if (same) return;
      const chosen = this.topic.value || "/joint_states";
      this.types = new Map(known);
      refill(this.topic, ...[...this.types.keys()].sort().map((name) => h("option", { value: name }, name)));
      this.topic.value = this.types.has(chosen) ? chosen : (this.topic.options[0]?.value ?? "");
      this.sample();
    } catch {
      // asked again when the list is opened
    }
  }

  /** Read one message to learn the fields. */
  private sample(): void {
    this.end?.();
    const topic = this.topic.value;
    refill(this.field, h("option", { value: "" }, "waiting for a message …"));
    if (!topic) return;
    let done = false;
    const stop = this.studio.connection.subscribe(topic, this.types.get(topic) ?? "", (message: unknown) => {
      if (done) return;
      done = true;
      const paths = numericPaths(message).filter((path) => !path.startsWith("header."));
      refill(this.field, ...paths.map((path) => h("option", { value: path }, label(message, path))));
      if (paths.length === 0) refill(this.field, h("option", { value: "" }, "no numbers in it"));
      queueMicrotask(() => this.end?.());
    });
    this.end = () => {
      stop();
      this.end = undefined;
    };
  }

  private add(): void {
    if (this.field.value) this.onAdd(this.topic.value, this.types.get(this.topic.value) ?? "", this.field.value);
  }
}
