// The last seconds of a few quantities, for the running plots: arrays of a fixed size that slide.

import type { PlotData, Series } from "../data";

/** Simulated seconds shown. */
export const WINDOW = 10;
const ROOM = 600;
const SPACING = WINDOW / ROOM;

export class History {
  /** What a plot draws: views of the filled part of the arrays. */
  readonly plot: PlotData;
  private readonly times = new Float32Array(ROOM + 2);
  private readonly rows: Float32Array[];
  private readonly series: Series[];
  private count = 0;

  constructor(title: string, unit: string, names: string[]) {
    this.rows = names.map(() => new Float32Array(this.times.length));
    this.series = names.map((name) => ({ name, values: new Float32Array() }));
    this.plot = { title, unit, times: new Float32Array(), series: this.series };
  }

  /** The same quantities as another one. */
  shows(other: History): boolean {
    const of = ({ plot: { title, series } }: History) => JSON.stringify([title, series.map(({ name }) => name)]);
    return of(this) === of(other);
  }

  clear(): void {
    this.count = 0;
  }

  /** Samples closer than the spacing replace each other, so that slow motion needs no more room. */
  add(time: number, values: number[]): void {
    const { times, rows } = this;
    if (this.count > 0 && time < times[this.count - 1]! - 1e-3) this.clear();
    const dense = this.count > 1 && time - times[this.count - 2]! < SPACING;
    if (!dense && this.count === times.length) {
      for (const row of [times, ...rows]) row.copyWithin(0, 1);
      this.count--;
    }
    const at = dense ? this.count - 1 : this.count++;
    times[at] = time;
    rows.forEach((row, i) => (row[at] = values[i] ?? NaN));
  }

  /** The span of the window, and the data brought up to date for drawing. */
  update(span: [number, number]): void {
    const { plot, times, rows, count } = this;
    plot.times = times.subarray(0, count);
    this.series.forEach((series, i) => (series.values = rows[i]!.subarray(0, count)));
    const end = Math.max(WINDOW, count ? times[count - 1]! : 0);
    [span[0], span[1]] = [end - WINDOW, end];
    // What has left the window is not drawn.
    const first = plot.times.findIndex((t) => t >= span[0]);
    if (first > 0) {
      plot.times = plot.times.subarray(first);
      for (const series of this.series) series.values = series.values.subarray(first);
    }
  }
}
