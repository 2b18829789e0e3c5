//! Where all bodies are and how they move, in the frame of the root: axes of the joints, velocities, Jacobians.
//!
//! Everything is expressed in one frame, that of the root, so that nothing has to be carried from link to link: an axis
//! S_j and all that hangs on it changes with a coordinate q_k above it by the motion S_k (see `derivatives`).

use super::algebra::Matrix;
use super::model::{Body, Model};
use super::spatial::{Inertia, Motion};
use super::state::root_pose;
use crate::math::{Mat3, Pose, Quat, Vec3, sincos};
use crate::moments::Moments;

/// Poses and axes of all bodies at one configuration, with inertias. Working memory, made once.
#[derive(Clone, Debug, Default)]
pub struct Kinematics {
    /// Rotation of the root in the world.
    pub(super) world: Mat3,
    pub(super) world_from_root: Pose,
    /// Rotations of the bodies in the root's frame.
    pub(super) turns: Vec<Mat3>,
    /// Origins of the bodies in the root's frame.
    pub(super) places: Vec<Vec3>,
    /// Axis of the joint of each body; unused for the root.
    pub(super) axes: Vec<Motion>,
    /// Inertia of each body in the root's frame, about its origin.
    pub(super) own: Vec<Inertia>,
    /// Inertia of each body with all that hangs on it, about the root's origin.
    pub(super) composites: Vec<Inertia>,
    /// Velocity of each body, where asked for.
    pub(super) motions: Vec<Motion>,
}

/// Joints by their sines and cosines.
#[inline]
fn joint(body: &Body, q: f64) -> (Mat3, Vec3) {
    if body.slides {
        return (body.turned[0], body.place + body.axis * q);
    }
    let (sin, cos) = sincos(q);
    (body.turned[0] + body.turned[1] * sin + body.turned[2] * (1.0 - cos), body.place)
}

impl Kinematics {
    /// Memory for a robot.
    pub fn new(model: &Model) -> Kinematics {
        let n = model.bodies.len();
        Kinematics {
            world: Mat3::IDENTITY,
            world_from_root: Pose::IDENTITY,
            turns: vec![Mat3::IDENTITY; n],
            places: vec![Vec3::ZERO; n],
            axes: vec![Motion::default(); n],
            own: vec![Inertia::default(); n],
            composites: vec![Inertia::default(); n],
            motions: vec![Motion::default(); n],
        }
    }

    /// Place all bodies.
    pub fn place(&mut self, model: &Model, q: &[f64]) {
        self.world_from_root = root_pose(model, q);
        self.world = Mat3::from_quat(self.world_from_root.rotation);
        let first = model.first_position();
        for (i, body) in model.bodies.iter().enumerate().skip(1) {
            let (turn, place) = joint(body, body.multiplier * q[first + body.coordinate] + body.offset);
            let (above, at) = (self.turns[body.parent], self.places[body.parent]);
            self.turns[i] = above * turn;
            self.places[i] = at + above * place;
            let axis = above * body.axis;
            self.axes[i] =
                if body.slides { Motion::new(Vec3::ZERO, axis) } else { Motion::new(axis, self.places[i].cross(axis)) };
        }
    }

    /// Inertias of the bodies in the root's frame. After [`Kinematics::place`].
    pub(super) fn weigh(&mut self, model: &Model) {
        for (i, body) in model.bodies.iter().enumerate() {
            self.own[i] = body.inertia.placed(self.turns[i], self.places[i]);
        }
    }

    /// Compute the inertia of each body together with all that hangs on it. After [`Kinematics::weigh`].
    pub(super) fn compose(&mut self, model: &Model) {
        self.composites.copy_from_slice(&self.own);
        for i in (1..model.bodies.len()).rev() {
            let own = self.composites[i];
            self.composites[model.bodies[i].parent] += own;
        }
    }

    /// Mass, centre of mass and inertia about it of all bodies as they stand, in the world. After [`Kinematics::place`].
    pub(crate) fn moments(&self, model: &Model) -> Moments {
        let mut all = Inertia::default();
        for (body, (turn, place)) in model.bodies.iter().zip(self.turns.iter().zip(&self.places)) {
            all += body.inertia.placed(*turn, *place);
        }
        // with the centre at the origin its own share is gone
        let centre = all.centre();
        let about_centre = all.placed(Mat3::IDENTITY, -centre).placed(self.world, Vec3::ZERO);
        let centre = self.world_from_root.transform_point(centre);
        Moments { volume: all.mass, centre, inertia: about_centre.matrix() }
    }

    /// Velocities of all bodies. After [`Kinematics::place`].
    pub fn velocities(&mut self, model: &Model, v: &[f64]) {
        self.motions[0] = root_motion(model, v);
        let first = model.first_joint();
        for (i, body) in model.bodies.iter().enumerate().skip(1) {
            let rate = body.multiplier * v[first + body.coordinate];
            self.motions[i] = self.motions[body.parent] + self.axes[i] * rate;
        }
    }

    /// Pose of a link in the world.
    pub fn link(&self, model: &Model, link: usize) -> Pose {
        let link = &model.links[link];
        let rotation = Quat::from_mat3(&self.turns[link.body]).normalize();
        self.world_from_root * Pose::from_parts(self.places[link.body], rotation) * link.body_from_link
    }

    /// Velocity of a point of a link, given in the link's frame, and angular velocity, in world axes. After
    /// [`Kinematics::velocities`].
    pub fn velocity(&self, model: &Model, link: usize, point: Vec3) -> (Vec3, Vec3) {
        let (body, place) = self.on_body(model, link, point);
        let motion = self.motions[body];
        (self.world * motion.at(place), self.world * motion.angular)
    }

    /// Body of a link, and a point of the link in the root's frame.
    pub(super) fn on_body(&self, model: &Model, link: usize, point: Vec3) -> (usize, Vec3) {
        let link = &model.links[link];
        (link.body, self.places[link.body] + self.turns[link.body] * (link.body_from_link * point))
    }

    /// Geometric Jacobian of a point of a link: six rows, the velocity of the point and the angular velocity in world
    /// axes, for the velocities of the robot. After [`Kinematics::place`].
    pub fn jacobian(&self, model: &Model, link: usize, point: Vec3, out: &mut Matrix) {
        out.clear();
        let (mut body, place) = self.on_body(model, link, point);
        let mut put = |column: usize, motion: Motion, factor: f64| {
            let (linear, angular) = (self.world * motion.at(place), self.world * motion.angular);
            for k in 0..3 {
                out[(k, column)] += factor * linear[k];
                out[(3 + k, column)] += factor * angular[k];
            }
        };
        let first = model.first_joint();
        while body > 0 {
            let b = &model.bodies[body];
            put(first + b.coordinate, self.axes[body], b.multiplier);
            body = b.parent;
        }
        if model.floating() {
            for k in 0..6 {
                put(k, root_axis(k), 1.0);
            }
        }
    }

    /// Acceleration of a point of a link and angular acceleration that the velocities alone make, dJ/dt v, in world axes.
    /// After [`Kinematics::velocities`].
    pub fn drift(&self, model: &Model, link: usize, point: Vec3) -> (Vec3, Vec3) {
        let (end, place) = self.on_body(model, link, point);
        let mut sum = Motion::default();
        let mut body = end;
        while body > 0 {
            let above = model.bodies[body].parent;
            // the change of the axis: V x S q', and S q' is the difference of two velocities
            let own = self.motions[body] - self.motions[above];
            sum = sum + own.carried(self.motions[body]);
            body = above;
        }
        // from the spatial acceleration to that of the point: + w x v; the root's linear velocity turns with the root,
        // so that v' of the root is zero while its point accelerates by w x v
        let motion = self.motions[end];
        let linear = sum.at(place) + motion.angular.cross(motion.at(place));
        (self.world * linear, self.world * sum.angular)
    }
}

/// Motion of the root in its own frame; none where it is fixed.
#[inline]
pub(super) fn root_motion(model: &Model, v: &[f64]) -> Motion {
    if model.floating() {
        Motion::new(Vec3::new(v[3], v[4], v[5]), Vec3::new(v[0], v[1], v[2]))
    } else {
        Motion::default()
    }
}

/// Axis of the k-th velocity of a floating root.
#[inline]
pub(super) fn root_axis(k: usize) -> Motion {
    if k < 3 { Motion::new(Vec3::ZERO, Vec3::AXES[k]) } else { Motion::new(Vec3::AXES[k - 3], Vec3::ZERO) }
}
