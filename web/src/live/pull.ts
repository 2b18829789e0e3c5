// The pull of a hand of this page: a line from the hand to the place it holds, and the force beside it.

import { CylinderGeometry, Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3, type Camera } from "three";
import { html } from "../dom";
import { value } from "../format";

const COLOUR = "#e0533d";
const UP = new Vector3(0, 1, 0);

export class Pull {
  readonly object = new Group();
  readonly label = html("output", { class: "pull", hidden: true });
  private readonly line: Mesh;
  private readonly ends: Mesh[];
  private readonly along = new Vector3();
  private readonly screen = new Vector3();

  constructor() {
    // Drawn over everything: what one holds must be seen, wherever it is.
    const red = new MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true });
    this.line = new Mesh(new CylinderGeometry(1, 1, 1, 8, 1, true).translate(0, 0.5, 0), red);
    this.ends = [new Mesh(new SphereGeometry(1, 16, 12), red), new Mesh(new SphereGeometry(1, 16, 12), red)];
    this.object.add(this.line, ...this.ends);
    this.object.visible = false;
    for (const mesh of [this.line, ...this.ends]) mesh.renderOrder = 10;
  }

  hide(): void {
    this.object.visible = false;
    this.label.hidden = true;
  }

  /** `pixel` is the length that a pixel spans: the line keeps its width on the screen. */
  show(hand: Vector3, place: Vector3, force: number, pixel: number, camera: Camera, width: number, height: number): void {
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

    this.screen.copy(hand).project(camera);
    const x = ((this.screen.x + 1) / 2) * width;
    const y = ((1 - this.screen.y) / 2) * height;
    this.label.textContent = Number.isFinite(force) ? `${value(force, 3)} N` : "–";
    this.label.hidden = !(Math.abs(this.screen.z) < 1);
    // Beside the hand, on the side with room.
    const side = x > width - 110 ? "translate(calc(-100% - 16px), -50%)" : "translate(16px, -50%)";
    this.label.style.transform = `translate(${x.toFixed(1)}px, ${Math.min(height - 16, Math.max(16, y)).toFixed(1)}px) ${side}`;
  }
}
