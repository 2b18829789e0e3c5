//! Copying out all that changes in a world, and putting it back.

use super::World;
use super::accounts::Accounts;
use super::build::Handles;
use super::together::Two;
use crate::body::{Body, BodyState};
use crate::cable::Pair;
use crate::clock::Clock;
use crate::error::BuildError;
use crate::frame::Event;
use crate::grip::{Grip, Load, Wrench};
use crate::lattice::Meeting;
use crate::material::Friction;
use crate::math::Vec3;
use crate::motion::{Drive, Sweep};
use crate::react::Presses;
use crate::watch::Watch;

/// All that changes in a world, exact to the bit. Those of worlds that were built alike are equal where the worlds are, although
/// their handles differ.
#[derive(Clone, Debug)]
pub struct Snapshot {
    handles: Handles,
    grips: Vec<Grip>,
    /// Loads, each with the index of its body.
    loads: Vec<(usize, Load)>,
    state: State,
}

/// What of that has no handle in it.
#[derive(Clone, Debug, PartialEq)]
struct State {
    gravity: Vec3,
    clock: Clock,
    obstacles: Vec<(Sweep, Drive, Option<Friction>)>,
    grippers: Vec<(Sweep, Drive, Wrench)>,
    bodies: Vec<BodyState>,
    pairs: Vec<Pair>,
    meetings: Vec<Meeting>,
    presses: Presses,
    touching: Vec<Two>,
    events: Vec<Event>,
    watch: Watch,
    accounts: Accounts,
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Snapshot) -> bool {
        let grips = self.grips.iter().zip(&other.grips);
        let loads = self.loads.iter().zip(&other.loads);
        self.state == other.state
            && self.handles.are_laid_out_like(&other.handles)
            && grips.into_iter().all(|(a, b)| a.with_handles_of(b) == *b)
            && loads.into_iter().all(|((m, a), (n, b))| m == n && Load { body: b.body, ..*a } == *b)
    }
}

impl World {
    /// Copy out all that changes.
    pub fn snapshot(&self) -> Snapshot {
        let state = State {
            gravity: self.gravity,
            clock: self.clock,
            obstacles: self.obstacles.iter().map(|o| (o.sweep, o.drive, o.params.friction)).collect(),
            grippers: self.grippers.iter().map(|g| (g.sweep, g.drive, g.load)).collect(),
            bodies: self.bodies.iter().map(Body::state).collect(),
            pairs: self.pairs.clone(),
            meetings: self.meetings.clone(),
            presses: self.presses.clone(),
            touching: self.together.touching.clone(),
            events: self.events.clone(),
            watch: self.watch.clone(),
            accounts: self.accounts.clone(),
        };
        Snapshot { handles: self.handles.clone(), grips: self.grips.clone(), loads: self.loads.clone(), state }
    }

    /// Put back a snapshot of this world. Grips and loads added since are gone, those it had are back.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), BuildError> {
        let Snapshot { handles, grips, loads, state } = snapshot;
        let same_parts = self.handles.have_the_parts_of(handles)
            && self.bodies.iter().zip(&state.bodies).all(|(body, state)| body.fits(state));
        if !same_parts {
            return Err(BuildError::ForeignSnapshot);
        }
        for (body, state) in self.bodies.iter_mut().zip(&state.bodies) {
            body.set_state(state);
        }
        for (obstacle, (sweep, drive, friction)) in self.obstacles.iter_mut().zip(&state.obstacles) {
            (obstacle.sweep, obstacle.drive, obstacle.params.friction) = (*sweep, *drive, *friction);
        }
        for (gripper, (sweep, drive, load)) in self.grippers.iter_mut().zip(&state.grippers) {
            (gripper.sweep, gripper.drive, gripper.load) = (*sweep, *drive, *load);
        }
        self.grips.clone_from(grips);
        self.loads.clone_from(loads);
        self.know_handles(handles);
        self.pairs.clone_from(&state.pairs);
        self.meetings.clone_from(&state.meetings);
        self.presses.clone_from(&state.presses);
        self.together.touching.clone_from(&state.touching);
        self.events.clone_from(&state.events);
        self.gravity = state.gravity;
        self.clock = state.clock;
        self.has_room = false;
        self.make_room();
        self.size_loads(self.time());
        (0..self.bodies.len()).for_each(|body| self.prepare(body));
        self.watch.copy_from(&state.watch);
        self.watch.begin(&self.bodies, &self.obstacles, self.pairs.capacity());
        self.accounts.clone_from(&state.accounts);
        Ok(())
    }

    /// Know the handles of grips and loads again that were there at the time of a snapshot. Those of a world that was built in the same way
    /// are other ones: what it had in the same place keeps its own.
    fn know_handles(&mut self, then: &Handles) {
        let Handles { bodies, grippers, grips, loads, .. } = &mut self.handles;
        if bodies == &then.bodies {
            (*grips, *loads) = (then.grips.clone(), then.loads.clone());
            return;
        }
        grips.become_like(&then.grips);
        loads.become_like(&then.loads);
        for grip in &mut self.grips {
            if let (Some(gripper), Some(body)) = (grippers.at(grip.gripper), bodies.at(grip.body)) {
                (grip.params.gripper, grip.params.body) = (gripper, body);
            }
        }
        for (index, load) in &mut self.loads {
            load.body = bodies.at(*index).unwrap_or(load.body);
        }
    }
}
