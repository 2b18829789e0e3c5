"""Push a flexible pin into a hole."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..render import Camera
from .base import Array, PliantEnv

_WIDE, _DEEP, _WALL = 0.009, 0.04, 0.04


def walls(y: float, z: float) -> dict[str, list[float]]:
    """Places of the four boxes around a hole whose mouth is at x = 0.25 [m]."""
    x, off = 0.25 + 0.5 * _DEEP, 0.5 * (_WIDE + _WALL)
    return {"left": [x, y + off, z], "right": [x, y - off, z], "above": [x, y, z + off], "below": [x, y, z - off]}


def _wall(name: str, at: list[float]) -> dict[str, Any]:
    size = [_DEEP, _WALL, _WIDE + 2 * _WALL] if name in ("left", "right") else [_DEEP, _WIDE, _WALL]
    return {"name": name, "shape": {"box": {"size": size}}, "position": at}


class InsertionEnv(PliantEnv):
    """A hand holds a flexible pin 10 cm behind its tip and pushes it into a square hole with 2 mm of play on each side.

    Done when the tip is 3 cm deep in the hole. The hole is elsewhere in every episode, by up to 1.5 cm each way; the
    goal in an observation says where to a millimetre or so, as a camera would.
    """

    BODY: ClassVar[str] = "pin"
    SPEED: ClassVar[float] = 0.1
    STRONGEST: ClassVar[float] = 20.0
    LONGEST: ClassVar[int] = 150
    CAMERA: ClassVar[Camera] = Camera((0.12, -0.35, 0.22), (0.2, 0.0, 0.1))
    SCENE: ClassVar[dict[str, Any]] = {
        "title": "Push a flexible pin into a hole",
        "duration": 7.5,
        "step": 0.005,
        "material": {
            "polymer": {"young": 2e8, "poisson": 0.4, "density": 1100.0, "friction": {"coefficient": 0.2}},
        },
        "body": [
            {
                "name": "pin",
                "model": "cable",
                "material": "polymer",
                "radius": 0.0025,
                "path": [[0.1, 0.0, 0.1], [0.2, 0.0, 0.1]],
                "segments": 20,
            }
        ],
        "obstacle": [_wall(name, at) for name, at in walls(0.0, 0.1).items()],
        "gripper": [{"name": "hand", "grips": [{"body": "pin", "at": "start", "orientation": True}]}],
    }
    PERIOD: ClassVar[int] = 10

    def vary(self, rng: np.random.Generator) -> dict[str, Any]:
        y, z = rng.uniform(-0.015, 0.015, size=2)
        self._noise = rng.normal(0.0, 0.0005, size=3)
        changes: dict[str, Any] = {
            f"obstacle.{name}.position": at for name, at in walls(float(y), 0.1 + float(z)).items()
        }
        changes["material.polymer.friction.coefficient"] = float(rng.uniform(0.1, 0.3))
        changes["material.polymer.young"] = 2e8 * float(rng.uniform(0.7, 1.4))
        return changes

    def begin(self) -> None:
        left, above = self.world.obstacle("left").position, self.world.obstacle("above").position
        self._mouth = np.array([0.25, above[1], left[2]])
        self._seen = self._mouth + getattr(self, "_noise", 0.0)
        self._first = self._missing()

    def _missing(self) -> float:
        """Way of the tip: to the axis of the hole, and to 3 cm behind its mouth [m]."""
        tip = self.body.positions[-1] - self._mouth
        return float(np.hypot(tip[1], tip[2]) + abs(0.03 - min(tip[0], 0.03)))

    def goal(self) -> Array:
        return np.asarray(self._seen)

    def progress(self) -> float:
        return 1.0 - self._missing() / self._first

    def success(self) -> bool:
        tip = self.body.positions[-1] - self._mouth
        return bool(tip[0] >= 0.03 and max(abs(tip[1]), abs(tip[2])) < 0.5 * _WIDE)
