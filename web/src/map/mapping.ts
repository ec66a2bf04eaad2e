/** Live mapping from the map panel: begin, end, explore, save, begin anew; hidden words where the session has none. */

import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { icon } from "../ui/icons";
import { recall, remember } from "../ui/store";

interface State {
  mapping?: boolean;
  exploring?: boolean;
  closing?: boolean;
  lost?: boolean;
  scans?: number;
  size?: [number, number];
  resolution?: number;
  seconds?: number;
  file?: string;
}

const TRIGGER = "std_srvs/srv/Trigger";

export class MappingBar {
  readonly element = h("div", { class: "row tools mapping" });
  private readonly words = h("span", { class: "muted", role: "status" });
  private readonly map = h("button", { type: "button", class: "small" });
  private readonly explore = h("button", { type: "button", class: "small" });
  private readonly reset = h("button", { type: "button", class: "small", title: "Forget the map and begin anew" }, icon("reset", 12), "Anew");
  private readonly name = h("input", { type: "text", value: recall("mapname", "my_map"), maxlength: 60, spellcheck: "false", "aria-label": "Name of the map" });
  private readonly save = h("button", { type: "button", class: "small" }, icon("save", 12), "Save map");
  private state: State = {};

  constructor(private readonly studio: Studio) {
    this.map.addEventListener("click", () => { void studio.ask(this.state.mapping ? "/mapping/stop" : "/mapping/start", TRIGGER); });
    this.explore.addEventListener("click", () => { void studio.ask(this.state.exploring ? "/explore/stop" : "/explore/start", TRIGGER); });
    this.reset.addEventListener("click", () => { void studio.ask("/mapping/reset", TRIGGER); });
    this.save.addEventListener("click", () => {
      remember("mapname", this.name.value);
      void studio.ask("/mapping/save", "andante_msgs/srv/Choose", { name: this.name.value.trim() }, 60, "saving the map");
    });
    this.draw();
  }

  /** Listen while the panel is seen; the result ends it. */
  listen(): () => void {
    let end: () => void = () => undefined;
    let gone = false;
    this.studio.connection.call<{ services: string[] }>("/rosapi/services", "rosapi_msgs/srv/Services").then(({ services }) => {
      if (gone) return;
      if (!services.includes("/mapping/start")) {
        refill(this.element, h("span", { class: "muted" }, "This session maps nothing live: explore and map from the command line (andante explore, andante map)."));
        return;
      }
      refill(this.element, this.map, this.explore, this.reset, this.name, this.save, this.words);
      end = this.studio.connection.subscribe<{ data: string }>("/mapping/state", "std_msgs/msg/String", ({ data }) => { this.heard(data); });
    }, () => undefined);
    return () => {
      gone = true;
      end();
    };
  }

  private heard(text: string): void {
    try {
      this.state = JSON.parse(text) as State;
    } catch {
      this.state = {};
    }
    this.draw();
  }

  private draw(): void {
    const { mapping, exploring, closing, lost, scans = 0, size = [0, 0], resolution = 0, seconds = 0, file } = this.state;
    refill(this.map, icon(mapping ? "stop" : "record", 12), mapping ? "Stop mapping" : "Start mapping");
    refill(this.explore, icon(exploring ? "stop" : "follow", 12), exploring ? "Stop exploring" : "Explore");
    this.reset.disabled = !mapping;
    this.save.disabled = this.name.disabled = !mapping && size[0] === 0;
    const area = `${(size[0] * resolution).toFixed(1)} × ${(size[1] * resolution).toFixed(1)} m`;
    const told = [exploring ? "exploring" : mapping ? "mapping: drive around" : "", mapping ? `${String(scans)} scans, ${area}, ${seconds.toFixed(0)} s` : "", closing ? "closing loops" : "", lost ? "scans do not fit: turn back to a place it knows" : "", !mapping && file ? `saved as ${file}` : ""];
    this.words.textContent = told.filter(Boolean).join(" · ");
  }
}
