/** All topics with their numeric fields as a tree that can be searched; a click on a field adds its curve. */

import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { label, numericPaths } from "./fields";
import { unitOf } from "./units";

export interface Field {
  topic: string;
  type: string;
  path: string;
}

const SKIPPED = new Set(["/robot_description", "/map", "/costmap", "/camera/image_raw/compressed", "/camera/image_raw", "/tf", "/tf_static", "/parameter_events", "/rosout", "/scene/models"]);
const HEAVY = /Image$|OccupancyGrid$|PointCloud2?$/; // types of which no number is plotted
const MOST = 60; // fields of a topic that are shown at once
const PATIENCE = 5000; // for a message of a topic [ms]

interface Topic {
  name: string;
  type: string;
  fields: { path: string; label: string; unit: string }[] | undefined;
  open: boolean;
}

export class FieldTree {
  readonly element: HTMLElement;
  private readonly search = h("input", { type: "search", placeholder: "Search topics and fields", "aria-label": "Search topics and fields" });
  private readonly list = h("div", { class: "fieldtree", role: "group", "aria-label": "Topics and fields" });
  private topics = new Map<string, Topic>();
  private asking = new Map<string, Promise<void>>();

  constructor(private readonly studio: Studio, private readonly onChoose: (field: Field) => void) {
    let timer = 0;
    this.search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => { void this.find(); }, 150);
    });
    this.element = h("div", { class: "treecol" }, this.search, this.list);
    studio.ready.on((ready) => { if (ready) void this.load(); });
  }

  /** Ask for the topics that there are now. */
  async load(): Promise<void> {
    if (!this.studio.ready.value) return;
    try {
      const { topics, types } = await this.studio.connection.call<{ topics: string[]; types: string[] }>("/rosapi/topics", "rosapi_msgs/srv/Topics");
      const fresh = new Map<string, Topic>();
      topics.map((name, i) => [name, types[i]!] as const).filter(([name, type]) => !SKIPPED.has(name) && !HEAVY.test(type)).sort(([a], [b]) => a.localeCompare(b)).forEach(([name, type]) => {
        fresh.set(name, this.topics.get(name) ?? { name, type, fields: undefined, open: false });
      });
      const same = fresh.size === this.topics.size && [...fresh.keys()].every((name) => this.topics.has(name));
      this.topics = fresh;
      if (!same || this.list.childElementCount === 0) this.draw();
    } catch {
      // asked again when the panel is shown
    }
  }

  /** All fields whose topic and label fit; topics that say nothing for a while have none. */
  async matching(topic: RegExp, field: RegExp): Promise<Field[]> {
    if (this.topics.size === 0) await this.load();
    const wanted = [...this.topics.values()].filter((one) => topic.test(one.name));
    await Promise.all(wanted.map((one) => this.sample(one)));
    return wanted.flatMap((one) => (one.fields ?? []).filter((each) => field.test(each.label) || field.test(each.path)).map(({ path }) => ({ topic: one.name, type: one.type, path })));
  }

  private async find(): Promise<void> {
    this.draw();
    if (this.search.value.trim().length < 2) return;
    const unknown = [...this.topics.values()].filter((one) => !one.fields);
    await Promise.all(unknown.map((one) => this.sample(one).then(() => { if (one.fields) this.draw(); })));
  }

  /** Read one message to learn the fields. */
  private sample(topic: Topic): Promise<void> {
    if (topic.fields) return Promise.resolve();
    let asked = this.asking.get(topic.name);
    if (!asked) {
      asked = new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.asking.delete(topic.name);
          queueMicrotask(() => { end(); });
          resolve();
        };
        const timer = setTimeout(done, PATIENCE);
        const end = this.studio.connection.subscribe(topic.name, topic.type, (message: unknown) => {
          if (topic.fields) return;
          const paths = numericPaths(message).filter((path) => !path.startsWith("header."));
          topic.fields = paths.map((path) => ({ path, label: label(message, path), unit: unitOf(topic.type, path) }));
          done();
        });
      });
      this.asking.set(topic.name, asked);
    }
    return asked;
  }

  private draw(): void {
    const words = this.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
    const rows: HTMLElement[] = [];
    for (const topic of this.topics.values()) {
      const fields = (topic.fields ?? []).filter((field) => words.length === 0 || fits(`${topic.name} ${field.label} ${field.unit}`));
      if (words.length > 0 && fields.length === 0 && !fits(topic.name)) continue;
      const open = words.length > 0 ? fields.length > 0 : topic.open;
      const head = h("button", { type: "button", class: "branch", "aria-expanded": String(open), "data-topic": topic.name, title: topic.type, onclick: () => { void this.toggle(topic); } }, open ? "▾ " : "▸ ", topic.name);
      rows.push(head);
      if (!open) continue;
      if (topic.fields?.length === 0) rows.push(h("p", { class: "hint" }, "no numbers in it"));
      if (!topic.fields) rows.push(h("p", { class: "hint" }, "no message yet"));
      for (const field of fields.slice(0, MOST)) {
        const run = (): void => { this.onChoose({ topic: topic.name, type: topic.type, path: field.path }); };
        rows.push(h("button", { type: "button", class: "leaf", "data-field": `${topic.name} ${field.path}`, title: "Add its curve", onclick: run }, field.label, field.unit && h("small", {}, ` ${field.unit}`)));
      }
      if (fields.length > MOST) rows.push(h("p", { class: "hint" }, `${String(fields.length - MOST)} more; search for them`));
    }
    if (rows.length === 0) rows.push(h("p", { class: "hint" }, words.length > 0 ? "Nothing fits." : "No topics yet."));
    const top = this.list.scrollTop;
    refill(this.list, ...rows);
    this.list.scrollTop = top;
  }

  private async toggle(topic: Topic): Promise<void> {
    topic.open = !topic.open;
    if (topic.open) await this.sample(topic);
    this.draw();
    this.list.querySelector<HTMLElement>(`[data-topic="${CSS.escape(topic.name)}"]`)?.focus();
  }
}
