"""Pliant simulates things that bend while a robot or a hand moves them: cables, wires, soft solids.

    import pliant

    world = pliant.load("scenes/winding.toml", duration=2.0)
    wire, hand = world.body("wire"), world.gripper("hand")
    while world.time < world.duration:
        world.step()
        print(hand.force, wire.positions[-1], wire.tension.max())

`World` is built from a scene file or in code, `Batch` steps many worlds on all cores, `sweep` runs one scene with many
values, `read` opens recordings, `identify` finds properties from measurements, and `pliant.envs` has Gymnasium environments. SI units throughout; quaternions are w x y z; forces are outputs.
"""

from importlib.util import find_spec as _find_spec

from . import identify
from ._pliant import (
    Arm,
    Batch,
    Body,
    ControlError,
    Grip,
    Gripper,
    Load,
    Obstacle,
    PliantError,
    RecordError,
    SceneError,
    Sensor,
    Snapshot,
    SnapshotError,
    StepError,
    World,
    __version__,
    load,
    schema,
)
from ._recording import BodyTrack, GripperTrack, JointTrack, ObstacleTrack, Recorder, Recording, SensorTrack, read
from ._sweep import sweep

__all__ = [
    "Arm",
    "Batch",
    "Body",
    "BodyTrack",
    "ControlError",
    "Grip",
    "Gripper",
    "GripperTrack",
    "JointTrack",
    "Load",
    "Obstacle",
    "ObstacleTrack",
    "PliantError",
    "RecordError",
    "Recorder",
    "Recording",
    "SceneError",
    "Sensor",
    "SensorTrack",
    "Snapshot",
    "SnapshotError",
    "StepError",
    "World",
    "__version__",
    "identify",
    "load",
    "read",
    "schema",
    "sweep",
]

if _find_spec("gymnasium") is not None:
    from .envs import register as _register

    _register()
