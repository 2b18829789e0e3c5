//! A world step of a rod, its initial equilibrium, and the errors of both.

use super::equations::{Field, Push};
use super::fehlberg::Work;
use super::holds::{By, Held, What};
use super::plane::Plane;
use super::rod::Rod;
use super::system::{System, Working};
use super::touch::Search;
use super::{Elastica, ElasticaSettings, Gripped, Integrator, Scratch, Settled, Start};
use crate::body::Surroundings;
use crate::error::{BuildError, HoldError, StepError};
use crate::grip::Hold;
use crate::math::Vec3;

/// Violation beyond which a constraint counts as broken, relative to the length, or as an angle [rad].
const LOST: f64 = 1e-6;

/// Slack below which a rod is taut, relative to its length.
const TAUT: f64 = 1e-3;

/// Angles [rad] and rates [rad/s] beyond this have diverged.
const FAR: f64 = 1e9;

/// A broken constraint, for an error message.
struct Lost {
    /// Name of what holds the rod.
    by: String,
    /// Size of the violation.
    off: f64,
    /// Unit of `off`.
    unit: &'static str,
}

/// A rod with everything that acts on it.
fn system<'a>(
    (rod, plane, settings): (&'a Rod, &'a Plane, &ElasticaSettings),
    (pushes, holds): (&'a [Push], &'a [Held]),
    around: &Surroundings<'a>,
    gravity: Vec3,
    s: &'a mut Working,
) -> System<'a> {
    System {
        rod,
        field: Field { gravity: plane.direction(gravity), line_load: plane.direction(settings.line_load) },
        pushes,
        holds,
        search: Search { obstacles: around.obstacles, near: around.near, plane, dt: around.dt },
        self_contact: settings.self_contact,
        stabilisation: settings.stabilisation,
        dt: around.dt,
        stop: around.stop,
        s,
    }
}

impl Elastica {
    /// Advance by one world step. Fails if it diverges or a constraint cannot be kept.
    pub(crate) fn advance(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        self.aim(around.grippers);
        self.begin_work();
        let expected = self.expected_steps(around.dt);
        let Elastica { rod, plane, settings, state, scratch, .. } = self;
        let Scratch { system: s, fehlberg, midpoint, holds, impulses, pushes, work: done, .. } = scratch;
        impulses.clear();
        impulses.resize(holds.len(), 0.0);
        s.met = false;
        let mut system = system((rod, plane, settings), (pushes, holds), around, around.gravity, s);
        let (q, v) = (&mut state.q, &mut state.v);
        // velocities of grippers jump between steps: rates follow by an impulse
        let mut lost = system.correct(0.0, q);
        system.correct_rates(0.0, q, v);
        for ((impulse, bound), held) in impulses.iter_mut().zip(&system.s.bounds).zip(system.holds) {
            *impulse += bound.force;
            // the work of a jump is that at the mean of the rates before and after
            done.grips += bound.force * (held.rate(0.0, system.dt) + 0.5 * bound.left[1]);
        }
        let add = |n: usize, more: f64, rate: f64| {
            impulses[n] += more;
            done.grips += more * rate;
        };
        let work = match settings.integrator {
            Integrator::Fehlberg => {
                fehlberg.next = state.next;
                let work = fehlberg.advance(&mut system, [q, v], [settings.tolerance, expected], add);
                state.next = fehlberg.next;
                done.obstacles += fehlberg.led;
                work
            }
            Integrator::Midpoint => {
                let work = midpoint.advance(&mut system, [q, v], settings.tolerance, add);
                done.obstacles += midpoint.led;
                work
            }
        };
        // also if the step has failed, as the reason may be that constraints cannot be kept at its end
        let end = system.correct(1.0, q);
        lost = if end.0 > lost.0 { end } else { lost };
        if work.arrived {
            system.correct_rates(1.0, q, v);
            // the grip has moved at its own rate: what is left of others is lost
            for (bound, held) in system.s.bounds.iter().zip(system.holds) {
                done.grips += bound.force * held.rate(1.0, system.dt);
            }
            system.look(q, v, &mut state.carried);
        }
        self.finish(around, lost, work)
    }

    /// Check the result of the step.
    fn finish(&mut self, around: &mut Surroundings<'_>, lost: (f64, usize), work: Work) -> Result<(), StepError> {
        let (time, body) = (around.time + around.dt, || self.name.clone());
        let counters = &mut self.state.counters;
        counters.steps += work.steps;
        counters.iterations += work.evaluations;
        counters.limit_hits += u64::from(work.limited);
        let diverged =
            |quantity: &str, value| StepError::Diverged { body: body(), time, quantity: quantity.into(), value };
        if let Some(bad) = self.state.q.iter().chain(&self.state.v).find(|x| !x.is_finite() || x.abs() > FAR) {
            return Err(diverged("an angle or its rate [rad, 1/s]", *bad));
        }
        if let Some(Lost { by, off, unit }) = self.lost(around, lost) {
            let why = HoldError::Unreachable { body: body(), by, off, unit };
            return Err(StepError::Hold { time, why });
        }
        if !work.arrived {
            return Err(match (self.taut(around), self.settings.integrator) {
                (Some((between, slack)), _) => {
                    StepError::Hold { time, why: HoldError::Taut { body: body(), between, slack } }
                }
                (None, _) if self.scratch.system.met => StepError::TooShort {
                    body: body(),
                    time,
                    step: self.state.next.unwrap_or(super::midpoint::SMALLEST * around.dt),
                    instead: "it presses on itself: is it folded more tightly than it is thick, or are its intervals shorter \
                              than that?",
                },
                (None, Integrator::Fehlberg) => StepError::TooShort {
                    body: body(),
                    time,
                    step: self.state.next.unwrap_or(0.0),
                    instead: "a stiff rod is for integrator = \"midpoint\"",
                },
                (None, Integrator::Midpoint) if !self.scratch.system.touches.is_empty() => StepError::TooShort {
                    body: body(),
                    time,
                    step: super::midpoint::SMALLEST * around.dt,
                    instead: "it hits an obstacle too fast for its contact_stiffness and the steps of the scene; shorter ones or \
                              softer contact may help",
                },
                (None, Integrator::Midpoint) => StepError::TooShort {
                    body: body(),
                    time,
                    step: super::midpoint::SMALLEST * around.dt,
                    instead: "is it too thick for its intervals, or bent at a corner?",
                },
            });
        }
        self.place();
        self.keep_contacts();
        self.end_work();
        self.write_loads(around);
        self.note_touching(around);
        Ok(())
    }

    /// Keep the contacts that were found last.
    fn keep_contacts(&mut self) {
        self.state.touches.clone_from(&self.scratch.system.touches);
        self.state.meetings.clone_from(&self.scratch.system.meetings);
    }

    /// Move the rod to equilibrium with its grips and loads, at rest. Fails if none is found or a grip is out of reach.
    pub(crate) fn settle(&mut self, around: &mut Surroundings<'_>) -> Result<Settled, BuildError> {
        self.aim(around.grippers);
        let Elastica { rod, plane, settings, state, scratch, .. } = self;
        let Scratch { system: s, holds, pushes, still, .. } = scratch;
        let weightless = settings.start == Start::WeightlessEquilibrium;
        let gravity = if weightless { Vec3::ZERO } else { around.gravity };
        let mut system = system((rod, plane, settings), (pushes, holds), around, gravity, s);
        let begun = state.q.clone();
        let mut lost = system.correct(0.0, &mut state.q);
        if lost.0 > LOST {
            state.q = begun;
            lost = system.reach(&mut state.q);
        }
        let mut settled = Settled::default();
        if lost.0 <= LOST {
            settled = system.settle(&mut state.q, still);
            state.v.fill(0.0);
            system.look(&state.q, &state.v, &mut state.carried);
        }
        self.place();
        self.keep_contacts();
        if let Some(Lost { by, off, unit }) = self.lost(around, lost) {
            return Err(HoldError::Unreachable { body: self.name.clone(), by, off, unit }.into());
        }
        if !settled.balanced {
            if let Some((between, slack)) = self.taut(around) {
                return Err(HoldError::Taut { body: self.name.clone(), between, slack }.into());
            }
            let Settled { falling, change, .. } = settled;
            return Err(BuildError::NoEquilibrium { body: self.name.clone(), falling, change });
        }
        Ok(settled)
    }

    /// The most violated constraint, if it is broken, given its violation, relative to the length or as an angle [rad],
    /// and its index.
    fn lost(&self, around: &Surroundings<'_>, (size, which): (f64, usize)) -> Option<Lost> {
        let held = self.scratch.holds.get(which).filter(|_| size > LOST)?;
        let by = match held.by {
            By::Grip(grip) => around.grippers[around.grips[grip].gripper].params.name.clone(),
            By::Slider(slider) => format!("slider {slider}"),
        };
        let (off, unit) = if held.what == What::Angle { (size, "rad") } else { (size * self.rod.length(), "m") };
        Some(Lost { by, off, unit })
    }

    /// Two grips with hardly any slack between them, and that slack [m].
    fn taut(&self, around: &Surroundings<'_>) -> Option<(String, f64)> {
        let mut held: Vec<&Gripped> = self.scratch.gripped.iter().filter(|g| g.hold != Hold::Direction).collect();
        let along = |g: &Gripped| (g.interval as f64 + g.fraction) * self.rod.h;
        held.sort_by(|a, b| along(a).total_cmp(&along(b)));
        let name = |g: &Gripped| &around.grippers[g.gripper].params.name;
        let place = |g: &Gripped, f: f64| (around.grippers[g.gripper].sweep.at(f) * g.section).translation;
        held.windows(2).find_map(|w| {
            let distance = [0.0, 1.0].map(|f| (place(w[1], f) - place(w[0], f)).length());
            let length = along(w[1]) - along(w[0]);
            let slack = length - distance[0].max(distance[1]);
            (!self.rod.extensible && slack < TAUT * length)
                .then(|| (format!("{} and {}", name(w[0]), name(w[1])), slack))
        })
    }

    /// Fail if the centre line starts inside an obstacle or inside another part of the rod: contact could push it out
    /// either way.
    pub(crate) fn check_start(&mut self, around: &Surroundings<'_>) -> Result<(), BuildError> {
        let Elastica { rod, plane, settings, state, scratch, .. } = self;
        let Scratch { system: s, holds, pushes, .. } = scratch;
        let mut system = system((rod, plane, settings), (pushes, holds), around, around.gravity, s);
        system.look(&state.q, &state.v, &mut state.carried);
        let (body, radius) = (self.name.clone(), rod.radius);
        let deepest = s.touches.iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
        if let Some(deepest) = deepest.filter(|touch| touch.depth > radius) {
            let obstacle = around.obstacles[deepest.obstacle].params.name.clone();
            return Err(BuildError::StartsInside { body, obstacle, depth: deepest.depth });
        }
        let folded = s.meetings.iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
        if let Some(folded) = folded.filter(|meeting| settings.self_contact && meeting.depth > radius) {
            let place = plane.lift_point(s.equations.at.nodes[folded.intervals[0]].place);
            let (distance, needed) = (2.0 * radius - folded.depth, 2.0 * radius);
            return Err(BuildError::StartsInCable { other: body.clone(), body, place, distance, needed });
        }
        Ok(())
    }
}
