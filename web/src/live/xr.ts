// Virtual reality: stereo pictures, and two tracked controllers as hands 0 and 1 whose triggers grip.

import { Group, Mesh, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3, type Object3D } from "three";
import { html } from "../dom";
import type { Hands } from "./hands";
import type { Quat } from "./protocol";
import type { LiveView } from "./view";

/** Worlds between these sizes [m] are shown as large as they are, others scaled to fit. */
const SMALLEST = 0.4;
const LARGEST = 3;
/** The hand reaches this far [m of the user]. */
const REACH = 0.08;

export interface XRHooks {
  /** Called before every picture of the headset, for what animation frames do otherwise. */
  beforePicture(): void;
  problem(text: string): void;
  canHold(): boolean;
}

/** A button where the browser has a headset; null otherwise. */
export async function offerHeadset(view: LiveView, hands: Hands, hooks: XRHooks): Promise<HTMLElement | null> {
  const { xr } = navigator;
  if (!xr) return null;
  if (!(await xr.isSessionSupported("immersive-vr").catch(() => false))) return null;
  const button = html("button", { type: "button", class: "enter-vr", title: "Show this in the headset, controllers as hands" }, "Enter VR");
  button.addEventListener("click", async () => {
    const running = view.renderer.xr.getSession();
    if (running) return void running.end();
    try {
      const session = await xr.requestSession("immersive-vr", { optionalFeatures: ["local-floor"] });
      await present(session, view, hands, hooks);
      button.textContent = "Leave VR";
      session.addEventListener("end", () => (button.textContent = "Enter VR"));
    } catch (error) {
      hooks.problem(`The headset could not be used: ${(error as Error).message}`);
    }
  });
  return button;
}

async function present(session: XRSession, view: LiveView, hands: Hands, hooks: XRHooks): Promise<void> {
  const { renderer, camera, rig } = view;
  const floor = await session.requestReferenceSpace("local-floor").then(() => true, () => false);
  renderer.xr.enabled = true;
  renderer.xr.setReferenceSpaceType(floor ? "local-floor" : "local");
  const before = { position: camera.position.clone(), turn: camera.quaternion.clone() };
  const scale = placeRig(view, floor);
  const controllers = [0, 1].map((index) => addController(index, view, hands, hooks, scale));
  // After three.js has left the session itself.
  const end = () => {
    renderer.xr.removeEventListener("sessionend", end);
    for (const remove of controllers) remove();
    renderer.setAnimationLoop(null);
    renderer.xr.enabled = false;
    rig.position.set(0, 0, 0);
    rig.quaternion.identity();
    rig.scale.setScalar(1);
    camera.position.copy(before.position);
    camera.quaternion.copy(before.turn);
    camera.scale.setScalar(1);
    rig.updateMatrixWorld(true);
    view.afterHeadset();
  };
  renderer.xr.addEventListener("sessionend", end);
  await renderer.xr.setSession(session);
  camera.near = 0.02;
  camera.far = 200;
  view.paintSky();
  renderer.setAnimationLoop(() => {
    hooks.beforePicture();
    rig.updateMatrixWorld(true);
    for (const hand of [0, 1]) follow(renderer.xr.getController(hand), hand, hands);
    hands.flush();
    view.draw();
  });
}

/** Stands the user before the world, at a size that arms can reach: headsets have y up, worlds z. */
function placeRig({ rig, size, centreNow }: LiveView, floor: boolean): number {
  const scale = size < SMALLEST ? size / SMALLEST : size > LARGEST ? size / LARGEST : 1;
  rig.quaternion.setFromAxisAngle(new Vector3(1, 0, 0), Math.PI / 2);
  rig.scale.setScalar(scale);
  const before = Math.min(1.2, Math.max(0.5, (0.6 * size) / scale));
  const centre = new Vector3(0, floor ? 1.15 : -0.25, -before).multiplyScalar(scale).applyQuaternion(rig.quaternion);
  rig.position.copy(centreNow).sub(centre);
  rig.updateMatrixWorld(true);
  return scale;
}

const position = new Vector3();
const turn = new Quaternion();

function poseOf(controller: Object3D): Quat {
  controller.updateWorldMatrix(true, false);
  controller.getWorldPosition(position);
  controller.getWorldQuaternion(turn);
  return [turn.x, turn.y, turn.z, turn.w];
}

function follow(controller: Object3D, hand: number, hands: Hands): void {
  if (!hands.held.has(hand) || !controller.visible) return;
  const quat = poseOf(controller);
  hands.move(hand, position, quat);
}

/** Returns how to take it away again. */
function addController(hand: number, view: LiveView, hands: Hands, hooks: XRHooks, scale: number): () => void {
  const controller = view.renderer.xr.getController(hand);
  const knob = new Group();
  const ball = new Mesh(new SphereGeometry(0.012, 20, 14), new MeshStandardMaterial({ color: hand ? "#dd8230" : "#3d85c6", roughness: 0.5 }));
  knob.add(ball);
  controller.add(knob);
  view.rig.add(controller);
  const grip = () => {
    if (!hooks.canHold() || hands.held.has(hand)) return;
    const quat = poseOf(controller);
    const reach = REACH * scale;
    hands.grab(hand, position, reach, view.nearest(position, reach), quat);
    ball.scale.setScalar(0.7);
  };
  const release = () => {
    hands.drop(hand);
    ball.scale.setScalar(1);
  };
  const starts = ["selectstart", "squeezestart"] as const;
  const ends = ["selectend", "squeezeend", "disconnected"] as const;
  for (const type of starts) controller.addEventListener(type, grip);
  for (const type of ends) controller.addEventListener(type, release);
  return () => {
    release();
    for (const type of starts) controller.removeEventListener(type, grip);
    for (const type of ends) controller.removeEventListener(type, release);
    controller.remove(knob);
    ball.geometry.dispose();
    ball.material.dispose();
    view.rig.remove(controller);
  };
}
