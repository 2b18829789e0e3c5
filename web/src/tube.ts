// A curve drawn as a round tube with domed ends.

import { writeColour, type Paint } from "./colour";
import type { Body } from "./data";
import { Shape, type Look } from "./shape";

/** How finely tubes are drawn: rings per segment between nodes, vertices per ring. */
export interface Detail { rings: number; sides: number }

/** Fewer vertices per node when there are many nodes: all of them are rewritten for every picture. */
export function detailFor(totalNodes: number): Detail {
  if (totalNodes <= 600) return { rings: 6, sides: 24 };
  if (totalNodes <= 4000) return { rings: 4, sides: 12 };
  return { rings: 1, sides: 8 };
}

/** Latitudes of the rings of a dome, from its pole to its rim. */
const DOME = [90, 72, 54, 36, 18].map((degrees) => (degrees * Math.PI) / 180);

export class Tube extends Shape {
  private readonly centres: Float32Array;
  private readonly cosines: Float32Array;
  private readonly sines: Float32Array;
  private readonly weights: Float32Array;
  private readonly ringCount: number;

  constructor(body: Body, look: Look, private readonly detail: Detail) {
    const ringCount = (body.nodeCount - 1) * detail.rings + 1;
    const allRings = ringCount + 2 * DOME.length;
    super(body, look, allRings * detail.sides, gridTriangles(allRings, detail.sides));
    this.ringCount = ringCount;
    this.centres = new Float32Array(ringCount * 3);
    const angles = Array.from({ length: detail.sides }, (_, s) => (s / detail.sides) * 2 * Math.PI);
    this.cosines = Float32Array.from(angles, Math.cos);
    this.sines = Float32Array.from(angles, Math.sin);
    this.weights = splineWeights(detail.rings);
  }

  protected rebuild(thinnest: number): void {
    this.traceCentres();
    const { centres, ringCount } = this;
    const radius = Math.max(this.body.radius, thinnest);
    // The frame (t along the curve, u and v across) is carried from ring to ring without twist.
    let tx = 0, ty = 0, tz = 1;
    let ux = 0, uy = 0, uz = 0;
    for (let ring = 0; ring < ringCount; ring++) {
      const before = Math.max(0, ring - 1) * 3;
      const after = Math.min(ringCount - 1, ring + 1) * 3;
      const dx = centres[after]! - centres[before]!;
      const dy = centres[after + 1]! - centres[before + 1]!;
      const dz = centres[after + 2]! - centres[before + 2]!;
      const step = Math.sqrt(dx * dx + dy * dy + dz * dz);
      // Nodes on top of each other have no direction: keep the one before.
      if (step > 0) { tx = dx / step; ty = dy / step; tz = dz / step; }

      let along = ux * tx + uy * ty + uz * tz;
      let rest = 1 - along * along;
      if (ring === 0 || rest < 1e-4) {
        // No usable direction to carry over: take the axis most across the curve.
        const ax = Math.abs(tx), ay = Math.abs(ty), az = Math.abs(tz);
        ux = ax <= ay && ax <= az ? 1 : 0;
        uy = !ux && ay <= az ? 1 : 0;
        uz = ux || uy ? 0 : 1;
        along = ux * tx + uy * ty + uz * tz;
        rest = 1 - along * along;
      }
      const shrink = 1 / Math.sqrt(rest);
      ux = (ux - along * tx) * shrink;
      uy = (uy - along * ty) * shrink;
      uz = (uz - along * tz) * shrink;

      if (ring === 0) for (let d = 0; d < DOME.length; d++) this.writeRing(d, 0, radius, -DOME[d]!, tx, ty, tz, ux, uy, uz);
      this.writeRing(DOME.length + ring, ring, radius, 0, tx, ty, tz, ux, uy, uz);
    }
    for (let d = 0; d < DOME.length; d++) {
      this.writeRing(2 * DOME.length + ringCount - 1 - d, ringCount - 1, radius, DOME[d]!, tx, ty, tz, ux, uy, uz);
    }
  }

  protected recolour(paint: Paint, scalars: Float32Array, colours: Float32Array): void {
    const { rings, sides } = this.detail;
    const last = this.ringCount - 1;
    for (let row = 0; row < this.ringCount + 2 * DOME.length; row++) {
      const ring = Math.min(last, Math.max(0, row - DOME.length));
      const node = Math.floor(ring / rings);
      const share = ring / rings - node;
      const here = scalars[node]!;
      const value = share > 0 ? here + (scalars[node + 1]! - here) * share : here;
      writeColour(paint, value, colours, row * sides, sides);
    }
  }

  /** A Catmull-Rom curve through the nodes: coarse discretisations still look like what they bend. */
  private traceCentres(): void {
    const { nodes, centres, weights, detail } = this;
    const last = this.body.nodeCount - 1;
    let out = 0;
    for (let i = 0; i < last; i++) {
      const a = Math.max(0, i - 1) * 3, b = i * 3, c = b + 3, d = Math.min(last, i + 2) * 3;
      for (let k = 0; k < detail.rings; k++) {
        const wa = weights[k * 4]!, wb = weights[k * 4 + 1]!, wc = weights[k * 4 + 2]!, wd = weights[k * 4 + 3]!;
        for (let axis = 0; axis < 3; axis++) {
          centres[out++] = wa * nodes[a + axis]! + wb * nodes[b + axis]! + wc * nodes[c + axis]! + wd * nodes[d + axis]!;
        }
      }
    }
    for (let axis = 0; axis < 3; axis++) centres[out++] = nodes[last * 3 + axis]!;
  }

  private writeRing(
    row: number, ring: number, radius: number, latitude: number,
    tx: number, ty: number, tz: number, ux: number, uy: number, uz: number,
  ): void {
    const { centres, points, normals, cosines, sines } = this;
    const sides = this.detail.sides;
    const vx = ty * uz - tz * uy, vy = tz * ux - tx * uz, vz = tx * uy - ty * ux;
    const across = Math.cos(latitude), along = Math.sin(latitude);
    const cx = centres[ring * 3]!, cy = centres[ring * 3 + 1]!, cz = centres[ring * 3 + 2]!;
    let out = row * sides * 3;
    for (let s = 0; s < sides; s++, out += 3) {
      const c = cosines[s]! * across, d = sines[s]! * across;
      const nx = c * ux + d * vx + along * tx;
      const ny = c * uy + d * vy + along * ty;
      const nz = c * uz + d * vz + along * tz;
      normals[out] = nx;
      normals[out + 1] = ny;
      normals[out + 2] = nz;
      points[out] = cx + radius * nx;
      points[out + 1] = cy + radius * ny;
      points[out + 2] = cz + radius * nz;
    }
  }
}

/** Weights of the four nodes around a segment, for each ring within it. */
function splineWeights(rings: number): Float32Array {
  const out = new Float32Array(rings * 4);
  for (let k = 0; k < rings; k++) {
    const s = k / rings;
    out[k * 4] = (-s + 2 * s * s - s * s * s) / 2;
    out[k * 4 + 1] = (2 - 5 * s * s + 3 * s * s * s) / 2;
    out[k * 4 + 2] = (s + 4 * s * s - 3 * s * s * s) / 2;
    out[k * 4 + 3] = (-s * s + s * s * s) / 2;
  }
  return out;
}

/** Triangles between neighbouring rings, facing outwards. */
function gridTriangles(rows: number, sides: number): Uint32Array {
  const out = new Uint32Array((rows - 1) * sides * 6);
  let at = 0;
  for (let row = 0; row + 1 < rows; row++) {
    for (let s = 0; s < sides; s++) {
      const a = row * sides + s;
      const b = row * sides + ((s + 1) % sides);
      out.set([a, b, a + sides, b, b + sides, a + sides], at);
      at += 6;
    }
  }
  return out;
}
