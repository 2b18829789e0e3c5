"""Arrays: what they hold, that they never change, that memory is used again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pliant
from conftest import rods


def address(array: np.ndarray) -> int:  # type: ignore[type-arg]
    return int(array.__array_interface__["data"][0])


def test_shapes_and_units(cord: pliant.World) -> None:
    cord.step(5)
    body = cord.body("cord")
    assert body.positions.shape == body.velocities.shape == (31, 3)
    assert body.frames.shape == (31, 4)
    assert np.allclose(np.linalg.norm(body.frames, axis=1), 1.0)
    assert body.fields["tension"] == "N" and body.fields["curvature"] == "1/m"
    for name in body.fields:
        assert body.field(name).shape == (31,)
    assert np.array_equal(body.tension, body.field("tension"))
    with pytest.raises(KeyError, match="known: tension"):
        body.field("tensoin")
    assert body.facets.shape == (0, 3)


def test_the_x_axis_of_a_frame_is_the_tangent(cord: pliant.World) -> None:
    cord.gripper("hand").move_at([0.5, 0.2, 0.0])
    cord.step(40)
    body = cord.body("cord")
    w, x, y, z = body.frames.T
    axes = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=1)
    chords = np.gradient(body.positions, axis=0)
    chords /= np.linalg.norm(chords, axis=1, keepdims=True)
    # second order in the length of a link inside, first at the ends
    assert np.einsum("ij,ij->i", axes, chords)[1:-1].min() > 0.999


def test_velocities_are_those_of_the_positions(cord: pliant.World) -> None:
    cord.gripper("hand").move_at([0.3, 0.0, 0.0])
    cord.step(30)
    body = cord.body("cord")
    before, velocity = body.positions, body.velocities
    cord.step(dt=1e-4)
    moved = (body.positions - before) / 1e-4
    assert np.abs(moved - velocity).max() < 0.02


def test_arrays_are_read_only_and_never_change(cord: pliant.World) -> None:
    body = cord.body("cord")
    first = body.positions
    kept = first.copy()
    part = body.velocities[3:5]
    part_kept = part.copy()
    for array in (first, body.tension, cord.gripper("hand").wrench, cord.gravity):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    cord.gripper("hand").move_at([0.3, 0.0, 0.1])
    for _ in range(5):
        cord.step()
        assert not np.array_equal(body.positions, kept)
        assert body.velocities is not None
    assert np.array_equal(first, kept)
    assert np.array_equal(part, part_kept)


def test_memory_that_nobody_looks_at_is_used_again(cord: pliant.World) -> None:
    body = cord.body("cord")
    places = set()
    for _ in range(20):
        cord.step()
        places.add(address(body.positions))
    assert len(places) == 1
    # but not while somebody does, be it by a part of it
    part = body.positions[:1]
    cord.step()
    assert address(body.positions) not in places
    del part


def test_the_same_state_gives_the_same_array(cord: pliant.World) -> None:
    body = cord.body("cord")
    assert body.positions is body.positions
    before = body.positions
    cord.step()
    assert body.positions is not before


@pytest.mark.parametrize("model", ["cable", "xpbd", "chain"])
def test_positions_are_those_of_the_recorded_frames(model: str, tmp_path: Path) -> None:
    # two ways out of the engine: nodes alone, and whole frames
    world = pliant.World(rods(model))
    world.gripper("hand").move_at([0.3, 0.1, 0.0])
    with world.record(tmp_path / "out", rate=100):
        world.step(17)
    recorded = pliant.read(tmp_path / "out" / "recording.mcap").bodies["cord"].positions[-1]
    assert np.array_equal(world.body("cord").positions, recorded)


def test_positions_of_a_ring_and_of_a_planar_rod_too(scenes: Path, tmp_path: Path) -> None:
    for name in ("ring", "swing"):
        world = pliant.load(scenes / f"{name}.toml")
        with world.record(tmp_path / name, rate=1000):
            # the last frame is recorded whether due or not
            world.step(7)
        recorded = pliant.read(tmp_path / name / "recording.mcap").bodies
        for body in world.bodies.values():
            assert np.array_equal(body.positions, recorded[body.name].positions[-1])


def test_surfaces_of_solids_are_closed(block: pliant.World) -> None:
    facets = block.body("block").facets
    assert facets.dtype == np.uint32 and len(facets) > 0
    corners = block.body("block").positions[facets]
    # the surface encloses the volume of the box (divergence theorem)
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
    assert volume == pytest.approx(0.04**3)
