/** Occupancy grids and costmaps as pictures. */

import type { OccupancyGrid } from "../link/messages";
import { planar, type Planar } from "./planar";

export interface GridPicture {
  canvas: HTMLCanvasElement;
  /** map_from_corner of cell (0, 0). */
  origin: Planar;
  resolution: number;
  /** Rectangle around what is known [m]. */
  low: [number, number];
  high: [number, number];
}

/** Colours (RGBA) of the values of a grid, rows from the top. */
export function paintGrid(data: ArrayLike<number>, width: number, height: number, kind: "map" | "cost", dark: boolean): Uint8ClampedArray<ArrayBuffer> {
  const out = new Uint8ClampedArray(4 * width * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const value = data[row * width + column]!;
      const at = 4 * ((height - 1 - row) * width + column);
      if (kind === "cost") {
        if (value <= 0) continue;
        const heat = Math.min(1, value / 100);
        out.set([228, Math.round(180 * (1 - heat)), Math.round(46 + 30 * (1 - heat)), Math.round(14 + 96 * heat)], at);
      } else if (value >= 0) {
        const free = 1 - Math.min(100, value) / 100;
        const shade = dark ? Math.round(225 - 185 * free) : Math.round(28 + 227 * free);
        out.set([shade, shade, dark ? Math.min(255, shade + 8) : shade, 255], at);
      }
    }
  }
  return out;
}

/** Bounds of the known cells: first and last column and row. */
export function knownCells(data: ArrayLike<number>, width: number, height: number): [number, number, number, number] | undefined {
  let [left, right, bottom, top] = [width, -1, height, -1];
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      if (data[row * width + column]! < 0) continue;
      left = Math.min(left, column);
      right = Math.max(right, column);
      bottom = Math.min(bottom, row);
      top = Math.max(top, row);
    }
  }
  return right < 0 ? undefined : [left, right, bottom, top];
}

/** The picture of a grid. */
export function gridPicture(grid: OccupancyGrid, kind: "map" | "cost", dark: boolean): GridPicture {
  const { width, height, resolution, origin } = grid.info;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, width);
  canvas.height = Math.max(1, height);
  if (width > 0 && height > 0) {
    canvas.getContext("2d")!.putImageData(new ImageData(paintGrid(grid.data, width, height, kind, dark), width, height), 0, 0);
  }
  const corner = planar(origin.position, origin.orientation);
  const [left, right, bottom, top] = knownCells(grid.data, width, height) ?? [0, width - 1, 0, height - 1];
  return {
    canvas,
    origin: corner,
    resolution,
    low: [corner.x + left * resolution, corner.y + bottom * resolution],
    high: [corner.x + (right + 1) * resolution, corner.y + (top + 1) * resolution],
  };
}
