//! Friction stays in its cone: at every contact of every cable in `scenes/`, after every step of their first second.

#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use pliant::{Body, Contact, Other, World};

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

#[test]
fn no_scene_has_friction_outside_its_cone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scenes: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ext| ext == "toml")).collect();
    scenes.sort();
    let mut seen = 0;
    for path in scenes {
        if !std::fs::read_to_string(&path).unwrap().contains("\"cable\"") {
            continue;
        }
        let pliant_scene::Scene { mut world, step, .. } = pliant_scene::load(&path, &[]).unwrap();
        for _ in 0..(1.0 / step).round() as usize {
            world.step(step).unwrap();
            for contact in &world.frame().contacts {
                let Some(limit) = limit(&world, contact) else { continue };
                let friction = contact.force.reject_from_normalized(contact.normal).length();
                assert!(
                    friction <= limit * (1.0 + 1e-6) + 1e-9,
                    "{} at {} s: {contact:?}",
                    path.display(),
                    world.time()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 100_000, "{seen} contacts");
}
