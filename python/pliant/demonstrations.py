"""Demonstrations for imitation learning, as data sets in the layout of LeRobot, version 3.0.

    from pliant.demonstrations import Demonstrations, demonstrate

    demonstrate(env, policy, out="data/winding", task="wind the cable on the drum", episodes=50)

    with Demonstrations("data/live", fps=50) as data:
        data.add_recording(pliant.read("out/recording.mcap"), task="lay the cable past the pegs")

The layout: `data/` has all frames as Parquet, `meta/info.json` what they consist of, `meta/tasks.parquet` and
`meta/episodes/` the episodes with their statistics, `meta/stats.json` those of all frames. Pictures lie in the table, or in `videos/` as films.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _video
from ._recording import Recording
from ._statistics import merged, statistics, summary
from .render import png

if TYPE_CHECKING:
    from .envs import PliantEnv

Vector = NDArray[np.float32]
Values = NDArray[Any]

_FILE = "chunk-{chunk_index:03d}/file-{file_index:03d}"
_FILM = f"videos/{{video_key}}/{_FILE}.mp4"
_CHUNK = 1000
"""Files in a folder, at most."""
_LARGEST = 100
"""Size of a file of data, at most [MB]."""
_OWN = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
}


class Demonstrations:
    """A data set in the making, frame by frame and episode by episode.

    A frame is a dictionary of numbers by name, such as `observation.state` and `action`: vectors, single numbers, truth
    values, and pictures as arrays of bytes of shape (height, width, 3). All frames have the same names and sizes. `names`
    says what the numbers of a vector are. An episode that is not ended is not kept. With `video` pictures become films, one for each episode,
    for which the package PyAV is needed; else they lie in the table, as PNG.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        fps: int,
        robot: str | None = None,
        names: Mapping[str, Sequence[str]] | None = None,
        video: bool = False,
    ) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise ImportError('data sets need the package pyarrow: pip install "pliant[sweep]"') from error
        self._arrow: Any = pyarrow
        self.folder = Path(folder)
        if self.folder.exists() and any(self.folder.iterdir()):
            raise FileExistsError(f"{self.folder} is not empty: a data set needs a folder of its own")
        if fps != int(fps) or fps <= 0:
            raise ValueError(f"frames come at a whole number per second, got {fps}")
        self.fps = int(fps)
        self._robot = robot
        self._video = video
        if video:
            _video.codec()
        self._names = {key: list(given) for key, given in (names or {}).items()}
        self._features: dict[str, dict[str, Any]] = {}
        self._tasks: list[str] = []
        self._frames: list[dict[str, Values]] = []
        self._episodes: list[dict[str, Any]] = []
        self._seen: dict[str, list[Values]] = {}
        self._total = 0
        self._file = 0
        self._bytes = 0
        self._writer: Any = None

    def add(self, frame: Mapping[str, ArrayLike]) -> None:
        """Add a frame to the episode that is being told."""
        values = {key: _sound(key, np.asarray(value)) for key, value in frame.items()}
        told = {key: self._feature(value, self._names.get(key)) for key, value in values.items()}
        if not self._features:
            self._check_names(told)
            self._features = told
        for key in {*told, *self._features}:
            if told.get(key) != self._features.get(key):
                raise ValueError(
                    f"`{key}` is not as in the first frame: {told.get(key)}, not {self._features.get(key)}"
                )
        self._frames.append(values)

    def _feature(self, value: Values, names: Sequence[str] | None) -> dict[str, Any]:
        """What info.json says of a value."""
        if value.ndim < 3:
            return {
                "dtype": str(value.dtype),
                "shape": list(value.shape),
                "names": list(names) if names is not None else None,
            }
        told: dict[str, Any] = {"dtype": "image", "shape": list(value.shape), "names": ["height", "width", "channels"]}
        if self._video:
            height, width, _ = value.shape
            if height % 2 or width % 2:
                raise ValueError(f"films need pictures of even height and width, got {height} by {width}")
            told |= {"dtype": "video", "info": _video.about(height, width, self.fps)}
        return told

    def _check_names(self, told: Mapping[str, Any]) -> None:
        if own := set(told) & set(_OWN):
            raise ValueError(f"`{own.pop()}` is written by the data set itself")
        for key, names in self._names.items():
            if key in told and told[key]["shape"] != [len(names)]:
                raise ValueError(f"`{key}` has the shape {told[key]['shape']}, but {len(names)} names")

    def end_episode(self, task: str) -> None:
        """Keep the frames since the last episode as an episode of a task, told in words."""
        if not self._frames:
            raise ValueError("an episode needs frames")
        if task not in self._tasks:
            self._tasks.append(task)
        columns = {key: np.stack([frame[key] for frame in self._frames]) for key in self._features}
        count, number = len(self._frames), len(self._episodes)
        columns |= {
            "timestamp": (np.arange(count) / self.fps).astype(np.float32),
            "frame_index": np.arange(count),
            "episode_index": np.full(count, number),
            "index": np.arange(self._total, self._total + count),
            "task_index": np.full(count, self._tasks.index(task)),
        }
        films = [key for key, feature in self._features.items() if feature["dtype"] == "video"]
        self._write({key: values for key, values in columns.items() if key not in films})
        episode = {
            "episode_index": number,
            "tasks": [task],
            "length": count,
            "data/chunk_index": self._file // _CHUNK,
            "data/file_index": self._file % _CHUNK,
            "dataset_from_index": self._total,
            "dataset_to_index": self._total + count,
        }
        for key in films:
            # a film for each episode
            path = self.folder / _FILM.format(video_key=key, chunk_index=number // _CHUNK, file_index=number % _CHUNK)
            _video.write(path, columns[key], self.fps)
            episode |= {
                f"videos/{key}/chunk_index": number // _CHUNK,
                f"videos/{key}/file_index": number % _CHUNK,
                f"videos/{key}/from_timestamp": 0.0,
                f"videos/{key}/to_timestamp": count / self.fps,
            }
        for key, values in columns.items():
            own = summary(values)
            self._seen.setdefault(key, []).append(own)
            episode |= {f"stats/{key}/{what}": value for what, value in statistics(own, count).items()}
        self._episodes.append(episode)
        self._total += count
        self._frames = []

    def drop_episode(self) -> None:
        """Forget the frames since the last episode."""
        self._frames = []

    def add_recording(self, recording: Recording, task: str, *, tracked: int = 8) -> None:
        """Add a recorded run as an episode: `observation.state` has pose and wrench of each gripper and the joints of each
        arm, `observation.environment_state` points evenly spaced on each rod or solid, and `action` the pose of each
        gripper a frame later. Frames are taken from the recording at this data set's rate, straight between its own."""
        time = recording.time
        count = int((time[-1] - time[0]) * self.fps + 1e-6) + 1
        at = time[0] + np.arange(count) / self.fps
        state, points, action, names = [], [], [], []
        state_names: list[str] = []
        for name, gripper in recording.grippers.items():
            pose = np.hstack(
                [_between(at, gripper.time, gripper.position), _turns(at, gripper.time, gripper.orientation)]
            )
            state += [pose, _between(at, gripper.time, gripper.wrench)]
            action.append(np.vstack([pose[1:], pose[-1:]]))
            names.append([f"{name}.{what}" for what in ("x", "y", "z", "qw", "qx", "qy", "qz")])
            state_names += [*names[-1], *(f"{name}.{what}" for what in ("fx", "fy", "fz", "mx", "my", "mz"))]
        for name, body in recording.bodies.items():
            if body.joints.names:
                state.append(_between(at, body.time, body.joints.positions))
                state_names += [f"{name}.{joint}" for joint in body.joints.names]
                continue
            chosen = np.unique(np.linspace(0, body.positions.shape[1] - 1, tracked).round().astype(int))
            points.append(_between(at, body.time, body.positions[:, chosen].reshape(len(body.time), -1)))
        if not state or not action:
            raise ValueError(f"{recording.path} has no gripper: there is nothing to learn from")
        self._names.setdefault("observation.state", state_names)
        self._names.setdefault("action", [part for own in names for part in own])
        columns = {"observation.state": np.hstack(state), "action": np.hstack(action)}
        if points:
            columns["observation.environment_state"] = np.hstack(points)
        for frame in range(count):
            self.add({key: values[frame].astype(np.float32) for key, values in columns.items()})
        self.end_episode(task)

    def close(self) -> None:
        """Complete the files; frames of an episode that was not ended are dropped."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        meta = self.folder / "meta"
        meta.mkdir(parents=True, exist_ok=True)
        features = {key: dict(feature) for key, feature in self._features.items()}
        features |= {key: {"dtype": dtype, "shape": [1], "names": None} for key, dtype in _OWN.items()}
        info = {
            "codebase_version": "v3.0",
            "robot_type": self._robot,
            "total_episodes": len(self._episodes),
            "total_frames": self._total,
            "total_tasks": len(self._tasks),
            "chunks_size": _CHUNK,
            "data_files_size_in_mb": _LARGEST,
            "video_files_size_in_mb": 200,
            "fps": self.fps,
            "splits": {"train": f"0:{len(self._episodes)}"},
            "data_path": f"data/{_FILE}.parquet",
            "video_path": _FILM if any(f["dtype"] == "video" for f in features.values()) else None,
            "features": features,
        }
        (meta / "info.json").write_text(json.dumps(info, indent=4), encoding="utf-8")
        told = {key: statistics(merged(parts), self._total) for key, parts in self._seen.items()}
        (meta / "stats.json").write_text(json.dumps(told, indent=4), encoding="utf-8")
        self._write_tasks(meta / "tasks.parquet")
        if self._episodes:
            place = meta / "episodes" / f"{_FILE.format(chunk_index=0, file_index=0)}.parquet"
            place.parent.mkdir(parents=True, exist_ok=True)
            rows = [
                {**episode, "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0} for episode in self._episodes
            ]
            self._arrow.parquet.write_table(self._arrow.Table.from_pylist(rows), place)

    def _write_tasks(self, path: Path) -> None:
        """Tasks are the index of a table of pandas, which reads from the metadata that they are."""
        index = "__index_level_0__"
        table = self._arrow.table(
            {"task_index": list(range(len(self._tasks))), index: self._arrow.array(self._tasks, "string")}
        )
        kind = {"metadata": None, "field_name": None}
        about = {
            "index_columns": [index],
            "column_indexes": [],
            "columns": [
                {
                    **kind,
                    "name": "task_index",
                    "field_name": "task_index",
                    "pandas_type": "int64",
                    "numpy_type": "int64",
                },
                {**kind, "name": None, "field_name": index, "pandas_type": "unicode", "numpy_type": "object"},
            ],
            "creator": {"library": "pyarrow", "version": self._arrow.__version__},
            "pandas_version": "2.0.0",
        }
        self._arrow.parquet.write_table(table.replace_schema_metadata({"pandas": json.dumps(about)}), path)

    def _write(self, columns: Mapping[str, Values]) -> None:
        arrow = self._arrow
        table = arrow.table({key: self._column(values) for key, values in columns.items()})
        if self._writer is not None and self._bytes + table.nbytes > _LARGEST << 20:
            self._writer.close()
            self._writer = None
            self._file += 1
            self._bytes = 0
        if self._writer is None:
            name = _FILE.format(chunk_index=self._file // _CHUNK, file_index=self._file % _CHUNK)
            path = self.folder / "data" / f"{name}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = arrow.parquet.ParquetWriter(path, table.schema)
        self._writer.write_table(table)
        self._bytes += table.nbytes

    def _column(self, values: Values) -> Any:
        if values.ndim == 4:
            kind = self._arrow.struct([("bytes", self._arrow.binary()), ("path", self._arrow.string())])
            return self._arrow.array([{"bytes": png(picture), "path": None} for picture in values], kind)
        flat = self._arrow.array(values.reshape(-1))
        one = values.ndim == 1 or values.shape[1:] == (1,)
        return flat if one else self._arrow.FixedSizeListArray.from_arrays(flat, values.shape[1])

    def __enter__(self) -> Demonstrations:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def demonstrate(
    env: PliantEnv,
    policy: Callable[[PliantEnv], Callable[[Vector], Vector]],
    *,
    out: str | os.PathLike[str],
    task: str,
    episodes: int,
    seed: int = 0,
    longest: int | None = None,
    pictures: bool | Literal["png", "video"] = False,
    keep_failures: bool = False,
) -> Path:
    """Let a policy do an environment's task until there are so many episodes, as a data set; its folder.

    `policy` is called with the environment at the start of an episode and returns what gives an action for an observation.
    Episodes have seeds from `seed` on; those in which the task is not done are left out, unless they are wanted. With
    `pictures` every frame has one, for which the environment needs `render_mode="rgb_array"`: as PNG in the table, or with `"video"` as a
    film of each episode, for which the package PyAV is needed.
    """
    fps = 1.0 / (env.PERIOD * env.world.dt)
    if abs(fps - round(fps)) > 1e-6:
        raise ValueError(f"the environment has {fps} frames per second, which is no whole number")
    longest = longest or env.LONGEST
    film = pictures == "video"
    with Demonstrations(out, fps=round(fps), robot=type(env).__name__, video=film) as data:
        kept, tried = 0, 0
        while kept < episodes:
            if tried >= 10 * episodes:
                raise RuntimeError(f"the policy has done its task in {kept} of {tried} episodes: that is too seldom")
            kept += _episode(env, policy, data, seed + tried, longest, task, bool(pictures), keep_failures)
            tried += 1
    return data.folder


def _episode(
    env: PliantEnv,
    policy: Callable[[PliantEnv], Callable[[Vector], Vector]],
    data: Demonstrations,
    seed: int,
    longest: int,
    task: str,
    pictures: bool,
    keep_failures: bool,
) -> bool:
    observation, _ = env.reset(seed=seed)
    act, success = policy(env), False
    for number in range(longest):
        action = np.asarray(act(observation), dtype=np.float32)
        frame: dict[str, ArrayLike] = {"observation.state": observation, "action": action}
        if pictures:
            picture = env.render()
            if picture is None:
                raise ValueError('pictures need an environment with render_mode="rgb_array"')
            frame["observation.images.scene"] = picture
        observation, reward, terminated, truncated, info = env.step(action)
        success = bool(info["success"])
        done = terminated or truncated or number + 1 == longest
        data.add({**frame, "next.reward": np.float32(reward), "next.done": done, "next.success": success})
        if done:
            break
    if success or keep_failures:
        data.end_episode(task)
        return True
    data.drop_episode()
    return False


def _sound(key: str, value: Values) -> Values:
    """A value as it is stored."""
    if value.ndim == 3 and value.dtype == np.uint8 and value.shape[2] == 3:
        return value
    if value.ndim > 1:
        raise ValueError(f"`{key}` has the shape {value.shape}: expected a vector, a number or a picture of bytes")
    if value.dtype == np.bool_ or np.issubdtype(value.dtype, np.integer):
        return value.reshape(-1).astype(np.bool_ if value.dtype == np.bool_ else np.int64)
    value = value.reshape(-1).astype(np.float32)
    if not np.isfinite(value).all():
        raise ValueError(f"`{key}` is not finite: {value}")
    return value


def _between(at: Values, time: Values, values: Values) -> Values:
    """Rows of values at other times, straight between their own."""
    return np.stack([np.interp(at, time, column) for column in values.T], axis=1)


def _turns(at: Values, time: Values, turns: Values) -> Values:
    """Quaternions at other times: straight between neighbours of the same sign, and of length one."""
    signs = np.where(np.sum(turns[1:] * turns[:-1], axis=1) < 0.0, -1.0, 1.0)
    turns = turns * np.concatenate([[1.0], np.cumprod(signs)])[:, None]
    mixed = _between(at, time, turns)
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    return mixed
