import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser } from "./browser.mjs";
import { fillTemplate, floats, syntheticRun } from "./synthetic.mjs";

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser.close());

const openRun = (data, options) => browser.open(fillTemplate(browser.template, data), options);
const timeOf = async (page) => Number(await page.locator(".time").textContent());
const moveSlider = (page, time) =>
  page.locator(".slider").evaluate((input, value) => {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  }, time);

/** Waits until the moment asked for has been drawn. */
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** The 3D picture alone, without what is laid over it. */
async function picture(page) {
  await drawn(page);
  await page.addStyleTag({ content: ".overlay { visibility: hidden }" });
  return page.locator(".view").screenshot();
}

test("the template is one small file with one place for the data", () => {
  assert.equal(browser.template.split("<!--PLIANT-DATA-->").length, 2);
  assert.ok(browser.template.split("\n").includes("<!--PLIANT-DATA-->"));
  assert.doesNotMatch(browser.template, /(src|href)=["']?http/);
  assert.equal(browser.template.match(/<\/script/gi).length, 1);
  assert.ok(browser.template.length < 900_000);
});

test("a run is drawn, without errors and without the network", async () => {
  const { page, complaints } = await openRun(syntheticRun());
  assert.equal(await page.locator("h1").textContent(), "Swing a rod <over> a ball");
  const { colours } = await browser.look(await picture(page));
  assert.ok(colours > 500, `${colours} colours`);
  assert.deepEqual(await page.locator(".mark").allTextContents(), ["✓ pass", "✓ pass", "✕ fail", "– open"]);
  assert.equal(await page.locator(".event-tick").count(), 3);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("time moves by slider, keys, events and play", async () => {
  const { page, complaints } = await openRun(syntheticRun());
  const first = await picture(page);
  assert.equal(await timeOf(page), 0);

  await moveSlider(page, 2.5);
  assert.equal(await timeOf(page), 2.5);
  const { changed } = await browser.look(first, await picture(page));
  assert.ok(changed > 0.002, `${changed} of the picture changed`);

  await page.keyboard.press("ArrowRight");
  assert.equal(await timeOf(page), 2.51);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(await timeOf(page), 2.41);

  await drawn(page);
  assert.match(await page.locator(".grippers").textContent(), /helper.*released/);
  await page.locator(".events button").first().click();
  assert.equal(await timeOf(page), 0.42);
  await drawn(page);
  assert.doesNotMatch(await page.locator(".grippers").textContent(), /released/);

  // an expectation that was missed leads to the moment
  await page.locator("td button.when", { hasText: "missed at 1.25" }).click();
  assert.equal(await timeOf(page), 1.25);
  await page.locator(".events button").first().click();

  await page.locator(".play").click();
  await page.waitForFunction(() => Number(document.querySelector(".time").textContent) > 0.7);
  await page.keyboard.press(" ");
  const stopped = await timeOf(page);
  await page.waitForTimeout(300);
  assert.equal(await timeOf(page), stopped);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("colour fields, trace and camera change the picture, and reset brings it back", async () => {
  const { page, complaints } = await openRun(syntheticRun());
  const plain = await picture(page);
  const differs = async (least) => {
    const { changed } = await browser.look(plain, await picture(page));
    assert.ok(changed > least, `${changed} of the picture changed`);
  };

  await page.locator("select[aria-label=Colour]").selectOption({ label: "tension" });
  await differs(0.001);
  assert.match(await page.locator(".key").textContent(), /tensionN−0\.\d+1\.\d+ N/);
  await page.locator("select[aria-label=Colour]").selectOption({ label: "by body" });
  assert.match(await page.locator(".key").textContent(), /rod.*sheet/);

  await page.getByText("Trace").click();
  await differs(0.005);
  await page.getByText("Trace").click();

  const box = await page.locator(".view").boundingBox();
  await page.mouse.move(box.x + 400, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 520, box.y + 340, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(1500); // the motion dies down
  await differs(0.01);
  await page.getByText("Reset view").click();
  const { changed } = await browser.look(plain, await picture(page));
  assert.ok(changed < 0.001, `${changed} of the picture changed`);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("plots show values, move the time, and hide series", async () => {
  const { page, complaints } = await openRun(syntheticRun());
  const plot = page.locator(".plot").first();
  const area = plot.locator(".frame > svg");
  await area.hover({ position: { x: 200, y: 60 } });
  assert.match(await plot.locator(".tip").textContent(), /^[\d.]+ shand x−?[\d.]+ Nhand y.* Nhand z.* Nhelper z.* N$/);
  assert.equal(await timeOf(page), 0, "hovering must not seek");

  await area.click({ position: { x: 300, y: 60 } });
  const sought = await timeOf(page);
  assert.ok(sought > 1.5 && sought < 2.8, `${sought}`);
  const cursor = Number(await area.locator(".cursor").getAttribute("x1"));
  assert.ok(Math.abs(cursor - 300) < 1.5, `${cursor}`);

  assert.equal(await area.locator(".line").count(), 4);
  await plot.getByRole("button", { name: "hand z" }).click();
  assert.equal(await area.locator(".line").count(), 3);
  await page.mouse.move(100, 400);
  await plot.locator(".tip").waitFor({ state: "hidden" });
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the barest run works: one frame of one body, nothing else", async () => {
  const rod = { name: "rod", model: "", kind: "curve", radius: 0.01, node_count: 2, positions: floats([0, 0, 0, 1, 0, 0]), fields: [] };
  const { page, complaints } = await openRun({ format: 1, title: "Bare", outcome: "done", times: floats([0]), bodies: [rod] });
  const { colours } = await browser.look(await picture(page));
  assert.ok(colours > 200, `${colours} colours`);
  await page.keyboard.press(" ");
  await page.keyboard.press("ArrowRight");
  assert.equal(await timeOf(page), 0);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a narrow screen has everything in one column", async () => {
  const { page, complaints } = await openRun(syntheticRun(), { width: 420, height: 860 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 420);
  const { colours } = await browser.look(await picture(page));
  assert.ok(colours > 300, `${colours} colours`);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("runs with nothing to draw say so, and keep their tables and plots", async () => {
  const zeroFrames = syntheticRun();
  zeroFrames.times = "";
  for (const part of [...zeroFrames.bodies, ...zeroFrames.grippers]) {
    for (const key of ["positions", "poses", "forces", "torques", "attached"]) if (key in part) part[key] = "";
    for (const field of part.fields ?? []) field.values = "";
  }
  const notNumbers = syntheticRun();
  notNumbers.bodies[0].positions = floats(new Array(300 * 41 * 3).fill(NaN));
  const cases = [
    [zeroFrames, "recorded no frames"],
    [{ ...syntheticRun(), bodies: [] }, "no bodies"],
    [notNumbers, "the positions of “rod” are not finite numbers"],
  ];
  for (const [data, words] of cases) {
    const { page, complaints } = await openRun(data);
    assert.match(await page.locator(".message").textContent(), new RegExp(words));
    await page.locator(".plot .line").nth(7).waitFor({ state: "attached" });
    assert.equal(await page.locator(".mark").count(), 4);
    assert.deepEqual(complaints, []);
    await page.close();
  }
});

test("a run that blows up is shown as far as it has numbers", async () => {
  const data = syntheticRun();
  const positions = new Float32Array(Uint8Array.from(Buffer.from(data.bodies[0].positions, "base64")).buffer);
  data.bodies[0].positions = floats(positions.map((x, i) => (i < 100 * 123 ? x : i < 120 * 123 ? x * 1e9 : NaN)));
  data.bodies[0].fields[0].values = floats(new Array(300 * 41).fill(NaN));
  data.plots[0].series[0].values = floats(new Array(300).fill(NaN));
  const { page, complaints } = await openRun(data);
  assert.match(await page.locator(".notice").textContent(), /After 1\.19 s .* 180 of 300 frames/);
  assert.equal(await page.locator(".slider").getAttribute("max").then(Number).then((t) => t.toFixed(2)), "1.19");
  const { colours } = await browser.look(await picture(page));
  assert.ok(colours > 500, `${colours} colours`);
  assert.doesNotMatch(await page.locator("select[aria-label=Colour]").textContent(), /tension/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("damaged or missing data is told in words", async () => {
  const short = syntheticRun();
  short.bodies[0].positions = floats([1, 2, 3]);
  const script = (text) => browser.template.replace("<!--PLIANT-DATA-->", () => `<script type="application/json" id="pliant-data">${text}</script>`);
  const cases = [
    [browser.template, /no run in this page/],
    [script("{ broken"), /data in this page is damaged/],
    [script(`{"format": 2}`), /format 2; this page understands format 1/],
    [fillTemplate(browser.template, short), /body “rod”: positions should hold 36900 numbers and hold 3/],
  ];
  for (const [content, words] of cases) {
    const { page, complaints } = await browser.open(content);
    assert.match(await page.locator(".message").textContent(), words);
    assert.deepEqual(complaints, []);
    await page.close();
  }
});

test("without WebGL there is a note, and time still moves the plots", async () => {
  const before = () => (HTMLCanvasElement.prototype.getContext = () => null);
  const { page, complaints } = await openRun(syntheticRun(), { before });
  assert.match(await page.locator(".message").textContent(), /no WebGL 2/);
  const cursor = page.locator(".cursor").first();
  const start = await cursor.getAttribute("x1");
  await moveSlider(page, 1.5);
  assert.notEqual(await cursor.getAttribute("x1"), start);
  assert.deepEqual(complaints, []);
  await page.close();
});
