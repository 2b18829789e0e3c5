//! How a surface is made from triangles: what is beyond each of their sides, which of them are one flat region, and which edges
//! and corners stand out.

use std::collections::{HashMap, HashSet};

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::shape::TriMesh;

use super::features::{Corner, Edge, Facet, SLACK, Side};
use super::hierarchy::{ANY, Hierarchy, Item, Placed};
use super::{NONE, SAME_HILL, Surface};
use crate::math::Vec3;

/// Faces that turn by less than this are one [rad].
const FLAT: f64 = 2e-3;

/// Places nearer than this part of the size of a mesh are the same.
const SAME_PLACE: f64 = 1e-7;

/// Edges are straight within so many times what places may differ by: files are rounded.
const STRAIGHT: f64 = 5.0;

impl Surface {
    /// Of a mesh.
    pub fn new(mesh: TriMesh) -> Surface {
        let corners: Vec<[Vec3; 3]> = mesh.triangles().map(|t| [t.a, t.b, t.c]).collect();
        let (low, high) = corners
            .iter()
            .flatten()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        let same = SAME_PLACE * (high - low).length();
        let hierarchies = [const { Hierarchy::EMPTY }; 3];
        let mut surface = Surface { mesh, facets: vec![], edges: vec![], corners: vec![], rings: vec![], hierarchies };
        Builder::new(&surface.mesh.clone(), &corners, same).build(&mut surface);
        surface
    }
}

/// A side of a facet beyond which the surface falls away or ends.
struct Rim {
    /// Names of the places where it ends.
    ends: [u32; 2],
    facet: usize,
    /// Unit vector in the plane of that facet, into it.
    inward: Vec3,
    /// The facet beyond it.
    other: Option<usize>,
}

/// How a surface goes on beyond a side of a facet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beyond {
    /// It goes on as it is, with the facet of this number.
    Flat(usize),
    /// It rises: a groove.
    Rises,
    /// It falls away, to the facet of this number.
    Falls(usize),
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
        let normals = corners.iter().map(crate::contact::normal).collect();
        Builder { mesh, corners, normals, same, places: weld(corners, same) }
    }

    fn build(&self, surface: &mut Surface) {
        let mut rims: HashMap<[u32; 2], Rim> = HashMap::new();
        let mut around: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut regions: Vec<usize> = (0..self.corners.len()).collect();
        for (n, places) in self.corners.iter().enumerate() {
            let normal = self.normals[n];
            let beyond = [0, 1, 2].map(|k| self.beyond(n, k));
            let sides = [0, 1, 2].map(|k| {
                let inward = normal.cross(places[(k + 1) % 3] - places[k]).normalize_or_zero();
                let falls = matches!(beyond[k], Beyond::Falls(_) | Beyond::Ends);
                Side { inward, offset: inward.dot(places[k]), falls }
            });
            for (k, beyond) in beyond.into_iter().enumerate() {
                around.entry(self.places[n][k]).or_default().push(n);
                let other = match beyond {
                    Beyond::Flat(other) => {
                        join(&mut regions, n, other);
                        continue;
                    }
                    Beyond::Rises => continue,
                    Beyond::Falls(other) => Some(other),
                    Beyond::Ends => None,
                };
                let ends = [self.places[n][k], self.places[n][(k + 1) % 3]];
                let name = if ends[0] < ends[1] { ends } else { [ends[1], ends[0]] };
                rims.entry(name).or_insert(Rim { ends, facet: n, inward: sides[k].inward, other });
            }
            surface.facets.push(Facet { region: 0, normal, offset: normal.dot(places[0]), sides });
        }
        for (n, facet) in surface.facets.iter_mut().enumerate() {
            facet.region = first(&mut regions, n) as u32;
        }
        let mut rims: Vec<Rim> = rims.into_values().collect();
        rims.sort_unstable_by_key(|rim| (rim.facet, rim.ends));
        let mut items = [vec![], vec![], vec![]];
        for (n, facet) in surface.facets.iter().enumerate().filter(|(_, f)| f.normal != Vec3::ZERO) {
            items[0].push((Item::new(n, facet.region, facet.normal, 0.0), self.corners[n]));
        }
        let standing = self.add_edges(&rims, surface, &mut items[1]);
        self.add_corners(&standing, &around, &rims, surface, &mut items[2]);
        surface.hierarchies = items.map(Hierarchy::new);
    }

    /// Edges from rims; those that go on straight, between the same two regions, become one. Returns the places where edges
    /// end.
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
            // as far as it goes straight on, on both sides
            let mut reach = rims[start].ends;
            for side in 0..2 {
                while let Some(&[a, b]) = at[&reach[side]].first_chunk().filter(|_| at[&reach[side]].len() == 2) {
                    let next = if taken[a] { b } else { a };
                    if taken[next] || between(&rims[next]) != between(&rims[start]) {
                        break;
                    }
                    let there = rims[next].ends[usize::from(rims[next].ends[0] == reach[side])];
                    let (from, to, goal) = (self.place(reach[1 - side]), self.place(reach[side]), self.place(there));
                    let on = (to - from).normalize_or_zero();
                    if (goal - to).dot(on) <= 0.0 || (goal - from).reject_from(on).length() > STRAIGHT * self.same {
                        break;
                    }
                    taken[next] = true;
                    reach[side] = there;
                }
            }
            ends.extend(reach);
            let (rim, [a, b]) = (&rims[start], reach.map(|place| self.place(place)));
            let (along, normal) = ((b - a).normalize_or_zero(), self.normals[rim.facet]);
            let other = rim.other.map_or(normal, |facet| self.normals[facet]);
            // the other facet has the edge the other way round
            let across = if rim.other.is_none() { rim.inward } else { along.cross(other) };
            let number = surface.facets.len() + edges.len();
            let angle = if rim.other.is_none() { ANY } else { 0.5 * normal.angle_between(other) + SLACK };
            items.push((Item::new(number, NONE, normal + other, angle), [a, b, b]));
            let (middle, half) = (0.5 * (a + b), 0.5 * (b - a).length());
            let smooth = angle < SAME_HILL;
            edges.push(Edge { middle, along, half, normals: [normal, other], inward: [rim.inward, across], smooth });
        }
        surface.edges = edges;
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Corners where edges end, with the facets around each place.
    fn add_corners(
        &self,
        standing: &[u32],
        around: &HashMap<u32, Vec<usize>>,
        rims: &[Rim],
        surface: &mut Surface,
        items: &mut Vec<Placed>,
    ) {
        let open: HashSet<u32> = rims.iter().filter(|rim| rim.other.is_none()).flat_map(|rim| rim.ends).collect();
        for &name in standing {
            let (place, facets) = (self.place(name), &around[&name]);
            let from = surface.rings.len() as u32;
            for &facet in facets {
                let k = (0..3).find(|&k| self.places[facet][k] == name).unwrap_or(0);
                let corners = &self.corners[facet];
                let others = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
                surface.rings.extend(others.map(|other| (other - corners[k]).normalize_or_zero()));
            }
            let normal = facets.iter().map(|&f| self.normals[f]).sum::<Vec3>().normalize_or_zero();
            let widest = facets.iter().map(|&f| normal.angle_between(self.normals[f])).fold(0.0, f64::max);
            let angle = if open.contains(&name) || !widest.is_finite() { ANY } else { widest + SLACK };
            let number = surface.facets.len() + surface.edges.len() + surface.corners.len();
            items.push((Item::new(number, NONE, normal, angle), [place; 3]));
            let (ring, smooth) = ([from, surface.rings.len() as u32], angle < SAME_HILL);
            surface.corners.push(Corner { place, normal, ring, smooth });
        }
    }

    fn place(&self, name: u32) -> Vec3 {
        self.corners[name as usize / 3][name as usize % 3]
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
            let weights = crate::contact::nearest_of_triangle(middle, self.corners[other]);
            if crate::contact::blend(&self.corners[other], &weights).distance(middle) > self.same {
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
            Some((angle, other)) if angle > FLAT => Beyond::Falls(other),
            Some((angle, _)) if angle < -FLAT => Beyond::Rises,
            Some((_, other)) => Beyond::Flat(other),
        }
    }
}
