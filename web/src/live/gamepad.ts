// A gamepad: the left stick moves hand 0 in the plane that faces the viewer, the right one nearer and
// farther; a button takes hold. Looked at only while one is plugged in.

import { Vector3 } from "three";
import type { Hands } from "./hands";
import type { LiveView } from "./view";

const HAND = 0;
/** Sticks never rest exactly at zero. */
const DEAD = 0.12;
/** Crossing the picture takes about two seconds. */
const PACE = 0.5;
/** The first face button, the bumpers and the triggers: whatever lies under the hand. */
const GRIP = [0, 4, 5, 6, 7];

export function listenToGamepads(view: LiveView, hands: Hands, canHold: () => boolean): void {
  const cursor = new Vector3();
  const step = new Vector3();
  const ahead = new Vector3();
  let running = false;
  let pressed = false;
  let used = false;
  let last = 0;

  const tick = (now: number) => {
    const pad = navigator.getGamepads().find((p) => p?.connected);
    if (!pad) {
      running = false;
      if (pressed) hands.drop(HAND);
      pressed = used = false;
      view.markPoint(null);
      return;
    }
    requestAnimationFrame(tick);
    const passed = Math.min(0.1, Math.max(0, (now - last) / 1000));
    last = now;
    const [x, y, , depth] = [0, 1, 2, 3].map((axis) => stick(pad.axes[axis] ?? 0)) as [number, number, number, number];
    const grips = GRIP.some((index) => pad.buttons[index]?.pressed);
    if (!used && !grips && !x && !y && !depth) return; // not picked up yet: nothing of it is drawn
    if (!used) view.viewCentre(cursor);
    used = true;

    const pace = PACE * view.size * passed;
    step.set(x, -y, 0).applyQuaternion(view.camera.quaternion);
    step.addScaledVector(view.camera.getWorldDirection(ahead), -depth);
    cursor.addScaledVector(step, pace);
    if (grips && !pressed && canHold() && hands.free() === HAND) {
      // The nearest place within reach of the mark; the server has the last word on it.
      const place = view.nearest(cursor, view.size * 0.1);
      if (place) view.where(place, cursor);
      hands.grab(HAND, cursor, view.size * 0.1, place);
    }
    if (!grips && pressed) hands.drop(HAND);
    pressed = grips;
    if (pressed) hands.move(HAND, cursor);
    view.markPoint(pressed ? null : cursor);
    view.redraw();
  };

  window.addEventListener("gamepadconnected", () => {
    if (running) return;
    running = true;
    last = performance.now();
    requestAnimationFrame(tick);
  });
}

function stick(value: number): number {
  const size = Math.abs(value);
  return size < DEAD ? 0 : (Math.sign(value) * (size - DEAD)) / (1 - DEAD);
}
