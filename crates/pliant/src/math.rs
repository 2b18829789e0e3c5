//! Vectors, rotations and poses: the types of the collision library, under our names. Elementary functions come from a
//! library that gives the same bits on every machine: those of the standard library are the system's, whose last digits
//! depend on its release and on the processor.

pub use glamx::{DMat3 as Mat3, DPose3 as Pose, DQuat as Quat, DVec2 as Vec2, DVec3 as Vec3};
pub use libm::{acos, atan2, cbrt, cos, erfc, exp, exp2, expm1, hypot, log, log1p, log2, sin, sincos, tanh};

/// `base` to the power of `exponent`, for a base that is not negative. Accurate to about |exponent ln base| roundings:
/// more digits than any friction law is known to, and cheaper than a correctly rounded `pow`.
#[inline]
pub fn pow(base: f64, exponent: f64) -> f64 {
    exp(exponent * log(base))
}

/// The unit vector in the direction of `v`, or `fallback` where `v` has none.
pub fn unit_or(v: Vec3, fallback: Vec3) -> Vec3 {
    v.try_normalize().unwrap_or(fallback)
}

/// The x axis of a rotation: the tangent of a link. Cheaper than rotating a vector.
#[inline]
pub fn x_axis(q: Quat) -> Vec3 {
    let (x, y, z) = (q.x + q.x, q.y + q.y, q.z + q.z);
    Vec3::new(1.0 - q.y * y - q.z * z, q.y * x + q.w * z, q.z * x - q.w * y)
}

/// The pose at `fraction` of the way from `a` to `b`, along the shorter rotation.
pub fn pose_between(a: &Pose, b: &Pose, fraction: f64) -> Pose {
    Pose::from_parts(a.translation.lerp(b.translation, fraction), rotation_between(a.rotation, b.rotation, fraction))
}

/// The rotation at `fraction` of the way from `a` to `b`, along the shorter rotation.
pub fn rotation_between(a: Quat, b: Quat, fraction: f64) -> Quat {
    // equal ends stay equal to the bit, which slerp does not guarantee
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
