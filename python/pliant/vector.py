"""Vector environments: many copies of an environment, whose worlds are stepped together on all cores.

    envs = pliant.vector.make("Winding", 16)       # or gymnasium.make_vec("pliant/Winding-v0", num_envs=16)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ._pliant import Batch
from .envs import ENVIRONMENTS

__all__ = ["BatchEnv", "Insertion", "Knot", "Lifting", "Routing", "SoftGrasp", "Winding", "make"]

Vector = NDArray[np.float32]
Flags = NDArray[np.bool_]


class BatchEnv(VectorEnv[Vector, Vector, NDArray[Any]]):
    """An environment many times over, on a `pliant.Batch`. An environment that has ended begins again in the next step,
    as those of Gymnasium do."""

    def __init__(
        self,
        name: str,
        num_envs: int,
        *,
        threads: int | None = None,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if name not in ENVIRONMENTS:
            raise ValueError(f"there is no environment {name!r} (known: {', '.join(ENVIRONMENTS)})")
        kind = ENVIRONMENTS[name]
        self.metadata = {**kind.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.batch = Batch(kind.SCENE, num_envs, threads=threads)
        self.envs = [kind(world=self.batch[k], render_mode=render_mode, **options) for k in range(num_envs)]
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._longest = max_episode_steps or kind.LONGEST
        self._lengths = np.zeros(num_envs, dtype=int)
        self._ended = np.zeros(num_envs, dtype=bool)
        shape = self.single_observation_space.shape
        assert shape is not None
        self._observations = np.zeros((num_envs, *shape), dtype=np.float32)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Begin all of them; a single seed is counted up from one to the next."""
        if seed is None or isinstance(seed, int):
            seeds: Sequence[int | None] = [None if seed is None else seed + k for k in range(self.num_envs)]
        else:
            seeds = seed
        infos: dict[str, Any] = {}
        for k in range(self.num_envs):
            infos = self._begin(k, seeds[k], options, infos)
        return self._observations.copy(), infos

    def step(self, actions: Vector) -> tuple[Vector, NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, dtype=bool), np.zeros(self.num_envs, dtype=bool)
        infos: dict[str, Any] = {}
        going = [k for k in range(self.num_envs) if not self._ended[k]]
        for k in range(self.num_envs):
            if self._ended[k]:
                infos = self._begin(k, None, None, infos)
            else:
                self.envs[k].command(actions[k])
        self.batch.step(self.envs[0].PERIOD, only=going)
        errors = self.batch.errors
        for k in going:
            self._observations[k], rewards[k], terminated[k], _, info = self.envs[k].outcome(errors[k])
            self._lengths[k] += 1
            truncated[k] = self._lengths[k] >= self._longest
            infos = self._add_info(infos, info, k)
        self._ended = terminated | truncated
        return self._observations.copy(), rewards, terminated, truncated, infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        if self.render_mode is None:
            return None
        return tuple(image for env in self.envs if (image := env.render()) is not None)

    def _begin(self, k: int, seed: int | None, options: dict[str, Any] | None, infos: dict[str, Any]) -> dict[str, Any]:
        # forgets its error, if it had one
        self.batch.reset(k)
        self._observations[k], info = self.envs[k].reset(seed=seed, options=options)
        self._lengths[k], self._ended[k] = 0, False
        return self._add_info(infos, info, k)


def make(name: str, num_envs: int, **options: Any) -> BatchEnv:
    """An environment of `pliant.envs` by its name, such as "Winding", `num_envs` times. Options are those of the
    environment, and `threads`."""
    return BatchEnv(name.removeprefix("pliant/").removesuffix("-v0"), num_envs, **options)


def _maker(name: str) -> Callable[..., BatchEnv]:
    def maker(num_envs: int = 1, **options: Any) -> BatchEnv:
        return make(name, num_envs, **options)

    return maker


Winding, Knot, Routing = _maker("Winding"), _maker("Knot"), _maker("Routing")
Insertion, Lifting, SoftGrasp = _maker("Insertion"), _maker("Lifting"), _maker("SoftGrasp")
