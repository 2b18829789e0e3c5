//! Blocks for tests.

use super::solid::{MassRule, brick};
use super::{Lattice, LatticeSettings, LatticeSpec, Part};
use crate::body::{Body, Surroundings};
use crate::contact::Obstacle;
use crate::frame::Event;
use crate::material::{Friction, Material};
use crate::math::{Pose, Vec3};
use crate::stop::Stop;

/// A block of 6 x 4 x 4 cm of cubic cells about a place, of a soft material.
pub fn block(poisson: f64, rule: MassRule, at: Vec3) -> Lattice {
    let friction = Friction { coefficient: 0.4, exponent: 1.0 };
    let material = Material { young: 1e5, poisson, density: 1000.0, friction };
    let Ok(cells) = brick(Vec3::new(0.06, 0.04, 0.04), [3, 2, 2]) else { unreachable!("it has edges") };
    let spec = LatticeSpec {
        material,
        parts: vec![Part::Solid { cells, rule }],
        connectors: vec![],
        placed: Pose::from_translation(at),
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        settings: LatticeSettings::default(),
    };
    Lattice::new("block", spec).unwrap_or_else(|error| unreachable!("{error}"))
}

/// Act in a step of `dt` [s] of bodies that nothing but these obstacles surrounds.
pub fn surrounded<T>(dt: f64, obstacles: &[Obstacle], act: impl FnOnce(&Surroundings<'_>) -> T) -> T {
    let (mut events, stop): (Vec<Event>, Stop) = (vec![], Stop::default());
    act(&Surroundings {
        body: 0,
        time: 0.0,
        dt,
        gravity: Vec3::ZERO,
        obstacles,
        near: &[],
        grippers: &[],
        grips: &mut [],
        pulled: 0.0,
        events: &mut events,
        stop: &stop,
    })
}

/// The trial step of a lattice begins where it is.
pub fn stay(body: &mut Body) {
    if let Body::Lattice(lattice) = body {
        lattice.scratch.next = lattice.state.motion.clone();
    }
}
