//! Shells of a mesh, its connected parts, and those that are oriented inwards.

use std::f64::consts::TAU;

use super::{Mesh, Seams};
use crate::math::{Vec3, atan2};

/// Number of vertices of a shell that are tested to decide whether it is inside another one.
const SAMPLES: usize = 32;

/// Winding number above which a vertex is inside: it is one half on the surface.
const INSIDE: f64 = 0.75;

/// Result of [`Mesh::mend`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Number of open edges.
    pub open: usize,
    /// Number of edges whose triangles disagree about which side is outside.
    pub torn: usize,
    /// Number of connected parts.
    pub shells: usize,
    /// Number of shells that were oriented inwards, and have been flipped.
    pub turned: usize,
    /// Number of single triangles that were the other way round than their neighbours, and have been flipped.
    pub aligned: usize,
}

/// A connected part.
struct Shell {
    triangles: Vec<u32>,
    bounds: [Vec3; 2],
    /// Negative if it is oriented inwards.
    volume: f64,
    closed: bool,
}

impl Mesh {
    /// Check a mesh, which should be welded. Flip triangles that are the other way round than their neighbours, and then
    /// those of its shells that are closed and oriented inwards. A shell within another one is a cavity of it, or a part
    /// in it, and keeps its orientation relative to it.
    pub fn mend(&mut self) -> Findings {
        if !self.is_complete() {
            return Findings::default();
        }
        let mut seams = Seams::of(self);
        let aligned = self.align(&seams);
        if aligned > 0 {
            seams = Seams::of(self);
        }
        let shells = self.shells(&seams);
        let mut turned = 0;
        if shells.iter().any(|shell| shell.closed && shell.volume < 0.0) {
            for shell in 0..shells.len() {
                if !self.is_inside_out(shell, &shells) {
                    continue;
                }
                turned += 1;
                shells[shell].triangles.iter().for_each(|&t| self.triangles[t as usize].swap(1, 2));
            }
        }
        Findings { open: seams.open_count, torn: seams.torn_count, shells: shells.len(), turned, aligned }
    }

    /// Flip triangles so that neighbours agree about which side is outside, in each connected part the fewer; parts of
    /// which that cannot be said, such as a Moebius strip, stay as they are. Returns how many were flipped.
    fn align(&mut self, seams: &Seams) -> usize {
        if seams.opposed.is_empty() {
            return 0;
        }
        let mut beside: Vec<Vec<(u32, bool)>> = vec![vec![]; self.triangles.len()];
        for (pairs, opposed) in [(&seams.joined, false), (&seams.opposed, true)] {
            for &[a, b] in pairs {
                beside[a as usize].push((b, opposed));
                beside[b as usize].push((a, opposed));
            }
        }
        let mut flips: Vec<Option<bool>> = vec![None; self.triangles.len()];
        let mut flipped = 0;
        for first in 0..self.triangles.len() {
            if flips[first].is_some() {
                continue;
            }
            flips[first] = Some(false);
            let (mut part, mut next, mut sound) = (vec![first], 0, true);
            while next < part.len() {
                let here = part[next];
                for &(other, opposed) in &beside[here] {
                    let wanted = flips[here].map(|flip| flip != opposed);
                    match flips[other as usize] {
                        None => part.push(other as usize),
                        known => sound &= known == wanted,
                    }
                    flips[other as usize] = flips[other as usize].or(wanted);
                }
                next += 1;
            }
            let count = part.iter().filter(|&&t| flips[t] == Some(true)).count();
            let fewer = 2 * count <= part.len();
            if !sound || count == 0 {
                continue;
            }
            for &t in part.iter().filter(|&&t| flips[t] == Some(fewer)) {
                self.triangles[t].swap(1, 2);
                flipped += 1;
            }
        }
        flipped
    }

    /// Whether the outermost closed shell around a shell, or the shell itself, is oriented inwards.
    fn is_inside_out(&self, shell: usize, shells: &[Shell]) -> bool {
        if !shells[shell].closed {
            return false;
        }
        let around =
            (0..shells.len()).filter(|&n| n != shell && shells[n].closed && self.holds(&shells[n], &shells[shell]));
        let outermost = around.max_by(|&a, &b| shells[a].volume.abs().total_cmp(&shells[b].volume.abs()));
        shells[outermost.unwrap_or(shell)].volume < 0.0
    }

    /// Whether the shell `inner` is inside `outer`.
    fn holds(&self, outer: &Shell, inner: &Shell) -> bool {
        let [low, high] = outer.bounds;
        let within = (inner.bounds[0] - low).min(high - inner.bounds[1]).min_element() >= 0.0;
        let every = inner.triangles.len().div_ceil(SAMPLES);
        within
            && inner.triangles.iter().step_by(every).all(|&t| {
                let place = self.corners(t as usize)[0];
                let angle = |&t: &u32| solid_angle(&self.corners(t as usize).map(|p| p - place));
                outer.triangles.iter().map(angle).sum::<f64>().abs() > INSIDE * 2.0 * TAU
            })
    }

    fn shells(&self, seams: &Seams) -> Vec<Shell> {
        let mut parts: Vec<u32> = (0..self.triangles.len() as u32).collect();
        for &[a, b] in &seams.joined {
            let (a, b) = (first(&mut parts, a), first(&mut parts, b));
            parts[a.max(b) as usize] = a.min(b);
        }
        let mut numbers = vec![usize::MAX; self.triangles.len()];
        let mut shells: Vec<Shell> = vec![];
        for t in 0..self.triangles.len() as u32 {
            let part = first(&mut parts, t) as usize;
            if numbers[part] == usize::MAX {
                numbers[part] = shells.len();
                let bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
                shells.push(Shell { triangles: vec![], bounds, volume: 0.0, closed: true });
            }
            shells[numbers[part]].triangles.push(t);
        }
        for &t in seams.open.iter().chain(&seams.torn) {
            shells[numbers[first(&mut parts, t) as usize]].closed = false;
        }
        shells.iter_mut().for_each(|shell| self.measure(shell));
        shells
    }

    fn measure(&self, shell: &mut Shell) {
        let origin = shell.triangles.first().map_or(Vec3::ZERO, |t| self.corners(*t as usize)[0]);
        for &t in &shell.triangles {
            let corners = self.corners(t as usize);
            let [a, b, c] = corners.map(|p| p - origin);
            shell.volume += a.dot(b.cross(c)) / 6.0;
            for p in corners {
                shell.bounds = [shell.bounds[0].min(p), shell.bounds[1].max(p)];
            }
        }
    }
}

/// The root of a triangle in the union-find forest `parts`.
fn first(parts: &mut [u32], mut n: u32) -> u32 {
    while parts[n as usize] != n {
        parts[n as usize] = parts[parts[n as usize] as usize];
        n = parts[n as usize];
    }
    n
}

/// The solid angle of a triangle seen from the origin [sr], negative from its front. (A. van Oosterom and J. Strackee,
/// "The solid angle of a plane triangle".)
fn solid_angle([a, b, c]: &[Vec3; 3]) -> f64 {
    let (x, y, z) = (a.length(), b.length(), c.length());
    2.0 * atan2(a.dot(b.cross(*c)), x * y * z + a.dot(*b) * z + b.dot(*c) * x + c.dot(*a) * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Add a box between two corners; its faces are divided into `strips`, those along z are not, which makes
    /// T-junctions.
    fn add_box(mesh: &mut Mesh, low: Vec3, high: Vec3, strips: usize, inverted: bool) {
        let size = high - low;
        let [x, y, z] = [Vec3::X * size.x, Vec3::Y * size.y, Vec3::Z * size.z];
        let faces = [(low, y, x, 1), (low + z, x, y, 1), (low, x, z, strips), (low + y, z, x, strips)];
        for (from, u, v, strips) in faces.into_iter().chain([(low, z, y, strips), (low + x, y, z, strips)]) {
            for k in 0..strips {
                let at = |i: usize, v: Vec3| from + u * (i as f64 / strips as f64) + v;
                let first = mesh.vertices.len() as u32;
                mesh.vertices.extend([at(k, Vec3::ZERO), at(k + 1, Vec3::ZERO), at(k + 1, v), at(k, v)]);
                for t in [[0, 1, 2], [0, 2, 3]] {
                    let [a, b, c] = t.map(|n| first + n);
                    mesh.triangles.push(if inverted { [a, c, b] } else { [a, b, c] });
                }
            }
        }
    }

    fn found(boxes: &[(f64, f64, usize, bool)]) -> (Findings, f64) {
        let mut mesh = Mesh::default();
        for (from, to, strips, inverted) in boxes {
            add_box(&mut mesh, Vec3::splat(*from), Vec3::splat(*to), *strips, *inverted);
        }
        mesh.weld();
        let findings = mesh.mend();
        let whole = Shell {
            triangles: (0..mesh.triangles.len() as u32).collect(),
            bounds: [Vec3::INFINITY, Vec3::NEG_INFINITY],
            volume: 0.0,
            closed: true,
        };
        let mut whole = whole;
        mesh.measure(&mut whole);
        (findings, whole.volume)
    }

    fn sound(shells: usize, turned: usize) -> Findings {
        Findings { shells, turned, ..Findings::default() }
    }

    #[test]
    fn shells_that_are_inside_out_are_turned_one_by_one() {
        let (right, wrong) = (false, true);
        // apart, and touching at a corner
        for to in [1.0, 2.0] {
            for (turns, turned) in [([right, right], 0), ([right, wrong], 1), ([wrong, right], 1), ([wrong, wrong], 2)]
            {
                let (findings, volume) = found(&[(0.0, 1.0, 1, turns[0]), (to, to + 1.0, 3, turns[1])]);
                assert_eq!(findings, sound(2, turned), "{to} {turns:?}");
                assert!((volume - 2.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_cavity_is_rightly_inside_out() {
        // a box with a cavity, and a ball bearing in that; then all of it inside out
        for (wrong, turned) in [(false, 0), (true, 3)] {
            let (findings, volume) = found(&[(0.0, 3.0, 1, wrong), (1.0, 2.0, 2, !wrong), (1.25, 1.75, 1, wrong)]);
            assert_eq!(findings, sound(3, turned));
            assert!((volume - (27.0 - 1.0 + 0.125)).abs() < 1e-9, "{volume}");
        }
    }

    #[test]
    fn solids_that_share_faces_are_told_apart() {
        let mut mesh = Mesh::default();
        for (k, inverted) in [false, true, false].into_iter().enumerate() {
            let low = Vec3::X * k as f64;
            add_box(&mut mesh, low, low + 1.0, 1, inverted);
        }
        mesh.weld();
        assert_eq!(mesh.mend(), sound(3, 1));
        assert_eq!(mesh.mend(), sound(3, 0));
    }

    #[test]
    fn edges_are_open_only_where_nothing_runs_along_them() {
        let mut mesh = Mesh::default();
        add_box(&mut mesh, Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), 7, false);
        mesh.weld();
        assert_eq!(mesh.clone().mend(), sound(1, 0));
        // without one triangle of a strip: an edge that it shared, one that was a part of another, and the diagonal
        let mut open = mesh.clone();
        open.triangles.remove(6);
        let findings = open.mend();
        assert_eq!((findings.open, findings.torn, findings.turned), (3, 0, 0));
    }

    #[test]
    fn triangles_the_other_way_round_than_their_neighbours_are_turned() {
        let mut right = Mesh::default();
        add_box(&mut right, Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), 7, false);
        right.weld();
        let count = right.triangles.len();
        // one, every third, half of them, nearly all: where more are wrong, the others are turned, and then the shell
        for (wrong, turned) in [(vec![6], 0), ((0..count).step_by(3).collect(), 0), ((1..count).collect(), 1)] {
            let mut mesh = right.clone();
            wrong.iter().for_each(|&t| mesh.triangles[t].swap(0, 1));
            let findings = mesh.mend();
            let aligned = wrong.len().min(count - wrong.len());
            assert_eq!(findings, Findings { aligned, ..sound(1, turned) }, "{wrong:?}");
            let normal = |mesh: &Mesh, t: usize| {
                let [a, b, c] = mesh.corners(t);
                (b - a).cross(c - a)
            };
            assert!((0..count).all(|t| normal(&mesh, t).distance(normal(&right, t)) < 1e-12));
        }
    }

    #[test]
    fn a_strip_with_one_side_stays_as_it_is() {
        let ring = |k: usize, side: f64| {
            let angle = TAU * k as f64 / 9.0;
            let (out, lift) = (crate::math::cos(0.5 * angle), crate::math::sin(0.5 * angle));
            let radius = 2.0 + side * out;
            Vec3::new(radius * crate::math::cos(angle), radius * crate::math::sin(angle), side * lift)
        };
        let mut mesh = Mesh::default();
        for k in 0..9 {
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend([ring(k, -1.0), ring(k, 1.0), ring(k + 1, 1.0), ring(k + 1, -1.0)]);
            mesh.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|n: u32| first + n)));
        }
        mesh.weld();
        let before = mesh.clone();
        let findings = mesh.mend();
        assert!(findings.aligned == 0 && findings.torn > 0 && mesh == before, "{findings:?}");
    }
}
