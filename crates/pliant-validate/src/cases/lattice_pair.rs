//! A spring and a damper between two masses, Fig. 21 of Joukhadar, "Robot-Phi": lambda = 100 N/m, mu = 5 N s/m.

use pliant::lattice::{Connector, LatticeSettings, Pace, Part, Scheme, Site};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::{GripParams, GripperParams, Hold, Place, World};

use super::lattice_worlds::{body_of, lattice, material, steps, world_with};
use super::references_particles::{Stretch, particles};
use super::rods::built;
use super::{Case, Sheet, largest};

/// Cases of this file.
pub const CASES: &[Case] = &[Case::of_lattice("damped-pair", damped_pair)];

/// Initial stretch [m].
const STRETCH: f64 = 0.1;

/// Two unit masses along x, released stretched; one of them held or both free.
fn pair(scheme: Scheme, pace: Pace, held: bool) -> World {
    let part = Part::Points { places: vec![Vec3::ZERO, Vec3::X * (1.0 + STRETCH)], masses: vec![1.0, 1.0] };
    let site = |x: f64| Site { part: 0, point: Vec3::X * x };
    let ends = [site(0.0), site(1.0 + STRETCH)];
    let spring = Connector::Line { ends, rest: Some(1.0), stiffness: 100.0, damping: 5.0 };
    let mut spec = body_of(part, material(1.0, 0.3), LatticeSettings { scheme, pace, ..LatticeSettings::default() });
    spec.connectors.push(spring);
    let mut world = world_with([spec], Vec3::ZERO);
    if held {
        let gripper = GripperParams { name: "wall".into(), placed: Pose::IDENTITY, motion: Motion::Hold };
        let gripper = built(world.add_gripper(gripper));
        let (place, hold) = (Place::Node(0), Hold::Position);
        built(world.add_grip(GripParams::new(gripper, built(world.body_at(0)), place, hold)));
    }
    world
}

/// The largest deviation from samples, relative to the initial stretch.
fn off(mut world: World, samples: &[Stretch]) -> f64 {
    // all samples are at multiples of 50 ms
    let (dt, mut worst, mut compared) = (0.05, 0.0_f64, 0);
    for n in 1..=20 {
        if !steps(&mut world, dt, 1) {
            return f64::NAN;
        }
        let places = lattice(&world, 0).places();
        let stretch = ((places[1] - places[0]).length() - 1.0) / STRETCH;
        let now = |s: &&Stretch| (s.t - dt * f64::from(n)).abs() < 1e-6;
        if let Some(sample) = samples.iter().find(now) {
            (worst, compared) = (largest([worst, (stretch - sample.dp_over_dp0).abs()]), compared + 1);
        }
    }
    // samples that are not where they are looked for would compare nothing
    let due = samples.iter().filter(|sample| sample.t > 0.0 && sample.t < 1.0 + 0.5 * dt).count();
    if compared == due && due > 0 { worst } else { f64::NAN }
}

/// Every scheme, with constant and adaptive steps.
fn damped_pair(sheet: &mut Sheet) {
    let references = particles().damped_pair;
    let taylor = Scheme::Development { alpha: 0.5, beta: 1.0 / 3.0 };
    let plain = Scheme::Development { alpha: 0.0, beta: 0.0 };
    let pairs = [
        ("one free mass", true, references.one_free_unit_mass.samples),
        ("two free masses", false, references.two_free_unit_masses.samples),
    ];
    for (masses, held, samples) in &pairs {
        for (name, scheme, order) in [("Verlet", Scheme::Verlet, 2.0), ("1/2, 1/3", taylor, 2.0), ("0, 0", plain, 1.0)]
        {
            let at = |count: usize| off(pair(scheme, Pace::Constant { step: 0.05 / count as f64 }, *held), samples);
            let errors = [50, 100, 200].map(at);
            // with w tau = 0.0035 a second-order method is off by about (w tau)^2 = 1.3e-5, a first-order one by about
            // w tau
            let tolerance = if order > 1.5 { 3e-5 } else { 5e-3 };
            let text = format!("largest error of {masses}, {name}, step 0.25 ms");
            sheet.scaled(text, 200, [errors[2], 0.0, 1.0], tolerance);
            sheet.order(&format!("{masses}, {name}"), [50, 100, 200], errors, order);
        }
        // each step may be off by 3e-3 of the kinetic energy: some hundred steps, whose errors may all have the same
        // sign
        let usual = Pace::Adaptive { energy_error: None, budget: None };
        let text = format!("largest error of {masses}, Verlet, adaptive");
        sheet.scaled(text, 20, [off(pair(Scheme::Verlet, usual, *held), samples), 0.0, 1.0], 2e-2);
        let fine = Pace::Adaptive { energy_error: Some(1e-8), budget: None };
        let text = format!("largest error of {masses}, Verlet, adaptive, 1e-8 J a step");
        sheet.scaled(text, 20, [off(pair(Scheme::Verlet, fine, *held), samples), 0.0, 1.0], 1e-3);
    }
}
