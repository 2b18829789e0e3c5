//! Points that solids carry along, whether or not a particle is there.

use crate::math::{Mat3, Vec3};

/// A point of a solid: a mean of particles with weights that sum to one. A force on it is shared by the same weights,
/// which keeps its torque too, wherever the particles have moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    shares: Vec<(u32, f64)>,
}

/// Number of nearest particles that carry a point if they can; more where it is too far outside of them.
const FEW: usize = 12;

/// Sum of the sizes of weights up to which particles carry a point: more means that it is far outside of them.
const FAR: f64 = 3.0;

/// Distance of a mean from its point that is tolerated, relative to the size of the solid.
const OFF: f64 = 1e-6;

impl Anchor {
    /// The point [m] as a mean of the nearest of these particles. `None` if it is no mean of them, such as a point off
    /// the plane that all of them are in.
    pub fn new(point: Vec3, among: &[u32], places: &[Vec3], masses: &[f64]) -> Option<Anchor> {
        let distance = |n: &u32| (places[*n as usize] - point).length_squared();
        let mut nearest = among.to_vec();
        nearest.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
        let mut count = FEW;
        loop {
            let taken = &nearest[..count.min(nearest.len())];
            let shares = weights(point, taken, places, masses);
            let sizes: f64 = shares.iter().map(|(_, weight)| weight.abs()).sum();
            let extent = taken.last().map_or(0.0, |n| distance(n).sqrt());
            let anchor = Anchor { shares };
            let off = (anchor.mean(places) - point).length();
            let is_there = off <= OFF * extent.max(f64::MIN_POSITIVE);
            if is_there && sizes <= FAR {
                return Some(anchor);
            }
            if taken.len() == nearest.len() {
                return is_there.then_some(anchor);
            }
            count *= 2;
        }
    }

    /// Where it is, or how it moves: the mean of these vectors.
    pub fn mean(&self, vectors: &[Vec3]) -> Vec3 {
        self.shares.iter().map(|(n, weight)| vectors[*n as usize] * *weight).sum()
    }

    /// Add a force on it [N] to those of its particles.
    pub fn push(&self, force: Vec3, forces: &mut [Vec3]) {
        self.shares.iter().for_each(|(n, weight)| forces[*n as usize] += force * *weight);
    }

    /// Its particles and their weights.
    pub fn shares(&self) -> &[(u32, f64)] {
        &self.shares
    }
}

/// Weights m (1/M + d C^-1 (x - centre)) with C the sum of m d d: those of sum one and mean x for which the point is
/// heaviest.
fn weights(point: Vec3, taken: &[u32], places: &[Vec3], masses: &[f64]) -> Vec<(u32, f64)> {
    let each = || taken.iter().map(|n| (places[*n as usize], masses[*n as usize]));
    let mass: f64 = each().map(|(_, m)| m).sum();
    let centre = each().map(|(p, m)| p * m).sum::<Vec3>() / mass;
    let mut spread = Mat3::ZERO;
    for (p, m) in each() {
        let d = p - centre;
        spread += Mat3::from_cols(d * (m * d.x), d * (m * d.y), d * (m * d.z));
    }
    let size = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    // particles in a plane, on a line or in one place carry points there
    if spread.determinant() <= 1e-9 * size.powi(3) {
        spread += Mat3::IDENTITY * (1e-10 * size).max(f64::MIN_POSITIVE);
    }
    let slope = spread.inverse() * (point - centre);
    let slope = if slope.is_finite() { slope } else { Vec3::ZERO };
    taken.iter().zip(each()).map(|(n, (p, m))| (*n, m * (1.0 / mass + slope.dot(p - centre)))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A cloud of particles of unequal mass.
    fn cloud(random: &mut Random, count: usize) -> (Vec<u32>, Vec<Vec3>, Vec<f64>) {
        let places = (0..count).map(|_| random.vector()).collect();
        let masses = (0..count).map(|_| 0.5 + random.fraction()).collect();
        ((0..count as u32).collect(), places, masses)
    }

    #[test]
    fn a_point_is_carried_and_its_force_keeps_its_torque() {
        let mut random = Random(5);
        for _ in 0..100 {
            let (among, places, masses) = cloud(&mut random, 40);
            let point = random.vector() * 2.0;
            let anchor = Anchor::new(point, &among, &places, &masses).unwrap();
            assert!((anchor.mean(&places) - point).length() < 1e-12);
            let force = random.vector();
            let mut forces = vec![Vec3::ZERO; places.len()];
            anchor.push(force, &mut forces);
            let total: Vec3 = forces.iter().sum();
            let torque: Vec3 = places.iter().zip(&forces).map(|(p, f)| p.cross(*f)).sum();
            assert!((total - force).length() < 1e-13 && (torque - point.cross(force)).length() < 1e-12);
        }
    }

    #[test]
    fn points_off_a_plane_are_not_carried_by_it() {
        let mut random = Random(6);
        let (among, mut places, masses) = cloud(&mut random, 20);
        places.iter_mut().for_each(|p| p.z = 0.3);
        let anchor = Anchor::new(Vec3::new(0.1, -0.2, 0.3), &among, &places, &masses).unwrap();
        assert!((anchor.mean(&places) - Vec3::new(0.1, -0.2, 0.3)).length() < 1e-6);
        assert!(Anchor::new(Vec3::ZERO, &among, &places, &masses).is_none());
        // one particle carries its own place only
        assert!(Anchor::new(places[3], &[3], &places, &masses).is_some());
        assert!(Anchor::new(places[4], &[3], &places, &masses).is_none());
    }
}
