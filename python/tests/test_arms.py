"""Arms, what drives them, and sensors in their wrists."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import pliant
from conftest import SCENES

# two links of 1 m and 1 kg each as points at their ends, which turn about y: all is known in closed form
PENDULUM = """
<robot name="pendulum">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="1 0 0"/><mass value="1"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 -1 0"/><limit lower="-3" upper="3" effort="100" velocity="50"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 -1 0"/><limit lower="-3" upper="3" effort="100" velocity="50"/></joint>
</robot>
"""


def pendulum(folder: Path, **arm: object) -> pliant.World:
    (folder / "pendulum.urdf").write_text(PENDULUM, encoding="utf-8")
    return pliant.World(
        base=folder,
        duration=2.0,
        step=0.005,
        arm=[{"name": "robot", "urdf": "pendulum.urdf", "joints": {"shoulder": 0.3, "elbow": 0.4}, **arm}],
        gripper=[
            {
                "name": "hand",
                "position": [0.0, 0.0, 0.0],
                "carried": {"arm": "robot", "link": "lower", "position": [1.0, 0.0, 0.0], "follow": "nothing"},
            }
        ],
        sensor=[{"name": "wrist", "gripper": "hand", "tool": {"mass": 0.5}}],
    )


def at_rest(world: pliant.World, seconds: float = 2.0) -> None:
    world.run(seconds)
    assert abs(world.arm("robot").velocities).max() < 1e-3


def test_joints_and_links_are_where_geometry_says(tmp_path: Path) -> None:
    world = pendulum(tmp_path)
    arm = world.arm("robot")
    assert world.arms.keys() == {"robot"} and len(arm) == 2
    assert (arm.joints, arm.links) == (["shoulder", "elbow"], ["base", "upper", "lower"])
    assert arm.positions == pytest.approx([0.3, 0.4]) and arm.velocities == pytest.approx([0.0, 0.0])
    assert arm.limits == pytest.approx(np.array([[-3.0, 3.0]] * 2)) and arm.efforts == pytest.approx([100.0] * 2)
    assert arm.speeds == pytest.approx([50.0] * 2)
    position, orientation = arm.pose("lower")
    assert position == pytest.approx([math.cos(0.3), 0.0, math.sin(0.3)])
    # turned by 0.7 about -y
    assert orientation == pytest.approx([math.cos(0.35), 0.0, -math.sin(0.35), 0.0])
    # velocity of the tip per rate of each joint, by the sine and cosine of the angles
    tip = arm.jacobian("lower", [1.0, 0.0, 0.0])
    upper, lower = np.array([-math.sin(0.3), 0, math.cos(0.3)]), np.array([-math.sin(0.7), 0, math.cos(0.7)])
    assert tip[:3].T == pytest.approx(np.array([upper + lower, lower])) and tip[3:].T == pytest.approx(
        np.array([[0, -1, 0]] * 2)
    )
    with pytest.raises(KeyError, match="known: base, upper, lower"):
        arm.pose("hand")
    with pytest.raises(ValueError):
        arm.positions[0] = 1.0


def test_servos_hold_with_the_torques_of_statics(tmp_path: Path) -> None:
    world = pendulum(tmp_path, carries_itself=False)
    arm = world.arm("robot")
    arm.drive_positions([0.5, -0.2], stiffness=1e4, damping=[2e3, 5e2])
    at_rest(world, 4.0)
    # masses of 1 kg at the ends of links of 1 m, at the angles that the servos' stiffness leaves
    (a, b), g = arm.positions, 9.81
    b = a + b
    assert arm.torques == pytest.approx([g * (2 * math.cos(a) + math.cos(b)), g * math.cos(b)], rel=1e-3)
    assert arm.positions == pytest.approx(np.array([0.5, -0.2]) - arm.torques / 1e4, abs=1e-5)
    # gains stay, other joints stay
    arm.drive_positions({"elbow": 0.1})
    assert arm.drives["elbow"] == {"kind": "position", "target": 0.1, "stiffness": 1e4, "damping": 5e2}
    assert arm.drives["shoulder"]["target"] == 0.5
    at_rest(world)
    assert arm.positions == pytest.approx([0.5, 0.1], abs=4e-3)


def test_velocities_torques_and_freedom(tmp_path: Path) -> None:
    world = pendulum(tmp_path, carries_itself=True)
    arm = world.arm("robot")
    arm.drive_velocities({"elbow": -0.5}, gain=1e3)
    world.run(1.0)
    assert arm.velocities[1] == pytest.approx(-0.5, abs=0.02)
    # with its weight carried, a free arm without friction only falls when it carries itself no more
    world.reset()
    arm.drive_torques([3.0, 1.0])
    world.step()
    # the equations of two points on links: M(q) a = tau, from rest
    c = math.cos(0.4)
    mass = np.array([[3.0 + 2.0 * c, 1.0 + c], [1.0 + c, 1.0]])
    expected = np.linalg.solve(mass, [3.0, 1.0]) * world.dt
    assert arm.velocities == pytest.approx(expected, rel=2e-3)
    arm.free(["elbow"])
    assert {name: drive["kind"] for name, drive in arm.drives.items()} == {"shoulder": "torque", "elbow": "free"}
    arm.free()
    assert {drive["kind"] for drive in arm.drives.values()} == {"free"}


def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    arm = pendulum(tmp_path).arm("robot")
    before = arm.drives
    with pytest.raises(pliant.ControlError, match="finite"):
        arm.drive_positions([0.1, math.nan])
    with pytest.raises(pliant.ControlError, match="finite"):
        arm.drive_torques({"shoulder": 1.0, "elbow": math.inf})
    with pytest.raises(ValueError, match="2 joints, but 1"):
        arm.drive_torques([1.0])
    with pytest.raises(ValueError, match="has 3 numbers"):
        arm.drive_positions([0.1, 0.1], stiffness=[1.0, 2.0, 3.0])
    with pytest.raises(KeyError, match="known: shoulder, elbow"):
        arm.drive_torques({"wrist": 1.0})
    with pytest.raises(pliant.ControlError, match="give `gain`"):
        arm.drive_velocities([0.1, 0.1])
    assert arm.drives == before


def test_reaching(tmp_path: Path) -> None:
    world = pendulum(tmp_path)
    arm = world.arm("robot")
    found = arm.reach("lower", [1.2, 0.0, 0.5], point=[1.0, 0.0, 0.0])
    assert found.shape == (2,) and arm.positions == pytest.approx([0.3, 0.4])
    a, b = found[0], found[0] + found[1]
    assert [math.cos(a) + math.cos(b), math.sin(a) + math.sin(b)] == pytest.approx([1.2, 0.5], abs=1e-6)
    with pytest.raises(pliant.ControlError, match="cannot bring lower"):
        arm.reach("lower", [3.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="finite"):
        arm.reach("lower", [math.nan, 0.0, 0.0])


def test_a_sensor_reads_weight_and_is_tared(tmp_path: Path) -> None:
    world = pendulum(tmp_path)
    at_rest(world, 0.1)
    wrist, hand = world.sensor("wrist"), world.gripper("hand")
    assert world.sensors.keys() == {"wrist"} and wrist.gripper == "hand"
    # a tool of 0.5 kg, in the axes of a hand that is turned by 0.7 about -y
    weight = 0.5 * 9.81
    assert wrist.force == pytest.approx([-weight * math.sin(0.7), 0.0, -weight * math.cos(0.7)], abs=1e-3)
    assert wrist.wrench[:3] == pytest.approx(wrist.force) and wrist.torque == pytest.approx([0.0] * 3, abs=1e-9)
    assert wrist.position == pytest.approx(hand.position) and wrist.orientation == pytest.approx(hand.orientation)
    wrist.tare()
    assert wrist.force == pytest.approx([0.0] * 3)
    other = world.add_sensor(name="other", gripper="hand", tool={"mass": 1.0}, noise={"force": 0.1})
    third = world.add_sensor(name="third", gripper="hand", tool={"mass": 1.0}, noise={"force": 0.1})
    world.step()
    assert np.linalg.norm(other.force) == pytest.approx(9.81, abs=0.6)
    # each has noise of its own
    assert not np.array_equal(other.force, third.force)
    other.remove()
    with pytest.raises(pliant.ControlError):
        _ = other.force
    with pytest.raises(KeyError, match="no gripper named `foot`"):
        world.add_sensor(name="fourth", gripper="foot")
    with pytest.raises(KeyError, match="known: wrist, third"):
        world.sensor("other")


def test_an_arm_leads_its_tool_as_a_spring(tmp_path: Path) -> None:
    world = pendulum(tmp_path)
    arm, hand = world.arm("robot"), world.gripper("hand")
    with pytest.raises(pliant.ControlError, match="`hold_tool` first"):
        hand.drive_tool([0.0, 0.0, 0.0])
    assert hand.tool is None
    arm.free()
    start = hand.position
    hand.hold_tool([400.0] * 3, [80.0] * 3)
    at_rest(world, 0.5)
    assert hand.position == pytest.approx(start, abs=1e-4)
    hand.drive_tool(start + [-0.1, 0.0, 0.05])
    at_rest(world, 3.0)
    assert hand.position == pytest.approx(start + [-0.1, 0.0, 0.05], abs=1e-4)
    tool = hand.tool
    assert tool is not None and not tool["follows"] and tool["stiffness"] == pytest.approx([400.0] * 3 + [0.0] * 3)
    assert world.body("robot").model == "arm"
    # twice as stiff, led on as before
    hand.hold_tool([800.0] * 3, [80.0] * 3)
    assert hand.tool is not None and hand.tool["position"] == pytest.approx(tool["position"])
    with pytest.raises(pliant.ControlError, match="finite"):
        hand.drive_tool([math.nan, 0.0, 0.0])
    with pytest.raises(pliant.ControlError, match="not negative"):
        hand.hold_tool([-1.0] * 3, [1.0] * 3)
    hand.free_tool()
    assert hand.tool is None


def test_what_an_arm_carries_is_not_torn_off(tmp_path: Path) -> None:
    hand = pendulum(tmp_path).gripper("hand")
    for act in (
        lambda: hand.drive([0, 0, 0]),
        lambda: hand.move_at([1, 0, 0]),
        hand.follow,
        lambda: hand.put([0, 0, 0]),
    ):
        with pytest.raises(pliant.ControlError, match="an arm carries hand"):
            act()


def test_the_band_and_the_springs_of_the_arm_in_a_row() -> None:
    """As in `scenes/arm-pull.toml`, but led from Python: 200 N/m and EA / L = 188.5 N/m in a row, drawn out by 0.1 m."""
    world = pliant.load(SCENES / "arm-pull.toml")
    hand, wrist = world.gripper("hand"), world.sensor("wrist")
    tool = hand.tool
    assert tool is not None and tool["follows"]
    world.run(0.5)
    for k in range(1, 151):
        hand.drive_tool([0.3 + 0.1 * k / 150, 0.0, 0.4])
        world.step()
    world.run(2.0)
    # friction of the joints holds the hand where forces are off by 0.3 N: see the scene. What the wrist read at its tare, with which
    # the sagging band pulled then, is missing from it
    assert np.linalg.norm(hand.force) == pytest.approx(9.70, abs=0.3)
    assert np.linalg.norm(wrist.force) == pytest.approx(np.linalg.norm(hand.force), abs=0.4)
    hand.follow_tool()
    assert hand.tool is not None and hand.tool["follows"]


def test_batches_have_joints_and_readings(tmp_path: Path) -> None:
    (tmp_path / "pendulum.urdf").write_text(PENDULUM, encoding="utf-8")
    scene = {
        "duration": 1.0,
        "step": 0.01,
        "arm": [{"name": "robot", "urdf": "pendulum.urdf"}],
        "gripper": [
            {"name": "hand", "position": [0.0] * 3, "carried": {"arm": "robot", "link": "lower", "follow": "nothing"}}
        ],
        "sensor": [{"name": "wrist", "gripper": "hand", "tool": {"mass": 1.0}}],
    }
    batch = pliant.Batch(scene, overrides=[{"arm.robot.joints.elbow": e} for e in (0.1, 0.2)], base=tmp_path)
    batch.step(3)
    for name, own in (
        ("positions", batch.joint_positions),
        ("velocities", batch.joint_velocities),
        ("torques", batch.joint_torques),
    ):
        assert np.array_equal(own("robot"), np.stack([getattr(world.arm("robot"), name) for world in batch])), name
    assert batch.joint_positions("robot")[:, 1] == pytest.approx([0.1, 0.2], abs=1e-4)
    assert np.array_equal(batch.readings("wrist"), np.stack([world.sensor("wrist").wrench for world in batch]))
    assert abs(batch.readings("wrist")).max() > 9.0
    with pytest.raises(pliant.ControlError, match="an arm carries hand"):
        batch.drive("hand", np.zeros((2, 3)))


def test_a_recording_has_joints_and_readings(tmp_path: Path) -> None:
    world = pendulum(tmp_path)
    with world.record(tmp_path / "out"):
        world.arm("robot").drive_positions({"elbow": 0.5})
        world.run(0.2)
    recording = pliant.read(tmp_path / "out" / "recording.mcap")
    joints, wrist = recording.bodies["robot"].joints, recording.sensors["wrist"]
    arm = world.arm("robot")
    assert joints.names == arm.joints and joints.positions.shape == (len(recording.time), 2)
    assert joints.positions[0] == pytest.approx([0.3, 0.4]) and joints.positions[-1] == pytest.approx(arm.positions)
    assert joints.torques[-1] == pytest.approx(arm.torques) and joints.velocities[-1] == pytest.approx(arm.velocities)
    assert wrist.wrench[-1] == pytest.approx(world.sensor("wrist").wrench, rel=1e-6)


def test_a_copy_and_a_snapshot_keep_drives(tmp_path: Path) -> None:
    world = pendulum(tmp_path)
    arm = world.arm("robot")
    arm.drive_torques([2.0, 1.0])
    world.step(5)
    kept, copy = world.snapshot(), world.copy()
    world.step(10)
    copy.step(10)
    assert np.array_equal(copy.arm("robot").positions, arm.positions)
    assert copy.arm("robot").drives == arm.drives
    after = arm.positions
    world.restore(kept)
    world.step(10)
    assert np.array_equal(arm.positions, after)
