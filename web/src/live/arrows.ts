// Contact forces as arrows: as many as there are contacts, in two draws.

import { ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3 } from "three";

const COLOUR = "#c2557a";
const UP = new Vector3(0, 1, 0);
/** More contacts than this are drawn in part: nobody can tell them apart. */
const MOST = 4096;
/** So many can stand beside each other at full length. */
const CROWD = 80;

export class Arrows {
  readonly object = new Group();
  /** The force whose arrow has full length; grows with the largest seen. */
  force = 0;
  largest = 0;
  private readonly material = new MeshStandardMaterial({ color: COLOUR, roughness: 0.6, emissive: COLOUR, emissiveIntensity: 0.3 });
  private shafts!: InstancedMesh;
  private heads!: InstancedMesh;
  private room = 0;
  private readonly matrix = new Matrix4();
  private readonly base = new Vector3();
  private readonly along = new Vector3();
  private readonly tip = new Vector3();
  private readonly scale = new Vector3();
  private readonly turn = new Quaternion();

  constructor() {
    this.reserve(64);
  }

  /** `longest` is the length of a full arrow where there are few; a thousand of them would hide the bodies. */
  show(contacts: Float32Array, count: number, longest: number): void {
    const length = longest * Math.min(1, Math.max(0.15, Math.sqrt(CROWD / count)));
    this.largest = 0;
    for (let i = 0; i < count; i++) {
      const size = Math.hypot(contacts[i * 6 + 3]!, contacts[i * 6 + 4]!, contacts[i * 6 + 5]!);
      if (Number.isFinite(size) && size > this.largest) this.largest = size;
    }
    if (this.largest > this.force) this.force += (this.largest - this.force) * (this.force > 0 ? 0.08 : 1);
    if (!this.object.visible) return;
    const shown = Math.min(count, MOST);
    if (shown > this.room) this.reserve(Math.min(MOST, shown * 2));
    let drawn = 0;
    for (let i = 0; i < shown; i++) {
      this.base.fromArray(contacts, i * 6);
      this.along.fromArray(contacts, i * 6 + 3);
      const size = this.along.length();
      const share = Math.min(1.4, size / this.force);
      if (!(share > 0.02) || !Number.isFinite(this.base.x + this.base.y + this.base.z)) continue;
      this.turn.setFromUnitVectors(UP, this.along.divideScalar(size));
      const long = length * share;
      const thick = length * 0.022 * Math.min(1, 0.35 + share);
      const head = Math.min(long, thick * 7);
      this.matrix.compose(this.base, this.turn, this.scale.set(thick, Math.max(long - head * 0.6, 1e-9), thick));
      this.shafts.setMatrixAt(drawn, this.matrix);
      this.tip.copy(this.base).addScaledVector(this.along, long);
      this.matrix.compose(this.tip, this.turn, this.scale.set(thick * 2.6, head, thick * 2.6));
      this.heads.setMatrixAt(drawn++, this.matrix);
    }
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = drawn;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private reserve(room: number): void {
    this.object.clear();
    for (const mesh of [this.shafts, this.heads]) {
      mesh?.geometry.dispose();
      mesh?.dispose();
    }
    this.room = room;
    this.shafts = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), this.material, room);
    this.heads = new InstancedMesh(new ConeGeometry(1, 1, 14).translate(0, -0.5, 0), this.material, room);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false; // its bounds change with every frame
      mesh.count = 0;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      this.object.add(mesh);
    }
  }
}
