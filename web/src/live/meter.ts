// How long the page works for a picture, and how many it shows, smoothed enough to be read.

const SHARE = 0.05;

export class Meter {
  /** Milliseconds of work for one picture. */
  work = 0;
  /** Of which so many before anything is drawn: reading the frame and shaping the bodies. */
  prepare = 0;
  /** Pictures a second. */
  rate = 0;
  private interval = 0;
  private last = 0;

  add(started: number, prepared: number, ended: number): void {
    this.work += (ended - started - this.work) * (this.work ? SHARE : 1);
    this.prepare += (prepared - started - this.prepare) * (this.prepare ? SHARE : 1);
    const interval = started - this.last;
    this.last = started;
    if (interval > 1500) return; // a pause between pictures is no slow picture
    this.interval += (interval - this.interval) * (this.interval ? SHARE : 1);
    this.rate = this.interval > 0 ? 1000 / this.interval : 0;
  }
}
