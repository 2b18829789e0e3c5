//! What an engine costs that others build on: copies of a world, many bodies, many grasps. Prints a table; the times are
//! those of this machine.
//!
//! `cargo run --release -p pliant --example costs`

use std::error::Error;
use std::time::Instant;

use pliant::cable::{Cable, CableSpec};
use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Friction, GripperParams, Hold, Material, Place, Section, World};

const MATERIAL: Material =
    Material { young: 1e7, poisson: 0.4, density: 1100.0, friction: Friction { coefficient: 0.3, exponent: 1.0 } };

/// Median time of a call [us], over many.
fn median(mut act: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..201)
        .map(|_| {
            let begun = Instant::now();
            act();
            begun.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A cable of 160 links, 0.8 m long, and a gripper beside its start.
fn cable() -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Vec3::Z * -9.81);
    let spec = CableSpec::round(MATERIAL, 0.003, vec![Vec3::ZERO, Vec3::X * 0.8], 160);
    world.add_body(Body::Cable(Cable::new("cable", spec)?))?;
    world.add_gripper(GripperParams::at("hand", Pose::IDENTITY))?;
    world.ready()?;
    Ok(world)
}

fn copies() -> Result<(), Box<dyn Error>> {
    let mut world = cable()?;
    (0..10).try_for_each(|_| world.step(1e-3))?;
    let mut kept = world.snapshot();
    println!("160 links: a clone takes {:.1} us", median(|| drop(std::hint::black_box(world.clone()))));
    println!("160 links: a snapshot takes {:.1} us", median(|| world.write_snapshot(&mut kept)));
    let mut failed = false;
    println!("160 links: going back to it takes {:.1} us", median(|| failed |= world.restore(&kept).is_err()));
    if failed { Err("a snapshot of a world fits it".into()) } else { Ok(()) }
}

fn chains() -> Result<(), Box<dyn Error>> {
    for count in [100, 1000, 10_000] {
        let begun = Instant::now();
        let mut world = World::new(Vec3::Z * -9.81);
        for n in 0..count {
            let start = Vec3::Y * (0.1 * f64::from(n));
            let path = vec![start, start + Vec3::X * 0.2];
            let (section, settings) = (Section::Round { radius: 0.002 }, ChainSettings::default());
            let spec = ChainSpec { material: MATERIAL, section, path, points: Some(11), settings };
            world.add_body(Body::Chain(Chain::new(&format!("chain {n}"), spec)?))?;
        }
        world.ready()?;
        let time = begun.elapsed().as_secs_f64();
        println!("{count} chains: built and ready in {time:.3} s, {:.1} us each", time * 1e6 / f64::from(count));
    }
    Ok(())
}

fn grasps() -> Result<(), Box<dyn Error>> {
    let mut world = cable()?;
    let (Some(hand), Some(body)) = (world.gripper_named("hand"), world.body_named("cable")) else {
        return Err("they have been added".into());
    };
    let first = world.grasp(hand, body, Place::Fraction(0.0), Hold::Clamp)?;
    world.release(first)?;
    world.step(1e-3)?;
    let before = world.snapshot().to_bytes().len();
    let begun = Instant::now();
    for _ in 0..10_000 {
        let grip = world.grasp(hand, body, Place::Fraction(0.0), Hold::Clamp)?;
        world.release(grip)?;
    }
    let time = begun.elapsed().as_secs_f64();
    world.step(1e-3)?;
    let after = world.snapshot().to_bytes().len();
    println!(
        "10000 grasps and releases: {:.2} us each, a snapshot has {before} bytes before and {after} after",
        time * 100.0
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    copies()?;
    chains()?;
    grasps()
}
