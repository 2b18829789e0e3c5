//! From triangles to faces, edges and vertices.

use std::collections::{BTreeMap, HashMap};

use parry3d_f64::shape::TriMesh;
use pliant::contact::Mesh;
use pliant::math::Vec3;

use super::{Edge, Face, Feature, Features, Kind, Surface, angle_between};

/// An edge has a vertex where its direction turns by more than this, or where three meet [rad]: 45 degrees.
const CORNER: f64 = 0.785;
/// Features are looked for within this distance of a contact, relative to the size of the obstacle.
const NEAR: f64 = 1e-3;
/// A face is flat if its normals differ by less than this; and named after an axis if nearer to it [rad]: 1 degree.
const FLAT: f64 = 0.0175;

/// A mesh on the way to its features.
pub(super) struct Builder<'a> {
    mesh: &'a Mesh,
    normals: Vec<Vec3>,
    angle: f64,
    /// Triangles at each pair of vertices, the smaller one first.
    sides: BTreeMap<[u32; 2], Vec<usize>>,
    /// A smaller triangle of the same face, or itself.
    parent: Vec<usize>,
    size: f64,
}

impl<'a> Builder<'a> {
    pub fn new(mesh: &'a Mesh, angle: f64) -> Option<Builder<'a>> {
        let normals: Vec<Vec3> = mesh.triangles.iter().map(|t| normal(&mesh.vertices, t)).collect::<Option<_>>()?;
        let mut sides: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for (n, [a, b, c]) in mesh.triangles.iter().enumerate() {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                sides.entry([*from.min(to), *from.max(to)]).or_default().push(n);
            }
        }
        let corners = || mesh.triangles.iter().flatten().map(|n| mesh.vertices[*n as usize]);
        let low = corners().fold(Vec3::INFINITY, Vec3::min);
        let high = corners().fold(Vec3::NEG_INFINITY, Vec3::max);
        let parent = (0..mesh.triangles.len()).collect();
        let size = (high - low).length();
        (size.is_finite() && size > 0.0).then_some(Builder { mesh, normals, angle, sides, parent, size })
    }

    fn root(&mut self, mut n: usize) -> usize {
        while self.parent[n] != n {
            self.parent[n] = self.parent[self.parent[n]];
            n = self.parent[n];
        }
        n
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    pub fn build(mut self) -> Option<Features> {
        let smooth: Vec<(usize, usize, f64)> = self
            .sides
            .values()
            .filter_map(|at| if let [a, b] = at[..] { Some((a, b)) } else { None })
            .map(|(a, b)| (a, b, angle_between(self.normals[a], self.normals[b])))
            .filter(|(_, _, turn)| *turn < self.angle)
            .collect();
        smooth.iter().for_each(|(a, b, _)| self.join(*a, *b));
        self.join_flush();
        let roots: Vec<usize> = (0..self.parent.len()).map(|n| self.root(n)).collect();
        let mut order: Vec<usize> = roots.clone();
        order.sort_unstable();
        order.dedup();
        let mut bends = vec![0.0_f64; roots.len()];
        smooth.iter().for_each(|(a, _, turn)| bends[roots[*a]] = bends[roots[*a]].max(*turn));
        let (names, sorted) = self.face_names(&roots, &order, &bends);
        let mut list: Vec<Feature> =
            sorted.iter().map(|r| Feature { kind: Kind::Face, name: names[r].clone() }).collect();
        let feature_of: HashMap<usize, usize> = sorted.iter().enumerate().map(|(n, r)| (*r, n)).collect();
        let faces = sorted.iter().enumerate().map(|(n, r)| Face { feature: n, bend: bends[*r] }).collect();
        let face_of: Vec<usize> = roots.iter().map(|r| feature_of[r]).collect();
        let (edges, edges_of, corners) = self.sharp(&face_of, &mut list);
        let mesh = TriMesh::new(self.mesh.vertices.clone(), self.mesh.triangles.clone()).ok()?;
        let reach = NEAR * self.size;
        Some(Features { list, surface: Some(Surface { mesh, face_of, faces, edges_of, edges, corners, reach }) })
    }

    /// Join flat faces in one plane whose boxes touch: where triangles meet without sharing vertices they are one face.
    fn join_flush(&mut self) {
        let mut boxes: BTreeMap<usize, (Vec3, f64, Vec3, Vec3)> = BTreeMap::new();
        for n in 0..self.parent.len() {
            let (root, corners) = (self.root(n), self.mesh.triangles[n].map(|v| self.mesh.vertices[v as usize]));
            let first = (self.normals[n], self.normals[n].dot(corners[0]), Vec3::INFINITY, Vec3::NEG_INFINITY);
            let entry = boxes.entry(root).or_insert(first);
            corners.iter().for_each(|c| (entry.2, entry.3) = (entry.2.min(*c), entry.3.max(*c)));
        }
        let bordered: Vec<usize> = self.sides.values().filter(|at| at.len() == 1).map(|at| at[0]).collect();
        let mut open: Vec<usize> = bordered.into_iter().map(|n| self.root(n)).collect();
        open.sort_unstable();
        open.dedup();
        let same = 1e-6 * self.size;
        for (i, a) in open.iter().enumerate() {
            for b in &open[i + 1..] {
                let (p, q) = (&boxes[a], &boxes[b]);
                let flush = angle_between(p.0, q.0) < 1e-3 && (p.1 - q.1).abs() < 1e-4 * self.size;
                let (low, high) = (p.2.max(q.2) - same, p.3.min(q.3) + same);
                if flush && low.cmple(high).all() {
                    self.join(*a, *b);
                }
            }
        }
    }

    /// Names of the faces by root, and the roots in an order that does not depend on how faces are divided.
    fn face_names(&self, roots: &[usize], order: &[usize], bends: &[f64]) -> (HashMap<usize, String>, Vec<usize>) {
        let mut sums: HashMap<usize, (f64, Vec3, Vec3)> = HashMap::new();
        for (n, root) in roots.iter().enumerate() {
            let corners = self.mesh.triangles[n].map(|v| self.mesh.vertices[v as usize]);
            let area = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
            let sum = sums.entry(*root).or_insert((0.0, Vec3::ZERO, Vec3::ZERO));
            sum.0 += area;
            sum.1 += (corners[0] + corners[1] + corners[2]) * (area / 3.0);
            sum.2 += self.normals[n] * area;
        }
        let axis = |root: usize| {
            let (normal, flat) = (sums[&root].2.normalize_or_zero(), bends[root] < FLAT);
            let axes = [(Vec3::X, "x"), (Vec3::Y, "y"), (Vec3::Z, "z")];
            let (axis, name) = axes.into_iter().find(|(axis, _)| angle_between(*axis, normal.abs()) < FLAT)?;
            flat.then(|| format!("{}{name}", if normal.dot(axis) < 0.0 { "-" } else { "+" }))
        };
        let mut sorted: Vec<usize> = order.to_vec();
        let place = |root: usize| {
            let (area, sum, _) = sums[&root];
            // as whole numbers, so that rounding does not decide
            (sum / area / (1e-5 * self.size)).round().to_array().map(|x| x as i64)
        };
        sorted.sort_by_key(|root| (place(*root), *root));
        let mut by_axis: BTreeMap<String, usize> = BTreeMap::new();
        sorted.iter().filter_map(|r| axis(*r)).for_each(|name| *by_axis.entry(name).or_default() += 1);
        let unique = |root: usize| axis(root).filter(|name| by_axis[name] == 1);
        let is_flat = |root: usize| bends[root] < FLAT;
        let name = |root: usize| {
            let alike = || sorted.iter().copied().filter(|r| unique(*r).is_none() && is_flat(*r) == is_flat(root));
            let (kind, place) = (if is_flat(root) { "flat" } else { "round" }, alike().position(|r| r == root));
            match (unique(root), place, alike().count()) {
                (Some(name), ..) => name,
                _ if sorted.len() == 1 => String::new(),
                (_, Some(place), 2..) => format!("{kind} {}", place + 1),
                _ => kind.into(),
            }
        };
        (sorted.iter().map(|r| (*r, name(*r))).collect(), sorted)
    }

    /// The sharp convex edges, those beside each triangle, and the corners; their features are appended to the list.
    #[allow(clippy::type_complexity)]
    fn sharp(&self, face_of: &[usize], list: &mut Vec<Feature>) -> (Vec<Edge>, Vec<Vec<usize>>, HashMap<u32, usize>) {
        // pieces of edges: ends, triangle, triangle across or none
        let mut pieces: Vec<([u32; 2], usize, Option<usize>)> = vec![];
        let mut rings: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (ends, at) in &self.sides {
            let across = at.get(1).copied();
            let meet = across.is_none_or(|b| face_of[at[0]] != face_of[b]);
            if !meet || !across.is_none_or(|b| self.is_convex(ends, at[0], b)) {
                continue;
            }
            pieces.push((*ends, at[0], across));
            rings.entry(ends[0]).or_default().push(ends[1]);
            rings.entry(ends[1]).or_default().push(ends[0]);
        }
        let direction = |from: u32, to: u32| self.mesh.vertices[to as usize] - self.mesh.vertices[from as usize];
        let is_corner = |vertex: u32| match rings[&vertex][..] {
            [a, b] => angle_between(direction(a, vertex), direction(vertex, b)) > CORNER,
            _ => true,
        };
        // faces at each corner name it
        let mut corner_faces: BTreeMap<u32, Vec<usize>> =
            rings.keys().filter(|v| is_corner(**v)).map(|v| (*v, vec![])).collect();
        let name = |faces: &[usize], list: &[Feature]| {
            let mut names: Vec<&str> = faces.iter().map(|f| list[*f].name.as_str()).collect();
            // by axis, whatever the order of faces
            names.sort_by_key(|name| (name.trim_start_matches(['+', '-']), *name));
            names.join("/")
        };
        let chains = chains(&pieces, face_of, &corner_faces);
        let (mut edges, mut edges_of) = (vec![], vec![vec![]; self.normals.len()]);
        for (faces, chain) in chains {
            let feature = list.len();
            list.push(Feature { kind: Kind::Edge, name: name(&faces, list) });
            for n in chain {
                let (ends, a, b) = pieces[n];
                let normals = [self.normals[a], self.normals[b.unwrap_or(a)]];
                let places = ends.map(|v| self.mesh.vertices[v as usize]);
                edges_of[a].push(edges.len());
                b.into_iter().for_each(|b| edges_of[b].push(edges.len()));
                edges.push(Edge { feature, ends: places, normals });
                for v in ends {
                    corner_faces.get_mut(&v).into_iter().for_each(|all| all.extend(&faces));
                }
            }
        }
        let mut corners = HashMap::new();
        for (vertex, mut faces) in corner_faces {
            faces.sort_unstable();
            faces.dedup();
            corners.insert(vertex, list.len());
            list.push(Feature { kind: Kind::Vertex, name: name(&faces, list) });
        }
        number_doubles(list);
        (edges, edges_of, corners)
    }

    /// Whether the surface falls away from a triangle to the one across a side.
    fn is_convex(&self, ends: &[u32; 2], a: usize, b: usize) -> bool {
        let opposite = self.mesh.triangles[b].into_iter().find(|v| !ends.contains(v));
        let way = |v: u32| self.mesh.vertices[v as usize] - self.mesh.vertices[ends[0] as usize];
        opposite.is_some_and(|v| self.normals[a].dot(way(v)) < 0.0)
    }
}

/// Pieces of edges that hang together between the same faces, without a corner between them; with these faces.
fn chains(
    pieces: &[([u32; 2], usize, Option<usize>)],
    face_of: &[usize],
    corners: &BTreeMap<u32, Vec<usize>>,
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let faces = |n: usize| {
        let mut both: Vec<usize> = [Some(pieces[n].1), pieces[n].2].into_iter().flatten().map(|t| face_of[t]).collect();
        both.sort_unstable();
        both
    };
    let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (n, (ends, ..)) in pieces.iter().enumerate() {
        ends.iter().filter(|v| !corners.contains_key(v)).for_each(|v| at.entry(*v).or_default().push(n));
    }
    let mut taken = vec![false; pieces.len()];
    let mut found = vec![];
    for first in 0..pieces.len() {
        if taken[first] {
            continue;
        }
        taken[first] = true;
        let (mut chain, mut next) = (vec![first], 0);
        while next < chain.len() {
            for v in pieces[chain[next]].0 {
                for other in at.get(&v).into_iter().flatten() {
                    if !taken[*other] && faces(*other) == faces(first) {
                        taken[*other] = true;
                        chain.push(*other);
                    }
                }
            }
            next += 1;
        }
        found.push((faces(first), chain));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Tell features of one kind and name apart by numbers.
fn number_doubles(list: &mut [Feature]) {
    let mut counts: HashMap<Feature, usize> = HashMap::new();
    list.iter().for_each(|feature| *counts.entry(feature.clone()).or_default() += 1);
    let mut used: HashMap<Feature, usize> = HashMap::new();
    for feature in list.iter_mut().filter(|feature| feature.kind != Kind::Face) {
        if counts[feature] > 1 {
            let number = used.entry(feature.clone()).or_default();
            *number += 1;
            feature.name = format!("{} #{number}", feature.name).trim_start().into();
        }
    }
}

/// Unit normal of a triangle; none if it has no area.
pub(super) fn normal(vertices: &[Vec3], triangle: &[u32; 3]) -> Option<Vec3> {
    let [a, b, c] = triangle.map(|n| vertices.get(n as usize).copied());
    let (a, b, c) = (a?, b?, c?);
    (b - a).cross(c - a).try_normalize()
}
