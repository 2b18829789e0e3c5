//! A step in which a body would gain energy from nothing is taken in parts: the same as if the caller had shortened it,
//! with the loads on grippers as means over the whole.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use pliant::math::Vec3;
use pliant::{StepError, World, Wrench};
use pliant_scene::parse;

/// A stiff rod of `xpbd` between two hands, which gains energy as its load and its weight come to act at once.
const SCENE: &str = r#"
duration = 1.0
step = 0.002
[material.m]
young = 9.378e7
poisson = 0.3
density = 381
friction = { coefficient = 0.26 }
[[body]]
name = "b"
model = "xpbd"
material = "m"
radius = 0.00115
path = [[0, 0, 0.2004], [0.3, 0.0646, 0.2300]]
segments = 13
[[gripper]]
name = "one"
grips = [{ body = "b", at = "start", orientation = true }]
position = [0, 0, 0.2004]
motion = { hold = {} }
[[gripper]]
name = "other"
grips = [{ body = "b", at = "end", orientation = true, until = 0.39 }]
position = [0.3, 0.0646, 0.2300]
motion = { sinusoid = { amplitude = [0.0045, 0.0045, 0.0216], frequency = 0.87 } }
[[load]]
body = "b"
at = "end"
force = [-0.0936, 0.0339, -0.0284]
"#;

const STEP: f64 = 0.002;

/// The nodes of the rod.
fn nodes(world: &World) -> Vec<Vec3> {
    let mut nodes = vec![];
    world.bodies()[0].write_nodes(&mut nodes);
    nodes
}

/// The world a step later, after so many shorter steps, and the mean loads of its grippers.
fn by_hand(world: &World, parts: u32) -> Result<(World, Vec<Wrench>), StepError> {
    let mut world = world.clone();
    let mut loads = vec![Wrench::default(); world.grippers().len()];
    for _ in 0..parts {
        world.step(STEP / f64::from(parts))?;
        for (sum, gripper) in loads.iter_mut().zip(world.grippers()) {
            sum.force += gripper.load.force / f64::from(parts);
            sum.torque += gripper.load.torque / f64::from(parts);
        }
    }
    Ok((world, loads))
}

#[test]
fn a_step_that_gains_is_that_of_a_caller_who_shortens_it() {
    let mut world = parse(SCENE, "scene.toml", Path::new("."), &[]).unwrap().world;
    world.enforce_accounts(true);
    let mut divided = 0;
    for _ in 0..100 {
        let mut freely = world.clone();
        freely.enforce_accounts(false);
        freely.step(STEP).unwrap();
        let before = world.clone();
        world.step(STEP).unwrap();
        let there = nodes(&world);
        if nodes(&freely) == there {
            continue;
        }
        divided += 1;
        let same = |parts: &u32| by_hand(&before, *parts).is_ok_and(|(other, _)| nodes(&other) == there);
        let parts =
            [2, 4, 8, 16].into_iter().find(same).unwrap_or_else(|| panic!("no number of parts makes this step"));
        let (_, loads) = by_hand(&before, parts).unwrap();
        for (mean, gripper) in loads.iter().zip(world.grippers()) {
            assert!((mean.force - gripper.load.force).length() <= 1e-12 * mean.force.length().max(1e-3));
            assert!((mean.torque - gripper.load.torque).length() <= 1e-12 * mean.torque.length().max(1e-3));
        }
    }
    assert!(divided > 0, "no step of this scene gains too much: it tests nothing");
    // the clock has counted whole steps
    assert_eq!((world.step_count(), world.time()), (100, 100.0 * STEP));
}
