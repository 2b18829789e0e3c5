//! Contact of the chain between its points: a plane at a place of a segment.
//!
//! A bar that crosses a segment touches neither of its points. So each segment is searched for the places at which it
//! is nearest to an obstacle, as links of the other rods are. Such a place has a plane like those of the points, and its
//! force, c_e times the depth, is shared in inverse proportion to the distances of the two points: force and moment
//! are those of the contact. Where both points lie on the plane anyway, as on a floor, they suffice.

use super::holds::{add_shared, between};
use super::touch::{OPPOSITE, Plane, Planes, Search, Touch};
use crate::bytes::stored;
use crate::contact::{Hint, Nearby, Obstacle, Piece, ShapeKind};
use crate::lanes::{LANES, Row, Rows, add, get};
use crate::math::Vec3;

/// Limit on the places of a segment.
pub const MOST: usize = 4;

/// Distance from a point, relative to the segment, below which that point carries the contact [-].
const AT_END: f64 = 1e-6;

/// Cosine of the angle between normals, and difference of heights relative to the rod's radius, up to which the plane
/// of a place is that of a point.
const SAME_PLANE: (f64, f64) = (0.9999, 0.05);

/// How deep a chord may lie between two points that touch a curved surface, relative to the rod's radius [-]: up to
/// this they carry the rod alone, as published.
const SAG: f64 = 0.8;

/// How near to their planes these points are at least, and how far the place is kept above its own so that it does not
/// help them, relative to the rod's radius [-].
const CLEAR: f64 = 0.1;

/// How much deeper than the contact before it a place may begin, relative to the rod's radius [-]: with what it may sink
/// in from there, the centre line stays outside.
const SUNK: f64 = 0.4;

/// Speed at which a place that is found deeper than the contact before it is brought out [m/s].
const OUTWARDS: f64 = 0.01;

/// A place of a segment near an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// Index of the segment.
    pub segment: usize,
    /// Where on it: 0 at its first point, 1 at its second.
    pub weight: f64,
    /// The obstacle there.
    pub plane: Plane,
    /// Friction and damping in the last model step [N].
    pub resistance: Vec3,
}

impl Between {
    /// A place with a plane.
    pub fn new(segment: usize, weight: f64, plane: Plane) -> Between {
        Between { segment, weight, plane, resistance: Vec3::ZERO }
    }

    /// Position [m].
    pub fn at(&self, x: &Rows) -> Vec3 {
        between(x, self.segment, self.weight)
    }

    /// Depth below the plane [m]; negative above it.
    pub fn depth(&self, x: &Rows) -> f64 {
        self.plane.depth(self.at(x))
    }

    /// Add the force of the plane to the two points.
    #[inline]
    pub fn push(&self, stiffness: f64, x: &Rows, force: &mut Rows) {
        let depth = self.depth(x);
        if depth > 0.0 {
            add_shared(force, self.segment, self.weight, self.plane.normal * (stiffness * depth));
        }
    }

    /// Apply friction and normal damping to the displacements of the two points: the exact solution of one implicit
    /// step for this place alone, whose mobility is (1 - w)^2 m_0 + w^2 m_1.
    pub fn resist(
        &mut self,
        stiffness: f64,
        x: &Rows,
        mobility: &Row,
        touch: &Touch,
        obstacles: &[Obstacle],
        step: &mut Rows,
    ) {
        self.resistance = Vec3::ZERO;
        let depth = self.depth(x);
        if depth <= 0.0 {
            return;
        }
        let at = |i: usize| mobility[i / LANES][i % LANES];
        let shares = [(1.0 - self.weight) * at(self.segment), self.weight * at(self.segment + 1)];
        let mobility = (1.0 - self.weight) * shares[0] + self.weight * shares[1];
        let moved = between(step, self.segment, self.weight);
        let new = touch.resisted(&self.plane, depth, stiffness, mobility, moved, obstacles);
        self.resistance = (new - moved) / mobility;
        add(step, self.segment, self.resistance * shares[0]);
        add(step, self.segment + 1, self.resistance * shares[1]);
    }
}

impl Planes {
    /// Update the places of all segments, after the planes of the points. Returns the work of bringing out those that
    /// are deeper than the contacts before them [J].
    pub(super) fn renew_between(&mut self, x: &Rows, points: usize, search: &Search<'_>) -> f64 {
        let mut last = std::mem::take(&mut self.last);
        std::mem::swap(&mut last, &mut self.between);
        self.between.clear();
        let (mut rest, mut work) = (&last[..], 0.0);
        for segment in 0..points - 1 {
            let (old, others) = rest.split_at(rest.iter().take_while(|place| place.segment == segment).count());
            rest = others;
            work += self.renew_segment(segment, x, old, search);
        }
        last.clear();
        self.last = last;
        work
    }

    fn renew_segment(&mut self, segment: usize, x: &Rows, old: &[Between], search: &Search<'_>) -> f64 {
        let (from, to) = (get(x, segment), get(x, segment + 1));
        let (along, length) = (to - from, (to - from).length());
        let first = self.between.len();
        if length.is_nan() || length <= 0.0 {
            return 0.0;
        }
        let half = 0.5 * length;
        let piece = Piece { middle: from.midpoint(to), along: along / length, span: [-half, half], bulge: 0.0 };
        let mut work = 0.0;
        for &index in search.near {
            let obstacle = &search.obstacles[index];
            // a straight segment comes nearest to a plane at one of its points
            if let ShapeKind::Plane = obstacle.params.shape.kind() {
                continue;
            }
            let sweep = &obstacle.sweep;
            let pose = sweep.at(search.fraction);
            let fastest = [from, to].map(|p| sweep.velocity_of(p, search.fraction, search.dt).length());
            let travel = 1.5 * fastest[0].max(fastest[1]) * search.interval;
            let mut found: [Option<Nearby>; MOST] = [None; MOST];
            obstacle.params.shape.near_piece(
                &pose,
                &piece,
                search.radius,
                search.reach + travel,
                Hint::NONE,
                &mut found,
            );
            // as for points: what is deep in a thin obstacle must not come out at its back, nor lose its plane
            let deepest = 3.0 * search.radius + 2.0 * travel;
            let mine = || old.iter().filter(|place| place.plane.obstacle == index);
            let kept = mine().find(|place| (0.0..deepest).contains(&place.depth(x)));
            let lost = found[0].is_none();
            if lost && let Some(kept) = kept {
                let velocity = sweep.velocity_of(kept.at(x), search.fraction, search.dt);
                self.put(first, Between { plane: Plane { velocity, ..kept.plane }, ..*kept }, x);
            }
            for Nearby { s, normal, distance, .. } in found.into_iter().flatten() {
                let weight = 0.5 + s / length;
                if !(AT_END..=1.0 - AT_END).contains(&weight) {
                    continue;
                }
                let place = between(x, segment, weight);
                let foot = place - normal * distance;
                let velocity = sweep.velocity_of(foot, search.fraction, search.dt);
                if let Some(kept) = kept.filter(|kept| kept.plane.normal.dot(normal) < OPPOSITE) {
                    self.put(first, Between { plane: Plane { velocity, ..kept.plane }, ..*kept }, x);
                    continue;
                }
                let offset = normal.dot(foot) + search.radius;
                let mut plane = Plane { normal, offset, velocity, obstacle: index };
                if [segment, segment + 1].iter().all(|&i| self.lies_on(i, &plane, search.radius)) {
                    continue;
                }
                let depth = plane.depth(place);
                // what the chord of a gently curved surface sinks in by between two points that lie on it
                let ends = [segment, segment + 1].map(|i| self.depth_beside(i, &plane, get(x, i)));
                let sag = match ends {
                    [Some(from), Some(to)] if from.min(to) > -CLEAR * search.radius => {
                        let deeper = depth - from - (to - from) * weight;
                        (deeper + CLEAR * search.radius).clamp(0.0, SAG * search.radius)
                    }
                    _ => 0.0,
                };
                plane.offset -= sag;
                let depth = (depth - sag).max(0.0);
                let known = mine().filter(|old| old.plane.normal.dot(normal) > -OPPOSITE);
                let nearest = known.min_by(|a, b| (a.weight - weight).abs().total_cmp(&(b.weight - weight).abs()));
                // a contact that has moved along the segment pushes no harder than before
                let pushed = nearest.map_or(0.0, |old| old.depth(x).max(0.0));
                let before = (depth - pushed).clamp(0.0, SUNK * search.radius);
                let inside = (before - OUTWARDS * search.interval).max(0.0);
                plane.offset -= inside;
                // the plane rises from where it was
                if before > inside {
                    let [low, high] = [depth - before, depth - inside];
                    work += 0.5 * self.stiffness * (high * high - low * low);
                }
                self.put(first, Between::new(segment, weight, plane), x);
            }
        }
        work
    }

    /// Add a place of the segment whose places begin at `first`, the deepest ones if there are too many.
    fn put(&mut self, first: usize, place: Between, x: &Rows) {
        let places = &mut self.between[first..];
        if places.len() < MOST {
            self.moving |= place.plane.velocity != Vec3::ZERO;
            self.between.push(place);
        } else if let Some(highest) = places.iter_mut().min_by(|a, b| a.depth(x).total_cmp(&b.depth(x)))
            && highest.depth(x) < place.depth(x)
        {
            self.moving |= place.plane.velocity != Vec3::ZERO;
            *highest = place;
        }
    }

    /// Depth of a point below its own plane of the same obstacle [m], if that faces the same way.
    fn depth_beside(&self, point: usize, plane: &Plane, place: Vec3) -> Option<f64> {
        let own = self.slots_at(point / LANES).iter().map(|slot| slot.get(point));
        let same = own.filter(|own| own.obstacle == plane.obstacle && own.normal.dot(plane.normal) > -OPPOSITE);
        same.map(|own| own.depth(place)).reduce(f64::max)
    }

    /// Whether a plane is one of those of a point.
    fn lies_on(&self, point: usize, plane: &Plane, radius: f64) -> bool {
        self.slots_at(point / LANES).iter().map(|slot| slot.get(point)).any(|own| {
            own.obstacle == plane.obstacle
                && own.normal.dot(plane.normal) > SAME_PLANE.0
                && (own.offset - plane.offset).abs() < SAME_PLANE.1 * radius
        })
    }
}

stored!(Between { segment, weight, plane, resistance });
