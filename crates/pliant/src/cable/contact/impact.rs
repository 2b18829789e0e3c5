//! Velocities of touching links after a step.
//!
//! The contact law holds for the mean velocity V of a step, and V_1 = 2 V - V_0: left alone, a link that stops on a
//! floor would leave it as fast as it came, and one that sticks would oscillate for ever. So at every contact that
//! pushes, V_1 is brought towards rest relative to the obstacle, link by link, by the impulse of least kinetic energy,
//! and the contact force is corrected by it. The sum never pulls, and stays within the friction cone: where less normal
//! force remains than the friction of the step requires, some of it is returned. This adds no more energy than the
//! contacts dissipated in the step.

use crate::cable::algebra::block::{Vec6, dot};
use crate::cable::contact::law::{Contacting, along, minus};
use crate::cable::contact::touch::Touch;
use crate::cable::links::{Links, beside_drift, drift};

/// Passes over the contacts: links in corners have two.
const PASSES: usize = 2;

/// Relative growth of velocities allowed where energy was lost.
const MOST_GIVEN: f64 = 1e-2;

/// Correct the velocities at the end of a step, given its mean velocities and the change of velocities in it.
pub fn settle(links: &Links, [mean, gained]: [&[Vec6]; 2], velocities: &mut [Vec6], touches: &mut [Touch], step: f64) {
    // arms and what leans on them have come to rest together, see `solver::halt`
    let touching = |t: &&mut Touch| t.state != Contacting::Open && t.leans.is_none();
    // energy that contacts have taken from the motion relative to their obstacles in the step [J]
    let mut taken = 0.0;
    for touch in touches.iter_mut().filter(touching) {
        let came = touch.speed(velocities) - touch.speed(gained) - touch.surface[0];
        touch.bounce = links.restitution * (-came).max(0.0);
        let (force, moved) = (along(&touch.axes, touch.force), minus(&touch.moves(mean), &touch.surface));
        taken -= step * (force[0] * moved[0] + force[1] * moved[1] + force[2] * moved[2]).min(0.0);
    }
    let yields = links.inertia.map(|inertia| 1.0 / inertia);
    let mut given = 0.0;
    for _ in 0..PASSES {
        for touch in touches.iter_mut().filter(touching) {
            given += settle_touch(&yields, touch, mean, velocities, step);
        }
    }
    if given > taken {
        take_energy(links, velocities, given - taken);
    }
}

/// Take energy from the motion of links relative to their mean velocity, as far as there is any; a negative energy [J]
/// is added. Returns how much of it was taken, from 0 to 1 [-].
pub fn take_energy(links: &Links, velocities: &mut [Vec6], energy: f64) -> f64 {
    let drift = drift(velocities);
    let all = 0.5 * beside_drift(links, velocities, &drift);
    if energy == 0.0 || all <= 0.0 {
        return 0.0;
    }
    let factor = (1.0 - energy / all).max(0.0).sqrt().min(1.0 + MOST_GIVEN);
    for v in velocities.iter_mut() {
        *v = std::array::from_fn(|k| drift[k] + factor * (v[k] - drift[k]));
    }
    (all / energy).clamp(0.0, 1.0)
}

/// Correct the velocities of the links of one contact, while all others keep theirs. Returns the work done on them, as
/// seen from the obstacle [J].
fn settle_touch(yields: &Vec6, touch: &mut Touch, mean: &[Vec6], velocities: &mut [Vec6], step: f64) -> f64 {
    let (link, other) = (touch.link, (touch.link + 1) % velocities.len());
    let mut moving = Moving { here: velocities[link], there: touch.next.as_ref().map(|_| velocities[other]) };
    let speed = moving.along(touch, 0);
    let had = along(&touch.axes, touch.force);
    // at most the impulse of the contact in the step is taken back
    let wanted = (speed.clamp(0.0, touch.bounce) - speed) / yielding(yields, touch, 0);
    let normal = wanted.max(-had[0] * step);
    let mut work = moving.push(yields, touch, 0, normal);
    let pushes = had[0] + normal / step;
    let slides = [moving.along(touch, 1), moving.along(touch, 2)];
    // a sticking link comes to rest; a sliding one has stopped if it would now slide back
    let stops = touch.state == Contacting::Stick || {
        let slid = minus(&touch.moves(mean), &touch.surface);
        slid[1] * slides[0] + slid[2] * slides[1] < 0.0
    };
    let mut wanted = [had[1], had[2]];
    if stops {
        wanted[0] -= slides[0] / yielding(yields, touch, 1) / step;
        wanted[1] -= slides[1] / yielding(yields, touch, 2) / step;
    }
    let kept = within(wanted, touch.law.friction.limit(pushes.max(0.0)));
    work += moving.push(yields, touch, 1, (kept[0] - had[1]) * step);
    work += moving.push(yields, touch, 2, (kept[1] - had[2]) * step);
    let more = [normal / step, kept[0] - had[1], kept[1] - had[2]];
    touch.force += touch.axes[0] * more[0] + touch.axes[1] * more[1] + touch.axes[2] * more[2];
    velocities[link] = moving.here;
    if let Some(there) = moving.there {
        velocities[other] = there;
    }
    work
}

/// Velocities of the links of a contact.
struct Moving {
    here: Vec6,
    there: Option<Vec6>,
}

impl Moving {
    /// Velocity of the contact point relative to the obstacle, along an axis [m/s].
    fn along(&self, touch: &Touch, axis: usize) -> f64 {
        let mut speed = dot(&touch.rows[axis], &self.here) - touch.surface[axis];
        if let (Some(next), Some(there)) = (&touch.next, &self.there) {
            speed += dot(&next[axis], there);
        }
        speed
    }

    /// Apply an impulse along an axis. Returns its work, as seen from the obstacle [J].
    fn push(&mut self, yields: &Vec6, touch: &Touch, axis: usize, impulse: f64) -> f64 {
        let before = self.along(touch, axis);
        let give = |v: &mut Vec6, row: &Vec6| (0..6).for_each(|k| v[k] += row[k] * yields[k] * impulse);
        give(&mut self.here, &touch.rows[axis]);
        if let (Some(next), Some(there)) = (&touch.next, &mut self.there) {
            give(there, &next[axis]);
        }
        0.5 * impulse * (before + self.along(touch, axis))
    }
}

/// Change of the velocity of the contact point along an axis per unit impulse, if its links were free.
fn yielding(yields: &Vec6, touch: &Touch, axis: usize) -> f64 {
    let of = |row: &Vec6| row.iter().zip(yields).map(|(r, y)| r * r * y).sum::<f64>();
    of(&touch.rows[axis]) + touch.next.as_ref().map_or(0.0, |next| of(&next[axis]))
}

/// A tangential force cut to its limit.
pub fn within(force: [f64; 2], limit: f64) -> [f64; 2] {
    let size = (force[0] * force[0] + force[1] * force[1]).sqrt();
    if size > limit { force.map(|f| f * (limit / size)) } else { force }
}
