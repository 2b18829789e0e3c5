import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { openBrowser } from "./browser.mjs";
import { fillTemplate } from "./synthetic.mjs";

let browser, template;
before(async () => {
  browser = await openBrowser();
  template = await readFile(new URL("../dist/robot.html", import.meta.url), "utf8");
});
after(() => browser.close());

const IDENTITY = [0, 0, 0, 1, 0, 0, 0];
const axis = (coordinate, slides, direction, multiplier = 1, offset = 0) => ({ coordinate, multiplier, offset, slides, direction });
const box = (x, y, z) => ({
  vertices: [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 1 ? x : 0, i & 2 ? y : 0, i & 4 ? z : 0]),
  triangles: [0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 5, 1, 0, 4, 5, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3],
});

/** A hinge about z, and a metre from it a slide along x that a third link follows by half. */
const robot = () => ({
  format: 1,
  name: "a <robot>",
  file: "robot.urdf",
  links: ["base", "arm", "finger", "follower"],
  joints: [
    { parent: 0, child: 1, origin: IDENTITY, axes: [axis(0, false, [0, 0, 1])] },
    { parent: 1, child: 2, origin: [1, 0, 0, 1, 0, 0, 0], axes: [axis(1, true, [1, 0, 0])] },
    { parent: 1, child: 3, origin: [0, 0, 1, 1, 0, 0, 0], axes: [axis(1, true, [1, 0, 0], 0.5, 0.1)] },
  ],
  coordinates: [
    { name: "turn", slides: false, lower: -2, upper: 2, start: 0 },
    { name: "open", slides: true, lower: null, upper: null, start: 0 },
  ],
  shapes: [{ link: 1, pose: [0, 0, -0.1, 1, 0, 0, 0], ...box(1, 0.1, 0.1) }],
});

const set = (page, name, to) =>
  page.locator(`input[aria-label="${name}"]`).evaluate((input, value) => {
    input.value = value;
    input.dispatchEvent(new Event("input"));
  }, to);
const origins = (page) => page.locator("td.number").allTextContents();

test("sliders move the links of a robot", async () => {
  const { page, complaints } = await browser.open(fillTemplate(template, robot()));
  assert.equal(await page.locator("h1").textContent(), "a <robot>");
  assert.deepEqual(await origins(page), ["0.0000, 0.0000, 0.0000", "0.0000, 0.0000, 0.0000", "1.0000, 0.0000, 0.0000", "0.1000, 0.0000, 1.0000"]);
  await page.waitForTimeout(300);
  const first = await page.locator(".view").screenshot();
  assert.ok((await browser.look(first)).colours > 100);
  await set(page, "turn", Math.PI / 2);
  await set(page, "open", 0.2);
  // a quarter turn about z takes x to y; the follower goes half as far, and 0.1 m
  assert.deepEqual(await origins(page), ["0.0000, 0.0000, 0.0000", "0.0000, 0.0000, 0.0000", "0.0000, 1.2000, 0.0000", "0.0000, 0.2000, 1.0000"]);
  await page.waitForTimeout(300);
  const { changed } = await browser.look(first, await page.locator(".view").screenshot());
  assert.ok(changed > 0.002, `${changed} of the picture changed`);
  await page.getByRole("button", { name: "Back" }).click();
  assert.equal((await origins(page))[2], "1.0000, 0.0000, 0.0000");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a page without a robot says so", async () => {
  const { page } = await browser.open(template);
  assert.match(await page.locator(".message").textContent(), /no robot in this page/);
  await page.close();
});
