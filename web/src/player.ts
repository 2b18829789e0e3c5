// The view of a recording: shows the moment of the clock, and on request ghosts of other instants.

import { Vector3 } from "three";
import type { Clock } from "./clock";
import type { Paint } from "./colour";
import type { Report } from "./data";
import { boundsOf, locate, recentre, type Moment } from "./frames";
import { typicalForce } from "./grippers";
import type { Shape } from "./shape";
import { View } from "./view";

const GHOSTS = 8;

export class Player extends View {
  readonly firstColour: string | null;
  private ghosts: Shape[] = [];

  constructor(private readonly report: Report, private readonly clock: Clock) {
    super();
    const box = boundsOf(report.bodies, report.times.length);
    const middle = box.getCenter(new Vector3());
    recentre(report, middle);
    const { at, colour } = report.look;
    this.firstColour = colour;
    this.look = { ...report.look, at: at && [at[0] - middle.x, at[1] - middle.y, at[2] - middle.z] };
    this.setWorld(report, box.getSize(new Vector3()).multiplyScalar(0.5), typicalForce(report.grippers, report.times.length));
    clock.listen(() => this.redraw());
  }

  override colourBy(paint: Paint | null): void {
    super.colourBy(paint);
    for (const ghost of this.ghosts) ghost.colourBy(paint);
    this.showGhosts();
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
        this.addProp(ghost.mesh);
      }
      this.showGhosts();
    }
    this.request();
  }

  protected override locate(): void {
    locate(this.report.times, this.clock.time, this.moment);
  }

  protected override thicknessChanged(): void {
    this.showGhosts();
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
}
