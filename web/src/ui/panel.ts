/** What a tab holds. */

import type { Signal } from "./signal";

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly element: HTMLElement;
  /** Whether it means anything for the robot of the session; its tab is hidden while not. */
  readonly available?: Signal<boolean>;
  /** The panel comes into view: listen to topics. */
  show?(): void;
  /** The panel goes out of view: stop listening. */
  hide?(): void;
}
