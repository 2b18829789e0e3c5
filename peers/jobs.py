"""The jobs that every engine gets: what they are made of, how they are driven, and for how long.

A job is a dictionary that goes to an engine's program as JSON. All lengths in metres, quaternions nowhere: an end that is held has a place
and, when its direction is held too, the direction of the cable there.
"""

from __future__ import annotations

import math
import os
import tomllib

import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
SILICONE = {"young": 4.462e6, "shear": 4.462e6 / (2.0 * 1.4999), "poisson": 0.4999, "density": 1100.0}
# of paths and forces; engines take what is between linearly [s]
SAMPLING = 1e-3
GRAVITY = 9.81
# pulls of the capstan's hand begin at the weight and grow at this rate [N/s]
CAPSTAN = {"weight": 0.5, "rate": 0.5, "begin": 0.5, "friction": 0.3}


def job(name: str, segments: int, **changes: object) -> dict:
    """A job for cables of so many segments."""
    made = {
        "name": name,
        "segments": segments,
        "gravity": GRAVITY,
        "material": dict(SILICONE),
        "radius": 0.002,
        "friction": 0.0,
        # the cables' nodes at the start, which are their natural shape as well
        "cables": [],
        # {"cable", "at": "start" or "end", "oriented", "places", "directions"}: one entry where it rests, else one each millisecond
        "held": [],
        # {"cable", "at", "forces"}: one each millisecond
        "loads": [],
        "drum": None,
        "ground": False,
        "self_contact": False,
        # rate at which velocities fade [1/s]
        "drag": 0.0,
        # what it is bent to, roughly [1/m]: for engines whose bending has no modulus
        "curvature": 5.0,
        "threads": 1,
        # time between two pictures that are judged [s]
        "frame": 0.01,
    }
    # cables that cannot stretch have their hand led along another way
    made |= winding(segments, changes.pop("stretch")) if "stretch" in changes else MAKERS[name](segments)
    made |= changes
    return made


def straight(start: list[float], end: list[float], segments: int) -> list:
    return np.linspace(start, end, segments + 1).tolist()


def hang(segments: int) -> dict:
    """A cable of 0.4 m, clamped level at one end, is let go."""
    return {
        "duration": 1.0,
        "cables": [straight([0.0, 0.0, 0.5], [0.4, 0.0, 0.5], segments)],
        "held": [{"cable": 0, "at": "start", "oriented": True, "places": [[0.0, 0.0, 0.5]], "directions": [[1.0, 0.0, 0.0]]}],
    }


def cantilever(segments: int) -> dict:
    """The same clamp, a firmer cable (4 rho g L^3 / (E r^2) = 10), and drag: it comes to rest as the heavy elastica."""
    return hang(segments) | {
        "duration": 3.0,
        "radius": 0.003,
        "material": {"young": 3.0694e7, "shear": 3.0694e7 / 2.98, "poisson": 0.49, "density": 1100.0},
        "drag": 12.0,
        "cables": [straight([0.0, 0.0, 0.0], [0.4, 0.0, 0.0], segments)],
        "held": [{"cable": 0, "at": "start", "oriented": True, "places": [[0.0, 0.0, 0.0]], "directions": [[1.0, 0.0, 0.0]]}],
        "frame": 0.1,
    }


class Winding:
    """What scenes/winding.toml says, and where its hand is at a time."""

    def __init__(self, stretch: float | None = None) -> None:
        with open(os.path.join(ROOT, "scenes", "winding.toml"), "rb") as file:
            scene = tomllib.load(file)
        body, drum = scene["body"][0], scene["obstacle"][0]
        motion = scene["gripper"][1]["motion"]["wind"]
        self.duration = scene["duration"]
        self.start, self.end = (np.array(point) for point in body["path"])
        self.drum = drum["shape"]["cylinder"] | {"centre": drum["position"], "axis": [0.0, 1.0, 0.0]}
        self.centre = np.array(drum["position"])
        self.radius = body["radius"]
        self.pitch, self.turns = motion["pitch"], motion["turns"]
        self.begin, self.period = motion["start"], motion["period"]
        self.stretched = np.linalg.norm(self.end - self.start) * (1.0 + (motion["stretch"] if stretch is None else stretch))

    def angle(self, t: float) -> float:
        """Angle wound: a constant rate with smooth ramps of a fifth of a period, as the book says of `wind`."""
        whole, ramp = 2.0 * math.pi * self.turns, 0.2 * self.period
        rate = 2.0 * math.pi / self.period
        end = whole / rate + ramp
        t -= self.begin

        def ramped(t: float) -> float:
            u = t / ramp
            return rate * ramp * u**3 * (1.0 - 0.5 * u)

        if t <= 0.0:
            return 0.0
        if t >= end:
            return whole
        if t < ramp:
            return ramped(t)
        if t > end - ramp:
            return whole - ramped(end - t)
        return rate * (t - 0.5 * ramp)

    def hand(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Where the end of the cable is held, and along what."""
        if t < self.begin:
            u = t / self.begin
            part = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
            place, along = self.wound(0.0)
            first = np.array([1.0, 0.0, 0.0])
            along = first + part * (along - first)
            return self.end + part * (place - self.end), along / np.linalg.norm(along)
        return self.wound(self.angle(t))

    def wound(self, angle: float) -> tuple[np.ndarray, np.ndarray]:
        # the cable leaves the top of the drum along x; the drum's axis is -y, so that it goes down in front
        around = self.drum["radius"] + self.radius
        radial = np.array([math.sin(angle), 0.0, math.cos(angle)])
        along = np.array([math.cos(angle), 0.0, -math.sin(angle)])
        axis = np.array([0.0, -1.0, 0.0])
        rise = self.pitch / (2.0 * math.pi)
        per_angle = math.hypot(around, rise)
        tangent = (along * around + axis * rise) / per_angle
        place = self.centre + around * radial + axis * rise * angle
        return place + tangent * (self.stretched - per_angle * angle), tangent


def winding(segments: int, stretch: float | None = None) -> dict:
    """Two turns on a drum of 20 mm, kept taut: scenes/winding.toml with Coulomb's friction, which all engines have."""
    job = Winding(stretch)
    times = np.arange(round(job.duration / SAMPLING) + 1) * SAMPLING
    hands = [job.hand(t) for t in times]
    return {
        "duration": job.duration,
        "friction": 0.7,
        "curvature": 1.0 / (job.drum["radius"] + job.radius),
        "drum": job.drum,
        "cables": [straight(job.start.tolist(), job.end.tolist(), segments)],
        "held": [
            {"cable": 0, "at": "start", "oriented": True, "places": [job.start.tolist()], "directions": [[1.0, 0.0, 0.0]]},
            {"cable": 0, "at": "end", "oriented": True, "places": [h[0].tolist() for h in hands],
             "directions": [h[1].tolist() for h in hands]},
        ],
    }  # fmt: skip


def capstan(segments: int) -> dict:
    """A cable over a drum of 20 mm, half way round, with a weight on one end; the other is pulled ever harder until it slides."""
    around, centre, hanging = 0.022, 0.3, 0.08
    length = 2.0 * hanging + math.pi * around
    nodes = []
    for s in np.linspace(0.0, length, segments + 1):
        if s < hanging:
            nodes.append([-around, 0.0, centre - hanging + s])
        elif s > length - hanging:
            nodes.append([around, 0.0, centre - (s - length + hanging)])
        else:
            angle = (s - hanging) / around
            nodes.append([-around * math.cos(angle), 0.0, centre + around * math.sin(angle)])
    duration = 4.0
    times = np.arange(round(duration / SAMPLING) + 1) * SAMPLING
    pull = CAPSTAN["weight"] + CAPSTAN["rate"] * np.maximum(times - CAPSTAN["begin"], 0.0)
    # the weight comes on smoothly, and on both ends alike
    fade = np.minimum(times / (0.5 * CAPSTAN["begin"]), 1.0)
    return {
        "duration": duration,
        "friction": CAPSTAN["friction"],
        "curvature": 1.0 / around,
        "drag": 20.0,
        "gravity": 0.0,
        "drum": {"radius": 0.02, "length": 0.1, "centre": [0.0, 0.0, centre], "axis": [0.0, 1.0, 0.0]},
        "cables": [nodes],
        "loads": [
            {"cable": 0, "at": "start", "forces": [[0.0, 0.0, -f] for f in CAPSTAN["weight"] * fade]},
            {"cable": 0, "at": "end", "forces": [[0.0, 0.0, -f] for f in pull * fade]},
        ],
    }


def many(segments: int) -> dict:
    """64 cables side by side drop a fifth of a millimetre to the ground and lie there."""
    ys = (np.arange(64) - 31.5) * 0.012
    return {
        "duration": 0.5,
        "friction": 0.5,
        "ground": True,
        "cables": [straight([-0.2, y, 0.0022], [0.2, y, 0.0022], segments) for y in ys],
        "frame": 0.1,
    }


def knot(segments: int) -> dict:
    """A loose overhand knot, scenes/knot-loose.toml, is pulled tight by its ends, free of gravity, and has to stay one."""
    with open(os.path.join(ROOT, "scenes", "knot-loose.toml"), "rb") as file:
        scene = tomllib.load(file)
    path = np.array(scene["body"][0]["path"])
    nodes = along(path, segments)
    speed = scene["gripper"][1]["motion"]["speed"]["velocity"][0]
    duration = 2.5
    times = np.arange(round(duration / SAMPLING) + 1) * SAMPLING
    held = [
        {"cable": 0, "at": at, "oriented": False, "places": [(end + [sign * speed * t, 0.0, 0.0]).tolist() for t in times], "directions": None}
        for at, end, sign in [("start", nodes[0], -1.0), ("end", nodes[-1], 1.0)]
    ]
    return {
        "duration": duration,
        "friction": scene["material"]["silicone"]["friction"]["coefficient"],
        "gravity": 0.0,
        "curvature": 100.0,
        "drag": 5.0,
        "self_contact": True,
        "cables": [nodes.tolist()],
        "held": held,
    }


def bar(segments: int) -> dict:
    """A soft square bar, ten times as long as thick, clamped at one end, sags by 2 % of its length in little gravity; so many cells across."""
    size = [0.2, 0.02, 0.02]
    return {
        "duration": 2.5,
        "gravity": 0.0654,
        "material": {"young": 1e5, "shear": 1e5 / 2.6, "poisson": 0.3, "density": 1000.0},
        "drag": 8.0,
        "bar": {"size": size, "cell": size[1] / segments},
        "frame": 0.5,
    }


def along(path: np.ndarray, segments: int) -> np.ndarray:
    """Points of a polyline at equal arc lengths."""
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    wanted = np.linspace(0.0, arc[-1], segments + 1)
    return np.stack([np.interp(wanted, arc, path[:, i]) for i in range(3)], axis=1)


MAKERS = {"hang": hang, "cantilever": cantilever, "winding": winding, "capstan": capstan, "many": many, "knot": knot, "bar": bar}
