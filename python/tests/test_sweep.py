"""Sweeps: every run once, whatever dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import measures
import pliant
from conftest import CORD, SCENES

arrow = pytest.importorskip("pyarrow")
import pyarrow.parquet  # noqa: E402

RADII = [0.002, 0.003, 0.004, 0.005]
SHORT = {**CORD, "duration": 0.1}


def rows(table: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = table.to_pylist()
    return listed


def test_each_row_is_what_the_world_gives_alone(tmp_path: Path) -> None:
    vary = {"body.cord.radius": RADII[:2], "material.rubber.young": np.array([1e6, 5e6])}
    known: list[tuple[int, int]] = []
    table = pliant.sweep(
        SHORT, vary, out=tmp_path / "out", measure=measures.shape, workers=2, progress=lambda a, b: known.append((a, b))
    )
    assert known == [(k, 4) for k in range(5)]
    assert table["run"].to_pylist() == [0, 1, 2, 3] and set(table["status"].to_pylist()) == {"done"}
    for row in rows(table):
        world = pliant.World(SHORT)
        world.reset(**{name: row[name] for name in vary})
        world.run()
        assert np.array_equal(row["nodes"], world.body("cord").positions)
        assert row["count"] == 31 and row["time"] == world.time and row["attempts"] == 1
    pairs = [(row["body.cord.radius"], row["material.rubber.young"]) for row in rows(table)]
    assert pairs == [(0.002, 1e6), (0.002, 5e6), (0.003, 1e6), (0.003, 5e6)]
    # the same on the disk, alone
    assert arrow.parquet.read_table(tmp_path / "out" / "results.parquet").equals(table)
    assert not list((tmp_path / "out" / "parts").iterdir())


def test_quantities_at_the_end_and_over_the_run(tmp_path: Path) -> None:
    scene = {**SHORT, "expect": [{"what": "it hangs", "quantity": "body.cord.end.z", "at": "end", "max": 0.0}]}
    measure = {
        "pull": "gripper.hand.force.norm",
        "hardest": "max gripper.hand.force.norm",
        "least": "min gripper.hand.force.norm",
    }
    row = rows(pliant.sweep(scene, [{"gravity": [0.0, 0.0, -5.0]}], out=tmp_path / "out", measure=measure, workers=1))[
        0
    ]
    world = pliant.World(scene, gravity=[0.0, 0.0, -5.0])
    # before the first step nothing is felt
    hand, forces = world.gripper("hand"), [0.0]
    while world.time < world.duration - 1e-9:
        world.step()
        forces.append(float(np.linalg.norm(hand.force)))
    assert row["pull"] == pytest.approx(forces[-1], rel=1e-12)
    assert (row["hardest"], row["least"]) == (pytest.approx(max(forces)), pytest.approx(min(forces)))
    assert row["met.it hangs"] is True and row["expect.it hangs"] == pytest.approx(world.body("cord").positions[-1, 2])
    assert row["gravity"] == [0.0, 0.0, -5.0]
    with pytest.raises(pliant.SceneError, match="`hook`"):
        world.measure("gripper.hook.force.norm")


def test_a_run_that_fails_is_told_and_others_go_on(tmp_path: Path) -> None:
    vary = {"body.cord.radius": [0.003, -1.0]}
    good, bad = rows(pliant.sweep(SHORT, vary, out=tmp_path / "a", measure=["body.cord.length"], workers=2))
    assert (
        good["status"] == "done" and good["body.cord.length"] == pytest.approx(0.3, rel=1e-2) and good["error"] is None
    )
    assert bad["status"] == "failed" and "radius" in bad["error"] and bad["body.cord.length"] is None
    # no folder of the machine that made it
    assert "/" not in bad["error"].splitlines()[0]
    failed = rows(pliant.sweep(SHORT, {"duration": [0.1]}, out=tmp_path / "b", measure=measures.broken, workers=1))
    assert failed[0]["status"] == "failed" and failed[0]["error"] == "KeyError: 'nothing there'"


def test_runs_of_dead_processes_are_made_again(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    scene = {**SHORT, "title": str(marks)}
    vary = {"body.cord.radius": RADII}
    table = pliant.sweep(scene, vary, out=tmp_path / "out", measure=measures.deadly, workers=2, retries=2)
    assert table["status"].to_pylist() == ["done"] * 3 + ["lost"] and table["attempts"].to_pylist() == [2, 2, 2, 3]
    assert table["died"].to_pylist()[:3] == [True] * 3
    assert "exit code -9, 3 times" in table["error"].to_pylist()[3]
    # what was lost is made again by the same call, and nothing else; it is lost again
    known: list[int] = []
    again = pliant.sweep(
        scene, vary, out=tmp_path / "out", measure=measures.deadly, retries=0, progress=lambda a, _: known.append(a)
    )
    assert known == [3, 4] and again["run"].to_pylist() == [0, 1, 2, 3]
    assert again["attempts"].to_pylist() == [2, 2, 2, 1] and again.slice(0, 3).equals(table.slice(0, 3))


def test_an_interrupted_sweep_goes_on(tmp_path: Path) -> None:
    """The whole sweep is killed in the middle, with its processes at work; the same call ends it."""
    vary = {"body.cord.radius": [0.002 + 1e-5 * k for k in range(12)]}
    script = tmp_path / "script.py"
    script.write_text(
        "import json, measures, pliant\n"
        "if __name__ == '__main__':\n"
        f"    pliant.sweep(json.loads({json.dumps(json.dumps(SHORT))}), {vary!r}, out={str(tmp_path / 'out')!r}, "
        "measure=measures.slow, workers=2)\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    process = subprocess.Popen([sys.executable, str(script)], env=environment)
    parts = tmp_path / "out" / "parts"
    deadline = time.monotonic() + 60.0
    while len(list(parts.glob("*.parquet"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path.name: path.read_bytes() for path in parts.glob("*.parquet")}
    assert 3 <= len(before) < 12
    table = pliant.sweep(SHORT, vary, out=tmp_path / "out", measure=measures.slow, workers=2)
    assert table["run"].to_pylist() == list(range(12)) and set(table["status"].to_pylist()) == {"done"}
    assert table["body.cord.radius"].to_pylist() == vary["body.cord.radius"]
    # what was known stays what it was, told by the process that made it
    kept = {int(Path(name).stem): arrow.parquet.read_table(arrow.BufferReader(told)) for name, told in before.items()}
    for run, part in kept.items():
        assert part["process"].to_pylist()[0] == table["process"].to_pylist()[run]


def test_another_sweep_is_not_taken_for_it(tmp_path: Path) -> None:
    pliant.sweep(SHORT, {"duration": [0.05]}, out=tmp_path, workers=1)
    with pytest.raises(ValueError, match="differs in values"):
        pliant.sweep(SHORT, {"duration": [0.06]}, out=tmp_path)
    with pytest.raises(ValueError, match="differs in scene and files"):
        pliant.sweep(CORD, {"duration": [0.05]}, out=tmp_path)
    with pytest.raises(ValueError, match="nothing to run"):
        pliant.sweep(SHORT, {"duration": []}, out=tmp_path)
    with pytest.raises(ValueError, match="both varied and measured"):
        pliant.sweep(SHORT, {"duration": [0.05]}, measure={"duration": "body.cord.length"}, out=tmp_path)
    with pytest.raises(TypeError, match="needs a list"):
        pliant.sweep(SHORT, {"duration": 0.05}, out=tmp_path)  # type: ignore[dict-item]
    with pytest.raises(pliant.SceneError, match="^<scene>"):
        pliant.sweep({**SHORT, "body": [{"name": "cord", "model": "rope"}]}, {"duration": [0.05]}, out=tmp_path / "b")


def test_a_folder_is_for_one_sweep_at_a_time(tmp_path: Path) -> None:
    tried: list[str] = []

    def second(known: int, _: int) -> None:
        if known == 0:
            with pytest.raises(RuntimeError, match="another sweep is at work"):
                pliant.sweep(SHORT, {"duration": [0.05]}, out=tmp_path)
            tried.append("yes")

    pliant.sweep(SHORT, {"duration": [0.05]}, out=tmp_path, workers=1, progress=second)
    assert tried == ["yes"]


def files(folder: Path) -> Path:
    """A scene that names a robot, its mesh in a package, a mesh by an absolute path, and a table of poses outside."""
    scene, robots, package = folder / "here" / "scene", folder / "here" / "robots", folder / "package"
    for place in (scene, robots, package / "meshes"):
        place.mkdir(parents=True)
    cube = (
        "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\n"  # a tetrahedron
        "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (package / "meshes" / "link.obj").write_text(cube, encoding="utf-8")
    (folder / "block.obj").write_text(cube, encoding="utf-8")
    (robots / "robot.urdf").write_text(
        '<robot name="r"><link name="base"/><link name="tip"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<collision><geometry><mesh filename="package://parts/meshes/link.obj"/></geometry></collision></link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>',
        encoding="utf-8",
    )
    (folder / "here" / "way.csv").write_text("time,x,y,z\n0,0,0,0\n1,0.1,0,0\n", encoding="utf-8")
    text = f"""
duration = 0.1
step = 0.01
[[arm]]
name = "robot"
urdf = "../robots/robot.urdf"
packages = {{ parts = "../../package" }}
position = [5, 5, 5]
[[obstacle]]
name = "block"
shape = {{ mesh = {{ file = "{folder / "block.obj"}" }} }}
position = [9, 9, 9]
[[gripper]]
name = "hand"
position = [0, 0, 0]
motion = {{ samples = {{ file = "../way.csv" }} }}
"""
    (scene / "scene.toml").write_text(text, encoding="utf-8")
    return scene / "scene.toml"


def test_files_go_along(tmp_path: Path) -> None:
    from pliant._bundle import pack

    scene = files(tmp_path / "user")
    other = scene.parent / "other.csv"
    other.write_text("time,x,y,z\n0,0,0,0\n1,0.3,0,0\n", encoding="utf-8")
    bundle, changes = pack(scene, None, [{"gripper.hand.motion.samples.file": str(other)}])
    assert sorted(Path(name).name for name in bundle.files) == [
        "block.obj",
        "link.obj",
        "other.csv",
        "robot.urdf",
        "way.csv",
    ]
    (scene.parents[2]).rename(tmp_path / "gone")
    # as on another machine: nothing is where it was
    world = pliant.load(bundle.unpack())
    assert world.arms.keys() == {"robot"} and "block" in world.obstacles
    world.run(0.1)
    assert world.gripper("hand").position[0] == pytest.approx(0.01)
    world.reset(**changes[0])
    world.run(0.1)
    assert world.gripper("hand").position[0] == pytest.approx(0.03)


def test_a_changed_file_is_another_sweep(tmp_path: Path) -> None:
    scene = files(tmp_path / "user")
    measure = ["gripper.hand.position.x"]
    table = pliant.sweep(scene, {"duration": [0.1]}, measure=measure, out=tmp_path / "out", workers=1)
    assert table[measure[0]].to_pylist() == [pytest.approx(0.01)]
    (scene.parents[1] / "way.csv").write_text("time,x,y,z\n0,0,0,0\n1,0.2,0,0\n", encoding="utf-8")
    with pytest.raises(ValueError, match="differs in scene and files"):
        pliant.sweep(scene, {"duration": [0.1]}, measure=measure, out=tmp_path / "out")


def test_absolute_names_in_a_robot_are_refused(tmp_path: Path) -> None:
    scene = files(tmp_path)
    robot = scene.parents[1] / "robots" / "robot.urdf"
    robot.write_text(
        robot.read_text(encoding="utf-8").replace("package://parts", f"file://{tmp_path}/package"), encoding="utf-8"
    )
    with pytest.raises(ValueError, match="absolute path"):
        pliant.sweep(scene, {"duration": [0.1]}, out=tmp_path / "out")


def test_a_scene_of_the_collection(tmp_path: Path) -> None:
    """A scene file with a robot and expectations of its own."""
    table = pliant.sweep(SCENES / "arm-pull.toml", {"duration": [0.05, 0.06]}, out=tmp_path / "out", workers=2)
    assert table["status"].to_pylist() == ["done", "done"] and table["time"].to_pylist() == pytest.approx([0.05, 0.06])


@pytest.mark.skipif("PLIANT_LONG" not in os.environ, reason="Ray is large; ./check --long runs it")
def test_a_ray_cluster_that_loses_a_node(tmp_path: Path) -> None:
    """Two nodes' worth of processes, one of which is killed midway: every run is there once, as it is alone."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    count = 40
    vary = {"body.cord.radius": [0.002 + 1e-5 * k for k in range(count)]}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        node = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False)
        known: list[int] = []

        def kill(done: int, _: int) -> None:
            known.append(done)
            if done == 10:
                # both are at work
                cluster.remove_node(node, allow_graceful=False)

        table = pliant.sweep(SHORT, vary, on="ray", out=tmp_path / "ray", measure=measures.slow, progress=kill)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert known == list(range(count + 1))
    assert table["run"].to_pylist() == list(range(count)) and set(table["status"].to_pylist()) == {"done"}
    # runs of the node that died were made again
    assert max(table["attempts"].to_pylist()) > 1 and len(set(table["process"].to_pylist())) > 1
    local = pliant.sweep(SHORT, vary, out=tmp_path / "local", measure=measures.shape, workers=2)
    assert table["nodes"].equals(local["nodes"])
