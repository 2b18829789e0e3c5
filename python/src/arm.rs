//! Arms as Python objects: where their joints are, what drives them, and where links are and can be.

use std::sync::Mutex;

use pliant::BodyId;
use pliant::arm::JointDrive;
use pliant::math::{Pose, Vec3};
use pliant::robot::{Kinematics, Matrix, Model, Reacher, Target};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::arrays::{Cached, array};
use crate::convert::{self, Triple, Turn};
use crate::core::{Core, Shared, lock};
use crate::errors::{ControlError, gone, refused};
use crate::told::{rotation, vector};

/// A robot of a world: joints with drives, and links that carry grippers. As a body it is `World.body` of the same name.
///
/// Arrays of joints are in the order of `joints`, from root to tips; angles in rad, lengths of sliding joints in m.
#[pyclass(frozen, module = "pliant")]
pub struct Arm {
    core: Shared,
    id: BodyId,
    /// Name, unique among bodies.
    #[pyo3(get)]
    name: String,
    /// Names of the joints, from root to tips.
    #[pyo3(get)]
    joints: Vec<String>,
    /// Names of the links.
    #[pyo3(get)]
    links: Vec<String>,
    cache: Mutex<[Cached; 3]>,
}

impl Arm {
    pub fn new(core: &Shared, held: &Core, id: BodyId) -> PyResult<Arm> {
        let body = held.scene.world.body(id).map_err(gone)?;
        let pliant::Body::Arm(arm) = body else {
            return Err(ControlError::new_err(format!("{} is no arm, but of the model {}", body.name(), body.model())));
        };
        let joints = arm.model().coordinates().iter().map(|joint| joint.name.clone()).collect();
        let links = arm.model().links().iter().map(|link| link.name.clone()).collect();
        Ok(Arm { core: core.clone(), id, name: arm.name().into(), joints, links, cache: Mutex::default() })
    }

    fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&pliant::arm::Arm, u64) -> PyResult<T>) -> PyResult<T> {
        let core = lock(py, &self.core);
        match core.scene.world.body(self.id).map_err(gone)? {
            pliant::Body::Arm(arm) => read(arm, core.epoch),
            _ => Err(gone(pliant::Gone { kind: "body" })),
        }
    }

    /// One of the three arrays of joints.
    fn of_joints(&self, py: Python<'_>, which: Joints) -> PyResult<Py<PyAny>> {
        let mut cache = lock(py, &self.cache);
        let count = self.joints.len();
        self.with(py, |arm, epoch| {
            cache[which as usize].get(py, epoch, &[count], |out| out.copy_from_slice(which.of(arm)))
        })
    }

    /// A number of each joint that never changes.
    fn constant(&self, py: Python<'_>, read: impl Fn(&pliant::robot::Coordinate) -> f64) -> PyResult<Py<PyAny>> {
        self.with(py, |arm, _| array(py, &[self.joints.len()], arm.model().coordinates().iter().map(read).collect()))
    }

    /// The number of a link.
    fn link(&self, name: &str) -> PyResult<usize> {
        self.links.iter().position(|link| link == name).ok_or_else(|| {
            PyKeyError::new_err(format!("{} has no link `{name}` (known: {})", self.name, self.links.join(", ")))
        })
    }

    /// The number of a joint.
    fn joint(&self, name: &str) -> PyResult<usize> {
        self.joints.iter().position(|joint| joint == name).ok_or_else(|| {
            PyKeyError::new_err(format!("{} has no joint `{name}` (known: {})", self.name, self.joints.join(", ")))
        })
    }

    /// Joints with a number each, from a dictionary by name or from one number for every joint.
    fn given(&self, values: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, f64)>> {
        if let Ok(table) = values.cast::<PyDict>() {
            return table
                .iter()
                .map(|(name, value)| Ok((self.joint(&name.extract::<String>()?)?, value.extract()?)))
                .collect();
        }
        let all: Vec<f64> = values.extract()?;
        if all.len() != self.joints.len() {
            return Err(PyValueError::new_err(format!(
                "{} has {} joints, but {} numbers are given: give one for each, or a dictionary by name",
                self.name,
                self.joints.len(),
                all.len()
            )));
        }
        Ok(all.into_iter().enumerate().collect())
    }

    /// Set what drives joints: all of them, or none if one is refused.
    fn set(&self, py: Python<'_>, drives: Vec<(usize, JointDrive)>) -> PyResult<()> {
        let mut core = lock(py, &self.core);
        let world = &mut core.scene.world;
        // one that is refused comes first, and alone
        let wrong = drives.iter().position(|(_, drive)| !drive.is_sound());
        let drives = wrong.map_or(&drives[..], |wrong| &drives[wrong..=wrong]);
        for (joint, drive) in drives {
            world.drive_joint(self.id, &self.joints[*joint], *drive).map_err(refused)?;
        }
        core.changed();
        Ok(())
    }
}

/// What arrays of joints hold.
#[derive(Clone, Copy)]
pub enum Joints {
    Positions,
    Velocities,
    Torques,
}

impl Joints {
    /// The numbers, without those of a free root.
    pub fn of(self, arm: &pliant::arm::Arm) -> &[f64] {
        let model = arm.model();
        match self {
            Joints::Positions => &arm.joints().q[model.first_position()..],
            Joints::Velocities => &arm.joints().v[model.first_joint()..],
            Joints::Torques => &arm.torques()[model.first_joint()..],
        }
    }
}

/// One number for all joints, or one for each.
#[derive(FromPyObject)]
pub enum Gain {
    /// One for all joints.
    Same(f64),
    /// In the order of the joints that are driven.
    Each(Vec<f64>),
}

impl Gain {
    /// The gain of the joint at a place among `count` that are driven; `kept` where none is given.
    fn at(
        gain: Option<&Gain>,
        place: usize,
        count: usize,
        kept: Option<f64>,
        what: &str,
        joint: &str,
    ) -> PyResult<f64> {
        match gain {
            Some(Gain::Same(gain)) => Ok(*gain),
            Some(Gain::Each(all)) if all.len() == count => Ok(all[place]),
            Some(Gain::Each(all)) => {
                Err(PyValueError::new_err(format!("{count} joints are driven, but `{what}` has {} numbers", all.len())))
            }
            None => kept.ok_or_else(|| {
                ControlError::new_err(format!(
                    "{joint} has no such drive yet, whose gains could be kept: give `{what}`"
                ))
            }),
        }
    }
}

#[pymethods]
impl Arm {
    /// Coordinates of the joints [rad, m], an array of shape (joints,).
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.of_joints(py, Joints::Positions)
    }

    /// Velocities of the joints [rad/s, m/s], an array of shape (joints,).
    #[getter]
    fn velocities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.of_joints(py, Joints::Velocities)
    }

    /// Torques or forces of the drives [N m, N], means over the last step: an array of shape (joints,).
    #[getter]
    fn torques(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.of_joints(py, Joints::Torques)
    }

    /// Smallest and largest coordinate of each joint [rad, m], an array of shape (joints, 2); infinite where there is
    /// no limit.
    #[getter]
    fn limits(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.with(py, |arm, _| {
            let limits = arm.model().coordinates().iter().flat_map(|joint| joint.range).collect();
            array(py, &[self.joints.len(), 2], limits)
        })
    }

    /// Largest torque or force of each drive [N m, N], an array of shape (joints,).
    #[getter]
    fn efforts(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.constant(py, |joint| joint.effort)
    }

    /// Largest speed of each joint's target [rad/s, m/s], an array of shape (joints,).
    #[getter]
    fn speeds(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.constant(py, |joint| joint.velocity)
    }

    /// What drives each joint, a dictionary by its name: `kind` is "free", "torque", "velocity" or "position", with
    /// `target`, `gain`, `stiffness` and `damping` where the kind has them.
    #[getter]
    fn drives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told = PyDict::new(py);
        self.with(py, |arm, _| {
            for (name, drive) in self.joints.iter().zip(arm.drives()) {
                let (kind, numbers): (_, &[(&str, f64)]) = match *drive {
                    JointDrive::Free => ("free", &[]),
                    JointDrive::Torque(torque) => ("torque", &[("target", torque)]),
                    JointDrive::Velocity { target, gain } => ("velocity", &[("target", target), ("gain", gain)]),
                    JointDrive::Position { target, stiffness, damping } => {
                        ("position", &[("target", target), ("stiffness", stiffness), ("damping", damping)])
                    }
                };
                let entry = PyDict::new(py);
                entry.set_item("kind", kind)?;
                numbers.iter().try_for_each(|(what, number)| entry.set_item(what, number))?;
                told.set_item(name, entry)?;
            }
            Ok(())
        })?;
        Ok(told)
    }

    /// Let servos bring joints to coordinates [rad, m], given for all joints or as a dictionary by name. A target is
    /// reached from the last one at constant velocity over the next step, or as fast as the joint allows. `stiffness`
    /// [N m/rad, N/m] and `damping` [N m s/rad, N s/m] are numbers or one for each joint that is driven; those that a
    /// joint has already stay unless given.
    #[pyo3(signature = (targets, *, stiffness=None, damping=None))]
    fn drive_positions(
        &self,
        py: Python<'_>,
        targets: &Bound<'_, PyAny>,
        stiffness: Option<Gain>,
        damping: Option<Gain>,
    ) -> PyResult<()> {
        let targets = self.given(targets)?;
        let count = targets.len();
        let now = self.with(py, |arm, _| Ok(arm.drives().to_vec()))?;
        let drive = |(place, &(joint, target)): (usize, &(usize, f64))| {
            let (k, d) = match now[joint] {
                JointDrive::Position { stiffness, damping, .. } => (Some(stiffness), Some(damping)),
                _ => (None, None),
            };
            let name = &self.joints[joint];
            let stiffness = Gain::at(stiffness.as_ref(), place, count, k, "stiffness", name)?;
            let damping = Gain::at(damping.as_ref(), place, count, d, "damping", name)?;
            Ok((joint, JointDrive::Position { target, stiffness, damping }))
        };
        let drives: PyResult<Vec<_>> = targets.iter().enumerate().map(drive).collect();
        self.set(py, drives?)
    }

    /// Let servos hold velocities of joints [rad/s, m/s], given for all joints or as a dictionary by name. `gain`, the
    /// torque per error [N m s/rad, N s/m], is a number or one for each joint that is driven; that of a joint that is
    /// driven so already stays unless given.
    #[pyo3(signature = (targets, *, gain=None))]
    fn drive_velocities(&self, py: Python<'_>, targets: &Bound<'_, PyAny>, gain: Option<Gain>) -> PyResult<()> {
        let targets = self.given(targets)?;
        let count = targets.len();
        let now = self.with(py, |arm, _| Ok(arm.drives().to_vec()))?;
        let drive = |(place, &(joint, target)): (usize, &(usize, f64))| {
            let kept = if let JointDrive::Velocity { gain, .. } = now[joint] { Some(gain) } else { None };
            let gain = Gain::at(gain.as_ref(), place, count, kept, "gain", &self.joints[joint])?;
            Ok((joint, JointDrive::Velocity { target, gain }))
        };
        let drives: PyResult<Vec<_>> = targets.iter().enumerate().map(drive).collect();
        self.set(py, drives?)
    }

    /// Let drives give torques or forces [N m, N], within their efforts, until they are driven otherwise: for all
    /// joints, or a dictionary by name. They are added to what carries the arm's weight, if the scene lets it be carried.
    fn drive_torques(&self, py: Python<'_>, torques: &Bound<'_, PyAny>) -> PyResult<()> {
        let drives = self.given(torques)?.into_iter().map(|(joint, torque)| (joint, JointDrive::Torque(torque)));
        self.set(py, drives.collect())
    }

    /// Drive joints no more: all of them, or those of a list of names.
    #[pyo3(signature = (joints=None))]
    fn free(&self, py: Python<'_>, joints: Option<&Bound<'_, PyList>>) -> PyResult<()> {
        let chosen = match joints {
            None => (0..self.joints.len()).collect(),
            Some(names) => names
                .iter()
                .map(|name| self.joint(name.cast::<PyString>()?.to_str()?))
                .collect::<PyResult<Vec<usize>>>()?,
        };
        self.set(py, chosen.into_iter().map(|joint| (joint, JointDrive::Free)).collect())
    }

    /// Where a link is: position [m] and orientation as a quaternion w x y z, in the world.
    fn pose(&self, py: Python<'_>, link: &str) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        let link = self.link(link)?;
        let pose = self.with(py, |arm, _| Ok(arm.link(link)))?;
        Ok((vector(py, pose.translation)?, rotation(py, &pose)?))
    }

    /// Velocity of a point of a link and its angular velocity, in world axes, per velocity of each joint: an array of
    /// shape (6, joints). The point is in the link's frame [m]; its origin unless given.
    #[pyo3(signature = (link, point=Triple(Vec3::ZERO)))]
    fn jacobian(&self, py: Python<'_>, link: &str, point: Triple) -> PyResult<Py<PyAny>> {
        let link = self.link(link)?;
        self.with(py, |arm, _| {
            let model = arm.model();
            let (mut kinematics, mut jacobian) = (Kinematics::new(model), Matrix::zeros(6, model.velocities()));
            kinematics.place(model, &arm.joints().q);
            kinematics.jacobian(model, link, point.0, &mut jacobian);
            let rows = (0..6).flat_map(|row| jacobian.row(row)[model.first_joint()..].to_vec());
            array(py, &[6, self.joints.len()], rows.collect())
        })
    }

    /// Coordinates of the joints [rad, m], within their limits, that bring a link to a position [m] and, if one is
    /// given, an orientation, from where they are now; nothing moves. `point` is what is to be there, in the link's frame
    /// [m]. Raises `ControlError` where none are found.
    #[pyo3(signature = (link, position, orientation=None, *, point=Triple(Vec3::ZERO)))]
    fn reach(
        &self,
        py: Python<'_>,
        link: &str,
        position: Triple,
        orientation: Option<Turn>,
        point: Triple,
    ) -> PyResult<Py<PyAny>> {
        if !(position.0.is_finite() && point.0.is_finite()) {
            return Err(PyValueError::new_err("a place to reach must be finite"));
        }
        let number = self.link(link)?;
        let (model, mut q): (Model, Vec<f64>) =
            self.with(py, |arm, _| Ok((arm.model().clone(), arm.joints().q.clone())))?;
        let target = Target {
            orientation: orientation.is_some(),
            link_from_tool: Pose::from_parts(point.0, pliant::math::Quat::IDENTITY),
            ..Target::new(number, convert::pose(&Pose::IDENTITY, Some(position), orientation))
        };
        let found = py.detach(|| Reacher::new(&model).reach(&model, &target, &mut q));
        if !found.reached {
            return Err(ControlError::new_err(format!(
                "{} cannot bring {link} to {}: {:.3e} m and {:.3e} rad are left",
                self.name, position.0, found.distance, found.angle
            )));
        }
        array(py, &[self.joints.len()], q[model.first_position()..].to_vec())
    }

    fn __len__(&self) -> usize {
        self.joints.len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.with(py, |_, _| Ok(())) {
            Ok(()) => format!("<pliant.Arm {:?}: {} joints, {} links>", self.name, self.joints.len(), self.links.len()),
            Err(_) => format!("<pliant.Arm {:?}: no longer in its world>", self.name),
        }
    }
}
