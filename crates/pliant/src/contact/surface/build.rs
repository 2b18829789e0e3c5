//! Building a surface from triangles: what is beyond each of their sides, which of them form flat regions, and which
//! edges and corners protrude.

use std::collections::{HashMap, HashSet};

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::shape::TriMesh;

use super::beyond::{Beyond, Stretch};
use super::features::{Corner, Edge, Facet, SLACK, Side};
use super::hierarchy::{ANY, Hierarchy, Item, Placed};
use super::{NONE, SAME_HILL, Surface, inside};
use crate::math::Vec3;

/// Tolerance for equal points, relative to the size of a mesh.
const SAME_PLACE: f64 = 1e-7;

/// Edges are straight within this many tolerances, since coordinates in files are rounded.
const STRAIGHT: f64 = 5.0;

/// Dents that do not count, relative to the size of a mesh: in files, coordinates have seven digits, and facets are
/// short.
const DENT: f64 = 1e-5;

/// The deepest dent that does not count, however large a mesh is [m].
const MOST_DENT: f64 = 1e-5;

impl Surface {
    /// Build the surface of a mesh.
    pub fn new(mesh: TriMesh) -> Surface {
        let corners: Vec<[Vec3; 3]> = mesh.triangles().map(|t| [t.a, t.b, t.c]).collect();
        let (low, high) = corners
            .iter()
            .flatten()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        let size = (high - low).length();
        let (same, dent) = (SAME_PLACE * size, (DENT * size).min(MOST_DENT));
        let hierarchy = Hierarchy::EMPTY;
        let (facets, edges, tips) = (vec![], vec![], vec![]);
        let (spans, rings) = (vec![], vec![]);
        let far = inside::far(&corners);
        let mut surface = Surface { mesh, same, dent, far, facets, spans, edges, corners: tips, rings, hierarchy };
        Builder::new(&surface.mesh.clone(), &corners, same).build(&mut surface);
        surface
    }
}

/// A side of a facet beyond which the surface falls away or ends.
struct Rim {
    /// Indices of its end points.
    ends: [u32; 2],
    facet: usize,
    /// Unit vector in the plane of that facet, into it.
    inward: Vec3,
    /// The facet beyond it, if any.
    other: Option<usize>,
}

/// Working data while a surface is built.
pub(super) struct Builder<'a> {
    pub mesh: &'a TriMesh,
    pub corners: &'a [[Vec3; 3]],
    pub normals: Vec<Vec3>,
    /// Tolerance for equal points [m].
    pub same: f64,
    places: Places,
}

/// The root of a facet in the union-find forest `regions`.
pub(super) fn first(regions: &mut [usize], mut facet: usize) -> usize {
    while regions[facet] != facet {
        regions[facet] = regions[regions[facet]];
        facet = regions[facet];
    }
    facet
}

/// Merge the regions of two facets.
fn join(regions: &mut [usize], a: usize, b: usize) {
    let (a, b) = (first(regions, a), first(regions, b));
    regions[a.max(b)] = a.min(b);
}

/// Distinct points, by index.
pub(super) struct Places {
    list: Vec<Vec3>,
    /// Indices by cell of a grid.
    cells: HashMap<[i64; 3], Vec<u32>>,
    /// Tolerance for equal points [m].
    same: f64,
}

impl Places {
    /// The index of a point: that of the first one equal to it.
    fn name(&mut self, here: Vec3) -> u32 {
        let [x, y, z] = (here / (2.0 * self.same)).floor().to_array().map(|x| x as i64);
        for (i, j, k) in (-1..2).flat_map(|i| (-1..2).flat_map(move |j| (-1..2).map(move |k| (i, j, k)))) {
            let there = self.cells.get(&[x + i, y + j, z + k]).into_iter().flatten();
            if let Some(&first) = there.into_iter().find(|&&m| self.list[m as usize].distance(here) < self.same) {
                return first;
            }
        }
        let name = self.list.len() as u32;
        self.list.push(here);
        self.cells.entry([x, y, z]).or_default().push(name);
        name
    }

    fn at(&self, name: u32) -> Vec3 {
        self.list[name as usize]
    }
}

impl<'a> Builder<'a> {
    fn new(mesh: &'a TriMesh, corners: &'a [[Vec3; 3]], same: f64) -> Builder<'a> {
        let normals = corners.iter().map(crate::contact::normal).collect();
        let mut places = Places { list: vec![], cells: HashMap::new(), same };
        corners.iter().flatten().for_each(|corner| _ = places.name(*corner));
        Builder { mesh, corners, normals, same, places }
    }

    fn build(mut self, surface: &mut Surface) {
        let mut regions: Vec<usize> = (0..self.corners.len()).collect();
        let mut joined = regions.clone();
        let mut rims = self.add_facets(surface, [&mut regions, &mut joined]);
        let hills = self.hills(&mut joined, surface.dent);
        for (n, facet) in surface.facets.iter_mut().enumerate() {
            (facet.region, facet.hill) = (first(&mut regions, n) as u32, hills[n]);
        }
        rims.sort_unstable_by_key(|rim| (rim.facet, rim.ends));
        let mut items = vec![];
        for (n, facet) in surface.facets.iter().enumerate().filter(|(_, f)| f.normal != Vec3::ZERO) {
            items.push((Item::new(n, [facet.region, facet.hill], &[facet.normal], 0.0), self.corners[n]));
        }
        let standing = self.add_edges(&rims, surface, &mut items);
        self.add_corners(&standing, &rims, surface, &mut items);
        surface.hierarchy = Hierarchy::new(items);
    }

    /// Add facets with what is beyond their sides; merges flat regions, and facets without a groove between them. Returns
    /// the protruding pieces of sides, once each.
    fn add_facets(&mut self, surface: &mut Surface, [regions, joined]: [&mut [usize]; 2]) -> Vec<Rim> {
        let mut rims: HashMap<[u32; 2], Rim> = HashMap::new();
        for (n, corners) in self.corners.iter().enumerate() {
            let normal = self.normals[n];
            let sides = [0, 1, 2].map(|k| {
                let along = (corners[(k + 1) % 3] - corners[k]).normalize_or_zero();
                let inward = normal.cross(corners[(k + 1) % 3] - corners[k]).normalize_or_zero();
                let stretches = self.beyond(n, k);
                for Stretch { span, beyond } in &stretches {
                    let other = match *beyond {
                        Beyond::Flat(other) => {
                            join(regions, n, other);
                            join(joined, n, other);
                            continue;
                        }
                        Beyond::Rises => continue,
                        Beyond::Falls(other) => {
                            join(joined, n, other);
                            Some(other)
                        }
                        Beyond::Ends => None,
                    };
                    let ends = span.map(|s| self.places.name(corners[k] + along * s));
                    let name = if ends[0] < ends[1] { ends } else { [ends[1], ends[0]] };
                    rims.entry(name).or_insert(Rim { ends, facet: n, inward, other });
                }
                let falls = surface.add_falls(&stretches, along.dot(corners[k]));
                Side { inward, offset: inward.dot(corners[k]), falls }
            });
            surface.facets.push(Facet { region: NONE, hill: NONE, normal, offset: normal.dot(corners[0]), sides });
        }
        rims.into_values().collect()
    }

    /// Add edges from rims; collinear ones between the same two regions are merged. Returns the points where edges end.
    fn add_edges(&self, rims: &[Rim], surface: &mut Surface, items: &mut Vec<Placed>) -> Vec<u32> {
        let between = |rim: &Rim| {
            let region = |facet: usize| surface.facets[facet].region;
            let (a, b) = (region(rim.facet), rim.other.map_or(NONE, region));
            [a.min(b), a.max(b)]
        };
        let mut at: HashMap<u32, Vec<usize>> = HashMap::new();
        for (n, rim) in rims.iter().enumerate() {
            rim.ends.iter().for_each(|place| at.entry(*place).or_default().push(n));
        }
        let mut taken = vec![false; rims.len()];
        let (mut edges, mut ends) = (vec![], vec![]);
        for start in 0..rims.len() {
            if std::mem::replace(&mut taken[start], true) {
                continue;
            }
            // as far as it continues straight, on both sides
            let (mut reach, mut pieces) = (rims[start].ends, vec![start]);
            for side in 0..2 {
                while let Some(&[a, b]) = at[&reach[side]].first_chunk().filter(|_| at[&reach[side]].len() == 2) {
                    let next = if taken[a] { b } else { a };
                    if taken[next] || between(&rims[next]) != between(&rims[start]) {
                        break;
                    }
                    let there = rims[next].ends[usize::from(rims[next].ends[0] == reach[side])];
                    let (from, to, goal) =
                        (self.places.at(reach[1 - side]), self.places.at(reach[side]), self.places.at(there));
                    let on = (to - from).normalize_or_zero();
                    if (goal - to).dot(on) <= 0.0 || (goal - from).reject_from(on).length() > STRAIGHT * self.same {
                        break;
                    }
                    taken[next] = true;
                    pieces.push(next);
                    reach[side] = there;
                }
            }
            ends.extend(reach);
            let (rim, [a, b]) = (&rims[start], reach.map(|place| self.places.at(place)));
            let (along, normal) = ((b - a).normalize_or_zero(), self.normals[rim.facet]);
            let other = rim.other.map_or(normal, |facet| self.normals[facet]);
            // the other facet has the edge in the opposite direction
            let across = if rim.other.is_none() { rim.inward } else { along.cross(other) };
            let number = surface.facets.len() + edges.len();
            let angle = if rim.other.is_none() { ANY } else { 0.5 * normal.angle_between(other) + SLACK };
            // piece by piece, or it would blow up the boxes of all that is beside it
            let hill = if rim.other.is_none() { NONE } else { surface.facets[rim.facet].hill };
            let item = Item::new(number, [NONE, hill], &[normal, other], angle);
            items.extend(pieces.iter().map(|n| {
                let [a, b] = rims[*n].ends.map(|place| self.places.at(place));
                (item, [a, b, b])
            }));
            let (middle, half) = (0.5 * (a + b), 0.5 * (b - a).length());
            let smooth = angle < SAME_HILL;
            let (normals, inward) = ([normal, other], [rim.inward, across]);
            edges.push(Edge { middle, along, half, normals, inward, smooth, hill });
        }
        surface.edges = edges;
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Add corners where edges end, with the facets around each point.
    fn add_corners(&self, standing: &[u32], rims: &[Rim], surface: &mut Surface, items: &mut Vec<Placed>) {
        let open: HashSet<u32> = rims.iter().filter(|rim| rim.other.is_none()).flat_map(|rim| rim.ends).collect();
        for &name in standing {
            let place = self.places.at(name);
            let near = Aabb::new(place - Vec3::splat(2.0 * self.same), place + Vec3::splat(2.0 * self.same));
            let mut facets: Vec<usize> = self.mesh.bvh().intersect_aabb(&near).map(|n| n as usize).collect();
            facets.retain(|&f| self.normals[f] != Vec3::ZERO && self.distance(f, place) < self.same);
            facets.sort_unstable();
            let from = surface.rings.len() as u32;
            facets.iter().for_each(|&facet| self.spread(facet, place, &mut surface.rings));
            let normals: Vec<Vec3> = facets.iter().map(|&f| self.normals[f]).collect();
            let normal = normals.iter().sum::<Vec3>().normalize_or_zero();
            let widest = normals.iter().map(|n| normal.angle_between(*n)).fold(0.0, f64::max);
            let angle = if open.contains(&name) || !widest.is_finite() { ANY } else { widest + SLACK };
            let mut hills = facets.iter().map(|&f| surface.facets[f].hill);
            let hill = hills.next().filter(|hill| angle < ANY && hills.all(|other| other == *hill)).unwrap_or(NONE);
            let number = surface.facets.len() + surface.edges.len() + surface.corners.len();
            items.push((Item::new(number, [NONE, hill], &normals, angle), [place; 3]));
            let (ring, smooth) = ([from, surface.rings.len() as u32], angle < SAME_HILL);
            surface.corners.push(Corner { place, normal, ring, smooth, hill });
        }
    }

    /// Unit vectors that span the sector of a facet at a point: a corner of it, a point on a side, or an inner point.
    fn spread(&self, facet: usize, place: Vec3, rings: &mut Vec<Vec3>) {
        let corners = &self.corners[facet];
        let to = |k: usize, from: Vec3| (corners[k % 3] - from).normalize_or_zero();
        if let Some(k) = (0..3).find(|&k| corners[k].distance(place) < 2.0 * self.same) {
            rings.extend([to(k + 1, corners[k]), to(k + 2, corners[k])]);
            return;
        }
        rings.extend([to(0, place), to(1, place), to(2, place)]);
    }
}
