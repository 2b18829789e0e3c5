//! Points of one body against the facets of another: the nearest point of a surface, and the side that a point is on.
//!
//! A rod has points along its centre line, no farther apart than its radius, so that an edge between two of them
//! penetrates by at most an eighth of it. A solid has the corners of its facets.

use super::outline::{Outline, Side};
use super::press::{Key, Press};
use crate::contact::{blend, nearest_of_triangle, normal};
use crate::math::Vec3;

/// Limit on the points of a rod between two nodes.
const MOST_POINTS: usize = 16;

/// Cosine between normals below which two facets are different sides of a body.
const SAME_SIDE: f64 = 0.5;

/// Relative difference of distances below which they are equal.
const SAME: f64 = 1e-9;

/// Number of contact points of a rod between two nodes.
pub fn points_between(places: &[Vec3], radius: f64) -> usize {
    let longest = places.windows(2).map(|w| (w[1] - w[0]).length()).fold(0.0, f64::max);
    let wanted = (longest / radius.max(f64::MIN_POSITIVE)).ceil();
    if wanted.is_finite() { (wanted as usize).clamp(1, MOST_POINTS) } else { 1 }
}

/// The k-th of `count` points of a segment.
pub fn point_of(segment: u32, k: usize, count: usize) -> Side {
    Side::along(segment, (k as f64 + 0.5) / count as f64)
}

/// The facet nearest to a point, among those examined so far.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Index of the facet, and barycentric coordinates of the nearest point.
    facet: u32,
    weights: [f64; 3],
    /// Square of the distance [m2].
    squared: f64,
    /// How squarely the facet faces the point; among facets that share the nearest point, the largest decides the side.
    facing: f64,
}

impl Nearest {
    /// No facet yet.
    pub const NONE: Nearest = Nearest { facet: u32::MAX, weights: [0.0; 3], squared: f64::INFINITY, facing: 0.0 };

    /// Whether a facet was found.
    pub fn is_some(&self) -> bool {
        self.facet != u32::MAX
    }

    /// Distance of the nearest facet [m]; infinite if there is none.
    pub fn distance(&self) -> f64 {
        self.squared.sqrt()
    }

    /// Examine another facet.
    pub fn look(&mut self, point: Vec3, facet: u32, corners: [Vec3; 3]) {
        let weights = nearest_of_triangle(point, corners);
        let from = point - blend(&corners, &weights);
        let squared = from.length_squared();
        let facing = normal(&corners).dot(from) / squared.sqrt().max(f64::MIN_POSITIVE);
        let nearer = squared < self.squared * (1.0 - SAME);
        let same = squared <= self.squared * (1.0 + SAME) + f64::MIN_POSITIVE;
        if nearer || (same && facing.abs() > self.facing.abs()) {
            *self = Nearest { facet, weights, squared, facing };
        }
    }

    /// Contact of a point of one body with the other's surface. A point that has entered through one side does not
    /// leave through another: `known` is its previous contact.
    pub fn press(
        &self,
        key: Key,
        side: Side,
        [first, second]: [&Outline; 2],
        facets: &[[u32; 3]],
        known: Option<&Press>,
    ) -> Option<Press> {
        let point = side.of(&first.nodes.places);
        let corners = |facet: u32| facets.get(facet as usize).map(|f| f.map(|n| second.nodes.places[n as usize]));
        let found = corners(self.facet).map(|at| {
            let from = point - blend(&at, &self.weights);
            let (distance, flat) = (from.length(), normal(&at));
            let outside = self.facing >= 0.0;
            let fallback = if outside { flat } else { -flat };
            let normal = if distance > 1e-12 { from / distance } else { fallback };
            // for a point inside near an edge, the normal points from the point to the facet
            let normal = if outside { normal } else { -normal };
            (self.facet, self.weights, normal, if outside { distance } else { -distance })
        });
        // deep inside, a point may be nearer to other sides than to the one it entered through
        let inside = known.filter(|k| k.gap + first.radius < 0.0).and_then(|k| Some((k, corners(k.facet)?)));
        let kept = inside.and_then(|(k, at)| {
            let turned = found.is_none_or(|(_, _, normal, depth)| depth < 0.0 && normal.dot(k.normal) < SAME_SIDE);
            let flat = normal(&at);
            let depth = flat.dot(point - at[0]);
            let weights = nearest_of_triangle(point - flat * depth, at);
            (turned && depth < 0.0).then_some((k.facet, weights, flat, depth))
        });
        let (facet, weights, normal, distance) = kept.or(found)?;
        let nodes = facets[facet as usize];
        let mut press = Press::new(key, [side, Side { nodes, weights }], normal, distance - first.radius);
        press.facet = facet;
        press.gap.is_finite().then_some(press)
    }
}
