// Colours: one categorical palette for bodies and plot series, one perceptual map for fields.

import { Color } from "three";
import type { Body, Field } from "./data";
import { extent } from "./format";

/** Mid-lightness hues that stay apart for colour-blind readers and read on white and on black. */
const PALETTE = ["#3d85c6", "#dd8230", "#35a07c", "#c65b82", "#8b74cc", "#b3992c", "#45a9bf", "#94786a"];
/** What has no value in the chosen field. */
const UNKNOWN = "#7f8790";

export function categorical(index: number): string {
  return PALETTE[index % PALETTE.length]!;
}

/** How often the palette has been used up before this index: the plots dash their lines by it. */
export function paletteRound(index: number): number {
  return Math.floor(index / PALETTE.length);
}

/** Viridis at even steps, without its darkest tenth, which would be lost on the dark background. */
const VIRIDIS = [
  "#463480", "#414487", "#39568c", "#31688e", "#2a788e", "#23888e", "#1f988b",
  "#22a884", "#35b779", "#54c568", "#7ad151", "#a5db36", "#d2e21b", "#fde725",
];

export function mapGradient(direction: string): string {
  return `linear-gradient(${direction}, ${VIRIDIS.join(", ")})`;
}

const STEPS = 256;
/** Linear-light RGB, as vertex colours have to be. */
const lookup = buildLookup();
const unknown = new Color(UNKNOWN);

function buildLookup(): Float32Array {
  const out = new Float32Array(STEPS * 3);
  const from = new Color();
  const to = new Color();
  for (let i = 0; i < STEPS; i++) {
    const position = (i / (STEPS - 1)) * (VIRIDIS.length - 1);
    const stop = Math.min(VIRIDIS.length - 2, Math.floor(position));
    from.set(VIRIDIS[stop]!).lerp(to.set(VIRIDIS[stop + 1]!), position - stop).toArray(out, i * 3);
  }
  return out;
}

/** What the bodies are coloured by: a field with its range over the whole run and all bodies. */
export interface Paint {
  name: string;
  unit: string;
  low: number;
  high: number;
}

/** Writes the colour of `value` for `count` vertices from vertex `first` on. */
export function writeColour(paint: Paint, value: number, out: Float32Array, first: number, count: number): void {
  let r = unknown.r;
  let g = unknown.g;
  let b = unknown.b;
  if (value - value === 0) {
    const share = paint.high > paint.low ? (value - paint.low) / (paint.high - paint.low) : 0.5;
    const at = 3 * Math.min(STEPS - 1, Math.max(0, Math.round(share * (STEPS - 1))));
    r = lookup[at]!;
    g = lookup[at + 1]!;
    b = lookup[at + 2]!;
  }
  for (let i = first * 3, end = (first + count) * 3; i < end; i += 3) {
    out[i] = r;
    out[i + 1] = g;
    out[i + 2] = b;
  }
}

/** Fields of the same name and unit share one paint, so that bodies can be compared. */
export function collectPaints(bodies: Body[], frames: number): Paint[] {
  const groups = new Map<string, { name: string; unit: string; shown: Float32Array[] }>();
  for (const { fields, nodeCount } of bodies) {
    for (const { name, unit, values } of fields) {
      const key = `${name}\n${unit}`;
      const group = groups.get(key) ?? { name, unit, shown: [] };
      groups.set(key, group);
      group.shown.push(values.subarray(0, frames * nodeCount));
    }
  }
  const paints = [...groups.values()].map(({ name, unit, shown }) => {
    const [low, high] = extent(shown);
    return { name, unit, low, high };
  });
  return paints.filter((paint) => paint.high >= paint.low);
}

export function fieldOf(body: Body, paint: Paint | null): Field | null {
  return body.fields.find((f) => f.name === paint?.name && f.unit === paint.unit) ?? null;
}
