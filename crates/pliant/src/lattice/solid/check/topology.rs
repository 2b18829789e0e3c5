//! Edges, neighbours and orientation of a surface.

use super::fault::{BrokenMesh, MeshWarning};
use crate::contact::Mesh;
use crate::math::{Vec3, atan2};
use crate::moments::{Moments, bounds};

/// A consistently oriented surface.
pub(super) struct Surface {
    /// Edges with only one triangle, in the direction of that triangle.
    pub open: Vec<[u32; 2]>,
    /// Index of the connected part of each triangle.
    part: Vec<u32>,
    /// Number of parts.
    parts: usize,
    /// Whether each triangle was reversed.
    turned: Vec<bool>,
    /// The part that the first open edge belongs to.
    open_part: u32,
}

impl Surface {
    /// The part of a triangle. Triangles that fill the only hole come last and belong to the part with that hole.
    fn part_of(&self, triangle: usize) -> usize {
        self.part.get(triangle).copied().unwrap_or(self.open_part) as usize
    }

    /// Sum of the volumes of the parts, whatever their orientation [m3].
    pub(super) fn volume(&self, mesh: &Mesh) -> f64 {
        split(mesh, self).iter().map(|part| Moments::of_triangles(&mesh.vertices, part).volume.abs()).sum()
    }
}

/// An edge of a triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    /// Ends, the smaller index first.
    ends: [u32; 2],
    triangle: u32,
    /// Whether the triangle runs from the smaller to the larger index.
    rising: bool,
}

/// A neighbour across an edge, and whether it must be reversed for a consistent orientation.
type Neighbour = Option<(u32, bool)>;

/// Reverse triangles until neighbours have consistent orientations. Fails for edges with more than two triangles and
/// one-sided surfaces.
pub(super) fn orient(mesh: &mut Mesh) -> Result<Surface, BrokenMesh> {
    let (neighbours, lone) = neighbours(mesh)?;
    let count = mesh.triangles.len();
    let mut part = vec![u32::MAX; count];
    let mut turned = vec![false; count];
    let (mut parts, mut stack) = (0, vec![]);
    for seed in 0..count {
        if part[seed] != u32::MAX {
            continue;
        }
        part[seed] = parts;
        stack.push(seed);
        while let Some(t) = stack.pop() {
            for (to, turn) in neighbours[t].iter().flatten() {
                let to = *to as usize;
                if part[to] == u32::MAX {
                    part[to] = parts;
                    turned[to] = turned[t] ^ turn;
                    stack.push(to);
                }
            }
        }
        parts += 1;
    }
    check_sides(mesh, &neighbours, &turned)?;
    mesh.triangles.iter_mut().zip(&turned).filter(|(_, turn)| **turn).for_each(|(t, _)| t.swap(1, 2));
    let direction = |e: &Edge| if e.rising != turned[e.triangle as usize] { e.ends } else { [e.ends[1], e.ends[0]] };
    let open = lone.iter().map(direction).collect();
    let open_part = lone.first().map_or(0, |e| part[e.triangle as usize]);
    Ok(Surface { open, part, parts: parts as usize, turned, open_part })
}

/// Neighbours of every triangle, and edges with only one triangle. Fails for edges with more than two.
fn neighbours(mesh: &Mesh) -> Result<(Vec<[Neighbour; 3]>, Vec<Edge>), BrokenMesh> {
    let mut edges = Vec::with_capacity(3 * mesh.triangles.len());
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        for i in 0..3 {
            let [a, b] = [triangle[i], triangle[(i + 1) % 3]];
            edges.push(Edge { ends: [a.min(b), a.max(b)], triangle: t as u32, rising: a < b });
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![[None; 3]; mesh.triangles.len()];
    let mut used = vec![0u8; mesh.triangles.len()];
    let mut connect = |from: &Edge, to: &Edge| {
        let t = from.triangle as usize;
        neighbours[t][used[t] as usize] = Some((to.triangle, from.rising == to.rising));
        used[t] += 1;
    };
    let (mut lone, mut branching) = (vec![], vec![]);
    for group in edges.chunk_by(|a, b| a.ends == b.ends) {
        match group {
            [one] => lone.push(*one),
            [one, two] => {
                connect(one, two);
                connect(two, one);
            }
            _ => branching.push(group[0].ends),
        }
    }
    match branching.first() {
        Some(e) => Err(BrokenMesh::Branching { edges: branching.len(), at: middle(mesh, *e) }),
        None => Ok((neighbours, lone)),
    }
}

/// Check that all neighbours have consistent orientations.
fn check_sides(mesh: &Mesh, neighbours: &[[Neighbour; 3]], turned: &[bool]) -> Result<(), BrokenMesh> {
    let mut bad = vec![];
    for (t, around) in neighbours.iter().enumerate() {
        for (to, turn) in around.iter().flatten() {
            if turned[t] ^ turned[*to as usize] != *turn {
                bad.push(mesh.triangles[t][0]);
            }
        }
    }
    match bad.first() {
        // every such edge is counted from both sides
        Some(v) => Err(BrokenMesh::OneSided { edges: bad.len() / 2, at: mesh.vertices[*v as usize] }),
        None => Ok(()),
    }
}

/// Reverse whole parts so that solids face outwards and cavities into their hollow.
pub(super) fn turn_outwards(
    mesh: &mut Mesh,
    surface: &Surface,
    most: usize,
    warnings: &mut Vec<MeshWarning>,
) -> Result<(), BrokenMesh> {
    let parts = split(mesh, surface);
    let place = |p: &Vec<[u32; 3]>| p.first().map(|t| mesh.vertices[t[0] as usize]).unwrap_or_default();
    if parts.len() > most {
        let at = parts.last().map(place).unwrap_or_default();
        return Err(BrokenMesh::TooManyParts { parts: parts.len(), most, at });
    }
    let hollow = cavities(&parts, &mesh.vertices);
    let filled = hollow.iter().rposition(|h| !h);
    let solids = hollow.iter().filter(|h| !**h).count();
    if let (true, Some(last)) = (solids > 1, filled) {
        warnings.push(MeshWarning::Parts { parts: solids, at: place(&parts[last]) });
    }
    if let Some(first) = hollow.iter().position(|h| *h) {
        warnings.push(MeshWarning::Cavities { cavities: parts.len() - solids, at: place(&parts[first]) });
    }
    let volume = |part: &[[u32; 3]]| Moments::of_triangles(&mesh.vertices, part).volume;
    let wrong: Vec<bool> = parts.iter().zip(&hollow).map(|(p, h)| (volume(p) < 0.0) != *h).collect();
    for (t, triangle) in mesh.triangles.iter_mut().enumerate() {
        if wrong[surface.part_of(t)] {
            triangle.swap(1, 2);
        }
    }
    report_turns(mesh, surface, |t| wrong[surface.part_of(t)], warnings);
    Ok(())
}

/// Warn about triangles of the original that were reversed.
fn report_turns(mesh: &Mesh, surface: &Surface, wrong: impl Fn(usize) -> bool, warnings: &mut Vec<MeshWarning>) {
    let mut turned = (0..surface.turned.len()).filter(|&t| surface.turned[t] != wrong(t));
    if let Some(first) = turned.next() {
        let triangles = 1 + turned.count();
        let at = mesh.vertices[mesh.triangles[first][0] as usize];
        let all = triangles == surface.turned.len();
        warnings.push(if all { MeshWarning::Inverted { triangles } } else { MeshWarning::Turned { triangles, at } });
    }
}

/// The triangles of each part.
fn split(mesh: &Mesh, surface: &Surface) -> Vec<Vec<[u32; 3]>> {
    let mut parts = vec![vec![]; surface.parts];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        parts[surface.part_of(t)].push(*triangle);
    }
    parts
}

/// Which parts lie inside an odd number of others, and so bound a cavity.
fn cavities(parts: &[Vec<[u32; 3]>], vertices: &[Vec3]) -> Vec<bool> {
    let at = |v: u32| vertices[v as usize];
    let box_of = |part: &Vec<[u32; 3]>| bounds(&part.iter().flatten().map(|v| at(*v)).collect::<Vec<_>>());
    let boxes: Vec<[Vec3; 2]> = parts.iter().map(box_of).collect();
    let around = |point: Vec3, other: usize| {
        let [low, high] = boxes[other];
        let in_box = point.cmpge(low).all() && point.cmple(high).all();
        in_box && winding(point, parts[other].iter().map(|t| t.map(at))).abs() > 0.5
    };
    let is_cavity = |i: usize| {
        let point = parts[i].first().map(|t| at(t[0])).unwrap_or_default();
        (0..parts.len()).filter(|&j| j != i && around(point, j)).count() % 2 == 1
    };
    (0..parts.len()).map(is_cavity).collect()
}

/// Winding number of a surface about a point: the sum of solid angles over 4 pi, each by A. van Oosterom and J.
/// Strackee, "The solid angle of a plane triangle": tan(omega/2) = a.(b x c) / (abc + (a.b)c + (b.c)a + (c.a)b).
fn winding(point: Vec3, triangles: impl Iterator<Item = [Vec3; 3]>) -> f64 {
    let half_angles = triangles.map(|t| {
        let [a, b, c] = t.map(|v| v - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    });
    half_angles.sum::<f64>() / std::f64::consts::TAU
}

/// The middle of an edge [m].
pub(super) fn middle(mesh: &Mesh, edge: [u32; 2]) -> Vec3 {
    let [a, b] = edge.map(|v| mesh.vertices[v as usize]);
    (a + b) * 0.5
}
