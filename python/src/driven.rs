//! What moves as it is told: grippers and obstacles have a pose in the world, and something that drives them.

use pliant::math::{Pose, Vec3};
use pliant::{Drive, GripperId, ObstacleId, World};
use pyo3::prelude::*;

use crate::convert::{self, Triple, Turn};
use crate::core::{Core, Shared, lock};
use crate::errors::{ControlError, gone, refused};
use crate::told::{rotation, vector};

/// Which of them it is.
#[derive(Clone, Copy)]
pub enum Which {
    Gripper(GripperId),
    Obstacle(ObstacleId),
}

/// A gripper or an obstacle of a world, by its handle.
pub struct Driven {
    pub core: Shared,
    which: Which,
}

impl Driven {
    pub fn new(core: &Shared, which: Which) -> Driven {
        Driven { core: core.clone(), which }
    }

    /// Its pose in the world.
    pub fn pose(&self, py: Python<'_>) -> PyResult<Pose> {
        let world = &lock(py, &self.core).scene.world;
        match self.which {
            Which::Gripper(id) => world.gripper(id).map(|gripper| gripper.sweep.end).map_err(gone),
            Which::Obstacle(id) => world.obstacle(id).map(|obstacle| obstacle.sweep.end).map_err(gone),
        }
    }

    /// Position in the world [m], an array of shape (3,).
    pub fn position(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.pose(py)?.translation)
    }

    /// Orientation in the world as a quaternion w x y z, an array of shape (4,).
    pub fn orientation(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        rotation(py, &self.pose(py)?)
    }

    /// Its pose, with what is given in place of what it has.
    pub fn pose_with(&self, py: Python<'_>, position: Option<Triple>, orientation: Option<Turn>) -> PyResult<Pose> {
        Ok(convert::pose(&self.pose(py)?, position, orientation))
    }

    /// Let something drive it from the next step on. Refused where an arm carries it, which would go on without it.
    pub fn set_drive(&self, py: Python<'_>, drive: Drive) -> PyResult<()> {
        self.refuse_carried(py)?;
        self.change(py, |world| match self.which {
            Which::Gripper(id) => world.drive(id, drive),
            Which::Obstacle(id) => world.drive_obstacle(id, drive),
        })
    }

    /// Refuse to move it apart from an arm.
    pub fn refuse_carried(&self, py: Python<'_>) -> PyResult<()> {
        let core = lock(py, &self.core);
        let world = &core.scene.world;
        let (name, drive) = match self.which {
            Which::Gripper(id) => world.gripper(id).map(|gripper| (&gripper.params.name, &gripper.drive)),
            Which::Obstacle(id) => world.obstacle(id).map(|obstacle| (&obstacle.params.name, &obstacle.drive)),
        }
        .map_err(gone)?;
        carried(name, drive)
    }

    /// Go to a pose during the next step; what is not given stays as it is.
    pub fn drive(&self, py: Python<'_>, position: Option<Triple>, orientation: Option<Turn>) -> PyResult<()> {
        self.set_drive(py, Drive::Pose(self.pose_with(py, position, orientation)?))
    }

    /// Move at constant velocity.
    pub fn move_at(&self, py: Python<'_>, linear: Vec3, angular: Vec3) -> PyResult<()> {
        self.set_drive(py, Drive::Velocity { linear, angular })
    }

    /// Take it out of the world.
    pub fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |world| match self.which {
            Which::Gripper(id) => world.remove_gripper(id),
            Which::Obstacle(id) => world.remove_obstacle(id),
        })
    }

    /// Change something of the world, which arrays of its state have to know of.
    pub fn change(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut World) -> Result<(), pliant::ControlError>,
    ) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        let core: &mut Core = &mut core;
        act(&mut core.scene.world).map_err(refused)?;
        core.changed();
        Ok(())
    }

    /// In a few words, for an object of this kind and name.
    pub fn told(&self, py: Python<'_>, kind: &str, name: &str) -> String {
        match self.pose(py) {
            Ok(pose) => format!("<pliant.{kind} {name:?} at {}>", pose.translation),
            Err(_) => format!("<pliant.{kind} {name:?}: no longer in its world>"),
        }
    }
}

/// Refuse to move what an arm carries apart from it.
pub fn carried(name: &str, drive: &Drive) -> PyResult<()> {
    if matches!(drive, Drive::Carried { .. }) {
        let told = format!("an arm carries {name}: drive the joints of the arm, or the gripper by `drive_tool`");
        return Err(ControlError::new_err(told));
    }
    Ok(())
}
