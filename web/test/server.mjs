// The live page on the real server, in a real browser: node test/server.mjs PLIANT, where PLIANT is the command.
// It takes half a minute and needs the command, so that `npm test` leaves it out; `./check` runs it.

import assert from "node:assert/strict";
import { openBrowser } from "./browser.mjs";
import { startLive } from "./started.mjs";

const [, , command, shots] = process.argv;
assert.ok(command, "usage: node test/server.mjs PLIANT [FOLDER FOR PICTURES]");

const start = (...words) => startLive(command, ...words);

async function until(what, condition, patience = 20_000) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) assert.fail(`waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const stepOf = (page) => page.locator(".steps").evaluate((e) => Number(e.dataset.step));
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function findBody(page) {
  const box = await page.locator(".view").boundingBox();
  for (let tries = 0; tries < 4; tries++) {
    for (const down of [0.5, 0.4, 0.6, 0.3, 0.7]) {
      for (let across = 0.2; across < 0.8; across += 12 / box.width) {
        const [x, y] = [box.x + box.width * across, box.y + box.height * down];
        await page.mouse.move(x, y);
        await drawn(page);
        if (await page.locator(".view.over").count()) return [x, y];
      }
    }
  }
  return assert.fail("no body under the pointer anywhere");
}

const browser = await openBrowser();
const view = { width: 1100, height: 700 };
let server = await start("hanging", "--port", "0");
const port = new URL(server.address).port;
try {
  const { page, complaints } = await browser.visit(server.address, { ...view, own: server.address });
  const told = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => typeof payload === "string" && told.push(JSON.parse(payload))));
  await page.reload();
  const last = (type) => told.filter((message) => message.type === type).at(-1);
  const step = await until("steps", () => stepOf(page));
  await until("time goes on", async () => (await stepOf(page)) > step + 200);
  console.log("ok  the page plays");

  const other = await browser.visit(server.address, { ...view, own: server.address });
  await until("another viewer sees the same time", async () => {
    const [a, b] = await Promise.all([stepOf(page), stepOf(other.page)]);
    return b > 0 && Math.abs(a - b) < 500;
  });
  await other.page.close();
  console.log("ok  two viewers");

  await page.keyboard.press(" ");
  await until("it stands still", () => last("status")?.paused);
  const [x, y] = await findBody(page);
  await page.mouse.down();
  await page.keyboard.press(" ");
  await until("it goes on", () => last("status")?.paused === false);
  await page.mouse.move(x + 40, y - 60, { steps: 12 });
  const held = await until("a hand grips", () => last("status")?.hands.find((hand) => hand.gripping));
  const pull = await until("a force is felt", () => {
    const force = last("status").hands[held.hand].force;
    return Math.hypot(...force) > 1e-3 && force;
  });
  if (shots) await page.screenshot({ path: `${shots}/held.png` });
  await page.mouse.up();
  await until("it lets go", () => last("status").hands.every((hand) => !hand.gripping));
  console.log(`ok  a drag grips ${held.gripping}, and feels ${Math.hypot(...pull).toFixed(3)} N`);

  const before = told.length;
  await page.keyboard.press("r");
  await until("time begins anew", () => told.slice(before).some((m) => m.type === "status" && m.time < 1));
  assert.equal(last("status").failure, null);
  console.log("ok  a reset");

  await server.stop();
  server = await start("hanging", "--port", port);
  await until("the page finds the new server", async () => {
    const now = await stepOf(page);
    return now > 0 && now < 5000 && (await page.locator(".badge.good").count());
  });
  console.log("ok  the page survives a restart");
  assert.deepEqual(complaints.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text)), []);
} finally {
  await browser.close();
  await server.stop();
}
