"""Lay a cable between two pegs."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..render import Camera
from .base import Array, PliantEnv
from .winding import turns


def _peg(name: str, x: float, y: float) -> dict[str, Any]:
    shape = {"cylinder": {"radius": 0.01, "length": 0.06}}
    return {"name": name, "shape": shape, "position": [x, y, 0.03]}


class RoutingEnv(PliantEnv):
    """A hand lays the end of a cable that lies on a table beyond two pegs: past the first on its left, past the second
    on its right, to a place behind them.

    Done when the tip is within 3 cm of that place and the cable passes both pegs on the right sides. Pegs and place
    differ from episode to episode. The goal in an observation is where the place and the pegs are.
    """

    SPEED: ClassVar[float] = 0.25
    STRONGEST: ClassVar[float] = 20.0
    LONGEST: ClassVar[int] = 200
    WORKSPACE: ClassVar[tuple[tuple[float, float, float], tuple[float, float, float]]] = ((-0.1, -0.3, 0.0031), (0.7, 0.3, 0.3))
    CAMERA: ClassVar[Camera] = Camera((0.3, -0.75, 0.6), (0.3, 0.0, 0.0))
    SCENE: ClassVar[dict[str, Any]] = {
        "title": "Lay a cable between two pegs",
        "duration": 10.0,
        "step": 0.01,
        "material": {
            "rubber": {"young": 5e6, "poisson": 0.45, "density": 1100.0, "friction": {"coefficient": 0.3}},
        },
        "body": [
            {
                "name": "wire",
                "model": "cable",
                "material": "rubber",
                "radius": 0.003,
                # slack, and aside: the hand may come back
                "path": [[0.6 * k / 20, 0.15 + 0.04 * math.sin(math.pi * k / 20), 0.0031] for k in range(21)],
                "segments": 60,
            }
        ],
        "obstacle": [
            {"name": "table", "shape": {"plane": {}}},
            _peg("first", 0.15, 0.03),
            _peg("second", 0.32, -0.03),
        ],
        "gripper": [
            {"name": "anchor", "grips": [{"body": "wire", "at": "start"}]},
            {"name": "hand", "grips": [{"body": "wire", "at": "end"}]},
        ],
    }

    def vary(self, rng: np.random.Generator) -> dict[str, Any]:
        shift = rng.uniform(-0.015, 0.015, size=(2, 2))
        self._target = np.array([0.45, -0.08, 0.01]) + [*rng.uniform(-0.02, 0.02, size=2), 0.0]
        return {
            "obstacle.first.position": [0.15 + float(shift[0, 0]), 0.03 + float(shift[0, 1]), 0.03],
            "obstacle.second.position": [0.32 + float(shift[1, 0]), -0.03 + float(shift[1, 1]), 0.03],
            "material.rubber.friction.coefficient": float(rng.uniform(0.15, 0.45)),
        }

    def begin(self) -> None:
        if not hasattr(self, "_target"):
            self._target = np.array([0.45, -0.08, 0.01])
        self._pegs = [self.world.obstacle(name).position for name in ("first", "second")]
        self._first = self._missing()

    def _missing(self) -> float:
        return float(np.linalg.norm(self.hands[0].position - self._target))

    def sides(self) -> tuple[bool, bool]:
        """Whether the cable passes the first peg on its left, and the second on its right."""
        nodes, up = self.body.positions, np.array([0.0, 0.0, 1.0])
        first, second = (turns(nodes, peg, up) for peg in self._pegs)
        # a curve that goes by on the left of a point turns about it clockwise
        return first < -0.25, second > 0.2

    def goal(self) -> Array:
        return np.concatenate([self._target, *self._pegs])

    def progress(self) -> float:
        passed = sum(self.sides())
        return 0.5 * (1.0 - self._missing() / self._first) + 0.25 * passed

    def success(self) -> bool:
        return all(self.sides()) and self._missing() < 0.03
