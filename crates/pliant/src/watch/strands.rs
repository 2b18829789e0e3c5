//! Centre lines of cables that may cross each other, or themselves. Which pieces are near each other is known from the
//! step.

use super::{Crossing, Curve, FINER, Instant};
use crate::body::Body;
use crate::bytes::stored;
use crate::cable::{End, Key, OPEN, PastPair};
use crate::contact::{Ends, segment_distance, segments_cross};
use crate::frame::Other;
use crate::math::Vec3;

/// Pieces that are near each other, sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Strands {
    near: Vec<Near>,
    before: Vec<Near>,
}

/// Two pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Near {
    ends: [End; 2],
    /// Lower bound of their distance [m].
    left: f64,
}

/// A piece and the gap to the next, which is open where a joint is stretched.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    parts: [Ends; 2],
    open: bool,
}

impl Curve {
    /// A piece at an instant; alone, or with the gap to the next.
    fn stretch(&self, pieces: &[Ends], number: usize, alone: bool) -> Stretch {
        let own = pieces[number];
        let gap = self.gap(pieces, number).filter(|_| !alone).unwrap_or([own[1]; 2]);
        Stretch { parts: [own, gap], open: gap[0].distance_squared(gap[1]) > (OPEN * self.radius).powi(2) }
    }
}

impl Stretch {
    /// Distance of two stretches [m].
    fn distance(&self, other: &Stretch) -> f64 {
        let all = self.parts.iter().flat_map(|a| other.parts.iter().map(move |b| segment_distance(a, b)));
        all.fold(f64::INFINITY, f64::min)
    }

    /// Distance of two stretches without closed joints, which lie within the round ends of pieces [m].
    fn distance_of_surface(&self, other: &Stretch) -> f64 {
        let parts = |s: &'_ Stretch| if s.open { 2 } else { 1 };
        let all = self.parts[..parts(self)]
            .iter()
            .flat_map(|a| other.parts[..parts(other)].iter().map(move |b| segment_distance(a, b)));
        all.fold(f64::INFINITY, f64::min)
    }
}

/// Whether two stretches have passed through each other, on the way from the first instant of each to the second.
fn have_crossed(a: &[Stretch; 2], b: &[Stretch; 2]) -> bool {
    let all = (0..2).flat_map(|i| (0..2).map(move |j| (i, j)));
    let ways = |s: &'_ [Stretch; 2], i: usize| [s[0].parts[i], s[1].parts[i]];
    all.into_iter().any(|(i, j)| {
        let ([a0, a1], [b0, b1]) = (ways(a, i), ways(b, j));
        segments_cross([&a0, &a1], [&b0, &b1])
    })
}

/// The longest path of a point of one relative to a point of the other [m].
fn way_of(a: &[Stretch; 2], b: &[Stretch; 2]) -> f64 {
    let ways = |s: &[Stretch; 2]| {
        let point = |i: usize| {
            let [from, to] = [&s[0].parts, &s[1].parts].map(|parts| [parts[0][0], parts[0][1], parts[1][1]][i]);
            to - from
        };
        [point(0), point(1), point(2)]
    };
    let (a, b) = (ways(a), ways(b));
    let all = a.iter().flat_map(|a| b.iter().map(move |b| a.distance_squared(*b)));
    all.fold(0.0, f64::max).sqrt()
}

/// The centre line of a body, by binary search.
fn curve_of(curves: &[Curve], body: usize) -> Option<&Curve> {
    curves.get(curves.partition_point(|c| c.body < body)).filter(|c| c.body == body)
}

impl Strands {
    /// Forget what was near, and preallocate for `room` pairs.
    pub fn begin(&mut self, room: usize) {
        for near in [&mut self.near, &mut self.before] {
            near.clear();
            near.reserve(room);
        }
    }

    /// Whether it is of pieces of these centre lines.
    pub fn fits(&self, curves: &[Curve]) -> bool {
        let there = |end: &End| curve_of(curves, end.body).is_some_and(|curve| end.link < curve.pieces.len());
        self.near.iter().chain(&self.before).all(|near| near.ends.iter().all(there))
    }

    /// Copy from `other`, reusing the capacity.
    pub fn copy_from(&mut self, other: &Strands) {
        self.near.clone_from(&other.near);
        self.before.clone_from(&other.before);
    }

    /// Check a step in which links of `pairs`, which are sorted, were near each other; `depth` [m] is raised where they
    /// overlap more deeply.
    pub fn look(&mut self, curves: &[Curve], pairs: &[PastPair], depth: &mut f64, tell: &mut impl FnMut(Crossing)) {
        let Strands { near, before } = self;
        std::mem::swap(near, before);
        near.clear();
        let mut known = before.iter().peekable();
        for pair in pairs {
            // the joints after both are checked with them
            if near.last().is_some_and(|n| n.ends == pair.ends) {
                continue;
            }
            while known.next_if(|k| k.ends < pair.ends).is_some() {}
            let left = known.next_if(|k| k.ends == pair.ends).map_or(0.0, |k| k.left);
            near.push(Near { ends: pair.ends, left });
        }
        for near in near {
            let [a, b] = near.ends;
            let [Some(p), Some(q)] = [a, b].map(|end| curve_of(curves, end.body)) else { continue };
            let touching = p.radius + q.radius;
            let apart = a.link.abs_diff(b.link);
            let apart = if p.closed { apart.min(p.pieces.len() - apart) } else { apart };
            let alone = a.body == b.body && apart <= p.bend;
            // links of a pair were moved in the same parts of the step
            for (mine, theirs) in p.instants().windows(2).zip(q.instants().windows(2)) {
                let at = |c: &Curve, instants: &[Instant], end: End| -> [Stretch; 2] {
                    std::array::from_fn(|k| c.stretch(&instants[k].pieces, end.link, alone))
                };
                let (mine, theirs) = (at(p, mine, a), at(q, theirs, b));
                let way = way_of(&mine, &theirs);
                near.left -= way;
                if near.left > 0.0 && touching - near.left <= *depth + FINER * p.radius.min(q.radius) {
                    continue;
                }
                near.left = mine[1].distance(&theirs[1]);
                if near.left <= way && have_crossed(&mine, &theirs) {
                    tell(Crossing { body: p.body, other: Other::Body(q.body), node: a.link });
                }
                if touching - near.left > *depth {
                    *depth = depth.max(touching - mine[1].distance_of_surface(&theirs[1]));
                }
            }
        }
    }
}

/// Cables whose axes are nearer than this fraction of the sum of their radii cannot be separated: they have no definite
/// side to leave to.
const INSIDE: f64 = 0.1;

/// Two cables that overlap.
pub(crate) struct Inside {
    /// Their indices.
    pub bodies: [usize; 2],
    /// Where, in the world [m].
    pub place: Vec3,
    /// Distance between the axes [m].
    pub distance: f64,
    /// Sum of the radii [m].
    pub needed: f64,
}

/// The two cables, or one twice, that overlap so deeply that neither has a definite side to leave to; `pairs` are links
/// that may touch.
pub(crate) fn deepest_inside(bodies: &[Body], pairs: &[Key]) -> Option<Inside> {
    let ends = |end: End| match &bodies[end.body] {
        Body::Cable(cable) => Some((cable.line().piece(end.link), cable.radius())),
        _ => None,
    };
    let inside = |(pair, _): &Key| {
        let ((a, r), (b, s)) = (ends(pair[0])?, ends(pair[1])?);
        let (distance, needed) = (segment_distance(&a, &b), r + s);
        Some(Inside { bodies: pair.map(|end| end.body), place: a[0].midpoint(a[1]), distance, needed })
    };
    let all = pairs.iter().filter_map(inside);
    let worst = all.min_by(|a, b| (a.distance / a.needed).total_cmp(&(b.distance / b.needed)));
    worst.filter(|w| w.distance < INSIDE * w.needed)
}

stored!(Near { ends, left });
stored!(Strands { near, before });
