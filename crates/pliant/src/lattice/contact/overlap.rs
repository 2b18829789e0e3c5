//! The volume between two facets that have passed through each other: Joukhadar, "Robot-Phi", section 4.4, figure 25.
//!
//! Facets X and Y face each other along n, the mean of n_y and -n_x: out of Y, the direction in which X is pushed. Seen
//! along n they share a polygon, and over it X is deeper than Y's surface by g, the height of Y's plane over X's, which
//! is linear. Where g > 0 every column is a point contact, (7) of the paper, so that
//!
//!   V = integral of g dA,   E = integral of g^2 / 2 dA,   dE / ds = -V
//!
//! for a shift s of X along n: with a stiffness k [N/m3] k V is the force [N] and k E the energy [J]. (The paper uses
//! one letter for the stiffness of points, [N/m], and of volumes.) The force acts in the middle of the columns, P_c.
//! Seen along n that point is in both triangles, so that the weights of their corners are never negative and need no
//! clipping; and the two points are on one line along n, so that equal and opposite forces along n have no moment.
//!
//! A force along n alone is not the gradient of an energy where facets are not parallel: a body tilted by a in a plane
//! is pushed aside by a / 2 of its weight. The derivative of E by a shift of X across n is
//!
//!   integral of g s_x dA + sum over sides of X of the integral of g^2 / 2 along them times their outward normals,
//!
//! where s_x is the slope of X's plane: `aside` is minus that. With it the force V n + `aside` of a facet within
//! another is along the normal of that other, as it must be. The two points where it acts are g apart along n, so that
//! it has a moment of up to g times `aside`, unlike the force along n.
//!
//! Judged by facets alone, two overlapping bodies and the far sides of two thin bodies look the same: both face each
//! other across a depth. Depth distinguishes them: columns longer than `deepest` are left out. It should be less than
//! the smallest thickness of a body, and more than the deepest contact expected. At edges sharper than a right angle
//! thickness falls to zero, and a body's own facets on both sides of such an edge must be kept from this function.

use super::polygon::{Corner, Moments, Polygon, weights};
use crate::math::{Vec2, Vec3};

/// Facets face each other if the cosine between their normals is below minus this, about 101 degrees: faces at right
/// angles, such as the side of a box that stands on another, do not. This also keeps projections along n from
/// degenerating.
pub const FACING: f64 = 0.2;

/// A facet has a normal if its height is more than this fraction of its longest side.
const THINNEST: f64 = 1e-9;

/// The overlap of two facets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Unit vector n out of Y: the direction in which X is pushed.
    pub normal: Vec3,
    /// Cosine of the angle between n and the normals of both facets: one if they are parallel.
    pub facing: f64,
    /// Volume between the facets [m3].
    pub volume: f64,
    /// Minus the derivative of `stored` by a shift of X across n [m3].
    pub aside: Vec3,
    /// Integral of half the depth squared [m4].
    pub stored: f64,
    /// Area in contact, across n [m2].
    pub area: f64,
    /// Largest depth [m].
    pub deepest: f64,
    /// Barycentric coordinates in X of the point where it is pushed; nonnegative except for rounding, they sum to one.
    pub on_x: [f64; 3],
    /// Barycentric coordinates in Y of the point where it is pushed.
    pub on_y: [f64; 3],
}

/// A facet with its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Corners, counter-clockwise seen from outside [m].
    pub corners: [Vec3; 3],
    /// Unit normal; zero if the facet is degenerate, so that it faces nothing.
    pub normal: Vec3,
    /// Turn of the surface at its edges, see `edge_turns`.
    pub turns: [f64; 3],
}

impl Face {
    /// A facet from its corners [m].
    pub fn new(corners: [Vec3; 3], turns: [f64; 3]) -> Face {
        Face { corners, normal: normal(&corners).unwrap_or(Vec3::ZERO), turns }
    }

    /// Whether another facet faces it, judged by normals.
    pub fn faces(&self, other: &Face) -> bool {
        self.normal.dot(other.normal) < -FACING
    }

    /// Whether another facet is entirely on its outer side.
    fn is_behind(&self, other: &Face) -> bool {
        other.corners.iter().all(|corner| (*corner - self.corners[0]).dot(self.normal) >= 0.0)
    }
}

/// Unit normal of a facet; `None` if it is degenerate. Stricter than `contact::normal`, as the normal of a sliver is
/// only rounding, and so would be forces along it.
#[inline]
pub fn normal(facet: &[Vec3; 3]) -> Option<Vec3> {
    let [a, b, c] = *facet;
    let across = (b - a).cross(c - a);
    let size = across.length();
    let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
    (size > THINNEST * longest && size.is_finite()).then(|| across / size)
}

/// The overlap of facets `x` and `y`, without columns longer than `deepest` [m]; `None` if there is none.
pub fn overlap(x: &Face, y: &Face, deepest: f64) -> Option<Overlap> {
    // most nearby pairs do not face each other or are apart
    if !x.faces(y) || x.is_behind(y) || y.is_behind(x) {
        return None;
    }
    let (normal_x, normal_y) = (x.normal, y.normal);
    let n = (normal_y - normal_x).try_normalize()?;
    let (turns, x, y) = ([x.turns, y.turns], &x.corners, &y.corners);
    let seen = Seen::along(n, x[0]);
    let (flat_x, flat_y) = (x.map(|p| seen.place(p)), y.map(|p| seen.place(p)));
    let (plane_x, plane_y) = (seen.plane(x[0], normal_x), seen.plane(y[0], normal_y));
    // along n facet X is seen from behind: reversed it is counter-clockwise like Y
    let turned = [flat_x[0], flat_x[2], flat_x[1]].map(|at| Corner::new(at, 0.0));
    let mut common = Polygon::triangle(turned);
    for i in 0..3 {
        let (from, to) = (flat_y[i], flat_y[(i + 1) % 3]);
        common.keep(|corner| (to - from).perp_dot(corner.at - from));
        if common.is_empty() {
            return None;
        }
    }
    common.deepen(|at| plane_y.height(at) - plane_x.height(at));
    common.keep(|corner| corner.depth);
    common.keep(|corner| deepest - corner.depth);
    common.keep_own([(flat_x, turns[0]), (flat_y, turns[1])]);
    if common.is_empty() {
        return None;
    }
    let sum = common.moments();
    let middle = sum.first / sum.volume;
    let [on_x, on_y] = [weights(&flat_x, middle), weights(&flat_y, middle)];
    // rounding leaves polygons of zero or negative area
    let sound = sum.volume > 0.0 && sum.area > 0.0 && on_x.iter().chain(&on_y).all(|part| part.is_finite());
    let Moments { volume, stored, area, deepest, .. } = sum;
    let facing = n.dot(normal_y);
    let aside = seen.lift(-(plane_x.slope * sum.volume + common.rim()));
    sound.then_some(Overlap { normal: n, facing, volume, aside, stored, area, deepest, on_x, on_y })
}

/// A projection along n: two axes across it, and an origin.
struct Seen {
    origin: Vec3,
    along: Vec3,
    across: [Vec3; 2],
}

/// A plane as a height function over the projection.
struct Plane {
    height: f64,
    slope: Vec2,
}

impl Seen {
    fn along(n: Vec3, origin: Vec3) -> Seen {
        let u = n.any_orthonormal_vector();
        Seen { origin, along: n, across: [u, n.cross(u)] }
    }

    fn flat(&self, v: Vec3) -> Vec2 {
        Vec2::new(v.dot(self.across[0]), v.dot(self.across[1]))
    }

    fn lift(&self, flat: Vec2) -> Vec3 {
        self.across[0] * flat.x + self.across[1] * flat.y
    }

    fn place(&self, point: Vec3) -> Vec2 {
        self.flat(point - self.origin)
    }

    /// The plane through a point; the component of its normal along n is bounded from below by `FACING`.
    fn plane(&self, through: Vec3, normal: Vec3) -> Plane {
        let slope = -self.flat(normal) / normal.dot(self.along);
        Plane { height: (through - self.origin).dot(self.along) - slope.dot(self.place(through)), slope }
    }
}

impl Plane {
    fn height(&self, at: Vec2) -> f64 {
        self.height + self.slope.dot(at)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "overlap_tests.rs"]
mod tests;
