// Between the recorded frames: where a time falls, what a pose is there, and the space a run takes.

import { Box3, Quaternion, Vector3 } from "three";
import type { Body, World } from "./data";

/** A time expressed as two neighbouring frames and the share of the second. */
export interface Moment { frame: number; next: number; mix: number }

/** The last index whose time is not after `time` (0 when all are after). */
export function indexAt(times: Float32Array, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function locate(times: Float32Array, time: number, out: Moment): Moment {
  out.frame = indexAt(times, time);
  out.next = Math.min(times.length - 1, out.frame + 1);
  const gap = times[out.next]! - times[out.frame]!;
  out.mix = gap > 0 ? Math.min(1, Math.max(0, (time - times[out.frame]!) / gap)) : 0;
  return out;
}

/** Interpolates between the rows of two frames; a row is as long as `out`. */
export function blend(from: Float32Array, moment: Moment, out: Float32Array): void {
  const a = moment.frame * out.length;
  const b = moment.next * out.length;
  for (let i = 0; i < out.length; i++) {
    const start = from[a + i]!;
    out[i] = start + (from[b + i]! - start) * moment.mix;
  }
}

const nextPosition = new Vector3();
const nextTurn = new Quaternion();

/** Poses are x y z then w x y z; a single pose stands for the whole run. False if not finite. */
export function poseAt(poses: Float32Array, moment: Moment, position: Vector3, turn: Quaternion): boolean {
  const moving = poses.length > 7;
  readPose(poses, moving ? moment.frame : 0, position, turn);
  if (moving && moment.mix > 0) {
    readPose(poses, moment.next, nextPosition, nextTurn);
    position.lerp(nextPosition, moment.mix);
    turn.slerp(nextTurn, moment.mix);
  }
  return Number.isFinite(position.x + position.y + position.z + turn.x + turn.y + turn.z + turn.w);
}

function readPose(poses: Float32Array, row: number, position: Vector3, turn: Quaternion): void {
  const at = row * 7;
  position.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
  turn.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!).normalize();
}

/** A body drawn out to this many times its first length has blown up; nothing here stretches so far. */
const BLOWN_UP = 6;

/** The box around all bodies over the run, without the frames in which a body has blown up. */
export function boundsOf(bodies: Body[], frames: number): Box3 {
  const all = new Box3();
  const own = new Box3();
  const point = new Vector3();
  const last = new Vector3();
  for (const { nodeCount, positions, radius } of bodies) {
    let limit = Infinity;
    for (let frame = 0; frame < frames; frame++) {
      own.makeEmpty();
      // Length along the nodes in their order: for a surface, too, it grows as the body is stretched.
      let length = 0;
      for (let node = 0; node < nodeCount; node++, last.copy(point)) {
        own.expandByPoint(point.fromArray(positions, (frame * nodeCount + node) * 3));
        if (node > 0) length += point.distanceTo(last);
      }
      if (frame === 0 && length > 0) limit = length * BLOWN_UP;
      if (length <= limit) all.union(own.expandByScalar(radius));
    }
  }
  return all;
}

/** Moves the whole run so that `origin` is at zero: the graphics card computes in single precision. */
export function recentre({ bodies, obstacles, grippers }: World, origin: Vector3): void {
  const shift = (rows: Float32Array, width: number) => {
    for (let i = 0; i + 2 < rows.length; i += width) {
      rows[i] = rows[i]! - origin.x;
      rows[i + 1] = rows[i + 1]! - origin.y;
      rows[i + 2] = rows[i + 2]! - origin.z;
    }
  };
  for (const { positions } of bodies) shift(positions, 3);
  for (const { poses } of [...obstacles, ...grippers]) shift(poses, 7);
}
