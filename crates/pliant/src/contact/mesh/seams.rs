//! Which triangles of a mesh are joined along their edges, and where edges are open or inconsistent.
//!
//! An edge of a closed surface is traversed once in each direction. That need not be by the same two vertices: where a
//! vertex of one side lies on the other side's edge (a T-junction), several short edges run against a long one.

use std::collections::HashMap;

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

use super::Mesh;
use crate::math::Vec3;

/// Pieces of edges shorter than this many tolerances are ignored.
const SHORTEST: f64 = 8.0;

/// An edge of a triangle, in its direction.
#[derive(Clone, Copy, Debug)]
struct Use {
    ends: [u32; 2],
    triangle: u32,
}

/// Edge connectivity of a mesh.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seams {
    /// Pairs of triangles joined at an edge.
    pub joined: Vec<[u32; 2]>,
    /// Triangles with an open edge, against which nothing runs, and the number of such edges.
    pub open: Vec<u32>,
    pub open_count: usize,
    /// Triangles with an edge along which others run in the wrong number or direction, and the number of such edges.
    pub torn: Vec<u32>,
    pub torn_count: usize,
    /// Pairs of triangles joined at an edge that both traverse in the same direction: one of them is the wrong way round.
    pub opposed: Vec<[u32; 2]>,
}

/// Another edge along a part of an edge.
struct Along {
    span: [f64; 2],
    against: bool,
    triangle: u32,
}

enum Verdict {
    Closed,
    Open,
    Torn,
}

impl Seams {
    /// Whether all edges are traversed in both directions by the same vertices.
    pub fn are_whole(triangles: &[[u32; 3]]) -> bool {
        pair(triangles).1.is_empty()
    }

    /// The connectivity of a welded mesh.
    pub fn of(mesh: &Mesh) -> Seams {
        let (joined, loose) = pair(&mesh.triangles);
        let mut seams = Seams { joined, ..Seams::default() };
        let reach = mesh.tolerance();
        let ends: Vec<[Vec3; 2]> = loose.iter().map(|u| u.ends.map(|n| mesh.vertices[n as usize])).collect();
        let boxes: Vec<Aabb> = ends.iter().map(|[a, b]| Aabb::new(a.min(*b) - reach, a.max(*b) + reach)).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let (mut open, mut torn) = (vec![], vec![]);
        for (n, edge) in loose.iter().enumerate() {
            let others = tree.intersect_aabb(&boxes[n]).map(|m| m as usize).filter(|m| *m != n);
            let along: Vec<Along> = others
                .filter_map(|m| {
                    let (span, against) = overlap(&ends[n], &ends[m], reach)?;
                    Some(Along { span, against, triangle: loose[m].triangle })
                })
                .collect();
            let length = ends[n][0].distance(ends[n][1]);
            let name = [edge.ends[0].min(edge.ends[1]), edge.ends[0].max(edge.ends[1])];
            match judge(edge.triangle, length, &along, SHORTEST * reach, &mut seams) {
                Verdict::Closed => continue,
                Verdict::Open => (open.push(name), seams.open.push(edge.triangle)),
                Verdict::Torn => (torn.push(name), seams.torn.push(edge.triangle)),
            };
        }
        [seams.open_count, seams.torn_count] = [open, torn].map(|mut names| {
            names.sort_unstable();
            names.dedup();
            names.len()
        });
        seams
    }
}

/// Triangles that share an edge in opposite directions, and the remaining uses of edges. Where solids touch along an
/// edge, the first of each direction belong together, and so on, since files hold one solid after the other.
fn pair(triangles: &[[u32; 3]]) -> (Vec<[u32; 2]>, Vec<Use>) {
    let mut uses: HashMap<[u32; 2], [Vec<Use>; 2]> = HashMap::with_capacity(2 * triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        let [a, b, c] = *corners;
        if a == b || b == c || c == a {
            continue;
        }
        for ends in [[a, b], [b, c], [c, a]] {
            let forward = usize::from(ends[0] < ends[1]);
            let name = [ends[1 - forward], ends[forward]];
            uses.entry(name).or_default()[forward].push(Use { ends, triangle: triangle as u32 });
        }
    }
    let (mut joined, mut loose) = (vec![], vec![]);
    for [mut one, mut other] in uses.into_values() {
        // already sorted
        let shared = one.len().min(other.len());
        joined.extend(one.drain(..shared).zip(other.drain(..shared)).map(|(a, b)| [a.triangle, b.triangle]));
        loose.append(&mut one);
        loose.append(&mut other);
    }
    loose.sort_unstable_by_key(|u: &Use| (u.triangle, u.ends));
    (joined, loose)
}

/// The range in which a segment runs along another one, and whether in the opposite direction.
fn overlap([a, b]: &[Vec3; 2], other: &[Vec3; 2], reach: f64) -> Option<([f64; 2], bool)> {
    let (length, along) = (a.distance(*b), (*b - *a).normalize_or_zero());
    let [from, to] = other.map(|p| (p - *a).dot(along));
    let against = to < from;
    let span = [from.min(to).max(0.0), from.max(to).min(length)];
    if span[1] - span[0] <= (SHORTEST * reach).min(0.5 * length) {
        return None;
    }
    let off = |s: f64| (other[0].lerp(other[1], (s - from) / (to - from)) - *a).reject_from(along).length();
    (off(span[0]).max(off(span[1])) <= 2.0 * reach).then_some((span, against))
}

/// Classify an edge by the edges along it. Joins its triangle with those that run against it.
fn judge(triangle: u32, length: f64, along: &[Along], shortest: f64, seams: &mut Seams) -> Verdict {
    let mut cuts: Vec<f64> = along.iter().flat_map(|a| a.span).collect();
    cuts.retain(|at| *at > shortest && *at < length - shortest);
    cuts.sort_unstable_by(f64::total_cmp);
    cuts.dedup_by(|b, a| *b - *a < shortest);
    cuts.push(length);
    let (mut from, mut verdict) = (0.0, Verdict::Closed);
    for to in cuts {
        let at = 0.5 * (from + to);
        let here = || along.iter().filter(|a| a.span[0] <= at && at <= a.span[1]);
        let mut against: Vec<u32> = here().filter(|a| a.against).map(|a| a.triangle).collect();
        against.sort_unstable();
        // in order of triangles, as for edges that share their vertices
        let rank = here().filter(|a| !a.against && a.triangle < triangle).count();
        match against.get(rank) {
            _ if here().next().is_none() => return Verdict::Open,
            Some(&other) if 2 * against.len() == here().count() + 1 => seams.joined.push([triangle, other]),
            _ => {
                verdict = Verdict::Torn;
                let mut others = here();
                if let (Some(Along { triangle: other, against: false, .. }), None) = (others.next(), others.next()) {
                    seams.opposed.push([triangle, *other]);
                }
            }
        }
        from = to;
    }
    verdict
}
