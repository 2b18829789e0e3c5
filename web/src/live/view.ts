// The live view: the latest frame, contact forces, the hands of this page, and what the pointer is over.

import { Box3, CanvasTexture, Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import type { Paint } from "../colour";
import { html } from "../dom";
import { boundsOf } from "../frames";
import { View } from "../view";
import { Arrows } from "./arrows";
import type { Hands } from "./hands";
import { nearestPlace, pick, placeNow, type Place, type Target } from "./pick";
import { Meter } from "./meter";
import { Pull } from "./pull";
import { Ranges } from "./ranges";
import { makeSky } from "./sky";
import { LiveWorld } from "./world";

const HANDS = 2;
/** A picture that takes longer than this [ms] is a slow one; after so long [ms] of them something is left out. */
const SLOW = 30;
const PATIENCE = 2000;
/** Time in which the view goes most of the way to a wider one [s]. */
const WIDENING = 0.4;

export class LiveView extends View {
  live: LiveWorld | null = null;
  ranges = new Ranges([]);
  /** Carries camera and controllers of a headset; at rest otherwise. */
  readonly rig = new Group();
  readonly arrows = new Arrows();
  hands: Hands | null = null;
  /** What the page itself takes for a picture. */
  readonly meter = new Meter();
  /** Hands that somebody has, of which there may be more than those that grip. */
  readonly used = new Set<number>();
  /** What each hand feels [N], as the server last said; NaN for one that holds nothing. */
  readonly felt: number[] = [];
  private readonly pulls = Array.from({ length: HANDS }, () => new Pull());
  private readonly marker = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ color: "#e0533d", transparent: true, opacity: 0.55, depthTest: false }));
  private marked: Place | null = null;
  private freeMark: Vector3 | null = null;
  private readonly place = new Vector3();
  private fresh = false;
  /** The space the camera was first set for, and what it has been widened to. */
  private readonly first = new Box3();
  private readonly seen = new Box3();
  private nextLook = 0;
  private prepared = 0;
  private fineUntil = Infinity;
  private lastFollow = 0;
  private lastKey = 0;
  private target: Target = { bodies: [], meshes: [], walls: [], movable: [], slack: 0 };

  /** `readLatest` brings the world up to date, just before it is drawn. */
  constructor(private readonly readLatest: () => void) {
    super();
    this.rig.add(this.camera);
    this.addProp(this.rig, this.arrows.object, this.marker, ...this.pulls.map(({ object }) => object));
    this.marker.visible = false;
    this.marker.renderOrder = 9;
    this.element.append(html("div", { class: "pulls" }, ...this.pulls.map(({ label }) => label)));
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.paintSky());
    this.paintSky();
  }

  /** Shows this world from now on; it has read its first frame. The camera stays where it suits. */
  setLive(live: LiveWorld, box: Box3 | null): void {
    const half = box ? box.getSize(new Vector3()).multiplyScalar(0.5) : this.halfExtent.clone();
    const force = box ? 0 : this.gripperScale.force;
    const paint = this.paint;
    this.live = live;
    this.fineUntil = performance.now() + PATIENCE;
    this.marked = this.freeMark = null;
    this.setWorld(live, half, force);
    const solid = live.layout.obstacles.map((o, i) => ({ ...o, i })).filter(({ kind }) => kind === "mesh");
    this.target = {
      bodies: live.bodies,
      meshes: this.shapes.map(({ mesh }) => mesh),
      walls: solid.map(({ i }) => this.obstacles[i]!.object),
      movable: solid.map(({ movable, i }) => (movable ? i : null)),
      slack: this.size * 0.06,
    };
    this.ranges = new Ranges(live.bodies);
    this.ranges.follow(0);
    this.colourBy(this.ranges.paints.find(({ name, unit }) => name === paint?.name && unit === paint.unit) ?? null);
    if (box) {
      this.arrows.force = 0;
      this.first.makeEmpty();
      this.resetCamera();
    }
    this.refresh();
  }

  /** A frame has been read into the world. */
  refresh(): void {
    this.fresh = true;
    this.redraw();
  }

  /** Ranges and scales start anew, as after a reset. */
  forget(): void {
    this.ranges.forget();
    this.gripperScale.force = 0;
    this.arrows.force = 0;
  }

  /** A headset has no pixels that matter; about a millimetre for its user. */
  override get pixel(): number {
    return this.renderer.xr.isPresenting ? 0.001 * this.rig.scale.x : super.pixel;
  }

  get paintNow(): Paint | null {
    return this.paint;
  }

  /** The gripper that stands for a hand, if the scene has it. */
  gripperOf(hand: number): number {
    return this.live?.layout.grippers.findIndex((g) => g.hand === hand) ?? -1;
  }

  showContacts(on: boolean): void {
    this.arrows.object.visible = on;
    this.refresh();
  }

  /** The place of a body under a point of the picture, in pixels of the page. */
  pickAt(clientX: number, clientY: number, within: number): Place | null {
    const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect();
    if (!this.live || !width || !height) return null;
    return pick(this.target, this.camera, clientX - left, clientY - top, width, height, within);
  }

  where(place: Place, out: Vector3): boolean {
    if (!this.live) return false;
    if ("body" in place) return placeNow(this.live.bodies, place, out);
    const object = this.obstacles[place.obstacle]?.object;
    if (!object) return false;
    object.updateMatrixWorld();
    object.localToWorld(out.copy(place.local));
    return true;
  }

  /** The place of a body nearest to a point, within reach. */
  nearest(point: Vector3, reach: number): Place | null {
    return this.live ? nearestPlace(this.live.bodies, point, reach) : null;
  }

  /** What the camera looks at. */
  viewCentre(out: Vector3): void {
    out.copy(this.orbit.target);
  }

  /** Where the bodies are now. */
  get centreNow(): Vector3 {
    return this.live?.bounds().getCenter(new Vector3()) ?? new Vector3();
  }

  /** Back on the screen, as it was before. */
  afterHeadset(): void {
    this.paintSky();
    this.resize();
    this.redraw();
  }

  /** Marks what would be taken. */
  mark(place: Place | null): void {
    if (!place && !this.marked) return;
    this.marked = place;
    this.request();
  }

  /** Marks a point anywhere: the hand of a gamepad before it takes hold. */
  markPoint(point: Vector3 | null): void {
    this.freeMark = point;
    this.request();
  }

  setOrbit(on: boolean): void {
    this.orbit.enabled = on;
  }

  override resetCamera(): void {
    // To where the bodies are now: they may have gone far since the first frame.
    if (this.live) {
      const box = this.live.bounds();
      this.seen.copy(box);
      if (this.first.isEmpty()) this.first.copy(box);
      box.getCenter(this.centre);
      box.getSize(this.halfExtent).multiplyScalar(0.5);
    }
    super.resetCamera();
  }

  override draw(): void {
    const started = performance.now();
    super.draw();
    const ended = performance.now();
    this.meter.add(started, this.prepared, ended);
    this.adapt(ended);
  }

  /** Where pictures take long, as without a graphics card, motion matters more than shadows and fine edges. */
  private adapt(now: number): void {
    if (this.meter.work < SLOW || this.renderer.xr.isPresenting) this.fineUntil = now + PATIENCE;
    if (now < this.fineUntil) return;
    this.fineUntil = now + PATIENCE;
    if (this.renderer.getPixelRatio() > 1) {
      this.renderer.setPixelRatio(1);
      this.resize();
    } else this.withShadows(false);
  }

  protected override locate(): void {
    this.readLatest();
    this.live?.layout.grippers.forEach(({ hand }, i) => {
      const prop = this.grippers[i];
      if (prop) prop.idle = hand !== null && !this.used.has(hand) && !this.live!.grippers[i]!.attached[0];
    });
  }

  protected override beforePicture(): void {
    this.prepared = performance.now();
    if (!this.live) return;
    if (this.fresh) this.followFrame(this.live);
    this.fresh = false;
    this.showPulls(this.live);
    this.showMark();
    this.prepared = performance.now();
  }

  /**
   * While nobody has turned the view, it widens when bodies leave it: slowly, never back, not while something
   * is held, and not after what flies away.
   */
  private widen(live: LiveWorld, now: number, share: number): void {
    if (this.cameraMoved || this.renderer.xr.isPresenting || this.hands?.held.size) return;
    if (now > this.nextLook) {
      this.nextLook = now + 400;
      const box = boundsOf(live.bodies, 1);
      const limit = this.first.clone().expandByScalar(this.size);
      if (!box.isEmpty() && !this.seen.clone().expandByScalar(0.08 * this.size).containsBox(box)) this.seen.union(box.intersect(limit));
    }
    const half = this.seen.getSize(new Vector3()).multiplyScalar(0.5);
    const centre = this.seen.getCenter(new Vector3());
    if (half.distanceTo(this.halfExtent) + centre.distanceTo(this.centre) < 0.004 * this.size) return;
    this.halfExtent.lerp(half, share);
    this.centre.lerp(centre, share);
    this.fitCamera();
  }

  private showMark(): void {
    const shown = this.marked ? this.where(this.marked, this.place) : this.freeMark !== null && (this.place.copy(this.freeMark), true);
    this.marker.visible = shown;
    this.marker.position.copy(this.place);
    this.marker.scale.setScalar(6 * this.pixel);
  }

  private followFrame(live: LiveWorld): void {
    const now = performance.now();
    const passed = (now - this.lastFollow) / 1000;
    this.lastFollow = now;
    this.ranges.follow(Math.min(0.1, passed));
    this.widen(live, now, 1 - Math.exp(-Math.min(0.3, passed) / WIDENING));
    this.arrows.show(live.contacts, live.contactCount, this.size * 0.12);
    for (const prop of this.grippers) {
      const { force } = this.gripperScale;
      if (prop.attached && Number.isFinite(prop.force) && prop.force > force) {
        this.gripperScale.force = force > 0 ? force + (prop.force - force) * 0.08 : prop.force;
      }
    }
    if (this.paint && now - this.lastKey > 200) {
      this.lastKey = now;
      this.overlay.showKey(this.paint);
    }
  }

  private showPulls(live: LiveWorld): void {
    this.pulls.forEach((pull, hand) => {
      const held = this.hands?.held.get(hand);
      const gripper = this.gripperOf(hand);
      const prop = this.grippers[gripper];
      if (prop) prop.withArrow = !held;
      const attached = live.grippers[gripper]?.attached[0] === 1;
      // an obstacle is carried along without a grip
      const carries = held?.place && "obstacle" in held.place ? this.felt[hand] ?? NaN : NaN;
      if (!held || !(attached || Number.isFinite(carries))) return pull.hide();
      if (!held.place || !this.where(held.place, this.place)) this.place.fromArray(live.grippers[gripper]!.poses);
      pull.show(held.to, this.place, attached ? prop?.force ?? NaN : carries, this.pixel);
      if (this.renderer.xr.isPresenting) pull.printInside(0.035 * this.rig.scale.x);
      else pull.print(this.camera, this.width, this.height);
    });
  }

  /** In the colours of the theme. */
  paintSky(): void {
    const old = this.scene.background;
    if (old instanceof CanvasTexture) old.dispose();
    this.scene.background = makeSky(this.renderer.xr.isPresenting);
    this.request();
  }
}
