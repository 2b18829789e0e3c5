//! A mesh as the solid that it bounds: what a straight piece of a rod touches of it.
//!
//! Of a surface of triangles a round body can touch faces, edges and corners, but only those that stand out: an edge inside a
//! flat region or at the bottom of a groove is none for it, however the mesh is divided. So edges and corners are looked at
//! when the mesh is built; an edge knows the faces on both its sides, also where these do not share their vertices (T-junctions,
//! meshes that were not welded). A place is touched if the way to it from the mesh leads through its own region: straight up
//! from a face, between the normals of an edge, within the cone of a corner. What is behind a face is not seen by it: thin walls
//! push to the side that one is on.

use std::collections::HashMap;

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::shape::TriMesh;

use crate::math::Vec3;

/// Faces that turn by less than this are one [rad].
const FLAT: f64 = 2e-3;

/// Places nearer than this part of the size of a mesh are the same.
const SAME_PLACE: f64 = 1e-7;

/// What the way from a place may point out of its region, as a part of its length: more than the slope of a piece that bulges,
/// so that nothing falls between a face and its edge. What is found twice counts once.
const SLACK: f64 = 0.01;

/// Cosine of the angle below which normals are one, 3 degrees, where places are near.
const SAME_NORMAL: f64 = 0.9986;

const NONE: u32 = u32::MAX;

/// Triangles with what is around them.
pub struct Surface {
    mesh: TriMesh,
    facets: Vec<Facet>,
    edges: Vec<Edge>,
    corners: Vec<Corner>,
    /// Unit vectors along the edges of corners.
    rings: Vec<Vec3>,
}

#[derive(Clone, Debug)]
struct Facet {
    /// Number of the flat region that it is part of.
    region: u32,
    normal: Vec3,
    /// n . x of its plane.
    offset: f64,
    sides: [Side; 3],
    /// Numbers of its edges and corners that stand out.
    edges: [u32; 3],
    corners: [u32; 3],
}

/// One side of a facet.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// Unit vector in the plane of the facet, into it.
    inward: Vec3,
    /// i . x of its line.
    offset: f64,
    /// Whether the surface falls away or ends there.
    falls: bool,
}

/// An edge that stands out.
#[derive(Clone, Copy, Debug)]
struct Edge {
    middle: Vec3,
    along: Vec3,
    half: f64,
    /// Normals of the facets beside it; one twice where the surface ends.
    normals: [Vec3; 2],
    /// Vectors in these facets, away from it.
    inward: [Vec3; 2],
}

/// A corner that stands out.
#[derive(Clone, Copy, Debug)]
struct Corner {
    place: Vec3,
    normal: Vec3,
    ring: [u32; 2],
}

/// A place of a surface that a straight piece of a rod is nearest to, among those around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearby {
    /// Where along the piece, from its middle [m].
    pub s: f64,
    /// Unit normal, away from the surface.
    pub normal: Vec3,
    /// Distance of the axis, with the bulge [m].
    pub distance: f64,
    /// Number of the flat region that it is on; none for edges and corners.
    region: u32,
}

/// A straight piece of a rod.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Its middle [m].
    pub middle: Vec3,
    /// Unit vector along it.
    pub along: Vec3,
    /// From where to where, from the middle [m].
    pub span: [f64; 2],
    /// Its surface falls back from the middle by this times s^2 [1/m].
    pub bulge: f64,
}

impl Nearby {
    /// A place on no flat region.
    pub(super) fn in_front(s: f64, normal: Vec3, distance: f64) -> Nearby {
        Nearby { s, normal, distance, region: NONE }
    }
}

impl Piece {
    /// One of its points.
    pub(super) fn at(&self, s: f64) -> Vec3 {
        self.middle + self.along * s
    }
}

impl Surface {
    /// Of a mesh.
    pub fn new(mesh: TriMesh) -> Surface {
        let corners: Vec<[Vec3; 3]> = mesh.triangles().map(|t| [t.a, t.b, t.c]).collect();
        let (low, high) = corners
            .iter()
            .flatten()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        let same = SAME_PLACE * (high - low).length();
        let mut surface = Surface { mesh, facets: vec![], edges: vec![], corners: vec![], rings: vec![] };
        Builder::new(&surface.mesh.clone(), &corners, same).build(&mut surface);
        surface
    }

    /// The places that a piece is nearest to within `reach`, nearest first; as many as there is room for.
    pub fn near(&self, piece: &Piece, reach: f64, apart: f64, found: &mut [Option<Nearby>]) {
        found.fill(None);
        let (a, b) = (piece.at(piece.span[0]), piece.at(piece.span[1]));
        let around = Aabb::new(a.min(b) - reach, a.max(b) + reach);
        let mut most = reach;
        for index in self.mesh.bvh().intersect_aabb(&around) {
            let facet = &self.facets[index as usize];
            let mut tell = |place: Option<Nearby>| {
                if let Some(place) = place.filter(|p| p.distance < most) {
                    insert(found, place, apart);
                    // no more than there is room for
                    if let Some(Some(last)) = found.last() {
                        most = most.min(last.distance);
                    }
                }
            };
            tell(facet.nearest(piece));
            for &edge in facet.edges.iter().filter(|e| **e != NONE) {
                tell(self.edges[edge as usize].nearest(piece));
            }
            for &corner in facet.corners.iter().filter(|c| **c != NONE) {
                let Corner { ring: [from, to], .. } = self.corners[corner as usize];
                tell(self.corners[corner as usize].nearest(piece, &self.rings[from as usize..to as usize]));
            }
        }
    }
}

impl Surface {
    /// Distance of a piece with these ends from the surface, as far as it is less than `most`; zero where it goes through.
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
                let weights = super::nearest_of_triangle(*p, corners);
                least = least.min(super::blend(&corners, &weights).distance(*p));
            }
            for k in 0..3 {
                least = least.min(distance_of_segments([a, b], [corners[k], corners[(k + 1) % 3]]));
            }
        }
        least
    }
}

/// Distance of two straight pieces with these ends. (C. Ericson, "Real-Time Collision Detection", section 5.1.9.)
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

/// Put a place among those found, which are in order of distance; those that it is one with count once, the nearer of them.
fn insert(found: &mut [Option<Nearby>], place: Nearby, apart: f64) {
    let one = |other: &Nearby| {
        (other.region == place.region && place.region != NONE)
            || (other.normal.dot(place.normal) > SAME_NORMAL && (other.s - place.s).abs() < apart)
    };
    let nearer = |other: &Option<Nearby>| other.is_some_and(|o| o.distance <= place.distance);
    let at = found.iter().position(|f| !nearer(f)).unwrap_or(found.len());
    if at == found.len() || found[..at].iter().flatten().any(one) {
        return;
    }
    // what it takes the place of: one that it is one with, or else the last
    let end = (at..found.len()).find(|&k| found[k].as_ref().is_none_or(one)).unwrap_or(found.len() - 1);
    found[at..=end].rotate_right(1);
    found[at] = Some(place);
    // farther ones may be one with it too
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

impl Facet {
    /// Whether a point of its plane lies within it, edges included.
    fn holds(&self, point: Vec3) -> bool {
        self.sides.iter().all(|side| side.inward.dot(point) >= side.offset)
    }

    /// The place of the piece over this facet that is nearest to its plane, if it is not nearer beside it.
    fn nearest(&self, piece: &Piece) -> Option<Nearby> {
        let height = self.normal.dot(piece.middle) - self.offset;
        let slope = self.normal.dot(piece.along);
        // the part of the piece that is over the facet
        let ([mut low, mut high], mut ends) = (piece.span, [false; 2]);
        for side in &self.sides {
            let (at, rise) = (side.inward.dot(piece.middle) - side.offset, side.inward.dot(piece.along));
            if rise == 0.0 {
                if at < 0.0 {
                    return None;
                }
                continue;
            }
            let crossing = -at / rise;
            if rise > 0.0 && crossing > low {
                (low, ends[0]) = (crossing, side.falls);
            } else if rise < 0.0 && crossing < high {
                (high, ends[1]) = (crossing, side.falls);
            }
        }
        if low > high {
            return None;
        }
        // least of height + slope s + bulge s^2
        let best = if piece.bulge > 0.0 { -slope / (2.0 * piece.bulge) } else { -slope.signum() * f64::INFINITY };
        let s = if best.is_nan() { 0.5 * (low + high) } else { best.clamp(low, high) };
        // where the surface falls away, the edge is nearer, or what is behind it
        if (best < low && ends[0]) || (best > high && ends[1]) {
            return None;
        }
        let above = height + slope * s;
        let distance = above + piece.bulge * s * s;
        (above > 0.0).then_some(Nearby { s, normal: self.normal, distance, region: self.region })
    }
}

impl Edge {
    fn nearest(&self, piece: &Piece) -> Option<Nearby> {
        let [from, to] = piece.span;
        let (centre, half) = (0.5 * (from + to), 0.5 * (to - from));
        let (s, t) = closest(piece.at(centre) - self.middle, piece.along, self.along, half, self.half, piece.bulge);
        let s = s + centre;
        let way = piece.at(s) - (self.middle + self.along * t);
        let distance = way.length();
        let slack = SLACK * distance;
        if self.inward.iter().any(|i| way.dot(*i) > slack) || self.normals.iter().all(|n| way.dot(*n) < 0.0) {
            return None;
        }
        // beyond its ends are corners, or edges that go on
        if t.abs() >= self.half && way.dot(self.along).abs() > SLACK * distance {
            return None;
        }
        let mean = (self.normals[0] + self.normals[1]).normalize_or(self.normals[0]);
        let normal = if distance > 1e-12 { way / distance } else { mean };
        Some(Nearby { s, normal, distance: distance + piece.bulge * s * s, region: NONE })
    }
}

/// Places s in [-a, a] along u and t in [-b, b] along v where d + s u - t v is shortest, with a bulge along u.
fn closest(d: Vec3, u: Vec3, v: Vec3, a: f64, b: f64, bulge: f64) -> (f64, f64) {
    let (across, way) = (u.reject_from_normalized(v), d.reject_from_normalized(v));
    // l + bulge s^2 is least where (l^2 / 2)' = -2 l bulge s; l hardly changes by that, but may be small
    let (steep, slope) = (across.length_squared(), -way.dot(across));
    let nearest = if steep > f64::MIN_POSITIVE { (slope / steep).clamp(-a, a) } else { 0.0 };
    let under = steep + 2.0 * bulge * (way + across * nearest).length();
    let s = if under > f64::MIN_POSITIVE { (slope / under).clamp(-a, a) } else { 0.0 };
    let t = (d + u * s).dot(v);
    if t.abs() <= b {
        return (s, t);
    }
    let t = t.clamp(-b, b);
    ((v * t - d).dot(u).clamp(-a, a), t)
}

impl Corner {
    fn nearest(&self, piece: &Piece, ring: &[Vec3]) -> Option<Nearby> {
        let s = (self.place - piece.middle).dot(piece.along).clamp(piece.span[0], piece.span[1]);
        let way = piece.at(s) - self.place;
        let distance = way.length();
        let slack = SLACK * distance;
        if ring.iter().any(|r| way.dot(*r) > slack) || way.dot(self.normal) < 0.0 {
            return None;
        }
        let normal = if distance > 1e-12 { way / distance } else { self.normal };
        Some(Nearby { s, normal, distance: distance + piece.bulge * s * s, region: NONE })
    }
}

/// How a surface goes on beyond a side of a facet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beyond {
    /// It goes on as it is, with the facet of this number.
    Flat(usize),
    /// It rises: a groove.
    Rises,
    /// It falls away, to a facet with this normal.
    Falls(Vec3),
    /// It ends.
    Ends,
}

/// What is needed while a surface is built.
struct Builder<'a> {
    mesh: &'a TriMesh,
    corners: &'a [[Vec3; 3]],
    normals: Vec<Vec3>,
    /// Places nearer than this are the same [m].
    same: f64,
    /// For each corner of each facet the first one at its place.
    places: Vec<[u32; 3]>,
}

/// The first facet of a region, where each facet knows another of its region.
fn first(regions: &mut [usize], mut facet: usize) -> usize {
    while regions[facet] != facet {
        regions[facet] = regions[regions[facet]];
        facet = regions[facet];
    }
    facet
}

/// Make the regions of two facets one.
fn join(regions: &mut [usize], a: usize, b: usize) {
    let (a, b) = (first(regions, a), first(regions, b));
    regions[a.max(b)] = a.min(b);
}

/// For each corner of each facet the number of the first one at its place, counted over all.
fn weld(corners: &[[Vec3; 3]], same: f64) -> Vec<[u32; 3]> {
    let cell = |v: Vec3| (v / (2.0 * same)).floor().to_array().map(|x| x as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let place = |n: u32| corners[n as usize / 3][n as usize % 3];
    let mut find = |n: u32| {
        let here = place(n);
        let [x, y, z] = cell(here);
        for (i, j, k) in (-1..2).flat_map(|i| (-1..2).flat_map(move |j| (-1..2).map(move |k| (i, j, k)))) {
            let there = cells.get(&[x + i, y + j, z + k]).into_iter().flatten();
            if let Some(&first) = there.into_iter().find(|&&m| place(m).distance(here) < same) {
                return first;
            }
        }
        cells.entry([x, y, z]).or_default().push(n);
        n
    };
    (0..corners.len() as u32).map(|facet| [3 * facet, 3 * facet + 1, 3 * facet + 2].map(&mut find)).collect()
}

impl<'a> Builder<'a> {
    fn new(mesh: &'a TriMesh, corners: &'a [[Vec3; 3]], same: f64) -> Builder<'a> {
        let normals = corners.iter().map(super::normal).collect();
        Builder { mesh, corners, normals, same, places: weld(corners, same) }
    }

    fn build(&self, surface: &mut Surface) {
        let (mut edges, mut corners): (HashMap<[u32; 2], u32>, HashMap<u32, u32>) = (HashMap::new(), HashMap::new());
        let mut rings: HashMap<u32, (Vec<Vec3>, Vec3)> = HashMap::new();
        let mut standing: Vec<u32> = vec![];
        let mut regions: Vec<usize> = (0..self.corners.len()).collect();
        for (n, places) in self.corners.iter().enumerate() {
            let normal = self.normals[n];
            let side = |k: usize| {
                let (a, b) = (places[k], places[(k + 1) % 3]);
                let inward = normal.cross(b - a).normalize_or_zero();
                (a, b, inward, self.beyond(n, k))
            };
            let sides = [side(0), side(1), side(2)];
            for (.., beyond) in &sides {
                if let Beyond::Flat(other) = beyond {
                    join(&mut regions, n, *other);
                }
            }
            let mut facet = Facet {
                region: 0,
                normal,
                offset: normal.dot(places[0]),
                sides: sides.map(|(a, _, inward, beyond)| Side {
                    inward,
                    offset: inward.dot(a),
                    falls: matches!(beyond, Beyond::Falls(_) | Beyond::Ends),
                }),
                edges: [NONE; 3],
                corners: [NONE; 3],
            };
            for (k, (a, b, inward, beyond)) in sides.into_iter().enumerate() {
                let along = (b - a).normalize_or_zero();
                let ends = [self.places[n][k], self.places[n][(k + 1) % 3]];
                for (place, out) in [(ends[0], along), (ends[1], -along)] {
                    let ring = rings.entry(place).or_insert((vec![], Vec3::ZERO));
                    ring.0.push(out);
                    ring.1 += normal;
                }
                let other = match beyond {
                    Beyond::Falls(other) => other,
                    Beyond::Ends => normal,
                    Beyond::Flat(_) | Beyond::Rises => continue,
                };
                let name = if ends[0] < ends[1] { ends } else { [ends[1], ends[0]] };
                facet.edges[k] = *edges.entry(name).or_insert_with(|| {
                    // the other facet has the edge the other way round
                    let across = if beyond == Beyond::Ends { inward } else { along.cross(other) };
                    surface.edges.push(Edge {
                        middle: 0.5 * (a + b),
                        along,
                        half: 0.5 * (b - a).length(),
                        normals: [normal, other],
                        inward: [inward, across],
                    });
                    surface.edges.len() as u32 - 1
                });
                // corners of such edges stand out too
                for (slot, name, place) in [(k, ends[0], a), ((k + 1) % 3, ends[1], b)] {
                    facet.corners[slot] = *corners.entry(name).or_insert_with(|| {
                        standing.push(name);
                        surface.corners.push(Corner { place, normal: Vec3::ZERO, ring: [0; 2] });
                        surface.corners.len() as u32 - 1
                    });
                }
            }
            surface.facets.push(facet);
        }
        for (n, facet) in surface.facets.iter_mut().enumerate() {
            facet.region = first(&mut regions, n) as u32;
        }
        for (corner, name) in surface.corners.iter_mut().zip(&standing) {
            let (ring, normal) = &rings[name];
            let from = surface.rings.len() as u32;
            surface.rings.extend(ring);
            (corner.ring, corner.normal) = ([from, from + ring.len() as u32], normal.normalize_or_zero());
        }
    }

    /// How the surface goes on beyond a side of a facet: the facet that has the middle of the side on its border, and is not
    /// this one. Of several the one that falls least, since the others are below.
    fn beyond(&self, facet: usize, side: usize) -> Beyond {
        let places = &self.corners[facet];
        let (a, b) = (places[side], places[(side + 1) % 3]);
        let (middle, normal) = (0.5 * (a + b), self.normals[facet]);
        let out = (b - a).cross(normal).normalize_or_zero();
        let around = Aabb::new(middle - Vec3::splat(2.0 * self.same), middle + Vec3::splat(2.0 * self.same));
        let mut best: Option<(f64, usize)> = None;
        for index in self.mesh.bvh().intersect_aabb(&around) {
            let other = index as usize;
            let there = self.normals[other];
            if other == facet || there == Vec3::ZERO {
                continue;
            }
            let weights = super::nearest_of_triangle(middle, self.corners[other]);
            if super::blend(&self.corners[other], &weights).distance(middle) > self.same {
                continue;
            }
            // away from the side within the other facet; one that lies on this facet from behind is no neighbour
            let centre = (self.corners[other][0] + self.corners[other][1] + self.corners[other][2]) / 3.0;
            let away = (centre - middle).reject_from((b - a).normalize_or(Vec3::X));
            let angle = (-away.dot(normal)).atan2(away.dot(out));
            if best.is_none_or(|(least, _)| angle < least) {
                best = Some((angle, other));
            }
        }
        match best {
            None => Beyond::Ends,
            Some((angle, other)) if angle > FLAT => Beyond::Falls(self.normals[other]),
            Some((angle, _)) if angle < -FLAT => Beyond::Rises,
            Some((_, other)) => Beyond::Flat(other),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Numbers that look random, between -1 and 1.
    fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    fn surface(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Surface {
        Surface::new(TriMesh::new(vertices, triangles).unwrap())
    }

    /// A rectangle from `a` along `u` and `v`, in m x n cells, each with vertices of its own.
    fn sheet(mesh: &mut (Vec<Vec3>, Vec<[u32; 3]>), a: Vec3, u: Vec3, v: Vec3, m: usize, n: usize) {
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let at = |i: usize, j: usize| a + u * (i as f64 / m as f64) + v * (j as f64 / n as f64);
            let first = mesh.0.len() as u32;
            mesh.0.extend([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            mesh.1.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }

    /// A box whose faces are divided differently, unwelded, so that its edges have T-junctions, and with slivers.
    fn patchwork(size: Vec3) -> Surface {
        let (x, y, z) = (Vec3::X * size.x, Vec3::Y * size.y, Vec3::Z * size.z);
        let (low, mut mesh) = (size * -0.5, (vec![], vec![]));
        sheet(&mut mesh, low, y, x, 1, 1);
        sheet(&mut mesh, low + z, x, y, 3, 5);
        sheet(&mut mesh, low, x, z, 2, 1);
        sheet(&mut mesh, low + y, z, x, 40, 1);
        sheet(&mut mesh, low, z, y, 7, 2);
        sheet(&mut mesh, low + x, y, z, 1, 4);
        surface(mesh.0, mesh.1)
    }

    fn drum(sides: u32) -> Surface {
        let at = |k: u32, z: f64| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(sides)).sin_cos();
            Vec3::new(cos, sin, z)
        };
        let mut mesh = (vec![], vec![]);
        for k in 0..sides {
            sheet(&mut mesh, at(k, -1.0), at(k + 1, -1.0) - at(k, -1.0), Vec3::Z * 2.0, 1, 2);
            for (z, turned) in [(1.0, false), (-1.0, true)] {
                let first = mesh.0.len() as u32;
                mesh.0.extend([Vec3::Z * z, at(k, z), at(k + 1, z)]);
                mesh.1.push(if turned { [first, first + 2, first + 1] } else { [first, first + 1, first + 2] });
            }
        }
        surface(mesh.0, mesh.1)
    }

    /// The nearest of the places that are found is as far away as the surface, by other code.
    #[test]
    fn nothing_falls_between_faces_edges_and_corners() {
        let (brick, plate) = (Vec3::new(2.0, 1.5, 1.0), Vec3::new(2.0, 0.01, 1.5));
        let within = |size: Vec3| move |p: Vec3| (p.abs() - size * 0.5).max_element() < 0.0;
        let round = |p: Vec3| p.x.hypot(p.y) < 1.0 && p.z.abs() < 1.0;
        let surfaces: [(Surface, &dyn Fn(Vec3) -> bool); 4] = [
            (patchwork(brick), &within(brick)),
            (patchwork(plate), &within(plate)),
            (drum(7), &round),
            (drum(48), &round),
        ];
        for (n, (surface, inside)) in surfaces.iter().enumerate() {
            let (mut number, mut seen) = (numbers(n as u64 + 1), 0);
            for _ in 0..20_000 {
                let middle = Vec3::new(number(), number(), number()) * 1.5;
                let along = Vec3::new(number(), number(), number()).normalize();
                let half = 0.01 + 0.4 * number().abs();
                let piece = Piece { middle, along, span: [-half, half], bulge: 0.0 };
                let clearance = surface.clearance(&[piece.at(-half), piece.at(half)], 0.5);
                let mut found = [None; 4];
                surface.near(&piece, 0.5, 0.1, &mut found);
                if clearance <= 0.0 || clearance >= 0.5 || inside(middle) {
                    continue;
                }
                seen += 1;
                let nearest = found[0].map_or(f64::INFINITY, |f| f.distance);
                assert!((nearest - clearance).abs() < 1e-6, "{n}: {nearest} for {clearance}, {piece:?} {found:?}");
            }
            assert!(seen > 2000, "{seen}");
        }
    }

    #[test]
    fn a_flat_face_is_touched_once_however_it_is_divided() {
        let surface = patchwork(Vec3::splat(2.0));
        for (x, turn) in [(0.0, 0.0), (0.3, 0.7), (-0.41, 1.3)] {
            let along = Vec3::new(f64::cos(turn), f64::sin(turn), 0.0);
            let piece = Piece { middle: Vec3::new(x, 0.1, 1.05), along, span: [-0.4, 0.4], bulge: 1e-3 };
            let mut found = [None; 4];
            surface.near(&piece, 0.3, 0.1, &mut found);
            let places: Vec<Nearby> = found.iter().flatten().copied().collect();
            assert_eq!(places.len(), 1, "{places:?}");
            assert!(places[0].s.abs() < 1e-9 && (places[0].distance - 0.05).abs() < 1e-12, "{places:?}");
        }
    }

    #[test]
    fn a_corner_between_walls_holds_two() {
        let mut mesh = (vec![], vec![]);
        sheet(&mut mesh, Vec3::ZERO, Vec3::X, Vec3::Y, 3, 3);
        sheet(&mut mesh, Vec3::ZERO, Vec3::Y, Vec3::Z, 2, 5);
        let surface = surface(mesh.0, mesh.1);
        let piece = Piece { middle: Vec3::new(0.05, 0.5, 0.06), along: Vec3::Y, span: [-0.2, 0.2], bulge: 1e-3 };
        let mut found = [None; 4];
        surface.near(&piece, 0.2, 0.1, &mut found);
        let normals: Vec<Vec3> = found.iter().flatten().map(|f| f.normal).collect();
        assert_eq!(normals, [Vec3::X, Vec3::Z]);
    }
}
