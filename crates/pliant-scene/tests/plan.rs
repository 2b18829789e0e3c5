//! Scenes with a goal: it is reached without touching anything; with a grasp: it holds, or is told not to.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::PathBuf;

use pliant_plan::{Clearance, Outcome, Task};
use pliant_scene::{Override, load, task};

fn scene(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name)
}

#[track_caller]
fn solved(name: &str) -> (Task, Outcome, Clearance) {
    let task = task(&scene(name), &[]).unwrap().unwrap();
    let outcome = task.solve(&mut |_| true).unwrap();
    let clearance = task.clearance(&outcome.plan);
    println!(
        "{name}: {:?}, {} s, {} virtual, {} steps, {clearance:?}",
        outcome.ending,
        outcome.plan.duration(),
        outcome.fills.len(),
        outcome.steps
    );
    (task, outcome, clearance)
}

/// Goals are reached, and the true robot keeps nine tenths of the safety distance from the true obstacles: the rest is what corners cut
/// in a step.
#[track_caller]
fn is_reached_without_touching(name: &str) -> (Task, Outcome) {
    let (task, outcome, clearance) = solved(name);
    assert!(outcome.reached(), "{name}: {} m away", outcome.distance);
    assert!(clearance.least > 0.9 * task.settings.safety, "{name}: {clearance:?}");
    assert!(clearance.own > 0.0, "{name}: {clearance:?}");
    (task, outcome)
}

#[test]
fn the_robot_finds_out_of_the_trap() {
    is_reached_without_touching("trap.toml");
}

#[test]
fn the_robot_goes_through_the_gap() {
    is_reached_without_touching("gap.toml");
}

#[test]
fn the_arm_reaches_across_the_table() {
    is_reached_without_touching("table.toml");
}

#[test]
fn the_rover_crosses_the_hills_upright() {
    let (task, outcome) = is_reached_without_touching("rover.toml");
    let margin = task.margin(&outcome.plan).unwrap();
    println!("{:?}", margin.least());
    assert!(margin.least().unwrap().angle > 0.0, "{:?}", margin.least());
    // it stands on all its wheels, once it has come down on them
    assert!(margin.footings.iter().all(|footing| footing.feet == 3));
}

fn shaken(overrides: &[Override]) -> f64 {
    let mut scene = load(&scene("grasp.toml"), overrides).unwrap();
    while scene.world.time() < scene.duration - 0.5 * scene.step {
        scene.world.step(scene.step).unwrap();
    }
    let shaking = scene.grasp.unwrap();
    let grasp = shaking.judge(&mut scene.world, scene.step).unwrap();
    println!("{grasp:?}");
    assert_eq!(grasp.shaken.len(), 6);
    // nothing but the fingers holds it, and no weight pulls: they push from all sides alike
    assert!(grasp.net_force.length() < 0.02 * grasp.squeeze, "{grasp:?}");
    grasp.worst().unwrap().moved
}

#[test]
fn the_grasp_holds_and_a_slippery_one_does_not() {
    let held = shaken(&[]);
    assert!(held < 0.02, "{held}");
    let slippery: Vec<Override> =
        ["rubber", "foam"].map(|name| format!("material.{name}.friction.coefficient=0.02").parse().unwrap()).to_vec();
    let lost = shaken(&slippery);
    assert!(lost > 0.02, "{lost}");
}
