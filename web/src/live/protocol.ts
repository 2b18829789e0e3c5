// What the page and `pliant live` say to each other, version 2. What comes in is checked here, so that
// nothing malformed gets further: it is dropped and counted.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];
export type Property = "young" | "density" | "friction" | "damping_time" | "drag";
export const PROPERTIES: readonly Property[] = ["friction", "young", "density", "damping_time", "drag"];

export interface BodyLayout {
  name: string;
  model: string;
  kind: "curve" | "surface";
  radius: number;
  node_count: number;
  triangles: number[];
  fields: { name: string; unit: string }[];
  properties: Record<Property, number | null>;
}
export interface ObstacleLayout { name: string; kind: "plane" | "mesh"; movable: boolean; vertices: number[]; triangles: number[] }
export interface GripperLayout { name: string; hand: number | null }
export interface Layout {
  type: "layout";
  revision: number;
  bodies: BodyLayout[];
  obstacles: ObstacleLayout[];
  grippers: GripperLayout[];
  gravity: Vec3;
}
export interface Hello {
  type: "hello";
  version: number;
  viewer: number;
  scene: string;
  title: string;
  step: number;
  rate: number;
  can_hold: boolean;
}
export interface Percentiles { p50: number; p99: number; p999: number; max: number }
export interface HandStatus {
  hand: number;
  held_by: number | null;
  device: string | null;
  gripping: string | null;
  force: Vec3;
  state: string;
  energy_J: number;
}
export interface Status {
  type: "status";
  paused: boolean;
  speed: number;
  real_time: number;
  time: number;
  step: number;
  overruns: number;
  taken_away: number;
  viewers: number;
  period_us: Percentiles;
  compute_us: Percentiles;
  latency_us: Percentiles;
  hands: HandStatus[];
  failure: string | null;
  recording: boolean;
}
export interface EventMessage { type: "event"; time: number; text: string }
export interface Refused { type: "refused"; why: string }
export interface WentBack { type: "went_back"; time: number; why: string }
export type Incoming = Hello | Layout | Status | EventMessage | Refused | WentBack;

export type Outgoing =
  | { type: "grab"; hand: number; at: Vec3; reach: number; turn?: Quat }
  | { type: "move"; hand: number; to: Vec3; turn?: Quat }
  | { type: "drop"; hand: number }
  | { type: "pause" | "play" }
  | { type: "step"; count: number }
  | { type: "speed"; factor: number }
  | { do: "reset" }
  | { do: "gravity"; value: Vec3 }
  | { do: "change"; body: number; property: Property; value: number }
  | { type: "scene"; name: string; model: string | null };

/** Parsed JSON: anything may be missing or of another type. */
type Raw = any;

/** The message, or null for one that this page does not understand. Throws on text that is not JSON. */
export function readMessage(text: string): Incoming | null {
  const raw: Raw = JSON.parse(text);
  switch (raw?.type) {
    case "hello": return readHello(raw);
    case "layout": return readLayout(raw);
    case "status": return readStatus(raw);
    case "event": return { type: "event", time: number(raw.time, NaN), text: words(raw.text) };
    case "went_back": return { type: "went_back", time: number(raw.time, NaN), why: words(raw.why) };
    case "refused": return { type: "refused", why: words(raw.why) || "The server refused without a reason." };
    default: return null;
  }
}

function readHello(raw: Raw): Hello {
  return {
    type: "hello",
    version: number(raw.version),
    viewer: number(raw.viewer, -1),
    scene: words(raw.scene),
    title: words(raw.title) || words(raw.scene),
    step: number(raw.step),
    rate: number(raw.rate),
    can_hold: raw.can_hold !== false,
  };
}

function readLayout(raw: Raw): Layout {
  return {
    type: "layout",
    revision: number(raw.revision, -1),
    bodies: list(raw.bodies).map(readBody),
    obstacles: list(raw.obstacles).map((o): ObstacleLayout => {
      const vertices = numbers(o.vertices);
      return { name: words(o.name), kind: o.kind === "plane" ? "plane" : "mesh", movable: o.movable === true, vertices, triangles: triangles(o.triangles, vertices.length / 3) };
    }),
    grippers: list(raw.grippers).map((g) => ({ name: words(g.name), hand: typeof g.hand === "number" ? g.hand : null })),
    gravity: vector(raw.gravity),
  };
}

function readBody(raw: Raw): BodyLayout {
  const node_count = number(raw.node_count);
  if (!Number.isInteger(node_count) || node_count < 1) throw new Error(`body “${raw.name}” has no sensible number of nodes`);
  const properties = Object.fromEntries(
    PROPERTIES.map((name) => [name, typeof raw.properties?.[name] === "number" ? raw.properties[name] : null]),
  ) as Record<Property, number | null>;
  return {
    name: words(raw.name),
    model: words(raw.model),
    kind: raw.kind === "surface" ? "surface" : "curve",
    radius: number(raw.radius),
    node_count,
    triangles: triangles(raw.triangles, node_count),
    fields: list(raw.fields).map((f) => ({ name: words(f?.name), unit: words(f?.unit) })),
    properties,
  };
}

function readStatus(raw: Raw): Status {
  return {
    type: "status",
    paused: raw.paused === true,
    speed: number(raw.speed, NaN),
    real_time: number(raw.real_time, NaN),
    time: number(raw.time),
    step: number(raw.step),
    overruns: number(raw.overruns),
    taken_away: number(raw.taken_away),
    viewers: number(raw.viewers, 1),
    period_us: percentiles(raw.period_us),
    compute_us: percentiles(raw.compute_us),
    latency_us: percentiles(raw.latency_us),
    hands: list(raw.hands).map((h) => ({
      hand: number(h?.hand),
      held_by: typeof h?.held_by === "number" ? h.held_by : null,
      device: words(h?.device) || null,
      gripping: words(h?.gripping) || null,
      force: vector(h?.force),
      state: words(h?.state) || "ok",
      energy_J: number(h?.energy_J),
    })),
    failure: words(raw.failure) || null,
    recording: raw.recording === true,
  };
}

function percentiles(raw: Raw): Percentiles {
  const of = (name: string) => number(raw?.[name], NaN);
  return { p50: of("p50"), p99: of("p99"), p999: of("p999"), max: of("max") };
}

function list(raw: Raw): Raw[] {
  return Array.isArray(raw) ? raw : [];
}

function words(raw: Raw): string {
  return typeof raw === "string" ? raw : "";
}

function number(raw: Raw, otherwise = 0): number {
  return typeof raw === "number" && Number.isFinite(raw) ? raw : otherwise;
}

function numbers(raw: Raw): number[] {
  return list(raw).map((x) => number(x));
}

function vector(raw: Raw): Vec3 {
  const [x = 0, y = 0, z = 0] = numbers(raw);
  return [x, y, z];
}

function triangles(raw: Raw, limit: number): number[] {
  const out = numbers(raw);
  if (out.length % 3 || out.some((i) => !Number.isInteger(i) || i < 0 || i >= limit)) throw new Error("a triangle beyond its vertices");
  return out;
}
