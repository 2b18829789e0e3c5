//! Convex parts of a surface: a piece of a rod has a single contact with each of them.

use super::NONE;
use super::build::{Builder, first};
use super::hierarchy::{Hierarchy, Item};
use crate::math::Vec3;

impl Builder<'_> {
    /// The convex part that each facet belongs to; `NONE` where facets that are joined without a groove between them are
    /// not convex as a whole. `joined` is the union-find forest of these.
    pub(super) fn hills(&self, joined: &mut [usize], dent: f64) -> Vec<u32> {
        let mut hills = vec![NONE; joined.len()];
        let mut order: Vec<usize> = (0..joined.len()).filter(|&n| self.normals[n] != Vec3::ZERO).collect();
        order.sort_by_cached_key(|&n| first(joined, n));
        for facets in order.chunk_by(|&a, &b| first(joined, a) == first(joined, b)) {
            if self.are_convex(facets, dent) {
                facets.iter().for_each(|&n| hills[n] = facets[0] as u32);
            }
        }
        hills
    }

    /// Whether no corner of any of these facets lies before the plane of another.
    fn are_convex(&self, facets: &[usize], dent: f64) -> bool {
        let item = |&n: &usize| (Item::new(n, [NONE; 2], &[self.normals[n]], 0.0), self.corners[n]);
        let hierarchy = Hierarchy::new(facets.iter().map(item).collect());
        facets.iter().all(|&facet| {
            let normal = self.normals[facet];
            let most = normal.dot(self.corners[facet][0]) + dent;
            hierarchy.is_under(normal, most, |n| self.corners[n].iter().all(|corner| normal.dot(*corner) <= most))
        })
    }
}
