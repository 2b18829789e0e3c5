//! Bodies of different models, and of models without contact of their own, touch each other: momentum, weight, friction, energy,
//! exact reruns, no allocation, nothing passes through.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Start};
use pliant::lattice::solid::{MassRule, brick};
use pliant::lattice::{Lattice, LatticeSettings, LatticeSpec, Part};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Load, Material, Other, Place, Section, World};

const G: f64 = 9.81;
const RADIUS: f64 = 5e-3;

fn material(young: f64, density: f64) -> Material {
    Material { young, poisson: 0.3, density, friction: Friction { coefficient: 0.5, exponent: 1.0 } }
}

/// A rod of a model along a line, with some damping where the model has none of itself.
fn rod(model: &str, name: &str, ends: [Vec3; 2], segments: usize, material: Material) -> Body {
    let (section, path) = (Section::Round { radius: RADIUS }, ends.to_vec());
    match model {
        "chain" => {
            let settings = ChainSettings { drag: 5.0, ..ChainSettings::default() };
            let spec = ChainSpec { material, section, path, points: Some(segments + 1), settings };
            Body::Chain(Chain::new(name, spec).unwrap())
        }
        "cable" => {
            let (rest, settings) = (Rest::Straight, CableSettings::default());
            let spec = CableSpec { material, section, path, normal: None, rest, segments, settings };
            Body::Cable(Cable::new(name, spec).unwrap())
        }
        "xpbd" => {
            let spec = XpbdSpec { material, section, path, segments, settings: XpbdSettings::default() };
            Body::Xpbd(Xpbd::new(name, spec).unwrap())
        }
        _ => {
            let settings = ElasticaSettings { start: Start::Path, damping_time: 2e-4, ..ElasticaSettings::default() };
            let (rest, intervals) = (Rest::Straight, segments);
            let spec = ElasticaSpec { material, section, path, normal: None, rest, intervals, settings };
            Body::Elastica(Elastica::new(name, spec).unwrap())
        }
    }
}

fn block(name: &str, size: Vec3, counts: [usize; 3], at: Vec3, velocity: Vec3, material: Material) -> Body {
    let spec = LatticeSpec {
        material,
        parts: vec![Part::Solid { cells: brick(size, counts).unwrap(), rule: MassRule::Approximate }],
        connectors: vec![],
        placed: Pose::from_translation(at),
        velocity,
        spin: Vec3::ZERO,
        settings: LatticeSettings::default(),
    };
    Body::Lattice(Lattice::new(name, spec).unwrap())
}

fn floor(world: &mut World) {
    let shape = Shape::new(ShapeKind::Plane).unwrap();
    let (placed, motion) = (Pose::IDENTITY, Motion::Hold);
    world.add_obstacle(ObstacleParams { name: "floor".into(), shape, placed, motion, friction: None }).unwrap();
}

fn rod_mass(length: f64, density: f64) -> f64 {
    std::f64::consts::PI * RADIUS * RADIUS * length * density
}

/// Centre of mass of a rod: half of an end node's neighbourhood is missing.
fn centre(nodes: &[Vec3]) -> Vec3 {
    let last = nodes.len() - 1;
    let inner: Vec3 = nodes[1..last].iter().sum();
    (inner + (nodes[0] + nodes[last]) * 0.5) / last as f64
}

/// A block that flies at a rod, which floats: the rod, the block, in free space.
fn collision(
    model: &str,
    [rod_young, block_young]: [f64; 2],
    [rod_density, block_density]: [f64; 2],
    speed: f64,
) -> World {
    let mut world = World::new(Vec3::ZERO);
    let ends = [Vec3::new(-0.15, 0.003, 0.0), Vec3::new(0.15, 0.003, 0.0)];
    world.add_body(rod(model, "rod", ends, 20, material(rod_young, rod_density))).unwrap();
    let (at, velocity) = (Vec3::new(0.02, 0.0, -0.05), Vec3::new(0.2, 0.0, 1.0) * speed);
    let matter = material(block_young, block_density);
    world.add_body(block("block", Vec3::splat(0.06), [3, 3, 3], at, velocity, matter)).unwrap();
    world
}

fn energy(world: &World) -> f64 {
    world.frame().bodies.iter().map(|b| b.energy.kinetic + b.energy.elastic).sum()
}

fn block_momentum(world: &World) -> [Vec3; 2] {
    let Body::Lattice(block) = &world.bodies()[1] else { panic!() };
    let mut sums = [Vec3::ZERO; 2];
    for ((m, p), v) in block.masses().iter().zip(block.places()).zip(block.velocities()) {
        sums[0] += *v * *m;
        sums[1] += p.cross(*v * *m);
    }
    sums
}

/// Momentum of the whole is that of the block at first. After they have parted the rod's is its mass times how far its centre
/// goes: to rounding of places, 1e-17 m over a step of 1e-3 s. Its angular momentum is taken from its nodes, which leaves out that
/// of slices about themselves, r^2 / 4 over L^2 / 12, and what friction has lost: it acts on the centre line, not on the surface.
#[test]
fn momentum_is_kept() {
    for model in ["chain", "cable", "xpbd"] {
        let mut world = collision(model, [1e7, 1e5], [1100.0, 1000.0], 1.0);
        if model == "chain" {
            // damping of a chain is drag
            let bodies = [rod_without_drag(), world.bodies()[1].clone()];
            world = World::new(Vec3::ZERO);
            for body in bodies {
                world.add_body(body).unwrap();
            }
        }
        let [before, before_turning] = block_momentum(&world);
        let mut touched = false;
        for _ in 0..200 {
            world.step(1e-3).unwrap();
            touched |= !world.frame().contacts.is_empty();
        }
        let start = world.frame();
        assert!(touched && start.contacts.is_empty(), "{model} must have parted");
        world.step(1e-3).unwrap();
        let end = world.frame();
        let mass = rod_mass(0.3, 1100.0);
        let (a, b) = (&start.bodies[0].nodes, &end.bodies[0].nodes);
        let taken = (centre(b) - centre(a)) / 1e-3 * mass;
        let [left, left_turning] = block_momentum(&world);
        assert!(taken.length() > 0.03 * before.length(), "{model}: it was hit");
        let off = (left + taken - before).length() / before.length();
        assert!(off < 1e-10, "{model}: {off:e}");
        let last = a.len() - 1;
        let turning: Vec3 = (0..=last)
            .map(|n| {
                let part = mass / last as f64 * if n == 0 || n == last { 0.5 } else { 1.0 };
                (a[n] + b[n]).cross(b[n] - a[n]) * (0.5 * part / 1e-3)
            })
            .sum();
        let off = (left_turning + turning - before_turning).length();
        assert!(off < 0.01 * turning.length(), "{model}: {off:e} of {}", turning.length());
    }
}

fn rod_without_drag() -> Body {
    let path = vec![Vec3::new(-0.15, 0.003, 0.0), Vec3::new(0.15, 0.003, 0.0)];
    let (section, settings) = (Section::Round { radius: RADIUS }, ChainSettings::default());
    let spec = ChainSpec { material: material(1e7, 1100.0), section, path, points: Some(21), settings };
    Body::Chain(Chain::new("rod", spec).unwrap())
}

/// A rod on a block on a floor: the rod first, with a hair between them.
fn pile(model: &str, [rod_young, block_young]: [f64; 2], [rod_density, block_density]: [f64; 2]) -> World {
    let mut world = World::new(Vec3::Z * -G);
    floor(&mut world);
    let z = 0.1 + RADIUS + 1e-4;
    let ends = [Vec3::new(-0.08, 0.003, z), Vec3::new(0.07, 0.003, z)];
    world.add_body(rod(model, "rod", ends, 12, material(rod_young, rod_density))).unwrap();
    let size = Vec3::new(0.2, 0.1, 0.1);
    let matter = material(block_young, block_density);
    world.add_body(block("block", size, [6, 3, 3], Vec3::Z * 0.05, Vec3::ZERO, matter)).unwrap();
    world.ready().unwrap();
    world
}

/// After it has settled the floor carries the weight of both, and the block that of the rod: within 1 %, for what still swings.
#[test]
fn a_pile_comes_to_rest() {
    let soft = ([1e7, 1e5], [1100.0, 1000.0]);
    // steel on foam, as heavy
    let heavy = ([2e11, 2e4], [7800.0, 100.0]);
    let cases = [
        ("chain", soft, 1e-3),
        ("cable", soft, 1e-3),
        ("cable", soft, 2e-3),
        ("xpbd", soft, 1e-3),
        ("xpbd", soft, 2e-3),
        ("elastica", soft, 1e-3),
        ("cable", heavy, 1e-3),
        ("cable", heavy, 2e-3),
    ];
    for (model, (young, density), dt) in cases {
        let mut world = pile(model, young, density);
        let weight = G * rod_mass(0.15, density[0]);
        let all = weight + G * 0.2 * 0.1 * 0.1 * density[1];
        let steps = (2.0_f64 / dt).round() as usize;
        let (mut carried, mut on_block, mut deepest, mut count) = (0.0, 0.0, 0.0_f64, 0.0);
        for n in 0..steps {
            world.step(dt).unwrap();
            let contacts = world.frame().contacts;
            let sum =
                |of: &dyn Fn(Other) -> bool| contacts.iter().filter(|c| of(c.other)).map(|c| c.force.z).sum::<f64>();
            let between = contacts.iter().filter(|c| c.other == Other::Body(1));
            deepest = between.clone().map(|c| c.penetration).fold(deepest, f64::max);
            if n >= steps * 3 / 4 {
                carried += sum(&|o| matches!(o, Other::Obstacle(_)));
                on_block += sum(&|o| o == Other::Body(1));
                count += 1.0;
            }
        }
        let rest = world
            .frame()
            .contacts
            .iter()
            .filter(|c| c.other == Other::Body(1))
            .map(|c| c.penetration)
            .fold(0.0, f64::max);
        let case = format!("{model}, {young:?} Pa, {dt} s");
        assert!((carried / count / all - 1.0).abs() < 0.01, "{case}: {} of the weight", carried / count / all);
        assert!((on_block / count / weight - 1.0).abs() < 0.01, "{case}: {} on the block", on_block / count / weight);
        // on its way to rest less deep than its centre line; at rest a twentieth of its radius
        assert!(deepest < RADIUS && rest < 0.05 * RADIUS, "{case}: {deepest:e} deep, {rest:e} at rest");
    }
}

/// A cable lies on a held block and is drawn along itself by 0.8 and by 1.2 mu N: it stays, or goes with (P - mu N) / m.
#[test]
fn friction_holds_and_slips() {
    for (part, dt) in [(0.8, 1e-3), (1.2, 1e-3), (0.8, 2e-3), (1.2, 2e-3)] {
        let mut world = World::new(Vec3::Z * -G);
        let z = RADIUS + 1e-5;
        let ends = [Vec3::new(-0.05, 0.003, z), Vec3::new(0.05, 0.003, z)];
        world.add_body(rod("cable", "rod", ends, 8, material(1e7, 1100.0))).unwrap();
        let size = Vec3::new(0.3, 0.1, 0.04);
        let matter = material(1e6, 1000.0);
        world.add_body(block("block", size, [6, 2, 1], Vec3::Z * -0.02, Vec3::ZERO, matter)).unwrap();
        let placed = Pose::from_translation(Vec3::Z * -0.04);
        world.add_gripper(GripperParams { name: "vice".into(), placed, motion: Motion::Hold }).unwrap();
        let place = Place::Box { low: Vec3::new(-1.0, -1.0, -0.05), high: Vec3::new(1.0, 1.0, -0.03) };
        let (vice, held) = (world.gripper_at(0).unwrap(), world.body_at(1).unwrap());
        world.add_grip(GripParams::new(vice, held, place, Hold::Clamp)).unwrap();
        let mass = rod_mass(0.1, 1100.0);
        let force = Vec3::X * (part * 0.5 * mass * G);
        let (place, torque, from) = (Place::Fraction(0.5), Vec3::ZERO, 0.4);
        world.add_load(Load { torque, from, ..Load::new(world.body_at(0).unwrap(), place, force) }).unwrap();
        let run = |world: &mut World, seconds: f64| {
            (0..(seconds / dt).round() as usize).for_each(|_| world.step(dt).unwrap());
            centre(&world.frame().bodies[0].nodes).x
        };
        let places = [0.4, 0.1, 0.1, 0.1].map(|seconds| run(&mut world, seconds));
        if part < 1.0 {
            // it gives way by what friction takes to hold, P W dt^2 / beta; then it does not creep, but comes back a little
            let [given, crept] = [places[1] - places[0], places[3] - places[1]];
            assert!(given < 100.0 * dt * dt && crept < 5e-6, "{dt} s: it gives {given:e} and creeps by {crept:e}");
        } else {
            let found = (places[3] - 2.0 * places[2] + places[1]) / 0.01;
            let expected = (part - 1.0) * 0.5 * G;
            assert!((found / expected - 1.0).abs() < 0.05, "{dt} s: {found} m/s2, not {expected}");
        }
    }
}

/// No collision gives energy, whatever the step and however stiff, light or fast the bodies.
#[test]
fn collisions_never_give_energy() {
    let cases = [([1e7, 1e5], [1100.0, 1000.0]), ([2e9, 2e3], [2000.0, 100.0]), ([1e6, 1e8], [1100.0, 1000.0])];
    for model in ["chain", "cable"] {
        for (young, density) in cases {
            for (dt, speed) in [(1e-3, 1.0), (2e-3, 1.0), (5e-3, 1.0), (1e-2, 0.5), (1e-3, 5.0)] {
                let mut world = collision(model, young, density, speed);
                let (first, mut most, mut touched) = (energy(&world), 0.0_f64, false);
                for _ in 0..(0.2 / speed / dt) as usize {
                    world.step(dt).unwrap();
                    most = most.max(energy(&world) / first);
                    touched |= !world.frame().contacts.is_empty();
                }
                assert!(touched, "{model} {young:?} {dt} {speed}");
                assert!(most < 1.0 + 1e-3, "{model} {young:?} Pa, {dt} s, {speed} m/s: {most} of the energy");
            }
        }
    }
}

/// All models at once, in one heap.
fn heap() -> World {
    let mut world = World::new(Vec3::Z * -G);
    floor(&mut world);
    let matter = material(1e5, 500.0);
    world.add_body(block("block", Vec3::splat(0.06), [3, 3, 3], Vec3::Z * 0.03, Vec3::ZERO, matter)).unwrap();
    let line = |y: f64, z: f64| [Vec3::new(-0.08, y, z), Vec3::new(0.08, y, z)];
    for (n, model) in ["chain", "cable", "xpbd", "elastica"].into_iter().enumerate() {
        let n = n as f64;
        let ends = line(0.014 * n - 0.02, 0.07 + 0.004 * n);
        world.add_body(rod(model, model, ends, 12, material(1e6, 1100.0))).unwrap();
    }
    let ends = [Vec3::new(0.0, -0.08, 0.1), Vec3::new(0.0, 0.08, 0.1)];
    world.add_body(rod("chain", "over", ends, 12, material(1e6, 1100.0))).unwrap();
    world
}

#[test]
fn reruns_and_restored_worlds_are_the_same_to_the_bit() {
    let run = |threads: usize| {
        let mut world = heap();
        world.set_threads(threads);
        (0..150).for_each(|_| world.step(1e-3).unwrap());
        (world.snapshot(), world.frame())
    };
    let straight = run(1);
    assert!(straight.1.contacts.iter().any(|c| matches!(c.other, Other::Body(_))));
    assert!(run(2) == straight && run(4) == straight);
    let mut world = heap();
    (0..80).for_each(|_| world.step(1e-3).unwrap());
    let (middle, seen) = (world.snapshot(), world.frame());
    let mut other = heap();
    other.restore(&middle).unwrap();
    assert!(other.frame() == seen);
    (0..70).for_each(|_| other.step(1e-3).unwrap());
    assert!((other.snapshot(), other.frame()) == straight);
}

#[test]
fn a_step_allocates_nothing() {
    let mut world = heap();
    let mut frame = world.frame();
    for _ in 0..100 {
        world.step(1e-3).unwrap();
        world.write_frame(&mut frame);
    }
    let before = common::allocations();
    for _ in 0..100 {
        world.step(1e-3).unwrap();
        world.write_frame(&mut frame);
    }
    assert_eq!(common::allocations() - before, 0);
}

/// A block that comes at a rod faster than a rod's thickness a step drives it on, instead of passing it.
#[test]
fn nothing_passes_through() {
    for model in ["chain", "cable", "xpbd", "elastica"] {
        for speed in if model == "xpbd" { [2.0, 10.0] } else { [10.0, 20.0] } {
            let mut world = collision(model, [1e8, 1e7], [1100.0, 1000.0], speed);
            for _ in 0..(0.2 / speed / 1e-3) as usize {
                world.step(1e-3).unwrap();
            }
            let frame = world.frame();
            // beside the block the rod lags behind
            let middle = frame.bodies[1].nodes.iter().sum::<Vec3>() / frame.bodies[1].nodes.len() as f64;
            let near = |p: &&Vec3| (p.x - middle.x).abs() < 0.02;
            let low = frame.bodies[0].nodes.iter().filter(near).map(|p| p.z).fold(f64::MAX, f64::min);
            assert!(low > middle.z, "{model}, {speed} m/s: at {low}, the middle of the block at {}", middle.z);
        }
    }
}

/// Two rods of a model that has no contact of its own: one lies across the other, whose grippers carry both.
#[test]
fn rods_of_one_model_cross() {
    for model in ["chain", "xpbd"] {
        let mut world = World::new(Vec3::Z * -G);
        let ends = [Vec3::new(-0.1, 0.0, 0.0), Vec3::new(0.1, 0.0, 0.0)];
        world.add_body(rod(model, "beam", ends, 16, material(1e8, 1100.0))).unwrap();
        let z = 2.0 * RADIUS + 1e-3;
        let over = [Vec3::new(0.003, -0.08, z), Vec3::new(0.003, 0.08, z)];
        world.add_body(rod(model, "over", over, 13, material(1e5, 1100.0))).unwrap();
        for (n, end) in ends.into_iter().enumerate() {
            let (name, placed) = (format!("hand {n}"), Pose::from_translation(end));
            let hand = world.add_gripper(GripperParams { name, placed, motion: Motion::Hold }).unwrap();
            let (rod, place) = (world.body_at(0).unwrap(), Place::Fraction(n as f64));
            world.add_grip(GripParams::new(hand, rod, place, Hold::Clamp)).unwrap();
        }
        let weight = G * (rod_mass(0.2, 1100.0) + rod_mass(0.16, 1100.0));
        let (mut carried, mut deepest) = (0.0, 0.0_f64);
        for n in 0..1500 {
            world.step(1e-3).unwrap();
            let frame = world.frame();
            deepest = frame.contacts.iter().map(|c| c.penetration).fold(deepest, f64::max);
            if n >= 1000 {
                carried -= frame.grippers.iter().map(|g| g.load.force.z).sum::<f64>() / 500.0;
            }
        }
        assert!((carried / weight - 1.0).abs() < 0.03, "{model}: grippers carry {} of the weight", carried / weight);
        assert!(deepest < 0.3 * RADIUS, "{model}: {deepest:e} m deep");
    }
}
