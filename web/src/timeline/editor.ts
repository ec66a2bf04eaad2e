/** The motion editor: the draft with its undo, what is chosen, the ghost, and what the session is asked for. */

import type { Rehearsal } from "../link/messages";
import { Hearing } from "../link/topics";
import { Undo } from "../editor/history";
import type { Stage } from "../scene/stage";
import type { Studio } from "../studio";
import { toast } from "../ui/toast";
import { Signal } from "../ui/signal";
import { recall, remember } from "../ui/store";
import type { Held } from "./chart";
import { duration, emptyDraft, keyAt, mirrored, moved, pasteKeys, postureAt, readDraft, setAt, stretchKeys, writeDraft, type Draft, type Key, type Mate } from "./draft";
import { Ghost, type Drag } from "./ghost";

const TYPE = "andante_msgs/srv/EditMotion";
const CHECKING = 400; // after the last change [ms]
const CHANGED = 1e-4; // a joint that moved less did not [rad]
const SAMPLING = 250; // between two keys of a live capture [ms]

export interface About {
  robot: string;
  start: Record<string, number>;
  mates: Record<string, Mate>;
  limits: Record<string, [number | null, number | null, number | null]>;
  feet: string[];
  balance: boolean;
}

interface Answer {
  success: boolean;
  message: string;
  motion: string;
  problems: string[];
  about: string;
}

export class MotionEditor {
  readonly changed = new Signal<number>(0);
  readonly about = new Signal<About | null>(null);
  readonly problems = new Signal<readonly string[]>([]);
  readonly words = new Signal<string>("");
  readonly playing = new Signal<boolean>(false);
  readonly capturing = new Signal<boolean>(false);
  readonly rehearsing = new Signal<boolean>(false);
  draft: Draft = emptyDraft();
  playhead = 0;
  joints: string[] = [];
  chosen: ReadonlySet<Key> = new Set();
  balanced = true;
  private falls = Infinity;
  private undos = new Undo<Draft>(JSON.stringify(this.draft));
  private copied: Key[] = [];
  private readonly ghost: Ghost;
  private readonly hearing: Hearing;
  private pulled: Drag | undefined;
  private pulling = false;
  private dragging = false;
  private checkTimer = 0;
  private open = false;

  constructor(private readonly studio: Studio, stage: Stage) {
    this.ghost = new Ghost(stage, (drag) => { this.drag(drag); }, () => { this.drop(); });
    this.hearing = new Hearing(studio.connection);
    studio.robot.on(() => { if (this.open) void this.meet(); });
    const kept = recall<Draft | null>("motion", null);
    if (kept && Array.isArray(kept.keys)) this.draft = kept;
    this.undos = new Undo<Draft>(JSON.stringify(this.draft));
  }

  /** Begin: the ghost is shown. */
  async show(): Promise<void> {
    this.open = true;
    this.ghost.show(true);
    this.hearing.subscribe("/motion/rehearsal", (told) => { this.rehearsed(told); });
    await this.meet();
  }

  hide(): void {
    this.open = false;
    this.playing.value = false;
    this.capturing.value = false;
    this.ghost.show(false);
    this.hearing.stop();
  }

  get held(): Held {
    const { draft, playhead, joints, chosen, falls } = this;
    const { start, limits } = this.about.value ?? { start: {}, limits: {} };
    return { draft, start, limits, playhead, joints, chosen, falls };
  }

  private get limits(): About["limits"] {
    return this.about.value?.limits ?? {};
  }

  get posture(): Record<string, number> {
    return postureAt(this.draft, this.about.value?.start ?? {}, this.playhead);
  }

  // ---- the session -------------------------------------------------------------------------------
  private async call(verb: string, name = "", rate = 0, motion = ""): Promise<Answer> {
    const answer = await this.studio.connection.call<Answer>(`/motion/${verb}`, TYPE, { motion, name, rate }, 30);
    if (!answer.success) throw new Error(answer.message);
    return answer;
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  /** Learn about the robot: where its motions start, limits, mates. */
  async meet(): Promise<void> {
    await this.attempt(async () => {
      const about = JSON.parse((await this.call("open")).about) as About;
      if (about.robot !== this.about.value?.robot) {
        const strange = moved(this.draft).filter((joint) => !(joint in about.limits));
        if (strange.length > 0) this.take(emptyDraft());
        this.joints = [];
      }
      this.ghost.feet = about.feet;
      this.about.value = about;
      if (this.joints.length === 0) this.joints = moved(this.draft).slice(0, 3);
      this.refresh();
    });
  }

  async load(name: string): Promise<void> {
    await this.attempt(async () => {
      const answer = await this.call("open", name);
      this.about.value = JSON.parse(answer.about) as About;
      this.take(readDraft(answer.motion));
    });
  }

  async capture(recording: string, rate: number): Promise<void> {
    await this.attempt(async () => {
      const answer = await this.call("capture", recording, rate);
      this.take(readDraft(answer.motion));
      toast(answer.message, "good");
    });
  }

  async save(): Promise<void> {
    await this.attempt(async () => {
      const answer = await this.call("save", this.draft.name, 0, writeDraft(this.draft));
      toast(answer.message, "good");
      this.studio.relist();
    });
  }

  /** The text in another form, and the name of its file. */
  async exported(form: string): Promise<{ text: string; file: string } | undefined> {
    let made: { text: string; file: string } | undefined;
    await this.attempt(async () => {
      const answer = await this.call("export", form, 0, writeDraft(this.draft));
      made = { text: answer.motion, file: answer.message };
    });
    return made;
  }

  async perform(): Promise<void> {
    await this.attempt(async () => { toast((await this.call("play", "", 0, writeDraft(this.draft))).message, "good"); });
  }

  async rehearse(): Promise<void> {
    this.falls = Infinity;
    this.refresh();
    await this.attempt(async () => { await this.call("rehearse", "", 0, writeDraft(this.draft)); });
  }

  private rehearsed(told: Rehearsal): void {
    if (!told.name) return;
    const ended = this.rehearsing.value && !told.running;
    this.rehearsing.value = told.running;
    this.words.value = told.message;
    if (!ended) return;
    this.falls = told.fallen ? told.time : Infinity;
    this.problems.value = told.problems;
    toast(told.message, told.fallen ? "bad" : "good");
    this.refresh();
  }

  private check(): void {
    clearTimeout(this.checkTimer);
    if (this.draft.keys.length === 0) {
      this.problems.value = [];
      return;
    }
    this.checkTimer = window.setTimeout(() => {
      this.call("check", "", 0, writeDraft(this.draft)).then(({ problems }) => { this.problems.value = problems; }, (error: unknown) => { this.problems.value = [`error: ${error instanceof Error ? error.message : String(error)}`]; });
    }, CHECKING);
  }

  // ---- changes -----------------------------------------------------------------------------------
  /** Another motion in place of this one; undo brings this one back. */
  take(draft: Draft): void {
    this.draft = draft;
    this.playhead = 0;
    this.chosen = new Set();
    this.joints = moved(draft).slice(0, 3);
    this.commit();
  }

  refresh(): void {
    this.ghost.pose(this.posture);
    this.changed.value += 1;
  }

  commit(): void {
    this.undos.push(this.draft);
    this.falls = Infinity;
    if (!this.rehearsing.value) this.words.value = "";
    remember("motion", this.draft.keys.length < 500 ? this.draft : null);
    this.check();
    this.refresh();
  }

  undo(back: boolean): void {
    const state = back ? this.undos.undo() : this.undos.redo();
    if (!state) return;
    this.draft = state;
    this.chosen = new Set();
    this.check();
    this.refresh();
  }

  seek(time: number): void {
    this.playhead = Math.max(0, time);
    this.refresh();
  }

  choose(keys: ReadonlySet<Key>): void {
    this.chosen = keys;
    this.refresh();
  }

  /** Give joints positions at the playhead. */
  set(positions: Record<string, number>, done = true): void {
    const key = setAt(this.draft, this.playhead, positions);
    this.chosen = new Set([key]);
    if (done) this.commit();
    else this.refresh();
  }

  /** A key of the whole posture at the playhead. */
  addKey(): void {
    const limits = this.limits;
    const names = moved(this.draft);
    const posture = this.posture;
    const whole = names.length > 0 ? names : Object.keys(limits);
    this.set(Object.fromEntries(whole.map((name) => [name, posture[name] ?? 0])));
  }

  remove(): void {
    if (this.chosen.size === 0) return;
    this.draft.keys = this.draft.keys.filter((key) => !this.chosen.has(key));
    this.chosen = new Set();
    this.commit();
  }

  copy(): void {
    const keys = this.chosen.size > 0 ? [...this.chosen] : this.draft.keys;
    this.copied = keys.map((key) => ({ time: key.time, positions: { ...key.positions } }));
  }

  paste(): void {
    if (this.copied.length === 0) return;
    this.chosen = new Set(pasteKeys(this.draft, this.copied, this.playhead));
    this.commit();
  }

  /** Change left and right of the chosen keys, or of all. */
  mirror(): void {
    const mates = this.about.value?.mates ?? {};
    for (const key of this.chosen.size > 0 ? this.chosen : this.draft.keys) key.positions = mirrored(key.positions, mates);
    this.joints = [...new Set([...this.joints, ...this.joints.map((joint) => mates[joint]?.[0] ?? joint)])].slice(0, 8);
    this.commit();
  }

  stretch(factor: number): void {
    const keys = this.chosen.size > 1 ? [...this.chosen] : this.draft.keys;
    stretchKeys(this.draft, keys, factor);
    this.commit();
  }

  // ---- the ghost ---------------------------------------------------------------------------------
  /** Let the ghost play, or stop it. */
  play(): void {
    if (this.playing.value) {
      this.playing.value = false;
      return;
    }
    const end = duration(this.draft);
    if (end <= 0) return;
    if (this.playhead >= end - 1e-3) this.playhead = 0;
    this.playing.value = true;
    let before = performance.now();
    const tick = (now: number): void => {
      if (!this.playing.value) return;
      this.playhead += (now - before) / 1000;
      before = now;
      if (this.playhead >= end) {
        if (this.draft.loop === 1) {
          this.playhead = end;
          this.playing.value = false;
        } else {
          this.playhead %= end;
        }
      }
      this.refresh();
      if (this.playing.value) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** A link is dragged: the newest wish is asked for, one at a time. */
  private drag(drag: Drag): void {
    this.pulled = drag;
    this.dragging = true;
    if (!this.pulling) void this.pull();
  }

  /** One drag is one step of undo. */
  private drop(): void {
    this.dragging = false;
    if (!this.pulling) this.commit();
  }

  private async pull(): Promise<void> {
    this.pulling = true;
    while (this.pulled) {
      const { link, position } = this.pulled;
      this.pulled = undefined;
      const posture = this.posture;
      try {
        const answer = await this.studio.connection.call<{ success: boolean; message: string; joints: string[]; positions: ArrayLike<number> }>(
          "/motion/reach", "andante_msgs/srv/Reach", { link, position, joints: Object.keys(posture), positions: Object.values(posture), balanced: this.balanced }, 5);
        this.words.value = answer.message;
        if (!answer.success) continue;
        const limits = this.limits;
        const fresh = answer.joints.map((name, i) => [name, answer.positions[i]!] as const).filter(([name, value]) => name in limits && Math.abs(value - (posture[name] ?? 0)) > CHANGED);
        if (fresh.length > 0) this.set(Object.fromEntries(fresh), false);
      } catch (error) {
        this.words.value = error instanceof Error ? error.message : String(error);
      }
    }
    this.pulling = false;
    if (!this.dragging) this.commit();
  }

  // ---- the robot ---------------------------------------------------------------------------------
  /** A key of where the robot's joints are now. */
  fromRobot(): void {
    const end = this.studio.connection.subscribe<{ name: string[]; position: ArrayLike<number> }>("/joint_states", "sensor_msgs/msg/JointState", (told) => {
      queueMicrotask(() => { end(); });
      this.set(this.read(told));
    });
  }

  /** Keys of how the robot moves, from the playhead on, until it is called again. */
  captureLive(): void {
    if (this.capturing.value) {
      this.capturing.value = false;
      return;
    }
    this.capturing.value = true;
    const from = this.playhead;
    let began: number | undefined;
    let last = -Infinity;
    const end = this.studio.connection.subscribe<{ header?: { stamp: { sec: number; nanosec: number } }; name: string[]; position: ArrayLike<number> }>("/joint_states", "sensor_msgs/msg/JointState", (told) => {
      if (!this.capturing.value) {
        queueMicrotask(() => { end(); });
        this.commit();
        return;
      }
      const stamp = told.header?.stamp;
      const now = stamp ? 1000 * stamp.sec + stamp.nanosec / 1e6 : performance.now();
      began ??= now;
      if (now - last < SAMPLING) return;
      last = now;
      this.playhead = from + (now - began) / 1000;
      setAt(this.draft, this.playhead, this.read(told));
      this.refresh();
    }, 40);
  }

  private read(told: { name: string[]; position: ArrayLike<number> }): Record<string, number> {
    const limits = this.limits;
    const pairs = told.name.map((name, i) => [name, told.position[i]!] as const);
    return Object.fromEntries(pairs.filter(([name, value]) => name in limits && Number.isFinite(value)).map(([name, value]) => {
      const [low, high] = limits[name]!;
      return [name, Math.min(Math.max(value, low ?? -Infinity), high ?? Infinity)];
    }));
  }

  /** The key at the playhead. */
  get present(): Key | undefined {
    return keyAt(this.draft, this.playhead);
  }
}
