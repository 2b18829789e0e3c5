// The keys of the live page.

export interface KeyActions {
  playOrPause(): void;
  step(): void;
  reset(): void;
  nextColour(): void;
  contacts(): void;
  wholeView(): void;
  gallery(): void;
  picture(): void;
  drop(): void;
  help(): void;
}

export function listenToKeys(actions: KeyActions): void {
  const keys: Record<string, keyof KeyActions> = {
    " ": "playOrPause", ArrowRight: "step", ".": "step", r: "reset", c: "nextColour", f: "contacts", v: "wholeView",
    g: "gallery", p: "picture", Escape: "drop", h: "help", "?": "help",
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    if (document.querySelector("dialog[open]") && !(action === "help" && target.closest("dialog.help"))) return;
    // Controls that have a use of their own for a key keep it.
    if (target.closest("select, textarea, input:not([type=range])")) return;
    if (event.key === "ArrowRight" && target.closest("input")) return;
    if (event.key === " " && target.closest("button, a, input")) return;
    // Held down, only the step is meant again and again.
    if (event.repeat && action !== "step") return;
    actions[action]();
    event.preventDefault();
  });
}
