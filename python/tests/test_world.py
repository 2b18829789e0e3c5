"""Worlds: built, stepped, saved, copied."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import pliant
from conftest import BLOCK, CORD, rods

WEIGHT = 1100.0 * math.pi * 0.003**2 * 0.3 * 9.81
"""rho A L g of the cord [N]."""


@pytest.mark.parametrize("model", ["cable", "chain", "xpbd"])
def test_a_hand_carries_the_weight_of_what_hangs_on_it(model: str) -> None:
    world = pliant.World(rods(model))
    hand, body = world.gripper("hand"), world.body("cord")
    world.run(1.0)
    forces, tensions = [], []
    for _ in range(200):
        world.step()
        forces.append(hand.force[2])
        tensions.append(body.tension[15])
    assert world.time == pytest.approx(3.0)
    # a mean, for the chain is not damped along itself; its momentum at both ends makes the difference, below 1 %
    assert np.mean(forces) == pytest.approx(-WEIGHT, rel=0.01)
    # and its tension falls linearly to nothing at the free end: T(s) = rho A (L - s) g, half of it in the middle, by
    # half a segment at the most
    assert np.mean(tensions) == pytest.approx(0.5 * WEIGHT, rel=0.04)


def test_a_scene_file_and_the_same_in_code_give_the_same_bits(tmp_path: Path) -> None:
    world = pliant.World(CORD)
    (tmp_path / "cord.toml").write_text(world.text)
    other = pliant.load(tmp_path / "cord.toml")
    for one in (world, other):
        one.gripper("hand").move_at([0.2, 0.1, 0.0])
        one.step(50)
    assert np.array_equal(world.body("cord").positions, other.body("cord").positions)


def test_overrides_in_every_form_are_the_same(scenes: Path) -> None:
    def segments(**changes: object) -> int:
        return len(pliant.load(scenes / "winding.toml", **changes).body("wire")) - 1

    assert segments() == 160
    assert segments(body={"wire": {"segments": 24}}) == 24
    assert segments(**{"body.wire.segments": 24}) == 24
    assert segments(**{"body.wire.segments": np.int64(24)}) == 24


def test_the_command_gives_the_same_bits(scenes: Path) -> None:
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    command = target / "test-release" / "pliant"
    if not command.exists():
        pytest.skip("the command is not built")
    scene = scenes / "winding.toml"
    changes = {"duration": 1.205, "body.wire.segments": 40}
    sets = [word for path, value in changes.items() for word in ("--set", f"{path}={value}")]
    told = json.loads(subprocess.run([command, "run", scene, "--json", *sets], capture_output=True, text=True).stdout)
    world = pliant.load(scene, **changes)
    world.run()
    assert world.steps == told["steps"] == 121
    assert world.body("wire").positions.tolist() == told["bodies"][0]["nodes"]
    assert world.gripper("hand").force.tolist() == told["grippers"][1]["force"]


def test_snapshots_are_exact_and_pickle(cord: pliant.World) -> None:
    hand, body = cord.gripper("hand"), cord.body("cord")
    hand.move_at([0.3, 0.0, 0.1], [0.0, 1.0, 0.0])
    cord.step(20)
    snapshot = cord.snapshot()
    cord.step(30)
    after, felt = body.positions, hand.wrench
    for again in (snapshot, pickle.loads(pickle.dumps(snapshot)), pliant.Snapshot(bytes(snapshot))):
        cord.restore(again)
        assert cord.snapshot() == snapshot
        cord.step(30)
        assert np.array_equal(body.positions, after) and np.array_equal(hand.wrench, felt)
    # in another world built alike, too
    other = pliant.World(CORD)
    other.restore(snapshot)
    other.step(30)
    assert np.array_equal(other.body("cord").positions, after)


def test_snapshots_of_other_worlds_and_damaged_ones_are_refused(cord: pliant.World, block: pliant.World) -> None:
    with pytest.raises(pliant.SnapshotError):
        block.restore(cord.snapshot())
    damaged = bytearray(bytes(cord.snapshot()))
    damaged[100] ^= 1
    with pytest.raises(pliant.SnapshotError, match="damaged"):
        pliant.Snapshot(bytes(damaged))


@pytest.mark.parametrize("duplicate", [lambda w: w.copy(), copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))])
def test_copies_go_on_alike_and_apart(cord: pliant.World, duplicate) -> None:  # type: ignore[no-untyped-def]
    cord.gripper("hand").move_at([0.3, 0.0, 0.1])
    cord.step(20)
    other = duplicate(cord)
    cord.step(20)
    assert other.steps == 20
    other.step(20)
    assert np.array_equal(cord.body("cord").positions, other.body("cord").positions)


def test_a_world_that_has_gained_a_body_says_that_it_does_not_pickle(cord: pliant.World) -> None:
    cord.add_obstacle(name="ball", shape={"sphere": {"radius": 0.02}}, position=[1.0, 0.0, 0.0])
    with pytest.raises(pliant.ControlError, match="cannot be pickled"):
        pickle.dumps(cord)


def test_reset_begins_again_and_may_change_values(cord: pliant.World) -> None:
    start = cord.body("cord").positions
    hand = cord.gripper("hand")
    hand.move_at([0.3, 0.0, 0.1])
    cord.step(20)
    moved = cord.body("cord").positions
    cord.reset()
    assert cord.time == 0.0 and np.array_equal(cord.body("cord").positions, start)
    # handles stay good, and the drive is gone
    hand.move_at([0.3, 0.0, 0.1])
    cord.step(20)
    assert np.array_equal(cord.body("cord").positions, moved)
    cord.reset(**{"body.cord.segments": 10})
    assert len(cord.body("cord")) == 11
    # what is overridden is counted from the first scene, not from the last reset
    cord.reset(**{"body.cord.radius": 0.002})
    assert len(cord.body("cord")) == 31 and cord.body("cord").radius == 0.002


def test_a_run_ends_where_it_should(cord: pliant.World) -> None:
    cord.run(0.025)
    assert cord.time == pytest.approx(0.025, abs=1e-15) and cord.steps == 3
    cord.run()
    assert cord.time == pytest.approx(2.0, abs=1e-12)
    cord.run()
    assert cord.time == pytest.approx(2.0, abs=1e-12)
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError):
            cord.run(bad)


@pytest.mark.parametrize("work", ["world.run(1e6)", "world.step(10**9)", "batch.run(1e6)"])
def test_ctrl_c_ends_long_work_after_a_whole_step(work: str) -> None:
    # in a process of its own, where the signal goes nowhere else
    script = f"""
import os, signal, sys, threading
import pliant
from conftest import CORD
world, batch = pliant.World(CORD), pliant.Batch(CORD, 2)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {work}
except KeyboardInterrupt:
    before = world.steps + batch[0].steps
    world.step(3), batch.step(3)
    print("interrupted", before > 0, world.steps + batch[0].steps - before, batch.errors)
"""
    # there the package is the installed one
    here = Path(__file__).parent
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, cwd=here)
    assert ran.stdout.strip() == "interrupted True 6 [None, None]", ran.stderr


def test_other_threads_go_on_while_a_world_is_stepped(cord: pliant.World) -> None:
    begun, done = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        cord.run(60.0)
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    begun.wait()
    turns = 0
    while not done.is_set():
        turns += 1
        # reading waits for the world, not for the interpreter
        if turns == 1000:
            assert cord.body("cord").positions.shape == (31, 3)
    worker.join()
    assert turns > 1000
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_threads_do_not_change_the_bits(scenes: Path) -> None:
    one, two = (pliant.load(scenes / "many-cables.toml", duration=0.1) for _ in range(2))
    two.set_threads(2)
    one.run(), two.run()
    for name, body in one.bodies.items():
        assert np.array_equal(body.positions, two.body(name).positions)


def test_expectations_are_judged(scenes: Path) -> None:
    world = pliant.load(scenes / "swing.toml", judge=True)
    assert all(verdict["met"] is None for verdict in world.verdicts() if "end" in verdict["what"])
    world.run()
    assert [verdict["met"] for verdict in world.verdicts()] == [True] * len(world.verdicts())
    with pytest.raises(pliant.ControlError, match="judge=True"):
        pliant.load(scenes / "swing.toml").verdicts()


def test_energy_of_a_fall_is_kept() -> None:
    # a block that falls freely for 0.2 s has lost m g h of height energy, h = g t^2 / 2, and won as much
    scene = {**BLOCK, "obstacle": [], "body": [{**BLOCK["body"][0], "lattice": {"drag": 0.0}}]}
    world = pliant.World(scene)
    body = world.body("block")
    before = body.energy
    world.run(0.2)
    assert body.mass == pytest.approx(400.0 * 0.04**3)
    fallen = body.mass * 9.81 * 0.5 * 9.81 * 0.2**2
    assert body.energy["kinetic"] - before["kinetic"] == pytest.approx(fallen, rel=1e-3)
    assert body.energy["total"] == pytest.approx(before["total"], abs=1e-3 * fallen)
    assert body.centre[2] == pytest.approx(0.021 - 0.5 * 9.81 * 0.2**2, abs=1e-5)
