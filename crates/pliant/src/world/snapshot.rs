//! Copying out all that changes in a world, and putting it back.

use super::World;
use super::accounts::Accounts;
use super::together::Two;
use crate::body::{Body, BodyState};
use crate::cable::Pair;
use crate::clock::Clock;
use crate::error::BuildError;
use crate::frame::Event;
use crate::grip::{Grip, Load, Wrench};
use crate::lattice::Meeting;
use crate::math::{Pose, Vec3};
use crate::motion::Sweep;
use crate::react::Presses;
use crate::watch::Watch;

/// All that changes in a world, exact to the bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    gravity: Vec3,
    clock: Clock,
    obstacles: Vec<Sweep>,
    grippers: Vec<(Sweep, Option<Pose>, Wrench)>,
    grips: Vec<Grip>,
    loads: Vec<Load>,
    bodies: Vec<BodyState>,
    pairs: Vec<Pair>,
    meetings: Vec<Meeting>,
    presses: Presses,
    touching: Vec<Two>,
    events: Vec<Event>,
    watch: Watch,
    accounts: Accounts,
}

impl World {
    /// Copy out all that changes.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            gravity: self.gravity,
            clock: self.clock,
            obstacles: self.obstacles.iter().map(|o| o.sweep).collect(),
            grippers: self.grippers.iter().map(|g| (g.sweep, g.driven, g.load)).collect(),
            grips: self.grips.clone(),
            loads: self.loads.clone(),
            bodies: self.bodies.iter().map(Body::state).collect(),
            pairs: self.pairs.clone(),
            meetings: self.meetings.clone(),
            presses: self.presses.clone(),
            touching: self.together.touching.clone(),
            events: self.events.clone(),
            watch: self.watch.clone(),
            accounts: self.accounts.clone(),
        }
    }

    /// Put back a snapshot of this world. Grips and loads added since are gone, those it had are back.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), BuildError> {
        let same_parts = snapshot.obstacles.len() == self.obstacles.len()
            && snapshot.grippers.len() == self.grippers.len()
            && snapshot.bodies.len() == self.bodies.len()
            && self.bodies.iter().zip(&snapshot.bodies).all(|(body, state)| body.fits(state));
        if !same_parts {
            return Err(BuildError::ForeignSnapshot);
        }
        for (body, state) in self.bodies.iter_mut().zip(&snapshot.bodies) {
            body.set_state(state);
        }
        for (obstacle, sweep) in self.obstacles.iter_mut().zip(&snapshot.obstacles) {
            obstacle.sweep = *sweep;
        }
        for (gripper, (sweep, driven, load)) in self.grippers.iter_mut().zip(&snapshot.grippers) {
            (gripper.sweep, gripper.driven, gripper.load) = (*sweep, *driven, *load);
        }
        self.grips.clone_from(&snapshot.grips);
        self.pairs.clone_from(&snapshot.pairs);
        self.meetings.clone_from(&snapshot.meetings);
        self.presses.clone_from(&snapshot.presses);
        self.together.touching.clone_from(&snapshot.touching);
        self.events.clone_from(&snapshot.events);
        self.loads.clone_from(&snapshot.loads);
        self.gravity = snapshot.gravity;
        self.clock = snapshot.clock;
        self.has_room = false;
        self.make_room();
        self.size_loads(self.time());
        (0..self.bodies.len()).for_each(|body| self.prepare(body));
        self.watch.copy_from(&snapshot.watch);
        self.watch.begin(&self.bodies, &self.obstacles, self.pairs.capacity());
        self.accounts.clone_from(&snapshot.accounts);
        Ok(())
    }
}
