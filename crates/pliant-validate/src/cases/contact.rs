//! Worlds in which cables are in contact, shared by several files.

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Frame, Friction, GripParams, GripperParams, Hold, Material, Place, Rigidities, Section, World};

use super::rods::{DENSITY, built};

/// Young's modulus of the paper's silicone [Pa].
pub const YOUNG: f64 = 4.462e6;
/// Radius of the paper's cable [m].
pub const RADIUS: f64 = 2e-3;

/// Coulomb friction.
pub fn coulomb(coefficient: f64) -> Friction {
    Friction { coefficient, exponent: 1.0 }
}

/// Silicone with a given friction.
pub fn silicone(friction: Friction) -> Material {
    Material { young: YOUNG, poisson: 0.4999, density: DENSITY, friction }
}

/// Rigidities of the paper's cable, with factors on its bending and its axial stiffness.
pub fn rigidities(bending: f64, stretching: f64) -> Rigidities {
    let (material, section) = (silicone(Friction::NONE), Section::Round { radius: RADIUS });
    let [ea, ga, _, gj, ei, _] = section.rigidities(&material);
    let mass_per_length = section.mass_per_length(&material);
    let (ei, gj) = (bending * ei, bending * gj);
    Rigidities { radius: RADIUS, mass_per_length, ea: stretching * ea, ga: stretching * ga, ei: [ei; 2], gj }
}

/// A cable, straight without load, in a world of its own.
pub fn cable(
    material: Material,
    section: Section,
    path: Vec<Vec3>,
    segments: usize,
    settings: CableSettings,
    gravity: Vec3,
) -> World {
    let spec = CableSpec { material, section, path, normal: None, rest: Rest::Straight, segments, settings };
    world_with(spec, gravity)
}

/// A cable in a world of its own.
pub fn world_with(spec: CableSpec, gravity: Vec3) -> World {
    let mut world = World::new(gravity);
    let body = built(Cable::new("cable", spec));
    built(world.add_body(Body::Cable(body)));
    world
}

/// Add a fixed obstacle.
pub fn obstacle(world: &mut World, name: &str, kind: ShapeKind, placed: Pose) {
    let shape = Shape::new(kind).unwrap_or_else(|e| unreachable!("a shape of this file: {e}"));
    let name = name.into();
    built(world.add_obstacle(ObstacleParams { name, shape, placed, motion: Motion::Hold, friction: None }));
}

/// Hold a point where it is, with a moving gripper.
pub fn hand(world: &mut World, place: f64, hold: Hold, placed: Pose, motion: Motion, until: f64) {
    let gripper = built(world.add_gripper(GripperParams { name: "hand".into(), placed, motion }));
    let place = Place::Fraction(place);
    built(world.add_grip(GripParams { until, ..GripParams::new(gripper, built(world.body_at(0)), place, hold) }));
}

/// Deepest penetration of a frame [m].
pub fn deepest(frame: &Frame) -> f64 {
    frame.contacts.iter().map(|c| c.penetration).fold(0.0, f64::max)
}
