//! One contact of a link, or of the joint after it, with an obstacle: its place, its law, and what it does to the equations.

use crate::bytes::stored;
use crate::cable::algebra::block::{Mat6, Tridiagonal, Vec6, add_scaled, dot};
use crate::cable::contact::law::{
    Contacting, Firmness, Law, Limit, Reply, add_cross, add_slope, along, minus, rows, subtract_force, unmet, velocity,
};
use crate::cable::links::Stretch;
use crate::cable::solver::gauss_seidel::projection::Local;
use crate::contact::Hint;
use crate::math::{Pose, Vec3, x_axis};

/// How much firmer contacts with links of arms are than others: an arm strikes with more than the inertia of a cable's link, and what
/// gives way then is pushed back in the next step.
const FIRMER: f64 = 10.0;

/// A contact of a link, or of the joint after it, with an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Index of the link.
    pub link: usize,
    /// The link or the joint after it.
    pub on: Stretch,
    /// Index of the obstacle.
    pub obstacle: usize,
    /// The plane at the start of the step.
    pub(super) start: Facing,
    /// Stiffness and friction.
    pub law: Law,
    /// Normal and two tangents, in the world.
    pub axes: [Vec3; 3],
    /// Velocity along these per velocity of the link.
    pub rows: [Vec6; 3],
    /// Velocity along these per velocity of the next link, where the contact is on a joint.
    pub next: Option<[Vec6; 3]>,
    /// Position along the link or the joint, from its centre [m].
    pub s: f64,
    /// How it moves along the link, unless it stays where it is.
    pub(super) rolling: Option<Rolling>,
    /// Velocity along the axes at which nothing slides and the gap is just closed at the end of the step [m/s].
    pub(super) carried: [f64; 3],
    /// Velocity of the obstacle along the axes [m/s].
    pub surface: [f64; 3],
    /// Limit of friction.
    pub limit: Limit,
    /// Force before this step, in the world [N].
    pub(super) before: Vec3,
    /// Force from which the law starts, in the world [N]: first `before`, then those found in the iteration.
    pub(super) from: Vec3,
    /// Force of the contact law on the link, in the world [N].
    pub(super) lawful: Vec3,
    /// The force of the contact law, if a solver has computed it as an unknown.
    pub(super) found: Option<Vec3>,
    /// Force on the link, in the world [N]: that of the law, and the impulse that corrects velocities.
    pub force: Vec3,
    /// Stiffness relative to the links, where links push links.
    pub firmness: Firmness,
    /// Open, sticking or sliding.
    pub state: Contacting,
    /// Speed with which it may leave the obstacle after an impact [m/s].
    pub bounce: f64,
    /// The contact of the step before that it continues: its position along the link, and its normal.
    pub(super) past: Option<(f64, Vec3)>,
    /// Where to look for its surface first.
    pub(super) hint: Hint,
    /// Where it is, in the frame of an obstacle that an arm carries.
    pub place: Vec3,
    /// The motion of that arm, if it is solved together with the cable, and the force of the last iteration.
    pub leans: Option<Lean>,
    pub replied: Option<Reply>,
}

/// What is known of the link of an arm that a contact leans on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lean {
    /// The point of contact in the link's frame.
    pub point: Vec3,
    /// How far it is, at the start, from where it was expected, in the world [m].
    pub aside: Vec3,
    /// Its velocity [m/s].
    pub velocity: Vec3,
    /// Pose of the obstacle at the end of the step.
    pub end: Pose,
    /// Power of the arm on the link by what brings both to rest after the step, beyond that at this velocity [W].
    pub more: f64,
}

/// How the nearest point moves along a link as it tilts over a surface, and as it slides along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rolling {
    /// Where the point would be on a link without ends, from its centre, at no velocity [m].
    pub(super) from: f64,
    /// Its change per mean velocity of the link.
    pub(super) by: Vec6,
    /// Half the length of the link [m].
    pub(super) half: f64,
}

impl Rolling {
    /// Where the point would be on a link without ends [m].
    pub fn free(&self, mean: &Vec6) -> f64 {
        self.from + dot(&self.by, mean)
    }
}

/// Contacts in parts of one step whose normals agree within this angle are told as one; friction that each bears alone exceeds
/// the cone of their mean by half its square at most.
const ALIKE: f64 = 1e-3;

/// What is kept of a contact after the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastTouch {
    /// Index of the link.
    pub link: usize,
    pub(super) on: Stretch,
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Position along the link, from its centre [m].
    pub s: f64,
    /// Unit normal out of the obstacle, in the world.
    pub normal: Vec3,
    /// Force on the link, in the world [N].
    pub force: Vec3,
    pub(super) lawful: Vec3,
    pub(super) firmness: Firmness,
    pub(super) state: Contacting,
    pub(super) hint: Hint,
}

impl PastTouch {
    /// Whether it is the same contact in another part of the step.
    pub fn is_like(&self, other: &PastTouch) -> bool {
        (self.link, self.on, self.obstacle) == (other.link, other.on, other.obstacle)
            && self.normal.distance_squared(other.normal) < ALIKE * ALIKE
    }

    /// Whether it is on the joint after its link.
    pub fn is_on_joint(&self) -> bool {
        self.on != Stretch::Link
    }

    /// Position along its link, from its centre, for links of this length [m].
    pub fn along_link(&self, length: f64) -> f64 {
        if self.on == Stretch::Link { self.s } else { 0.5 * length }
    }
}

/// The surface that a point of a link faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facing {
    /// Unit normal out of the obstacle, in the world.
    pub(super) normal: Vec3,
    /// Distance between the two surfaces [m].
    pub(super) gap: f64,
    /// Position along the link, from its centre [m].
    pub(super) s: f64,
    /// Where to look for it next.
    pub(super) hint: Hint,
    /// Second derivative of the distance along the link, without the bulge [1/m].
    pub(super) curvature: f64,
}

impl Touch {
    /// Continue a contact of the step before.
    pub fn go_on(&mut self, past: &PastTouch) {
        (self.before, self.from) = (past.lawful, past.lawful);
        (self.state, self.firmness) = (past.state, past.firmness);
        self.limit = Limit::Given(self.law.friction.limit(past.normal.dot(past.lawful).max(0.0)));
        self.past = Some((past.s, past.normal));
    }

    /// Lean on the link of an arm.
    pub fn lean(&mut self, lean: Lean) {
        self.start.gap -= self.start.normal.dot(lean.aside);
        self.law.rho *= FIRMER;
        self.leans = Some(lean);
    }

    /// Follow the arm that it leans on, at this velocity and to this pose.
    pub fn lead(&mut self, velocity: Vec3, end: Pose) {
        let Some(lean) = &mut self.leans else { return };
        (lean.velocity, lean.end) = (velocity, end);
        let closing = self.carried[0] - self.surface[0];
        self.surface = along(&self.axes, velocity);
        self.carried = self.surface;
        self.carried[0] += closing;
    }

    /// Add an impulse along its axes that ends the step, with the work of the obstacle by that [J].
    pub fn strike(&mut self, impulse: &[f64; 3], work: f64, step: f64) {
        let usual: f64 = impulse.iter().zip(&self.surface).map(|(p, v)| p * v).sum();
        self.force += self.in_world(impulse) / step;
        if let Some(lean) = &mut self.leans {
            lean.more = (work - usual) / step;
        }
    }

    /// A force along its axes, in the world.
    pub fn in_world(&self, force: &[f64; 3]) -> Vec3 {
        self.axes[0] * force[0] + self.axes[1] * force[1] + self.axes[2] * force[2]
    }

    /// Follow its link, of this radius, at these mean velocities: in the frame of the link the arm of the force turns as
    /// the link does, and its place moves along the link. The plane stays.
    pub fn follow(&mut self, radius: f64, middle: &[Pose], means: &[Vec6]) {
        if self.on != Stretch::Link {
            return;
        }
        if let Some(rolling) = &self.rolling {
            self.s = rolling.free(&means[self.link]).clamp(-rolling.half, rolling.half);
        }
        let pose = &middle[self.link];
        self.rows = rows(&self.axes, x_axis(pose.rotation) * self.s - self.axes[0] * radius, pose.rotation);
    }

    /// Add to the tangent how the moment of a force, along the axes, changes in the frame of the link as this turns in
    /// the step, and as the contact moves along it. On limp links nothing else resists either.
    pub fn add_moment(&self, force: &[f64; 3], step: f64, middle: &[Pose], means: &[Vec6], block: &mut Mat6) {
        if self.on != Stretch::Link {
            return;
        }
        let moment = |k: usize| 0.5 * step * (0..3).map(|i| self.rows[i][k] * force[i]).sum::<f64>();
        add_cross(block, [moment(3), moment(4), moment(5)]);
        let Some(Rolling { by, .. }) = self.rolling.as_ref().filter(|r| r.free(&means[self.link]).abs() < r.half)
        else {
            return;
        };
        // the moment of the force about the next place is larger by e x f, with e the x axis of the link
        let force: Vec3 = self.axes[0] * force[0] + self.axes[1] * force[1] + self.axes[2] * force[2];
        let force = middle[self.link].rotation.inverse() * force;
        add_scaled(&mut block[4], force.z, by);
        add_scaled(&mut block[5], -force.y, by);
    }

    /// Velocity of the contact point along its axes, for velocities of the links [m/s].
    pub fn moves(&self, velocities: &[Vec6]) -> [f64; 3] {
        let own = velocity(&self.rows, &velocities[self.link]);
        let Some(next) = &self.next else { return own };
        let other = velocity(next, &velocities[(self.link + 1) % velocities.len()]);
        [own[0] + other[0], own[1] + other[1], own[2] + other[2]]
    }

    /// Power of the obstacle's own motion on the link [W].
    pub fn led(&self) -> f64 {
        let power: f64 = (0..3).map(|k| self.axes[k].dot(self.force) * self.surface[k]).sum();
        power + self.leans.map_or(0.0, |lean| lean.more)
    }

    /// Velocity of the contact point along the normal [m/s].
    pub fn speed(&self, velocities: &[Vec6]) -> f64 {
        let own = dot(&self.rows[0], &velocities[self.link]);
        own + self.next.as_ref().map_or(0.0, |next| dot(&next[0], &velocities[(self.link + 1) % velocities.len()]))
    }

    /// Velocity u in the contact law, for mean velocities of the links [m/s].
    pub fn velocity(&self, means: &[Vec6]) -> [f64; 3] {
        minus(&self.moves(means), &self.carried)
    }

    /// Subtract a force along its axes from the residual.
    pub fn subtract(&self, force: &[f64; 3], residual: &mut [Vec6]) {
        subtract_force(&mut residual[self.link], &self.rows, force);
        if let Some(next) = &self.next {
            let at = (self.link + 1) % residual.len();
            subtract_force(&mut residual[at], next, force);
        }
    }

    /// Add the derivative of its force with respect to the velocities of its links to the tangent.
    pub fn add_to(&self, slope: &[[f64; 3]; 3], matrix: &mut Tridiagonal) {
        let link = self.link;
        add_slope(&mut matrix.diagonal[link], &self.rows, slope, &self.rows);
        if let Some(next) = &self.next {
            let at = (link + 1) % matrix.diagonal.len();
            add_slope(&mut matrix.diagonal[at], next, slope, next);
            add_slope(&mut matrix.right[link], &self.rows, slope, next);
            add_slope(&mut matrix.below[link], next, slope, &self.rows);
        }
    }

    /// Force and slope of the contact law, for mean velocities of the links.
    pub fn reply(&self, means: &[Vec6]) -> Reply {
        self.law.reply(&along(&self.axes, self.from), &self.velocity(means), self.limit)
    }

    /// Force of the contact law alone, for mean velocities of the links [N].
    pub fn lawful_force(&self, means: &[Vec6]) -> [f64; 3] {
        self.law.force(&along(&self.axes, self.from), &self.velocity(means), self.limit)
    }

    /// Squares of what the force that acts after a change of the mean velocities to these, by the law's slope before it,
    /// lacks of the one that is told of the contact, and of the larger of the two [N^2].
    pub fn unmet(&self, means: &[Vec6], change: &[Vec6]) -> [f64; 2] {
        let (from, u, by) = (along(&self.axes, self.from), self.velocity(means), self.moves(change));
        // a change is what Newton's method subtracts
        let before = [u[0] + by[0], u[1] + by[1], u[2] + by[2]];
        let Reply { force, slope, .. } = self.law.reply(&from, &before, self.limit);
        let acts = std::array::from_fn(|k| force[k] + (0..3).map(|i| slope[k][i] * by[i]).sum::<f64>());
        unmet(&acts, &self.law.force(&from, &u, Limit::Follows))
    }

    /// Let friction follow the normal force from now on, and restart the law from the force found: a contact yields by
    /// the change of its force divided by rho.
    pub fn renew(&mut self, means: &[Vec6]) {
        let force = self.lawful_force(means);
        self.limit = Limit::Follows;
        self.from = (0..3).map(|k| self.axes[k] * force[k]).sum();
    }

    /// Move the friction limit closer to what the normal force allows; true if it was far off.
    pub fn bound(&mut self, means: &[Vec6]) -> bool {
        let normal = self.lawful_force(means)[0];
        let (limit, far) = self.limit.towards(self.law.friction.limit(normal), normal);
        self.limit = limit;
        far
    }

    /// Whether the law confirms its state at these velocities, and it does not slide.
    pub fn stays(&self, means: &[Vec6]) -> bool {
        self.state != Contacting::Slip && self.reply(means).state == self.state
    }

    /// Reply of the law if the contact keeps the state of the step before; the law itself if there was no force.
    pub fn first_reply(&self, means: &[Vec6]) -> Reply {
        if self.before == Vec3::ZERO {
            return self.reply(means);
        }
        let before = along(&self.axes, self.before);
        self.law.go_on(&before, &self.velocity(means), self.state)
    }

    /// The contact for a solver that has forces as unknowns; `yielding` remains to be set.
    pub fn local(&self, means: &[Vec6]) -> Local {
        let known = self.found.unwrap_or(self.before);
        Local::new(self.law, self.velocity(means), self.axes.map(|axis| axis.dot(known)))
    }

    /// The expected derivative of its force with respect to its velocity for such a solver, while other contacts
    /// change: as if it kept its state.
    pub fn expected_slope(&self, means: &[Vec6]) -> [[f64; 3]; 3] {
        let Some(found) = self.found else { return self.first_reply(means).slope };
        let rho = self.law.rho;
        match self.state {
            Contacting::Open => [[0.0; 3]; 3],
            Contacting::Stick => [[rho, 0.0, 0.0], [0.0, rho, 0.0], [0.0, 0.0, rho]],
            Contacting::Slip => self.law.reply(&along(&self.axes, found), &self.velocity(means), self.limit).slope,
        }
    }

    /// Take over the result of such a solver.
    pub fn take(&mut self, local: &Local) {
        (self.state, self.limit) = (local.state, Limit::Given(local.limit));
        self.found = Some((0..3).map(|k| self.axes[k] * local.force[k]).sum());
    }

    /// What is kept of it after the step.
    pub fn past(&self) -> PastTouch {
        let Touch { link, on, obstacle, s, force, lawful, firmness, state, hint, .. } = *self;
        PastTouch { link, on, obstacle, s, normal: self.axes[0], force, lawful, firmness, state, hint }
    }

    /// Take over the force of the law, or the one that a solver found.
    pub fn settle(&mut self, means: &[Vec6]) {
        if let Some(found) = self.found {
            (self.lawful, self.force) = (found, found);
            return;
        }
        // resting contacts may not have switched to it yet
        self.limit = Limit::Follows;
        let reply = self.reply(means);
        self.state = reply.state;
        let [normal, first, second] = &self.axes;
        self.lawful = *normal * reply.force[0] + *first * reply.force[1] + *second * reply.force[2];
        self.force = self.lawful;
    }
}

stored!(PastTouch { link, on, obstacle, s, normal, force, lawful, firmness, state, hint });
