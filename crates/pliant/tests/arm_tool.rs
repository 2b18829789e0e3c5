//! Cartesian impedance of an arm's tool: against springs, a damped oscillator, and what would make it swing.
#![allow(clippy::unwrap_used)]

use pliant::arm::{Arm, ArmSpec, Impedance, JointDrive};
use pliant::cable::{Cable, CableSpec};
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{Body, BodyId, Friction, GripParams, GripperId, GripperParams, Hold, Material, Place, World};

const LENGTH: f64 = 0.2;

/// Links along x, on hinges about the axes in turn, or for one axis along it a slide.
fn robot(mass: f64, kinds: &[(JointKind, Vec3)]) -> RobotSpec {
    let across = mass * LENGTH * LENGTH / 12.0;
    let link = |name: String, mass: f64| LinkSpec {
        name,
        mass,
        centre: Vec3::X * 0.5 * LENGTH,
        inertia: Mat3::from_diagonal(Vec3::new(0.1 * across, across, across)) * mass.signum(),
    };
    let mut links = vec![LinkSpec { name: "base".into(), mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO }];
    let mut joints = vec![];
    for (i, (kind, axis)) in kinds.iter().enumerate() {
        links.push(link(format!("link{i}"), mass));
        let origin = Pose::from_translation(if i == 0 { Vec3::ZERO } else { Vec3::X * LENGTH });
        joints.push(JointSpec::new(&format!("joint{i}"), *kind, [i, i + 1], origin, *axis));
    }
    RobotSpec { name: "arm".into(), links, joints, base: Base::Fixed(Pose::IDENTITY), gravity: Vec3::ZERO }
}

/// Seven hinges, bent so that no direction is lost.
fn arm7(mass: f64) -> ArmSpec {
    let axes = [Vec3::Z, Vec3::Y, Vec3::X, Vec3::Y, Vec3::X, Vec3::Y, Vec3::X];
    let kinds = axes.map(|axis| (JointKind::Continuous, axis));
    ArmSpec { joints: vec![0.2, -0.9, 0.4, 1.3, -0.3, 0.8, 0.5], ..ArmSpec::new(robot(mass, &kinds)) }
}

/// An arm with a hand at the end of its last link.
fn world(spec: ArmSpec, gravity: Vec3) -> (World, BodyId, GripperId) {
    let mut world = World::new(gravity);
    let last = format!("link{}", spec.robot.joints.len() - 1);
    let arm = world.add_body(Body::Arm(Arm::new("arm", spec).unwrap())).unwrap();
    let hand = world.add_gripper(GripperParams::at("hand", Pose::IDENTITY)).unwrap();
    world.carry(hand, arm, &last, Pose::from_translation(Vec3::X * LENGTH)).unwrap();
    (world, arm, hand)
}

fn hand(world: &World) -> Pose {
    world.grippers()[0].sweep.end
}

/// What leads from where the hand is to its target, in its own axes: displacement and rotation vector.
fn apart(world: &World, target: &Pose) -> [Vec3; 2] {
    let back = hand(world).rotation.inverse();
    let turned = (back * target.rotation).to_scaled_axis();
    [back * (target.translation - hand(world).translation), turned]
}

/// A force F and a torque T in the tool's axes deflect it by F / K, whatever the direction: here the weight of a cable that is
/// clamped in the hand, for gravity along each axis, while the arm carries its own weight.
#[test]
fn a_tool_gives_way_as_its_springs() {
    let stiffness = [800.0, 1500.0, 3000.0, 20.0, 30.0, 50.0];
    let damping = [80.0, 100.0, 150.0, 2.0, 2.0, 3.0];
    for gravity in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
        let (mut world, _, gripper) = world(arm7(0.8), gravity * 9.81);
        let target = hand(&world);
        let friction = Friction { coefficient: 0.0, exponent: 1.0 };
        let material = Material { young: 1e8, poisson: 0.4, density: 2000.0, friction };
        let way = target.rotation * Vec3::new(0.1, 0.05, 0.02);
        let mut spec = CableSpec::round(material, 0.006, vec![target.translation, target.translation + way], 6);
        (spec.settings.drag, spec.settings.damping_time) = (30.0, 0.02);
        let cable = Body::Cable(Cable::new("cable", spec).unwrap());
        let weight = cable.mass() * 9.81;
        let cable = world.add_body(cable).unwrap();
        world.add_grip(GripParams::new(gripper, cable, Place::Fraction(0.0), Hold::Clamp)).unwrap();
        let impedance = Impedance { stiffness, damping, idle_damping: 1.0 };
        world.drive_tool(gripper, Some(impedance), Some(target)).unwrap();
        (0..2000).for_each(|_| world.step(0.01).unwrap());
        let (apart, back) = (apart(&world, &target), hand(&world).rotation.inverse());
        let load = world.grippers()[0].load;
        assert!((load.force - gravity * weight).length() < 1e-4 * weight, "it must rest: {} N", load.force);
        assert!(load.torque.length() > 1e-3, "it must be turned, too: {} N m", load.torque);
        for (k, load) in [load.force, load.torque].into_iter().enumerate() {
            let load = back * load;
            for axis in 0..3 {
                // the springs hold against the load
                let pull = stiffness[3 * k + axis] * apart[k][axis];
                assert!(
                    (pull + load[axis]).abs() < 1e-4 * load.length(),
                    "{gravity}, {k}, {axis}: {pull} N for {load}"
                );
            }
        }
    }
}

/// Stiff springs on a light arm, at a step that resolves neither: the tool comes to rest at its target.
#[test]
fn a_stiff_tool_of_a_light_arm_does_not_ring() {
    for damping in [0.0, 300.0, 1e5] {
        let (mut world, arm, gripper) = world(arm7(0.005), Vec3::NEG_Z * 9.81);
        let mut target = hand(&world);
        target.translation += Vec3::new(0.01, -0.02, 0.015);
        target.rotation *= Quat::from_rotation_y(0.1);
        let impedance = Impedance {
            stiffness: [1e5, 1e5, 1e5, 1e3, 1e3, 1e3],
            damping: [damping, damping, damping, 0.01 * damping, 0.01 * damping, 0.01 * damping],
            idle_damping: 0.05,
        };
        world.drive_tool(gripper, Some(impedance), Some(target)).unwrap();
        let steps = if damping > 1e4 { 3000 } else { 600 };
        (0..steps).for_each(|_| world.step(0.01).unwrap());
        let [off, turned] = apart(&world, &target);
        assert!(off.length() < 1e-6 && turned.length() < 1e-5, "{damping}: {off}, {turned}");
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        let fastest = arm.joints().v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        assert!(fastest < 1e-4, "{damping}: {fastest} rad/s");
    }
}

/// A tool on a slide is a damped oscillator: against its closed form, at second order where steps resolve it.
#[test]
fn a_tool_follows_its_equation_of_motion() {
    let (mass, stiffness, damping, from, time) = (0.5, 30.0, 0.8, 0.05, 0.5);
    let error = |step: f64| {
        let (mut world, ..) = {
            let spec = ArmSpec::new(robot(mass, &[(JointKind::Prismatic, Vec3::X)]));
            let (mut world, arm, gripper) = world(spec, Vec3::ZERO);
            let mut target = hand(&world);
            target.translation.x += from;
            let impedance = Impedance { stiffness: [stiffness; 6], damping: [damping; 6], idle_damping: 0.0 };
            // the target is reached over a step: begin from there
            world.drive_tool(gripper, Some(impedance), Some(hand(&world))).unwrap();
            world.step(1e-9).unwrap();
            world.drive_tool(gripper, Some(impedance), Some(target)).unwrap();
            world.step(1e-9).unwrap();
            (world, arm)
        };
        // moved to its target within a nanosecond, dampers have given it a blow
        let blow = damping * from / mass;
        for _ in 0..(time / step).round() as usize {
            world.step(step).unwrap();
        }
        let (decay, square) = (0.5 * damping / mass, stiffness / mass);
        let pace = f64::sqrt(square - decay * decay);
        // x'' + 2 decay x' + square x = 0 for the distance to the target, from -`from` with velocity `blow`
        let swing = (blow - decay * from) / pace;
        let exact = f64::exp(-decay * time) * (swing * f64::sin(pace * time) - from * f64::cos(pace * time));
        (hand(&world).translation.x - LENGTH - from - exact).abs()
    };
    let [coarse, fine] = [4e-3, 2e-3].map(error);
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.1, "order {order}: {coarse} and {fine}");
}

/// What the joints can do without moving the tool comes to rest by idle damping, and goes on without; no effort is exceeded.
#[test]
fn motions_beside_the_tool_are_damped() {
    let kinds = [(JointKind::Continuous, Vec3::Z); 3];
    let spec = ArmSpec { joints: vec![0.5, 0.8, 0.6], ..ArmSpec::new(robot(0.5, &kinds)) };
    let moving = |idle_damping: f64| {
        let (mut world, arm, gripper) = world(spec.clone(), Vec3::ZERO);
        let impedance = Impedance {
            stiffness: [2e3, 2e3, 0.0, 0.0, 0.0, 0.0],
            damping: [200.0, 200.0, 0.0, 0.0, 0.0, 0.0],
            idle_damping,
        };
        let target = hand(&world);
        world.drive_tool(gripper, Some(impedance), Some(target)).unwrap();
        // a blow to the middle joint
        world.drive_joint(arm, "joint1", JointDrive::Torque(0.5)).unwrap();
        (0..20).for_each(|_| world.step(0.005).unwrap());
        world.drive_joint(arm, "joint1", JointDrive::Free).unwrap();
        (0..400).for_each(|_| world.step(0.005).unwrap());
        world.bodies()[0].energy(Vec3::ZERO).kinetic
    };
    let [still, free] = [0.5, 0.0].map(moving);
    assert!(still < 1e-9 && free > 1e-4, "{still} J with damping, {free} J without");
}

#[test]
fn a_tool_that_cannot_be_is_refused() {
    let (mut world, _, gripper) = world(arm7(0.5), Vec3::ZERO);
    let soft = Impedance { stiffness: [1.0; 6], damping: [1.0; 6], idle_damping: 0.0 };
    let loose = world.add_gripper(GripperParams::at("loose", Pose::IDENTITY)).unwrap();
    let error = world.drive_tool(loose, Some(soft), None).unwrap_err().to_string();
    assert_eq!(error, "the gripper loose cannot be held as a tool: no arm carries it");
    assert!(world.drive_tool(gripper, Some(Impedance { stiffness: [-1.0; 6], ..soft }), None).is_err());
    assert!(world.drive_tool(gripper, Some(Impedance { idle_damping: f64::NAN, ..soft }), None).is_err());
    assert!(world.drive_tool(gripper, Some(soft), Some(Pose::from_translation(Vec3::NAN))).is_err());
    world.drive_tool(gripper, Some(soft), None).unwrap();
    world.drive_tool(gripper, None, None).unwrap();
}
