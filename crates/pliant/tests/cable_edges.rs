//! Wires drawn over sharp edges with long steps, in which a joint passes an edge within a step.
#![allow(clippy::unwrap_used)]

use pliant::cable::{Cable, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Motion, Waypoint};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Load, Material, Place, World};

const RADIUS: f64 = 2e-3;
const LENGTH: f64 = 0.3;
const HIGH: f64 = 0.5;
const WEIGHT: f64 = 1.0;

/// A wire of links of 2 mm over a wall, turned as a whole: a weight hangs at its start, a hand draws its end down.
fn drawn(wall: f64, turned: Quat) -> World {
    let mut world = World::new(turned * (Vec3::NEG_Z * 9.81));
    let friction = Friction { coefficient: 0.3, exponent: 1.0 };
    let pvc = Material { young: 20e6, poisson: 0.4, density: 1300.0, friction };
    let end = |way: f64| turned * Vec3::new(way * 0.5 * LENGTH, 0.0, HIGH + RADIUS);
    let spec = CableSpec::round(pvc, RADIUS, vec![end(-1.0), end(1.0)], 150);
    let wire = world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    world.add_load(Load::new(wire, Place::Fraction(0.0), turned * (Vec3::NEG_Z * WEIGHT))).unwrap();
    let shape = Shape::new(ShapeKind::Box { size: Vec3::new(wall, 0.2, HIGH) }).unwrap();
    let placed = Pose::from_parts(turned * Vec3::new(0.0, 0.0, 0.5 * HIGH), turned);
    world
        .add_obstacle(ObstacleParams { name: "wall".into(), shape, placed, motion: Motion::Hold, friction: None })
        .unwrap();
    let way = [(0.0, 0.15, HIGH + RADIUS), (0.5, 0.05, 0.3), (2.0, 0.05, 0.15)];
    let waypoint = |(time, x, z)| Waypoint { time, position: turned * Vec3::new(x, 0.0, z), orientation: None };
    let motion = Motion::Waypoints { blend: Blend::Linear, waypoints: way.map(waypoint).to_vec() };
    let placed = Pose::from_translation(end(1.0));
    let hand = world.add_gripper(GripperParams { name: "hand".into(), placed, motion }).unwrap();
    world.add_grip(GripParams::new(hand, wire, Place::Fraction(1.0), Hold::Position)).unwrap();
    world
}

#[test]
fn a_wire_drawn_over_an_edge_gains_nothing_whichever_way_the_edge_is_turned() {
    let odd = [Quat::IDENTITY, Quat::from_axis_angle(Vec3::new(0.36, -0.48, 0.8), 1.1), Quat::from_rotation_z(0.7)];
    for (turned, wall) in odd.into_iter().flat_map(|turned| [(turned, 2e-4), (turned, 1e-3)]) {
        let mut world = drawn(wall, turned);
        while world.time() < 1.0 {
            world.step(1e-2).unwrap();
        }
        // what has sunk in is pushed out again, by an eightieth of the radius at the most
        let created = world.frame().bodies[0].account.created;
        assert!(created < 2.0 * WEIGHT * RADIUS / 80.0, "{turned:?}, wall of {wall} m: {created} J created");
        assert!(world.grippers()[0].load.force.length() > WEIGHT, "it is not drawn");
    }
}
