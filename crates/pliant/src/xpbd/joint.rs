//! The compliant joint between two cross-sections: strain, gradient and projection.
//!
//! A link is a pose with its axis along x. With y = R_a^T (p_b - R_b h_b - p_a) and q = q_a* q_b = (w, u),
//!
//!   e_1 = y - h_a                                  stretch and shear in the frame of a,
//!   e_2 = (2/3) u + (8/3) u / (1 + w)              torsion and bending: the angle up to its fourth power.
//!
//! Kugelstadt and Schoemer, "Position and orientation based Cosserat rods" (2016), take the Darboux vector 2 u / L,
//! which is too soft by phi^2 / 24 at an angle phi; ours is the strain of the model `cable`, so that both have the same
//! rest shapes. Rigid segments with joints of six constraints are those of Deul, Kugelstadt, Weiler, Bender, "Direct
//! position-based solver for stiff rods" (2018). The rates, with linear velocities in the world and angular ones in the
//! link, are
//!
//!   e_1' = R_a^T (v_b - v_a) + R_a^T R_b [h_b]x w_b + [y]x w_a,
//!   2 u' = (w + [u]x) w_b - (w - [u]x) w_a,        2 w' = -u . (w_b - w_a),
//!
//! so that e_2' = D w_b - D^T w_a with D = (s/2) (w + [u]x) + c u u^T, s = 2/3 + 8/3/(1 + w), c = 4/3/(1 + w)^2.

use glamx::DMat3 as Mat3;

use crate::linkage::Arms;
use crate::math::{Pose, Quat, Vec3};

/// Inverse inertia of a link; all zero for a gripper.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mobility {
    /// Inverse mass [1/kg].
    pub shift: f64,
    /// Inverse moments of inertia in the axes of the link [1/(kg m2)]; those about y and z are equal.
    pub turn: Vec3,
}

/// Stretch and shear [m], torsion and bending [rad]; or quantities conjugate to them, such as multipliers [N s2, N m
/// s2].
pub type Strain = [Vec3; 2];

/// A compliant joint during one substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Lever arms on the two links.
    pub arms: Arms,
    /// alpha~ = compliance / h^2 of stretch and shear [m/(N s2)], of torsion and bending [1/(N m s2)].
    pub compliance: Strain,
    /// gamma = damping time / h [-].
    pub viscous: f64,
    /// Whether it also resists torsion and bending.
    pub turning: bool,
}

/// e_1.
fn stretch(a: &Pose, b: &Pose, arms: Arms) -> (Vec3, Vec3) {
    let y = a.rotation.inverse() * (b.translation - b.rotation * (Vec3::X * arms.b) - a.translation);
    (y, y - Vec3::X * arms.a)
}

/// u and w of the relative rotation, with the sign of the shorter turn.
fn relative(a: Quat, b: Quat) -> (Vec3, f64) {
    let q = a.inverse() * b;
    let q = if q.w < 0.0 { -q } else { q };
    (Vec3::new(q.x, q.y, q.z), q.w)
}

const SINE: f64 = 2.0 / 3.0;
const TANGENT: f64 = 8.0 / 3.0;

/// e_2 and D.
fn bend(a: Quat, b: Quat) -> (Vec3, Mat3) {
    let (u, w) = relative(a, b);
    let s = SINE + TANGENT / (1.0 + w);
    let c = 0.5 * TANGENT / (1.0 + w).powi(2);
    let (v, k) = (u * (0.5 * s), 0.5 * s * w);
    let by_b = Mat3::from_cols(
        Vec3::new(k, v.z, -v.y) + u * (c * u.x),
        Vec3::new(-v.z, k, v.x) + u * (c * u.y),
        Vec3::new(v.y, -v.x, k) + u * (c * u.z),
    );
    (u * s, by_b)
}

/// Strain of the joint between two links.
pub fn strain(a: &Pose, b: &Pose, arms: Arms) -> Strain {
    let (u, w) = relative(a.rotation, b.rotation);
    [stretch(a, b, arms).1, u * (SINE + TANGENT / (1.0 + w))]
}

/// Force and torque about its centre on link a, in its own axes, for given multipliers or loads.
pub fn reaction_on_a(a: &Pose, b: &Pose, arms: Arms, load: &Strain) -> Strain {
    let (y, _) = stretch(a, b, arms);
    let (_, by_b) = bend(a.rotation, b.rotation);
    [-load[0], -y.cross(load[0]) - by_b * load[1]]
}

/// Turn a link by a small rotation vector in its own axes [rad].
pub fn turn(rotation: &mut Quat, by: Vec3) {
    let half = by * 0.5;
    // the norm of the product is sqrt(1 + x); small turns, nearly all of them, need no root
    let x = half.length_squared();
    let shorter = if x < 1e-5 { 1.0 - x * (0.5 - x * 0.375) } else { 1.0 / (1.0 + x).sqrt() };
    let half = half * shorter;
    *rotation *= Quat::from_xyzw(half.x, half.y, half.z, shorter);
}

impl Spring {
    /// Project the joint once: Macklin, Mueller, Chentanez, "XPBD" (2016), the update with damping,
    ///
    ///   ((1 + gamma) J W J^T + alpha~) dlambda = -e - alpha~ lambda - gamma (e - e_before),
    ///
    /// three constraints at a time: first stretch and shear, then torsion and bending. On a straight rod the two do not
    /// interfere, since a shear force turns both links alike. (The paper has J (x - x_before) for e - e_before: equal
    /// to first order, but the change of strain itself is zero for any rigid motion.)
    pub fn project(
        &self,
        a: (&mut Pose, &Mobility),
        b: (&mut Pose, &Mobility),
        before: &Strain,
        multiplier: &mut Strain,
    ) {
        let ((a, of_a), (b, of_b)) = (a, b);
        self.project_stretch((a, of_a), (b, of_b), before[0], &mut multiplier[0]);
        if self.turning {
            let (e, by_b) = bend(a.rotation, b.rotation);
            let by_b_t = by_b.transpose();
            // D W_b D^T + D^T W_a D
            let mut matrix = Symmetric::default();
            for k in 0..3 {
                matrix.add(by_b.col(k), of_b.turn[k]);
                matrix.add(by_b_t.col(k), of_a.turn[k]);
            }
            let d = self.solve(matrix, e, before[1], 1, &mut multiplier[1]);
            turn(&mut a.rotation, -(of_a.turn * (by_b * d)));
            turn(&mut b.rotation, of_b.turn * (by_b_t * d));
        }
    }

    fn project_stretch(
        &self,
        a: (&mut Pose, &Mobility),
        b: (&mut Pose, &Mobility),
        before: Vec3,
        multiplier: &mut Vec3,
    ) {
        let ((a, of_a), (b, of_b)) = (a, b);
        let (y, e) = stretch(a, b, self.arms);
        let b_in_a = a.rotation.inverse() * b.rotation;
        // J W J^T, simpler because the moments about y and z are equal
        let (axis, across) = (b_in_a * Vec3::X, y.cross(Vec3::X));
        let (turn_a, turn_b) = (of_a.turn.y, of_b.turn.y * self.arms.b * self.arms.b);
        let along = of_a.shift + of_b.shift + turn_a * y.length_squared() + turn_b;
        let mut matrix = Symmetric { diagonal: Vec3::splat(along), beside: Vec3::ZERO };
        matrix.add(y, -turn_a);
        matrix.add(axis, -turn_b);
        matrix.add(across, of_a.turn.x - turn_a);
        let d = self.solve(matrix, e, before, 0, multiplier);
        let push = a.rotation * d;
        a.translation -= push * of_a.shift;
        b.translation += push * of_b.shift;
        turn(&mut a.rotation, -(of_a.turn * y.cross(d)));
        let arm = Vec3::X * self.arms.b;
        turn(&mut b.rotation, of_b.turn * (b_in_a.inverse() * d).cross(arm));
    }

    fn solve(&self, matrix: Symmetric, e: Vec3, before: Vec3, part: usize, multiplier: &mut Vec3) -> Vec3 {
        let alpha = self.compliance[part];
        let wanted = -e - alpha * *multiplier - (e - before) * self.viscous;
        let more = 1.0 + self.viscous;
        let matrix = Symmetric { diagonal: matrix.diagonal * more + alpha, beside: matrix.beside * more };
        let d = matrix.solve(wanted);
        *multiplier += d;
        d
    }
}

/// A symmetric matrix.
#[derive(Clone, Copy, Debug, Default)]
struct Symmetric {
    /// xx, yy, zz.
    diagonal: Vec3,
    /// yz, xz, xy.
    beside: Vec3,
}

impl Symmetric {
    /// Add k v v^T.
    fn add(&mut self, v: Vec3, k: f64) {
        let scaled = v * k;
        self.diagonal += scaled * v;
        self.beside += Vec3::new(scaled.y * v.z, scaled.x * v.z, scaled.x * v.y);
    }

    /// Solution of M x = b, by cofactors.
    fn solve(&self, b: Vec3) -> Vec3 {
        let (Vec3 { x: xx, y: yy, z: zz }, Vec3 { x: yz, y: xz, z: xy }) = (self.diagonal, self.beside);
        let first = Vec3::new(yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
        let (middle, last, mixed) = (xx * zz - xz * xz, xx * yy - xy * xy, xy * xz - xx * yz);
        let determinant = first.dot(Vec3::new(xx, xy, xz));
        let second = Vec3::new(first.y, middle, mixed);
        let third = Vec3::new(first.z, mixed, last);
        Vec3::new(first.dot(b), second.dot(b), third.dot(b)) / determinant
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glamx::EulerRot;

    const ARMS: Arms = Arms { a: 0.5, b: 0.7 };

    fn poses() -> (Pose, Pose) {
        let a = Pose::from_parts(Vec3::new(0.1, 0.2, -0.3), Quat::from_euler(EulerRot::XYZ, 0.3, -0.4, 0.8));
        let b = Pose::from_parts(Vec3::new(1.1, 0.7, 0.1), Quat::from_euler(EulerRot::XYZ, 0.7, -0.9, 1.0));
        (a, b)
    }

    /// The reaction on a is minus the gradient of load . strain, by finite differences.
    #[test]
    fn forces_are_gradients_of_the_strain() {
        let (a, b) = poses();
        let load = [Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 0.8, -1.1)];
        let [force, torque] = reaction_on_a(&a, &b, ARMS, &load);
        let work = |a: &Pose| {
            let e = strain(a, &b, ARMS);
            load[0].dot(e[0]) + load[1].dot(e[1])
        };
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let shifted = |d: f64| Pose::from_parts(a.translation + a.rotation * axis * d, a.rotation);
            let turned = |d: f64| Pose::from_parts(a.translation, a.rotation * Quat::from_scaled_axis(axis * d));
            let slope = |f: &dyn Fn(f64) -> Pose| (work(&f(1e-6)) - work(&f(-1e-6))) / 2e-6;
            assert!((slope(&shifted) - force.dot(axis)).abs() < 1e-8, "force along {axis}");
            assert!((slope(&turned) - torque.dot(axis)).abs() < 1e-8, "torque about {axis}");
        }
    }

    /// A single spring: repeated projection converges to lambda = -e / alpha~, and one projection is exact where
    /// nothing turns. Linear momentum is conserved.
    #[test]
    fn a_projection_meets_the_compliance() {
        let (mut a, mut b) = poses();
        let links = [Mobility { shift: 2.0, turn: Vec3::new(9.0, 3.0, 3.0) }, Mobility { shift: 0.5, turn: Vec3::ONE }];
        let compliance = [Vec3::new(0.1, 0.2, 0.2), Vec3::new(2.0, 1.0, 1.0)];
        let spring = Spring { arms: ARMS, compliance, viscous: 0.0, turning: true };
        let momentum = |a: &Pose, b: &Pose| a.translation / 2.0 + b.translation / 0.5;
        let (before, mut multiplier) = (momentum(&a, &b), [Vec3::ZERO; 2]);
        for _ in 0..60 {
            spring.project((&mut a, &links[0]), (&mut b, &links[1]), &[Vec3::ZERO; 2], &mut multiplier);
        }
        let e = strain(&a, &b, ARMS);
        for k in 0..2 {
            assert!((e[k] + compliance[k] * multiplier[k]).length() < 1e-12, "{:?}", e[k]);
        }
        assert!((momentum(&a, &b) - before).length() < 1e-13);
    }

    #[test]
    fn the_angle_of_a_joint_is_its_strain() {
        let a = Pose::IDENTITY;
        for angle in [0.01, 0.1, 0.4] {
            let b = Pose::from_rotation(Quat::from_rotation_y(angle));
            let e = strain(&a, &b, ARMS)[1];
            // SINE / 2 (2 sin(x/2)) + TANGENT / 4 (4 tan(x/4)) = x + O(x^5), with a factor below 1/1000
            assert!((e - Vec3::Y * angle).length() < 1e-3 * angle.powi(5) + 1e-15, "{e}");
        }
    }
}
