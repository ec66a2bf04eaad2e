/** What the map shows, drawn layer by layer. */

import type { LaserScan, Path, PoseArray } from "../link/messages";
import type { GridPicture } from "./grid";
import { between, composed, planar, type Planar } from "./planar";
import type { Viewport } from "./viewport";

type Paint = CanvasRenderingContext2D;

export function drawGrid(paint: Paint, view: Viewport, grid: GridPicture, offset: Planar): void {
  const { canvas, resolution } = grid;
  const at = composed(offset, grid.origin);
  const [x, y] = view.toPixels(at.x, at.y);
  paint.save();
  paint.translate(x, y);
  paint.rotate(-at.yaw);
  paint.imageSmoothingEnabled = view.scale * resolution < 1;
  const size = view.scale * resolution;
  paint.drawImage(canvas, 0, -canvas.height * size, canvas.width * size, canvas.height * size);
  paint.restore();
}

/** Lines at every metre where there is no map. */
export function drawMetres(paint: Paint, view: Viewport, color: string): void {
  let step = 1;
  while (step * view.scale < 24) step *= 5;
  const [left, top] = view.toMetres(0, 0);
  const [right, bottom] = view.toMetres(view.width, view.height);
  paint.strokeStyle = color;
  paint.lineWidth = 1;
  paint.beginPath();
  for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
    const [px] = view.toPixels(x, 0);
    paint.moveTo(px, 0);
    paint.lineTo(px, view.height);
  }
  for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) {
    const [, py] = view.toPixels(0, y);
    paint.moveTo(0, py);
    paint.lineTo(view.width, py);
  }
  paint.stroke();
}

/** A scan whose first beam was measured at one pose of the sensor and whose last one at another. */
export function drawScan(paint: Paint, view: Viewport, scan: LaserScan, first: Planar, last: Planar): void {
  paint.fillStyle = "#e11d48";
  const still = first.x === last.x && first.y === last.y && first.yaw === last.yaw;
  for (let i = 0; i < scan.ranges.length; i++) {
    const range = scan.ranges[i]!;
    if (!(range >= scan.range_min && range <= scan.range_max)) continue;
    const sensor = still ? first : between(first, last, i / scan.ranges.length);
    const angle = sensor.yaw + scan.angle_min + i * scan.angle_increment;
    const [x, y] = view.toPixels(sensor.x + range * Math.cos(angle), sensor.y + range * Math.sin(angle));
    paint.fillRect(x - 1.2, y - 1.2, 2.4, 2.4);
  }
}

export function drawParticles(paint: Paint, view: Viewport, cloud: PoseArray, offset: Planar): void {
  paint.strokeStyle = "rgba(47, 128, 237, 0.55)";
  paint.lineWidth = 1;
  paint.beginPath();
  const stride = Math.max(1, Math.floor(cloud.poses.length / 600));
  for (let i = 0; i < cloud.poses.length; i += stride) {
    const pose = cloud.poses[i]!;
    const at = composed(offset, planar(pose.position, pose.orientation));
    const [x, y] = view.toPixels(at.x, at.y);
    paint.moveTo(x, y);
    paint.lineTo(x + 7 * Math.cos(at.yaw), y - 7 * Math.sin(at.yaw));
  }
  paint.stroke();
}

export function drawPath(paint: Paint, view: Viewport, path: Path, offset: Planar, color: string, width: number): void {
  paint.strokeStyle = color;
  paint.lineWidth = width;
  paint.lineJoin = "round";
  paint.beginPath();
  path.poses.forEach(({ pose }, i) => {
    const at = composed(offset, planar(pose.position, pose.orientation));
    const [x, y] = view.toPixels(at.x, at.y);
    if (i === 0) paint.moveTo(x, y);
    else paint.lineTo(x, y);
  });
  paint.stroke();
}

export function drawRobot(paint: Paint, view: Viewport, pose: Planar, radius: number, color: string): void {
  const [x, y] = view.toPixels(pose.x, pose.y);
  const size = Math.max(8, radius * view.scale);
  paint.save();
  paint.translate(x, y);
  paint.rotate(-pose.yaw);
  paint.fillStyle = color;
  paint.strokeStyle = "#ffffff";
  paint.lineWidth = 1.5;
  paint.beginPath();
  paint.moveTo(size, 0);
  paint.lineTo(-0.75 * size, 0.7 * size);
  paint.lineTo(-0.4 * size, 0);
  paint.lineTo(-0.75 * size, -0.7 * size);
  paint.closePath();
  paint.fill();
  paint.stroke();
  paint.restore();
}

export function drawWaypoint(paint: Paint, view: Viewport, pose: Planar, text: string, color: string): void {
  drawArrow(paint, view, pose, color, 26);
  const [x, y] = view.toPixels(pose.x, pose.y);
  paint.fillStyle = color;
  paint.beginPath();
  paint.arc(x, y, 9, 0, 2 * Math.PI);
  paint.fill();
  paint.fillStyle = "#ffffff";
  paint.font = "bold 11px system-ui";
  paint.textAlign = "center";
  paint.textBaseline = "middle";
  paint.fillText(text, x, y + 0.5);
}

export function drawArrow(paint: Paint, view: Viewport, pose: Planar, color: string, pixels = 34): void {
  const [x, y] = view.toPixels(pose.x, pose.y);
  paint.save();
  paint.translate(x, y);
  paint.rotate(-pose.yaw);
  paint.strokeStyle = paint.fillStyle = color;
  paint.lineWidth = 3;
  paint.beginPath();
  paint.arc(0, 0, 5, 0, 2 * Math.PI);
  paint.fill();
  paint.beginPath();
  paint.moveTo(0, 0);
  paint.lineTo(pixels - 9, 0);
  paint.stroke();
  paint.beginPath();
  paint.moveTo(pixels, 0);
  paint.lineTo(pixels - 11, 6);
  paint.lineTo(pixels - 11, -6);
  paint.closePath();
  paint.fill();
  paint.restore();
}
