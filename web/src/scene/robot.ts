/** A robot in the picture: loaded by urdf-loader, its links put where the simulator says or by joint angles. */

import * as THREE from "three";
import URDFLoader, { type URDFJoint, type URDFRobot } from "urdf-loader";

import type { LinkPoses, JointState } from "../link/messages";
import { COLLISION, GLASS, PICKED, ROBOT } from "./materials";
import { address, dressed, fetchMesh, queried } from "./meshes";
import { SOFTWARE } from "./quality";

export interface LinkInfo {
  name: string;
  mass: number;
  position: THREE.Vector3;
  quaternion: THREE.Quaternion;
}

const COLLISION_MESH = ".collision.mesh";

export class RobotModel {
  readonly mass: number;
  private readonly order: { name: string; parent: string | undefined; holder: THREE.Object3D }[];
  private readonly pose = new THREE.Matrix4();
  private readonly inverse = new THREE.Matrix4();
  private readonly scale = new THREE.Vector3(1, 1, 1);
  private picked: string | undefined;
  private collisions = false;
  private readonly onChange: () => void;

  private constructor(
    readonly name: string,
    readonly urdf: URDFRobot,
    onChange: () => void,
  ) {
    this.onChange = onChange;
    this.mass = Object.values(urdf.links).reduce((sum, link) => sum + massOf(link), 0);
    this.order = [];
    const walk = (link: THREE.Object3D, name: string, parent: string | undefined, holder: THREE.Object3D): void => {
      this.order.push({ name, parent, holder });
      for (const joint of link.children) {
        const child = joint.children.find((one) => "isURDFLink" in one) as (THREE.Object3D & { urdfName: string }) | undefined;
        if ("isURDFJoint" in joint && child) walk(child, child.urdfName, name, joint);
      }
    };
    const root = urdf as THREE.Object3D & { urdfName: string };
    walk(root, root.urdfName, undefined, root);
  }

  /** Load the robot of that name from the server; meshes follow by themselves. */
  static async load(name: string, onChange: () => void, version = ""): Promise<RobotModel> {
    const answer = await fetch(`robot/${address(name)}.urdf${queried(version)}`);
    if (!answer.ok) throw new Error(`the server knows no robot ${name}`);
    const text = await answer.text();
    const loader = new URDFLoader();
    loader.parseCollision = true;
    loader.workingPath = "robot/";
    loader.loadMeshCb = (url, _manager, _material, done) => {
      if (url.endsWith(COLLISION_MESH)) {
        const place = new THREE.Group();
        place.userData["collision"] = url + queried(version);
        done(place);
        return;
      }
      fetchMesh((SOFTWARE ? url.replace(/\.mesh$/, ".coarse.mesh") : url) + queried(version)).then(
        (painted) => {
          const meshes = dressed(painted, ROBOT, GLASS);
          for (const mesh of meshes) {
            mesh.castShadow = mesh.receiveShadow = true;
            mesh.userData["look"] = mesh.material;
          }
          done(meshes.length === 1 ? meshes[0]! : new THREE.Group().add(...meshes));
          onChange();
        },
        (error: unknown) => { done(new THREE.Group(), error as Error); },
      );
    };
    return new RobotModel(name, loader.parse(text), onChange);
  }

  get joints(): Record<string, URDFJoint> {
    return this.urdf.joints;
  }

  /** Put every named link where it is in the world; poses are x y z qx qy qz qw. */
  place(message: LinkPoses): void {
    const at = new Map<string, THREE.Matrix4>();
    message.names.forEach((name, i) => {
      const p = message.poses.slice(7 * i, 7 * i + 7);
      const where = new THREE.Vector3(p[0], p[1], p[2]);
      at.set(name, new THREE.Matrix4().compose(where, new THREE.Quaternion(p[3], p[4], p[5], p[6]), this.scale));
    });
    for (const { name, parent, holder } of this.order) {
      const above = parent === undefined ? undefined : at.get(parent);
      const mine = at.get(name) ?? above; // a frame between two links stays with the first
      if (!mine || (parent !== undefined && !above)) continue;
      at.set(name, mine);
      if (above) this.pose.multiplyMatrices(this.inverse.copy(above).invert(), mine);
      (above ? this.pose : mine).decompose(holder.position, holder.quaternion, holder.scale);
    }
  }

  /** Bend the joints as an encoder reading says; the base stays. */
  bend(message: JointState): void {
    message.name.forEach((name, i) => {
      const value = message.position[i];
      if (value !== undefined && Number.isFinite(value)) this.urdf.joints[name]?.setJointValue(value);
    });
  }

  /** What the card about a picked link says. */
  info(name: string): LinkInfo | undefined {
    const link = this.urdf.links[name];
    if (!link) return undefined;
    link.updateWorldMatrix(true, false);
    const found = { name, mass: massOf(link), position: new THREE.Vector3(), quaternion: new THREE.Quaternion() };
    link.matrixWorld.decompose(found.position, found.quaternion, new THREE.Vector3());
    return found;
  }

  /** Name of the link that an object of the picture belongs to. */
  linkOf(object: THREE.Object3D): string | undefined {
    for (let at: THREE.Object3D | null = object; at; at = at.parent) {
      if ("isURDFLink" in at && "urdfName" in at) return String(at.urdfName);
    }
    return undefined;
  }

  /** Show one link in another colour, or none. */
  pick(name: string | undefined): void {
    for (const [link, look] of [[this.picked, undefined], [name, PICKED]] as const) {
      if (link === undefined) continue;
      this.meshes(link).forEach((mesh) => {
        if (mesh.material !== GLASS) mesh.material = look ?? (mesh.userData["look"] as THREE.Material);
      });
    }
    this.picked = name;
  }

  /** Show or hide collision shapes; they are fetched when first wanted. */
  showCollisions(shown: boolean): void {
    this.collisions = shown;
    this.urdf.traverse((object) => {
      const url = object.userData["collision"] as string | undefined;
      if (url === undefined) return;
      object.visible = shown;
      if (!shown || object.userData["asked"]) return;
      object.userData["asked"] = true;
      fetchMesh(url).then(({ geometry }) => {
        object.add(new THREE.Mesh(geometry, COLLISION));
        object.visible = this.collisions;
        this.onChange();
      }, () => undefined);
    });
  }

  private meshes(link: string): THREE.Mesh[] {
    const found: THREE.Mesh[] = [];
    for (const visual of this.urdf.links[link]?.children ?? []) {
      if ("isURDFVisual" in visual) visual.traverse((one) => { if (one instanceof THREE.Mesh) found.push(one); });
    }
    return found;
  }
}

function massOf(link: THREE.Object3D): number {
  const mass = (link as THREE.Object3D & { inertial?: { mass?: number } }).inertial?.mass;
  return mass !== undefined && Number.isFinite(mass) ? mass : 0;
}
