"""Gymnasium environments: Gymnasium's own checker, tasks that can be done and are not done by chance."""

from __future__ import annotations

import urllib.request
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import pliant.vector
from experts import EXPERTS
from pliant.envs import ENVIRONMENTS, PliantEnv
from pliant.render import png

NAMES = list(ENVIRONMENTS)


def episode(env: PliantEnv, seed: int) -> tuple[float, bool, int]:
    """Return, success and length of an episode of the scripted policy."""
    env.reset(seed=seed)
    act = EXPERTS[type(env).__name__.removesuffix("Env")](env)
    total = 0.0
    for k in range(env.LONGEST):
        _, reward, terminated, _, info = env.step(act())
        total += reward
        if terminated:
            break
    return total, bool(info["success"]), k + 1


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_checker_passes(name: str) -> None:
    env = gymnasium.make(f"pliant/{name}-v0", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # forces and positions have no bounds that are known beforehand
        warnings.filterwarnings("ignore", message=".*infinity.*")
        # a step takes too long for the checker to try all modes of rendering anew
        check_env(env.unwrapped, skip_render_check=False)
    env.close()


@pytest.mark.parametrize("name", NAMES)
def test_tasks_can_be_done(name: str) -> None:
    env = ENVIRONMENTS[name]()
    for seed in (3,) if name == "SoftGrasp" else (3, 4):
        total, success, length = episode(env, seed)
        assert success and length < env.LONGEST, (seed, total, length)
        assert 1.5 < total < 2.1


@pytest.mark.parametrize("name", [name for name in NAMES if name != "SoftGrasp"])
def test_tasks_are_not_done_by_standing_still_or_by_chance(name: str) -> None:
    env = ENVIRONMENTS[name]()
    rng = np.random.default_rng(0)
    shape = env.action_space.shape
    assert shape is not None
    for still in (True, False):
        env.reset(seed=5)
        total = 0.0
        for _ in range(30):
            action = np.zeros(shape) if still else rng.uniform(-1.0, 1.0, shape)
            _, reward, terminated, _, info = env.step(action.astype(np.float32))
            total += reward
            assert not info["success"]
            if terminated:
                break
        assert total < 0.6


@pytest.mark.parametrize("name", NAMES)
def test_seeds_repeat_and_differ(name: str) -> None:
    env = ENVIRONMENTS[name]()
    action = np.full(env.action_space.shape, 0.3, dtype=np.float32)
    seen = []
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        # seven steps of the environment, in which varied parameters show
        seen.append([env.step(action)[0] for _ in range(3 if name == "SoftGrasp" else 7)])
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])


def test_observations_are_what_they_say() -> None:
    env = ENVIRONMENTS["Lifting"](obs="full")
    observation, _ = env.reset(seed=1)
    nodes = env.body.positions
    assert observation[18 : 18 + nodes.size] == pytest.approx(nodes.ravel(), abs=1e-6)
    assert len(observation) == 2 * 9 + 2 * nodes.size + 1
    with pytest.raises(ValueError, match="sensors"):
        ENVIRONMENTS["Lifting"](obs="everything")


def test_options_override_the_scene() -> None:
    env = ENVIRONMENTS["Winding"]()
    env.reset(seed=1, options={"overrides": {"material.silicone.young": 1e6}})
    assert env.body.young == 1e6


def test_tearing_ends_an_episode() -> None:
    env = ENVIRONMENTS["Lifting"]()
    env.reset(seed=1)
    apart = np.array([-1, 0, 0, 1, 0, 0], dtype=np.float32)
    for _ in range(env.LONGEST):
        _, reward, terminated, _, info = env.step(apart)
        if terminated:
            break
    assert terminated and not info["success"] and info["force"] > env.STRONGEST and reward < -0.5


def test_pictures_show_the_body() -> None:
    env = ENVIRONMENTS["Lifting"](render_mode="rgb_array")
    env.reset(seed=1)
    image = env.render()
    assert image is not None and image.shape == (240, 320, 3) and image.dtype == np.uint8
    orange = (image[..., 0].astype(int) - image[..., 2]) > 60
    assert orange.sum() > 100
    low = np.nonzero(orange)[0].mean()
    for _ in range(30):
        env.step(np.array([0, 0, 1, 0, 0, 1], dtype=np.float32))
    image = env.render()
    assert image is not None
    orange = (image[..., 0].astype(int) - image[..., 2]) > 60
    # lifted: higher in the picture
    assert np.nonzero(orange)[0].mean() < low - 10


def test_a_vector_environment_goes_as_single_ones_do() -> None:
    vector = pliant.vector.make("Winding", 3, max_episode_steps=6)
    singles = [ENVIRONMENTS["Winding"]() for _ in range(3)]
    observations, _ = vector.reset(seed=10)
    for k, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=10 + k)[0], observations[k])
    rng = np.random.default_rng(1)
    for turn in range(6):
        actions = rng.uniform(-1.0, 1.0, (3, 3)).astype(np.float32)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        for k, env in enumerate(singles):
            observation, reward, ended, _, info = env.step(actions[k])
            assert np.array_equal(observation, observations[k]) and reward == rewards[k] and ended == terminated[k]
            assert info["progress"] == infos["progress"][k]
        assert truncated.all() == (turn == 5)
    # those that have ended begin again in the next step
    observations, rewards, terminated, truncated, _ = vector.step(actions)
    assert not rewards.any() and not truncated.any() and not terminated.any()
    for k, env in enumerate(singles):
        assert np.array_equal(env.reset()[0], observations[k])


def test_gymnasium_makes_vector_environments_too() -> None:
    vector = gymnasium.make_vec("pliant/Lifting-v0", num_envs=2, vectorization_mode="vector_entry_point")
    observations, _ = vector.reset(seed=1)
    assert observations.shape == (2, 43)
    assert vector.step(vector.action_space.sample())[1].shape == (2,)


def test_people_can_watch(capfd: pytest.CaptureFixture[str]) -> None:
    """The page of the mode `human` streams the pictures that the other mode returns."""
    seen = ENVIRONMENTS["Lifting"](render_mode="human", width=32, height=24)
    drawn = ENVIRONMENTS["Lifting"](render_mode="rgb_array", width=32, height=24)
    for env in (seen, drawn):
        env.reset(seed=1)
    address = capfd.readouterr().err.split()[-1]
    assert b"<img" in urllib.request.urlopen(address, timeout=10).read()
    with urllib.request.urlopen(address + "stream", timeout=10) as stream:
        for _ in range(2):
            while (line := stream.readline().strip()) != b"":
                if line.startswith(b"Content-Length:"):
                    length = int(line.split()[1])
            picture = drawn.render()
            assert picture is not None and stream.read(length) == png(picture)
            stream.readline()
            for env in (seen, drawn):
                env.step(np.ones(6, np.float32))
    assert seen.render() is None
    seen.close()
    with pytest.raises(OSError):
        urllib.request.urlopen(address, timeout=2)
