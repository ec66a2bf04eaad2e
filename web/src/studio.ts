/** What all panels share: the connection, the state of the session, and what is chosen in the picture. */

import { Busy } from "./link/busy";
import { Connection, type Outcome } from "./link/connection";
import type { ReplayState, Status } from "./link/messages";
import { subscribe } from "./link/topics";
import { Signal } from "./ui/signal";
import { toast } from "./ui/toast";

export interface Listing {
  names: string[];
  help: string[];
}

const WARN = 30; // level of a log line

export class Studio {
  readonly connection: Connection;
  /** What is being waited for. */
  readonly busy: Busy;
  readonly status = new Signal<Status | null>(null);
  /** Whether the session is there: connected, and it has told its state since. */
  readonly ready = new Signal<boolean>(false);
  /** The recording that is played back; null while the session is live. */
  readonly replay = new Signal<ReplayState | null>(null);
  /** Changes when another robot is there. */
  readonly robot = new Signal<string>("");
  /** Changes when the scene is built anew (reset, engine, world, robot). */
  readonly scene = new Signal<number>(-1);
  /** Counts up when the names that can be chosen have changed. */
  readonly listed = new Signal<number>(0);
  private heard = -Infinity; // the last status [ms]
  private readonly listings = new Map<string, Promise<Listing>>();

  constructor(url: string) {
    this.connection = new Connection(url);
    this.busy = new Busy(() => (this.connection.state.value === "open" ? performance.now() - this.heard : Infinity));
    subscribe(this.connection, "/status", (status) => {
      this.heard = performance.now();
      this.status.value = status;
      if (status.robot !== this.robot.value) this.listings.clear();
      this.robot.value = status.robot;
      this.scene.value = status.scene;
      this.ready.value = this.connection.state.value === "open";
    });
    subscribe(this.connection, "/replay/state", (state) => { this.replay.value = state.file ? state : null; });
    subscribe(this.connection, "/rosout", ({ level, msg }) => {
      if (level >= WARN && this.connection.published(msg.slice(0, msg.indexOf(":")))) toast(msg, "bad"); // an answer to this page
    });
    this.connection.state.on((state) => {
      if (state === "open") return;
      this.listings.clear();
      this.ready.value = false;
      this.replay.value = null;
    });
  }

  /** Something new can be chosen: ask for all names again. */
  relist(): void {
    this.listings.clear();
    this.listed.value += 1;
  }

  /** Names that can be chosen, such as those of poses or worlds. */
  list(kind: string): Promise<Listing> {
    let found = this.listings.get(kind);
    if (!found) {
      found = this.connection.call<Listing>("/list", "andante_msgs/srv/List", { kind });
      this.listings.set(kind, found);
      found.catch(() => this.listings.delete(kind));
    }
    return found;
  }

  /** Whether the session has told nothing for a while though it should. */
  get silent(): boolean {
    return performance.now() - this.heard > 1000;
  }

  /** Call a service and tell the user how it went; whether it went well. Something that takes long has words for it. */
  async ask(service: string, type: string, request: unknown = {}, timeout = 30, stage = ""): Promise<boolean> {
    const asked = this.asked(service, type, request, timeout);
    return stage ? this.busy.during(stage, asked) : asked;
  }

  private async asked(service: string, type: string, request: unknown, timeout: number): Promise<boolean> {
    try {
      const outcome = await this.connection.call<Partial<Outcome>>(service, type, request, timeout);
      const bad = outcome.success === false;
      if (outcome.message) toast(outcome.message, bad ? "bad" : "good");
      return !bad;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
      return false;
    }
  }
}
