//! Velocities of touching links after a step.
//!
//! The law of contact holds for the mean velocity V of a step, and V_1 = 2 V - V_0: left alone, a link that stops on a
//! floor would leave it as fast as it came, and one that sticks would swing to and fro for ever. So at every contact that
//! pushes, V_1 is brought towards rest against the obstacle, link by link, by the impulse of least kinetic energy, and the
//! force of the contact is corrected by it. The sum stays within the cone of friction: where less normal force is left than
//! the step took friction for, some of that is given back.

use crate::cable::algebra::block::Vec6;
use crate::cable::contact::law::{Contacting, along, minus};
use crate::cable::contact::obstacles::Touch;
use crate::cable::links::Links;

/// Passes over the contacts, for links in corners.
const PASSES: usize = 2;

/// Settle the velocities at the end of a step, given its mean velocities and what velocities have gained in it.
pub fn settle(links: &Links, [mean, gained]: [&[Vec6]; 2], velocities: &mut [Vec6], touches: &mut [Touch], step: f64) {
    let touching = |t: &&mut Touch| t.state != Contacting::Open;
    for touch in touches.iter_mut().filter(touching) {
        let came = touch.speed(velocities) - touch.speed(gained) - touch.surface[0];
        touch.bounce = links.restitution * (-came).max(0.0);
    }
    let yields = links.inertia.map(|inertia| 1.0 / inertia);
    for _ in 0..PASSES {
        for touch in touches.iter_mut().filter(touching) {
            let speed = touch.speed(velocities) - touch.surface[0];
            let more = (speed.clamp(0.0, touch.bounce) - speed) / yielding(&yields, touch, 0);
            push(&yields, touch, velocities, 0, more, step);
            let (slid, slides) = (relative(touch, mean), relative(touch, velocities));
            // a link that sticks rests; one that slid has stopped where it would now slide back
            let stops = touch.state == Contacting::Stick || slid[1] * slides[1] + slid[2] * slides[2] < 0.0;
            let stopping = |k: usize| if stops { -slides[k] / yielding(&yields, touch, k) } else { 0.0 };
            let had = along(&touch.axes, touch.force);
            let limit = touch.law.friction.limit(had[0].max(0.0));
            let kept = within([had[1] + stopping(1) / step, had[2] + stopping(2) / step], limit);
            push(&yields, touch, velocities, 1, (kept[0] - had[1]) * step, step);
            push(&yields, touch, velocities, 2, (kept[1] - had[2]) * step, step);
        }
    }
}

fn relative(touch: &Touch, velocities: &[Vec6]) -> [f64; 3] {
    minus(&touch.moves(velocities), &touch.surface)
}

/// Change of the velocity of the point of contact along an axis for a unit impulse on its links alone.
fn yielding(yields: &Vec6, touch: &Touch, axis: usize) -> f64 {
    let of = |row: &Vec6| row.iter().zip(yields).map(|(r, y)| r * r * y).sum::<f64>();
    of(&touch.rows[axis]) + touch.next.as_ref().map_or(0.0, |next| of(&next[axis]))
}

/// The part of a tangential force that its limit allows.
pub fn within(force: [f64; 2], limit: f64) -> [f64; 2] {
    let size = (force[0] * force[0] + force[1] * force[1]).sqrt();
    if size > limit { force.map(|f| f * (limit / size)) } else { force }
}

/// An impulse on the links along one axis.
fn push(yields: &Vec6, touch: &mut Touch, velocities: &mut [Vec6], axis: usize, impulse: f64, step: f64) {
    let count = velocities.len();
    let mut give = |link: usize, row: &Vec6| {
        for k in 0..6 {
            velocities[link][k] += row[k] * yields[k] * impulse;
        }
    };
    give(touch.link, &touch.rows[axis]);
    if let Some(next) = &touch.next {
        give((touch.link + 1) % count, &next[axis]);
    }
    touch.force += touch.axes[axis] * (impulse / step);
}
