//! Contacts of links with links, of the same cable or of another.
//!
//! The surface of a cable is closed: where a joint is stretched or sheared open, the gap between its links is a contact
//! surface too, and moves with both.
//!
//! The law is that of `obstacles`, with a velocity that depends on two links. The paper merges touching links into one
//! subsystem; here the coupling is part of the tangent: without it the equations of each cable are block-tridiagonal,
//! and pairs add blocks far from the diagonal (see `solver::coupling`).

use crate::body::Body;
use crate::bytes::stored;
use crate::cable::algebra::block::{Vec6, dot};
use crate::cable::contact::impact::within;
use crate::cable::contact::law::{
    Contacting, DEEP, Firmness, Law, Limit, Reply, along, axes, closed_in, joint_rows, mean_normal, minus, no_deeper,
    rows, velocity,
};
use crate::cable::equations::part::Part;
use crate::cable::links::{Links, Stretch, gap_after};
use crate::cable::solver::gauss_seidel::projection::Local;
use crate::contact::{Ends, closest_on_segments, segments_cross};
use crate::material::Friction;
use crate::math::{Pose, Vec3, unit_or, x_axis};

/// One side of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// Index of the body.
    pub body: usize,
    /// Index of the link.
    pub link: usize,
}

/// Two links that touch or may touch during the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The links, sorted.
    pub ends: [End; 2],
    /// For each, the link itself or the joint after it.
    pub on: [Stretch; 2],
    /// Normal from the second to the first and gap at the start of the step.
    start: (Vec3, f64),
    /// Stiffness and friction.
    pub law: Law,
    /// Normal and two tangents, in the world.
    pub axes: [Vec3; 3],
    /// Angular part of the velocity along these per velocity of each link; the linear part follows from the axes.
    spins: [[Vec3; 3]; 2],
    /// Angular part per velocity of the next links, where the contact is on a joint.
    next_spins: [[Vec3; 3]; 2],
    /// Part of the force that acts on the next links.
    pub weights: [f64; 2],
    /// Position along each link or joint, from its centre [m].
    pub along: [f64; 2],
    /// Velocity along the normal at which the gap is just closed at the end of the step [m/s].
    closing: f64,
    /// Limit of friction.
    pub limit: Limit,
    /// Force on the first link before this step, in the world [N].
    before: Vec3,
    /// Force from which the law starts, in the world [N]: first `before`, then those found in the iteration.
    from: Vec3,
    /// Force of the contact law on the first link, in the world [N].
    lawful: Vec3,
    /// The force of the contact law, if a solver has computed it as an unknown.
    found: Option<Vec3>,
    /// Force on the first link, in the world [N], including the impulse that corrects velocities.
    pub force: Vec3,
    /// Mean of this force over the parts of the step so far, and of its normal part alone [N].
    borne: [Vec3; 2],
    /// Open, sticking or sliding.
    pub state: Contacting,
    /// Whether there is a force at the current velocities.
    pub pushes: bool,
    /// Derivative of the force with respect to the velocity, negated.
    pub slope: [[f64; 3]; 3],
    /// Stiffness relative to the links.
    pub firmness: Firmness,
    /// Whether it is in the sparsity pattern of the tangent.
    pub planned: bool,
    /// For links that lie along each other, the end of each at which they are nearest at the start of the step: 1 or -1,
    /// or 0 between them.
    at_ends: [i8; 2],
    /// Whether each then lies beyond that end of the other.
    beyond: bool,
    /// Whether another pair acts where it would.
    pub covered: bool,
}

/// What is kept of a pair after the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastPair {
    /// The links, sorted.
    pub ends: [End; 2],
    /// For each, the link itself or the joint after it.
    pub on: [Stretch; 2],
    /// Unit normal from the second to the first, in the world.
    pub normal: Vec3,
    /// Position along each link or joint, from its centre [m].
    along: [f64; 2],
    /// Mean force on the first link over the step, in the world [N].
    pub force: Vec3,
    lawful: Vec3,
    firmness: Firmness,
    state: Contacting,
}

/// Cosine of the angle within which the normal halfway through the step counts as that of the start.
const SAME_SIDE: f64 = 0.5;

/// Penetration allowed within a step, relative to the radius.
pub const SINKING: f64 = 0.1;

/// Identifies a pair, and defines the order of pairs.
pub type Key = ([End; 2], [Stretch; 2]);

/// One side of a pair at some instant.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Parameters of its links.
    pub links: &'a Links,
    /// Poses of all its links.
    pub poses: &'a [Pose],
    /// The link.
    pub link: usize,
    /// The link or the joint after it.
    pub on: Stretch,
}

/// A straight piece: a link, or the gap between two.
#[derive(Clone, Copy)]
struct Straight {
    middle: Vec3,
    along: Vec3,
    half: f64,
}

impl Side<'_> {
    fn pose(&self) -> &Pose {
        &self.poses[self.link]
    }

    fn next(&self) -> &Pose {
        &self.poses[self.links.next(self.link)]
    }

    fn straight(&self) -> Straight {
        straight(self.links, self.on, [self.pose(), self.next()])
    }

    /// Its two ends.
    fn ends(&self) -> Ends {
        let Straight { middle, along, half } = self.straight();
        [middle - along * half, middle + along * half]
    }
}

fn straight(links: &Links, on: Stretch, [here, next]: [&Pose; 2]) -> Straight {
    match on {
        Stretch::Link => Straight { middle: here.translation, along: x_axis(here.rotation), half: 0.5 * links.length },
        Stretch::Joint => {
            let (end, way) = gap_after(links.length, [here, next]);
            let along = unit_or(way, x_axis(here.rotation));
            Straight { middle: end + way * 0.5, along, half: 0.5 * way.length() }
        }
    }
}

/// Velocities of a link and of the next one, for both sides of a pair.
pub type Velocities<'a> = [[&'a Vec6; 2]; 2];

impl Pair {
    /// Whether its links belong to two cables.
    pub fn is_between_two(&self) -> bool {
        self.ends[0].body != self.ends[1].body
    }

    /// A pair that has not touched yet.
    pub fn new((ends, on): Key) -> Pair {
        Pair {
            ends,
            on,
            start: (Vec3::Z, f64::INFINITY),
            law: Law { rho: 0.0, friction: Friction::NONE },
            axes: [Vec3::Z, Vec3::X, Vec3::Y],
            spins: [[Vec3::ZERO; 3]; 2],
            next_spins: [[Vec3::ZERO; 3]; 2],
            weights: [0.0; 2],
            along: [0.0; 2],
            closing: 0.0,
            limit: Limit::Given(0.0),
            before: Vec3::ZERO,
            from: Vec3::ZERO,
            lawful: Vec3::ZERO,
            found: None,
            force: Vec3::ZERO,
            borne: [Vec3::ZERO; 2],
            state: Contacting::Open,
            pushes: false,
            slope: [[0.0; 3]; 3],
            firmness: Firmness::default(),
            planned: false,
            at_ends: [0; 2],
            beyond: false,
            covered: false,
        }
    }

    /// Its key.
    pub fn key(&self) -> Key {
        (self.ends, self.on)
    }

    /// Whether both sides are links, and no joint is involved.
    pub fn is_of_links(&self) -> bool {
        self.on == [Stretch::Link; 2]
    }

    /// Take over its force in a part of the step.
    pub fn bear(&mut self, part: &Part) {
        let (fraction, normal) = (part.to - part.from, self.axes[0]);
        self.borne[0] += self.force * fraction;
        self.borne[1] += normal * (normal.dot(self.force) * fraction);
    }

    /// What is kept of it. In a step of several parts the normal is that of the mean force.
    pub fn past(&self) -> PastPair {
        let Pair { ends, on, axes: [last, ..], along, borne: [force, pressing], lawful, firmness, state, law, .. } =
            *self;
        let normal = if force == self.force { last } else { mean_normal(force, pressing, law.friction, last) };
        PastPair { ends, on, normal, along, force, lawful, firmness, state }
    }

    /// Velocity along the axes per velocity of the link of a side.
    pub fn rows(&self, side: usize) -> [Vec6; 3] {
        self.rows_of(1.0 - self.weights[side], &self.spins[side])
    }

    /// Velocity along the axes per velocity of the next link, where the contact is on a joint.
    pub fn next(&self, side: usize) -> Option<[Vec6; 3]> {
        (self.on[side] == Stretch::Joint).then(|| self.rows_of(self.weights[side], &self.next_spins[side]))
    }

    fn rows_of(&self, weight: f64, spins: &[Vec3; 3]) -> [Vec6; 3] {
        let row = |k: usize| {
            let (axis, spin) = (&self.axes[k], &spins[k]);
            [weight * axis.x, weight * axis.y, weight * axis.z, spin.x, spin.y, spin.z]
        };
        [row(0), row(1), row(2)]
    }

    /// Continue a pair of the step before.
    pub fn go_on(&mut self, known: &PastPair) {
        (self.before, self.state) = (known.lawful, known.state);
        self.lawful = known.lawful;
        self.firmness = known.firmness;
    }

    /// Become stiffer if the links overlap too much at the end of the step. False if that cannot help.
    pub fn stiffen(&mut self, sides: [Side<'_>; 2]) -> bool {
        let radius = sides[0].links.radius.min(sides[1].links.radius);
        nearest(&sides).gap < self.start.1.min(0.0) - DEEP * radius && self.firmness.grow()
    }

    /// Act for itself if the pair that acts for it lets the links overlap too much at the end of the step; true if so.
    pub fn uncover(&mut self, sides: [Side<'_>; 2]) -> bool {
        let radius = sides[0].links.radius.min(sides[1].links.radius);
        let deep = nearest(&sides).gap < self.start.1.min(0.0) - LET_IN * radius;
        self.covered &= !deep;
        deep
    }

    /// Set up the contact at the start of a part of a step.
    pub fn begin(&mut self, sides: [Side<'_>; 2], step: f64) {
        let nearest = nearest(&sides);
        // links that have been pushed past each other's axes leave on the side where they entered
        let flipped = self.before != Vec3::ZERO && nearest.normal.dot(self.axes[0]) < 0.0 && nearest.distance < 1e-9;
        self.start = (if flipped { -nearest.normal } else { nearest.normal }, nearest.gap);
        (self.before, self.from, self.found) = (self.lawful, self.lawful, None);
        let [a, b] = sides.map(|s| s.links);
        let friction = Friction::between(a.friction, b.friction);
        // per length only if both are
        let whole = a.per_contact || b.per_contact;
        let friction = if whole { friction } else { friction.over(a.length.min(b.length)) };
        self.law = Law { rho: a.rho(step).min(b.rho(step)), friction };
        self.limit = Limit::Given(friction.limit(self.start.0.dot(self.lawful).max(0.0)));
        self.planned = self.before != Vec3::ZERO;
        let aligned = nearest.aligned.abs() > ALIGNED;
        self.at_ends = [0, 1].map(|k| if aligned { at_end(nearest.weights[k]) } else { 0 });
        let across = nearest.points[1] - nearest.points[0];
        let past = |k: usize, way: Vec3| {
            let Straight { along, half, .. } = sides[k].straight();
            f64::from(self.at_ends[k]) * along.dot(way) > 2.0 * NEAR_END * half
        };
        self.beyond = past(0, across) && past(1, -across);
    }

    /// Whether links are nearest where both continue in other links, which three other pairs are of too: these pairs.
    pub fn corner(&self, links: [&Links; 2]) -> Option<[Key; 3]> {
        let on = [Stretch::Link; 2];
        if self.on != on || self.at_ends.contains(&0) {
            return None;
        }
        let beside = |k: usize| {
            let End { body, link } = self.ends[k];
            Some(End { body, link: links[k].beside(link, self.at_ends[k])? })
        };
        let ([a, b], [next_a, next_b]) = (self.ends, [beside(0)?, beside(1)?]);
        Some([([a, next_b], on), ([next_a, b], on), ([next_a, next_b], on)])
    }

    /// Whether it acts for another at a corner: its links are nearest elsewhere and as near there, or at the same corner
    /// and nearer, or as near and first. For links that lie beyond each other those between them act, which are nearer.
    /// `thickness` is the sum of the radii.
    pub fn covers(&self, other: &Pair, thickness: f64) -> bool {
        if other.beyond {
            return (0..2).all(|k| self.ends[k] != other.ends[k]);
        }
        if self.beyond {
            return false;
        }
        let same = |k: usize| {
            self.ends[k] == other.ends[k] && self.at_ends[k] == other.at_ends[k]
                || self.ends[k] != other.ends[k] && self.at_ends[k] == -other.at_ends[k]
        };
        // where joints are sheared open, the corners of their links are apart
        let rank = |pair: &Pair| (pair.start.1 / (AS_NEAR * thickness)).round();
        if self.at_ends.contains(&0) {
            return rank(self) <= rank(other) + 1.0;
        }
        same(0) && same(1) && (rank(self) < rank(other) || rank(self) == rank(other) && self.ends < other.ends)
    }

    /// Normal at the start of the step.
    pub fn start_normal(&self) -> Vec3 {
        self.start.0
    }

    /// Update with the links halfway through the step, at their mean velocities.
    pub fn refresh(&mut self, sides: [Side<'_>; 2], means: &Velocities<'_>, part: &Part) {
        let step = part.step();
        let nearest = nearest(&sides);
        let (start_normal, start_gap) = self.start;
        let kept = nearest.normal.dot(start_normal) < SAME_SIDE;
        let normal = if kept { start_normal } else { nearest.normal };
        self.axes = axes(normal, nearest.tangent);
        self.along = nearest.along;
        // the contact point is shared: on the first surface for both, so that the forces create no torque
        let point = nearest.points[0] - normal * sides[0].links.radius;
        for (k, side) in sides.iter().enumerate() {
            let pose = side.pose();
            match side.on {
                Stretch::Link => self.spins[k] = spins(&rows(&self.axes, point - pose.translation, pose.rotation)),
                Stretch::Joint => {
                    let weight = nearest.weights[k];
                    let offset = point - nearest.points[k];
                    let [own, next] = joint_rows(&self.axes, weight, offset, side.links.length, [pose, side.next()]);
                    (self.spins[k], self.next_spins[k], self.weights[k]) = (spins(&own), spins(&next), weight);
                }
            }
        }
        let apart = self.moves(0, 0, means) - self.moves(1, 0, means);
        let gap = if kept { start_gap } else { no_deeper(nearest.gap - 0.5 * step * apart, start_gap) };
        let radius = sides[0].links.radius.min(sides[1].links.radius);
        self.closing = -closed_in(part.recovery(), gap, radius) / step;
    }

    /// Whether the links overlap more at the end of the step than they should: they turned so fast that the points
    /// nearest halfway are not those that count.
    pub fn sank(&self, sides: [Side<'_>; 2]) -> bool {
        let radius = sides[0].links.radius.min(sides[1].links.radius);
        nearest(&sides).gap < self.start.1.min(0.0) - SINKING * radius
    }

    /// Velocity of one side along one axis.
    fn moves(&self, side: usize, axis: usize, velocities: &Velocities<'_>) -> f64 {
        let own = dot(&self.rows(side)[axis], velocities[side][0]);
        if self.on[side] == Stretch::Link {
            return own;
        }
        own + self.next(side).map_or(0.0, |next| dot(&next[axis], velocities[side][1]))
    }

    /// Power of a force on the first side, given along the axes, on one side at its velocities [W].
    pub fn power(&self, side: usize, force: &[f64; 3], velocities: &Velocities) -> f64 {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        (0..3).map(|axis| sign * force[axis] * self.moves(side, axis, velocities)).sum()
    }

    /// Velocity of the first relative to the second, along the axes [m/s].
    pub fn relative(&self, velocities: &Velocities<'_>) -> [f64; 3] {
        let [a, b] = [velocity(&self.rows(0), velocities[0][0]), velocity(&self.rows(1), velocities[1][0])];
        let mut moved = minus(&a, &b);
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            if let Some(next) = self.next(k) {
                let more = velocity(&next, velocities[k][1]);
                (0..3).for_each(|axis| moved[axis] += sign * more[axis]);
            }
        }
        moved
    }

    fn lawful_velocity(&self, means: &Velocities<'_>) -> [f64; 3] {
        let mut u = self.relative(means);
        u[0] -= self.closing;
        u
    }

    /// Whether two links that have no friction to lose part at these velocities: most pairs in a heap do, and how they move
    /// along their normal tells it.
    fn parts(&self, means: &Velocities<'_>) -> bool {
        let bound = !self.is_of_links() || !matches!(self.limit, Limit::Follows | Limit::Given(0.0));
        if bound {
            return false;
        }
        let moved = self.moves(0, 0, means) - self.moves(1, 0, means);
        self.axes[0].dot(self.from) - self.law.rho * (moved - self.closing) <= 0.0
    }

    /// Force and slope of the contact law at the mean velocities of the links.
    pub fn reply(&self, means: &Velocities<'_>) -> Reply {
        if self.parts(means) {
            return Reply { force: [0.0; 3], slope: [[0.0; 3]; 3], state: Contacting::Open };
        }
        self.law.reply(&along(&self.axes, self.from), &self.lawful_velocity(means), self.limit)
    }

    /// Force of the contact law alone [N].
    pub fn lawful_force(&self, means: &Velocities<'_>) -> [f64; 3] {
        if self.parts(means) {
            return [0.0; 3];
        }
        self.law.force(&along(&self.axes, self.from), &self.lawful_velocity(means), self.limit)
    }

    /// Whether the law confirms its state at these velocities, and it does not slide.
    pub fn stays(&self, means: &Velocities<'_>) -> bool {
        self.state != Contacting::Slip && self.reply(means).state == self.state
    }

    /// Reply of the law if the pair keeps its previous state; the law itself if there was no force.
    pub fn first_reply(&self, means: &Velocities<'_>) -> Reply {
        if self.before == Vec3::ZERO {
            return self.reply(means);
        }
        let before = along(&self.axes, self.before);
        self.law.go_on(&before, &self.lawful_velocity(means), self.state)
    }

    /// Let friction follow the normal force from now on, and restart the law from the force found.
    pub fn renew(&mut self, means: &Velocities<'_>) {
        let force = self.lawful_force(means);
        self.from = (0..3).map(|k| self.axes[k] * force[k]).sum();
        self.limit = Limit::Follows;
    }

    /// Move the friction limit closer to what the normal force allows; true if it was far off.
    pub fn bound(&mut self, means: &Velocities<'_>) -> bool {
        let normal = self.lawful_force(means)[0];
        let (limit, far) = self.limit.towards(self.law.friction.limit(normal), normal);
        self.limit = limit;
        far
    }

    /// Take over the force of the law, or the one that a solver found.
    pub fn settle(&mut self, means: &Velocities<'_>) {
        if let Some(found) = self.found {
            (self.lawful, self.force) = (found, found);
            return;
        }
        // resting contacts may not have switched to it yet
        self.limit = Limit::Follows;
        let reply = self.reply(means);
        self.state = reply.state;
        self.lawful = (0..3).map(|k| self.axes[k] * reply.force[k]).sum();
        self.force = self.lawful;
    }

    /// Whether it pushed before the step, or its links would overlap after it at these mean velocities.
    pub fn meets(&self, means: &Velocities<'_>) -> bool {
        !self.covered && (self.before != Vec3::ZERO || self.lawful_velocity(means)[0] < 0.0)
    }

    /// The pair for a solver that has forces as unknowns; `yielding` remains to be set.
    pub fn local(&self, means: &Velocities<'_>) -> Local {
        let known = self.found.unwrap_or(self.before);
        Local::new(self.law, self.lawful_velocity(means), along(&self.axes, known))
    }

    /// Take over the result of such a solver; `None` if the pair is none of its unknowns.
    pub fn take(&mut self, local: Option<&Local>) {
        let Some(local) = local else {
            (self.state, self.pushes, self.found) = (Contacting::Open, false, Some(Vec3::ZERO));
            return;
        };
        (self.state, self.limit) = (local.state, Limit::Given(local.limit));
        self.pushes = local.force != [0.0; 3];
        self.found = Some((0..3).map(|k| self.axes[k] * local.force[k]).sum());
    }

    /// Whether such a solver has computed its force.
    pub fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// Have no force, as another pair acts for it.
    pub fn let_go(&mut self) {
        (self.lawful, self.force) = (Vec3::ZERO, Vec3::ZERO);
    }

    /// Bring the relative velocities at the end of the step towards rest, as `impact` does for obstacles. Returns the
    /// work done [J].
    pub fn calm(&mut self, inertias: [&Vec6; 2], velocities: &mut [[Vec6; 2]; 2], step: f64) -> f64 {
        let stopping = |pair: &Pair, velocities: &[[Vec6; 2]; 2], k: usize| {
            let of = |row: &Vec6, side: usize| (0..6).map(|c| row[c].powi(2) / inertias[side][c]).sum::<f64>();
            let yielding =
                |side: usize| of(&pair.rows(side)[k], side) + pair.next(side).map_or(0.0, |next| of(&next[k], side));
            -pair.relative(&references(velocities))[k] / (yielding(0) + yielding(1))
        };
        // never so much that the pair would pull
        let normal = stopping(self, velocities, 0).max(-self.axes[0].dot(self.force) * step);
        let mut work = self.push(inertias, velocities, 0, normal, step);
        let had = along(&self.axes, self.force);
        let more = |k: usize| if self.state == Contacting::Stick { stopping(self, velocities, k) / step } else { 0.0 };
        let kept = within([had[1] + more(1), had[2] + more(2)], self.law.friction.limit(had[0].max(0.0)));
        work += self.push(inertias, velocities, 1, (kept[0] - had[1]) * step, step);
        work + self.push(inertias, velocities, 2, (kept[1] - had[2]) * step, step)
    }

    /// Energy that the force of the law has taken from the motion in the step [J].
    pub fn taken(&self, means: &Velocities<'_>, step: f64) -> f64 {
        let (force, moved) = (along(&self.axes, self.lawful), self.relative(means));
        -step * (force[0] * moved[0] + force[1] * moved[1] + force[2] * moved[2]).min(0.0)
    }

    /// Apply an impulse to the links along one axis. Returns its work [J].
    fn push(
        &mut self,
        inertias: [&Vec6; 2],
        velocities: &mut [[Vec6; 2]; 2],
        axis: usize,
        impulse: f64,
        step: f64,
    ) -> f64 {
        let before = self.relative(&references(velocities))[axis];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let give = |v: &mut Vec6, row: &Vec6| {
                (0..6).for_each(|c| v[c] += sign * row[c] * impulse / inertias[side][c]);
            };
            give(&mut velocities[side][0], &self.rows(side)[axis]);
            if let Some(next) = self.next(side) {
                give(&mut velocities[side][1], &next[axis]);
            }
        }
        self.force += self.axes[axis] * (impulse / step);
        0.5 * impulse * (before + self.relative(&references(velocities))[axis])
    }
}

impl PastPair {
    /// Its key.
    pub fn key(&self) -> Key {
        (self.ends, self.on)
    }

    /// Points on the axes of both sides at which it acts, in the world [m].
    pub fn places(&self, sides: [Side<'_>; 2]) -> [Vec3; 2] {
        [0, 1].map(|k| {
            let Straight { middle, along, .. } = sides[k].straight();
            middle + along * self.along[k]
        })
    }

    /// Unloaded arc length along its cable at which the first side is touched [m].
    pub fn arc_length(&self, length: f64) -> f64 {
        let link = self.ends[0].link as f64;
        match self.on[0] {
            Stretch::Link => (link + 0.5) * length + self.along[0],
            Stretch::Joint => (link + 1.0) * length,
        }
    }
}

/// The angular part of rows.
fn spins(rows: &[Vec6; 3]) -> [Vec3; 3] {
    let spin = |row: &Vec6| Vec3::new(row[3], row[4], row[5]);
    [spin(&rows[0]), spin(&rows[1]), spin(&rows[2])]
}

fn references(velocities: &[[Vec6; 2]; 2]) -> Velocities<'_> {
    let [[a, b], [c, d]] = velocities;
    [[a, b], [c, d]]
}

/// Whether the sides of a pair pass through each other between the start and the end of a part of a step.
pub fn passed(start: [Side<'_>; 2], end: [Side<'_>; 2]) -> bool {
    let [from, to] = [start, end].map(|sides| sides.map(|side| side.ends()));
    segments_cross([&from[0], &to[0]], [&from[1], &to[1]])
}

/// The nearest points of two links.
struct Nearest {
    /// Unit vector from the second to the first.
    normal: Vec3,
    /// Distance between the axes [m].
    distance: f64,
    /// Distance between the surfaces [m].
    gap: f64,
    /// Points on the axes.
    points: [Vec3; 2],
    /// Position along the links, from their centres [m].
    along: [f64; 2],
    /// Position between their ends, from 0 to 1 [-].
    weights: [f64; 2],
    /// Unit vector along the first.
    tangent: Vec3,
    /// Cosine of the angle between them.
    aligned: f64,
}

fn nearest(sides: &[Side<'_>; 2]) -> Nearest {
    let [a, b] = [sides[0].straight(), sides[1].straight()];
    let (p, u, q, v) = (a.middle, a.along, b.middle, b.along);
    let thickness = sides[0].links.radius + sides[1].links.radius;
    let (s, t) = closest_on_segments(p - q, [u, v], [a.half, b.half], thickness);
    let points = [p + u * s, q + v * t];
    let offset = points[0] - points[1];
    let distance = offset.length();
    let across = || u.cross(v).try_normalize().unwrap_or_else(|| u.any_orthonormal_vector());
    let normal = if distance > 1e-12 { offset / distance } else { across() };
    let gap = distance - sides[0].links.radius - sides[1].links.radius;
    let weight = |s: f64, half: f64| (0.5 + 0.5 * s / half.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let weights = [weight(s, a.half), weight(t, b.half)];
    Nearest { normal, distance, gap, points, along: [s, t], weights, tangent: u, aligned: u.dot(v) }
}

/// Cosine of the angle up to which links lie along each other.
pub const ALIGNED: f64 = 0.99;

/// Increase of penetration in a step, relative to the radius, up to which another pair acts for a pair.
const LET_IN: f64 = 0.02;

/// Difference of gaps up to which links count as equally near, relative to the sum of their radii.
const AS_NEAR: f64 = 0.005;

/// Part of a link, from its end, that counts as its end.
pub const NEAR_END: f64 = 0.01;

/// Which end a position between the ends of a link, from 0 to 1, is at.
fn at_end(weight: f64) -> i8 {
    i8::from(weight > 1.0 - NEAR_END) - i8::from(weight < NEAR_END)
}

/// Distance between the axes of two sides, given by the poses of a link and of the next one, for a quick check [m].
pub fn axis_distance(links: [&Links; 2], on: [Stretch; 2], poses: [[&Pose; 2]; 2]) -> f64 {
    let [a, b] = [0, 1].map(|k| straight(links[k], on[k], poses[k]));
    let thickness = links[0].radius + links[1].radius;
    let (s, t) = closest_on_segments(a.middle - b.middle, [a.along, b.along], [a.half, b.half], thickness);
    (a.middle + a.along * s - b.middle - b.along * t).length()
}

/// Whether the joints after two links are considered: within one bend, links come near each other around it, not at
/// their joints.
pub fn joints_count(ends: &[End; 2], links: &Links) -> bool {
    let [a, b] = ends;
    a.body != b.body || links.apart(a.link, b.link) > nearest_neighbour(links) + 1
}

/// Links of one cable that are fewer than this many links apart cannot touch unless it bends more tightly than its own
/// radius.
pub fn nearest_neighbour(links: &Links) -> usize {
    (std::f64::consts::PI * links.radius / links.length).ceil() as usize + 1
}

/// Whether all pairs are of links and joints that are there, in order.
pub(crate) fn pairs_fit(pairs: &[PastPair], bodies: &[Body]) -> bool {
    let there = |pair: &PastPair| {
        pair.ends.iter().zip(pair.on).all(|(end, on)| {
            matches!(bodies.get(end.body), Some(Body::Cable(cable)) if cable.has(end.link, on != Stretch::Link))
        })
    };
    pairs.iter().all(there) && pairs.is_sorted_by_key(PastPair::key)
}

/// Remove the pairs of a removed body; bodies after it move up.
pub(crate) fn forget_body(pairs: &mut Vec<PastPair>, gone: usize) {
    pairs.retain(|pair| pair.ends.iter().all(|end| end.body != gone));
    let ends = pairs.iter_mut().flat_map(|pair| &mut pair.ends);
    ends.filter(|end| end.body > gone).for_each(|end| end.body -= 1);
}

stored!(End { body, link });
stored!(PastPair { ends, on, normal, along, force, lawful, firmness, state });
