/** The few materials of the picture. */

import * as THREE from "three";

import { SOFTWARE } from "./quality";

/** Painted shells of robots: a little gloss. */
export const ROBOT = SOFTWARE
  ? new THREE.MeshLambertMaterial({ vertexColors: true })
  : new THREE.MeshPhongMaterial({ vertexColors: true, specular: 0x2a2a2a, shininess: 42 });
/** Parts of robots that one can see through. */
export const GLASS = new THREE.MeshPhongMaterial({ vertexColors: true, transparent: true, depthWrite: false, specular: 0x444444, shininess: 60 });
/** Furniture and walls. */
export const WORLD = new THREE.MeshLambertMaterial({ vertexColors: true });
export const WORLD_GLASS = new THREE.MeshLambertMaterial({ vertexColors: true, transparent: true, depthWrite: false });
/** The same with the light already in their colours. */
export const BAKED = new THREE.MeshBasicMaterial({ vertexColors: true });
export const BAKED_GLASS = new THREE.MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
/** Collision shapes, seen through everything. */
export const COLLISION = new THREE.MeshLambertMaterial({ color: 0x1fbf8f, transparent: true, opacity: 0.4, depthWrite: false });
/** The link that was picked. */
export const PICKED = new THREE.MeshLambertMaterial({ vertexColors: true, emissive: 0xb8431b, emissiveIntensity: 0.55 });
