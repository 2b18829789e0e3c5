// The 3D view: builds a world once, then draws a moment of it, and only when something has changed.
// What the moment is, the player of a recording and the live page say each for themselves.

import {
  DirectionalLight, Group, HemisphereLight, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer, type Object3D,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { categorical, type Paint } from "./colour";
import type { Body, Look, World } from "./data";
import { disposeTree } from "./dispose";
import { html } from "./dom";
import type { Moment } from "./frames";
import { GripperProp, type GripperScale } from "./grippers";
import { ObstacleProp } from "./obstacles";
import { Overlay } from "./overlay";
import type { Shape } from "./shape";
import { Surface } from "./surface";
import { detailFor, Tube, type Detail } from "./tube";

const FIELD_OF_VIEW = 32;
/** Curves are never drawn thinner than this many pixels across: real cables can be finer than one. */
const THINNEST_PIXELS = 2.4;

export function canDraw(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

export class View {
  readonly element = html("div", { class: "view" });
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW);
  readonly renderer = new WebGLRenderer({ antialias: true, alpha: true });
  /** The diagonal of the world: what has no size of its own is drawn to suit it. */
  size = 1;
  world: World = { bodies: [], obstacles: [], grippers: [] };
  protected readonly scene = new Scene();
  protected readonly orbit: OrbitControls;
  protected readonly overlay = new Overlay();
  protected readonly moment: Moment = { frame: 0, next: 0, mix: 0 };
  protected shapes: Shape[] = [];
  protected obstacles: ObstacleProp[] = [];
  protected grippers: GripperProp[] = [];
  protected gripperScale: GripperScale = { jaw: 1, gap: 1, arrow: 1, force: 0 };
  protected detail: Detail = detailFor(0);
  protected paint: Paint | null = null;
  protected thinnest = 0;
  private readonly contents = new Group();
  private readonly sun = new DirectionalLight("#fffaf0", 1.75);
  /** Half the size of the space to look at, and its centre. */
  protected readonly halfExtent = new Vector3(0.5, 0.5, 0.5);
  protected readonly centre = new Vector3();
  /** From where the world is best looked at, in its coordinates here. */
  protected look: Look | null = null;
  /** Of the picture on the page. Asking the element for it in every picture would lay out the page each time. */
  protected width = 1;
  protected height = 1;
  private stale = true;
  private pending = false;
  protected cameraMoved = false;

  constructor() {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.element.append(this.renderer.domElement, this.overlay.element);
    this.addLights();
    this.scene.add(this.contents);

    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, this.renderer.domElement);
    this.orbit.dampingFactor = 0.12;
    this.orbit.addEventListener("start", () => (this.cameraMoved = true));
    this.orbit.addEventListener("change", () => this.request());
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  /**
   * Draws this world from now on. It lies around zero, within `halfExtent`; `force` is a typical large
   * force on its grippers.
   */
  setWorld(world: World, halfExtent: Vector3, force: number): void {
    for (const { object } of [...this.obstacles, ...this.grippers]) disposeTree(object);
    for (const shape of this.shapes) shape.dispose();
    const { bodies } = world;
    this.world = world;
    this.halfExtent.copy(halfExtent);
    this.size = Math.max(1e-6, halfExtent.length() * 2);
    this.detail = detailFor(bodies.reduce((sum, body) => sum + body.nodeCount, 0));
    this.shapes = bodies.map((body, i) => this.makeShape(body, i, 1, this.detail));
    this.obstacles = world.obstacles.map((obstacle) => new ObstacleProp(obstacle, this.size));
    this.gripperScale = this.scaleGrippers(force);
    this.grippers = world.grippers.map((gripper) => new GripperProp(gripper, this.gripperScale));
    for (const shape of this.shapes) shape.colourBy(this.paint);
    for (const { mesh } of this.shapes) this.contents.add(mesh);
    for (const { object } of [...this.obstacles, ...this.grippers]) this.contents.add(object);
    this.overlay.setWorld(bodies, this.grippers);
    this.overlay.showKey(this.paint);
    this.placeSun();
    this.orbit.minDistance = this.size * 0.02;
    this.orbit.maxDistance = this.size * 20;
    this.redraw();
  }

  resetCamera(): void {
    this.cameraMoved = false;
    this.fitCamera();
    this.request();
  }

  colourBy(paint: Paint | null): void {
    this.paint = paint;
    for (const shape of this.shapes) shape.colourBy(paint);
    this.overlay.showKey(paint);
    this.redraw();
  }

  /** The world is not as it was drawn: draw it anew with the next picture. */
  redraw(): void {
    this.stale = true;
    this.request();
  }

  /** The length one pixel spans at the distance of what the camera looks at. */
  get pixel(): number {
    const distance = this.camera.position.distanceTo(this.orbit.target);
    return (2 * distance * Math.tan((FIELD_OF_VIEW * Math.PI) / 360)) / this.height;
  }

  /** Sets `moment` to what shall be shown. */
  protected locate(): void {}

  /** Curves have to be drawn thicker or thinner than before to be seen. */
  protected thicknessChanged(): void {}

  /** Called after the world has been brought to the moment, before every picture. */
  protected beforePicture(): void {}

  protected makeShape(body: Body, index: number, opacity: number, detail: Detail): Shape {
    const look = { colour: categorical(index), opacity };
    return body.kind === "surface" ? new Surface(body, look) : new Tube(body, look, detail);
  }

  private scaleGrippers(force: number): GripperScale {
    const thickest = Math.max(0, ...this.world.bodies.filter((b) => b.kind === "curve").map((b) => b.radius));
    return {
      jaw: Math.max(this.size * 0.035, thickest * 2.5),
      gap: Math.max(thickest * 1.1, this.size * 0.006),
      arrow: this.size * 0.16,
      force,
    };
  }

  private addLights(): void {
    const { sun } = this;
    sun.castShadow = true;
    sun.shadow.mapSize.setScalar(2048);
    sun.shadow.radius = 3;
    const sky = new HemisphereLight("#ffffff", "#98a1ad", 1.75);
    sky.position.set(0, 0, 1); // three takes +y for up
    this.scene.add(sun, sky);
  }

  private placeSun(): void {
    const { sun, size } = this;
    sun.position.set(0.45, -0.6, 1.2).multiplyScalar(size * 2);
    const reach = size * 0.75;
    Object.assign(sun.shadow.camera, { left: -reach, right: reach, bottom: -reach, top: reach, near: size * 0.5, far: size * 8 });
    sun.shadow.camera.updateProjectionMatrix();
    sun.shadow.normalBias = size * 0.002;
  }

  protected resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height || this.renderer.xr.isPresenting) return;
    [this.width, this.height] = [width, height];
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    if (!this.cameraMoved) this.fitCamera();
    // Drawn at once: waiting for the next frame would show the cleared canvas in between.
    this.draw();
  }

  /** Looks across the longer horizontal extent, a little from above, with the whole run in view. */
  protected fitCamera(): void {
    const { camera, orbit, halfExtent: half } = this;
    // An update without damping uses up what is left of the reader's last motion.
    orbit.enableDamping = false;
    orbit.update();
    const side: [number, number, number] = half.x >= half.y ? [0.38, -1, 0.34] : [1, -0.38, 0.34];
    const ahead = new Vector3(...(this.look?.from ?? side)).normalize();
    // Straight from above there is no up, and the orbit keeps a little away from there anyway.
    if (Math.abs(ahead.z) > 0.999) ahead.set(0, -0.04, Math.sign(ahead.z)).normalize();
    const target = this.look?.at ? new Vector3(...this.look.at) : this.centre;
    camera.position.copy(ahead);
    camera.lookAt(0, 0, 0);
    const right = new Vector3(1, 0, 0).applyQuaternion(camera.quaternion);
    const up = new Vector3(0, 1, 0).applyQuaternion(camera.quaternion);
    const slopeY = Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
    const slopeX = slopeY * camera.aspect;
    let distance = this.size * 0.1;
    for (let i = 0; i < 8; i++) {
      const corner = new Vector3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
      const spread = Math.max(Math.abs(corner.dot(right)) / slopeX, Math.abs(corner.dot(up)) / slopeY);
      distance = Math.max(distance, corner.dot(ahead) + spread);
    }
    distance = this.look?.width ? this.look.width / 2 / slopeX : distance * 1.24;
    camera.position.copy(ahead).multiplyScalar(distance).add(target);
    orbit.target.copy(target);
    orbit.update();
    orbit.enableDamping = true;
  }

  protected request(): void {
    // A headset asks for its pictures itself.
    if (this.pending || this.renderer.xr.isPresenting) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.renderer.xr.isPresenting) return;
      this.orbit.update(); // asks for the next frame itself while the motion dies down
      this.draw();
    });
  }

  draw(): void {
    const { camera, moment, renderer } = this;
    const { pixel } = this;
    if (!renderer.xr.isPresenting) {
      const distance = camera.position.distanceTo(this.orbit.target);
      camera.near = distance * 0.02;
      camera.far = distance * 2 + this.size * 40;
      camera.updateProjectionMatrix();
      const thinnest = (THINNEST_PIXELS / 2) * pixel;
      if (Math.abs(thinnest / this.thinnest - 1) > 0.02) {
        this.thinnest = thinnest;
        this.stale = true;
        this.thicknessChanged();
      }
    }
    if (this.stale) {
      this.locate();
      for (const shape of this.shapes) shape.show(moment, this.thinnest);
      for (const prop of this.obstacles) prop.show(moment);
      for (const prop of this.grippers) prop.show(moment);
      this.overlay.showGrippers();
      this.stale = false;
    }
    this.beforePicture();
    this.overlay.showCamera(camera, pixel);
    renderer.render(this.scene, camera);
  }

  protected withShadows(on: boolean): void {
    this.sun.castShadow = on;
  }

  /** Something of the page's own that is drawn with the world. */
  protected addProp(...objects: Object3D[]): void {
    this.scene.add(...objects);
  }
}
