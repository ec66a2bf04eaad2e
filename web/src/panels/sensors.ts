/** Sensors panel: foot forces, attitude and rates of the IMU, and what the sonar hears. */

import * as THREE from "three";

import { Hearing } from "../link/topics";
import type { FootForces, Imu, Range, Vector3 } from "../link/messages";
import type { Studio } from "../studio";
import { h, refill, s } from "../ui/dom";
import { DEGREES, fixed } from "../ui/format";
import type { Panel } from "../ui/panel";
import { feetPicture } from "./feet";

const QUIET = 3000; // a sensor that is silent so long is not shown [ms]

export class SensorsPanel implements Panel {
  readonly id = "sensors";
  readonly title = "Sensors";
  readonly element: HTMLElement;
  private readonly feet = h("section", { class: "sensor", hidden: true, "aria-label": "Foot forces" });
  private readonly imu = h("section", { class: "sensor", hidden: true, "aria-label": "IMU" });
  private readonly sonar = h("section", { class: "sensor", hidden: true, "aria-label": "Sonar" });
  private readonly none = h("p", { class: "hint" }, "No sensor has spoken yet.");
  private readonly hearing: Hearing;
  private readonly heard = new Map<HTMLElement, number>();
  private readonly ranges = new Map<string, Range>();
  private timer = 0;

  constructor(private readonly studio: Studio) {
    this.hearing = new Hearing(studio.connection);
    this.element = h("div", { class: "sensors" }, this.feet, this.imu, this.sonar, this.none);
  }

  show(): void {
    this.hearing.subscribe("/imu/data", (message) => { this.showImu(message); });
    this.hearing.subscribe("/sonar", (message) => { this.showSonar(message); });
    let end: (() => void) | undefined;
    this.hearing.add(
      this.studio.robot.watch((robot) => {
        end?.();
        this.ranges.clear();
        if (robot) end = this.studio.connection.subscribe(`/${robot}/foot_force`, "andante_msgs/msg/FootForces", (message: FootForces) => { this.showFeet(message); }, 60);
      }),
    );
    this.hearing.add(() => end?.());
    this.timer = window.setInterval(() => { this.forget(); }, 1000);
  }

  hide(): void {
    this.hearing.stop();
    clearInterval(this.timer);
  }

  private say(section: HTMLElement, title: string, ...content: (Element | null)[]): void {
    this.heard.set(section, performance.now());
    section.hidden = false;
    this.none.hidden = true;
    refill(section, h("h3", {}, title), ...content);
  }

  private forget(): void {
    if (this.studio.status.value?.paused) return;
    const now = performance.now();
    for (const [section, at] of this.heard) section.hidden = now - at > QUIET;
    this.none.hidden = [...this.heard.keys()].some((section) => !section.hidden);
  }

  private showFeet(message: FootForces): void {
    if (message.feet.length > 0) this.say(this.feet, "Foot forces", feetPicture(message));
  }

  private showImu(message: Imu): void {
    const { x, y, z, w } = message.orientation;
    const euler = new THREE.Euler().setFromQuaternion(new THREE.Quaternion(x, y, z, w), "ZYX");
    const [roll, pitch, yaw] = [euler.x * DEGREES, euler.y * DEGREES, euler.z * DEGREES];
    const row = (name: string, v: Vector3, unit: string): HTMLElement =>
      h("tr", {}, h("th", { scope: "row" }, name), ...[v.x, v.y, v.z].map((value) => h("td", { class: "number" }, fixed(value, 2))), h("td", { class: "muted" }, unit));
    this.say(
      this.imu,
      "Inertial unit",
      h("div", { class: "attitude" }, horizon(roll, pitch), h("dl", { class: "facts" }, ...([["roll", roll], ["pitch", pitch], ["yaw", yaw]] as const).map(([name, angle]) => h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, `${fixed(angle, 1)}°`))))),
      h("table", {}, h("tbody", {}, row("turning", message.angular_velocity, "rad/s"), row("pulling", message.linear_acceleration, "m/s²"))),
    );
  }

  private showSonar(message: Range): void {
    this.ranges.set(message.header.frame_id, message);
    const bars = [...this.ranges].map(([name, one]) => {
      const seen = Number.isFinite(one.range) && one.range <= one.max_range;
      return h("div", { class: "bar" }, h("span", {}, name), h("meter", { min: 0, max: one.max_range, value: seen ? one.range : one.max_range, "aria-label": name }), h("output", { class: "number" }, seen ? `${fixed(one.range, 2)} m` : "nothing"));
    });
    this.say(this.sonar, "Sonar", ...bars);
  }
}

/** An artificial horizon; angles in degrees. */
function horizon(roll: number, pitch: number): SVGSVGElement {
  const shift = Math.max(-40, Math.min(40, pitch * 0.9));
  return s(
    "svg",
    { viewBox: "-50 -50 100 100", class: "horizon", role: "img", "aria-label": `Roll ${fixed(roll, 0)}, pitch ${fixed(pitch, 0)} degrees` },
    s("clipPath", { id: "horizon-clip" }, s("circle", { r: 44 })),
    s("g", { "clip-path": "url(#horizon-clip)" },
      s("g", { transform: `rotate(${String(-roll)}) translate(0 ${String(shift)})` },
        s("rect", { x: -120, y: -160, width: 240, height: 160, class: "sky" }),
        s("rect", { x: -120, y: 0, width: 240, height: 160, class: "earth" }),
        s("path", { d: "M-14 -18h28M-9 -9h18M-14 18h28M-9 9h18", class: "marks" }))),
    s("circle", { r: 44, class: "ring" }),
    s("path", { d: "M-30 0h18M12 0h18M0 -3v6", class: "plane" }),
  );
}
