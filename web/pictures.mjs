// Makes the pictures of README and book, and the thumbnails of the gallery, anew: node pictures.mjs PLIANT [SCENE …].
// Every scene says in its table [view] when, and from where, it is best seen. Without names all scenes are run, which
// takes a quarter of an hour; only pictures that somebody shows are kept in full size. `report-NAME` is the whole report of
// a scene, `live` the live page.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openBrowser } from "./test/browser.mjs";
import { startLive } from "./test/started.mjs";

const [, , command, ...names] = process.argv;
if (!command) {
  console.error("usage: node pictures.mjs PLIANT [SCENE …]");
  process.exit(2);
}

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SCENES = here("../scenes/");
const THUMBNAILS = here("../scenes/pictures/");
const IMAGES = here("../book/src/images/");
/** Twice as many pixels as points, so that pictures are sharp on good screens. */
const FULL = { width: 860, height: 520, scale: 2 };
const SMALL = { width: 320, height: 200, scale: 1 };

/** Names of the pictures that a page of ours shows: `images/NAME.webp`. */
async function shown() {
  const pages = [here("../README.md"), ...(await readdir(here("../book/src"))).filter((f) => f.endsWith(".md")).map((f) => here(`../book/src/${f}`))];
  const texts = await Promise.all(pages.map((page) => readFile(page, "utf8")));
  return new Set(texts.flatMap((text) => [...text.matchAll(/images\/([\w-]+)\.webp/g)].map(([, name]) => name)));
}

/** The picture of a report, without its controls, as WebP. */
async function take(browser, report, { width, height, scale }) {
  const address = `${pathToFileURL(report).href}#picture`;
  const { page } = await browser.visit(address, { width, height, own: address.split("#")[0], deviceScaleFactor: scale, colorScheme: "light" });
  await page.waitForTimeout(700);
  const png = await page.screenshot();
  await page.close();
  return browser.asWebp(png);
}

/** A whole report page, at the moment of its scene. */
async function takeReport(browser, report) {
  const address = pathToFileURL(report).href;
  const { page } = await browser.visit(address, { width: 1400, height: 860, colorScheme: "light" });
  const time = /"view":\{"time":([\d.]+)/.exec(await readFile(report, "utf8"))?.[1];
  if (time) await page.goto(`${address}#t=${time}`).then(() => page.reload());
  await page.waitForTimeout(700);
  const png = await page.screenshot();
  await page.close();
  return browser.asWebp(png);
}

/** The live page, with somebody pulling at what hangs there. */
async function takeLive(browser) {
  const { address, stop } = await startLive(command, "hanging", "--port", "0");
  try {
    const { page } = await browser.visit(address, { width: 1400, height: 860, own: address, colorScheme: "light" });
    await page.waitForTimeout(4000);
    const box = await page.locator(".view").boundingBox();
    search: for (let down = 0.3; down < 0.9; down += 0.05) {
      for (let across = 0.25; across < 0.75; across += 12 / box.width) {
        await page.mouse.move(box.x + box.width * across, box.y + box.height * down);
        await page.waitForTimeout(30);
        if (!(await page.locator(".view.over").count())) continue;
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * (across + 0.12), box.y + box.height * (down - 0.05), { steps: 20 });
        await page.waitForTimeout(900);
        break search;
      }
    }
    const png = await page.screenshot();
    await page.close();
    return browser.asWebp(png);
  } finally {
    await stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), "pliant-pictures-"));
const browser = await openBrowser();
const wanted = await shown();
const all = (await readdir(SCENES)).filter((file) => file.endsWith(".toml")).map((file) => file.slice(0, -5)).sort();
let missing = 0;
await Promise.all([mkdir(THUMBNAILS, { recursive: true }), mkdir(IMAGES, { recursive: true })]);
try {
  for (const name of names.length ? names.filter((name) => name !== "live") : all) {
    const out = join(folder, name);
    try {
      await promisify(execFile)(command, ["run", join(SCENES, `${name}.toml`), "--out", out], { maxBuffer: 1 << 26 });
    } catch (error) {
      // a picture of what went wrong would mislead
      console.error(`${name}: no picture, because its run ended with ${error.code}`);
      missing++;
      continue;
    }
    await writeFile(join(THUMBNAILS, `${name}.webp`), await take(browser, join(out, "report.html"), SMALL));
    if (wanted.has(name)) await writeFile(join(IMAGES, `${name}.webp`), await take(browser, join(out, "report.html"), FULL));
    if (wanted.has(`report-${name}`)) await writeFile(join(IMAGES, `report-${name}.webp`), await takeReport(browser, join(out, "report.html")));
    await rm(out, { recursive: true });
    console.log(wanted.has(name) ? `${name}: thumbnail and picture` : `${name}: thumbnail`);
  }
  if (!names.length || names.includes("live")) await writeFile(join(IMAGES, "live.webp"), await takeLive(browser));
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
process.exitCode = missing ? 1 : 0;
