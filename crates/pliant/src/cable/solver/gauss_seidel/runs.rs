//! Runs of links whose contacts are solved separately, and the couplings between runs: the parts of Algorithm 1 of the
//! paper. A cable in one run is its direct solver.
//!
//! Two things differ from print, both because a taut cable is axially stiff, and within 10 ms a force propagates along
//! all of it. As printed, one pass of block Gauss-Seidel over couplings (13) keeps about cos^2(pi / runs) of an error
//! in each iteration, and contacts that assume constant forces of the others (15) undo each other's work: thousands of
//! iterations per step for a taut cable on a drum. (That version is in `printed`, for comparison.)
//!
//! - Couplings follow contacts exactly, S y = U - C f: with all forces given the cable is one block-tridiagonal system,
//!   whose factors cost less than those of the runs and of S. Runs only divide the contacts: each run is solved with
//!   the velocities that the others had an iteration before.
//! - Each contact assumes that the others keep their states. With D the slope of a contact's force (see
//!   `contact::law`: rho if it sticks, zero if it slides) the unknown is g = f + D u in place of f, so that
//!
//!     (A + J^T D J) V = b + J^T (g - D u_0),     u = u_0 + J V,     f = g - D u.
//!
//!   A change dg of one contact moves it by du = W dg, W a block of J (A + J^T D J)^-1 J^T, which in terms of its force
//!   df = dg - D du is du = (1 - W D)^-1 W df: the operator in its projection. Where everything sticks, W is nearly
//!   diagonal and a single sweep nearly exact; where D is wrong, because a contact begins to slide, the iteration is
//!   that of the paper among such contacts, and the next linearisation has the right D. The solution does not depend
//!   on D.

use crate::cable::algebra::block::{Vec6, add_scaled, dot, squares};
use crate::cable::algebra::elimination::Wide6;
use crate::cable::contact::law::UNMET;
use crate::cable::params::{CableSettings, Couplings, Pairs, Regulation, Solver};
use crate::cable::solver::gauss_seidel::touches::SweptTouch;
use crate::cable::solver::printed::Printed;

/// The runs of a cable, and their working memory.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// First link of each run, and the end of the last.
    pub bounds: Vec<usize>,
    /// Response of links to forces on them.
    pub answers: Vec<Wide6>,
    /// Right-hand side: residual and contact forces.
    pub pushes: Vec<Vec6>,
    old: Vec<Vec6>,
    /// Change of the mean velocities in the linearised equations.
    pub change: Vec<Vec6>,
    /// Contacts in the order of links.
    pub touched: Vec<SweptTouch>,
    /// Separate runs, for couplings as printed.
    pub printed: Option<Printed>,
    /// Division of the cable where links push links, for the solver that binds them.
    pub bound: Option<Printed>,
    /// Limit of iterations in a step.
    pub limit: u32,
    regulated: bool,
    regulation: Regulation,
    /// Square of the first change in (16).
    first: f64,
}

/// alpha of (16) unless given. A linearisation has few iterations, hence a bound that decreases fast.
const ALPHA: f64 = 0.8;
/// The same where couplings lag behind and contacts take long to settle: a bound that decreases fast would freeze them
/// before.
const PRINTED_ALPHA: f64 = 0.97;

impl Runs {
    /// Runs for a number of links; none for a solver that needs no runs.
    pub fn new(count: usize, settings: &CableSettings) -> Runs {
        let runs = match settings.solver {
            Solver::Newton => return Runs::default(),
            Solver::Direct => 1,
            Solver::Subsystems => settings.subsystems.min(count / 2).max(1),
        };
        let mut out = Runs::with(count, runs, settings.iterations, settings.post_regulation && runs > 1);
        out.regulation = settings.regulation;
        if runs > 1 && settings.couplings == Couplings::Printed {
            out.printed = Some(Printed::ending(&out.bounds, settings.epsilon));
        }
        if settings.pairs == Pairs::Bound {
            out.bound = Some(Printed::new(&[0, count]));
        }
        out
    }

    /// A given number of runs.
    pub fn with(count: usize, runs: usize, limit: u32, regulated: bool) -> Runs {
        let zeros = vec![[0.0; 6]; count];
        Runs {
            bounds: (0..=runs).map(|n| n * count / runs).collect(),
            answers: vec![Wide6::default(); count],
            pushes: zeros.clone(),
            old: zeros.clone(),
            change: zeros,
            limit,
            regulated,
            ..Runs::default()
        }
    }

    /// See `StepScratch::exchange`.
    pub fn exchange(&mut self, other: &mut Runs) {
        use std::mem::swap;
        if self.change.len() == other.change.len() {
            swap(&mut self.answers, &mut other.answers);
            swap(&mut self.pushes, &mut other.pushes);
            swap(&mut self.old, &mut other.old);
            swap(&mut self.change, &mut other.change);
            swap(&mut self.touched, &mut other.touched);
        }
    }

    /// Preallocate for contacts.
    pub fn reserve(&mut self, touches: usize) {
        self.touched.reserve(touches);
    }

    /// Provide a single run, for a cable with another solver that is solved together with one that needs runs.
    pub fn provide(&mut self, count: usize) {
        if self.bounds.is_empty() {
            *self = Runs::with(count, 1, 0, false);
        }
    }

    /// Begin an iteration.
    pub fn begin(&mut self) {
        self.old.copy_from_slice(&self.change);
        for touched in &mut self.touched {
            touched.old = touched.held;
            touched.local.old = touched.local.force;
        }
    }

    /// Change of the velocities in the iteration: sum of squares, weighted by inertia.
    pub fn changed(&self, inertia: &Vec6) -> f64 {
        let of = |(v, old): (&Vec6, &Vec6)| (0..6).map(|k| inertia[k] * (v[k] - old[k]) * (v[k] - old[k])).sum::<f64>();
        self.change.iter().zip(&self.old).map(of).sum()
    }

    /// Whether the forces that act at the velocities found are those that the law requires.
    pub fn meets_law(&self) -> bool {
        let of = self.touched.iter().map(|t| t.unmet(&self.change[t.link]));
        let [unmet, all] = of.fold([0.0; 2], |sum, more| [sum[0] + more[0], sum[1] + more[1]]);
        unmet <= UNMET * UNMET * all
    }

    /// Change of the velocities in the whole linearisation: sum of squares, weighted by inertia.
    pub fn whole(&self, inertia: &Vec6) -> f64 {
        dot(inertia, &squares(&self.change))
    }

    /// (16): the fraction of a change that is kept. The paper drops the whole of a change that is too large, which may
    /// then never be made up for; keeping a part is equally bounded, and no contact is frozen. C f is here the velocity
    /// of every link.
    pub fn regulation(&mut self, iteration: u32, changed: f64) -> f64 {
        if iteration == 1 {
            self.first = changed;
        }
        let Regulation { xi, alpha, rejects } = self.regulation;
        let alpha = alpha.unwrap_or(if self.printed.is_some() { PRINTED_ALPHA } else { ALPHA });
        let bound = xi * alpha.powi(iteration as i32 - 1) * self.first.sqrt();
        match self.regulated && changed > bound * bound {
            true if rejects => 0.0,
            true => bound / changed.sqrt(),
            false => 1.0,
        }
    }

    /// Take back part of the change by contacts in the iteration.
    pub fn shorten(&mut self, kept: f64) {
        for (v, old) in self.change.iter_mut().zip(&self.old) {
            *v = std::array::from_fn(|k| old[k] + kept * (v[k] - old[k]));
        }
        for t in &mut self.touched {
            for k in 0..3 {
                let back = (1.0 - kept) * (t.held[k] - t.old[k]);
                t.held[k] -= back;
                add_scaled(&mut self.pushes[t.link], -back, &t.rows[k]);
            }
            t.local.shorten(kept);
        }
    }
}
