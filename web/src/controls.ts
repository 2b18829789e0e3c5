// The playback bar below the view, and the keys.

import type { Clock } from "./clock";
import type { Paint } from "./colour";
import type { RunEvent } from "./data";
import { choice, html, releaseFocus, toggle } from "./dom";
import { seconds, timeDecimals } from "./format";
import { PAUSE, PLAY } from "./icons";
import type { Player } from "./player";

/** `view` is null where there is no 3D: time can still be moved, for the plots. */
export function buildControls(clock: Clock, events: RunEvent[], paints: Paint[], view: Player | null): HTMLElement {
  listenToKeys(clock);
  const options = html("div", { class: "options" }, speedChoice(clock));
  options.append(toggle("Loop", "Start again at the end", clock.loop, (on) => (clock.loop = on)));
  if (view) options.append(html("span", { class: "spring" }), ...viewOptions(view, paints));
  const bar = html("div", { class: "timeline" }, playButton(clock), slider(clock, events), readout(clock));
  return html("div", { class: "controls" }, bar, options);
}

function playButton(clock: Clock): HTMLElement {
  const button = html("button", { type: "button", class: "play", title: "Play or pause (space)" });
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path></path></svg>`;
  const path = button.querySelector("path")!;
  let shown: boolean | null = null;
  button.addEventListener("click", (event) => {
    clock.toggle();
    releaseFocus(button, event);
  });
  clock.listen(() => {
    if (shown === clock.playing) return;
    shown = clock.playing;
    path.setAttribute("d", shown ? PAUSE : PLAY);
    button.setAttribute("aria-label", shown ? "Pause" : "Play");
  });
  return button;
}

function slider(clock: Clock, events: RunEvent[]): HTMLElement {
  const input = html("input", {
    type: "range", min: clock.start, max: clock.end, step: "any", class: "slider", "aria-label": "Time",
    title: "← → step one frame, with shift ten",
  });
  input.addEventListener("input", () => clock.seek(input.valueAsNumber));
  const box = html("div", { class: "slider-box" }, input);
  const share = (time: number) => (clock.duration > 0 ? (time - clock.start) / clock.duration : 0);
  for (const event of events) {
    const at = share(event.time);
    if (!(at >= 0 && at <= 1)) continue;
    const tick = html("button", { type: "button", class: "event-tick", tabindex: -1, title: `${seconds(event.time)}: ${event.text}` });
    tick.style.setProperty("--at", String(at));
    tick.addEventListener("click", () => clock.seek(event.time));
    box.append(tick);
  }
  clock.listen(() => {
    input.value = String(clock.time);
    box.style.setProperty("--at", String(share(clock.time)));
  });
  return box;
}

function readout(clock: Clock): HTMLElement {
  const decimals = timeDecimals(clock.duration);
  const now = html("output", { class: "time" });
  clock.listen(() => (now.textContent = clock.time.toFixed(decimals)));
  return html("div", { class: "readout" }, now, html("span", {}, ` / ${clock.end.toFixed(decimals)} s`));
}

function speedChoice(clock: Clock): HTMLElement {
  // Runs much shorter or longer than a few seconds need more than the usual speeds.
  const speeds = [0.1, 0.25, 0.5, 1, 2];
  if (clock.duration < 0.5) speeds.unshift(0.001, 0.01);
  if (clock.duration > 60) speeds.push(10);
  const options = speeds.map((speed) => ({ value: String(speed), text: `${speed}×` }));
  return choice("Speed", options, "1", (speed) => (clock.speed = Number(speed)));
}

function viewOptions(view: Player, paints: Paint[]): HTMLElement[] {
  const reset = html("button", { type: "button", title: "Bring the camera back to the whole run" }, "Reset view");
  reset.addEventListener("click", (event) => {
    view.resetCamera();
    releaseFocus(reset, event);
  });
  const fields = paints.map((paint, i) => ({ value: String(i), text: paint.name }));
  // The scene may name a quantity to begin with.
  const first = paints.findIndex(({ name }) => name === view.firstColour);
  if (first >= 0) view.colourBy(paints[first]!);
  return [
    choice("Colour", [{ value: "", text: "by body" }, ...fields], first >= 0 ? String(first) : "", (index) =>
      view.colourBy(index === "" ? null : paints[Number(index)]!),
    ),
    toggle("Trace", "Overlay the shapes at eight instants of the run", false, (on) => view.trace(on)),
    reset,
  ];
}

function listenToKeys(clock: Clock): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    // Controls that have a use of their own for a key keep it; the slider shares ours.
    if (target.closest("select") || (event.key === " " && target.closest("button, a"))) return;
    const stride = event.shiftKey ? 10 : 1;
    if (event.key === " ") clock.toggle();
    else if (event.key === "ArrowLeft") clock.step(-stride);
    else if (event.key === "ArrowRight") clock.step(stride);
    else return;
    event.preventDefault();
  });
}
