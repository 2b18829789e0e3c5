//! Links of an arm that touch obstacles, within its step.
//!
//! A contact is a point c of a link, with an offset o from there that does not turn with the link (the radius of a ball), before
//! the plane of a surface. Its velocity in a step h is
//!
//!   V = (c_1 - c_0) / h + w x o,
//!
//! with c_0 and c_1 where the point is at both ends, and w the angular velocity halfway. The law of contact is that of cables
//! (`cable::contact::law`): along the normal, V less the velocity of the surface closes the gap by the end of the step at most, and
//! friction opposes what is left of V. A force f then does the work h f V, which never exceeds that of the surface's own motion unless
//! overlap is taken back. On the unknowns y it acts by the rows J of the velocity halfway, with the least change that makes J y = V:
//! what the contact takes is exactly what the arm loses, whatever the step.
//!
//! As for cables, velocities at the end of the step are brought to rest relative to what is touched, see `calm`.

mod calm;
pub(crate) mod meets;
mod search;

pub(crate) use search::{CLOSE, SCALE};

use super::Arm;
use crate::bytes::stored;
use crate::cable::contact::law::{Contacting, Law, Limit, Reply, along, axes, closed_in};
use crate::cable::equations::part::{Part, Touching};
use crate::contact::{FACES, Met, Obstacle, Shape};
use crate::material::Friction;
use crate::math::{Pose, Vec3};
use crate::robot::{Matrix, Model};

/// Stiffness of contacts against the inertia that they meet.
const FIRM: f64 = 1e3;

/// Cosine of the angle within which a face halfway through the step counts as the one at its start.
const SAME_SIDE: f64 = 0.5;

/// Mean velocities below which rows are not changed, times the step [rad, m]: it would be rounding over next to nothing.
const RESTING: f64 = 1e-7;

/// Part of all contact forces below which one bears nothing.
const BORNE: f64 = 1e-9;

/// Part of the overlap that is taken back in a few steps which is not.
const LEFT: f64 = 1e-4;

/// Rounding of places that are about a metre from the origin, with room [m].
const ROUNDING: f64 = 1e-14;

/// What may touch what: a part of a shape and another shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    /// The arm's own shape, by index among obstacles.
    shape: usize,
    /// What it touches, likewise.
    obstacle: usize,
    /// Index of the core, see `contact::cores`.
    core: usize,
    /// Whether that is a part of the other shape.
    theirs: bool,
}

/// A pair that may touch in a step.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    key: Key,
    /// Link that carries the shape, and the shape's pose in its frame.
    link: usize,
    at: Pose,
    /// How near they have to be [m].
    reach: f64,
    /// Overlap that is taken back in a few steps [m].
    scale: f64,
}

/// A contact within a part of a step.
#[derive(Clone, Copy, Debug)]
struct Touch {
    of: Candidate,
    /// Pose of the link at the start.
    link: Pose,
    /// How they face each other at the start.
    met: Met,
    /// The point in the link's frame.
    point: Vec3,
    /// Offset in the world.
    offset: Vec3,
    /// A point of the plane, halfway.
    plane: Vec3,
    /// Normal and two tangents, in the world.
    axes: [Vec3; 3],
    /// Velocity of the surface along the axes [m/s].
    surface: [f64; 3],
    /// Velocity V along the axes [m/s].
    velocity: [f64; 3],
    /// Velocity at which the gap is closed by the end, less that of the surface [m/s].
    closing: f64,
    law: Law,
    limit: Limit,
    /// Force before this step, in the world [N].
    before: Vec3,
    /// Force from which the law starts, in the world [N].
    from: Vec3,
    /// Force of the law along the axes [N].
    force: [f64; 3],
    state: Contacting,
    /// Force so far, mean over the step of the world, in the world [N].
    sum: Vec3,
    /// The contact before that it continues.
    past: Option<usize>,
}

/// What is kept of a contact after the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PastTouch {
    key: Key,
    /// Index of the link.
    pub link: usize,
    /// Where, in the world [m].
    pub position: Vec3,
    /// Unit normal out of the obstacle.
    pub normal: Vec3,
    /// Force of the law in the last part of the step, in the world [N].
    lawful: Vec3,
    /// Force on the link, mean over the step, in the world [N].
    pub force: Vec3,
    /// Overlap [m].
    pub depth: f64,
    state: Contacting,
}

stored!(Key { shape, obstacle, core, theirs });
stored!(PastTouch { key, link, position, normal, lawful, force, depth, state });

impl PastTouch {
    /// The obstacle that is touched.
    pub fn obstacle(&self) -> usize {
        self.key.obstacle
    }

    /// Whether there was a force in the step.
    pub fn pushes(&self) -> bool {
        self.force != Vec3::ZERO || self.state != Contacting::Open
    }

    /// Whether it names shapes among so many obstacles, and one of so many links.
    pub fn fits(&self, obstacles: usize, links: usize) -> bool {
        self.key.shape < obstacles && self.key.obstacle < obstacles && self.link < links
    }

    /// After an obstacle is gone: false if it was one of the two.
    pub fn survives(&mut self, gone: usize) -> bool {
        let Key { shape, obstacle, .. } = &mut self.key;
        let met = *shape != gone && *obstacle != gone;
        for index in [shape, obstacle] {
            *index -= usize::from(*index > gone);
        }
        met
    }
}

/// Number of contacts of an arm among so many obstacles that there is room for.
pub(super) fn most(obstacles: usize) -> usize {
    64 + 32 * obstacles.min(64)
}

/// Working memory of the contacts of an arm.
#[derive(Clone, Debug, Default)]
pub(super) struct Touches {
    candidates: Vec<Candidate>,
    /// Gap and place of those of one pair, while they are chosen.
    places: Vec<(f64, Vec3)>,
    list: Vec<Touch>,
    /// For each contact three rows J, and three of the derivative of V.
    rows: Vec<f64>,
    ends: Vec<f64>,
    jacobian: Matrix,
    other: Matrix,
    calm: calm::Calm,
    /// Energy that contacts gave by taking back overlap, in the step of the world [J].
    pub given: f64,
}

impl Touches {
    pub fn new(model: &Model) -> Touches {
        let n = model.velocities();
        Touches { jacobian: Matrix::zeros(6, n), other: Matrix::zeros(6, n), ..Touches::default() }
    }

    /// Whether any contact pushes.
    pub fn push(&self) -> bool {
        self.list.iter().any(|touch| touch.state != Contacting::Open)
    }

    /// Work of all contacts on the arm in a part of `h` [s], the part of it that is of the motion of surfaces, and in neither of them what
    /// they give to take back overlap, and what the others return because they are not infinitely stiff [J]. That is taken from the
    /// motion as far as there is any.
    pub fn work(&self, h: f64) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for Touch { force, velocity, surface, closing, .. } in &self.list {
            let led: f64 = (0..3).map(|a| h * force[a] * surface[a]).sum();
            let own = (0..3).map(|a| h * force[a] * velocity[a]).sum::<f64>() - led;
            sums[0] += led + own.min(0.0);
            sums[1] += led;
            sums[if *closing < 0.0 { 2 } else { 3 }] += own.max(0.0);
        }
        sums
    }

    /// Sum of the magnitudes of all forces [N].
    pub fn size(&self) -> f64 {
        self.list.iter().flat_map(|touch| touch.force).map(f64::abs).sum()
    }

    /// Whether there are any contacts.
    pub fn any(&self) -> bool {
        !self.list.is_empty()
    }
}

impl Touch {
    /// A contact that has no force yet.
    fn new(of: Candidate, link: Pose, met: Met, friction: Friction) -> Touch {
        Touch {
            of,
            link,
            met,
            point: Vec3::ZERO,
            offset: Vec3::ZERO,
            plane: Vec3::ZERO,
            axes: [Vec3::ZERO; 3],
            surface: [0.0; 3],
            velocity: [0.0; 3],
            closing: 0.0,
            law: Law { rho: 0.0, friction },
            limit: Limit::Given(0.0),
            before: Vec3::ZERO,
            from: Vec3::ZERO,
            force: [0.0; 3],
            state: Contacting::Open,
            sum: Vec3::ZERO,
            past: None,
        }
    }

    /// Velocity in the law.
    fn lawful_velocity(&self) -> [f64; 3] {
        let [n, a, b] = self.velocity;
        let [sn, sa, sb] = self.surface;
        [n - sn + self.closing, a - sa, b - sb]
    }

    fn reply(&self) -> Reply {
        self.law.reply(&along(&self.axes, self.from), &self.lawful_velocity(), self.limit)
    }

    /// The reply if it keeps the state of the step before; the law itself if there was no force.
    fn first_reply(&self) -> Reply {
        if self.before == Vec3::ZERO {
            return self.reply();
        }
        self.law.go_on(&along(&self.axes, self.before), &self.lawful_velocity(), self.state)
    }

    fn in_world(&self, force: &[f64; 3]) -> Vec3 {
        self.axes[0] * force[0] + self.axes[1] * force[1] + self.axes[2] * force[2]
    }

    /// Begin where a contact before has ended.
    fn go_on(&mut self, past: &PastTouch, part: &Part) {
        (self.before, self.from, self.state) = (past.lawful, past.lawful, past.state);
        self.limit = Limit::Given(self.law.friction.limit(past.normal.dot(past.lawful).max(0.0)));
        self.sum = if part.from > 0.0 { past.force } else { Vec3::ZERO };
    }

    /// What is kept of it after a part of the step, with the impulses after that [N s].
    fn past(&self, part: &Part, impulses: Vec3, position: Vec3, depth: f64) -> PastTouch {
        let force = self.in_world(&self.force);
        PastTouch {
            key: self.of.key,
            link: self.of.link,
            position,
            normal: self.axes[0],
            lawful: force,
            force: self.sum + (force + impulses / part.step()) * (part.to - part.from),
            depth,
            state: self.state,
        }
    }

    /// Move the limit of friction closer to what the normal force allows; true if it was far off.
    fn bound(&mut self) -> bool {
        let normal = self.reply().force[0];
        let (limit, off) = self.limit.towards(self.law.friction.limit(normal), normal);
        // one that is not far off stays as it is: the solution is for it
        if off {
            self.limit = limit;
        }
        off
    }

    /// Let friction follow the normal force from now on, and the law start from the force found.
    fn renew(&mut self) {
        let force = self.reply().force;
        self.from = self.in_world(&force);
        self.limit = Limit::Follows;
    }

    /// Take over where they face each other, with the link at a pose.
    fn lay(&mut self, met: &Met, link: &Pose) {
        let facing = met.point + met.offset;
        let (point, offset, plane, normal) = if self.of.key.theirs {
            // the point of the link that faces the other's core
            (facing - met.normal * met.gap, Vec3::ZERO, facing, -met.normal)
        } else {
            (met.point, met.offset, facing - met.normal * met.gap, met.normal)
        };
        self.point = link.inverse_transform_point(point);
        (self.offset, self.plane) = (offset, plane);
        self.axes = axes(normal, self.axes[1]);
    }
}

/// Where a candidate faces its obstacle, with its link at a pose, at a fraction of the step.
fn meet(of: &Candidate, link: &Pose, obstacles: &[Obstacle], fraction: f64) -> [Option<Met>; FACES] {
    let Key { shape, obstacle, core, theirs } = of.key;
    let (own, other) = (&obstacles[shape].params.shape, &obstacles[obstacle]);
    let (ours, there) = (*link * of.at, other.sweep.at(fraction));
    if theirs {
        other.params.shape.cores()[core].meet(&there, own, &ours, of.reach)
    } else {
        own.cores()[core].meet(&ours, &other.params.shape, &there, of.reach)
    }
}

/// Whether two shapes at these poses touch, or nearly.
pub(crate) fn shapes_touch([a, b]: [(&Shape, Pose); 2]) -> bool {
    let size = |(shape, pose): (&Shape, Pose)| {
        let [low, high] = shape.bounds(&pose);
        (high - low).length()
    };
    let reach = CLOSE * size(a).min(size(b));
    let meets = |(own, here): (&Shape, Pose), (other, there): (&Shape, Pose)| {
        own.cores().iter().any(|core| core.meet(&here, other, &there, reach)[0].is_some())
    };
    meets(a, b) || meets(b, a)
}

impl Arm {
    /// Whether it may touch something in the current part of a step.
    pub(crate) fn touches(&self) -> bool {
        self.scratch.step.touches.any()
    }

    /// Begin the contacts of a part of a step.
    pub(crate) fn begin_touches(&mut self, part: &Part, obstacles: &[Obstacle]) {
        let Arm { model, spec, state, scratch, .. } = self;
        let touches = &mut scratch.step.touches;
        touches.list.clear();
        if touches.candidates.is_empty() {
            return;
        }
        scratch.kinematics.place(model, &state.joints.q);
        for of in &touches.candidates {
            let link = scratch.kinematics.link(model, of.link);
            for met in meet(of, &link, obstacles, part.from).into_iter().flatten() {
                let friction = obstacles[of.key.obstacle].friction_with(spec.friction);
                let mut touch = Touch::new(*of, link, met, friction);
                touch.lay(&met, &link);
                let taken = |n: usize| touches.list.iter().rev().take(FACES).any(|other| other.past == Some(n));
                let like = |(n, past): &(usize, &PastTouch)| {
                    past.key == of.key && past.normal.dot(touch.axes[0]) > SAME_SIDE && !taken(*n)
                };
                if let Some((n, past)) = state.touches.iter().enumerate().find(like) {
                    touch.past = Some(n);
                    touch.go_on(past, part);
                }
                touches.list.push(touch);
            }
        }
        let room = 3 * model.velocities() * touches.list.len();
        touches.rows.resize(room, 0.0);
        touches.ends.resize(room, 0.0);
    }

    /// Add contacts to residual and tangent. Returns how many changed between open, stick and slip.
    pub(crate) fn touch(&mut self, part: &Part, touching: Touching, obstacles: &[Obstacle]) -> usize {
        let n = self.model.velocities();
        let count = self.scratch.step.touches.list.len();
        for k in 0..count {
            let touch = &mut self.scratch.step.touches.list[k];
            if touching == Touching::Fresh {
                touch.renew();
            }
            if touching != Touching::Settled {
                self.refresh(k, part, obstacles);
            }
            self.place_touch(k, part);
            let s = &mut self.scratch.step;
            if touching == Touching::First {
                // what it would give way by, were its unknowns alone
                let row = &s.touches.rows[3 * k * n..][..n];
                let answer: f64 = row.iter().enumerate().map(|(i, r)| r * r / s.tangent[(i, i)]).sum();
                s.touches.list[k].law.rho = if answer > 0.0 { FIRM / answer } else { 0.0 };
            }
        }
        let mut changed = 0;
        // of contacts that share a load, those that bear none of it may open and close for ever
        let load = BORNE * self.scratch.step.touches.size();
        for k in 0..count {
            let s = &mut self.scratch.step;
            let touch = &mut s.touches.list[k];
            if touch.law.rho == 0.0 {
                continue;
            }
            let reply = if touching == Touching::First { touch.first_reply() } else { touch.reply() };
            let bears = |force: &[f64; 3]| force.iter().any(|f| f.abs() > load);
            let matters = bears(&touch.force) || bears(&reply.force);
            changed += usize::from(matters && reply.state != touch.state);
            (touch.state, touch.force) = (reply.state, reply.force);
            if reply.force != [0.0; 3] {
                self.add_force(k, &reply.force);
                self.add_slope(k, &reply, part.step());
            }
        }
        changed
    }

    /// Look where a contact is halfway through the part, if on the same side; otherwise it stays as it began.
    fn refresh(&mut self, k: usize, part: &Part, obstacles: &[Obstacle]) {
        let fraction = 0.5 * (part.from + part.to);
        let touch = self.scratch.step.touches.list[k];
        let middle = self.stepped(touch.of.link, false);
        let touch = &mut self.scratch.step.touches.list[k];
        let side = |met: &Met| met.normal.dot(touch.met.normal);
        let faces = meet(&touch.of, &middle, obstacles, fraction).into_iter().flatten();
        // of those on the same side, the one nearest to where it began
        let likeness = |met: &Met| side(met) - (met.point - touch.met.point).length() / touch.of.scale;
        let best = faces.filter(|met| side(met) > SAME_SIDE).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let sweep = &obstacles[touch.of.key.obstacle].sweep;
        let h = part.step();
        match best {
            Some(met) => touch.lay(&met, &middle),
            None => {
                let met = touch.met;
                let link = touch.link;
                touch.lay(&met, &link);
                touch.plane += sweep.velocity_of(touch.plane, fraction, part.dt) * (0.5 * h);
            }
        }
        touch.surface = along(&touch.axes, sweep.velocity_of(touch.plane, fraction, part.dt));
        let start = touch.link.transform_point(touch.point) + touch.offset;
        let gap = touch.axes[0].dot(start - touch.plane) + 0.5 * h * touch.surface[0];
        // little overlap is left as it is: to take it back would give energy
        let gap = if gap < 0.0 { (gap + LEFT * touch.of.scale).min(0.0) } else { gap };
        touch.closing = closed_in(part.recovery(), gap, touch.of.scale) / h;
    }

    /// Velocity of a contact at the current mean velocities, its rows, and its derivative.
    fn place_touch(&mut self, k: usize, part: &Part) {
        let n = self.model.velocities();
        let Touch { of, link, point, offset, axes, .. } = self.scratch.step.touches.list[k];
        let touches = &mut self.scratch.step.touches;
        let (mut rows, mut ends) = (std::mem::take(&mut touches.rows), std::mem::take(&mut touches.ends));
        let at = 3 * k * n..3 * (k + 1) * n;
        let velocity =
            self.place_point(part, (of.link, link, point, offset), &axes, (&mut rows[at.clone()], &mut ends[at]), n);
        let touches = &mut self.scratch.step.touches;
        (touches.rows, touches.ends) = (rows, ends);
        touches.list[k].velocity = velocity;
    }

    /// Velocity along axes, at the current mean velocities, of a point of a link, which was at a pose at the start, with an offset from
    /// there in the world; with its rows and their derivative, `width` apart.
    fn place_point(
        &mut self,
        part: &Part,
        (link, start, point, offset): (usize, Pose, Vec3, Vec3),
        axes: &[Vec3; 3],
        (rows, ends): (&mut [f64], &mut [f64]),
        width: usize,
    ) -> [f64; 3] {
        let (n, h) = (self.model.velocities(), part.step());
        let free = if self.model.floating() { 3 } else { 0 };
        let end = self.stepped(link, true).transform_point(point);
        let s = &mut self.scratch.step;
        let Touches { jacobian, other, .. } = &mut s.touches;
        s.midpoint.middle_jacobian(&self.model, link, point, jacobian);
        s.midpoint.end_jacobian(&self.model, link, point, &s.mean, other);
        let column = |m: &Matrix, r: usize, j: usize| Vec3::new(m[(r, j)], m[(r + 1, j)], m[(r + 2, j)]);
        // what the way has beyond the velocity halfway; rounding, which stiff contacts would magnify, is left out smoothly
        let start = start.transform_point(point);
        let swung = (end - start) / h - (0..n).map(|j| column(jacobian, 0, j) * s.mean[j]).sum::<Vec3>();
        let noise = ROUNDING * (1.0 + start.length()) / h;
        let swung = swung * (swung.length_squared() / (swung.length_squared() + noise * noise));
        let weight = |i: usize| 0.5 * h * s.midpoint.tangent()[(i, i)];
        let size: f64 = (free..n).map(|i| weight(i) * (s.mean[i] * s.mean[i] + (RESTING / h).powi(2))).sum();
        let mut velocity = [0.0; 3];
        for (a, axis) in axes.iter().enumerate() {
            let row = &mut rows[a * width..][..n];
            let by_end = &mut ends[a * width..][..n];
            for j in 0..n {
                let turned = axis.dot(column(jacobian, 3, j).cross(offset));
                row[j] = axis.dot(column(jacobian, 0, j)) + turned;
                by_end[j] = axis.dot(column(other, 0, j)) + turned;
            }
            let missing = axis.dot(swung);
            velocity[a] = missing + row.iter().zip(&s.mean).map(|(r, y)| r * y).sum::<f64>();
            // of rotations and joints alone, so that a free body feels the force that it is
            for j in free..n {
                row[j] += missing * weight(j) * s.mean[j] / size.max(f64::MIN_POSITIVE);
            }
        }
        velocity
    }

    /// Subtract a force along the axes of a contact from the residual.
    fn add_force(&mut self, k: usize, force: &[f64; 3]) {
        let n = self.model.velocities();
        let s = &mut self.scratch.step;
        for (a, f) in force.iter().enumerate() {
            let row = &s.touches.rows[(3 * k + a) * n..][..n];
            s.residual.iter_mut().zip(row).for_each(|(r, j)| *r -= j * f);
        }
    }

    /// Add the derivative of the force of a contact to the tangent, and that of its rows as its link turns: with axes w of unknowns
    /// and columns J of the point, d J_j / d q_i = w_i x J_j for i nearer to the root.
    fn add_slope(&mut self, k: usize, reply: &Reply, h: f64) {
        let n = self.model.velocities();
        let s = &mut self.scratch.step;
        let Touches { list, rows, ends, .. } = &mut s.touches;
        let touch = &list[k];
        for a in 0..3 {
            for b in (0..3).filter(|&b| reply.slope[a][b] != 0.0) {
                let (row, by_end) = (&rows[(3 * k + a) * n..][..n], &ends[(3 * k + b) * n..][..n]);
                for i in (0..n).filter(|&i| row[i] != 0.0) {
                    let scale = row[i] * reply.slope[a][b];
                    s.tangent.row_mut(i).iter_mut().zip(by_end).for_each(|(t, e)| *t += scale * e);
                }
            }
        }
        let (link, point, force) = (touch.of.link, touch.point, touch.in_world(&reply.force));
        self.turn_force(link, point, force, h);
    }

    /// Add the derivative of what a force at a point of a link does to the unknowns, as that turns, to the tangent.
    fn turn_force(&mut self, link: usize, point: Vec3, force: Vec3, h: f64) {
        let n = self.model.velocities();
        let free = if self.model.floating() { 3 } else { 0 };
        let s = &mut self.scratch.step;
        let jacobian = &mut s.touches.jacobian;
        s.midpoint.middle_jacobian(&self.model, link, point, jacobian);
        let column = |r: usize, j: usize| Vec3::new(jacobian[(r, j)], jacobian[(r + 1, j)], jacobian[(r + 2, j)]);
        for i in free..n {
            for j in free..n {
                let of_root = free > 0 && i < 6 && j < 6;
                let (near, far) = if of_root { (j, i) } else { (i.min(j), i.max(j)) };
                s.tangent[(i, j)] -= 0.5 * h * force.dot(column(3, near).cross(column(0, far)));
            }
        }
    }

    /// Velocity along a direction, per velocity at the end of the step, of a point of a link with an offset from there in the world.
    fn final_row(&mut self, link: usize, point: Vec3, offset: Vec3, way: Vec3, row: &mut [f64]) {
        let s = &mut self.scratch.step;
        s.midpoint.final_jacobian(&self.model, link, point, &mut s.touches.jacobian);
        calm::fill(row, &s.touches.jacobian, way, offset);
    }

    /// Velocity along a row at the end of the step per impulse along it [1/kg].
    fn answers_row(&mut self, row: &[f64]) -> f64 {
        self.scratch.step.midpoint.answer(&self.model, row)
    }

    /// Change velocities at the end of the step by an impulse along a row.
    fn strike_row(&mut self, row: &[f64], impulse: f64) {
        self.scratch.step.midpoint.strike(&self.model, row, impulse);
    }

    /// Kinetic energy at the end of the step [J].
    fn end_kinetic(&self) -> f64 {
        self.scratch.step.midpoint.end_kinetic(&self.model)
    }

    /// Contact forces along the last change at the current velocities, where no joint is held; they are not yet in the residual.
    pub(crate) fn touched_descent(&mut self, part: &Part) -> f64 {
        let n = self.model.velocities();
        let mut sum = 0.0;
        for k in 0..self.scratch.step.touches.list.len() {
            if self.scratch.step.touches.list[k].law.rho == 0.0 {
                continue;
            }
            self.place_touch(k, part);
            let s = &self.scratch.step;
            let force = s.touches.list[k].reply().force;
            for (a, f) in force.iter().enumerate() {
                let row = &s.touches.rows[(3 * k + a) * n..][..n];
                sum -= f * (0..n).filter(|&i| !s.held[i]).map(|i| row[i] * s.change[i]).sum::<f64>();
            }
        }
        sum
    }

    /// Move friction limits closer to what normal forces allow; true if any was far off.
    pub(crate) fn bound_touches(&mut self) -> bool {
        let mut far = false;
        for touch in self.scratch.step.touches.list.iter_mut().filter(|touch| touch.law.rho > 0.0) {
            far |= touch.bound();
        }
        far
    }

    /// Take over the contact forces of a part that has been solved, into the residual too.
    pub(crate) fn settle_touches(&mut self, part: &Part) {
        for k in 0..self.scratch.step.touches.list.len() {
            if self.scratch.step.touches.list[k].law.rho == 0.0 {
                continue;
            }
            self.place_touch(k, part);
            let touch = &mut self.scratch.step.touches.list[k];
            let reply = touch.reply();
            (touch.state, touch.force) = (reply.state, reply.force);
            self.add_force(k, &reply.force);
        }
    }
}
