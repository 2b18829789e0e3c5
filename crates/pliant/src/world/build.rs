//! What a world is made of, and what may be done to it between steps.

use std::collections::HashMap;

use super::settle::STILL;
use super::{Finger, World};
use crate::body::Body;
use crate::check::Checks;
use crate::contact::{Obstacle, ObstacleParams, Shape, ShapeKind};
use crate::elastica::Settled;
use crate::error::BuildError;
use crate::grip::{FingerParams, Grip, GripParams, Gripper, GripperParams, Load};
use crate::math::{Pose, Vec3};
use crate::motion::Motion;

impl World {
    /// Add an obstacle; returns its index.
    pub fn add_obstacle(&mut self, params: ObstacleParams) -> Result<usize, BuildError> {
        self.names.obstacles.refuse("obstacle", &params.name)?;
        if let Some(friction) = params.friction {
            self.bodies.iter().try_for_each(|body| body.check_friction(&params.name, friction))?;
        }
        self.names.obstacles.add(&params.name);
        self.obstacles.push(Obstacle::new(params, self.time()));
        self.outgrow();
        Ok(self.obstacles.len() - 1)
    }

    /// Add a gripper; returns its index.
    pub fn add_gripper(&mut self, params: GripperParams) -> Result<usize, BuildError> {
        self.names.grippers.refuse("gripper", &params.name)?;
        self.names.grippers.add(&params.name);
        self.outgrow();
        self.grippers.push(Gripper::new(params, self.time()));
        Ok(self.grippers.len() - 1)
    }

    /// Let a gripper have a fingertip; returns the index of the obstacle that it is, of the same name.
    pub fn add_finger(&mut self, params: FingerParams) -> Result<usize, BuildError> {
        let Gripper { params: gripper, sweep, .. } = at("gripper", &self.grippers, params.gripper)?;
        let obstacle = self.add_obstacle(ObstacleParams {
            name: gripper.name.clone(),
            shape: Shape::new(ShapeKind::Sphere { radius: params.radius })?,
            placed: sweep.end,
            motion: Motion::Hold,
            friction: params.friction,
        })?;
        self.fingers.push(Finger { gripper: params.gripper, obstacle });
        Ok(obstacle)
    }

    /// Add a body; returns its index.
    pub fn add_body(&mut self, body: Body) -> Result<usize, BuildError> {
        self.names.bodies.refuse("body", body.name())?;
        for obstacle in &self.obstacles {
            obstacle.params.friction.map_or(Ok(()), |friction| body.check_friction(&obstacle.params.name, friction))?;
        }
        self.names.bodies.add(body.name());
        self.bodies.push(body);
        self.outgrow();
        Ok(self.bodies.len() - 1)
    }

    /// Add a grip; returns its index. It closes at its time, at once if that has come.
    pub fn add_grip(&mut self, params: GripParams) -> Result<usize, BuildError> {
        at("gripper", &self.grippers, params.gripper)?;
        let body = at("body", &self.bodies, params.body)?;
        body.place_pose(params.place)?;
        body.check_hold(params.hold)?;
        body.check_jaws(&params)?;
        self.grips.push(Grip::new(params));
        self.outgrow();
        let index = self.grips.len() - 1;
        // between steps a gripper is where the last one left it
        if self.close_or_open(index, 1.0) {
            self.prepare(params.body);
        }
        Ok(index)
    }

    /// Add a dead load; returns its index.
    pub fn add_load(&mut self, load: Load) -> Result<usize, BuildError> {
        let body = at("body", &self.bodies, load.body)?;
        body.place_pose(load.place)?;
        body.check_load(&load)?;
        for (what, time) in [("the rise of a load", load.rise), ("the fall of a load", load.fall)] {
            Checks(body.name()).not_negative(what, time)?;
        }
        self.loads.push(load);
        self.outgrow();
        self.size_loads(self.time());
        self.prepare(load.body);
        Ok(self.loads.len() - 1)
    }

    /// Bring a rod of the model `elastica` into the equilibrium with its grips and loads that is found from where it is.
    pub fn settle(&mut self, body: usize) -> Result<Settled, BuildError> {
        at("body", &self.bodies, body)?;
        self.make_room();
        self.find_near(body, STILL);
        let settled = self
            .with_surroundings(body, STILL, |body, around| body.as_elastica("finds no equilibrium")?.settle(around));
        if self.stop.is_asked() { Err(BuildError::Stopped) } else { settled }
    }

    /// Open a grip now, whatever its schedule says.
    pub fn release(&mut self, grip: usize) -> Result<(), BuildError> {
        let time = self.time();
        at("grip", &self.grips, grip)?;
        let released = &mut self.grips[grip];
        released.params.until = time;
        let body = released.params.body;
        if self.close_or_open(grip, 1.0) {
            self.prepare(body);
        }
        Ok(())
    }

    /// Move a gripper by hand: it goes to `pose` during the next step. `None` returns it to its prescribed motion.
    pub fn drive(&mut self, gripper: usize, pose: Option<Pose>) -> Result<(), BuildError> {
        at("gripper", &self.grippers, gripper)?;
        let gripper = &mut self.grippers[gripper];
        if pose.is_some_and(|p| !p.translation.is_finite() || !p.rotation.is_normalized()) {
            return Err(BuildError::Pose { name: gripper.params.name.clone() });
        }
        gripper.driven = pose;
        Ok(())
    }

    /// Give a chain another shape, at rest; its number of points stays.
    pub fn set_points(&mut self, body: usize, points: &[Vec3]) -> Result<(), BuildError> {
        at("body", &self.bodies, body)?;
        self.watch.forget();
        self.accounts.forget(self.bodies.len());
        self.bodies[body].set_points(points)
    }

    /// Number of the body of that name.
    pub fn body_named(&self, name: &str) -> Option<usize> {
        self.names.bodies.number(name)
    }

    /// Something was added: room has to be made for it before the next step, and bodies have to be looked at anew.
    fn outgrow(&mut self) {
        self.has_room = false;
        self.watch.forget();
    }

    /// Make room for all there is, if anything was added since, so that a step allocates nothing.
    pub(super) fn make_room(&mut self) {
        if std::mem::replace(&mut self.has_room, true) {
            return;
        }
        self.near.reserve(self.obstacles.len().saturating_sub(self.near.len()));
        self.react.reserve(&self.bodies, &mut self.presses);
        self.acting.reserve(self.loads.len().saturating_sub(self.acting.len()));
        let (grips, obstacles) = (self.grips.len(), self.obstacles.len());
        let room = 2 * (grips + (obstacles + 2) * self.bodies.len()).min(1000);
        self.events.reserve(room.saturating_sub(self.events.len()));
        let mut holds = vec![[0; 2]; self.bodies.len()];
        self.grips.iter().for_each(|grip| holds[grip.params.body][0] += 1);
        self.loads.iter().for_each(|load| holds[load.body][1] += 1);
        for (body, [grips, loads]) in self.bodies.iter_mut().zip(holds) {
            let pushes = self.react.room(body.size());
            body.reserve(grips, loads + pushes, obstacles);
        }
        self.cables.reserve(&self.bodies, &mut self.pairs);
        self.together.reserve(self.bodies.len());
        self.reserve_before();
        self.accounts.forget(self.bodies.len());
    }
}

/// Names of all things of a kind, and their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(HashMap<String, usize>);

/// Those of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct AllNames {
    bodies: Names,
    obstacles: Names,
    grippers: Names,
}

impl Names {
    fn refuse(&self, kind: &'static str, name: &str) -> Result<(), BuildError> {
        if self.0.contains_key(name) { Err(BuildError::SameName { kind, name: name.into() }) } else { Ok(()) }
    }

    fn add(&mut self, name: &str) {
        self.0.insert(name.into(), self.0.len());
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }
}

/// The one of that number.
fn at<'a, T>(kind: &'static str, list: &'a [T], index: usize) -> Result<&'a T, BuildError> {
    list.get(index).ok_or(BuildError::NoNumber { kind, index, count: list.len() })
}
