//! Things the chain once got wrong. Each test opens with the law it must obey and what broke it.
#![allow(clippy::unwrap_used)]

use pliant::chain::{Chain, ChainSettings, ChainSpec, UpdateRule};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Drive, Motion, Window};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, StepError, World};

const G: f64 = 9.81;

fn chain(path: &[Vec3], points: usize, friction: f64, settings: ChainSettings) -> Body {
    let friction = Friction { coefficient: friction, exponent: 1.0 };
    let material = Material { young: 5e6, poisson: 0.5, density: 1100.0, friction };
    let section = Section::Round { radius: 3e-3 };
    let spec = ChainSpec { material, section, path: path.to_vec(), points: Some(points), settings };
    Body::Chain(Chain::new("rod", spec).unwrap())
}

fn weight(length: f64) -> f64 {
    1100.0 * Section::Round { radius: 3e-3 }.area() * length * G
}

fn damped() -> ChainSettings {
    ChainSettings { drag: 5.0, ..ChainSettings::default() }
}

fn grip(world: &World, place: f64, hold: Hold) -> GripParams {
    let place = Place::Fraction(place);
    GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold)
}

fn add_obstacle(world: &mut World, kind: ShapeKind, placed: Pose, motion: Motion) {
    let shape = Shape::new(kind).unwrap();
    world.add_obstacle(ObstacleParams { name: "thing".into(), shape, placed, motion, friction: None }).unwrap();
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    (0..(seconds / dt).round() as usize).for_each(|_| world.step(dt).unwrap());
}

/// A free rod straightens. (The joints had no stiffness before a grip or a restore had looked at them.)
#[test]
fn a_bent_free_rod_straightens() {
    let mut world = World::new(Vec3::ZERO);
    let bent = [Vec3::ZERO, Vec3::X * 0.15, Vec3::new(0.15, 0.15, 0.0)];
    world.add_body(chain(&bent, 11, 0.0, ChainSettings { drag: 20.0, ..ChainSettings::default() })).unwrap();
    run(&mut world, 2.0, 1e-3);
    let nodes = &world.frame().bodies[0].nodes;
    assert!((nodes[10] - nodes[0]).length() > 0.299);
}

/// A rod laid in a groove lies there. (One plane a mesh let it slide through the other slope and be thrown out.)
#[test]
fn a_rod_rests_in_a_groove_of_a_height_field() {
    let mut world = World::new(Vec3::Z * -G);
    let heights = (0..2).map(|_| vec![0.5, 0.0, 0.5]).collect();
    add_obstacle(&mut world, ShapeKind::HeightField { heights, size: [1.0, 1.0] }, Pose::IDENTITY, Motion::Hold);
    let path = [Vec3::new(0.02, -0.15, 0.08), Vec3::new(0.02, 0.15, 0.08)];
    world.add_body(chain(&path, 11, 0.0, damped())).unwrap();
    run(&mut world, 4.0, 1e-3);
    let frame = world.frame();
    // the centre line is a radius from both slopes of 45 degrees
    for node in &frame.bodies[0].nodes {
        assert!(node.x.abs() < 1e-4 && (node.z - 3e-3 * 2f64.sqrt()).abs() < 1e-4, "{node}");
    }
    let carried: Vec3 = frame.contacts.iter().map(|c| c.force).sum();
    assert!((carried - Vec3::Z * weight(0.3)).length() < 0.01 * weight(0.3), "{carried}");
}

/// What is met during a long step of the world is met. (Only what was near at its start was looked for.)
#[test]
fn a_long_step_of_the_world_does_not_tunnel() {
    for dt in [1e-3, 1e-2, 5e-2] {
        let mut world = World::new(Vec3::Z * -G);
        let table = ShapeKind::Box { size: Vec3::new(1.0, 1.0, 0.02) };
        add_obstacle(&mut world, table, Pose::from_translation(Vec3::Z * -0.01), Motion::Hold);
        world.add_body(chain(&[Vec3::new(-0.1, 0.0, 1.5), Vec3::new(0.1, 0.0, 1.5)], 11, 0.3, damped())).unwrap();
        run(&mut world, 2.0, dt);
        let lowest = world.frame().bodies[0].nodes.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.0, "{dt} s: {lowest}");
    }
}

/// A frictionless drum that turns pushes no harder than one at rest. (The chord of a turning point has a part along the
/// normal, and the planes drifted with it.)
#[test]
fn a_turning_drum_does_not_push() {
    for (speed, dt) in [(10.0, 1e-3), (50.0, 1e-2), (100.0, 1e-2)] {
        let mut world = World::new(Vec3::Z * -G);
        let across = Pose::from_rotation(Quat::from_rotation_y(std::f64::consts::FRAC_PI_2));
        let window = Window { start: 0.0, end: 10.0 };
        let turn = Motion::Turn {
            axis: Vec3::X,
            centre: Vec3::ZERO,
            angle: speed * 10.0,
            advance: 0.0,
            blend: Blend::Linear,
            window,
        };
        add_obstacle(&mut world, ShapeKind::Cylinder { radius: 0.05, length: 0.5 }, across, turn);
        // two walls keep it on top
        for side in [-1.0, 1.0] {
            let turn = Quat::from_rotation_x(side * std::f64::consts::FRAC_PI_2);
            let shape = Shape::new(ShapeKind::Plane).unwrap();
            let placed = Pose::from_parts(Vec3::Y * (side * 3.1e-3), turn);
            let name = format!("wall {side}");
            world.add_obstacle(ObstacleParams { name, shape, placed, motion: Motion::Hold, friction: None }).unwrap();
        }
        world.add_body(chain(&[Vec3::new(-0.1, 0.0, 0.053), Vec3::new(0.1, 0.0, 0.053)], 11, 0.0, damped())).unwrap();
        run(&mut world, 1.0, dt);
        let highest = world.frame().bodies[0].nodes.iter().map(|p| p.z).fold(0.0, f64::max);
        assert!((highest - 0.053).abs() < 1e-4, "{speed} rad/s at {dt} s: {highest}");
    }
}

/// The deeper a hand presses a rod into a block, the harder the block pushes back. (Contact was lost beyond a depth.)
#[test]
fn a_block_pushes_back_at_any_depth() {
    let mut world = World::new(Vec3::ZERO);
    let block = ShapeKind::Box { size: Vec3::splat(0.4) };
    add_obstacle(&mut world, block, Pose::from_translation(Vec3::Z * -0.2), Motion::Hold);
    let window = Window { start: 0.0, end: 2.0 };
    let motion = Motion::Glide { velocity: Vec3::Z * -0.02, acceleration: Vec3::ZERO, window };
    let placed = Pose::from_translation(Vec3::Z * 3e-3);
    world.add_gripper(GripperParams { name: "hand".into(), placed, motion }).unwrap();
    world.add_body(chain(&[Vec3::new(-0.1, 0.0, 3e-3), Vec3::new(0.1, 0.0, 3e-3)], 11, 0.0, damped())).unwrap();
    world.add_grip(grip(&world, 0.5, Hold::Position)).unwrap();
    let mut last = 0.0;
    for _ in 0..2000 {
        world.step(1e-3).unwrap();
        let force = world.frame().grippers[0].load.force.z;
        assert!((force - last).abs() < 1.0, "jumps from {last} to {force} N at {} s", world.time());
        last = force;
    }
    assert!(last > 50.0, "{last}");
}

/// A rod held by two points at any place is held without tension. (The second point was drawn a whole segment away.)
#[test]
fn two_points_between_nodes_do_not_stretch() {
    let mut world = World::new(Vec3::ZERO);
    world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion: Motion::Hold }).unwrap();
    world.add_body(chain(&[Vec3::ZERO, Vec3::X * 0.3], 21, 0.0, damped())).unwrap();
    world.add_grip(grip(&world, 0.275, Hold::TwoPoints)).unwrap();
    run(&mut world, 0.2, 1e-3);
    let tension = &world.frame().bodies[0].fields[0].values;
    assert!(tension.iter().all(|t| t.abs() < 1e-9), "{tension:?}");
}

/// A grip closed from code holds the place where it is. (It took the gripper's pose of a step before.)
#[test]
fn a_grip_added_between_steps_does_not_kick() {
    let mut world = World::new(Vec3::ZERO);
    let motion = Motion::Glide { velocity: Vec3::X, acceleration: Vec3::ZERO, window: Window::ALWAYS };
    world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion }).unwrap();
    world.add_body(chain(&[Vec3::ZERO, Vec3::X * 0.3], 21, 0.0, damped())).unwrap();
    run(&mut world, 0.01, 1e-3);
    let index = world.add_grip(grip(&world, 0.0, Hold::Position)).unwrap();
    let anchor = world.grip(index).unwrap().anchor.unwrap();
    assert!((anchor.position - Vec3::X * -0.01).length() < 1e-12, "{}", anchor.position);
}

/// A hinge that moves reports no torque. (The mean force was taken about the origin at the end of the step.)
#[test]
fn a_moving_hinge_reports_no_torque() {
    for dt in [1e-3, 1e-2, 5e-2] {
        let mut world = World::new(Vec3::Z * -G);
        let motion = Motion::Glide { velocity: Vec3::X, acceleration: Vec3::ZERO, window: Window::ALWAYS };
        world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion }).unwrap();
        world.add_body(chain(&[Vec3::ZERO, Vec3::Z * -0.3], 21, 0.0, damped())).unwrap();
        world.add_grip(grip(&world, 0.0, Hold::Position)).unwrap();
        run(&mut world, 0.5, dt);
        // the hinge's own give, a few micrometres, times the pull
        let torque = world.frame().grippers[0].load.torque.length();
        assert!(torque < 1e-4 * weight(0.3), "{dt} s: {torque}");
    }
}

/// The energy of a clamped rod that vibrates is constant, and the moment is largest at the clamp. (What the clamp's
/// half-segment stores and carries was not counted.)
#[test]
fn a_clamp_counts_in_energy_and_moment() {
    let mut world = World::new(Vec3::Z * -G);
    world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion: Motion::Hold }).unwrap();
    world.add_body(chain(&[Vec3::ZERO, Vec3::X * 0.15], 11, 0.0, ChainSettings::default())).unwrap();
    world.add_grip(grip(&world, 0.0, Hold::Clamp)).unwrap();
    let total = |world: &World| world.frame().bodies[0].energy.total();
    let start = total(&world);
    let swing = weight(0.15) * 0.15;
    for _ in 0..1000 {
        world.step(1e-3).unwrap();
        // the spring that holds the position stores up to (m g)^2 / k, 1e-4 of the swing
        assert!((total(&world) - start).abs() < 5e-4 * swing, "{} for {start}", total(&world));
    }
    let frame = world.frame();
    let moments = &frame.bodies[0].fields[1].values;
    assert!(moments[0] > moments[1] && moments[1] > moments[5], "{moments:?}");
}

/// The forces of contact carry the weight on a slope, friction included. (Friction was left out of what is reported.)
#[test]
fn contact_forces_balance_the_weight_on_a_slope() {
    let mut world = World::new(Vec3::Z * -G);
    let turn = Quat::from_rotation_y(0.4);
    add_obstacle(&mut world, ShapeKind::Plane, Pose::from_rotation(turn), Motion::Hold);
    let path = [turn * Vec3::new(0.0, 0.0, 3e-3), turn * Vec3::new(0.0, 0.3, 3e-3)];
    world.add_body(chain(&path, 11, 0.6, damped())).unwrap();
    run(&mut world, 1.0, 1e-3);
    let carried: Vec3 = world.frame().contacts.iter().map(|c| c.force).sum();
    assert!((carried - Vec3::Z * weight(0.3)).length() < 1e-6 * weight(0.3), "{carried}");
}

/// Steps repeated to keep the displacement per second take no time. (Obstacles moved on during them.)
#[test]
fn repeated_steps_do_not_move_obstacles() {
    let settings = ChainSettings {
        update: UpdateRule::Dynamics,
        keep_displacement: true,
        step_limit: 1e-6,
        contact_rate: 25.0,
        ..ChainSettings::default()
    };
    let mut world = World::new(Vec3::Z * -G);
    let up = Motion::Glide { velocity: Vec3::Z * 0.05, acceleration: Vec3::ZERO, window: Window::ALWAYS };
    add_obstacle(&mut world, ShapeKind::Plane, Pose::IDENTITY, up);
    world.add_body(chain(&[Vec3::new(0.0, 0.0, 3e-3), Vec3::new(0.3, 0.0, 3e-3)], 11, 0.0, settings)).unwrap();
    run(&mut world, 1.0, 1e-3);
    let height = world.frame().bodies[0].nodes[5].z - world.frame().obstacles[0].translation.z;
    assert!((height - 3e-3).abs() < 1e-4, "{height}");
}

/// A short step does not make the next ones blind. (The planes' age counted in steps of another length.)
#[test]
fn a_change_of_step_renews_the_planes() {
    let mut world = World::new(Vec3::ZERO);
    let up = Motion::Glide { velocity: Vec3::Z, acceleration: Vec3::ZERO, window: Window::ALWAYS };
    add_obstacle(&mut world, ShapeKind::Plane, Pose::IDENTITY, up);
    world.add_body(chain(&[Vec3::new(0.0, 0.0, 4e-3), Vec3::new(0.3, 0.0, 4e-3)], 11, 0.0, damped())).unwrap();
    world.step(1e-7).unwrap();
    run(&mut world, 0.1, 1e-3);
    let height = world.frame().bodies[0].nodes[5].z - world.frame().obstacles[0].translation.z;
    assert!(height > 0.0, "{height}");
}

/// A step is a length of time. (Zero lost all velocity, a negative one was taken.)
#[test]
fn a_step_that_is_none_is_refused_and_changes_nothing() {
    let mut world = World::new(Vec3::Z * -G);
    world.add_body(chain(&[Vec3::ZERO, Vec3::X * 0.3], 11, 0.0, damped())).unwrap();
    run(&mut world, 0.01, 1e-3);
    let before = world.snapshot();
    for dt in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
        assert!(matches!(world.step(dt), Err(StepError::Step { .. })));
    }
    assert_eq!(world.snapshot(), before);
}

/// A pose that is none never reaches a gripper, and a run that diverges leaves no load that is not a number.
#[test]
fn no_bad_number_reaches_a_hand() {
    let mut world = World::new(Vec3::Z * -G);
    world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion: Motion::Hold }).unwrap();
    let absurd = ChainSettings { update: UpdateRule::Plain, scaling: Some(1e6), ..ChainSettings::default() };
    world.add_body(chain(&[Vec3::ZERO, Vec3::X * 0.3], 11, 0.0, absurd)).unwrap();
    world.add_grip(grip(&world, 0.0, Hold::Clamp)).unwrap();
    assert!(
        world.drive(world.gripper_at(0).unwrap(), Drive::Pose(Pose::from_translation(Vec3::X * f64::NAN))).is_err()
    );
    while world.step(1e-3).is_ok() {}
    let load = world.grips().next().unwrap().1.load;
    assert!(load.force.is_finite() && load.torque.is_finite());
}

/// A snapshot fits the world it was taken of, loads and gravity included, and no other.
#[test]
fn snapshots_hold_everything_and_fit_nothing_else() {
    let build = |points: usize| {
        let mut world = World::new(Vec3::Z * -G);
        world.add_body(chain(&[Vec3::ZERO, Vec3::X * 0.3], points, 0.0, damped())).unwrap();
        world
    };
    let (mut world, other) = (build(12), build(10));
    assert!(world.restore(&other.snapshot()).is_err());
    let before = world.snapshot();
    let force = Vec3::X;
    world.add_load(Load::new(world.body_at(0).unwrap(), Place::Node(0), force)).unwrap();
    world.set_gravity(Vec3::ZERO).unwrap();
    world.restore(&before).unwrap();
    assert_eq!(world.loads().count(), 0);
    assert_eq!(world.gravity(), Vec3::Z * -G);
}

/// A million steps of a millisecond are a thousand seconds. (A sum of steps drifts.)
#[test]
fn time_does_not_drift() {
    let mut world = World::new(Vec3::ZERO);
    (0..1_000_000).for_each(|_| world.step(1e-3).unwrap());
    assert!((world.time() - 1000.0).abs() < 1e-9, "{}", world.time());
}
