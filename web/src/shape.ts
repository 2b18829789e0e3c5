// What curves and surfaces have in common when drawn: one geometry per body, allocated once and
// rewritten in place for every picture.

import { BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, FrontSide, Mesh, MeshStandardMaterial } from "three";
import { fieldOf, writeColour, type Paint } from "./colour";
import type { Body, Field } from "./data";
import { blend, type Moment } from "./frames";

export interface Look {
  colour: string;
  /** Below 1 for the ghosts of other instants. */
  opacity: number;
}

export abstract class Shape {
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  protected readonly points: Float32Array;
  protected readonly normals: Float32Array;
  private readonly colours: Float32Array;
  /** The nodes at the moment shown. */
  protected readonly nodes: Float32Array;
  private readonly scalars: Float32Array;
  private paint: Paint | null = null;
  private field: Field | null = null;

  constructor(
    protected readonly body: Body,
    private readonly look: Look,
    vertexCount: number,
    triangles: Uint32Array,
  ) {
    this.points = new Float32Array(vertexCount * 3);
    this.normals = new Float32Array(vertexCount * 3);
    this.colours = new Float32Array(vertexCount * 3);
    this.nodes = new Float32Array(body.nodeCount * 3);
    this.scalars = new Float32Array(body.nodeCount);

    const geometry = new BufferGeometry();
    for (const [name, array] of [["position", this.points], ["normal", this.normals], ["color", this.colours]] as const) {
      geometry.setAttribute(name, new BufferAttribute(array, 3).setUsage(DynamicDrawUsage));
    }
    geometry.setIndex(new BufferAttribute(triangles, 1));

    const ghost = look.opacity < 1;
    const material = new MeshStandardMaterial({
      vertexColors: true,
      roughness: 0.55,
      side: body.kind === "surface" ? DoubleSide : FrontSide,
      // Edges of a solid are edges: normals shared between its faces would round them.
      flatShading: body.kind === "surface",
      transparent: ghost,
      opacity: look.opacity,
      depthWrite: !ghost,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false; // its bounds change with every picture
    this.mesh.castShadow = !ghost;
    this.colourBy(null);
  }

  /** The colours follow with the next `show`. */
  colourBy(paint: Paint | null): void {
    this.paint = paint;
    this.field = fieldOf(this.body, paint);
    const plain = new Color(this.look.colour);
    for (let i = 0; i < this.colours.length; i += 3) plain.toArray(this.colours, i);
    if (paint && !this.field) writeColour(paint, NaN, this.colours, 0, this.colours.length / 3);
    this.touch("color");
  }

  show(moment: Moment, thinnest: number): void {
    blend(this.body.positions, moment, this.nodes);
    this.rebuild(thinnest);
    this.touch("position");
    this.touch("normal");
    if (this.field && this.paint) {
      blend(this.field.values, moment, this.scalars);
      this.recolour(this.paint, this.scalars, this.colours);
      this.touch("color");
    }
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }

  private touch(attribute: string): void {
    this.mesh.geometry.getAttribute(attribute).needsUpdate = true;
  }

  /** Writes points and normals from the nodes. `thinnest` is the smallest radius that can be seen. */
  protected abstract rebuild(thinnest: number): void;
  protected abstract recolour(paint: Paint, scalars: Float32Array, colours: Float32Array): void;
}
