//! The linear step of the paper: its equations of motion linearised once, at the start of the step.
//!
//! (1), (2) and (5), with their misprints corrected, are the equations of `midpoint` linearised at V = 0,
//!
//!   (2 M / T + C + J^T K J (T/2 + d) + G T/2) V = 2 M V_0 / T - J^T K e_0 + F + J_c^T f,
//!
//! everything taken at the start of the step; C V = V x (I V_0) does no work. (G of a clamp omits the part of its
//! moment, as in the tangent of the midpoint step, where it is not needed: with a clamp the linear step is of order
//! one.) The step yields two different strains: that of (4), e_0 + T/2 J V, and that of the links after they have
//! moved. They differ by the square of the angle a link turns by, which is energy that comes from nowhere.
//!
//! G, the derivative of J^T K e_0 with the links, is part of the Hessian in (2), but left out in (4). Without it a
//! cable with tension N is not passive: its waves of wave number k, whose stiffness is N k^2, are driven by the force
//! at the start of the step, as by a damping of -T/2 N k^2, and grow like exp(N k^2 T t / (4 rho A)), for 1 N and 1 ms
//! by far more than tenfold a second.

use crate::cable::algebra::block::{Mat6, Vec6, ZERO, add_scaled, times, times_transposed};
use crate::cable::equations::assembly::place;
use crate::cable::equations::midpoint::Share;
use crate::cable::equations::part::Part;
use crate::cable::joint::{Joint, Turning, strain};
use crate::math::Vec3;

/// The equations without contact: their residual at V = 0, and the diagonal blocks of their matrix, which contact
/// changes.
#[derive(Clone, Debug, Default)]
pub struct Linear {
    residual: Vec<Vec6>,
    diagonal: Vec<Mat6>,
}

impl Linear {
    /// Zeros, for this number of links.
    pub fn new(links: usize) -> Linear {
        Linear { residual: vec![[0.0; 6]; links], diagonal: vec![ZERO; links] }
    }
}

impl Share<'_> {
    /// Linearise the equations at the start of the step.
    pub fn linearise(&mut self, part: &Part) {
        self.s.mean.fill([0.0; 6]);
        // twice, because the tangent uses the load where it was last evaluated
        self.assemble_whole(part, true, None);
        self.assemble_whole(part, true, None);
        let s = &mut *self.s;
        s.linear.residual.copy_from_slice(&s.residual);
        s.linear.diagonal.copy_from_slice(&s.matrix.diagonal);
        for (block, v) in s.linear.diagonal.iter_mut().zip(&self.state.velocities) {
            let [x, y, z] = [3, 4, 5].map(|k| self.links.inertia[k] * v[k]);
            for (r, c, l) in [(4, 5, x), (5, 3, y), (3, 4, z)] {
                block[r][c] += l;
                block[c][r] -= l;
            }
        }
    }

    /// Residual at the current mean velocities, and matrix, without contact. False if a link turns farther than a step
    /// can follow.
    pub fn assemble_linear(&mut self, part: &Part) -> bool {
        let s = &mut *self.s;
        s.residual.copy_from_slice(&s.linear.residual);
        s.matrix.diagonal.copy_from_slice(&s.linear.diagonal);
        for (i, v) in s.mean.iter().enumerate() {
            add_scaled(&mut s.residual[i], 1.0, &times(&s.matrix.diagonal[i], v));
            // in a closed cable the last link comes before the first
            let (before, next) = (if i > 0 { i } else { s.mean.len() } - 1, (i + 1) % s.mean.len());
            if let Some(right) = s.matrix.right.get(before) {
                add_scaled(&mut s.residual[before], 1.0, &times(right, v));
            }
            if let Some(below) = s.matrix.below.get(i) {
                add_scaled(&mut s.residual[next], 1.0, &times(below, v));
            }
        }
        // the contact search needs the poses of the links
        place(part.step(), s, None);
        s.rows.placed
    }

    /// Loads of joints and holds at the mean velocities: (4), K (e_0 + (T/2 + d) J V), including the damping of joints.
    pub fn linear_loads(&mut self, part: &Part) {
        let Share { links, state, acting, s } = self;
        let (half, arms) = (0.5 * part.step(), links.arms());
        for (i, load) in s.part_loads.iter_mut().enumerate() {
            let next = (i + 1) % state.poses.len();
            let (a, b) = (&state.poses[i], &state.poses[next]);
            let (joint, start) = (Joint::new(a, b, arms), strain(a, b, arms));
            let mut rate = times(&joint.by_a, &s.mean[i]);
            add_scaled(&mut rate, 1.0, &times(&joint.by_b, &s.mean[next]));
            let ahead = half + links.damping_time;
            *load = std::array::from_fn(|k| links.stiffness[k] * (start[k] - links.rest[i][k] + ahead * rate[k]));
        }
        for (n, held) in acting.held.iter().enumerate() {
            let (poses, at) = (&s.held_poses[n], &state.poses[held.link]);
            let hand = Turning { start: &poses[0], middle: &poses[1], end: &poses[2], turn: Vec3::ZERO };
            let link = Turning { start: at, middle: at, end: at, turn: Vec3::ZERO };
            let joint = Joint::of_step(&hand, &link, held.arms());
            let (start, end) = (s.held_bias[n], strain(&poses[2], at, held.arms()));
            // the gripper moves too: the strain at the end changes with the link from there
            let rate = times(&Joint::new(&poses[2], at, held.arms()).by_b, &s.mean[held.link]);
            let load: Vec6 = std::array::from_fn(|k| held.stiffness[k] * (0.5 * (start[k] + end[k]) + half * rate[k]));
            let back = times_transposed(&joint.by_a, &load);
            let [force, torque] = [0, 3].map(|k| -Vec3::new(back[k], back[k + 1], back[k + 2]));
            s.part_held_loads[n] = (force, poses[1].rotation * torque);
        }
    }
}
