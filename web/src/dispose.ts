// Gives back what the graphics card holds for an object that is no longer drawn.

import type { BufferGeometry, Material, Object3D } from "three";

export function disposeTree(object: Object3D): void {
  object.removeFromParent();
  object.traverse((part) => {
    const { geometry, material } = part as Object3D & { geometry?: BufferGeometry; material?: Material | Material[] };
    geometry?.dispose();
    for (const one of [material ?? []].flat()) one.dispose();
  });
}
