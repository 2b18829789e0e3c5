// The live page: puts the parts together and passes on what the server says and what the user does.

import { button, choice, html } from "../dom";
import { seconds } from "../format";
import { canDraw } from "../view";
import { Bar } from "./bar";
import { Connection, type Listener } from "./connection";
import { fetchScenes, Gallery, MODEL_OPTIONS } from "./gallery";
import { listenToGamepads } from "./gamepad";
import { Hands } from "./hands";
import { buildHelp } from "./help";
import { listenToKeys } from "./keys";
import { Panel } from "./panel";
import { listenToPointers } from "./pointer";
import type { Hello, Incoming, Layout, Outgoing, Status } from "./protocol";
import { RunningPlots } from "./running";
import { Saving } from "./saving";
import { Strip } from "./strip";
import { LiveView } from "./view";
import { LiveWorld } from "./world";
import { offerHeadset } from "./xr";

const EVENTS_KEPT = 40;
/** What the user has just chosen is shown at once, and for this long (ms) against older news. */
const TRUST = 400;
/** A world that plays but sends no frames for this long (ms) is not live. */
const QUIET = 3000;

class LivePage implements Listener {
  private readonly connection: Connection;
  private readonly hands: Hands;
  private readonly view: LiveView | null;
  private readonly bar: Bar;
  private readonly strip = new Strip();
  private readonly panel = new Panel((message) => this.send(message));
  private readonly plots = new RunningPlots();
  private readonly gallery = new Gallery((name, model) => this.load(name, model));
  private readonly help = buildHelp();
  private readonly heading = html("h1", {}, "Pliant");
  private readonly badge = html("span", { class: "badge fair", role: "status" }, "Connecting …");
  private readonly modelChoice = choice("Model", MODEL_OPTIONS, "", (model) => this.load(this.scene, model || null));
  private readonly buttons = html("div", { class: "options" });
  private readonly lost = html("p", { class: "notice lost", role: "status", hidden: true }, "Connection lost, trying again …");
  private readonly banner = html("div", { class: "banner", role: "alert", hidden: true });
  private readonly toast = html("p", { class: "toast", role: "status", hidden: true });
  private readonly events = html("ol", { class: "events" });
  private readonly saving: Saving;

  private hello: Hello | null = null;
  private status: Status | null = null;
  private world: LiveWorld | null = null;
  /** The world that is on the screen; another one until the first frame of a new layout is there. */
  private shown: LiveWorld | null = null;
  private scene = "";
  /** The next layout has been announced by a hello, which says what it is called. */
  private greeted = false;
  private paused = false;
  // the user has said nothing yet: what the server says first is believed however early it comes
  private trusted = -Infinity;
  private lastFrame = 0;
  private toastTimer = 0;
  private online = false;
  /** Frames of another layout, or damaged. */
  private skipped = 0;

  constructor() {
    this.hands = new Hands((message) => this.send(message), (point) => this.shown!.outside(point), () => this.view?.redraw());
    this.view = canDraw() ? new LiveView(() => this.readLatest()) : null;
    if (this.view) this.view.hands = this.hands;
    this.saving = new Saving(this.view, () => this.scene || "pliant");
    this.bar = new Bar({
      playOrPause: () => this.playOrPause(),
      step: () => this.step(),
      reset: () => this.reset(),
      speed: (factor) => {
        this.trusted = performance.now();
        this.send({ type: "speed", factor });
      },
      colour: (paint) => this.view?.colourBy(paint),
      contacts: (on) => this.view?.showContacts(on),
      wholeView: () => this.view?.resetCamera(),
    });
    document.body.append(...this.build());
    this.listen();
    setInterval(() => this.showStatus(), 250);
    this.connection = new Connection(this);
  }

  // What the server says

  connected(on: boolean): void {
    this.online = on;
    this.lost.hidden = on;
    if (!on) this.hands.forget();
    this.view?.element.classList.toggle("away", !on);
    this.showBadge();
  }

  frame(): void {
    this.lastFrame = performance.now();
    if (this.view) this.view.redraw();
    else requestAnimationFrame(() => this.readLatest());
  }

  message(message: Incoming): void {
    switch (message.type) {
      case "hello":
        this.hello = message;
        this.greeted = true;
        this.hands.viewer = message.viewer;
        this.setScene(message.scene, message.title);
        if (message.version !== 2) this.say(`This page speaks version 2, the server version ${message.version}: reload the page.`);
        break;
      case "layout": return this.hearLayout(message);
      case "status": return this.hearStatus(message);
      case "event": return this.hearEvent(message.time, message.text);
      case "went_back":
        this.hands.dropAll();
        this.hearEvent(message.time, `went back: ${message.why}`);
        this.say(`A step failed, and the world went back to ${seconds(Number(message.time.toFixed(3)))}: ${message.why}`);
        break;
      case "refused":
        this.hands.refused();
        this.say(message.why);
        break;
    }
  }

  private hearLayout(layout: Layout): void {
    const world = new LiveWorld(layout);
    const same = this.shown !== null && world.resembles(this.shown);
    if (same) world.origin.copy(this.shown!.origin);
    else {
      if (!this.greeted) this.findScene();
      this.hands.forget();
    }
    this.greeted = false;
    this.world = world;
    this.panel.setLayout(layout, same);
  }

  private hearStatus(status: Status): void {
    this.status = status;
    this.hands.hear(status.hands);
    if (this.view) {
      this.view.used.clear();
      for (const { hand, held_by, device, gripping, force } of status.hands) {
        if (held_by !== null || device) this.view.used.add(hand);
        this.view.felt[hand] = gripping === null ? NaN : Math.hypot(...force);
      }
    }
    this.believe(status.paused);
    if (performance.now() - this.trusted > TRUST) this.bar.showSpeed(status.speed);
    this.showFailure(status.failure);
    this.saving.showRecording(status.recording);
  }

  private hearEvent(time: number, text: string): void {
    this.events.prepend(html("li", {}, html("b", {}, seconds(Number(time.toFixed(3)))), html("span", {}, text)));
    while (this.events.children.length > EVENTS_KEPT) this.events.lastChild!.remove();
  }

  /** Brings the world to the latest frame. */
  private readLatest(): void {
    const frame = this.connection.take();
    const { world, view } = this;
    if (!frame || !world) return;
    const before = world.time;
    if (!world.read(frame)) {
      this.skipped++;
      return;
    }
    if (world !== this.shown) this.showWorld(world);
    else if (world.time < before) this.startOver();
    this.bar.showTime(world.time, world.step);
    this.believe(world.paused);
    this.plots.follow(performance.now());
    view?.refresh();
  }

  /** The first frame of a layout is there, so its world can be shown. */
  private showWorld(world: LiveWorld): void {
    const same = this.shown !== null && world.resembles(this.shown);
    const box = same ? null : world.bounds();
    if (box) world.recentre(box.getCenter(world.origin.clone()).add(world.origin));
    const before = this.shown?.time ?? 0;
    this.shown = world;
    this.view?.setLive(world, box);
    this.bar.setPaints(this.view?.ranges.paints ?? [], this.view?.paintNow ?? null);
    this.plots.setWorld(world, same);
    if (world.time < before) this.startOver();
  }

  /** Time went back: what was gathered belongs to another run. */
  private startOver(): void {
    this.view?.forget();
    this.plots.clear();
  }

  // What the user does

  private send(message: Outgoing): boolean {
    return this.connection?.send(message) ?? false;
  }

  private playOrPause(): void {
    if (!this.send({ type: this.paused ? "play" : "pause" })) return;
    this.trusted = performance.now();
    this.setPaused(!this.paused);
  }

  private step(): void {
    if (this.paused) this.send({ type: "step", count: 1 });
  }

  private reset(): void {
    this.hands.dropAll();
    this.send({ do: "reset" });
  }

  private load(name: string, model: string | null): void {
    this.hands.dropAll();
    if (name) this.send({ type: "scene", name, model });
    this.modelChoice.querySelector("select")!.value = model ?? "";
  }

  private canHold(): boolean {
    return this.online && this.shown !== null && this.hello?.can_hold !== false;
  }

  // What the page shows

  private setScene(scene: string, title: string): void {
    this.scene = scene;
    this.heading.textContent = title || scene || "Pliant";
    document.title = `${title || scene} · Pliant live`;
  }

  /** A layout of other things without a new hello: ask what it is called. */
  private findScene(): void {
    fetchScenes().then(({ scenes, current }) => {
      if (current) this.setScene(current, scenes.find(({ name }) => name === current)?.title ?? current);
    }, () => {});
  }

  /** News about being paused, unless the user has just said otherwise. */
  private believe(paused: boolean): void {
    if (performance.now() - this.trusted > TRUST) this.setPaused(paused);
  }

  private setPaused(paused: boolean): void {
    if (paused && !this.paused) this.plots.draw();
    this.paused = paused;
    this.bar.showPaused(paused);
    this.showBadge();
  }

  private showBadge(): void {
    const failed = this.status?.failure;
    const [mood, text] = !this.online ? ["fair", this.hello ? "Reconnecting …" : "Connecting …"]
      : failed ? ["bad", "Failed"] : this.paused ? ["fair", "Paused"]
      : performance.now() - this.lastFrame > QUIET ? ["fair", "Waiting for frames …"] : ["good", "Live"];
    this.badge.className = `badge ${mood}`;
    if (this.badge.textContent !== text) this.badge.textContent = text!;
  }

  private showFailure(failure: string | null): void {
    this.banner.hidden = failure === null;
    const words = this.banner.querySelector("p")!;
    if (failure !== null && words.textContent !== failure) words.textContent = failure;
    this.showBadge();
  }

  private showStatus(): void {
    const models = [...new Set(this.shown?.bodies.map(({ model }) => model).filter(Boolean))].join(", ") || "–";
    const { work = 0, prepare = 0, rate = 0 } = this.view?.meter ?? {};
    this.strip.show(this.hello, this.scene || "–", this.status, { work, prepare, rate, models, contacts: this.shown?.contactCount ?? 0 }, this.hands.viewer);
    const dropped = this.connection.dropped + this.skipped;
    this.strip.element.dataset.dropped = String(dropped);
    this.showBadge();
  }

  private say(text: string): void {
    this.toast.textContent = text;
    this.toast.hidden = false;
    clearTimeout(this.toastTimer);
    this.toastTimer = window.setTimeout(() => (this.toast.hidden = true), 6000);
  }

  private build(): HTMLElement[] {
    const scenes = button("Scenes", "Choose another scene (g)", () => void this.gallery.open());
    const help = button("?", "Keys and gestures (h)", () => this.toggleHelp());
    help.setAttribute("aria-label", "Help");
    this.buttons.append(this.modelChoice, scenes, help);
    const again = html("button", { type: "button" }, "Reset");
    again.addEventListener("click", () => this.reset());
    this.banner.append(html("p", {}), again);
    const header = html("header", { class: "live" }, html("div", { class: "headline" }, this.heading, this.badge), this.buttons);
    const noView = html("div", { class: "message" }, html("p", {}, "This browser offers no WebGL 2, so there is no 3D picture. The plots and sliders work as usual."));
    const stage = html("section", { class: "stage" }, this.banner, this.lost, this.view?.element ?? noView, this.bar.element, this.strip.element);
    this.view?.element.append(this.toast);
    const aside = html("aside", {},
      section("Change", this.panel.element), section("Plots", this.plots.element), section("Save", this.saving.element), section("Events", this.events));
    return [header, html("main", {}, stage, aside), this.gallery.dialog, this.help];
  }

  private toggleHelp(): void {
    if (this.help.open) this.help.close();
    else this.help.showModal();
  }

  private listen(): void {
    const { view, hands } = this;
    listenToKeys({
      playOrPause: () => this.playOrPause(),
      step: () => this.step(),
      reset: () => this.reset(),
      nextColour: () => this.bar.nextColour(),
      contacts: () => this.bar.toggleContacts(),
      wholeView: () => view?.resetCamera(),
      gallery: () => void this.gallery.open(),
      picture: () => this.saving.picture(),
      drop: () => hands.dropAll(),
      help: () => this.toggleHelp(),
    });
    // Nobody who leaves goes on holding.
    window.addEventListener("pagehide", () => hands.dropAll());
    window.addEventListener("blur", () => {
      // A headset takes the focus away from the window while its hands go on.
      if (!view?.renderer.xr.isPresenting) hands.dropAll();
    });
    if (!view) return;
    const canHold = () => this.canHold();
    listenToPointers(view, hands, canHold);
    listenToGamepads(view, hands, canHold);
    void offerHeadset(view, hands, { canHold, problem: (text) => this.say(text), beforePicture: () => view.redraw() })
      .then((button) => button && this.buttons.prepend(button));
  }
}

function section(title: string, ...content: HTMLElement[]): HTMLElement {
  return html("section", {}, html("h2", {}, title), ...content);
}

new LivePage();
