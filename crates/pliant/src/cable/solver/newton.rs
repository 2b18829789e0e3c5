//! Newton's method for a step of cables that are solved together.
//!
//! Contact is part of the equations: each iteration solves the tangent with every contact open, sticking or sliding as the
//! velocities at hand say, so that the right combination is usually found within a few iterations. The linear step is one
//! solution of its equations, of which there are more only to find out what contacts do.

use crate::cable::contact::law::Contacting;
use crate::cable::equations::midpoint::{Part, Touching};
use crate::cable::group::step::{Island, SMALLEST_PART, Solved};

const MOST_ITERATIONS: u32 = 28;

/// The same in the smallest part of a step.
const LAST_ITERATIONS: u32 = 64;

/// Contacts are made softer in parts of a step no longer than this.
const STIFF_PART: f64 = 0.3;

/// Newton stops when a correction is this small against the speeds of the step.
pub const TOLERANCE: f64 = 1e-5;

/// How often planes and limits of friction are brought up to date in a step. In between they stay, so that the iteration
/// can end: taken from velocities on the way they would lead it astray.
const ROUNDS: u32 = 1;

/// With contact it also stops at this: which of a few contacts stick is then of no account.
pub const CLOSE: f64 = 1e-4;

/// They are when corrections are this small against the speeds of the step.
const SETTLED: f64 = 0.03;

/// This many iterations after friction has begun to follow normal forces it is seen not to come to an end.
const FOLLOWING: u32 = 8;

/// How often limits of friction are then taken from normal forces.
const MOST_BOUNDS: u32 = 8;

/// This many iterations double what is close.
const PATIENCE: u32 = 4;

/// How far beyond the best place along a change it may go, as a part of the residual there was along it.
const OVERSHOOT: f64 = 0.5;

const MOST_BACKTRACKS: usize = 30;

impl Island<'_> {
    /// With contacts as stiff as can be, unless links push links; where it does not find out which of them hold, with softer
    /// ones.
    pub(crate) fn newton(&mut self, part: &Part) -> Solved {
        let paired = !self.pairs.is_empty();
        let solved = self.newton_from(part, Touching::First, paired);
        // halving the step often helps too, and then contacts stay stiff
        let early = part.to - part.from > STIFF_PART;
        if solved.converged || paired || early || self.is_linear() || !self.touches() {
            return solved;
        }
        self.begin(part);
        solved.and(self.newton_from(part, Touching::First, true))
    }

    /// From the velocities at hand, with contacts as they are.
    pub(crate) fn newton_again(&mut self, part: &Part) -> Solved {
        self.newton_from(part, Touching::Fresh, true)
    }

    fn newton_from(&mut self, part: &Part, mut touching: Touching, weighed: bool) -> Solved {
        let mut solved = Solved::default();
        let touched = self.touches();
        let mut rounds = if touched && touching == Touching::First { ROUNDS } else { 0 };
        let mut last = f64::INFINITY;
        // since friction follows; how often its limits were taken from normal forces instead
        let (mut following, mut bounds) = (0, 0);
        let linear = self.is_linear();
        if !self.assemble(part, true) {
            return solved;
        }
        if weighed && !linear && !self.weigh_contacts() {
            return solved;
        }
        // the smallest part has to do: there it goes on until what it comes to is close enough
        let most = if part.to - part.from > SMALLEST_PART { MOST_ITERATIONS } else { LAST_ITERATIONS };
        while solved.iterations < most {
            if self.around.stop.is_asked() {
                return solved;
            }
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
            let found = (exact || close) && rounds == 0 && touching != Touching::First;
            if found && (bounds == 0 || bounds == MOST_BOUNDS || !self.bound()) {
                solved.converged = true;
                return solved;
            }
            following += u32::from(rounds == 0);
            if found || (bounds == 0 && following == FOLLOWING && !linear && self.bound()) {
                bounds += 1;
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

    /// Newton's change may lead too far, where contacts come or go on the way: back to where the residual along the change
    /// is no longer much against it. True where that is not all the way.
    fn search_along(&mut self, part: &Part, decline: f64, fits: bool) -> bool {
        let enough = OVERSHOOT * decline.abs();
        let slope_at = |island: &mut Self, fits: bool| if fits { island.descent() } else { f64::NEG_INFINITY };
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

    pub(crate) fn touches(&mut self) -> bool {
        let mut any = !self.pairs.is_empty();
        self.each(|share| any |= !share.s.touches.is_empty());
        any
    }

    /// One iteration, which is enough for a cable that rests.
    pub(crate) fn rest(&mut self, part: &Part) -> bool {
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
        self.each(|share| all = all && share.s.touches.iter().all(|t| t.stays(&share.s.mean)));
        all
    }

    /// Bring limits of friction closer to what normal forces allow; true where any was far off.
    fn bound(&mut self) -> bool {
        let mut far = self.bound_pairs();
        self.each(|share| share.s.touches.iter_mut().for_each(|touch| far |= touch.bound(&share.s.mean)));
        far
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
        if self.pairs.iter().any(|p| p.pushes) {
            fine = self.solve_coupled();
        } else {
            self.each(|mut share| fine &= share.solve());
        }
        self.each(|share| {
            let progress = share.progress(part.step());
            change += progress.change;
            size += progress.size;
        });
        (fine && change.is_finite()).then_some((change, size))
    }
}
