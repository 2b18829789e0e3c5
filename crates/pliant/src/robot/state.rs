//! Where a robot is and how it moves.

use super::model::Model;
use crate::math::{Pose, Quat, Vec3, sincos};

/// Configuration and velocities of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Configuration: of a floating root position [m] and rotation w x y z; then the joints [rad, m].
    pub q: Vec<f64>,
    /// Velocities: of a floating root linear [m/s] and angular [rad/s], in its own frame; then the joints [rad/s, m/s].
    pub v: Vec<f64>,
}

impl State {
    /// At rest, with joints at zero or the nearest place within their limits.
    pub fn new(model: &Model) -> State {
        let mut q = vec![0.0; model.positions()];
        if model.floating() {
            q[3] = 1.0;
        }
        for (q, c) in q[model.first_position()..].iter_mut().zip(model.coordinates()) {
            *q = 0.0_f64.max(c.range[0]).min(c.range[1]);
        }
        State { q, v: vec![0.0; model.velocities()] }
    }

    /// Copy another state of the same robot, without allocating.
    pub fn copy_from(&mut self, other: &State) {
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
    }
}

/// Pose of the root in the world.
pub fn root_pose(model: &Model, q: &[f64]) -> Pose {
    match model.base {
        super::spec::Base::Fixed(pose) => pose,
        super::spec::Base::Floating => {
            Pose::from_parts(Vec3::new(q[0], q[1], q[2]), Quat::from_xyzw(q[4], q[5], q[6], q[3]))
        }
    }
}

/// Write the pose of a floating root.
pub fn set_root(q: &mut [f64], pose: &Pose) {
    let r = pose.rotation;
    q[..3].copy_from_slice(&pose.translation.to_array());
    q[3..7].copy_from_slice(&[r.w, r.x, r.y, r.z]);
}

/// The configuration that is reached from `q` with velocity `v` held for a time `h`: a floating root moves on a screw.
pub fn integrate(model: &Model, q: &[f64], v: &[f64], h: f64, out: &mut [f64]) {
    if model.floating() {
        let pose = root_pose(model, q);
        let moved = pose * screw(Vec3::from_slice(&v[..3]) * h, Vec3::from_slice(&v[3..6]) * h);
        set_root(out, &Pose::from_parts(moved.translation, moved.rotation.normalize()));
    }
    let (first, joint) = (model.first_position(), model.first_joint());
    for i in 0..model.coordinates().len() {
        out[first + i] = q[first + i] + h * v[joint + i];
    }
}

/// The exponential of a twist in the moving frame.
fn screw(linear: Vec3, turn: Vec3) -> Pose {
    let angle = turn.length();
    let (sin_half, cos_half) = sincos(0.5 * angle);
    // sin(a)/a, (1 - cos a)/a^2, (a - sin a)/a^3, by series where a is small
    let (half, one, two) = if angle > 1e-3 {
        let (sin, _) = sincos(angle);
        (sin_half / angle, 2.0 * sin_half * sin_half / (angle * angle), (angle - sin) / (angle * angle * angle))
    } else {
        let s = angle * angle;
        (0.5 - s / 48.0, 0.5 - s / 24.0, (1.0 - s / 20.0) / 6.0)
    };
    let cross = turn.cross(linear);
    let moved = linear + cross * one + turn.cross(cross) * two;
    let v = turn * half;
    Pose::from_parts(moved, Quat::from_xyzw(v.x, v.y, v.z, cos_half))
}
