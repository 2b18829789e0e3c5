// Bundles src/ into dist/report.html and dist/robot.html (one file each, no network, one line for Rust to replace with the data) and
// dist/live.html (one file, no network but the server it comes from).
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PLACEHOLDER = "<!--PLIANT-DATA-->";

async function bundle(entry) {
  const result = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome109", "firefox110", "safari16.4"],
    legalComments: "eof", // three.js is MIT: its notice has to travel with the page
    logLevel: "warning",
  });
  return result.outputFiles[0].text;
}

/** Text that ends the element it is inlined in, or opens an HTML comment there, would break the page. */
function inlineSafe(text, tag) {
  const safe = text.replace(new RegExp(`</(?=${tag})`, "gi"), () => "<\\/");
  if (safe.includes("<!--")) throw new Error(`the ${tag} bundle contains "<!--"`);
  return safe;
}

/** The template with style and script inside, in dist/ under its own name. */
async function write(name, entry, css, placeholders) {
  const [template, script, style] = await Promise.all([readFile(here(`src/${name}`), "utf8"), bundle(entry), bundle(css)]);
  // Function replacements: a string replacement would interpret "$&" and the like in minified code.
  const page = template
    .replace("/*STYLE*/", () => inlineSafe(style, "style"))
    .replace("/*SCRIPT*/", () => inlineSafe(script, "script"));

  const lines = page.split("\n").filter((line) => line.includes(PLACEHOLDER));
  if (lines.length !== placeholders || lines.some((line) => line !== PLACEHOLDER)) {
    throw new Error(`want ${placeholders} lines ${PLACEHOLDER} in ${name}`);
  }
  if (/(src|href)=["']?https?:/i.test(page)) throw new Error(`${name} refers to the network`);
  await writeFile(here(`dist/${name}`), page);
  console.log(`dist/${name}  ${(Buffer.byteLength(page) / 1000).toFixed(0)} kB`);
}

await mkdir(here("dist"), { recursive: true });
await write("report.html", "src/report.ts", "src/style.css", 1);
await write("robot.html", "src/robot.ts", "src/style.css", 1);
await write("live.html", "src/live/live.ts", "src/live/live.css", 0);
