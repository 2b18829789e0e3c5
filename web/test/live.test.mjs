import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openBrowser } from "./browser.mjs";
import { startFake } from "./fake-live.mjs";

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser.close());

const SMALL = { width: 960, height: 520 };

/** A server and a page on it; both are gone after the test. */
async function live(t, { server = {}, ...options } = {}) {
  const fake = await startFake(server);
  const opened = await browser.visit(fake.address, { ...SMALL, own: fake.address.split("?")[0], ...options });
  t.after(async () => {
    await opened.page.close();
    await fake.stop();
  });
  await opened.page.locator(".badge.good").waitFor();
  await opened.page.locator(".view").waitFor();
  await opened.page.waitForFunction(() => Number(document.querySelector(".steps").dataset.step) > 0);
  return { fake, ...opened };
}

const stepOf = (page) => page.locator(".steps").evaluate((e) => Number(e.dataset.step));
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function until(what, condition, patience = 15_000) {
  const end = Date.now() + patience;
  while (!(await condition())) {
    if (Date.now() > end) assert.fail(`waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

const heard = (fake, type) => fake.heard.filter((message) => (message.type ?? message.do) === type);
const hears = (fake, type, condition = () => true) => until(`“${type}” from the page`, () => heard(fake, type).some(condition));

/** The 3D picture alone, without what is laid over it. */
async function picture(page) {
  await page.addStyleTag({ content: ".overlay, .pulls { visibility: hidden }" });
  await drawn(page);
  return page.locator(".view").screenshot();
}

/** Looks for a body as a user does: moves the pointer until the page shows that it is over one. */
async function findBody(page) {
  const box = await page.locator(".view").boundingBox();
  for (const down of [0.5, 0.6, 0.4, 0.7]) {
    for (let across = 0.25; across < 0.75; across += 10 / box.width) {
      const [x, y] = [box.x + box.width * across, box.y + box.height * down];
      await page.mouse.move(x, y);
      await drawn(page);
      if (await page.locator(".view.over").count()) return [x, y];
    }
  }
  return assert.fail("no body under the pointer anywhere");
}

async function pause(page, fake) {
  await page.keyboard.press(" ");
  await hears(fake, "pause");
  await page.locator(".badge.fair", { hasText: "Paused" }).waitFor();
  await page.waitForTimeout(500); // the last frames arrive
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

test("the page loads without complaints, plays by itself, and asks only its own server", async (t) => {
  const { page, complaints } = await live(t);
  assert.equal(await page.locator("h1").textContent(), "Swing a rod <over> a ball");
  const [first, step] = [await picture(page), await stepOf(page)];
  const { colours } = await browser.look(first);
  assert.ok(colours > 300, `${colours} colours`);
  await until("time goes on", async () => (await stepOf(page)) > step + 300);
  const { changed } = await browser.look(first, await picture(page));
  assert.ok(changed > 0.001, `${changed} of the picture changed`);
  const strip = await page.locator(".strip").textContent();
  for (const words of ["swing", "cable", "1 kHz, steps of 1 ms", "0.99×", "0 (2)", "0.12 / 0.36 ms", "1: free, 2: free", "ms ·"]) assert.ok(strip.includes(words), `${words} in ${strip}`);
  await until("plots have lines", () => page.locator(".plot .line").evaluateAll((lines) => lines.filter((line) => line.getAttribute("d").length > 20).length >= 5));
  assert.deepEqual(complaints, []);
});

test("a drag takes hold of the rod, pulls it and lets go; beside it the view turns", async (t) => {
  const { fake, page, complaints } = await live(t);
  await pause(page, fake);
  const [x, y] = await findBody(page);
  await page.mouse.down();
  await hears(fake, "grab");
  const [grab] = heard(fake, "grab");
  const nearest = Math.min(...fake.world.rods[0].now.map((p) => distance(p, grab.at)));
  assert.ok(nearest < 0.015, `the hand is ${nearest} m beside the rod`);
  assert.ok(grab.reach > 0.01 && grab.reach < 0.3, `reach ${grab.reach}`);
  assert.equal(grab.hand, 0);

  await page.keyboard.press(" ");
  await page.mouse.move(x + 90, y - 40, { steps: 6 });
  await hears(fake, "move", (m) => distance(m.to, grab.at) > 0.04);
  const far = distance(heard(fake, "move").at(-1).to, grab.at);
  assert.ok(far < 0.6, `moved by ${far} m`);
  await page.locator(".pull").first().waitFor({ state: "visible" });
  // a new layout of the same bodies does not take the hand off them
  fake.relayout();
  await page.waitForTimeout(300);
  const moves = heard(fake, "move").length;
  await page.mouse.move(x + 80, y - 50, { steps: 3 });
  await until("it goes on pulling", () => heard(fake, "move").length > moves);
  await until("a pull is printed", async () => /^[\d.]+ N$/.test(await page.locator(".pull").first().textContent()));
  await until("the strip says who holds", async () => /1: you on rod/.test(await page.locator(".strip").textContent()));
  await page.mouse.up();
  await hears(fake, "drop");
  await page.locator(".pull").first().waitFor({ state: "hidden" });
  await page.locator(".events li", { hasText: "lets go" }).first().waitFor();

  // escape drops, too, and what the pointer does after that is nobody's hand
  await pause(page, fake);
  const grabs = heard(fake, "grab").length;
  await page.mouse.move(...(await findBody(page)));
  await page.mouse.down();
  await until("a second grab", () => heard(fake, "grab").length > grabs);
  await page.keyboard.press("Escape");
  await until("a second drop", () => heard(fake, "drop").length === 2);
  await page.mouse.up();

  const box = await page.locator(".view").boundingBox();
  const still = await picture(page);
  await page.mouse.move(box.x + 40, box.y + box.height - 120);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + box.height - 100, { steps: 4 });
  await page.mouse.up();
  const { changed } = await browser.look(still, await picture(page));
  assert.ok(changed > 0.01, `${changed} of the picture changed`);
  assert.equal(heard(fake, "grab").length, grabs + 1);
  assert.deepEqual(complaints, []);
});

test("a finger takes hold, too, and a solid by its surface", async (t) => {
  const { fake, page, complaints } = await live(t, { server: { scene: "cube" }, hasTouch: true });
  await pause(page, fake);
  await page.keyboard.press("r");
  await until("the beginning", async () => (await stepOf(page)) === 0);
  await page.keyboard.press("v");
  await drawn(page);
  const box = await page.locator(".view").boundingBox();
  const touch = await page.context().newCDPSession(page);
  const point = (x, y) => ({ x: Math.round(x), y: Math.round(y) });
  // the cube spans -0.35 to -0.15 m in x and 0 to 0.2 m in z; the rod is elsewhere
  const onCube = () => heard(fake, "grab").find(({ at: [x, , z] }) => x < -0.14 && x > -0.4 && z > -0.01 && z < 0.21);
  const places = [0.8, 0.7, 0.9, 0.6].flatMap((down) => [0.1, 0.16, 0.22, 0.28, 0.34, 0.4].map((across) => [across, down]));
  for (const [across, down] of places) {
    if (onCube()) break;
    const at = point(box.x + box.width * across, box.y + box.height * down);
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [point(at.x + 12, at.y - 6)] });
    await page.waitForTimeout(80);
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await page.waitForTimeout(80);
  }
  assert.ok(onCube(), `no touch took hold of the cube: ${JSON.stringify(heard(fake, "grab"))}`);
  await hears(fake, "drop");
  assert.deepEqual(complaints, []);
});

test("sliders change the world, and what a model has not is disabled", async (t) => {
  const { fake, page, complaints } = await live(t);
  const slide = (label, value) => page.getByRole("slider", { name: label }).evaluate((input, to) => {
    input.value = to;
    input.dispatchEvent(new Event("input"));
  }, value);
  await slide("Friction", 80);
  await hears(fake, "change", (m) => m.property === "friction" && m.body === 0 && m.value === 0.2);
  await slide("Stiffness", 400);
  await hears(fake, "change", (m) => m.property === "young" && Math.abs(m.value / 4.4e8 - 1) < 0.01);
  await slide("Density", 0);
  await hears(fake, "change", (m) => m.property === "density" && m.value === 110);
  await slide("Damping", 0);
  await hears(fake, "change", (m) => m.property === "damping_time" && m.value === 0);
  await slide("Gravity", 0);
  await hears(fake, "gravity", (m) => m.value.every((x) => x === 0));
  assert.ok(await page.getByRole("slider", { name: "Drag" }).isDisabled());
  assert.match(await page.locator(".knob", { hasText: "Stiffness" }).textContent(), /440 MPa/);
  await page.getByText("Restore values").click();
  await hears(fake, "gravity", (m) => m.value[2] === -9.81);
  await hears(fake, "change", (m) => m.property === "young" && m.value === 4.4e6);
  assert.deepEqual(complaints, []);
});

test("several bodies are changed one by one or all at once", async (t) => {
  const { fake, page } = await live(t, { server: { scene: "cube" } });
  const slide = (value) => page.getByRole("slider", { name: "Friction" }).evaluate((input, to) => {
    input.value = to;
    input.dispatchEvent(new Event("input"));
  }, value);
  await slide(100);
  await until("both bodies change", () => new Set(heard(fake, "change").map((m) => m.body)).size === 2);
  await page.getByLabel("Of").selectOption({ label: "cube" });
  assert.ok(await page.getByRole("slider", { name: "Damping" }).isDisabled());
  const before = heard(fake, "change").length;
  await slide(300);
  await hears(fake, "change", (m) => m.value === 0.75);
  assert.deepEqual([...new Set(heard(fake, "change").slice(before).map((m) => m.body))], [1]);
});

test("pause, step, reset and speed, by buttons and keys", async (t) => {
  const { fake, page, complaints } = await live(t);
  const stepButton = page.getByRole("button", { name: "Step" });
  assert.ok(await stepButton.isDisabled());
  await page.getByRole("button", { name: "Pause" }).click();
  await hears(fake, "pause");
  // frames that were on their way have arrived once nothing changes any more
  let step = -1;
  await until("rest", async () => {
    const before = step;
    step = await stepOf(page);
    await page.waitForTimeout(400);
    return step === before;
  });
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press(".");
  await until("two steps", async () => (await stepOf(page)) === step + 2);
  await stepButton.click();
  await until("three steps", async () => (await stepOf(page)) === step + 3);
  assert.ok(heard(fake, "step").every((m) => m.count === 1));
  await page.keyboard.press("r");
  await hears(fake, "reset");
  await until("the time goes back", async () => (await stepOf(page)) === 0);
  await page.getByRole("button", { name: "Play" }).click();
  await hears(fake, "play");
  await page.getByLabel("Speed").selectOption("0.25");
  await hears(fake, "speed", (m) => m.factor === 0.25);
  await until("it plays", async () => (await stepOf(page)) > 20);
  assert.deepEqual(complaints, []);
});

test("colouring by a field shows its range with units; help and gallery open by key", async (t) => {
  const { fake, page, complaints } = await live(t);
  const plain = await picture(page);
  await page.keyboard.press("c");
  assert.match(await page.locator(".key").textContent(), /tension.*N/);
  await pause(page, fake);
  const { changed } = await browser.look(plain, await picture(page));
  assert.ok(changed > 0.001, `${changed} of the picture changed`);
  await page.keyboard.press("c");
  assert.match(await page.locator(".key").textContent(), /curvature.*1\/m/);
  await page.keyboard.press("c");
  assert.match(await page.locator(".key").textContent(), /rod/);

  await page.keyboard.press("?");
  await page.locator("dialog.help[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog.help[open]").waitFor({ state: "hidden" });

  await page.keyboard.press("g");
  await page.locator(".scene").nth(3).waitFor();
  assert.match(await page.locator(".scene").nth(1).textContent(), /Forty cablesmany/);
  await page.locator("dialog.gallery").getByLabel("Model").selectOption("xpbd");
  await page.locator(".scene").nth(2).click();
  await hears(fake, "scene", (m) => m.name === "cube" && m.model === "xpbd");
  await page.locator("h1", { hasText: "A soft cube" }).waitFor();
  await until("both bodies are listed", async () => /rod.*xpbd.*cube/.test(await page.locator(".key").textContent()));
  assert.deepEqual(complaints, []);
});

test("two pages see the same step, and only one of them has the hand", async (t) => {
  const { fake, page } = await live(t);
  const second = await browser.visit(fake.address, { ...SMALL, own: fake.address });
  t.after(() => second.page.close());
  await second.page.locator(".badge.good").waitFor();
  await page.bringToFront();
  await pause(page, fake);
  await second.page.bringToFront();
  await until("the same step", async () => (await stepOf(page)) > 0 && (await stepOf(page)) === (await stepOf(second.page)));
  assert.equal(await stepOf(page), fake.world.step);
  await second.page.locator(".badge", { hasText: "Paused" }).waitFor();
  assert.match(await second.page.locator(".strip").textContent(), /Viewers2/);

  // both hands are somebody else's: there is nothing to take
  for (const hand of fake.hands) hand.held_by = 99;
  await until("the page knows", async () => /1: viewer 99/.test(await second.page.locator(".strip").textContent()));
  fake.tell({ type: "refused", why: "viewer 99 has hand 0" });
  await second.page.locator(".toast", { hasText: "viewer 99 has hand 0" }).waitFor();
});

test("an obstacle that hands may move is taken where the pointer is, and follows it", async (t) => {
  const { fake, page, complaints } = await live(t, { server: { scene: "carry" } });
  await pause(page, fake);
  const box = await page.locator(".view").boundingBox();
  const isOnBall = ({ at }) => Math.abs(distance(at, [0.32, 0.16, 0.11]) - 0.11) < 0.01;
  const onBall = () => heard(fake, "grab").find(isOnBall);
  let place = null;
  // A busy machine shows what is under the pointer late, and tells of a grab later: look again, and wait for it.
  for (let tries = 0; tries < 4 && !place; tries++) {
    for (let y = box.y + box.height - 16; y > box.y + 40 && !place; y -= 20) {
      for (let x = box.x + 40; x < box.x + box.width - 40 && !place; x += 28) {
        await page.mouse.move(x, y);
        await drawn(page);
        if (!(await page.locator(".view.over").count())) continue;
        const before = heard(fake, "grab").length;
        await page.mouse.down();
        for (let wait = 0; wait < 50 && heard(fake, "grab").length === before; wait++) await page.waitForTimeout(20);
        if (heard(fake, "grab").slice(before).some(isOnBall)) place = [x, y];
        else await page.mouse.up();
      }
    }
  }
  assert.ok(place, "no place of the ball could be taken");
  await page.mouse.move(place[0] + 60, place[1], { steps: 4 });
  await hears(fake, "move", (m) => distance(m.to, onBall().at) > 0.03);
  await page.mouse.up();
  await hears(fake, "drop");
  assert.deepEqual(complaints, []);
});

test("a world that went back says why", async (t) => {
  const { fake, page } = await live(t);
  fake.tell({ type: "went_back", time: 1.25, why: "the solver of rod found no solution" });
  await page.locator(".toast", { hasText: "found no solution" }).waitFor();
  await page.locator(".events li", { hasText: "went back" }).waitFor();
});

test("a hand that is refused is let go, and why is said", async (t) => {
  const { fake, page, complaints } = await live(t);
  fake.refuse("hand 0 belongs to the device on UDP");
  await pause(page, fake);
  const [x, y] = await findBody(page);
  await page.mouse.down();
  await page.locator(".toast", { hasText: "hand 0 belongs to the device" }).waitFor();
  await page.waitForTimeout(400);
  const moves = heard(fake, "move").length;
  await page.mouse.move(x + 40, y + 10, { steps: 3 });
  await page.waitForTimeout(300);
  assert.equal(heard(fake, "move").length, moves);
  assert.ok(await page.locator(".pull").first().isHidden());
  await page.mouse.up();
  assert.deepEqual(complaints, []);
});

test("a failure is told in a sentence with a way out", async (t) => {
  const { fake, page, complaints } = await live(t);
  fake.fail("The model diverged at 3.2 s: “rod” left its bounds.");
  await page.locator(".banner", { hasText: "diverged at 3.2 s" }).waitFor();
  await page.locator(".badge.bad").waitFor();
  await page.locator(".banner").getByText("Reset").click();
  await hears(fake, "reset");
  await page.locator(".banner").waitFor({ state: "hidden" });
  assert.deepEqual(complaints, []);
});

test("the page comes back by itself when the server restarts", async (t) => {
  const { fake, page } = await live(t);
  await until("some steps", async () => (await stepOf(page)) > 200);
  await fake.stop();
  await page.locator(".lost").waitFor({ state: "visible" });
  assert.match(await page.locator(".lost").textContent(), /Connection lost, trying again/);
  await page.waitForTimeout(700);
  const again = await startFake({ port: fake.port, scene: "cube" });
  t.after(() => again.stop());
  await page.locator(".badge.good").waitFor();
  assert.ok(await page.locator(".lost").isHidden());
  await until("the new scene", async () => (await page.locator("h1").textContent()) === "A soft cube");
  const step = await stepOf(page);
  await until("time goes on", async () => (await stepOf(page)) !== step);
  await page.keyboard.press(" ");
  await hears(again, "pause");
});

test("a server that plays but sends no frames is not called live", async (t) => {
  const fake = await startFake({ drive: false });
  const { page, complaints } = await browser.visit(fake.address, { ...SMALL, own: fake.address });
  t.after(async () => {
    await page.close();
    await fake.stop();
  });
  await page.locator(".badge", { hasText: "Waiting for frames" }).waitFor();
  for (const { socket } of fake.viewers) socket.binary(fake.frame());
  await page.locator(".badge", { hasText: "Live" }).waitFor();
  assert.deepEqual(complaints, []);
});

test("malformed and late messages are dropped and counted", async (t) => {
  const { fake, page, complaints } = await live(t);
  const whole = fake.frame();
  const all = (buffer) => [...fake.viewers].forEach(({ socket }) => socket.binary(buffer));
  for (const text of ["", "{", "null", "[]", "17", `{"type":"nonsense"}`, `{"type":"layout","bodies":[{"node_count":-4}]}`, `{"type":"layout","bodies":[{"node_count":3,"triangles":[0,1,9]}]}`]) fake.tell(text);
  for (const text of [`{"type":"status"}`, `{"type":"status","hands":[null],"compute_us":7}`, `{"type":"event"}`]) fake.tell(text);
  const late = Buffer.from(whole);
  late.writeUInt32LE(3, 4);
  const greedy = Buffer.from(whole);
  greedy.writeUInt32LE(4_000_000_000, 24);
  const lost = Buffer.from(whole);
  new Float32Array(lost.buffer, lost.byteOffset + 32, 30).fill(NaN);
  // each alone, so that it is the latest when it is read
  for (const frame of [Buffer.alloc(0), Buffer.from("PLF1"), whole.subarray(0, 100), late, greedy, lost]) {
    all(frame);
    await page.waitForTimeout(40);
  }
  const step = await stepOf(page);
  await until("time goes on", async () => (await stepOf(page)) > step + 50);
  await until("they are counted", async () => Number(await page.locator(".strip").getAttribute("data-dropped")) >= 8);
  assert.deepEqual(complaints, []);
});

test("memory does not grow, neither by frames nor by scenes", async (t) => {
  const { fake, page, complaints } = await live(t, { width: 500, height: 400 });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const measure = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    const { metrics } = await devtools.send("Performance.getMetrics");
    const of = (name) => metrics.find((m) => m.name === name).value;
    return { heap: of("JSHeapUsedSize"), nodes: of("Nodes"), listeners: of("JSEventListeners") };
  };
  const change = async (name) => {
    await page.evaluate(() => document.querySelector(".steps").dataset.step = "-1");
    fake.obey({ type: "scene", name, model: null });
    await until(`scene ${name}`, async () => (await stepOf(page)) > 0);
    await drawn(page);
  };
  for (const name of ["cube", "swing"]) await change(name);
  const before = await measure();
  for (let i = 0; i < 4; i++) for (const name of ["cube", "swing"]) await change(name);
  for (let i = 0; i < 3000; i++) {
    fake.tell({ type: "event", time: i, text: `event ${i}` });
    if (i % 3 === 0) for (const { socket } of fake.viewers) socket.binary(fake.frame());
    if (i % 100 === 0) await page.waitForTimeout(10);
  }
  await page.waitForTimeout(500);
  const after = await measure();
  t.diagnostic(`heap ${(before.heap / 1e6).toFixed(2)} → ${(after.heap / 1e6).toFixed(2)} MB, nodes ${before.nodes} → ${after.nodes}, listeners ${before.listeners} → ${after.listeners}`);
  assert.ok(after.heap < before.heap + 1.5e6, `${before.heap} → ${after.heap}`);
  assert.ok(after.listeners < before.listeners + 50, `${before.listeners} → ${after.listeners}`);
  assert.ok((await page.locator(".events li").count()) <= 40);
  assert.deepEqual(complaints, []);
});

test("a token is passed on, and what a phone shows fits its width", async (t) => {
  const { page, complaints } = await live(t, { server: { token: "s3cret&", scene: "knot" }, width: 390, height: 844 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  for (const link of await page.locator(".downloads a").all()) assert.match(await link.getAttribute("href"), /\?token=s3cret%26$/);
  const { colours } = await browser.look(await picture(page));
  assert.ok(colours > 200, `${colours} colours`);
  // nothing touches in this scene: a plot of zeros is a line, too
  const zeros = page.locator(".plot").nth(2).locator(".line");
  await until("a line of zeros", async () => /^M[\d. ]+(L[\d. ]+)+$/.test(await zeros.getAttribute("d")));
  assert.deepEqual(complaints, []);
});

test("light and dark follow the system", async (t) => {
  const { page, complaints } = await live(t, { width: 500, height: 500, colorScheme: "dark" });
  const dark = await picture(page);
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForTimeout(300);
  const { changed } = await browser.look(dark, await picture(page));
  assert.ok(changed > 0.8, `${changed} of the picture changed`);
  assert.deepEqual(complaints, []);
});

test("pictures and films are saved", async (t) => {
  const { page, complaints } = await live(t, { width: 600, height: 500 });
  const [png] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("p")]);
  assert.equal(png.suggestedFilename(), "swing.png");
  await page.getByRole("button", { name: "Film" }).click();
  await page.waitForTimeout(1200);
  const [film] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Stop filming" }).click()]);
  assert.match(film.suggestedFilename(), /^swing\.(webm|mp4)$/);
  const { size } = await import("node:fs").then(async ({ statSync }) => statSync(await film.path()));
  assert.ok(size > 2000, `${size} bytes`);
  assert.deepEqual(complaints, []);
});

test("a gamepad moves hand 0 and grips", async (t) => {
  const before = () => {
    window.pad = { connected: true, axes: [0, 0, 0, 0], buttons: Array.from({ length: 16 }, () => ({ pressed: false })) };
    navigator.getGamepads = () => [window.pad];
  };
  const { fake, page, complaints } = await live(t, { before });
  await pause(page, fake);
  await page.evaluate(() => window.dispatchEvent(new Event("gamepadconnected")));
  const set = (axis, value) => page.evaluate(([a, v]) => (window.pad.axes[a] = v), [axis, value]);
  const press = (on) => page.evaluate((p) => (window.pad.buttons[0].pressed = p), on);
  await set(0, 0.1); // within the dead zone
  await page.waitForTimeout(200);
  await press(true);
  await hears(fake, "grab", (m) => m.hand === 0);
  await set(0, 1);
  const [{ at }] = heard(fake, "grab");
  await hears(fake, "move", (m) => distance(m.to, at) > 0.05);
  await set(0, 0);
  await press(false);
  await hears(fake, "drop");
  assert.deepEqual(complaints, []);
});

test("an emulated headset: stereo, two controllers as hands, triggers grip", async (t) => {
  const headset = { path: fileURLToPath(new URL("fake-headset.js", import.meta.url)) };
  const { fake, page, complaints } = await live(t, { before: headset });
  await page.getByRole("button", { name: "Enter VR" }).click();
  await page.waitForFunction(() => window.headset.session?.pictures > 5);
  await page.waitForTimeout(300);
  await page.evaluate(() => window.headset.press(1, true));
  await hears(fake, "grab", (m) => m.hand === 1 && m.turn?.length === 4);
  const [grab] = heard(fake, "grab");
  assert.ok(Math.abs(Math.hypot(...grab.turn) - 1) < 1e-6, `${grab.turn}`);
  await page.evaluate(() => window.headset.move(1, 0.2, 1.5, -0.4));
  // 0.3 m up for the user is up in the world, whose z axis is up
  await hears(fake, "move", (m) => m.hand === 1 && m.to[2] - grab.at[2] > 0.2 && Math.abs(m.to[0] - grab.at[0]) < 0.02 && m.turn?.length === 4);
  await page.evaluate(() => window.headset.press(0, true));
  await hears(fake, "grab", (m) => m.hand === 0);
  await page.evaluate(() => window.headset.press(1, false));
  await hears(fake, "drop", (m) => m.hand === 1);
  await page.getByRole("button", { name: "Leave VR" }).click();
  await hears(fake, "drop", (m) => m.hand === 0);
  await page.getByRole("button", { name: "Enter VR" }).waitFor();
  const step = await stepOf(page);
  await until("it goes on on the screen", async () => (await stepOf(page)) > step + 50);
  assert.deepEqual(complaints, []);
});

test("forty cables of a hundred segments: the page's own time", async (t) => {
  const { page, complaints } = await live(t, { server: { scene: "many" } });
  await page.waitForTimeout(8000);
  const cell = page.locator(".strip [data-name=Page]");
  t.diagnostic(`page ${await cell.textContent()} (software rendering), ${await cell.getAttribute("data-prepare")} ms of it before drawing`);
  assert.deepEqual(complaints, []);
});
