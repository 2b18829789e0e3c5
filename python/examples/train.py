"""Learn to push a flexible pin into a hole, by the cross-entropy method: about a minute.

    python python/examples/train.py [curve.svg]

The policy is linear: velocity of the hand from where the hole is seen as against the tip, and from the force that the
wrist feels. Its 21 numbers are drawn from a normal distribution, which is fitted to those that did best, again and again.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import pliant.vector

POPULATION, BEST, ROUNDS, STEPS = 32, 6, 15, 60

Array = NDArray[np.float64]


def features(observations: NDArray[np.float32]) -> Array:
    """Way from tip to hole in units of 5 cm, force in units of 2 N, and one."""
    force, tip, hole = observations[:, 3:6], observations[:, -6:-3], observations[:, -3:]
    return np.concatenate([(hole - tip) / 0.05, force / 2.0, np.ones((len(tip), 1))], axis=1)


def episodes(envs: pliant.vector.BatchEnv, weights: Array, seed: int) -> tuple[Array, NDArray[np.bool_]]:
    """Return and success of each policy, weights of shape (policies, 3, 7), each in an episode of its own."""
    observations, _ = envs.reset(seed=seed)
    returns, alive = np.zeros(len(weights)), np.ones(len(weights), dtype=bool)
    successes = np.zeros(len(weights), dtype=bool)
    for _ in range(STEPS):
        actions = np.clip(np.einsum("kij,kj->ki", weights, features(observations)), -1.0, 1.0)
        observations, rewards, terminated, _, infos = envs.step(actions.astype(np.float32))
        returns += np.where(alive, rewards, 0.0)
        successes |= alive & np.asarray(infos.get("success", np.zeros(len(weights))), dtype=bool)
        alive &= ~terminated
    return returns, successes


def train() -> list[tuple[float, float, float]]:
    """Mean return, best return and share of successes in each round."""
    rng = np.random.default_rng(0)
    envs = pliant.vector.make("Insertion", POPULATION, max_episode_steps=STEPS + 1)
    mean, spread = np.zeros((3, 7)), np.full((3, 7), 1.0)
    curve = []
    for turn in range(ROUNDS):
        weights = mean + spread * rng.standard_normal((POPULATION, 3, 7))
        returns, successes = episodes(envs, weights, seed=1000 * turn)
        best = weights[np.argsort(returns)[-BEST:]]
        # some spread is kept, or it would stop to search
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.3 * 0.8**turn
        curve.append((float(returns.mean()), float(returns.max()), float(successes.mean())))
        print(f"round {turn + 1:2}: return {curve[-1][0]:6.2f}, best {curve[-1][1]:5.2f}, "
              f"successes {curve[-1][2]:4.0%}", flush=True)  # fmt: skip
    returns, successes = episodes(envs, np.tile(mean, (POPULATION, 1, 1)), seed=10**6)
    print(f"the mean policy, on {POPULATION} holes it has not seen: return {returns.mean():.2f}, "
          f"successes {successes.mean():.0%}")  # fmt: skip
    return curve


def draw(curve: list[tuple[float, float, float]], path: str) -> None:
    """Mean return and successes over rounds, as a small SVG."""
    low, high = min(point[0] for point in curve), 2.0

    def line(values: list[float], colour: str) -> str:
        points = " ".join(f"{40 + 540 * k / (len(values) - 1):.1f},{200 - 170 * v:.1f}" for k, v in enumerate(values))
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'

    returns = line([(point[0] - low) / (high - low) for point in curve], "#2c7bb6")
    successes = line([point[2] for point in curve], "#e26a2c")
    texts = [
        (40, 20, "#2c7bb6", f"mean return, {low:.1f} to {high:.0f}"),
        (240, 20, "#e26a2c", "share of successes, 0 to 1"),
        (530, 222, "#444", f"round {len(curve)}"),
    ]
    told = "".join(f'<text x="{x}" y="{y}" fill="{c}" font-family="sans-serif" font-size="13">{t}</text>' for x, y, c, t in texts)  # fmt: skip
    frame = '<path d="M40 30V200H580" fill="none" stroke="#888"/>'
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 230">{frame}{returns}{successes}{told}</svg>\n')


if __name__ == "__main__":
    result = train()
    if len(sys.argv) > 1:
        draw(result, sys.argv[1])
