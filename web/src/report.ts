// The page: reads the data, puts the parts together, and says in words what could not be shown.

import { Clock } from "./clock";
import { collectPaints } from "./colour";
import { buildControls } from "./controls";
import { DataError, readReport, type Report } from "./data";
import { html } from "./dom";
import { seconds } from "./format";
import { Plot, timeSpan } from "./plots";
import { Player } from "./player";
import { canDraw } from "./view";

function readPage(): Report {
  const text = document.getElementById("pliant-data")?.textContent;
  if (!text) throw new DataError("There is no run in this page: it is the template that Pliant fills with data.");
  try {
    return readReport(text);
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError(`The data in this page is damaged: ${(error as Error).message}`);
  }
}

function buildPage(report: Report): HTMLElement[] {
  document.title = `${report.title} · Pliant`;
  const clock = new Clock(report.trouble ? new Float32Array() : report.times);
  seekAddressed(report, clock);
  const aside = html("aside", {}, ...expectations(report, clock), ...plots(report, clock), ...events(report, clock), ...summary(report));
  return [header(report), html("main", {}, stage(report, clock), aside)];
}

/** Goes to the time that the address names: `#t=1.5`, or with `#picture` the moment that the scene is best seen at. */
function seekAddressed({ look }: Report, clock: Clock): void {
  const time = location.hash.match(/^#t=(\d+(?:\.\d+)?)$/)?.[1];
  if (time) clock.seek(Number(time));
  if (location.hash === "#picture") {
    document.body.classList.add("picture");
    clock.seek(look.time ?? clock.end);
  }
}

function header(report: Report): HTMLElement {
  // A run that went to its end without meeting what was asked of it must not look like a success.
  const mood = !report.done ? "bad" : report.expectations.some(({ pass }) => pass === false) ? "fair" : "good";
  const badge = html("span", { class: `badge ${mood}` }, report.done ? "Done" : "Failed");
  const first = html("div", { class: "headline" }, html("h1", {}, report.title), badge, html("span", { class: "outcome" }, report.outcomeText));
  const second = html("div", { class: "origin" });
  if (report.command) second.append(html("code", { title: "The command of this run" }, report.command));
  if (report.version) second.append(html("span", {}, `Pliant ${report.version}`));
  return html("header", {}, first, second);
}

/** The 3D view with its controls, or the reason why there is none. */
function stage(report: Report, clock: Clock): HTMLElement {
  const section = html("section", { class: "stage" });
  if (report.trouble) {
    section.append(message(report.trouble));
    return section;
  }
  if (report.notice) section.append(html("p", { class: "notice" }, report.notice));
  const paints = collectPaints(report.bodies, report.times.length);
  const view = canDraw() ? new Player(report, clock) : null;
  section.append(view?.element ?? message("This browser offers no WebGL 2, so there is no 3D picture. The plots and tables work as usual."));
  section.append(buildControls(clock, report.events, paints, view));
  return section;
}

function message(text: string): HTMLElement {
  return html("div", { class: "message", role: "status" }, html("p", {}, text));
}

function expectations({ expectations }: Report, clock: Clock): HTMLElement[] {
  if (expectations.length === 0) return [];
  const rows = expectations.map(({ text, value, bounds, pass, first_missed }) =>
    html("tr", {},
      verdict(pass),
      html("td", {}, text, ...firstMissed(first_missed, clock)),
      html("td", { class: "number" }, value, html("span", { class: "muted" }, bounds)),
    ),
  );
  return [section("Expectations", html("table", { class: "expectations" }, html("tbody", {}, ...rows)))];
}

/** When it was first out of its bounds, as a way to go there. */
function firstMissed(time: number | null | undefined, clock: Clock): HTMLElement[] {
  if (typeof time !== "number") return [];
  const button = html("button", { type: "button", class: "when", title: "Go to this time" }, `missed at ${seconds(time)}`);
  button.addEventListener("click", () => clock.seek(time));
  return [button];
}

/** What was not reached is neither a success nor a failure, and must look like neither. */
function verdict(pass: boolean | null): HTMLElement {
  if (pass === null) return html("td", { class: "mark muted" }, "– open");
  return html("td", { class: pass ? "mark good" : "mark bad" }, pass ? "✓ pass" : "✕ fail");
}

function plots({ plots }: Report, clock: Clock): HTMLElement[] {
  const drawable = plots.filter((plot) => plot.series.length > 0);
  const span = timeSpan(drawable, clock);
  const cards = drawable.map((plot) =>
    plot.times.length > 0
      ? new Plot(plot, span, clock).element
      : html("div", { class: "plot" }, html("h3", {}, plot.title), html("p", { class: "muted" }, "No samples were recorded.")),
  );
  return cards.length ? [section("Plots", ...cards)] : [];
}

function events({ events }: Report, clock: Clock): HTMLElement[] {
  if (events.length === 0) return [];
  const items = events.map(({ time, text }) => {
    const button = html("button", { type: "button", title: "Go to this time" }, html("b", {}, seconds(time)), html("span", {}, text));
    button.addEventListener("click", () => clock.seek(time));
    return html("li", {}, button);
  });
  return [section("Events", html("ol", { class: "events" }, ...items))];
}

function summary({ summary, scene, bodies }: Report): HTMLElement[] {
  const rows = [...summary];
  if (scene) rows.unshift(["scene", scene]);
  if (bodies.length) rows.push(["bodies", `${bodies.length} with ${bodies.reduce((sum, b) => sum + b.nodeCount, 0)} nodes`]);
  const cells = rows.map(([label, text]) => html("tr", {}, html("th", { scope: "row" }, label), html("td", {}, text)));
  return [section("Summary", html("table", { class: "summary" }, html("tbody", {}, ...cells)))];
}

function section(title: string, ...content: HTMLElement[]): HTMLElement {
  return html("section", {}, html("h2", {}, title), ...content);
}

try {
  document.body.append(...buildPage(readPage()));
} catch (error) {
  // Anything unforeseen must still be readable: this page is often all that is left of a run.
  const text = error instanceof DataError ? error.message : `This report could not be drawn: ${(error as Error).message}`;
  document.body.append(html("main", { class: "alone" }, message(text)));
}
