/** Between metres of the map and pixels of the canvas: x to the right, y up. */

import type { Planar } from "./planar";

export class Viewport {
  /** Point of the map in the middle of the canvas [m]. */
  x = 0;
  y = 0;
  /** [px/m] */
  scale = 60;
  width = 1;
  height = 1;

  toPixels(x: number, y: number): [number, number] {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toMetres(px: number, py: number): [number, number] {
    return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
  }

  /** Zoom by a factor so that the point under the pointer stays there. */
  zoom(factor: number, px: number, py: number): void {
    const [x, y] = this.toMetres(px, py);
    this.scale = Math.min(2000, Math.max(2, this.scale * factor));
    const [nx, ny] = this.toMetres(px, py);
    this.x += x - nx;
    this.y += y - ny;
  }

  /** Move by pixels. */
  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Show a rectangle of the map as large as it fits. */
  fit(low: [number, number], high: [number, number]): void {
    this.x = (low[0] + high[0]) / 2;
    this.y = (low[1] + high[1]) / 2;
    const across = Math.max(high[0] - low[0], 0.5);
    const upright = Math.max(high[1] - low[1], 0.5);
    this.scale = Math.min(400, 0.94 * Math.min(this.width / across, this.height / upright));
  }
}

/** A pose given by a press at one point and a release at another: the drag tells the heading. */
export function dragged(from: [number, number], to: [number, number], otherwise: number): Planar {
  const dx = to[0] - from[0];
  const dy = to[1] - from[1];
  const far = Math.hypot(dx, dy) > 0.05;
  return { x: from[0], y: from[1], yaw: far ? Math.atan2(dy, dx) : otherwise };
}
