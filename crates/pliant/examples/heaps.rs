//! What a step costs in a heap, by the number of pairs of links that touch: coils of 2 to 20 loops fall on a floor, and
//! every step of the whole run counts, the collapse too. Beside the means of each heap is the exponent of cost over pairs
//! between it and the first that has 50 pairs; last comes that of a line through all steps with at least 50 pairs, by least
//! squares.
//!
//! `cargo run --release -p pliant --example heaps -- [LOOPS ...] [tilt=DEGREES] [seconds=S]`

use std::error::Error;
use std::f64::consts::TAU;
use std::time::Instant;

use pliant::cable::{Cable, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::{Body, Friction, Material, Other, Rest, World};

/// Step of the world [s].
const STEP: f64 = 0.005;

/// Steps with fewer pairs that touch do not count in exponents.
const LEAST: f64 = 50.0;

/// What a run costs.
struct Cost {
    /// Pairs of links that touch after a step, mean over the run.
    pairs: f64,
    /// Mean time of a step [ms].
    step: f64,
    /// Deepest penetration of the run [m].
    depth: f64,
    /// Iterations a step.
    iterations: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str, default: f64| -> Result<f64, Box<dyn Error>> {
        let found = arguments.iter().find_map(|a| a.strip_prefix(name)?.strip_prefix('='));
        Ok(found.map_or(Ok(default), str::parse)?)
    };
    let (tilt, seconds) = (given("tilt", 0.0)?, given("seconds", 2.4)?);
    let loops: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let loops = if loops.is_empty() { vec![2, 5, 10, 20] } else { loops };
    let mut steps = vec![];
    println!("loops  pairs  ms a step  iterations  depth [mm]  exponent");
    let mut first: Option<Cost> = None;
    for count in loops {
        let cost = fall(count, tilt.to_radians(), seconds, &mut steps)?;
        let Cost { pairs, step, depth, iterations } = cost;
        let exponent = first.as_ref().map(|f| (step / f.step).ln() / (pairs / f.pairs).ln());
        let exponent = exponent.map_or(String::new(), |e| format!("{e:.2}"));
        println!("{count:5} {pairs:6.0} {step:10.2} {iterations:11.1} {:11.3} {exponent:>9}", 1e3 * depth);
        if pairs >= LEAST {
            first.get_or_insert(cost);
        }
    }
    println!("exponent over all steps with {LEAST} pairs and more: {:.2}", slope(&steps));
    Ok(())
}

/// Slope of the line through points that is best by least squares.
fn slope(points: &[[f64; 2]]) -> f64 {
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
    sum(&|p| (p[0] - x) * (p[1] - y)) / sum(&|p| (p[0] - x).powi(2))
}

/// Let a coil of PVC wire fall, with its axis tilted by an angle [rad]. Appends the logarithms of pairs and cost of each step
/// that has enough pairs.
fn fall(loops: usize, tilt: f64, seconds: f64, counted: &mut Vec<[f64; 2]>) -> Result<Cost, Box<dyn Error>> {
    let mut world = World::new(Vec3::NEG_Z * 9.81);
    let pvc =
        Material { young: 20e6, poisson: 0.4, density: 1300.0, friction: Friction { coefficient: 0.4, exponent: 1.0 } };
    let segments = 60 * loops;
    let place = |i: usize| {
        let turns = i as f64 / 60.0;
        let helix = Quat::from_rotation_z(TAU * turns) * (Vec3::X * 0.05) + Vec3::Z * (0.012 * turns);
        Vec3::Z * (0.02 + 0.05 * tilt.sin()) + Quat::from_rotation_y(tilt) * helix
    };
    let mut spec = CableSpec::round(pvc, 0.003, (0..=segments).map(place).collect(), segments);
    spec.rest = Rest::Path;
    let wire = world.add_body(Body::Cable(Cable::new("wire", spec)?))?;
    let floor = Shape::new(ShapeKind::Plane)?;
    world.add_obstacle(ObstacleParams::fixed("floor", floor, Pose::IDENTITY))?;
    let (mut frame, mut pairs, mut time, mut depth) = (world.frame(), 0.0, 0.0, 0.0_f64);
    let steps = (seconds / STEP).round() as usize;
    for _ in 0..steps {
        let begun = Instant::now();
        world.step(STEP)?;
        let took = begun.elapsed().as_secs_f64();
        world.write_frame(&mut frame);
        let touching = frame.contacts.iter().filter(|c| matches!(c.other, Other::Body(_))).count() as f64;
        if touching >= LEAST {
            counted.push([touching.ln(), took.ln()]);
        }
        (time, pairs) = (time + took, pairs + touching);
        depth = frame.contacts.iter().fold(depth, |most, c| most.max(c.penetration));
    }
    let iterations = world.bodies()[world.body_index(wire)?].counters().iterations;
    let each = |x: f64| x / steps as f64;
    Ok(Cost { pairs: each(pairs), step: each(1e3 * time), depth, iterations: each(iterations as f64) })
}
