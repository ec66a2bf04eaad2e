/** A gamepad: the left stick drives, the right one turns. */

const DEAD = 0.15; // sticks closer to the middle count as let go

/** A stick's axis without its dead zone, -1 to 1. */
export function stick(value: number | undefined): number {
  if (value === undefined || !Number.isFinite(value) || Math.abs(value) < DEAD) return 0;
  return (Math.sign(value) * (Math.min(1, Math.abs(value)) - DEAD)) / (1 - DEAD);
}

/** Ahead, left and turn of the first gamepad, with its name; undefined when there is none. */
export function readGamepad(): { name: string; sticks: [number, number, number] } | undefined {
  const pads = "getGamepads" in navigator ? navigator.getGamepads() : [];
  const pad = pads.find((one) => one?.connected);
  if (!pad) return undefined;
  const [x, y, turn] = [pad.axes[0], pad.axes[1], pad.axes[2]];
  return { name: pad.id, sticks: [-stick(y) || 0, -stick(x) || 0, -stick(turn) || 0] };
}
