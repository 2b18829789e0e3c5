//! The contact law (7), (8): open, stick or slip, as one equation for Newton's method.
//!
//! A contact has a force f (normal, two tangents) and a velocity u of the body relative to what it touches, whose
//! normal component includes the gap: f_n >= 0, u_n >= 0, f_n u_n = 0; |f_t| <= c f_n^N, and f_t is opposite to u_t
//! where the limit is reached. This is equivalent to
//!
//!   f = project(f - rho u)        with any rho > 0,
//!
//! where `project` drops negative normal forces and cuts tangential ones to the limit. With the f of the last step on
//! the right, this is a force as a function of u: exact once f has settled, and off by (change of f) / rho in u until
//! then.
//!
//! At first the friction limit is that of a previously found normal force: for a given limit the problem has one
//! solution and is easily solved, while changing both at once far from the solution leads Newton's method astray. Close
//! to the solution the limit follows the normal force, so that friction is always within its cone. Where strong
//! friction wedges a link, this does not always converge; limits are then taken from the normal forces of successive
//! solutions.

use crate::bytes::{Malformed, Reader, Stored, stored, stored_enum};
use crate::cable::algebra::block::{Mat6, Vec6, dot};
use crate::material::Friction;
use crate::math::{Pose, Quat, Vec3, atan2, cos, sin, unit_or};

/// State of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contacting {
    /// No force.
    #[default]
    Open,
    /// Sticking.
    Stick,
    /// Sliding, with the friction force at its limit.
    Slip,
}

/// Friction and stiffness of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// rho [kg/s].
    pub rho: f64,
    /// The limit c f_n^N, which includes the length of the contact.
    pub friction: Friction,
}

/// Limit of the friction force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A given force [N].
    Given(f64),
    /// What the current normal force allows.
    Follows,
}

impl Limit {
    /// Move halfway to what a normal force allows [N]; also returns whether the limit was far off, where `load` is what
    /// contacts carry [N].
    pub fn towards(self, allowed: f64, load: f64) -> (Limit, bool) {
        match self {
            Limit::Follows => (Limit::Given(allowed), true),
            Limit::Given(limit) => {
                (Limit::Given(0.5 * (limit + allowed)), (limit - allowed).abs() > FAR_OFF * (allowed + load))
            }
        }
    }
}

/// Relative deviation from the limits of the normal forces above which friction limits are far off.
const FAR_OFF: f64 = 0.01;

/// Force of a contact and its derivative with respect to the velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply {
    /// Force on the body: normal and two tangents [N].
    pub force: [f64; 3],
    /// -d force / d velocity [kg/s].
    pub slope: [[f64; 3]; 3],
    /// State of the contact.
    pub state: Contacting,
}

impl Law {
    /// The force at a velocity, from the force before, with friction up to a limit. A given limit applies whatever the
    /// normal force, so that the force is continuous.
    pub fn reply(&self, before: &[f64; 3], velocity: &[f64; 3], limit: Limit) -> Reply {
        let wanted = |k: usize| before[k] - self.rho * velocity[k];
        let (normal, ty, tz) = (wanted(0), wanted(1), wanted(2));
        let mut reply = Reply { force: [0.0; 3], slope: [[0.0; 3]; 3], state: Contacting::Open };
        if normal <= 0.0 && (limit == Limit::Follows || limit == Limit::Given(0.0)) {
            return reply;
        }
        let tangential = (ty * ty + tz * tz).sqrt();
        if normal > 0.0 {
            reply.force[0] = normal;
            reply.slope[0][0] = self.rho;
            reply.state = Contacting::Slip;
        }
        let (limit, follows) = match limit {
            Limit::Given(limit) => (limit, false),
            Limit::Follows => (self.friction.limit(reply.force[0]), true),
        };
        if tangential <= limit {
            (reply.force[1], reply.force[2]) = (ty, tz);
            (reply.slope[1][1], reply.slope[2][2]) = (self.rho, self.rho);
            reply.state = if normal > 0.0 { Contacting::Stick } else { Contacting::Open };
            return reply;
        }
        let along = [ty / tangential, tz / tangential];
        let turning = self.rho * limit / tangential;
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let across = if i == j { 1.0 } else { 0.0 } - along[i] * along[j];
            reply.slope[i + 1][j + 1] = turning * across;
        }
        (reply.force[1], reply.force[2]) = (limit * along[0], limit * along[1]);
        if follows && normal > 0.0 {
            let more = self.friction.slope(normal) * self.rho;
            (reply.slope[1][0], reply.slope[2][0]) = (more * along[0], more * along[1]);
        }
        reply
    }

    /// The force of [`Law::reply`], without the slope.
    pub fn force(&self, before: &[f64; 3], velocity: &[f64; 3], limit: Limit) -> [f64; 3] {
        let wanted = |k: usize| before[k] - self.rho * velocity[k];
        let (normal, ty, tz) = (wanted(0).max(0.0), wanted(1), wanted(2));
        let limit = match limit {
            Limit::Given(limit) => limit,
            Limit::Follows => self.friction.limit(normal),
        };
        if limit <= 0.0 {
            return [normal, 0.0, 0.0];
        }
        let tangential = (ty * ty + tz * tz).sqrt();
        if tangential <= limit {
            return [normal, ty, tz];
        }
        [normal, limit * (ty / tangential), limit * (tz / tangential)]
    }

    /// The force at a velocity for a contact that keeps its state, whatever the velocity.
    pub fn go_on(&self, before: &[f64; 3], velocity: &[f64; 3], state: Contacting) -> Reply {
        let wanted = |k: usize| before[k] - self.rho * velocity[k];
        let wanted = [wanted(0), wanted(1), wanted(2)];
        match state {
            Contacting::Stick => Reply { force: wanted, slope: diagonal([self.rho; 3]), state },
            _ => {
                let force = [wanted[0], before[1], before[2]];
                Reply { force, slope: diagonal([self.rho, 0.0, 0.0]), state }
            }
        }
    }
}

fn diagonal(d: [f64; 3]) -> [[f64; 3]; 3] {
    [[d[0], 0.0, 0.0], [0.0, d[1], 0.0], [0.0, 0.0, d[2]]]
}

/// Unit vectors along a normal and two tangents. The first tangent follows `along` as closely as possible, so that the
/// axes of a contact rotate little from step to step.
pub fn axes(normal: Vec3, along: Vec3) -> [Vec3; 3] {
    let first = along - normal * normal.dot(along);
    let first = first.try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector());
    [normal, first, normal.cross(first)]
}

/// Rows that map linear velocity in the world and angular velocity in the link to the velocity, along three axes, of
/// the point at `arm` from the centre of the link, in the world.
pub fn rows(axes: &[Vec3; 3], arm: Vec3, turn: Quat) -> [Vec6; 3] {
    let back = turn.inverse();
    // written out, like everything here that runs for each contact: the compiler does not always optimise `map`
    [row(axes[0], arm, back), row(axes[1], arm, back), row(axes[2], arm, back)]
}

/// Rows like those of [`rows`], for a point between the end of a link and the start of the next, whose motion is
/// interpolated between both: `weight` is that of the next link, and `offset` the vector of the point from the line
/// between them.
pub fn joint_rows(
    axes: &[Vec3; 3],
    weight: f64,
    offset: Vec3,
    length: f64,
    [here, next]: [&Pose; 2],
) -> [[Vec6; 3]; 2] {
    let half = Vec3::X * (0.5 * length);
    let own = rows(axes, here.rotation * half + offset, here.rotation);
    let other = rows(axes, next.rotation * -half + offset, next.rotation);
    [own.map(|row| row.map(|x| (1.0 - weight) * x)), other.map(|row| row.map(|x| weight * x))]
}

/// A row along one axis; `back` rotates into the link.
#[inline]
pub fn row(axis: Vec3, arm: Vec3, back: Quat) -> Vec6 {
    let spin = back * arm.cross(axis);
    [axis.x, axis.y, axis.z, spin.x, spin.y, spin.z]
}

/// Components of a vector along axes.
#[inline]
pub fn along(axes: &[Vec3; 3], v: Vec3) -> [f64; 3] {
    [axes[0].dot(v), axes[1].dot(v), axes[2].dot(v)]
}

/// Difference of two vectors.
#[inline]
pub fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The normal to tell of a mean force, of parts of a step whose normals differ: that of what has pressed in them, turned as
/// far as it takes for the force to lie within the cone of friction about it, as it did in each.
pub fn mean_normal(force: Vec3, pressing: Vec3, friction: Friction, last: Vec3) -> Vec3 {
    let normal = unit_or(pressing, last);
    let pushes = normal.dot(force);
    let aside = force - normal * pushes;
    let (size, limit) = (aside.length(), friction.limit(pushes.max(0.0)));
    if pushes <= 0.0 || size <= limit {
        return normal;
    }
    let turn = atan2(size, pushes) - atan2(limit, pushes);
    (normal * cos(turn) + aside * (sin(turn) / size)).normalize_or(normal)
}

/// The forces of contacts are found when what acts differs from what the law requires by this part of it: stiff wires hardly
/// move by forces that are far off.
pub const UNMET: f64 = 1e-2;

/// Squares of the difference of two forces, and of the larger of them [N^2].
pub fn unmet(a: &[f64; 3], b: &[f64; 3]) -> [f64; 2] {
    let square = |f: &[f64; 3]| f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
    [square(&minus(a, b)), square(a).max(square(b))]
}

/// r -= rows^T force.
pub fn subtract_force(r: &mut Vec6, rows: &[Vec6; 3], force: &[f64; 3]) {
    for (row, f) in rows.iter().zip(force) {
        crate::cable::algebra::block::add_scaled(r, -f, row);
    }
}

/// m += left^T slope right.
pub fn add_slope(m: &mut Mat6, left: &[Vec6; 3], slope: &[[f64; 3]; 3], right: &[Vec6; 3]) {
    for i in 0..3 {
        let mut row = [0.0; 6];
        for j in 0..3 {
            crate::cable::algebra::block::add_scaled(&mut row, slope[i][j], &right[j]);
        }
        for k in 0..6 {
            crate::cable::algebra::block::add_scaled(&mut m[k], left[i][k], &row);
        }
    }
}

/// Add -m x w, for angular velocities w, to the part of a block that is for moments.
pub fn add_cross(block: &mut Mat6, [x, y, z]: [f64; 3]) {
    block[3][4] += z;
    block[3][5] -= y;
    block[4][3] -= z;
    block[4][5] += x;
    block[5][3] += y;
    block[5][4] -= x;
}

/// rows v.
pub fn velocity(rows: &[Vec6; 3], v: &Vec6) -> [f64; 3] {
    [dot(&rows[0], v), dot(&rows[1], v), dot(&rows[2], v)]
}

/// Part of the penetration at the start of a part of a step that is recovered in it.
const RECOVERY: f64 = 0.5;

/// Largest recovery in a whole step, relative to the radius.
const FASTEST_RECOVERY: f64 = 0.3;

/// How much a gap should close in a part of a step: all of a positive gap, but only some of a penetration, and no
/// faster than in a whole step, or links would be thrown apart the faster the shorter the parts are.
pub fn closed_in(fraction: f64, gap: f64, radius: f64) -> f64 {
    if gap >= 0.0 { gap } else { (RECOVERY * gap).max(-FASTEST_RECOVERY * radius * fraction) }
}

/// The gap at the start of a step of a contact whose plane is that halfway, extrapolated from there, given the gap that
/// its links had. No point of them was deeper: where the extrapolation says so, they slide over something convex, or the
/// plane was taken at velocities that the iteration only passed through. It would push out what has not sunk in.
pub fn no_deeper(gap: f64, start: f64) -> f64 {
    gap.max(start.min(0.0))
}

/// Increase of penetration in a step, relative to the radius, above which a pair becomes stiffer.
pub const DEEP: f64 = 0.003;

/// Ratio of the stiffness of a contact to that of the links it pushes on, where links push links: enough to hold, and
/// not so much that Newton's method finds only one after the other which of them do. Contacts under loads that their
/// links alone cannot resist, such as those of a knot that is pulled tight, become stiffer, and gradually softer again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Firmness(f64);

impl Default for Firmness {
    fn default() -> Firmness {
        Firmness(30.0)
    }
}

impl Firmness {
    /// Upper limit: a hundred times the initial value.
    const MOST: f64 = 3000.0;

    /// Factor by which it grows at a time.
    const GROWTH: f64 = 6.0;

    /// Factor by which it decays after each step.
    const KEPT: f64 = 0.9;

    /// rho of a contact whose links have this velocity per force [s/kg].
    pub fn rho(self, answer: f64) -> f64 {
        self.0 / answer
    }

    /// Become stiffer; false if it is at its upper limit.
    pub fn grow(&mut self) -> bool {
        let can = self.0 < Firmness::MOST;
        if can {
            self.0 *= Firmness::GROWTH;
        }
        can
    }

    /// Become softer after a step.
    pub fn soften(&mut self) {
        self.0 = (Firmness::KEPT * self.0).max(Firmness::default().0);
    }
}

stored_enum!(Contacting { 0 => Open {}, 1 => Stick {}, 2 => Slip {} });
stored_enum!(Limit { 0 => Given { 0: limit }, 1 => Follows {} });
stored!(Law { rho, friction });

impl Stored for Firmness {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<Firmness, Malformed> {
        Ok(Firmness(Stored::read(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: Law = Law { rho: 50.0, friction: Friction { coefficient: 0.8, exponent: 0.7 } };

    /// Two forces on the edges of their cones, about normals apart by some degrees: so is their mean about what is told.
    #[test]
    fn a_mean_force_lies_within_the_cone_about_its_normal() {
        let friction = Friction { coefficient: 0.3, exponent: 1.0 };
        for degrees in [0.5_f64, 5.0, 20.0] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let normals = [Vec3::Z, Vec3::new(0.0, sin, cos)];
            let forces = normals.map(|normal| normal * 2.0 + Vec3::X * 0.6);
            let (force, pressing) = (forces[0] + forces[1], (normals[0] + normals[1]) * 2.0);
            let normal = mean_normal(force, pressing, friction, Vec3::X);
            let aside = force.reject_from_normalized(normal).length();
            assert!(aside <= 0.3 * normal.dot(force) * (1.0 + 1e-12), "{degrees}");
            assert!(normal.dot(unit_or(pressing, Vec3::X)) > 0.99, "{degrees}");
        }
    }

    #[test]
    fn the_slope_is_the_derivative_of_the_force() {
        let cases = [
            ([1.0, 0.2, 0.1], [1e-3, 1e-3, -2e-3], Contacting::Stick, Limit::Given(0.6)),
            ([1.0, 0.2, 0.1], [1e-3, 3e-2, -2e-2], Contacting::Slip, Limit::Given(0.6)),
            ([0.0, 0.0, 0.0], [1e-3, 3e-2, -2e-2], Contacting::Open, Limit::Given(0.6)),
            ([1.0, 0.2, 0.1], [1e-3, 1e-3, -2e-3], Contacting::Stick, Limit::Follows),
            ([1.0, 0.2, 0.1], [1e-3, 3e-2, -2e-2], Contacting::Slip, Limit::Follows),
            ([0.0, 0.0, 0.0], [1e-3, 3e-2, -2e-2], Contacting::Open, Limit::Follows),
        ];
        for (before, u, state, limit) in cases {
            let reply = LAW.reply(&before, &u, limit);
            assert_eq!(reply.state, state);
            let force = LAW.force(&before, &u, limit);
            assert_eq!(force, reply.force);
            for j in 0..3 {
                let at = |sign: f64| {
                    let mut v = u;
                    v[j] += sign * 1e-7;
                    LAW.reply(&before, &v, limit).force
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
    fn depth_is_taken_back_no_faster_in_short_parts_of_a_step() {
        for fraction in [1.0, 0.25, 1.0 / 256.0] {
            assert_eq!(closed_in(fraction, 1e-4, 1e-3), 1e-4);
            assert_eq!(closed_in(fraction, -1e-9, 1e-3), -5e-10);
            assert_eq!(closed_in(fraction, -1e-2, 1e-3) / fraction, closed_in(1.0, -1e-2, 1e-3));
        }
    }

    #[test]
    fn only_what_has_sunk_in_is_taken_back() {
        // a plane from halfway that says too much, less, and nothing of the depth at the start
        assert_eq!([no_deeper(-5e-4, -1e-5), no_deeper(-5e-6, -1e-5), no_deeper(2e-4, -1e-5)], [-1e-5, -5e-6, 2e-4]);
        assert_eq!([no_deeper(-5e-4, 3e-5), no_deeper(2e-4, 3e-5)], [0.0, 2e-4]);
    }

    #[test]
    fn friction_opposes_sliding_and_never_pulls() {
        let reply = LAW.reply(&[0.5, 0.0, 0.0], &[0.0, 1.0, 0.0], Limit::Given(LAW.friction.limit(0.5)));
        assert_eq!(reply.state, Contacting::Slip);
        assert!((reply.force[1] + LAW.friction.limit(0.5)).abs() < 1e-12 && reply.force[2] == 0.0);
        assert_eq!(LAW.reply(&[0.5, 0.1, 0.0], &[1.0, 0.0, 0.0], Limit::Follows).force, [0.0; 3]);
    }
}
