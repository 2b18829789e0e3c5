"""Pull a knot tight."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..render import Camera
from .base import Array, PliantEnv


def overhand(size: float, points: int = 81) -> list[list[float]]:
    """A loose overhand knot with straight tails: Shastri's polynomial curve, from which the trefoil is had by closing
    it at infinity (x = t^3 - 3t, y = t^4 - 4t^2, z = t^5 / 5 - 2t), pulled flat and cut where it leaves."""
    t = np.linspace(-2.05, 2.05, points)
    curve = np.stack([t**3 - 3.0 * t, t**4 - 4.0 * t**2, 0.35 * (t**5 / 5.0 - 2.0 * t)], axis=1)
    tails = [curve[0] + 4.0 * _unit(curve[0] - curve[1]), curve[-1] + 4.0 * _unit(curve[-1] - curve[-2])]
    return [(size * point).tolist() for point in [tails[0], *curve, tails[1]]]


def _unit(v: Array) -> Array:
    unit: Array = v / np.linalg.norm(v)
    return unit


class KnotEnv(PliantEnv):
    """Two hands hold the ends of a cable with a loose overhand knot in it, and pull the knot tight.

    Done when the hands are as far apart as a knot of about three centimetres leaves them. Stiffness and friction differ
    from episode to episode. The goal in an observation is the distance that is missing.
    """

    HANDS: ClassVar[tuple[str, ...]] = ("left", "right")
    SPEED: ClassVar[float] = 0.15
    STRONGEST: ClassVar[float] = 20.0
    LONGEST: ClassVar[int] = 150
    TRACKED: ClassVar[int] = 16
    CAMERA: ClassVar[Camera] = Camera((0.0, -0.25, 0.65), (0.0, 0.05, 0.0))
    SCENE: ClassVar[dict[str, Any]] = {
        "title": "Pull a knot tight",
        "duration": 10.0,
        "step": 0.01,
        "gravity": [0.0, 0.0, 0.0],
        "material": {
            "silicone": {"young": 4.462e6, "poisson": 0.4999, "density": 1100.0, "friction": {"coefficient": 0.3}}
        },
        "body": [
            {
                "name": "wire",
                "model": "cable",
                "material": "silicone",
                "radius": 0.002,
                "path": overhand(0.02),
                "segments": 100,
            }
        ],
        "gripper": [
            {"name": "left", "grips": [{"body": "wire", "at": "start"}]},
            {"name": "right", "grips": [{"body": "wire", "at": "end"}]},
        ],
    }

    KNOT: ClassVar[float] = 0.07
    """Length of cable that the tight knot takes [m]."""

    def vary(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            "material.silicone.young": 4.462e6 * float(rng.uniform(0.7, 1.4)),
            "material.silicone.friction.coefficient": float(rng.uniform(0.1, 0.4)),
        }

    def begin(self) -> None:
        steps = np.diff(self.body.positions, axis=0)
        self._wanted = float(np.linalg.norm(steps, axis=1).sum()) - self.KNOT
        self._first = self._apart()

    def _apart(self) -> float:
        return float(np.linalg.norm(self.hands[1].position - self.hands[0].position))

    def goal(self) -> Array:
        return np.array([self._wanted - self._apart()])

    def progress(self) -> float:
        return (self._apart() - self._first) / (self._wanted - self._first)
