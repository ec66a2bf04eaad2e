/** Light of the picture: sky and floor from all around, a sun with shadows that goes with the robot, and a weak fill. */

import * as THREE from "three";

import type { Lighting } from "./bake";
import { BAKED, BAKED_GLASS } from "./materials";
import { SOFTWARE } from "./quality";

const SUN = SOFTWARE ? 1.25 : 2.1;
const SKY = SOFTWARE ? 2.0 : 1.35;
const NIGHT = 0.72; // fraction of the light that is left in the dark theme
const REACH = 1.6; // half edge of the square in which shadows fall [m]

export class Lights {
  readonly group = new THREE.Group();
  private readonly sun = new THREE.DirectionalLight(0xfff4e6, SUN);
  private readonly fill = new THREE.DirectionalLight(0xdfe9ff, 0.55);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8d8a86, SKY);
  private direction = new THREE.Vector3(-0.4, 0.25, -0.9).normalize();

  constructor(shadows: boolean) {
    this.sky.position.set(0, 0, 1); // "up" of a hemisphere light is its position
    this.sun.castShadow = shadows;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.01;
    this.sun.shadow.radius = 3;
    const eye = this.sun.shadow.camera;
    eye.left = eye.bottom = -REACH;
    eye.right = eye.top = REACH;
    eye.near = 0.1;
    eye.far = 9;
    this.group.add(this.sun, this.sun.target, this.sky);
    if (!SOFTWARE) this.group.add(this.fill, this.fill.target);
    this.follow(new THREE.Vector3());
  }

  /** Direction in which the sun shines, as the world says. */
  aim(direction: THREE.Vector3): void {
    if (direction.lengthSq() > 0 && direction.z < -0.05) this.direction = direction.clone().normalize();
  }

  /** Keep the shadowed square around the robot. */
  follow(centre: THREE.Vector3): void {
    const step = 0.25; // in steps, so that the edges of shadows do not swim
    const at = new THREE.Vector3(Math.round(centre.x / step) * step, Math.round(centre.y / step) * step, 0);
    this.sun.target.position.copy(at);
    this.sun.position.copy(at).addScaledVector(this.direction, -5);
    this.fill.target.position.copy(at);
    this.fill.position.copy(at).add(new THREE.Vector3(2.5, -3.5, 2));
  }

  /** The light by day for what is lit once and for all. */
  get lighting(): Lighting {
    const part = (color: THREE.Color, intensity: number): THREE.Color => color.clone().multiplyScalar(intensity / Math.PI);
    return {
      sun: this.direction,
      sunColor: part(this.sun.color, SUN),
      sky: part(this.sky.color, SKY),
      ground: part(this.sky.groundColor, SKY),
    };
  }

  /** Less light at night. */
  dim(dark: boolean): void {
    this.sun.intensity = dark ? 0.83 * SUN : SUN;
    this.sky.intensity = dark ? NIGHT * SKY : SKY;
    this.fill.intensity = dark ? 0.45 : 0.55;
    const baked = dark ? NIGHT : 1;
    BAKED.color.setScalar(baked);
    BAKED_GLASS.color.setScalar(baked);
  }
}
