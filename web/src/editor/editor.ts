/** The scene editor: things added, moved, turned, sized, copied and deleted over the picture, saved as SDF by the session. */

import type { Stage } from "../scene/stage";
import type { Studio } from "../studio";
import { takesText } from "../ui/dom";
import { Signal } from "../ui/signal";
import { toast } from "../ui/toast";
import { Board } from "./board";
import { Undo } from "./history";
import { Form } from "./form";
import { readPicture, rectangles } from "./rooms";
import { freshName, KINDS, snapped, wallBetween, type Kept, type SceneData, type Thing } from "./things";

export type Mode = "choose" | "wall" | "measure";
const TURN = Math.PI / 12; // of one press of R
const FEW = 1e-4;

interface Answer {
  success: boolean;
  message: string;
  scene: string;
  revision: number;
}

export class Editor {
  readonly mode = new Signal<Mode>("choose");
  readonly chosen = new Signal<ReadonlySet<string>>(new Set());
  readonly words = new Signal<string>("");
  readonly changed = new Signal<number>(0);
  /** Grid on which things are put [m]; 0: none. */
  snap = 0.05;
  scene: SceneData = { name: "", things: [], kept: [] };
  open = false;
  private readonly board: Board;
  private readonly form: Form;
  private undos = new Undo<SceneData>("");
  private revision = 0;
  private hidden: { visible: boolean }[] = [];
  private paused = false;

  constructor(
    private readonly studio: Studio,
    private readonly stage: Stage,
    holder: HTMLElement,
  ) {
    this.board = new Board(stage.view);
    this.form = new Form(this);
    holder.append(this.form.element);
    const { canvas } = stage.view;
    canvas.addEventListener("pointerdown", (event) => { this.down(event); }, { capture: true });
    window.addEventListener("keydown", (event) => { this.key(event); }, { capture: true });
    studio.connection.subscribe<{ data: number }>("/scene/revision", "std_msgs/msg/UInt32", ({ data }) => {
      if (this.open && data !== this.revision) toast("Somebody else has saved this scene. What is saved last stays.", "bad", { label: "Show theirs", run: () => { void this.load(); } });
    });
  }

  /** Enter or leave. */
  async toggle(): Promise<void> {
    if (this.open) this.leave();
    else if (await this.load()) this.enter();
  }

  private enter(): void {
    this.open = true;
    this.form.element.hidden = false;
    this.stage.view.scene.add(this.board.group);
    this.hideWorld(true);
    this.redraw();
  }

  private leave(): void {
    this.open = false;
    this.form.element.hidden = true;
    this.mode.value = "choose";
    this.stage.view.scene.remove(this.board.group);
    this.hideWorld(false);
    if (this.paused) this.pause(false);
    this.stage.view.invalidate();
  }

  /** The world as it is simulated is out of sight while its things are edited; its floor stays. */
  private hideWorld(hide: boolean): void {
    for (const one of this.hidden) one.visible = true;
    this.hidden = [];
    if (!hide) return;
    for (const part of this.stage.world.value?.things ?? []) {
      part.visible = false;
      this.hidden.push(part);
    }
  }

  /** Let the simulation stand still while one edits, or go on. */
  pause(on: boolean): void {
    this.paused = on;
    void this.studio.ask(on ? "/pause" : "/resume", "std_srvs/srv/Trigger");
  }

  private async load(): Promise<boolean> {
    try {
      const answer = await this.call("", "");
      if (!answer.success) throw new Error(answer.message);
      this.take(answer);
      this.undos = new Undo<SceneData>(JSON.stringify(this.scene));
      this.redraw();
      return true;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
      return false;
    }
  }

  private take(answer: Answer): void {
    this.scene = JSON.parse(answer.scene) as SceneData;
    this.revision = answer.revision;
    this.chosen.value = new Set();
  }

  private call(scene: string, name: string): Promise<Answer> {
    return this.studio.connection.call<Answer>("/scene/edit", "andante_msgs/srv/EditScene", { scene, name }, 120);
  }

  /** Save under a name and put it into the session. */
  async save(name: string): Promise<void> {
    const bare = { ...this.scene, kept: this.scene.kept.map(({ name: of, x, y, z, yaw }) => ({ name: of, x, y, z, yaw })) };
    try {
      const answer = await this.studio.busy.during(`saving ${name} and building the scene`, this.call(JSON.stringify(bare), name));
      toast(answer.message, answer.success ? "good" : "bad");
      if (!answer.success) return;
      this.take(answer);
      this.studio.relist();
      this.leave();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  // ---- changes ---------------------------------------------------------------------------------
  get items(): (Thing | Kept)[] {
    return [...this.scene.things, ...this.scene.kept];
  }

  get picked(): (Thing | Kept)[] {
    return this.items.filter((one) => this.chosen.value.has(one.name));
  }

  /** Something has changed: keep it for undo, draw it. */
  commit(): void {
    this.undos.push(this.scene);
    this.redraw();
  }

  redraw(): void {
    this.board.draw(this.scene.things, this.scene.kept, this.chosen.value);
    this.changed.value += 1;
  }

  add(kind: string, values: Partial<Thing> = {}): Thing {
    const start = KINDS[kind]!;
    const target = this.stage.view.controls.target;
    const thing: Thing = {
      name: freshName(kind, new Set(this.items.map((one) => one.name))), kind, z: 0, yaw: 0, friction: 0.8, group: "",
      ...start, size: [...start.size], x: snapped(target.x + 0.8, this.snap), y: snapped(target.y, this.snap), ...values,
    };
    this.scene.things.push(thing);
    this.chosen.value = new Set([thing.name]);
    this.commit();
    return thing;
  }

  copy(): void {
    const taken = new Set(this.items.map((one) => one.name));
    const fresh = new Set<string>();
    for (const one of this.picked) {
      if (!("kind" in one)) continue;
      const name = freshName(one.kind, taken);
      taken.add(name);
      fresh.add(name);
      this.scene.things.push({ ...one, size: [...one.size], name, x: one.x + 0.3, y: one.y + 0.3 });
    }
    if (fresh.size === 0) return;
    this.chosen.value = fresh;
    this.commit();
  }

  remove(): void {
    const gone = this.chosen.value;
    if (gone.size === 0) return;
    this.scene.things = this.scene.things.filter((one) => !gone.has(one.name));
    this.scene.kept = this.scene.kept.filter((one) => !gone.has(one.name));
    this.chosen.value = new Set();
    this.commit();
  }

  turn(by = TURN): void {
    for (const one of this.picked) one.yaw = Math.atan2(Math.sin(one.yaw + by), Math.cos(one.yaw + by));
    this.commit();
  }

  /** Put the chosen ones onto one line: x or y of the first. */
  align(axis: "x" | "y"): void {
    const [first, ...others] = this.picked;
    if (!first) return;
    for (const one of others) one[axis] = first[axis];
    this.commit();
  }

  /** What is chosen together belongs together from now on, or no longer. */
  group(together: boolean): void {
    const things = this.picked.filter((one) => "kind" in one);
    const name = together ? freshName("group", new Set(this.scene.things.map((one) => one.group))) : "";
    for (const one of things) one.group = name;
    this.commit();
  }

  undo(back: boolean): void {
    const state = back ? this.undos.undo() : this.undos.redo();
    if (!state) return;
    this.scene = state;
    this.chosen.value = new Set([...this.chosen.value].filter((name) => this.items.some((one) => one.name === name)));
    this.redraw();
  }

  /** Walls from the picture of a map, its middle at the origin. */
  async rooms(file: Blob, resolution: number): Promise<void> {
    try {
      const picture = await readPicture(file);
      const found = rectangles(picture);
      const taken = new Set(this.items.map((one) => one.name));
      for (const [column, row, columns, rows] of found) {
        const name = freshName("wall", taken);
        taken.add(name);
        const x = (column + columns / 2 - picture.width / 2) * resolution;
        const y = (picture.height / 2 - row - rows / 2) * resolution;
        this.scene.things.push({ ...KINDS["wall"]!, name, kind: "wall", x, y, z: 0, yaw: 0, size: [columns * resolution, rows * resolution, 1], friction: 0.8, group: "rooms" });
      }
      this.commit();
      toast(`${String(found.length)} pieces of wall from the picture.`, "good");
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
  }

  // ---- pointer and keys ------------------------------------------------------------------------
  private down(event: PointerEvent): void {
    if (!this.open || event.button !== 0) return;
    if (this.mode.value === "choose") this.drag(event);
    else this.line(event);
  }

  /** Choose what is under the pointer, and move it over the floor. */
  private drag(event: PointerEvent): void {
    const name = this.board.hit(event);
    if (name === undefined) {
      if (!event.shiftKey) this.choose(new Set());
      return; // the picture is turned
    }
    event.stopImmediatePropagation();
    const group = this.scene.things.find((one) => one.name === name)?.group;
    const mates = group ? this.scene.things.filter((one) => one.group === group).map((one) => one.name) : [name];
    if (event.shiftKey) this.choose(new Set([...this.chosen.value, ...mates]));
    else if (!this.chosen.value.has(name)) this.choose(new Set(mates));
    const held = this.items.find((one) => one.name === name)!;
    const from = this.board.floor(event, held.z);
    const starts = this.picked.map((one) => ({ one, x: one.x, y: one.y }));
    this.follow(event, (next) => {
      const at = this.board.floor(next, held.z);
      if (!from || !at) return;
      for (const { one, x, y } of starts) {
        one.x = snapped(x + at[0] - from[0], this.snap);
        one.y = snapped(y + at[1] - from[1], this.snap);
      }
      this.redraw();
    }, () => { this.commit(); });
  }

  /** Draw a wall on the floor, or measure a distance. */
  private line(event: PointerEvent): void {
    event.stopImmediatePropagation();
    const grid = (at: [number, number]): [number, number] => [snapped(at[0], this.snap), snapped(at[1], this.snap)];
    const start = this.board.floor(event);
    if (!start) return;
    const from = grid(start);
    const draws = this.mode.value === "wall";
    const wall = draws ? this.add("wall", wallBetween(from, from)) : undefined;
    let length = 0;
    this.follow(event, (next) => {
      const at = this.board.floor(next);
      if (!at) return;
      const to = grid(at);
      length = Math.hypot(to[0] - from[0], to[1] - from[1]);
      this.words.value = `${length.toFixed(2)} m`;
      if (wall) Object.assign(wall, wallBetween(from, to));
      this.redraw();
    }, () => {
      if (wall && length < FEW) this.remove();
      else this.commit();
      if (draws) this.words.value = "";
    });
  }

  private follow(event: PointerEvent, move: (next: PointerEvent) => void, end: () => void): void {
    const { canvas } = this.stage.view;
    canvas.setPointerCapture(event.pointerId);
    const done = (): void => {
      canvas.removeEventListener("pointermove", move);
      end();
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", done, { once: true });
  }

  choose(names: ReadonlySet<string>): void {
    this.chosen.value = names;
    this.redraw();
  }

  private key(event: KeyboardEvent): void {
    if (!this.open || takesText(event.target) || document.querySelector("dialog[open]")) return;
    const name = `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${event.key.toLowerCase()}`;
    const action = {
      "ctrl+z": () => { this.undo(!event.shiftKey); }, "ctrl+y": () => { this.undo(false); }, "ctrl+d": () => { this.copy(); },
      delete: () => { this.remove(); }, backspace: () => { this.remove(); }, r: () => { this.turn(event.shiftKey ? -TURN : TURN); },
      escape: () => { this.mode.value = "choose"; this.choose(new Set()); },
    }[name];
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }
}
