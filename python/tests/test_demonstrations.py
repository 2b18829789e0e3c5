"""Demonstrations as data sets: written, and read back by other means."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import experts
import pliant
from conftest import CORD

arrow = pytest.importorskip("pyarrow")
pytest.importorskip("gymnasium")
import pyarrow.parquet  # noqa: E402

from pliant.demonstrations import Demonstrations, demonstrate  # noqa: E402
from pliant.envs import InsertionEnv, LiftingEnv, PliantEnv  # noqa: E402
from pliant.render import png  # noqa: E402


def read(folder: Path) -> tuple[dict[str, Any], Any, list[dict[str, Any]], dict[str, Any]]:
    """What a reader of the layout finds: info, frames, episodes, statistics."""
    info = json.loads((folder / "meta" / "info.json").read_text(encoding="utf-8"))
    episodes = arrow.parquet.read_table(folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet").to_pylist()
    paths = {
        info["data_path"].format(chunk_index=episode["data/chunk_index"], file_index=episode["data/file_index"]): None
        for episode in episodes
    }
    frames = arrow.concat_tables([arrow.parquet.read_table(folder / path) for path in paths])
    return info, frames, episodes, json.loads((folder / "meta" / "stats.json").read_text(encoding="utf-8"))


def lifting(env: PliantEnv) -> Any:
    act = experts.lifting(env)
    return lambda _: act()


def test_a_scripted_policy_as_a_data_set(tmp_path: Path) -> None:
    env = LiftingEnv()
    folder = demonstrate(env, lifting, out=tmp_path / "data", task="lift the cable", episodes=3, seed=5)
    info, frames, episodes, stats = read(folder)
    assert info["codebase_version"] == "v3.0" and info["fps"] == round(1.0 / (env.PERIOD * env.world.dt))
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"]) == (3, frames.num_rows, 1)
    assert info["splits"] == {"train": "0:3"} and info["features"]["action"] == {
        "dtype": "float32",
        "shape": [6],
        "names": None,
    }
    # frames of the episodes are those of the environment, made again
    for number, episode in enumerate(episodes):
        start, end = episode["dataset_from_index"], episode["dataset_to_index"]
        own = frames.slice(start, end - start)
        assert own["episode_index"].unique().to_pylist() == [number] and episode["length"] == end - start
        assert own["frame_index"].to_pylist() == list(range(end - start)) and own["index"].to_pylist() == list(
            range(start, end)
        )
        assert own["timestamp"].to_numpy() == pytest.approx(np.arange(end - start) / info["fps"])
        assert (
            own["next.done"].to_pylist() == [False] * (end - start - 1) + [True] and own["next.success"].to_pylist()[-1]
        )
        observation, _ = env.reset(seed=5 + number)
        for state, action in zip(own["observation.state"].to_pylist(), own["action"].to_pylist(), strict=True):
            assert np.array_equal(np.float32(state), observation)
            observation, *_ = env.step(np.float32(action))
    actions = np.array(frames["action"].to_pylist())
    assert stats["action"]["mean"] == pytest.approx(actions.mean(axis=0)) and stats["action"]["count"] == [
        frames.num_rows
    ]
    assert stats["action"]["q90"] == pytest.approx(np.quantile(actions, 0.9, axis=0))
    first = actions[: episodes[0]["length"]]
    assert episodes[0]["stats/action/std"] == pytest.approx(first.std(axis=0)) and episodes[0]["tasks"] == [
        "lift the cable"
    ]
    tasks = arrow.parquet.read_table(folder / "meta" / "tasks.parquet")
    assert tasks.to_pydict() == {"task_index": [0], "__index_level_0__": ["lift the cable"]}


def test_failures_are_left_out(tmp_path: Path) -> None:
    def idle(env: PliantEnv) -> Any:
        return lambda _: np.zeros(env.action_space.shape or (), np.float32)

    env = InsertionEnv()
    with pytest.raises(RuntimeError, match="0 of 10 episodes"):
        demonstrate(env, idle, out=tmp_path / "none", task="t", episodes=1, longest=2)
    assert json.loads((tmp_path / "none" / "meta" / "info.json").read_text(encoding="utf-8"))["total_episodes"] == 0
    folder = demonstrate(env, idle, out=tmp_path / "all", task="t", episodes=1, longest=2, keep_failures=True)
    assert read(folder)[1]["next.done"].to_pylist() == [False, True]


def unpack(told: bytes) -> NDArray[np.uint8]:
    """Pixels of a PNG file with three channels and no filters, by its specification."""
    assert told[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = int.from_bytes(told[16:20], "big"), int.from_bytes(told[20:24], "big")
    assert tuple(told[24:29]) == (8, 2, 0, 0, 0)
    at = told.index(b"IDAT")
    rows = zlib.decompress(told[at + 4 : at + 4 + int.from_bytes(told[at - 4 : at], "big")])
    table = np.frombuffer(rows, np.uint8).reshape(height, 1 + 3 * width)
    assert not table[:, 0].any()
    return table[:, 1:].reshape(height, width, 3)


def test_pictures(tmp_path: Path) -> None:
    env = LiftingEnv(render_mode="rgb_array", width=32, height=24)
    folder = demonstrate(
        env, lifting, out=tmp_path / "data", task="t", episodes=1, longest=3, pictures=True, keep_failures=True
    )
    info, frames, _, stats = read(folder)
    assert info["features"]["observation.images.scene"]["shape"] == [24, 32, 3]
    env.reset(seed=0)
    picture = env.render()
    assert picture is not None
    stored = [unpack(one["bytes"]) for one in frames["observation.images.scene"].to_pylist()]
    assert np.array_equal(stored[0], picture) and np.array_equal(unpack(png(picture)), picture)
    told = stats["observation.images.scene"]
    every = np.stack(stored) / 255.0
    assert np.array(told["mean"]).shape == (3, 1, 1)
    assert np.ravel(told["mean"]) == pytest.approx(every.mean(axis=(0, 1, 2)))
    assert np.ravel(told["std"]) == pytest.approx(every.std(axis=(0, 1, 2)))
    assert np.ravel(told["max"]) == pytest.approx(every.max(axis=(0, 1, 2)))
    # quantiles of bytes, to a byte
    assert np.ravel(told["q50"]) == pytest.approx(np.quantile(every, 0.5, axis=(0, 1, 2)), abs=1.01 / 255)


def test_films(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    env = LiftingEnv(render_mode="rgb_array", width=96, height=64)
    made = {
        kind: demonstrate(
            env, lifting, out=tmp_path / kind, task="t", episodes=2, longest=12, pictures=kind, keep_failures=True
        )
        for kind in ("png", "video")
    }
    # encoders of AV1 take real-time priority, which this thread must not keep
    assert not hasattr(os, "sched_getscheduler") or os.sched_getscheduler(0) == os.SCHED_OTHER
    info, frames, episodes, stats = read(made["video"])
    key = "observation.images.scene"
    assert info["features"][key]["dtype"] == "video" and info["features"][key]["info"]["video.fps"] == info["fps"]
    assert key not in frames.column_names and frames.num_rows == 24
    # the same pictures as those without loss, and the same statistics
    _, kept, _, known = read(made["png"])
    assert stats[key] == known[key]
    for number, episode in enumerate(episodes):
        path = made["video"] / info["video_path"].format(
            video_key=key,
            chunk_index=episode[f"videos/{key}/chunk_index"],
            file_index=episode[f"videos/{key}/file_index"],
        )
        assert episode[f"videos/{key}/from_timestamp"] == 0.0
        assert episode[f"videos/{key}/to_timestamp"] == pytest.approx(12 / info["fps"])
        with av.open(str(path)) as film:
            seen = [(float(frame.time), frame.to_ndarray(format="rgb24")) for frame in film.decode(video=0)]
        assert [time for time, _ in seen] == pytest.approx(np.arange(12) / info["fps"], abs=1e-4)
        exact = [unpack(one["bytes"]) for one in kept[key].to_pylist()[12 * number : 12 * number + 12]]
        for (_, picture), told in zip(seen, exact, strict=True):
            # a film loses some: a few of 255 on average, but far less than one picture differs from the sky
            assert np.abs(picture.astype(float) - told).mean() < 6.0
    assert np.abs(exact[0].astype(float) - exact[0].mean(axis=(0, 1))).mean() > 6.0


def test_films_need_even_pictures(tmp_path: Path) -> None:
    pytest.importorskip("av")
    data = Demonstrations(tmp_path / "data", fps=10, video=True)
    with pytest.raises(ValueError, match="even height and width, got 5 by 4"):
        data.add({"picture": np.zeros((5, 4, 3), np.uint8)})


def test_a_recorded_run_as_an_episode(tmp_path: Path) -> None:
    world = pliant.World(CORD)
    hand = world.gripper("hand")
    with world.record(tmp_path / "out"):
        hand.move_at([0.2, 0.0, 0.0], [0.0, 0.0, 1.0])
        world.run(0.5)
    recording = pliant.read(tmp_path / "out" / "recording.mcap")
    with Demonstrations(tmp_path / "data", fps=20, robot="hand") as data:
        data.add_recording(recording, "move the cord")
        data.add_recording(recording, "move it once more")
    info, frames, episodes, _ = read(tmp_path / "data")
    assert info["total_episodes"] == 2 and info["total_tasks"] == 2 and [e["length"] for e in episodes] == [11, 11]
    assert info["features"]["action"]["names"] == [f"hand.{what}" for what in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    assert len(info["features"]["observation.state"]["names"]) == 13
    state, action = (np.array(frames[key].to_pylist())[:11] for key in ("observation.state", "action"))
    time = np.arange(11) / 20
    assert state[:, 0] == pytest.approx(0.2 * time, abs=1e-6)
    assert state[:, 3:7] == pytest.approx(
        np.stack([np.cos(time / 2), 0 * time, 0 * time, np.sin(time / 2)], axis=1), abs=1e-5
    )
    # an action is the pose that comes next
    assert np.array_equal(action[:-1], state[1:, :7]) and np.array_equal(action[-1], state[-1, :7])
    assert frames["observation.environment_state"].type.list_size == 24


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    with pytest.raises(FileExistsError, match="not empty"):
        Demonstrations(tmp_path / "full", fps=10)
    with pytest.raises(ValueError, match="whole number"):
        Demonstrations(tmp_path / "a", fps=0)
    data = Demonstrations(tmp_path / "b", fps=10, names={"action": ["x", "y"]})
    with pytest.raises(ValueError, match="2 names"):
        data.add({"action": [1.0, 2.0, 3.0]})
    data.add({"action": [1.0, 2.0]})
    with pytest.raises(ValueError, match="not as in the first frame"):
        data.add({"action": [1.0, 2.0], "more": 1.0})
    with pytest.raises(ValueError, match="not finite"):
        data.add({"action": [1.0, np.nan]})
    with pytest.raises(ValueError, match="written by the data set"):
        Demonstrations(tmp_path / "c", fps=10).add({"index": 1})
    data.drop_episode()
    with pytest.raises(ValueError, match="needs frames"):
        data.end_episode("t")


@pytest.mark.skipif(
    "PLIANT_LONG" not in os.environ, reason="LeRobot is large; ./check --long runs it where it is installed"
)
def test_lerobot_reads_it(tmp_path: Path) -> None:
    datasets = pytest.importorskip("lerobot.datasets.lerobot_dataset")
    env = LiftingEnv(render_mode="rgb_array", width=32, height=24)
    folder = demonstrate(env, lifting, out=tmp_path / "data", task="lift", episodes=2, longest=100, pictures=True)
    found = datasets.LeRobotDataset("pliant/lifting", root=folder)
    assert len(found) == found.meta.total_frames and found.meta.total_episodes == 2
    env.reset(seed=0)
    item = found[0]
    assert item["task"] == "lift" and tuple(item["observation.images.scene"].shape) == (3, 24, 32)
    observation, _ = env.reset(seed=0)
    assert np.array_equal(item["observation.state"].numpy(), observation)
