// The status strip: what runs, how fast, and what it costs, in words and numbers.

import { html } from "../dom";
import { value } from "../format";
import type { HandStatus, Hello, Status } from "./protocol";

export interface Own {
  /** Work of this page for one picture [ms], and pictures a second. */
  work: number;
  prepare: number;
  rate: number;
  contacts: number;
  models: string;
}

const TITLES = {
  Scene: "What is simulated",
  Model: "How bodies are modelled",
  Rate: "Forces computed per second, and the time step of the model",
  "Real time": "Simulated time over the time on the wall",
  Overruns: "Periods in which the loop was late by its own fault; in brackets, times the system took the core away",
  Computing: "Time the loop computes in a period: median, and what one in a hundred exceeds",
  Contacts: "Contacts now",
  Viewers: "Pages that are connected",
  Hands: "Who has which hand, and its state",
  Page: "Work of this page for one picture, and pictures a second",
} as const;
type Name = keyof typeof TITLES;

export class Strip {
  readonly element = html("dl", { class: "strip", "aria-label": "Status" });
  private readonly cells: Record<Name, HTMLElement>;

  constructor() {
    this.cells = Object.fromEntries(
      (Object.entries(TITLES) as [Name, string][]).map(([name, title]) => {
        const cell = html("dd", { "data-name": name }, "–");
        this.element.append(html("div", { title }, html("dt", {}, name), cell));
        return [name, cell];
      }),
    ) as Record<Name, HTMLElement>;
  }

  show(hello: Hello | null, scene: string, status: Status | null, own: Own, viewer: number): void {
    this.put("Scene", scene);
    this.put("Model", own.models);
    this.put("Rate", hello?.rate ? `${rate(hello.rate)}, steps of ${duration(hello.step)}` : "–");
    this.put("Contacts", String(own.contacts));
    this.put("Page", `${own.work.toFixed(1)} ms · ${Math.round(own.rate)}/s`);
    this.cells.Page.title = `${own.prepare.toFixed(1)} ms of it before drawing`;
    this.cells.Page.dataset.prepare = own.prepare.toFixed(2);
    if (!status) return;
    this.put("Real time", Number.isFinite(status.real_time) ? `${status.real_time.toFixed(2)}×` : "–");
    this.put("Overruns", status.taken_away ? `${status.overruns} (${status.taken_away})` : String(status.overruns));
    this.put("Computing", `${milliseconds(status.compute_us.p50)} / ${milliseconds(status.compute_us.p99)} ms`);
    this.put("Viewers", String(status.viewers));
    this.put("Hands", status.hands.map((hand) => handText(hand, viewer)).join(", ") || "none");
  }

  private put(name: Name, text: string): void {
    const cell = this.cells[name];
    if (cell.textContent !== text) cell.textContent = text;
  }
}

function rate(hertz: number): string {
  return hertz >= 1000 ? `${Number((hertz / 1000).toPrecision(3))} kHz` : `${Number(hertz.toPrecision(3))} Hz`;
}

function duration(seconds: number): string {
  return seconds < 0.001 ? `${Number((seconds * 1e6).toPrecision(3))} µs` : `${Number((seconds * 1e3).toPrecision(3))} ms`;
}

function milliseconds(microseconds: number): string {
  return Number.isFinite(microseconds) ? value(microseconds / 1000, 2) : "–";
}

function handText({ hand, held_by, device, gripping, state }: HandStatus, viewer: number): string {
  const who = held_by === viewer ? "you" : device && device !== "page" ? device : held_by !== null ? `viewer ${held_by}` : "";
  const what = who ? (gripping ? `${who} on ${gripping}` : who) : "free";
  // People count from one, and so do the server's sentences.
  return `${hand + 1}: ${what}${state === "ok" ? "" : ` (${state})`}`;
}
