/** Replay panel: recordings of the session's folder played back into the page; paused, put anywhere, taken along, brought. */

import type { ReplayState } from "../link/messages";
import type { Listing, Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { clock } from "../ui/format";
import { icon } from "../ui/icons";
import type { Panel } from "../ui/panel";
import { toast } from "../ui/toast";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];

export class ReplayPanel implements Panel {
  readonly id = "replay";
  readonly title = "Replay";
  readonly element: HTMLElement;
  private readonly file = h("select", { "aria-label": "Recording", class: "grow" });
  private readonly speed = h("select", { "aria-label": "Speed of the replay" }, ...SPEEDS.map((s) => h("option", { value: s, selected: s === 1 }, `${String(s)} ×`)));
  private readonly loop = h("input", { type: "checkbox", id: "replay-loop" });
  private readonly start = h("button", { type: "button", class: "small primary" });
  private readonly pause = h("button", { type: "button", class: "small", "aria-pressed": "false", "aria-label": "Hold the recording", title: "Hold the recording", disabled: true }, icon("pause", 13));
  private readonly bar = h("input", { type: "range", min: 0, max: 1, step: 0.001, value: 0, class: "scrub", "aria-label": "Position in the recording", disabled: true });
  private readonly words = h("p", { class: "muted", role: "status" });
  private held = false; // the bar is being moved

  constructor(private readonly studio: Studio) {
    this.start.addEventListener("click", () => { void this.toggle(); });
    this.pause.addEventListener("click", () => { void studio.connection.call("/replay_pause", "std_srvs/srv/SetBool", { data: this.pause.getAttribute("aria-pressed") !== "true" }).catch(() => undefined); });
    this.bar.addEventListener("input", () => { this.held = true; });
    this.bar.addEventListener("change", () => { this.held = false; void this.seek(Number(this.bar.value)); });
    for (const control of [this.speed, this.loop]) control.addEventListener("change", () => { const now = studio.replay.value; if (now) void this.seek(now.position / (now.duration || 1)); });
    for (const kind of ["pointerdown", "focus"]) this.file.addEventListener(kind, () => { void this.load(); });
    const bring = h("input", { type: "file", accept: ".mcap,.bag,.db3", class: "unseen", tabindex: -1, "aria-label": "Recording to bring" });
    bring.addEventListener("change", () => {
      const file = bring.files?.[0];
      bring.value = "";
      if (file) void this.bring(file);
    });
    this.element = h(
      "div",
      { class: "column" },
      h("div", { class: "row tools" }, this.file, this.speed, h("label", { for: "replay-loop" }, this.loop, "Again and again"), this.start, this.pause,
        h("button", { type: "button", class: "small", title: "Download the recording", "aria-label": "Download the recording", onclick: () => { this.download(); } }, icon("download", 13)),
        h("button", { type: "button", class: "small", title: "Bring a recording of your own (MCAP, bag, db3)", onclick: () => { bring.click(); } }, icon("open", 13), "Bring"), bring),
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
    if (this.studio.replay.value) await this.studio.ask("/replay_stop", "std_srvs/srv/Trigger");
    else await this.play(this.file.value, 0, false);
  }

  private async play(name: string, start: number, paused: boolean): Promise<void> {
    const request = { name, speed: Number(this.speed.value), start, loop: this.loop.checked, paused };
    await this.studio.ask("/replay", "andante_msgs/srv/Replay", request);
  }

  /** Go on from a share of the recording. */
  private async seek(share: number): Promise<void> {
    const now = this.studio.replay.value;
    if (now) await this.play(now.file, Math.min(share, 0.999) * now.duration, now.paused);
  }

  private download(): void {
    if (!this.file.value) return;
    h("a", { href: `recording/${encodeURIComponent(this.file.value)}${location.search}`, download: this.file.value }).click();
  }

  private async bring(file: File): Promise<void> {
    const name = file.name.replace(/[^A-Za-z0-9_.-]+/g, "_");
    try {
      const answer = await this.studio.busy.during(`reading ${file.name}`, fetch(`recording/${encodeURIComponent(name)}${location.search}`, { method: "POST", body: file }));
      const told = (await answer.json()) as { error?: string; messages?: number };
      if (told.error !== undefined) throw new Error(told.error);
      toast(`${name}: ${String(told.messages)} messages`, "good");
      await this.load();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  private shown: boolean | undefined;

  private tell(state: ReplayState | null): void {
    const playing = state !== null;
    if (playing !== this.shown) {
      this.shown = playing;
      refill(this.start, icon(playing ? "stop" : "play", 13), playing ? "Stop" : "Play");
      this.pause.disabled = this.bar.disabled = !playing;
    }
    this.pause.setAttribute("aria-pressed", String(state?.paused ?? false));
    this.start.disabled = !playing && this.file.options.length === 0;
    if (!this.held) this.bar.value = String(state && state.duration > 0 ? Math.min(1, state.position / state.duration) : 0);
    if (state) this.words.textContent = `${state.file}: ${clock(state.position)} of ${clock(state.duration)} at ${String(state.speed)} ×${state.paused ? ", paused" : ""}`;
    else this.words.textContent = this.file.options.length === 0 ? "No recordings yet." : "Live.";
  }
}
