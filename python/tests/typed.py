"""A sample that mypy has to find right, and whose wrong lines it has to find wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import pliant


def use() -> NDArray[np.float64]:
    world = pliant.load("scenes/winding.toml", duration=1.0)
    body: pliant.Body = world.body("wire")
    hand = world.gripper("hand")
    hand.drive([0.0, 0.0, 0.1], orientation=np.array([1.0, 0.0, 0.0, 0.0]))
    grip = hand.grasp(body, {"node": 3}, orientation=True)
    if grip.state == "closed":
        grip.release()
    body.young = 1e6
    body.friction = (0.3, 1.0)
    world.step(3)
    world.run()
    with world.record("out", rate=50.0) as recorder:
        world.step()
    track = pliant.read(recorder.folder / "recording.mcap").bodies["wire"]
    batch = pliant.Batch(world, overrides=[{"duration": 1.0}] * 4)
    batch.step(2, only=[0, 1])
    errors: list[str | None] = batch.errors
    assert errors
    arm, wrist = world.arm("robot"), world.sensor("wrist")
    arm.drive_positions({"elbow": 0.4}, stiffness=1e3, damping=[1.0])
    arm.drive_torques(np.zeros(len(arm)))
    tool = hand.tool
    if tool is not None:
        hand.drive_tool(tool["position"] + wrist.force)
    pliant.sweep("scenes/winding.toml", {"duration": [1.0]}, out="runs", measure=["body.wire.length"])
    total: float = body.energy["total"]
    assert total
    last: NDArray[np.float64] = track.positions[-1] + body.positions + batch.positions("wire")[0]
    return last


def misuse(world: pliant.World) -> None:
    world.body("wire").positions = 3  # type: ignore[assignment,misc]
    world.step("3")  # type: ignore[arg-type]
    world.gripper("hand").grasp("wire", "middle")  # type: ignore[arg-type]
    world.stepp()  # type: ignore[attr-defined]
    world.arm("robot").drive_torques("none")  # type: ignore[arg-type]
