//! Grips as forces on the chain: attractors on points (constraint 3 of (5)) and springs on directions.
//!
//! A held point is pulled to its target with c_e times the distance. (The printed sign would push it away.) Direction
//! is held in one of two ways. `TwoPoints` attracts the neighbour as well (Fig. 14). `Clamp` acts like jaws at the
//! exact place: each half-segment between the place and the middle of the neighbouring segment bends with EI, so a
//! segment that starts at a clamped point is held by the moment EI / (L_s/2) times its angle to the jaws, and the joint
//! at that point is replaced by these. A clamp in the middle of a segment holds that segment itself.

use super::bending::{Bending, angle_over_sine_any};
use super::derive::TYPICAL_ANGLE;
use super::params::BendingLaw;
use crate::bytes::stored;
use crate::grip::{ActingLoad, Grip, Gripper, Hold, Wrench};
use crate::lanes::{Rows, add, get};
use crate::math::{Pose, Vec3, atan2};

/// Stiffness of a clamp between two points, which holds a segment directly, relative to that of a joint.
const SEGMENT_CLAMP: f64 = 8.0;

/// A point or segment that a grip acts on.
#[derive(Clone, Copy, Debug)]
pub struct Holder {
    /// Index of the grip.
    pub grip: usize,
    kind: Kind,
    /// Target point or direction at the start of the current run of steps, and its change over the run.
    from: Vec3,
    change: Vec3,
    /// Origin of the gripper at the start of the run, and its change [m].
    origin: Vec3,
    origin_change: Vec3,
    /// The last target and the derivative of the energy by it (for a point, the force on the target [N]); `None` before
    /// the first step.
    seen: Option<(Vec3, Vec3)>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Pull a place to its target: weight 1 - w on the point, w on the next. The target lies `offset` along the held
    /// direction from the grip's anchor [m].
    Attract { point: usize, weight: f64, offset: f64 },
    /// Turn a segment to the held direction; `node` is the held point, if the place is one.
    Direct { segment: usize, stiffness: f64, node: Option<usize> },
}

/// A clamp at the end of a step. Moment and energy of its half-segment are read between steps, when the holders may
/// already be those of the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// The held point, if the place is one: the clamp replaces its joint.
    pub node: Option<usize>,
    segment: usize,
    /// Moment per angle [N m].
    stiffness: f64,
    /// The held direction, in the world.
    goal: Vec3,
}

impl Clamp {
    /// Whether a chain of this number of points has its place.
    pub fn fits(&self, points: usize) -> bool {
        self.segment < points.saturating_sub(1) && self.node.is_none_or(|node| node < points)
    }

    /// Angle between its segment and the held direction [rad].
    pub fn angle(&self, x: &Rows) -> f64 {
        let along = get(x, self.segment + 1) - get(x, self.segment);
        atan2(along.cross(self.goal).length(), along.dot(self.goal))
    }

    /// Moment of its half-segment [N m].
    pub fn moment(&self, x: &Rows) -> f64 {
        self.stiffness * self.angle(x)
    }

    /// Energy of its half-segment [J].
    pub fn energy(&self, x: &Rows) -> f64 {
        let angle = self.angle(x);
        0.5 * self.stiffness * angle * angle
    }
}

/// The grips and loads of a chain, prepared for its model steps.
#[derive(Clone, Debug, Default)]
pub struct Holders {
    holders: Vec<Holder>,
    /// Dead loads: point, weight of the next point, force [N].
    pushes: Vec<(usize, f64, Vec3)>,
    /// How many of `pushes` are loads; the rest come from other bodies.
    loads: usize,
    /// Positions at which they acted at the start of the step [m].
    from: Vec<Vec3>,
    /// Joints replaced by clamps.
    pub muted: Vec<usize>,
}

/// Constants that holders need.
#[derive(Clone, Copy, Debug)]
pub struct Holding {
    /// Number of points.
    pub points: usize,
    /// Rest length of a segment [m].
    pub segment: f64,
    /// c_e [N/m].
    pub stiffness: f64,
    /// Bending law.
    pub bending: Bending,
}

impl Holding {
    /// Moment per angle of the half-segment next to a clamp [N m]. For the paper's law, taken at 0.15 rad, the largest
    /// angle it is meant for.
    pub fn clamp_stiffness(&self) -> f64 {
        match self.bending.law {
            BendingLaw::Linear => 2.0 * self.bending.stiffness,
            BendingLaw::Paper => 2.0 * self.bending.moment(TYPICAL_ANGLE, self.segment) / TYPICAL_ANGLE,
        }
    }
}

/// The point at or before a fraction of the length, and the fraction of the way from it to the next.
pub fn split(fraction: f64, points: usize) -> (usize, f64) {
    let s = fraction.clamp(0.0, 1.0) * (points - 1) as f64;
    let nearest = s.round();
    if (s - nearest).abs() < 1e-9 {
        return (nearest as usize, 0.0);
    }
    (s as usize, s - s.floor())
}

impl Holders {
    /// Note which points and segments the closed grips of body `index` hold, and which loads act at `time` [s].
    /// Allocates only when there are more of them than before.
    pub fn prepare(&mut self, h: &Holding, index: usize, time: f64, grips: &[Grip], loads: &[ActingLoad]) {
        self.holders.clear();
        self.pushes.clear();
        for load in loads.iter().filter(|l| l.body == index && l.acts_at(time)) {
            let (point, weight) = super::locate(load.place, h.points);
            self.pushes.push((point, weight, load.force));
        }
        self.loads = self.pushes.len();
        self.muted.clear();
        for (number, grip) in grips.iter().enumerate() {
            if grip.body != index || grip.anchor.is_none() {
                continue;
            }
            let (point, weight) = super::locate(grip.params.place, h.points);
            let mut add = |kind| {
                let zero = Vec3::ZERO;
                let holder = Holder {
                    grip: number,
                    kind,
                    from: zero,
                    change: zero,
                    origin: zero,
                    origin_change: zero,
                    seen: None,
                };
                self.holders.push(holder);
            };
            add(Kind::Attract { point, weight, offset: 0.0 });
            match grip.params.hold {
                // the world rejects grips that hold only the direction of a chain
                Hold::Position | Hold::Direction => {}
                Hold::TwoPoints => {
                    // a place between two points is less than a segment from the next
                    let (other, offset) = if point + 1 < h.points {
                        (point + 1, (1.0 - weight) * h.segment)
                    } else {
                        (point - 1, -h.segment)
                    };
                    add(Kind::Attract { point: other, weight: 0.0, offset });
                }
                Hold::Clamp if weight > 0.0 => {
                    let stiffness = SEGMENT_CLAMP * 0.5 * h.clamp_stiffness();
                    add(Kind::Direct { segment: point, stiffness, node: None });
                }
                Hold::Clamp => {
                    let stiffness = h.clamp_stiffness();
                    if point > 0 {
                        add(Kind::Direct { segment: point - 1, stiffness, node: Some(point) });
                    }
                    if point + 1 < h.points {
                        add(Kind::Direct { segment: point, stiffness, node: Some(point) });
                    }
                    self.muted.push(point);
                }
            }
        }
    }

    /// Add a dead load [N] at a fraction of a segment.
    pub fn push(&mut self, segment: usize, fraction: f64, force: Vec3) {
        self.pushes.push((segment, fraction, force));
    }

    /// Set the targets at the start and the end of a run of steps, given as fractions of the world step.
    pub fn aim(&mut self, grips: &[Grip], grippers: &[Gripper], from: f64, to: f64) {
        for holder in &mut self.holders {
            let grip = &grips[holder.grip];
            let Some(anchor) = grip.anchor else { continue };
            let sweep = &grippers[grip.gripper].sweep;
            let direction = anchor.orientation * Vec3::X;
            let goal = |pose: &Pose| match holder.kind {
                Kind::Attract { offset, .. } => pose.transform_point(anchor.position + direction * offset),
                Kind::Direct { .. } => pose.transform_vector(direction),
            };
            holder.from = goal(&sweep.at(from));
            holder.change = goal(&sweep.at(to)) - holder.from;
            holder.origin = sweep.at(from).translation;
            holder.origin_change = sweep.at(to).translation - holder.origin;
        }
    }

    /// Add dead loads and forces of the holders to `force`, at a fraction of the run of steps, and the load on the
    /// gripper of each holder to `loads`, the torque about the gripper's origin. Returns the work of moving targets
    /// [J].
    #[inline(always)]
    pub fn pull(&mut self, h: &Holding, x: &Rows, fraction: f64, force: &mut Rows, loads: &mut [Wrench]) -> f64 {
        let mut work = 0.0;
        for &(point, weight, push) in &self.pushes {
            add_shared(force, point, weight, push);
        }
        for (holder, load) in self.holders.iter_mut().zip(loads) {
            let goal = holder.from + holder.change * fraction;
            let before = holder.seen;
            match holder.kind {
                Kind::Attract { point, weight, .. } => {
                    let mut place = get(x, point);
                    if weight > 0.0 {
                        place = place.lerp(get(x, point + 1), weight);
                    }
                    let pull = (goal - place) * h.stiffness;
                    add_shared(force, point, weight, pull);
                    holder.seen = Some((goal, pull));
                    let origin = holder.origin + holder.origin_change * fraction;
                    *load += Wrench::at(place, -pull, Vec3::ZERO, origin);
                }
                Kind::Direct { segment, stiffness, .. } => {
                    let (a, b) = (get(x, segment), get(x, segment + 1));
                    let along = b - a;
                    let length = along.length().max(1e-15);
                    let u = along / length;
                    let cosine = u.dot(goal);
                    let turning = stiffness * angle_over_sine_any(cosine);
                    let couple = (goal - u * cosine) * (turning / length);
                    holder.seen = Some((goal, u * -turning));
                    add(force, segment + 1, couple);
                    add(force, segment, -couple);
                    load.torque -= along.cross(couple);
                }
            }
            work += led(before, holder.seen);
        }
        work
    }

    /// Forget the last targets of the holders.
    pub fn forget_seen(&mut self) {
        self.holders.iter_mut().for_each(|holder| holder.seen = None);
    }

    /// The clamps at the end of the current run of steps.
    pub fn clamps(&self) -> impl Iterator<Item = Clamp> + '_ {
        self.holders.iter().filter_map(|holder| match holder.kind {
            Kind::Direct { segment, stiffness, node } => {
                Some(Clamp { node, segment, stiffness, goal: holder.from + holder.change })
            }
            Kind::Attract { .. } => None,
        })
    }

    /// Preallocate for grips and loads, so that closing a grip does not allocate.
    pub fn reserve(&mut self, grips: usize, loads: usize) {
        self.holders.reserve(3 * grips);
        self.muted.reserve(grips);
        self.pushes.reserve(loads);
        self.from.reserve(loads);
    }

    /// Energy of the holds with their targets at the start or the end of the run of steps, less that of the joints they
    /// replace [J].
    pub fn energy(&self, h: &Holding, x: &Rows, at_end: bool) -> f64 {
        let of = |holder: &Holder| {
            let goal = if at_end { holder.from + holder.change } else { holder.from };
            holder.energy(h, x, goal)
        };
        let joint = |point: &usize| {
            let i = *point;
            if i == 0 || i + 1 >= h.points {
                return 0.0;
            }
            let (a, b) = (get(x, i) - get(x, i - 1), get(x, i + 1) - get(x, i));
            h.bending.energy(atan2(a.cross(b).length(), a.dot(b)), h.segment)
        };
        self.holders.iter().map(of).sum::<f64>() - self.muted.iter().map(joint).sum::<f64>()
    }

    /// Energy of the holds that pull places to their targets [J]; that of clamps counts as elastic energy of the rod.
    pub fn drawn(&self, h: &Holding, x: &Rows) -> f64 {
        let drawing = |holder: &&Holder| matches!(holder.kind, Kind::Attract { .. });
        self.holders.iter().filter(drawing).map(|holder| holder.energy(h, x, holder.from + holder.change)).sum()
    }

    /// Note the positions at which loads act at the start of a step.
    pub fn begin(&mut self, x: &Rows) {
        self.from.clear();
        self.from.extend(self.pushes.iter().map(|(point, weight, _)| between(x, *point, *weight)));
    }

    /// Work of loads, and of other bodies, since the start of the step [J].
    pub fn pushed(&self, x: &Rows) -> [f64; 2] {
        let mut work = [0.0; 2];
        for (n, ((point, weight, force), from)) in self.pushes.iter().zip(&self.from).enumerate() {
            work[usize::from(n >= self.loads)] += force.dot(between(x, *point, *weight) - *from);
        }
        work
    }

    /// The holders, in the order of the loads of `pull`.
    pub fn list(&self) -> &[Holder] {
        &self.holders
    }
}

impl Holder {
    /// Energy of the holder for a given target [J].
    fn energy(&self, h: &Holding, x: &Rows, goal: Vec3) -> f64 {
        match self.kind {
            Kind::Attract { point, weight, .. } => {
                0.5 * h.stiffness * (goal - between(x, point, weight)).length_squared()
            }
            Kind::Direct { segment, stiffness, node } => Clamp { node, segment, stiffness, goal }.energy(x),
        }
    }
}

/// Work on the rod of a target that moves between two model steps, by the trapezoidal rule [J].
#[inline(always)]
fn led(before: Option<(Vec3, Vec3)>, now: Option<(Vec3, Vec3)>) -> f64 {
    match (before, now) {
        (Some((from, pulled)), Some((to, pulls))) if from != to => 0.5 * (pulled + pulls).dot(to - from),
        _ => 0.0,
    }
}

/// Position between a point and the next [m].
#[inline(always)]
pub(super) fn between(x: &Rows, point: usize, weight: f64) -> Vec3 {
    let place = get(x, point);
    if weight > 0.0 { place.lerp(get(x, point + 1), weight) } else { place }
}

/// Divide a force between a point and the next.
#[inline(always)]
pub(super) fn add_shared(force: &mut Rows, point: usize, weight: f64, push: Vec3) {
    if weight > 0.0 {
        add(force, point, push * (1.0 - weight));
        add(force, point + 1, push * weight);
    } else {
        add(force, point, push);
    }
}

stored!(Clamp { node, segment, stiffness, goal });
