//! Connectors between particles: springs with dampers along lines, at angles and on volumes.
//!
//! As printed, torsion and joint connectors (TS, JS) of Joukhadar, "Robot-Phi", section 4.1, push both ends with the
//! same force whatever the arms, which leaves a net torque, and divide by the sine of an angle that may be 180 degrees.
//! Here an angle connector exerts a torque: each end is pushed by torque over arm, the middle by the opposite of both,
//! so that force and torque sum to zero. Near 180 degrees forces follow the sine, which has a limit where the direction
//! of the angle has none.

use crate::math::{Vec3, atan2};

/// A linear connector LS between two particles, (2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The two particles.
    pub ends: [u32; 2],
    /// Index of its kind.
    pub kind: u32,
}

/// Constants of all links of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkKind {
    /// Rest length, p_0 [m].
    pub rest: f64,
    /// Stiffness lambda [N/m].
    pub stiffness: f64,
    /// Damping mu [N s/m].
    pub damping: f64,
}

impl LinkKind {
    /// Force on the first end [N]; `d` is the vector from the second to the first [m], `v` its rate [m/s].
    #[inline(always)]
    pub fn force(&self, d: Vec3, v: Vec3) -> Vec3 {
        let squared = d.length_squared();
        // coincident ends have no direction to push in
        if squared < 1e-24 {
            return Vec3::ZERO;
        }
        let inverse = 1.0 / squared.sqrt();
        // (p - p_0) / p and p' / p in one
        let size = self.stiffness * (1.0 - self.rest * inverse) + self.damping * d.dot(v) * (inverse * inverse);
        d * -size
    }

    /// Energy for a vector `d` between the ends [J].
    pub fn energy(&self, d: Vec3) -> f64 {
        let stretch = d.length() - self.rest;
        0.5 * self.stiffness * stretch * stretch
    }
}

/// An angle connector between particles a and b as seen from c: TS, or JS where a fourth particle defines the positive
/// sense.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The ends, a and b.
    pub ends: [u32; 2],
    /// The middle, c.
    pub middle: u32,
    /// A particle on the side from which the angle from a to b is positive (JS).
    pub side: Option<u32>,
    /// Rest angle, theta_0 [rad]; from 0 to pi, or to 2 pi with a side.
    pub rest: f64,
    /// Stiffness lambda [N m/rad].
    pub stiffness: f64,
    /// Damping mu [N m s/rad].
    pub damping: f64,
}

/// Sine below which the connector is straight.
const STRAIGHT: f64 = 1e-11;

/// Forces of an angle connector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turning {
    /// Forces on a, b and c [N].
    pub forces: [Vec3; 3],
    /// Deviation of the angle from the rest angle [rad].
    pub off: f64,
}

impl Hinge {
    /// Forces from positions [m] and velocities [m/s] of a, b and c, and the position of the side particle, if any.
    pub fn turn(&self, places: [Vec3; 3], velocities: [Vec3; 3], side: Option<Vec3>) -> Turning {
        let [a, b] = [places[0] - places[2], places[1] - places[2]];
        let [va, vb] = [velocities[0] - velocities[2], velocities[1] - velocities[2]];
        let (la, lb) = (a.length(), b.length());
        if la < 1e-12 || lb < 1e-12 {
            return Turning::default();
        }
        let (i, j) = (a / la, b / lb);
        let cross = i.cross(j);
        let (sine, cosine) = (cross.length(), i.dot(j));
        let mut theta = atan2(sine, cosine);
        // the side decides between theta and 2 pi - theta
        let reflex = side.is_some_and(|s| cross.dot(s - places[2]) < 0.0);
        if reflex {
            theta = std::f64::consts::TAU - theta;
        }
        let off = theta - self.rest;
        // perpendicular to a and b, in the directions that increase the angle
        let [mut away_a, mut away_b] = [i * cosine - j, j * cosine - i];
        let mut rate = 0.0;
        if sine > STRAIGHT {
            (away_a, away_b) = (away_a / sine, away_b / sine);
            rate = away_a.dot(va) / la + away_b.dot(vb) / lb;
        } else {
            // straight: the angle is at its maximum and grows in no direction
            (away_a, away_b) = (Vec3::ZERO, Vec3::ZERO);
        }
        // the reflex angle decreases as the one between the two grows
        let way = if reflex { -1.0 } else { 1.0 };
        let torque = -self.stiffness * off * way - self.damping * rate;
        let [fa, fb] = [away_a * (torque / la), away_b * (torque / lb)];
        Turning { forces: [fa, fb, -(fa + fb)], off }
    }
}

/// A connector on the volume of a cell: it adds the resistance to volume change that links lack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swell {
    /// Corners of a hexahedron, in the order of `solid::Cell`.
    pub corners: [u32; 8],
    /// Index of its kind.
    pub kind: u32,
}

/// Constants of all volume connectors of a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwellKind {
    /// Rest volume [m3].
    pub rest: f64,
    /// Pressure per relative change of volume [Pa].
    pub stiffness: f64,
    /// Pressure per relative rate of volume [Pa s].
    pub damping: f64,
}

/// Faces of a hexahedron, counter-clockwise seen from outside.
pub const FACES: [[usize; 4]; 6] = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

/// Volume of a hexahedron, and 24 times its derivatives by the corners: a third of the sum over faces of their middle
/// times their vector area, which does not depend on the origin.
#[inline(always)]
fn measure(corners: &[Vec3; 8], slopes: &mut [Vec3; 8]) -> f64 {
    let mut sum = 0.0;
    let origin = corners[0];
    for face in FACES {
        let [a, b, c, d] = face.map(|i| corners[i] - origin);
        let (p, q, s) = (c - a, d - b, a + b + c + d);
        let (pq, qs, sp) = (p.cross(q), q.cross(s), s.cross(p));
        sum += s.dot(pq);
        slopes[face[0]] += pq - qs;
        slopes[face[1]] += pq - sp;
        slopes[face[2]] += pq + qs;
        slopes[face[3]] += pq + sp;
    }
    sum / 24.0
}

/// Volume of a hexahedron [m3], and its derivatives by the corners [m2].
pub fn volume(corners: &[Vec3; 8]) -> (f64, [Vec3; 8]) {
    let mut slopes = [Vec3::ZERO; 8];
    let size = measure(corners, &mut slopes);
    slopes.iter_mut().for_each(|s| *s /= 24.0);
    (size, slopes)
}

impl SwellKind {
    /// Give `push` the force on each corner, from positions and velocities.
    #[inline(always)]
    pub fn push(&self, corners: &[Vec3; 8], velocities: &[Vec3; 8], mut push: impl FnMut(usize, Vec3)) {
        let mut slopes = [Vec3::ZERO; 8];
        let volume = measure(corners, &mut slopes);
        let rate = slopes.iter().zip(velocities).map(|(s, v)| s.dot(*v)).sum::<f64>() / 24.0;
        let pressure = (self.stiffness * (volume - self.rest) + self.damping * rate) / self.rest;
        slopes.iter().enumerate().for_each(|(n, slope)| push(n, *slope * (pressure / -24.0)));
    }

    /// Energy [J].
    pub fn energy(&self, corners: &[Vec3; 8]) -> f64 {
        let change = volume(corners).0 - self.rest;
        0.5 * self.stiffness * change * change / self.rest
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        }
    }

    fn vectors<const N: usize>(random: &mut impl FnMut() -> f64) -> [Vec3; N] {
        std::array::from_fn(|_| Vec3::new(random(), random(), random()))
    }

    /// Forces and torques sum to zero, with unequal arms too; the printed forces leave 1.5 N m with arms 1 and 2.5.
    fn balanced(places: &[Vec3], forces: &[Vec3]) {
        let size: f64 = forces.iter().map(|f| f.length()).sum();
        let (force, torque) =
            places.iter().zip(forces).fold((Vec3::ZERO, Vec3::ZERO), |(f, t), (p, g)| (f + g, t + p.cross(*g)));
        assert!(force.length() <= 1e-14 * size && torque.length() <= 1e-13 * size, "{force} {torque} of {size}");
    }

    fn slope(places: &[Vec3], n: usize, energy: impl Fn(&[Vec3]) -> f64) -> Vec3 {
        let e = 1e-6;
        Vec3::from_array(std::array::from_fn(|k| {
            let at = |h: f64| {
                let mut moved = places.to_vec();
                moved[n][k] += h;
                energy(&moved)
            };
            (at(e) - at(-e)) / (2.0 * e)
        }))
    }

    #[test]
    fn forces_balance_and_are_slopes_of_energy() {
        let mut random = numbers(1);
        for trial in 0..200 {
            let places: [Vec3; 8] = vectors(&mut random);
            let still = [Vec3::ZERO; 8];
            let link = LinkKind { rest: 0.4, stiffness: 7.0, damping: 0.3 };
            let force = link.force(places[0] - places[1], Vec3::ZERO);
            let expected = -slope(&places, 0, |p| link.energy(p[0] - p[1]));
            assert!((force - expected).length() < 1e-7, "{force} {expected}");

            let side = (trial % 2 == 1).then_some(3);
            let hinge = Hinge { ends: [0, 1], middle: 2, side, rest: 2.0, stiffness: 3.0, damping: 0.2 };
            let turned = |p: &[Vec3], v: [Vec3; 3]| hinge.turn([p[0], p[1], p[2]], v, side.map(|_| p[3]));
            let forces = turned(&places, [Vec3::ZERO; 3]).forces;
            balanced(&places[..3], &forces);
            for n in 0..3 {
                let expected = -slope(&places, n, |p| 1.5 * turned(p, [Vec3::ZERO; 3]).off.powi(2));
                assert!((forces[n] - expected).length() < 1e-5 * (1.0 + expected.length()), "{} {expected}", forces[n]);
            }
            let velocities: [Vec3; 3] = vectors(&mut random);
            let moving = turned(&places, velocities).forces;
            balanced(&places[..3], &moving);
            let power: f64 = (0..3).map(|n| (moving[n] - forces[n]).dot(velocities[n])).sum();
            assert!(power <= 1e-12, "a damper gives {power} W");

            let swell = SwellKind { rest: 0.3, stiffness: 5.0, damping: 0.0 };
            let mut forces = [Vec3::ZERO; 8];
            swell.push(&places, &still, |n, force| forces[n] = force);
            balanced(&places, &forces);
            let expected = -slope(&places, 5, |p| swell.energy(p.try_into().unwrap()));
            assert!((forces[5] - expected).length() < 1e-7, "{} {expected}", forces[5]);
        }
    }

    #[test]
    fn a_straight_angle_has_a_limit() {
        let hinge =
            Hinge { ends: [0, 1], middle: 2, side: None, rest: std::f64::consts::PI, stiffness: 2.0, damping: 0.1 };
        for bend in [0.0, 1e-12, 1e-9, 1e-6, 1e-3] {
            let places = [Vec3::new(1.0, bend, 0.0), Vec3::new(-2.5, 0.0, 0.0), Vec3::ZERO];
            let forces = hinge.turn(places, [Vec3::ZERO; 3], None).forces;
            // torque of stiffness times bend, over the arm
            assert!(
                (forces[0].y + 2.0 * bend).abs() <= (1e-6 + bend * bend * 10.0) * bend + 1e-11,
                "{bend}: {}",
                forces[0]
            );
            balanced(&places, &forces);
        }
    }

    #[test]
    fn volume_of_a_sheared_box() {
        let shear = |p: Vec3| Vec3::new(2.0 * p.x + 0.3 * p.y, 3.0 * p.y - 0.2 * p.z, 0.5 * p.z) + Vec3::splat(7.0);
        let corner = |x, y, z| shear(Vec3::new(x, y, z));
        let corners = [
            corner(0.0, 0.0, 0.0),
            corner(1.0, 0.0, 0.0),
            corner(1.0, 1.0, 0.0),
            corner(0.0, 1.0, 0.0),
            corner(0.0, 0.0, 1.0),
            corner(1.0, 0.0, 1.0),
            corner(1.0, 1.0, 1.0),
            corner(0.0, 1.0, 1.0),
        ];
        assert!((volume(&corners).0 - 3.0).abs() < 1e-13);
    }
}
