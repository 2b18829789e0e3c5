// A stand-in for `pliant live` that follows its protocol: rods that swing from fixed grippers over a plane
// and beside a ball, computed here. Good enough to look at, to pull at, and to test the page with.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { acceptSocket } from "./socket.mjs";

const page = new URL("../dist/live.html", import.meta.url);
const STEP = 0.001;
const SCENES = [
  { name: "swing", title: "Swing a rod <over> a ball" },
  { name: "many", title: "Forty cables" },
  { name: "cube", title: "A soft cube" },
  { name: "knot", title: "Tie a knot" },
];

/** A rod as points joined by sticks, by Verlet's rule: enough for a test. */
class Rod {
  constructor(nodes, length, hold) {
    this.nodes = nodes;
    this.link = length / (nodes - 1);
    this.hold = hold;
    this.reset();
  }
  reset() {
    this.now = Array.from({ length: this.nodes }, (_, i) => [this.hold[0] + i * this.link * 0.92, this.hold[1], this.hold[2] - i * this.link * 0.39]);
    this.before = this.now.map((p) => [...p]);
    this.pulled = null; // { node, to }
    this.force = [0, 0, 0];
  }
  advance(dt, gravity) {
    const { now, before } = this;
    for (let i = 1; i < this.nodes; i++) {
      for (let k = 0; k < 3; k++) {
        const next = now[i][k] + (now[i][k] - before[i][k]) * 0.9995 + gravity[k] * dt * dt;
        before[i][k] = now[i][k];
        now[i][k] = next;
      }
    }
    if (this.pulled) {
      const { node, to } = this.pulled;
      for (let k = 0; k < 3; k++) {
        const stretch = to[k] - now[node][k];
        now[node][k] += 0.2 * stretch;
        this.force[k] = -12 * stretch; // of the body on the hand
      }
    }
    for (let round = 0; round < 12; round++) {
      for (let i = 1; i < this.nodes; i++) {
        const [a, b] = [now[i - 1], now[i]];
        const d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        const share = (Math.hypot(...d) - this.link) / Math.hypot(...d) / (i === 1 ? 1 : 2);
        for (let k = 0; k < 3; k++) {
          if (i > 1) a[k] += share * d[k];
          b[k] -= share * d[k];
        }
      }
    }
    for (const p of now) p[2] = Math.max(p[2], 0.006);
  }
}

class World {
  constructor(scene, model) {
    this.scene = scene;
    this.model = model ?? "cable";
    // Where the ball is to be carried nothing swings: a rod in front of it would be taken in its place.
    this.gravity = scene === "carry" ? [0, 0, 0] : [0, 0, -9.81];
    const many = scene === "many";
    this.rods = Array.from({ length: many ? 40 : 1 }, (_, i) =>
      new Rod(many ? 101 : 41, 0.8, many ? [((i % 8) - 4) * 0.12, Math.floor(i / 8) * 0.2, 0.9] : [0, 0, 0.9]));
    this.cube = scene === "cube" ? cube(5, 0.2) : null;
    this.properties = { young: 4.4e6, density: 1100, friction: 0.5, damping_time: 0.001, drag: null };
    this.reset();
  }
  reset() {
    this.step = 0;
    for (const rod of this.rods) rod.reset();
  }
  get time() {
    return this.step * STEP;
  }
  get bodies() {
    const rods = this.rods.map((rod, i) => ({
      name: i ? `rod ${i}` : "rod", model: this.model, kind: "curve", radius: 0.006, node_count: rod.nodes, triangles: [],
      fields: [{ name: "tension", unit: "N" }, { name: "curvature", unit: "1/m" }], properties: this.properties,
    }));
    if (!this.cube) return rods;
    return [...rods, {
      name: "cube", model: "fem", kind: "surface", radius: 0, node_count: this.cube.points.length, triangles: this.cube.triangles,
      fields: [{ name: "strain", unit: "" }], properties: { ...this.properties, young: 5e4, damping_time: null },
    }];
  }
  get obstacles() {
    return [{ name: "ground", kind: "plane", vertices: [], triangles: [] }, { name: "ball", kind: "mesh", movable: this.scene === "carry", ...ball(0.11, 12, 20) }];
  }
  get grippers() {
    return [{ name: "mount", hand: null }, { name: "hand 0", hand: 0 }, { name: "hand 1", hand: 1 }];
  }
  layout(revision) {
    return { type: "layout", revision, bodies: this.bodies, obstacles: this.obstacles, grippers: this.grippers, gravity: this.gravity };
  }
  /** Four steps are computed as one: this machine has other things to do. */
  advance(steps) {
    this.step += steps;
    const parts = Math.max(1, Math.round(steps / 4));
    const rods = this.rods.length > 4 ? this.rods.filter((rod, i) => rod.pulled || i % 8 === Math.floor(this.step / 16) % 8) : this.rods;
    for (let i = 0; i < parts; i++) for (const rod of rods) rod.advance((STEP * steps) / parts, this.gravity);
  }
  frame(revision, paused, hands) {
    const numbers = [];
    for (const rod of this.rods) {
      for (const p of rod.now) numbers.push(...p);
      for (let i = 0; i < rod.nodes; i++) numbers.push((1 - i / rod.nodes) * (1 + 0.5 * Math.sin(3 * this.time)));
      for (let i = 0; i < rod.nodes; i++) numbers.push(2 + 2 * Math.sin(i / 6 + 2 * this.time));
      let speed = 0;
      rod.now.forEach((p, i) => p.forEach((x, k) => (speed += (x - rod.before[i][k]) ** 2)));
      const height = rod.now.reduce((sum, p) => sum + p[2], 0) / rod.nodes;
      numbers.push(speed * 4000, 0.05 + 0.02 * Math.sin(9 * this.time), height * 0.5);
    }
    if (this.cube) {
      const wave = Math.sin(4 * this.time) * 0.03;
      for (const [x, y, z] of this.cube.points) numbers.push(x - 0.35 + wave * z * 4, y + 0.1, z);
      numbers.push(...this.cube.points.map(([, , z]) => Math.abs(wave) * z));
      numbers.push(0.01, 0.02, 0.03);
    }
    numbers.push(0, 0, 0, 0, 0, 0, 1, 0.32, 0.16, 0.11, 0, 0, 0, 1);
    numbers.push(...this.rods[0].hold, 0, 0, 0, 1, 0.2 * Math.sin(5 * this.time), 0, -1.2, 0.01, 0.02, 0, 1);
    for (const { at, rod } of hands) numbers.push(...at, 0, 0, 0, 1, ...(rod ? rod.force : [0, 0, 0]), 0, 0, 0, rod ? 1 : 0);
    const touching = this.rods.flatMap((rod) => rod.now.filter((p) => p[2] <= 0.0061)).concat(this.scene === "knot" ? [] : [[0.3, 0.06, 0.18]]);
    for (const p of touching) numbers.push(...p, 0, 0, 0.4 + 0.2 * Math.sin(3 * this.time));
    const buffer = Buffer.alloc(32 + numbers.length * 4);
    buffer.writeUInt32LE(0x31464c50, 0);
    buffer.writeUInt32LE(revision, 4);
    buffer.writeBigUInt64LE(BigInt(this.step), 8);
    buffer.writeDoubleLE(this.time, 16);
    buffer.writeUInt32LE(touching.length, 24);
    buffer.writeUInt32LE(paused ? 1 : 0, 28);
    new Float32Array(buffer.buffer, buffer.byteOffset + 32, numbers.length).set(numbers);
    return buffer;
  }
}

/** Starts it; `token` is asked for if given. `heard` keeps what pages sent, without repeats of a resting hand. */
export async function startFake({ port = 0, scene = "swing", token = null, drive = true } = {}) {
  const content = await readFile(page);
  const viewers = new Set();
  const heard = [];
  let revision = 7;
  let world = new World(scene);
  let paused = false;
  let speed = 1;
  let count = 0;
  let failure = null;
  let refuse = null;
  const hands = [0, 1].map(() => ({ at: [0, 0, 1], rod: null, held_by: null }));

  const allowed = (url) => token === null || url.searchParams.get("token") === token;
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://here");
    const answer = (status, type, body) => response.writeHead(status, { "content-type": type, connection: "close" }).end(body);
    if (!allowed(url)) return answer(403, "text/plain", "The token is missing or wrong.");
    if (url.pathname === "/") return answer(200, "text/html", content);
    if (url.pathname === "/scenes") return answer(200, "application/json", JSON.stringify({ scenes: SCENES, current: world.scene }));
    if (url.pathname === "/report.html") return answer(200, "text/html", "<p>the report so far");
    return answer(404, "text/plain", "This run is not recorded.");
  });
  server.on("upgrade", (request, socket) => {
    const url = new URL(request.url, "http://here");
    if (url.pathname !== "/socket" || !allowed(url)) return socket.destroy();
    const viewer = { id: ++count };
    viewer.socket = acceptSocket(request, socket, (text) => obey(viewer, text), () => {
      viewers.delete(viewer);
      for (const hand of hands) if (hand.held_by === viewer.id) release(hand);
    });
    viewers.add(viewer);
    viewer.socket.text(helloTo(viewer));
    viewer.socket.text(world.layout(revision));
    viewer.socket.text(status());
    viewer.socket.binary(frame());
  });

  const title = () => SCENES.find((s) => s.name === world.scene)?.title ?? world.scene;
  const helloTo = (viewer) => ({ type: "hello", version: 2, viewer: viewer.id, scene: world.scene, title: title(), step: STEP, rate: 1000, can_hold: true });
  const frame = () => world.frame(revision, paused, hands);
  const spread = (p50) => ({ p50, p99: 3 * p50, p999: 5 * p50, max: 9 * p50 });
  const status = () => ({
    type: "status", paused, speed, real_time: paused ? 0 : speed * 0.99, time: world.time, step: world.step, overruns: 0, taken_away: 2,
    viewers: viewers.size, period_us: spread(1000), compute_us: spread(120), latency_us: spread(40),
    hands: hands.map(({ held_by, rod }, hand) => ({
      hand, held_by, device: held_by === null ? null : "page", gripping: rod ? "rod" : null, force: rod?.force ?? [0, 0, 0], state: "ok", energy_J: 0,
    })),
    failure, recording: true,
  });
  const tell = (message) => {
    for (const viewer of viewers) viewer.socket.text(message);
  };
  const release = (hand) => {
    if (hand.rod) hand.rod.pulled = null;
    Object.assign(hand, { rod: null, held_by: null });
  };

  function obey(viewer, text) {
    const message = JSON.parse(text);
    const rest = message.type === "move" && heard.at(-1)?.type === "move" && JSON.stringify(heard.at(-1).to) === JSON.stringify(message.to);
    if (!rest) heard.push({ ...message, viewer: viewer.id });
    if (heard.length > 5000) heard.shift();
    const hand = hands[message.hand];
    if (message.type === "pause") paused = true;
    if (message.type === "play") paused = false;
    if (message.type === "step" && paused) world.advance(message.count);
    if (message.type === "speed") speed = message.factor;
    if (message.do === "gravity") world.gravity = message.value;
    if (message.do === "change") world.properties = { ...world.properties, [message.property]: message.value };
    if (message.do === "reset") {
      failure = null;
      world.reset();
    }
    if (message.type === "scene") {
      hands.forEach(release);
      world = new World(message.name, message.model);
      revision++;
      tell(world.layout(revision));
    }
    if (message.type === "grab") {
      if (refuse) return viewer.socket.text({ type: "refused", why: refuse });
      if (hand.held_by !== null && hand.held_by !== viewer.id) return viewer.socket.text({ type: "refused", why: `viewer ${hand.held_by} has hand ${message.hand}` });
      let best = message.reach;
      Object.assign(hand, { at: message.at, held_by: viewer.id, rod: null });
      for (const rod of world.rods) {
        rod.now.forEach((p, node) => {
          const away = Math.hypot(p[0] - message.at[0], p[1] - message.at[1], p[2] - message.at[2]);
          if (node === 0 || away >= best) return;
          best = away;
          hand.rod = rod;
          hand.node = node;
        });
      }
      if (hand.rod) {
        hand.rod.pulled = { node: hand.node, to: hand.at };
        tell({ type: "event", time: world.time, text: `hand ${message.hand} takes hold of rod` });
      }
    }
    if (message.type === "move" && hand.held_by === viewer.id) {
      hand.at = message.to;
      if (hand.rod) hand.rod.pulled.to = message.to;
    }
    if (message.type === "drop" && hand.held_by === viewer.id) {
      release(hand);
      tell({ type: "event", time: world.time, text: `hand ${message.hand} lets go` });
    }
  }

  const timers = [];
  if (drive) {
    timers.push(setInterval(() => {
      if (!paused) world.advance(Math.max(1, Math.round(16 * speed)));
      const now = frame();
      for (const { socket } of viewers) if (!socket.full) socket.binary(now);
    }, 16));
    timers.push(setInterval(() => tell(status()), 200));
  }
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return {
    port: server.address().port,
    address: `http://127.0.0.1:${server.address().port}/${token ? `?token=${encodeURIComponent(token)}` : ""}`,
    heard,
    tell,
    frame,
    /** As if a page had said it. */
    obey: (message) => obey({ id: 0, socket: { text() {} } }, JSON.stringify(message)),
    hands,
    viewers,
    /** The same world under another revision, as when it gains a gripper. */
    relayout() {
      revision++;
      tell(world.layout(revision));
    },
    get world() {
      return world;
    },
    /** Refuses to give hands away from now on. */
    refuse(sentence) {
      refuse = sentence;
    },
    fail(sentence) {
      failure = sentence;
    },
    async stop() {
      timers.forEach(clearInterval);
      for (const { socket } of viewers) socket.close();
      await new Promise((done) => server.close(done));
    },
  };
}

function ball(radius, rows, columns) {
  const vertices = [];
  const triangles = [];
  for (let i = 0; i <= rows; i++) {
    for (let j = 0; j < columns; j++) {
      const [polar, around] = [(Math.PI * i) / rows, (2 * Math.PI * j) / columns];
      vertices.push(radius * Math.sin(polar) * Math.cos(around), radius * Math.sin(polar) * Math.sin(around), radius * Math.cos(polar));
      if (i === rows) continue;
      const [a, b] = [i * columns + j, i * columns + ((j + 1) % columns)];
      if (i > 0) triangles.push(a, a + columns, b);
      if (i < rows - 1) triangles.push(b, a + columns, b + columns);
    }
  }
  return { vertices, triangles };
}

/** The surface of a cube that stands on the ground: six grids, their edges not joined. */
function cube(side, size) {
  const points = [];
  const triangles = [];
  for (const axis of [0, 1, 2]) {
    for (const end of [0, 1]) {
      const first = points.length;
      for (let i = 0; i < side; i++) {
        for (let j = 0; j < side; j++) {
          const p = [0, 0, 0];
          p[axis] = end * size;
          p[(axis + 1) % 3] = (i / (side - 1)) * size;
          p[(axis + 2) % 3] = (j / (side - 1)) * size;
          points.push(p);
          if (i + 1 === side || j + 1 === side) continue;
          const a = first + i * side + j;
          triangles.push(a, a + side, a + 1, a + 1, a + side, a + side + 1);
        }
      }
    }
  }
  return { points, triangles };
}

// By hand: `node test/fake-live.mjs [port] [scene]`, then look at it in a browser.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { address } = await startFake({ port: Number(process.argv[2] ?? 8099), scene: process.argv[3] ?? "swing" });
  console.log(address);
}
