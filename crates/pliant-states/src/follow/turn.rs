//! How a wrench changes along the way, and whether that has turned as a transition turned it.
//!
//! What a contact does to the wrench over the way of the gripper is told by three slopes: of the force against the motion, and of the
//! force and the torque across it. Unlike the wrench itself, they hardly depend on where the gripper is beside the demonstrated path, and
//! not at all on the direction in which that is: a slide down a chamfer bends a rod by as much for each millimetre,
//! whichever side of the hole it is on.

use pliant::math::{Quat, Vec3, log};

/// Number of slopes.
pub(super) const SLOPES: usize = 3;

/// A wrench, in some axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Felt {
    /// Force [N].
    pub force: Vec3,
    /// Torque [N m].
    pub torque: Vec3,
}

impl Felt {
    pub fn less(&self, other: &Felt) -> Felt {
        Felt { force: self.force - other.force, torque: self.torque - other.torque }
    }

    pub fn turned(&self, by: Quat) -> Felt {
        Felt { force: by * self.force, torque: by * self.torque }
    }

    /// Force against a direction of motion, and the size of what is across it [N].
    pub fn resists(&self, direction: Vec3) -> [f64; 2] {
        let along = self.force.dot(direction);
        [-along, (self.force - direction * along).length()]
    }
}

/// Slopes of a wrench over the way, from a straight line through what was felt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slopes {
    /// Force against the motion, force across it [N/m], torque across it [N m/m].
    pub value: [f64; SLOPES],
    /// Variance of each per variance of a sample [1/m2].
    pub variance: f64,
}

impl Slopes {
    /// The lines through samples, each a place on the way and what was felt there; `None` if they do not spread along it.
    pub fn through(samples: impl Iterator<Item = (f64, Felt)> + Clone, direction: Vec3) -> Option<Slopes> {
        let (mut count, mut middle, mut mean) = (0.0, 0.0, Felt::default());
        for (way, felt) in samples.clone() {
            count += 1.0;
            middle += way;
            mean.force += felt.force;
            mean.torque += felt.torque;
        }
        if count < 3.0 {
            return None;
        }
        middle /= count;
        let across = |v: Vec3| (v - direction * v.dot(direction)).normalize_or_zero();
        let axes = [across(mean.force), across(mean.torque)];
        let (mut spread, mut sums) = (0.0, [0.0; SLOPES]);
        for (way, felt) in samples {
            let off = way - middle;
            spread += off * off;
            let values = [-felt.force.dot(direction), felt.force.dot(axes[0]), felt.torque.dot(axes[1])];
            (0..SLOPES).for_each(|n| sums[n] += off * values[n]);
        }
        (spread > 0.0).then(|| Slopes { value: sums.map(|sum| sum / spread), variance: 1.0 / spread })
    }
}

/// How a transition turns the slopes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub before: [f64; SLOPES],
    pub after: [f64; SLOPES],
}

/// What slopes may differ from the demonstrated ones by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    /// Standard deviation of a sample: of the force [N], twice, and of the torque [N m].
    pub noise: [f64; SLOPES],
    /// Part of a slope by which it may be another one, because things differ from their model.
    pub difference: f64,
}

impl Turn {
    /// Logarithm of how much more probable slopes are after the transition than before it.
    pub fn odds(&self, slopes: &Slopes, doubt: &Doubt) -> f64 {
        let likelihood = |n: usize, of: &[f64; SLOPES]| {
            let variance = doubt.noise[n].powi(2) * slopes.variance + (doubt.difference * of[n]).powi(2);
            let off = slopes.value[n] - of[n];
            -0.5 * (off * off / variance + log(variance))
        };
        (0..SLOPES).map(|n| likelihood(n, &self.after) - likelihood(n, &self.before)).sum()
    }

    /// The odds that it would have if the slopes were those demonstrated, seen with a variance per variance of a sample [1/m2].
    pub fn visible(&self, variance: f64, doubt: &Doubt) -> f64 {
        self.odds(&Slopes { value: self.after, variance }, doubt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A force that grows by 20 N/m across and 5 N/m against the motion, whichever way across is.
    #[test]
    fn slopes_do_not_depend_on_the_direction_across() {
        for angle in [0.0, 1.0, 2.5, -2.0] {
            let across = Quat::from_rotation_z(angle) * Vec3::X;
            let felt = |n: i32| {
                let way = 1e-4 * f64::from(n);
                let force = across * (20.0 * way) + Vec3::Z * (5.0 * way);
                (way, Felt { force, torque: Vec3::Z.cross(across) * (2.0 * way) })
            };
            let slopes = Slopes::through((0..30).map(felt), Vec3::NEG_Z).unwrap_or_default();
            for (value, expected) in slopes.value.iter().zip([5.0, 20.0, 2.0]) {
                assert!((value - expected).abs() < 1e-9, "{angle}: {:?}", slopes.value);
            }
        }
    }

    #[test]
    fn odds_tell_before_from_after() {
        let turn = Turn { before: [0.0; 3], after: [5.0, 20.0, 2.0] };
        let doubt = Doubt { noise: [0.02, 0.02, 5e-4], difference: 0.3 };
        // fifty samples over 3 mm: n L^2 / 12
        let variance = 12.0 / (50.0 * 0.003 * 0.003);
        assert!(turn.visible(variance, &doubt) > 10.0);
        assert!(turn.odds(&Slopes { value: [0.0; 3], variance }, &doubt) < -5.0);
        // over a tenth of a millimetre nothing is seen
        assert!(turn.visible(12.0 / (50.0 * 1e-8), &doubt).abs() < 1.0);
    }
}
