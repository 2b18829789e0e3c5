// Saving a picture, and filming with the browser's own recorder.

import type { LiveView } from "./view";

/** A film ends by itself after this time (ms): it is kept in memory until it is saved. */
const LONGEST = 120_000;
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

export function savePicture(view: LiveView, name: string): void {
  // The picture lasts only until the browser shows it, so it is drawn and read in one go.
  view.draw();
  view.renderer.domElement.toBlob((blob) => blob && save(blob, `${name}.png`), "image/png");
}

export class Film {
  private recorder: MediaRecorder | null = null;
  private timer = 0;

  constructor(private readonly view: LiveView, private readonly changed: (filming: boolean) => void) {}

  static get possible(): boolean {
    return typeof MediaRecorder !== "undefined" && "captureStream" in HTMLCanvasElement.prototype;
  }

  toggle(name: string): void {
    if (this.recorder) this.stop();
    else this.start(name);
  }

  private start(name: string): void {
    const stream = this.view.renderer.domElement.captureStream(60);
    const mimeType = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
    const recorder = new MediaRecorder(stream, { ...(mimeType && { mimeType }), videoBitsPerSecond: 8_000_000 });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", ({ data }) => data.size && parts.push(data));
    recorder.addEventListener("stop", () => {
      for (const track of stream.getTracks()) track.stop();
      const type = recorder.mimeType || "video/webm";
      save(new Blob(parts, { type }), `${name}.${type.includes("mp4") ? "mp4" : "webm"}`);
    });
    recorder.start(1000);
    this.recorder = recorder;
    this.timer = window.setTimeout(() => this.stop(), LONGEST);
    this.view.redraw(); // a paused world has to give the film its first picture
    this.changed(true);
  }

  private stop(): void {
    clearTimeout(this.timer);
    if (this.recorder?.state !== "inactive") this.recorder?.stop();
    this.recorder = null;
    this.changed(false);
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
