//! How a surface continues beyond the sides of its facets.
//!
//! Solids in one mesh may be flush with each other, and faces may be divided differently on both sides of an edge, so
//! that other facets cover parts of a side. A side is cut where one of them begins or ends, and each piece is
//! classified separately.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::BvhNode;

use super::build::Builder;
use crate::contact::{blend, nearest_of_triangle};
use crate::math::{Vec3, atan2};

/// Faces at a smaller angle count as one [rad].
const FLAT: f64 = 2e-3;

/// Pieces of sides shorter than this many tolerances are ignored.
const SHORTEST: f64 = 8.0;

/// Distance from a line, in tolerances, at which a facet is tested for continuing there.
const BESIDE: f64 = 3.0;

/// How a surface continues beyond a piece of a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Beyond {
    /// It continues flat, with the facet of this index.
    Flat(usize),
    /// It rises: a groove.
    Rises,
    /// It falls away, to the facet of this index.
    Falls(usize),
    /// It ends.
    Ends,
}

/// A piece of a side; `span` is the range of distances from its first corner [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub span: [f64; 2],
    pub beyond: Beyond,
}

/// Another facet that lies along a part of a side.
struct Cover {
    facet: usize,
    span: [f64; 2],
}

/// A side of a facet.
struct Line {
    from: Vec3,
    /// Unit vector along it.
    along: Vec3,
    length: f64,
    /// Unit vector out of the facet, in its plane.
    out: Vec3,
    normal: Vec3,
}

impl Stretch {
    /// Whether the surface falls away or ends there.
    pub fn falls(&self) -> bool {
        matches!(self.beyond, Beyond::Falls(_) | Beyond::Ends)
    }
}

impl Builder<'_> {
    /// The pieces of a side, in order and without gaps.
    pub(super) fn beyond(&self, facet: usize, side: usize) -> Vec<Stretch> {
        let (a, b, normal) = (self.corners[facet][side], self.corners[facet][(side + 1) % 3], self.normals[facet]);
        let (length, along) = ((b - a).length(), (b - a).normalize_or_zero());
        let line = Line { from: a, along, length, out: along.cross(normal), normal };
        let covers = self.covers(facet, &line);
        let shortest = SHORTEST * self.same;
        let mut cuts: Vec<f64> = covers.iter().flat_map(|c| c.span).collect();
        cuts.retain(|at| *at > shortest && *at < length - shortest);
        cuts.sort_unstable_by(f64::total_cmp);
        cuts.dedup_by(|b, a| *b - *a < shortest);
        cuts.push(length);
        let mut stretches: Vec<Stretch> = vec![];
        let mut from = 0.0;
        for to in cuts {
            let beyond = self.judge(&line, 0.5 * (from + to), &covers);
            match stretches.last_mut().filter(|last| last.beyond == beyond) {
                Some(last) => last.span[1] = to,
                None => stretches.push(Stretch { span: [from, to], beyond }),
            }
            from = to;
        }
        stretches
    }

    /// The other facets that lie along a line, or along a part of it.
    fn covers(&self, facet: usize, line: &Line) -> Vec<Cover> {
        let half = 0.5 * line.length * line.along;
        let middle = line.from + half;
        let near = |node: &BvhNode| meets_box(middle, half, &node.aabb(), 2.0 * self.same);
        let others = self.mesh.bvh().leaves(near).map(|n| n as usize);
        others
            .filter(|n| *n != facet)
            .filter_map(|facet| Some(Cover { facet, span: self.cover(facet, line)? }))
            .collect()
    }

    /// The range in which a facet lies along a line.
    fn cover(&self, facet: usize, line: &Line) -> Option<[f64; 2]> {
        let (corners, normal) = (&self.corners[facet], self.normals[facet]);
        // most facets are to one side of the line, with at most a corner on it
        let beside = |direction: Vec3| {
            let offsets = corners.map(|corner| direction.dot(corner - line.from));
            let count = |is: fn(f64, f64) -> bool| offsets.iter().filter(|x| is(**x, self.same)).count();
            let (above, below) = (count(|x, same| x > same), count(|x, same| x < -same));
            (above >= 2 && below == 0) || (below >= 2 && above == 0)
        };
        if normal == Vec3::ZERO || beside(line.out) || beside(line.normal) {
            return None;
        }
        let mut span = [0.0, line.length];
        let mut clip = |direction: Vec3, through: Vec3| {
            let at = direction.dot(line.from - through);
            let rise = direction.dot(line.along);
            let ends = span.map(|s| at + rise * s);
            if ends[0].max(ends[1]) < -self.same {
                return false;
            }
            // a facet that crosses is cut there, one that runs along within the tolerance is not
            if ends[0].min(ends[1]) < -self.same {
                let level = if ends[0].max(ends[1]) > self.same { 0.0 } else { -self.same };
                span[usize::from(rise < 0.0)] = (level - at) / rise;
            }
            true
        };
        // near its plane, and within its sides
        let within = clip(normal, corners[0] - normal * self.same)
            && clip(-normal, corners[0] + normal * self.same)
            && (0..3).all(|k| {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                clip(normal.cross(b - a).normalize_or_zero(), a)
            });
        // facets that merely cross it, or touch it with a corner, cover nothing
        let least = (SHORTEST * self.same).min(0.5 * line.length);
        (within && span[1] - span[0] > least).then_some(span)
    }

    /// How the surface continues beyond a point of a line. Of several facets there it is the one that falls least,
    /// since the others are below it.
    fn judge(&self, line: &Line, at: f64, covers: &[Cover]) -> Beyond {
        let place = line.from + line.along * at;
        let mut best: Option<(f64, usize)> = None;
        for cover in covers.iter().filter(|c| c.span[0] <= at && at <= c.span[1]) {
            if self.distance(cover.facet, place) > self.same {
                continue;
            }
            for away in self.ways(cover.facet, line, place).into_iter().flatten() {
                let angle = atan2(-away.dot(line.normal), away.dot(line.out));
                // a facet that lies on this one is folded under it, or belongs to another solid and is no neighbour
                let angle = if angle < FLAT - std::f64::consts::PI { std::f64::consts::PI } else { angle };
                if best.is_none_or(|(least, _)| angle < least) {
                    best = Some((angle, cover.facet));
                }
            }
        }
        match best {
            None => Beyond::Ends,
            Some((angle, other)) if angle > FLAT => Beyond::Falls(other),
            Some((angle, _)) if angle < -FLAT => Beyond::Rises,
            Some((_, other)) => Beyond::Flat(other),
        }
    }

    /// Unit vectors away from a line within a facet: one where its border runs along the line, two where it runs
    /// across.
    fn ways(&self, facet: usize, line: &Line, place: Vec3) -> [Option<Vec3>; 2] {
        let across = line.along.cross(self.normals[facet]).normalize_or_zero();
        let goes_on = |way: &Vec3| self.distance(facet, place + *way * (BESIDE * self.same)) < 0.5 * BESIDE * self.same;
        let ways = [across, -across].map(|way| Some(way).filter(goes_on));
        if ways.iter().any(Option::is_some) {
            return ways;
        }
        // the facet is narrower than that
        let corners = &self.corners[facet];
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        [Some((centre - place).reject_from(line.along)), None]
    }

    /// Distance of a point from a facet [m].
    pub(super) fn distance(&self, facet: usize, place: Vec3) -> f64 {
        let corners = &self.corners[facet];
        blend(corners, &nearest_of_triangle(place, *corners)).distance(place)
    }
}

/// Whether a segment comes within `slack` [m] of a box. (C. Ericson, "Real-Time Collision Detection", section 5.3.3.)
fn meets_box(middle: Vec3, half: Vec3, aabb: &Aabb, slack: f64) -> bool {
    let size = half.abs();
    let (low, high) = (middle - size - slack, middle + size + slack);
    if low.cmpgt(aabb.maxs).any() || high.cmplt(aabb.mins).any() {
        return false;
    }
    let extent = 0.5 * (aabb.maxs - aabb.mins) + slack;
    let way = middle - 0.5 * (aabb.mins + aabb.maxs);
    let (turn, room) = (way.cross(half).abs(), size + f64::MIN_POSITIVE);
    turn.x <= extent.y * room.z + extent.z * room.y
        && turn.y <= extent.x * room.z + extent.z * room.x
        && turn.z <= extent.x * room.y + extent.y * room.x
}
