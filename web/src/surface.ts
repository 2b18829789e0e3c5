// A surface body: its triangles, each shaded as the plane it is.

import { writeColour, type Paint } from "./colour";
import type { Body } from "./data";
import { Shape, type Look } from "./shape";

export class Surface extends Shape {
  constructor(body: Body, look: Look) {
    super(body, look, body.nodeCount, body.triangles);
  }

  protected rebuild(): void {
    this.points.set(this.nodes);
  }

  protected recolour(paint: Paint, scalars: Float32Array, colours: Float32Array): void {
    for (let i = 0; i < scalars.length; i++) writeColour(paint, scalars[i]!, colours, i, 1);
  }
}
