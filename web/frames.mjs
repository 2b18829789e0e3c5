// What a picture of the live page costs the page: the time of its own script, draw calls, and bytes sent to the graphics card.
//
//   node frames.mjs PLIANT [SECONDS [SCENE WORDS …]]     ten seconds of forty cables of 100 segments unless told otherwise
//
// In a headless browser the picture itself is painted by the processor, which says nothing about a laptop: only the script's share is
// measured here.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startLive } from "./test/started.mjs";
import { openBrowser } from "./test/browser.mjs";

/** Runs in the page before anything else: counts what it asks of the graphics card, and times what it does for a picture. */
export function countFrames() {
  const counts = { pictures: 0, draws: 0, uploads: 0, bytes: 0, times: [], from: 0 };
  globalThis.pliantFrames = counts;
  const gl = WebGL2RenderingContext.prototype;
  const wrap = (name, note) => {
    const original = gl[name];
    gl[name] = function (...given) {
      note(given);
      return original.apply(this, given);
    };
  };
  for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) wrap(name, () => counts.draws++);
  // bufferData(target, data, usage), bufferSubData(target, offset, data, start, length)
  const sent = (data, length) => {
    counts.uploads++;
    counts.bytes += length ? length * (data.BYTES_PER_ELEMENT ?? 1) : (data?.byteLength ?? 0);
  };
  wrap("bufferData", ([, data]) => typeof data === "object" && sent(data, 0));
  wrap("bufferSubData", ([, , data, , length]) => sent(data, length));
  const request = globalThis.requestAnimationFrame.bind(globalThis);
  globalThis.requestAnimationFrame = (draw) =>
    request((time) => {
      const [begun, before] = [performance.now(), counts.draws];
      counts.from ||= begun;
      draw(time);
      if (counts.draws === before) return;
      counts.pictures++;
      if (counts.times.length < 100_000) counts.times.push(performance.now() - begun);
    });
}

/** What has been counted: means of a picture, and percentiles of the script's time [ms]. */
export function readFrames(page) {
  return page.evaluate(() => {
    const { pictures, draws, uploads, bytes, times, from } = globalThis.pliantFrames;
    const sorted = times.slice(Math.min(60, times.length >> 1)).sort((a, b) => a - b);
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    return {
      pictures, pictures_per_second: pictures / ((performance.now() - from) / 1000), draw_calls: draws / pictures,
      uploads: uploads / pictures, kilobytes: bytes / pictures / 1000,
      script_ms: { p50: at(0.5), p99: at(0.99), max: at(1) },
    };
  });
}

/** Counts the processor time of the page's main thread from now on, whatever else the machine does: a function that returns it [s]. */
async function threadTime(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
  await devtools.send("Performance.enable");
  return async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN;
  };
}

/** A scene of forty cables of 100 segments that swing from one bar. */
function forty() {
  const head = `title = "Forty cables"\nduration = 10\nstep = 0.005\n[material.rubber]\nyoung = 5e6\ndensity = 1100\n`;
  const cable = (n) => {
    const [x, y] = [0.1 * (n % 8), 0.1 * Math.floor(n / 8)];
    return `[[body]]\nname = "cable${n}"\nmodel = "cable"\nmaterial = "rubber"\nradius = 0.003\nsegments = 100\n` +
      `path = [[${x}, ${y}, 1], [${x + 0.3}, ${y}, 0.6]]\n`;
  };
  const all = Array.from({ length: 40 }, (_, n) => n);
  const grips = all.map((n) => `{ body = "cable${n}", at = "start" }`).join(", ");
  return `${head}${all.map(cable).join("")}[[gripper]]\nname = "bar"\nposition = [0.35, 0.2, 1]\ngrips = [${grips}]\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , command, seconds = "10", ...words] = process.argv;
  if (!command) {
    console.error("usage: node frames.mjs PLIANT [SECONDS [SCENE WORDS …]]");
    process.exit(2);
  }
  const folder = await mkdtemp(join(tmpdir(), "pliant-frames-"));
  const scene = join(folder, "forty.toml");
  await writeFile(scene, forty());
  const live = await startLive(command, ...(words.length ? words : [scene]), "--port", "0");
  const browser = await openBrowser();
  try {
    const { page } = await browser.visit(live.address, { width: 1100, height: 700, own: live.address, before: countFrames });
    // compiled and settled
    await page.waitForTimeout(5000);
    const worked = await threadTime(page);
    const before = await worked();
    await page.waitForTimeout(Number(seconds) * 1000);
    // all that the page does: messages of the server are read however few pictures there are
    const main_thread_share = ((await worked()) - before) / Number(seconds);
    console.log(JSON.stringify({ ...(await readFrames(page)), main_thread_share }, null, 2));
  } finally {
    await browser.close();
    await live.stop();
    await rm(folder, { recursive: true });
  }
}
