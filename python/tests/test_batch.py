"""Batches: bit for bit the single runs, one bad world does not stop the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant
from conftest import CORD


def varied(k: int) -> dict[str, Any]:
    return {"material.rubber.young": 5e6 * (1 + k), "body": {"cord": {"radius": 0.002 + 0.0002 * k}}}


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_worlds_of_a_batch_go_as_each_would_alone(threads: int) -> None:
    batch = pliant.Batch(CORD, overrides=[varied(k) for k in range(5)], threads=threads)
    ends = np.array([[0.005 * k, 0.01, 0.002] for k in range(5)])
    batch.drive("hand", ends)
    batch.step(10)
    batch.run(0.205)
    positions, wrenches, tension = batch.positions("cord"), batch.wrenches("hand"), batch.field("cord", "tension")
    velocities = batch.velocities("cord")
    assert positions.shape == velocities.shape == (5, 31, 3)
    assert wrenches.shape == (5, 6) and tension.shape == (5, 31) and batch.time == pytest.approx(0.305)
    for k in range(5):
        world = pliant.World(CORD)
        world.reset(**varied(k))
        world.gripper("hand").drive(ends[k])
        world.step(10)
        world.run(0.205)
        body = world.body("cord")
        assert np.array_equal(body.positions, positions[k]) and np.array_equal(body.velocities, velocities[k])
        assert np.array_equal(world.gripper("hand").wrench, wrenches[k])
        assert np.array_equal(body.tension, tension[k])
        assert np.array_equal(batch.gripper_positions("hand")[k], ends[k])


def test_a_path_and_a_world_are_scenes_too(scenes: Path) -> None:
    one = pliant.Batch(scenes / "winding.toml", 2)
    other = pliant.Batch(pliant.load(scenes / "winding.toml"), 2)
    one.step(2), other.step(2)
    assert np.array_equal(one.positions("wire"), other.positions("wire"))


def test_each_world_may_begin_again_with_other_values() -> None:
    batch = pliant.Batch(CORD, 3)
    batch.step(10)
    first = batch.positions("cord")
    batch.reset(1)
    assert batch.time.tolist() == pytest.approx([0.1, 0.0, 0.1])
    batch.step(10, only=1)
    assert np.array_equal(batch.positions("cord"), first)
    batch.reset([0, 2], **{"material.rubber.density": 2000.0})
    assert batch[0].body("cord").density == batch[-1].body("cord").density == 2000.0
    assert batch[1].body("cord").density == 1100.0
    batch.reset()
    assert not batch.time.any()


def test_one_bad_world_does_not_stop_the_others() -> None:
    # an inextensible rod that its hands pull apart fails; the others are not pulled
    rod = {
        "name": "rod",
        "model": "elastica",
        "material": "rubber",
        "radius": 0.003,
        "path": [[0.0, 0.0, 0.0], [0.15, 0.0, 0.05], [0.3, 0.0, 0.0]],
        "segments": 12,
    }
    hands = [{"name": n, "grips": [{"body": "rod", "at": at}]} for n, at in (("a", "start"), ("b", "end"))]
    scene = {**CORD, "body": [rod], "gripper": hands}
    batch = pliant.Batch(scene, 3)
    for k, pull in enumerate([0.0, 1.0, 0.05]):
        batch[k].gripper("b").move_at([pull, 0.0, 0.0])
    batch.step(20)
    errors = batch.errors
    assert errors[0] is None and errors[2] is None and errors[1] is not None
    assert batch.time[0] == batch.time[2] == pytest.approx(0.2) and batch.time[1] < 0.2
    # alone it says the same
    alone = pliant.World(scene)
    alone.gripper("b").move_at([1.0, 0.0, 0.0])
    with pytest.raises(pliant.StepError) as caught:
        alone.step(20)
    assert str(caught.value) == errors[1] and alone.time == batch.time[1]
    assert np.array_equal(alone.body("rod").positions, batch[1].body("rod").positions)
    # it stays where it is until it begins again
    batch.step(5)
    assert batch.errors[1] == errors[1] and batch.time[0] == pytest.approx(0.25)
    batch.reset(1)
    batch.step(5)
    assert batch.errors == [None, None, None]


def test_stacked_arrays_are_used_again_and_never_change() -> None:
    batch = pliant.Batch(CORD, 2)
    kept = batch.positions("cord")
    copy = kept.copy()
    batch.step()
    places = set()
    for _ in range(5):
        batch.step()
        places.add(int(batch.positions("cord").__array_interface__["data"][0]))
    assert len(places) == 1 and np.array_equal(kept, copy)
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 0.0


def test_what_makes_no_batch_is_refused() -> None:
    with pytest.raises(ValueError, match="how many"):
        pliant.Batch(CORD)
    with pytest.raises(ValueError, match="at least one"):
        pliant.Batch(CORD, 0)
    with pytest.raises(ValueError, match="overrides"):
        pliant.Batch(CORD, 3, overrides=[{}])
    with pytest.raises(pliant.SceneError, match="segmints"):
        pliant.Batch(CORD, overrides=[{}, {"body.cord.segmints": 3}])
    batch = pliant.Batch(CORD, overrides=[{}, {"body.cord.segments": 10}])
    with pytest.raises(ValueError, match="differ in the size"):
        batch.positions("cord")
    with pytest.raises(IndexError):
        batch[2]
    with pytest.raises(KeyError):
        batch.positions("crod")
    with pytest.raises(pliant.ControlError):
        batch.drive("hand", np.full((2, 3), np.nan))
