// The running plots: forces on grippers, energies, the largest contact force.

import { html } from "../dom";
import { Plot } from "../plots";
import { History } from "./history";
import type { LiveWorld } from "./world";

/** More curves than this in one plot cannot be told apart. */
const MOST = 6;
/** Redrawn so often (ms): the eye needs no more, and the 3D picture comes first. */
const EVERY = 150;

interface Running { history: History; span: [number, number]; plot: Plot; read: (world: LiveWorld) => number[] }

export class RunningPlots {
  readonly element = html("div", { class: "running" });
  private world: LiveWorld | null = null;
  private plots: Running[] = [];
  private old: Running[] = [];
  private lastStep = -1;
  private drawn = 0;
  private turn = 0;

  /** `keep` what was drawn, where the same quantities are drawn again. */
  setWorld(world: LiveWorld, keep: boolean): void {
    this.world = world;
    this.lastStep = -1;
    this.old = keep ? this.plots : [];
    this.plots = [];
    const names = world.grippers.slice(0, MOST).map(({ name }) => name);
    if (names.length) {
      this.add(new History("Forces on grippers", "N", names), ({ grippers }) =>
        grippers.slice(0, MOST).map(({ forces, attached }) => (attached[0] ? Math.hypot(forces[0]!, forces[1]!, forces[2]!) : NaN)));
    }
    this.add(new History("Energy", "J", ["kinetic", "elastic", "total"]), ({ energy: { kinetic, elastic, gravity } }) =>
      [kinetic, elastic, kinetic + elastic + gravity]);
    this.add(new History("Largest contact force", "N", ["largest"]), largestContact);
    this.old = [];
    this.element.replaceChildren(...this.plots.map(({ plot }) => plot.element));
  }

  /** Takes a sample of the world, and draws when it is time to. */
  follow(now: number): void {
    const { world } = this;
    if (!world || world.step === this.lastStep) return;
    this.lastStep = world.step;
    for (const { history, read } of this.plots) history.add(world.time, read(world));
    // One after the other, so that no picture has to wait for all of them.
    if (now - this.drawn < EVERY / this.plots.length) return;
    this.drawn = now;
    this.turn = (this.turn + 1) % this.plots.length;
    drawOne(this.plots[this.turn]!);
  }

  /** With what was left undrawn when the motion stopped. */
  draw(): void {
    this.plots.forEach(drawOne);
  }

  clear(): void {
    for (const { history } of this.plots) history.clear();
    this.lastStep = -1;
  }

  private add(history: History, read: (world: LiveWorld) => number[]): void {
    const same = this.old.find((other) => other.history.shows(history));
    if (same) {
      this.plots.push({ ...same, read });
      return;
    }
    const span: [number, number] = [0, 10];
    history.update(span);
    this.plots.push({ history, span, read, plot: new Plot(history.plot, span, null) });
  }
}

function drawOne({ history, plot, span }: Running): void {
  history.update(span);
  plot.redraw();
}

function largestContact({ contacts, contactCount }: LiveWorld): number[] {
  let largest = 0;
  for (let i = 0; i < contactCount * 6; i += 6) {
    const size = Math.hypot(contacts[i + 3]!, contacts[i + 4]!, contacts[i + 5]!);
    if (size > largest) largest = size;
  }
  return [largest];
}
