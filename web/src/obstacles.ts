// What bodies touch: rigid meshes, and planes drawn as a grid that fades out.

import {
  BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshStandardMaterial, PlaneGeometry,
  ShaderMaterial, ShadowMaterial, Vector3, type Object3D, type Vector2Tuple,
} from "three";
import type { Obstacle } from "./data";
import { niceBelow } from "./format";
import { poseAt, type Moment } from "./frames";

/** Mid-grey, which reads on the light and on the dark background alike. */
const MATTER = "#a3abb4";
/** Edges sharper than this stay sharp (cosine of 35 degrees). */
const CREASE = 0.82;

export class ObstacleProp {
  readonly object: Object3D;

  /** `size` is that of the scene; what has no size of its own, like a plane, is drawn to suit it. */
  constructor(private readonly obstacle: Obstacle, size: number) {
    this.object = obstacle.kind === "plane" ? new Group() : buildMesh(obstacle);
    this.show({ frame: 0, next: 0, mix: 0 });
    if (obstacle.kind === "plane") this.object.add(...buildPlane(this.object, size));
  }

  show(moment: Moment): void {
    this.object.visible = poseAt(this.obstacle.poses, moment, this.object.position, this.object.quaternion);
  }
}

function buildMesh(obstacle: Obstacle): Mesh {
  const geometry = creasedGeometry(obstacle.vertices, obstacle.triangles);
  const mesh = new Mesh(geometry, new MeshStandardMaterial({ color: MATTER, roughness: 0.85, side: DoubleSide }));
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  return mesh;
}

/** Smooth where the mesh is smooth, sharp at edges, at any scale. */
function creasedGeometry(vertices: Float32Array, triangles: Uint32Array): BufferGeometry {
  const points = new Float32Array(triangles.length * 3);
  triangles.forEach((vertex, corner) => points.set(vertices.subarray(vertex * 3, vertex * 3 + 3), corner * 3));

  const facesAt = new Map<number, Vector3[]>();
  const faces: Vector3[] = [];
  for (let corner = 0; corner + 2 < triangles.length; corner += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => new Vector3().fromArray(points, (corner + k) * 3));
    const normal = b!.sub(a!).cross(c!.sub(a!)).normalize();
    faces.push(normal);
    for (let k = 0; k < 3; k++) {
      const vertex = triangles[corner + k]!;
      facesAt.set(vertex, [...(facesAt.get(vertex) ?? []), normal]);
    }
  }
  const normals = new Float32Array(points.length);
  const sum = new Vector3();
  triangles.forEach((vertex, corner) => {
    const own = faces[Math.floor(corner / 3)]!;
    sum.set(0, 0, 0);
    for (const other of facesAt.get(vertex)!) if (other.dot(own) > CREASE) sum.add(other);
    sum.normalize().toArray(normals, corner * 3);
  });
  return new BufferGeometry()
    .setAttribute("position", new BufferAttribute(points, 3))
    .setAttribute("normal", new BufferAttribute(normals, 3));
}

/** A grid and a layer that only shows shadows, in the plane's own frame, around the scene's centre. */
function buildPlane(frame: Object3D, size: number): Mesh[] {
  frame.updateMatrixWorld(true);
  const step = niceBelow(size / 8);
  const centre = frame.worldToLocal(new Vector3());
  // Lines stay on multiples of the step in the plane's frame, wherever the scene is.
  const middle: Vector2Tuple = [centre.x, centre.y].map((x) => Math.round(x / (step * 10)) * step * 10) as Vector2Tuple;
  const reach = size * 5;
  const sheet = new PlaneGeometry(2 * reach, 2 * reach).translate(...middle, 0);
  const grid = new Mesh(sheet, gridMaterial(step, reach, [centre.x, centre.y], middle));
  const shade = new Mesh(sheet, new ShadowMaterial({ opacity: 0.28, depthWrite: false, side: DoubleSide }));
  shade.receiveShadow = true;
  // Seen through each other they would flicker in depth order; a fixed order does not.
  grid.renderOrder = -2;
  shade.renderOrder = -1;
  return [grid, shade];
}

function gridMaterial(step: number, reach: number, centre: Vector2Tuple, middle: Vector2Tuple): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: {
      step: { value: step },
      reach: { value: reach },
      // Relative to the middle of the sheet, where single precision is best.
      centre: { value: [centre[0] - middle[0], centre[1] - middle[1]] },
      middle: { value: middle },
    },
    vertexShader: /* glsl */ `
      uniform vec2 middle;
      varying vec2 at;
      void main() {
        at = position.xy - middle;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform float step, reach;
      uniform vec2 centre;
      varying vec2 at;
      // Coverage of a line one pixel wide, and none where lines would crowd into a grey.
      float lines(float spacing) {
        vec2 cell = at / spacing;
        vec2 pixel = fwidth(cell);
        vec2 near = abs(fract(cell - 0.5) - 0.5) / pixel;
        vec2 crowd = 1.0 - smoothstep(0.1, 0.5, pixel);
        vec2 cover = (1.0 - min(near, 1.0)) * crowd;
        return max(cover.x, cover.y);
      }
      void main() {
        float fade = 1.0 - smoothstep(0.12, 0.8, distance(at, centre) / reach);
        float alpha = fade * (0.05 + max(0.22 * lines(step), 0.34 * lines(step * 5.0)));
        gl_FragColor = vec4(vec3(0.42, 0.47, 0.53), alpha);
      }`,
  });
}
