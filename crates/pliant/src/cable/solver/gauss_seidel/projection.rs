//! One contact of the projected Gauss-Seidel iteration: the force that satisfies the contact law (7), (8) while all
//! other forces stay fixed.
//!
//! With W the velocity of the contact per force on it, the normal force is max(0, f_n - u_n / W_nn). Friction is then
//! the force within the disc |f_t| <= limit that stops the contact or, if none can, the one on its edge opposite to the
//! remaining velocity:
//!
//!   u_t + W_tt (g - f_t) = -s g,   |g| = limit,   s > 0.
//!
//! (Cutting f_t - W_tt^-1 u_t to the disc instead would give a force that is not opposite to the velocity, because W_tt
//! differs along and across the cable.)

use crate::cable::contact::law::{Contacting, Law};

/// A contact as seen by the iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    /// Friction.
    pub law: Law,
    /// W: velocity per force, normal and two tangents [s/kg].
    pub yielding: [[f64; 3]; 3],
    /// Velocity u of the contact law if the links keep the velocities of the linearisation [m/s].
    pub base: [f64; 3],
    /// Force [N].
    pub force: [f64; 3],
    /// Force at the start of the iteration [N].
    pub old: [f64; 3],
    /// Open, sticking or sliding.
    pub state: Contacting,
    /// Limit of friction [N].
    pub limit: f64,
}

/// Limit of Newton iterations for s; convergence is quadratic, so that far fewer are needed.
const MOST_STEPS: usize = 30;

impl Local {
    /// A contact with an initial force, projected to what its law allows.
    pub fn new(law: Law, base: [f64; 3], known: [f64; 3]) -> Local {
        let mut local = Local {
            law,
            yielding: [[0.0; 3]; 3],
            base,
            force: [known[0].max(0.0), known[1], known[2]],
            old: [0.0; 3],
            state: Contacting::Open,
            limit: 0.0,
        };
        local.limit = law.friction.limit(local.force[0]);
        let cut = (local.limit / (known[1] * known[1] + known[2] * known[2]).sqrt().max(f64::MIN_POSITIVE)).min(1.0);
        (local.force[1], local.force[2]) = (cut * known[1], cut * known[2]);
        local
    }

    /// Set the force that the law requires at velocity u, and return its change.
    pub fn project(&mut self, u: &[f64; 3]) -> [f64; 3] {
        let (w, old) = (&self.yielding, self.force);
        let normal = (old[0] - u[0] / w[0][0]).max(0.0);
        let more = normal - old[0];
        let (uy, uz) = (u[1] + w[1][0] * more, u[2] + w[2][0] * more);
        self.limit = self.law.friction.limit(normal);
        let across = 0.5 * (w[1][2] + w[2][1]);
        let plane = [w[1][1], across, w[2][2]];
        let wanted = [plane[0] * old[1] + plane[1] * old[2] - uy, plane[1] * old[1] + plane[2] * old[2] - uz];
        let (friction, sticks) = within(&plane, &wanted, self.limit);
        self.force = [normal, friction[0], friction[1]];
        self.state = match (normal > 0.0, sticks) {
            (false, _) => Contacting::Open,
            (true, true) => Contacting::Stick,
            (true, false) => Contacting::Slip,
        };
        std::array::from_fn(|k| self.force[k] - old[k])
    }

    /// Take back part of the change of this iteration.
    pub fn shorten(&mut self, kept: f64) {
        for k in 0..3 {
            self.force[k] = self.old[k] + kept * (self.force[k] - self.old[k]);
        }
    }
}

/// The g in the disc for which (W + s) g = wanted, and whether s is zero; W is (yy, yz, zz).
fn within(w: &[f64; 3], wanted: &[f64; 2], limit: f64) -> ([f64; 2], bool) {
    let solve = |s: f64, b: &[f64; 2]| {
        let (yy, yz, zz) = (w[0] + s, w[1], w[2] + s);
        let per = 1.0 / (yy * zz - yz * yz);
        [(zz * b[0] - yz * b[1]) * per, (yy * b[1] - yz * b[0]) * per]
    };
    if limit <= 0.0 {
        return ([0.0; 2], false);
    }
    let mut g = solve(0.0, wanted);
    let size = |g: &[f64; 2]| (g[0] * g[0] + g[1] * g[1]).sqrt();
    let mut length = size(&g);
    if length <= limit {
        return (g, true);
    }
    // 1 / |g(s)| is nearly linear, so that Newton's method for it converges monotonically from s = 0
    let mut s = 0.0;
    for _ in 0..MOST_STEPS {
        let h = solve(s, &g);
        s += (length / limit - 1.0) * length * length / (g[0] * h[0] + g[1] * h[1]);
        g = solve(s, wanted);
        length = size(&g);
        if length <= limit * (1.0 + 1e-13) {
            break;
        }
    }
    let cut = limit / length;
    ([g[0] * cut, g[1] * cut], false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Friction;

    fn local(coefficient: f64) -> Local {
        Local {
            law: Law { rho: 1.0, friction: Friction { coefficient, exponent: 0.8 } },
            yielding: [[3.0, 0.1, -0.2], [0.1, 20.0, 1.5], [-0.2, 1.5, 0.5]],
            base: [0.0; 3],
            force: [0.3, 0.1, -0.05],
            old: [0.0; 3],
            state: Contacting::Open,
            limit: 0.0,
        }
    }

    /// Velocity after the change of force.
    fn after(l: &Local, u: &[f64; 3], change: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| u[k] + (0..3).map(|j| l.yielding[k][j] * change[j]).sum::<f64>())
    }

    #[test]
    fn a_contact_that_can_hold_holds() {
        let mut l = local(10.0);
        let u = [-0.4, 0.3, 0.2];
        let change = l.project(&u);
        assert_eq!(l.state, Contacting::Stick);
        let left = after(&l, &u, &change);
        // the normal was solved before the tangents, so only these are exact
        assert!(left[1].abs() < 1e-14 && left[2].abs() < 1e-14, "{left:?}");
    }

    #[test]
    fn friction_is_opposite_to_the_velocity_that_is_left() {
        let mut l = local(0.2);
        let u = [-0.4, 3.0, 0.8];
        let change = l.project(&u);
        assert_eq!(l.state, Contacting::Slip);
        let left = after(&l, &u, &change);
        let (f, size) = (&l.force, l.force[1].hypot(l.force[2]));
        assert!((size - l.limit).abs() < 1e-12 * l.limit);
        let speed = left[1].hypot(left[2]);
        assert!((f[1] * left[2] - f[2] * left[1]).abs() < 1e-11 * size * speed, "{f:?} {left:?}");
        assert!(f[1] * left[1] + f[2] * left[2] < 0.0);
    }

    #[test]
    fn a_contact_that_opens_has_no_force() {
        let mut l = local(0.5);
        l.project(&[2.0, 1.0, 0.0]);
        assert_eq!((l.force, l.state), ([0.0; 3], Contacting::Open));
    }
}
