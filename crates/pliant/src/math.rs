//! Vectors, rotations and poses: the types of the collision library, under our names.

pub use glamx::{DMat3 as Mat3, DPose3 as Pose, DQuat as Quat, DVec2 as Vec2, DVec3 as Vec3};

/// A unit vector in the direction of `v`, or `fallback` where `v` has no direction.
pub fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    v.try_normalize().unwrap_or(fallback)
}

/// The pose between `a` and `b` at `fraction` of the way, turning the short way.
pub fn pose_between(a: &Pose, b: &Pose, fraction: f64) -> Pose {
    Pose::from_parts(a.translation.lerp(b.translation, fraction), rotation_between(a.rotation, b.rotation, fraction))
}

/// The rotation between `a` and `b` at `fraction` of the way, turning the short way.
pub fn rotation_between(a: Quat, b: Quat, fraction: f64) -> Quat {
    // equal ends stay equal to the bit, which a normalised blend would not promise
    if a == b { a } else { a.slerp(b, fraction) }
}
