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

/// The rotation vector of a rotation, the shorter way round: its axis times its angle. Right to rounding also for angles of
/// nanoradians, which the collision library's types take for none.
pub fn rotation_vector(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let half = Vec3::new(q.x, q.y, q.z);
    let sine = half.length();
    // at small angles the ratio of angle and sine is 2 (1 + sine^2 / 6), and 2 to rounding
    let ratio = if sine > SMALL_SINE { 2.0 * atan2(sine, q.w) / sine } else { 2.0 };
    half * ratio
}

/// Sine of half an angle below which angle and sine are the same to rounding.
const SMALL_SINE: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_vector_is_that_of_its_rotation_however_small() {
        let axis = Vec3::new(0.48, -0.6, 0.64);
        for angle in [3.1, 1.0, 1e-3, 1e-7, 1e-8, 3e-9, 1e-9, 1e-12, 1e-100, 0.0] {
            let half = 0.5 * angle;
            let q = Quat::from_xyzw(axis.x * sin(half), axis.y * sin(half), axis.z * sin(half), cos(half));
            for q in [q, -q] {
                assert!((rotation_vector(q) - axis * angle).length() <= 1e-15 * angle, "{angle}");
            }
        }
    }

    #[test]
    fn the_x_axis_is_turned_as_any_vector() {
        let q = Quat::from_scaled_axis(Vec3::new(0.3, -1.2, 0.7));
        assert!((x_axis(q) - q * Vec3::X).length() < 1e-15);
    }
}
