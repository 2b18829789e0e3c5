//! Vectors, rotations and poses: the types of the collision library, under our names. And the functions of analysis,
//! from a library that computes the same bits on every machine: those of the standard library are the system's, whose
//! last digits depend on its release and on the processor.

pub use glamx::{DMat3 as Mat3, DPose3 as Pose, DQuat as Quat, DVec2 as Vec2, DVec3 as Vec3};
pub use libm::{acos, atan2, cbrt, cos, exp, exp2, expm1, hypot, log, log1p, log2, sin, sincos, tanh};

/// `base` to the power of `exponent`, for a base that is not negative. Accurate to about |exponent ln base| roundings:
/// more digits than any law of friction is known to, at less cost than a `pow` that rounds correctly.
#[inline]
pub fn pow(base: f64, exponent: f64) -> f64 {
    exp(exponent * log(base))
}

/// A unit vector in the direction of `v`, or `fallback` where `v` has no direction.
pub fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    v.try_normalize().unwrap_or(fallback)
}

/// Where a rotation takes the x axis: the tangent of a link. Cheaper than turning a vector.
#[inline]
pub fn x_axis(q: Quat) -> Vec3 {
    let (x, y, z) = (q.x + q.x, q.y + q.y, q.z + q.z);
    Vec3::new(1.0 - q.y * y - q.z * z, q.y * x + q.w * z, q.z * x - q.w * y)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_x_axis_is_turned_as_any_vector() {
        let q = Quat::from_scaled_axis(Vec3::new(0.3, -1.2, 0.7));
        assert!((x_axis(q) - q * Vec3::X).length() < 1e-15);
    }
}
