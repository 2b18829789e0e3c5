// The gallery: the scenes the server can load, as a dialog of cards.

import { choice, html } from "../dom";
import { address } from "./connection";

export interface SceneEntry { name: string; title: string; picture: boolean }
export interface SceneList { scenes: SceneEntry[]; current: string }

export const MODELS = ["chain", "cable", "xpbd", "elastica"] as const;
const AS_WRITTEN = { value: "", text: "as in the scene" };
export const MODEL_OPTIONS = [AS_WRITTEN, ...MODELS.map((model) => ({ value: model as string, text: model as string }))];

export async function fetchScenes(): Promise<SceneList> {
  const answer = await fetch(address("scenes"));
  if (!answer.ok) throw new Error((await answer.text()).slice(0, 200) || `the server answered ${answer.status}`);
  const raw = await answer.json();
  const scenes = (Array.isArray(raw?.scenes) ? raw.scenes : [])
    .filter((s: SceneEntry) => typeof s?.name === "string")
    .map((s: SceneEntry) => ({ name: s.name, title: typeof s.title === "string" ? s.title : s.name, picture: s.picture === true }));
  return { scenes, current: typeof raw?.current === "string" ? raw.current : "" };
}

export class Gallery {
  readonly dialog = html("dialog", { class: "gallery", "aria-label": "Scenes" });
  private model = "";

  constructor(private readonly load: (name: string, model: string | null) => void) {
    // A click beside the dialog closes it, as people expect.
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
  }

  async open(): Promise<void> {
    if (!this.dialog.open) this.dialog.showModal();
    this.fill(html("p", { class: "muted" }, "Asking for the scenes …"));
    try {
      const list = await fetchScenes();
      this.fill(...this.cards(list));
      const current = this.dialog.querySelector<HTMLElement>(".scene[aria-current]");
      current?.focus();
      current?.scrollIntoView({ block: "center" });
    } catch (error) {
      this.fill(html("p", { class: "muted" }, `The scenes could not be listed: ${(error as Error).message}`));
    }
  }

  private cards({ scenes, current }: SceneList): HTMLElement[] {
    const search = html("input", { type: "search", placeholder: "Search", "aria-label": "Search scenes" });
    const cards = scenes.map(({ name, title, picture }) => {
      const card = html("button", { type: "button", class: "scene", "aria-current": name === current }, ...thumbnail(name, picture), html("b", {}, title), html("span", { class: "muted" }, name));
      card.addEventListener("click", () => {
        this.dialog.close();
        this.load(name, this.model || null);
      });
      return { card, words: `${name} ${title}`.toLowerCase() };
    });
    search.addEventListener("input", () => {
      const wanted = search.value.trim().toLowerCase();
      for (const { card, words } of cards) card.hidden = !words.includes(wanted);
    });
    const bar = html("div", { class: "options" }, search, choice("Model", MODEL_OPTIONS, this.model, (model) => (this.model = model)));
    if (scenes.length === 0) return [html("p", { class: "muted" }, "The server offers no scenes.")];
    return [bar, html("div", { class: "scenes" }, ...cards.map(({ card }) => card))];
  }

  private fill(...content: HTMLElement[]): void {
    const close = html("button", { type: "button", class: "close", "aria-label": "Close" }, "✕");
    close.addEventListener("click", () => this.dialog.close());
    this.dialog.replaceChildren(html("div", { class: "dialog-head" }, html("h2", {}, "Scenes"), close), ...content);
  }
}

/** Pictures are asked for when they come into sight. */
function thumbnail(name: string, there: boolean): HTMLElement[] {
  return there ? [html("img", { src: address(`pictures/${encodeURIComponent(name)}`).toString(), alt: "", loading: "lazy", width: 320, height: 200 })] : [];
}
