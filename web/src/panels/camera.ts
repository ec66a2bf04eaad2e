/** Camera panel: the picture that the robot sees, fetched only while it is looked at. */

import { Hearing } from "../link/topics";
import type { CompressedImage } from "../link/messages";
import type { Studio } from "../studio";
import { h } from "../ui/dom";
import type { Panel } from "../ui/panel";

/** The bytes of a picture, which come as they are or as base64. */
export function pictureBytes(data: Uint8Array | string): Uint8Array<ArrayBuffer> {
  if (typeof data !== "string") return Uint8Array.from(data);
  return Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
}

export class CameraPanel implements Panel {
  readonly id = "camera";
  readonly title = "Camera";
  readonly element: HTMLElement;
  private readonly picture = h("img", { alt: "What the robot's camera sees", hidden: true });
  private readonly note = h("p", { class: "hint centre" }, "Waiting for a picture. A robot without a camera sends none.");
  private readonly hearing: Hearing;
  private url = "";

  constructor(studio: Studio) {
    this.hearing = new Hearing(studio.connection);
    this.element = h("div", { class: "camera" }, this.picture, this.note);
    studio.robot.on(() => { this.clear(); });
  }

  show(): void {
    this.hearing.subscribe("/camera/image_raw/compressed", (message) => { this.paint(message); });
  }

  hide(): void {
    this.hearing.stop();
  }

  private clear(): void {
    this.picture.hidden = true;
    this.note.hidden = false;
  }

  private paint(message: CompressedImage): void {
    const kind = /png/i.test(message.format) ? "image/png" : "image/jpeg";
    const url = URL.createObjectURL(new Blob([pictureBytes(message.data)], { type: kind }));
    const old = this.url;
    this.url = url;
    this.picture.onload = () => {
      if (old) URL.revokeObjectURL(old);
    };
    this.picture.src = url;
    this.picture.hidden = false;
    this.note.hidden = true;
  }
}
