//! Forces to begin the sweeps with: those of the step before, and so much of their last change once more as fits best.

use super::solve::Condition;
use super::touch::{Slots, Touch};
use crate::bytes::stored;
use crate::math::Vec3;

/// How the force at a point has changed, in the frame of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trend {
    /// Displacement by all forces of the step before [m].
    moved: Vec3,
    /// Last change of the force there [N].
    force: Vec3,
    /// Last change of the displacement [m].
    answer: Vec3,
}

impl Trend {
    /// Note the force that was found, and the displacement by all of them.
    pub fn follow(&mut self, before: Vec3, force: Vec3, moved: Vec3) {
        *self = Trend { moved, force: force - before, answer: moved - self.moved };
    }
}

/// Add to the forces f of the step before a multiple of their change d: that for which f W f / 2 - e f is least on the way, where
/// W d is known from the step before. A push or a motion that goes on smoothly is met nearly at once.
pub fn go_on(slots: &mut Slots, touches: &[Touch]) {
    let (mut gain, mut cost) = (0.0, 0.0);
    let wanted = slots.missing.as_chunks::<3>().0;
    for ((touch, wanted), condition) in touches.iter().zip(wanted).zip(&slots.conditions) {
        let Trend { moved, force, answer } = touch.trend;
        if *condition != Condition::Given {
            gain += force.dot(Vec3::from_array(*wanted) - moved);
            cost += force.dot(answer);
        }
    }
    let times = gain / cost;
    if !(cost > 0.0 && times.is_finite()) {
        return;
    }
    let forces = slots.forces.as_chunks_mut::<3>().0;
    for ((touch, force), condition) in touches.iter().zip(forces).zip(&slots.conditions) {
        if *condition != Condition::Given {
            *force = (Vec3::from_array(*force) + touch.trend.force * times).to_array();
        }
    }
}

stored!(Trend { moved, force, answer });
