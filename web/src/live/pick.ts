// Which place of a body is under the pointer. Curves are thin, so they are searched for on the screen,
// within a finger's or a pointer's uncertainty; surfaces are hit by a ray.

import { Raycaster, Vector2, Vector3, type Camera, type Mesh, type Object3D } from "three";
import type { Body } from "../data";

/** A place that stays with the material: up to three nodes of a body and their shares. */
export interface BodyPlace {
  body: number;
  nodes: [number, number, number];
  shares: [number, number, number];
}

/** A place on an obstacle that hands may move, in its own frame. */
export interface ObstaclePlace { obstacle: number; local: Vector3 }

export type Place = BodyPlace | ObstaclePlace;

/** Where that place is now. */
export function placeNow(bodies: Body[], { body, nodes, shares }: BodyPlace, out: Vector3): boolean {
  const positions = bodies[body]?.positions;
  if (!positions) return false;
  out.set(0, 0, 0);
  for (let k = 0; k < 3; k++) {
    const at = nodes[k]! * 3;
    out.x += shares[k]! * positions[at]!;
    out.y += shares[k]! * positions[at + 1]!;
    out.z += shares[k]! * positions[at + 2]!;
  }
  return Number.isFinite(out.x + out.y + out.z);
}

/** The place nearest to a point in space: anywhere along curves, at the nodes of surfaces. */
export function nearestPlace(bodies: Body[], to: Vector3, reach: number): BodyPlace | null {
  let best: BodyPlace | null = null;
  let least = reach;
  const a = new Vector3();
  const b = new Vector3();
  bodies.forEach(({ kind, nodeCount, positions }, body) => {
    for (let node = 0; node < nodeCount; node++) {
      b.fromArray(positions, node * 3);
      const from = kind === "curve" && node > 0 ? node - 1 : node;
      a.fromArray(positions, from * 3);
      const along = b.sub(a);
      const share = Math.min(1, Math.max(0, (to.clone().sub(a).dot(along)) / along.lengthSq() || 0));
      const away = a.addScaledVector(along, share).distanceTo(to);
      if (!(away < least)) continue;
      least = away;
      best = { body, nodes: [from, node, node], shares: [1 - share, share, 0] };
    }
  });
  return best;
}

export interface Target {
  bodies: Body[];
  /** The drawn bodies, in the same order. */
  meshes: Mesh[];
  /** What hides bodies behind it. */
  walls: Object3D[];
  /** Which obstacle each of them is, if hands may move it. */
  movable: (number | null)[];
  /** How far a body may be behind a wall and still be taken: it may lie on its far edge. */
  slack: number;
}

const caster = new Raycaster();
const pointer = new Vector2();
const point = new Vector3();

/** `x` and `y` in pixels within a picture of `width` by `height`. */
export function pick(target: Target, camera: Camera, x: number, y: number, width: number, height: number, within: number): Place | null {
  camera.updateMatrixWorld();
  caster.setFromCamera(pointer.set((2 * x) / width - 1, 1 - (2 * y) / height), camera);
  const surface = pickSurface(target);
  const curve = pickCurve(target.bodies, camera, x, y, width, height, within);
  const hit = caster.intersectObjects(target.walls, false)[0];
  const obstacle = hit ? target.movable[target.walls.indexOf(hit.object)] ?? null : null;
  const wall = hit?.distance ?? Infinity;
  if (hit && obstacle !== null && wall <= (surface?.distance ?? Infinity) && !(curve && curve.distance < wall)) {
    return { obstacle, local: hit.object.worldToLocal(hit.point.clone()) };
  }
  if (!surface && !curve) return null;
  const limit = Math.min(wall + target.slack, (surface?.distance ?? Infinity) + target.slack);
  if (curve && curve.distance < limit) return curve.place;
  return surface && surface.distance < wall + target.slack ? surface.place : null;
}

function pickSurface({ bodies, meshes }: Target): { place: BodyPlace; distance: number } | null {
  let best: { place: BodyPlace; distance: number } | null = null;
  meshes.forEach((mesh, body) => {
    if (bodies[body]!.kind !== "surface") return;
    mesh.geometry.boundingSphere = null; // of another moment
    const hit = caster.intersectObject(mesh, false)[0];
    if (!hit?.face || !hit.barycoord || (best && best.distance <= hit.distance)) return;
    const { x, y, z } = hit.barycoord;
    best = { place: { body, nodes: [hit.face.a, hit.face.b, hit.face.c], shares: [x, y, z] }, distance: hit.distance };
  });
  return best;
}

function pickCurve(
  bodies: Body[], camera: Camera, x: number, y: number, width: number, height: number, within: number,
): { place: BodyPlace; distance: number } | null {
  const eye = camera.getWorldPosition(new Vector3());
  // Pixels per length at distance one: a thick curve may be taken anywhere on its width.
  const lens = (camera.projectionMatrix.elements[5]! * height) / 2;
  let best: { place: BodyPlace; distance: number } | null = null;
  let bestPixels = within;
  bodies.forEach(({ kind, nodeCount, positions, radius }, body) => {
    if (kind !== "curve") return;
    let ax = 0, ay = 0, aw = 0;
    for (let node = 0; node < nodeCount; node++) {
      point.fromArray(positions, node * 3);
      const distance = point.distanceTo(eye);
      point.project(camera);
      const bx = ((point.x + 1) * width) / 2;
      const by = ((1 - point.y) * height) / 2;
      const bw = point.z > -1 && point.z < 1 ? distance : NaN;
      // The first node alone is a segment without length; for one node it is the whole body.
      const first = node === 0;
      const dx = first ? 0 : bx - ax, dy = first ? 0 : by - ay;
      const long = dx * dx + dy * dy;
      const from = first ? node : node - 1;
      const share = long > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / long)) : 1;
      const px = first ? bx : ax + share * dx, py = first ? by : ay + share * dy;
      const away = first ? bw : aw + share * (bw - aw);
      const pixels = Math.max(0, Math.hypot(x - px, y - py) - (radius * lens) / away);
      if (pixels < bestPixels || (pixels === bestPixels && best && away < best.distance)) {
        bestPixels = pixels;
        best = { place: { body, nodes: [from, node, node], shares: [1 - share, share, 0] }, distance: away };
      }
      ax = bx;
      ay = by;
      aw = bw;
    }
  });
  return best;
}
