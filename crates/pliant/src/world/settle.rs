//! Bodies that start in equilibrium.

use super::World;
use crate::body::{Body, BodyState};
use crate::cable::Moving;
use crate::elastica::{Settled, Start};
use crate::error::{BuildError, StepError};
use crate::grip::Wrench;
use crate::math::Vec3;
use crate::watch::{Inside, Watch, deepest_inside};

/// Step size for queries in which nothing moves [s]; the value does not matter.
pub(super) const STILL: f64 = 1e-3;

/// Maximum number of rounds of steps, each from the longest step to the shortest.
const MOST_ROUNDS: usize = 30;

/// Rounds in which a cable may fall without being reported as falling.
const FIRST_ROUNDS: usize = 20;

/// Maximum number of rounds of strongly damped motion after that.
const MOST_WAITS: usize = 100;

/// Rounds in a row with failed steps, after which the search is given up.
const MOST_FAILS: usize = 20;

/// Steps in a round of damped motion, which together last as long as the longest step.
const WAIT: f64 = 64.0;

/// A cable is at rest when none of its links moves farther than this fraction of its length in a round of steps, or of
/// damped motion.
const RESTING: [f64; 2] = [1e-8, 1e-7];

/// A cable whose links move farther than this fraction of its length in a round is falling.
const FALLING: f64 = 0.1;

/// A cable that is being brought to rest.
struct Resting {
    body: usize,
    moving: Moving,
}

impl World {
    /// Prepare for the first step, when all grips, loads and obstacles have been added: allocates memory, and brings
    /// the bodies that are to start there into equilibrium. Fails if there is no equilibrium, if a rod of the model
    /// `elastica` or a solid of the model `response` starts inside an obstacle, or if cables start inside each other.
    pub fn ready(&mut self) -> Result<(), BuildError> {
        self.make_room();
        for body in 0..self.bodies.len() {
            if let Body::Response(solid) = &self.bodies[body] {
                solid.check_start(&self.obstacles)?;
            }
            let Body::Elastica(rod) = &self.bodies[body] else { continue };
            if rod.begins_settled() {
                let Settled { falling, change, .. } = self.settle_rod(body)?;
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
        let near = self.cables.touching(&mut self.bodies);
        if let Some(Inside { bodies, place, distance, needed }) = deepest_inside(&self.bodies, near) {
            let [body, other] = bodies.map(|index| self.bodies[index].name().into());
            return Err(BuildError::StartsInCable { body, other, place, distance, needed });
        }
        let gravity = self.gravity;
        for (start, gravity) in [(Start::WeightlessEquilibrium, Vec3::ZERO), (Start::Equilibrium, gravity)] {
            let weight = std::mem::replace(&mut self.gravity, gravity);
            let settled = self.settle_cables(start);
            self.gravity = weight;
            settled?;
        }
        self.watch = Watch::default();
        // for its memory only: bodies may still be changed
        self.watch.begin(&self.bodies, &self.obstacles, self.pairs.capacity());
        self.watch.forget();
        Ok(())
    }

    /// Bring all cables with this start to rest together; all other bodies stay where they are.
    fn settle_cables(&mut self, start: Start) -> Result<(), BuildError> {
        let begins = |body: &Body| matches!(body, Body::Cable(cable) if cable.begins() == start);
        if !self.bodies.iter().any(begins) {
            return Ok(());
        }
        let (mut resting, mut others) = (vec![], vec![]);
        let (mut longest, mut halvings): (f64, i32) = (0.0, 0);
        for (body, model) in self.bodies.iter_mut().enumerate() {
            match model {
                Body::Cable(cable) if cable.begins() == start => {
                    let (step, count) = cable.steps_to_rest(self.gravity);
                    (longest, halvings) = (longest.max(step), halvings.max(count));
                    resting.push(Resting { body, moving: cable.begin_to_rest() });
                }
                Body::Cable(cable) => {
                    cable.stay(true);
                    others.push((body, model.state()));
                }
                Body::Arm(arm) => arm.stay(true),
                _ => {}
            }
        }
        let events = self.events.len();
        let unsettled = self.come_to_rest(&resting, &others, longest, halvings);
        self.events.truncate(events);
        for body in &mut self.bodies {
            if let Body::Arm(arm) = body {
                arm.stay(false);
            }
        }
        for (body, _) in &others {
            if let Body::Cable(cable) = &mut self.bodies[*body] {
                cable.stay(false);
            }
        }
        for Resting { body, moving } in &resting {
            if let Body::Cable(cable) = &mut self.bodies[*body] {
                cable.end_at_rest(moving);
            }
        }
        self.sum_gripper_loads();
        unsettled.map_or(Ok(()), Err)
    }

    /// Take steps to rest in rounds from the longest to the shortest, and if contacts do not come to rest this way, a
    /// strongly damped motion. Returns an error if neither converges.
    fn come_to_rest(
        &mut self,
        resting: &[Resting],
        others: &[(usize, BodyState)],
        longest: f64,
        halvings: i32,
    ) -> Option<BuildError> {
        // per cable: the largest displacement of a link in the last round, relative to its length
        let mut ways = vec![0.0; resting.len()];
        let (mut failed, mut fails) = (None, 0);
        for round in 0..MOST_ROUNDS + MOST_WAITS {
            ways.fill(0.0);
            failed = None;
            if self.stop.is_asked() {
                return Some(BuildError::Stopped);
            }
            let waits = round >= MOST_ROUNDS;
            let steps = if waits { WAIT as i32 } else { halvings + 1 };
            for n in 0..steps {
                let (step, drag) =
                    if waits { (longest / WAIT, 4.0 / longest) } else { (longest * 0.5_f64.powi(n), 0.0) };
                if let Err(error) = self.step_to_rest(resting, others, step, drag) {
                    // a shorter step may succeed
                    failed = Some(error.to_string());
                    continue;
                }
                for (way, Resting { body, .. }) in ways.iter_mut().zip(resting) {
                    if let Body::Cable(cable) = &mut self.bodies[*body] {
                        *way += cable.way() / cable.length();
                        if !waits {
                            cable.stop();
                        }
                    }
                }
            }
            if failed.is_none() && ways.iter().all(|way| *way < RESTING[usize::from(waits)]) {
                return None;
            }
            fails = if failed.is_some() { fails + 1 } else { 0 };
            if fails >= MOST_FAILS {
                break;
            }
            if round >= FIRST_ROUNDS && !waits && ways.iter().any(|way| *way > FALLING) {
                break;
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

    /// One step of all cables, with everything else fixed; if it fails, they are returned to where they were.
    fn step_to_rest(
        &mut self,
        resting: &[Resting],
        others: &[(usize, BodyState)],
        step: f64,
        drag: f64,
    ) -> Result<(), StepError> {
        let pairs = self.pairs.clone();
        let stepped = self.step_cables(resting, step, drag);
        for (body, state) in others {
            self.bodies[*body].set_state(state);
        }
        if stepped.is_err() {
            self.pairs = pairs;
            for Resting { body, .. } in resting {
                if let Body::Cable(cable) = &mut self.bodies[*body] {
                    cable.undo();
                }
            }
        }
        stepped
    }

    fn step_cables(&mut self, resting: &[Resting], step: f64, drag: f64) -> Result<(), StepError> {
        self.grips.iter_mut().for_each(|grip| grip.load = Wrench::default());
        for body in 0..self.bodies.len() {
            if let Body::Cable(cable) = &mut self.bodies[body] {
                if resting.iter().any(|r| r.body == body) {
                    cable.damp(step, drag);
                }
                cable.keep();
                self.find_near(body, step);
                self.with_surroundings(body, step, Body::advance)?;
            }
        }
        self.advance_cables(step, &mut ());
        self.near.clear();
        for Resting { body, .. } in resting {
            self.with_surroundings(*body, step, Body::check)?;
        }
        for Resting { body, .. } in resting {
            self.with_surroundings(*body, step, Body::finish);
        }
        Ok(())
    }
}
