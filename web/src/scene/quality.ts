/** How fine the picture is drawn: less where the machine draws by its processor alone. */

import * as THREE from "three";

const NAMES = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const SLOW = 1000 / 24; // a frame that takes longer is too slow [ms]
const QUICK = 1000 / 70;

/** Whether the browser draws without a graphics card, or the address of the page asks for the quick drawing. */
export const SOFTWARE = ((): boolean => {
  const wish = new URLSearchParams(globalThis.location?.search ?? "").get("quality"); // ?quality=high or low
  if (wish !== null) return wish !== "high";
  if (typeof document === "undefined") return true;
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return true;
  const extension = gl.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = extension ? gl.getParameter(extension.UNMASKED_RENDERER_WEBGL) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return typeof name === "string" && NAMES.test(name);
})();

// Colours as the screen takes them save the machine three powers per pixel: light is then added up as it is seen.
THREE.ColorManagement.enabled = !SOFTWARE;

/** Pixels per CSS pixel, lowered while drawing is slow and raised again while it is quick. */
export class PixelRatio {
  value: number;
  private readonly most: number;
  private mean = 0;
  private frames = 0;

  constructor() {
    this.most = SOFTWARE ? 1 : Math.min(window.devicePixelRatio, 2);
    this.value = this.most;
  }

  /** Take in how long a frame took [ms]; true when the ratio has changed. */
  frame(milliseconds: number): boolean {
    if (milliseconds > 250) return false; // nothing had to be drawn meanwhile
    this.mean += 0.15 * (milliseconds - this.mean);
    this.frames += 1;
    if (this.frames < 12) return false;
    this.frames = 0;
    const before = this.value;
    if (this.mean > SLOW) this.value = Math.max(0.6, this.value - 0.1);
    else if (this.mean < QUICK) this.value = Math.min(this.most, this.value + 0.1);
    return this.value !== before;
  }
}
