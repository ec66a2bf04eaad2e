/** Open: own robots and worlds by file, folder, zip or drop; what is wrong with them; those that were here before. */

import type { Studio } from "../studio";
import { dialog } from "../ui/dialog";
import { h, refill } from "../ui/dom";
import { fixed } from "../ui/format";
import { icon } from "../ui/icons";
import { chosen, handOver, shelf, type Dropped, type Entry } from "./drop";

export class OpenDialog {
  private readonly box: HTMLDialogElement;
  private readonly result = h("div", { class: "result", "aria-live": "polite" });
  private readonly list = h("ul", { class: "shelf" });
  private readonly files = h("input", { type: "file", multiple: true, class: "unseen", tabindex: -1, "aria-label": "Files of a robot or world" });
  private readonly folder = h("input", { type: "file", webkitdirectory: true, class: "unseen", tabindex: -1, "aria-label": "Folder of a robot or world" });

  constructor(private readonly studio: Studio) {
    for (const input of [this.files, this.folder]) {
      input.addEventListener("change", () => {
        if (input.files && input.files.length > 0) void this.bring(chosen(input.files));
        input.value = "";
      });
    }
    const zone = h("div", { class: "dropzone" },
      icon("open", 28),
      h("p", {}, "Drop a robot or world here: URDF, xacro, SDF, MJCF, with its meshes as a folder or a zip."),
      h("div", { class: "row" },
        h("button", { type: "button", class: "primary", onclick: () => { this.files.click(); } }, "Choose files"),
        h("button", { type: "button", onclick: () => { this.folder.click(); } }, "Choose a folder")),
      this.files, this.folder);
    this.box = dialog("Open a robot or a world", zone, this.result, h("h3", {}, "Recent"), this.list);
    this.box.classList.add("open");
  }

  show(): void {
    if (!this.box.open) this.box.showModal();
    void this.fill();
  }

  /** Take files in and put what they hold into the session. */
  async bring(files: readonly Dropped[]): Promise<void> {
    this.show();
    if (files.length === 0) return;
    const name = files.length === 1 ? files[0]!.path : `${files[0]!.path.split("/")[0]!} (${String(files.length)} files)`;
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Handed over" });
    refill(this.result, h("p", {}, `Reading ${name}`), bar);
    try {
      const work = handOver(files, (share) => { bar.value = share; });
      const entry = await this.studio.busy.during(`reading and checking ${name}`, work);
      this.tell(entry);
      await this.fill();
      if (entry.kind && !entry.problems.some((one) => one.severity === "error")) await this.use(entry);
    } catch (error) {
      refill(this.result, h("p", { class: "bad", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  }

  /** What was found in the files: facts, and problems with their lines. */
  private tell(entry: Entry): void {
    const count = (kind: string): number => entry.problems.filter((one) => one.severity === kind).length;
    const facts = entry.kind === "" ? "It cannot be used." : `${entry.kind} ${entry.name}: ${String(entry.links)} links, ${String(entry.joints)} joints, ${fixed(entry.mass, 2)} kg`;
    const problems = entry.problems.filter((one) => one.severity !== "info");
    refill(
      this.result,
      h("p", {}, h("strong", {}, facts), ` ${String(count("error"))} errors, ${String(count("warning"))} warnings`),
      problems.length > 0 && h("ul", { class: "problems", tabindex: 0, "aria-label": "Problems" },
        ...problems.map((one) => h("li", { class: one.severity }, h("b", {}, one.severity), " ", one.where && h("code", {}, one.where), " ", one.message))),
      entry.kind !== "" && count("error") > 0 && h("button", { type: "button", onclick: () => { void this.use(entry); } }, "Use it all the same"),
    );
  }

  private async use(entry: Entry): Promise<void> {
    const went = await this.studio.ask("/gallery/open", "andante_msgs/srv/Choose", { name: entry.key }, 120, `building the scene with ${entry.name}`);
    if (went) this.box.close();
    this.studio.relist();
  }

  private async fill(): Promise<void> {
    const entries = await shelf().catch(() => []);
    refill(
      this.list,
      ...entries.slice(0, 40).map((entry) => h("li", {},
        h("button", { type: "button", class: "entry", disabled: entry.kind === "", onclick: () => { void this.use(entry); } },
          h("strong", {}, entry.name || entry.key), h("small", {}, `${entry.kind || "unusable"} · ${entry.file || entry.key}`)),
        h("button", { type: "button", class: "ghost square", "aria-label": `Forget ${entry.name || entry.key}`, title: "Forget it and its files", onclick: () => { void this.forget(entry); } }, icon("trash", 13)))),
      entries.length === 0 && h("li", { class: "hint" }, "Nothing was opened here yet."),
    );
  }

  private async forget(entry: Entry): Promise<void> {
    await this.studio.ask("/gallery/remove", "andante_msgs/srv/Choose", { name: entry.key });
    await this.fill();
  }
}
