/** A scatter of one parameter against the fitness, on a canvas. */

import { short } from "../ui/format";
import { color } from "../ui/theme";

export interface Dot {
  number: number;
  x: number;
  y: number;
}

/** Candidates as dots: the values of the parameter of that index against the fitness. */
export function dots(numbers: ArrayLike<number>, values: ArrayLike<number>, fitness: ArrayLike<number>, parameters: number, index: number): Dot[] {
  const found: Dot[] = [];
  for (let i = 0; i < fitness.length; i++) {
    const x = values[i * parameters + index];
    const y = fitness[i]!;
    if (x !== undefined && Number.isFinite(x) && Number.isFinite(y)) found.push({ number: numbers[i] ?? i, x, y });
  }
  return found;
}

/** Low and high bound of some numbers, a little wider than they are. */
export function range(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 1];
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = 0.06 * (high - low || Math.abs(high) || 1);
  return [low - margin, high + margin];
}

export class Scatter {
  private drawn: { dot: Dot; px: number; py: number }[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {}

  draw(points: readonly Dot[], best: ReadonlySet<number>, name: string): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const paint = this.canvas.getContext("2d")!;
    paint.scale(ratio, ratio);
    const [left, right, top, bottom] = [46, width - 10, 10, height - 30];
    const [x0, x1] = range(points.map((dot) => dot.x));
    const [y0, y1] = range(points.map((dot) => dot.y));
    paint.font = "11px system-ui, sans-serif";
    paint.fillStyle = color("muted");
    paint.strokeStyle = color("line");
    paint.strokeRect(left, top, right - left, bottom - top);
    for (let i = 0; i <= 4; i++) {
      const x = left + ((right - left) * i) / 4;
      const y = bottom - ((bottom - top) * i) / 4;
      paint.textAlign = "center";
      paint.fillText(short(x0 + ((x1 - x0) * i) / 4, 3), x, bottom + 14);
      paint.textAlign = "right";
      paint.fillText(short(y0 + ((y1 - y0) * i) / 4, 3), left - 5, y + 4);
    }
    paint.textAlign = "center";
    paint.fillText(name, (left + right) / 2, height - 3);
    this.drawn = points.map((dot) => ({
      dot,
      px: left + ((dot.x - x0) / (x1 - x0)) * (right - left),
      py: bottom - ((dot.y - y0) / (y1 - y0)) * (bottom - top),
    }));
    for (const { dot, px, py } of this.drawn) {
      const good = best.has(dot.number);
      paint.fillStyle = good ? color("accent") : "rgba(47, 128, 237, 0.55)";
      paint.beginPath();
      paint.arc(px, py, good ? 4.5 : 3, 0, 2 * Math.PI);
      paint.fill();
    }
  }

  /** The dot under a point of the canvas. */
  at(x: number, y: number): Dot | undefined {
    let nearest: Dot | undefined;
    let least = 9;
    for (const { dot, px, py } of this.drawn) {
      const away = Math.hypot(px - x, py - y);
      if (away < least) [nearest, least] = [dot, away];
    }
    return nearest;
  }
}
