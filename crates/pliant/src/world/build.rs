//! What a world is made of, and what may be done to it between steps.

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
        unique("obstacle", &params.name, self.obstacles.iter().map(|o| o.params.name.as_str()))?;
        if let Some(friction) = params.friction {
            self.bodies.iter().try_for_each(|body| body.check_friction(&params.name, friction))?;
        }
        self.obstacles.push(Obstacle::new(params, self.time()));
        self.near.reserve(self.obstacles.len());
        self.reserve();
        Ok(self.obstacles.len() - 1)
    }

    /// Add a gripper; returns its index.
    pub fn add_gripper(&mut self, params: GripperParams) -> Result<usize, BuildError> {
        unique("gripper", &params.name, self.grippers.iter().map(|g| g.params.name.as_str()))?;
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
        unique("body", body.name(), self.bodies.iter().map(Body::name))?;
        for obstacle in &self.obstacles {
            obstacle.params.friction.map_or(Ok(()), |friction| body.check_friction(&obstacle.params.name, friction))?;
        }
        self.bodies.push(body);
        self.reserve();
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
        self.reserve();
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
        self.reserve();
        self.size_loads(self.time());
        self.prepare(load.body);
        Ok(self.loads.len() - 1)
    }

    /// Bring a rod of the model `elastica` into the equilibrium with its grips and loads that is found from where it is.
    pub fn settle(&mut self, body: usize) -> Result<Settled, BuildError> {
        at("body", &self.bodies, body)?;
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

    /// Let every body have room for what may hold, load or touch it.
    pub(super) fn reserve(&mut self) {
        self.react.reserve(&self.bodies, &mut self.presses);
        let loads = self.loads.len() + self.react.room();
        self.acting.reserve(self.loads.len().saturating_sub(self.acting.len()));
        let (grips, obstacles) = (self.grips.len(), self.obstacles.len());
        self.events.reserve(2 * (grips + (obstacles + 2) * self.bodies.len()).min(1000));
        for body in &mut self.bodies {
            body.reserve(grips, loads, obstacles);
        }
        self.cables.reserve(&self.bodies, &mut self.pairs);
        self.watch.forget();
        self.together.reserve(self.bodies.len());
        self.reserve_before();
        self.accounts.forget(self.bodies.len());
    }
}

/// The one of that number.
fn at<'a, T>(kind: &'static str, list: &'a [T], index: usize) -> Result<&'a T, BuildError> {
    list.get(index).ok_or(BuildError::NoNumber { kind, index, count: list.len() })
}

fn unique<'a>(kind: &'static str, name: &str, mut taken: impl Iterator<Item = &'a str>) -> Result<(), BuildError> {
    if taken.any(|other| other == name) {
        return Err(BuildError::SameName { kind, name: name.into() });
    }
    Ok(())
}
