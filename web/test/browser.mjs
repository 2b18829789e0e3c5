// Opens report pages and the live page in headless Chromium and looks at them as a reader would.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const ARGS = [
  "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
  "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ARGS });
  const folder = await mkdtemp(join(tmpdir(), "pliant-report-"));
  const template = await readFile(new URL("../dist/report.html", import.meta.url), "utf8");
  const easel = await browser.newPage(); // pictures are compared here, so that no report page is touched
  let pages = 0;

  return {
    template,
    /** Opens a page; `complaints` collects errors and every request but the one for the file itself. */
    async open(content, options) {
      const file = join(folder, `${pages++}.html`);
      await writeFile(file, content);
      return this.visit(pathToFileURL(file).href, options);
    },
    /** The same for a page that has an address; `own` is what it may ask for. */
    async visit(address, { width = 1400, height = 900, before, own, ...context } = {}) {
      const page = await browser.newPage({ viewport: { width, height }, ...context });
      const complaints = [];
      page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall/.test(m.text()) && complaints.push(m.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("request", (r) => !(own ? r.url().startsWith(own) : r.url() === address) && !/^(data|blob):/.test(r.url()) && complaints.push(`request for ${r.url()}`));
      if (before) await page.addInitScript(before);
      await page.goto(address);
      return { page, complaints };
    },
    /** A picture as WebP, which is a fifth of a PNG. */
    async asWebp(png) {
      const source = `data:image/png;base64,${png.toString("base64")}`;
      const webp = await easel.evaluate(async (source) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        canvas.getContext("2d").drawImage(image, 0, 0);
        return canvas.toDataURL("image/webp", 0.86);
      }, source);
      return Buffer.from(webp.split(",")[1], "base64");
    },
    /** How many colours a picture has, and what share of its pixels differs from another one. */
    async look(picture, other = picture) {
      const images = [picture, other].map((png) => `data:image/png;base64,${png.toString("base64")}`);
      return easel.evaluate(async (sources) => {
        const [a, b] = await Promise.all(sources.map(async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode();
          const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
          canvas.drawImage(image, 0, 0);
          return canvas.getImageData(0, 0, image.width, image.height).data;
        }));
        const colours = new Set();
        let changed = 0;
        for (let i = 0; i < a.length; i += 4) {
          colours.add((a[i] << 16) | (a[i + 1] << 8) | a[i + 2]);
          if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24) changed++;
        }
        return { colours: colours.size, changed: changed / (a.length / 4) };
      }, images);
    },
    async close() {
      await browser.close();
      await rm(folder, { recursive: true });
    },
  };
}
