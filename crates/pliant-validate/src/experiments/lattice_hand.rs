//! Joukhadar's Fig. 31: a hand holds an object for 50 s, with adaptive and with constant steps.

use std::time::Instant;

use pliant_scene::Scene;

use super::lattice_pictures::{Picture, View};
use super::lattice_steps::{Whole, solid};
use super::{Results, scene};
use crate::Failure;
use pliant_record::short;

const HAND: &str = include_str!("../../scenes/hand.toml");

/// Duration of runs with constant steps, in which the hand closes and lifts [s].
const TRIED: f64 = 5.0;

/// A run that may have diverged.
struct Grasp {
    scene: Scene,
    wall: f64,
    /// Whether the object kept its distance from the gripper to within a tenth of a metre.
    held: bool,
}

impl Grasp {
    fn new(changes: &[(&str, &str)], mut seen: impl FnMut(&Scene) -> Result<(), Failure>) -> Result<Grasp, Failure> {
        let mut scene = scene(HAND, "scenes/hand.toml", changes)?;
        let before = apart(&scene)?;
        let steps = (scene.duration / scene.step).round() as usize;
        let clock = Instant::now();
        let mut sound = true;
        for _ in 0..steps {
            if scene.world.step(scene.step).is_err() {
                sound = false;
                break;
            }
            seen(&scene)?;
        }
        let wall = clock.elapsed().as_secs_f64();
        let held = sound && (apart(&scene)? - before).abs() < 0.1;
        Ok(Grasp { scene, wall, held })
    }
}

/// Distance of the object from the gripper that holds the hand [m].
fn apart(scene: &Scene) -> Result<f64, Failure> {
    let thing = Whole::of(solid(&scene.world, scene.world.bodies().len() - 1)?).centre;
    let arm = scene.world.grippers().first().map(|g| g.sweep.end.translation);
    Ok(arm.map_or(f64::NAN, |arm| (thing - arm).length()))
}

/// Fig. 31: a hand holds an object.
pub fn hand(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "hand",
        "a palm and three fingers of three boxes each, joined by connectors; the paper's is a Salisbury hand",
    );
    results.choice("machine", "this one, two threads or fewer; the paper's is of 1995");
    results.choice(
        "constant steps",
        "the longest of some with which the run stays sound and the thing held, and, beside it, the shortest that adaptive \
         steps took; both timed over 5 s and counted for 50 s",
    );
    let mut picture = Picture::new("A hand closes on a thing and holds it (Fig. 31)", View::from(-35.0, 12.0));
    let shots = [0.01, 2.5, 6.0, 50.0];
    let mut drawn = 0;
    let whole = Grasp::new(&[], |scene| {
        if drawn < shots.len() && scene.world.time() > shots[drawn] - 0.5 * scene.step {
            let time = shots[drawn];
            let moved = [0.26 * drawn as f64, 0.0];
            // relative to the arm
            let at = scene.world.grippers().first().map(|g| g.sweep.end.translation).unwrap_or_default();
            let back = [-at.dot(View::from(-35.0, 12.0).right), -at.dot(View::from(-35.0, 12.0).up)];
            for n in 0..scene.world.bodies().len() {
                picture.body(
                    solid(&scene.world, n)?,
                    if n == 0 { &[0, 3] } else { &[1] },
                    [moved[0] + back[0], moved[1] + back[1]],
                );
            }
            picture.note(pliant::math::Vec3::Z * -0.22, moved, format!("{time} s"));
            drawn += 1;
        }
        Ok(())
    })?;
    let seconds = whole.scene.duration;
    let ledger = *solid(&whole.scene.world, 0)?.ledger();
    results.statement(
        "the thing is held for 50 s; distance to the arm at the end",
        "m",
        apart(&whole.scene)?,
        whole.held,
    );
    let text = "in real time, 50 s with adaptive steps take (paper 50)";
    results.statement(text, "s", whole.wall, whole.wall <= seconds);
    let attempts = (ledger.steps + ledger.refused) as f64;
    results.remark(format!(
        "Adaptive: {} steps and {} refused, the shortest {} s, the mean {} s.",
        ledger.steps,
        ledger.refused,
        short(ledger.shortest),
        short(seconds / ledger.steps as f64)
    ));
    // as long as the runs with constant steps, at about the same time
    let first = Grasp::new(&[("duration", "5.0")], |_| Ok(()))?;
    let tried = *solid(&first.scene.world, 0)?.ledger();
    let per_attempt = first.wall / (tried.steps + tried.refused) as f64;
    let bodies: Vec<String> =
        whole.scene.world.bodies().iter().map(|b| format!("body.{}.lattice.step", b.name())).collect();
    let constant = |step: f64| {
        let number = format!("{step:e}");
        let mut changes: Vec<(&str, &str)> = bodies.iter().map(|key| (key.as_str(), number.as_str())).collect();
        changes.push(("duration", "5.0"));
        Grasp::new(&changes, |_| Ok(()))
    };
    let mut step = seconds / ledger.steps as f64 * 4.0;
    let mut sound = constant(step)?;
    while !sound.held && step > ledger.shortest {
        step *= 0.8;
        sound = constant(step)?;
    }
    let per_step = sound.wall * step / TRIED;
    for (name, step) in [("the longest that is sound", step), ("the shortest of the adaptive ones", ledger.shortest)] {
        let wall = per_step * seconds / step;
        let text = format!("with constant steps, {name}, they take longer (paper 250)");
        results.statement(text, "s", wall, wall > per_attempt * attempts);
        // both from times measured one after the other, since the machine may be busy at times
        let gain = wall / (per_attempt * attempts);
        results.number(format!("gain in time over {name}"), "-", 5.0, gain);
        let count = seconds / step / attempts;
        results.statement(format!("gain in number of steps over {name}, always above 1"), "-", count, count > 1.0);
        results.remark(format!("Constant, {name}: {} s.", short(step)));
    }
    results.number("time of an adaptive step over that of a constant one", "-", 1.5, per_attempt / per_step);
    results.pictures.push(("003-hand".into(), picture.svg()));
    Ok(())
}
