/** Drawing of the load cells of the feet. */

import type { FootForces } from "../link/messages";
import { s } from "../ui/dom";
import { fixed } from "../ui/format";

const SIDE = 84;

/** Radius of a cell's disc [px]: its area grows with the force. */
export function discRadius(force: number, full: number): number {
  if (!(force > 0) || !(full > 0)) return 1.5;
  return 1.5 + 16 * Math.sqrt(Math.min(1, force / full));
}

/** The feet side by side, in the order left, right where the names tell, with a disc for each cell. */
export function feetPicture(message: FootForces): SVGSVGElement {
  const feet = [...message.feet].sort((a, b) => Number(/^r|right/i.test(a.link)) - Number(/^r|right/i.test(b.link)));
  const total = feet.reduce((sum, foot) => sum + Math.max(0, foot.total), 0);
  const drawing = s("svg", { viewBox: `0 0 ${String(feet.length * (SIDE + 12))} 150`, class: "feet", role: "img", "aria-label": `Foot forces, together ${fixed(total, 1)} newton` });
  feet.forEach((foot, i) => {
    const group = s("g", { transform: `translate(${String(i * (SIDE + 12) + 6)} 4)` });
    group.append(s("rect", { width: SIDE, height: 118, rx: 30, class: "sole" }));
    const cells = [...foot.cells];
    cells.forEach((force, k) => {
      // front left, front right, rear left, rear right for four; in a ring for any other number
      const four = cells.length === 4;
      const angle = (2 * Math.PI * k) / Math.max(1, cells.length) - Math.PI / 2;
      const x = cells.length === 1 ? SIDE / 2 : four ? (k % 2 === 0 ? 24 : SIDE - 24) : SIDE / 2 + 26 * Math.cos(angle);
      const y = cells.length === 1 ? 59 : four ? (k < 2 ? 28 : 90) : 59 + 38 * Math.sin(angle);
      group.append(s("circle", { cx: x, cy: y, r: 17.5, class: "rim" }), s("circle", { cx: x, cy: y, r: discRadius(force, Math.max(20, total / 2)), class: "load" }));
    });
    group.append(s("text", { x: SIDE / 2, y: 134, class: "caption" }, `${fixed(foot.total, 1)} N`));
    group.append(s("title", {}, `${foot.link}: ${cells.map((force) => fixed(force, 1)).join(", ")} N`));
    drawing.append(group);
  });
  return drawing;
}
