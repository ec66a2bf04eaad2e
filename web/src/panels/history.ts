/** Lines typed before, walked through with the arrow keys. */

export class History {
  private readonly lines: string[] = [];
  private at = 0;
  private draft = "";

  /** Keep a line that was sent. */
  add(line: string): void {
    if (line && this.lines[this.lines.length - 1] !== line) this.lines.push(line);
    if (this.lines.length > 200) this.lines.shift();
    this.at = this.lines.length;
    this.draft = "";
  }

  /** The line before or after the shown one. */
  walk(step: -1 | 1, shown: string): string {
    if (this.at === this.lines.length) this.draft = shown;
    this.at = Math.min(Math.max(this.at + step, 0), this.lines.length);
    return this.at === this.lines.length ? this.draft : this.lines[this.at]!;
  }
}

/** What all lines begin with. */
export function commonStart(lines: readonly string[]): string {
  let start = lines[0] ?? "";
  for (const line of lines) {
    while (!line.startsWith(start)) start = start.slice(0, -1);
  }
  return start;
}
