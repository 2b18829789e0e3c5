//! A thousand worlds on all cores: the same cable with other stiffnesses and loads, as a sweep or a learner would have
//! them. Worlds are values: each is cloned from the first, changed, and stepped by whatever thread takes it.
//!
//! `cargo run --release -p pliant --example thousand_worlds`

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Load, LoadId, Material, Place, World};

const COUNT: usize = 1000;
/// Largest load at the tip [N].
const MOST: f64 = 2e-3;

/// A cantilever with a load at its tip, of which nothing acts yet.
fn cantilever() -> Result<(World, LoadId), Box<dyn Error>> {
    let rubber =
        Material { young: 5e6, poisson: 0.49, density: 1100.0, friction: Friction { coefficient: 0.5, exponent: 1.0 } };
    let mut world = World::new(Vec3::ZERO);
    let mut spec = CableSpec::round(rubber, 0.002, vec![Vec3::ZERO, Vec3::X * 0.2], 20);
    spec.settings = CableSettings { drag: 15.0, ..spec.settings };
    let cable = world.add_body(Body::Cable(Cable::new("cable", spec)?))?;
    let wall = world.add_gripper(GripperParams::at("wall", Pose::IDENTITY))?;
    world.add_grip(GripParams::new(wall, cable, Place::Fraction(0.0), Hold::Clamp))?;
    let load = world.add_load(Load::new(cable, Place::Fraction(1.0), Vec3::ZERO))?;
    world.ready()?;
    Ok((world, load))
}

/// How far the tip of a world sinks under a load [m].
fn sink(first: &World, load: LoadId, force: f64) -> Result<f64, Box<dyn Error + Send + Sync>> {
    let mut world = first.clone();
    world.set_load(load, Vec3::NEG_Z * force, Vec3::ZERO)?;
    for _ in 0..200 {
        world.step(0.01)?;
    }
    Ok(-world.frame().bodies[0].nodes[20].z)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (first, load) = cantilever()?;
    let forces: Vec<f64> = (1..=COUNT).map(|i| MOST * i as f64 / COUNT as f64).collect();
    let cores = thread::available_parallelism()?.get();
    let (next, begun) = (AtomicUsize::new(0), std::time::Instant::now());
    let mut found = vec![0.0; COUNT];
    thread::scope(|scope| -> Result<(), Box<dyn Error + Send + Sync>> {
        let work = || -> Result<Vec<(usize, f64)>, Box<dyn Error + Send + Sync>> {
            let mine = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|i| *i < COUNT);
            mine.map(|i| Ok((i, sink(&first, load, forces[i])?))).collect()
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            for (i, tip) in thread.join().map_err(|_| "a thread panicked")?? {
                found[i] = tip;
            }
        }
        Ok(())
    })
    .map_err(|e| e.to_string())?;
    let seconds = begun.elapsed().as_secs_f64();
    println!("{COUNT} worlds of 2 s on {cores} cores: {seconds:.2} s, {:.0} x real time", 2.0 * COUNT as f64 / seconds);
    for i in [99, 499, 999] {
        println!("{:.1} mN: the tip sinks by {:.2} mm", 1e3 * forces[i], 1e3 * found[i]);
    }
    // small loads: F L^3 / (3 E I)
    let inertia = std::f64::consts::PI / 4.0 * 0.002_f64.powi(4);
    let expected = forces[9] * 0.2_f64.powi(3) / (3.0 * 5e6 * inertia);
    println!("{:.2} mN: {:.4} mm, {:.4} mm by F L^3 / (3 E I)", 1e3 * forces[9], 1e3 * found[9], 1e3 * expected);
    if (found[9] - expected).abs() < 0.01 * expected { Ok(()) } else { Err("beams do not bend like that".into()) }
}
