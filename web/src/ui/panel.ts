/** What a tab holds. */

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly element: HTMLElement;
  /** The panel comes into view: listen to topics. */
  show?(): void;
  /** The panel goes out of view: stop listening. */
  hide?(): void;
}
