//! Wires that are far stiffer along than across: they hardly move by contact forces that are far off, so that these have to be
//! right by themselves.
#![allow(clippy::unwrap_used)]

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec, Solver};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Friction, Material, Rigidities, Section, World};

const GRAVITY: f64 = 9.81;

/// A strand of copper, which bends as easily as its wires and is as stiff along as all of them.
fn strand() -> Section {
    let rigidities = Rigidities { radius: 1e-3, mass_per_length: 4.4e-3, ea: 5e4, ga: 2e4, ei: [1e-4, 1e-4], gj: 1e-4 };
    Section::Explicit(rigidities)
}

/// A wire that falls by a tenth of a millimetre on a box that moves so: the force on the box in every step of the last 0.4 s,
/// over the weight.
fn borne(section: Section, young: f64, motion: Motion, solver: Solver, step: f64) -> Vec<Vec3> {
    let mut world = World::new(Vec3::NEG_Z * GRAVITY);
    let friction = Friction { coefficient: 0.3, exponent: 1.0 };
    let material = Material { young, poisson: 0.3, density: 1400.0, friction };
    let path = vec![Vec3::new(-0.1, -2e-3, 1.1e-3), Vec3::new(0.1, -2e-3, 1.1e-3)];
    let settings = CableSettings { solver, ..CableSettings::default() };
    let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments: 40, settings };
    world.add_body(Body::Cable(Cable::new("wire", spec).unwrap())).unwrap();
    let shape = Shape::new(ShapeKind::Box { size: Vec3::new(0.4, 0.2, 0.02) }).unwrap();
    let placed = Pose::from_translation(Vec3::Z * -0.01);
    world.add_obstacle(ObstacleParams { name: "box".into(), shape, placed, motion, friction: None }).unwrap();
    world.ready().unwrap();
    let weight = GRAVITY * world.bodies()[0].mass();
    let steps = (0.6 / step) as usize;
    let mut forces = vec![];
    for n in 0..steps {
        world.step(step).unwrap();
        if 3 * n > steps {
            forces.push(world.frame().contacts.iter().map(|c| c.force).sum::<Vec3>() / weight);
        }
    }
    forces
}

#[test]
fn a_stiff_wire_bears_its_weight_and_no_more() {
    let round = Section::Round { radius: 1e-3 };
    let shaken = || Motion::Sinusoid { amplitude: Vec3::X * 0.02, frequency: 2.0, phase: 0.0 };
    for (section, young) in [(strand(), 1e9), (round, 2e11)] {
        for solver in [Solver::Subsystems, Solver::Newton] {
            for step in [5e-4, 5e-3] {
                for (name, motion) in [("still", Motion::Hold), ("shaken", shaken())] {
                    let forces = borne(section, young, motion, solver, step);
                    let off = forces.iter().map(|f| (f.z - 1.0).abs()).fold(0.0, f64::max);
                    let aside = forces.iter().map(|f| f.x.hypot(f.y)).fold(0.0, f64::max);
                    let case = format!("{young:e} Pa, {solver:?}, {step} s, {name}");
                    assert!(off < 0.02, "{case}: off its weight by {off}");
                    assert!(aside < 0.3 * 1.02, "{case}: {aside} of its weight aside");
                }
            }
        }
    }
}
