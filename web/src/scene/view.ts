/** The 3D picture: renderer, camera and controls; it draws only when something has changed. */

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

import { dark } from "../ui/theme";
import { Lights } from "./lights";
import { PixelRatio, SOFTWARE } from "./quality";

export class View {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(42, 1, 0.02, 80);
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  readonly lights: Lights;
  /** Frames drawn in the last second. */
  fps = 0;
  readonly renderer: THREE.WebGLRenderer;
  private readonly ratio = new PixelRatio();
  private readonly beforeFrame: (() => void)[] = [];
  private dirty = true;
  private held = false;
  private drawn: number[] = [];
  private day = new THREE.Color(0xdfe6ec);

  constructor(private readonly holder: HTMLElement) {
    document.documentElement.dataset["quality"] = SOFTWARE ? "low" : "high";
    this.renderer = new THREE.WebGLRenderer({ antialias: !SOFTWARE, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = SOFTWARE ? THREE.LinearSRGBColorSpace : THREE.SRGBColorSpace;
    this.renderer.shadowMap.enabled = !SOFTWARE;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NoToneMapping;
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Robot and world in 3D. Drag to turn, wheel to zoom, right button to move.");
    this.canvas.tabIndex = 0;
    holder.append(this.canvas);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(1.15, -0.95, 0.75);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.set(0, 0, 0.3);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = Math.PI * 0.495;
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 25;
    this.controls.addEventListener("change", () => { this.invalidate(); });
    this.lights = new Lights(!SOFTWARE);
    this.scene.add(this.lights.group);
    this.scene.fog = new THREE.Fog(0xffffff, 9, 32);
    dark.watch(() => { this.paint(); });
    new ResizeObserver(() => { this.resize(); }).observe(holder);
    const tick = (now: number): void => {
      requestAnimationFrame(tick);
      this.tick(now);
    };
    requestAnimationFrame(tick);
  }

  /** Draw nothing for now, as there is nothing to be seen; what drawing needs is made ready meanwhile. */
  hold(held: boolean): void {
    this.held = held;
    this.dirty = true;
  }

  /** Make what the present scene needs ready to be drawn. */
  warm(): void {
    this.renderer.compile(this.scene, this.camera);
  }

  /** Draw again soon. */
  invalidate(): void {
    this.dirty = true;
  }

  /** Call something before each frame that is drawn. */
  onFrame(work: () => void): void {
    this.beforeFrame.push(work);
  }

  /** Colour of the sky by day. */
  setBackground(color: THREE.Color): void {
    this.day = color;
    this.paint();
  }

  /** Let the camera look at a point from the same side; the distance fits a thing of that size [m]. */
  frame(centre: THREE.Vector3, size: number): void {
    const away = new THREE.Vector3(0.78, -0.66, 0.36).normalize();
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(away, Math.max(0.4, 1.75 * size));
    this.controls.update();
    this.invalidate();
  }

  /** Ray through a point of the canvas. */
  ray(event: { clientX: number; clientY: number }): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(
      ((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    );
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  private paint(): void {
    const night = new THREE.Color(0x161a20);
    const sky = dark.value ? night : this.day.clone().lerp(new THREE.Color(0xffffff), 0.35);
    this.scene.background = sky;
    (this.scene.fog as THREE.Fog).color = sky;
    this.lights.dim(dark.value);
    this.invalidate();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(this.ratio.value);
    this.renderer.setSize(width, height, true);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  private tick(now: number): void {
    while (this.drawn.length > 0 && this.drawn[0]! < now - 1000) this.drawn.shift();
    this.fps = this.drawn.length;
    if (!this.dirty || this.held || document.hidden) return;
    this.dirty = false;
    for (const work of this.beforeFrame) work();
    this.renderer.render(this.scene, this.camera);
    const last = this.drawn[this.drawn.length - 1];
    if (last !== undefined && this.ratio.frame(now - last)) this.resize();
    this.drawn.push(now);
  }
}
