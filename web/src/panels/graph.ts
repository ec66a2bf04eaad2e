/** Graph panel: nodes and topics of the session, drawn with a wire from each publisher to each listener. */

import type { Studio } from "../studio";
import { h, refill, s } from "../ui/dom";
import type { Panel } from "../ui/panel";
import { layout, ROW, type TopicEnds } from "./graph_layout";

const EVERY = 2000; // [ms]
const WIDTH = [190, 230, 190] as const;
const GAP = 110;

export class GraphPanel implements Panel {
  readonly id = "graph";
  readonly title = "Graph";
  readonly element: HTMLElement;
  private readonly box = h("div", { class: "graph", tabindex: 0, "aria-label": "Nodes and topics" });
  private readonly filter = h("input", { type: "search", placeholder: "Filter topics and nodes", "aria-label": "Filter topics and nodes" });
  private readonly silent = h("input", { type: "checkbox", id: "silent" });
  private ends: TopicEnds[] = [];
  private timer = 0;
  private drawn = "";

  constructor(private readonly studio: Studio) {
    this.filter.addEventListener("input", () => { this.draw(); });
    this.silent.addEventListener("change", () => { this.draw(); });
    this.element = h("div", { class: "column" }, h("div", { class: "row tools" }, this.filter, h("label", { for: "silent" }, this.silent, "Topics that nobody hears")), this.box);
  }

  show(): void {
    void this.load();
    this.timer = window.setInterval(() => { void this.load(); }, EVERY);
  }

  hide(): void {
    clearInterval(this.timer);
  }

  private async load(): Promise<void> {
    const { connection } = this.studio;
    try {
      const { nodes } = await connection.call<{ nodes: string[] }>("/rosapi/nodes", "rosapi_msgs/srv/Nodes");
      const table = new Map<string, TopicEnds>();
      const at = (topic: string): TopicEnds => {
        const found = table.get(topic) ?? { topic, type: "", publishers: [], subscribers: [] };
        table.set(topic, found);
        return found;
      };
      await Promise.all(
        nodes.map(async (node) => {
          const details = await connection.call<{ publishing: string[]; subscribing: string[] }>("/rosapi/node_details", "rosapi_msgs/srv/NodeDetails", { node });
          for (const topic of details.publishing) at(topic).publishers.push(node);
          for (const topic of details.subscribing) at(topic).subscribers.push(node);
        }),
      );
      this.ends = [...table.values()];
      this.draw();
    } catch {
      // asked again soon
    }
  }

  private draw(): void {
    const text = this.filter.value.trim().toLowerCase();
    const chosen = this.ends.filter((one) => (this.silent.checked || (one.publishers.length > 0 && one.subscribers.length > 0)) && (text === "" || [one.topic, ...one.publishers, ...one.subscribers].some((name) => name.toLowerCase().includes(text))));
    const key = JSON.stringify(chosen);
    if (key === this.drawn) return;
    this.drawn = key;
    const { boxes, wires, height } = layout(chosen);
    const left = [0, WIDTH[0] + GAP, WIDTH[0] + WIDTH[1] + 2 * GAP] as const;
    const width = left[2] + WIDTH[2];
    const places = new Map(boxes.map((box) => [box.id, box]));
    const drawing = s("svg", { viewBox: `-2 -2 ${String(width + 4)} ${String(height + 4)}`, width: width + 4, height: height + 4, role: "img", "aria-label": `${String(chosen.length)} topics` });
    for (const wire of wires) {
      const a = places.get(wire.from)!;
      const b = places.get(wire.to)!;
      const x0 = left[a.column] + WIDTH[a.column];
      const x1 = left[b.column];
      const [y0, y1] = [a.y + ROW / 2 - 2, b.y + ROW / 2 - 2];
      drawing.append(s("path", { class: "wire", "data-ends": `${wire.from} ${wire.to}`, d: `M${String(x0)} ${String(y0)}C${String(x0 + GAP / 2)} ${String(y0)} ${String(x1 - GAP / 2)} ${String(y1)} ${String(x1)} ${String(y1)}` }));
    }
    for (const box of boxes) {
      const group = s(
        "g",
        { class: box.column === 1 ? "topic" : "node", transform: `translate(${String(left[box.column])} ${String(box.y)})` },
        s("rect", { width: WIDTH[box.column], height: ROW - 5, rx: box.column === 1 ? 4 : 10 }),
        s("text", { x: 9, y: 14.5 }, box.label.length > 31 ? `${box.label.slice(0, 30)}…` : box.label),
        s("title", {}, box.label),
      );
      group.addEventListener("pointerenter", () => { this.light(drawing, box.id, true); });
      group.addEventListener("pointerleave", () => { this.light(drawing, box.id, false); });
      drawing.append(group);
    }
    refill(this.box, chosen.length > 0 ? drawing : h("p", { class: "hint" }, "Nothing fits."));
  }

  private light(drawing: SVGSVGElement, id: string, on: boolean): void {
    for (const wire of drawing.querySelectorAll<SVGPathElement>(".wire")) {
      if (wire.dataset["ends"]?.split(" ").includes(id)) wire.classList.toggle("lit", on);
    }
  }
}
