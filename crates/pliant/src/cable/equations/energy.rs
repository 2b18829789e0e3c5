//! Energy in a part of a step: the work of what acts on a cable, and what no force accounts for.

use crate::cable::algebra::block::dot;
use crate::cable::equations::midpoint::Share;
use crate::cable::equations::part::Part;
use crate::cable::equations::scratch::StepScratch;
use crate::cable::joint::{Joint, Turning, strain};
use crate::cable::links::{beside_drift, drift};
use crate::math::{Pose, Vec3, rotation_vector};

/// Unexplained part of the kinetic energy above which a part of a step is halved.
const MOST_UNEXPLAINED: f64 = 0.02;

/// Energy that contacts may add, relative to that of a free fall during a step.
const LITTLE_UNPAID: f64 = 1e-3;

/// Angle of a joint, with how far its links turn in the step, below which it cannot fold [rad]; strains are angles to a
/// few per cent up to half a turn.
const STRAIGHT: f64 = 3.0;

/// Change of strain that its Jacobian misses, above which a joint has folded and not only been rounded [-].
const FOLDS: f64 = 1e-3;

impl StepScratch {
    /// Work of the residual on the links [J].
    fn left_over(&self, step: f64) -> f64 {
        let left: f64 = self.residual.iter().zip(&self.mean).map(|(r, v)| dot(r, v)).sum();
        step * left
    }

    /// Work that no force accounts for: that of the residual, and of contacts that push links out of something [J].
    pub(super) fn unexplained(&self, step: f64) -> f64 {
        self.left_over(step) + step * self.gained
    }
}

impl Share<'_> {
    /// Energy added by contacts in a part of the step, beyond the kinetic energy after it, from which it is taken [J];
    /// `None` where holds, loads or moving obstacles may have supplied it.
    pub fn unpaid(&mut self, part: &Part) -> Option<f64> {
        let Share { links, state, acting, s } = self;
        let still = |obstacle: &usize| {
            let sweep = &acting.obstacles[*obstacle].sweep;
            sweep.start == sweep.end
        };
        if !acting.held.is_empty() || !acting.pushes.is_empty() || !acting.near.iter().all(still) {
            return None;
        }
        let (step, mass) = (part.step(), links.inertia[0] * s.mean.len() as f64);
        let (gain, decay) = (links.gain(), links.decay * state.remembered(step));
        for (n, after) in s.change.iter_mut().enumerate() {
            let (v, mean, gained) = (&state.velocities[n], &s.mean[n], &state.gained[n]);
            *after = std::array::from_fn(|k| v[k] + gain * (mean[k] - v[k] + decay * gained[k]));
        }
        let moving = 0.5 * beside_drift(links, &s.change, &drift(&s.change));
        let falling = mass * (acting.gravity.length() * part.dt).powi(2);
        Some(step * s.power - moving - LITTLE_UNPAID * falling)
    }

    /// Whether the residual has done too much work in a part, relative to the kinetic energy and that of a free fall
    /// during a step.
    pub fn is_astray(&self, part: &Part) -> bool {
        let [moving, resting] = self.sizes(part.step());
        let mass = self.links.inertia[0] * self.s.mean.len() as f64;
        let falling = mass * (self.acting.gravity.length() * part.dt).powi(2);
        self.s.left_over(part.step()) > 0.5 * MOST_UNEXPLAINED * (moving + resting + falling)
    }

    /// Add the work of grips, loads and other links in a part of the step.
    pub(super) fn count_work(&mut self, step: f64) {
        let Share { state, s, acting, .. } = self;
        for (poses, (force, torque)) in s.held_poses.iter().zip(&s.part_held_loads) {
            let [start, _, end] = poses;
            s.work.grips -= force.dot(end.translation - start.translation) + torque.dot(turned(start, end));
        }
        for (n, push) in acting.pushes.iter().enumerate() {
            let (start, end) = (&state.poses[push.link], &s.end[push.link]);
            let place = |pose: &Pose| pose.transform_point(Vec3::X * push.offset);
            let done = push.force.dot(place(end) - place(start)) + push.torque.dot(turned(start, end));
            *(if n < acting.loads { &mut s.work.loads } else { &mut s.work.bodies }) += done;
        }
        s.work.bodies += step * s.met;
    }

    /// Energy that joints gain beyond the work of their loads as they fold by more than half a turn in a part of the
    /// step [J]. Their strain is that of the shorter rotation, so that it jumps there to the opposite side, which the
    /// Jacobian of the step does not see.
    pub(super) fn gained_by_folding(&self, step: f64) -> f64 {
        let Share { links, state, s, .. } = self;
        let turn = |link: usize| Vec3::new(s.mean[link][3], s.mean[link][4], s.mean[link][5]) * step;
        let mut gained = 0.0;
        for (a, rest) in links.rest.iter().enumerate() {
            let (b, start) = (links.next(a), &s.start_strains[a]);
            let bent = Vec3::new(start[3], start[4], start[5]).length();
            if links.linear || bent + turn(a).length() + turn(b).length() < STRAIGHT {
                continue;
            }
            let [one, other] = [a, b].map(|link| Turning {
                start: &state.poses[link],
                middle: &s.middle[link],
                end: &s.end[link],
                turn: turn(link),
            });
            let joint = Joint::of_step(&one, &other, links.arms());
            let end = strain(one.end, other.end, links.arms());
            let (mut missed, mut more) = (0.0, 0.0);
            for k in 0..6 {
                let change = step * (dot(&joint.by_a[k], &s.mean[a]) + dot(&joint.by_b[k], &s.mean[b]));
                let stored = |e: f64| 0.5 * links.stiffness[k] * (e - rest[k]) * (e - rest[k]);
                missed += (end[k] - start[k] - change).abs();
                more += stored(end[k]) - stored(start[k]) - s.part_loads[a][k] * change;
            }
            if missed > FOLDS {
                gained += more.max(0.0);
            }
        }
        gained
    }
}

/// The rotation vector from one pose to another, in the world [rad].
fn turned(start: &Pose, end: &Pose) -> Vec3 {
    if start.rotation == end.rotation { Vec3::ZERO } else { rotation_vector(end.rotation * start.rotation.inverse()) }
}
