//! Regrasping hand over hand: two hands haul up a hanging cable in turns. Each grasps it below the other, lifts, and
//! lets go only when the other holds.
//!
//! `cargo run --release -p pliant --example hand_over_hand`

use std::error::Error;

use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Drive, Friction, GripId, GripperId, GripperParams, Hold, Material, World};

const DT: f64 = 0.005;
/// How much a hand hauls in before the other takes over [m].
const HAUL: f64 = 0.1;

/// Move a hand to a place within a time [s], on a straight way.
fn move_to(world: &mut World, hand: GripperId, goal: Vec3, seconds: f64) -> Result<(), Box<dyn Error>> {
    let start = world.gripper(hand)?.sweep.end.translation;
    let steps = (seconds / DT).round() as usize;
    for step in 1..=steps {
        let at = start.lerp(goal, step as f64 / steps as f64);
        world.drive(hand, Drive::Pose(Pose::from_translation(at)))?;
        world.step(DT)?;
    }
    Ok(())
}

/// Close a hand around the cable where that is within a centimetre.
fn grasp(world: &mut World, hand: GripperId) -> Result<GripId, Box<dyn Error>> {
    Ok(world.grasp_nearest(hand, 0.01, Hold::Position)?.ok_or("there is no cable where the hand closes")?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let rubber =
        Material { young: 5e6, poisson: 0.49, density: 1100.0, friction: Friction { coefficient: 0.5, exponent: 1.0 } };
    let mut world = World::new(Vec3::NEG_Z * 9.81);
    let mut spec = CableSpec::round(rubber, 0.003, vec![Vec3::ZERO, Vec3::NEG_Z], 80);
    spec.settings = CableSettings { drag: 2.0, ..spec.settings };
    let cable = world.add_body(Body::Cable(Cable::new("cable", spec)?))?;
    let hands = [
        world.add_gripper(GripperParams::at("left", Pose::IDENTITY))?,
        world.add_gripper(GripperParams::at("right", Pose::from_translation(Vec3::X * 0.1)))?,
    ];

    let mut grip = grasp(&mut world, hands[0])?;
    for turn in 0..6 {
        let (holding, free) = (hands[turn % 2], hands[(turn + 1) % 2]);
        // the holding hand hauls up, the free one goes to where the cable hangs below it
        move_to(&mut world, holding, Vec3::Z * HAUL, 0.5)?;
        move_to(&mut world, free, Vec3::new(0.1, 0.0, 0.0), 0.2)?;
        move_to(&mut world, free, Vec3::ZERO, 0.2)?;
        let next = grasp(&mut world, free)?;
        world.release(grip)?;
        grip = next;
        move_to(&mut world, holding, Vec3::new(0.1, 0.0, HAUL), 0.2)?;
        let lowest = world.frame().bodies[world.body_index(cable)?].nodes.iter().map(|p| p.z).fold(0.0, f64::min);
        println!(
            "{:.2} s: the cable hangs down to {lowest:.3} m, held at {:?}",
            world.time(),
            world.grip(grip)?.params.place
        );
    }
    let nodes = &world.frame().bodies[world.body_index(cable)?].nodes;
    let lowest = nodes.iter().map(|p| p.z).fold(0.0, f64::min);
    if lowest > -0.5 { Ok(()) } else { Err("the cable was not hauled up".into()) }
}
