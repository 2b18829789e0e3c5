//! A first cable: one end is held, the other falls, and the hand feels the cable's weight when it has come to rest.
//!
//! `cargo run --release -p pliant --example first_cable`

use std::error::Error;

use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Material, Place, World};

fn main() -> Result<(), Box<dyn Error>> {
    let gravity = 9.81;
    let mut world = World::new(Vec3::NEG_Z * gravity);

    // half a metre of silicone cord, 4 mm thick; drag lets it come to rest within seconds
    let silicone = Material {
        young: 4.5e6,
        poisson: 0.49,
        density: 1100.0,
        friction: Friction { coefficient: 0.5, exponent: 1.0 },
    };
    let (start, end) = (Vec3::Z, Vec3::Z + Vec3::X * 0.5);
    let mut spec = CableSpec::round(silicone, 0.002, vec![start, end], 50);
    spec.settings = CableSettings { drag: 3.0, ..spec.settings };
    let weight = silicone.density * spec.section.area() * 0.5 * gravity;
    let cord = world.add_body(Body::Cable(Cable::new("cord", spec)?))?;

    // a hand that holds its start, and lets it turn
    let hand = world.add_gripper(GripperParams::at("hand", Pose::from_translation(start)))?;
    world.add_grip(GripParams::new(hand, cord, Place::Fraction(0.0), Hold::Position))?;

    for second in 1..=5 {
        while world.time() < f64::from(second) - 1e-9 {
            world.step(0.01)?;
        }
        let tip = world.frame().bodies[world.body_index(cord)?].nodes[50];
        println!("{second} s: the tip is at {tip:.3} m, the hand feels {:.4} N", world.gripper(hand)?.load.force);
    }
    let felt = world.gripper(hand)?.load.force.length();
    println!("the cord weighs {weight:.4} N");
    if (felt - weight).abs() < 1e-3 * weight { Ok(()) } else { Err("the hand does not feel the weight".into()) }
}
