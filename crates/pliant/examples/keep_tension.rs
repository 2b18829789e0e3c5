//! A controller that keeps 2 N of tension: a hand holds the end of a taut cable and moves so that it feels 2 N, while the
//! other end is moved to and fro.
//!
//! `cargo run --release -p pliant --example keep_tension`

use std::error::Error;

use pliant::cable::{Cable, CableSpec};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Drive, Friction, GripParams, GripperParams, Hold, Material, Place, World};

/// What the hand is to feel [N].
const WANTED: f64 = 2.0;

fn main() -> Result<(), Box<dyn Error>> {
    let rubber =
        Material { young: 5e6, poisson: 0.49, density: 1100.0, friction: Friction { coefficient: 0.5, exponent: 1.0 } };
    let (dt, radius, length) = (0.005, 0.002, 0.4);
    let mut world = World::new(Vec3::NEG_Z * 9.81);
    let path = vec![Vec3::ZERO, Vec3::X * length];
    let spec = CableSpec::round(rubber, radius, path, 40);
    let stiffness = rubber.young * spec.section.area() / length;
    let cable = world.add_body(Body::Cable(Cable::new("cable", spec)?))?;
    let robot = world.add_gripper(GripperParams::at("robot", Pose::IDENTITY))?;
    let hand = world.add_gripper(GripperParams::at("hand", Pose::from_translation(Vec3::X * length)))?;
    world.add_grip(GripParams::new(robot, cable, Place::Fraction(0.0), Hold::Position))?;
    world.add_grip(GripParams::new(hand, cable, Place::Fraction(1.0), Hold::Position))?;

    // an integral controller: the hand moves by a part of the way that the missing tension would stretch the cable
    let (mut place, mut worst) = (length, 0.0_f64);
    for step in 0..1200 {
        let time = f64::from(step) * dt;
        let sway = 0.01 * (2.0 * time).sin();
        world.drive(robot, Drive::Pose(Pose::from_translation(Vec3::X * sway)))?;
        let felt = -world.gripper(hand)?.load.force.x;
        place += 0.4 * (WANTED - felt) / stiffness;
        world.drive(hand, Drive::Pose(Pose::from_translation(Vec3::X * place)))?;
        world.step(dt)?;
        if time > 1.0 {
            worst = worst.max((felt - WANTED).abs());
        }
        if step % 200 == 0 {
            println!("{time:.1} s: the robot is at {sway:+.4} m, the hand at {place:.4} m and feels {felt:.4} N");
        }
    }
    println!("after the first second at most {worst:.4} N from {WANTED} N");
    if worst < 0.05 * WANTED { Ok(()) } else { Err("the tension was not kept".into()) }
}
