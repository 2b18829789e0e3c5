// One plot over time: SVG. Hovering reads values. With a clock, dragging moves its time; without one the
// plot is a live one, whose data and span others change and then ask to be drawn again.

import type { Clock } from "./clock";
import { categorical, paletteRound } from "./colour";
import type { PlotData, Series } from "./data";
import { html, svg } from "./dom";
import { axisExponent, extent, powerOfTen, quantity, seconds, tickLabels, ticks } from "./format";
import { indexAt } from "./frames";

const HEIGHT = 172;
const TOP = 8;
const BOTTOM = 22;
const RIGHT = 14;
/** Width of a digit, about: labels are placed before they can be measured. */
const DIGIT = 6.6;
const DASHES = ["", "6 3", "2 3"];

/** The times that all plots of the page span, so that they line up. */
export function timeSpan(plots: PlotData[], clock: Clock): [number, number] {
  const [low, high] = extent([Float32Array.of(clock.start, clock.end), ...plots.map((plot) => plot.times)]);
  return high > low ? [low, high] : [low, low + 1];
}

export class Plot {
  readonly element: HTMLElement;
  private readonly frame = html("div", { class: "frame" });
  private readonly image = svg("svg", { height: HEIGHT, role: "img" });
  private readonly cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM });
  private readonly probe = svg("g", { class: "probe", visibility: "hidden" });
  private readonly tip = html("div", { class: "tip", hidden: true });
  private readonly unitLabel = html("span", { class: "muted" });
  private readonly hidden = new Set<Series>();
  private width = 0;
  private left = 40;
  private low = 0;
  private high = 1;

  constructor(private readonly data: PlotData, private readonly span: [number, number], private readonly clock: Clock | null) {
    this.image.setAttribute("aria-label", data.title);
    const title = html("h3", {}, data.title, this.unitLabel);
    this.frame.append(this.image, this.tip);
    this.element = html("div", { class: "plot" }, title, this.frame, this.legend());
    this.listenToPointer();
    new ResizeObserver(() => {
      if (this.frame.clientWidth === this.width) return;
      this.width = this.frame.clientWidth;
      this.draw();
    }).observe(this.frame);
    clock?.listen(() => this.moveCursor());
  }

  /** The data or the span has changed. */
  redraw(): void {
    if (this.width > 0) this.draw();
  }

  private legend(): HTMLElement {
    const box = html("div", { class: "legend" });
    this.data.series.forEach((series, i) => {
      const swatch = svg("svg", { viewBox: "0 0 18 6", class: "stroke" }, svg("path", { d: "M0 3H18", ...strokeOf(i) }));
      const button = html("button", { type: "button", "aria-pressed": "true", title: "Show or hide" }, swatch, series.name);
      button.addEventListener("click", () => {
        if (!this.hidden.delete(series)) this.hidden.add(series);
        button.setAttribute("aria-pressed", String(!this.hidden.has(series)));
        this.draw();
      });
      box.append(button);
    });
    return box;
  }

  private draw(): void {
    this.fitRange();
    const exponent = axisExponent(this.low, this.high);
    const unit = [exponent ? powerOfTen(exponent) : "", this.data.unit].filter(Boolean).join(" ");
    this.unitLabel.textContent = unit;
    const yTicks = ticks(this.low, this.high, 5);
    const yLabels = tickLabels(yTicks, 10 ** -exponent);
    this.left = Math.max(44, 12 + DIGIT * Math.max(...yLabels.map((label) => label.length)));

    const { image, width, left } = this;
    image.setAttribute("width", String(width));
    image.replaceChildren();
    yTicks.forEach((tick, i) => {
      const y = this.y(tick);
      image.append(svg("line", { class: tick === 0 ? "zero" : "grid", x1: left, x2: width - RIGHT, y1: y, y2: y }));
      image.append(svg("text", { x: left - 7, y, "text-anchor": "end", "dominant-baseline": "central" }, yLabels[i]!));
    });
    const xTicks = ticks(...this.span, Math.max(2, Math.floor((width - left) / 70)));
    const xLabels = tickLabels(xTicks);
    xTicks.forEach((tick, i) => {
      const text = i === xTicks.length - 1 ? `${xLabels[i]} s` : xLabels[i]!;
      const x = Math.min(this.x(tick), width - (text.length * DIGIT) / 2); // the last one must not be cut off
      image.append(svg("text", { x, y: HEIGHT - 6, "text-anchor": "middle" }, text));
    });
    this.data.series.forEach((series, i) => {
      if (!this.hidden.has(series)) image.append(svg("path", { class: "line", d: this.path(series.values), ...strokeOf(i) }));
    });
    if (this.clock) image.append(this.cursor);
    image.append(this.probe);
    this.moveCursor();
  }

  private fitRange(): void {
    const visible = this.data.series.filter((series) => !this.hidden.has(series));
    let [low, high] = extent(visible.map((series) => series.values));
    if (high < low) [low, high] = [0, 1];
    // Zero belongs into the picture unless it would flatten the curve. In a live one always: the last few
    // seconds may be of nothing but noise, which shall not look like something.
    if (low > 0 && (low < high * 0.5 || !this.clock)) low = 0;
    if (high < 0 && (high > low * 0.5 || !this.clock)) high = 0;
    const margin = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    // An axis that follows every sample would never stand still: a live one moves when it has to.
    const fits = low >= this.low && high <= this.high && high - low > 0.45 * (this.high - this.low);
    if (!this.clock && fits) return;
    this.low = low === 0 ? 0 : low - margin;
    this.high = high === 0 && low < 0 ? 0 : high + margin; // nothing but zeros still needs some height
  }

  /** At most four points per pixel column (first, lowest, highest, last): exact on screen, and short. */
  private path(values: Float32Array): string {
    const { times } = this.data;
    let d = "";
    let pen = false;
    const put = (i: number) => {
      d += `${pen ? "L" : "M"}${this.x(times[i]!).toFixed(1)} ${this.y(values[i]!).toFixed(1)}`;
      pen = true;
    };
    for (let i = 0; i < times.length; ) {
      if (!Number.isFinite(times[i]! + values[i]!)) {
        pen = false; // a gap where there is no value
        i++;
        continue;
      }
      const column = Math.floor(this.x(times[i]!));
      const first = i;
      let least = i;
      let most = i;
      for (; i < times.length && Math.floor(this.x(times[i]!)) === column && Number.isFinite(values[i]!); i++) {
        if (values[i]! < values[least]!) least = i;
        if (values[i]! > values[most]!) most = i;
      }
      for (const k of new Set([first, Math.min(least, most), Math.max(least, most), i - 1])) put(k);
    }
    return d;
  }

  private x(time: number): number {
    const [start, end] = this.span;
    return this.left + ((time - start) / (end - start)) * (this.width - this.left - RIGHT);
  }

  private y(v: number): number {
    return TOP + ((this.high - v) / (this.high - this.low)) * (HEIGHT - TOP - BOTTOM);
  }

  private timeAt(event: PointerEvent): number {
    const [start, end] = this.span;
    const share = (event.clientX - this.image.getBoundingClientRect().left - this.left) / (this.width - this.left - RIGHT);
    return start + Math.min(1, Math.max(0, share)) * (end - start);
  }

  private moveCursor(): void {
    if (!this.clock) return;
    const x = this.x(this.clock.time).toFixed(1);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
  }

  private listenToPointer(): void {
    const { image } = this;
    let dragging = false;
    image.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.clock) return;
      dragging = true;
      image.setPointerCapture(event.pointerId);
      this.clock.seek(this.timeAt(event));
      this.read(event);
    });
    image.addEventListener("pointermove", (event) => {
      if (dragging) this.clock?.seek(this.timeAt(event));
      this.read(event);
    });
    for (const end of ["pointerup", "pointercancel"] as const) image.addEventListener(end, () => (dragging = false));
    image.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.probe.setAttribute("visibility", "hidden");
    });
  }

  /** Shows the values of the sample next to the pointer. */
  private read(event: PointerEvent): void {
    const { times, series, unit } = this.data;
    if (times.length === 0) return;
    const wanted = this.timeAt(event);
    let i = indexAt(times, wanted);
    if (i + 1 < times.length && times[i + 1]! - wanted < wanted - times[i]!) i++;
    const x = this.x(times[i]!);
    const rows: Node[] = [html("div", { class: "when" }, seconds(times[i]!))];
    this.probe.replaceChildren(svg("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }));
    series.forEach((one, index) => {
      if (this.hidden.has(one)) return;
      const v = one.values[i]!;
      const swatch = html("i", { class: "swatch" });
      swatch.style.background = categorical(index);
      rows.push(html("div", {}, swatch, html("span", {}, one.name), html("b", {}, quantity(v, unit))));
      if (Number.isFinite(v)) this.probe.append(svg("circle", { cx: x, cy: this.y(v), r: 3.2, fill: categorical(index) }));
    });
    this.probe.setAttribute("visibility", "visible");
    this.tip.replaceChildren(...rows);
    this.tip.hidden = false;
    // On the side with more room, so that it never covers the curve under the pointer.
    const onLeft = x > this.width / 2;
    this.tip.style.left = onLeft ? "auto" : `${x + 14}px`;
    this.tip.style.right = onLeft ? `${this.width - x + 14}px` : "auto";
  }
}

function strokeOf(index: number): Record<string, string> {
  return { stroke: categorical(index), "stroke-dasharray": DASHES[paletteRound(index) % DASHES.length]! };
}
