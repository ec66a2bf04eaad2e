/** What is being waited for, with its words and its time: told by the page at once, by the session as soon as its loop stands still. */

import { Signal } from "../ui/signal";

export interface Stage {
  words: string;
  /** When it began [ms of performance.now()]. */
  since: number;
}

const SILENT = 500; // a session that has told nothing for so long is busy [ms]
const LOOK = 200; // between two looks [ms]

export class Busy {
  readonly stage = new Signal<Stage | null>(null);
  private readonly own = new Set<Stage>();
  private told: Stage | null = null;
  private asking = false;

  /** @param quiet for how long the session has said nothing [ms]; Infinity: it is not there yet. */
  constructor(private readonly quiet: () => number) {
    setInterval(() => { this.look(); }, LOOK);
    this.look();
  }

  /** A stage of the page's own, from now until the work is done. */
  async during<T>(words: string, work: Promise<T>): Promise<T> {
    const stage = { words, since: performance.now() };
    this.own.add(stage);
    this.tell();
    try {
      return await work;
    } finally {
      this.own.delete(stage);
      this.tell();
    }
  }

  private look(): void {
    if (this.quiet() < SILENT) {
      this.told = null;
      this.tell();
    } else if (!this.asking) {
      this.asking = true;
      void this.ask().finally(() => { this.asking = false; });
    }
  }

  /** Ask the server, which answers while the session's loop does not. */
  private async ask(): Promise<void> {
    try {
      const answer = await fetch("stage.json", { cache: "no-store" });
      if (!answer.ok) return;
      const { stage, since } = (await answer.json()) as { stage: string; since: number };
      const began = performance.now() - (Date.now() - 1000 * since);
      if (!stage) this.told = null;
      else if (this.told?.words !== stage) this.told = { words: stage, since: began };
      this.tell();
    } catch {
      // no server: the connection says so
    }
  }

  private tell(): void {
    const own = [...this.own].at(-1) ?? null;
    const next = own && this.told ? (own.since > this.told.since ? own : this.told) : (own ?? this.told); // the newest
    const now = this.stage.value;
    if (next?.words !== now?.words || next?.since !== now?.since) this.stage.value = next;
  }
}
