//! The frozen model of a robot: moving bodies in the order from root to tips, their joints as single coordinates.
//!
//! Links behind fixed joints are part of the body that carries them. A planar joint is three joints of one coordinate,
//! two of them on bodies without mass. A joint that follows another has no coordinate of its own: with the coordinates of
//! all joints q_full = G q + offset, everything is computed for q_full and reduced by G.

use super::algebra::{Matrix, factor_tree};
use super::dynamics::mass_matrix;
use super::kinematics::Kinematics;
use super::order::{Order, order};
use super::spatial::Inertia;
use super::spec::{Base, JointKind, JointSpec, Part, RobotError, RobotSpec};
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

fn check_numbers(spec: &RobotSpec) -> Result<(), RobotError> {
    let fail = |part, text: String| Err(RobotError::new(part, text));
    if !spec.gravity.is_finite() {
        return fail(Part::Whole, "gravity must be finite".into());
    }
    for (i, link) in spec.links.iter().enumerate() {
        let (name, part) = (&link.name, Part::Link(i));
        if !(link.mass.is_finite() && link.mass >= 0.0) {
            return fail(part, format!("the mass of {name} must be finite and not negative, got {}", link.mass));
        }
        if !link.centre.is_finite() || !link.inertia.is_finite() {
            return fail(part, format!("centre and inertia of {name} must be finite"));
        }
        if let Some(why) = unsound(&link.inertia, link.mass) {
            return fail(part, format!("the inertia of {name} {why}"));
        }
    }
    for (i, joint) in spec.joints.iter().enumerate() {
        let (name, part) = (&joint.name, Part::Joint(i));
        let pose = &joint.origin;
        if !(pose.translation.is_finite() && pose.rotation.is_finite() && pose.rotation.is_normalized()) {
            return fail(part, format!("the origin of {name} must be a finite pose"));
        }
        if joint.kind != JointKind::Fixed && !(joint.axis.is_finite() && joint.axis.length() > 1e-9) {
            return fail(part, format!("the axis of {name} must have a direction, got {}", joint.axis));
        }
        let limits = &joint.limits;
        if !(limits.lower <= limits.upper) {
            let text = format!("the limits of {name} must be in order, got {} to {}", limits.lower, limits.upper);
            return fail(part, text);
        }
        for (what, value) in [("effort limit", limits.effort), ("velocity limit", limits.velocity)] {
            if !(value >= 0.0) {
                return fail(part, format!("the {what} of {name} must not be negative, got {value}"));
            }
        }
        for (what, value) in [("damping", joint.damping), ("friction", joint.friction)] {
            if !(value.is_finite() && value >= 0.0) {
                return fail(part, format!("the {what} of {name} must be finite and not negative, got {value}"));
            }
        }
        if let Some(mimic) = &joint.mimic
            && !(mimic.multiplier.is_finite() && mimic.offset.is_finite())
        {
            return fail(part, format!("multiplier and offset of {name} must be finite"));
        }
    }
    Ok(())
}

/// Why a matrix is no inertia of a body of this mass. Rods and points, with moments that are zero, are allowed, and
/// rounding of the file's digits.
fn unsound(m: &Mat3, mass: f64) -> Option<String> {
    let size = m.x_axis.x.abs() + m.y_axis.y.abs() + m.z_axis.z.abs();
    if (*m - m.transpose()).to_cols_array().iter().any(|x| x.abs() > 1e-9 * size) {
        return Some("is not symmetric".into());
    }
    let small = 1e-6 * size;
    let (xx, yy, zz) = (m.x_axis.x, m.y_axis.y, m.z_axis.z);
    let (xy, yz, zx) = (m.x_axis.y, m.y_axis.z, m.z_axis.x);
    let minors = [xx * yy - xy * xy, yy * zz - yz * yz, zz * xx - zx * zx];
    let negative = [xx, yy, zz].iter().any(|x| *x < -small) || minors.iter().any(|x| *x < -small * size);
    if negative || m.determinant() < -small * size * size {
        return Some(format!("is not positive definite: ixx {xx}, iyy {yy}, izz {zz}, ixy {xy}, iyz {yz}, ixz {zx}"));
    }
    if mass == 0.0 && size > 0.0 {
        return Some("is not zero, but its mass is".into());
    }
    None
}

struct Builder<'a> {
    spec: &'a RobotSpec,
    base: Base,
    bodies: Vec<Body>,
    /// For each link of the specification: body and frame in it, once it has been placed.
    placed: Vec<(usize, Pose)>,
    /// For each joint that has a coordinate or follows one: coordinate, multiplier, offset.
    followed: Vec<Option<(usize, f64, f64)>>,
    coordinates: Vec<Coordinate>,
    /// Joints of bodies, for messages.
    joints: Vec<usize>,
    reduced: bool,
}

impl<'a> Builder<'a> {
    fn new(spec: &'a RobotSpec, root: usize, base: Base) -> Builder<'a> {
        let mut builder = Builder {
            spec,
            base,
            bodies: vec![],
            placed: vec![(0, Pose::IDENTITY); spec.links.len()],
            followed: vec![None; spec.joints.len()],
            coordinates: vec![],
            joints: vec![usize::MAX],
            reduced: false,
        };
        builder.push(0, Pose::IDENTITY, None, 0, 1.0, 0.0);
        builder.place(root, 0, Pose::IDENTITY);
        builder
    }

    /// A body without mass: the root, or one on an axis.
    fn push(&mut self, parent: usize, origin: Pose, axis: Option<(Vec3, bool)>, c: usize, multiplier: f64, offset: f64) {
        let rotation = Mat3::from_quat(origin.rotation);
        let (axis, slides) = axis.unwrap_or((Vec3::Z, true));
        let hat = Mat3::from_cols(
            Vec3::new(0.0, axis.z, -axis.y),
            Vec3::new(-axis.z, 0.0, axis.x),
            Vec3::new(axis.y, -axis.x, 0.0),
        );
        let (turned, place) = ([rotation, rotation * hat, rotation * (hat * hat)], origin.translation);
        let (axis, inertia) = (rotation * axis, Inertia::default());
        self.bodies.push(Body { parent, slides, turned, place, axis, inertia, coordinate: c, multiplier, offset });
    }

    /// Put a link of the specification on a body.
    fn place(&mut self, link: usize, body: usize, frame: Pose) {
        let spec = &self.spec.links[link];
        let inertia = Inertia::new(spec.mass, spec.centre, spec.inertia);
        self.bodies[body].inertia += inertia.placed(Mat3::from_quat(frame.rotation), frame.translation);
        self.placed[link] = (body, frame);
    }

    fn add(&mut self, index: usize) -> Result<(), RobotError> {
        let joint = &self.spec.joints[index];
        let (parent, frame) = self.placed[joint.parent];
        let origin = frame * joint.origin;
        let axis = joint.axis.try_normalize().unwrap_or(Vec3::X);
        match joint.kind {
            // a floating joint is the base, which `order` has seen to
            JointKind::Fixed | JointKind::Floating => self.place(joint.child, parent, origin),
            JointKind::Planar => {
                let (x, y) = axis.any_orthonormal_pair();
                // the x axis of the joint where that is in the plane
                let x = (Vec3::X - axis * axis.x).try_normalize().filter(|_| axis.x.abs() < 0.9).unwrap_or(x);
                let y = if axis.cross(x).length() > 0.5 { axis.cross(x) } else { y };
                self.axis(index, parent, origin, (x, true), "/x")?;
                let body = self.bodies.len() - 1;
                self.axis(index, body, Pose::IDENTITY, (y, true), "/y")?;
                let body = self.bodies.len() - 1;
                self.axis(index, body, Pose::IDENTITY, (axis, false), "/turn")?;
                self.place(joint.child, self.bodies.len() - 1, Pose::IDENTITY);
            }
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {
                self.axis(index, parent, origin, (axis, joint.kind == JointKind::Prismatic), "")?;
                self.place(joint.child, self.bodies.len() - 1, Pose::IDENTITY);
            }
        }
        Ok(())
    }

    fn axis(&mut self, index: usize, parent: usize, origin: Pose, axis: (Vec3, bool), of: &str) -> Result<(), RobotError> {
        let (c, multiplier, offset) = match self.spec.joints[index].mimic {
            Some(_) => self.follow(index)?,
            None => {
                let c = self.own(index, axis.1, of);
                (c, 1.0, 0.0)
            }
        };
        self.joints.push(index);
        self.push(parent, origin, Some(axis), c, multiplier, offset);
        Ok(())
    }

    /// A coordinate of its own for a joint.
    fn own(&mut self, index: usize, slides: bool, of: &str) -> usize {
        if let Some((c, ..)) = self.followed[index].filter(|_| of.is_empty()) {
            return c;
        }
        let joint = &self.spec.joints[index];
        let limited = of.is_empty() && joint.kind != JointKind::Continuous;
        let l = joint.limits;
        let range = if limited { [l.lower, l.upper] } else { [f64::NEG_INFINITY, f64::INFINITY] };
        let (name, effort, velocity) = (format!("{}{of}", joint.name), l.effort, l.velocity);
        let (damping, friction) = (joint.damping, joint.friction);
        self.coordinates.push(Coordinate { name, slides, range, effort, velocity, damping, friction });
        let c = self.coordinates.len() - 1;
        self.followed[index] = Some((c, 1.0, 0.0));
        c
    }

    /// The coordinate that a joint follows, possibly by way of others.
    fn follow(&mut self, index: usize) -> Result<(usize, f64, f64), RobotError> {
        self.reduced = true;
        let (mut multiplier, mut offset, mut at) = (1.0, 0.0, index);
        let part = Part::Joint(index);
        let name = &self.spec.joints[index].name;
        for _ in 0..=self.spec.joints.len() {
            let joint: &JointSpec = &self.spec.joints[at];
            let Some(mimic) = &joint.mimic else {
                let slides = match joint.kind {
                    JointKind::Revolute | JointKind::Continuous => false,
                    JointKind::Prismatic => true,
                    _ => {
                        let text = format!("{name} follows {}, which has not one coordinate", joint.name);
                        return Err(RobotError::new(part, text));
                    }
                };
                let c = self.own(at, slides, "");
                self.narrow(index, c, multiplier, offset)?;
                return Ok((c, multiplier, offset));
            };
            if mimic.joint >= self.spec.joints.len() {
                return Err(RobotError::new(part, format!("{name} follows a joint that is not there")));
            }
            offset += multiplier * mimic.offset;
            multiplier *= mimic.multiplier;
            at = mimic.joint;
        }
        Err(RobotError::new(part, format!("{name} follows itself by way of other joints")))
    }

    /// Take the limits, damping and friction of a joint that follows into account.
    fn narrow(&mut self, index: usize, c: usize, multiplier: f64, offset: f64) -> Result<(), RobotError> {
        let joint = &self.spec.joints[index];
        if multiplier == 0.0 {
            let text = format!("{} follows with the multiplier 0: make it a fixed joint", joint.name);
            return Err(RobotError::new(Part::Joint(index), text));
        }
        let coordinate = &mut self.coordinates[c];
        coordinate.damping += multiplier * multiplier * joint.damping;
        coordinate.friction += multiplier.abs() * joint.friction;
        coordinate.velocity = coordinate.velocity.min(joint.limits.velocity / multiplier.abs());
        if joint.kind != JointKind::Continuous {
            let ends = [joint.limits.lower, joint.limits.upper].map(|end| (end - offset) / multiplier);
            let [lower, upper] = coordinate.range;
            coordinate.range = [lower.max(ends[0].min(ends[1])), upper.min(ends[0].max(ends[1]))];
            if coordinate.range[0] > coordinate.range[1] {
                let text = format!("{} and the joint that it follows have no coordinate within both limits", joint.name);
                return Err(RobotError::new(Part::Joint(index), text));
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Model, RobotError> {
        let Builder { spec, base, bodies, placed, coordinates, joints, reduced, .. } = self;
        let count = coordinates.len();
        if count > MOST_COORDINATES {
            let text = format!("{count} moving joints are too many: at most {MOST_COORDINATES} can be simulated");
            return Err(RobotError::new(Part::Whole, text));
        }
        let links = spec.links.iter().zip(placed);
        let links = links.map(|(l, (body, frame))| Link { name: l.name.clone(), body, body_from_link: frame }).collect();
        let first = if matches!(base, Base::Floating) { 6 } else { 0 };
        let above = (0..first + count).map(|i| {
            // unknowns of a robot with joints that follow others may all be coupled
            if i < first || reduced {
                return i.checked_sub(1);
            }
            match bodies[i - first + 1].parent {
                0 => first.checked_sub(1),
                parent => Some(first + parent - 1),
            }
        });
        let (above, name, gravity) = (above.collect(), spec.name.clone(), spec.gravity);
        let model = Model { name, bodies, links, coordinates, gravity, base, above };
        model.check_mass(&joints)?;
        Ok(model)
    }
}

impl Model {
    /// Fail where a joint moves no mass.
    fn check_mass(&self, joints: &[usize]) -> Result<(), RobotError> {
        if self.floating() && !(self.bodies[0].inertia.mass > 0.0) {
            return Err(RobotError::new(Part::Whole, "the free root link needs mass and inertia"));
        }
        let n = self.velocities();
        let (mut kinematics, mut mass) = (Kinematics::new(self), Matrix::zeros(n, n));
        let state = State::new(self);
        kinematics.place(self, &state.q);
        mass_matrix(self, &mut kinematics, &mut mass);
        let largest = (0..n).map(|i| mass[(i, i)]).fold(0.0, f64::max);
        let weak = (0..n).find(|i| !(mass[(*i, *i)] > 1e-14 * largest));
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
        let text = format!("{who} moves no inertia: give the links behind it mass and inertia, or make it a fixed joint");
        Err(RobotError::new(part, text))
    }
}
