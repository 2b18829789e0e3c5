// The time shown, and everything that moves it. The view, the controls and the plots all listen here.

import { indexAt } from "./frames";

export class Clock {
  readonly start: number;
  readonly end: number;
  time: number;
  playing = false;
  loop = true;
  speed = 1;
  private readonly listeners: (() => void)[] = [];
  private lastTick = 0;

  constructor(private readonly times: Float32Array) {
    this.start = times[0] ?? 0;
    this.end = times[times.length - 1] ?? 0;
    this.time = this.start;
  }

  get duration(): number {
    return this.end - this.start;
  }

  /** Called at once and after every change. */
  listen(listener: () => void): void {
    this.listeners.push(listener);
    listener();
  }

  seek(time: number): void {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.tell();
  }

  /** Moves to a recorded frame, from wherever between two frames the time is. */
  step(frames: number): void {
    this.playing = false;
    const here = indexAt(this.times, this.time);
    const between = this.times[here]! < this.time && frames < 0 ? 1 : 0;
    const index = Math.min(this.times.length - 1, Math.max(0, here + frames + between));
    this.seek(this.times[index]!);
  }

  toggle(): void {
    if (this.duration <= 0) return;
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.start;
    if (this.playing) {
      this.lastTick = performance.now();
      requestAnimationFrame(this.tick);
    }
    this.tell();
  }

  private readonly tick = (now: number): void => {
    if (!this.playing) return;
    // After the tab was hidden the run goes on where it was instead of jumping ahead.
    const passed = Math.min(0.25, Math.max(0, (now - this.lastTick) / 1000));
    this.lastTick = now;
    let time = this.time + passed * this.speed;
    if (time >= this.end) {
      if (this.loop) time = this.start + ((time - this.start) % this.duration);
      else this.playing = false;
    }
    this.seek(time);
    if (this.playing) requestAnimationFrame(this.tick);
  };

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
