//! The frozen model of a robot: moving bodies in the order from root to tips, their joints as single coordinates.
//!
//! Links behind fixed joints are part of the body that carries them. A planar joint is three joints of one coordinate,
//! two of them on bodies without mass. A joint that follows another has no coordinate of its own: with the coordinates of
//! all joints q_full = G q + offset, everything is computed for q_full and reduced by G.

use super::algebra::{Matrix, factor_tree};
use super::build::{Builder, check_numbers};
use super::dynamics::mass_matrix;
use super::kinematics::Kinematics;
use super::order::{Order, order};
use super::spatial::Inertia;
use super::spec::{Base, Part, RobotError, RobotSpec};
use super::state::State;
use crate::math::{Mat3, Pose, Vec3};

/// Largest number of coordinates of a robot: matrices are dense.
pub const MOST_COORDINATES: usize = 1000;

/// A robot, frozen.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) name: String,
    pub(super) bodies: Vec<Body>,
    pub(super) links: Vec<Link>,
    pub(super) coordinates: Vec<Coordinate>,
    /// Gravity in the world [m/s2].
    pub gravity: Vec3,
    pub(super) base: Base,
    /// The next unknown towards the root, for each of the velocities; for factors of the mass matrix.
    pub(super) above: Vec<Option<usize>>,
}

/// One moving body: the root, or what a joint of one coordinate carries.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub parent: usize,
    pub slides: bool,
    /// Rotation in the parent at coordinate q: turned[0] + sin q turned[1] + (1 - cos q) turned[2].
    pub turned: [Mat3; 3],
    /// Place of the joint in the parent [m].
    pub place: Vec3,
    /// Axis in the parent.
    pub axis: Vec3,
    /// Inertia in its own frame, about its own origin.
    pub inertia: Inertia,
    /// Index among the coordinates.
    pub coordinate: usize,
    pub multiplier: f64,
    pub offset: f64,
}

/// A link: a frame on a body.
#[derive(Clone, Debug)]
pub struct Link {
    /// Name.
    pub name: String,
    /// The body that it is part of.
    pub(super) body: usize,
    /// Its frame in that of the body.
    pub(super) body_from_link: Pose,
}

/// One coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// Name of the joint; with `/x`, `/y` or `/turn` for those of a planar joint.
    pub name: String,
    /// Whether it is a length [m], not an angle [rad].
    pub slides: bool,
    /// Smallest and largest value that all joints with this coordinate allow [rad, m].
    pub range: [f64; 2],
    /// Largest torque or force of the drive [N m, N].
    pub effort: f64,
    /// Largest speed [rad/s, m/s].
    pub velocity: f64,
    /// Damping [N m s/rad, N s/m].
    pub damping: f64,
    /// Coulomb friction [N m, N].
    pub friction: f64,
}

impl Model {
    /// Build a robot. Fails where links and joints make no tree, or numbers make no mechanics.
    pub fn new(spec: &RobotSpec) -> Result<Model, RobotError> {
        check_numbers(spec)?;
        let Order { joints, root, base } = order(spec)?;
        let mut builder = Builder::new(spec, root, base);
        for joint in joints {
            builder.add(joint)?;
        }
        builder.finish()
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Links, in the order of the specification.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Index of the link of this name.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// Whether two links are part of one body, or of two that one joint connects: bodies without mass between them do not count.
    pub(crate) fn are_neighbours(&self, link: usize, other: usize) -> bool {
        let [a, b] = [link, other].map(|link| self.links[link].body);
        let carrier = |body: usize| {
            let mut above = self.bodies[body].parent;
            while above > 0 && self.bodies[above].inertia.mass <= 0.0 {
                above = self.bodies[above].parent;
            }
            above
        };
        a == b || a > 0 && carrier(a) == b || b > 0 && carrier(b) == a
    }

    /// Coordinates of the joints, from root to tips.
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// Whether the root is free.
    pub fn floating(&self) -> bool {
        matches!(self.base, Base::Floating)
    }

    /// Number of velocities: 6 of a floating root (linear, then angular, in its own frame), then those of the joints.
    pub fn velocities(&self) -> usize {
        self.first_joint() + self.coordinates.len()
    }

    /// Number of configuration numbers: 7 of a floating root (position, rotation w x y z), then those of the joints.
    pub fn positions(&self) -> usize {
        self.first_position() + self.coordinates.len()
    }

    /// Index of the first joint among the velocities.
    pub fn first_joint(&self) -> usize {
        if self.floating() { 6 } else { 0 }
    }

    /// Index of the first joint among the configuration numbers.
    pub fn first_position(&self) -> usize {
        if self.floating() { 7 } else { 0 }
    }

    /// Mass of everything that moves, the root included [kg].
    pub fn mass(&self) -> f64 {
        self.bodies.iter().map(|body| body.inertia.mass).sum()
    }

    /// Keep torques within what drives can give.
    pub fn limit_efforts(&self, torques: &mut [f64]) {
        for (torque, coordinate) in torques[self.first_joint()..].iter_mut().zip(&self.coordinates) {
            *torque = torque.clamp(-coordinate.effort, coordinate.effort);
        }
    }
}

impl Model {
    /// Fail where a joint moves no mass.
    pub(super) fn check_mass(&self, joints: &[usize]) -> Result<(), RobotError> {
        if self.floating() && self.bodies[0].inertia.mass <= 0.0 {
            return Err(RobotError::new(Part::Whole, "the free root link needs mass and inertia"));
        }
        let n = self.velocities();
        let (mut kinematics, mut mass) = (Kinematics::new(self), Matrix::zeros(n, n));
        let state = State::new(self);
        kinematics.place(self, &state.q);
        mass_matrix(self, &mut kinematics, &mut mass);
        let largest = (0..n).map(|i| mass[(i, i)]).fold(0.0, f64::max);
        let weak = (0..n).find(|i| mass[(*i, *i)].is_nan() || mass[(*i, *i)] <= 1e-14 * largest);
        if weak.is_none() && factor_tree(&mut mass, &self.above) {
            return Ok(());
        }
        let (part, who) = match weak.and_then(|i| i.checked_sub(self.first_joint())) {
            Some(c) => {
                let joint = self.bodies.iter().skip(1).position(|b| b.coordinate == c).map(|at| joints[at + 1]);
                (joint.map_or(Part::Whole, Part::Joint), self.coordinates[c].name.as_str())
            }
            None => (Part::Whole, "some joint or the free root"),
        };
        let text =
            format!("{who} moves no inertia: give the links behind it mass and inertia, or make it a fixed joint");
        Err(RobotError::new(part, text))
    }
}
