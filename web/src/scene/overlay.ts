/** Things drawn over the picture on demand, each fed by its own topics while it is shown. */

import type { Hearing } from "../link/topics";
import type { IconName } from "../ui/icons";
import type { Stage } from "./stage";

export interface Overlay {
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  /** Put it into the picture and hear its topics. */
  show(stage: Stage, hearing: Hearing): void;
  /** Take it out again. */
  hide(stage: Stage): void;
}
