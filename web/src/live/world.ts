// The live world: a recording of a single moment, which every frame from the server overwrites in place.

import { Box3, Vector3 } from "three";
import type { Body, World } from "../data";
import { boundsOf } from "../frames";
import type { Layout, Vec3 } from "./protocol";

const MAGIC = 0x31464c50; // "PLF1"
const HEADER = 32;

export interface Energies { kinetic: number; elastic: number; gravity: number }

export class LiveWorld implements World {
  readonly bodies: Body[];
  readonly obstacles: World["obstacles"];
  readonly grippers: World["grippers"];
  /** The graphics card computes in single precision: all positions here are relative to this one. */
  readonly origin = new Vector3();
  readonly energy: Energies = { kinetic: 0, elastic: 0, gravity: 0 };
  /** Position and force of each contact, of which the first `contactCount` count. */
  contacts = new Float32Array(0);
  contactCount = 0;
  step = 0;
  time = 0;
  paused = false;
  /** A body whose latest positions are no numbers is left where it was last. */
  broken = false;
  private readonly fixedNumbers: number;

  constructor(readonly layout: Layout) {
    this.bodies = layout.bodies.map((b) => ({
      name: b.name,
      model: b.model,
      kind: b.kind,
      radius: Math.max(0, b.radius),
      nodeCount: b.node_count,
      triangles: Uint32Array.from(b.triangles),
      positions: new Float32Array(b.node_count * 3),
      fields: b.fields.map(({ name, unit }) => ({ name, unit, values: new Float32Array(b.node_count) })),
    }));
    this.obstacles = layout.obstacles.map((o) => ({
      name: o.name, kind: o.kind, vertices: Float32Array.from(o.vertices), triangles: Uint32Array.from(o.triangles), poses: new Float32Array(7),
    }));
    this.grippers = layout.grippers.map(({ name }) => ({
      name, poses: new Float32Array(7), forces: new Float32Array(3), torques: new Float32Array(3), attached: new Uint8Array(1),
    }));
    const perBody = this.bodies.map((b) => b.nodeCount * (3 + b.fields.length) + 3);
    this.fixedNumbers = perBody.reduce((sum, n) => sum + n, 0) + 7 * this.obstacles.length + 14 * this.grippers.length;
  }

  /**
   * The same bodies and obstacles, so that a camera set for the one suits the other, and a hand on the one
   * is a hand on the other. Grippers may come and go.
   */
  resembles(other: LiveWorld): boolean {
    const of = ({ bodies, obstacles }: LiveWorld) =>
      JSON.stringify([bodies.map((b) => [b.name, b.model, b.kind, b.nodeCount]), obstacles.map((o) => o.name)]);
    return of(this) === of(other);
  }

  /** Takes over a frame; false for one that does not belong to this layout or is damaged. */
  read(buffer: ArrayBuffer): boolean {
    if (buffer.byteLength < HEADER || buffer.byteLength % 4) return false;
    const head = new DataView(buffer);
    if (head.getUint32(0, true) !== MAGIC || head.getUint32(4, true) !== this.layout.revision) return false;
    const contacts = head.getUint32(24, true);
    const numbers = new Float32Array(buffer, HEADER);
    if (numbers.length !== this.fixedNumbers + contacts * 6) return false;

    this.step = Number(head.getBigUint64(8, true));
    this.time = head.getFloat64(16, true);
    this.paused = (head.getUint32(28, true) & 1) !== 0;
    let at = this.readBodies(numbers, 0);
    for (const { poses } of this.obstacles) at = this.readPose(numbers, at, poses);
    for (const gripper of this.grippers) {
      at = this.readPose(numbers, at, gripper.poses);
      gripper.forces.set(numbers.subarray(at, at + 3));
      gripper.torques.set(numbers.subarray(at + 3, at + 6));
      gripper.attached[0] = numbers[at + 6]! > 0.5 ? 1 : 0;
      at += 7;
    }
    this.readContacts(numbers.subarray(at), contacts);
    return true;
  }

  /** Where something of the page is in the world of the server. */
  outside(point: Vector3): Vec3 {
    return [point.x + this.origin.x, point.y + this.origin.y, point.z + this.origin.z];
  }

  /** Moves the origin, and what has been read already with it. */
  recentre(origin: Vector3): void {
    const shift = this.origin.clone().sub(origin);
    const move = (rows: Float32Array, width: number) => {
      for (let i = 0; i + 2 < rows.length; i += width) {
        rows[i] = rows[i]! + shift.x;
        rows[i + 1] = rows[i + 1]! + shift.y;
        rows[i + 2] = rows[i + 2]! + shift.z;
      }
    };
    for (const { positions } of this.bodies) move(positions, 3);
    for (const { poses } of [...this.obstacles, ...this.grippers]) move(poses, 7);
    move(this.contacts, 6);
    this.origin.copy(origin);
  }

  /** The space to look at: the bodies, and of the things around them what is near. */
  bounds(): Box3 {
    const bodies = boundsOf(this.bodies, 1);
    if (bodies.isEmpty()) return new Box3(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
    const size = bodies.getSize(new Vector3());
    const near = bodies.clone().expandByScalar(size.length() * 0.35);
    const point = new Vector3();
    const all = bodies.clone();
    for (const { kind, vertices, poses } of this.obstacles) {
      if (kind === "plane") continue;
      for (let i = 0; i + 2 < vertices.length; i += 3) {
        turn(point.fromArray(vertices, i), poses).clamp(near.min, near.max);
        all.expandByPoint(point);
      }
    }
    // A cable drawn straight will hang or swing: leave it room across its length.
    const least = all.getSize(size).length() * 0.2;
    all.getSize(size);
    return all.expandByVector(point.set(least - size.x, least - size.y, least - size.z).multiplyScalar(0.5).max(new Vector3()));
  }

  private readBodies(numbers: Float32Array, start: number): number {
    const { energy, origin } = this;
    energy.kinetic = energy.elastic = energy.gravity = 0;
    this.broken = false;
    let at = start;
    for (const { nodeCount, positions, fields } of this.bodies) {
      const count = nodeCount * 3;
      let sum = 0;
      for (let i = 0; i < count; i++) sum += Math.abs(numbers[at + i]!);
      if (Number.isFinite(sum)) {
        for (let i = 0; i < count; i += 3) {
          positions[i] = numbers[at + i]! - origin.x;
          positions[i + 1] = numbers[at + i + 1]! - origin.y;
          positions[i + 2] = numbers[at + i + 2]! - origin.z;
        }
      } else this.broken = true;
      at += count;
      for (const { values } of fields) {
        values.set(numbers.subarray(at, at + nodeCount));
        at += nodeCount;
      }
      energy.kinetic += numbers[at]!;
      energy.elastic += numbers[at + 1]!;
      energy.gravity += numbers[at + 2]!;
      at += 3;
    }
    return at;
  }

  /** Frames hold x y z qx qy qz qw, recordings x y z qw qx qy qz. */
  private readPose(numbers: Float32Array, at: number, pose: Float32Array): number {
    const { origin } = this;
    pose[0] = numbers[at]! - origin.x;
    pose[1] = numbers[at + 1]! - origin.y;
    pose[2] = numbers[at + 2]! - origin.z;
    pose[3] = numbers[at + 6]!;
    pose[4] = numbers[at + 3]!;
    pose[5] = numbers[at + 4]!;
    pose[6] = numbers[at + 5]!;
    return at + 7;
  }

  private readContacts(numbers: Float32Array, count: number): void {
    if (this.contacts.length < count * 6) this.contacts = new Float32Array(Math.max(64, 2 * count) * 6);
    this.contacts.set(numbers.subarray(0, count * 6));
    this.contactCount = count;
    for (let i = 0; i < count * 6; i += 6) {
      this.contacts[i] = this.contacts[i]! - this.origin.x;
      this.contacts[i + 1] = this.contacts[i + 1]! - this.origin.y;
      this.contacts[i + 2] = this.contacts[i + 2]! - this.origin.z;
    }
  }
}

function turn(point: Vector3, [x, y, z, qw, qx, qy, qz]: Float32Array | number[]): Vector3 {
  return point.applyQuaternion({ x: qx!, y: qy!, z: qz!, w: qw! }).add(new Vector3(x, y, z));
}
