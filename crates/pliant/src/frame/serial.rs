//! Serialisation of rotations and poses: quaternions are written w x y z.

use serde::{Serialize, Serializer};

use crate::math::{Pose, Quat, Vec3};

#[derive(Serialize)]
struct Parts {
    position: Vec3,
    orientation: [f64; 4],
}

fn numbers(q: &Quat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

fn parts(pose: &Pose) -> Parts {
    Parts { position: pose.translation, orientation: numbers(&pose.rotation) }
}

pub fn quats<S: Serializer>(all: &[Quat], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(numbers))
}

pub fn pose<S: Serializer>(pose: &Pose, to: S) -> Result<S::Ok, S::Error> {
    parts(pose).serialize(to)
}

pub fn poses<S: Serializer>(all: &[Pose], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(parts))
}
