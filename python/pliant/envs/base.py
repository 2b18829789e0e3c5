"""What all environments have in common: hands that move at a commanded velocity, sensors, progress as reward."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .._pliant import Body, Gripper, StepError, World
from .._window import Window
from ..render import Camera, picture

Array = NDArray[np.float64]
Vector = NDArray[np.float32]


class PliantEnv(gymnasium.Env[Vector, Vector]):
    """A task on a world.

    An action is the velocity of each hand in the world, from -1 to 1 in parts of `SPEED`, held for `PERIOD` steps.

    With `obs="sensors"` an observation is what a robot could have: for each hand its position relative to where it
    began and the wrench that it feels, the positions of a few tracked points of the body, and what the task asks for. With
    `obs="full"` it has positions and velocities of all nodes instead of tracked points.

    The reward is the progress made in the step, which sums up to about 1 over a task that is done, less a little for
    force beyond what the task needs; plus 1 when it is done. `info` has `success`, `progress` and `force`, the largest
    force on a hand [N]. Pulling harder than `STRONGEST` ends an episode: something has been torn.

    `reset(options={"overrides": {…}})` overrides values of the scene, as `pliant.load` does.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "human"], "render_fps": 20}  # noqa: RUF012

    SCENE: ClassVar[dict[str, Any]]
    BODY: ClassVar[str] = "wire"
    HANDS: ClassVar[tuple[str, ...]] = ("hand",)
    CAMERA: ClassVar[Camera]
    SPEED: ClassVar[float] = 0.25
    """Velocity of a full action [m/s]."""
    PERIOD: ClassVar[int] = 5
    """Steps of the world in a step of the environment."""
    TRACKED: ClassVar[int] = 8
    STRONGEST: ClassVar[float] = 50.0
    """Force on a hand at which an episode ends [N]."""
    LONGEST: ClassVar[int] = 200
    """Steps of an episode."""
    WORKSPACE: ClassVar[tuple[tuple[float, float, float], tuple[float, float, float]]] = ((-1, -1, -1), (1, 1, 1))
    """Corners of the box in which hands may be [m]: they stop at its sides, as a robot does at its limits."""

    _progress: float

    def __init__(
        self,
        *,
        obs: str = "sensors",
        render_mode: str | None = None,
        width: int = 320,
        height: int = 240,
        world: World | None = None,
    ) -> None:
        if obs not in ("sensors", "full"):
            raise ValueError(f'obs is "sensors" or "full", got {obs!r}')
        if render_mode not in (None, "rgb_array", "human"):
            raise ValueError(f'render_mode is None, "rgb_array" or "human", got {render_mode!r}')
        self._window: Window | None = None
        self.obs = obs
        self.render_mode = render_mode
        self.width, self.height = width, height
        self.world = world or World(self.SCENE)
        self._meet()
        size = len(self._observe())
        self.observation_space = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (3 * len(self.HANDS),), np.float32)

    # what a task says

    def vary(self, rng: np.random.Generator) -> dict[str, Any]:
        """Values of the scene that differ from episode to episode, as overrides."""
        return {}

    def goal(self) -> Array:
        """What the task asks for, as numbers for a policy."""
        return np.zeros(0)

    def progress(self) -> float:
        """How much is done: about 0 at the start and 1 at the end."""
        raise NotImplementedError

    def success(self) -> bool:
        """Whether the task is done."""
        return self.progress() >= 1.0

    # what Gymnasium asks for

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Vector, dict[str, Any]]:
        super().reset(seed=seed)
        self.world.reset(**{**self.vary(self.np_random), **(options or {}).get("overrides", {})})
        self._meet()
        if self.render_mode == "human":
            self.render()
        return self._observe(), self._info()

    def step(self, action: Vector) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        self.command(action)
        error = None
        try:
            self.world.step(self.PERIOD)
        except StepError as failed:
            error = str(failed)
        if self.render_mode == "human":
            self.render()
        return self.outcome(error)

    def render(self) -> NDArray[np.uint8] | None:
        if self.render_mode is None:
            return None
        drawn = picture(self.world, self.CAMERA, width=self.width, height=self.height)
        if self.render_mode == "rgb_array":
            return drawn
        if self._window is None:
            self._window = Window()
        self._window.show(drawn)
        return None

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None

    # halves of a step, between which a batch may step many worlds

    def command(self, action: Vector) -> None:
        """Let the hands move as an action says."""
        velocities = np.clip(np.asarray(action, dtype=np.float64).reshape(-1, 3), -1.0, 1.0) * self.SPEED
        period, (low, high) = self.PERIOD * self.world.dt, np.array(self.WORKSPACE)
        for hand, velocity in zip(self.hands, velocities, strict=True):
            here = hand.position
            hand.move_at((np.clip(here + period * velocity, low, high) - here) / period)

    def outcome(self, error: str | None = None) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """What has come of it, with the error of a step that failed."""
        info = self._info()
        reward = info["progress"] - self._progress
        self._progress = info["progress"]
        if error is not None:
            info["error"] = error
        torn = info["force"] > self.STRONGEST
        reward -= 0.02 * min(info["force"] / self.STRONGEST, 1.0)
        reward += 1.0 if info["success"] else 0.0
        terminated = bool(info["success"] or torn or error is not None)
        if torn or error is not None:
            reward -= 1.0
        return self._observe(), float(reward), terminated, False, info

    def _meet(self) -> None:
        self.body: Body = self.world.body(self.BODY)
        self.hands: list[Gripper] = [self.world.gripper(name) for name in self.HANDS]
        self._starts = [hand.position for hand in self.hands]
        nodes = len(self.body)
        self._tracked = np.unique(np.linspace(0, nodes - 1, self.TRACKED).round().astype(int))
        self.begin()
        self._progress = self.progress()

    def begin(self) -> None:
        """Note what the task needs of the start."""

    def _observe(self) -> Vector:
        parts: list[Array] = []
        for hand, start in zip(self.hands, self._starts, strict=True):
            parts += [hand.position - start, hand.wrench]
        if self.obs == "full":
            parts += [self.body.positions.ravel(), self.body.velocities.ravel()]
        else:
            parts.append(self.body.positions[self._tracked].ravel())
        parts.append(self.goal())
        return np.concatenate(parts).astype(np.float32)

    def _info(self) -> dict[str, Any]:
        force = max(float(np.linalg.norm(hand.wrench[:3])) for hand in self.hands)
        return {"success": self.success(), "progress": self.progress(), "force": force}
