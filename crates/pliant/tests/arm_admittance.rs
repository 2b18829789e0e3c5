//! Cartesian admittance of an arm's tool: against the motion of a mass on a spring and a damper under a constant force.
#![allow(clippy::unwrap_used)]

use pliant::arm::{Admittance, Arm, ArmSpec, Impedance};
use pliant::cable::{Cable, CableSpec};
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{
    Body, Friction, GripParams, GripperId, GripperParams, Hold, Load, Material, Place, SensorId, SensorParams,
    Snapshot, World,
};

const LENGTH: f64 = 0.2;

/// Seven hinges, bent so that no direction is lost.
fn arm() -> Arm {
    let mass = 0.8;
    let across = mass * LENGTH * LENGTH / 12.0;
    let mut links = vec![LinkSpec { name: "base".into(), mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO }];
    let mut joints = vec![];
    for (i, axis) in [Vec3::Z, Vec3::Y, Vec3::X, Vec3::Y, Vec3::X, Vec3::Y, Vec3::X].into_iter().enumerate() {
        let inertia = Mat3::from_diagonal(Vec3::new(0.1 * across, across, across));
        links.push(LinkSpec { name: format!("link{i}"), mass, centre: Vec3::X * 0.5 * LENGTH, inertia });
        let origin = Pose::from_translation(if i == 0 { Vec3::ZERO } else { Vec3::X * LENGTH });
        joints.push(JointSpec::new(&format!("joint{i}"), JointKind::Continuous, [i, i + 1], origin, axis));
    }
    let robot = RobotSpec { name: "arm".into(), links, joints, base: Base::Fixed(Pose::IDENTITY), gravity: Vec3::ZERO };
    let spec = ArmSpec { joints: vec![0.2, -0.9, 0.4, 1.3, -0.3, 0.8, 0.5], ..ArmSpec::new(robot) };
    Arm::new("arm", spec).unwrap()
}

/// Springs that follow closely.
const FIRM: Impedance = Impedance {
    stiffness: [2e5, 2e5, 2e5, 2e3, 2e3, 2e3],
    damping: [2e3, 2e3, 2e3, 20.0, 20.0, 20.0],
    idle_damping: 1.0,
};

/// The arm holds a short light rod, on which a force acts from the start; a sensor is fixed to its hand somehow.
fn world(force: Vec3, at: Pose) -> (World, GripperId, SensorId) {
    let mut world = World::new(Vec3::ZERO);
    let arm = world.add_body(Body::Arm(arm())).unwrap();
    let hand = world.add_gripper(GripperParams::at("hand", Pose::IDENTITY)).unwrap();
    world.carry(hand, arm, "link6", Pose::from_translation(Vec3::X * LENGTH)).unwrap();
    let pose = world.grippers()[0].sweep.end;
    let friction = Friction { coefficient: 0.0, exponent: 1.0 };
    let material = Material { young: 1e10, poisson: 0.4, density: 500.0, friction };
    let path = vec![pose.translation, pose.translation + pose.rotation * Vec3::X * 0.02];
    let mut spec = CableSpec::round(material, 0.006, path, 2);
    spec.settings.damping_time = 0.01;
    let rod = world.add_body(Body::Cable(Cable::new("rod", spec).unwrap())).unwrap();
    world.add_grip(GripParams::new(hand, rod, Place::Fraction(0.0), Hold::Clamp)).unwrap();
    world.add_load(Load::new(rod, Place::Fraction(0.0), force)).unwrap();
    let params = SensorParams { gripper_from_sensor: at, ..SensorParams::ideal("wrist", hand) };
    let wrist = world.add_sensor(params).unwrap();
    world.drive_tool(hand, Some(FIRM), Some(pose)).unwrap();
    (world, hand, wrist)
}

/// m x'' + d x' + k x = f from rest, below critical damping.
fn swing([m, d, k]: [f64; 3], f: f64, t: f64) -> f64 {
    let (decay, square) = (0.5 * d / m, k / m);
    let pace = (square - decay * decay).sqrt();
    f / k * (1.0 - (-decay * t).exp() * ((pace * t).cos() + decay / pace * (pace * t).sin()))
}

/// By how much the hand is off the closed form at the most, as part of where it ends.
fn off(step: f64, at: Pose) -> f64 {
    let (mass, damping, stiffness) = ([3.0, 4.0, 5.0], [12.0, 10.0, 9.0], [80.0, 100.0, 120.0]);
    let pull = Vec3::new(1.2, -0.8, 0.9);
    let pose = world(Vec3::ZERO, at).0.grippers()[0].sweep.end;
    let (mut world, hand, wrist) = world(pose.rotation * pull, at);
    let six = |along: [f64; 3]| [along[0], along[1], along[2], 0.0, 0.0, 0.0];
    let admittance = Admittance { mass: six(mass), damping: six(damping), stiffness: six(stiffness) };
    world.yield_tool(hand, Some((admittance, wrist))).unwrap();
    let mut most = 0.0_f64;
    for n in 1..=(1.5 / step).round() as usize {
        world.step(step).unwrap();
        let went = pose.rotation.inverse() * (world.grippers()[0].sweep.end.translation - pose.translation);
        // the sensor has read nothing before the end of the first step
        let time = (n as f64 - 1.0) * step;
        for axis in 0..3 {
            let exact = swing([mass[axis], damping[axis], stiffness[axis]], pull[axis], time);
            most = most.max((went[axis] - exact).abs() / (pull[axis] / stiffness[axis]).abs());
        }
    }
    most
}

/// What is left is what the springs inside stay behind by: mass times acceleration of the hand, and friction of nothing; 1 %.
#[test]
fn a_constant_force_moves_it_as_a_mass_on_a_spring() {
    for step in [2e-3, 1e-2] {
        let found = off(step, Pose::IDENTITY);
        assert!(found < 0.01, "{step}: {found}");
    }
}

/// Where the sensor sits, and how it is turned, is taken into account.
#[test]
fn the_sensor_may_sit_anywhere_on_the_hand() {
    let aside = Pose::from_parts(Vec3::new(0.02, -0.05, 0.03), Quat::from_rotation_y(1.1) * Quat::from_rotation_z(0.4));
    let [here, there] = [Pose::IDENTITY, aside].map(|at| off(5e-3, at));
    // to what Newton's method leaves
    assert!((here - there).abs() < 1e-6, "{here} and {there}");
}

/// A torque turns it by T / k in the end, about the axis of the torque; where there is no inertia it does not turn.
#[test]
fn a_torque_turns_it() {
    let (mut world, hand, wrist) = world(Vec3::ZERO, Pose::IDENTITY);
    let pose = world.grippers()[0].sweep.end;
    let rod = world.grips().next().unwrap().1.params.body;
    let torque = pose.rotation * Vec3::new(0.2, 0.3, 0.0);
    world.add_load(Load { torque, ..Load::new(rod, Place::Fraction(0.0), Vec3::ZERO) }).unwrap();
    let admittance = Admittance {
        mass: [0.0, 0.0, 0.0, 0.01, 0.0, 0.01],
        damping: [0.0, 0.0, 0.0, 0.2, 0.0, 0.2],
        stiffness: [0.0, 0.0, 0.0, 2.0, 0.0, 2.0],
    };
    world.yield_tool(hand, Some((admittance, wrist))).unwrap();
    (0..150).for_each(|_| world.step(5e-3).unwrap());
    let turned = (pose.rotation.inverse() * world.grippers()[0].sweep.end.rotation).to_scaled_axis();
    // the springs inside give way by 0.36 N m / 2000 N m/rad
    let expected = Vec3::new(0.1, 0.0, 0.0);
    assert!((turned - expected).length() < 2.5e-4, "{turned}");
}

/// How far it has given way is part of the state of a world.
#[test]
fn a_snapshot_goes_on_to_the_bit() {
    let (mut world, hand, wrist) = world(Vec3::new(1.0, 0.5, -0.3), Pose::IDENTITY);
    let admittance = Admittance { mass: [2.0; 6], damping: [5.0; 6], stiffness: [40.0; 6] };
    world.yield_tool(hand, Some((admittance, wrist))).unwrap();
    (0..50).for_each(|_| world.step(5e-3).unwrap());
    let bytes = world.snapshot().to_bytes();
    let run = |world: &mut World| {
        (0..50).for_each(|_| world.step(5e-3).unwrap());
        world.grippers()[0].sweep.end
    };
    let straight = run(&mut world);
    world.restore(&Snapshot::from_bytes(&bytes).unwrap()).unwrap();
    assert_eq!(run(&mut world), straight);
}

#[test]
fn what_cannot_give_way_is_refused() {
    let (mut world, hand, wrist) = world(Vec3::ZERO, Pose::IDENTITY);
    let fine = Admittance { mass: [1.0; 6], damping: [1.0; 6], stiffness: [1.0; 6] };
    for bad in [Admittance { mass: [-1.0; 6], ..fine }, Admittance { damping: [f64::NAN; 6], ..fine }] {
        assert!(
            world.yield_tool(hand, Some((bad, wrist))).unwrap_err().to_string().contains("finite and not negative")
        );
    }
    let loose = world.add_gripper(GripperParams::at("loose", Pose::IDENTITY)).unwrap();
    let other = world.add_sensor(SensorParams::ideal("other", loose)).unwrap();
    let error = world.yield_tool(hand, Some((fine, other))).unwrap_err().to_string();
    assert!(error.contains("another gripper"), "{error}");
    let error = world.yield_tool(loose, Some((fine, other))).unwrap_err().to_string();
    assert!(error.contains("no arm carries it"), "{error}");
    world.yield_tool(hand, Some((fine, wrist))).unwrap();
    assert_eq!(world.tool(hand).unwrap().unwrap().admittance, Some(fine));
    // with its sensor it goes
    world.remove_sensor(wrist).unwrap();
    assert_eq!(world.tool(hand).unwrap().unwrap().admittance, None);
    world.drive_tool(hand, None, None).unwrap();
    let again = world.add_sensor(SensorParams::ideal("again", hand)).unwrap();
    let error = world.yield_tool(hand, Some((fine, again))).unwrap_err().to_string();
    assert!(error.contains("does not hold it"), "{error}");
}
