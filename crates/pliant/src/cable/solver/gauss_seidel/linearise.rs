//! The equations of a step for the iteration over contacts: linearised, factored, and solved for the current forces.

use crate::cable::algebra::block::{Mat6, Vec6, add_scaled};
use crate::cable::algebra::inverse::{InverseDiagonal, InverseHalf};
use crate::cable::contact::law::add_slope;
use crate::cable::contact::touch::Touch;
use crate::cable::equations::scratch::StepScratch;
use crate::cable::solver::gauss_seidel::touches::{Sweeping, SweptTouch, Yielding};
use crate::math::Pose;
use crate::team::{Team, share_out};

/// Some links in a row and their contacts, which the iteration begins with.
struct Laid<'a> {
    /// Index of the first of the links.
    first: usize,
    touches: &'a [Touch],
    touched: &'a mut [SweptTouch],
    diagonal: &'a mut [Mat6],
    pushes: &'a mut [Vec6],
    /// Residual.
    left: &'a [Vec6],
}

impl Laid<'_> {
    fn lay(&mut self, turns: Option<f64>, middle: &[Pose], mean: &[Vec6]) {
        for (push, left) in self.pushes.iter_mut().zip(self.left) {
            *push = left.map(|x| -x);
        }
        for (touch, laid) in self.touches.iter().zip(self.touched.iter_mut()) {
            let slope = touch.expected_slope(mean);
            let touched = SweptTouch::new(touch.link, touch.rows, slope, touch.local(mean));
            let (block, push) =
                (&mut self.diagonal[touch.link - self.first], &mut self.pushes[touch.link - self.first]);
            if let Some(step) = turns.filter(|_| touched.local.force != [0.0; 3]) {
                touch.add_moment(&touched.local.force, step, middle, mean, block);
            }
            if slope != [[0.0; 3]; 3] {
                add_slope(block, &touch.rows, &slope, &touch.rows);
            }
            let pushes = touched.pushes();
            for k in 0..3 {
                add_scaled(push, pushes[k], &touch.rows[k]);
            }
            *laid = touched;
        }
    }
}

impl StepScratch {
    /// Prepare the runs for the current equations, with the known contact forces, whose moments change in a step of this
    /// size as links turn. False if the matrix is singular.
    pub fn linearise(&mut self, turns: Option<f64>, mut team: Option<&mut Team>) -> bool {
        let StepScratch { matrix, residual, mean, middle, touches, runs: r, .. } = self;
        // what was there is overwritten
        r.touched.truncate(touches.len());
        for touch in &touches[r.touched.len()..] {
            r.touched.push(SweptTouch::new(touch.link, touch.rows, [[0.0; 3]; 3], touch.local(mean)));
        }
        // the contacts of each half of the links
        let cut = residual.len() / 2;
        let (touches, at) = (&touches[..], touches.partition_point(|touch| touch.link < cut));
        let (touched, blocks) = (r.touched.split_at_mut(at), matrix.diagonal.split_at_mut(cut));
        let (pushes, left) = (r.pushes.split_at_mut(cut), residual.split_at(cut));
        let half =
            |first, touches, touched, diagonal, pushes, left| Laid { first, touches, touched, diagonal, pushes, left };
        let mut halves = [
            half(0, &touches[..at], touched.0, blocks.0, pushes.0, left.0),
            half(cut, &touches[at..], touched.1, blocks.1, pushes.1, left.1),
        ];
        share_out(team.as_deref_mut(), &mut halves, |half| half.lay(turns, middle, mean));
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
        let (touched, pushes) = (r.touched.split_at_mut(at), r.pushes.split_at_mut(bounds[cut]));
        let mut halves = [(&bounds[..=cut], touched.0, pushes.0), (&bounds[cut..], touched.1, pushes.1)];
        share_out(team.as_deref_mut(), &mut halves, |(bounds, touched, pushes)| {
            kernel.run(Sweeping { factors, bounds, change, touched });
            for t in touched.iter() {
                for k in 0..3 {
                    add_scaled(&mut pushes[t.link - bounds[0]], t.held[k] - t.old[k], &t.rows[k]);
                }
            }
        });
        self.settle_couplings(team);
    }

    /// Let couplings follow contacts: velocities at the current forces, S y = U - C f and (9) at once.
    pub fn settle_couplings(&mut self, team: Option<&mut Team>) {
        self.runs.change.copy_from_slice(&self.runs.pushes);
        self.matrix.solve_on(&mut self.runs.change, team);
    }
}
