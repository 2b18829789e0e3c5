//! Joints of arms and readings of sensors: recorded, in the table, read back and plotted as they were.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use pliant::arm::{Arm, ArmSpec, JointDrive};
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{Body, SensorParams, World};
use pliant_record::{Recorder, Recording};

/// The run of all tests, with a sensor in the hand and beside it an arm with a hinge and a slide, whose hinge falls.
fn world() -> World {
    let mut world = common::world(20);
    let hand = world.gripper_named("hand").unwrap();
    let turned = Pose::from_parts(Vec3::X * 0.1, Quat::from_rotation_y(0.3));
    let wrist = SensorParams { gripper_from_sensor: turned, force_noise: 0.01, ..SensorParams::ideal("wrist", hand) };
    world.add_sensor(wrist).unwrap();
    let link = |name: &str| LinkSpec {
        name: name.into(),
        mass: 1.0,
        centre: Vec3::X * 0.1,
        inertia: Mat3::from_diagonal(Vec3::splat(1e-3)),
    };
    let joint =
        |name: &str, kind, links, axis| JointSpec::new(name, kind, links, Pose::from_translation(Vec3::Z), axis);
    let robot = RobotSpec {
        name: "arm".into(),
        links: vec![link("base"), link("upper"), link("lower")],
        joints: vec![
            joint("hinge", JointKind::Continuous, [0, 1], Vec3::Y),
            joint("slide", JointKind::Prismatic, [1, 2], Vec3::X),
        ],
        base: Base::Fixed(Pose::from_translation(Vec3::Y * 5.0)),
        gravity: Vec3::ZERO,
    };
    let hold = JointDrive::Position { target: 0.1, stiffness: 1e3, damping: 1e2 };
    let spec = ArmSpec { drives: vec![JointDrive::Torque(3.0), hold], ..ArmSpec::new(robot) };
    world.add_body(Body::Arm(Arm::new("arm", spec).unwrap())).unwrap();
    world
}

#[test]
fn joints_and_sensors_are_recorded_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let mut world = world();
    let mut recorder = Recorder::create(&dir.path().join("out"), &world, common::info(0.3)).unwrap();
    let mut seen = vec![world.frame()];
    for _ in 0..60 {
        world.step(common::STEP).unwrap();
        recorder.record(&world).unwrap();
        seen.push(world.frame());
    }
    let paths = recorder.finish(&common::outcome()).unwrap();
    let recording = Recording::open(&paths.recording).unwrap();
    let layout = world.layout();
    assert_eq!(recording.layout.bodies[1].joints, layout.bodies[1].joints);
    assert_eq!(recording.layout.sensors, layout.sensors);
    let mut read = vec![];
    assert_eq!(recording.read(|frame| read.push(frame.clone())).unwrap(), None);
    assert_eq!(read.len(), 31);
    for (frame, expected) in read.iter().zip(seen.iter().step_by(2)) {
        assert_eq!(frame.bodies[1].joints, expected.bodies[1].joints);
        assert_eq!(frame.sensors, expected.sensors);
    }
    let last = &seen[60].bodies[1].joints;
    assert!(last[0].speed.abs() > 0.1 && last[1].torque != 0.0 && seen[60].sensors[0].force != Vec3::ZERO, "{last:?}");

    let mut reader = csv::Reader::from_path(&paths.samples).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap_or_else(|| panic!("{name} in {header:?}"));
    for (row, frame) in reader.records().zip(seen.iter().step_by(2)) {
        let row = row.unwrap();
        let value = |name: &str| row[column(name)].parse::<f64>().unwrap();
        let (joints, sensor) = (&frame.bodies[1].joints, &frame.sensors[0]);
        let (hinge, slide) = (joints[0], joints[1]);
        assert_eq!(value("arm.joint.hinge.position [rad]"), hinge.position);
        assert_eq!(value("arm.joint.hinge.speed [rad/s]"), hinge.speed);
        assert_eq!(value("arm.joint.slide.position [m]"), slide.position);
        assert_eq!(value("arm.joint.slide.torque [N]"), slide.torque);
        assert_eq!(value("sensor.wrist.force.z [N]"), sensor.force.z);
        assert_eq!(value("sensor.wrist.torque.norm [N m]"), sensor.torque.length());
        // columns after them are where they were
        assert_eq!(value("obstacle.floor.force.z [N]"), frame.force_of_obstacle(0, None).z);
        assert_eq!(value("contacts"), frame.contacts.len() as f64);
    }
    let page = std::fs::read_to_string(&paths.report).unwrap();
    for title in ["Torques of arm's joints", "Angles of arm's joints", "Forces of arm's joints", "Force at sensors"] {
        assert!(page.contains(title), "{title}");
    }
}
