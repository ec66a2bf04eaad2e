/** The help window: keys, mouse, and where things are. */

import { dialog } from "../ui/dialog";
import { h } from "../ui/dom";

export const SHORTCUTS: readonly [keys: string, what: string][] = [
  ["W S", "ahead, back"],
  ["A D", "to the left, to the right"],
  ["Q E", "turn left, turn right"],
  ["Shift + drag", "push a link of the robot"],
  ["Space", "pause, go on"],
  ["Home", "look at the robot"],
  ["1 to 9", "panels of the robot"],
  ["O", "open a robot or a world"],
  ["B", "edit the scene"],
  ["?", "this help"],
  ["Escape", "close a window, let go of a choice"],
];
const MOUSE: readonly [string, string][] = [
  ["drag", "turn the picture"],
  ["wheel", "zoom"],
  ["right drag", "move the picture"],
  ["click on a link", "its name, mass and pose"],
  ["drop a file", "open a robot or a world"],
];
const PLACES: readonly [string, string][] = [
  ["top", "robot, world and engine; pause, step, reset; record and film"],
  ["right", "drive, motions, joints, sensors, gait search"],
  ["below", "plots, map with goals, camera, log, terminal, graph, replays"],
  ["left in the picture", "follow, push, contacts, balance, footsteps, scan, frames"],
];

function table(title: string, rows: readonly [string, string][], tag: "kbd" | "b"): HTMLElement {
  return h("section", {}, h("h3", {}, title), h("dl", { class: "keys" }, ...rows.flatMap(([keys, what]) => [h("dt", {}, h(tag, {}, keys)), h("dd", {}, what)])));
}

/** The window; it is made when it is first asked for. */
export function helpWindow(): HTMLDialogElement {
  const box = dialog("Help", h("div", { class: "columns" }, table("Keys", SHORTCUTS, "kbd"), h("div", {}, table("Mouse", MOUSE, "b"), table("Where things are", PLACES, "b"))),
    h("p", { class: "hint" }, "Robots with keys of their own show them in Drive. The Terminal knows every button as a line: type help there."));
  box.classList.add("help");
  return box;
}
