//! Newton's method for a step of cables that are solved together.
//!
//! Contact is part of the equations (see `touch`): each iteration solves the tangent with every contact open, sticking or
//! sliding as the velocities at hand say, so that the right combination is usually found within a few iterations. Where
//! the iteration does not converge, the step is taken in two halves, and each of them again. The linear step never is: it
//! is one solution of its equations, of which there are more only to find out what contacts do.

use super::Cable;
use super::coupling::Coupling;
use super::law::Contacting;
use super::pairs::Pair;
use super::step::{Part, Share, Touching};
use crate::body::Body;
use crate::team::Team;

/// Cables that are solved together, among all bodies.
pub(crate) struct Crew<'a> {
    /// Bodies that these cables are among, in order.
    pub bodies: &'a mut [Body],
    /// Index of the first of those in the world.
    pub first: usize,
    /// Indices of the cables in the world.
    pub members: &'a [usize],
    /// Their links that may touch each other.
    pub pairs: &'a mut [Pair],
    /// Working memory for those.
    pub coupling: &'a mut Coupling,
    /// What surrounds them.
    pub around: Around<'a>,
    /// Threads that are free to help.
    pub team: Option<&'a mut Team>,
}

/// What surrounds cables.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// Acceleration of gravity [m/s2].
    pub gravity: crate::math::Vec3,
    /// All obstacles.
    pub obstacles: &'a [crate::contact::Obstacle],
}

/// How a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Solved {
    /// Iterations: Newton's, or over contacts.
    pub iterations: u32,
    /// How often the equations were linearised.
    pub linearisations: u32,
    /// Whether iterations over contacts came to their limit.
    pub limited: bool,
    /// Whether they converged.
    pub converged: bool,
}

impl Solved {
    /// What came after it, with the work of both.
    fn and(self, more: Solved) -> Solved {
        Solved {
            iterations: self.iterations + more.iterations,
            linearisations: self.linearisations + more.linearisations,
            limited: self.limited || more.limited,
            converged: more.converged,
        }
    }
}

const MOST_ITERATIONS: u32 = 28;

/// The same in the smallest part of a step.
const LAST_ITERATIONS: u32 = 64;

/// Smallest part of a step that is tried.
const SMALLEST_PART: f64 = 1.0 / 256.0;

/// Newton stops when a correction is this small against the speeds of the step.
pub const TOLERANCE: f64 = 1e-5;

/// How often planes and limits of friction are brought up to date in a step. In between they stay, so that the iteration
/// can end: taken from velocities on the way they would lead it astray.
const ROUNDS: u32 = 1;

/// With contact it also stops at this: which of a few contacts stick is then of no account.
pub const CLOSE: f64 = 1e-4;

/// They are when corrections are this small against the speeds of the step.
const SETTLED: f64 = 0.03;

/// This many iterations double what is close.
const PATIENCE: u32 = 4;

/// How far beyond the best place along a change it may go, as a part of the residual there was along it.
const OVERSHOOT: f64 = 0.5;

const MOST_BACKTRACKS: usize = 8;

/// How often a step is begun again because links moved farther than was foreseen.
const MOST_SEARCHES: usize = 4;

impl Crew<'_> {
    fn share(&mut self, member: usize) -> Option<Share<'_>> {
        match &mut self.bodies[self.members[member] - self.first] {
            Body::Cable(cable) => Some(cable.share(self.around)),
            _ => None,
        }
    }

    pub(super) fn each(&mut self, mut f: impl FnMut(Share<'_>)) {
        for member in 0..self.members.len() {
            if let Some(share) = self.share(member) {
                f(share);
            }
        }
    }

    /// Advance by a step.
    pub fn advance(&mut self, dt: f64) {
        self.each(|mut share| share.begin_step());
        let solved = self.advance_part(&Part { from: 0.0, to: 1.0, dt });
        for &member in self.members {
            if let Body::Cable(cable) = &mut self.bodies[member - self.first] {
                cable.scratch.solved = solved;
            }
        }
    }

    fn advance_part(&mut self, part: &Part) -> Solved {
        let mut solved = self.advance_once(part);
        if solved.converged || self.is_linear() || part.to - part.from <= SMALLEST_PART {
            return solved;
        }
        for half in part.halves() {
            solved = solved.and(self.advance_part(&half));
            if !solved.converged {
                break;
            }
        }
        solved
    }

    fn begin(&mut self, part: &Part) {
        self.each(|mut share| share.begin(part));
        self.begin_pairs(part);
    }

    /// One part of the step; the states are left as they were where it does not converge.
    fn advance_once(&mut self, part: &Part) -> Solved {
        let mut solved = Solved::default();
        let swept = self.is_swept();
        for _ in 0..MOST_SEARCHES {
            self.begin(part);
            solved = solved.and(if swept { self.sweeps(part) } else { self.newton(part) });
            if swept && !solved.converged {
                self.begin(part);
                solved = solved.and(self.newton(part));
            }
            let mut outran = false;
            self.each(|mut share| outran |= share.outran(part));
            if !solved.converged || !outran {
                break;
            }
        }
        // what is left of the equations there, if links do not turn too far to be followed
        solved.converged = solved.converged && self.assemble(part, false);
        if part.to - part.from > SMALLEST_PART && !self.is_linear() {
            self.each(|mut share| solved.converged &= !share.sank(part));
            solved.converged &= !self.pairs_sank();
        }
        if solved.converged {
            self.balance();
            let paired = self.pairs.iter().any(|p| p.pushes);
            self.each(|mut share| share.finish(part, paired));
            self.calm_pairs(part);
        }
        solved
    }

    pub(super) fn newton(&mut self, part: &Part) -> Solved {
        let mut solved = Solved::default();
        let mut touching = Touching::First;
        let touched = self.touches();
        let mut rounds = if touched { ROUNDS } else { 0 };
        let mut last = f64::INFINITY;
        let linear = self.is_linear();
        if !self.assemble(part, true) {
            return solved;
        }
        // the smallest part has to do: there it goes on until what it comes to is close enough
        let most = if part.to - part.from > SMALLEST_PART { MOST_ITERATIONS } else { LAST_ITERATIONS };
        while solved.iterations < most {
            let changed = self.touch(part, touching);
            solved.iterations += 1;
            solved.linearisations += u32::from(!linear || solved.iterations == 1);
            let Some((change, size)) = self.solve(part) else { return solved };
            let decline = self.decline();
            self.each(|mut share| share.go(1.0));
            if linear && !touched {
                // that was it, if no link turns too far to be moved there
                solved.converged = self.assemble(part, false);
                return solved;
            }
            // the next change would be smaller again by as much as this one is, or more
            let next = change * (change / last).min(1.0);
            let exact = changed == 0 && next <= TOLERANCE * TOLERANCE * size;
            // the longer it takes, the less exact it has to be
            let close = CLOSE * f64::from(1 << (solved.iterations / PATIENCE).min(16));
            let close = self.pushing() && change <= close * close * size;
            if (exact || close) && rounds == 0 && touching != Touching::First {
                solved.converged = true;
                return solved;
            }
            if touching == Touching::First && changed == 0 && self.rests(change, size) {
                solved.converged = true;
                return solved;
            }
            last = change;
            let fits = self.assemble(part, true);
            if linear && !fits {
                return solved;
            }
            if (!fits || (touched && touching != Touching::First)) && self.search_along(part, decline, fits) {
                // not gone all the way: it says nothing of the next change
                last = 0.0;
            }
            touching = Touching::Settled;
            if rounds > 0 && change <= SETTLED * SETTLED * size {
                rounds -= 1;
                touching = Touching::Fresh;
            }
        }
        // no shorter step would be linear: what a few contacts do is then left open
        (solved.converged, solved.limited) = (linear, linear);
        solved
    }

    /// Take over the forces of contacts, into what is left of the equations too; see `StepScratch::give_back`.
    fn balance(&mut self) {
        self.each(|mut share| share.settle_touches());
        self.settle_pairs();
    }

    /// Whether the equations of all members are linear but for contact.
    fn is_linear(&mut self) -> bool {
        let mut all = true;
        self.each(|share| all &= share.links.linear);
        all
    }

    /// Newton's change may lead too far, where contacts come or go on the way: back to where the residual along the change
    /// is no longer much against it. True where that is not all the way.
    fn search_along(&mut self, part: &Part, decline: f64, fits: bool) -> bool {
        let enough = OVERSHOOT * decline.abs();
        let slope_at = |crew: &mut Self, fits: bool| if fits { crew.descent() } else { f64::NEG_INFINITY };
        let (mut low, mut high) = ((0.0, decline), (1.0, slope_at(self, fits)));
        let (mut at, mut slope) = high;
        for _ in 0..MOST_BACKTRACKS {
            if slope.abs() <= enough || high.1 >= -enough {
                break;
            }
            // where a straight line between the two would vanish, but well inside
            let next = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1)).clamp(0.1, 0.9);
            self.each(|mut share| share.go(next - at));
            at = next;
            let fits = self.assemble(part, false);
            slope = slope_at(self, fits);
            if slope > 0.0 {
                low = (at, slope);
            } else {
                high = (at, slope);
            }
        }
        if at < 1.0 {
            self.assemble(part, true);
        }
        at < 1.0
    }

    /// Residual, and the tangent too where wanted, without contact; false where links turn too far to be followed.
    pub(super) fn assemble(&mut self, part: &Part, tangent: bool) -> bool {
        let mut fits = true;
        self.each(|mut share| fits &= share.assemble(part, tangent));
        fits
    }

    pub(super) fn touches(&mut self) -> bool {
        let mut any = !self.pairs.is_empty();
        self.each(|share| any |= !share.s.touches.is_empty());
        any
    }

    /// One iteration, which is enough for a cable that rests.
    pub(super) fn rest(&mut self, part: &Part) -> bool {
        if !self.assemble(part, true) || self.touch(part, Touching::First) > 0 {
            return false;
        }
        let Some((change, size)) = self.solve(part) else { return false };
        self.each(|mut share| share.go(1.0));
        self.rests(change, size)
    }

    /// What rests is where it was: there is nothing to look at again.
    fn rests(&mut self, change: f64, size: f64) -> bool {
        change <= TOLERANCE * TOLERANCE * size && self.stays()
    }

    /// Whether all contacts do what they are taken to do, and none slides.
    fn stays(&mut self) -> bool {
        let mut all = self.pairs_stay();
        self.each(|share| all = all && share.s.touches.iter().all(|t| t.stays(&share.s.mean[t.link])));
        all
    }

    /// Whether anything pushes: what only might touch is no reason to be less exact, and energy would drift by it.
    fn pushing(&mut self) -> bool {
        let mut any = self.pairs.iter().any(|p| p.pushes);
        self.each(|share| any |= share.s.touches.iter().any(|t| t.state != Contacting::Open));
        any
    }

    /// Add touches to residual and tangent; returns how many changed what they do.
    fn touch(&mut self, part: &Part, touching: Touching) -> usize {
        let mut changed = 0;
        self.each(|mut share| changed += share.touch(part, touching));
        changed + self.touch_pairs(part, touching)
    }

    /// The residual along the change where contacts are in it.
    fn decline(&mut self) -> f64 {
        let mut sum = 0.0;
        self.each(|share| sum += share.decline());
        sum
    }

    /// The same where they are not.
    fn descent(&mut self) -> f64 {
        let mut sum = 0.0;
        self.each(|share| sum += share.descent());
        sum + self.descent_of_pairs()
    }

    /// Newton's change: its size and what it is measured against; none where it cannot be had.
    fn solve(&mut self, part: &Part) -> Option<(f64, f64)> {
        let (mut fine, mut change, mut size) = (true, 0.0, 0.0);
        self.each(|mut share| fine &= share.solve());
        fine = fine && self.couple();
        self.each(|share| {
            let progress = share.progress(part.step());
            change += progress.change;
            size += progress.size;
        });
        (fine && change.is_finite()).then_some((change, size))
    }
}

impl Cable {
    /// Its share in a step.
    pub(super) fn share<'a>(&'a mut self, around: Around<'a>) -> Share<'a> {
        let Cable { links, state, scratch, .. } = self;
        let acting = super::step::Acting {
            gravity: around.gravity,
            held: &scratch.held,
            pushes: &scratch.pushes,
            obstacles: around.obstacles,
            near: &scratch.near,
        };
        Share { links, state: &mut state.links, acting, s: &mut scratch.step }
    }
}
