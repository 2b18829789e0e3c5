// The page of a robot: its links, and a slider for each joint that moves them.

import { Box3, Quaternion, Vector3 } from "three";
import { DataError, type Body, type Obstacle } from "./data";
import { button, html } from "./dom";
import { canDraw, View } from "./view";

/** x y z, then w x y z. */
type Pose = number[];
type Axis = { coordinate: number; multiplier: number; offset: number; slides: boolean; direction: number[] };
/** In an order in which parents come before what hangs on them. */
type Joint = { parent: number; child: number; origin: Pose; axes: Axis[] };
type Coordinate = { name: string; slides: boolean; lower: number | null; upper: number | null; start: number };
type Shape = { link: number; pose: Pose; vertices: number[]; triangles: number[] };
type Robot = { format: number; name: string; file: string; links: string[]; joints: Joint[]; coordinates: Coordinate[]; shapes: Shape[] };

class Place {
  constructor(readonly position = new Vector3(), readonly turn = new Quaternion()) {}

  static of([x, y, z, w, i, j, k]: Pose): Place {
    return new Place(new Vector3(x, y, z), new Quaternion(i, j, k, w));
  }

  /** Where something is that is there in this frame. */
  times(inner: Place): Place {
    return new Place(inner.position.clone().applyQuaternion(this.turn).add(this.position), this.turn.clone().multiply(inner.turn));
  }

  at(x: number, y: number, z: number): Vector3 {
    return new Vector3(x, y, z).applyQuaternion(this.turn).add(this.position);
  }
}

/** Places of all links for values of the coordinates. */
function places(robot: Robot, values: number[]): Place[] {
  const links = robot.links.map(() => new Place());
  for (const { parent, child, origin, axes } of robot.joints) {
    let place = links[parent]!.times(Place.of(origin));
    for (const { coordinate, multiplier, offset, slides, direction: [x, y, z] } of axes) {
      const value = multiplier * values[coordinate]! + offset;
      const axis = new Vector3(x, y, z);
      place = place.times(slides ? new Place(axis.multiplyScalar(value)) : new Place(new Vector3(), new Quaternion().setFromAxisAngle(axis, value)));
    }
    links[child] = place;
  }
  return links;
}

class RobotView extends View {
  private readonly lines: Joint[];
  private readonly bodies: Body[];
  private readonly props: Obstacle[];
  private readonly middle: Vector3;

  constructor(private readonly robot: Robot, links: Place[]) {
    super();
    this.lines = robot.joints.filter(({ origin: [x, y, z] }) => Math.hypot(x!, y!, z!) > 0);
    this.bodies = this.lines.map(({ child }) => ({
      name: robot.links[child]!, model: "", kind: "curve" as const, radius: 0, nodeCount: 2,
      triangles: new Uint32Array(), positions: new Float32Array(6), fields: [],
    }));
    this.props = robot.shapes.map(({ link, vertices, triangles }) => ({
      name: robot.links[link]!, kind: "mesh" as const, vertices: Float32Array.from(vertices),
      triangles: Uint32Array.from(triangles), poses: new Float32Array(7),
    }));
    const box = new Box3();
    for (const place of links) box.expandByPoint(place.position);
    for (const { link, pose, vertices } of robot.shapes) {
      const place = links[link]!.times(Place.of(pose));
      for (let i = 0; i + 2 < vertices.length; i += 3) box.expandByPoint(place.at(vertices[i]!, vertices[i + 1]!, vertices[i + 2]!));
    }
    this.middle = box.getCenter(new Vector3());
    this.move(links);
    const half = box.getSize(new Vector3()).multiplyScalar(0.6);
    this.setWorld({ bodies: this.bodies, obstacles: this.props, grippers: [] }, half, 0);
  }

  /** Brings the links to their places. */
  move(links: Place[]): void {
    const { middle } = this;
    this.lines.forEach(({ parent, child }, i) => {
      [parent, child].forEach((link, end) => links[link]!.position.clone().sub(middle).toArray(this.bodies[i]!.positions, 3 * end));
    });
    this.robot.shapes.forEach(({ link, pose }, i) => {
      const { position, turn } = links[link]!.times(Place.of(pose));
      const { x, y, z } = position.clone().sub(middle);
      this.props[i]!.poses.set([x, y, z, turn.w, turn.x, turn.y, turn.z]);
    });
    this.redraw();
  }
}

/** Ends of a slider where a joint has no limits. */
const FAR = { turn: Math.PI, slide: 1 };

function shown({ slides }: Coordinate, value: number): string {
  return slides ? `${value.toFixed(4)} m` : `${value.toFixed(3)} rad · ${((value * 180) / Math.PI).toFixed(1)}°`;
}

function buildPage(robot: Robot): HTMLElement[] {
  document.title = `${robot.name} · Pliant`;
  const values = robot.coordinates.map(({ start }) => start);
  let links = places(robot, values);
  const view = canDraw() ? new RobotView(robot, links) : null;

  const cells = robot.links.map((name) => ({ name, where: html("td", { class: "number" }) }));
  const show = () => {
    links = places(robot, values);
    view?.move(links);
    cells.forEach(({ where }, i) => (where.textContent = links[i]!.position.toArray().map((x) => (Math.abs(x) < 5e-5 ? 0 : x).toFixed(4)).join(", ")));
  };
  const sliders = robot.coordinates.map((coordinate, i) => slider(coordinate, (value) => {
    values[i] = value;
    show();
  }));
  show();
  const reset = button("Back", "All joints to where they begin", () => {
    sliders.forEach(({ set }, i) => set(robot.coordinates[i]!.start));
  });

  const title = html("div", { class: "headline" }, html("h1", {}, robot.name), html("span", { class: "outcome" }, robot.file));
  const nothing = html("div", { class: "message", role: "status" }, html("p", {}, "This browser offers no WebGL 2, so there is no 3D picture."));
  const stage = html("section", { class: "stage" }, view?.element ?? nothing);
  const joints = html("section", {}, html("h2", {}, "Joints"), ...sliders.map(({ element }) => element), ...(sliders.length ? [reset] : [html("p", { class: "muted" }, "It has none that move.")]));
  const rows = cells.map(({ name, where }) => html("tr", {}, html("th", { scope: "row" }, name), where));
  const table = html("section", {}, html("h2", {}, "Origins of links [m]"), html("table", { class: "summary" }, html("tbody", {}, ...rows)));
  return [html("header", {}, title), html("main", {}, stage, html("aside", {}, joints, table))];
}

function slider(coordinate: Coordinate, moved: (value: number) => void): { element: HTMLElement; set: (value: number) => void } {
  const far = coordinate.slides ? FAR.slide : FAR.turn;
  const [min, max] = [coordinate.lower ?? -far, coordinate.upper ?? far];
  const input = html("input", { type: "range", min, max, step: "any", class: "slider", "aria-label": coordinate.name });
  const value = html("span", { class: "muted" });
  const set = (to: number) => {
    input.value = String(to);
    input.style.setProperty("--at", String(max > min ? (to - min) / (max - min) : 0));
    value.textContent = shown(coordinate, to);
    moved(to);
  };
  input.addEventListener("input", () => set(input.valueAsNumber));
  input.value = String(coordinate.start);
  input.style.setProperty("--at", String(max > min ? (coordinate.start - min) / (max - min) : 0));
  value.textContent = shown(coordinate, coordinate.start);
  const label = html("div", { class: "headline" }, html("h3", {}, coordinate.name), value);
  return { element: html("div", { class: "joint" }, label, html("div", { class: "slider-box" }, input)), set };
}

function readPage(): Robot {
  const text = document.getElementById("pliant-data")?.textContent;
  if (!text) throw new DataError("There is no robot in this page: it is the template that Pliant fills with data.");
  const robot: Robot = JSON.parse(text);
  if (robot?.format !== 1) throw new DataError(`The data has format ${String(robot?.format)}; this page understands format 1.`);
  return robot;
}

try {
  document.body.append(...buildPage(readPage()));
} catch (error) {
  const text = error instanceof DataError ? error.message : `This robot could not be drawn: ${(error as Error).message}`;
  document.body.append(html("main", { class: "alone" }, html("div", { class: "message", role: "status" }, html("p", {}, text))));
}
