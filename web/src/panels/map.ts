/** Map panel: occupancy grid, costmap, scan, particles and paths from above, with tools for pose estimate and goal. */

import { Hearing } from "../link/topics";
import { Frames } from "../link/tf";
import { seconds, type LaserScan, type NavigationState, type OccupancyGrid, type Path, type PoseArray } from "../link/messages";
import { gridPicture, type GridPicture } from "../map/grid";
import * as draw from "../map/layers";
import { planar, quaternion, type Planar } from "../map/planar";
import { MappingBar } from "../map/mapping";
import { Route } from "../map/route";
import { MapTools, type Tool } from "../map/tools";
import { Viewport } from "../map/viewport";
import type { Stage } from "../scene/stage";
import type { Studio } from "../studio";
import { h, refill } from "../ui/dom";
import { fixed } from "../ui/format";
import { icon, type IconName } from "../ui/icons";
import type { Panel } from "../ui/panel";
import { color, dark } from "../ui/theme";

const LAYERS = ["map", "costmap", "scan", "particles", "path"] as const;
type Layer = (typeof LAYERS)[number];
const ZERO: Planar = { x: 0, y: 0, yaw: 0 };

export class MapPanel implements Panel {
  readonly id = "map";
  readonly title = "Map";
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": "Map from above. Drag to move, wheel to zoom." });
  private readonly place = h("span", { class: "muted number" });
  readonly view = new Viewport();
  private readonly frames = new Frames();
  private readonly tools: MapTools;
  private readonly hearing: Hearing;
  private readonly shown = new Set<Layer>(LAYERS);
  private grid: OccupancyGrid | undefined;
  private picture: GridPicture | undefined;
  private costs: { picture: GridPicture; frame: string } | undefined;
  private scan: LaserScan | undefined;
  private cloud: PoseArray | undefined;
  private plan: Path | undefined;
  private local: Path | undefined;
  private goal: Planar | undefined;
  private readonly way = h("span", { class: "way", role: "status" });
  private readonly cancel = h("button", { type: "button", class: "small", hidden: true, title: "Forget the goal and stop" }, icon("close", 13), "Cancel goal");
  private readonly route = new Route((pose) => { this.send("goal", pose); });
  private readonly mapping: MappingBar;
  private fitted = false;
  private dirty = false;

  constructor(
    private readonly studio: Studio,
    private readonly stage: Stage,
  ) {
    this.hearing = new Hearing(studio.connection);
    this.tools = new MapTools(this.canvas, this.view, () => { this.redraw(); }, (tool, pose) => { this.send(tool, pose); });
    const tool = (name: Tool, title: string, sign: IconName): HTMLElement => {
      const button = h("button", { type: "button", class: "small", "data-tool": name, title, onclick: () => { this.tools.tool.value = name; } }, icon(sign, 13), title);
      this.tools.tool.watch((now) => { button.setAttribute("aria-pressed", String(now === name)); });
      return button;
    };
    const layer = (name: Layer): HTMLElement => {
      const box = h("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        if (box.checked) this.shown.add(name);
        else this.shown.delete(name);
        this.redraw();
      });
      return h("label", {}, box, name);
    };
    const fit = h("button", { type: "button", class: "small", title: "Show all", "aria-label": "Show the whole map", onclick: () => { this.fit(); } }, icon("expand", 13));
    const bar = h("div", { class: "row tools" }, tool("move", "Move", "hand"), tool("pose", "Pose estimate", "pin"), tool("goal", "Goal", "goal"), tool("waypoint", "Waypoints", "plus"), fit, this.cancel, this.routeBar(), h("span", { class: "layers" }, ...LAYERS.map(layer)), this.way, this.place);
    this.mapping = new MappingBar(studio);
    this.cancel.addEventListener("click", () => { this.route.stop(); void studio.ask("/navigation/cancel", "std_srvs/srv/Trigger"); });
    this.element = h("div", { class: "column map" }, bar, this.mapping.element, h("div", { class: "canvasbox" }, this.canvas));
    new ResizeObserver(() => { this.resize(); }).observe(this.canvas.parentElement!);
    dark.on(() => { this.repaint(); });
    studio.scene.on(() => { this.forget(); });
  }

  show(): void {
    this.hearing.add(this.frames.listen(this.studio.connection));
    this.hearing.add(this.mapping.listen());
    this.hearing.subscribe("/map", (grid) => {
      this.grid = grid;
      this.repaint();
      if (!this.fitted) this.fit();
    });
    this.hearing.subscribe("/costmap", (grid) => {
      this.costs = { picture: gridPicture(grid, "cost", dark.value), frame: grid.header.frame_id };
      this.redraw();
    });
    this.hearing.subscribe("/scan", (scan) => { this.scan = scan; this.redraw(); });
    this.hearing.subscribe("/particlecloud", (cloud) => { this.cloud = cloud; this.redraw(); });
    this.hearing.subscribe("/plan", (path) => { this.plan = path; this.redraw(); });
    this.hearing.subscribe("/local_plan", (path) => { this.local = path; this.redraw(); });
    this.hearing.subscribe("/goal_pose", ({ pose }) => { this.goal = planar(pose.position, pose.orientation); this.redraw(); });
    this.hearing.subscribe("/navigation/state", (state) => { this.tellWay(state); this.route.heard(state); });
    this.hearing.subscribe("/ground_truth/links", () => { this.redraw(); });
    this.resize();
  }

  hide(): void {
    this.hearing.stop();
  }

  private forget(): void {
    this.frames.clear();
    this.grid = this.picture = this.costs = this.scan = this.cloud = this.plan = this.local = this.goal = undefined;
    this.fitted = false;
    this.route.clear();
    this.redraw();
  }

  /** Buttons of the waypoints, seen while there are some. */
  private routeBar(): HTMLElement {
    const go = h("button", { type: "button", class: "small primary" });
    const patrol = h("input", { type: "checkbox", id: "patrol" });
    const words = h("span", { class: "muted", role: "status" });
    const bar = h("span", { class: "route", hidden: true }, words, go, h("label", { for: "patrol" }, patrol, "patrol"), h("button", { type: "button", class: "small", onclick: () => { this.route.clear(); } }, "Clear"));
    go.addEventListener("click", () => {
      if (this.route.at < 0) {
        this.route.start();
        return;
      }
      this.route.stop();
      void this.studio.ask("/navigation/cancel", "std_srvs/srv/Trigger");
    });
    patrol.addEventListener("change", () => { this.route.patrol = patrol.checked; });
    const tell = (): void => {
      bar.hidden = this.route.points.length === 0;
      words.textContent = this.route.words;
      refill(go, icon(this.route.at < 0 ? "play" : "stop", 12), this.route.at < 0 ? "Go" : "Stop");
    };
    tell();
    this.route.changed.on(() => {
      tell();
      this.redraw();
    });
    return bar;
  }

  /** How the way to the goal goes, in words. */
  private tellWay({ active, state, reason, distance }: NavigationState): void {
    this.cancel.hidden = !active;
    const left = `${fixed(distance, distance < 1 ? 2 : 1)} m left`;
    const words = { driving: `to the goal, ${left}`, recovering: `freeing itself, ${left}`, arrived: "arrived", failed: "gave up" }[state] ?? "";
    refill(this.way, words && (reason ? `${words}: ${reason}` : words));
    if (!active) this.goal = undefined;
    this.redraw();
  }

  /** The frame in which everything is drawn. */
  private get fixedFrame(): string {
    if (this.grid) return this.grid.header.frame_id || "map";
    return this.frames.has("map") ? "map" : "odom";
  }

  private offset(frame: string | undefined): Planar {
    return frame ? (this.frames.lookup(this.fixedFrame, frame) ?? ZERO) : ZERO;
  }

  /** Where the robot believes to be. */
  private robot(): Planar | undefined {
    const base = this.stage.robot.value?.urdf.urdfName;
    for (const frame of ["base_footprint", base, "base_link"]) {
      const found = frame === undefined ? undefined : this.frames.lookup(this.fixedFrame, frame);
      if (found && frame !== this.fixedFrame && this.frames.has(frame!)) return found;
    }
    return undefined;
  }

  private send(tool: Tool, { x, y, yaw }: Planar): void {
    if (tool === "waypoint") {
      this.route.add({ x, y, yaw });
      return;
    }
    const header = { frame_id: this.fixedFrame, stamp: { sec: 0, nanosec: 0 } };
    const pose = { position: { x, y, z: 0 }, orientation: quaternion(yaw) };
    if (tool === "goal") {
      this.goal = { x, y, yaw };
      this.studio.connection.publish("/goal_pose", "geometry_msgs/msg/PoseStamped", { header, pose });
    } else {
      const covariance = new Array<number>(36).fill(0);
      covariance[0] = covariance[7] = 0.25;
      covariance[35] = 0.07;
      this.studio.connection.publish("/initialpose", "geometry_msgs/msg/PoseWithCovarianceStamped", { header, pose: { pose, covariance } });
    }
    this.redraw();
  }

  private fit(): void {
    if (this.picture) this.view.fit(this.picture.low, this.picture.high);
    else {
      const at = this.robot() ?? ZERO;
      this.view.fit([at.x - 3, at.y - 3], [at.x + 3, at.y + 3]);
    }
    this.fitted = this.picture !== undefined;
    this.redraw();
  }

  private repaint(): void {
    this.picture = this.grid ? gridPicture(this.grid, "map", dark.value) : undefined;
    this.redraw();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === 0 || height === 0) return;
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${String(width)}px`;
    this.canvas.style.height = `${String(height)}px`;
    Object.assign(this.view, { width, height });
    if (!this.fitted) this.fit();
    this.redraw();
  }

  private redraw(): void {
    if (this.dirty || this.element.hidden) return;
    this.dirty = true;
    requestAnimationFrame(() => {
      this.dirty = false;
      this.draw();
    });
  }

  private draw(): void {
    const paint = this.canvas.getContext("2d")!;
    const ratio = this.canvas.width / Math.max(1, this.view.width);
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.fillStyle = color("canvas");
    paint.fillRect(0, 0, this.view.width, this.view.height);
    draw.drawMetres(paint, this.view, color("line"));
    const has = (layer: Layer): boolean => this.shown.has(layer);
    if (this.picture && has("map")) draw.drawGrid(paint, this.view, this.picture, ZERO);
    if (this.costs && has("costmap")) draw.drawGrid(paint, this.view, this.costs.picture, this.offset(this.costs.frame));
    if (this.cloud && has("particles")) draw.drawParticles(paint, this.view, this.cloud, this.offset(this.cloud.header.frame_id));
    if (this.plan && has("path")) draw.drawPath(paint, this.view, this.plan, this.offset(this.plan.header.frame_id), "#16a34a", 2.5);
    if (this.local && has("path")) draw.drawPath(paint, this.view, this.local, this.offset(this.local.header.frame_id), "#f59e0b", 3);
    if (this.scan && has("scan")) {
      const { header, time_increment, ranges } = this.scan;
      const began = seconds(header.stamp); // where the sensor was then, not where it is now
      const first = this.frames.lookup(this.fixedFrame, header.frame_id, began);
      const last = this.frames.lookup(this.fixedFrame, header.frame_id, began + time_increment * ranges.length);
      if (first && last) draw.drawScan(paint, this.view, this.scan, first, last);
    }
    const robot = this.robot();
    if (robot) draw.drawRobot(paint, this.view, robot, 0.12, color("accent"));
    if (this.goal) draw.drawArrow(paint, this.view, this.goal, "#16a34a");
    this.route.points.forEach((point, i) => { draw.drawWaypoint(paint, this.view, point, String(i + 1), i === this.route.at ? "#16a34a" : "#7c3aed"); });
    const draft = this.tools.draft;
    if (draft) draw.drawArrow(paint, this.view, draft.pose, { goal: "#16a34a", waypoint: "#7c3aed", pose: "#2f80ed", move: "#2f80ed" }[draft.tool], 46);
    refill(this.place, robot ? `${this.fixedFrame}: ${fixed(robot.x, 2)}, ${fixed(robot.y, 2)} m` : "no pose yet");
  }
}
