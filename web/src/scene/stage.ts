/** What stands in the picture: the world and the robot of the session, moved as the simulator says. */

import * as THREE from "three";

import type { LinkPoses, Models } from "../link/messages";
import { Frames } from "../link/tf";
import { subscribe } from "../link/topics";
import { composed, inverse, planar, type Planar } from "../map/planar";
import type { Studio } from "../studio";
import { Signal } from "../ui/signal";
import { toast } from "../ui/toast";
import { blobShadow } from "./bake";
import { FlatRobot } from "./flat";
import { SOFTWARE } from "./quality";
import { RobotModel } from "./robot";
import { Track } from "./track";
import type { View } from "./view";
import { WorldModel } from "./world";

const STALE = 1000; // after so long without true poses the joints are bent by the encoders [ms]

export class Stage {
  readonly robot = new Signal<RobotModel | null>(null);
  readonly world = new Signal<WorldModel | null>(null);
  readonly follow = new Signal<boolean>(true);
  /** Names of robots and models that were added to the scene. */
  readonly added = new Signal<readonly string[]>([]);
  readonly centre = new THREE.Vector3();
  readonly frames = new Frames();
  private asked = { robot: "", world: "" };
  private versions = { robot: "", world: "" }; // of files: the same name may come back with another content
  private session = ""; // mark of the session that the page met first
  private posesAt = -Infinity;
  private framed = false;
  private looked = false; // a view was given by a link
  private encoders: (() => void) | undefined;
  private last: LinkPoses | undefined;
  private readonly lately = new Track();
  private others = new Map<string, RobotModel>();
  private flat: FlatRobot | undefined;
  private readonly blob = SOFTWARE ? blobShadow() : undefined;

  constructor(
    studio: Studio,
    readonly view: View,
  ) {
    studio.status.on((status) => {
      if (!status) return;
      if (status.world !== this.asked.world) void this.loadWorld(status.world, this.versions.world);
      if (status.robot !== this.asked.robot) void this.loadRobot(status.robot, this.versions.robot);
    });
    this.prepare().catch(() => undefined); // the status of the session names them too
    if (this.blob) view.scene.add(this.blob);
    view.onFrame(() => { this.flat?.update(); });
    subscribe(studio.connection, "/ground_truth/links", (message) => { this.place(message); });
    setInterval(() => { this.fallBack(studio); }, STALE);
    subscribe(studio.connection, "/scene/models", (message) => {
      const [robot = "", world = ""] = message.versions;
      const before = this.versions;
      this.versions = { robot, world };
      const { status } = studio;
      if (world !== before.world && status.value?.world === this.asked.world) void this.loadWorld(this.asked.world, world);
      if (robot !== before.robot && status.value?.robot === this.asked.robot) void this.loadRobot(this.asked.robot, robot);
      void this.loadOthers(message);
    });
    studio.connection.state.on((state) => { if (state === "open") void this.checkSession(); });
    studio.scene.on(() => { this.framed = false; });
  }

  /** Of the robot's file, which may come back changed under the same name. */
  get robotVersion(): string {
    return this.versions.robot;
  }

  /** Where a frame of the robot's own reckoning lies in the world; the world itself where that is not known. */
  offset(frame: string): Planar {
    const robot = this.robot.value;
    if (!robot || !["odom", "map"].includes(frame)) return { x: 0, y: 0, yaw: 0 };
    const base = robot.urdf.urdfName;
    const believed = this.frames.lookup(frame, base);
    if (!believed) return { x: 0, y: 0, yaw: 0 };
    const { position, quaternion } = robot.urdf;
    return composed(planar(position, quaternion), inverse(believed));
  }

  /** world_from_link of the robot at a time of the last seconds; undefined where that is not known. */
  poseAt(link: string, time: number): THREE.Matrix4 | undefined {
    return this.lately.at(link, time);
  }

  /** Look from a point at another, three numbers each [m]; kept although meshes still come. */
  look(camera: readonly number[]): void {
    this.framed = this.looked = true;
    this.view.camera.position.set(camera[0]!, camera[1]!, camera[2]!);
    this.view.controls.target.set(camera[3]!, camera[4]!, camera[5]!);
    this.view.controls.update();
  }

  /** Bring the robot into the middle. */
  home(): void {
    const robot = this.robot.value;
    if (!robot) return;
    const box = new THREE.Box3().setFromObject(robot.urdf);
    if (box.isEmpty()) return;
    const size = box.getSize(new THREE.Vector3());
    this.blob?.scale.setScalar(1.25 * Math.max(size.x, size.y));
    this.view.frame(box.getCenter(new THREE.Vector3()), Math.min(Math.max(size.length(), 0.3), 4));
  }

  /** Hear the encoders only while nobody tells the true poses. */
  private fallBack(studio: Studio): void {
    const stale = performance.now() - this.posesAt > STALE;
    if (stale && !this.encoders) {
      this.encoders = subscribe(studio.connection, "/joint_states", (message) => {
        if (performance.now() - this.posesAt < STALE) return;
        this.robot.value?.bend(message);
        this.view.invalidate();
      });
    } else if (!stale && this.encoders) {
      this.encoders();
      this.encoders = undefined;
    }
  }

  private place(message: LinkPoses): void {
    this.posesAt = performance.now();
    this.last = message;
    this.lately.add(message);
    const robot = this.robot.value;
    if (robot) {
      robot.place(message);
      this.moveCamera(robot);
    }
    this.world.value?.place(message);
    for (const [name, other] of this.others) other.place(renamed(message, name));
    this.view.invalidate();
  }

  /** Camera and light go with the robot where that is wanted. */
  private moveCamera(robot: RobotModel): void {
    const at = robot.urdf.position;
    if (!Number.isFinite(at.x + at.y + at.z)) return;
    if (this.follow.value && this.framed) {
      const shift = new THREE.Vector3().subVectors(at, this.centre);
      shift.z *= 0.25; // the steps of a walk shall not shake the picture
      this.view.camera.position.add(shift);
      this.view.controls.target.add(shift);
      this.view.controls.update();
    }
    this.centre.copy(at);
    this.view.lights.follow(at);
    this.blob?.position.set(at.x, at.y, 0.004);
    if (!this.framed && robot.urdf.children.length > 0) {
      this.framed = true;
      this.home();
    }
  }

  /** Load what the session begins with while that is still being built. */
  private async prepare(): Promise<void> {
    const { robot, world, session } = await opening();
    this.session = session;
    if (world !== null && this.asked.world === "") void this.loadWorld(world, "");
    if (robot !== null && this.asked.robot === "") void this.loadRobot(robot, "");
  }

  /** Another session at the same address is another page. */
  private async checkSession(): Promise<void> {
    try {
      const { session } = await opening();
      if (this.session !== "" && session !== this.session) location.reload();
      this.session = session;
    } catch {
      // the server is just going; the connection comes back with the next one
    }
  }

  private async loadRobot(name: string, version: string): Promise<void> {
    this.asked.robot = name;
    try {
      const robot = await RobotModel.load(name, () => { this.meshCame(); }, version);
      if (this.asked.robot !== name || (version !== this.versions.robot && this.versions.robot !== "")) return;
      if (this.robot.value) this.view.scene.remove(this.robot.value.urdf);
      this.flat?.dispose();
      this.flat = undefined;
      this.framed = false;
      this.view.scene.add(robot.urdf);
      if (this.last) robot.place(this.last);
      this.robot.value = robot;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
    this.view.invalidate();
  }

  private async loadWorld(name: string, version: string): Promise<void> {
    this.asked.world = name;
    try {
      const world = await WorldModel.load(name, this.view.lights, () => { this.view.invalidate(); }, version);
      if (this.asked.world !== name || (version !== this.versions.world && this.versions.world !== "")) return;
      if (this.world.value) this.view.scene.remove(this.world.value.group);
      this.view.scene.add(world.group);
      this.view.setBackground(world.background);
      if (this.last) world.place(this.last);
      this.world.value = world;
      if (this.flat) this.flatten(); // in the light of the new world
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "bad");
    }
    this.view.invalidate();
  }

  /** Models that were added to the scene. */
  private async loadOthers(message: Models): Promise<void> {
    for (const other of this.others.values()) this.view.scene.remove(other.urdf);
    const others = new Map<string, RobotModel>();
    this.others = others;
    this.added.value = message.names;
    for (const [i, name] of message.names.entries()) {
      try {
        const model = await RobotModel.load(message.robots[i]!, () => { this.view.invalidate(); }, message.versions[i + 2]);
        if (this.others !== others) return;
        others.set(name, model);
        this.view.scene.add(model.urdf);
        if (this.last) model.place(renamed(this.last, name));
      } catch (error) {
        toast(error instanceof Error ? error.message : String(error), "bad");
      }
    }
    this.view.invalidate();
  }

  /** Without a graphics card the robot becomes one mesh. */
  private flatten(): void {
    const robot = this.robot.value;
    if (!SOFTWARE || !robot) return;
    this.flat?.dispose();
    this.flat = new FlatRobot(robot.urdf, this.view.lights.lighting);
    this.view.scene.add(this.flat.mesh);
  }

  /** Meshes come one by one; the first look waits for the size of all of them. */
  private settle = 0;
  private meshCame(): void {
    this.view.invalidate();
    clearTimeout(this.settle);
    this.settle = window.setTimeout(() => {
      this.flatten();
      if (!this.looked) this.home();
      this.view.warm();
    }, 150);
  }
}

interface Opening {
  robot: string | null;
  world: string | null;
  session: string;
}

/** What the session begins with, and its mark. */
async function opening(): Promise<Opening> {
  const answer = await fetch("scene.json", { cache: "no-store" });
  if (!answer.ok) throw new Error("the server tells no scene");
  return (await answer.json()) as Opening;
}

/** The poses of one further model, by the plain names of its links. */
function renamed(message: LinkPoses, model: string): LinkPoses {
  const prefix = `${model}::`;
  return { ...message, names: message.names.map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : "")) };
}
