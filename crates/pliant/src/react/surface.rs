//! Points of one body before the facets of another: the nearest place of a surface, and on which side of it a point is.
//!
//! A rod has points along its centre line, no farther apart than its radius: an edge that comes between two of them sinks in by
//! an eighth of it. A solid has the corners of its facets.

use super::outline::{Outline, Side};
use super::press::{Key, Press};
use crate::contact::{blend, nearest_of_triangle, normal};
use crate::math::Vec3;

/// Most points of a rod between two nodes.
const MOST_POINTS: usize = 16;

/// Facets whose normals have a smaller product are different sides of a body.
const SAME_SIDE: f64 = 0.5;

/// Places that are nearer than this part of the distance are the same.
const SAME: f64 = 1e-9;

/// How many points a rod has between two nodes.
pub fn points_between(places: &[Vec3], radius: f64) -> usize {
    let longest = places.windows(2).map(|w| (w[1] - w[0]).length()).fold(0.0, f64::max);
    let wanted = (longest / radius.max(f64::MIN_POSITIVE)).ceil();
    if wanted.is_finite() { (wanted as usize).clamp(1, MOST_POINTS) } else { 1 }
}

/// The k-th of so many points of a segment.
pub fn point_of(segment: u32, k: usize, count: usize) -> Side {
    Side::along(segment, (k as f64 + 0.5) / count as f64)
}

/// The facet that is nearest to a point, so far.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Which facet, and which place of it.
    facet: u32,
    weights: [f64; 3],
    /// Square of the distance [m2].
    squared: f64,
    /// How squarely the facet faces the point: of those that share the nearest place, the one that says on which side it is.
    facing: f64,
}

impl Nearest {
    /// None yet.
    pub const NONE: Nearest = Nearest { facet: u32::MAX, weights: [0.0; 3], squared: f64::INFINITY, facing: 0.0 };

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.facet != u32::MAX
    }

    /// Look at one facet more.
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

    /// What a point of one body meets of the other's surface. A point that has come in through one side does not go out through
    /// another: `known` is what it met before.
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
            // on an edge a point inside sees the facet, whatever is nearest
            let normal = if outside { normal } else { -normal };
            (self.facet, self.weights, normal, if outside { distance } else { -distance })
        });
        // deep inside it is nearer to other sides than to the one it came through
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
