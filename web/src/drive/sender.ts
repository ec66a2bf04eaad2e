/** The page's end of the worker that sends driving commands. */

import type { Command } from "./repeater";
import type { Order } from "./sender.worker";

export class Sender {
  private readonly worker: Worker;
  private quiet = true;

  constructor(url: string) {
    this.worker = new Worker(new URL("./sender.worker.ts", import.meta.url), { type: "module", name: "driving" });
    this.post({ url });
  }

  /** What is wanted from now on; undefined: nothing. To be called again and again while something is wanted. */
  want(command: Command | undefined, rest: Command | undefined): void {
    if (!command && this.quiet) return;
    this.quiet = !command;
    this.post({ ...(command && { command }), ...(rest && { rest }) });
  }

  private post(order: Order): void {
    this.worker.postMessage(order);
  }
}
