// What lies over the 3D view: the colour key, the readings of the grippers, the axes and a scale.

import { Vector3, type Camera } from "three";
import { categorical, mapGradient, type Paint } from "./colour";
import type { Body } from "./data";
import { html, svg } from "./dom";
import { length, niceBelow, quantity, value } from "./format";
import { AXIS_COLOURS, type GripperProp } from "./grippers";

const LISTED_BODIES = 6;
const TRIAD = 22;

export class Overlay {
  readonly element = html("div", { class: "overlay" });
  private readonly key = html("div", { class: "key" });
  private readonly list = html("div", { class: "grippers" });
  private bodies: Body[] = [];
  private readings: { prop: GripperProp; row: HTMLElement; force: HTMLElement; torque: HTMLElement }[] = [];
  private readonly arms: { line: SVGLineElement; label: SVGTextElement }[];
  private readonly scaleBar = html("div", { class: "scale-bar" });
  private readonly axis = new Vector3();

  constructor() {
    this.arms = AXIS_COLOURS.map((stroke, i) => ({
      line: svg("line", { stroke, "stroke-width": 2, "stroke-linecap": "round" }),
      label: svg("text", { fill: stroke, "text-anchor": "middle", "dominant-baseline": "central" }, "xyz"[i]!),
    }));
    const triad = svg("svg", { class: "triad", viewBox: "-34 -34 68 68", "aria-hidden": "true" });
    triad.append(...this.arms.flatMap(({ line, label }) => [line, label]));
    const corner = html("div", { class: "orientation" }, triad, this.scaleBar);
    this.element.append(this.key, this.list, corner);
  }

  setWorld(bodies: Body[], grippers: GripperProp[]): void {
    this.bodies = bodies;
    this.readings = grippers.map((prop) => {
      const [force, torque] = [html("span", { class: "force" }), html("span")];
      return { prop, force, torque, row: html("div", {}, html("span", {}, prop.gripper.name), force, torque) };
    });
    this.list.replaceChildren(...this.readings.map(({ row }) => row));
    this.showKey(null);
  }

  showKey(paint: Paint | null): void {
    this.key.replaceChildren(...(paint ? fieldKey(paint) : this.bodyKey()));
  }

  showGrippers(): void {
    for (const { prop, row, force, torque } of this.readings) {
      if (row.hidden !== prop.idle) row.hidden = prop.idle;
      force.textContent = prop.attached ? `${value(prop.force, 3)} N` : "";
      torque.textContent = prop.attached ? `${value(prop.torque, 3)} N·m` : "released";
    }
  }

  /** `pixel` is the length one pixel spans at the distance of what the camera looks at. */
  showCamera(camera: Camera, pixel: number): void {
    this.arms.forEach(({ line, label }, i) => {
      this.axis.set(0, 0, 0).setComponent(i, 1).applyQuaternion(camera.quaternion.clone().invert());
      const x = this.axis.x * TRIAD;
      const y = -this.axis.y * TRIAD;
      line.setAttribute("x2", x.toFixed(1));
      line.setAttribute("y2", y.toFixed(1));
      label.setAttribute("x", (x * 1.4).toFixed(1));
      label.setAttribute("y", (y * 1.4).toFixed(1));
    });
    const span = niceBelow(pixel * 110);
    this.scaleBar.style.width = `${span / pixel}px`;
    const text = length(span);
    if (this.scaleBar.textContent !== text) this.scaleBar.textContent = text;
  }

  private bodyKey(): Node[] {
    const rows: Node[] = this.bodies.slice(0, LISTED_BODIES).map((body, i) => {
      const swatch = html("i", { class: "swatch" });
      swatch.style.background = categorical(i);
      return html("div", {}, swatch, body.name, html("span", { class: "muted" }, body.model));
    });
    const more = this.bodies.length - rows.length;
    if (more > 0) rows.push(html("div", { class: "muted" }, `and ${more} more`));
    return rows;
  }
}

function fieldKey(paint: Paint): Node[] {
  const bar = html("div", { class: "colour-bar" });
  bar.style.background = mapGradient("to right");
  // An end that is nothing beside the other one reads as zero, not as 1.8 × 10⁻⁵.
  const grain = Math.max(Math.abs(paint.low), Math.abs(paint.high)) / 1000;
  const [low, high] = [paint.low, paint.high].map((x) => (Math.abs(x) < grain ? 0 : x)) as [number, number];
  const ends = html("div", { class: "ends" }, html("span", {}, value(low, 3)), html("span", {}, quantity(high, paint.unit, 3)));
  return [html("div", {}, paint.name, html("span", { class: "muted" }, paint.unit)), bar, ends];
}
