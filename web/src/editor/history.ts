/** States that can be gone back to and forward again. */

export class Undo<T> {
  private readonly past: string[] = [];
  private future: string[] = [];

  constructor(private now: string, private readonly most = 200) {}

  /** Keep a new state; one that is the same as before is none. */
  push(state: T): void {
    const text = JSON.stringify(state);
    if (text === this.now) return;
    this.past.push(this.now);
    if (this.past.length > this.most) this.past.shift();
    this.now = text;
    this.future = [];
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): T | undefined {
    return this.walk(this.past, this.future);
  }

  redo(): T | undefined {
    return this.walk(this.future, this.past);
  }

  private walk(from: string[], to: string[]): T | undefined {
    const next = from.pop();
    if (next === undefined) return undefined;
    to.push(this.now);
    this.now = next;
    return JSON.parse(next) as T;
  }
}
