//! A living body that is changed behaves as one that was built so, and keeps its motion. References are closed forms of beams
//! (Euler and Bernoulli) and of free fall, and bodies that were built with the new values.
#![allow(clippy::unwrap_used)]

#[path = "common/models.rs"]
#[allow(dead_code)]
mod models;

use std::f64::consts::PI;

use models::every_model;
use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Integrator};
use pliant::lattice::solid::{MassRule, brick};
use pliant::lattice::{Lattice, LatticeSettings, LatticeSpec, Part};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{
    Body, BodyId, BuildError, Change, ControlError, Friction, GripperParams, Hold, Material, Place, Rigidities,
    Section, World,
};

const G: f64 = 9.81;
const LENGTH: f64 = 0.2;
const RADIUS: f64 = 5e-3;
const SEGMENTS: usize = 20;

/// What a body is made of.
#[derive(Clone, Copy)]
struct Made {
    material: Material,
    damping_time: f64,
    drag: f64,
}

const FIRST: Made = Made {
    material: Material {
        young: 1e8,
        poisson: 0.3,
        density: 1100.0,
        friction: Friction { coefficient: 0.3, exponent: 1.0 },
    },
    damping_time: 1e-3,
    drag: 0.5,
};

const SECOND: Made = Made {
    material: Material {
        young: 2.5e8,
        poisson: 0.3,
        density: 800.0,
        friction: Friction { coefficient: 0.1, exponent: 1.0 },
    },
    damping_time: 2e-3,
    drag: 1.5,
};

impl Made {
    fn chain(self) -> Body {
        let settings = ChainSettings { drag: self.drag, ..ChainSettings::default() };
        let (material, points) = (self.material, Some(SEGMENTS + 1));
        let spec = ChainSpec { material, section: section(), path: path(), points, settings };
        Body::Chain(Chain::new("chain", spec).unwrap())
    }

    fn cable(self) -> Body {
        let Made { material, damping_time, drag } = self;
        let settings = CableSettings { damping_time, drag, ..CableSettings::default() };
        let (path, segments, rest) = (path(), SEGMENTS, Rest::Straight);
        let spec = CableSpec { material, section: section(), path, normal: None, rest, segments, settings };
        Body::Cable(Cable::new("cable", spec).unwrap())
    }

    fn xpbd(self) -> Body {
        let Made { material, damping_time, drag } = self;
        let settings = XpbdSettings { damping_time, drag, iterations: 2000, substeps: 100 };
        let spec = XpbdSpec { material, section: section(), path: path(), segments: SEGMENTS, settings };
        Body::Xpbd(Xpbd::new("xpbd", spec).unwrap())
    }

    fn elastica(self) -> Body {
        let Made { material, damping_time, drag } = self;
        // explicit steps of a damped rod would be very short
        let integrator = Integrator::Midpoint;
        let settings = ElasticaSettings { integrator, damping_time, drag, ..ElasticaSettings::default() };
        let (path, intervals, rest) = (path(), SEGMENTS, Rest::Straight);
        let spec = ElasticaSpec { material, section: section(), path, normal: None, rest, intervals, settings };
        Body::Elastica(Elastica::new("elastica", spec).unwrap())
    }

    fn rods(self) -> Vec<Body> {
        vec![self.chain(), self.cable(), self.xpbd(), self.elastica()]
    }

    fn lattice(self) -> Body {
        let cells = brick(Vec3::new(0.08, 0.02, 0.02), [8, 2, 2]).unwrap();
        // explicit steps of more damping would be very short
        let (damping_time, drag) = (Some(1e-3 * self.damping_time), self.drag);
        let spec = LatticeSpec {
            material: self.material,
            parts: vec![Part::Solid { cells, rule: MassRule::Approximate }],
            connectors: vec![],
            placed: Pose::from_translation(Vec3::X * 0.04),
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            settings: LatticeSettings { damping_time, drag, ..LatticeSettings::default() },
        };
        Body::Lattice(Lattice::new("lattice", spec).unwrap())
    }

    /// All changes by which a body of another kind becomes this one, as far as it can.
    fn changes(self, body: &Body) -> Vec<Change> {
        let (has, Material { young, density, friction, .. }) = (body.properties(), self.material);
        let mut changes = vec![Change::Friction(friction)];
        changes.extend(has.young.map(|_| Change::Young(young)));
        changes.extend(has.density.map(|_| Change::Density(density)));
        let damping_time = if body.is_solid() { 1e-3 * self.damping_time } else { self.damping_time };
        changes.extend(has.damping_time.map(|_| Change::DampingTime(damping_time)));
        changes.extend(has.drag.map(|_| Change::Drag(self.drag)));
        changes
    }
}

fn section() -> Section {
    Section::Round { radius: RADIUS }
}

fn path() -> Vec<Vec3> {
    vec![Vec3::ZERO, Vec3::X * LENGTH]
}

/// Clamped at its start.
fn cantilever(body: Body) -> (World, BodyId) {
    let mut world = World::new(Vec3::Z * -G);
    let solid = body.is_solid();
    let body = world.add_body(body).unwrap();
    let params = GripperParams { name: "hand".into(), placed: Pose::IDENTITY, motion: Motion::Hold };
    let hand = world.add_gripper(params).unwrap();
    let slice = Place::Box { low: Vec3::new(-1e-3, -1.0, -1.0), high: Vec3::new(1e-3, 1.0, 1.0) };
    let place = if solid { slice } else { Place::Node(0) };
    world.grasp(hand, body, place, Hold::Clamp).unwrap();
    (world, body)
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step(1e-3).unwrap());
}

/// Height of the end, which is the last node of a rod and the mean of the last ones of a solid [m].
fn tip(world: &World) -> f64 {
    world.frame().bodies[0].nodes.last().unwrap().z
}

/// Deflection of the end of a cantilever under its own weight, q L^4 / (8 EI) [m].
fn sag(material: &Material) -> f64 {
    let weight = section().mass_per_length(material) * G;
    weight * LENGTH.powi(4) / (8.0 * material.young * section().second_moments()[0])
}

/// Period of its slowest vibration, 2 pi L^2 / 1.8751^2 sqrt(rho A / EI) [s].
fn period(material: &Material) -> f64 {
    let rigidity = material.young * section().second_moments()[0];
    2.0 * PI * LENGTH * LENGTH / 1.875_104_f64.powi(2) * (section().mass_per_length(material) / rigidity).sqrt()
}

#[test]
fn a_rod_that_is_changed_is_one_that_was_built_so_to_the_bit() {
    for (first, second) in FIRST.rods().into_iter().zip(SECOND.rods()) {
        let ((mut changed, body), (mut built, _)) = (cantilever(first.clone()), cantilever(second));
        for change in SECOND.changes(&first) {
            changed.change(body, change).unwrap();
        }
        assert_eq!(changed.bodies()[0].derived(), built.bodies()[0].derived());
        for world in [&mut changed, &mut built] {
            run(world, 100);
        }
        assert_eq!(changed.frame(), built.frame(), "{}", first.name());
    }
}

/// Stiffness and masses of a lattice are scaled: the same but for rounding, which grows with some thousand steps of its own.
#[test]
fn a_lattice_that_is_changed_is_one_that_was_built_so() {
    let ((mut changed, body), (mut built, _)) = (cantilever(FIRST.lattice()), cantilever(SECOND.lattice()));
    for change in SECOND.changes(&FIRST.lattice()) {
        changed.change(body, change).unwrap();
    }
    for world in [&mut changed, &mut built] {
        run(world, 30);
    }
    let (a, b) = (changed.frame(), built.frame());
    let off = a.bodies[0].nodes.iter().zip(&b.bodies[0].nodes).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(off < 1e-9, "{off}");
    let masses = [&changed, &built].map(|world| world.bodies()[0].mass());
    assert!((masses[0] / masses[1] - 1.0).abs() < 1e-14);
}

/// Bernoulli's beam; shear and the angle of the chain's first segment make out 1 % with 20 segments. Sweeps of xpbd leave a stiff rod
/// softer than its material, whenever that was chosen.
#[test]
fn a_cantilever_finds_the_equilibrium_of_its_new_material() {
    let (soft, stiff) = (FIRST.material, Material { young: 4e8, ..FIRST.material });
    let damped = Made { drag: 40.0, ..FIRST };
    let close = 0.02;
    for rod in damped.rods().into_iter().filter(|rod| !matches!(rod, Body::Xpbd(_))) {
        let (mut world, body) = cantilever(rod.clone());
        run(&mut world, 500);
        assert!((tip(&world) / -sag(&soft) - 1.0).abs() < close, "{}: {} {}", rod.name(), tip(&world), sag(&soft));
        world.change(body, Change::Young(stiff.young)).unwrap();
        run(&mut world, 300);
        assert!((tip(&world) / -sag(&stiff) - 1.0).abs() < close, "{}: {} {}", rod.name(), tip(&world), sag(&stiff));
        // curved upwards by as much as its weight bends it at the clamp: EI k = q L^2 / 2
        let curvature = 4.0 * sag(&stiff) / (LENGTH * LENGTH);
        let (about_y, about_z) = (Rest::Curved { curvature: [-curvature, 0.0], twist: 0.0 }, curvature);
        let rest = match rod {
            Body::Cable(_) => about_y,
            Body::Elastica(_) => Rest::Curved { curvature: [0.0, about_z], twist: 0.0 },
            _ => continue,
        };
        world.change(body, Change::Rest(rest)).unwrap();
        run(&mut world, 300);
        // k L^2 / 2 up, and the sag down again: up by as much as it sagged
        assert!(
            (tip(&world).abs() / sag(&stiff) - 1.0).abs() < 0.03,
            "{}: {} {}",
            rod.name(),
            tip(&world),
            sag(&stiff)
        );
    }
}

/// Time from crossing to crossing of the equilibrium, over five periods [s].
fn measured_period(world: &mut World, middle: f64) -> f64 {
    let (mut crossings, mut last) = (vec![], tip(world));
    while crossings.len() < 6 {
        world.step(1e-3).unwrap();
        let now = tip(world);
        if last > middle && now <= middle {
            crossings.push(world.time() - 1e-3 * (middle - now) / (last - now));
        }
        last = now;
        assert!(world.time() < 10.0);
    }
    (crossings[5] - crossings[0]) / 5.0
}

/// Damping moves the frequency by zeta^2 / 2, a thousandth; higher modes shift single crossings by less than a fiftieth of a period.
#[test]
fn a_cantilever_swings_with_the_period_of_its_new_material() {
    let light = Made { damping_time: 2e-4, drag: 0.0, ..FIRST };
    for rod in light.rods() {
        let (mut world, body) = cantilever(rod.clone());
        let heavy = Material { density: 4.0 * FIRST.material.density, ..FIRST.material };
        for material in [FIRST.material, heavy] {
            world.change(body, Change::Density(material.density)).unwrap();
            let found = measured_period(&mut world, -sag(&material));
            assert!((found / period(&material) - 1.0).abs() < 0.02, "{}: {found} {}", rod.name(), period(&material));
        }
    }
}

#[test]
fn what_falls_keeps_its_velocity() {
    let falls = Made { drag: 0.0, ..FIRST };
    for body in [falls.rods(), vec![falls.lattice()]].concat() {
        let (mut world, name) = (World::new(Vec3::Z * -G), body.name().to_string());
        let id = world.add_body(body).unwrap();
        let height = |world: &World| {
            let frame = world.frame();
            frame.bodies[0].nodes.iter().map(|node| node.z).sum::<f64>() / frame.bodies[0].nodes.len() as f64
        };
        run(&mut world, 50);
        let first = height(&world);
        world.change(id, Change::Density(333.0)).unwrap();
        world.change(id, Change::Young(3e7)).unwrap();
        assert_eq!(height(&world), first, "{name}");
        run(&mut world, 50);
        // v t + g t^2 / 2 with v = g t, of an integrator of first order at worst: its own steps are at most 1 ms
        let fallen = first - height(&world);
        assert!((fallen / (1.5 * G * 0.05 * 0.05) - 1.0).abs() < 0.02, "{name}: {fallen}");
        // momentum over mass follows gravity to rounding
        let before = [height(&world), {
            world.step(1e-3).unwrap();
            height(&world)
        }];
        let speed = (before[0] - before[1]) / 1e-3;
        assert!((speed / (G * 0.1005) - 1.0).abs() < 0.01, "{name}: {speed}");
    }
}

#[test]
fn the_value_that_it_has_changes_no_bits() {
    for body in [every_model(), FIRST.rods(), vec![FIRST.lattice()]].concat() {
        let (mut world, other) = (World::new(Vec3::Z * -G), body.properties());
        let id = world.add_body(body.clone()).unwrap();
        run(&mut world, 20);
        let before = world.snapshot();
        world.change(id, Change::Friction(other.friction)).unwrap();
        let changes = [
            other.young.map(Change::Young),
            other.density.map(Change::Density),
            other.damping_time.map(Change::DampingTime),
            other.drag.map(Change::Drag),
            other.rest.map(Change::Rest),
        ];
        for change in changes.into_iter().flatten() {
            world.change(id, change).unwrap();
        }
        assert!(world.snapshot() == before, "{}", body.name());
    }
}

/// There and back again: bodies are made from what they were built from, not from what they were in between.
#[test]
fn a_body_that_is_changed_back_is_what_it_was() {
    for body in [FIRST.rods(), vec![FIRST.lattice()]].concat() {
        let ((mut world, id), (mut other, _)) = (cantilever(body.clone()), cantilever(body.clone()));
        for change in [SECOND.changes(&body), FIRST.changes(&body)].concat() {
            world.change(id, change).unwrap();
        }
        [&mut world, &mut other].into_iter().for_each(|world| run(world, 20));
        assert_eq!(world.frame(), other.frame(), "{}", body.name());
    }
}

#[test]
fn changes_are_in_snapshots() {
    let responses = every_model().into_iter().filter(|body| matches!(body, Body::Response(_)));
    for body in [FIRST.rods(), vec![FIRST.lattice()], responses.collect()].concat() {
        let (mut world, id) = cantilever(body.clone());
        run(&mut world, 20);
        let first = world.snapshot();
        for change in SECOND.changes(&body) {
            world.change(id, change).unwrap();
        }
        run(&mut world, 20);
        let second = world.snapshot();
        run(&mut world, 20);
        let end = world.snapshot();
        // another world, which has not changed
        let (mut other, _) = cantilever(body.clone());
        other.restore(&second).unwrap();
        assert_eq!(other.bodies()[0].properties(), world.bodies()[0].properties());
        run(&mut other, 20);
        assert!(other.snapshot() == end, "{}", body.name());
        // and back to what it was before
        other.restore(&first).unwrap();
        assert_eq!(other.bodies()[0].properties(), body.properties(), "{}", body.name());
        let (mut unchanged, _) = cantilever(body.clone());
        run(&mut unchanged, 40);
        run(&mut other, 20);
        assert_eq!(other.frame().bodies, unchanged.frame().bodies, "{}", body.name());
    }
}

#[test]
fn what_a_model_has_not_got_cannot_be_changed() {
    for body in every_model() {
        let (has, mut world) = (body.properties(), World::new(Vec3::ZERO));
        let id = world.add_body(body.clone()).unwrap();
        let before = world.snapshot();
        let all = [
            (Change::Young(1e7), has.young.is_some()),
            (Change::Density(500.0), has.density.is_some()),
            (Change::DampingTime(0.1), has.damping_time.is_some()),
            (Change::Drag(0.1), has.drag.is_some()),
            (Change::Rest(Rest::Curved { curvature: [0.0, 1.0], twist: 0.0 }), has.rest.is_some()),
        ];
        for (change, can) in all {
            if !can {
                let error = world.change(id, change).unwrap_err();
                assert!(matches!(error, ControlError::Refused(BuildError::Cannot { .. })), "{error}");
                // modes belong to a material that is not known here
                if let (Body::Response(_), Change::Young(_)) = (&body, change) {
                    let text = "which cannot be given another Young's modulus while it moves: build it anew";
                    assert!(error.to_string().contains(text), "{error}");
                }
            }
        }
        // nor to what is nothing
        for change in [Change::Young(-1.0), Change::Density(0.0), Change::DampingTime(-1.0), Change::Drag(f64::NAN)] {
            assert!(world.change(id, change).is_err(), "{}: {change:?}", body.name());
        }
        let rough = Change::Friction(Friction { coefficient: -1.0, exponent: 1.0 });
        assert!(world.change(id, rough).is_err());
        assert!(world.snapshot() == before, "{}", body.name());
    }
    let given = Rigidities { radius: RADIUS, mass_per_length: 0.1, ea: 1e3, ga: 4e2, ei: [1e-2; 2], gj: 1e-2 };
    let (material, section, path) = (FIRST.material, Section::Explicit(given), path());
    let spec = XpbdSpec { material, section, path, segments: SEGMENTS, settings: XpbdSettings::default() };
    let mut world = World::new(Vec3::ZERO);
    let id = world.add_body(Body::Xpbd(Xpbd::new("given", spec).unwrap())).unwrap();
    let error = world.change(id, Change::Young(1e7)).unwrap_err().to_string();
    let text = "given is of the model xpbd, which cannot be given another Young's modulus while it moves: \
                build it anew with the one it is to have";
    assert_eq!(error, text);
}
