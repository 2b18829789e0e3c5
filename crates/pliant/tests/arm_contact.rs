//! Links that touch obstacles, against closed forms: rest, slopes, rolling, impacts.
#![allow(clippy::unwrap_used)]

use pliant::arm::{Arm, ArmSpec, JointDrive};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::robot::{Base, JointKind, JointSpec, LinkSpec, RobotSpec};
use pliant::{Body, BodyId, Drive, Friction, Snapshot, World};

const G: f64 = 9.81;
const MASS: f64 = 0.7;
const STEPS: [f64; 3] = [2e-3, 5e-3, 1e-2];

/// A free body of one link, of even density.
fn body(shape: &ShapeKind, root: Pose) -> ArmSpec {
    let inertia = match *shape {
        ShapeKind::Sphere { radius } => Vec3::splat(0.4 * radius * radius),
        ShapeKind::Box { size } => {
            let square = size * size;
            Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y) / 12.0
        }
        ShapeKind::Cylinder { radius, length } => {
            let across = (3.0 * radius * radius + length * length) / 12.0;
            Vec3::new(across, across, 0.5 * radius * radius)
        }
        _ => unreachable!(),
    };
    let inertia = Mat3::from_diagonal(inertia * MASS);
    let links = vec![LinkSpec { name: "body".into(), mass: MASS, centre: Vec3::ZERO, inertia }];
    let base = Base::Floating;
    ArmSpec {
        root,
        ..ArmSpec::new(RobotSpec { name: "free".into(), links, joints: vec![], base, gravity: Vec3::ZERO })
    }
}

/// A world in which a free body is above a plane through the origin that is inclined by `angle` about y, downhill along x.
fn world(shape: ShapeKind, root: Pose, angle: f64, friction: f64) -> (World, BodyId) {
    let mut world = World::new(Vec3::NEG_Z * G);
    let floor = ObstacleParams {
        friction: Some(Friction { coefficient: friction, exponent: 1.0 }),
        ..ObstacleParams::fixed("floor", Shape::new(ShapeKind::Plane).unwrap(), slope(angle))
    };
    world.add_obstacle(floor).unwrap();
    let arm = add(&mut world, "free", shape, root);
    world.enforce_accounts(true);
    (world, arm)
}

fn add(world: &mut World, name: &str, shape: ShapeKind, root: Pose) -> BodyId {
    let arm = world.add_body(Body::Arm(Arm::new(name, body(&shape, root)).unwrap())).unwrap();
    let shape = ObstacleParams::fixed(&format!("{name}-shape"), Shape::new(shape).unwrap(), root);
    let shape = world.add_obstacle(shape).unwrap();
    world.carry_obstacle(shape, arm, "body", Pose::IDENTITY).unwrap();
    arm
}

fn slope(angle: f64) -> Pose {
    Pose::from_rotation(Quat::from_rotation_y(angle))
}

/// On the slope, at a height above it.
fn above(angle: f64, height: f64) -> Pose {
    slope(angle) * Pose::from_translation(Vec3::Z * height)
}

fn at(world: &World, body: BodyId) -> Pose {
    let Body::Arm(arm) = world.body(body).unwrap() else { unreachable!() };
    arm.link(0)
}

fn velocity(world: &World, body: BodyId) -> Vec3 {
    let Body::Arm(arm) = world.body(body).unwrap() else { unreachable!() };
    at(world, body).rotation * Vec3::from_slice(&arm.joints().v[..3])
}

/// Force of all contacts on the body.
fn force(world: &World) -> Vec3 {
    world.frame().contacts.iter().map(|contact| contact.force).sum()
}

fn energy(world: &World) -> f64 {
    world.bodies().iter().map(|body| body.energy(world.gravity())).map(|e| e.kinetic + e.gravity).sum()
}

const BOX: Vec3 = Vec3::new(0.2, 0.14, 0.1);

/// A box on a floor bears its weight, and stays.
#[test]
fn a_box_at_rest_bears_its_weight() {
    for step in STEPS {
        let (mut world, body) = world(ShapeKind::Box { size: BOX }, above(0.0, 0.5 * BOX.z), 0.0, 0.4);
        (0..200).for_each(|_| world.step(step).unwrap());
        let off = force(&world) - Vec3::Z * MASS * G;
        assert!(off.length() < 1e-6 * MASS * G, "{step}: {off}");
        let moved = at(&world, body).translation - Vec3::Z * 0.5 * BOX.z;
        assert!(moved.length() < 1e-9, "{step}: {moved}");
        assert!(velocity(&world, body).length() < 1e-9, "{step}");
    }
}

/// Below the angle of friction a box sticks; above it slides with g (sin - mu cos), from the first step on.
#[test]
fn a_box_on_a_slope_sticks_or_slides() {
    let friction: f64 = 0.4;
    for step in STEPS {
        for angle in [0.9 * friction.atan(), 1.2 * friction.atan(), 0.6] {
            let (mut world, body) = world(ShapeKind::Box { size: BOX }, above(angle, 0.5 * BOX.z), angle, friction);
            let time = 0.4;
            let steps = (time / step).round();
            (0..steps as usize).for_each(|_| world.step(step).unwrap());
            let local = slope(angle).inverse() * at(&world, body);
            let expected = (angle.sin() - friction * angle.cos()).max(0.0) * G;
            let way = 0.5 * expected * time * time;
            assert!(
                (local.translation - Vec3::new(way, 0.0, 0.5 * BOX.z)).length() < 1e-6,
                "{step}, {angle}: {local:?}"
            );
            let speed = slope(angle).rotation.inverse() * velocity(&world, body);
            assert!((speed - Vec3::X * expected * time).length() < 1e-6, "{step}, {angle}: {speed}");
            let normal = slope(angle).rotation.inverse() * force(&world);
            assert!((normal.z - MASS * G * angle.cos()).abs() < 1e-5, "{step}, {angle}: {normal}");
        }
    }
}

/// A sphere rolls down a slope with 5/7 g sin, a cylinder with 2/3 g sin; both stay on it.
#[test]
fn balls_and_cylinders_roll() {
    let (radius, angle, time) = (0.05, 0.3, 0.5_f64);
    let lying = Pose::from_rotation(Quat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let cases = [
        (ShapeKind::Sphere { radius }, Pose::IDENTITY, 5.0 / 7.0),
        (ShapeKind::Cylinder { radius, length: 0.12 }, lying, 2.0 / 3.0),
    ];
    for (shape, turned, part) in cases {
        for step in STEPS {
            let (mut world, body) = world(shape.clone(), above(angle, radius) * turned, angle, 0.5);
            (0..(time / step).round() as usize).for_each(|_| world.step(step).unwrap());
            let local = slope(angle).inverse() * at(&world, body);
            let acceleration = part * G * angle.sin();
            let way = 0.5 * acceleration * time * time;
            // its velocity is linear in time, which the midpoint rule follows to rounding
            assert!(
                (local.translation.x - way).abs() < 1e-5 * way,
                "{shape:?}, {step}: {} for {way}",
                local.translation.x
            );
            assert!((local.translation.z - radius).abs() < 1e-6, "{shape:?}, {step}: {}", local.translation.z);
        }
    }
}

/// Whatever falls, in any posture and with any spin, never gains energy, and comes to rest on a face, where it bears its weight.
#[test]
fn impacts_take_energy_and_end_on_a_face() {
    let turns =
        [Vec3::new(0.3, 0.2, 0.1), Vec3::new(1.0, -0.4, 0.2), Vec3::new(-0.7, 2.0, 0.5), Vec3::new(0.1, 0.0, 0.0)];
    for step in STEPS {
        for turn in turns {
            let root = Pose::from_parts(Vec3::Z * 0.3, Quat::from_scaled_axis(turn));
            let (mut world, body) = world(ShapeKind::Box { size: BOX }, root, 0.0, 0.5);
            let mut last = energy(&world);
            for n in 0..(3.0 / step) as usize {
                world.step(step).unwrap();
                let now = energy(&world);
                // a contact is a thousand times as stiff as what it stops, and twice starts again from the force found: it leaves less than a
                // millionth of a speed; overlap by that is taken back, which lifts the weight
                let overlap = 1e-6 * (2.0 * G * 0.3).sqrt() * step;
                assert!(now <= last + MASS * G * overlap, "{step}, {turn}, step {n}: {now} J after {last} J");
                last = now;
            }
            let pose = at(&world, body);
            let up = pose.rotation.inverse() * Vec3::Z;
            assert!(up.abs().max_element() > 1.0 - 1e-6, "{step}, {turn}: it ends on {up}");
            let height = 0.5 * (up.abs() * BOX).element_sum();
            assert!((pose.translation.z - height).abs() < 1e-5, "{step}, {turn}: {} for {height}", pose.translation.z);
            let off = force(&world) - Vec3::Z * MASS * G;
            assert!(off.length() < 1e-4 * MASS * G, "{step}, {turn}: {off}");
        }
    }
}

/// Momentum: what contacts have pushed in all, with the weight, is what has changed it.
#[test]
fn contacts_account_for_momentum() {
    for step in STEPS {
        let root = Pose::from_parts(Vec3::Z * 0.12, Quat::from_rotation_y(0.4));
        let (mut world, body) = world(ShapeKind::Box { size: BOX }, root, 0.0, 0.5);
        let mut pushed = Vec3::ZERO;
        let steps = (0.5 / step).round() as usize;
        for _ in 0..steps {
            world.step(step).unwrap();
            pushed += force(&world) * step;
        }
        let expected = velocity(&world, body) * MASS + Vec3::Z * MASS * G * step * steps as f64;
        assert!((pushed - expected).length() < 1e-6 * expected.length(), "{step}: {pushed} for {expected}");
    }
}

/// A snapshot between steps of a box that slides and one that bears its weight goes on with the same bits.
#[test]
fn contacts_are_in_snapshots() {
    let angle = 0.6;
    let (mut world, _) = world(ShapeKind::Box { size: BOX }, above(angle, 0.5 * BOX.z), angle, 0.4);
    (0..20).for_each(|_| world.step(0.005).unwrap());
    let bytes = world.snapshot().to_bytes();
    let mut again = world.clone();
    again.restore(&Snapshot::from_bytes(&bytes).unwrap()).unwrap();
    for _ in 0..20 {
        world.step(0.005).unwrap();
        again.step(0.005).unwrap();
    }
    assert_eq!(world.snapshot().to_bytes(), again.snapshot().to_bytes());
    // the version before knew no contacts of arms
    let mut old = bytes;
    let at = old.iter().position(|&byte| byte == 5).unwrap();
    old[at] = 4;
    assert!(Snapshot::from_bytes(&old).is_err());
}

/// A bar that hangs over both sides of a table, a plate on a post under its middle: neither has a corner on the other where it is borne. Both
/// stay, and bear their weight.
#[test]
fn things_lie_on_what_is_smaller_than_they() {
    let bar = Vec3::new(1.0, 0.05, 0.04);
    let plate = Vec3::new(0.4, 0.3, 0.04);
    for (size, under) in [(bar, Vec3::new(0.3, 0.3, 0.2)), (plate, Vec3::new(0.1, 0.08, 0.2))] {
        for step in STEPS {
            let mut world = World::new(Vec3::NEG_Z * G);
            let shape = Shape::new(ShapeKind::Box { size: under }).unwrap();
            let below = Pose::from_translation(Vec3::NEG_Z * 0.5 * under.z);
            world.add_obstacle(ObstacleParams::fixed("under", shape, below)).unwrap();
            let root = Pose::from_translation(Vec3::new(0.01, 0.005, 0.5 * size.z));
            let body = add(&mut world, "free", ShapeKind::Box { size }, root);
            (0..(1.0 / step) as usize).for_each(|_| world.step(step).unwrap());
            let pose = at(&world, body);
            assert!((pose.translation - root.translation).length() < 1e-6, "{size}, {step}: {}", pose.translation);
            assert!((pose.rotation * Vec3::Z).z > 1.0 - 1e-9, "{size}, {step}: {}", pose.rotation);
            let off = force(&world) - Vec3::Z * MASS * G;
            assert!(off.length() < 1e-6 * MASS * G, "{size}, {step}: {off}");
        }
    }
}

/// A belt takes a box along with mu g until it is as fast as the belt; what the belt does is work of obstacles.
#[test]
fn a_belt_takes_a_box_along() {
    let (friction, speed) = (0.3, 0.5);
    for step in STEPS {
        let (mut world, body) = world(ShapeKind::Box { size: BOX }, above(0.0, 0.5 * BOX.z), 0.0, friction);
        let belt = world.obstacle_named("floor").unwrap();
        world.drive_obstacle(belt, Drive::Velocity { linear: Vec3::X * speed, angular: Vec3::ZERO }).unwrap();
        (0..(0.1 / step).round() as usize).for_each(|_| world.step(step).unwrap());
        let expected = friction * G * 0.1;
        assert!((velocity(&world, body) - Vec3::X * expected).length() < 1e-6, "{step}: {}", velocity(&world, body));
        (0..(0.3 / step).round() as usize).for_each(|_| world.step(step).unwrap());
        assert!((velocity(&world, body) - Vec3::X * speed).length() < 1e-6, "{step}: {}", velocity(&world, body));
        // friction moves along with the belt: m v^2, half of which is heat
        let work = world.accounts()[0].work.obstacles;
        assert!((work - MASS * speed * speed).abs() < 0.02 * MASS * speed * speed, "{step}: {work} J");
    }
}

/// A servo presses a link on a floor: the floor bears what the servo is short of its target.
#[test]
fn a_servo_presses_with_its_spring() {
    for step in STEPS {
        let mut world = World::new(Vec3::ZERO);
        let floor = Shape::new(ShapeKind::Plane).unwrap();
        world.add_obstacle(ObstacleParams::fixed("floor", floor, Pose::IDENTITY)).unwrap();
        let link = |name: &str, mass: f64| LinkSpec {
            name: name.into(),
            mass,
            centre: Vec3::ZERO,
            inertia: Mat3::IDENTITY * 0.01 * mass,
        };
        let slide =
            JointSpec::new("slide", JointKind::Prismatic, [0, 1], Pose::from_translation(Vec3::Z * 0.3), Vec3::NEG_Z);
        let robot = RobotSpec {
            name: "press".into(),
            links: vec![link("base", 0.0), link("body", MASS)],
            joints: vec![slide],
            base: Base::Fixed(Pose::IDENTITY),
            gravity: Vec3::ZERO,
        };
        let (target, stiffness) = (0.3, 400.0);
        let drives = vec![JointDrive::Position { target, stiffness, damping: 40.0 }];
        let spec = ArmSpec { drives, ..ArmSpec::new(robot) };
        let arm = world.add_body(Body::Arm(Arm::new("press", spec).unwrap())).unwrap();
        let ball = Shape::new(ShapeKind::Sphere { radius: 0.05 }).unwrap();
        let ball = world.add_obstacle(ObstacleParams::fixed("ball", ball, Pose::IDENTITY)).unwrap();
        world.carry_obstacle(ball, arm, "body", Pose::IDENTITY).unwrap();
        (0..(2.0 / step) as usize).for_each(|_| world.step(step).unwrap());
        // it stops 0.05 m before its target
        let expected = stiffness * 0.05;
        assert!((force(&world) - Vec3::Z * expected).length() < 1e-4 * expected, "{step}: {}", force(&world));
        let Body::Arm(arm) = world.body(arm).unwrap() else { unreachable!() };
        assert!((arm.torques()[0] - expected).abs() < 1e-4 * expected, "{step}: {}", arm.torques()[0]);
    }
}
