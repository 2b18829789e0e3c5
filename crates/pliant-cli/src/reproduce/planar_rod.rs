//! An energy-minimising planar rod: the static comparison of Kahl and Henrich's Fig. 13, made independently.
//!
//! Inextensible, n straight pieces of length h with angles a_i, clamped at the start. The potential energy is
//! sum EI/2 (a_{i+1} - a_i)^2 / h, half a piece between clamp and first angle, plus the weight of what each piece lifts:
//! sum w g h (L - s_i) sin a_i with s_i at its middle. Newton's method; the Hessian is tridiagonal.

/// A rod in a vertical plane.
pub struct PlanarRod {
    /// Length L [m].
    pub length: f64,
    /// Bending stiffness EI [N m2].
    pub rigidity: f64,
    /// Weight per length [N/m].
    pub weight: f64,
    /// Number of pieces.
    pub pieces: usize,
}

impl PlanarRod {
    /// The shape of least energy near the straight one, clamped at the origin at `angle` from the horizontal [rad].
    pub fn shape(&self, angle: f64) -> Vec<[f64; 2]> {
        let n = self.pieces;
        let h = self.length / n as f64;
        let k = self.rigidity / h;
        let lift = |i: usize| self.weight * h * (self.length - (i as f64 + 0.5) * h);
        let mut a = vec![angle; n];
        for _ in 0..50 {
            // gradient and Hessian
            let gradient = |i: usize| {
                let before = if i == 0 { 2.0 * k * (a[0] - angle) } else { k * (a[i] - a[i - 1]) };
                let after = if i + 1 < n { k * (a[i + 1] - a[i]) } else { 0.0 };
                before - after + lift(i) * a[i].cos()
            };
            let diagonal = |i: usize| {
                let joints = if i == 0 { 2.0 } else { 1.0 } + if i + 1 < n { 1.0 } else { 0.0 };
                joints * k - lift(i) * a[i].sin()
            };
            // forward sweep and back substitution
            let (mut ratio, mut step) = (vec![0.0; n], vec![0.0; n]);
            for i in 0..n {
                let (r, s) = if i == 0 { (0.0, 0.0) } else { (ratio[i - 1], step[i - 1]) };
                let pivot = diagonal(i) + k * r;
                ratio[i] = -k / pivot;
                step[i] = (-gradient(i) + if i == 0 { 0.0 } else { k * s }) / pivot;
            }
            for i in (0..n - 1).rev() {
                step[i] -= ratio[i] * step[i + 1];
            }
            a.iter_mut().zip(&step).for_each(|(a, s)| *a += s);
            if step.iter().all(|s| s.abs() < 1e-13) {
                break;
            }
        }
        let mut at = [0.0, 0.0];
        let mut shape = vec![at];
        for angle in a {
            at = [at[0] + h * angle.cos(), at[1] + h * angle.sin()];
            shape.push(at);
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::references::rods_static;

    /// The elastica of `references/`, at second order in the piece.
    #[test]
    fn it_is_the_elastica_of_the_steel_rod() {
        for r in rods_static().seed000_table5_rod {
            let young = if r.case.starts_with("E=210") { 2.1e11 } else { 6.3e10 };
            let error = |pieces| {
                let radius: f64 = 1e-3;
                let area = std::f64::consts::PI * radius * radius;
                let rigidity = young * area * radius * radius / 4.0;
                let rod = PlanarRod { length: 0.5, rigidity, weight: 7900.0 * area * 9.81, pieces };
                let tip = rod.shape(r.gripper_deg.to_radians())[pieces];
                (tip[0] - r.x_tip_m).hypot(tip[1] - r.y_tip_m)
            };
            // the error is a small multiple of (h/L)^2 = 1e-4 times the sag of up to 40 mm
            assert!(error(100) < 4e-6, "{} at {}: {}", r.case, r.gripper_deg, error(100));
            let order = (error(50) / error(100)).log2();
            assert!((order - 2.0).abs() < 0.1, "{order}");
        }
    }
}
