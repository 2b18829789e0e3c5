//! Initial guess of forces for the sweeps: those of the previous step plus the best multiple of their last change.

use super::solve::Condition;
use super::touch::{Slots, Touch};
use crate::bytes::stored;
use crate::math::Vec3;

/// Recent change of the force at a point, in the body's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trend {
    /// Displacement due to all forces of the previous step [m].
    moved: Vec3,
    /// Last change of the force [N].
    force: Vec3,
    /// Last change of the displacement [m].
    answer: Vec3,
}

impl Trend {
    /// Record the force found, and the displacement due to all forces.
    pub fn follow(&mut self, before: Vec3, force: Vec3, moved: Vec3) {
        *self = Trend { moved, force: force - before, answer: moved - self.moved };
    }
}

/// Add to the forces f of the previous step the multiple of their change d that minimises f W f / 2 - e f along d,
/// where W d is known from the previous step. For smooth loads or motions the guess is nearly exact.
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
