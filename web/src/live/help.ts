// The help card: gestures and keys.

import { html } from "../dom";

const GESTURES: [string, string][] = [
  ["Drag a body", "take hold of it and pull"],
  ["Wheel while holding", "bring the hand nearer or farther"],
  ["Drag beside it", "turn the view"],
  ["Right-drag, two fingers", "move the view"],
  ["Wheel, pinch", "zoom"],
  ["Gamepad", "left stick moves the first hand, right stick nearer and farther, A grips"],
];
const KEYS: [string, string][] = [
  ["space", "pause, play"],
  ["→ or .", "one step, when paused"],
  ["r", "reset the scene"],
  ["c", "next colouring"],
  ["f", "contact forces"],
  ["v", "whole view"],
  ["g", "scenes"],
  ["p", "save a picture"],
  ["esc", "let go"],
  ["h or ?", "this card"],
];

export function buildHelp(): HTMLDialogElement {
  const rows = (list: [string, string][], tag: "kbd" | "span") =>
    list.flatMap(([key, does]) => [html("dt", {}, html(tag, {}, key)), html("dd", {}, does)]);
  const close = html("button", { type: "button", class: "close", "aria-label": "Close" }, "✕");
  const dialog = html("dialog", { class: "help", "aria-label": "Help" },
    html("div", { class: "dialog-head" }, html("h2", {}, "Hands and keys"), close),
    html("dl", {}, ...rows(GESTURES, "span")),
    html("dl", {}, ...rows(KEYS, "kbd")),
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
