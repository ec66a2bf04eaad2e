/** A stick for a finger: pushed up it drives ahead, to the sides it turns; a second one goes sideways where the robot can. */

import { h } from "../ui/dom";

const REACH = 44; // from the middle to full speed [px]

/** What the stick asks for, each -1 to 1: up and left of its middle are positive. */
export function tilt(dx: number, dy: number): [up: number, left: number] {
  const far = Math.hypot(dx, dy);
  const share = far > REACH ? REACH / far : 1;
  const one = (value: number): number => (Math.abs(value) < 0.12 ? 0 : value) || 0;
  return [one((-dy * share) / REACH), one((-dx * share) / REACH)];
}

/** A round field with a knob; `onTilt` is told where it is, and (0, 0) when it is let go. */
export function joystick(label: string, onTilt: (up: number, left: number) => void): HTMLElement {
  const knob = h("span", { class: "knob" });
  const field = h("div", { class: "joystick", role: "img", "aria-label": label }, knob);
  let from: { x: number; y: number } | undefined;
  field.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    field.setPointerCapture(event.pointerId);
    const box = field.getBoundingClientRect();
    from = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    move(event);
  });
  const move = (event: PointerEvent): void => {
    if (!from) return;
    const [up, left] = tilt(event.clientX - from.x, event.clientY - from.y);
    knob.style.transform = `translate(${String(-left * REACH)}px, ${String(-up * REACH)}px)`;
    onTilt(up, left);
  };
  field.addEventListener("pointermove", move);
  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
    field.addEventListener(kind, () => {
      from = undefined;
      knob.style.transform = "";
      onTilt(0, 0);
    });
  }
  return field;
}
