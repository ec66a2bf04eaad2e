/** Replay panel: a recording of the session's folder played back into the page, at a speed, with its clock. */

import type { ReplayState } from "../link/messages";
import type { Listing, Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { clock } from "../ui/format";
import { icon } from "../ui/icons";
import type { Panel } from "../ui/panel";

const SPEEDS = [0.25, 0.5, 1, 2, 4];

export class ReplayPanel implements Panel {
  readonly id = "replay";
  readonly title = "Replay";
  readonly element: HTMLElement;
  private readonly file = h("select", { "aria-label": "Recording", class: "grow" });
  private readonly speed = h("select", { "aria-label": "Speed of the replay" }, ...SPEEDS.map((s) => h("option", { value: s, selected: s === 1 }, `${String(s)} ×`)));
  private readonly loop = h("input", { type: "checkbox", id: "replay-loop" });
  private readonly start = h("button", { type: "button", class: "small primary" });
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "Position in the recording" });
  private readonly words = h("p", { class: "muted", role: "status" });

  constructor(private readonly studio: Studio) {
    this.start.addEventListener("click", () => { void this.toggle(); });
    for (const kind of ["pointerdown", "focus"]) this.file.addEventListener(kind, () => { void this.load(); });
    this.element = h(
      "div",
      { class: "column" },
      h("div", { class: "row tools" }, this.file, this.speed, h("label", { for: "replay-loop" }, this.loop, "Again and again"), this.start),
      this.bar,
      this.words,
      h("p", { class: "hint" }, "The robot of the session stands still meanwhile and goes on afterwards. Recordings are made by the button at the top."),
    );
    let recorded = false;
    studio.status.on((status) => {
      const recording = status?.recording === true && !studio.replay.value;
      if (recorded && !recording) void this.load();
      recorded = recording;
    });
    studio.ready.on((ready) => { if (ready) void this.load(); });
    studio.replay.watch((state) => { this.tell(state); });
  }

  show(): void {
    void this.load();
  }

  /** The names of the recordings, the newest first and chosen. */
  private async load(): Promise<void> {
    if (!this.studio.ready.value) return;
    try {
      const { names } = await this.studio.connection.call<Listing>("/list", "andante_msgs/srv/List", { kind: "recordings" });
      const newest = [...names].reverse();
      if (newest.join() === [...this.file.options].map((option) => option.value).join()) return;
      const known = new Set([...this.file.options].map((option) => option.value));
      const chosen = newest.find((name) => !known.has(name)) ?? this.file.value;
      refill(this.file, ...newest.map((name) => h("option", { value: name }, name)));
      if (newest.includes(chosen)) this.file.value = chosen;
      this.tell(this.studio.replay.value);
    } catch {
      // asked again when the list is opened
    }
  }

  private async toggle(): Promise<void> {
    if (this.studio.replay.value) {
      await this.studio.ask("/replay_stop", "std_srvs/srv/Trigger");
      return;
    }
    const request = { name: this.file.value, speed: Number(this.speed.value), start: 0, loop: this.loop.checked };
    await this.studio.ask("/replay", "andante_msgs/srv/Replay", request);
  }

  private shown: boolean | undefined;

  private tell(state: ReplayState | null): void {
    const playing = state !== null;
    if (playing !== this.shown) {
      this.shown = playing;
      refill(this.start, icon(playing ? "stop" : "play", 13), playing ? "Stop" : "Play");
    }
    this.start.disabled = !playing && this.file.options.length === 0;
    this.bar.value = state && state.duration > 0 ? Math.min(1, state.position / state.duration) : 0;
    if (state) this.words.textContent = `${state.file}: ${clock(state.position)} of ${clock(state.duration)} at ${String(state.speed)} ×`;
    else this.words.textContent = this.file.options.length === 0 ? "No recordings yet." : "Live.";
  }
}
