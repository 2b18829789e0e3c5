// The background, in the colours of the page's theme. It is painted into the picture, so that saved pictures
// and films have it too.

import { CanvasTexture, Color, SRGBColorSpace } from "three";

const TALL = 256;

/** A gradient on the screen; in a headset, where it would move with the head, a plain colour. */
export function makeSky(plain: boolean): Color | CanvasTexture {
  const style = getComputedStyle(document.documentElement);
  const [top, bottom] = ["--sky-top", "--sky-bottom"].map((name) => style.getPropertyValue(name).trim() || "#e4e9ee") as [string, string];
  const canvas = Object.assign(document.createElement("canvas"), { width: 2, height: TALL });
  const context = canvas.getContext("2d");
  if (plain || !context) return new Color(bottom);
  const gradient = context.createLinearGradient(0, 0, 0, TALL);
  gradient.addColorStop(0, top);
  gradient.addColorStop(1, bottom);
  context.fillStyle = gradient;
  context.fillRect(0, 0, 2, TALL);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
