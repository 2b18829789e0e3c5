//! The paper's two solvers for a step of cables that are solved together: contact forces are unknowns, computed by
//! projected Gauss-Seidel for all contacts at once (III-C), or run by run with couplings that follow (Algorithm 1; see
//! `runs` for what differs from print, and `printed` for what does not).
//!
//! The paper linearises the step once; here it is linearised again until its velocities converge, as in its section
//! IV-D-4, so that all solvers give the same motion. Contacts continue from their last forces: in each linearisation
//! they are solved only as accurately as the linearisation deserves.
//!
//! Where links push links, where a cable is closed, and where the iteration does not converge, Newton's method makes
//! the step: it eliminates pairs exactly, while Gauss-Seidel for the pairs of a knot needs hundreds of iterations. (The
//! paper binds touching links into one subsystem, IV-D-2: see `bound`.)

pub mod linearise;
pub mod projection;
pub mod runs;
pub mod touches;

use crate::cable::contact::law::Contacting;
use crate::cable::equations::midpoint::Share;
use crate::cable::equations::part::Part;
use crate::cable::equations::scratch::StepScratch;
use crate::cable::group::step::{Island, Solved};
use crate::cable::links::Stretch;
use crate::cable::solver::Method;
use crate::cable::solver::coupled_pairs::{halfway, means};
use crate::cable::solver::newton::CLOSE;
use crate::team::{Team, share_out};

/// Maximum number of linearisations of a step; beyond that Newton's method makes it.
pub(crate) const MOST_LINEARISATIONS: u32 = 10;

/// The tolerance doubles after every this many linearisations.
pub(crate) const PATIENCE: u32 = 3;

/// Planes of contacts are updated in this many linearisations; then they stay fixed, so that the iteration converges.
pub(crate) const FRESH: u32 = 2;

/// Iterations over contacts end when they change velocities by this fraction of the tolerance.
pub(crate) const SWEPT: f64 = 0.3;

/// In the first linearisation they end at this fraction of its change, because it is not the last.
const INEXACT: f64 = 0.1;

/// Contacts that have not settled after this many iterations change their states: the next linearisation takes that
/// into account.
const STALE: u32 = 6;

impl Island<'_> {
    /// Solve a part of the step.
    pub(crate) fn sweeps(&mut self, part: &Part) -> Solved {
        let mut solved = Solved::default();
        if !self.is_touched() || self.is_coupled() {
            return self.newton(part);
        }
        self.each(|share| share.s.runs.provide(share.s.mean.len()));
        if self.is_slow(part) {
            (solved.iterations, solved.linearisations) = (1, 1);
            if self.rest(part) {
                return Solved { converged: true, ..solved };
            }
        }
        let (printed, mut last) = (self.method() == Method::Printed, f64::INFINITY);
        for n in 0..MOST_LINEARISATIONS {
            if self.around.stop.is_asked() || !self.linearise(part, n < FRESH) || self.meets(part, n < FRESH) {
                return solved;
            }
            solved.linearisations += 1;
            let swept = self.iterate(part, n, &mut solved);
            if solved.limited && !printed {
                return solved;
            }
            let Some((change, size)) = self.take(part) else { return solved };
            // convergence is at least linear: the next change will be smaller by the same ratio; the first change says
            // nothing of that
            let next = if last.is_finite() { change * (change / last).min(1.0) } else { change };
            let enough = CLOSE * f64::from(1 << (n / PATIENCE).min(16));
            if (swept && next <= enough * enough * size) || solved.limited {
                solved.converged = !self.meets(part, false);
                break;
            }
            last = change;
        }
        solved
    }

    /// Whether a contact moves two links, or a cable is closed: the factors used by the sweeps include neither.
    fn is_coupled(&mut self) -> bool {
        let mut any = self.pairs.iter().any(|p| p.state != Contacting::Open);
        self.each(|share| any |= share.links.closed || share.s.touches.iter().any(|t| t.on == Stretch::Joint));
        any
    }

    /// Whether links may touch obstacles.
    fn is_touched(&mut self) -> bool {
        let mut any = false;
        self.each(|share| any |= !share.s.touches.is_empty());
        any
    }

    /// Whether the cables may be at rest.
    fn is_slow(&mut self, part: &Part) -> bool {
        let mut all = true;
        self.each(|share| all = all && share.is_slow(part.step()));
        all
    }

    /// Set up the equations at the current velocities; with `fresh`, update the planes of contacts too. False if that
    /// fails.
    fn linearise(&mut self, part: &Part, fresh: bool) -> bool {
        if !self.assemble(part, true) {
            return false;
        }
        let (mut fine, mut team) = (true, self.team.take());
        self.each(|mut share| {
            let follows = !share.links.linear && share.s.runs.printed.is_none();
            let long = share.is_long();
            if fresh {
                share.refresh(part, team.as_deref_mut().filter(|_| long));
            } else if follows {
                share.follow();
            }
            fine &= match share.s.runs.printed {
                None => share.s.linearise(follows.then_some(part.step()), team.as_deref_mut().filter(|_| long)),
                Some(_) => share.s.linearise_printed(share.links, share.state, part.step(), team.as_deref_mut()),
            };
        });
        self.team = team;
        fine
    }

    /// Compute the forces in linearisation `n`. False if they are not accurate enough to end the step with.
    fn iterate(&mut self, part: &Part, n: u32, solved: &mut Solved) -> bool {
        let (mut limit, mut size) = (0, 0.0);
        self.each(|share| {
            limit = limit.max(share.s.runs.limit);
            size += share.progress(part.step()).size;
        });
        let settled = SWEPT * SWEPT * CLOSE * CLOSE * size;
        let printed = self.method() == Method::Printed;
        let most = if printed { limit } else { STALE };
        for iteration in 1..=most {
            if solved.iterations >= limit {
                solved.limited = true;
                break;
            }
            solved.iterations += 1;
            self.sweep();
            let (_, changed) = self.regulate(iteration);
            let coupled = self.couple_runs();
            if coupled && (printed || changed <= settled && self.meets_law()) {
                return true;
            }
            if n == 0 && coupled && changed <= INEXACT * INEXACT * self.whole() {
                return false;
            }
        }
        false
    }

    /// (15): one pass over the contacts of every run.
    fn sweep(&mut self) {
        let mut team = self.team.take();
        self.each(|share| {
            share.s.runs.begin();
            let long = share.is_long();
            match share.s.runs.printed {
                None => share.s.sweep(team.as_deref_mut().filter(|_| long)),
                Some(_) => share.s.sweep_printed(team.as_deref_mut()),
            }
        });
        self.team = team;
    }

    /// (13), unless couplings have followed contacts already. False if they still change.
    pub(crate) fn couple_runs(&mut self) -> bool {
        let (mut all, mut team) = (true, self.team.take());
        self.each(|share| all &= share.s.couple_printed(team.as_deref_mut()));
        self.team = team;
        all
    }

    /// Whether contacts act as the law requires.
    fn meets_law(&mut self) -> bool {
        let mut all = true;
        self.each(|share| all = all && share.s.runs.meets_law());
        all
    }

    /// Change of the velocities in the linearisation, weighted by inertia.
    fn whole(&mut self) -> f64 {
        let mut sum = 0.0;
        self.each(|share| sum += share.s.runs.whole(&share.links.inertia));
        sum
    }

    /// (16): bound the change by contacts. Returns the fraction of it that is kept, and the square of what is.
    pub(crate) fn regulate(&mut self, iteration: u32) -> (f64, f64) {
        let (mut kept, mut changed): (f64, f64) = (1.0, 0.0);
        self.each(|share| {
            let here = share.s.runs.changed(&share.links.inertia);
            changed += here;
            kept = kept.min(share.s.runs.regulation(iteration, here));
        });
        if kept < 1.0 {
            self.each(|share| share.s.runs.shorten(kept));
        }
        (kept, kept * kept * changed)
    }

    /// Take over velocities and forces. Returns the change and the scale it is compared with.
    fn take(&mut self, part: &Part) -> Option<(f64, f64)> {
        let (mut change, mut size) = (0.0, 0.0);
        self.each(|mut share| {
            let s = &mut *share.s;
            s.change.copy_from_slice(&s.runs.change);
            for (touch, touched) in s.touches.iter_mut().zip(&s.runs.touched) {
                touch.take(&touched.local);
            }
            let progress = share.progress(part.step());
            change += progress.change;
            size += progress.size;
            // `change` is what Newton's method subtracts
            share.go(-1.0);
        });
        change.is_finite().then_some((change, size))
    }

    /// Whether links push links; with `fresh`, nearest points are updated.
    fn meets(&mut self, part: &Part, fresh: bool) -> bool {
        let mut any = false;
        for pair in self.pairs.iter_mut() {
            let Some(means) = means((self.bodies, self.first), pair) else { continue };
            if let (true, Some(sides)) = (fresh, halfway((self.bodies, self.first), pair)) {
                pair.refresh(sides, &means, part);
            }
            any |= pair.state != Contacting::Open || pair.reply(&means).force != [0.0; 3];
        }
        any
    }
}

impl Share<'_> {
    /// Let contacts follow their links at the current velocities, on the same planes.
    fn follow(&mut self) {
        let StepScratch { touches, middle, mean, .. } = &mut *self.s;
        touches.iter_mut().for_each(|touch| touch.follow(self.links.radius, middle, mean));
    }

    /// Update the planes of contacts for the current velocities.
    pub(crate) fn refresh(&mut self, part: &Part, team: Option<&mut Team>) {
        let Share { links, acting, s, .. } = self;
        let search = crate::cable::equations::midpoint::search(links, acting, part);
        let StepScratch { touches, middle, mean, .. } = &mut **s;
        let half = touches.len() / 2;
        let (low, high) = touches.split_at_mut(half);
        share_out(team, &mut [low, high], |touches| {
            touches.iter_mut().for_each(|touch| search.refresh(touch, middle, mean));
        });
    }
}
