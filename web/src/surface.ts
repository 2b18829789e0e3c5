// A surface body: its triangles, with smooth normals that follow the deformation.

import { writeColour, type Paint } from "./colour";
import type { Body } from "./data";
import { Shape, type Look } from "./shape";

export class Surface extends Shape {
  constructor(body: Body, look: Look) {
    super(body, look, body.nodeCount, body.triangles);
  }

  protected rebuild(): void {
    const { points, normals, nodes } = this;
    const { triangles } = this.body;
    points.set(nodes);
    normals.fill(0);
    for (let i = 0; i + 2 < triangles.length; i += 3) {
      const a = triangles[i]! * 3, b = triangles[i + 1]! * 3, c = triangles[i + 2]! * 3;
      const px = nodes[b]! - nodes[a]!, py = nodes[b + 1]! - nodes[a + 1]!, pz = nodes[b + 2]! - nodes[a + 2]!;
      const qx = nodes[c]! - nodes[a]!, qy = nodes[c + 1]! - nodes[a + 1]!, qz = nodes[c + 2]! - nodes[a + 2]!;
      // The cross product is twice the area long, so large triangles count for more.
      const nx = py * qz - pz * qy, ny = pz * qx - px * qz, nz = px * qy - py * qx;
      for (let k = i; k < i + 3; k++) {
        const corner = triangles[k]! * 3;
        normals[corner] = normals[corner]! + nx;
        normals[corner + 1] = normals[corner + 1]! + ny;
        normals[corner + 2] = normals[corner + 2]! + nz;
      }
    }
    // Millimetre triangles have areas that single-precision shaders lose when normalising.
    for (let i = 0; i < normals.length; i += 3) {
      const x = normals[i]!, y = normals[i + 1]!, z = normals[i + 2]!;
      const size = Math.sqrt(x * x + y * y + z * z);
      if (size === 0) continue;
      normals[i] = x / size;
      normals[i + 1] = y / size;
      normals[i + 2] = z / size;
    }
  }

  protected recolour(paint: Paint, scalars: Float32Array, colours: Float32Array): void {
    for (let i = 0; i < scalars.length; i++) writeColour(paint, scalars[i]!, colours, i, 1);
  }
}
