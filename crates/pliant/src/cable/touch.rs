//! The law of contact (7), (8): open, stick or slip, as one equation that Newton's method can work on.
//!
//! A contact has a force f (normal, two tangents) and a velocity u of the body against what it touches, whose normal part
//! includes the gap: f_n >= 0, u_n >= 0, f_n u_n = 0; |f_t| <= c f_n^N, and f_t is opposite to u_t where that is reached.
//! All of it is the same as
//!
//!   f = project(f - rho u)        with any rho > 0,
//!
//! where `project` drops negative normal forces and cuts tangential ones to the limit. With the f of the last step on the
//! right, this is a force as a function of u: exact once f has settled, and off by (change of f) / rho in u until then.

use super::block::{Mat6, Vec6, dot};
use crate::math::{Quat, Vec3};

/// What a contact does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contacting {
    /// No force.
    #[default]
    Open,
    /// It holds.
    Stick,
    /// It slides, with all the friction there is.
    Slip,
}

/// Friction and stiffness of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// rho [kg/s].
    pub rho: f64,
    /// c of the limit c f_n^N, with the length of the contact in it.
    pub coefficient: f64,
    /// N of the limit.
    pub exponent: f64,
}

/// Force of a contact and how it falls with the velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply {
    /// Force on the body: normal and two tangents [N].
    pub force: [f64; 3],
    /// -d force / d velocity [kg/s].
    pub slope: [[f64; 3]; 3],
    /// Which of the three it is.
    pub state: Contacting,
}

/// Friction grows no faster than this with the normal force, for the sake of the slope alone: with an exponent below one
/// it would be infinite where contact begins.
const STEEPEST: f64 = 10.0;

impl Law {
    /// Largest friction at a normal force [N].
    pub fn limit(&self, normal: f64) -> f64 {
        if self.exponent == 1.0 {
            self.coefficient * normal
        } else {
            self.coefficient * normal.powf(self.exponent)
        }
    }

    /// The force at a velocity, from the force before.
    pub fn reply(&self, before: &[f64; 3], velocity: &[f64; 3]) -> Reply {
        let wanted: [f64; 3] = std::array::from_fn(|k| before[k] - self.rho * velocity[k]);
        let [normal, ty, tz] = wanted;
        if normal <= 0.0 {
            return Reply { force: [0.0; 3], slope: [[0.0; 3]; 3], state: Contacting::Open };
        }
        let (limit, tangential) = (self.limit(normal), ty.hypot(tz));
        if tangential <= limit {
            let slope = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { self.rho } else { 0.0 }));
            return Reply { force: wanted, slope, state: Contacting::Stick };
        }
        let along = [ty / tangential, tz / tangential];
        let steep = (self.exponent * limit / normal).min(STEEPEST);
        let turning = self.rho * limit / tangential;
        let mut slope = [[0.0; 3]; 3];
        slope[0][0] = self.rho;
        for i in 0..2 {
            slope[i + 1][0] = self.rho * steep * along[i];
            for j in 0..2 {
                let across = if i == j { 1.0 } else { 0.0 } - along[i] * along[j];
                slope[i + 1][j + 1] = turning * across;
            }
        }
        Reply { force: [normal, limit * along[0], limit * along[1]], slope, state: Contacting::Slip }
    }
}

/// Unit vectors along a normal and two tangents. The first tangent follows `along` as well as it can, so that the axes of
/// a contact turn little from step to step.
pub fn axes(normal: Vec3, along: Vec3) -> [Vec3; 3] {
    let first = along - normal * normal.dot(along);
    let first = first.try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector());
    [normal, first, normal.cross(first)]
}

/// Rows that give the velocity of a point of a link along three axes, from linear velocity in the world and angular
/// velocity in the link: the point is at `arm` from the middle, in the world.
pub fn rows(axes: &[Vec3; 3], arm: Vec3, turn: Quat) -> [Vec6; 3] {
    axes.map(|axis| {
        let spin = turn.inverse() * arm.cross(axis);
        [axis.x, axis.y, axis.z, spin.x, spin.y, spin.z]
    })
}

/// r -= rows^T force.
pub fn subtract_force(r: &mut Vec6, rows: &[Vec6; 3], force: &[f64; 3]) {
    for (row, f) in rows.iter().zip(force) {
        super::block::add_scaled(r, -f, row);
    }
}

/// m += left^T slope right.
pub fn add_slope(m: &mut Mat6, left: &[Vec6; 3], slope: &[[f64; 3]; 3], right: &[Vec6; 3]) {
    for i in 0..3 {
        let mut row = [0.0; 6];
        for j in 0..3 {
            super::block::add_scaled(&mut row, slope[i][j], &right[j]);
        }
        for k in 0..6 {
            super::block::add_scaled(&mut m[k], left[i][k], &row);
        }
    }
}

/// rows v.
pub fn velocity(rows: &[Vec6; 3], v: &Vec6) -> [f64; 3] {
    [dot(&rows[0], v), dot(&rows[1], v), dot(&rows[2], v)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: Law = Law { rho: 50.0, coefficient: 0.8, exponent: 0.7 };

    #[test]
    fn the_slope_is_the_derivative_of_the_force() {
        let cases = [
            ([1.0, 0.2, 0.1], [1e-3, 1e-3, -2e-3], Contacting::Stick),
            ([1.0, 0.2, 0.1], [1e-3, 3e-2, -2e-2], Contacting::Slip),
            ([0.0, 0.0, 0.0], [1e-3, 3e-2, -2e-2], Contacting::Open),
        ];
        for (before, u, state) in cases {
            let reply = LAW.reply(&before, &u);
            assert_eq!(reply.state, state);
            for j in 0..3 {
                let at = |sign: f64| {
                    let mut v = u;
                    v[j] += sign * 1e-7;
                    LAW.reply(&before, &v).force
                };
                let (up, down) = (at(1.0), at(-1.0));
                for i in 0..3 {
                    let slope = -(up[i] - down[i]) / 2e-7;
                    assert!((slope - reply.slope[i][j]).abs() < 1e-5, "{state:?} {i} by {j}");
                }
            }
        }
    }

    #[test]
    fn friction_opposes_sliding_and_never_pulls() {
        let reply = LAW.reply(&[0.5, 0.0, 0.0], &[0.0, 1.0, 0.0]);
        assert_eq!(reply.state, Contacting::Slip);
        assert!((reply.force[1] + LAW.limit(0.5)).abs() < 1e-12 && reply.force[2] == 0.0);
        assert!(LAW.reply(&[0.5, 0.1, 0.0], &[1.0, 0.0, 0.0]).force == [0.0; 3]);
    }
}
