//! The cable's linear step: near the midpoint step where steps are short, at rest in the same shape, in contact too.
#![allow(clippy::unwrap_used)]

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec, Solver, Step};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Blend, Motion, Window};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Material, Place, Section, World};

const G: f64 = 9.81;
const LENGTH: f64 = 0.4;

fn spec(settings: CableSettings) -> CableSpec {
    let friction = Friction { coefficient: 0.3, exponent: 1.0 };
    CableSpec {
        material: Material { young: 4.462e6, poisson: 0.4999, density: 1100.0, friction },
        section: Section::Round { radius: 2e-3 },
        path: vec![Vec3::ZERO, Vec3::X * LENGTH],
        normal: None,
        rest: Rest::Straight,
        segments: 40,
        settings,
    }
}

fn linear(damping_time: f64, drag: f64) -> CableSettings {
    CableSettings { step: Step::Linear, damping_time, drag, ..CableSettings::default() }
}

/// Held at its start by a hand that moves so.
fn held(spec: CableSpec, hold: Hold, motion: Motion) -> World {
    let mut world = World::new(Vec3::Z * -G);
    world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    let gripper = world.add_gripper(GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion }).unwrap();
    let place = Place::Fraction(0.0);
    world.add_grip(GripParams::new(gripper, world.body_at(0).unwrap(), place, hold)).unwrap();
    world
}

fn run(mut world: World, time: f64, step: f64) -> World {
    (0..(time / step).round() as usize).for_each(|_| world.step(step).unwrap());
    world
}

fn apart(a: &World, b: &World) -> f64 {
    let (a, b) = (a.frame(), b.frame());
    a.bodies[0].nodes.iter().zip(&b.bodies[0].nodes).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

fn weight() -> f64 {
    1100.0 * Section::Round { radius: 2e-3 }.area() * LENGTH * G
}

/// In space, with a hand that turns about an axis of no symmetry: the equations are those of the midpoint step up to the
/// square of what links move in a step. Of order one are damping and the moment of a clamp, which are left out here, and C,
/// too small to be seen: they are those of the start. Ten links, whose fastest waves of 2/L sqrt(E/rho) = 3200/s the steps can follow.
#[test]
fn it_converges_to_the_midpoint_step_at_second_order() {
    let motion = || Motion::Turn {
        axis: Vec3::new(0.2, 1.0, 0.3),
        centre: Vec3::X * -0.1,
        angle: 1.0,
        advance: 0.05,
        blend: Blend::MinimumJerk,
        window: Window { start: 0.0, end: 0.25 },
    };
    let at = |kind: Step, step: f64| {
        let settings = CableSettings { step: kind, ..linear(0.0, 0.0) };
        run(held(CableSpec { segments: 10, ..spec(settings) }, Hold::Position, motion()), 0.25, step)
    };
    let exact = at(Step::Midpoint, 1.5625e-5);
    let errors = [2.5e-4, 1.25e-4, 6.25e-5].map(|step| apart(&at(Step::Linear, step), &exact));
    let order = (errors[1] / errors[2]).log2();
    assert!((order - 2.0).abs() < 0.1, "{errors:?}");
    assert!(errors[2] < 1e-3 * LENGTH, "{errors:?}");
}

/// At rest V = 0, and the equations of both steps are the same: J^T K e = F.
#[test]
fn it_rests_in_the_shape_of_the_midpoint_step() {
    // lowered from the vertical in a second, so that it is loaded slowly
    let motion = || Motion::Turn {
        axis: Vec3::Y,
        centre: Vec3::ZERO,
        angle: std::f64::consts::FRAC_PI_4,
        advance: 0.0,
        blend: Blend::MinimumJerk,
        window: Window { start: 0.0, end: 1.0 },
    };
    let at_rest = |step: Step| {
        let settings = CableSettings { step, ..linear(5e-3, 10.0) };
        run(held(spec(settings), Hold::Clamp, motion()), 8.0, 1e-3)
    };
    let (linear, midpoint) = (at_rest(Step::Linear), at_rest(Step::Midpoint));
    // what is left of the motion after 8 s, with its slowest part damped by exp(-5 t)
    assert!(apart(&linear, &midpoint) < 1e-8, "{}", apart(&linear, &midpoint));
    let loads = [&linear, &midpoint].map(|world| world.frame().grippers[0].load);
    assert!((loads[0].force - Vec3::Z * -weight()).length() < 1e-6 * weight(), "{:?}", loads[0]);
    assert!((loads[0].torque - loads[1].torque).length() < 1e-6 * weight() * LENGTH, "{loads:?}");
}

/// One solution of linear equations where nothing can be touched.
#[test]
fn it_solves_once() {
    let world = run(held(spec(linear(1e-3, 0.0)), Hold::Clamp, Motion::Hold), 0.2, 1e-3);
    let Body::Cable(cable) = &world.bodies()[0] else { panic!("no cable") };
    let counters = cable.counters();
    assert_eq!((counters.steps, counters.iterations, cable.linearisations()), (200, 200, 200));
}

/// The floor carries what lies on it, with every solver that knows the linear step.
#[test]
fn a_cable_lies_on_the_floor() {
    for solver in [Solver::Newton, Solver::Direct, Solver::Subsystems] {
        let settings = CableSettings { solver, ..linear(5e-3, 5.0) };
        let mut world = World::new(Vec3::Z * -G);
        world.add_body(Body::Cable(Cable::new("wire", spec(settings)).unwrap())).unwrap();
        let placed = Pose::from_parts(Vec3::new(0.2, 0.0, -0.02), Quat::from_rotation_y(0.01));
        let shape = Shape::new(ShapeKind::Plane).unwrap();
        let (name, motion) = ("floor".into(), Motion::Hold);
        world.add_obstacle(ObstacleParams { name, shape, placed, motion, friction: None }).unwrap();
        let world = run(world, 3.0, 1e-3);
        let frame = world.frame();
        let carried: Vec3 = frame.contacts.iter().map(|c| c.force).sum();
        assert!((carried - Vec3::Z * weight()).length() < 1e-6 * weight(), "{solver:?}: {carried}");
        let deepest = frame.contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
        // the bulge of a link, 1 % of the radius
        assert!(deepest < 2.1e-5, "{solver:?}: {deepest}");
        assert!(frame.bodies[0].energy.kinetic < 1e-12, "{solver:?}: {}", frame.bodies[0].energy.kinetic);
        let Body::Cable(cable) = &world.bodies()[0] else { panic!("no cable") };
        assert!(cable.counters().limit_hits == 0, "{solver:?}: {:?}", cable.counters());
    }
}
