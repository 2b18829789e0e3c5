//! Welding: merging vertices that are equal up to rounding.

use std::collections::HashMap;

use super::Mesh;
use crate::math::Vec3;

/// Vertices that differ by less than this fraction of the size of a mesh count as equal: single-precision files round
/// coordinates to 6e-8 of them, and programs compute the corners of each triangle separately.
pub(super) const SAME: f64 = 5e-7;

/// Tolerance for corners of the same triangle, relative to the size of the mesh, so that small triangles survive.
const ROUNDING: f64 = 1e-12;

impl Mesh {
    /// Merge vertices that are equal up to rounding, so that triangles know their neighbours. Corners of the same
    /// triangle stay distinct.
    pub fn weld(&mut self) {
        let reach = if self.is_complete() { self.tolerance() } else { f64::NAN };
        if !(reach > 0.0 && reach.is_finite()) {
            return;
        }
        let merged = self.merged(reach);
        let mut kept = vec![];
        let mut names = vec![0; merged.len()];
        for (n, &first) in merged.iter().enumerate() {
            if first as usize == n {
                names[n] = kept.len() as u32;
                kept.push(self.vertices[n]);
            }
        }
        for corner in self.triangles.iter_mut().flatten() {
            *corner = names[merged[*corner as usize] as usize];
        }
        self.vertices = kept;
    }

    /// For each vertex the one that it is merged into.
    fn merged(&self, reach: f64) -> Vec<u32> {
        let users = self.users();
        let cell = |v: Vec3| (v / (2.0 * reach)).floor().to_array().map(|x| x as i64);
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(self.vertices.len());
        let mut merged: Vec<u32> = (0..self.vertices.len() as u32).collect();
        for n in 0..self.vertices.len() {
            let here = self.vertices[n];
            let [x, y, z] = cell(here);
            let around = (-1..2).flat_map(|i| (-1..2).flat_map(move |j| (-1..2).map(move |k| (i, j, k))));
            let away = |m: u32| self.vertices[m as usize].distance(here);
            let nearest = around
                .filter_map(|(i, j, k)| cells.get(&[x + i, y + j, z + k]))
                .flatten()
                .copied()
                .filter(|&m| away(m) < reach && self.may_be(n, m, &users, &merged, reach))
                .min_by(|a, b| away(*a).total_cmp(&away(*b)).then(a.cmp(b)));
            match nearest {
                Some(first) => merged[n] = first,
                None => cells.entry([x, y, z]).or_default().push(n as u32),
            }
        }
        merged
    }

    /// Whether a vertex may be merged into another one: not if a triangle of it has that as a corner already.
    fn may_be(&self, vertex: usize, other: u32, users: &Users, merged: &[u32], reach: f64) -> bool {
        let least = ROUNDING / SAME * reach;
        let here = self.vertices[vertex];
        let apart = |n: u32| n as usize != vertex && self.vertices[n as usize].distance(here) > least;
        users.of(vertex).iter().all(|t| {
            self.triangles[*t as usize].iter().all(|&corner| merged[corner as usize] != other || !apart(corner))
        })
    }

    /// The triangles of each vertex.
    fn users(&self) -> Users {
        let mut starts = vec![0u32; self.vertices.len() + 1];
        self.triangles.iter().flatten().for_each(|n| starts[*n as usize + 1] += 1);
        (1..starts.len()).for_each(|n| starts[n] += starts[n - 1]);
        let mut next = starts.clone();
        let mut list = vec![0; 3 * self.triangles.len()];
        for (t, corner) in self.triangles.iter().enumerate().flat_map(|(t, corners)| corners.map(|c| (t, c))) {
            let at = &mut next[corner as usize];
            list[*at as usize] = t as u32;
            *at += 1;
        }
        Users { starts, list }
    }
}

/// Triangles by vertex.
struct Users {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Users {
    fn of(&self, vertex: usize) -> &[u32] {
        &self.list[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles of a square with separate corners, which differ slightly.
    fn square(difference: f64) -> Mesh {
        let d = Vec3::splat(difference);
        let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), d, Vec3::new(1.0, 1.0, 0.0) - d, Vec3::Y];
        Mesh { vertices, triangles: vec![[0, 1, 2], [3, 4, 5]] }
    }

    #[test]
    fn vertices_that_differ_by_rounding_are_one() {
        for (difference, count) in [(0.0, 4), (5e-18, 4), (2e-7, 4), (2e-6, 6)] {
            let mut mesh = square(difference);
            mesh.weld();
            assert_eq!(mesh.vertices.len(), count, "{difference}");
            let shared = mesh.triangles[1].iter().filter(|n| mesh.triangles[0].contains(n)).count();
            assert_eq!(shared, 6 - count, "{difference}");
        }
    }

    #[test]
    fn small_triangles_stay() {
        // a strip of width 1e-7 between two halves of a square
        let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        let vertices = [at(0.0, 0.0), at(0.5, 0.0), at(0.5 + 1e-7, 0.0), at(1.0, 0.0)];
        let vertices = vertices.iter().copied().chain(vertices.iter().map(|v| *v + Vec3::Y)).collect();
        let quads = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6]];
        let triangles = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let mesh = Mesh { vertices, triangles };
        let mut welded = mesh.clone();
        welded.weld();
        assert_eq!(welded, mesh);
    }
}
