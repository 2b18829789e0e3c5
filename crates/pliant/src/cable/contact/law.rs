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
//!
//! At first the limit is that of a normal force found before: for a given limit the problem has one solution and is easily
//! solved, while changing both at once from afar leads Newton's method astray. Close to the solution the limit follows the
//! normal force, so that no friction is ever found outside its cone. Where strong friction wedges a link that does not
//! always come to an end; limits are then taken from the normal forces of one solution after the other.

use crate::bytes::{Malformed, Reader, Stored, stored, stored_enum};
use crate::cable::algebra::block::{Mat6, Vec6, dot};
use crate::material::Friction;
use crate::math::{Pose, Quat, Vec3};

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
    /// The limit c f_n^N, with the length of the contact in it.
    pub friction: Friction,
}

/// Up to where friction holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A force [N].
    Given(f64),
    /// What the normal force allows.
    Follows,
}

impl Limit {
    /// Halfway to what a normal force allows [N], and whether that is far off, where `load` is what contacts bear [N].
    pub fn towards(self, allowed: f64, load: f64) -> (Limit, bool) {
        match self {
            Limit::Follows => (Limit::Given(allowed), true),
            Limit::Given(limit) => {
                (Limit::Given(0.5 * (limit + allowed)), (limit - allowed).abs() > FAR_OFF * (allowed + load))
            }
        }
    }
}

/// Limits of friction are not far off that are this close to those of the normal forces, in parts of these.
const FAR_OFF: f64 = 0.01;

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

impl Law {
    /// The force at a velocity, from the force before; friction up to a limit. A given one is there whatever the normal force,
    /// so that the force has no jumps.
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

    /// The same without the slope.
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

    /// The force at a velocity for a contact that goes on doing what it did, whatever the velocity says.
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
    let back = turn.inverse();
    // written out, as everything here that runs for each contact: the compiler does not always see through `map`
    [row(axes[0], arm, back), row(axes[1], arm, back), row(axes[2], arm, back)]
}

/// The same for a point between the end of a link and the start of the next, which moves as both by how near it is to each:
/// `weight` is the part of the next, and the point is off the way between them by `offset`.
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

/// One of these rows, with the turn into the link.
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

/// rows v.
pub fn velocity(rows: &[Vec6; 3], v: &Vec6) -> [f64; 3] {
    [dot(&rows[0], v), dot(&rows[1], v), dot(&rows[2], v)]
}

/// Of the depth that is there at the start of a part of a step, this part is taken back in it.
const RECOVERY: f64 = 0.5;

/// But no more than this part of the radius in a whole step.
const FASTEST_RECOVERY: f64 = 0.3;

/// What the law wants a gap to be smaller by after a part of a step: all of it, but of a depth only some, and that not faster than
/// in the whole step, or links would fly apart the faster the shorter the parts are.
pub fn closed_in(fraction: f64, gap: f64, radius: f64) -> f64 {
    if gap >= 0.0 { gap } else { (RECOVERY * gap).max(-FASTEST_RECOVERY * radius * fraction) }
}

/// Part of the radius that links may sink into each other deeper in a step before a pair becomes stiffer.
pub const DEEP: f64 = 0.003;

/// How many times stiffer a contact is than what it pushes on, where links push links: enough to hold, and not so much that
/// Newton's method would find out only one by one which of them do. What is pressed by more than its links alone can answer to,
/// such as a knot that is pulled tight, becomes stiffer, and softer again by and by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Firmness(f64);

impl Default for Firmness {
    fn default() -> Firmness {
        Firmness(30.0)
    }
}

impl Firmness {
    /// The most there is of it.
    const MOST: f64 = 3000.0;

    /// How much it grows at a time.
    const GROWTH: f64 = 6.0;

    /// How much of it is left after each step.
    const KEPT: f64 = 0.9;

    /// rho of a contact whose links move at a speed when they are pushed [s/kg].
    pub fn rho(self, answer: f64) -> f64 {
        self.0 / answer
    }

    /// Become stiffer; false where it is as stiff as can be.
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
    fn friction_opposes_sliding_and_never_pulls() {
        let reply = LAW.reply(&[0.5, 0.0, 0.0], &[0.0, 1.0, 0.0], Limit::Given(LAW.friction.limit(0.5)));
        assert_eq!(reply.state, Contacting::Slip);
        assert!((reply.force[1] + LAW.friction.limit(0.5)).abs() < 1e-12 && reply.force[2] == 0.0);
        assert_eq!(LAW.reply(&[0.5, 0.1, 0.0], &[1.0, 0.0, 0.0], Limit::Follows).force, [0.0; 3]);
    }
}
