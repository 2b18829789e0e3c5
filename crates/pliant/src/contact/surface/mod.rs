//! A mesh as the solid that it bounds: contacts of a straight piece of a rod with it.
//!
//! A round body can touch faces, edges and corners of a triangle mesh, but only those that protrude: an edge inside a
//! flat region or at the bottom of a groove does not count, however the mesh is divided. So edges and corners are
//! classified when the mesh is built; an edge knows the faces on both its sides, even where these do not share their
//! vertices (T-junctions, meshes that were not welded). A point is touched if the direction from it to the piece lies
//! within its own region: straight up from a face, between the normals of an edge, within the cone of a corner. A face
//! does not act behind itself: thin walls push to the side that the piece is on.

mod beyond;
mod build;
mod convex;
mod features;
mod hierarchy;
mod inside;
#[cfg(test)]
mod tests;

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::shape::TriMesh;

use crate::bytes::stored;
use crate::math::Vec3;
use features::{Corner, Edge, Facet};
use hierarchy::{Extent, Hierarchy};

/// Normals of nearby contacts that differ by less than this count as equal [rad]: 3 degrees; and the cosine of that.
const SAME_NORMAL: f64 = 0.053;
const SAME_COSINE: f64 = 0.998_595_83;

/// Normals that differ by less than this count as equal too, where the surface between two contacts is convex, without
/// sharper edges [rad]: 15 degrees.
const SAME_HILL: f64 = 0.26;
const HILL_COSINE: f64 = 0.966_389_98;

/// The width of items bounds where along a piece they can be, if the piece crosses it with at least this slope.
const SLANTED: f64 = 0.1;

const NONE: u32 = u32::MAX;

/// A triangle mesh with its connectivity.
pub struct Surface {
    mesh: TriMesh,
    /// Tolerance for equal points [m].
    same: f64,
    /// Dents up to this depth do not count [m].
    dent: f64,
    /// For a closed mesh, what its winding number lacks of one in the solid.
    far: Option<f64>,
    facets: Vec<Facet>,
    /// Ranges along sides in which the surface falls away, for sides where it does not everywhere [m].
    spans: Vec<[f64; 2]>,
    /// Protruding edges.
    edges: Vec<Edge>,
    corners: Vec<Corner>,
    /// Unit vectors along the edges of corners.
    rings: Vec<Vec3>,
    /// All of them, numbered in this order.
    hierarchy: Hierarchy,
}

/// A contact of a straight piece of a rod: a local minimum of its distance from the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearby {
    /// Position along the piece, from its centre [m].
    pub s: f64,
    /// Unit normal, away from the surface.
    pub normal: Vec3,
    /// Distance of the axis, including the bulge [m].
    pub distance: f64,
    /// Second derivative of the distance along the piece, without the bulge [1/m].
    pub curvature: f64,
    /// The point on the surface.
    foot: Vec3,
    /// Index of the flat region that it is on; `NONE` for edges and corners.
    region: u32,
    /// Index of the convex part of the surface that it is on.
    hill: u32,
    /// Whether the angle of the surface there is small.
    smooth: bool,
    /// Whether the distance from the surface has a minimum there, rather than the part of the piece above a facet an end.
    free: bool,
    /// Where to look first next time.
    pub hint: Hint,
}

/// A leaf of the hierarchy of a surface: where a contact was found, its successor is found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    node: u32,
}

impl Hint {
    /// Nothing is known.
    pub const NONE: Hint = Hint { node: NONE };
}

stored!(Hint { node });

/// A straight piece of a rod.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Its centre [m].
    pub middle: Vec3,
    /// Unit vector along it.
    pub along: Vec3,
    /// Range along it, from the centre [m].
    pub span: [f64; 2],
    /// Its surface recedes from the centre by this times s^2 [1/m].
    pub bulge: f64,
}

impl Nearby {
    /// A contact on no flat region: its position along the piece, normal and distance from the axis [m].
    pub(super) fn new(piece: &Piece, s: f64, normal: Vec3, height: f64) -> Nearby {
        let foot = piece.at(s) - normal * height;
        let distance = height + piece.bulge * s * s;
        let (region, hill, hint) = (NONE, NONE, Hint::NONE);
        Nearby { s, normal, distance, curvature: 0.0, foot, region, hill, smooth: true, free: true, hint }
    }

    /// The same on a surface with this second derivative of the distance along the piece [1/m].
    pub(super) fn curved(self, curvature: f64) -> Nearby {
        Nearby { curvature, ..self }
    }

    /// Whether a contact farther away counts as the same, if they are nearer to each other than `apart` along the
    /// piece.
    fn is_one_with(&self, farther: &Nearby, apart: f64) -> bool {
        let (alike, near) = (self.normal.dot(farther.normal), (self.s - farther.s).abs() < apart);
        // behind the plane of the other: the surface falls from here to there, and without sharp edges a link rolls
        // over it
        let convex = || self.smooth && farther.smooth && farther.normal.dot(self.foot - farther.foot) <= 0.0;
        // facets at tiny angles to each other, but all round a solid, are one region too
        (self.region == farther.region && self.region != NONE && alike > SAME_COSINE)
            || (near && (alike > SAME_COSINE || (alike > HILL_COSINE && convex())))
    }
}

impl Piece {
    /// The point at a position along its axis.
    pub fn at(&self, s: f64) -> Vec3 {
        self.middle + self.along * s
    }
}

impl Surface {
    /// The contacts of a piece within `reach` [m], nearest first, as many as fit into `found`. The hint does not change
    /// which these are.
    pub fn near(&self, piece: &Piece, reach: f64, apart: f64, hint: Hint, found: &mut [Option<Nearby>]) {
        found.fill(None);
        let [from, to] = piece.span;
        let (middle, half) = (piece.at(0.5 * (from + to)), 0.5 * (to - from));
        let along = piece.along.abs() * half;
        let mut look = Look { surface: self, piece, middle, half, reach: along, apart, most: reach, found, leaf: hint };
        self.hierarchy.walk(&mut look);
    }

    /// Whether a point is farther than `reach` from the bounding box of the surface [m].
    pub fn is_far(&self, point: Vec3, reach: f64) -> bool {
        let bounds = self.mesh.local_aabb();
        (bounds.mins - point).max(point - bounds.maxs).max_element() > reach
    }
}

/// A search for contacts of a piece.
struct Look<'a> {
    surface: &'a Surface,
    piece: &'a Piece,
    /// Centre of its span, and half its length [m].
    middle: Vec3,
    half: f64,
    /// Half the size of its bounding box.
    reach: Vec3,
    /// Contacts with equal normals that are nearer to each other along the piece count once [m].
    apart: f64,
    /// Contacts farther away are ignored [m].
    most: f64,
    found: &'a mut [Option<Nearby>],
    /// Where it is in the hierarchy.
    leaf: Hint,
}

impl Look<'_> {
    /// Lower bound of the distance of some items from the piece; infinite if none is nearer than `most`.
    ///
    /// A point p of the piece above a point q is p = q + h n, with n in the cone about an axis a and h below `most`. So
    /// the box of q bounds the range of p along the piece, and h >= (p - q) . a.
    fn distance(&self, extent: &Extent, most: f64) -> f64 {
        let (piece, way) = (self.piece, extent.middle - self.middle);
        let apart = (way.abs() - extent.half - self.reach).max(Vec3::ZERO).length_squared();
        if apart >= most * most {
            return f64::INFINITY;
        }
        let rise = extent.cone.axis.dot(piece.along);
        let (at, room) = (way.dot(piece.along), piece.along.abs().dot(extent.half));
        let room = room + most * (rise.abs() + extent.cone.sine);
        let (mut from, mut to) = ((at - room).max(-self.half), (at + room).min(self.half));
        // and so does its width
        let (place, rate, room) =
            (extent.across.dot(self.middle), extent.across.dot(piece.along), most * extent.cone.sine);
        if rate.abs() > SLANTED {
            let ends = [extent.width[0] - room - place, extent.width[1] + room - place].map(|x| x / rate);
            (from, to) = (from.max(ends[0].min(ends[1])), to.min(ends[0].max(ends[1])));
        }
        if from > to {
            return f64::INFINITY;
        }
        let height = self.middle.dot(extent.cone.axis) - extent.height + (rise * from).min(rise * to);
        let bulge = piece.bulge * 0.0_f64.clamp(from, to).powi(2);
        apart.sqrt().max(height + bulge)
    }

    /// Squared distance of the centre of the piece from a box.
    fn off_middle(&self, extent: &Extent) -> f64 {
        ((extent.middle - self.middle).abs() - extent.half).max(Vec3::ZERO).length_squared()
    }

    /// Whether items at this distance and farther can be skipped: there is no room for them, all contacts with them
    /// count as the same as a nearer one, or there can be none.
    ///
    /// The distance of a straight piece from a convex set is a convex function along it, with a single minimum where the
    /// piece bulges. So there is none at q, with normal n, besides the one found at f, with normal m, if f is behind the
    /// plane at q and q behind that at f: for the convex set behind both planes has f and q as nearest points too. In a
    /// convex part of the surface that is so for all points.
    fn passes_by(&self, distance: f64, extent: &Extent, [region, hill]: [u32; 2]) -> bool {
        let (cone, dent) = (&extent.cone, self.surface.dent);
        distance >= self.most
            || self.found.iter().flatten().any(|f| {
                let flat = region == f.region && region != NONE && cone.is_like(f.normal);
                let one = flat
                    || (self.is_near(f.s)
                        && (cone.is_like(f.normal)
                            || (f.smooth && cone.is_alike(f.normal) && extent.is_before(f.foot, 0.0))));
                (f.free && hill == f.hill && hill != NONE)
                    || (one && (f.distance <= distance || f.distance <= self.distance(extent, f.distance)))
                    || (f.free
                        && extent.is_under(f.normal, f.normal.dot(f.foot) + dent)
                        && extent.is_before(f.foot, dent))
            })
    }

    /// Whether all of the piece is near a position along it.
    fn is_near(&self, s: f64) -> bool {
        (s - self.piece.span[0]).max(self.piece.span[1] - s) < self.apart
    }

    /// Examine the item of this number.
    fn look(&mut self, number: u32) {
        let (surface, piece) = (self.surface, self.piece);
        let (facets, edges) = (surface.facets.len(), surface.edges.len());
        let number = number as usize;
        let place = if number < facets {
            surface.facets[number].nearest(piece, self.most, &surface.spans)
        } else if number < facets + edges {
            surface.edges[number - facets].nearest(piece)
        } else {
            let corner = &surface.corners[number - facets - edges];
            corner.nearest(piece, &surface.rings[corner.ring[0] as usize..corner.ring[1] as usize])
        };
        if let Some(place) = place.filter(|p| p.distance < self.most) {
            insert(self.found, Nearby { hint: self.leaf, ..place }, self.apart);
            // only as far as there is room
            if let Some(Some(last)) = self.found.last() {
                self.most = self.most.min(last.distance);
            }
        }
    }
}

impl Surface {
    /// Distance of a piece with these ends from the surface, as far as it is less than `most` [m]; zero where it passes
    /// through.
    pub fn clearance(&self, ends: &[Vec3; 2], most: f64) -> f64 {
        let [a, b] = *ends;
        let around = Aabb::new(a.min(b) - most, a.max(b) + most);
        let mut least = most;
        for index in self.mesh.bvh().intersect_aabb(&around) {
            let facet = &self.facets[index as usize];
            let heights = ends.map(|p| facet.normal.dot(p) - facet.offset);
            if heights.iter().all(|h| *h >= least) || heights.iter().all(|h| *h <= -least) {
                continue;
            }
            let triangle = self.mesh.triangle(index);
            let corners = [triangle.a, triangle.b, triangle.c];
            if heights[0] * heights[1] <= 0.0 && facet.holds(a.lerp(b, heights[0] / (heights[0] - heights[1]))) {
                return 0.0;
            }
            for p in ends {
                let weights = crate::contact::nearest_of_triangle(*p, corners);
                least = least.min(crate::contact::blend(&corners, &weights).distance(*p));
            }
            for k in 0..3 {
                least = least.min(distance_of_segments([a, b], [corners[k], corners[(k + 1) % 3]]));
            }
        }
        least
    }
}

/// Distance of two segments with these ends [m]. (C. Ericson, "Real-Time Collision Detection", section 5.1.9.)
fn distance_of_segments([p, q]: [Vec3; 2], [r, s]: [Vec3; 2]) -> f64 {
    let (u, v, w) = (q - p, s - r, p - r);
    let (a, e, f) = (u.length_squared(), v.length_squared(), v.dot(w));
    let (b, c) = (u.dot(v), u.dot(w));
    let across = a * e - b * b;
    let part = |over: f64, under: f64| if under > f64::MIN_POSITIVE { (over / under).clamp(0.0, 1.0) } else { 0.0 };
    let mut at = if across > 1e-14 * a * e { part(b * f - c * e, across) } else { 0.0 };
    let mut other = if e > 0.0 { (b * at + f) / e } else { 0.0 };
    if other < 0.0 {
        (other, at) = (0.0, part(-c, a));
    } else if other > 1.0 {
        (other, at) = (1.0, part(b - c, a));
    }
    (w + u * at - v * other).length()
}

/// Insert a contact into those found, which are sorted by distance; of those that count as the same, the nearest is
/// kept.
fn insert(found: &mut [Option<Nearby>], place: Nearby, apart: f64) {
    let nearer = |other: &Option<Nearby>| other.is_some_and(|o| o.distance <= place.distance);
    let at = found.iter().position(|f| !nearer(f)).unwrap_or(found.len());
    if at == found.len() || found[..at].iter().flatten().any(|other| other.is_one_with(&place, apart)) {
        return;
    }
    let one = |other: &Nearby| place.is_one_with(other, apart);
    // what it replaces: one that counts as the same, or else the last
    let end = (at..found.len()).find(|&k| found[k].as_ref().is_none_or(one)).unwrap_or(found.len() - 1);
    found[at..=end].rotate_right(1);
    found[at] = Some(place);
    // farther ones may count as the same too
    let mut kept = at + 1;
    for k in at + 1..found.len() {
        if let Some(other) = found[k].take_if(|o| !one(o)) {
            found[kept] = Some(other);
            kept += 1;
        } else {
            found[k] = None;
        }
    }
}
