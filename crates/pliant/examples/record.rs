//! Recording a run of one's own: a cable swings, driven from code, and the run leaves what `pliant run --out` leaves: a
//! recording for Foxglove and Rerun, a table of samples, and a report to open in a browser.
//!
//! `cargo run --release -p pliant --example record [FOLDER]`

use std::error::Error;
use std::path::PathBuf;

use pliant::cable::{Cable, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::{Body, Drive, Friction, GripParams, GripperParams, Hold, Material, Place, World};
use pliant_record::{Outcome, Recorder, RunInfo};

fn main() -> Result<(), Box<dyn Error>> {
    let rubber =
        Material { young: 5e6, poisson: 0.49, density: 1100.0, friction: Friction { coefficient: 0.5, exponent: 1.0 } };
    let mut world = World::new(Vec3::NEG_Z * 9.81);
    world.add_obstacle(ObstacleParams::fixed("floor", Shape::new(ShapeKind::Plane)?, Pose::IDENTITY))?;
    let start = Vec3::Z * 0.3;
    let spec = CableSpec::round(rubber, 0.003, vec![start, start + Vec3::X * 0.4], 40);
    let cable = world.add_body(Body::Cable(Cable::new("cable", spec)?))?;
    let hand = world.add_gripper(GripperParams::at("hand", Pose::from_translation(start)))?;
    world.add_grip(GripParams::new(hand, cable, Place::Fraction(0.0), Hold::Clamp))?;

    let (duration, step) = (3.0, 0.01);
    let folder = match std::env::args().nth(1) {
        Some(folder) => PathBuf::from(folder),
        None => std::env::temp_dir().join(format!("pliant-record-{}", std::process::id())),
    };
    let info = RunInfo {
        title: "A cable swings".into(),
        scene: "record.rs".into(),
        command: "cargo run --example record".into(),
        duration,
        step,
        view: pliant::View::default(),
    };
    let mut recorder = Recorder::create(&folder, &world, info)?;
    while world.time() < duration - 0.5 * step {
        let lift = 0.05 * (4.0 * world.time()).sin();
        world.drive(hand, Drive::Pose(Pose::from_translation(start + Vec3::Z * lift)))?;
        world.step(step)?;
        recorder.record(&world)?;
    }
    let summary = vec![("force on the hand [N]".to_string(), format!("{:.4}", world.gripper(hand)?.load.force))];
    let outcome = Outcome { ok: true, text: "it swung".into(), summary, expectations: vec![] };
    let paths = recorder.finish(&outcome)?;
    println!("recording: {}", paths.recording.display());
    println!("samples:   {}", paths.samples.display());
    println!("report:    {}", paths.report.display());
    Ok(())
}
