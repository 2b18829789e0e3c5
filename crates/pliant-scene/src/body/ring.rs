//! A ring in a scene file: a closed cable that starts as a circle.

use std::f64::consts::PI;

use pliant::math::{Quat, Vec3, sin};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{Component, Coordinate, Length, Quantity, Triple};
use crate::world::pose::direction;

/// A circle.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RingSpec {
    /// Radius of the circle, from its centre to the centre line of the cable [m].
    radius: Length,
    /// Centre of the circle [m]; the origin of the world unless given.
    position: Option<Triple<Coordinate>>,
    /// Direction of the axis, of any nonzero length [-]; up along z unless given. Looking against it, the cable runs
    /// counterclockwise.
    axis: Option<Triple<Component>>,
}

impl RingSpec {
    /// Corners of a polygon with `sides` sides and the circumference of the circle.
    pub(crate) fn corners(&self, sides: usize) -> Result<Vec<Vec3>, Fault> {
        let axis = self.axis.as_ref().map_or(Ok(Vec3::Z), direction).map_err(|fault| fault.at("axis"))?;
        let (turn, centre) =
            (Quat::from_rotation_arc(Vec3::Z, axis), self.position.map_or(Vec3::ZERO, |at| at.vector()));
        let half = PI / sides as f64;
        let radius = self.radius.get() * half / sin(half);
        let corner = |i: usize| centre + turn * Quat::from_rotation_z(2.0 * half * i as f64) * (Vec3::X * radius);
        Ok((0..sides).map(corner).collect())
    }
}
