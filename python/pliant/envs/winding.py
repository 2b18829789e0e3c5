"""Wind a cable on a drum."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..render import Camera
from .base import Array, PliantEnv


def turns(nodes: Array, centre: Array, axis: Array) -> float:
    """Turns of a curve about an axis, as seen from its tip."""
    across = nodes - centre
    across = across - np.outer(across @ axis, axis)
    a, b = across[:-1], across[1:]
    angles = np.arctan2(np.cross(a, b) @ axis, np.einsum("ij,ij->i", a, b))
    return float(angles.sum() / (2.0 * np.pi))


class WindingEnv(PliantEnv):
    """A hand holds the free end of a cable whose other end is clamped on a drum, and winds it on.

    Done when the cable has gone round the drum one and a quarter times. Stiffness and friction differ from episode to
    episode. The goal in an observation is the number of turns.
    """

    TURNS: ClassVar[float] = 1.25
    SPEED: ClassVar[float] = 0.6
    STRONGEST: ClassVar[float] = 20.0
    LONGEST: ClassVar[int] = 200
    CAMERA: ClassVar[Camera] = Camera((0.25, -1.1, 0.5), (0.1, 0.0, 0.3))
    SCENE: ClassVar[dict[str, Any]] = {
        "title": "Wind a cable on a drum",
        "duration": 10.0,
        "step": 0.01,
        "material": {
            "silicone": {
                "young": 4.462e6,
                "poisson": 0.4999,
                "density": 1100.0,
                "friction": {"coefficient": 1.0, "exponent": 0.7616},
            }
        },
        "body": [
            {
                "name": "wire",
                "model": "cable",
                "material": "silicone",
                "radius": 0.002,
                "path": [[0.0, 0.0, 0.322], [0.4, 0.0, 0.322]],
                "segments": 60,
            }
        ],
        "obstacle": [
            {
                "name": "drum",
                "shape": {"cylinder": {"radius": 0.02, "length": 0.1}},
                "position": [0.0, 0.0, 0.3],
                "orientation": {"axis": [1.0, 0.0, 0.0], "angle_deg": 90.0},
            }
        ],
        "gripper": [
            {"name": "anchor", "grips": [{"body": "wire", "at": "start", "orientation": True}]},
            {"name": "hand", "grips": [{"body": "wire", "at": "end"}]},
        ],
    }

    def vary(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            "material.silicone.young": 4.462e6 * float(rng.uniform(0.7, 1.4)),
            "material.silicone.friction.coefficient": float(rng.uniform(0.6, 1.3)),
        }

    def begin(self) -> None:
        self._start = 0.0
        self._start = self._turns()

    def _turns(self) -> float:
        # about the y axis, the hand goes down first
        return turns(self.body.positions, np.array([0.0, 0.0, 0.3]), np.array([0.0, 1.0, 0.0])) - self._start

    def goal(self) -> Array:
        return np.array([self._turns()])

    def progress(self) -> float:
        return self._turns() / self.TURNS
