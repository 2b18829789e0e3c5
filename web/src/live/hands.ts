// The hands this page holds, whatever moves them: mouse, fingers, gamepad or tracked controllers.

import { Vector3 } from "three";
import type { Place } from "./pick";
import type { HandStatus, Outgoing, Quat, Vec3 } from "./protocol";

/** While a hand rests its position is repeated (ms), so that the server can tell resting from lost. */
const REPEAT = 100;
/** A hand may be unknown to the server for this long (ms) after it was taken. */
const GRACE = 1500;
/** The server knows no longer arm [m]. */
const LONGEST_REACH = 1;

export interface Held {
  /** Where the hand shall be, in the page's coordinates. */
  to: Vector3;
  turn?: Quat;
  /** Where it took hold, if it is known. */
  place: Place | null;
  since: number;
  /** Something was refused since: nothing is sent for it until the server has said whose it is. */
  doubtful: boolean;
}

export class Hands {
  readonly held = new Map<number, Held>();
  viewer = -1;
  private status: HandStatus[] = [];
  private readonly moved = new Set<number>();
  private pending = false;

  constructor(
    private readonly send: (message: Outgoing) => boolean,
    private readonly outside: (point: Vector3) => Vec3,
    /** Called when a hand is taken or let go. */
    private readonly changed: () => void,
  ) {
    setInterval(() => {
      for (const hand of this.held.keys()) this.moved.add(hand);
      this.flush();
    }, REPEAT);
  }

  /** The first hand nobody has. Before the server has said anything, hand 0. */
  free(): number | null {
    const ours = (hand: number) => this.held.has(hand);
    if (this.status.length === 0) return ours(0) ? null : 0;
    return this.status.find((h) => !ours(h.hand) && (h.held_by === null || h.held_by === this.viewer))?.hand ?? null;
  }

  grab(hand: number, at: Vector3, within: number, place: Place | null, turn?: Quat): boolean {
    const reach = Math.min(LONGEST_REACH, within);
    if (!this.send({ type: "grab", hand, at: this.outside(at), reach, ...(turn && { turn }) })) return false;
    this.held.set(hand, { to: at.clone(), place, since: performance.now(), doubtful: false, ...(turn && { turn }) });
    this.changed();
    return true;
  }

  /** Told to the server once per picture at most. */
  move(hand: number, to: Vector3, turn?: Quat): void {
    const held = this.held.get(hand);
    if (!held || !Number.isFinite(to.x + to.y + to.z)) return;
    held.to.copy(to);
    if (turn) held.turn = turn;
    this.moved.add(hand);
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.flush());
  }

  flush(): void {
    this.pending = false;
    for (const hand of this.moved) {
      const held = this.held.get(hand);
      if (held && !held.doubtful) this.send({ type: "move", hand, to: this.outside(held.to), ...(held.turn && { turn: held.turn }) });
    }
    this.moved.clear();
  }

  drop(hand: number): void {
    if (!this.held.has(hand)) return;
    this.flush();
    this.held.delete(hand);
    this.send({ type: "drop", hand });
    this.changed();
  }

  dropAll(): void {
    for (const hand of [...this.held.keys()]) this.drop(hand);
  }

  /** The connection or the world is gone, and with it what was held. */
  forget(): void {
    if (this.held.size === 0) return;
    this.held.clear();
    this.changed();
  }

  /** A hand the server gave to somebody else, or took away, is no longer ours. */
  hear(status: HandStatus[]): void {
    this.status = status;
    const now = performance.now();
    for (const { hand, held_by } of status) {
      const held = this.held.get(hand);
      if (!held) continue;
      if (held_by === this.viewer) held.doubtful = false;
      else if (held.doubtful || now - held.since > GRACE) {
        this.held.delete(hand);
        this.changed();
      }
    }
  }

  /** Something was refused: maybe the grip just asked for. The next status tells. */
  refused(): void {
    for (const held of this.held.values()) if (performance.now() - held.since < GRACE) held.doubtful = true;
  }
}
