// Sliders that change the world while it runs: properties of one body or of all, and gravity.

import { choice, html, releaseFocus } from "../dom";
import { value } from "../format";
import { PROPERTIES, type Layout, type Outgoing, type Property, type Vec3 } from "./protocol";

/** Dragging a slider sends at most one change in this time (ms). */
const PACE = 60;
const STEPS = 400;
const ALL = "all";

const LOOKS: Record<Property, { label: string; unit: string; title: string }> = {
  friction: { label: "Friction", unit: "", title: "Coefficient of friction" },
  young: { label: "Stiffness", unit: "Pa", title: "Young's modulus" },
  density: { label: "Density", unit: "kg/m³", title: "Mass per volume" },
  damping_time: { label: "Damping", unit: "s", title: "Viscous over elastic stress, per rate of strain" },
  drag: { label: "Drag", unit: "1/s", title: "Force of the air per mass and velocity" },
};

/** How a position of a slider (0 to 1) and a value belong together. */
interface Scale { at(share: number): number; of(value: number): number }

function linear(high: number): Scale {
  return { at: (share) => Number((share * high).toPrecision(3)), of: (x) => x / high };
}

/** With `zero`, the very left means nothing at all. */
function logarithmic(low: number, high: number, zero: boolean): Scale {
  const span = Math.log(high / low);
  return {
    at: (share) => (zero && share <= 0 ? 0 : Number((low * Math.exp(share * span)).toPrecision(3))),
    of: (x) => (x > low ? Math.log(x / low) / span : 0),
  };
}

/** Ranges lie around the value the scene began with. */
function scaleFor(property: Property, first: number): Scale {
  if (property === "friction") return linear(Math.max(1, 2 * first));
  if (property === "young") return first > 0 ? logarithmic(first / 100, first * 100, false) : logarithmic(1e3, 1e11, true);
  if (property === "density") return first > 0 ? logarithmic(first / 10, first * 10, false) : logarithmic(1, 2e4, true);
  if (property === "damping_time") return first > 0 ? logarithmic(first / 100, first * 100, true) : logarithmic(1e-4, 1, true);
  return first > 0 ? logarithmic(first / 100, first * 100, true) : logarithmic(0.01, 100, true);
}

interface Slider { input: HTMLInputElement; set(share: number | null, text: string): void; row: HTMLElement }

export class Panel {
  readonly element = html("div", { class: "panel" });
  private layout: Layout | null = null;
  /** As the scene began: what “Restore” goes back to. */
  private first: Layout["bodies"] = [];
  private firstGravity: Vec3 = [0, 0, 0];
  private gravity: Vec3 = [0, 0, 0];
  private chosen = ALL;
  private sliders = new Map<Property, Slider>();
  private gravitySlider: Slider | null = null;
  private readonly waiting = new Map<string, () => void>();
  private timer = 0;

  constructor(private readonly send: (message: Outgoing) => boolean) {}

  /** `same` keeps ranges and what is being dragged: only values may have changed. */
  setLayout(layout: Layout, same: boolean): void {
    this.layout = structuredClone(layout);
    this.gravity = [...layout.gravity];
    if (!same || this.sliders.size === 0) {
      this.first = structuredClone(layout.bodies);
      this.firstGravity = [...layout.gravity];
      this.chosen = ALL;
      this.build(layout);
    }
    this.show();
  }

  private build(layout: Layout): void {
    this.sliders.clear();
    const rows: HTMLElement[] = [];
    if (layout.bodies.length > 1) {
      const options = [{ value: ALL, text: "all bodies" }, ...layout.bodies.map((b, i) => ({ value: String(i), text: b.name }))];
      rows.push(choice("Of", options, ALL, (of) => {
        this.chosen = of;
        this.show();
      }));
    }
    for (const property of PROPERTIES) {
      const slider = makeSlider(LOOKS[property].label, LOOKS[property].title, (share) => this.change(property, share));
      this.sliders.set(property, slider);
      rows.push(slider.row);
    }
    this.gravitySlider = makeSlider("Gravity", "Acceleration, along its direction in the scene", (share) => this.pull(share));
    const restore = html("button", { type: "button", class: "plain", title: "Back to the values the scene began with" }, "Restore values");
    restore.addEventListener("click", (event) => {
      this.restore();
      releaseFocus(restore, event);
    });
    this.element.replaceChildren(...rows, this.gravitySlider.row, restore);
  }

  private bodies(property: Property): number[] {
    const all = this.layout?.bodies.map((_, i) => i) ?? [];
    const meant = this.chosen === ALL ? all : [Number(this.chosen)];
    return meant.filter((i) => this.layout!.bodies[i]?.properties[property] !== null);
  }

  private show(): void {
    const { layout } = this;
    if (!layout) return;
    for (const [property, slider] of this.sliders) {
      const [body] = this.bodies(property);
      if (body === undefined) {
        slider.set(null, "–");
        continue;
      }
      const now = layout.bodies[body]!.properties[property]!;
      const scale = scaleFor(property, this.first[body]?.properties[property] ?? now);
      const differ = this.bodies(property).some((i) => layout.bodies[i]!.properties[property] !== now);
      slider.set(scale.of(now), differ ? `${format(now, LOOKS[property].unit)} …` : format(now, LOOKS[property].unit));
    }
    this.gravitySlider?.set(gravityScale.of(Math.hypot(...this.gravity)), format(Math.hypot(...this.gravity), "m/s²"));
  }

  private change(property: Property, share: number): void {
    for (const body of this.bodies(property)) {
      const now = this.layout!.bodies[body]!.properties;
      const first = this.first[body]?.properties[property] ?? now[property]!;
      this.set(body, property, scaleFor(property, first).at(share));
    }
    this.show();
  }

  private set(body: number, property: Property, to: number): void {
    this.layout!.bodies[body]!.properties[property] = to;
    this.later(`${body} ${property}`, () => this.send({ do: "change", body, property, value: to }));
  }

  private pull(share: number): void {
    const size = gravityScale.at(share);
    const was = Math.hypot(...this.firstGravity);
    // A scene without gravity gets one that points down.
    const along: Vec3 = was > 0 ? (this.firstGravity.map((x) => x / was) as Vec3) : [0, 0, -1];
    this.setGravity(along.map((x) => (x === 0 ? 0 : x * size)) as Vec3);
    this.show();
  }

  private setGravity(to: Vec3): void {
    this.gravity = to;
    this.later("gravity", () => this.send({ do: "gravity", value: to }));
  }

  private restore(): void {
    this.first.forEach(({ properties }, body) => {
      for (const property of PROPERTIES) {
        const to = properties[property];
        if (to !== null && this.layout!.bodies[body]?.properties[property] !== to) this.set(body, property, to);
      }
    });
    if (this.gravity.some((x, i) => x !== this.firstGravity[i])) this.setGravity([...this.firstGravity]);
    this.show();
  }

  /** Of changes of the same thing only the last one is sent. */
  private later(key: string, send: () => void): void {
    this.waiting.set(key, send);
    this.timer ||= window.setTimeout(() => {
      this.timer = 0;
      for (const one of this.waiting.values()) one();
      this.waiting.clear();
    }, PACE);
  }
}

const gravityScale = linear(20);

function makeSlider(label: string, title: string, moved: (share: number) => void): Slider {
  const input = html("input", { type: "range", min: 0, max: STEPS, step: 1, class: "slider", "aria-label": label });
  const text = html("output", { "aria-live": "off" });
  const box = html("div", { class: "slider-box" }, input);
  const row = html("label", { class: "knob" }, html("span", {}, label), box, text);
  input.addEventListener("input", () => moved(input.valueAsNumber / STEPS));
  return {
    input,
    row,
    set(share, words) {
      input.disabled = share === null;
      row.classList.toggle("off", share === null);
      row.title = share === null ? `${title}: not a property of this model` : title;
      const at = Math.min(1, Math.max(0, share ?? 0));
      // The slider being dragged already is where its user wants it.
      if (Math.abs(input.valueAsNumber / STEPS - at) > 1 / STEPS) input.value = String(Math.round(at * STEPS));
      box.style.setProperty("--at", String(at));
      text.textContent = words;
      input.setAttribute("aria-valuetext", words);
    },
  };
}

const PREFIXES: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

function format(x: number, unit: string): string {
  if (unit === "Pa") {
    const [size, prefix] = PREFIXES.find(([size]) => x >= size) ?? [1, ""];
    return `${value(x / size, 3)} ${prefix}Pa`;
  }
  if (unit === "s" && x > 0 && x < 0.1) return x < 1e-4 ? `${value(x * 1e6, 3)} µs` : `${value(x * 1e3, 3)} ms`;
  return unit ? `${value(x, 3)} ${unit}` : value(x, 3);
}
