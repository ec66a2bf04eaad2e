/** What is sent while something is driven: the present command 20 times a second, and a last word that stops. */

export interface Command {
  topic: string;
  type: string;
  message: unknown;
  /** Whether it asks for motion: then it is repeated. */
  moving: boolean;
}

export const PERIOD = 50; // between two messages [ms]
/** A page that has not told for so long whether its keys are still held hangs: its robot is stopped [ms]. */
export const PATIENCE = 2000;

/** Decides what goes out, by what the page has told and when. */
export class Repeater {
  private command: Command | undefined;
  private rest: Command | undefined;
  private told = -Infinity;

  /**
   * The page says that it is there, and what it wants: `command` now, and `rest` when that is over.
   * @returns what is to be sent at once.
   */
  tell(command: Command | undefined, rest: Command | undefined, now: number): Command[] {
    const before = this.command;
    this.told = now;
    this.command = command;
    if (command) {
      const other = before?.topic !== command.topic && before ? this.rest : undefined;
      this.rest = rest;
      return [other, command].filter((one) => one !== undefined);
    }
    return before ? this.stop() : [];
  }

  /** What is due now, one period after the last look. */
  tick(now: number): Command[] {
    if (!this.command?.moving) return [];
    if (now - this.told > PATIENCE) {
      this.command = undefined;
      return this.stop();
    }
    return [this.command];
  }

  private stop(): Command[] {
    return this.rest ? [this.rest] : [];
  }
}
