// The pull of a hand of this page: a line from the hand to the place it holds, and the force beside it.

import {
  CanvasTexture, CylinderGeometry, Group, Mesh, MeshBasicMaterial, SphereGeometry, Sprite, SpriteMaterial, SRGBColorSpace, Vector3, type Camera,
} from "three";
import { html } from "../dom";
import { value } from "../format";

const COLOUR = "#e0533d";
const UP = new Vector3(0, 1, 0);

export class Pull {
  readonly object = new Group();
  readonly label = html("output", { class: "pull", "aria-live": "off", hidden: true });
  private readonly line: Mesh;
  private readonly ends: Mesh[];
  private readonly along = new Vector3();
  private readonly screen = new Vector3();
  private readonly at = new Vector3();
  private readonly paper = Object.assign(document.createElement("canvas"), { width: 512, height: 128 });
  private readonly ink = new CanvasTexture(this.paper);
  private readonly sign = new Sprite(new SpriteMaterial({ map: this.ink, depthTest: false, transparent: true }));
  private text = "";
  private printed = "";

  constructor() {
    // Drawn over everything: what one holds must be seen, wherever it is.
    const red = new MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true });
    this.line = new Mesh(new CylinderGeometry(1, 1, 1, 8, 1, true).translate(0, 0.5, 0), red);
    this.ends = [new Mesh(new SphereGeometry(1, 16, 12), red), new Mesh(new SphereGeometry(1, 16, 12), red)];
    this.ink.colorSpace = SRGBColorSpace;
    this.sign.renderOrder = 11;
    this.object.add(this.line, ...this.ends, this.sign);
    this.object.visible = false;
    for (const mesh of [this.line, ...this.ends]) mesh.renderOrder = 10;
  }

  /** The force in words within the world: a headset shows nothing that lies over the page. */
  printInside(size: number): void {
    const context = this.paper.getContext("2d");
    this.sign.visible = context !== null;
    if (!context) return;
    if (this.printed !== this.text) {
      this.printed = this.text;
      context.clearRect(0, 0, this.paper.width, this.paper.height);
      context.font = "600 72px system-ui, sans-serif";
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.lineWidth = 14;
      context.strokeStyle = "#ffffff";
      context.strokeText(this.text, this.paper.width / 2, this.paper.height / 2);
      context.fillStyle = COLOUR;
      context.fillText(this.text, this.paper.width / 2, this.paper.height / 2);
      this.ink.needsUpdate = true;
    }
    this.sign.position.copy(this.at).z += size * 0.6;
    this.sign.scale.set(size * 4, size, 1);
  }

  hide(): void {
    this.object.visible = false;
    this.label.hidden = true;
  }

  /** `pixel` is the length that a pixel spans: the line keeps its width on the screen. */
  show(hand: Vector3, place: Vector3, force: number, pixel: number): void {
    this.along.copy(place).sub(hand);
    const length = this.along.length();
    this.object.visible = true;
    this.line.visible = length > pixel;
    this.line.position.copy(hand);
    if (length > 0) this.line.quaternion.setFromUnitVectors(UP, this.along.divideScalar(length));
    this.line.scale.set(1.1 * pixel, length, 1.1 * pixel);
    this.ends[0]!.position.copy(hand);
    this.ends[0]!.scale.setScalar(5 * pixel);
    this.ends[1]!.position.copy(place);
    this.ends[1]!.scale.setScalar(3 * pixel);
    this.text = Number.isFinite(force) ? `${value(force, 3)} N` : "–";
    this.at.copy(hand);
    this.sign.visible = false;
  }

  /** The force in words over the picture. */
  print(camera: Camera, width: number, height: number): void {
    this.screen.copy(this.at).project(camera);
    const x = ((this.screen.x + 1) / 2) * width;
    const y = ((1 - this.screen.y) / 2) * height;
    this.label.textContent = this.text;
    this.label.hidden = !(Math.abs(this.screen.z) < 1);
    // Beside the hand, on the side with room.
    const side = x > width - 110 ? "translate(calc(-100% - 16px), -50%)" : "translate(16px, -50%)";
    this.label.style.transform = `translate(${x.toFixed(1)}px, ${Math.min(height - 16, Math.max(16, y)).toFixed(1)}px) ${side}`;
  }
}
