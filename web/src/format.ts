// Numbers for people: tick positions, short values, times.

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function powerOfTen(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((d) => SUPERSCRIPT[Number(d)]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

/** The largest of 1, 2, 5 × 10ⁿ that is not above `value`. */
export function niceBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

/** The least and the largest finite value; infinite and the wrong way round if there is none. */
export function extent(arrays: Iterable<Float32Array>): [low: number, high: number] {
  let low = Infinity;
  let high = -Infinity;
  for (const array of arrays) {
    for (const x of array) {
      if (!Number.isFinite(x)) continue;
      if (x < low) low = x;
      if (x > high) high = x;
    }
  }
  return [low, high];
}

/** About `count` round positions within [low, high]. */
export function ticks(low: number, high: number, count: number): number[] {
  // The factor makes the rounding down to 1, 2 or 5 one to the nearest.
  const step = niceBelow(((high - low) / count) * Math.SQRT2);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** Labels with just the decimals that the spacing of the ticks needs. */
export function tickLabels(positions: number[], scale = 1): string[] {
  const step = positions.length > 1 ? Math.abs(positions[1]! - positions[0]!) * scale : 1;
  const decimals = Math.min(8, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return positions.map((value) => (value === 0 ? "0" : minus((value * scale).toFixed(decimals))));
}

/** The exponent (a multiple of three) that keeps axis labels short; 0 when plain numbers will do. */
export function axisExponent(low: number, high: number): number {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  if (!(largest > 0) || (largest >= 0.01 && largest < 1e5)) return 0;
  return 3 * Math.floor(Math.log10(largest) / 3);
}

/** A value with a fixed number of significant digits, so that live readouts do not jitter. */
export function value(x: number, digits = 4): string {
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 1e-3) {
    const exponent = Math.floor(Math.log10(size));
    return `${minus((x / 10 ** exponent).toFixed(digits - 2))} × ${powerOfTen(exponent)}`;
  }
  // With more places before the point than digits asked for, toPrecision would change to powers of ten.
  return minus(size >= 10 ** digits - 0.5 ? x.toFixed(0) : x.toPrecision(digits));
}

/** The number with its unit; some quantities have none. */
export function quantity(x: number, unit: string, digits = 4): string {
  return unit ? `${value(x, digits)} ${unit}` : value(x, digits);
}

/** A length in the unit a person would choose for it. */
export function length(metres: number): string {
  const [scale, unit] = metres >= 1 ? [1, "m"] : metres >= 0.01 ? [100, "cm"] : metres >= 0.001 ? [1e3, "mm"] : [1e6, "µm"];
  return `${Number((metres * scale).toPrecision(3))} ${unit}`;
}

/** A time as recorded, without the digits that single precision adds. */
export function seconds(time: number): string {
  return Number.isFinite(time) ? `${Number(time.toPrecision(6))} s` : "–";
}

/** Decimals so that one step in a run of this duration shows, without noise. */
export function timeDecimals(duration: number): number {
  return duration > 0 ? Math.min(7, Math.max(1, Math.ceil(3 - Math.log10(duration)))) : 3;
}

function minus(text: string): string {
  return text.replace("-", "−");
}
