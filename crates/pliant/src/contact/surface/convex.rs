//! Whether a surface bounds a convex solid: then a piece of a rod has a single contact with it.

use std::f64::consts::PI;

use super::build::{Builder, first};
use crate::math::{Vec3, atan2};

/// Regions are flat within this fraction of the size of a mesh: in files, coordinates have seven digits.
const FLAT: f64 = 1e-5;

/// And within this, however large it is [m].
const MOST_DENT: f64 = 1e-5;

impl Builder<'_> {
    /// Whether a surface without grooves and borders is convex: one shell of flat regions that encloses its centre once.
    ///
    /// A closed connected surface that is convex at every edge is convex as a whole, unless it winds about a corner
    /// several times. (H. Tietze, "Über Konvexheit im Kleinen und im Großen".)
    pub(super) fn is_convex(&self, regions: &mut [usize], shells: &mut [usize]) -> bool {
        let mut facets = (0..self.corners.len()).filter(|&n| self.normals[n] != Vec3::ZERO);
        let Some(any) = facets.next() else { return false };
        let shell = first(shells, any);
        facets.all(|n| first(shells, n) == shell) && self.are_flat(regions) && self.wraps_once()
    }

    /// Whether the corners of each region lie in its mean plane.
    fn are_flat(&self, regions: &mut [usize]) -> bool {
        // sums of each region: area times normal, area, area times centre
        let mut sums = vec![(Vec3::ZERO, 0.0, Vec3::ZERO); regions.len()];
        for (n, [a, b, c]) in self.corners.iter().enumerate() {
            let (doubled, sum) = ((*b - *a).cross(*c - *a), &mut sums[first(regions, n)]);
            let area = doubled.length();
            *sum = (sum.0 + doubled, sum.1 + area, sum.2 + (*a + *b + *c) * (area / 3.0));
        }
        let most = (self.size * FLAT).min(MOST_DENT);
        self.corners.iter().enumerate().filter(|(n, _)| self.normals[*n] != Vec3::ZERO).all(|(n, corners)| {
            let (normal, area, centre) = sums[first(regions, n)];
            let (normal, centre) = (normal.normalize_or_zero(), centre / area);
            corners.iter().all(|corner| normal.dot(*corner - centre).abs() < most)
        })
    }

    /// Whether its facets, seen from its centre, cover the sphere of directions once. (A. van Oosterom, J. Strackee, "The
    /// solid angle of a plane triangle".)
    fn wraps_once(&self) -> bool {
        let count = 3.0 * self.corners.len() as f64;
        let centre = self.corners.iter().flatten().sum::<Vec3>() / count;
        let angle = |corners: &[Vec3; 3]| {
            let [a, b, c] = corners.map(|corner| corner - centre);
            let [x, y, z] = [a, b, c].map(Vec3::length);
            2.0 * atan2(a.dot(b.cross(c)), x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
        };
        let whole: f64 = self.corners.iter().map(angle).sum();
        (whole - 4.0 * PI).abs() < 0.1
    }
}
