// The colour ranges of a live run: nobody knows how large a field will get, so they grow with it,
// smoothly, and never shrink. A single spike moves them only a little.

import type { Paint } from "../colour";
import type { Body } from "../data";
import { extent } from "../format";

/** Time in which a range goes most of the way to a new extreme [s]. */
const PACE = 0.25;

export class Ranges {
  readonly paints: Paint[];
  private readonly known: boolean[];

  constructor(private readonly bodies: Body[]) {
    const names = new Map<string, Paint>();
    for (const { fields } of bodies) {
      for (const { name, unit } of fields) names.set(`${name}\n${unit}`, { name, unit, low: 0, high: 0 });
    }
    this.paints = [...names.values()];
    this.known = this.paints.map(() => false);
  }

  /** Ranges start anew, as after a reset. */
  forget(): void {
    this.known.fill(false);
  }

  /** `passed` in seconds of the user, not of the simulation: it is the eye that the smoothing is for. */
  follow(passed: number): void {
    const share = 1 - Math.exp(-passed / PACE);
    this.paints.forEach((paint, i) => {
      const shown = this.bodies.flatMap(({ fields }) => fields.filter((f) => f.name === paint.name && f.unit === paint.unit).map((f) => f.values));
      const [low, high] = extent(shown);
      if (high < low) return;
      if (!this.known[i]) {
        this.known[i] = true;
        [paint.low, paint.high] = [low, high];
      }
      if (low < paint.low) paint.low += (low - paint.low) * share;
      if (high > paint.high) paint.high += (high - paint.high) * share;
    });
  }
}
