//! Solvers for the equations of a step.

pub mod bound;
pub mod coupled_pairs;
pub mod coupling;
pub mod gauss_seidel;
pub mod halt;
pub mod hands;
pub mod iterated;
pub mod leans;
pub mod newton;
pub mod printed;
#[cfg(test)]
mod referee;

use crate::cable::equations::part::Part;
use crate::cable::group::step::{Island, Solved};
use crate::cable::params::{CableSettings, Couplings, Pairs, Solver};

/// Solution methods; cables that are solved together use the last one that any of them requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Newton's method, with contact as part of the equations.
    #[default]
    Newton,
    /// Projected Gauss-Seidel over contacts, with couplings that follow exactly.
    GaussSeidel,
    /// Projected Gauss-Seidel over contacts, with couplings as printed in the paper.
    Printed,
}

impl Method {
    /// The method for the settings of a cable.
    pub fn of(settings: &CableSettings) -> Method {
        match (settings.solver, settings.couplings) {
            (Solver::Newton, _) => Method::Newton,
            (Solver::Subsystems, Couplings::Printed) => Method::Printed,
            _ => Method::GaussSeidel,
        }
    }
}

impl Island<'_> {
    /// The method for its step.
    pub fn method(&mut self) -> Method {
        let mut method = Method::Newton;
        let mut slides = false;
        self.each(|share| {
            method = method.max(share.links.method);
            slides |= share.acting.held.iter().any(|h| h.slips_at.is_finite());
        });
        // sweeps assume linear holds that nothing moves back
        if slides || !self.arms.is_empty() { Method::Newton } else { method }
    }

    /// How links that push links are solved.
    pub fn way_of_pairs(&mut self) -> Pairs {
        let (mut way, mut closed) = (Pairs::Factored, false);
        self.each(|share| {
            way = way.max(share.links.pairs);
            closed |= share.links.closed;
        });
        if way == Pairs::Bound && closed { Pairs::Factored } else { way }
    }

    /// Solve a part of the step that has been prepared.
    pub fn solve_part(&mut self, part: &Part) -> Solved {
        match self.method() {
            Method::Newton => self.newton(part),
            method @ (Method::GaussSeidel | Method::Printed) => {
                let binds = !self.pairs.is_empty() && self.way_of_pairs() == Pairs::Bound;
                let swept = if binds { self.sweeps_bound(part) } else { self.sweeps(part) };
                // as printed there is no other way than a shorter step
                if swept.converged || binds && method == Method::Printed {
                    return swept;
                }
                self.begin(part);
                swept.and(self.newton(part))
            }
        }
    }
}
