// The bar below the view: play, step, reset, speed, colouring and the view's options.

import type { Paint } from "../colour";
import { choice, html, releaseFocus, toggle } from "../dom";
import { PAUSE, PLAY, RESET, STEP } from "../icons";

export interface Actions {
  playOrPause(): void;
  step(): void;
  reset(): void;
  speed(factor: number): void;
  colour(paint: Paint | null): void;
  contacts(on: boolean): void;
  wholeView(): void;
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export class Bar {
  readonly element = html("div", { class: "controls live-bar" });
  private readonly play: HTMLButtonElement;
  private readonly stepButton: HTMLButtonElement;
  private readonly time = html("output", { class: "time", "aria-live": "off" }, "0.000");
  private readonly step = html("span", { class: "steps" });
  private readonly colours = html("span", { class: "colours" });
  private readonly speed: HTMLSelectElement;
  private readonly contactsButton: HTMLElement;
  private paints: Paint[] = [];
  private paused: boolean | null = null;

  constructor(private readonly actions: Actions) {
    this.play = iconButton("play", PAUSE, "Pause", "Play or pause (space)", () => actions.playOrPause());
    this.stepButton = iconButton("round", STEP, "Step", "One step (→ or .), when paused", () => actions.step());
    this.stepButton.disabled = true; // until the server says that its world is paused
    const reset = iconButton("round", RESET, "Reset", "Start the scene anew (r)", () => actions.reset());
    const speed = choice("Speed", SPEEDS.map((s) => ({ value: String(s), text: `${s}×` })), "1", (s) => actions.speed(Number(s)));
    this.speed = speed.querySelector("select")!;
    this.contactsButton = toggle("Contact forces", "Show forces of contacts as arrows (f)", true, (on) => actions.contacts(on));
    const whole = html("button", { type: "button", title: "Bring the camera back to everything (v)" }, "Whole view");
    whole.addEventListener("click", (event) => {
      actions.wholeView();
      releaseFocus(whole, event);
    });
    this.element.append(
      html("div", { class: "timeline" }, this.play, this.stepButton, reset,
        html("div", { class: "readout" }, this.time, " s ", this.step)),
      html("div", { class: "options" }, speed, this.colours, this.contactsButton, whole),
    );
    this.setPaints([], null);
  }

  setPaints(paints: Paint[], chosen: Paint | null): void {
    this.paints = paints;
    const fields = paints.map((paint, i) => ({ value: String(i), text: paint.name }));
    const index = chosen ? String(paints.indexOf(chosen)) : "";
    this.colours.replaceChildren(choice("Colour", [{ value: "", text: "by body" }, ...fields], index, (i) =>
      this.actions.colour(i === "" ? null : this.paints[Number(i)] ?? null)));
  }

  /** The next colouring, after the last one by body again. */
  nextColour(): void {
    const select = this.colours.querySelector("select")!;
    select.selectedIndex = (select.selectedIndex + 1) % select.length;
    select.dispatchEvent(new Event("change"));
  }

  toggleContacts(): void {
    this.contactsButton.click();
  }

  showTime(time: number, step: number): void {
    this.time.textContent = time.toFixed(3);
    this.step.textContent = `step ${step.toLocaleString("en")}`;
    this.step.dataset.step = String(step);
  }

  showPaused(paused: boolean): void {
    if (this.paused === paused) return;
    this.paused = paused;
    this.play.querySelector("path")!.setAttribute("d", paused ? PLAY : PAUSE);
    this.play.setAttribute("aria-label", paused ? "Play" : "Pause");
    this.stepButton.disabled = !paused;
  }

  /** A speed that is not offered, set by somebody else, is shown as it is. */
  showSpeed(factor: number): void {
    if (!(factor > 0) || document.activeElement === this.speed || Number(this.speed.value) === factor) return;
    if (![...this.speed.options].some((o) => Number(o.value) === factor)) this.speed.append(html("option", { value: factor }, `${factor}×`));
    this.speed.value = String(factor);
  }
}

function iconButton(kind: string, path: string, label: string, title: string, press: () => void): HTMLButtonElement {
  const button = html("button", { type: "button", class: kind, "aria-label": label, title });
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"></path></svg>`;
  button.addEventListener("click", (event) => {
    press();
    releaseFocus(button, event);
  });
  return button;
}
