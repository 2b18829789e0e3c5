// Grippers: a pair of jaws that open when they let go, the axes of their frame, and the force.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, Group, LineBasicMaterial,
  LineSegments, Mesh, MeshStandardMaterial, Vector3,
} from "three";
import type { Gripper } from "./data";
import { blend, poseAt, type Moment } from "./frames";

export const AXIS_COLOURS = ["#d9534f", "#4f9d55", "#4479c9"] as const;
const FORCE_COLOUR = "#e0533d";

const UP = new Vector3(0, 1, 0);
/** Radius of the shaft of an arrow, as a share of its length. */
const GIRTH = 0.024;

/** What is the same for all grippers of a scene. */
export interface GripperScale {
  /** Length of the jaws. */
  jaw: number;
  /** Half the opening when closed: what it holds has to fit. */
  gap: number;
  /** Length of the arrow of a typical large force. */
  arrow: number;
  /** That force. */
  force: number;
}

/**
 * Single impacts can be a hundred times the force of holding; against them all else would be too
 * short to see. So the scale is a force that is exceeded only rarely.
 */
export function typicalForce(grippers: Gripper[], frames: number): number {
  const sizes: number[] = [];
  for (const { forces, attached } of grippers) {
    for (let frame = 0; frame < frames; frame++) {
      const size = Math.hypot(forces[frame * 3]!, forces[frame * 3 + 1]!, forces[frame * 3 + 2]!);
      if (attached[frame] && size > 0 && Number.isFinite(size)) sizes.push(size);
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor((sizes.length - 1) * 0.97)] ?? 0;
}

export class GripperProp {
  readonly object = new Group();
  /** Sizes at the moment shown. */
  force = 0;
  torque = 0;
  attached = false;
  /** A hand that nobody uses is not drawn. */
  idle = false;
  /** Whether the force is drawn here; the hand of the user shows it in its own way. */
  withArrow = true;

  private readonly hand = new Group();
  private readonly arrow = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;
  private readonly jaws: Mesh[];
  private readonly metal = new MeshStandardMaterial({ color: "#6f7b88", roughness: 0.5, transparent: true });
  private readonly vector = new Float32Array(3);
  private readonly direction = new Vector3();

  constructor(readonly gripper: Gripper, private readonly scale: GripperScale) {
    const { jaw, arrow } = scale;
    const plate = new BoxGeometry(jaw * 0.6, jaw * 0.2, jaw);
    this.jaws = [new Mesh(plate, this.metal), new Mesh(plate, this.metal)];
    for (const mesh of this.jaws) mesh.castShadow = true;
    this.hand.add(...this.jaws, axes(jaw * 1.5));

    const red = new MeshStandardMaterial({ color: FORCE_COLOUR, roughness: 0.6, emissive: FORCE_COLOUR, emissiveIntensity: 0.25 });
    const thick = arrow * GIRTH;
    this.shaft = new Mesh(new CylinderGeometry(thick, thick, 1, 12).translate(0, 0.5, 0), red);
    this.head = new Mesh(new ConeGeometry(thick * 2.8, thick * 8, 20).translate(0, -thick * 4, 0), red);
    this.arrow.add(this.shaft, this.head);
    this.object.add(this.hand, this.arrow);
  }

  show(moment: Moment): void {
    const { gripper, hand, scale } = this;
    this.object.visible = poseAt(gripper.poses, moment, hand.position, hand.quaternion) && !this.idle;
    this.attached = gripper.attached[moment.frame]! > 0;
    const offset = scale.gap + scale.jaw * (this.attached ? 0.1 : 0.5);
    this.jaws[0]!.position.y = offset;
    this.jaws[1]!.position.y = -offset;
    this.metal.opacity = this.attached ? 1 : 0.45;

    this.torque = this.sizeOf(gripper.torques, moment);
    this.force = this.sizeOf(gripper.forces, moment);
    const share = this.force / scale.force;
    this.arrow.visible = this.withArrow && this.attached && share > 0.01 && Number.isFinite(share);
    if (this.arrow.visible) this.pointArrow(share);
  }

  private sizeOf(rows: Float32Array, moment: Moment): number {
    blend(rows, moment, this.vector);
    return this.direction.fromArray(this.vector).length();
  }

  /** Along the vector last read, which is the force. */
  private pointArrow(share: number): void {
    const length = this.scale.arrow * Math.min(1.4, share);
    // A short arrow keeps its proportions: a full-size head would hide its length.
    const girth = Math.min(1, length / (this.scale.arrow * 0.35));
    const headLength = this.scale.arrow * GIRTH * 8 * girth;
    this.arrow.position.copy(this.hand.position);
    this.arrow.quaternion.setFromUnitVectors(UP, this.direction.normalize());
    this.shaft.scale.set(girth, length - headLength / 2, girth);
    this.head.scale.setScalar(girth);
    this.head.position.y = length;
  }
}

function axes(length: number): LineSegments {
  const ends = [0, 1, 2].flatMap((axis) => [0, 0, 0, ...[0, 1, 2].map((k) => (k === axis ? length : 0))]);
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(ends), 3));
  const materials = AXIS_COLOURS.map((color) => new LineBasicMaterial({ color, depthTest: false }));
  materials.forEach((_, axis) => geometry.addGroup(axis * 2, 2, axis));
  return new LineSegments(geometry, materials);
}
