"""Grasp a soft block between two fingertips and lift it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..render import Camera
from .base import Array, PliantEnv


def _finger(name: str, x: float) -> dict[str, Any]:
    return {"name": name, "position": [x, 0.0, 0.022], "finger": {"radius": 0.012, "friction": {"coefficient": 0.9}}}


class SoftGraspEnv(PliantEnv):
    """Two fingertips press a soft block from both sides and lift it by friction, without squeezing it more than it
    needs.

    Done when the block's centre is 3 cm higher than at the start. Stiffness and density differ from episode to episode.
    The goal in an observation is the height of the block's centre above where it began.
    """

    BODY: ClassVar[str] = "block"
    HANDS: ClassVar[tuple[str, ...]] = ("left", "right")
    SPEED: ClassVar[float] = 0.05
    STRONGEST: ClassVar[float] = 20.0
    LONGEST: ClassVar[int] = 80
    LIFT: ClassVar[float] = 0.03
    WORKSPACE: ClassVar[tuple[tuple[float, float, float], tuple[float, float, float]]] = ((-0.1, -0.05, 0.0125), (0.1, 0.05, 0.1))
    CAMERA: ClassVar[Camera] = Camera((0.1, -0.3, 0.14), (0.0, 0.0, 0.03))
    SCENE: ClassVar[dict[str, Any]] = {
        "title": "Lift a soft block between two fingertips",
        "duration": 5.0,
        "step": 0.005,
        "material": {
            "foam": {"young": 4e4, "poisson": 0.3, "density": 400.0, "friction": {"coefficient": 0.9}},
        },
        "body": [
            {
                "name": "block",
                "model": "lattice",
                "material": "foam",
                "solid": {"box": {"size": [0.04, 0.04, 0.04], "cells": [2, 2, 2]}},
                "position": [0.0, 0.0, 0.0201],
            }
        ],
        "obstacle": [{"name": "table", "shape": {"plane": {}}}],
        "gripper": [_finger("left", -0.034), _finger("right", 0.034)],
    }
    PERIOD: ClassVar[int] = 10

    def vary(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            "material.foam.young": 4e4 * float(rng.uniform(0.7, 1.5)),
            "material.foam.density": float(rng.uniform(250.0, 500.0)),
        }

    def begin(self) -> None:
        self._start = float(self.body.centre[2])

    def goal(self) -> Array:
        return np.array([self.body.centre[2] - self._start])

    def progress(self) -> float:
        return float(self.body.centre[2] - self._start) / self.LIFT
