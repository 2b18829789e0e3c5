//! The equations of one step, link by link and joint by joint: residual and tangent. See `step` for what they are.

use super::block::{Mat6, Vec6, add_scaled, add_weighted, times, times_transposed};
use super::joint::{Joint, Turning, strain};
use super::step::{LinkState, Links, StepScratch};
use crate::math::{Pose, Quat, Vec3};

/// Poses half a step and a step on at the mean velocities.
pub fn place(state: &LinkState, step: f64, scratch: &mut StepScratch) {
    for (i, pose) in state.poses.iter().enumerate() {
        scratch.middle[i] = moved(pose, &scratch.mean[i], 0.5 * step);
        scratch.end[i] = moved(pose, &scratch.mean[i], step);
    }
}

fn moved(pose: &Pose, velocity: &Vec6, time: f64) -> Pose {
    let linear = Vec3::new(velocity[0], velocity[1], velocity[2]);
    let angular = Vec3::new(velocity[3], velocity[4], velocity[5]);
    let turn = pose.rotation * Quat::from_scaled_axis(angular * time);
    Pose::from_parts(pose.translation + linear * time, turn.normalize())
}

/// Residual and tangent of links and joints at the mean velocities at hand.
pub fn assemble_links(links: &Links, state: &LinkState, gravity: Vec3, step: f64, s: &mut StepScratch) {
    let count = state.poses.len();
    let arms = links.arms();
    s.matrix.clear();
    for i in 0..count {
        let (mean, start) = (&s.mean[i], &state.velocities[i]);
        for k in 0..6 {
            let drag = if k < 3 { links.drag * links.inertia[k] } else { 0.0 };
            s.matrix.diagonal[i][k][k] = 2.0 * links.inertia[k] / step + drag;
            s.residual[i][k] = 2.0 * links.inertia[k] * (mean[k] - start[k]) / step + drag * mean[k];
        }
        // C V: the gyroscopic torque, which does no work
        let spin = Vec3::new(mean[3], mean[4], mean[5]);
        let momentum = Vec3::new(links.inertia[3] * spin.x, links.inertia[4] * spin.y, links.inertia[5] * spin.z);
        let gyroscopic = spin.cross(momentum);
        for k in 0..3 {
            s.residual[i][k] -= links.inertia[k] * gravity[k];
            s.residual[i][k + 3] += gyroscopic[k];
        }
    }
    for i in 0..count - 1 {
        let turning = |i: usize| Turning {
            start: &state.poses[i],
            middle: &s.middle[i],
            end: &s.end[i],
            turn: Vec3::new(s.mean[i][3], s.mean[i][4], s.mean[i][5]) * step,
        };
        let joint = Joint::of_step(&turning(i), &turning(i + 1), arms);
        let mut rate = times(&joint.by_a, &s.mean[i]);
        add_scaled(&mut rate, 1.0, &times(&joint.by_b, &s.mean[i + 1]));
        let end = strain(&s.end[i], &s.end[i + 1], arms);
        let load = load_of(&links.stiffness, links.damping_time, &s.strains[i], &end, &rate);
        s.part_loads[i] = load;
        add_scaled(&mut s.residual[i], 1.0, &times_transposed(&joint.by_a, &load));
        add_scaled(&mut s.residual[i + 1], 1.0, &times_transposed(&joint.by_b, &load));
        // how the load changes: K T/2 times the rate at the end of the step, and the damping at its middle
        let at_end = Joint::new(&s.end[i], &s.end[i + 1], arms);
        let (k, d) = (links.stiffness.map(|k| 0.5 * step * k), links.stiffness.map(|k| k * links.damping_time));
        let by_a = load_change(&k, &trivialised(&at_end.by_a, &s.mean[i], step), &d, &joint.by_a);
        let by_b = load_change(&k, &trivialised(&at_end.by_b, &s.mean[i + 1], step), &d, &joint.by_b);
        add_weighted(&mut s.matrix.diagonal[i], &joint.by_a, &[1.0; 6], &by_a);
        add_weighted(&mut s.matrix.right[i], &joint.by_a, &[1.0; 6], &by_b);
        add_weighted(&mut s.matrix.below[i], &joint.by_b, &[1.0; 6], &by_a);
        add_weighted(&mut s.matrix.diagonal[i + 1], &joint.by_b, &[1.0; 6], &by_b);
        let [aa, ab, ba, bb] = joint.geometric(Vec3::new(load[0], load[1], load[2]));
        for r in 0..6 {
            add_scaled(&mut s.matrix.diagonal[i][r], 0.5 * step, &aa[r]);
            add_scaled(&mut s.matrix.right[i][r], 0.5 * step, &ab[r]);
            add_scaled(&mut s.matrix.below[i][r], 0.5 * step, &ba[r]);
            add_scaled(&mut s.matrix.diagonal[i + 1][r], 0.5 * step, &bb[r]);
        }
        let [aa, ab, ba, bb] = joint.of_moment(Vec3::new(load[3], load[4], load[5]));
        for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
            s.matrix.diagonal[i][r + 3][c + 3] += 0.5 * step * aa[r][c];
            s.matrix.right[i][r + 3][c + 3] += 0.5 * step * ab[r][c];
            s.matrix.below[i][r + 3][c + 3] += 0.5 * step * ba[r][c];
            s.matrix.diagonal[i + 1][r + 3][c + 3] += 0.5 * step * bb[r][c];
        }
    }
}

/// K a + D b, row by row.
fn load_change(k: &Vec6, a: &Mat6, d: &Vec6, b: &Mat6) -> Mat6 {
    std::array::from_fn(|i| std::array::from_fn(|j| k[i] * a[i][j] + d[i] * b[i][j]))
}

/// A Jacobian at the end of the step in terms of the mean angular velocity w: a turn of the link at the end is T J_r(T w)
/// times a change of w, with J_r(x) = 1 - [x]x/2 + [x]x^2/6 - ...
pub fn trivialised(m: &Mat6, mean: &Vec6, step: f64) -> Mat6 {
    let x = Vec3::new(mean[3], mean[4], mean[5]) * step;
    let mut out = *m;
    for row in &mut out {
        let r = Vec3::new(row[3], row[4], row[5]);
        // r^T [x]x = (r x x)^T
        let once = r.cross(x);
        let new = r - once * 0.5 + once.cross(x) / 6.0;
        (row[3], row[4], row[5]) = (new.x, new.y, new.z);
    }
    out
}

/// Force and moment in a joint over a step.
fn load_of(stiffness: &Vec6, damping_time: f64, start: &Vec6, end: &Vec6, rate: &Vec6) -> Vec6 {
    std::array::from_fn(|k| stiffness[k] * (0.5 * (start[k] + end[k]) + damping_time * rate[k]))
}
