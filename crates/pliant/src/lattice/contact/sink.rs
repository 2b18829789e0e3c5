//! A facet sunk into an obstacle: the volume between the facet and the obstacle's surface.
//!
//! As between two facets (`overlap`), every column between them is a contact of points, of depth d under the obstacle's
//! surface and of area across its normal n, dA = -(n_f.n) dS: over a body that stands in a plane these sum to the volume under
//! the plane, and a facet that turns away from the obstacle fades out without a jump. Those that face away have no part.
//!
//! Depth is taken as linear over the facet where that holds. Where it does not, as over a small sphere in the middle of a large
//! facet, the facet is quartered until it does. Distances change no faster than the place does, so that parts farther away than
//! their own size are left out.

use super::overlap::normal;
use super::polygon::{Corner, Moments, Polygon};
use crate::math::{Vec2, Vec3};

/// The surface of an obstacle near a place: distance from it, negative inside [m], and unit normal out of it.
pub type Face = (f64, Vec3);

/// How finely facets are divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fineness {
    /// Depth may differ from linear by this fraction of the largest [-].
    pub tolerance: f64,
    /// How often a facet is quartered, at most: obstacles smaller than the facet's longest side over two to this power slip through
    /// its middle, and every level doubles the cost of facets across an edge of an obstacle.
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
    /// Unit normal out of the obstacle: the way the facet is pushed.
    pub normal: Vec3,
    /// Volume between facet and surface [m3]; times the normal it is the sum of all columns as vectors.
    pub volume: f64,
    /// Integral of half the depth squared [m4].
    pub stored: f64,
    /// Area in contact, across the normal [m2].
    pub area: f64,
    /// Largest depth [m].
    pub deepest: f64,
    /// Parts of the facet's corners in the point where it is pushed, of sum one.
    pub parts: [f64; 3],
}

/// Parts whose normals differ by less than this cosine, 37 degrees, are one.
const SAME: f64 = 0.8;

/// Parts of one facet that are told apart.
const GROUPS: usize = 4;

/// No place of a triangle is farther from all its corners than this times its longest side: 1 / sqrt(3), rounded up.
const COVERED: f64 = 0.5774;

/// Depth that differs from linear by less than this times the longest side is linear.
const FLAT: f64 = 1e-12;

/// A part with all its corners and middles of sides outside has nothing inside if depth differs from linear by less than this times
/// their distance: where depth is quadratic it differs in the middle by at most 4/3 of what it does at middles of sides.
const CLEAR: f64 = 0.4;

/// Quarterings that no fineness goes beyond.
const MOST_LEVELS: u32 = 12;

/// Give `push` the parts of a facet that are in an obstacle: one per direction of its surface, mostly one.
///
/// `face(point, reach)` is the obstacle's surface, if it is within `reach` of the point or the point is inside.
pub fn sink(
    facet: &[Vec3; 3],
    fineness: &Fineness,
    face: impl Fn(Vec3, f64) -> Option<Face>,
    mut push: impl FnMut(Sunk),
) {
    let Some(outward) = normal(facet) else { return };
    let [a, b, c] = *facet;
    let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared()).sqrt();
    // far from the obstacle one question is enough
    let centre = (a + b + c) / 3.0;
    let radius = facet.iter().fold(0.0, |most: f64, corner| most.max(corner.distance(centre)));
    if !face(centre, radius).is_some_and(|(distance, _)| distance < radius) {
        return;
    }
    let twice = (b - a).cross(c - a).length();
    let groups = [Group::default(); GROUPS];
    let mut search = Search { facet, outward, twice, fineness, face, longest, deepest: 0.0, groups };
    let places = [Vec2::ZERO, Vec2::X, Vec2::Y];
    // if a place of the facet is inside, no corner is farther from the surface than the longest side
    let corners = places.map(|at| search.corner(at, longest));
    if let [Some(a), Some(b), Some(c)] = corners {
        search.divide([a, b, c], 0);
    }
    search.groups.iter().filter_map(Group::sunk).for_each(&mut push);
}

/// Parts with about the same normal.
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

/// The division of one facet; places in it are the parts of its second and third corner.
struct Search<'a, F> {
    facet: &'a [Vec3; 3],
    outward: Vec3,
    /// Area per area of places: twice the facet's [m2].
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

    /// Take a part as it is, or in quarters.
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
            // one corner is nearer than COVERED of the side, and each middle nearer to it than the side
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
            // the deepest first, so that the others know how deep that is
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

    /// Add it to the parts of its direction, or begin such; if there is no room left, to the most alike.
    fn gather(&mut self, sum: &Moments, normal: Vec3, area: f64) {
        let mut best = (f64::MIN, 0);
        for (i, group) in self.groups.iter().enumerate() {
            // a free group comes after all that are taken
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
