/** The world of the session: floors, one mesh for all that stands still, one for each link that may move. */

import * as THREE from "three";

import type { LinkPoses } from "../link/messages";
import { baked, type Lighting } from "./bake";
import { makeFloor, type FloorData } from "./floor";
import type { Lights } from "./lights";
import { BAKED, BAKED_GLASS, WORLD, WORLD_GLASS } from "./materials";
import { address, dressed, fetchMesh, queried } from "./meshes";
import { SOFTWARE } from "./quality";

interface WorldData {
  name: string;
  background: number[];
  lights: { kind: string; direction: number[] }[];
  floors: FloorData[];
  static: string | null;
  bounds: [number[], number[]] | null;
  parts: { name: string; pose: number[]; mesh: string }[];
}

export class WorldModel {
  readonly group = new THREE.Group();
  readonly background: THREE.Color;
  readonly sun: THREE.Vector3;
  /** All but the floors: what an editor takes out of sight. */
  readonly things: THREE.Object3D[] = [];
  private readonly parts = new Map<string, THREE.Object3D>();

  private constructor(
    readonly data: WorldData,
    lights: Lights,
    onChange: () => void,
    private readonly version: string,
  ) {
    const [r = 0.8, g = 0.85, b = 0.9] = data.background;
    this.background = new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
    this.sun = new THREE.Vector3(...(data.lights.find((light) => light.kind === "directional")?.direction ?? [-0.4, 0.25, -0.9]));
    lights.aim(this.sun);
    const { lighting } = lights;
    for (const floor of data.floors) this.group.add(makeFloor(floor, lighting));
    const still = new THREE.Group();
    this.group.add(still);
    this.things.push(still);
    if (data.static !== null) this.add(still, data.static, onChange, SOFTWARE ? lighting : undefined);
    for (const part of data.parts) {
      const place = new THREE.Group();
      set(place, part.pose);
      this.parts.set(part.name, place);
      this.things.push(place);
      this.group.add(place);
      this.add(place, part.mesh, onChange);
    }
  }

  static async load(name: string, lights: Lights, onChange: () => void, version = ""): Promise<WorldModel> {
    const answer = await fetch(`world/${address(name)}.json${queried(version)}`);
    if (!answer.ok) throw new Error(`the server knows no world ${name}`);
    return new WorldModel((await answer.json()) as WorldData, lights, onChange, version);
  }

  /** Put the links that move where they are. */
  place(message: LinkPoses): void {
    if (this.parts.size === 0) return;
    message.names.forEach((name, i) => {
      const part = this.parts.get(name);
      if (part) set(part, message.poses.slice(7 * i, 7 * i + 7));
    });
  }

  /** Fetch a mesh; with a light, it is lit once and for all. */
  private add(parent: THREE.Object3D, mesh: string, onChange: () => void, light?: Lighting): void {
    fetchMesh(`world/${mesh}${queried(this.version)}`).then((painted) => {
      const [look, glass] = light ? [BAKED, BAKED_GLASS] : [WORLD, WORLD_GLASS];
      const shown = dressed(painted, look, glass, light ? (geometry) => baked(geometry, light) : undefined);
      for (const each of shown) each.receiveShadow = each.castShadow = true;
      parent.add(...shown);
      onChange();
    }, (error: unknown) => { console.warn(error); });
  }
}

function set(object: THREE.Object3D, pose: ArrayLike<number>): void {
  object.position.set(pose[0]!, pose[1]!, pose[2]!);
  object.quaternion.set(pose[3]!, pose[4]!, pose[5]!, pose[6]!);
}
