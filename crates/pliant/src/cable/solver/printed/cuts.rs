//! Cuts between runs of a cable: the coupling of two neighbours, (9) to (13) of the paper, derived again.
//!
//! A joint's load changes by K y, y = Q_a V_a + Q_b V_b, with the velocities of the adjacent links a and b: the printed
//! (10) has a minus in the middle, which agrees with (9) only if one of the Jacobians has the opposite sign. Q is (T/2)
//! J at the end of the step and the damping time times J of the whole step. Without its joint the matrix of a run is
//! its own, A_i, and
//!
//!   A_i V_i = b_i - P_a y_i - P_b y_{i-1},
//!
//! where P_a, P_b are chosen so that nothing is lost: P_a Q_b and P_b Q_a are the off-diagonal blocks, P_a Q_a and P_b
//! Q_b what the diagonal loses. (P = J^T K would be the paper's; it drops the change of J with the load, which in a
//! tight cable outweighs inertia.) Substituted into y, these give (11) to (13), S y = U - C f: the paper's lambda_cp is
//! K y, which makes no difference to block Gauss-Seidel, and its "lambda_cp = -S^-1 U" without contact is +S^-1 U.

use crate::cable::algebra::block::{Mat6, Vec6, ZERO, add_scaled, times};
use crate::cable::equations::assembly::trivialised;
use crate::cable::joint::{Joint, Turning};
use crate::cable::links::Links;
use crate::cable::solver::printed::answers::{inverse, product};
use crate::math::{Pose, Vec3};

/// A joint at which a cable is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The link before it; the next one is after it.
    pub link: usize,
    /// Q_a and Q_b: change of the joint's strain per velocity of the adjacent links.
    pub strains: [Mat6; 2],
    /// P_a and P_b: force on the links per such change.
    pub pushes: [Mat6; 2],
    /// Inverse of the diagonal block of S.
    pub inverse: Mat6,
    /// y: change of the joint's strain by the velocities found.
    pub y: Vec6,
}

/// A link's motion in a step.
pub struct Motion<'a> {
    /// Poses at the start, in the middle and at the end.
    pub poses: [&'a Pose; 3],
    /// Mean velocity.
    pub mean: &'a Vec6,
}

impl Cut {
    /// A cut after a link.
    pub fn new(link: usize) -> Cut {
        Cut { link, strains: [ZERO; 2], pushes: [ZERO; 2], inverse: ZERO, y: [0.0; 6] }
    }

    /// Cut the joint between two links: subtract its contribution from the diagonal blocks. False if the joint is so
    /// far out of place that its motion cannot be derived from its strain.
    pub fn cut(
        &mut self,
        links: &Links,
        motions: [Motion<'_>; 2],
        step: f64,
        [right, below]: [&Mat6; 2],
        diagonal: [&mut Mat6; 2],
    ) -> bool {
        let [a, b] = [&motions[0], &motions[1]].map(|m| {
            let turn = Vec3::new(m.mean[3], m.mean[4], m.mean[5]) * step;
            Turning { start: m.poses[0], middle: m.poses[1], end: m.poses[2], turn }
        });
        let (whole, end) = (Joint::of_step(&a, &b, links.arms()), Joint::new(a.end, b.end, links.arms()));
        for (n, (at_end, over)) in [(&end.by_a, &whole.by_a), (&end.by_b, &whole.by_b)].into_iter().enumerate() {
            let mut q = trivialised(at_end, motions[n].mean, step);
            for r in 0..6 {
                q[r] = q[r].map(|x| 0.5 * step * x);
                add_scaled(&mut q[r], links.damping(step), &over[r]);
            }
            self.strains[n] = q;
        }
        let [Some(of_a), Some(of_b)] = [inverse(&self.strains[0]), inverse(&self.strains[1])] else { return false };
        self.pushes = [product(right, &of_b), product(below, &of_a)];
        for (n, block) in diagonal.into_iter().enumerate() {
            let part = product(&self.pushes[n], &self.strains[n]);
            for r in 0..6 {
                add_scaled(&mut block[r], -1.0, &part[r]);
            }
        }
        self.y = [0.0; 6];
        true
    }

    /// Compute the diagonal block of S, from the responses of the adjacent links (by columns). False if it is singular.
    pub fn close(&mut self, answers: [&Mat6; 2]) -> bool {
        let mut s: Mat6 = std::array::from_fn(|r| std::array::from_fn(|c| if r == c { 1.0 } else { 0.0 }));
        for n in 0..2 {
            let part = product(&self.strains[n], &product(&transposed(answers[n]), &self.pushes[n]));
            for r in 0..6 {
                add_scaled(&mut s[r], 1.0, &part[r]);
            }
        }
        let inverse = inverse(&s);
        self.inverse = inverse.unwrap_or(ZERO);
        inverse.is_some()
    }

    /// Change of the joint's strain by velocities of the adjacent links.
    pub fn strain(&self, velocities: [&Vec6; 2]) -> Vec6 {
        let [a, b] = [times(&self.strains[0], velocities[0]), times(&self.strains[1], velocities[1])];
        std::array::from_fn(|k| a[k] + b[k])
    }
}

fn transposed(m: &Mat6) -> Mat6 {
    std::array::from_fn(|r| std::array::from_fn(|c| m[c][r]))
}
