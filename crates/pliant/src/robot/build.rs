//! From links and joints to a model: numbers that are checked, bodies that are put on each other.

use super::model::{Body, Coordinate, Link, MOST_COORDINATES, Model};
use super::spatial::Inertia;
use super::spec::{Base, JointKind, JointSpec, Part, RobotError, RobotSpec};
use crate::math::{Mat3, Pose, Vec3};

/// Fail where a number makes no mechanics.
pub(super) fn check_numbers(spec: &RobotSpec) -> Result<(), RobotError> {
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
        if limits.lower.is_nan() || limits.upper.is_nan() || limits.lower > limits.upper {
            let text = format!("the limits of {name} must be in order, got {} to {}", limits.lower, limits.upper);
            return fail(part, text);
        }
        for (what, value) in [("effort limit", limits.effort), ("velocity limit", limits.velocity)] {
            if value.is_nan() || value < 0.0 {
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

/// A robot that is being built.
pub(super) struct Builder<'a> {
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
    pub fn new(spec: &'a RobotSpec, root: usize, base: Base) -> Builder<'a> {
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
    fn push(
        &mut self,
        parent: usize,
        origin: Pose,
        axis: Option<(Vec3, bool)>,
        c: usize,
        multiplier: f64,
        offset: f64,
    ) {
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

    /// Add a joint and the link that it carries.
    pub fn add(&mut self, index: usize) -> Result<(), RobotError> {
        let joint = &self.spec.joints[index];
        let (parent, frame) = self.placed[joint.parent];
        let origin = frame * joint.origin;
        // a floating joint is the base, which `order` has seen to
        let (mut body, mut frame) = (parent, origin);
        for axis in joint.axes() {
            self.axis(index, body, frame, (axis.direction, axis.slides), axis.suffix)?;
            (body, frame) = (self.bodies.len() - 1, Pose::IDENTITY);
        }
        self.place(joint.child, body, frame);
        Ok(())
    }

    fn axis(
        &mut self,
        index: usize,
        parent: usize,
        origin: Pose,
        axis: (Vec3, bool),
        of: &str,
    ) -> Result<(), RobotError> {
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
                let text =
                    format!("{} and the joint that it follows have no coordinate within both limits", joint.name);
                return Err(RobotError::new(Part::Joint(index), text));
            }
        }
        Ok(())
    }

    /// The model.
    pub fn finish(self) -> Result<Model, RobotError> {
        let Builder { spec, base, bodies, placed, coordinates, joints, reduced, .. } = self;
        let count = coordinates.len();
        if count > MOST_COORDINATES {
            let text = format!("{count} moving joints are too many: at most {MOST_COORDINATES} can be simulated");
            return Err(RobotError::new(Part::Whole, text));
        }
        let links = spec.links.iter().zip(placed);
        let links =
            links.map(|(l, (body, frame))| Link { name: l.name.clone(), body, body_from_link: frame }).collect();
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
