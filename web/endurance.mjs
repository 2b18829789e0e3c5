// A long live run as people have it: a hand in the scene, the page open, and another process that keeps a core busy.
//
//   node endurance.mjs PLIANT [SECONDS [SCENE …]]     600 seconds of `winding` unless told otherwise
//
// Prints what `pliant live --json` prints, and whether it is what is promised: no force more than 2 ms late unless the system took the core
// away, and memory flat within 1 %. Exit code 1 if not. What the page itself takes is printed too: see `frames.mjs`.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { startLive } from "./test/started.mjs";
import { openBrowser } from "./test/browser.mjs";
import { countFrames, readFrames } from "./frames.mjs";

const [, , command, seconds = "600", ...scenes] = process.argv;
if (!command) {
  console.error("usage: node endurance.mjs PLIANT [SECONDS [SCENE …]]");
  process.exit(2);
}

/** Something that keeps a core busy and nothing else. */
const busy = () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });

/** Memory of a process [MB], on Linux. */
async function memory(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return (Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? NaN) * 1024) / 1e6;
}

const after = (ms) => new Promise((done) => setTimeout(done, ms));

let kept = true;
for (const scene of scenes.length ? scenes : ["winding"]) {
  const browser = await openBrowser();
  const load = busy();
  try {
    const live = await startLive(command, scene, "--port", "0", "--hand", "demo", "--seconds", seconds, "--json");
    const { page } = await browser.visit(live.address, { width: 1100, height: 700, own: live.address, before: countFrames });
    // memory is compared once the page is open and everything has been used; the server goes before the page does
    const whole = Number(seconds) * 1000;
    await after(0.2 * whole);
    const start = await memory(live.pid);
    await after(0.8 * whole - 5000);
    const [end, frames] = [await memory(live.pid), await readFrames(page)];
    const { code, printed } = await live.ended;
    const told = JSON.parse(printed);
    const ours = told.late - told.late_taken_away;
    const flat = end <= 1.01 * start;
    kept &&= code === 0 && ours === 0 && flat;
    console.log(JSON.stringify({ scene, seconds: Number(seconds), ...told, memory_with_page_mb: { start, end }, page: frames }, null, 2));
    console.log(`${scene}: ${told.late} forces more than 2 ms late, ${ours} of them by our own doing; memory ${start.toFixed(1)} to ${end.toFixed(1)} MB (${flat ? "flat" : "GROWN"})`);
  } finally {
    load.kill();
    await browser.close();
  }
}
process.exit(kept ? 0 : 1);
