// The 3D view: builds the scene once, then draws the moment of the clock, and only when something
// has changed.

import {
  DirectionalLight, HemisphereLight, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Clock } from "./clock";
import { categorical, type Paint } from "./colour";
import type { Body, Report } from "./data";
import { html } from "./dom";
import { boundsOf, locate, recentre, type Moment } from "./frames";
import { GripperProp, typicalForce, type GripperScale } from "./grippers";
import { ObstacleProp } from "./obstacles";
import { Overlay } from "./overlay";
import type { Shape } from "./shape";
import { Surface } from "./surface";
import { detailFor, Tube, type Detail } from "./tube";

const GHOSTS = 8;
const FIELD_OF_VIEW = 32;
/** Curves are never drawn thinner than this many pixels across: real cables can be finer than one. */
const THINNEST_PIXELS = 2.4;

export function canDraw(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

export class View {
  readonly element = html("div", { class: "view" });
  private readonly renderer = new WebGLRenderer({ antialias: true, alpha: true });
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW);
  private readonly orbit: OrbitControls;
  private readonly overlay: Overlay;
  private readonly halfExtent = new Vector3();
  private readonly size: number;
  private readonly shapes: Shape[];
  private ghosts: Shape[] = [];
  private readonly obstacles: ObstacleProp[];
  private readonly grippers: GripperProp[];
  private readonly moment: Moment = { frame: 0, next: 0, mix: 0 };
  private readonly detail: Detail;
  private paint: Paint | null = null;
  private thinnest = 0;
  private stale = true;
  private pending = false;
  private cameraMoved = false;

  constructor(private readonly report: Report, private readonly clock: Clock) {
    const { bodies } = report;
    const box = boundsOf(bodies, report.times.length);
    recentre(report, box.getCenter(new Vector3()));
    box.getSize(this.halfExtent).multiplyScalar(0.5);
    this.size = Math.max(1e-6, this.halfExtent.length() * 2);
    this.detail = detailFor(bodies.reduce((sum, body) => sum + body.nodeCount, 0));

    this.shapes = bodies.map((body, i) => this.makeShape(body, i, 1, this.detail));
    this.obstacles = report.obstacles.map((obstacle) => new ObstacleProp(obstacle, this.size));
    const scale = this.gripperScale();
    this.grippers = report.grippers.map((gripper) => new GripperProp(gripper, scale));
    for (const { mesh } of this.shapes) this.scene.add(mesh);
    for (const { object } of [...this.obstacles, ...this.grippers]) this.scene.add(object);
    this.addLights();

    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.overlay = new Overlay(bodies, this.grippers);
    this.element.append(this.renderer.domElement, this.overlay.element);

    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, this.renderer.domElement);
    this.orbit.dampingFactor = 0.12;
    this.orbit.minDistance = this.size * 0.02;
    this.orbit.maxDistance = this.size * 20;
    this.orbit.addEventListener("start", () => (this.cameraMoved = true));
    this.orbit.addEventListener("change", () => this.request());

    new ResizeObserver(() => this.resize()).observe(this.element);
    clock.listen(() => {
      this.stale = true;
      this.request();
    });
  }

  resetCamera(): void {
    this.cameraMoved = false;
    this.fitCamera();
    this.request();
  }

  colourBy(paint: Paint | null): void {
    this.paint = paint;
    for (const shape of [...this.shapes, ...this.ghosts]) shape.colourBy(paint);
    this.overlay.showKey(paint);
    this.showGhosts();
    this.stale = true;
    this.request();
  }

  /** Ghosts are built when asked for: few readers do, and they cost eight times the memory. */
  trace(on: boolean): void {
    for (const ghost of this.ghosts) ghost.dispose();
    this.ghosts = [];
    if (on) {
      const coarse = { rings: Math.min(2, this.detail.rings), sides: Math.min(8, this.detail.sides) };
      for (let i = 0; i < GHOSTS; i++) {
        this.ghosts.push(...this.report.bodies.map((body, index) => this.makeShape(body, index, 0.3, coarse)));
      }
      for (const ghost of this.ghosts) {
        ghost.colourBy(this.paint);
        this.scene.add(ghost.mesh);
      }
      this.showGhosts();
    }
    this.request();
  }

  private makeShape(body: Body, index: number, opacity: number, detail: Detail): Shape {
    const look = { colour: categorical(index), opacity };
    return body.kind === "surface" ? new Surface(body, look) : new Tube(body, look, detail);
  }

  private showGhosts(): void {
    const moment: Moment = { frame: 0, next: 0, mix: 0 };
    const { start, duration } = this.clock;
    this.ghosts.forEach((ghost, i) => {
      const instant = Math.floor(i / this.report.bodies.length);
      locate(this.report.times, start + (duration * instant) / (GHOSTS - 1), moment);
      ghost.show(moment, this.thinnest);
    });
  }

  private gripperScale(): GripperScale {
    const thickest = Math.max(0, ...this.report.bodies.filter((b) => b.kind === "curve").map((b) => b.radius));
    return {
      jaw: Math.max(this.size * 0.035, thickest * 2.5),
      gap: Math.max(thickest * 1.1, this.size * 0.006),
      arrow: this.size * 0.16,
      force: typicalForce(this.report.grippers, this.report.times.length),
    };
  }

  private addLights(): void {
    const sun = new DirectionalLight("#fffaf0", 1.75);
    sun.position.set(0.45, -0.6, 1.2).multiplyScalar(this.size * 2);
    sun.castShadow = true;
    sun.shadow.mapSize.setScalar(2048);
    const reach = this.size * 0.75;
    Object.assign(sun.shadow.camera, { left: -reach, right: reach, bottom: -reach, top: reach, near: this.size * 0.5, far: this.size * 8 });
    sun.shadow.normalBias = this.size * 0.002;
    sun.shadow.radius = 3;
    const sky = new HemisphereLight("#ffffff", "#98a1ad", 1.75);
    sky.position.set(0, 0, 1); // three takes +y for up
    this.scene.add(sun, sky);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    if (!this.cameraMoved) this.fitCamera();
    // Drawn at once: waiting for the next frame would show the cleared canvas in between.
    this.draw();
  }

  /** Looks across the longer horizontal extent, a little from above, with the whole run in view. */
  private fitCamera(): void {
    const { camera, orbit, halfExtent: half } = this;
    // An update without damping uses up what is left of the reader's last motion.
    orbit.enableDamping = false;
    orbit.update();
    const ahead = half.x >= half.y ? new Vector3(0.38, -1, 0.34) : new Vector3(1, -0.38, 0.34);
    camera.position.copy(ahead.normalize());
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
    camera.position.copy(ahead).multiplyScalar(distance * 1.24);
    orbit.target.set(0, 0, 0);
    orbit.update();
    orbit.enableDamping = true;
  }

  private request(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.orbit.update(); // asks for the next frame itself while the motion dies down
      this.draw();
    });
  }

  private draw(): void {
    const { camera, report, moment } = this;
    const distance = camera.position.distanceTo(this.orbit.target);
    camera.near = distance * 0.02;
    camera.far = distance * 2 + this.size * 40;
    camera.updateProjectionMatrix();

    const pixel = (2 * distance * Math.tan((FIELD_OF_VIEW * Math.PI) / 360)) / Math.max(1, this.element.clientHeight);
    const thinnest = (THINNEST_PIXELS / 2) * pixel;
    if (Math.abs(thinnest / this.thinnest - 1) > 0.02) {
      this.thinnest = thinnest;
      this.stale = true;
      this.showGhosts();
    }
    if (this.stale) {
      locate(report.times, this.clock.time, moment);
      for (const shape of this.shapes) shape.show(moment, this.thinnest);
      for (const prop of [...this.obstacles, ...this.grippers]) prop.show(moment);
      this.overlay.showGrippers();
      this.stale = false;
    }
    this.overlay.showCamera(camera, pixel);
    this.renderer.render(this.scene, camera);
  }
}
