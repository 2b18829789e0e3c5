"""What tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import pliant

# pages of tests are not for people
os.environ["PLIANT_NO_BROWSER"] = "yes"
# a shell starts what runs in the background with interrupts ignored, and tests send some
signal.signal(signal.SIGINT, signal.default_int_handler)

SCENES = Path(__file__).parents[2] / "scenes"

CORD: dict[str, Any] = {
    "duration": 2.0,
    "step": 0.01,
    "material": {"rubber": {"young": 5e6, "poisson": 0.49, "density": 1100.0, "friction": {"coefficient": 0.5}}},
    "body": [
        {
            "name": "cord",
            "model": "cable",
            "material": "rubber",
            "radius": 0.003,
            "path": [[0.0, 0.0, 0.0], [0.0, 0.0, -0.3]],
            "segments": 30,
        }
    ],
    "gripper": [{"name": "hand", "grips": [{"body": "cord", "at": "start"}]}],
}

BLOCK: dict[str, Any] = {
    "duration": 1.0,
    "step": 0.005,
    "material": {"foam": {"young": 6e4, "poisson": 0.3, "density": 400.0, "friction": {"coefficient": 0.5}}},
    "body": [
        {
            "name": "block",
            "model": "lattice",
            "material": "foam",
            "solid": {"box": {"size": [0.04, 0.04, 0.04], "cells": [2, 2, 2]}},
            "position": [0.0, 0.0, 0.021],
        }
    ],
    "obstacle": [{"name": "table", "shape": {"plane": {}}}],
}


def rods(model: str) -> dict[str, Any]:
    """The cord on another model."""
    body = {**CORD["body"][0], "model": model}
    if model == "chain":
        body["points"] = body.pop("segments") + 1
    return {**CORD, "body": [body]}


@pytest.fixture
def cord() -> pliant.World:
    return pliant.World(CORD)


@pytest.fixture
def block() -> pliant.World:
    return pliant.World(BLOCK)


@pytest.fixture
def scenes() -> Path:
    return SCENES
