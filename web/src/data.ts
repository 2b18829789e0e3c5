// The data the Rust side puts into the page: decoded, checked, and with the troubles of a run that
// went wrong (no frames, positions that are not numbers) turned into sentences.

import { seconds } from "./format";

export type Field = { name: string; unit: string; values: Float32Array };
export type Series = { name: string; values: Float32Array };
export type Expectation = { text: string; value: string; bounds: string; pass: boolean | null; first_missed?: number | null };
export type RunEvent = { time: number; text: string };
export type Body = ReturnType<typeof readBody>;
export type Obstacle = ReturnType<typeof readObstacle>;
export type Gripper = ReturnType<typeof readGripper>;
export type PlotData = ReturnType<typeof readPlot>;
export type Report = ReturnType<typeof readReport>;
/** What is drawn: of a whole run, or of the latest moment of a live one. */
export type World = { bodies: Body[]; obstacles: Obstacle[]; grippers: Gripper[] };

/** A problem with the data, worded for the reader of the page. */
export class DataError extends Error {}

/** Parsed JSON is not checked field by field: what a wrong one breaks is caught and told as damage. */
type Raw = any;

export function readReport(text: string) {
  const raw: Raw = JSON.parse(text);
  if (raw?.format !== 1) {
    throw new DataError(`The data has format ${String(raw?.format)}; this page understands format 1.`);
  }
  const times = floats(raw.times, "the frame times");
  const frames = times.length;
  const bodies = list(raw.bodies).map((b) => readBody(b, frames)).filter((b) => b.nodeCount > 0);
  return {
    title: String(raw.title || raw.scene || "Untitled run"),
    scene: String(raw.scene ?? ""),
    command: String(raw.command ?? ""),
    version: String(raw.version ?? ""),
    done: raw.outcome === "done",
    outcomeText: String(raw.outcome_text ?? ""),
    summary: list(raw.summary) as [string, string][],
    expectations: list(raw.expectations) as Expectation[],
    events: list(raw.events).map((e): RunEvent => ({ time: typeof e.time === "number" ? e.time : NaN, text: e.text })),
    bodies,
    obstacles: list(raw.obstacles).map((o) => readObstacle(o, frames)),
    grippers: list(raw.grippers).map((g) => readGripper(g, frames)),
    plots: list(raw.plots).map(readPlot),
    look: readLook(raw.view),
    ...usableFrames(times, bodies),
  };
}

function readBody(raw: Raw, frames: number) {
  const what = `body “${raw.name}”`;
  const nodeCount: number = raw.node_count;
  return {
    name: String(raw.name),
    model: String(raw.model ?? ""),
    kind: raw.kind as "curve" | "surface",
    radius: Number.isFinite(raw.radius) ? Number(raw.radius) : 0,
    nodeCount,
    triangles: indices(raw.triangles, nodeCount, what),
    positions: floats(raw.positions, `${what}: positions`, frames * nodeCount * 3),
    fields: list(raw.fields).map((f): Field => ({
      name: f.name,
      unit: f.unit ?? "",
      values: floats(f.values, `${what}: field “${f.name}”`, frames * nodeCount),
    })),
  };
}

function readObstacle(raw: Raw, frames: number) {
  const what = `obstacle “${raw.name}”`;
  const vertices = Float32Array.from(raw.vertices ?? []);
  return {
    name: String(raw.name),
    kind: raw.kind as "plane" | "mesh",
    vertices,
    triangles: indices(raw.triangles, vertices.length / 3, what),
    poses: floats(raw.poses, `${what}: poses`, frames * 7, 7),
  };
}

function readGripper(raw: Raw, frames: number) {
  const what = `gripper “${raw.name}”`;
  const attached = bytes(raw.attached);
  expectLength(attached.length, `${what}: attached`, [frames]);
  return {
    name: String(raw.name),
    poses: floats(raw.poses, `${what}: poses`, frames * 7, 7),
    forces: floats(raw.forces, `${what}: forces`, frames * 3),
    torques: floats(raw.torques, `${what}: torques`, frames * 3),
    attached,
  };
}

function readPlot(raw: Raw) {
  const what = `plot “${raw.title}”`;
  const times = floats(raw.times, `${what}: times`);
  return {
    title: String(raw.title),
    unit: String(raw.unit ?? ""),
    times,
    series: list(raw.series).map((s): Series => ({
      name: s.name,
      values: floats(s.values, `${what}: series “${s.name}”`, times.length),
    })),
  };
}

/** From where the scene is best looked at; what is null the page chooses. */
export type Look = ReturnType<typeof readLook>;

export function readLook(raw: Raw) {
  const vector = (v: Raw) => (Array.isArray(v) && v.length === 3 && v.every(Number.isFinite) ? (v as [number, number, number]) : null);
  const number = (v: Raw) => (Number.isFinite(v) ? Number(v) : null);
  return { time: number(raw?.time), from: vector(raw?.from), at: vector(raw?.at), width: number(raw?.width), colour: raw?.colour ? String(raw.colour) : null };
}

function list(raw: Raw): Raw[] {
  return raw ?? [];
}

function bytes(base64: string | undefined): Uint8Array<ArrayBuffer> {
  const binary = atob(base64 ?? "");
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < out.length; i++) out[i] = binary.charCodeAt(i);
  return out;
}

function floats(base64: string | undefined, what: string, ...lengths: number[]): Float32Array {
  const raw = bytes(base64);
  if (raw.length % 4) throw new DataError(`Damaged data: ${what} end in the middle of a number.`);
  const out = new Float32Array(raw.buffer);
  if (lengths.length) expectLength(out.length, what, lengths);
  return out;
}

function expectLength(length: number, what: string, allowed: number[]): void {
  if (allowed.includes(length)) return;
  throw new DataError(`Damaged data: ${what} should hold ${allowed.join(" or ")} numbers and hold ${length}.`);
}

function indices(list: number[] | undefined, limit: number, what: string): Uint32Array {
  const out = Uint32Array.from(list ?? []);
  if (out.some((i) => i >= limit)) throw new DataError(`Damaged data: ${what} has a triangle beyond its vertices.`);
  return out;
}

/**
 * A run that blew up ends in frames that are not numbers. The frames before are what its author
 * needs to see, so the run is cut there and the reader told: `trouble` says why there is nothing to
 * play, `notice` what is left out.
 */
function usableFrames(times: Float32Array, bodies: Body[]): { times: Float32Array; trouble?: string; notice?: string } {
  const recorded = times.length;
  if (recorded === 0) return { times, trouble: "The run recorded no frames, so there is nothing to play." };
  if (bodies.length === 0) return { times, trouble: "The scene has no bodies, so there is nothing to draw." };

  let usable = recorded;
  let culprit = "";
  const check = (what: string, values: Float32Array, perFrame: number) => {
    const bad = values.findIndex((x) => !Number.isFinite(x));
    if (bad < 0 || Math.floor(bad / perFrame) >= usable) return;
    usable = Math.floor(bad / perFrame);
    culprit = what;
  };
  check("the frame times", times, 1);
  for (const body of bodies) check(`the positions of “${body.name}”`, body.positions, body.nodeCount * 3);

  if (usable === recorded) return { times };
  if (usable === 0) {
    return { times, trouble: `From the first frame on, ${culprit} are not finite numbers, so there is nothing to draw.` };
  }
  return {
    times: times.subarray(0, usable),
    notice: `After ${seconds(times[usable - 1]!)} ${culprit} are not finite numbers. The player ends there: ${recorded - usable} of ${recorded} frames are left out.`,
  };
}
