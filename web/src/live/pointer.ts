// Mouse and touch: taking hold of a body, moving it in the plane that faces the viewer, letting go.
// Everything that does not begin on a body is left to the camera.

import { Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Hands } from "./hands";
import type { LiveView } from "./view";

/** A curve may be missed by this many pixels. */
const MISS_MOUSE = 14;
const MISS_FINGER = 22;

export function listenToPointers(view: LiveView, hands: Hands, canHold: () => boolean): void {
  const drags = new Map<number, { hand: number; plane: Plane; offset: Vector3 }>();
  const caster = new Raycaster();
  const screen = new Vector2();
  const point = new Vector3();
  const normal = new Vector3();
  const { element } = view;

  const aim = (event: PointerEvent) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    screen.set((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    view.camera.updateMatrixWorld();
    caster.setFromCamera(screen, view.camera);
    return caster.ray;
  };
  const onCanvas = (event: PointerEvent) => event.target === view.renderer.domElement;

  /** Pointers that turn or move the view: while one does, another one is part of the same gesture. */
  const turning = new Set<number>();

  // In the capture phase, before the camera's own listener on the canvas.
  element.addEventListener("pointerdown", (event) => {
    if (!onCanvas(event)) return;
    if (!take(event)) turning.add(event.pointerId);
  }, true);

  function take(event: PointerEvent): boolean {
    if (event.button !== 0 || turning.size > 0 || !canHold()) return false;
    const within = event.pointerType === "touch" ? MISS_FINGER : MISS_MOUSE;
    const place = view.pickAt(event.clientX, event.clientY, within);
    const hand = hands.free();
    if (!place || hand === null || !view.where(place, point)) return false;
    event.stopPropagation();
    event.preventDefault();
    (document.activeElement as HTMLElement | null)?.blur?.();
    // Far enough that a body that moves on while the message travels is still caught.
    const radius = "body" in place ? view.world.bodies[place.body]!.radius : 0;
    const reach = Math.max(3 * radius, 24 * view.pixel, view.size * 0.02);
    if (!hands.grab(hand, point, reach, place)) return false;
    const plane = new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(normal).negate(), point);
    const hit = aim(event).intersectPlane(plane, new Vector3()) ?? point;
    drags.set(event.pointerId, { hand, plane, offset: point.clone().sub(hit) });
    view.renderer.domElement.setPointerCapture(event.pointerId);
    view.setOrbit(false);
    view.mark(null);
    element.classList.add("holding");
    return true;
  }

  let hover = 0;
  element.addEventListener("pointermove", (event) => {
    const drag = drags.get(event.pointerId);
    if (drag) {
      event.stopPropagation();
      if (!hands.held.has(drag.hand)) return end(event);
      const hit = aim(event).intersectPlane(drag.plane, point);
      if (hit) hands.move(drag.hand, hit.add(drag.offset));
      view.redraw();
      return;
    }
    if (event.pointerType === "touch" || event.buttons || hover) return;
    const { clientX, clientY } = event;
    const over = onCanvas(event);
    hover = requestAnimationFrame(() => {
      hover = 0;
      const place = over && canHold() && drags.size === 0 && hands.free() !== null ? view.pickAt(clientX, clientY, MISS_MOUSE) : null;
      element.classList.toggle("over", place !== null);
      view.mark(place);
    });
  }, true);

  // While holding, the wheel brings the hand nearer or farther.
  element.addEventListener("wheel", (event) => {
    if (drags.size === 0) return;
    event.stopPropagation();
    event.preventDefault();
    const step = -Math.sign(event.deltaY) * view.size * 0.02;
    for (const { hand, plane, offset } of drags.values()) {
      const held = hands.held.get(hand);
      if (!held) continue;
      point.copy(plane.normal).multiplyScalar(-step);
      plane.translate(point);
      offset.add(point);
      hands.move(hand, point.add(held.to));
    }
    view.redraw();
  }, { capture: true, passive: false });

  function end(event: PointerEvent): void {
    turning.delete(event.pointerId);
    const drag = drags.get(event.pointerId);
    if (!drag) return;
    drags.delete(event.pointerId);
    hands.drop(drag.hand);
    if (drags.size > 0) return;
    view.setOrbit(true);
    element.classList.remove("holding");
    view.redraw();
  }
  for (const type of ["pointerup", "pointercancel", "lostpointercapture"] as const) element.addEventListener(type, end, true);
  // Wherever it is let go, it does not turn the view any more.
  for (const type of ["pointerup", "pointercancel"] as const) window.addEventListener(type, (event) => turning.delete(event.pointerId), true);
  element.addEventListener("pointerleave", () => view.mark(null));
}
