//! A bar that is bent and twisted: the deformation by which the number of its cells is judged.

use crate::math::{Vec3, cos, sin, sincos};

/// A bar about the origin, bent to an arc and twisted evenly, by the angles through which its ends turn against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flexion {
    /// The axis it lies along: 0, 1 or 2 for x, y or z.
    pub along: usize,
    /// The axis that points away from the middle of the arc, another one.
    pub away: usize,
    /// Its length [m].
    pub length: f64,
    /// Bent by [rad].
    pub bend: f64,
    /// Twisted by, before it is bent [rad].
    pub twist: f64,
}

impl Flexion {
    /// Where a point of the bar goes [m]: its middle stays, plane sections stay plane.
    pub fn moved(&self, point: Vec3) -> Vec3 {
        let across = 3 - self.along - self.away;
        let part = point[self.along] / self.length;
        let (twist_sin, twist_cos) = sincos(self.twist * part);
        let (a, b) = (point[self.away], point[across]);
        let (out, side) = (twist_cos * a - twist_sin * b, twist_sin * a + twist_cos * b);
        // an arc of radius R = length/bend through the origin: (R + out) sin t, (R + out) cos t - R; without division by an
        // angle that may be zero
        let t = self.bend * part;
        let half = 0.5 * t;
        let shrunk = if half == 0.0 { 1.0 } else { sin(half) / half };
        let mut moved = Vec3::ZERO;
        moved[self.along] = point[self.along] * shrunk * cos(half) + out * sin(t);
        moved[self.away] = out * cos(t) - point[self.along] * shrunk * sin(half);
        moved[across] = side;
        moved
    }

    /// Whether a bar that reaches so far from its axis [m] can be bent so much: its inner side would turn inside out beyond.
    pub fn holds(&self, reach: f64) -> bool {
        self.bend * reach < self.length
    }
}
