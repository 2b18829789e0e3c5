"""Recordings: made while a world is stepped, and read back as arrays."""

from __future__ import annotations

import html
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._pliant import World, read_topics

Array = NDArray[np.float64]


class Recorder:
    """A recording in the making: `with world.record("out"): world.run()`."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = Path(folder)

    def finish(self) -> Path | None:
        """Complete the files; the path of recording.mcap."""
        path = self.world.finish_recording()
        return None if path is None else Path(path)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()


@dataclass(frozen=True)
class JointTrack:
    """Joints of an arm over time, from root to tips: coordinates [rad, m], velocities, and torques of the drives [N m, N]."""

    names: list[str]
    positions: Array
    """(frames, joints), and so the others."""
    velocities: Array
    torques: Array


@dataclass(frozen=True)
class BodyTrack:
    """A body over time: `time` (frames,), `positions` (frames, nodes, 3), energies and fields."""

    time: Array
    positions: Array
    energy: dict[str, Array]
    """kinetic, elastic, gravity and total [J], each (frames,)."""
    fields: dict[str, Array]
    """Quantities per node, such as tension, each (frames, nodes)."""
    units: dict[str, str]
    """Unit of each field."""
    joints: JointTrack
    """Joints of an arm; none for other models."""


@dataclass(frozen=True)
class GripperTrack:
    """A gripper over time: pose, and the wrench that it feels (force [N], torque [N m], world axes)."""

    time: Array
    position: Array
    orientation: Array
    wrench: Array
    attached: NDArray[np.bool_]


@dataclass(frozen=True)
class SensorTrack:
    """A force/torque sensor over time: pose, and the wrench that it reads (force [N], torque [N m], its own axes)."""

    time: Array
    position: Array
    orientation: Array
    wrench: Array


@dataclass(frozen=True)
class ObstacleTrack:
    """The force of an obstacle on all bodies over time [N], (frames, 3)."""

    time: Array
    force: Array


@dataclass(frozen=True)
class Recording:
    """A recording as arrays, see `pliant.read`."""

    path: Path
    bodies: dict[str, BodyTrack]
    grippers: dict[str, GripperTrack]
    sensors: dict[str, SensorTrack]
    obstacles: dict[str, ObstacleTrack]
    contacts: dict[str, Array]
    """time, penetration [m] (the deepest) and force [N] (the sum), each (frames,)."""
    events: list[tuple[float, str]]
    about: dict[str, dict[str, str]]
    """What the file says of the run and its outcome."""

    @property
    def time(self) -> Array:
        """Time of each frame [s]."""
        return self.contacts["time"]

    def _repr_html_(self) -> str:
        report = self.path.with_name("report.html")
        return inline(report, False) if report.exists() else html.escape(repr(self))

    def __repr__(self) -> str:
        names = ", ".join([*self.bodies, *self.grippers])
        return f"<pliant.Recording {str(self.path)!r}: {len(self.time)} frames of {names}>"


def read(path: str | os.PathLike[str]) -> Recording:
    """Read a recording that `World.record`, `pliant run --out` or a live run has made, also of a run that was killed."""
    told: dict[str, Any] = read_topics(os.fspath(path))
    bodies = {
        name: BodyTrack(
            time=body["time"],
            positions=body["positions"],
            energy=body["energy"],
            fields={field: values for field, (_, values) in body["fields"].items()},
            units={field: unit for field, (unit, _) in body["fields"].items()},
            joints=JointTrack(**body["joints"]),
        )
        for name, body in told["bodies"].items()
    }
    grippers = {
        name: GripperTrack(**{**gripper, "attached": gripper["attached"].astype(bool)})
        for name, gripper in told["grippers"].items()
    }
    sensors = {name: SensorTrack(**sensor) for name, sensor in told["sensors"].items()}
    obstacles = {name: ObstacleTrack(**obstacle) for name, obstacle in told["obstacles"].items()}
    return Recording(
        path=Path(path),
        bodies=bodies,
        grippers=grippers,
        sensors=sensors,
        obstacles=obstacles,
        contacts=told["contacts"],
        events=told["events"],
        about=told["about"],
    )


def folder() -> str:
    """An empty folder for a page that is shown at once."""
    return tempfile.mkdtemp(prefix="pliant-")


def inline(page: str | os.PathLike[str], once: bool) -> str:
    """A report as HTML for a notebook; with `once` its folder is removed."""
    page = Path(page)
    text = page.read_text(encoding="utf-8")
    if once:
        shutil.rmtree(page.parent, ignore_errors=True)
    style = "width:100%;height:560px;border:0"
    return f'<iframe srcdoc="{html.escape(text, quote=True)}" style="{style}"></iframe>'
