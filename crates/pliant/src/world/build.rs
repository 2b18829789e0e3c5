//! Building a world: adding bodies, obstacles, grippers, grips and loads, at the start or between steps.

use super::settle::STILL;
use super::{Finger, Room, World};
use crate::body::Body;
use crate::bytes::stored;
use crate::check::Checks;
use crate::contact::{Obstacle, ObstacleParams, Shape, ShapeKind};
use crate::elastica::Settled;
use crate::error::BuildError;
use crate::grip::{FingerParams, Grip, GripParams, Gripper, GripperParams, Load};
use crate::handle::{BodyId, GripId, GripperId, LoadId, ObstacleId, Roster, SensorId, Slots};
use crate::motion::Motion;

/// Handles of everything in a world.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Handles {
    pub bodies: Roster<BodyId>,
    pub obstacles: Roster<ObstacleId>,
    pub grippers: Roster<GripperId>,
    pub grips: Slots<GripId>,
    pub loads: Slots<LoadId>,
    pub sensors: Roster<SensorId>,
}

stored!(Handles { bodies, obstacles, grippers, grips, loads, sensors });

impl Handles {
    /// Whether both belong to the same world with the same parts, or to two worlds built alike, with equal names and no
    /// handle in common.
    pub fn have_the_parts_of(&self, other: &Handles) -> bool {
        let (a, b) = (self, other);
        let same =
            a.bodies == b.bodies && a.obstacles == b.obstacles && a.grippers == b.grippers && a.sensors == b.sensors;
        let foreign = a.bodies.shares_none(&b.bodies)
            && a.obstacles.shares_none(&b.obstacles)
            && a.grippers.shares_none(&b.grippers)
            && a.sensors.shares_none(&b.sensors);
        let alike = || {
            a.bodies.is_named_like(&b.bodies)
                && a.obstacles.is_named_like(&b.obstacles)
                && a.grippers.is_named_like(&b.grippers)
                && a.sensors.is_named_like(&b.sensors)
        };
        same || foreign && alike()
    }

    /// Whether they have this many grips and loads, including open and vacant ones.
    pub fn are_those_of(&self, grips: usize, loads: usize) -> bool {
        (self.grips.len(), self.loads.len()) == (grips, loads)
    }

    /// Whether the same slots of grips and loads are in use, whatever their handles.
    pub fn are_laid_out_like(&self, other: &Handles) -> bool {
        self.grips.is_laid_out_like(&other.grips) && self.loads.is_laid_out_like(&other.loads)
    }
}

impl World {
    /// Add an obstacle; fails if its name is taken, or a body does not support its friction law.
    pub fn add_obstacle(&mut self, params: ObstacleParams) -> Result<ObstacleId, BuildError> {
        self.handles.obstacles.refuse(&params.name)?;
        Checks(&params.name).pose(&params.placed)?;
        params.motion.check(&params.name)?;
        if let Some(friction) = params.friction {
            friction.check(Checks(&params.name))?;
            self.bodies.iter().try_for_each(|body| body.check_friction(&params.name, friction))?;
        }
        let handle = self.handles.obstacles.add(&params.name);
        self.obstacles.push(Obstacle::new(params, self.time()));
        self.revision += 1;
        self.outgrow();
        Ok(handle)
    }

    /// Add a gripper; fails if its name is taken.
    pub fn add_gripper(&mut self, params: GripperParams) -> Result<GripperId, BuildError> {
        self.handles.grippers.refuse(&params.name)?;
        Checks(&params.name).pose(&params.placed)?;
        params.motion.check(&params.name)?;
        let handle = self.handles.grippers.add(&params.name);
        self.grippers.push(Gripper::new(params, self.time()));
        self.revision += 1;
        self.outgrow();
        Ok(handle)
    }

    /// Add a fingertip to a gripper; returns the handle of the obstacle that represents it, which has the gripper's
    /// name.
    pub fn add_finger(&mut self, params: FingerParams) -> Result<ObstacleId, BuildError> {
        let gripper = self.handles.grippers.index(params.gripper)?;
        let handle = self.add_obstacle(ObstacleParams {
            name: self.grippers[gripper].params.name.clone(),
            shape: Shape::new(ShapeKind::Sphere { radius: params.radius })?,
            placed: self.grippers[gripper].sweep.end,
            motion: Motion::Hold,
            friction: params.friction,
        })?;
        self.fingers.push(Finger { gripper, obstacle: self.obstacles.len() - 1 });
        Ok(handle)
    }

    /// Add a body; fails if its name is taken, or it does not support an obstacle's friction law.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId, BuildError> {
        self.handles.bodies.refuse(body.name())?;
        for obstacle in &self.obstacles {
            obstacle.friction.map_or(Ok(()), |friction| body.check_friction(&obstacle.params.name, friction))?;
        }
        let handle = self.handles.bodies.add(body.name());
        self.bodies.push(body);
        self.revision += 1;
        self.accounts.add();
        self.outgrow();
        Ok(handle)
    }

    /// Add a grip. It closes at its scheduled time, immediately if that has passed.
    pub fn add_grip(&mut self, params: GripParams) -> Result<GripId, BuildError> {
        let (gripper, body) = (self.handles.grippers.index(params.gripper)?, self.handles.bodies.index(params.body)?);
        let held = &self.bodies[body];
        held.find_place(params.place, &mut self.surface)?;
        held.check_hold(params.hold)?;
        held.check_jaws(&params)?;
        let checks = Checks(held.name());
        checks.time("the time from which a grip holds", params.from)?;
        checks.time("the time until which a grip holds", params.until)?;
        checks.not_negative("the time that a grip takes to close", params.closing)?;
        let (handle, index) = self.handles.grips.add();
        let grip = Grip::new(params, gripper, body);
        if index < self.grips.len() {
            self.grips[index] = grip;
            let count = self.grips.iter().filter(|grip| grip.body == body).count();
            self.bodies[body].reserve(count, 0, 0);
        } else {
            self.grips.push(grip);
            self.outgrow();
        }
        // between steps the gripper is at the end of the last one
        if self.close_or_open(index, 1.0) {
            self.prepare(body);
        }
        Ok(handle)
    }

    /// Add a dead load.
    pub fn add_load(&mut self, load: Load) -> Result<LoadId, BuildError> {
        let body = self.handles.bodies.index(load.body)?;
        self.check_load(body, &load)?;
        let (handle, index) = self.handles.loads.add();
        if index < self.loads.len() {
            self.loads[index] = (body, load);
            let count = self.loads.iter().filter(|load| load.0 == body).count();
            self.bodies[body].reserve(0, count, 0);
        } else {
            self.loads.push((body, load));
            self.outgrow();
        }
        self.size_loads(self.time());
        self.prepare(body);
        Ok(handle)
    }

    /// Reject a load that the model of a body does not support.
    pub(super) fn check_load(&self, body: usize, load: &Load) -> Result<(), BuildError> {
        let body = &self.bodies[body];
        body.place_pose(load.place)?;
        body.check_load(load)?;
        let checks = Checks(body.name());
        checks.finite("the force of a load", load.force)?;
        checks.finite("the torque of a load", load.torque)?;
        checks.time("the time from which a load acts", load.from)?;
        checks.time("the time until which a load acts", load.until)?;
        for (what, time) in [("the rise of a load", load.rise), ("the fall of a load", load.fall)] {
            checks.not_negative(what, time)?;
        }
        Ok(())
    }

    /// Bring a rod of the model `elastica` into equilibrium with its grips and loads, searching from its current shape.
    /// Fails for other models.
    pub fn settle(&mut self, body: BodyId) -> Result<Settled, BuildError> {
        self.settle_rod(self.handles.bodies.index(body)?)
    }

    pub(super) fn settle_rod(&mut self, body: usize) -> Result<Settled, BuildError> {
        self.check_gravity(self.gravity)?;
        self.make_room();
        self.find_near(body, STILL);
        let settled = self
            .with_surroundings(body, STILL, |body, around| body.as_elastica("finds no equilibrium")?.settle(around));
        if self.stop.is_asked() { Err(BuildError::Stopped) } else { settled }
    }

    /// Note that something was added: memory is allocated before the next step, and the watch and the accounts start anew.
    pub(super) fn outgrow(&mut self) {
        self.room = Room::Outgrown;
        self.watch.forget();
        self.accounts.forget();
    }

    /// Allocate memory for everything, if anything was added since, so that a step does not allocate.
    pub(super) fn make_room(&mut self) {
        if let Room::Made = std::mem::replace(&mut self.room, Room::Made) {
            return;
        }
        self.near.reserve(self.obstacles.len().saturating_sub(self.near.len()));
        self.react.reserve(&self.bodies, &mut self.presses);
        self.acting.reserve(self.loads.len().saturating_sub(self.acting.len()));
        let (grips, obstacles) = (self.grips.len(), self.obstacles.len());
        let room = 2 * (grips + (obstacles + 2) * self.bodies.len()).min(1000);
        self.events.reserve(room.saturating_sub(self.events.len()));
        let mut holds = vec![[0; 2]; self.bodies.len()];
        let (grips_of, loads_of) = (self.grips.iter().map(|grip| grip.body), self.loads.iter().map(|load| load.0));
        // removed grips have no body
        grips_of.for_each(|body| holds.get_mut(body).into_iter().for_each(|count: &mut [usize; 2]| count[0] += 1));
        loads_of.for_each(|body| holds.get_mut(body).into_iter().for_each(|count: &mut [usize; 2]| count[1] += 1));
        for (body, [grips, loads]) in self.bodies.iter_mut().zip(holds) {
            let pushes = self.react.room(body.size());
            body.reserve(grips, loads + pushes, obstacles);
        }
        let size: usize = self.bodies.iter().map(Body::size).sum();
        if !self.fingers.is_empty() || self.bodies.iter().any(|body| body.as_arm().is_some()) {
            let room = (2 * size * obstacles).min(10_000);
            self.contacts.reserve(room.saturating_sub(self.contacts.len()));
        }
        self.surface.reserve(self.bodies.iter().map(Body::places_in_space).max().unwrap_or(0));
        self.groups.reserve(&self.bodies, &self.obstacles);
        self.together.reserve(self.bodies.len());
        self.reserve_before();
    }
}
