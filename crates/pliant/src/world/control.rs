//! Control of a world between steps: grasping and releasing, driving grippers and obstacles, changing loads, removing
//! things. Snapshots include all of it.

use super::World;
use crate::body::Body;
use crate::check::Checks;
use crate::contact::Obstacle;
use crate::error::{BuildError, ControlError, Gone};
use crate::frame::{Event, EventKind};
use crate::grip::{Grip, GripParams, Gripper, Hold, Load, Place};
use crate::handle::{BodyId, GripId, GripperId, LoadId, ObstacleId};
use crate::material::Friction;
use crate::math::{Pose, Vec3};
use crate::motion::{Drive, Sweep};
use crate::properties::Change;
use crate::react::{self, Nodes};

/// Body index of grips and loads that were removed.
const NOBODY: usize = usize::MAX;

/// Update a list of indices after the removal of the element `gone`.
pub(crate) fn move_up(indices: &mut Vec<usize>, gone: usize) {
    indices.retain(|&index| index != gone);
    indices.iter_mut().filter(|index| **index > gone).for_each(|index| *index -= 1);
}

impl World {
    /// Close a gripper around a place of a body now, keeping the offset between them, with rigid jaws that never open
    /// or slip. [`World::add_grip`] has more options.
    pub fn grasp(
        &mut self,
        gripper: GripperId,
        body: BodyId,
        place: Place,
        hold: Hold,
    ) -> Result<GripId, ControlError> {
        let params = GripParams { from: self.time(), ..GripParams::new(gripper, body, place, hold) };
        Ok(self.add_grip(params)?)
    }

    /// Close a gripper around the place nearest to its origin, of any body, if there is one within a distance [m].
    pub fn grasp_nearest(
        &mut self,
        gripper: GripperId,
        within: f64,
        hold: Hold,
    ) -> Result<Option<GripId>, ControlError> {
        let Gripper { params, sweep, .. } = self.gripper(gripper)?;
        Checks(&params.name).that(within >= 0.0, "the reach", "not negative", within)?;
        let origin = sweep.end.translation;
        let mut nodes = std::mem::take(&mut self.nodes);
        let found = self.find_nearest(origin, within, &mut nodes);
        self.nodes = nodes;
        let Some((body, place)) = found else { return Ok(None) };
        self.grasp(gripper, body, place, hold).map(Some)
    }

    /// The place nearest to a point in the world [m], of any body, if there is one within a distance [m].
    pub fn nearest_place(&self, point: Vec3, within: f64) -> Option<(BodyId, Place)> {
        self.find_nearest(point, within, &mut Nodes::default())
    }

    fn find_nearest(&self, point: Vec3, within: f64, nodes: &mut Nodes) -> Option<(BodyId, Place)> {
        let mut best: Option<(usize, Place)> = None;
        let mut least = within;
        for (index, body) in self.bodies.iter().enumerate() {
            if let Some((place, distance)) = body.nearest_place(point, nodes)
                && distance <= least
            {
                (best, least) = (Some((index, place)), distance);
            }
        }
        best.and_then(|(index, place)| Some((self.handles.bodies.at(index)?, place)))
    }

    /// Open a grip now, whatever its schedule, and remove it.
    pub fn release(&mut self, grip: GripId) -> Result<(), ControlError> {
        let index = self.handles.grips.index(grip)?;
        self.drop_grip(index);
        Ok(())
    }

    fn drop_grip(&mut self, index: usize) {
        let Grip { gripper, body, anchor, .. } = self.grips[index];
        let (time, grip) = (self.time(), &mut self.grips[index]);
        grip.open();
        (grip.params.until, grip.body) = (f64::NEG_INFINITY, NOBODY);
        self.handles.grips.vacate(index);
        if anchor.is_some() {
            self.events.push(Event { time, kind: EventKind::Released { gripper, body } });
            self.prepare(body);
        }
    }

    /// Set what moves a gripper from now on. Fails if the drive is not finite.
    pub fn drive(&mut self, gripper: GripperId, drive: Drive) -> Result<(), ControlError> {
        let gripper = &mut self.grippers[self.handles.grippers.index(gripper)?];
        drive.check(&gripper.params.name)?;
        gripper.drive = drive;
        Ok(())
    }

    /// Put a gripper somewhere else at once, at rest there, without a way between: its fingertip touches nothing on it.
    /// Fails while it holds something, or if the pose is not finite.
    pub fn put_gripper(&mut self, gripper: GripperId, pose: Pose) -> Result<(), ControlError> {
        let index = self.handles.grippers.index(gripper)?;
        let gripper = &mut self.grippers[index];
        Checks(&gripper.params.name).pose(&pose)?;
        if self.grips.iter().any(|grip| grip.gripper == index && grip.anchor.is_some()) {
            return Err(ControlError::Holding { gripper: gripper.params.name.clone() });
        }
        (gripper.drive, gripper.sweep) = (Drive::Pose(pose), Sweep::resting(pose));
        for finger in self.fingers.iter().filter(|finger| finger.gripper == index) {
            self.obstacles[finger.obstacle].sweep = Sweep::resting(pose);
        }
        Ok(())
    }

    /// Set what moves an obstacle from now on. Fails if the drive is not finite, and for a fingertip, which moves with
    /// its gripper.
    pub fn drive_obstacle(&mut self, obstacle: ObstacleId, drive: Drive) -> Result<(), ControlError> {
        let index = self.handles.obstacles.index(obstacle)?;
        if let Some(gripper) = self.gripper_of_fingertip(index) {
            return Err(ControlError::Fingertip { gripper });
        }
        let obstacle = &mut self.obstacles[index];
        drive.check(&obstacle.params.name)?;
        obstacle.drive = drive;
        Ok(())
    }

    /// Change the friction of an obstacle's surface; with `None` that of the touching body applies.
    pub fn set_obstacle_friction(
        &mut self,
        obstacle: ObstacleId,
        friction: Option<Friction>,
    ) -> Result<(), ControlError> {
        let index = self.handles.obstacles.index(obstacle)?;
        if let Some(friction) = friction {
            let name = &self.obstacles[index].params.name;
            friction.check(Checks(name))?;
            self.bodies.iter().try_for_each(|body| body.check_friction(name, friction))?;
        }
        self.obstacles[index].friction = friction;
        Ok(())
    }

    /// Change the acceleration of gravity, in the world [m/s2]. Fails if it is not finite.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), ControlError> {
        self.check_gravity(gravity)?;
        self.gravity = gravity;
        Ok(())
    }

    /// Reject gravity that is not finite.
    pub(super) fn check_gravity(&self, gravity: Vec3) -> Result<(), BuildError> {
        Checks("the world").finite("gravity", gravity)
    }

    /// Change a property of a body from now on. Everything that its model derives from it follows: stiffness, inertia,
    /// the size of its inner steps. Shape and velocities stay; its energy account starts anew. Fails for a property
    /// that the model cannot change, see [`Body::properties`]. Gravity belongs to the world: [`World::set_gravity`].
    pub fn change(&mut self, body: BodyId, change: Change) -> Result<(), ControlError> {
        let index = self.handles.bodies.index(body)?;
        if let Change::Friction(friction) = change {
            self.bodies[index].check_friction("its material", friction)?;
        }
        if self.bodies[index].change(change)? {
            self.refresh(index);
        }
        Ok(())
    }

    /// Update what depends on the properties of a body, after they changed.
    pub(super) fn refresh(&mut self, body: usize) {
        self.accounts.forget_one(body);
        self.prepare(body);
    }

    /// Change force [N] and torque [N m] of a load; its place and times stay.
    pub fn set_load(&mut self, load: LoadId, force: Vec3, torque: Vec3) -> Result<(), ControlError> {
        let index = self.handles.loads.index(load)?;
        let (body, load) = self.loads[index];
        let changed = Load { force, torque, ..load };
        self.check_load(body, &changed)?;
        self.loads[index].1 = changed;
        self.size_loads(self.time());
        self.prepare(body);
        Ok(())
    }

    /// Remove a load.
    pub fn remove_load(&mut self, load: LoadId) -> Result<(), ControlError> {
        let index = self.handles.loads.index(load)?;
        self.drop_load(index);
        Ok(())
    }

    fn drop_load(&mut self, index: usize) {
        let body = std::mem::replace(&mut self.loads[index].0, NOBODY);
        self.handles.loads.vacate(index);
        self.size_loads(self.time());
        self.prepare(body);
    }

    /// Remove a gripper, with its grips, its fingertip and its sensors.
    pub fn remove_gripper(&mut self, gripper: GripperId) -> Result<(), ControlError> {
        let gone = self.handles.grippers.index(gripper)?;
        let held: Vec<usize> =
            (0..self.grips.len()).filter(|&g| self.is_grip(g) && self.grips[g].gripper == gone).collect();
        held.into_iter().for_each(|grip| self.drop_grip(grip));
        while let Some(finger) = self.fingers.iter().position(|finger| finger.gripper == gone) {
            let obstacle = self.fingers.remove(finger).obstacle;
            self.take_obstacle(obstacle)?;
        }
        let Gripper { params, .. } = self.grippers.remove(gone);
        self.revision += 1;
        self.handles.grippers.remove(gripper, &params.name)?;
        self.fingers.iter_mut().filter(|f| f.gripper > gone).for_each(|f| f.gripper -= 1);
        self.grips.iter_mut().filter(|g| g.gripper > gone).for_each(|g| g.gripper -= 1);
        self.forget_gripper(gone)?;
        self.events.clear();
        self.parted.clear();
        self.outgrow();
        Ok(())
    }

    /// Remove an obstacle. Fails for a fingertip, which is removed with its gripper.
    pub fn remove_obstacle(&mut self, obstacle: ObstacleId) -> Result<(), ControlError> {
        let gone = self.handles.obstacles.index(obstacle)?;
        if let Some(gripper) = self.gripper_of_fingertip(gone) {
            return Err(BuildError::Fingertip { gripper }.into());
        }
        self.take_obstacle(gone)
    }

    /// Name of the gripper whose fingertip an obstacle is, if it is one.
    pub(super) fn gripper_of_fingertip(&self, obstacle: usize) -> Option<String> {
        let finger = self.fingers.iter().find(|finger| finger.obstacle == obstacle)?;
        Some(self.grippers[finger.gripper].params.name.clone())
    }

    fn take_obstacle(&mut self, gone: usize) -> Result<(), ControlError> {
        let Obstacle { params, .. } = self.obstacles.remove(gone);
        self.revision += 1;
        if let Some(handle) = self.handles.obstacles.at(gone) {
            self.handles.obstacles.remove(handle, &params.name)?;
        }
        self.fingers.iter_mut().filter(|f| f.obstacle > gone).for_each(|f| f.obstacle -= 1);
        self.bodies.iter_mut().for_each(|body| body.forget_obstacle(gone));
        self.events.clear();
        self.parted.clear();
        self.outgrow();
        Ok(())
    }

    /// Remove a body, with its grips and loads, and return it. It keeps its shape and velocities, and may be added
    /// again, to this world or another.
    pub fn remove_body(&mut self, body: BodyId) -> Result<Body, ControlError> {
        let gone = self.handles.bodies.index(body)?;
        let grips: Vec<usize> = (0..self.grips.len()).filter(|&grip| self.grips[grip].body == gone).collect();
        grips.into_iter().for_each(|grip| self.drop_grip(grip));
        let loads: Vec<usize> = (0..self.loads.len()).filter(|&load| self.loads[load].0 == gone).collect();
        loads.into_iter().for_each(|load| self.drop_load(load));
        // contact forces and holds of this world no longer act on it
        self.prepare(gone);
        let mut removed = self.bodies.remove(gone);
        self.revision += 1;
        (0..self.obstacles.len()).rev().for_each(|obstacle| removed.forget_obstacle(obstacle));
        self.handles.bodies.remove(body, removed.name())?;
        let numbers =
            self.grips.iter_mut().map(|grip| &mut grip.body).chain(self.loads.iter_mut().map(|load| &mut load.0));
        numbers.filter(|number| **number != NOBODY && **number > gone).for_each(|number| *number -= 1);
        self.forget_arm(gone);
        self.groups.between.forget_body(gone);
        react::forget_body(&mut self.presses, gone);
        self.together.forget_body(gone);
        self.accounts.remove(gone);
        self.events.clear();
        self.parted.clear();
        self.outgrow();
        Ok(removed)
    }

    fn is_grip(&self, index: usize) -> bool {
        self.handles.grips.at(index).is_some()
    }

    /// The body with this handle.
    pub fn body(&self, body: BodyId) -> Result<&Body, Gone> {
        Ok(&self.bodies[self.handles.bodies.index(body)?])
    }

    /// The obstacle with this handle.
    pub fn obstacle(&self, obstacle: ObstacleId) -> Result<&Obstacle, Gone> {
        Ok(&self.obstacles[self.handles.obstacles.index(obstacle)?])
    }

    /// The gripper with this handle.
    pub fn gripper(&self, gripper: GripperId) -> Result<&Gripper, Gone> {
        Ok(&self.grippers[self.handles.grippers.index(gripper)?])
    }

    /// The grip with this handle.
    pub fn grip(&self, grip: GripId) -> Result<&Grip, Gone> {
        Ok(&self.grips[self.handles.grips.index(grip)?])
    }

    /// The load with this handle.
    pub fn load(&self, load: LoadId) -> Result<&Load, Gone> {
        Ok(&self.loads[self.handles.loads.index(load)?].1)
    }

    /// Handle of the body with this name.
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.handles.bodies.named(name)
    }

    /// Handle of the obstacle with this name.
    pub fn obstacle_named(&self, name: &str) -> Option<ObstacleId> {
        self.handles.obstacles.named(name)
    }

    /// Handle of the gripper with this name.
    pub fn gripper_named(&self, name: &str) -> Option<GripperId> {
        self.handles.grippers.named(name)
    }

    /// Index of a body in [`World::bodies`] and in frames, valid until a body is removed.
    pub fn body_index(&self, body: BodyId) -> Result<usize, Gone> {
        self.handles.bodies.index(body)
    }

    /// Index of a gripper in [`World::grippers`] and in frames, valid until a gripper is removed.
    pub fn gripper_index(&self, gripper: GripperId) -> Result<usize, Gone> {
        self.handles.grippers.index(gripper)
    }

    /// Index of an obstacle in [`World::obstacles`] and in frames, valid until an obstacle is removed.
    pub fn obstacle_index(&self, obstacle: ObstacleId) -> Result<usize, Gone> {
        self.handles.obstacles.index(obstacle)
    }

    /// Handle of the body at an index of [`World::bodies`].
    pub fn body_at(&self, index: usize) -> Result<BodyId, Gone> {
        self.handles.bodies.at(index).ok_or(Gone { kind: "body" })
    }

    /// Handle of the obstacle at an index of [`World::obstacles`].
    pub fn obstacle_at(&self, index: usize) -> Result<ObstacleId, Gone> {
        self.handles.obstacles.at(index).ok_or(Gone { kind: "obstacle" })
    }

    /// Handle of the gripper at an index of [`World::grippers`].
    pub fn gripper_at(&self, index: usize) -> Result<GripperId, Gone> {
        self.handles.grippers.at(index).ok_or(Gone { kind: "gripper" })
    }

    /// Move the points of a chain [m], which is then at rest; their number must stay the same.
    pub fn set_points(&mut self, body: BodyId, points: &[Vec3]) -> Result<(), ControlError> {
        let body = self.handles.bodies.index(body)?;
        self.bodies[body].set_points(points)?;
        self.watch.forget();
        self.accounts.forget();
        Ok(())
    }
}
