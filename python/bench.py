"""Measures what the binding costs, of the package as installed. Run it on a quiet machine:

    python python/bench.py               # a step, reading, many worlds
    python python/bench.py --install     # how long `pip install ./python` takes in a fresh environment, built from nothing, and the wheel's size
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path

# beside this script are the package's sources without their compiled half
sys.path.pop(0)

HERE = Path(__file__).parent
WINDING = Path(__file__).parents[1] / "scenes" / "winding.toml"


def best(work: Callable[[], object], times: int, rounds: int = 15) -> float:
    """Time of one call [s], the best mean of several rounds: whatever else runs only adds."""
    least = float("inf")
    for _ in range(rounds):
        begun = time.perf_counter()
        for _ in range(times):
            work()
        least = min(least, (time.perf_counter() - begun) / times)
    return least


def overhead() -> None:
    """A step from Python against the same steps in one call, and reading."""
    import numpy as np

    import pliant

    world = pliant.World(
        duration=1.0,
        step=0.001,
        gravity=[0.0, 0.0, 0.0],
        material={"m": {"young": 1e6, "density": 1000}},
        body=[{"name": "rod", "model": "chain", "material": "m", "radius": 0.002, "points": 3,
               "path": [[0, 0, 0], [0.1, 0, 0]], "chain": {"rate": 1000}}],
    )  # fmt: skip
    world.step(1000)
    together = best(lambda: world.step(2000), 1) / 2000
    apart = best(world.step, 2000)
    print(f"step          {1e6 * apart:8.2f} us alone, {1e6 * together:.2f} us in one call: "
          f"{1e6 * (apart - together):.2f} us of overhead (at most 2)")  # fmt: skip

    world = pliant.load(WINDING, **{"body.wire.segments": 160})
    wire = world.body("wire")
    world.step(20)
    assert wire.positions.shape == (161, 3)
    first = []
    for _ in range(300):
        world.step()
        begun = time.perf_counter()
        wire.positions  # noqa: B018
        first.append(time.perf_counter() - begun)
    empty = best(lambda: None, 20000)
    again = best(lambda: wire.positions, 20000) - empty
    print(f"all 161 nodes {1e6 * float(np.median(first)):8.2f} us after a step (median, with the clock), "
          f"{1e6 * again:.2f} us once more (at most 1)")  # fmt: skip


def batch() -> None:
    """64 cables of 40 segments that hang and swing, in steps of 10 ms."""
    import pliant

    scene = {
        "duration": 1.0,
        "step": 0.01,
        "material": {"silicone": {"young": 4.462e6, "poisson": 0.4999, "density": 1100.0}},
        "body": [{"name": "wire", "model": "cable", "material": "silicone", "radius": 0.002, "segments": 40,
                  "path": [[0, 0, 0], [0.4, 0, 0]]}],
        "gripper": [{"name": "hand", "grips": [{"body": "wire", "at": "start"}]}],
    }  # fmt: skip
    rates = {}
    for threads in (1, 2):
        many = pliant.Batch(scene, 64, threads=threads)
        many.step(10)

        def second(many: pliant.Batch = many) -> None:
            many.step(100)
            many.positions("wire")

        rates[threads] = 64.0 / best(second, 1, rounds=7)
    print(f"batch         {rates[2]:8.0f} cable-seconds per second on two threads (at least 450), "
          f"{rates[1]:.0f} on one: {rates[2] / rates[1]:.2f} times (at least 1.8)")  # fmt: skip


def install() -> None:
    """A wheel from nothing but sources and the registry's crates, and its installation; crates that cargo has fetched are not fetched again."""
    with tempfile.TemporaryDirectory() as place:
        begun = time.perf_counter()
        venv.create(Path(place) / "venv", with_pip=True)
        pip = [str(Path(place) / "venv" / "bin" / "python"), "-m", "pip"]
        # a target folder of its own, unless one is named
        variables = {"CARGO_TARGET_DIR": str(Path(place) / "target")} | os.environ
        subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", place, str(HERE)], check=True, env=variables)
        wheel = next(Path(place).glob("*.whl"))
        subprocess.run([*pip, "install", "-q", str(wheel)], check=True)
        took = time.perf_counter() - begun
        print(f"installed     {took / 60.0:8.1f} minutes (at most 6), {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB (at most 15)")


if __name__ == "__main__":
    if "--install" in sys.argv[1:]:
        install()
    else:
        overhead()
        batch()
