//! Bodies that start in equilibrium.

use super::World;
use crate::body::Body;
use crate::elastica::{Settled, Start};
use crate::error::{BuildError, StepError};
use crate::grip::Wrench;
use crate::group::{Group, Resting};
use crate::math::Vec3;
use crate::watch::{Inside, Watch, deepest_inside};

/// Step size for queries in which nothing moves [s]; the value does not matter.
pub(super) const STILL: f64 = 1e-3;

/// Maximum number of rounds of steps, each from the longest step to the shortest, or of strongly damped motion.
const MOST_ROUNDS: usize = 130;

/// Maximum number of rounds of the first kind.
const MOST_OF_STEPS: usize = 30;

/// After this many of them, one in which bodies move farther than [`SLOWER`] times the way of the round before is the last:
/// things that push each other do not settle this way.
const FIRST_OF_STEPS: usize = 2;

/// See [`FIRST_OF_STEPS`].
const SLOWER: f64 = 0.7;

/// Rounds in which a cable may fall without being reported as falling.
const FIRST_ROUNDS: usize = 20;

/// Rounds in a row with failed steps, after which the search is given up.
const MOST_FAILS: usize = 20;

/// Steps in a round of damped motion, which together last as long as the longest step.
const WAIT: f64 = 64.0;

/// A cable is at rest when none of its links moves farther than this fraction of its length in the steps of a round, or is
/// farther after a round of damped motion from where it was before.
const RESTING: [f64; 2] = [1e-8, 1e-7];

/// Where the last rounds, this many, were of damped motion and moved no link farther than this fraction of its cable's
/// length each, the cable is at rest too: what still creeps, such as a slack ring that rolls along a post, has less energy
/// in its motion than the accuracy of a step.
const CREEPING: (usize, f64) = (40, 1e-5);

/// A cable whose links move farther than this fraction of its length in a round is falling.
const FALLING: f64 = 0.1;

impl World {
    /// Prepare for the first step, when all grips, loads and obstacles have been added: allocates memory, and brings
    /// the bodies that are to start there into equilibrium. Fails if there is no equilibrium, if a rod of the model
    /// `elastica` or a solid of the model `response` starts inside an obstacle, or if cables start inside each other.
    pub fn ready(&mut self) -> Result<(), BuildError> {
        self.check_gravity(self.gravity)?;
        self.make_room();
        for body in 0..self.bodies.len() {
            if self.bodies[body].begins_settled() {
                let Settled { falling, change, .. } = self.settle_rod(body)?;
                if falling > 0 {
                    let body = self.bodies[body].name().into();
                    return Err(BuildError::NoEquilibrium { body, falling, change });
                }
            }
            self.find_near(body, STILL);
            self.with_surroundings(body, STILL, |body, around| body.check_start(around))?;
        }
        let near = self.groups.touching(&mut self.bodies);
        if let Some(Inside { bodies, place, distance, needed }) = deepest_inside(&self.bodies, near) {
            let [body, other] = bodies.map(|index| self.bodies[index].name().into());
            return Err(BuildError::StartsInCable { body, other, place, distance, needed });
        }
        let gravity = self.gravity;
        for (start, gravity) in [(Start::WeightlessEquilibrium, Vec3::ZERO), (Start::Equilibrium, gravity)] {
            let weight = std::mem::replace(&mut self.gravity, gravity);
            let settled = self.settle_groups(start);
            self.gravity = weight;
            settled?;
        }
        self.watch = Watch::default();
        // for its memory only: bodies may still be changed
        self.watch.begin(&self.bodies, &self.obstacles, self.groups.between.pairs.capacity());
        self.watch.forget();
        Ok(())
    }

    /// Bring all bodies with this start to rest together; all others stay where they are.
    fn settle_groups(&mut self, start: Start) -> Result<(), BuildError> {
        let Some(resting) = Resting::begin(&mut self.bodies, start, self.gravity) else { return Ok(()) };
        let events = self.events.len();
        let unsettled = self.come_to_rest(&resting);
        self.events.truncate(events);
        resting.end(&mut self.bodies);
        self.sum_gripper_loads();
        unsettled.map_or(Ok(()), Err)
    }

    /// Take steps to rest in rounds from the longest to the shortest, and if contacts do not come to rest this way, a
    /// strongly damped motion. Returns an error if neither converges.
    fn come_to_rest(&mut self, resting: &Resting) -> Option<BuildError> {
        let Resting { longest, halvings, .. } = *resting;
        // per body: how far it moved in the last round, relative to its length
        let mut ways = vec![0.0; resting.indices().count()];
        let (mut failed, mut fails) = (None, 0);
        let (mut waits, mut farthest, mut places) = (false, f64::INFINITY, vec![]);
        let mut creeping = 0;
        for round in 0..MOST_ROUNDS {
            ways.fill(0.0);
            failed = None;
            if self.stop.is_asked() {
                return Some(BuildError::Stopped);
            }
            let steps = if waits { WAIT as i32 } else { halvings + 1 };
            for n in 0..steps {
                let (step, drag) =
                    if waits { (longest / WAIT, 4.0 / longest) } else { (longest * 0.5_f64.powi(n), 0.0) };
                if let Err(error) = self.step_to_rest(resting, step, drag) {
                    // a shorter step may succeed
                    failed = Some(error.to_string());
                    continue;
                }
                if !waits {
                    resting.measure(&mut self.bodies, &mut ways);
                }
            }
            if waits {
                resting.measure_from(&mut self.bodies, &mut places, &mut ways);
            }
            if failed.is_none() && ways.iter().all(|way| *way < RESTING[usize::from(waits)]) {
                return None;
            }
            fails = if failed.is_some() { fails + 1 } else { 0 };
            if fails >= MOST_FAILS {
                break;
            }
            if round >= FIRST_ROUNDS && ways.iter().any(|way| *way > FALLING) {
                break;
            }
            let before = std::mem::replace(&mut farthest, ways.iter().copied().fold(0.0, f64::max));
            let creeps = waits && failed.is_none() && farthest < CREEPING.1;
            creeping = if creeps { creeping + 1 } else { 0 };
            if !waits && (round >= MOST_OF_STEPS || round >= FIRST_OF_STEPS && farthest > SLOWER * before) {
                waits = true;
                resting.measure_from(&mut self.bodies, &mut places, &mut ways);
            }
        }
        if creeping >= CREEPING.0 {
            return None;
        }
        let (way, at) = ways.iter().zip(resting.indices()).max_by(|a, b| a.0.total_cmp(b.0))?;
        let why = match failed {
            Some(error) => {
                format!("a step fails on the way ({error}); give it a path closer to the shape it is to have")
            }
            None if *way > FALLING => "it falls; hold it, or put something below it".into(),
            None => "it goes on moving; give it a path closer to the shape it is to have, or leave out `start` and let it come to rest under `drag`".into(),
        };
        let body = self.bodies[at].name().to_string();
        Some(BuildError::Unsettled { body, way: *way, why })
    }

    /// One step to rest, with everything else fixed; if it fails, the bodies are returned to where they were.
    fn step_to_rest(&mut self, resting: &Resting, step: f64, drag: f64) -> Result<(), StepError> {
        let between = self.groups.between.clone();
        let stepped = self.step_together(resting, step, drag);
        resting.put_back(&mut self.bodies, stepped.is_err());
        if stepped.is_err() {
            self.groups.between = between;
        }
        stepped
    }

    fn step_together(&mut self, resting: &Resting, step: f64, drag: f64) -> Result<(), StepError> {
        self.grips.iter_mut().for_each(|grip| grip.load = Wrench::default());
        resting.damp(&mut self.bodies, step, drag);
        for body in resting.taking_part(&self.bodies) {
            self.find_near(body, step);
            self.with_surroundings(body, step, Body::get_ready);
        }
        self.advance_ready(Group::Linked, step, &mut ())?;
        self.near.clear();
        for body in resting.indices() {
            self.with_surroundings(body, step, Body::check)?;
        }
        for body in resting.indices() {
            self.with_surroundings(body, step, Body::finish);
        }
        Ok(())
    }
}
