//! The share of one cable in a step: the passive midpoint rule as equations for the mean velocities of its links.
//!
//! The unknowns are the mean velocities V of the step. With e_0, e_1 the strains at its ends, (1) and (4) of the paper
//! read
//!
//!   2 M (V - V_0) / T + C V + J^T K ((e_0 + e_1) / 2 + d J V) = F + J_c^T f,      V_1 = 2 V - V_0,
//!
//! with the damping time d and contact forces f. (As printed, the step matrix has one T too many and misses the term
//! 2 M V_0 / T.) The published step takes e_1 = e_0 + T J_0 V and solves once; it gains energy as links turn. Here e_1
//! is the strain at the end of the step and J the Jacobian of the whole step, J V T = e_1 - e_0 (see `joint`), so that
//! without damping the energy changes by the work of F and by nothing else, whatever the step size. Newton's method
//! (see `newton`) uses the tangent of all that: not symmetric, but still block-tridiagonal.
//!
//! This alone lets waves much faster than the step ring for ever, from step to step, and the forces with them. So by
//! default both strain and velocity include their change in the step before, with c = `links.decay`:
//!
//!   load = K ((e_0 + e_1) / 2 + c (de - de_before) + ...),      V = (V_0 + V_1) / 2 + c (dV - dV_before).
//!
//! Since de (de - de_before) = (de^2 - de_before^2 + (de - de_before)^2) / 2, apart from an energy c K de^2 / 2 that is
//! carried from step to step, this dissipates c K (de - de_before)^2 / 2 in a step and never adds energy, and likewise
//! the other term with M. A mode of angular frequency w loses 2 pi c (w T)^3 of its energy in a period, and modes that
//! no step can follow lose 1 - z^2 in each step, with (1/2 + c) z^2 + (1/2 - 2 c) z + c = 0. The order of accuracy
//! remains two.
//!
//! The published step is available too, see `linear`.

use crate::account::Work;
use crate::cable::algebra::block::{Tridiagonal, Vec6, add_scaled, dot, squares};
use crate::cable::contact::impact;
use crate::cable::contact::law::{Contacting, along, minus};
use crate::cable::contact::obstacles::{SINKING, Search, Touch};
use crate::cable::equations::assembly::{assemble_links, begin, place};
use crate::cable::equations::linear::Linear;
use crate::cable::holds::Held;
use crate::cable::joint::rows::Rows;
use crate::cable::joint::{Joint, Turning, strain};
use crate::cable::links::{LinkState, Links, beside_drift, drift};
use crate::cable::solver::gauss_seidel::runs::Runs;
use crate::cable::solver::hands::Reply;
use crate::contact::Obstacle;
use crate::linkage::Push;
use crate::math::{Pose, Vec3, rotation_vector};
use crate::team::{Team, share_out};

/// Working memory of a step.
#[derive(Clone, Debug, Default)]
pub struct StepScratch {
    /// Tangent.
    pub matrix: Tridiagonal,
    /// Residual of the equations.
    pub residual: Vec<Vec6>,
    /// Current mean velocities.
    pub mean: Vec<Vec6>,
    /// The last change of the mean velocities.
    pub change: Vec<Vec6>,
    /// Poses halfway through the step.
    pub middle: Vec<Pose>,
    /// Poses at the end of the step.
    pub end: Vec<Pose>,
    /// Data of the kernels, four links at a time.
    pub rows: Rows,
    /// Strains of the joints at the start.
    pub start_strains: Vec<Vec6>,
    /// Strains of the holds at the start.
    pub held_strains: Vec<Vec6>,
    /// Strains of the holds at the start, less twice c times their change in the step before.
    pub held_bias: Vec<Vec6>,
    /// Distance by which the cable has slid through each hold in the step so far, against its direction [m].
    pub held_slid: Vec<f64>,
    /// Poses of the holds at the start, middle and end of the current part of the step.
    pub held_poses: Vec<[Pose; 3]>,
    /// Rotation vectors of the holds over the part, in their own frames; zero where nothing moves them back.
    pub held_turns: Vec<Vec3>,
    /// What the holds do to arms that carry them.
    pub held_replies: Vec<Reply>,
    /// Contacts with obstacles.
    pub touches: Vec<Touch>,
    /// Those found by another thread, before they are appended.
    pub found: Vec<Touch>,
    /// Force and moment in each joint, in the current part of the step.
    pub part_loads: Vec<Vec6>,
    /// Force and torque of the cable on each hold, in the current part of the step.
    pub part_held_loads: Vec<(Vec3, Vec3)>,
    /// Force and moment in each joint, mean over the step.
    pub loads: Vec<Vec6>,
    /// Force and torque of the cable on each hold, in world axes, about the held section, mean over the step.
    pub held_loads: Vec<(Vec3, Vec3)>,
    /// Runs of links, for the solvers that need them.
    pub runs: Runs,
    /// The equations of the linear step, for cables that use it.
    pub linear: Linear,
    /// Distance by which links have moved farther than expected in this step [m].
    pub farther: f64,
    /// What it was when contacts were searched for.
    pub searched: f64,
    /// Poses of the links between the parts of the step.
    pub trail: Trail,
    /// Power of contacts on the cable, relative to what they touch, as far as it adds energy [W].
    pub gained: f64,
    /// What of it comes from other cables [W].
    pub gained_between: f64,
    /// Power of all contacts in the part, including those that dissipate [W].
    pub power: f64,
    /// Energy added by bringing pairs to rest, to be taken back [J].
    pub owed: f64,
    /// What of it comes from other cables [J].
    pub owed_between: f64,
    /// Power of other links, including its own, on the cable in the current part of the step [W].
    pub met: f64,
    /// Work done on the cable in the step so far.
    pub work: Work,
}

/// Poses of links at some instants within a step.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    fractions: Vec<f64>,
    poses: Vec<Pose>,
}

/// Number of parts of a step that memory is preallocated for.
pub const PARTS: usize = 8;

impl Trail {
    /// Preallocate for steps of so many links that are cut into a few parts.
    fn reserve(&mut self, links: usize) {
        // the end of the last part is that of the step
        self.fractions.reserve(PARTS - 1);
        self.poses.reserve((PARTS - 1) * links);
    }

    fn clear(&mut self) {
        self.fractions.clear();
        self.poses.clear();
    }

    fn push(&mut self, fraction: f64, poses: &[Pose]) {
        self.fractions.push(fraction);
        self.poses.extend_from_slice(poses);
    }

    /// The instants in order, each as a fraction of the step with the poses.
    pub fn instants(&self) -> impl Iterator<Item = (f64, &[Pose])> {
        let links = self.poses.len() / self.fractions.len().max(1);
        self.fractions.iter().copied().zip(self.poses.chunks(links.max(1)))
    }
}

/// A part of the world's step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Fraction of the step at which it starts.
    pub from: f64,
    /// Fraction at which it ends.
    pub to: f64,
    /// The world's step [s].
    pub dt: f64,
    /// Whether penetration is recovered in it.
    pub recovers: bool,
}

impl Part {
    /// The whole step.
    pub fn whole(dt: f64) -> Part {
        Part { from: 0.0, to: 1.0, dt, recovers: true }
    }

    /// Fraction of the step for the recovery of penetration.
    pub fn recovery(&self) -> f64 {
        if self.recovers { self.to - self.from } else { 0.0 }
    }

    /// Its duration [s].
    pub fn step(&self) -> f64 {
        self.dt * (self.to - self.from)
    }

    /// Its two halves.
    pub fn halves(&self) -> [Part; 2] {
        let middle = 0.5 * (self.from + self.to);
        [Part { to: middle, ..*self }, Part { from: middle, ..*self }]
    }
}

/// Everything that acts on a cable during a step.
#[derive(Clone, Copy, Debug)]
pub struct Acting<'a> {
    /// Acceleration of gravity [m/s2].
    pub gravity: Vec3,
    /// Held cross-sections.
    pub held: &'a [Held],
    /// Dead loads, followed by contact forces of other bodies.
    pub pushes: &'a [Push],
    /// Number of these that are loads.
    pub loads: usize,
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Indices of those near the cable.
    pub near: &'a [usize],
}

/// A cable during a step.
pub struct Share<'a> {
    /// Parameters of its links.
    pub links: &'a Links,
    /// State at the start.
    pub state: &'a mut LinkState,
    /// What acts on it.
    pub acting: Acting<'a>,
    /// Working memory.
    pub s: &'a mut StepScratch,
}

/// Treatment of contacts in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touching {
    /// They keep the states of the step before.
    First,
    /// Planes and friction limits are updated.
    Fresh,
    /// Planes and friction limits stay fixed, so that the iteration converges.
    Settled,
}

/// Convergence of Newton's method, weighted by inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Square of the last change of the mean velocities.
    pub change: f64,
    /// Square of the velocities relative to which it is measured.
    pub size: f64,
}

/// Scale of convergence for a cable at rest, which has no speeds: this fraction of a link per step, so that rounding
/// errors, even a kilometre from the origin, do not count as motion.
const RESTING: f64 = 1e-3;

impl StepScratch {
    /// Preallocate for holds.
    pub fn reserve(&mut self, holds: usize) {
        self.held_strains.reserve(holds);
        self.held_bias.reserve(holds);
        self.held_slid.reserve(holds);
        self.held_poses.reserve(holds);
        self.held_turns.reserve(holds);
        self.held_replies.reserve(holds);
        self.held_loads.reserve(holds);
        self.part_held_loads.reserve(holds);
        self.trail.reserve(self.end.len());
    }

    /// Exchange all memory that carries nothing from step to step with a cable of as many links, whose memory is still
    /// in the cache.
    pub fn exchange(&mut self, other: &mut StepScratch) {
        use std::mem::swap;
        if (self.mean.len(), self.loads.len()) == (other.mean.len(), other.loads.len()) {
            swap(&mut self.matrix, &mut other.matrix);
            swap(&mut self.residual, &mut other.residual);
            swap(&mut self.mean, &mut other.mean);
            swap(&mut self.change, &mut other.change);
            swap(&mut self.middle, &mut other.middle);
            swap(&mut self.end, &mut other.end);
            swap(&mut self.rows, &mut other.rows);
            swap(&mut self.touches, &mut other.touches);
            swap(&mut self.found, &mut other.found);
            self.runs.exchange(&mut other.runs);
        }
    }

    /// Working memory for a number of links, open or closed, and of holds.
    pub fn new(links: usize, holds: usize, closed: bool) -> StepScratch {
        let (zeros, between) = (vec![[0.0; 6]; links], vec![[0.0; 6]; links - usize::from(!closed)]);
        StepScratch {
            matrix: if closed { Tridiagonal::closed(links) } else { Tridiagonal::new(links) },
            residual: zeros.clone(),
            mean: zeros.clone(),
            change: zeros,
            middle: vec![Pose::IDENTITY; links],
            end: vec![Pose::IDENTITY; links],
            rows: Rows::new(links, closed),
            start_strains: between.clone(),
            held_strains: Vec::with_capacity(holds),
            held_bias: Vec::with_capacity(holds),
            held_slid: Vec::with_capacity(holds),
            held_poses: Vec::with_capacity(holds),
            held_turns: Vec::with_capacity(holds),
            held_replies: vec![],
            touches: vec![],
            found: vec![],
            part_loads: between.clone(),
            part_held_loads: Vec::with_capacity(holds),
            loads: between,
            held_loads: Vec::with_capacity(holds),
            runs: Runs::default(),
            linear: Linear::default(),
            farther: 0.0,
            searched: 0.0,
            trail: Trail::default(),
            gained: 0.0,
            gained_between: 0.0,
            power: 0.0,
            owed: 0.0,
            owed_between: 0.0,
            met: 0.0,
            work: Work::default(),
        }
    }

    /// Initial guess: the last mean velocity, in which oscillations faster than the step have cancelled, extrapolated
    /// by its last change.
    fn guess(&mut self, state: &LinkState, step: f64) {
        self.mean.copy_from_slice(&state.means);
        // in contact motion is not smooth enough to extrapolate
        if state.steps == [step; 2] && state.pushed.iter().all(|&p| p == Vec3::ZERO) {
            for ((mean, last), earlier) in self.mean.iter_mut().zip(&state.means).zip(&state.earlier) {
                for k in 0..6 {
                    mean[k] += last[k] - earlier[k];
                }
            }
        }
    }
}

impl StepScratch {
    /// Work of the residual on the links [J].
    fn left_over(&self, step: f64) -> f64 {
        let left: f64 = self.residual.iter().zip(&self.mean).map(|(r, v)| dot(r, v)).sum();
        step * left
    }

    /// Work that no force accounts for: that of the residual, and of contacts that push links out of something [J].
    fn unexplained(&self, step: f64) -> f64 {
        self.left_over(step) + step * self.gained
    }
}

/// Number of links from which threads share the work on one cable: it then takes longer than meeting.
const LONG: usize = 512;

/// Unexplained part of the kinetic energy above which a part of a step is halved.
const MOST_UNEXPLAINED: f64 = 0.02;

/// Energy that contacts may add, relative to that of a free fall during a step.
const LITTLE_UNPAID: f64 = 1e-3;

impl Share<'_> {
    /// Clear the loads of the step before.
    pub fn begin_step(&mut self) {
        self.s.loads.fill([0.0; 6]);
        self.s.held_loads.clear();
        self.s.held_loads.resize(self.acting.held.len(), (Vec3::ZERO, Vec3::ZERO));
        self.s.farther = 0.0;
        self.s.trail.clear();
        self.s.work = Work::default();
    }

    /// Prepare a part of the step: strains at its start, an initial guess of the velocities, and the search for
    /// contacts.
    pub fn begin(&mut self, part: &Part, team: Option<&mut Team>) {
        let Share { links, state, acting, s } = self;
        begin(links, state, part.step(), s);
        let decay = 2.0 * links.decay * state.remembered(part.step());
        s.held_strains.clear();
        s.held_bias.clear();
        s.part_held_loads.clear();
        s.held_poses.clear();
        s.held_turns.clear();
        s.held_turns.resize(acting.held.len(), Vec3::ZERO);
        s.held_replies.resize(acting.held.len(), Reply::default());
        s.held_slid.resize(acting.held.len(), 0.0);
        for (n, h) in acting.held.iter().enumerate() {
            let mut poses = [part.from, 0.5 * (part.from + part.to), part.to].map(|fraction| h.pose_at(fraction));
            if let Some(carried) = &h.carried {
                poses[0] = carried.start;
            }
            let mut start = strain(&poses[0], &state.poses[h.link], h.arms());
            s.held_slid[n] += h.beyond(start[0] - h.rest[0], s.held_slid[n]);
            start[0] -= s.held_slid[n];
            let known = state.held.iter().find(|(of, _)| *of == [h.grip, h.link]);
            let changed = known.map_or([0.0; 6], |(_, changed)| *changed);
            s.held_strains.push(start);
            s.held_bias.push(std::array::from_fn(|k| start[k] - decay * changed[k] - 2.0 * h.rest[k]));
            s.part_held_loads.push((Vec3::ZERO, Vec3::ZERO));
            s.held_poses.push(poses);
        }
        if self.links.linear {
            self.linearise(part);
        }
        let Share { state, s, .. } = self;
        s.guess(state, part.step());
        self.find_touches(part, team);
    }

    fn find_touches(&mut self, part: &Part, team: Option<&mut Team>) {
        let long = self.is_long();
        let Share { links, state, acting, s } = self;
        let search = search(links, acting, part);
        s.searched = s.farther;
        let (step, gravity, farther) = (part.step(), acting.gravity, s.farther);
        let travel = |link: usize| links.travel(links.speed(&state.velocities[link]), step, gravity) + farther;
        let StepScratch { touches, found, .. } = &mut **s;
        let (count, half) = (state.poses.len(), state.poses.len() / 2);
        let Some(team) = team.filter(|_| long) else {
            search.begin(0..count, &state.poses, travel, &state.touches, touches);
            return;
        };
        team.each(&mut [(0..half, &mut *touches), (half..count, &mut *found)], |(links, found)| {
            search.begin(links.clone(), &state.poses, travel, &state.touches, found);
        });
        touches.append(found);
    }

    /// Residual at the current mean velocities, and with `tangent` the tangent, without contact. False if links turn
    /// farther than a step can follow.
    pub fn assemble(&mut self, part: &Part, tangent: bool, team: Option<&mut Team>) -> bool {
        if self.links.linear {
            return self.assemble_linear(part);
        }
        let long = self.is_long();
        self.assemble_whole(part, tangent, team.filter(|_| long))
    }

    /// Whether it is so long that its links are shared out among threads.
    pub fn is_long(&self) -> bool {
        self.s.mean.len() >= LONG && !self.links.closed
    }

    /// Residual and tangent of the midpoint step, as for [`Share::assemble`].
    pub fn assemble_whole(&mut self, part: &Part, tangent: bool, mut team: Option<&mut Team>) -> bool {
        let step = part.step();
        place(step, self.s, team.as_deref_mut());
        let Share { links, state, acting, s } = self;
        let fits = assemble_links(links, acting.gravity, step, s, tangent, team);
        for push in acting.pushes {
            push.add(step, s);
        }
        for (n, h) in acting.held.iter().enumerate() {
            h.add(n, links, state, step, s);
        }
        fits
    }

    /// The residual along the last change, with contacts updated but not yet in the residual: the slope of the sum of
    /// energies and contact potentials along it.
    pub fn descent(&self) -> f64 {
        let s = &self.s;
        let along: f64 = s.residual.iter().zip(&s.change).map(|(r, c)| dot(r, c)).sum();
        let pushed = |t: &Touch| {
            let (force, moved) = (t.lawful_force(&s.mean), t.moves(&s.change));
            force[0] * moved[0] + force[1] * moved[1] + force[2] * moved[2]
        };
        along - s.touches.iter().map(pushed).sum::<f64>()
    }

    /// Add contacts with obstacles to residual and tangent. Returns how many changed between open, stick and slip.
    pub fn touch(&mut self, part: &Part, touching: Touching) -> usize {
        let Share { links, acting, s, .. } = self;
        let search = search(links, acting, part);
        let mut changed = 0;
        for touch in &mut s.touches {
            if touching == Touching::Fresh {
                // from the force as found, before a new plane moves it
                touch.renew(&s.mean);
            }
            if touching != Touching::Settled {
                search.refresh(touch, &s.middle, &s.mean);
            } else if !links.linear {
                touch.follow(links.radius, &s.middle, &s.mean);
            }
            let reply = if touching == Touching::First { touch.first_reply(&s.mean) } else { touch.reply(&s.mean) };
            changed += usize::from(reply.state != touch.state);
            touch.state = reply.state;
            touch.replied = touch.leans.map(|_| reply);
            if reply.force != [0.0; 3] {
                touch.subtract(&reply.force, &mut s.residual);
                touch.add_to(&reply.slope, &mut s.matrix);
                if !links.linear {
                    let block = &mut s.matrix.diagonal[touch.link];
                    touch.add_moment(&reply.force, part.step(), &s.middle, &s.mean, block);
                }
            }
        }
        changed
    }

    /// Factor the tangent and compute the change of the mean velocities; false if the tangent is singular.
    pub fn solve(&mut self) -> bool {
        self.s.change.copy_from_slice(&self.s.residual);
        if self.links.closed {
            return self.s.matrix.solve_closed(&mut self.s.change);
        }
        if !self.s.matrix.factor() {
            return false;
        }
        self.s.matrix.solve(&mut self.s.change);
        true
    }

    /// Dot product of the residual, including contacts, with the change.
    pub fn decline(&self) -> f64 {
        self.s.residual.iter().zip(&self.s.change).map(|(r, c)| dot(r, c)).sum()
    }

    /// Size of the change, and of the velocities it is compared with.
    pub fn progress(&self, step: f64) -> Progress {
        let [moving, resting] = self.sizes(step);
        Progress { change: dot(&self.links.inertia, &squares(&self.s.change)), size: moving + resting }
    }

    /// Squares of the velocities, weighted by inertia: those of the step, and those that count as rest.
    fn sizes(&self, step: f64) -> [f64; 2] {
        let weight = |v: &[Vec6]| beside_drift(self.links, v, &drift(v));
        let rest = self.links.inertia[0] * (RESTING * self.links.length / step).powi(2) * self.s.mean.len() as f64;
        [weight(&self.s.mean) + weight(&self.state.velocities), rest]
    }

    /// Whether it may be at rest.
    pub fn is_slow(&self, step: f64) -> bool {
        let [moving, resting] = self.sizes(step);
        moving < resting
    }

    /// Move by a fraction of the change; backwards if negative.
    pub fn go(&mut self, fraction: f64) {
        for (mean, c) in self.s.mean.iter_mut().zip(&self.s.change) {
            add_scaled(mean, -fraction, c);
        }
    }

    /// Whether a link has moved farther than the range of the contact search, which must then be repeated.
    pub fn outran(&mut self, part: &Part) -> bool {
        let Share { links, state, acting, s } = self;
        let step = part.step();
        let farther = |(mean, start): (&Vec6, &Vec6)| {
            step * links.speed(mean) - links.travel(links.speed(start), step, acting.gravity)
        };
        let most = s.mean.iter().zip(&state.velocities).map(farther).fold(0.0, f64::max);
        let outran = most > s.farther && !acting.obstacles.is_empty() && most.is_finite();
        if outran {
            s.farther = 1.5 * most;
        }
        outran
    }

    /// Energy added by contacts in a part of the step, beyond the kinetic energy after it, from which it is taken [J];
    /// `None` where holds, loads or moving obstacles may have supplied it.
    pub fn unpaid(&mut self, part: &Part) -> Option<f64> {
        let Share { links, state, acting, s } = self;
        let still = |obstacle: &usize| {
            let sweep = &acting.obstacles[*obstacle].sweep;
            sweep.start == sweep.end
        };
        if !acting.held.is_empty() || !acting.pushes.is_empty() || !acting.near.iter().all(still) {
            return None;
        }
        let (step, mass) = (part.step(), links.inertia[0] * s.mean.len() as f64);
        let (gain, decay) = (links.gain(), links.decay * state.remembered(step));
        for (n, after) in s.change.iter_mut().enumerate() {
            let (v, mean, gained) = (&state.velocities[n], &s.mean[n], &state.gained[n]);
            *after = std::array::from_fn(|k| v[k] + gain * (mean[k] - v[k] + decay * gained[k]));
        }
        let moving = 0.5 * beside_drift(links, &s.change, &drift(&s.change));
        let falling = mass * (acting.gravity.length() * part.dt).powi(2);
        Some(step * s.power - moving - LITTLE_UNPAID * falling)
    }

    /// Whether the residual has done too much work in a part, relative to the kinetic energy and that of a free fall
    /// during a step.
    pub fn is_astray(&self, part: &Part) -> bool {
        let [moving, resting] = self.sizes(part.step());
        let mass = self.links.inertia[0] * self.s.mean.len() as f64;
        let falling = mass * (self.acting.gravity.length() * part.dt).powi(2);
        self.s.left_over(part.step()) > 0.5 * MOST_UNEXPLAINED * (moving + resting + falling)
    }

    /// Whether a link moves so far in the part that this alone may bring it too deep into something.
    pub fn is_fast(&self, part: &Part) -> bool {
        let farthest = self.s.mean.iter().map(|mean| self.links.speed(mean)).fold(0.0, f64::max);
        part.step() * farthest > SINKING * self.links.radius
    }

    /// Whether a link is too deep in an obstacle at the end of the part.
    pub fn sank(&mut self, part: &Part, team: Option<&mut Team>) -> bool {
        let search = search(self.links, &self.acting, part);
        let (StepScratch { touches, end, mean, .. }, long) = (&*self.s, self.is_long());
        let (low, high) = touches.split_at(touches.len() / 2);
        let mut halves = [(low, false), (high, false)];
        share_out(team.filter(|_| long), &mut halves, |(touches, sank)| {
            *sank = touches.iter().any(|touch| search.sank(touch, end, mean, SINKING));
        });
        halves.iter().any(|(_, sank)| *sank)
    }

    /// Stiffen contacts whose links sink in, see `Firmness`; true if there are any.
    pub fn stiffen(&mut self, part: &Part) -> bool {
        let search = search(self.links, &self.acting, part);
        let StepScratch { touches, end, mean, .. } = &mut *self.s;
        let mut any = false;
        for touch in touches.iter_mut().filter(|touch| touch.state != Contacting::Open) {
            any |= search.sank(touch, end, mean, FIRM * SINKING) && touch.firmness.grow();
        }
        any
    }

    /// Whether a link has passed through something in the part or, if that matters, entered it unexpectedly.
    pub fn passed(&mut self, part: &Part, matters: bool, team: Option<&mut Team>) -> bool {
        let long = self.is_long();
        let Share { links, state, acting, s } = self;
        let (search, step) = (search(links, acting, part), part.step());
        let way = |link: usize| step * links.speed(&s.mean[link]);
        let travel =
            |link: usize| links.travel(links.speed(&state.velocities[link]), step, acting.gravity) + s.searched;
        if acting.near.is_empty() {
            return false;
        }
        let (count, half) = (state.poses.len(), state.poses.len() / 2);
        let mut halves = [(0..half, false), (half..count, false)];
        share_out(team.filter(|_| long), &mut halves, |(links, passed)| {
            let poses = [&state.poses[..], &s.end[..]];
            *passed = search.passed(links.clone(), poses, [&way, &travel], &s.touches, matters);
        });
        halves.iter().any(|(_, passed)| *passed)
    }

    /// Take over the contact forces, into the residual too.
    pub fn settle_touches(&mut self) {
        let s = &mut *self.s;
        (s.gained, s.gained_between, s.power, s.met) = (0.0, 0.0, 0.0, 0.0);
        for touch in &mut s.touches {
            touch.settle(&s.mean);
            let force = along(&touch.axes, touch.force);
            let against = minus(&touch.moves(&s.mean), &touch.surface);
            let power = force[0] * against[0] + force[1] * against[1] + force[2] * against[2];
            s.gained += power.max(0.0);
            s.power += power;
            touch.subtract(&force, &mut s.residual);
        }
    }

    /// Add the work of grips, loads and other links in a part of the step.
    fn count_work(&mut self, step: f64) {
        let Share { state, s, acting, .. } = self;
        for (poses, (force, torque)) in s.held_poses.iter().zip(&s.part_held_loads) {
            let [start, _, end] = poses;
            s.work.grips -= force.dot(end.translation - start.translation) + torque.dot(turned(start, end));
        }
        for (n, push) in acting.pushes.iter().enumerate() {
            let (start, end) = (&state.poses[push.link], &s.end[push.link]);
            let place = |pose: &Pose| pose.transform_point(Vec3::X * push.offset);
            let done = push.force.dot(place(end) - place(start)) + push.torque.dot(turned(start, end));
            *(if n < acting.loads { &mut s.work.loads } else { &mut s.work.bodies }) += done;
        }
        s.work.bodies += step * s.met;
    }

    /// Energy that joints gain beyond the work of their loads as they fold by more than half a turn in a part of the
    /// step [J]. Their strain is that of the shorter rotation, so that it jumps there to the opposite side, which the
    /// Jacobian of the step does not see.
    fn gained_by_folding(&self, step: f64) -> f64 {
        let Share { links, state, s, .. } = self;
        let turn = |link: usize| Vec3::new(s.mean[link][3], s.mean[link][4], s.mean[link][5]) * step;
        let mut gained = 0.0;
        for (a, rest) in links.rest.iter().enumerate() {
            let (b, start) = (links.next(a), &s.start_strains[a]);
            let bent = Vec3::new(start[3], start[4], start[5]).length();
            if links.linear || bent + turn(a).length() + turn(b).length() < STRAIGHT {
                continue;
            }
            let [one, other] = [a, b].map(|link| Turning {
                start: &state.poses[link],
                middle: &s.middle[link],
                end: &s.end[link],
                turn: turn(link),
            });
            let joint = Joint::of_step(&one, &other, links.arms());
            let end = strain(one.end, other.end, links.arms());
            let (mut missed, mut more) = (0.0, 0.0);
            for k in 0..6 {
                let change = step * (dot(&joint.by_a[k], &s.mean[a]) + dot(&joint.by_b[k], &s.mean[b]));
                let stored = |e: f64| 0.5 * links.stiffness[k] * (e - rest[k]) * (e - rest[k]);
                missed += (end[k] - start[k] - change).abs();
                more += stored(end[k]) - stored(start[k]) - s.part_loads[a][k] * change;
            }
            if missed > FOLDS {
                gained += more.max(0.0);
            }
        }
        gained
    }

    /// Take over the result of a part of the step into the state.
    pub fn finish(&mut self, part: &Part) {
        let step = part.step();
        place(step, self.s, None);
        if self.links.linear {
            self.linear_loads(part);
        }
        self.count_work(step);
        let folded = self.gained_by_folding(step);
        let Share { links, state, s, acting } = self;
        state.poses.copy_from_slice(&s.end);
        if part.to < 1.0 {
            s.trail.push(part.to, &s.end);
        }
        let (gain, decay) = (links.gain(), links.decay * state.remembered(step));
        for ((v, gained), mean) in state.velocities.iter_mut().zip(&mut state.gained).zip(&s.mean) {
            *gained = std::array::from_fn(|k| gain * (mean[k] - v[k] + decay * gained[k]));
            add_scaled(v, 1.0, gained);
        }
        state.strains.copy_from_slice(&s.start_strains);
        state.held.clear();
        for (n, h) in acting.held.iter().enumerate() {
            let end = strain(&s.held_poses[n][2], &s.end[h.link], h.arms());
            let mut change: Vec6 = std::array::from_fn(|k| end[k] - s.held_strains[n][k]);
            if h.may_slide() {
                s.held_slid[n] += h.beyond(end[0] - h.rest[0], s.held_slid[n]);
                change[0] = 0.0;
            }
            state.held.push(([h.grip, h.link], change));
        }
        // take back the energy that no force accounts for; what cables gave each other is then not given
        let taken = impact::take_energy(links, &mut state.velocities, s.unexplained(step) + folded);
        s.work.bodies -= taken * step * s.gained_between;
    }

    /// Bring touching links to rest after a part of the step, and keep what is known of it.
    pub fn come_to_rest(&mut self, part: &Part) {
        let step = part.step();
        let Share { links, state, s, acting } = self;
        let LinkState { gained, velocities, .. } = &mut **state;
        impact::settle(links, [&s.mean, gained], velocities, &mut s.touches, step);
        s.work.obstacles += step * s.touches.iter().map(Touch::led).sum::<f64>();
        if quiet(links, velocities, acting, s) {
            velocities.fill([0.0; 6]);
            gained.fill([0.0; 6]);
        }
        std::mem::swap(&mut state.means, &mut state.earlier);
        state.means.copy_from_slice(&s.mean);
        state.steps = [state.steps[1], step];
        state.loads.copy_from_slice(&s.part_loads);
        state.touches.clear();
        state.touches.extend(s.touches.iter().map(Touch::past));
        state.pushed.fill(Vec3::ZERO);
        for touch in &state.touches {
            state.pushed[touch.link] += touch.force;
        }
        for (sum, load) in s.loads.iter_mut().zip(&s.part_loads) {
            add_scaled(sum, part.to - part.from, load);
        }
        for (sum, load) in s.held_loads.iter_mut().zip(&s.part_held_loads) {
            sum.0 += load.0 * (part.to - part.from);
            sum.1 += load.1 * (part.to - part.from);
        }
    }
}

/// Speed below which the motion of a cable that lies on something is what the solver leaves [links/s].
const QUIET: f64 = 1e-3;

/// Whether a cable that lies on something moves only by what the solver leaves. Nothing resists rolling: it would go on.
fn quiet(links: &Links, velocities: &[Vec6], acting: &Acting<'_>, s: &StepScratch) -> bool {
    s.touches.iter().any(|touch| touch.state != Contacting::Open)
        && s.touches.iter().all(|touch| touch.surface == [0.0; 3])
        && acting.held.iter().all(|held| held.poses[0] == held.poses[2])
        && velocities.iter().all(|v| links.speed(v) < QUIET * links.length)
}

/// The rotation vector from one pose to another, in the world [rad].
fn turned(start: &Pose, end: &Pose) -> Vec3 {
    if start.rotation == end.rotation { Vec3::ZERO } else { rotation_vector(end.rotation * start.rotation.inverse()) }
}

/// Angle of a joint, with how far its links turn in the step, below which it cannot fold [rad]; strains are angles to a
/// few per cent up to half a turn.
const STRAIGHT: f64 = 3.0;

/// Change of strain that its Jacobian misses, above which a joint has folded and not only been rounded [-].
const FOLDS: f64 = 1e-3;

/// Contacts are stiffened where links sink in by this fraction of the depth at which a step is shortened.
const FIRM: f64 = 0.6;

/// The contact search for a part of the step.
pub fn search<'a>(links: &Links, acting: &Acting<'a>, part: &Part) -> Search<'a> {
    Search {
        obstacles: acting.obstacles,
        near: acting.near,
        part: [part.from, part.to],
        recovery: part.recovery(),
        dt: part.dt,
        radius: links.radius,
        length: links.length,
        closed: links.closed,
        friction: links.friction,
        per_contact: links.per_contact,
        rho: links.rho(part.step()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Friction;
    use crate::math::Quat;

    fn silicone(count: usize) -> (Links, LinkState) {
        let (length, radius, density) = (0.4, 2e-3_f64, 1100.0);
        let (young, shear) = (4.462e6, 4.462e6 / 3.0);
        let area = std::f64::consts::PI * radius * radius;
        let (i, j) = (area * radius * radius / 4.0, area * radius * radius / 2.0);
        let h = length / count as f64;
        let mass = density * area * h;
        let across = mass * (3.0 * radius * radius + h * h) / 12.0;
        let links = Links {
            length: h,
            radius,
            inertia: [mass, mass, mass, 0.5 * mass * radius * radius, across, across],
            stiffness: [young * area, shear * area, shear * area, shear * j, young * i, young * i].map(|k| k / h),
            rest: vec![[0.0; 6]; count - 1],
            closed: false,
            twisted: false,
            self_contact: true,
            damping_time: 0.0,
            drag: 0.0,
            friction: Friction::NONE,
            per_contact: false,
            restitution: 0.0,
            linear: false,
            method: Default::default(),
            pairs: Default::default(),
            decay: 0.0,
        };
        let poses = (0..count).map(|k| Pose::from_translation(Vec3::X * (k as f64 + 0.5) * h)).collect();
        (links, LinkState::resting(poses, count - 1))
    }

    fn clamp(links: &Links) -> Held {
        let stiffness = links.stiffness.map(|k| 2.0 * k);
        Held {
            grip: 0,
            link: 0,
            offset: -0.5 * links.length,
            stiffness,
            rest: [0.0; 6],
            slips_at: f64::INFINITY,
            slid: 0.0,
            share: 1.0,
            drift: [0.0; 2],
            poses: [Pose::IDENTITY; 3],
            carried: None,
        }
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_residual() {
        let (mut links, mut state) = silicone(4);
        links.damping_time = 2e-3;
        for (i, pose) in state.poses.iter_mut().enumerate() {
            let x = i as f64 + 1.0;
            pose.rotation = Quat::from_scaled_axis(Vec3::new(0.1 * x.sin(), 0.2 * x.cos(), 0.1 * (2.0 * x).sin()));
            pose.translation += Vec3::new(0.0, 1e-3 * x.sin(), 2e-3 * x.cos());
            state.velocities[i] = std::array::from_fn(|k| (x * (k as f64 + 1.0)).sin() * if k < 3 { 0.1 } else { 2.0 });
        }
        let torque = Vec3::new(1e-5, -2e-5, 3e-5);
        let pushes = [Push { link: 2, offset: 0.02, force: Vec3::new(1e-3, 2e-3, -1e-3), torque }];
        let (held, step) = ([clamp(&links)], 5e-3);
        let acting = Acting { gravity: Vec3::ZERO, held: &held, pushes: &pushes, loads: 1, obstacles: &[], near: &[] };
        let mut s = StepScratch::new(4, 1, false);
        let part = Part::whole(step);
        let base: Vec<Vec6> = state.velocities.iter().map(|v| v.map(|x| 0.9 * x)).collect();
        let mut share = Share { links: &links, state: &mut state, acting, s: &mut s };
        share.begin(&part, None);
        let mut residual = |mean: &[Vec6]| {
            share.s.mean.copy_from_slice(mean);
            // twice, because the tangent uses the load where it was last evaluated
            assert!(share.assemble(&part, true, None) && share.assemble(&part, true, None));
            (share.s.residual.clone(), share.s.matrix.clone())
        };
        let matrix = residual(&base).1;
        for j in 0..4 {
            for k in 0..6 {
                let h = if k < 3 { 1e-6 } else { 1e-4 };
                let mut at = |sign: f64| {
                    let mut mean = base.clone();
                    mean[j][k] += sign * h;
                    residual(&mean).0
                };
                let (up, down) = (at(1.0), at(-1.0));
                for (i, r) in (0..4).flat_map(|i| (0..6).map(move |r| (i, r))) {
                    let slope = (up[i][r] - down[i][r]) / (2.0 * h);
                    let got = match i.abs_diff(j) {
                        0 => matrix.diagonal[i][r][k],
                        1 if j > i => matrix.right[i][r][k],
                        1 => matrix.below[j][r][k],
                        _ => 0.0,
                    };
                    // omitted are the change of J with the moments, and of J with the rotation over the whole step
                    let scale = matrix.diagonal[j][k][k].abs().max(matrix.diagonal[i][r][r].abs());
                    assert!((got - slope).abs() < 0.05 * scale, "({i},{r}) by ({j},{k}): {got} for {slope}");
                }
            }
        }
    }
}
