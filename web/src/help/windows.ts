/** The windows of the page, each loaded when it is first wanted. */

import type { OpenDialog } from "../gallery/dialog";
import type { Dropped } from "../gallery/drop";
import type { Editor } from "../editor/editor";
import type { Stage } from "../scene/stage";
import type { Studio } from "../studio";

export class Windows {
  private opening: Promise<OpenDialog> | undefined;
  private editing: Promise<Editor> | undefined;
  private helping: Promise<HTMLDialogElement> | undefined;

  constructor(
    private readonly studio: Studio,
    private readonly stage: Stage,
    private readonly holder: HTMLElement,
  ) {}

  /** Begin or end editing the scene. */
  edit(): void {
    this.editing ??= import("../editor/editor").then(({ Editor }) => new Editor(this.studio, this.stage, this.holder));
    void this.editing.then((editor) => {
      Object.assign((window as unknown as { andante: object }).andante, { editor });
      return editor.toggle();
    });
  }

  open(): void {
    void this.dialog().then((box) => { box.show(); });
  }

  bring(files: Dropped[]): void {
    void this.dialog().then((box) => box.bring(files));
  }

  help(): void {
    this.helping ??= import("./overlay").then(({ helpWindow }) => helpWindow());
    void this.helping.then((box) => {
      if (box.open) box.close();
      else box.showModal();
    });
  }

  private dialog(): Promise<OpenDialog> {
    this.opening ??= import("../gallery/dialog").then(({ OpenDialog }) => new OpenDialog(this.studio));
    return this.opening;
  }
}
