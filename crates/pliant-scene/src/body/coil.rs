//! A coil in a scene file: a rod that starts as a helix.

use std::f64::consts::TAU;

use pliant::math::{Quat, Vec3};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{Component, Coordinate, Length, Quantity, Triple, Windings};
use crate::world::pose::direction;

/// A helix.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoilSpec {
    /// Radius of the helix, from its axis to the centre line of the rod [m].
    radius: Length,
    /// Advance along the axis per turn [m].
    pitch: Coordinate,
    /// Number of turns [-].
    turns: Windings,
    /// Start of the axis, level with the start of the rod [m]; the origin of the world unless given.
    position: Option<Triple<Coordinate>>,
    /// Direction of the axis, of any nonzero length [-]; up along z unless given. Looking against it, the rod runs
    /// counterclockwise.
    axis: Option<Triple<Component>>,
}

impl CoilSpec {
    /// Corners of a polyline of `sides` equal sides, from the start to the end of the helix.
    pub(crate) fn corners(&self, sides: usize) -> Result<Vec<Vec3>, Fault> {
        let axis = self.axis.as_ref().map_or(Ok(Vec3::Z), direction).map_err(|fault| fault.at("axis"))?;
        let (turn, start) =
            (Quat::from_rotation_arc(Vec3::Z, axis), self.position.map_or(Vec3::ZERO, |at| at.vector()));
        let corner = |i: usize| {
            let turns = self.turns.get() * i as f64 / sides as f64;
            let around = Quat::from_rotation_z(TAU * turns) * (Vec3::X * self.radius.get());
            start + turn * (around + Vec3::Z * (self.pitch.get() * turns))
        };
        Ok((0..=sides).map(corner).collect())
    }

    /// Default number of sides: 40 per turn.
    pub(crate) fn usual_sides(&self) -> usize {
        const A_TURN: f64 = 40.0;
        (self.turns.get() * A_TURN).ceil().clamp(2.0, 1e6) as usize
    }
}
