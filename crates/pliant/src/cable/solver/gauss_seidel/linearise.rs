//! The equations of a step for the iteration over contacts: linearised, factored, and solved for the current forces.

use crate::cable::algebra::block::add_scaled;
use crate::cable::algebra::inverse::InverseDiagonal;
use crate::cable::contact::law::add_slope;
use crate::cable::equations::midpoint::StepScratch;
use crate::cable::solver::gauss_seidel::touches::{Sweeping, SweptTouch, Yielding};

impl StepScratch {
    /// Prepare the runs for the current equations, with the known contact forces, whose moments change in a step of this
    /// size as links turn. False if the matrix is singular.
    pub fn linearise(&mut self, turns: Option<f64>) -> bool {
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
        if !matrix.factor() {
            return false;
        }
        if let (Some(first), Some(last)) = (r.touched.first(), r.touched.last()) {
            let of = [first.link, last.link + 1];
            let (right, below, factors) = (&matrix.right[..], &matrix.below[..], &matrix.factors[..]);
            matrix.kernel.run(InverseDiagonal { right, below, factors, of, answers: &mut r.answers });
            matrix.kernel.run(Yielding { answers: &r.answers, touched: &mut r.touched });
        }
        self.settle_couplings();
        true
    }

    /// One iteration over contacts.
    pub fn sweep(&mut self) {
        let StepScratch { matrix, runs: r, .. } = self;
        let (factors, bounds, change) = (&matrix.factors[..], &r.bounds[..], &r.change[..]);
        matrix.kernel.run(Sweeping { factors, bounds, change, touched: &mut r.touched });
        for t in &r.touched {
            for k in 0..3 {
                add_scaled(&mut r.pushes[t.link], t.held[k] - t.old[k], &t.rows[k]);
            }
        }
        self.settle_couplings();
    }

    /// Let couplings follow contacts: velocities at the current forces, S y = U - C f and (9) at once.
    pub fn settle_couplings(&mut self) {
        self.runs.change.copy_from_slice(&self.runs.pushes);
        self.matrix.solve(&mut self.runs.change);
    }
}
