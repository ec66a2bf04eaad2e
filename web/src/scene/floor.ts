/** Floors: tiled planes that fade into the distance. */

import * as THREE from "three";

import { baked, type Lighting } from "./bake";
import { BAKED } from "./materials";
import { SOFTWARE } from "./quality";

const TILE = 1; // edge [m]
const MOST = 40; // tiles along a side that are painted one by one
const SHADE = [238, 240, 242, 255];
const WIDEST = 60; // endless planes are shown so wide [m]

export interface FloorData {
  pose: number[];
  size: [number, number];
  color: number[];
}

let pattern: THREE.CanvasTexture | undefined;

/** Two shades in a chequer with fine joints, four tiles in all. */
function tiles(): THREE.CanvasTexture {
  if (pattern) return pattern;
  const size = 256;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const paint = canvas.getContext("2d")!;
  paint.fillStyle = "#ffffff";
  paint.fillRect(0, 0, size, size);
  paint.fillStyle = "#eef0f2";
  paint.fillRect(0, 0, size / 2, size / 2);
  paint.fillRect(size / 2, size / 2, size / 2, size / 2);
  paint.strokeStyle = "#cfd4d9";
  paint.lineWidth = 2;
  for (const at of [0, size / 2, size]) {
    paint.beginPath();
    paint.moveTo(at, 0);
    paint.lineTo(at, size);
    paint.moveTo(0, at);
    paint.lineTo(size, at);
    paint.stroke();
  }
  pattern = new THREE.CanvasTexture(canvas);
  pattern.wrapS = pattern.wrapT = THREE.RepeatWrapping;
  pattern.colorSpace = THREE.SRGBColorSpace;
  pattern.anisotropy = 4;
  return pattern;
}

/** A plane of that size [m] in two shades of a colour, tile by tile: without a graphics card a texture costs more. */
export function chequer(width: number, depth: number): THREE.BufferGeometry {
  const [columns, rows] = [tilesAlong(width), tilesAlong(depth)];
  const plane = new THREE.PlaneGeometry(width, depth, columns, rows).toNonIndexed(); // six corners a tile, row by row
  const paint = new Uint8Array(4 * plane.getAttribute("position").count).fill(255);
  for (let tile = 0; tile < columns * rows; tile++) {
    if ((Math.floor(tile / columns) + (tile % columns)) % 2 === 0) continue;
    for (let corner = 6 * tile; corner < 6 * tile + 6; corner++) paint.set(SHADE, 4 * corner);
  }
  plane.setAttribute("color", new THREE.BufferAttribute(paint, 4, true));
  return plane;
}

function tilesAlong(side: number): number {
  return Math.max(1, Math.min(MOST, Math.round(side / TILE)));
}

/** One floor of a world. */
export function makeFloor(data: FloorData, light: Lighting): THREE.Mesh {
  const [width, depth] = data.size.map((side) => Math.min(side, WIDEST)) as [number, number];
  const [r = 0.86, g = 0.87, b = 0.88] = data.color;
  const color = new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace).lerp(new THREE.Color(0xffffff), 0.25);
  const floor = SOFTWARE
    ? new THREE.Mesh(baked(chequer(width, depth), light), new THREE.MeshBasicMaterial({ color: color.multiply(BAKED.color), vertexColors: true }))
    : new THREE.Mesh(tiled(width, depth), new THREE.MeshLambertMaterial({ color, map: tiles() }));
  const [x = 0, y = 0, z = 0, qx = 0, qy = 0, qz = 0, qw = 1] = data.pose;
  floor.position.set(x, y, z);
  floor.quaternion.set(qx, qy, qz, qw);
  floor.receiveShadow = true;
  floor.userData["floor"] = true;
  return floor;
}

/** A plane on which the pattern repeats every two tiles. */
function tiled(width: number, depth: number): THREE.BufferGeometry {
  const geometry = new THREE.PlaneGeometry(width, depth);
  const at = geometry.getAttribute("position");
  const uv = new Float32Array(at.count * 2);
  for (let i = 0; i < at.count; i++) {
    uv[2 * i] = at.getX(i) / (2 * TILE);
    uv[2 * i + 1] = at.getY(i) / (2 * TILE);
  }
  geometry.setAttribute("uv", new THREE.BufferAttribute(uv, 2));
  return geometry;
}
