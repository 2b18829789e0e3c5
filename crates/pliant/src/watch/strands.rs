//! Curves of cables that may cross each other, or themselves.

use super::{Crossing, Curve, FINER, Inside};
use crate::body::Body;
use crate::cable::OPEN;
use crate::contact::{Ends, segment_distance, segments_cross};
use crate::frame::Other;
use crate::math::Vec3;

/// The list of near pieces is good for so many steps like the last one.
const STEPS: f64 = 16.0;

/// Pieces that are near each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Strands {
    /// Curves that are cables, with the least number of pieces between two of their own that can touch.
    cables: Vec<(usize, usize)>,
    near: Vec<Near>,
    /// All other pieces are apart by at least this and their radii [m].
    slack: f64,
    cells: Vec<Cell>,
}

/// Two pieces, each by its curve and number.
#[derive(Clone, Copy, Debug)]
struct Near {
    first: Piece,
    second: Piece,
    /// Their axes are apart by at least this [m].
    left: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    curve: u32,
    number: u32,
}

/// A piece by the cell of a grid that its middle is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    at: [i32; 3],
    piece: Piece,
}

/// A piece and the way to the next, which is there where a joint is stretched open.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    parts: [Ends; 2],
    open: bool,
}

impl Curve {
    /// A piece before or after the step.
    fn stretch(&self, pieces: &[Ends], piece: Piece) -> Stretch {
        let number = piece.number as usize;
        let own = pieces[number];
        let gap = [own[1], pieces.get(number + 1).map_or(own[1], |next| next[0])];
        Stretch { parts: [own, gap], open: gap[0].distance_squared(gap[1]) > (OPEN * self.radius).powi(2) }
    }
}

impl Stretch {
    /// Least distance of two [m].
    fn distance(&self, other: &Stretch) -> f64 {
        let all = self.parts.iter().flat_map(|a| other.parts.iter().map(move |b| segment_distance(a, b)));
        all.fold(f64::INFINITY, f64::min)
    }

    /// The same without joints that are closed, which are within the round ends of pieces.
    fn distance_of_surface(&self, other: &Stretch) -> f64 {
        let parts = |s: &'_ Stretch| if s.open { 2 } else { 1 };
        let all = self.parts[..parts(self)]
            .iter()
            .flat_map(|a| other.parts[..parts(other)].iter().map(move |b| segment_distance(a, b)));
        all.fold(f64::INFINITY, f64::min)
    }
}

/// Whether two stretches have come through each other, on the way from the first of each to the second.
fn have_crossed(a: &[Stretch; 2], b: &[Stretch; 2]) -> bool {
    let all = (0..2).flat_map(|i| (0..2).map(move |j| (i, j)));
    let ways = |s: &'_ [Stretch; 2], i: usize| [s[0].parts[i], s[1].parts[i]];
    all.into_iter().any(|(i, j)| {
        let ([a0, a1], [b0, b1]) = (ways(a, i), ways(b, j));
        segments_cross([&a0, &a1], [&b0, &b1])
    })
}

/// The longest way that a point of one goes as seen from a point of the other [m].
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

impl Strands {
    /// Which curves are cables.
    pub fn begin(&mut self, bodies: &[Body], curves: &[Curve]) {
        self.cables.clear();
        for (index, curve) in curves.iter().enumerate() {
            if let Body::Cable(cable) = &bodies[curve.body] {
                self.cables.push((index, cable.nearest_neighbour()));
            }
        }
        let pieces: usize = self.cables.iter().map(|&(index, _)| curves[index].pieces.len()).sum();
        self.cells.reserve(pieces.saturating_sub(self.cells.len()));
        self.near.reserve((8 * pieces).saturating_sub(self.near.len()));
        self.near.clear();
        self.slack = 0.0;
    }

    /// Look at a step; `deepest` grows where pieces are deeper in each other.
    pub fn look(&mut self, curves: &[Curve], deepest: &mut f64, tell: &mut impl FnMut(Crossing)) {
        let Some(spent) = self.spent(curves) else { return };
        if self.slack < spent {
            self.list(curves, STEPS * spent);
        }
        self.slack -= spent;
        for near in &mut self.near {
            let [a, b] = [near.first, near.second];
            let [p, q] = [a, b].map(|piece| &curves[piece.curve as usize]);
            let ways = |c: &Curve, piece: Piece| [&c.before, &c.now].map(|pieces| c.stretch(pieces, piece));
            let (from_to, other_from_to) = (ways(p, a), ways(q, b));
            let way = way_of(&from_to, &other_from_to);
            near.left -= way;
            let touching = p.radius + q.radius;
            if near.left > 0.0 && touching - near.left <= *deepest + FINER {
                continue;
            }
            near.left = from_to[1].distance(&other_from_to[1]);
            if near.left <= way && have_crossed(&from_to, &other_from_to) {
                tell(Crossing { body: p.body, other: Other::Body(q.body), node: a.number as usize });
            }
            if touching - near.left > *deepest {
                *deepest = deepest.max(touching - from_to[1].distance_of_surface(&other_from_to[1]));
            }
        }
    }

    /// The pieces that are nearest to each other, if that is less than a part of their radii.
    pub fn deepest_in(&mut self, curves: &[Curve], part: f64) -> Option<Inside> {
        self.list(curves, 0.0);
        let inside = |near: &Near| {
            let [p, q] = [near.first, near.second].map(|piece| &curves[piece.curve as usize]);
            let [from, to] = p.now[near.first.number as usize];
            let (distance, needed) = (near.left, p.radius + q.radius);
            Inside { bodies: [p.body, q.body], place: from.midpoint(to), distance, needed }
        };
        let worst =
            self.near.iter().map(inside).min_by(|a, b| (a.distance / a.needed).total_cmp(&(b.distance / b.needed)));
        worst.filter(|w| w.distance < part * w.needed)
    }

    /// By how much any two pieces may have come closer in the step [m]; none without cables.
    fn spent(&self, curves: &[Curve]) -> Option<f64> {
        let cables = || self.cables.iter().map(|&(index, _)| &curves[index]);
        let ways = || {
            cables()
                .flat_map(|c| c.now.as_flattened().iter().zip(c.before.as_flattened()))
                .map(|(to, from)| *to - *from)
        };
        let (count, sum) = ways().fold((0.0, Vec3::ZERO), |(count, sum), way| (count + 1.0, sum + way));
        // what all do together brings none of them closer
        let common = sum / count;
        (count > 0.0).then(|| 2.0 * ways().map(|way| (way - common).length_squared()).fold(0.0, f64::max).sqrt())
    }

    /// List the pieces that were apart by no more than `slack` and their radii before the step.
    fn list(&mut self, curves: &[Curve], slack: f64) {
        let Strands { cables, near, cells, .. } = self;
        near.clear();
        cells.clear();
        let (mut longest, mut thickest): (f64, f64) = (0.0, 0.0);
        for curve in cables.iter().map(|&(index, _)| &curves[index]) {
            let gaps = curve.before.windows(2).map(|p| p[0][1].distance_squared(p[1][0])).fold(0.0, f64::max);
            let own = curve.before.iter().map(|p| p[0].distance_squared(p[1])).fold(0.0, f64::max);
            longest = longest.max(own.sqrt() + gaps.sqrt());
            thickest = thickest.max(curve.radius);
        }
        // pieces within reach have their middles in cells next to each other
        let size = longest + 2.0 * thickest + slack;
        for &(index, _) in cables.iter() {
            for (number, [from, to]) in curves[index].before.iter().enumerate() {
                let at = (from.midpoint(*to) / size).floor();
                let piece = Piece { curve: index as u32, number: number as u32 };
                cells.push(Cell { at: [at.x as i32, at.y as i32, at.z as i32], piece });
            }
        }
        cells.sort_unstable();
        let mut look = |a: Piece, b: Piece| {
            let (a, b) = (a.min(b), a.max(b));
            let closest =
                cables.iter().find(|(index, _)| *index == a.curve as usize).map_or(0, |(_, closest)| *closest);
            if a.curve == b.curve && ((b.number - a.number) as usize) < closest {
                return;
            }
            let [p, q] = [a, b].map(|piece| &curves[piece.curve as usize]);
            let left = p.stretch(&p.before, a).distance(&q.stretch(&q.before, b));
            if left < p.radius + q.radius + slack {
                near.push(Near { first: a, second: b, left });
            }
        };
        // each cell with itself and with half of its neighbours
        let mut from = 0;
        while from < cells.len() {
            let here = &cells[from..];
            let here = &here[..here.partition_point(|c| c.at == here[0].at)];
            for (n, a) in here.iter().enumerate() {
                here[n + 1..].iter().for_each(|b| look(a.piece, b.piece));
            }
            let [x, y, z] = here[0].at;
            // ranges along z, which are together in the order of cells
            let rows = [(0, 0, 1), (0, 1, -1), (1, -1, -1), (1, 0, -1), (1, 1, -1)];
            for (dx, dy, first) in rows {
                let start = [x.saturating_add(dx), y.saturating_add(dy), z.saturating_add(first)];
                let end = [start[0], start[1], z.saturating_add(1)];
                let low = cells.partition_point(|c| c.at < start);
                for b in cells[low..].iter().take_while(|c| c.at <= end) {
                    here.iter().for_each(|a| look(a.piece, b.piece));
                }
            }
            from += here.len();
        }
        near.sort_unstable_by_key(|n| (n.first, n.second));
        self.slack = slack;
    }
}
