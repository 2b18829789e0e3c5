//! The model `elastica` against closed forms and an independent solution of the same equations.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Integrator};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::{
    Body, Friction, GripId, GripParams, GripperParams, Hold, Load, Material, Place, Rigidities, Section, World,
};

const GRAVITY: f64 = 9.81;

/// A rod of given rigidity and mass per length.
fn spec(path: Vec<Vec3>, intervals: usize, ei: f64, mass_per_length: f64) -> ElasticaSpec {
    let material = Material { young: 1e9, poisson: 0.3, density: 1000.0, friction: Friction::NONE };
    let given = Rigidities { radius: 1e-4, mass_per_length, ea: 1e6, ga: 1e6, ei: [ei, ei], gj: ei };
    ElasticaSpec {
        material,
        section: Section::Explicit(given),
        path,
        normal: None,
        rest: pliant::Rest::Straight,
        intervals,
        settings: ElasticaSettings::default(),
    }
}

fn held(world: &mut World, at: f64, hold: Hold) -> GripId {
    let place = Place::Fraction(at);
    let pose = world.bodies()[0].place_pose(place).unwrap();
    let name = format!("hand {at}");
    let gripper = world.add_gripper(GripperParams { name, placed: pose, motion: Motion::Hold }).unwrap();
    let grip = GripParams::new(gripper, world.body_at(0).unwrap(), place, hold);
    world.add_grip(grip).unwrap()
}

fn world_of(spec: ElasticaSpec) -> World {
    let mut world = World::new(Vec3::Z * -GRAVITY);
    world.add_body(Body::Elastica(Elastica::new("rod", spec).unwrap())).unwrap();
    world
}

fn run(world: &mut World, until: f64, dt: f64) {
    while world.time() < until - 0.5 * dt {
        world.step(dt).unwrap();
    }
}

/// Fig. 4 of the paper without its obstacle, solved elsewhere from the printed equations.
#[test]
fn a_swinging_rod_is_that_of_the_printed_equations() {
    for integrator in [Integrator::Fehlberg, Integrator::Midpoint] {
        let mut spec = spec(vec![Vec3::ZERO, Vec3::X * -1.0], 10, 0.1, 1.0);
        spec.settings.integrator = integrator;
        let mut world = world_of(spec);
        held(&mut world, 0.0, Hold::Position);
        let start = world.frame().bodies[0].energy.total();
        let known = [
            (0.1, [-0.9944778185777545, -0.048945748944053034]),
            (0.2, [-0.9467098934308609, -0.1863278038165363]),
            (0.3, [-0.807481219408233, -0.44310545319493366]),
            (0.5, [0.19934310486623535, -0.9479387898663216]),
        ];
        for (time, [x, z]) in known {
            run(&mut world, time, 5e-4);
            let frame = world.frame();
            let tip = frame.bodies[0].nodes[10];
            let off = (tip - Vec3::new(x, 0.0, z)).length();
            let (close, kept) = if integrator == Integrator::Fehlberg { (1e-9, 1e-9) } else { (1e-5, 1e-6) };
            assert!(off < close, "{integrator:?} at {time}: tip {off:e} off");
            let gained = frame.bodies[0].energy.total() - start;
            assert!(gained.abs() < kept, "{integrator:?} at {time}: energy {gained:e}");
        }
    }
}

/// Fig. 3: both ends held level, the right one moved; the start is in equilibrium.
#[test]
fn a_pushed_arch_is_that_of_the_printed_equations() {
    let path = [[0.0, 0.0], [0.3, 0.4], [0.6, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
    let mut spec = spec(path, 10, 10.0, 10.0);
    spec.settings.tolerance = 1e-9;
    let mut world = world_of(spec);
    for (name, x, motion) in [
        ("left", 0.0, Motion::Hold),
        (
            "right",
            0.6,
            Motion::Glide {
                velocity: Vec3::X * -3.0,
                acceleration: Vec3::ZERO,
                window: pliant::motion::Window { start: 0.0, end: 0.1 },
            },
        ),
    ] {
        let placed = Pose::from_translation(Vec3::X * x);
        let gripper = world.add_gripper(GripperParams { name: name.into(), placed, motion }).unwrap();
        let place = Place::Fraction(if x == 0.0 { 0.0 } else { 1.0 });
        world
            .add_grip(GripParams {
                snap: true,
                ..GripParams::new(gripper, world.body_at(0).unwrap(), place, Hold::Clamp)
            })
            .unwrap();
    }
    let settled = world.settle(world.body_at(0).unwrap()).unwrap();
    assert!(settled.balanced && settled.falling == 0, "{settled:?}");
    let known = [
        (0.0, [0.3, 0.3475799691492425]),
        (0.03, [0.27994805160628333, 0.3647234322044352]),
        (0.06, [0.23703883566945272, 0.3812965112856662]),
        (0.12, [0.08042132912459712, 0.38561739462088124]),
        (0.18, [0.09567044376737213, 0.3931391724682769]),
    ];
    for (time, [x, z]) in known {
        run(&mut world, time, 1e-3);
        let frame = world.frame();
        let off = (frame.bodies[0].nodes[5] - Vec3::new(x, 0.0, z)).length();
        // the reference's own tolerance is 1e-9 a step
        assert!(off < 1e-6, "{time}: {off:e}");
    }
}

fn obstacle(world: &mut World, name: &str, kind: ShapeKind, placed: Pose) {
    let shape = Shape::new(kind).unwrap();
    world
        .add_obstacle(ObstacleParams { name: name.into(), shape, placed, motion: Motion::Hold, friction: None })
        .unwrap();
}

/// A rod pinned at the origin and released from horizontal, above a thin peg.
fn swing_onto_a_peg(intervals: usize, integrator: Integrator) -> World {
    let mut spec = spec(vec![Vec3::ZERO, Vec3::X * -1.0], intervals, 0.1, 1.0);
    spec.settings.integrator = integrator;
    spec.settings.contact_stiffness = Some(1e5);
    spec.settings.contact_damping = Some(100.0);
    let mut world = world_of(spec);
    let axis = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let placed = Pose::from_parts(Vec3::new(-0.3, 0.0, -0.35), axis);
    obstacle(&mut world, "peg", ShapeKind::Cylinder { radius: 0.01, length: 0.2 }, placed);
    held(&mut world, 0.0, Hold::Position);
    world
}

/// First contact when the free motion of the continuum says, no energy from contact, and both integrators alike.
#[test]
fn a_rod_swings_onto_a_peg_and_winds_round_it() {
    let mut tips = vec![];
    for integrator in [Integrator::Fehlberg, Integrator::Midpoint] {
        let mut world = swing_onto_a_peg(20, integrator);
        let (mut touched, mut energy) = (None, f64::INFINITY);
        for _ in 0..1200 {
            world.step(5e-4).unwrap();
            let frame = world.frame();
            if !frame.contacts.is_empty() {
                touched = touched.or(Some(world.time()));
            }
            // 1e5 N/m hold 25 N within a quarter of a millimetre
            let deep = frame.contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
            assert!(deep < 3e-3, "{deep} m deep at {}", world.time());
            let stored: f64 = frame.contacts.iter().map(|c| 0.5 * 1e5 * c.penetration * c.penetration).sum();
            let total = frame.bodies[0].energy.total() + stored;
            assert!(total < energy + 1e-2, "energy {total} after {energy} at {}", world.time());
            energy = energy.min(total);
        }
        let first = touched.unwrap();
        assert!((first - 0.2925247).abs() < 1.5e-3, "{integrator:?}: first contact at {first}");
        tips.push(world.frame().bodies[0].nodes[20]);
    }
    // round the peg: its tip has come up again behind it
    assert!(tips[0].x > -0.3 && tips[0].z > -0.35, "{tips:?}");
    assert!((tips[0] - tips[1]).length() < 0.02, "{tips:?}");
}

/// Weight on a floor and on a slope, with friction.
#[test]
fn a_rod_lies_on_the_floor_and_holds_on_a_slope() {
    for (angle, mu, stays) in [(0.0, 0.0, true), (0.2, 0.3, true), (0.2, 0.1, false)] {
        let tilt = Quat::from_rotation_y(angle);
        let along = tilt * Vec3::X;
        let mut spec = spec(vec![tilt * Vec3::Z * 1e-3, tilt * Vec3::Z * 1e-3 + along * 0.5], 10, 0.5, 0.4);
        if let Section::Explicit(given) = &mut spec.section {
            given.radius = 1e-3;
        }
        spec.material.friction = Friction { coefficient: mu, exponent: 1.0 };
        spec.settings.integrator = Integrator::Midpoint;
        let mut world = world_of(spec);
        obstacle(&mut world, "slope", ShapeKind::Plane, Pose::from_rotation(tilt));
        run(&mut world, 1.0, 1e-3);
        let frame = world.frame();
        let weight: Vec3 = frame.contacts.iter().map(|c| c.force).sum();
        let moved = (frame.bodies[0].nodes[0] - tilt * Vec3::Z * 1e-3).dot(along);
        if stays {
            assert!((weight - Vec3::Z * 0.2 * GRAVITY).length() < 1e-3 * 0.2 * GRAVITY, "{weight} for {angle}, {mu}");
            assert!(moved.abs() < 2e-3, "moved by {moved}");
        } else {
            let want = 0.5 * GRAVITY * (angle.sin() - mu * angle.cos());
            assert!((moved - want).abs() < 0.02 * want, "slid {moved} for {want}");
        }
    }
}

/// The two ends of a bent rod are let go and meet: nothing outside pushes, so momentum stays.
#[test]
fn contact_with_itself_keeps_momentum() {
    // three quarters of a circle that wants to be a smaller one
    let path: Vec<Vec3> = (0..=60)
        .map(|k| {
            let a = 4.7 * f64::from(k) / 60.0;
            Vec3::new(0.1 * a.cos(), 0.0, 0.1 * a.sin())
        })
        .collect();
    let mut spec = spec(path, 20, 0.01, 0.02);
    spec.settings.tolerance = 1e-9;
    spec.rest = pliant::Rest::Curved { curvature: [0.0, 20.0], twist: 0.0 };
    if let Section::Explicit(given) = &mut spec.section {
        given.radius = 3e-3;
    }
    let mut world = World::new(Vec3::ZERO);
    world.add_body(Body::Elastica(Elastica::new("rod", spec).unwrap())).unwrap();
    let centre = |world: &World| {
        let nodes = world.frame().bodies[0].nodes.clone();
        nodes.windows(2).map(|w| 0.5 * (w[0] + w[1])).sum::<Vec3>() / (nodes.len() - 1) as f64
    };
    let (start, energy) = (centre(&world), world.frame().bodies[0].energy.total());
    let mut met = false;
    for _ in 0..600 {
        world.step(1e-4).unwrap();
        met |= !world.frame().contacts.is_empty();
        let total = world.frame().bodies[0].energy.total();
        assert!(total < energy * (1.0 + 1e-6), "{} at {}", total / energy - 1.0, world.time());
    }
    assert!(met, "the rod touches itself");
    // middles of chords are not quite those of arcs
    assert!((centre(&world) - start).length() < 1e-3, "{} from {start}", centre(&world));
}

/// A rod too short for its ends, and one that is no plane curve.
#[test]
fn what_cannot_be_is_told() {
    let mut world = world_of(spec(vec![Vec3::ZERO, Vec3::X], 10, 0.1, 1.0));
    for (name, x) in [("left", 0.0), ("right", 1.2)] {
        let placed = Pose::from_translation(Vec3::X * x);
        let gripper = world.add_gripper(GripperParams { name: name.into(), placed, motion: Motion::Hold }).unwrap();
        let (place, hold) = (Place::Fraction(x.min(1.0)), Hold::Position);
        let grip = GripParams { snap: true, ..GripParams::new(gripper, world.body_at(0).unwrap(), place, hold) };
        world.add_grip(grip).unwrap();
    }
    let error = world.settle(world.body_at(0).unwrap()).unwrap_err().to_string();
    assert!(error.contains("rod") && (error.contains("right") || error.contains("left")), "{error}");
    let error = world.step(1e-3).unwrap_err().to_string();
    assert!(error.contains("too short"), "{error}");
    let bent = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 1.0, 1.0)];
    let error = Elastica::new("rod", spec(bent, 10, 0.1, 1.0)).unwrap_err().to_string();
    assert!(error.contains("plane"), "{error}");
}

/// Two runs from one snapshot are the same to the bit.
#[test]
fn a_snapshot_is_all_there_is() {
    let mut world = swing_onto_a_peg(10, Integrator::Fehlberg);
    run(&mut world, 0.3, 1e-3);
    let (snapshot, seen) = (world.snapshot(), world.frame());
    run(&mut world, 0.4, 1e-3);
    let want = world.frame();
    world.restore(&snapshot).unwrap();
    assert_eq!(world.frame(), seen);
    run(&mut world, 0.4, 1e-3);
    assert_eq!(world.frame(), want);
}

fn load(world: &mut World, at: f64, force: Vec3, torque: Vec3) {
    let place = Place::Fraction(at);
    world.add_load(Load { torque, ..Load::new(world.body_at(0).unwrap(), place, force) }).unwrap();
}

fn weightless(spec: ElasticaSpec) -> World {
    let mut world = World::new(Vec3::ZERO);
    world.add_body(Body::Elastica(Elastica::new("rod", spec).unwrap())).unwrap();
    world
}

/// A moment half-way bends the first half to an arc and leaves the second straight.
#[test]
fn a_moment_acts_where_it_is() {
    let (ei, moment, length) = (0.3, 0.9, 0.8);
    let mut world = weightless(spec(vec![Vec3::ZERO, Vec3::X * length], 8, ei, 1.0));
    held(&mut world, 0.0, Hold::Clamp);
    // angles are positive from x to z, which is a turn about -y
    load(&mut world, 0.5, Vec3::ZERO, Vec3::Y * -moment);
    world.settle(world.body_at(0).unwrap()).unwrap();
    let (k, half) = (moment / ei, 0.5 * length);
    let turned = k * half;
    let end = Vec3::new(turned.sin() / k + half * turned.cos(), 0.0, (1.0 - turned.cos()) / k + half * turned.sin());
    let tip = world.frame().bodies[0].nodes[8];
    assert!((tip - end).length() < 1e-9, "{tip} for {end}");
    world.step(1e-3).unwrap();
    let torque = world.grippers()[0].load.torque;
    assert!((torque - Vec3::Y * -moment).length() < 1e-9, "{torque}");
}

/// A load along the rod as large as its weight carries it.
#[test]
fn a_line_load_carries_the_weight() {
    let mut heavy = spec(vec![Vec3::ZERO, Vec3::X], 10, 0.1, 2.0);
    heavy.settings.line_load = Vec3::Z * 2.0 * GRAVITY;
    let mut world = world_of(heavy);
    held(&mut world, 0.0, Hold::Clamp);
    run(&mut world, 0.1, 1e-3);
    assert!(world.frame().bodies[0].nodes[10].z.abs() < 1e-12);
    assert!(world.grippers()[0].load.force.length() < 1e-9);
}

/// Rigidity that rises along the rod: the end moment's curvature is M / EI(s).
#[test]
fn rigidity_varies_along_the_rod() {
    let mut varied = spec(vec![Vec3::ZERO, Vec3::X], 40, 0.5, 1.0);
    varied.settings.profile =
        [(0.0, 1.0), (1.0, 2.0)].map(|(at, rigidity)| pliant::elastica::Profile { at, mass: 1.0, rigidity }).to_vec();
    let mut world = weightless(varied);
    held(&mut world, 0.0, Hold::Clamp);
    load(&mut world, 1.0, Vec3::ZERO, Vec3::Y * -0.4);
    world.settle(world.body_at(0).unwrap()).unwrap();
    let Body::Elastica(rod) = &world.bodies()[0] else { panic!() };
    let turned = rod.angles().last().unwrap();
    let want = 0.4 / 0.5 * 2.0_f64.ln();
    assert!((turned - want).abs() < 1e-4 * want, "{turned} for {want}");
}

/// A column pinned at one end whose other slides along its line, beyond Euler's load: the closed form of the elastica.
#[test]
fn a_column_buckles_on_its_slider() {
    let mut column = spec(vec![Vec3::ZERO, Vec3::new(0.5, 0.0, 0.02), Vec3::X], 80, 1.0, 1.0);
    let length = 2.0 * 0.5_f64.hypot(0.02);
    column.settings.sliders =
        vec![pliant::elastica::Slider { at: 1.0, through: Some(Vec3::ZERO), along: Vec3::X, aligned: false }];
    let mut world = weightless(column);
    held(&mut world, 0.0, Hold::Position);
    // P L^2 / EI for a distance of the ends of 0.95 L, both pinned
    load(&mut world, 1.0, Vec3::X * -10.123492650329617 / (length * length), Vec3::ZERO);
    let settled = world.settle(world.body_at(0).unwrap()).unwrap();
    assert_eq!(settled.falling, 0);
    let end = world.frame().bodies[0].nodes[80];
    assert!(end.z.abs() < 1e-9, "{end}");
    // near the critical load the distance changes forty times as fast as the load
    assert!((end.x / length - 0.95).abs() < 2e-3, "{} for 0.95", end.x / length);
}

/// Held in the middle, both halves hang; what holds it carries all.
#[test]
fn an_inner_place_can_be_held_and_moved() {
    let mut world = world_of(spec(vec![Vec3::ZERO, Vec3::X], 11, 0.5, 2.0));
    let grip = held(&mut world, 0.5, Hold::Clamp);
    world.settle(world.body_at(0).unwrap()).unwrap();
    run(&mut world, 0.01, 1e-3);
    let force = world.grip(grip).unwrap().load.force;
    assert!((force - Vec3::Z * -2.0 * GRAVITY).length() < 1e-6, "{force}");
    let nodes = world.frame().bodies[0].nodes.clone();
    assert!((nodes[0].z - nodes[11].z).abs() < 1e-9 && nodes[0].z < -0.1, "{nodes:?}");
}

/// One place held in two places, and an obstacle where the rod begins.
#[test]
fn contradictions_are_told_with_their_size() {
    let mut world = world_of(spec(vec![Vec3::ZERO, Vec3::X], 10, 0.1, 1.0));
    for (name, x) in [("one", 0.0), ("other", 0.1)] {
        let placed = Pose::from_translation(Vec3::X * x);
        let gripper = world.add_gripper(GripperParams { name: name.into(), placed, motion: Motion::Hold }).unwrap();
        let (place, hold) = (Place::Fraction(0.0), Hold::Position);
        let grip = GripParams { snap: true, ..GripParams::new(gripper, world.body_at(0).unwrap(), place, hold) };
        world.add_grip(grip).unwrap();
    }
    let error = world.step(1e-3).unwrap_err().to_string();
    assert!(error.contains("other") && error.contains("1.000e-1 m"), "{error}");

    let mut world = world_of(spec(vec![Vec3::ZERO, Vec3::X], 10, 0.1, 1.0));
    obstacle(
        &mut world,
        "stone",
        ShapeKind::Sphere { radius: 0.05 },
        Pose::from_translation(Vec3::new(0.52, 0.0, 0.01)),
    );
    let error = world.ready().unwrap_err().to_string();
    assert!(error.contains("stone") && error.contains("e-2 m deep"), "{error}");
}

/// A hinge at one end, and the other's direction alone held level: the rod's angle there stays as it falls.
#[test]
fn a_direction_can_be_held_alone() {
    let mut world = world_of(spec(vec![Vec3::ZERO, Vec3::X], 10, 0.5, 1.0));
    held(&mut world, 0.0, Hold::Position);
    held(&mut world, 1.0, Hold::Direction);
    run(&mut world, 0.2, 1e-3);
    let Body::Elastica(rod) = &world.bodies()[0] else { panic!() };
    assert!(rod.angles().last().unwrap().abs() < 1e-9);
    assert!(world.frame().bodies[0].nodes[10].z < -0.05);
    assert_eq!(world.grippers()[1].load.force, Vec3::ZERO);
    assert!(world.grippers()[1].load.torque.y.abs() > 0.0);
}

#[test]
fn a_step_allocates_nothing() {
    for integrator in [Integrator::Fehlberg, Integrator::Midpoint] {
        let mut world = swing_onto_a_peg(10, integrator);
        let mut frame = world.frame();
        run(&mut world, 0.25, 1e-3);
        frame.contacts.reserve(100);
        let before = common::allocations();
        for _ in 0..200 {
            world.step(1e-3).unwrap();
            world.write_frame(&mut frame);
        }
        assert_eq!(common::allocations() - before, 0, "{integrator:?}");
    }
}

/// Factors that do not rise along the rod would be taken in the wrong places.
#[test]
fn a_profile_out_of_order_is_refused() {
    let mut varied = spec(vec![Vec3::ZERO, Vec3::X], 10, 0.5, 1.0);
    varied.settings.profile = [0.5, 0.2].map(|at| pliant::elastica::Profile { at, mass: 1.0, rigidity: 1.0 }).to_vec();
    let error = Elastica::new("rod", varied).unwrap_err().to_string();
    assert!(error.contains("factor of rod") && error.contains("0.2"), "{error}");
}
