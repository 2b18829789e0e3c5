//! The equations of a step for the iteration over contacts: linearised, factored, and solved for the current forces.

use crate::cable::algebra::block::add_scaled;
use crate::cable::algebra::inverse::{InverseDiagonal, InverseHalf};
use crate::cable::contact::law::add_slope;
use crate::cable::equations::midpoint::StepScratch;
use crate::cable::solver::gauss_seidel::touches::{Sweeping, SweptTouch, Yielding};
use crate::team::{Team, share_out};

impl StepScratch {
    /// Prepare the runs for the current equations, with the known contact forces, whose moments change in a step of this
    /// size as links turn. False if the matrix is singular.
    pub fn linearise(&mut self, turns: Option<f64>, mut team: Option<&mut Team>) -> bool {
        let StepScratch { matrix, residual, mean, middle, touches, runs: r, .. } = self;
        for (push, left) in r.pushes.iter_mut().zip(residual.iter()) {
            *push = left.map(|x| -x);
        }
        r.touched.clear();
        for touch in touches.iter() {
            let slope = touch.expected_slope(mean);
            let touched = SweptTouch::new(touch.link, touch.rows, slope, touch.local(mean));
            if let Some(step) = turns.filter(|_| touched.local.force != [0.0; 3]) {
                touch.add_moment(&touched.local.force, step, middle, mean, matrix);
            }
            if slope != [[0.0; 3]; 3] {
                add_slope(&mut matrix.diagonal[touch.link], &touch.rows, &slope, &touch.rows);
            }
            let pushes = touched.pushes();
            for k in 0..3 {
                add_scaled(&mut r.pushes[touch.link], pushes[k], &touch.rows[k]);
            }
            r.touched.push(touched);
        }
        if !matrix.factor_on(team.as_deref_mut()) {
            return false;
        }
        if let (Some(first), Some(last)) = (r.touched.first(), r.touched.last()) {
            let of = [first.link, last.link + 1];
            let (right, below, factors) = (&matrix.right[..], &matrix.below[..], &matrix.factors[..]);
            let kernel = matrix.kernel;
            if let Some(team) = &mut team {
                let middle = factors.len() / 2;
                r.answers[middle] = factors[middle].inverse;
                let (low, rest) = r.answers.split_at_mut(middle);
                let Some((center, high)) = rest.split_first_mut() else { return false };
                let half = |across, answers, until, back| InverseHalf {
                    across,
                    factors,
                    middle: *center,
                    until,
                    answers,
                    back,
                };
                let mut halves = [half(below, low, of[0], false), half(right, high, of[1] - 1, true)];
                team.each(&mut halves, |half| kernel.run(half));
            } else {
                kernel.run(InverseDiagonal { right, below, factors, of, answers: &mut r.answers });
            }
            let answers = &r.answers[..];
            let half = r.touched.len() / 2;
            let (low, high) = r.touched.split_at_mut(half);
            share_out(team.as_deref_mut(), &mut [low, high], |touched| kernel.run(Yielding { answers, touched }));
        }
        self.settle_couplings(team);
        true
    }

    /// One iteration over contacts.
    pub fn sweep(&mut self, mut team: Option<&mut Team>) {
        let StepScratch { matrix, runs: r, .. } = self;
        let (factors, bounds, change, kernel) = (&matrix.factors[..], &r.bounds[..], &r.change[..], matrix.kernel);
        // the runs whose contacts are one half of all
        let half = r.touched.get(r.touched.len() / 2).map_or(0, |t| t.link);
        let cut = bounds.partition_point(|&link| link <= half).clamp(1, bounds.len()) - 1;
        let at = r.touched.partition_point(|t| t.link < bounds[cut]);
        let (low, high) = r.touched.split_at_mut(at);
        share_out(team.as_deref_mut(), &mut [(&bounds[..=cut], low), (&bounds[cut..], high)], |(bounds, touched)| {
            kernel.run(Sweeping { factors, bounds, change, touched });
        });
        for t in &r.touched {
            for k in 0..3 {
                add_scaled(&mut r.pushes[t.link], t.held[k] - t.old[k], &t.rows[k]);
            }
        }
        self.settle_couplings(team);
    }

    /// Let couplings follow contacts: velocities at the current forces, S y = U - C f and (9) at once.
    pub fn settle_couplings(&mut self, team: Option<&mut Team>) {
        self.runs.change.copy_from_slice(&self.runs.pushes);
        self.matrix.solve_on(&mut self.runs.change, team);
    }
}
