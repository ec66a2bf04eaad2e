/** What the pointer does on the map: move it, estimate the robot's pose, or set a goal by dragging. */

import { Signal } from "../ui/signal";
import { dragged, type Viewport } from "./viewport";
import type { Planar } from "./planar";

export type Tool = "move" | "pose" | "goal" | "waypoint";

export class MapTools {
  readonly tool = new Signal<Tool>("move");
  /** The pose that is being dragged. */
  draft: { tool: Tool; pose: Planar } | undefined;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly view: Viewport,
    private readonly onChange: () => void,
    private readonly onPose: (tool: Tool, pose: Planar) => void,
  ) {
    const at = (event: MouseEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      view.zoom(Math.exp(-event.deltaY * 0.0015), ...at(event));
      onChange();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const tool = event.button === 0 ? this.tool.value : "move";
      const start = at(event);
      const from = view.toMetres(...start);
      let last = start;
      const move = (next: PointerEvent): void => {
        const now = at(next);
        if (tool === "move") view.pan(now[0] - last[0], now[1] - last[1]);
        else this.draft = { tool, pose: dragged(from, this.view.toMetres(...now), 0) };
        last = now;
        this.onChange();
      };
      const end = (next: PointerEvent): void => {
        canvas.removeEventListener("pointermove", move);
        this.draft = undefined;
        if (tool !== "move" && next.type === "pointerup") {
          this.onPose(tool, dragged(from, view.toMetres(...at(next)), 0));
          if (tool !== "waypoint") this.tool.value = "move"; // there are several of them
        }
        this.onChange();
      };
      canvas.addEventListener("pointermove", move);
      canvas.addEventListener("pointerup", end, { once: true });
      canvas.addEventListener("pointercancel", end, { once: true });
    });
    canvas.addEventListener("contextmenu", (event) => { event.preventDefault(); });
    this.tool.on((tool) => { canvas.dataset["tool"] = tool; });
  }
}
