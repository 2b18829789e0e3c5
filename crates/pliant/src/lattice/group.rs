//! All bodies of the model in a world: they advance together, with the shortest step that any of them needs.

use super::integrate::{balance, correct, predict};
use super::params::Pace;
use super::{Lattice, Ledger, Meeting, Meetings};
use crate::body::{Body, Surroundings};
use crate::error::StepError;
use crate::math::exp;
use crate::team::Team;

/// Factor by which the step grows after one with a small energy error; a rejected step is halved.
const LONGER: f64 = 1.5;

/// Shortest step as a fraction of the longest.
const SHORTEST: f64 = 1e-6;

/// Limit on steps in a world step, times particles, some seconds of work; `MOST_STEPS` adds to it.
const MOST_WORK: f64 = 3e5;

/// Addition to that limit, as a multiple of the steps needed for stability of the connectors.
const MOST_STEPS: f64 = 100.0;

/// Limit on expected steps times particles, many minutes of work, beyond which a world step is not started.
const MOST_EVER: f64 = 3e9;

/// Factor by which the error must be below its bound for the step to grow: errors rise with a high power of the step,
/// about this much for a step 3/2 as long.
const EASE: f64 = 4.0;

/// Default bound on the energy error of a step, as a fraction of the recent peak kinetic energy.
const PART: f64 = 3e-3;

/// Decay time of that peak, in longest stable steps: a vibrating body is at rest twice in each period.
const MEMORY: f64 = 300.0;

/// Speed whose kinetic energy is added to that bound, so that a body at rest has one too [m/s].
const SLOW: f64 = 1e-6;

/// State and resources shared by all bodies of the model.
pub(crate) struct Shared<'a> {
    /// Contacts between facets.
    pub meetings: &'a mut Vec<Meeting>,
    /// Working memory.
    pub scratch: &'a mut Meetings,
    /// Worker threads.
    pub team: &'a mut Team,
}

/// The bodies of this model.
pub(super) fn lattices(bodies: &mut [Body]) -> impl Iterator<Item = &mut Lattice> {
    bodies.iter_mut().filter_map(|body| match body {
        Body::Lattice(lattice) => Some(lattice),
        _ => None,
    })
}

/// Advance by one world step. `seen` is called after each inner step with the bodies, the time since the start and the
/// length of the step [s].
pub(crate) fn advance(
    bodies: &mut [Body],
    shared: &mut Shared<'_>,
    around: &Surroundings<'_>,
    mut seen: impl FnMut(&[Body], f64, f64),
) -> Result<(), StepError> {
    shared.scratch.find(bodies, around);
    let dt = around.dt;
    for lattice in lattices(bodies) {
        lattice.begin();
    }
    let (mut time, mut steps) = (0.0, 0usize);
    let mut tau = lattices(bodies).map(|l| l.pace(dt)).fold(dt, f64::min);
    if lattices(bodies).any(|l| l.state.fresh) {
        look(bodies, shared, around, 0.0, 0.0);
        lattices(bodies).for_each(|l| l.begin_with_forces());
    }
    let expected = lattices(bodies).map(|l| l.expected_steps(dt)).fold(1.0, f64::max);
    let size: usize = lattices(bodies).map(|l| l.size()).sum();
    if expected * size as f64 > MOST_EVER {
        return Err(too_many(bodies, around, dt / expected));
    }
    let (shortest, most) = (SHORTEST * dt / expected, MOST_WORK / size.max(1) as f64 + MOST_STEPS * expected);
    while time < dt * (1.0 - 1e-12) {
        if steps as f64 > most || around.stop.is_asked() {
            return Err(too_many(bodies, around, tau));
        }
        let left = dt - time;
        // leave no tiny remainder
        let now = if tau >= left {
            left
        } else if 2.0 * tau > left {
            0.5 * left
        } else {
            tau
        };
        steps += 1;
        let excess = attempt(bodies, shared, around, time, now);
        let fine = excess <= 1.0;
        if !fine && now > shortest {
            tau = 0.5 * now;
            lattices(bodies).for_each(|l| l.state.ledger.refused += u64::from(l.excess() > 1.0));
            continue;
        }
        lattices(bodies).for_each(|l| l.take(now, fine));
        shared.scratch.keep(shared.meetings);
        time += now;
        seen(bodies, time, now);
        let grows = lattices(bodies).all(|l| l.is_at_ease());
        let longest = lattices(bodies).map(|l| l.longest(dt)).fold(dt, f64::min);
        // a step cut short by the end of the world step says nothing about the next
        let longer = if grows { LONGER } else { 1.0 };
        tau = (longer * now.max(if now < tau { tau / longer } else { 0.0 })).min(longest);
    }
    for lattice in lattices(bodies) {
        lattice.end(tau, steps);
    }
    Ok(())
}

/// Error for a world step that would take too many steps.
fn too_many(bodies: &mut [Body], around: &Surroundings<'_>, tau: f64) -> StepError {
    let stiffest = lattices(bodies).min_by(|a, b| a.stable.total_cmp(&b.stable));
    StepError::TooShort {
        body: stiffest.map_or_else(String::new, |lattice| lattice.name.clone()),
        time: around.time,
        step: tau,
        instead: "make it softer, or its cells larger",
    }
}

/// Evaluate forces at the end of the trial step: those of each body, and those between bodies.
fn look(bodies: &mut [Body], shared: &mut Shared<'_>, around: &Surroundings<'_>, time: f64, tau: f64) {
    for lattice in lattices(bodies) {
        lattice.look(shared.team, around, (time + tau) / around.dt, tau);
    }
    shared.scratch.push(bodies, shared.meetings, tau);
}

/// Try a step of `tau` [s] at a time since the start of the world step [s]. Returns the largest energy error relative
/// to its bound.
fn attempt(bodies: &mut [Body], shared: &mut Shared<'_>, around: &Surroundings<'_>, time: f64, tau: f64) -> f64 {
    for lattice in lattices(bodies) {
        let Lattice { settings, state, scratch, .. } = lattice;
        let before = (&state.before[..], if state.last > 0.0 { tau / state.last } else { 0.0 });
        predict(settings.scheme, tau, &scratch.inverse, &state.motion, before, &mut scratch.next);
        lattice.lead(around, (time + tau) / around.dt);
    }
    look(bodies, shared, around, time, tau);
    let mut excess: f64 = 0.0;
    for lattice in lattices(bodies) {
        let Lattice { matter, settings, state, scratch, .. } = lattice;
        correct(settings.scheme, tau, &scratch.inverse, &state.motion, &mut scratch.next);
        scratch.balance = balance(&matter.masses, &scratch.inverse, &state.motion, &scratch.next);
        scratch.balance.unseen = scratch.unseen;
        excess = excess.max(lattice.excess());
    }
    excess
}

impl Lattice {
    /// The initial step of a world step [s].
    fn pace(&self, dt: f64) -> f64 {
        match self.settings.pace {
            Pace::Constant { step } => step,
            Pace::Adaptive { .. } => self.state.tau.unwrap_or(dt).min(self.longest(dt)),
        }
    }

    /// The longest step allowed [s].
    fn longest(&self, dt: f64) -> f64 {
        match self.settings.pace {
            Pace::Constant { step } => step,
            Pace::Adaptive { .. } => self.stable.min(dt),
        }
    }

    /// Bound on the energy error of a step [J].
    fn bound(&self) -> f64 {
        match self.settings.pace {
            Pace::Constant { .. } => f64::INFINITY,
            Pace::Adaptive { energy_error: Some(bound), .. } => bound,
            Pace::Adaptive { energy_error: None, .. } => {
                PART * self.scratch.balance.kinetic.max(self.state.lately) + 0.5 * self.total_mass * SLOW * SLOW
            }
        }
    }

    /// Energy error relative to its bound: above 1 the step is rejected.
    fn excess(&self) -> f64 {
        let excess = self.scratch.balance.error().abs() / self.bound();
        // NaN means that the step has diverged
        if excess.is_nan() { f64::MAX } else { excess }
    }

    /// Whether the next step may be longer. In the paper every accepted step makes the next one longer, which leads to
    /// repeated rejections at the limit; a body with a given bound follows the paper.
    fn is_at_ease(&self) -> bool {
        let given = matches!(self.settings.pace, Pace::Adaptive { energy_error: Some(_), .. });
        given || EASE * self.excess() <= 1.0
    }

    /// Accept the step.
    fn take(&mut self, tau: f64, fine: bool) {
        self.feel(tau);
        self.count_work(tau);
        let Lattice { state, scratch, total_mass, stable, .. } = self;
        state.lately = scratch.balance.kinetic.max(state.lately * exp(-tau / (MEMORY * *stable)));
        let Ledger { steps, error, velocity_error, position_error, shortest, .. } = &mut state.ledger;
        *steps += 1;
        let made = scratch.balance.error();
        *error += made;
        // the paper's estimates: all of the error as motion of the whole body
        *velocity_error = (2.0 * made.abs() / *total_mass).sqrt();
        *position_error = *velocity_error * tau;
        *shortest = shortest.min(tau);
        state.ledger.unbalanced += u64::from(!fine);
        std::mem::swap(&mut state.met, &mut scratch.met);
        state.dragged = scratch.dragged;
        std::mem::swap(&mut state.before, &mut state.motion.forces);
        std::mem::swap(&mut state.motion, &mut scratch.next);
        state.last = tau;
        self.keep_contacts(tau);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{block, surrounded};
    use super::*;
    use crate::lattice::solid::MassRule;
    use crate::math::Vec3;

    const STEP: f64 = 5e-3;

    fn advanced(bodies: &mut [Body], dt: f64, seen: impl FnMut(&[Body], f64, f64)) -> Result<(), StepError> {
        let (mut meetings, mut scratch, mut team) = (vec![], Meetings::default(), Team::new(1));
        let mut shared = Shared { meetings: &mut meetings, scratch: &mut scratch, team: &mut team };
        surrounded(dt, &[], |around| advance(bodies, &mut shared, around, seen))
    }

    fn one(at: Vec3) -> Body {
        Body::Lattice(block(0.25, MassRule::Approximate, at))
    }

    fn lattice(body: &Body) -> &Lattice {
        if let Body::Lattice(lattice) = body { lattice } else { unreachable!("all are") }
    }

    /// Steps have the length that the stiffest body needs, add up to the step of the world, and leave no remainder.
    #[test]
    fn all_take_the_same_steps_which_add_up() {
        let mut bodies = [one(Vec3::ZERO), one(Vec3::Z)];
        let stable = lattice(&bodies[0]).stable;
        // an uneven part of a stable step is left at the end
        let dt = stable * 7.3;
        let (mut sum, mut count) = (0.0, 0);
        let done = advanced(&mut bodies, dt, |_, elapsed, tau| {
            sum += tau;
            count += 1;
            assert!(tau <= stable * (1.0 + 1e-12) && tau > 0.4 * stable, "{tau} of {stable}");
            assert!((elapsed - sum).abs() < 1e-15);
        });
        assert_eq!(done, Ok(()));
        assert!((sum / dt - 1.0).abs() < 1e-12 && count == 8, "{count} steps");
        bodies.iter().for_each(|body| assert_eq!(lattice(body).state.ledger.steps, 8));
    }

    /// A body that nothing acts on moves on in a straight line, and turns nowhere.
    #[test]
    fn a_free_body_goes_straight_on() {
        let mut bodies = [one(Vec3::ZERO)];
        let (from, speed) = (lattice(&bodies[0]).state.motion.places.clone(), Vec3::new(0.1, -0.2, 0.3));
        lattices(&mut bodies).for_each(|l| l.state.motion.velocities.fill(speed));
        assert_eq!(advanced(&mut bodies, STEP, |_, _, _| ()), Ok(()));
        let after = &lattice(&bodies[0]).state.motion;
        for (a, b) in from.iter().zip(&after.places) {
            assert!((*b - *a - speed * STEP).length() < 1e-15);
        }
        assert!(after.velocities.iter().all(|v| (*v - speed).length() < 1e-12));
    }

    /// A vibration keeps its energy, kinetic and elastic, to what each step is allowed to err by: it is damped, and gains nothing.
    #[test]
    fn a_vibration_gains_nothing() {
        let mut bodies = [one(Vec3::ZERO)];
        lattices(&mut bodies).for_each(|l| {
            let (places, velocities) = (&l.state.motion.places, &mut l.state.motion.velocities);
            // it stretches along x at a rate of 10 /s
            velocities.iter_mut().zip(places).for_each(|(v, p)| *v = Vec3::X * (10.0 * p.x));
        });
        let energy = |l: &Lattice| {
            let kinetic = |(v, m): (&Vec3, &f64)| 0.5 * m * v.length_squared();
            l.state.motion.velocities.iter().zip(&l.matter.masses).map(kinetic).sum::<f64>()
                + l.matter.elastic(&l.state.motion.places)
        };
        let first = energy(lattice(&bodies[0]));
        let mut before = first;
        for _ in 0..10 {
            assert_eq!(advanced(&mut bodies, STEP, |_, _, _| ()), Ok(()));
            let l = lattice(&bodies[0]);
            let now = energy(l);
            assert!(now <= before * (1.0 + PART), "{now} after {before}");
            before = now;
        }
        assert!(before < first && before > 0.0);
    }

    /// A step that would take practically forever is refused before it begins, with the name of the stiffest body.
    #[test]
    fn a_step_that_takes_forever_is_refused() {
        let mut bodies = [one(Vec3::ZERO)];
        let refused = advanced(&mut bodies, 1e6, |_, _, _| unreachable!("it has not begun"));
        assert!(matches!(refused, Err(StepError::TooShort { body, .. }) if body == "block"));
    }

    #[test]
    fn an_error_that_is_no_number_is_too_large() {
        let mut body = block(0.25, MassRule::Approximate, Vec3::ZERO);
        body.scratch.balance.gain = f64::NAN;
        assert!(body.excess() > 1.0 && !body.is_at_ease());
    }
}
