"""Gymnasium environments: manipulation of cables and soft solids, with forces.

    import gymnasium, pliant
    env = gymnasium.make("pliant/Winding-v0", render_mode="rgb_array")

They are registered when `pliant` is imported, where Gymnasium is installed.
"""

from __future__ import annotations

import gymnasium

from .base import PliantEnv
from .insertion import InsertionEnv
from .knot import KnotEnv
from .lifting import LiftingEnv
from .routing import RoutingEnv
from .soft_grasp import SoftGraspEnv
from .winding import WindingEnv

ENVIRONMENTS: dict[str, type[PliantEnv]] = {
    "Winding": WindingEnv,
    "Knot": KnotEnv,
    "Routing": RoutingEnv,
    "Insertion": InsertionEnv,
    "Lifting": LiftingEnv,
    "SoftGrasp": SoftGraspEnv,
}

__all__ = [
    "ENVIRONMENTS",
    "InsertionEnv",
    "KnotEnv",
    "LiftingEnv",
    "PliantEnv",
    "RoutingEnv",
    "SoftGraspEnv",
    "WindingEnv",
    "register",
]


def register() -> None:
    """Register all environments with Gymnasium; importing `pliant` does it."""
    for name, kind in ENVIRONMENTS.items():
        if f"pliant/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                id=f"pliant/{name}-v0",
                entry_point=f"{kind.__module__}:{kind.__name__}",
                max_episode_steps=kind.LONGEST,
                vector_entry_point=f"pliant.vector:{name}",
            )
