"""What runs are judged by: from where cables have been alone, with the same code for every engine."""

from __future__ import annotations

import json
import math
import os
from functools import cache

import numpy as np

from jobs import CAPSTAN, ROOT

# longer than this, of its own length, no cable of these jobs becomes (they are stretched by 2 % at the most, but for the knot)
STRETCH = 0.5


def judge(job: dict, result: dict) -> dict:
    """What a run has come to: figures by name, and `wrong`, why it is no solution of its job, if it is none."""
    frames, times = result.get("frames") or [], np.array(result.get("times") or [])
    found: dict = {"wrong": result.get("failed")}
    if result.get("simulated"):
        found["ms"] = 1e3 * result["seconds"] * 0.01 / result["simulated"]
    if not frames or (found["wrong"] and not (job["name"] == "capstan" and "apart" in found["wrong"])):
        return found
    found |= JUDGES[job["name"]](job, frames, times)
    return found


def polylines(frames: list, cable: int = 0) -> np.ndarray:
    return np.array([frame[cable] for frame in frames])


def length(nodes: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(nodes, axis=0), axis=1).sum())


def hang(job: dict, frames: list, times: np.ndarray) -> dict:
    """How far the tip is from where an independent solution has it, at 0.3 s."""
    whole = length(np.array(job["cables"][0]))
    lengths = [length(nodes) / whole for nodes in polylines(frames)]
    found: dict = {"stretch": max(lengths) - 1.0}
    if max(lengths) > 1.0 + 0.1:
        found["wrong"] = f"stretched by {100.0 * (max(lengths) - 1.0):.0f} %"
    at = int(np.argmin(np.abs(times - 0.3)))
    if abs(times[at] - 0.3) < 1e-6:
        found["error"] = float(np.linalg.norm(polylines(frames)[at, -1] - [0.0, 0.0, 0.5] - swing())) / whole
    return found


@cache
def swing() -> np.ndarray:
    """The tip of the cable that is let go from the horizontal after 0.3 s, relative to its clamp.

    Points with masses, springs between them along the cable, and angles at them that resist bending, in the plane, without any damping, by
    the method of Runge and Kutta of fourth order; with 24 and 48 edges, and from both what more would give (the error is of second order).
    """
    young, density, radius, whole = 4.462e6, 1100.0, 0.002, 0.4
    area, second = math.pi * radius**2, 0.25 * math.pi * radius**4

    def tip(count: int) -> np.ndarray:
        # the clamp is in the middle of an edge: a node half an edge behind it, and one in front of it, cannot move
        edge = whole / (count - 0.5)
        x = np.stack([(np.arange(count + 1) - 0.5) * edge, np.zeros(count + 1)], axis=1)
        mass = np.full(count + 1, density * area * edge)
        mass[-1] *= 0.5
        along, bending = young * area / edge, young * second / edge

        def acceleration(x: np.ndarray) -> np.ndarray:
            way = np.diff(x, axis=0)
            size = np.linalg.norm(way, axis=1)
            unit = way / size[:, None]
            # tension of edges, and the angle at each node between
            pull = along * (size - edge)[:, None] * unit
            cross = unit[:-1, 0] * unit[1:, 1] - unit[:-1, 1] * unit[1:, 0]
            angle = np.arctan2(cross, (unit[:-1] * unit[1:]).sum(1))
            moment = bending * angle
            # a moment at a node turns the edges beside it against each other: forces across them
            across = np.stack([-unit[:, 1], unit[:, 0]], axis=1) / size[:, None]
            couple = np.zeros(count)
            couple[:-1] += moment
            couple[1:] -= moment
            force = np.zeros_like(x)
            force[:-1] += pull - couple[:, None] * across
            force[1:] += -pull + couple[:, None] * across
            a = force / mass[:, None]
            a[:, 1] -= 9.81
            a[:2] = 0.0
            return a

        v = np.zeros_like(x)
        dt = 0.4 * edge / math.sqrt(young / density)
        steps = math.ceil(0.3 / dt)
        dt = 0.3 / steps
        for _ in range(steps):
            k1 = acceleration(x)
            k2 = acceleration(x + 0.5 * dt * v)
            k3 = acceleration(x + 0.5 * dt * v + 0.25 * dt * dt * k1)
            k4 = acceleration(x + dt * v + 0.5 * dt * dt * k2)
            x = x + dt * v + dt * dt / 6.0 * (k1 + k2 + k3)
            v = v + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return x[-1]

    coarse, fine = tip(24), tip(48)
    x, z = fine + (fine - coarse) / 3.0
    return np.array([x, 0.0, z])


def cantilever(job: dict, frames: list, times: np.ndarray) -> dict:
    """How far the tip is from the heavy elastica's, over the length, and whether it has come to rest."""
    with open(os.path.join(ROOT, "references", "rods_static.json")) as file:
        known = next(row for row in json.load(file)["heavy_cantilever_horizontal"] if row["Gamma"] == 10)
    whole = length(np.array(job["cables"][0]))
    nodes = polylines(frames)
    tip = np.array([known["x_tip"], 0.0, known["y_tip"]]) * whole
    found: dict = {"error": float(np.linalg.norm(nodes[-1, -1] - tip)) / whole}
    if len(nodes) < 2 or float(np.linalg.norm(nodes[-1, -1] - nodes[-2, -1])) > 1e-3 * whole:
        found["wrong"] = "does not come to rest"
    return found


def depths(job: dict, nodes: np.ndarray) -> float:
    """The deepest place of a cable in the drum or the ground [m], with its edges."""
    deepest = -math.inf
    if job["drum"]:
        drum = job["drum"]
        flat = nodes[:, [0, 2]] - np.array(drum["centre"])[[0, 2]]
        a, way = flat[:-1], flat[1:] - flat[:-1]
        at = np.clip(-(a * way).sum(1) / np.maximum((way * way).sum(1), 1e-30), 0.0, 1.0)
        nearest = np.linalg.norm(a + at[:, None] * way, axis=1)
        beside = np.abs(nodes[:-1, 1] - drum["centre"][1]) < 0.5 * drum["length"]
        deepest = max(deepest, float(np.where(beside, drum["radius"] + job["radius"] - nearest, -math.inf).max()))
    if job["ground"]:
        deepest = max(deepest, float(job["radius"] - nodes[:, 2].min()))
    return deepest


def winding(job: dict, frames: list, times: np.ndarray) -> dict:
    """Turns on the drum, how deep the cable has been in it, and how much longer than it should be it has become."""
    nodes = polylines(frames)
    flat = nodes[-1][:, [0, 2]] - np.array(job["drum"]["centre"])[[0, 2]]
    angles = np.unwrap(np.arctan2(flat[:, 1], flat[:, 0]))
    turns = abs(angles[-1] - angles[0]) / (2.0 * math.pi)
    whole = length(np.array(job["cables"][0]))
    found: dict = {
        "turns": turns,
        "depth": max(0.0, max(depths(job, n) for n in nodes)),
        "stretch": length(nodes[-1]) / whole - 1.0,
    }
    # two turns, and the angle under which the free length is seen from the axis
    if abs(turns - 2.22) > 0.1:
        found["wrong"] = f"{turns:.1f} turns instead of 2.2"
    elif found["stretch"] > 0.2:
        found["wrong"] = f"stretched by {100.0 * found['stretch']:.0f} % instead of 2 %"
    return found


def capstan(job: dict, frames: list, times: np.ndarray) -> dict:
    """The pull at which the weight begins to rise by a centimetre a second, against the law for a cable of this thickness."""
    nodes = polylines(frames)
    with open(os.path.join(ROOT, "references", "capstan.json")) as file:
        rows = json.load(file)["coulomb_finite_thickness"]
    known = next(r["T_over_T0"] for r in rows if r["mu"] == CAPSTAN["friction"] and r["r_over_R"] == 0.1 and r["theta_over_pi"] == 1.0)
    # of the weight's end, over five pictures
    over = 5
    rise = (nodes[over:, 0, 2] - nodes[:-over, 0, 2]) / (times[over:] - times[:-over])
    late = np.flatnonzero((rise > 0.01) & (times[over:] > CAPSTAN["begin"] + 0.1))
    still = times < CAPSTAN["begin"] + 0.1
    found: dict = {"depth": max(0.0, max(depths(job, n) for n in nodes[times < 1.2]))}
    creep = abs(nodes[:, 0, 2] - nodes[np.flatnonzero(still)[-1], 0, 2])
    if not len(late):
        found["wrong"] = "does not slide at four times the weight" if len(times) and times[-1] > 3.9 else "no longer finite before it slides"
        return found
    # when the rise began, half of those pictures earlier
    begun = times[over + late[0]] - 0.5 * (times[over] - times[0])
    ratio = (CAPSTAN["weight"] + CAPSTAN["rate"] * (begun - CAPSTAN["begin"])) / CAPSTAN["weight"]
    found |= {"ratio": ratio, "error": abs(ratio / known - 1.0), "creep": float(creep[late[0]]), "wrong": None}
    return found


def many(job: dict, frames: list, times: np.ndarray) -> dict:
    cables = [np.array(cable) for cable in frames[-1]]
    deepest = max(depths(job, cable) for cable in cables)
    lowest = min(depths(job, cable) for cable in cables)
    found: dict = {"depth": max(0.0, deepest), "stretch": max(abs(length(cable) / 0.4 - 1.0) for cable in cables)}
    if deepest > job["radius"] or lowest < -job["radius"]:
        found["wrong"] = "not on the ground"
    return found


def knot(job: dict, frames: list, times: np.ndarray) -> dict:
    """Whether it is still an overhand knot, and how deep it has been in itself."""
    nodes = polylines(frames)
    whole = length(np.array(job["cables"][0]))
    found: dict = {
        "depth": max(0.0, max(inside(job, n) for n in nodes[::5])),
        "stretch": length(nodes[-1]) / whole - 1.0,
        "left": free(nodes[-1]),
    }
    kept = [determinant(n) for n in nodes[:: max(1, len(nodes) // 20)]]
    if any(d != 3 for d in kept):
        found["wrong"] = "passes through itself: no longer a knot"
    elif found["stretch"] > STRETCH:
        found["wrong"] = f"stretched by {100.0 * found['stretch']:.0f} %"
    return found


def free(nodes: np.ndarray) -> float:
    """The distance of the ends."""
    return float(np.linalg.norm(nodes[-1] - nodes[0]))


def inside(job: dict, nodes: np.ndarray) -> float:
    """How deep a cable is in itself [m]: of edges more than three diameters apart along it, so that a bend does not count."""
    starts, ends = nodes[:-1], nodes[1:]
    middle = 0.5 * (np.concatenate([[0.0], np.cumsum(np.linalg.norm(ends - starts, axis=1))[:-1]]) * 2.0 + np.linalg.norm(ends - starts, axis=1))
    i, j = np.triu_indices(len(starts), 1)
    far = middle[j] - middle[i] > 6.0 * job["radius"] + 0.5 * np.linalg.norm(ends - starts, axis=1).max()
    i, j = i[far], j[far]
    near = np.linalg.norm(0.5 * (starts[i] + ends[i]) - 0.5 * (starts[j] + ends[j]), axis=1) < 4.0 * job["radius"] + np.linalg.norm(
        ends - starts, axis=1
    ).max()
    i, j = i[near], j[near]
    if not len(i):
        return -math.inf
    return 2.0 * job["radius"] - float(distances(starts[i], ends[i], starts[j], ends[j]).min())


def distances(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Distances of pairs of line segments: the least of the inner place and of each end to the other segment."""

    def to_segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        way = b - a
        t = np.clip(((p - a) * way).sum(1) / np.maximum((way * way).sum(1), 1e-30), 0.0, 1.0)
        return np.linalg.norm(p - a - t[:, None] * way, axis=1)

    least = np.min([to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)], axis=0)
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = (u * u).sum(1), (u * v).sum(1), (v * v).sum(1), (u * w).sum(1), (v * w).sum(1)
    size = uu * vv - uv * uv
    safe = np.maximum(size, 1e-30)
    s, t = (uv * vw - vv * uw) / safe, (uu * vw - uv * uw) / safe
    within = (size > 1e-12 * uu * vv) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    return np.where(within, np.minimum(least, np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1)), least)


def determinant(nodes: np.ndarray) -> int:
    """The determinant of the knot that a cable is when its ends are joined far away: 1 of none, 3 of an overhand knot.

    It is |Alexander's polynomial at -1|: of the matrix with a row for each crossing of a projection, 2 for the arc that goes over and -1 for each
    of the two that end there, without one row and column.
    """
    centre = nodes.mean(axis=0)
    reach = 10.0 * np.linalg.norm(nodes - centre, axis=1).max()
    first = nodes[0] + reach * (nodes[0] - centre) / np.linalg.norm(nodes[0] - centre)
    last = nodes[-1] + reach * (nodes[-1] - centre) / np.linalg.norm(nodes[-1] - centre)
    aside = np.cross(first - last, [0.3, 0.5, 0.8])
    aside *= 5.0 * reach / np.linalg.norm(aside)
    closed = np.vstack([first, nodes, last, last + aside, first + aside])
    # seen from a direction in which nothing special lies
    turned = closed @ np.linalg.qr(np.random.default_rng(7).normal(size=(3, 3)))[0]
    p, q = turned, np.roll(turned, -1, axis=0)
    count = len(p)
    i, j = np.triu_indices(count, 2)
    i, j = i[~((i == 0) & (j == count - 1))], j[~((i == 0) & (j == count - 1))]
    u, v, w = (q[i] - p[i]), (q[j] - p[j]), (p[j] - p[i])
    size = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / size
        t = (w[:, 0] * u[:, 1] - w[:, 1] * u[:, 0]) / size
    cross = np.flatnonzero((s > 0) & (s < 1) & (t > 0) & (t < 1))
    if len(cross) < 3:
        return 1
    # along the curve: where it goes under, and over
    under, over = [], []
    for k in cross:
        above = p[i[k], 2] + s[k] * u[k, 2] > p[j[k], 2] + t[k] * v[k, 2]
        a, b = (i[k] + s[k], j[k] + t[k]) if above else (j[k] + t[k], i[k] + s[k])
        over.append(a)
        under.append(b)
    breaks = np.sort(under)

    def arc(place: float) -> int:
        return int(np.searchsorted(breaks, place, side="right")) % len(breaks)

    matrix = np.zeros((len(cross), len(cross)))
    for row, (a, b) in enumerate(zip(over, under)):
        matrix[row, arc(a)] += 2.0
        end = int(np.searchsorted(breaks, b))
        matrix[row, end % len(breaks)] -= 1.0
        matrix[row, (end + 1) % len(breaks)] -= 1.0
    return round(abs(np.linalg.det(matrix[1:, 1:])))


def bar(job: dict, frames: list, times: np.ndarray) -> dict:
    """How far the end has come down, against Timoshenko's beam under its weight: w L^4 / (8 E I) + 6 w L^2 / (10 G A)."""
    whole, side, _ = job["bar"]["size"]
    material = job["material"]
    weight = material["density"] * side**2 * job["gravity"]
    known = weight * whole**4 / (8.0 * material["young"] * side**4 / 12.0) + 0.6 * weight * whole**2 / (material["shear"] * side**2)
    tips = polylines(frames)[:, -1, 2]
    found: dict = {"error": abs(-tips[-1] / known - 1.0)}
    if len(tips) < 2 or abs(tips[-1] - tips[-2]) > 1e-3 * known:
        found["wrong"] = "does not come to rest"
    return found


JUDGES = {"bar": bar, "hang": hang, "cantilever": cantilever, "winding": winding, "capstan": capstan, "many": many, "knot": knot}
