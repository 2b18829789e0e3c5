//! Centre lines of rods against obstacles. Distances are those of the collision library.

use super::{Crossing, Curve, FINER, Joined};
use crate::bytes::stored;
use crate::cable::OPEN;
use crate::contact::{Ends, Obstacle, Shape};
use crate::frame::Other;
use crate::math::Vec3;

/// Maximum number of halvings of a path; if it is still undecided then, it counts as crossing.
const MOST_HALVINGS: u32 = 12;

/// An obstacle is far away beyond this many radii plus `STEPS` steps: then the distance of bounding boxes suffices.
const FAR: f64 = 4.0;

/// Number of steps like the last one that is added to that distance.
const STEPS: f64 = 16.0;

/// What is known of a piece of a centre line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Known {
    /// The obstacle that was nearest.
    nearest: Option<usize>,
    /// Lower bound of its distance [m].
    left: f64,
    /// Lower bound of the distance of all others [m].
    others: f64,
    /// The obstacle that the piece has entered.
    entered: Option<usize>,
}

/// Obstacles during a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Surrounding {
    /// Bounding boxes after the step.
    bounds: Vec<[Vec3; 2]>,
    /// Indices of those that move.
    moving: Vec<usize>,
}

impl Known {
    /// Whether it names obstacles that are there.
    pub fn fits(&self, obstacles: usize) -> bool {
        self.nearest.iter().chain(&self.entered).all(|index| *index < obstacles)
    }
}

impl Surrounding {
    /// Whether it is of this number of obstacles.
    pub fn fits(&self, obstacles: usize) -> bool {
        self.bounds.len() == obstacles && self.moving.iter().all(|index| *index < obstacles)
    }

    /// Read the obstacles at their current poses.
    pub fn begin(&mut self, obstacles: &[Obstacle]) {
        self.bounds.clear();
        self.bounds.extend(obstacles.iter().map(|o| o.params.shape.bounds(&o.sweep.end)));
        self.moving.clear();
        self.moving.reserve(obstacles.len());
    }

    /// Copy from `other`, reusing the capacity.
    pub fn copy_from(&mut self, other: &Surrounding) {
        self.bounds.clone_from(&other.bounds);
        self.moving.clone_from(&other.moving);
    }

    /// Find the obstacles that move in this step.
    pub fn move_on(&mut self, obstacles: &[Obstacle]) {
        self.moving.clear();
        for (index, obstacle) in obstacles.iter().enumerate() {
            if obstacle.sweep.start != obstacle.sweep.end {
                self.moving.push(index);
                self.bounds[index] = obstacle.params.shape.bounds(&obstacle.sweep.end);
            }
        }
    }

    /// Check a centre line; `depth` [m] is raised where it is deeper in something that it is not joined to.
    pub fn look(
        &self,
        curve: &mut Curve,
        (obstacles, joined): (&[Obstacle], Joined<'_>),
        depth: &mut f64,
        tell: &mut impl FnMut(Crossing),
    ) {
        if obstacles.is_empty() {
            return;
        }
        let moved = self.farthest_move(curve, obstacles);
        let (mut pieces, mut gaps) = (std::mem::take(&mut curve.pieces), std::mem::take(&mut curve.gaps));
        let body = curve.body;
        let joined = &|obstacle: &Obstacle| joined(body, obstacle);
        let mut tell = |piece: usize, index: usize| {
            tell(Crossing { body: curve.body, other: Other::Obstacle(index), node: piece });
        };
        for instants in curve.instants().windows(2) {
            let part = [instants[0].fraction, instants[1].fraction];
            let mut look = Look { radius: curve.radius, part, moved, surrounding: self, obstacles, joined, depth };
            let (before, now) = (&instants[0].pieces, &instants[1].pieces);
            for piece in 0..now.len() {
                look.at(&mut pieces[piece], [&before[piece], &now[piece]], |index| tell(piece, index));
                let (Some(from), Some(to)) = (curve.gap(before, piece), curve.gap(now, piece)) else { continue };
                // a closed joint lies within the round ends of the pieces
                let open = |[a, b]: &Ends| a.distance_squared(*b) > (OPEN * curve.radius).powi(2);
                if open(&from) || open(&to) {
                    look.at(&mut gaps[piece], [&from, &to], |index| tell(piece, index));
                } else {
                    gaps[piece] = Known::default();
                }
            }
        }
        (curve.pieces, curve.gaps) = (pieces, gaps);
    }

    /// Upper bound of the displacement of any obstacle near the centre line [m].
    fn farthest_move(&self, curve: &Curve, obstacles: &[Obstacle]) -> f64 {
        if self.moving.is_empty() {
            return 0.0;
        }
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for [a, b] in curve.instants().iter().flat_map(|instant| &instant.pieces) {
            (low, high) = (low.min(a.min(*b)), high.max(a.max(*b)));
        }
        let farthest = |&n: &usize| {
            let [shift, turn] = obstacles[n].sweep.rates(1.0);
            let from = obstacles[n].sweep.start.translation;
            let arm = (low - from).abs().max((high - from).abs()).length();
            shift.length() + turn.length() * arm
        };
        self.moving.iter().map(farthest).fold(0.0, f64::max)
    }
}

/// A check of pieces of a centre line in a part of a step.
struct Look<'a> {
    radius: f64,
    /// Fractions of the step.
    part: [f64; 2],
    /// Upper bound of the displacement of obstacles in the whole step [m].
    moved: f64,
    surrounding: &'a Surrounding,
    obstacles: &'a [Obstacle],
    joined: &'a dyn Fn(&Obstacle) -> bool,
    depth: &'a mut f64,
}

impl Look<'_> {
    /// Check a piece.
    fn at(&mut self, known: &mut Known, [from, to]: [&Ends; 2], tell: impl FnMut(usize)) {
        let way = longer_way(from, to);
        known.others -= way + self.moved * (self.part[1] - self.part[0]);
        known.left -= match known.nearest.filter(|n| self.surrounding.moving.contains(n)) {
            Some(n) => {
                let [from, to] = self.obstacles[n].seen([from, to], self.part);
                longer_way(&from, &to)
            }
            None => way,
        };
        let left = known.left.min(known.others);
        if left <= 0.0 || self.radius - left > *self.depth + FINER * self.radius {
            *known = self.measure([from, to], known.entered, tell);
        }
    }

    /// Measure the distance of a piece from all obstacles, and check its path where it may have passed through one.
    fn measure(&mut self, ways: [&Ends; 2], entered: Option<usize>, mut tell: impl FnMut(usize)) -> Known {
        let [a, b] = ways[1];
        let (low, high) = (a.min(*b), a.max(*b));
        let mut known = Known { nearest: None, left: f64::INFINITY, others: f64::INFINITY, entered: None };
        for (index, (obstacle, bounds)) in self.obstacles.iter().zip(&self.surrounding.bounds).enumerate() {
            let ends = obstacle.seen(ways, self.part);
            let (shape, way) = (&obstacle.params.shape, longer_way(&ends[0], &ends[1]));
            // the box is that at the end of the whole step
            let apart = (bounds[0] - high).max(low - bounds[1]).max(Vec3::ZERO).length()
                - if self.part[1] < 1.0 { self.moved } else { 0.0 };
            // far away, the distance of the bounding boxes suffices
            let mut distance = apart;
            if apart <= FAR * self.radius + STEPS * way {
                distance = shape.distance_of_segment(&ends[1]);
                let joined = (self.joined)(obstacle);
                if !joined && came_through(shape, &ends, distance) {
                    tell(index);
                }
                let depth = self.radius - if distance > 0.0 { distance } else { shape.least_distance(&ends[1]) };
                // a piece that started inside an obstacle is there on purpose
                let counts = || entered == Some(index) || shape.distance_of_segment(&ends[0]) > 0.0;
                if !joined && (depth > *self.depth || distance <= 0.0) && counts() {
                    *self.depth = self.depth.max(depth);
                    known.entered = known.entered.or(Some(index).filter(|_| distance <= 0.0));
                }
            }
            if distance < known.left {
                known = Known { nearest: Some(index), left: distance, others: known.left, ..known };
            } else {
                known.others = known.others.min(distance);
            }
        }
        known
    }
}

/// The longer of the paths of the ends of a segment [m].
fn longer_way(from: &Ends, to: &Ends) -> f64 {
    from[0].distance_squared(to[0]).max(from[1].distance_squared(to[1])).sqrt()
}

/// Whether a segment passed through the surface of a shape between two places, both in the frame of the shape. One that
/// is in the surface at the start has no side to stay on, and does not count.
fn came_through(shape: &Shape, [from, to]: &[Ends; 2], there: f64) -> bool {
    let way = longer_way(from, to);
    if there > way {
        return false;
    }
    let here = shape.distance_of_segment(from);
    here > 0.0 && came_between(shape, (from, here), (to, there), MOST_HALVINGS)
}

/// Whether a segment passed through the surface between two places of known distance: on a path shorter than the sum of
/// the two distances it cannot have.
fn came_between(shape: &Shape, (from, here): (&Ends, f64), (to, there): (&Ends, f64), halvings: u32) -> bool {
    let way = longer_way(from, to);
    if way < here + there {
        return false;
    }
    if here <= 0.0 || there <= 0.0 || halvings == 0 {
        return true;
    }
    let middle = [from[0].midpoint(to[0]), from[1].midpoint(to[1])];
    let half = (&middle, shape.distance_of_segment(&middle));
    came_between(shape, (from, here), half, halvings - 1) || came_between(shape, half, (to, there), halvings - 1)
}

impl Obstacle {
    /// The ends of a segment at two fractions of a step, in the frame of the obstacle.
    fn seen(&self, ways: [&Ends; 2], part: [f64; 2]) -> [Ends; 2] {
        let pose = |fraction: f64| match fraction {
            0.0 => self.sweep.start,
            1.0 => self.sweep.end,
            _ => self.sweep.at(fraction),
        };
        std::array::from_fn(|k| ways[k].map(|p| pose(part[k]).inverse_transform_point(p)))
    }
}

#[cfg(test)]
pub(super) fn crosses(obstacle: &Obstacle, from: &Ends, to: &Ends) -> bool {
    let ends = obstacle.seen([from, to], [0.0, 1.0]);
    came_through(&obstacle.params.shape, &ends, obstacle.params.shape.distance_of_segment(&ends[1]))
}

/// Whether a piece was outside before, and its penetration [m].
#[cfg(test)]
pub(super) fn depth(obstacle: &Obstacle, from: &Ends, to: &Ends, radius: f64) -> (bool, f64) {
    let (shape, ends) = (&obstacle.params.shape, obstacle.seen([from, to], [0.0, 1.0]));
    let distance = shape.distance_of_segment(&ends[1]);
    let outside = shape.distance_of_segment(&ends[0]) > 0.0;
    (outside, radius - if distance > 0.0 { distance } else { shape.least_distance(&ends[1]) })
}

stored!(Known { nearest, left, others, entered });
stored!(Surrounding { bounds, moving });
