//! Arms that hold cables: both are advanced together. Judged by energy, momentum and closed forms.
#![allow(clippy::unwrap_used)]

use pliant::arm::{Arm, ArmSpec, JointDrive};
use pliant::cable::{Cable, CableSettings, CableSpec, Step};
use pliant::math::{Mat3, Pose, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{Body, BodyId, Friction, GripParams, GripperParams, Hold, Material, Place, World};

const G: f64 = 9.81;

fn link(name: &str, mass: f64, length: f64) -> LinkSpec {
    let across = mass * length * length / 12.0;
    let inertia = Mat3::from_diagonal(Vec3::new(1e-3 * mass, across, across));
    LinkSpec { name: name.into(), mass, centre: Vec3::X * 0.5 * length, inertia }
}

/// A chain of links along x on hinges about y, from a fixed or a free root.
fn robot(masses: &[f64], length: f64, base: Base) -> RobotSpec {
    let mut links = vec![LinkSpec { name: "base".into(), mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO }];
    if base == Base::Floating {
        links[0] = link("base", masses[0], length);
    }
    let mut joints = vec![];
    for (i, mass) in masses.iter().enumerate() {
        links.push(link(&format!("link{i}"), *mass, length));
        let origin = Pose::from_translation(if i == 0 { Vec3::ZERO } else { Vec3::X * length });
        joints.push(JointSpec::new(&format!("joint{i}"), JointKind::Continuous, [i, i + 1], origin, Vec3::Y));
    }
    RobotSpec { name: "arm".into(), links, joints, base, gravity: Vec3::ZERO }
}

/// A cable that passes through itself, so that contact takes nothing, with drag [1/s].
fn cable(young: f64, from: Vec3, way: Vec3, density: f64, drag: f64) -> Body {
    let friction = Friction { coefficient: 0.0, exponent: 1.0 };
    let material = Material { young, poisson: 0.4, density, friction };
    let mut spec = CableSpec::round(material, 0.004, vec![from, from + way], 20);
    spec.settings = CableSettings {
        step: Step::Midpoint,
        damping_time: 0.0,
        drag,
        self_contact: false,
        ..CableSettings::default()
    };
    Body::Cable(Cable::new("cable", spec).unwrap())
}

/// An arm with a cable in its hand, at the end of its last link.
fn world(spec: ArmSpec, cable: Body, gravity: Vec3, tip: Vec3) -> (World, BodyId) {
    let mut world = World::new(gravity);
    let last = format!("link{}", spec.robot.joints.len() - 1);
    let arm = world.add_body(Body::Arm(Arm::new("arm", spec).unwrap())).unwrap();
    let cable = world.add_body(cable).unwrap();
    let hand = world.add_gripper(GripperParams::at("hand", Pose::IDENTITY)).unwrap();
    world.carry(hand, arm, &last, Pose::from_translation(tip)).unwrap();
    world.add_grip(GripParams::new(hand, cable, Place::Fraction(0.0), Hold::Clamp)).unwrap();
    world.ready().unwrap();
    (world, arm)
}

fn energy(world: &World, gravity: Vec3) -> f64 {
    world.bodies().iter().map(|body| body.energy(gravity).total()).sum()
}

#[test]
fn an_arm_and_its_cable_keep_their_energy() {
    let gravity = Vec3::NEG_Z * G;
    // light and heavy arms, soft and stiff cables, several steps
    for (masses, young) in [(vec![0.5, 0.3], 2e7), (vec![0.01, 0.005], 1e7), (vec![20.0, 10.0], 2e11)] {
        for step in [0.002, 0.01] {
            let spec =
                ArmSpec { joints: vec![0.3, 0.4], ..ArmSpec::new(robot(&masses, 0.3, Base::Fixed(Pose::IDENTITY))) };
            let tip = Arm::new("a", spec.clone()).unwrap();
            let at = tip.link(2).transform_point(Vec3::X * 0.3);
            let (mut world, _) = world(spec, cable(young, at, Vec3::X * 0.4, 1000.0, 0.0), gravity, Vec3::X * 0.3);
            let start = energy(&world, gravity);
            let mut most: f64 = 0.0;
            for _ in 0..(2.0 / step) as usize {
                world.step(step).unwrap();
                most = most.max(energy(&world, gravity) - start);
            }
            let moving: f64 = world.bodies().iter().map(|body| body.energy(gravity).kinetic).sum();
            assert!(
                most < 1e-9 * moving.max(1e-3),
                "{masses:?}, {young}, {step}: gained {most} with {moving} J in motion"
            );
            let lost = start - energy(&world, gravity);
            assert!(
                lost.abs() < 1e-9 * moving.max(1e-3),
                "{masses:?}, {young}, {step}: lost {lost} of {moving} J in motion"
            );
            // what the one does to the other is what the other does to the one
            let works: f64 = world.accounts().iter().map(|account| account.work.grips).sum();
            assert!(works.abs() < 1e-12 * moving.max(1e-3), "{works}");
        }
    }
}

#[test]
fn a_servo_at_rest_carries_arm_and_cable() {
    let gravity = Vec3::NEG_Z * G;
    let hold = JointDrive::Position { target: 0.0, stiffness: 1e5, damping: 1e3 };
    let spec = ArmSpec { drives: vec![hold; 2], ..ArmSpec::new(robot(&[2.0, 1.0], 0.5, Base::Fixed(Pose::IDENTITY))) };
    let hanging = cable(1e6, Vec3::X, Vec3::NEG_Z * 0.4, 1000.0, 5.0);
    let weight = hanging.mass() * G;
    let (mut world, arm) = world(spec, hanging, gravity, Vec3::X * 0.5);
    for _ in 0..2500 {
        world.step(0.01).unwrap();
    }
    // along itself the cable still swings, which drag hardly damps: the mean
    let (mut load, mut torques) = (Vec3::ZERO, [0.0; 2]);
    for _ in 0..500 {
        world.step(0.01).unwrap();
        load += world.grippers()[0].load.force / 500.0;
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        torques.iter_mut().zip(arm.torques()).for_each(|(sum, torque)| *sum += torque / 500.0);
    }
    // (the servos give way by 1e-4 rad, which moves the cable's end a little)
    // about y, positive turns x down: the servo pushes up; the cable hangs from its end, up to its offset sideways
    let expected = [-(2.0 * 0.25 + 1.0 * 0.75) * G - weight, -0.25 * G - 0.5 * weight];
    for (got, want) in torques.iter().zip(expected) {
        assert!((got - want).abs() < 1e-5 * want.abs(), "{torques:?} for {expected:?}");
    }
    assert!((load.z + weight).abs() < 1e-4 * weight, "{load:?} for {weight}");
}

/// A joint with a servo is a damped oscillator: against its closed form, at second order where steps resolve it.
#[test]
fn a_servo_follows_its_equation_of_motion() {
    let (inertia, stiffness, damping, from) = (1.0 * 0.5 * 0.5 / 3.0, 40.0, 0.6, 0.4);
    let error = |step: f64| {
        let servo = JointDrive::Position { target: 0.0, stiffness, damping };
        let robot = robot(&[1.0], 0.5, Base::Fixed(Pose::IDENTITY));
        let spec = ArmSpec { joints: vec![from], drives: vec![servo], ..ArmSpec::new(robot) };
        let mut world = World::new(Vec3::ZERO);
        let arm = world.add_body(Body::Arm(Arm::new("a", spec).unwrap())).unwrap();
        for _ in 0..(0.4 / step).round() as usize {
            world.step(step).unwrap();
        }
        let (decay, square) = (0.5 * damping / inertia, stiffness / inertia);
        let pace = (square - decay * decay).sqrt();
        let exact = from * (-decay * 0.4_f64).exp() * ((pace * 0.4).cos() + decay / pace * (pace * 0.4).sin());
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        (arm.joints().q[0] - exact).abs()
    };
    let [coarse, fine] = [2e-3, 1e-3].map(error);
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.1, "order {order}: {coarse} and {fine}");
}

/// A servo that is not strong enough gives all it has: the joint is accelerated by effort / inertia, at any step.
#[test]
fn a_weak_servo_lags() {
    let (inertia, effort) = (1.0 * 0.5 * 0.5 / 3.0, 2.0);
    for (step, damping) in [(0.01, 10.0), (0.001, 10.0), (0.01, 1e3), (0.0005, 0.0)] {
        let mut robot = robot(&[1.0], 0.5, Base::Fixed(Pose::IDENTITY));
        robot.joints[0].limits.effort = effort;
        let servo = JointDrive::Position { target: 3.0, stiffness: 1e4, damping };
        let mut world = World::new(Vec3::ZERO);
        let spec = ArmSpec { drives: vec![servo], ..ArmSpec::new(robot) };
        let arm = world.add_body(Body::Arm(Arm::new("a", spec).unwrap())).unwrap();
        for _ in 0..(0.1_f64 / step).round() as usize {
            world.step(step).unwrap();
        }
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        // a constant acceleration is exact in the midpoint rule
        let want = [0.5 * effort / inertia * 0.01, effort / inertia * 0.1];
        let got = [arm.joints().q[0], arm.joints().v[0]];
        assert!((0..2).all(|k| (got[k] - want[k]).abs() < 1e-6 * want[k]), "{step}, {damping}: {got:?} for {want:?}");
    }
}

/// A servo stiffer than any step resolves comes to rest at its target, and does not swing from step to step.
#[test]
fn a_stiff_servo_does_not_ring() {
    for (stiffness, damping) in [(1e7, 0.0), (1e5, 1e4), (0.0, 1e6)] {
        let servo = JointDrive::Position { target: 0.2, stiffness, damping };
        let robot = robot(&[1e-3], 0.1, Base::Fixed(Pose::IDENTITY));
        let spec = ArmSpec { joints: vec![0.1], drives: vec![servo], ..ArmSpec::new(robot) };
        let mut world = World::new(Vec3::ZERO);
        let arm = world.add_body(Body::Arm(Arm::new("a", spec).unwrap())).unwrap();
        for _ in 0..300 {
            world.step(0.01).unwrap();
        }
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        assert!(arm.joints().v[0].abs() < 1e-6, "{stiffness} and {damping}: {} rad/s", arm.joints().v[0]);
    }
}

#[test]
fn a_free_arm_with_a_cable_keeps_its_momentum() {
    let spec = ArmSpec::new(robot(&[1.0, 0.5], 0.3, Base::Floating));
    let (mut world, arm) =
        world(spec, cable(1e6, Vec3::X * 0.6, Vec3::X * 0.4, 3000.0, 0.0), Vec3::ZERO, Vec3::X * 0.3);
    // kicked by a joint's torque, which is internal
    world.drive_joint(arm, "joint1", JointDrive::Torque(0.4)).unwrap();
    let centre = |world: &World| -> Vec3 {
        let moments = || world.bodies().iter().map(Body::moments);
        moments().map(|of| of.centre * of.volume).sum::<Vec3>() / moments().map(|of| of.volume).sum::<f64>()
    };
    let start = centre(&world);
    let mut fastest: f64 = 0.0;
    for _ in 0..100 {
        world.step(0.01).unwrap();
        let Body::Arm(arm) = &world.bodies()[0] else { unreachable!() };
        fastest = fastest.max(arm.joints().v.iter().fold(0.0, |a, b| a.max(b.abs())));
        assert!(centre(&world).distance(start) < 1e-9, "{}", centre(&world).distance(start));
    }
    assert!(fastest > 1.0, "it must move: {fastest}");
}

#[test]
fn a_free_arm_begins_where_it_is_put() {
    let root = Pose::from_parts(Vec3::new(3.0, 4.0, 5.0), pliant::math::Quat::from_rotation_z(1.2));
    let spec = ArmSpec { root, ..ArmSpec::new(robot(&[1.0, 0.5], 0.3, Base::Floating)) };
    let arm = Arm::new("arm", spec).unwrap();
    let at = arm.link(0);
    assert!(at.translation.distance(root.translation) < 1e-15 && at.rotation.angle_between(root.rotation) < 1e-7);
    let beyond = arm.link(2).translation - root.translation;
    assert!((beyond - root.rotation * (Vec3::X * beyond.length())).length() < 1e-12, "{beyond}");
}

#[test]
fn friction_and_stops_hold_an_arm() {
    let mut robot = robot(&[1.0], 0.5, Base::Fixed(Pose::IDENTITY));
    // less than friction bears: it stays; more: it falls to its stop and rests there
    for (friction, falls) in [(3.0, false), (1.0, true)] {
        robot.joints[0].friction = friction;
        robot.joints[0].kind = JointKind::Revolute;
        (robot.joints[0].limits.lower, robot.joints[0].limits.upper) = (-1.0, 1.0);
        let mut world = World::new(Vec3::NEG_Z * G);
        let arm = world.add_body(Body::Arm(Arm::new("arm", ArmSpec::new(robot.clone())).unwrap())).unwrap();
        let gravity = Vec3::NEG_Z * G;
        let mut last = energy(&world, gravity);
        for _ in 0..300 {
            world.step(0.01).unwrap();
            assert!(energy(&world, gravity) <= last + 1e-12, "gained at {}", world.time());
            last = energy(&world, gravity);
        }
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        let expected = if falls { 1.0 } else { 0.0 };
        assert!((arm.joints().q[0] - expected).abs() < 1e-9, "{}", arm.joints().q[0]);
        assert_eq!(arm.joints().v[0], 0.0);
    }
}

#[test]
fn cables_that_no_arm_holds_are_none_of_its_business() {
    let gravity = Vec3::NEG_Z * G;
    let hold = JointDrive::Position { target: 0.0, stiffness: 1e4, damping: 1e2 };
    let spec = ArmSpec { drives: vec![hold; 2], ..ArmSpec::new(robot(&[2.0, 1.0], 0.5, Base::Fixed(Pose::IDENTITY))) };
    let alone = world(spec.clone(), cable(1e6, Vec3::X, Vec3::NEG_Z * 0.4, 1000.0, 0.0), gravity, Vec3::X * 0.5).0;
    let mut more = world(spec, cable(1e6, Vec3::X, Vec3::NEG_Z * 0.4, 1000.0, 0.0), gravity, Vec3::X * 0.5).0;
    // others, far away: one by itself, and two that touch
    let material =
        Material { young: 1e6, poisson: 0.4, density: 1000.0, friction: Friction { coefficient: 0.2, exponent: 1.0 } };
    for (name, at) in [("free", 9.0), ("lower", 5.0), ("upper", 5.0081)] {
        let path = vec![Vec3::new(0.0, 3.0, at), Vec3::new(0.3, 3.0, at)];
        let mut spec = CableSpec::round(material, 0.004, path, 10);
        spec.settings.step = Step::Midpoint;
        more.add_body(Body::Cable(Cable::new(name, spec).unwrap())).unwrap();
    }
    let mut alone = alone;
    for _ in 0..50 {
        alone.step(0.01).unwrap();
        more.step(0.01).unwrap();
        let [a, b] = [&alone, &more].map(|world| world.frame());
        assert_eq!(a.bodies[0].nodes, b.bodies[0].nodes);
        assert_eq!(a.bodies[1].nodes, b.bodies[1].nodes);
    }
    // a cable by itself falls as a stone
    let fallen = 9.0 - more.bodies()[2].moments().centre.z;
    assert!((fallen - 0.5 * G * 0.25).abs() < 1e-9, "{fallen}");
}

#[test]
fn nodes_of_an_arm_move_as_their_velocities_say() {
    let spec = ArmSpec { joints: vec![0.3, 0.4], ..ArmSpec::new(robot(&[1.0, 0.5], 0.3, Base::Fixed(Pose::IDENTITY))) };
    let mut world = World::new(Vec3::NEG_Z * G);
    world.add_body(Body::Arm(Arm::new("arm", spec).unwrap())).unwrap();
    (0..300).for_each(|_| world.step(1e-3).unwrap());
    let before = world.frame();
    world.step(1e-5).unwrap();
    let after = world.frame();
    let [from, to] = [&before.bodies[0], &after.bodies[0]];
    for (n, velocity) in to.velocities.iter().enumerate() {
        let rate = (to.nodes[n] - from.nodes[n]) / 1e-5;
        assert!(rate.distance(*velocity) < 1e-3, "{n}: {velocity} for {rate}");
    }
    assert!(to.velocities[2].length() > 0.1, "it must move");
}

/// Two rods of a kilogram and two at an angle, by hand: hinges about y turn x into -z.
#[test]
fn an_arm_has_the_inertia_of_its_links_where_they_stand() {
    let (length, [first, second]) = (0.3, [2.0, 1.0]);
    let root = Pose::from_parts(Vec3::new(0.5, -0.2, 1.0), pliant::math::Quat::from_rotation_z(0.7));
    let spec = ArmSpec { joints: vec![0.3, 0.9], ..ArmSpec::new(robot(&[first, second], length, Base::Fixed(root))) };
    let moments = Body::Arm(Arm::new("arm", spec).unwrap()).moments();
    let direction = |angle: f64| root.rotation * Vec3::new(angle.cos(), 0.0, -angle.sin());
    let (one, other) = (direction(0.3), direction(1.2));
    let places = [root.translation + one * 0.5 * length, root.translation + one * length + other * 0.5 * length];
    let mass = first + second;
    let centre = (places[0] * first + places[1] * second) / mass;
    // a thin rod along u: m l^2 / 12 (1 - u uT), and 1e-3 m about u; then the parallel axis theorem
    let outer = |u: Vec3| Mat3::from_cols(u * u.x, u * u.y, u * u.z);
    let rod = |mass: f64, u: Vec3, at: Vec3| {
        let (across, off) = (mass * length * length / 12.0, at - centre);
        (Mat3::IDENTITY - outer(u)) * across
            + outer(u) * (1e-3 * mass)
            + (Mat3::IDENTITY * off.length_squared() - outer(off)) * mass
    };
    let inertia = rod(first, one, places[0]) + rod(second, other, places[1]);
    assert!((moments.volume - mass).abs() < 1e-12 && (moments.centre - centre).length() < 1e-12);
    let off = (moments.inertia - inertia).to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(off < 1e-12, "{} for {inertia}", moments.inertia);
}

/// A target a radian away is reached after a second where a joint turns by a radian a second at most. On the way the joint is where a ramp
/// is, but for what it misses in the step in which that begins, or ends: half of what it goes in a step, 5e-3 rad, since from rest the
/// mean velocity is half of that at the end. It catches up with stiffness / damping = 10 times that a second.
#[test]
fn targets_move_no_faster_than_the_joint_may() {
    let mut robot = robot(&[1.0], 0.5, Base::Fixed(Pose::IDENTITY));
    robot.joints[0].limits.velocity = 1.0;
    let servo = |target: f64| JointDrive::Position { target, stiffness: 1e4, damping: 1e3 };
    let at = |world: &World, arm: BodyId| {
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        [arm.joints().q[0], arm.joints().v[0]]
    };
    for driven_later in [false, true] {
        let drives = if driven_later { vec![] } else { vec![servo(1.0)] };
        let mut world = World::new(Vec3::ZERO);
        let spec = ArmSpec { drives, ..ArmSpec::new(robot.clone()) };
        let arm = world.add_body(Body::Arm(Arm::new("arm", spec).unwrap())).unwrap();
        if driven_later {
            world.drive_joint(arm, "joint0", servo(1.0)).unwrap();
        }
        let mut fastest: f64 = 0.0;
        for n in 1..=150 {
            world.step(0.01).unwrap();
            let [q, v] = at(&world, arm);
            fastest = fastest.max(v);
            let ramp = (0.01 * f64::from(n)).min(1.0);
            assert!((q - ramp).abs() < 5.1e-3, "{q} for {ramp} at {n}");
        }
        assert!((0.99..1.051).contains(&fastest), "{fastest} rad/s");
    }
    // a servo for velocity is cut to it
    let mut world = World::new(Vec3::ZERO);
    let arm = world.add_body(Body::Arm(Arm::new("arm", ArmSpec::new(robot)).unwrap())).unwrap();
    world.drive_joint(arm, "joint0", JointDrive::Velocity { target: -7.0, gain: 1e3 }).unwrap();
    (0..50).for_each(|_| world.step(0.01).unwrap());
    assert!((at(&world, arm)[1] + 1.0).abs() < 1e-9, "{}", at(&world, arm)[1]);
}

/// A target that jumps asks for more than a joint can give: then its effort is all that moves it, and no more work is done than that times
/// the way.
#[test]
fn a_target_that_jumps_is_followed_with_the_effort_of_the_joint() {
    let mut robot = robot(&[2.0, 1.5, 0.5, 0.2], 0.25, Base::Fixed(Pose::IDENTITY));
    robot.joints.iter_mut().for_each(|joint| joint.limits.effort = 5.0);
    let mut world = World::new(Vec3::ZERO);
    let arm = world.add_body(Body::Arm(Arm::new("arm", ArmSpec::new(robot)).unwrap())).unwrap();
    let servo = |target: f64| JointDrive::Position { target, stiffness: 1e4, damping: 1e3 };
    let (mut way, mut before) = (0.0, vec![0.0; 4]);
    for step in 0..1000 {
        if let Some(target) = [(0, 0.0), (5, 1.0), (60, -0.7), (120, 0.3)].iter().find(|(at, _)| *at == step) {
            (0..4).for_each(|n| world.drive_joint(arm, &format!("joint{n}"), servo(target.1)).unwrap());
        }
        world.step(0.01).unwrap();
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        assert!(arm.torques().iter().all(|torque| torque.abs() <= 5.0 * 1.001), "{:?}", arm.torques());
        way += arm.joints().q.iter().zip(&before).map(|(q, before)| (q - before).abs()).sum::<f64>();
        before.clone_from(&arm.joints().q);
        let work = world.accounts()[0].work.loads;
        assert!(work <= 5.0 * 1.001 * way + 1e-9, "{work} J over {way} rad");
    }
    assert!(before.iter().all(|q| (q - 0.3).abs() < 1e-2), "{before:?}");
}
