"""What may be done between steps, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pliant
from conftest import rods


def finite(world: pliant.World) -> bool:
    world.step(2)
    return all(bool(np.isfinite(body.positions).all()) for body in world.bodies.values())


def test_a_gripper_goes_where_it_is_driven(cord: pliant.World) -> None:
    hand, body = cord.gripper("hand"), cord.body("cord")
    for k in range(20):
        hand.drive([0.0, 0.0, 0.001 * k])
        cord.step()
    assert hand.position == pytest.approx([0.0, 0.0, 0.019])
    assert body.positions[0] == pytest.approx([0.0, 0.0, 0.019], abs=1e-4)
    hand.drive(orientation=[0.0, 0.0, 0.0, 2.0])
    cord.step()
    assert hand.orientation == pytest.approx([0.0, 0.0, 0.0, 1.0]) and hand.position[2] == pytest.approx(0.019)
    hand.move_at([0.1, 0.0, 0.0])
    cord.step(10)
    assert hand.position[0] == pytest.approx(0.01)
    hand.follow()
    cord.step()
    assert hand.position == pytest.approx([0.0, 0.0, 0.0])


def test_grasp_and_release(cord: pliant.World) -> None:
    other = cord.add_gripper(name="other", position=[0.0, 0.0, -0.3])
    grip = other.grasp("cord", "end")
    assert grip.state == "closed" and (grip.gripper, grip.body) == ("other", "cord") and other.holds
    cord.gripper("hand").release()
    cord.step(100)
    # it hangs on the other hand now
    assert other.force[2] < -0.05 and not cord.gripper("hand").holds
    assert [event["kind"] for event in cord.events].count("released") <= 1
    grip.release()
    cord.step(20)
    assert np.all(other.force == 0.0)
    with pytest.raises(pliant.ControlError):
        grip.release()
    # the nearest place of any body
    other.put([0.5, 0.0, 0.0])
    assert other.grasp_nearest(0.1) is None
    other.put(cord.body("cord").positions[15])
    nearest = other.grasp_nearest(0.01, orientation=True)
    assert nearest is not None and nearest.state == "closed"


def test_jaws_open_at_their_strength(cord: pliant.World) -> None:
    hand = cord.gripper("hand")
    hand.release()
    grip = hand.grasp("cord", "start", opens_at=0.05)
    cord.step(20)
    # the cord weighs 0.09 N
    assert grip.state == "lost" and not hand.holds
    assert "lost" in [event["kind"] for event in cord.events]


def test_loads_bend_as_they_should(cord: pliant.World) -> None:
    # F more on the hand for a load of F at the end
    cord.run(1.0)
    before = cord.gripper("hand").force[2]
    load = cord.add_load("cord", "end", force=[0.0, 0.0, -0.1])
    cord.run(2.0)
    assert cord.gripper("hand").force[2] == pytest.approx(before - 0.1, abs=2e-3)
    load.force = [0.0, 0.0, -0.05]
    cord.run(2.0)
    assert cord.gripper("hand").force[2] == pytest.approx(before - 0.05, abs=2e-3)
    load.remove()
    cord.run(2.0)
    assert cord.gripper("hand").force[2] == pytest.approx(before, abs=2e-3)
    assert cord.loads == []


def test_properties_change_while_it_moves(cord: pliant.World) -> None:
    body = cord.body("cord")
    before = body.mass
    body.density = 2200.0
    assert body.mass == pytest.approx(2 * before) and body.density == 2200.0
    cord.run(2.0)
    assert cord.gripper("hand").force[2] == pytest.approx(-2 * before * 9.81, rel=0.02)
    body.young, body.friction, body.damping_time = 1e7, (0.4, 0.8), 0.01
    assert (body.young, body.friction, body.damping_time) == (1e7, (0.4, 0.8), 0.01)
    body.friction = 0.3
    assert body.friction == (0.3, 1.0)
    body.set_rest("curved", curvature=(0.0, 10.0))
    cord.run(1.0)
    assert body.curvature[1:-1].mean() > 3.0


def test_gravity_may_change(cord: pliant.World) -> None:
    cord.gravity = [0.0, 0.0, 0.0]
    cord.run(2.0)
    assert np.abs(cord.gripper("hand").force).max() < 1e-3


def test_things_are_added_and_taken_away(cord: pliant.World) -> None:
    floor = cord.add_obstacle(name="floor", shape={"plane": {}}, position=[0.0, 0.0, -0.35])
    ball = cord.add_obstacle(name="ball", shape={"sphere": {"radius": 0.02}}, position=[0.2, 0.0, 0.0])
    assert floor.is_plane and len(ball.outline[1]) > 0
    second = cord.add_body(
        name="second",
        model="cable",
        material="soft",
        materials={"soft": {"young": 1e6, "density": 1000}},
        radius=0.002,
        path=[[0.1, 0.0, 0.0], [0.1, 0.2, 0.0]],
        segments=10,
    )
    cord.step(100)
    assert second.positions[:, 2].min() == pytest.approx(-0.348, abs=1e-3)
    touching = [other for other in cord.contacts["other"] if other == "floor"]
    assert touching and cord.contacts["force"].shape[0] == len(cord.contacts["body"])
    cord.remove_body("second")
    assert list(cord.bodies) == ["cord"]
    with pytest.raises(pliant.ControlError):
        second.positions  # noqa: B018
    ball.remove()
    assert list(cord.obstacles) == ["floor"]
    finger = cord.add_gripper(name="finger", position=[0.0, 0.3, 0.0], finger={"radius": 0.01})
    assert "finger" in cord.obstacles
    finger.remove()
    assert "finger" not in cord.obstacles


BAD = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("bad", BAD)
def test_numbers_that_are_none_never_get_in(cord: pliant.World, bad: float) -> None:
    hand, body = cord.gripper("hand"), cord.body("cord")
    load = cord.add_load("cord", "end", force=[0.0, 0.0, -0.01])
    ball = cord.add_obstacle(name="ball", shape={"sphere": {"radius": 0.02}}, position=[0.2, 0.0, 0.0])
    refusals = [
        lambda: hand.drive([bad, 0.0, 0.0]),
        lambda: hand.drive(orientation=[bad, 0.0, 0.0, 0.0]),
        lambda: hand.move_at([0.0, bad, 0.0]),
        lambda: hand.move_at(angular=[0.0, bad, 0.0]),
        lambda: hand.put([0.0, bad, 0.0]),
        lambda: ball.drive([bad, 0.0, 0.0]),
        lambda: ball.move_at([bad, 0.0, 0.0]),
        lambda: setattr(ball, "friction", bad),
        lambda: setattr(cord, "gravity", [0.0, 0.0, bad]),
        lambda: setattr(load, "force", [bad, 0.0, 0.0]),
        lambda: setattr(load, "torque", [bad, 0.0, 0.0]),
        lambda: cord.add_load("cord", "end", force=[bad, 0.0, 0.0]),
        lambda: cord.add_load("cord", "end", torque=[bad, 0.0, 0.0]),
        lambda: cord.add_load("cord", "end", force=[0.0, 0.0, 1.0], rise=bad if math.isnan(bad) else -1.0),
        lambda: cord.add_load("cord", bad, force=[0.0, 0.0, 1.0]),
        lambda: hand.grasp("cord", 0.5, opens_at=-1.0 if bad == math.inf else bad),
        lambda: hand.grasp("cord", 0.5, closing=-1.0 if bad == math.inf else bad),
        lambda: setattr(body, "young", bad),
        lambda: setattr(body, "density", bad),
        lambda: setattr(body, "friction", bad),
        lambda: setattr(body, "friction", (0.3, bad)),
        lambda: setattr(body, "damping_time", bad),
        lambda: setattr(body, "drag", bad),
        lambda: body.set_rest("curved", curvature=(bad, 0.0)),
        lambda: cord.step(dt=bad),
        lambda: cord.add_obstacle(name="x", shape={"sphere": {"radius": bad}}, position=[0, 0, 0]),
        lambda: cord.add_obstacle(name="x", shape={"sphere": {"radius": 0.1}}, position=[0, 0, bad]),
        lambda: cord.add_gripper(name="x", position=[0, bad, 0]),
    ]
    for number, refused in enumerate(refusals):
        before = cord.snapshot()
        with pytest.raises((pliant.PliantError, ValueError, TypeError)):
            refused()
        assert cord.snapshot() == before, number
    assert finite(cord)


def test_points_of_a_chain_may_be_moved_but_not_to_nowhere() -> None:
    chain = pliant.World(rods("chain"))
    body = chain.body("cord")
    body.set_points(body.positions + [0.0, 0.1, 0.0])
    assert body.positions[:, 1] == pytest.approx(0.1)
    with pytest.raises(pliant.ControlError):
        body.set_points(body.positions * math.nan)
    with pytest.raises(pliant.ControlError):
        body.set_points(body.positions[:-1])
    assert finite(chain)


def test_handles_of_another_world_are_refused(cord: pliant.World) -> None:
    other = cord.copy()
    with pytest.raises(pliant.ControlError):
        cord.gripper("hand").grasp(other.body("cord"), "end")
    with pytest.raises(KeyError, match="known: cord"):
        cord.body("crod")


def test_events_are_told_with_names(cord: pliant.World) -> None:
    cord.add_obstacle(name="floor", shape={"plane": {}}, position=[0.0, 0.0, -0.32])
    cord.gripper("hand").release()
    cord.run(0.5)
    touched = next(event for event in cord.events if event["kind"] == "touched")
    assert touched["body"] == "cord" and touched["obstacle"] == "floor" and touched["text"] == "cord touches floor"
    assert 0.0 < touched["time"] < 0.5
