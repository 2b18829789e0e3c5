//! Grippers as Python objects: where they are, what they feel, how they are driven, and what they hold.

use pliant::arm::{HeldTool, Impedance};
use pliant::math::Vec3;
use pliant::{Drive, GripParams, GripperId, Jaws};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Cached, array};
use crate::control::Grip;
use crate::convert::{self, Triple, Turn};
use crate::core::{Core, Shared, lock};
use crate::driven::{Driven, Which};
use crate::errors::{ControlError, gone, refused};
use crate::told::{rotation, vector};
use crate::world::named::body_of;

/// A gripper of a world: a moving frame that holds places of bodies, and feels them.
#[pyclass(frozen, module = "pliant")]
pub struct Gripper {
    driven: Driven,
    id: GripperId,
    /// Name, unique among grippers.
    #[pyo3(get)]
    name: String,
    felt: std::sync::Mutex<Cached>,
}

impl Gripper {
    pub fn new(core: &Shared, held: &Core, id: GripperId) -> PyResult<Gripper> {
        let name = held.scene.world.gripper(id).map_err(gone)?.params.name.clone();
        Ok(Gripper { driven: Driven::new(core, Which::Gripper(id)), id, name, felt: Default::default() })
    }

    fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&pliant::Gripper) -> T) -> PyResult<T> {
        Ok(read(lock(py, &self.driven.core).scene.world.gripper(self.id).map_err(gone)?))
    }

    /// How an arm holds it, if one does.
    fn held(&self, py: Python<'_>) -> PyResult<Option<HeldTool>> {
        lock(py, &self.driven.core).scene.world.tool(self.id).map_err(gone)
    }

    fn held_tool(&self, py: Python<'_>) -> PyResult<HeldTool> {
        let none = || format!("no arm holds {} by all its joints: call `hold_tool` first", self.name);
        self.held(py)?.ok_or_else(|| ControlError::new_err(none()))
    }
}

#[pymethods]
impl Gripper {
    /// Position in the world [m], an array of shape (3,).
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.driven.position(py)
    }

    /// Orientation in the world as a quaternion w x y z, an array of shape (4,).
    #[getter]
    fn orientation(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.driven.orientation(py)
    }

    /// Force [N] and torque about its origin [N m] of the bodies on it, in world axes, means over the last step: an
    /// array of shape (6,).
    #[getter]
    fn wrench(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut felt = lock(py, &self.felt);
        let core = lock(py, &self.driven.core);
        let load = core.scene.world.gripper(self.id).map_err(gone)?.load;
        felt.get(py, core.epoch, &[6], |out| {
            out[..3].copy_from_slice(&load.force.to_array());
            out[3..].copy_from_slice(&load.torque.to_array());
        })
    }

    /// Force of the bodies on it, in world axes [N], mean over the last step: an array of shape (3,).
    #[getter]
    fn force(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.with(py, |gripper| gripper.load.force)?)
    }

    /// Torque of the bodies on it about its origin, in world axes [N m], mean over the last step: an array of shape
    /// (3,).
    #[getter]
    fn torque(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        vector(py, self.with(py, |gripper| gripper.load.torque)?)
    }

    /// Go to a pose during the next step, at constant velocity, and stay there. What is not given stays as it is;
    /// `orientation` is a quaternion w x y z.
    #[pyo3(signature = (position=None, orientation=None))]
    fn drive(&self, py: Python<'_>, position: Option<Triple>, orientation: Option<Turn>) -> PyResult<()> {
        self.driven.drive(py, position, orientation)
    }

    /// Move at constant velocity until driven otherwise: linear [m/s] and angular [rad/s], in the world.
    #[pyo3(signature = (linear=Triple(pliant::math::Vec3::ZERO), angular=Triple(pliant::math::Vec3::ZERO)))]
    fn move_at(&self, py: Python<'_>, linear: Triple, angular: Triple) -> PyResult<()> {
        self.driven.move_at(py, linear.0, angular.0)
    }

    /// Follow the motion that the scene prescribes, again.
    fn follow(&self, py: Python<'_>) -> PyResult<()> {
        self.driven.set_drive(py, Drive::Prescribed)
    }

    /// Be somewhere else at once, at rest, without a way between. Refused while it holds something.
    #[pyo3(signature = (position=None, orientation=None))]
    fn put(&self, py: Python<'_>, position: Option<Triple>, orientation: Option<Turn>) -> PyResult<()> {
        self.driven.refuse_carried(py)?;
        let pose = self.driven.pose_with(py, position, orientation)?;
        self.driven.change(py, |world| world.put_gripper(self.id, pose))
    }

    /// Let the joints of the arm that carries it hold it together, as springs and dampers along and about its own axes
    /// would that lead to a pose, and carry the arm's weight: `stiffness` [N/m] and `damping` [N s/m] along x, y and z,
    /// `turn_stiffness` [N m/rad] and `turn_damping` [N m s/rad] about them, `idle_damping` [N m s/rad] of what joints can
    /// do without moving it. It is held where it is until `drive_tool`, or goes on as it was led before. Servos of the
    /// joints go on too: see `Arm.free`.
    #[pyo3(signature = (stiffness, damping, *, turn_stiffness=Triple(Vec3::ZERO), turn_damping=Triple(Vec3::ZERO),
                        idle_damping=1.0))]
    fn hold_tool(
        &self,
        py: Python<'_>,
        stiffness: Triple,
        damping: Triple,
        turn_stiffness: Triple,
        turn_damping: Triple,
        idle_damping: f64,
    ) -> PyResult<()> {
        let six = |along: Triple, about: Triple| {
            let ([a, b, c], [d, e, f]) = (along.0.to_array(), about.0.to_array());
            [a, b, c, d, e, f]
        };
        let impedance =
            Impedance { stiffness: six(stiffness, turn_stiffness), damping: six(damping, turn_damping), idle_damping };
        let target = match self.held(py)? {
            Some(held) => (!held.follows).then_some(held.target),
            None => Some(self.driven.pose(py)?),
        };
        self.driven.change(py, |world| world.drive_tool(self.id, Some(impedance), target))
    }

    /// Lead it to a pose, reached by its target at constant velocity over the next step; what is not given stays as it is. The
    /// arm that carries it must hold it: by `impedance` in its scene, or `hold_tool`.
    #[pyo3(signature = (position=None, orientation=None))]
    fn drive_tool(&self, py: Python<'_>, position: Option<Triple>, orientation: Option<Turn>) -> PyResult<()> {
        let HeldTool { impedance, target, .. } = self.held_tool(py)?;
        let target = convert::pose(&target, position, orientation);
        self.driven.change(py, |world| world.drive_tool(self.id, Some(impedance), Some(target)))
    }

    /// Lead it along the motion that the scene prescribes, again.
    fn follow_tool(&self, py: Python<'_>) -> PyResult<()> {
        let HeldTool { impedance, .. } = self.held_tool(py)?;
        self.driven.change(py, |world| world.drive_tool(self.id, Some(impedance), None))
    }

    /// Let the joints hold it together no more.
    fn free_tool(&self, py: Python<'_>) -> PyResult<()> {
        self.driven.change(py, |world| world.drive_tool(self.id, None, None))
    }

    /// How the joints of the arm that carries it hold it together: stiffness and damping, each (6,), idle_damping, the
    /// target's position and orientation, and whether it follows the scene's motion; None if they do not.
    #[getter]
    fn tool<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(HeldTool { impedance, target, follows, .. }) = self.held(py)? else { return Ok(None) };
        let told = PyDict::new(py);
        told.set_item("stiffness", array(py, &[6], impedance.stiffness.to_vec())?)?;
        told.set_item("damping", array(py, &[6], impedance.damping.to_vec())?)?;
        told.set_item("idle_damping", impedance.idle_damping)?;
        told.set_item("position", vector(py, target.translation)?)?;
        told.set_item("orientation", rotation(py, &target)?)?;
        told.set_item("follows", follows)?;
        Ok(Some(told))
    }

    /// Close around a place of a body now. Arguments are those of a grip in a scene file: `at` is "start", "end", a
    /// fraction, {"node": 3}, or for a solid {"point": […]} or {"min": […], "max": […]}; `orientation` is False, True,
    /// "two-points" or "only".
    #[pyo3(signature = (body, at, *, orientation=None, snap=false, closing=GripParams::CLOSING, until=f64::INFINITY,
                        stiffness=f64::INFINITY, slips_at=f64::INFINITY, opens_at=f64::INFINITY))]
    #[allow(clippy::too_many_arguments)]
    fn grasp(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        at: &Bound<'_, PyAny>,
        orientation: Option<&Bound<'_, PyAny>>,
        snap: bool,
        closing: f64,
        until: f64,
        stiffness: f64,
        slips_at: f64,
        opens_at: f64,
    ) -> PyResult<Grip> {
        let (place, hold) = (convert::place(at)?, convert::hold(orientation)?);
        let mut core = lock(py, &self.driven.core);
        let body = body_of(&self.driven.core, &core, body)?;
        let params = GripParams {
            from: core.scene.world.time(),
            until,
            snap,
            closing,
            jaws: Jaws { stiffness, slips_at, opens_at },
            ..GripParams::new(self.id, body, place, hold)
        };
        positive(&self.name, &[("stiffness", stiffness), ("slips_at", slips_at), ("opens_at", opens_at)])?;
        if until.is_nan() || !(closing.is_finite() && closing >= 0.0) {
            let told = format!("{}: `until` and `closing` must be times, got {until} and {closing} s", self.name);
            return Err(ControlError::new_err(told));
        }
        let grip = core.scene.world.add_grip(params).map_err(refused)?;
        core.changed();
        Ok(Grip::new(&self.driven.core, grip))
    }

    /// Close around the place nearest to its origin, of any body, if there is one within a distance [m]; None if not.
    #[pyo3(signature = (within, *, orientation=None))]
    fn grasp_nearest(
        &self,
        py: Python<'_>,
        within: f64,
        orientation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Grip>> {
        let hold = convert::hold(orientation)?;
        let mut core = lock(py, &self.driven.core);
        let grip = core.scene.world.grasp_nearest(self.id, within, hold).map_err(refused)?;
        core.changed();
        Ok(grip.map(|grip| Grip::new(&self.driven.core, grip)))
    }

    /// Open all its grips, and remove them.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        let mut core = lock(py, &self.driven.core);
        let held = core.scene.world.grips().filter(|(_, grip)| grip.params.gripper == self.id);
        let held: Vec<_> = held.map(|(id, _)| id).collect();
        held.into_iter().try_for_each(|grip| core.scene.world.release(grip)).map_err(refused)?;
        core.changed();
        Ok(())
    }

    /// Its grips, closed or not.
    #[getter]
    fn grips(&self, py: Python<'_>) -> Vec<Grip> {
        let core = lock(py, &self.driven.core);
        let own = core.scene.world.grips().filter(|(_, grip)| grip.params.gripper == self.id);
        own.map(|(id, _)| Grip::new(&self.driven.core, id)).collect()
    }

    /// Whether it holds a body now.
    #[getter]
    fn holds(&self, py: Python<'_>) -> bool {
        let core = lock(py, &self.driven.core);
        core.scene.world.grips().any(|(_, grip)| grip.params.gripper == self.id && grip.anchor.is_some())
    }

    /// Take it out of the world, with its grips and its fingertip.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.driven.remove(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        self.driven.told(py, "Gripper", &self.name)
    }
}

/// Refuse numbers that are not above zero; they may be infinite.
fn positive(name: &str, numbers: &[(&str, f64)]) -> PyResult<()> {
    match numbers.iter().find(|(_, number)| number.is_nan() || *number <= 0.0) {
        Some((what, number)) => {
            Err(ControlError::new_err(format!("{name}: `{what}` must be above zero, got {number}")))
        }
        None => Ok(()),
    }
}
