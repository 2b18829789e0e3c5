//! A bar that is bent and twisted: the deformation by which the number of its cells is judged.

use crate::math::Vec3;

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
        let (sin, cos) = (self.twist * part).sin_cos();
        let (a, b) = (point[self.away], point[across]);
        let (out, side) = (cos * a - sin * b, sin * a + cos * b);
        // an arc of radius R = length/bend through the origin: (R + out) sin t, (R + out) cos t - R; without division by an
        // angle that may be zero
        let t = self.bend * part;
        let half = 0.5 * t;
        let shrunk = if half == 0.0 { 1.0 } else { half.sin() / half };
        let mut moved = Vec3::ZERO;
        moved[self.along] = point[self.along] * shrunk * half.cos() + out * t.sin();
        moved[self.away] = out * t.cos() - point[self.along] * shrunk * half.sin();
        moved[across] = side;
        moved
    }

    /// Whether a bar that reaches so far from its axis [m] can be bent so much: its inner side would turn inside out beyond.
    pub fn holds(&self, reach: f64) -> bool {
        self.bend * reach < self.length
    }
}
