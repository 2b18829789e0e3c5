"""Scripted policies that do each task, by what an observation says: proof that it can be done."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pliant.envs import PliantEnv

Action = NDArray[np.float32]
Policy = Callable[[], Action]


def towards(env: PliantEnv, hand: int, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """The action of a hand that goes to a place, slower when it is near."""
    way = place - env.hands[hand].position
    period = env.PERIOD * env.world.dt
    return np.clip(way / (env.SPEED * period), -1.0, 1.0)


def winding(env: PliantEnv) -> Policy:
    """Round the drum, nearer as the cable gets shorter."""
    centre = np.array([0.0, 0.0, 0.3])

    def act() -> Action:
        arm = env.hands[0].position - centre
        angle = np.arctan2(arm[2], arm[0]) - 0.15
        wound = max(env.progress(), 0.0) * 1.25
        reach = 0.396 - 0.135 * wound
        place = centre + [reach * np.cos(angle), -0.006 * wound, reach * np.sin(angle)]
        return towards(env, 0, place).astype(np.float32)

    return act


def knot(env: PliantEnv) -> Policy:
    """Apart along the line between the hands."""

    def act() -> Action:
        apart = env.hands[1].position - env.hands[0].position
        apart /= np.linalg.norm(apart)
        return np.concatenate([-0.5 * apart, 0.5 * apart]).astype(np.float32)

    return act


def follow(env: PliantEnv, places: list[NDArray[np.float64]], near: float = 0.01) -> Policy:
    """A single hand from place to place."""
    left = list(places)

    def act() -> Action:
        while len(left) > 1 and np.linalg.norm(left[0] - env.hands[0].position) < near:
            left.pop(0)
        return towards(env, 0, left[0]).astype(np.float32)

    return act


def routing(env: PliantEnv) -> Policy:
    """Back over the gap, down through it, and on to the place behind."""
    target, first, second = env.goal().reshape(3, 3)
    gap = 0.5 * (first + second)
    back = np.array([gap[0], 0.12, 0.08])
    through = np.array([gap[0] - 0.01, -0.15, 0.02])
    beyond = np.array([second[0] + 0.02, -0.15, 0.02])
    return follow(env, [back, through, beyond, target])


def insertion(env: PliantEnv) -> Policy:
    """In front of the hole, then in."""
    mouth = env.goal()
    front = mouth + [-0.1 - 0.012, 0.0, 0.0]
    return follow(env, [front, mouth + [-0.1 + 0.045, 0.0, 0.0]], near=0.001)


def lifting(env: PliantEnv) -> Policy:
    """Up and apart, then still."""
    length = float(np.linalg.norm(np.diff(env.body.positions, axis=0), axis=1).sum())
    middle = 0.5 * (env.hands[0].position + env.hands[1].position)

    def act() -> Action:
        places = [middle + [side * 0.47 * length, 0.0, 0.27] for side in (-1.0, 1.0)]
        return (0.8 * np.concatenate([towards(env, k, place) for k, place in enumerate(places)])).astype(np.float32)

    return act


def soft_grasp(env: PliantEnv) -> Policy:
    """Squeeze until the fingers feel enough, then lift."""
    state = {"held": False}

    def act() -> Action:
        felt = min(float(np.abs(hand.wrench[0])) for hand in env.hands)
        state["held"] |= felt > 1.0
        press = float(np.clip((1.2 - felt) * 0.4, -0.2, 0.4))
        lift = 0.5 if state["held"] else 0.0
        return np.array([press, 0.0, lift, -press, 0.0, lift], dtype=np.float32)

    return act


EXPERTS: dict[str, Callable[[PliantEnv], Policy]] = {
    "Winding": winding,
    "Knot": knot,
    "Routing": routing,
    "Insertion": insertion,
    "Lifting": lifting,
    "SoftGrasp": soft_grasp,
}
