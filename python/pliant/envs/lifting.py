"""Lift a cable from the floor and hold it still."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..render import Camera
from .base import Array, PliantEnv


class LiftingEnv(PliantEnv):
    """Two hands hold the ends of a cable that lies on the floor; they lift it, and bring it to rest.

    Done when its lowest point is 15 cm above the floor and nothing of it moves faster than 10 cm/s. Stiffness and density
    differ from episode to episode. The goal in an observation is the height of its lowest tracked point.
    """

    HANDS: ClassVar[tuple[str, ...]] = ("left", "right")
    SPEED: ClassVar[float] = 0.25
    STRONGEST: ClassVar[float] = 20.0
    LONGEST: ClassVar[int] = 150
    HEIGHT: ClassVar[float] = 0.15
    WORKSPACE: ClassVar[tuple[tuple[float, float, float], tuple[float, float, float]]] = ((-0.2, -0.3, 0.0031), (0.7, 0.3, 0.6))
    CAMERA: ClassVar[Camera] = Camera((0.25, -1.2, 0.45), (0.25, 0.0, 0.15))
    SCENE: ClassVar[dict[str, Any]] = {
        "title": "Lift a cable from the floor",
        "duration": 7.5,
        "step": 0.01,
        "material": {
            "rubber": {"young": 5e6, "poisson": 0.45, "density": 1100.0, "friction": {"coefficient": 0.4}},
        },
        "body": [
            {
                "name": "wire",
                "model": "cable",
                "material": "rubber",
                "radius": 0.003,
                # slack, and aside: hands may come closer
                "path": [[0.5 * k / 20, 0.06 * math.sin(math.pi * k / 20), 0.0031] for k in range(21)],
                "segments": 40,
            }
        ],
        "obstacle": [{"name": "floor", "shape": {"plane": {}}}],
        "gripper": [
            {"name": "left", "grips": [{"body": "wire", "at": "start"}]},
            {"name": "right", "grips": [{"body": "wire", "at": "end"}]},
        ],
    }

    def vary(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            "material.rubber.young": 5e6 * float(rng.uniform(0.5, 2.0)),
            "material.rubber.density": float(rng.uniform(800.0, 1500.0)),
        }

    def _lowest(self) -> float:
        return float(self.body.positions[:, 2].min() - self.body.radius)

    def goal(self) -> Array:
        return np.array([self.body.positions[self._tracked, 2].min()])

    def progress(self) -> float:
        return min(self._lowest() / self.HEIGHT, 1.0)

    def success(self) -> bool:
        fastest = float(np.linalg.norm(self.body.velocities, axis=1).max())
        return self._lowest() >= self.HEIGHT and fastest < 0.1
