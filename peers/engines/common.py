"""What the programs of all engines have in common: they read a job, run it, time the engine alone, and write down where cables have been.

    python ENGINE.py JOB.json RESULT.json

An engine brings a class, made from the job, with `drive(t)`, which leads what is held to where it is at that time and sets loads;
`advance()`, one step; `nodes()`, an array of nodes for each cable; `steps` of how long [s]; and `version`. Only `advance` is timed.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np


class Course:
    """Rows in time, one each millisecond, or one for all times."""

    def __init__(self, rows: list, spacing: float = 1e-3) -> None:
        self.rows, self.spacing = np.array(rows, dtype=float), spacing

    @property
    def moves(self) -> bool:
        return len(self.rows) > 1

    def at(self, t: float) -> np.ndarray:
        u = min(max(t / self.spacing, 0.0), len(self.rows) - 1.0)
        i = min(int(u), max(len(self.rows) - 2, 0))
        if len(self.rows) == 1:
            return self.rows[0]
        return self.rows[i] + (u - i) * (self.rows[i + 1] - self.rows[i])


class Held:
    """An end that is held."""

    def __init__(self, told: dict) -> None:
        self.cable, self.first, self.oriented = told["cable"], told["at"] == "start", told["oriented"]
        self.place = Course(told["places"])
        self.direction = Course(told["directions"]) if told["directions"] else None
        self.turns = [np.array([1.0, 0.0, 0.0, 0.0])]
        if self.direction:
            # carried along without roll: the least rotation from the first direction to a later one would spin where they are opposite
            ways = self.direction.rows / np.linalg.norm(self.direction.rows, axis=1)[:, None]
            for before, after in zip(ways, ways[1:]):
                self.turns.append(times(turn(before, after), self.turns[-1]))

    def turned(self, t: float) -> np.ndarray:
        """How it has turned since the start, w x y z."""
        return self.turns[min(max(round(t / self.place.spacing), 0), len(self.turns) - 1)]

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray | None]:
        if self.direction is None:
            return self.place.at(t), None
        along = self.direction.at(t)
        return self.place.at(t), along / np.linalg.norm(along)


class Load:
    """A force on an end."""

    def __init__(self, told: dict) -> None:
        self.cable, self.first = told["cable"], told["at"] == "start"
        self.force = Course(told["forces"])


def turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The least rotation from one direction to another, w x y z."""
    w = 1.0 + float(start @ end)
    q = np.array([w, *np.cross(start, end)])
    return q / np.linalg.norm(q)


def times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A product of quaternions w x y z."""
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def straddling(job: dict) -> list[np.ndarray]:
    """The cables' nodes, with edges that straddle clamps: half of the first edge lies before the clamp, half behind it.

    A clamped edge cannot bend at all. One that begins at its clamp makes a cable of 40 edges two per cent too stiff, in every engine; this is
    what someone does who wants it to be right. Cables with clamps are straight in all jobs.
    """
    made = []
    for c, told in enumerate(job["cables"]):
        nodes = np.array(told, dtype=float)
        first, last = (any(h["cable"] == c and h["oriented"] and (h["at"] == "start") == start for h in job["held"]) for start in (True, False))
        if first or last:
            count = len(nodes) - 1
            edge = (nodes[-1] - nodes[0]) / (count - 0.5 * first - 0.5 * last)
            nodes = (nodes[0] - 0.5 * edge * first) + np.arange(count + 1)[:, None] * edge
        made.append(nodes)
    return made


def between_clamps(job: dict, cables: list[np.ndarray]) -> list[np.ndarray]:
    """Such nodes without what lies behind clamps."""
    cables = [np.array(nodes, dtype=float) for nodes in cables]
    for held in job["held"]:
        if held["oriented"]:
            nodes, (i, j) = cables[held["cable"]], (0, 1) if held["at"] == "start" else (-1, -2)
            nodes[i] = 0.5 * (nodes[i] + nodes[j])
    return cables


def second_moment(job: dict) -> float:
    return 0.25 * np.pi * job["radius"] ** 4


def area(job: dict) -> float:
    return np.pi * job["radius"] ** 2


def perform(make: Any) -> None:
    """Run the job that the command line names."""
    with open(sys.argv[1]) as file:
        job = json.load(file)
    try:
        result = run(make, job)
    except Exception as e:  # noqa: BLE001  whatever an engine says is its result
        result = {"failed": f"{type(e).__name__}: {e}".split("\n")[0][:300]}
    result.setdefault("version", getattr(make, "version", ""))
    with open(sys.argv[2], "w") as file:
        json.dump(result, file)


def run(make: Any, job: dict) -> dict:
    sim = make(job)
    dt = sim.step
    # a whole number of steps in a picture, unless steps are longer than that
    each = max(1, round(job["frame"] / dt))
    count = round(job["duration"] / dt)
    spent, frames, times, done = 0.0, [], [], 0
    failed = None
    # of one thread, what the processor has spent, so that what else runs here counts less; of several, what has passed
    now_is = time.process_time if job["threads"] == 1 else time.perf_counter
    together = getattr(sim, "at_once", False)
    while done < count:
        now = min(each, count - done)
        if together:
            clock = now_is()
            sim.advance(now)
            spent += now_is() - clock
        else:
            for i in range(now):
                sim.drive((done + i + 1) * dt)
                clock = now_is()
                sim.advance()
                spent += now_is() - clock
        done += now
        nodes = [np.asarray(cable, dtype=float) for cable in sim.nodes()]
        if not all(np.isfinite(cable).all() for cable in nodes):
            failed = f"no longer finite after {done * dt:.3g} s"
            break
        if max(np.abs(cable).max() for cable in nodes) > 100.0:
            failed = f"flew apart after {done * dt:.3g} s"
            break
        times.append(done * dt)
        frames.append([np.round(cable, 9).tolist() for cable in nodes])
        # its own time, so that what else runs here does not end it
        if spent > job["patience"]:
            failed = f"stopped after {done * dt:.3g} s of motion: longer than {job['patience']:.0f} s"
            break
    return {"seconds": spent, "simulated": done * dt, "times": times, "frames": frames, "failed": failed, "step": dt, "version": sim.version}
