// The command `pliant live`, started for a test or a measurement.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Starts `COMMAND live WORDS …` and waits for the address of its page. `ended` is its exit code and what it has printed
 * on standard output; `stop` interrupts it, `pid` is its number.
 */
export async function startLive(command, ...words) {
  const live = spawn(command, ["live", ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const lines = [];
  let printed = "";
  live.stdout.on("data", (text) => (printed += text));
  const ended = new Promise((gone) => live.on("close", (code) => gone({ code, printed })));
  const address = await new Promise((found, failed) => {
    createInterface({ input: live.stderr }).on("line", (line) => {
      lines.push(line);
      const page = line.match(/page: +(http:\S+)/);
      if (page) found(page[1]);
    });
    ended.then(() => failed(new Error(`the server ended: ${lines.join("\n")}`)));
  });
  const stop = () => (live.kill("SIGINT"), ended);
  return { address, ended, stop, pid: live.pid };
}
