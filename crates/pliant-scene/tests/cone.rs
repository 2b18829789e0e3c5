//! Friction stays in its cone: at every contact of every cable in `scenes/`, after every step, from their first second on,
//! at their own step and at others. With `PLIANT_LONG` each scene runs to its end, at all steps.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use pliant::{Body, Contact, Other, World};

/// Steps at which scenes are tried besides their own [s].
const STEPS: [f64; 4] = [0.01, 0.005, 0.002, 0.001];

/// Iterations times links after which a scene ends at its own step, and at another: half a second or so, the same
/// on every machine.
const WORK: [u64; 2] = [300_000, 50_000];

/// The largest friction that a contact allows [N]; none where no cable is part of it.
fn limit(world: &World, contact: &Contact) -> Option<f64> {
    let Body::Cable(cable) = &world.bodies()[contact.body] else { return None };
    let law = match contact.other {
        Other::Obstacle(index) => cable.friction_on(&world.obstacles()[index]),
        Other::Body(index) => match &world.bodies()[index] {
            Body::Cable(other) => cable.friction_with(other),
            _ => return None,
        },
        Other::Slider(_) => return None,
    };
    Some(law.limit(contact.force.dot(contact.normal).max(0.0)))
}

/// Iterations times links of all cables so far.
fn work(world: &World) -> u64 {
    let of = |body: &Body| match body {
        Body::Cable(_) => body.counters().iterations * body.size() as u64,
        _ => body.counters().steps,
    };
    world.bodies().iter().map(of).sum()
}

/// Run a scene until it ends, or has done so much work; the number of contacts seen, those outside their cones with the
/// worst of these, and the time.
fn outside(path: &Path, step: Option<f64>, most: u64) -> (usize, usize, String, f64) {
    let pliant_scene::Scene { mut world, step: own, duration, .. } = pliant_scene::load(path, &[]).unwrap();
    let step = step.unwrap_or(own);
    let (mut seen, mut bad, mut worst, mut said) = (0, 0, 0.0, String::new());
    while world.time() < duration - 0.5 * step && work(&world) < most {
        if let Err(error) = world.step(step) {
            // a step that is too long for its motion is told, and no matter of friction
            assert!(step > own, "{} at {step} s: {error}", path.display());
            break;
        }
        for contact in &world.frame().contacts {
            let Some(limit) = limit(&world, contact) else { continue };
            let friction = contact.force.reject_from_normalized(contact.normal).length();
            seen += 1;
            if friction > limit * (1.0 + 1e-6) + 1e-9 {
                bad += 1;
                if friction - limit > worst {
                    (worst, said) = (friction - limit, format!("{friction} for {limit} at {} s", world.time()));
                }
            }
        }
    }
    (seen, bad, said, world.time())
}

#[test]
fn no_scene_has_friction_outside_its_cone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scenes: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ext| ext == "toml")).collect();
    scenes.sort();
    scenes.retain(|path| std::fs::read_to_string(path).unwrap().contains("\"cable\""));
    let long = std::env::var_os("PLIANT_LONG").is_some();
    let (mut all, mut faults) = (0, vec![]);
    for (n, path) in scenes.iter().enumerate() {
        // at each scene's own step, and in turn at one of the others
        let others = if long { &STEPS[..] } else { &STEPS[n % 4..=n % 4] };
        for step in std::iter::once(None).chain(others.iter().map(|step| Some(*step))) {
            let most = if long { u64::MAX } else { WORK[usize::from(step.is_some())] };
            let (seen, bad, worst, time) = outside(path, step, most);
            all += seen;
            println!("{} {step:?} {time:.2} s {seen} {bad} {worst}", path.display());
            if bad > 0 {
                faults.push(format!("{} at {step:?}: {bad} of {seen}, {worst}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(all > 100_000, "{all} contacts");
}
