// What can be taken home: a picture, a film, and the run as recorded by the server.

import { button, html } from "../dom";
import { Film, savePicture } from "./capture";
import { address } from "./connection";
import type { LiveView } from "./view";

const FILES = [["recording.mcap", "Recording"], ["report.html", "Report"], ["controls.jsonl", "Controls"]] as const;

export class Saving {
  readonly element = html("div", { class: "saving" });
  private recording: boolean | null = null;
  private readonly downloads = html("div", { class: "downloads" });

  /** `view` is null where there is no 3D, `name` what files are called after. */
  constructor(private readonly view: LiveView | null, private readonly name: () => string) {
    if (view) {
      const row = html("div", { class: "options" }, button("Picture", "Save what is seen as PNG (p)", () => this.picture()));
      if (Film.possible) {
        const film = new Film(view, (on) => {
          filming.textContent = on ? "Stop filming" : "Film";
          filming.setAttribute("aria-pressed", String(on));
        });
        const filming = button("Film", "Film what is seen until pressed again", () => film.toggle(name()));
        row.append(filming);
      }
      this.element.append(row);
    }
    for (const [path, text] of FILES) this.downloads.append(html("a", { download: path }, text));
    this.showRecording(true);
    this.element.append(this.downloads);
  }

  picture(): void {
    if (this.view) savePicture(this.view, this.name());
  }

  showRecording(on: boolean): void {
    if (this.recording === on) return;
    this.recording = on;
    this.downloads.title = on ? "" : "This run is not recorded";
    for (const link of this.downloads.querySelectorAll("a")) {
      // A link without an address cannot be followed, by keyboard either.
      if (on) link.href = address(link.download);
      else link.removeAttribute("href");
    }
  }
}
