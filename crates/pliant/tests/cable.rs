//! The cable in a world: exact snapshots, identical reruns, no allocation, loads in balance, steel and rubber alike.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec, Solver};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::{Blend, Drive, Motion, Window};
use pliant::{Body, EventKind, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, World};

const RUBBER: Material = Material {
    young: 4.462e6,
    poisson: 0.4999,
    density: 1100.0,
    friction: Friction { coefficient: 0.0, exponent: 1.0 },
};
const STEEL: Material =
    Material { young: 2.1e11, poisson: 0.3, density: 7900.0, friction: Friction { coefficient: 0.0, exponent: 1.0 } };

fn cable(material: Material, settings: CableSettings) -> Body {
    let path = vec![Vec3::ZERO, Vec3::X * 0.4];
    let spec = CableSpec {
        material,
        section: Section::Round { radius: 2e-3 },
        path,
        normal: None,
        rest: Rest::Straight,
        segments: 40,
        settings,
    };
    Body::Cable(Cable::new("wire", spec).unwrap())
}

/// Held at its start by a hand that turns and moves.
fn handled(material: Material, settings: CableSettings, hold: Hold) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    let motion = Motion::Turn {
        axis: Vec3::new(0.2, 1.0, 0.3),
        centre: Vec3::X * -0.1,
        angle: 2.0,
        advance: 0.1,
        blend: Blend::MinimumJerk,
        window: Window { start: 0.0, end: 1.0 },
    };
    world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion }).unwrap();
    world.add_body(cable(material, settings)).unwrap();
    let place = Place::Fraction(0.0);
    let grip = GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold);
    world.add_grip(grip).unwrap();
    world
}

const SOLVERS: [Solver; 3] = [Solver::Newton, Solver::Direct, Solver::Subsystems];

/// With a floor a centimetre below.
fn with_floor(mut world: World) -> World {
    let floor = ObstacleParams {
        name: "floor".into(),
        shape: Shape::new(ShapeKind::Plane).unwrap(),
        placed: Pose::from_translation(Vec3::Z * -0.012),
        motion: Motion::Hold,
        friction: Some(Friction { coefficient: 0.3, exponent: 1.0 }),
    };
    world.add_obstacle(floor).unwrap();
    world
}

#[test]
fn restore_then_continue_equals_continue_to_the_bit() {
    let run = |world: &mut World| (0..30).for_each(|_| world.step(5e-3).unwrap());
    for solver in SOLVERS {
        let settings = CableSettings { solver, ..CableSettings::default() };
        let mut world = with_floor(handled(RUBBER, settings, Hold::Clamp));
        run(&mut world);
        let (middle, seen) = (world.snapshot(), world.frame());
        run(&mut world);
        let straight = (world.snapshot(), world.frame());
        assert!(!straight.1.contacts.is_empty());
        world.restore(&middle).unwrap();
        assert_eq!(world.frame(), seen);
        run(&mut world);
        assert_eq!((world.snapshot(), world.frame()), straight);
        let mut other = with_floor(handled(RUBBER, settings, Hold::Clamp));
        other.restore(&middle).unwrap();
        assert_eq!(other.frame(), seen);
        run(&mut other);
        assert_eq!(other.snapshot(), straight.0);
    }
}

#[test]
fn a_step_allocates_nothing() {
    for solver in SOLVERS {
        let settings = CableSettings { solver, ..CableSettings::default() };
        let mut world = handled(RUBBER, settings, Hold::Clamp);
        let mut frame = world.frame();
        world.step(5e-3).unwrap();
        let before = common::allocations();
        for _ in 0..50 {
            world.step(5e-3).unwrap();
            world.write_frame(&mut frame);
        }
        assert_eq!(common::allocations() - before, 0, "{solver:?}");
    }
}

/// At rest a gripper carries the weight, and its moment about the gripper's origin.
#[test]
fn a_held_cable_at_rest_puts_its_weight_and_moment_on_the_gripper() {
    for (hold, fraction) in [(Hold::Clamp, 0.0), (Hold::Clamp, 0.4), (Hold::Clamp, 1.0), (Hold::Position, 0.0)] {
        let mut world = World::new(Vec3::Z * -9.81);
        let placed = Pose::from_translation(Vec3::new(-0.1, 0.05, 0.0));
        world.add_gripper(GripperParams { name: "hand".into(), placed, motion: Motion::Hold }).unwrap();
        world
            .add_body(cable(RUBBER, CableSettings { damping_time: 0.01, drag: 10.0, ..CableSettings::default() }))
            .unwrap();
        let place = Place::Fraction(fraction);
        let grip = GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold);
        world.add_grip(grip).unwrap();
        (0..800).for_each(|_| world.step(1e-2).unwrap());
        let frame = world.frame();
        let load = frame.grippers[0].load;
        let weight = Vec3::Z * (-9.81 * 1100.0 * Section::Round { radius: 2e-3 }.area() * 0.4);
        assert!((load.force - weight).length() < 1e-6 * weight.length(), "{hold:?} at {fraction}: {}", load.force);
        // each link's weight acts half-way between its ends, which are the nodes but for the stretch of the joints
        let nodes = &frame.bodies[0].nodes;
        let centre: Vec3 = nodes.windows(2).map(|n| 0.5 * (n[0] + n[1])).sum::<Vec3>() / 40.0;
        let moment = (centre - placed.translation).cross(weight);
        assert!((load.torque - moment).length() < 1e-3 * moment.length(), "{hold:?} at {fraction}: {}", load.torque);
    }
}

/// A cable at rest stays there, near the origin and far from it. (Newton's method took rounding for motion and gave up.)
#[test]
fn a_cable_at_rest_stays_at_rest() {
    for far in [0.0, 1000.0] {
        let mut world = World::new(Vec3::Z * -9.81);
        let path = vec![Vec3::X * far, Vec3::new(far + 0.4, 0.0, 0.0)];
        let settings = CableSettings { damping_time: 0.01, drag: 20.0, ..CableSettings::default() };
        let spec = CableSpec {
            material: RUBBER,
            section: Section::Round { radius: 2e-3 },
            path,
            normal: None,
            rest: Rest::Straight,
            segments: 40,
            settings,
        };
        world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion: Motion::Hold }).unwrap();
        world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
        let (place, hold) = (Place::Fraction(0.0), Hold::Clamp);
        let grip = GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold);
        world.add_grip(grip).unwrap();
        (0..6000).for_each(|_| world.step(1e-2).unwrap());
        let before = world.frame();
        (0..100).for_each(|_| world.step(1e-2).unwrap());
        let after = world.frame();
        let pairs = before.bodies[0].nodes.iter().zip(&after.bodies[0].nodes);
        let moved = pairs.map(|(a, b)| (*a - *b).length());
        assert!(moved.fold(0.0, f64::max) < 1e-9, "{far} m away");
    }
}

/// No tuning: rubber and steel, at any of these steps, held and turned.
#[test]
fn rubber_and_steel_are_stable_at_any_step() {
    for material in [RUBBER, STEEL] {
        for dt in [1e-3, 2e-3, 5e-3, 1e-2] {
            let mut world = handled(material, CableSettings::default(), Hold::Clamp);
            (0..(1.5 / dt) as usize).for_each(|_| world.step(dt).unwrap());
            let nodes = &world.frame().bodies[0].nodes;
            let length: f64 = nodes.windows(2).map(|n| (n[1] - n[0]).length()).sum();
            assert!((length / 0.4 - 1.0).abs() < 0.05, "{dt} s: {length}");
        }
    }
}

/// A dead torque about the axis twists a clamped cable by T L / GJ.
#[test]
fn a_torque_twists_as_saint_venant_says() {
    let mut world = World::new(Vec3::ZERO);
    world.add_gripper(GripperParams { name: "wall".into(), placed: Pose::IDENTITY, motion: Motion::Hold }).unwrap();
    world.add_body(cable(RUBBER, CableSettings { damping_time: 0.05, drag: 5.0, ..CableSettings::default() })).unwrap();
    let place = Place::Fraction(0.0);
    let hold = Hold::Clamp;
    let grip = GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold);
    world.add_grip(grip).unwrap();
    let torque = Vec3::X * 1e-6;
    let place = Place::Fraction(1.0);
    let force = Vec3::ZERO;
    world.add_load(Load { torque, ..Load::new(world.body_at(0).unwrap(), place, force) }).unwrap();
    (0..2000).for_each(|_| world.step(1e-3).unwrap());
    let twist = 2.0 * RUBBER.shear_modulus() * Section::Round { radius: 2e-3 }.second_moments()[0];
    let expected = 1e-6 * 0.4 / twist;
    let angle = world.frame().bodies[0].frames[40].to_scaled_axis().x;
    assert!((angle / expected - 1.0).abs() < 1e-4, "{angle} for {expected}");
}

/// A cantilever whose load grows slowly is at P L^3 / (3 EI) with the load that it has, but for waves of 1 / (w rise) of the
/// whole; so it is as the load falls, and after that it is straight.
#[test]
fn a_cantilever_follows_a_load_that_rises_and_falls() {
    let mut world = World::new(Vec3::ZERO);
    let settings = CableSettings { damping_time: 0.0, ..CableSettings::default() };
    world.add_body(cable(STEEL, settings)).unwrap();
    world.add_gripper(GripperParams { name: "wall".into(), placed: Pose::IDENTITY, motion: Motion::Hold }).unwrap();
    let (place, hold) = (Place::Fraction(0.0), Hold::Clamp);
    world
        .add_grip(GripParams {
            closing: 0.0,
            ..GripParams::new(world.gripper_at(0).unwrap(), world.body_at(0).unwrap(), place, hold)
        })
        .unwrap();
    let (place, force, torque) = (Place::Fraction(1.0), Vec3::Z * 0.1, Vec3::ZERO);
    let load =
        Load { body: world.body_at(0).unwrap(), place, force, torque, from: 0.5, until: 3.0, rise: 1.0, fall: 0.5 };
    assert!(world.add_load(Load { fall: -1.0, ..load }).is_err());
    world.add_load(load).unwrap();
    let section = Section::Round { radius: 2e-3 };
    let rigidity = STEEL.young * section.second_moments()[0];
    let full = 0.1 * 0.4_f64.powi(3) / (3.0 * rigidity);
    let slowest = 3.516 / 0.16 * (rigidity / (STEEL.density * section.area())).sqrt();
    for n in 1..=1600 {
        world.step(2e-3).unwrap();
        let time = 2e-3 * f64::from(n);
        let part = ((time - 0.5).clamp(0.0, 1.0)).min((3.0 - time).max(0.0) / 0.5);
        let tip = world.frame().bodies[0].nodes[40].z / full;
        // waves of the rise, and of the fall, which is twice as steep; and what links and steps leave
        assert!((tip - part).abs() < 4.0 / slowest + 2e-3, "{time} s: {tip} for {part}");
    }
}

/// Clamped at both ends a cable that begins twisted stays so: torque GJ twist / L, energy GJ twist^2 / (2 L), from the first
/// step on, as the clamps hold the sections as they are turned.
#[test]
fn a_twisted_cable_pulls_at_its_clamps() {
    for twist in [0.3, -9.0] {
        let mut world = World::new(Vec3::ZERO);
        world.add_body(cable(RUBBER, CableSettings { twist, ..CableSettings::default() })).unwrap();
        for (name, x) in [("left", 0.0), ("right", 0.4)] {
            let placed = Pose::from_translation(Vec3::X * x);
            let gripper = world.add_gripper(GripperParams { name: name.into(), placed, motion: Motion::Hold }).unwrap();
            let grip = GripParams::new(gripper, world.body_at(0).unwrap(), Place::Fraction(x / 0.4), Hold::Clamp);
            world.add_grip(grip).unwrap();
        }
        let per_angle = 2.0 * RUBBER.shear_modulus() * Section::Round { radius: 2e-3 }.second_moments()[0] / 0.4;
        for _ in 0..20 {
            world.step(5e-3).unwrap();
            let frame = world.frame();
            let torques = [0, 1].map(|gripper| frame.grippers[gripper].load.torque.x);
            // an angle of a joint carries itself up to its fourth power
            let error =
                (torques[0] / (per_angle * twist) - 1.0).abs().max((torques[1] / (per_angle * twist) + 1.0).abs());
            assert!(error < 2e-4, "{twist}: {torques:?} for {}", per_angle * twist);
            let energy = frame.bodies[0].energy;
            assert!((energy.elastic / (0.5 * per_angle * twist * twist) - 1.0).abs() < 2e-4, "{twist}: {energy:?}");
            assert!(energy.kinetic < 1e-9 * energy.elastic, "{twist}: {energy:?}");
        }
    }
}

/// A cable that is pulled and bent beyond its limits says so, once.
#[test]
fn limits_are_told_of() {
    let mut world = World::new(Vec3::ZERO);
    let settings = CableSettings { tension_limit: 1.0, bend_radius_limit: 0.2, ..CableSettings::default() };
    world.add_body(cable(RUBBER, settings)).unwrap();
    for (name, x) in [("left", 0.0), ("right", 0.4)] {
        let placed = Pose::from_translation(Vec3::X * x);
        world.add_gripper(GripperParams { name: name.into(), placed, motion: Motion::Hold }).unwrap();
    }
    for (gripper, fraction) in [(0, 0.0), (1, 1.0)] {
        let place = Place::Fraction(fraction);
        let hold = Hold::Position;
        let (gripper, body) = (world.gripper_at(gripper).unwrap(), world.body_at(0).unwrap());
        world.add_grip(GripParams::new(gripper, body, place, hold)).unwrap();
    }
    let told = |world: &mut World, to: f64| {
        let from = world.grippers()[1].sweep.end.translation.x;
        let mut kinds = vec![];
        for i in 1..=200 {
            let x = from + (to - from) * f64::from(i) / 200.0;
            world
                .drive(world.gripper_at(1).unwrap(), Drive::Pose(Pose::from_translation(Vec3::new(x, 0.0, 1e-3))))
                .unwrap();
            world.step(5e-3).unwrap();
            kinds.extend(world.events().iter().map(|e| e.kind));
        }
        kinds
    };
    // EA = 56 N: 3 % of stretch are 1.7 N
    let kinds = told(&mut world, 0.412);
    let Some(EventKind::OverTension { body: 0, tension, limit, .. }) = kinds.last() else { panic!("{kinds:?}") };
    // as the limit is passed: at most by what a step of 0.3 mm adds, 56 N * 0.06 mm / 0.4 m
    assert!(*limit == 1.0 && *tension > 1.0 && *tension < 1.01, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|k| matches!(k, EventKind::OverTension { .. })).count(), 1);
    let kinds = told(&mut world, 0.2);
    // on the way back it says how much it has been: 56 N * 3 % at least, and some of the pull of the grips
    let eased = kinds.iter().find_map(|kind| match kind {
        EventKind::TensionEased { tension, .. } => Some(*tension),
        _ => None,
    });
    assert!(eased.is_some_and(|tension| tension > 1.6 && tension < 1.8), "{kinds:?}");
    assert_eq!(kinds.iter().filter(|k| matches!(k, EventKind::OverBend { .. })).count(), 1, "{kinds:?}");
}

/// Tangents at the ends of a piece of a parabola z = x^2 / 2, whose slope is x, from 0.5 to 1.5: links are chords, whose direction is that of the curve in
/// their middle to second order, and so must be that of the frames at all nodes, the first and the last too.
#[test]
fn frames_are_of_second_order_at_the_ends_too() {
    let curve: Vec<Vec3> =
        (0..=20_000).map(|n| 0.5 + n as f64 / 20_000.0).map(|x| Vec3::new(x, 0.0, 0.5 * x * x)).collect();
    let error = |segments: usize| {
        let material = Material { young: 1e6, poisson: 0.3, density: 1000.0, friction: Friction::NONE };
        let (section, settings) = (Section::Round { radius: 1e-3 }, CableSettings::default());
        let (path, rest) = (curve.clone(), Rest::Straight);
        let spec = CableSpec { material, section, path, normal: None, rest, segments, settings };
        let mut world = World::new(Vec3::ZERO);
        world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
        let frame = &world.frame().bodies[0];
        let off = |node: usize, slope: f64| (frame.frames[node] * Vec3::X).angle_between(Vec3::new(1.0, 0.0, slope));
        [off(0, 0.5), off(segments, 1.5)]
    };
    let [coarse, fine] = [error(20), error(40)];
    for end in 0..2 {
        let ratio = coarse[end] / fine[end];
        // 3/8 of the change of curvature along the curve, below 0.8, times the square of a link, 0.07
        assert!(coarse[end] < 1.6e-3 && (3.4..4.6).contains(&ratio), "end {end}: {coarse:?} {fine:?}");
    }
}
