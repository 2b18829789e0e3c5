//! A bent and twisted bar: the deformation used to choose the number of its cells.

use crate::math::{Vec3, cos, sin, sincos};

/// A bar centred at the origin, bent to an arc and twisted uniformly; angles are those between its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flexion {
    /// The axis it lies along: 0, 1 or 2 for x, y or z.
    pub along: usize,
    /// The axis that points away from the centre of the arc; differs from `along`.
    pub away: usize,
    /// Length [m].
    pub length: f64,
    /// Bending angle [rad].
    pub bend: f64,
    /// Twist angle, applied before bending [rad].
    pub twist: f64,
}

impl Flexion {
    /// New position of a point of the bar [m]: its middle stays, plane sections remain plane.
    pub fn moved(&self, point: Vec3) -> Vec3 {
        let across = 3 - self.along - self.away;
        let part = point[self.along] / self.length;
        let (twist_sin, twist_cos) = sincos(self.twist * part);
        let (a, b) = (point[self.away], point[across]);
        let (out, side) = (twist_cos * a - twist_sin * b, twist_sin * a + twist_cos * b);
        // an arc of radius R = length/bend through the origin: (R + out) sin t, (R + out) cos t - R; written without
        // dividing by an angle that may be zero
        let t = self.bend * part;
        let half = 0.5 * t;
        let shrunk = if half == 0.0 { 1.0 } else { sin(half) / half };
        let mut moved = Vec3::ZERO;
        moved[self.along] = point[self.along] * shrunk * cos(half) + out * sin(t);
        moved[self.away] = out * cos(t) - point[self.along] * shrunk * sin(half);
        moved[across] = side;
        moved
    }

    /// Whether a bar with this distance of its surface from the axis [m] can be bent so far without its inner side
    /// folding.
    pub fn holds(&self, reach: f64) -> bool {
        self.bend * reach < self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAR: Flexion = Flexion { along: 0, away: 2, length: 0.4, bend: 1.2, twist: 0.7 };

    /// The axis is an arc of the bar's length and of radius length / bend; sections stay plane and rigid.
    #[test]
    fn a_bent_bar_is_an_arc() {
        let radius = BAR.length / BAR.bend;
        for part in [-0.5, -0.2, 0.0, 0.3, 0.5] {
            let axis = Vec3::X * (part * BAR.length);
            let moved = BAR.moved(axis);
            let angle = BAR.bend * part;
            let expected = Vec3::new(radius * sin(angle), 0.0, radius * (cos(angle) - 1.0));
            assert!((moved - expected).length() < 1e-15, "{moved} for {expected}");
            let [up, side] = [Vec3::Z, Vec3::Y].map(|arm| BAR.moved(axis + 0.01 * arm) - moved);
            let tangent = Vec3::new(cos(angle), 0.0, -sin(angle));
            assert!((up.length() - 0.01).abs() < 1e-15 && (side.length() - 0.01).abs() < 1e-15);
            assert!(up.dot(side).abs() < 1e-17 && up.dot(tangent).abs() < 1e-16 && side.dot(tangent).abs() < 1e-16);
        }
    }

    #[test]
    fn without_angles_nothing_moves() {
        let still = Flexion { bend: 0.0, twist: 0.0, ..BAR };
        let point = Vec3::new(0.1, 0.02, -0.03);
        assert_eq!(still.moved(point), point);
        assert!(BAR.holds(0.3) && !BAR.holds(0.4));
    }
}
