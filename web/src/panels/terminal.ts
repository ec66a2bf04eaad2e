/** Terminal panel: lines for the session, with help, history and completion by the Tab key. */

import type { Studio } from "../studio";
import { h } from "../ui/dom";
import type { Panel } from "../ui/panel";
import { commonStart, History } from "./history";

const MOST = 400;

interface Answer {
  success: boolean;
  text: string;
  completions: string[];
}

export class TerminalPanel implements Panel {
  readonly id = "terminal";
  readonly title = "Terminal";
  readonly element: HTMLElement;
  private readonly output = h("div", { class: "output", role: "log", "aria-label": "Answers", tabindex: 0 });
  private readonly input = h("input", {
    type: "text", "aria-label": "Command line", autocomplete: "off", spellcheck: "false", autocapitalize: "off", placeholder: "help",
  });
  private readonly history = new History();

  constructor(private readonly studio: Studio) {
    this.element = h("div", { class: "column terminal" }, this.output, h("label", { class: "prompt" }, h("span", { "aria-hidden": "true" }, "❯"), this.input));
    this.write("note", "Type help for the commands, keys for the keyboard, Tab to complete.");
    this.input.addEventListener("keydown", (event) => { this.onKey(event); });
    this.output.addEventListener("click", () => {
      if (!window.getSelection()?.toString()) this.input.focus();
    });
  }

  show(): void {
    this.input.focus({ preventScroll: true });
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key === "Enter") void this.run(this.input.value.trim());
    else if (event.key === "Tab" && this.input.value.trim() !== "") void this.complete();
    else if (event.key === "ArrowUp") this.input.value = this.history.walk(-1, this.input.value);
    else if (event.key === "ArrowDown") this.input.value = this.history.walk(1, this.input.value);
    else if (event.key === "Escape") this.input.blur();
    else if (event.key.toLowerCase() === "l" && event.ctrlKey) this.output.replaceChildren();
    else return;
    event.preventDefault();
  }

  private async run(line: string): Promise<void> {
    if (!line) return;
    this.history.add(line);
    this.input.value = "";
    this.write("typed", line);
    if (line === "clear") {
      this.output.replaceChildren();
      return;
    }
    try {
      const answer = await this.ask(line, false);
      if (answer.text) this.write(answer.success ? "answer" : "error", answer.text);
    } catch (error) {
      this.write("error", error instanceof Error ? error.message : String(error));
    }
  }

  private async complete(): Promise<void> {
    try {
      const { completions } = await this.ask(this.input.value, true);
      if (completions.length === 0) return;
      const start = commonStart(completions);
      if (start.length > this.input.value.length) this.input.value = completions.length === 1 ? `${start} ` : start;
      else if (completions.length > 1) this.write("note", completions.join("   "));
    } catch {
      // without a connection there is nothing to complete
    }
  }

  private ask(line: string, complete: boolean): Promise<Answer> {
    return this.studio.connection.call<Answer>("/terminal", "andante_msgs/srv/Command", { line, complete }, 60);
  }

  private write(kind: string, text: string): void {
    this.output.append(h("pre", { class: kind }, text));
    while (this.output.children.length > MOST) this.output.firstElementChild!.remove();
    this.output.scrollTop = this.output.scrollHeight;
  }
}
