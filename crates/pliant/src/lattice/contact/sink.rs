//! A facet sunk into an obstacle: the volume between the facet and the obstacle's surface.
//!
//! As between two facets (`overlap`), every column between them is a point contact, of depth d below the obstacle's
//! surface and with an area across its normal n, dA = -(n_f.n) dS: over a body that stands in a plane these sum to the
//! volume below the plane, and the contribution of a facet that turns away from the obstacle vanishes without a jump.
//! Facets that face away do not contribute.
//!
//! Depth is taken as linear over the facet where that holds. Where it does not, as over a small sphere in the middle of
//! a large facet, the facet is quartered until it does. Distances change no faster than positions, so parts farther
//! away than their own size are skipped.

use super::overlap::normal;
use super::polygon::{Corner, Moments, Polygon};
use crate::math::{Vec2, Vec3};

/// The surface of an obstacle near a point: distance from it, negative inside [m], and outward unit normal.
pub type Face = (f64, Vec3);

/// Accuracy of the subdivision of facets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fineness {
    /// Allowed deviation of the depth from linear, relative to the largest depth [-].
    pub tolerance: f64,
    /// Limit on quarterings of a facet: obstacles smaller than the facet's longest side over two to this power slip
    /// through its middle, and every level doubles the cost of facets across an edge of an obstacle.
    pub levels: u32,
    /// Whether the obstacle is a plane: depth is linear, and facets are not divided.
    pub plane: bool,
}

impl Default for Fineness {
    fn default() -> Fineness {
        Fineness { tolerance: 0.05, levels: 6, plane: false }
    }
}

/// A part of a facet in an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sunk {
    /// Unit normal out of the obstacle: the direction in which the facet is pushed.
    pub normal: Vec3,
    /// Volume between facet and surface [m3]; times the normal it is the sum of all columns as vectors.
    pub volume: f64,
    /// Integral of half the depth squared [m4].
    pub stored: f64,
    /// Area in contact, across the normal [m2].
    pub area: f64,
    /// Largest depth [m].
    pub deepest: f64,
    /// Barycentric coordinates of the point where the facet is pushed; they sum to one.
    pub parts: [f64; 3],
}

/// Cosine between normals above which parts are merged: 37 degrees.
const SAME: f64 = 0.8;

/// Limit on the separate parts of one facet.
const GROUPS: usize = 4;

/// No point of a triangle is farther from its nearest corner than this times its longest side: 1 / sqrt(3), rounded up.
const COVERED: f64 = 0.5774;

/// Deviation from linear depth that counts as none, relative to the longest side.
const FLAT: f64 = 1e-12;

/// A part with all its corners and edge midpoints outside is entirely outside if the depth deviates from linear by less
/// than this times their distance: a quadratic depth deviates in the middle by at most 4/3 of its deviation at the edge
/// midpoints.
const CLEAR: f64 = 0.4;

/// Upper limit on `Fineness::levels`.
const MOST_LEVELS: u32 = 12;

/// Call `push` with the parts of a facet that are inside an obstacle: one per direction of its surface, usually one.
///
/// `face(point, reach)` gives the obstacle's surface if it is within `reach` [m] of the point or the point is inside.
pub fn sink(
    facet: &[Vec3; 3],
    fineness: &Fineness,
    face: impl Fn(Vec3, f64) -> Option<Face>,
    mut push: impl FnMut(Sunk),
) {
    let Some(outward) = normal(facet) else { return };
    let [a, b, c] = *facet;
    let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared()).sqrt();
    // far from the obstacle one query is enough
    let centre = (a + b + c) / 3.0;
    let radius = facet.iter().fold(0.0, |most: f64, corner| most.max(corner.distance(centre)));
    if !face(centre, radius).is_some_and(|(distance, _)| distance < radius) {
        return;
    }
    let twice = (b - a).cross(c - a).length();
    let groups = [Group::default(); GROUPS];
    let mut search = Search { facet, outward, twice, fineness, face, longest, deepest: 0.0, groups };
    let places = [Vec2::ZERO, Vec2::X, Vec2::Y];
    // if any point of the facet is inside, no corner is farther from the surface than the longest side
    let corners = places.map(|at| search.corner(at, longest));
    if let [Some(a), Some(b), Some(c)] = corners {
        search.divide([a, b, c], 0);
    }
    search.groups.iter().filter_map(Group::sunk).for_each(&mut push);
}

/// Parts with similar normals.
#[derive(Clone, Copy, Default)]
struct Group {
    push: Vec3,
    volume: f64,
    stored: f64,
    area: f64,
    deepest: f64,
    first: Vec2,
}

impl Group {
    fn sunk(&self) -> Option<Sunk> {
        let size = self.push.length();
        let at = self.first / self.volume;
        let sound = size > 0.0 && size.is_finite() && at.is_finite();
        sound.then(|| Sunk {
            normal: self.push / size,
            volume: size,
            stored: self.stored,
            area: self.area,
            deepest: self.deepest,
            parts: [1.0 - at.x - at.y, at.x, at.y],
        })
    }
}

/// The subdivision of one facet; positions in it are the barycentric coordinates of its second and third corner.
struct Search<'a, F> {
    facet: &'a [Vec3; 3],
    outward: Vec3,
    /// Area per area in these coordinates: twice that of the facet [m2].
    twice: f64,
    fineness: &'a Fineness,
    face: F,
    longest: f64,
    /// Largest depth found so far [m].
    deepest: f64,
    groups: [Group; GROUPS],
}

impl<F: Fn(Vec3, f64) -> Option<Face>> Search<'_, F> {
    fn point(&self, at: Vec2) -> Vec3 {
        let [a, b, c] = self.facet;
        *a + (*b - *a) * at.x + (*c - *a) * at.y
    }

    fn corner(&self, at: Vec2, reach: f64) -> Option<Corner> {
        (self.face)(self.point(at), reach).map(|(distance, _)| Corner::new(at, -distance))
    }

    /// Take a part whole, or in quarters.
    fn divide(&mut self, corners: [Corner; 3], level: u32) {
        let side = self.longest / f64::from(1u32 << level);
        let nearest = corners.iter().fold(f64::MIN, |most, corner| most.max(corner.depth));
        if nearest <= -COVERED * side {
            return;
        }
        if self.fineness.plane {
            self.take(corners);
            return;
        }
        let [a, b, c] = corners;
        let mut middles = [a; 3];
        let mut bent: f64 = 0.0;
        for (middle, (p, q)) in middles.iter_mut().zip([(b, c), (c, a), (a, b)]) {
            // one corner is nearer than COVERED times the side, and each midpoint is nearer to it than the side
            let Some(found) = self.corner(0.5 * (p.at + q.at), 2.0 * side) else { return };
            bent = bent.max((found.depth - 0.5 * (p.depth + q.depth)).abs());
            *middle = found;
        }
        let nearest = middles.iter().fold(nearest, |most, corner| most.max(corner.depth));
        self.deepest = self.deepest.max(nearest);
        let allowed = if nearest > 0.0 { self.fineness.tolerance * self.deepest } else { CLEAR * -nearest };
        let [d, e, f] = middles;
        let mut quarters = [[a, f, e], [f, b, d], [e, d, c], [d, e, f]];
        let last = level >= self.fineness.levels.min(MOST_LEVELS);
        if bent <= FLAT * side {
            self.take(corners);
        } else if last || bent <= allowed {
            quarters.into_iter().for_each(|quarter| self.take(quarter));
        } else {
            // the deepest first, so that the largest depth is known for the others
            let depth = |quarter: &[Corner; 3]| quarter.iter().map(|corner| corner.depth).sum::<f64>();
            quarters.sort_unstable_by(|p, q| depth(q).total_cmp(&depth(p)));
            quarters.into_iter().for_each(|quarter| self.divide(quarter, level + 1));
        }
    }

    /// Add the part of a triangle that is inside.
    fn take(&mut self, corners: [Corner; 3]) {
        let mut inside = Polygon::triangle(corners);
        inside.keep(|corner| corner.depth);
        let sum = inside.moments();
        if sum.volume.is_nan() || sum.volume <= 0.0 {
            return;
        }
        let middle = self.point(sum.first / sum.volume);
        let Some((_, normal)) = (self.face)(middle, self.longest) else { return };
        let facing = -normal.dot(self.outward);
        if facing > 0.0 {
            self.gather(&sum, normal, facing * self.twice);
        }
    }

    /// Add a part to the group of its direction, or start a new one; if there are too many, add it to the most similar.
    fn gather(&mut self, sum: &Moments, normal: Vec3, area: f64) {
        let mut best = (f64::MIN, 0);
        for (i, group) in self.groups.iter().enumerate() {
            // free groups come after those in use
            let Some(direction) = group.push.try_normalize() else {
                if best.0 < SAME {
                    best = (SAME, i);
                }
                break;
            };
            let alike = direction.dot(normal);
            if alike > best.0 {
                best = (alike, i);
            }
        }
        let group = &mut self.groups[best.1];
        group.push += normal * (sum.volume * area);
        group.volume += sum.volume * area;
        group.stored += sum.stored * area;
        group.area += sum.area * area;
        group.deepest = group.deepest.max(sum.deepest);
        group.first += sum.first * area;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "sink_tests.rs"]
mod tests;
