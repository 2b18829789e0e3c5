//! Newton's method for a step of cables that are solved together.
//!
//! Contact is part of the equations: each iteration solves the tangent with every contact open, sticking or sliding as
//! the current velocities say, so that the right combination is usually found within a few iterations. The linear step
//! solves its equations once, and again only to find the states of contacts.

use crate::cable::contact::law::{Contacting, UNMET};
use crate::cable::equations::part::{Part, Touching};
use crate::cable::group::step::{Island, SMALLEST_PART, Solved};

/// Limit of iterations; a part of a step that reaches it is halved.
const MOST_ITERATIONS: u32 = 28;

/// Limit of iterations where links push links: which of many hold each other is found one after the other, and in its halves a step
/// takes as many iterations again.
const MOST_PAIRED: u32 = 60;

/// Limit of iterations in the smallest part of a step, which cannot be halved again.
const LAST_ITERATIONS: u32 = 64;

/// Contacts are softened only in parts of a step up to this size; larger ones are halved first.
const STIFF_PART: f64 = 0.3;

/// Newton's method stops when a correction is this small relative to the speeds of the step.
pub const TOLERANCE: f64 = 1e-5;

/// Newton's method with arms stops when a correction is this small: arms have no other way to balance what a cable's link cannot: a part of momentum.
const TOGETHER: f64 = 1e-8;

/// Ratio of the square of a correction to that of the one before from which it is taken for rounding, once it is small.
const STALLED: f64 = 0.1;

/// How often planes and friction limits are updated in a step. In between they stay fixed, so that the iteration
/// converges: taken from intermediate velocities they would lead it astray.
const ROUNDS: u32 = 1;

/// With contact it also stops at this relative correction: which of a few contacts stick then hardly matters.
pub const CLOSE: f64 = 1e-4;

/// Beyond this many iterations contact forces may differ more from those of the law: velocities have converged.
const MOST_FOR_FORCES: u32 = 20;

/// Parts of a step whose contact forces differ from those of the law by more than this part of them are halved.
const FAR_OFF: f64 = 0.1;

/// Parts of a step shorter than this are taken whatever their contact forces.
const SHORT_PART: f64 = 0.1;

/// Planes and friction limits are updated when corrections are this small relative to the speeds of the step.
const SETTLED: f64 = 0.03;

/// Iterations after which friction that follows normal forces is considered not to converge.
const FOLLOWING: u32 = 8;

/// Maximum number of updates of friction limits from normal forces after that.
const MOST_BOUNDS: u32 = 8;

/// The tolerance with contact doubles after every this many iterations, up to `MOST_ITERATIONS` unless nothing is left but
/// to take what is found.
const PATIENCE: u32 = 4;

/// Line search: allowed residual beyond the minimum along a change, relative to that at its start.
const OVERSHOOT: f64 = 0.5;

/// Limit of evaluations in a line search.
const MOST_BACKTRACKS: usize = 30;

impl Island<'_> {
    /// Solve with contacts as stiff as possible, unless links push links; if the states of contacts do not converge,
    /// again with softer ones.
    pub(crate) fn newton(&mut self, part: &Part) -> Solved {
        let paired = !self.pairs.is_empty();
        let solved = self.newton_from(part, Touching::First, paired);
        // halving the step often helps too, and contacts stay stiff
        let early = part.to - part.from > STIFF_PART;
        if solved.converged || paired || early || self.is_linear() || !self.touches() {
            return solved;
        }
        self.begin(part);
        solved.and(self.newton_from(part, Touching::First, true))
    }

    /// Continue from the current velocities, with contacts as they are.
    pub(crate) fn newton_again(&mut self, part: &Part) -> Solved {
        self.newton_from(part, Touching::Fresh, true)
    }

    fn newton_from(&mut self, part: &Part, mut touching: Touching, weighed: bool) -> Solved {
        let mut solved = Solved::default();
        let touched = self.touches();
        let mut rounds = if touched && touching == Touching::First { ROUNDS } else { 0 };
        // a free body that falls on something has next to nothing that resists it before
        let mut falls = self.coupling.hands.meets.any();
        self.each_arm(|_, arm| falls |= arm.touches());
        rounds += u32::from(rounds > 0 && falls);
        let mut last = f64::INFINITY;
        // iterations since friction follows; updates of its limits from normal forces instead
        let (mut following, mut bounds) = (0, 0);
        let linear = self.is_linear();
        let tolerance = if self.arms.is_empty() { TOLERANCE } else { TOGETHER };
        if !self.assemble(part, true) {
            return solved;
        }
        if weighed && !linear && !self.weigh_contacts() {
            return solved;
        }
        // the smallest part cannot be halved: it continues until the result is close enough
        let (most, doublings) = match part.to - part.from > SMALLEST_PART {
            true if self.pairs.is_empty() => (MOST_ITERATIONS, MOST_ITERATIONS / PATIENCE),
            true => (MOST_PAIRED, MOST_ITERATIONS / PATIENCE),
            false => (LAST_ITERATIONS, LAST_ITERATIONS / PATIENCE),
        };
        while solved.iterations < most {
            if self.around.stop.is_asked() {
                return solved;
            }
            let changed = self.touch(part, touching);
            solved.iterations += 1;
            solved.linearisations += u32::from(!linear || solved.iterations == 1);
            let Some((change, size)) = self.solve(part) else { return solved };
            let decline = self.decline();
            self.go(1.0);
            if linear && !touched {
                // converged, if no link turns too far to be followed
                solved.converged = self.assemble(part, false);
                return solved;
            }
            // convergence is at least linear: the next change will be smaller by the same ratio
            let next = change * (change / last).min(1.0);
            // stiff cables on light arms leave corrections of rounding, which become no smaller
            let stalled = last > 0.0 && change > STALLED * last && change <= TOLERANCE * TOLERANCE * size;
            let exact = changed == 0 && (next <= tolerance * tolerance * size || stalled);
            // the longer it takes, the larger the tolerance
            let close = CLOSE * f64::from(1 << (solved.iterations / PATIENCE).min(doublings));
            let close = self.pushing() && change <= close * close * size;
            let found = (exact || close) && rounds == 0 && touching != Touching::First;
            // where links may push links it need not come to an end: limp wires that fall on each other would need ever shorter steps
            let unmet = if found && self.pairs.is_empty() { self.unmet() } else { 0.0 };
            let found = found && (unmet <= UNMET || solved.iterations >= MOST_FOR_FORCES);
            if found && (bounds == 0 || bounds == MOST_BOUNDS || !self.bound()) {
                // shorter parts may find forces that these have not
                solved.converged = unmet <= FAR_OFF || part.to - part.from < SHORT_PART || linear;
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
            // servos that reach their effort are like contacts that open; close to the solution none does
            let strained = !self.arms.is_empty() && change > SETTLED * SETTLED * size;
            let searched = (touched || strained) && touching != Touching::First;
            if (!fits || searched) && self.search_along(part, decline, fits) {
                // after a shortened step the ratio says nothing of the next change
                last = 0.0;
            }
            touching = Touching::Settled;
            if rounds > 0 && change <= SETTLED * SETTLED * size {
                rounds -= 1;
                touching = Touching::Fresh;
            }
        }
        // halving does not help the linear step: the states of a few contacts are left undecided
        (solved.converged, solved.limited) = (linear, linear);
        solved
    }

    /// Line search: the Newton step may go too far where contacts open or close on the way; go back to where the
    /// residual along it no longer opposes it much. True if the step was shortened.
    fn search_along(&mut self, part: &Part, decline: f64, fits: bool) -> bool {
        let enough = OVERSHOOT * decline.abs();
        let slope_at = |island: &mut Self, fits: bool| if fits { island.descent(part) } else { f64::NEG_INFINITY };
        let (mut low, mut high) = ((0.0, decline), (1.0, slope_at(self, fits)));
        let (mut at, mut slope) = high;
        for _ in 0..MOST_BACKTRACKS {
            if slope.abs() <= enough || high.1 >= -enough {
                break;
            }
            // the secant root, but well inside
            let next = low.0 + (high.0 - low.0) * (low.1 / (low.1 - high.1)).clamp(0.1, 0.9);
            self.go(next - at);
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

    /// Move all velocities by a fraction of their change.
    fn go(&mut self, fraction: f64) {
        self.each(|mut share| share.go(fraction));
        self.each_arm(|_, arm| arm.go(fraction));
    }

    pub(crate) fn touches(&mut self) -> bool {
        let mut any = !self.pairs.is_empty();
        self.each(|share| any |= !share.s.touches.is_empty());
        self.each_arm(|_, arm| any |= arm.touches());
        any || self.coupling.hands.meets.any()
    }

    /// One iteration, which suffices for a cable at rest.
    pub(crate) fn rest(&mut self, part: &Part) -> bool {
        if !self.assemble(part, true) || self.touch(part, Touching::First) > 0 {
            return false;
        }
        let Some((change, size)) = self.solve(part) else { return false };
        self.go(1.0);
        self.rests(change, size)
    }

    /// Whether it is at rest: then there is nothing to update. Arms may not be as strong as the first iteration takes
    /// them to be.
    fn rests(&mut self, change: f64, size: f64) -> bool {
        self.arms.is_empty() && change <= TOLERANCE * TOLERANCE * size && self.stays()
    }

    /// Whether the law confirms the states of all contacts, and none slides.
    fn stays(&mut self) -> bool {
        let mut all = self.pairs_stay();
        self.each(|share| all = all && share.s.touches.iter().all(|t| t.stays(&share.s.mean)));
        all
    }

    /// Move friction limits closer to what normal forces allow; true if any was far off.
    fn bound(&mut self) -> bool {
        let mut far = self.bound_pairs();
        self.each_arm(|_, arm| far |= arm.bound_touches());
        far |= self.bound_meets();
        self.each(|share| share.s.touches.iter_mut().for_each(|touch| far |= touch.bound(&share.s.mean)));
        far
    }

    /// What contact forces that act after the last change lack of those that the law requires, relative to them [-].
    fn unmet(&mut self) -> f64 {
        let mut sum = [0.0; 2];
        self.each(|share| {
            for touch in share.s.touches.iter().filter(|touch| touch.leans.is_none()) {
                let [unmet, all] = touch.unmet(&share.s.mean, &share.s.change);
                sum = [sum[0] + unmet, sum[1] + all];
            }
        });
        if sum[1] > 0.0 { (sum[0] / sum[1]).sqrt() } else { 0.0 }
    }

    /// Whether any contact pushes: for potential contacts the tolerance is not relaxed, because energy would drift.
    fn pushing(&mut self) -> bool {
        let mut any = self.pairs.iter().any(|p| p.pushes);
        self.each(|share| any |= share.s.touches.iter().any(|t| t.state != Contacting::Open));
        any
    }

    /// Add contacts to residual and tangent; returns how many changed their state.
    fn touch(&mut self, part: &Part, touching: Touching) -> usize {
        let mut changed = 0;
        self.each(|mut share| changed += share.touch(part, touching));
        let obstacles = self.around.obstacles;
        self.each_arm(|_, arm| changed += arm.touch(part, touching, obstacles));
        changed += self.meet(part, touching);
        self.lean();
        changed + self.touch_pairs(part, touching)
    }

    /// Residual along the change, with contacts in the residual.
    fn decline(&mut self) -> f64 {
        let mut sum = 0.0;
        self.each(|share| sum += share.decline());
        self.each_arm(|_, arm| sum += arm.decline());
        sum
    }

    /// Residual along the change, with contacts not yet in the residual.
    fn descent(&mut self, part: &Part) -> f64 {
        let mut sum = 0.0;
        self.each(|share| sum += share.descent());
        self.each_arm(|_, arm| sum += arm.descent() + arm.touched_descent(part));
        sum + self.descent_of_leans() + self.descent_of_meets(part) + self.descent_of_pairs()
    }

    /// Compute the Newton step: its size and the scale it is compared with; `None` if the tangent is singular.
    fn solve(&mut self, part: &Part) -> Option<(f64, f64)> {
        let (mut fine, mut change, mut size) = (true, 0.0, 0.0);
        // the factors of a ring serve for one solution, arms need several
        let sparse = self.pairs.iter().any(|p| p.pushes) || !self.arms.is_empty() && self.has_ring();
        if sparse {
            fine = if self.iterates() { self.solve_iterated() } else { self.solve_coupled() };
        } else {
            self.each(|mut share| fine &= share.solve());
        }
        fine = fine && (self.arms.is_empty() || self.solve_arms(part, sparse));
        self.each(|share| {
            let progress = share.progress(part.step());
            change += progress.change;
            size += progress.size;
        });
        // arms are judged apart: beside their energy that of a cable would not count
        self.each_arm(|_, arm| {
            let [by_arm, of_arm] = arm.progress(part.step());
            (change, size) = if size > 0.0 { (change.max(by_arm / of_arm * size), size) } else { (by_arm, of_arm) };
        });
        (fine && change.is_finite()).then_some((change, size))
    }

    fn has_ring(&mut self) -> bool {
        let mut any = false;
        self.each(|share| any |= share.links.closed);
        any
    }
}
