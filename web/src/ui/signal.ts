/** A value that tells its listeners when it changes. */

export class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const listener of [...this.listeners]) listener(next);
  }

  /** Call a listener now and at every change; the result ends it. */
  watch(listener: (value: T) => void): () => void {
    listener(this.current);
    return this.on(listener);
  }

  /** Call a listener at every change; the result ends it. */
  on(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
