//! Bodies that begin in equilibrium.

use super::World;
use crate::body::{Body, BodyState};
use crate::cable::{Cable, Moving};
use crate::elastica::{Settled, Start};
use crate::error::BuildError;
use crate::grip::Wrench;
use crate::math::Vec3;

/// A length of time in which nothing moves: any will do [s].
pub(super) const STILL: f64 = 1e-3;

/// Rounds of steps to rest, from the longest to the shortest.
const MOST_ROUNDS: usize = 150;

/// A cable rests when no link of it goes farther in a round of steps than this part of its length.
const RESTING: f64 = 1e-9;

/// One that in the last round went farther than this part of its length falls.
const FALLING: f64 = 0.1;

/// A cable that is coming to rest.
struct Resting {
    body: usize,
    moving: Moving,
}

impl World {
    /// Get bodies ready for the first step, when all grips, loads and obstacles are there: those that are to begin in
    /// equilibrium find it, and rods of the model `elastica` that begin inside an obstacle are refused.
    pub fn settle_all(&mut self) -> Result<(), BuildError> {
        for body in 0..self.bodies.len() {
            let Body::Elastica(rod) = &self.bodies[body] else { continue };
            if rod.begins_settled() {
                let Settled { falling, change, .. } = self.settle(body)?;
                if falling > 0 {
                    let body = self.bodies[body].name().into();
                    return Err(BuildError::NoEquilibrium { body, falling, change });
                }
            }
            self.find_near(body, STILL);
            self.with_surroundings(body, STILL, |body, around| {
                body.as_elastica("may begin anywhere")?.check_start(around)
            })?;
        }
        let gravity = self.gravity;
        for (start, gravity) in [(Start::WeightlessEquilibrium, Vec3::ZERO), (Start::Equilibrium, gravity)] {
            let weight = std::mem::replace(&mut self.gravity, gravity);
            let settled = self.settle_cables(start);
            self.gravity = weight;
            settled?;
        }
        Ok(())
    }

    /// Bring the cables that begin in such an equilibrium to rest together; all others stay where they are.
    fn settle_cables(&mut self, start: Start) -> Result<(), BuildError> {
        let (mut resting, mut others) = (vec![], vec![]);
        let (mut longest, mut halvings): (f64, i32) = (0.0, 0);
        for (body, model) in self.bodies.iter_mut().enumerate() {
            match model {
                Body::Cable(cable) if cable.begins() == start => {
                    let (step, count) = cable.steps_to_rest(self.gravity);
                    (longest, halvings) = (longest.max(step), halvings.max(count));
                    resting.push(Resting { body, moving: cable.begin_to_rest() });
                }
                Body::Cable(_) => others.push((body, model.state())),
                _ => {}
            }
        }
        if resting.is_empty() {
            return Ok(());
        }
        let events = self.events.len();
        let unsettled = self.come_to_rest(&resting, &others, longest, halvings);
        self.events.truncate(events);
        for Resting { body, moving } in &resting {
            if let Body::Cable(cable) = &mut self.bodies[*body] {
                cable.end_at_rest(moving);
            }
        }
        self.sum_gripper_loads();
        unsettled.map_or(Ok(()), Err)
    }

    /// Steps to rest, in rounds from the longest to the shortest. Returns why they do not end.
    fn come_to_rest(
        &mut self,
        resting: &[Resting],
        others: &[(usize, BodyState)],
        longest: f64,
        halvings: i32,
    ) -> Option<BuildError> {
        // for each cable the farthest way of a link in the last round, over its length
        let mut ways = vec![f64::INFINITY; resting.len()];
        let mut failed = None;
        for _ in 0..MOST_ROUNDS {
            ways.fill(0.0);
            failed = None;
            for halving in 0..=halvings {
                let pairs = self.pairs.clone();
                match self.step_to_rest(resting, others, longest * 0.5_f64.powi(halving)) {
                    Ok(()) => {
                        for (way, Resting { body, .. }) in ways.iter_mut().zip(resting) {
                            if let Body::Cable(cable) = &mut self.bodies[*body] {
                                *way += cable.stop() / cable.length();
                            }
                        }
                    }
                    Err(error) => {
                        // a shorter one may do
                        failed = Some(error.to_string());
                        self.pairs = pairs;
                        for body in &mut self.bodies {
                            if let Body::Cable(cable) = body {
                                cable.begin_again();
                            }
                        }
                    }
                }
            }
            if failed.is_none() && ways.iter().all(|way| *way < RESTING) {
                return None;
            }
        }
        let (way, at) = ways.iter().zip(resting).max_by(|a, b| a.0.total_cmp(b.0))?;
        let why = match failed {
            Some(error) => {
                format!("a step fails on the way ({error}); give it a path closer to the shape it is to have")
            }
            None if *way > FALLING => "it falls; hold it, or put something below it".into(),
            None => "it goes on moving; give it a path closer to the shape it is to have".into(),
        };
        let body = self.bodies[at.body].name().to_string();
        Some(BuildError::Unsettled { body, way: *way, why })
    }

    /// One step of all cables, with everything else where it is.
    fn step_to_rest(
        &mut self,
        resting: &[Resting],
        others: &[(usize, BodyState)],
        step: f64,
    ) -> Result<(), crate::error::StepError> {
        self.grips.iter_mut().for_each(|grip| grip.load = Wrench::default());
        for body in 0..self.bodies.len() {
            if let Body::Cable(cable) = &mut self.bodies[body] {
                if resting.iter().any(|r| r.body == body) {
                    Cable::step_to_rest(cable, step);
                }
                self.find_near(body, step);
                self.with_surroundings(body, step, Body::advance)?;
            }
        }
        self.advance_cables(step, &mut ());
        self.near.clear();
        for body in 0..self.bodies.len() {
            if matches!(self.bodies[body], Body::Cable(_)) {
                self.with_surroundings(body, step, Body::finish)?;
            }
        }
        for (body, state) in others {
            self.bodies[*body].set_state(state);
        }
        Ok(())
    }
}
