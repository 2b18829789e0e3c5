use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Start};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Drive, Friction, GripperParams, Hold, Material, Place, Rest, Section, StepError, World};

/// Advance by `dt` [s], in halves if a step fails, down to steps of `shortest` [s].
fn advance(world: &mut World, dt: f64, shortest: f64) -> Result<(), StepError> {
    match world.step(dt) {
        Err(error) if matches!(error, StepError::Stopped { .. }) || dt <= shortest => Err(error),
        Err(_) => {
            advance(world, dt / 2.0, shortest)?;
            advance(world, dt / 2.0, shortest)
        }
        Ok(()) => Ok(()),
    }
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // an arch that does not stretch, held at both ends
    let spring = Material { young: 2e9, poisson: 0.3, density: 1100.0, friction: Friction::NONE };
    let spec = ElasticaSpec {
        material: spring,
        section: Section::Round { radius: 0.001 },
        path: vec![Vec3::ZERO, Vec3::new(0.14, 0.0, 0.05), Vec3::new(0.28, 0.0, 0.0)],
        normal: None,
        rest: Rest::Straight,
        intervals: 16,
        settings: ElasticaSettings { start: Start::Path, drag: 20.0, ..ElasticaSettings::default() },
    };
    let mut world = World::new(Vec3::new(0.0, 0.0, -9.81));
    let rod = world.add_body(Body::Elastica(Elastica::new("rod", spec)?))?;
    let wall = world.add_gripper(GripperParams::at("wall", Pose::IDENTITY))?;
    let hand = world.add_gripper(GripperParams::at("hand", Pose::from_translation(Vec3::X * 0.28)))?;
    world.grasp(wall, rod, Place::Fraction(0.0), Hold::Position)?;
    world.grasp(hand, rod, Place::Fraction(1.0), Hold::Position)?;

    // the hand pulls it straight, and then wants more
    let pull = |speed: f64| Drive::Velocity { linear: Vec3::X * speed, angular: Vec3::ZERO };
    world.drive(hand, pull(0.1))?;
    let mut refused = 0;
    while world.time() < 0.6 {
        match advance(&mut world, 0.01, 0.001) {
            Ok(()) => {}
            // change something: the hand gives way
            Err(error @ StepError::Hold { .. }) if refused < 10 => {
                println!("{error}");
                refused += 1;
                world.drive(hand, pull(-0.02))?;
            }
            // stop: the world is still that of the last good step, to be looked at or saved
            Err(error) => {
                std::fs::write(std::env::temp_dir().join("last.snapshot"), world.snapshot().to_bytes())?;
                return Err(error.into());
            }
        }
    }
    let at = world.gripper(hand)?.sweep.end.translation.x;
    println!("at the end the hand is at {at:.4} m and feels {:.3} N", world.gripper(hand)?.load.force.length());
    Ok(())
}
