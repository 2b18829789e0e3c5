//! Force/torque sensors in a world: on a turned hand that holds a cable, in frames, snapshots, and when their gripper goes.
#![allow(clippy::unwrap_used)]

use pliant::cable::{Cable, CableSpec};
use pliant::math::{Pose, Quat, Vec3};
use pliant::{
    Body, Friction, GripParams, GripperId, GripperParams, Hold, Material, Place, SensorId, SensorParams, Snapshot,
    World,
};

const G: f64 = 9.81;

/// A cable that hangs from a turned hand, at rest; its mass [kg].
fn hanging(turn: Quat) -> (World, GripperId, f64) {
    let material =
        Material { young: 1e6, poisson: 0.4, density: 1000.0, friction: Friction { coefficient: 0.2, exponent: 1.0 } };
    let mut spec = CableSpec::round(material, 0.004, vec![Vec3::ZERO, Vec3::NEG_Z * 0.3], 10);
    spec.settings.drag = 20.0;
    spec.settings.damping_time = 0.02;
    let cable = Body::Cable(Cable::new("cable", spec).unwrap());
    let mass = cable.mass();
    let mut world = World::new(Vec3::NEG_Z * G);
    let cable = world.add_body(cable).unwrap();
    let hand = world.add_gripper(GripperParams::at("hand", Pose::from_parts(Vec3::ZERO, turn))).unwrap();
    world.add_grip(GripParams::new(hand, cable, Place::Fraction(0.0), Hold::Position)).unwrap();
    (world, hand, mass)
}

fn wrist(world: &mut World, hand: GripperId) -> SensorId {
    let params = SensorParams {
        gripper_from_sensor: Pose::from_parts(Vec3::new(0.02, 0.0, 0.1), Quat::from_rotation_x(0.4)),
        bandwidth: 50.0,
        ..SensorParams::ideal("wrist", hand)
    };
    world.add_sensor(params).unwrap()
}

/// The weight of a cable at rest, turned into the sensor's axes; its torque about the sensor's origin.
#[test]
fn a_sensor_feels_the_weight_of_a_cable_in_its_own_axes() {
    let turn = Quat::from_rotation_y(0.7);
    let (mut world, hand, mass) = hanging(turn);
    let wrist = wrist(&mut world, hand);
    (0..800).for_each(|_| world.step(0.01).unwrap());
    let back = (turn * Quat::from_rotation_x(0.4)).inverse();
    let weight = Vec3::NEG_Z * mass * G;
    // the hand's origin, where the cable hangs, as the sensor sees it
    let arm = turn * Vec3::new(-0.02, 0.0, -0.1);
    let reading = world.reading(wrist).unwrap();
    assert!(reading.force.distance(back * weight) < 1e-5 * weight.length(), "{} for {}", reading.force, back * weight);
    let torque = back * arm.cross(weight);
    assert!(reading.torque.distance(torque) < 1e-5 * torque.length(), "{} for {torque}", reading.torque);
    let frame = world.frame();
    assert_eq!((frame.sensors[0], world.layout().sensors[0].gripper), (reading, 0));
    world.tare(wrist).unwrap();
    assert_eq!(world.reading(wrist).unwrap().force, Vec3::ZERO);
}

/// Filter, noise and tare are state: a restored world reads the same bits.
#[test]
fn a_restored_sensor_goes_on_as_it_was() {
    let build = || {
        let (mut world, hand, _) = hanging(Quat::IDENTITY);
        let noisy = SensorParams {
            rate: 30.0,
            bandwidth: 3.0,
            force_noise: 0.1,
            torque_noise: 0.01,
            seed: 3,
            tare: Some(0.3),
            ..SensorParams::ideal("wrist", hand)
        };
        let wrist = world.add_sensor(noisy).unwrap();
        (world, wrist)
    };
    let (mut world, wrist) = build();
    (0..20).for_each(|_| world.step(0.01).unwrap());
    let kept = world.snapshot().to_bytes();
    let mut readings = vec![];
    for _ in 0..30 {
        world.step(0.01).unwrap();
        readings.push(world.reading(wrist).unwrap());
    }
    assert!(readings.windows(2).any(|pair| pair[0] != pair[1]));
    let (mut other, wrist) = build();
    other.restore(&Snapshot::from_bytes(&kept).unwrap()).unwrap();
    for reading in readings {
        other.step(0.01).unwrap();
        assert_eq!(other.reading(wrist).unwrap(), reading);
    }
    // a world without the sensor is another one
    let (mut without, ..) = hanging(Quat::IDENTITY);
    assert!(without.restore(&Snapshot::from_bytes(&kept).unwrap()).is_err());
}

#[test]
fn sensors_go_with_their_gripper() {
    let (mut world, hand, _) = hanging(Quat::IDENTITY);
    let second = world.add_gripper(GripperParams::at("second", Pose::IDENTITY)).unwrap();
    let wrist = wrist(&mut world, hand);
    let other = world.add_sensor(SensorParams::ideal("other", second)).unwrap();
    assert!(world.add_sensor(SensorParams::ideal("other", second)).is_err(), "the name is taken");
    world.remove_gripper(hand).unwrap();
    assert!(world.reading(wrist).is_err() && world.sensor_named("wrist").is_none());
    world.step(0.01).unwrap();
    assert_eq!(world.reading(other).unwrap().force, Vec3::ZERO);
    world.remove_sensor(other).unwrap();
    assert!(world.sensors().is_empty() && world.frame().sensors.is_empty());
}
