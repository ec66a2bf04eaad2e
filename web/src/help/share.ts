/** A link that brings robot, world, camera and panels back: kept in the part of the address after the #. */

export interface Shared {
  robot?: string;
  world?: string;
  engine?: string;
  /** Camera position and what it looks at [m]. */
  camera?: number[];
  /** Open panels, right and below. */
  panels?: string[];
}

/** The part after the #. */
export function writeShared(shared: Shared): string {
  const out = new URLSearchParams();
  for (const key of ["robot", "world", "engine"] as const) if (shared[key]) out.set(key, shared[key]);
  if (shared.camera) out.set("camera", shared.camera.map((value) => String(Math.round(1000 * value) / 1000)).join(","));
  if (shared.panels) out.set("panels", shared.panels.join(","));
  return `#${out.toString()}`;
}

/** What such a part says; anything that makes no sense is left out. */
export function readShared(hash: string): Shared {
  const told = new URLSearchParams(hash.replace(/^#/, ""));
  const shared: Shared = {};
  for (const key of ["robot", "world", "engine"] as const) {
    const value = told.get(key);
    if (value) shared[key] = value;
  }
  const camera = (told.get("camera") ?? "").split(",").map(Number);
  if (camera.length === 6 && camera.every((value) => Number.isFinite(value) && Math.abs(value) < 1e4)) shared.camera = camera;
  const panels = (told.get("panels") ?? "").split(",").filter((name) => /^[a-z]+$/.test(name));
  if (panels.length > 0) shared.panels = panels;
  return shared;
}
