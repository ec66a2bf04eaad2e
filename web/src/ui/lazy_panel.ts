/** A panel whose code comes when it is first looked at. */

import { h } from "./dom";
import type { Panel } from "./panel";
import { toast } from "./toast";

interface Content {
  readonly element: HTMLElement;
  show?(): unknown;
  hide?(): void;
}

export class LazyPanel implements Panel {
  readonly element = h("div", { class: "lazy" });
  private content: Content | undefined;
  private coming = false;
  private seen = false;

  constructor(readonly id: string, readonly title: string, private readonly load: () => Promise<Content>) {}

  /** What is inside, once it is there. */
  get inside(): Content | undefined {
    return this.content;
  }

  show(): void {
    this.seen = true;
    if (this.content) void this.content.show?.();
    else if (!this.coming) void this.fetch();
  }

  hide(): void {
    this.seen = false;
    this.content?.hide?.();
  }

  private async fetch(): Promise<void> {
    this.coming = true;
    try {
      this.content = await this.load();
      this.element.append(this.content.element);
      if (this.seen) void this.content.show?.();
    } catch {
      toast(`The panel ${this.title} could not be loaded; reload the page.`, "bad");
    } finally {
      this.coming = false;
    }
  }
}
