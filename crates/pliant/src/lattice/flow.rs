//! Drag of a fluid on facets: (9) of Joukhadar, "Robot-Phi".
//!
//! In the paper the direction of the force is from the velocity of a particle and its magnitude from that of the
//! facet's middle; here both are the facet's. Its "V x n" is a scalar product, and its k V^2 for liquids must keep the
//! direction: k |V| V.

use super::contact::overlap::normal;
use crate::math::Vec3;

/// Dependence of drag on speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Drag {
    /// No drag.
    #[default]
    Free,
    /// Linear in speed, as for slow motion in air: k [N s/m3].
    Linear(f64),
    /// Quadratic in speed, as in liquids: k [N s2/m4], half the density for a pressure of rho V^2 / 2.
    Quadratic(f64),
}

/// Force on each of the three corners of a facet [N]: a third of that on the facet.
///
/// With V the mean velocity of the corners relative to the fluid's, n the outward normal and S the area the facet gets
/// -k S (V.n) V / |V| or -k S (V.n) V, if it faces the flow, V.n > 0.
pub fn drag(facet: &[Vec3; 3], velocities: &[Vec3; 3], fluid: Vec3, law: Drag) -> Vec3 {
    let Some(outward) = normal(facet) else { return Vec3::ZERO };
    let [a, b, c] = *facet;
    let velocity = (velocities[0] + velocities[1] + velocities[2]) / 3.0 - fluid;
    let facing = velocity.dot(outward);
    // also at zero speed or NaN
    if facing.is_nan() || facing <= 0.0 {
        return Vec3::ZERO;
    }
    let area = 0.5 * (b - a).cross(c - a).length();
    let along = match law {
        Drag::Free => return Vec3::ZERO,
        Drag::Linear(k) => velocity * (k / velocity.length()),
        Drag::Quadratic(k) => velocity * k,
    };
    along * (-area * facing / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A square plate of two facets across x, and its back.
    fn plate() -> [[Vec3; 3]; 4] {
        let [a, b, c, d] = [Vec3::ZERO, Vec3::Y, Vec3::new(0.0, 1.0, 1.0), Vec3::Z];
        [[a, b, c], [a, c, d], [a, c, b], [a, d, c]]
    }

    #[test]
    fn plate_has_the_drag_of_its_front() {
        let push =
            |v: Vec3, law: Drag| -> Vec3 { plate().iter().map(|f| drag(f, &[v; 3], Vec3::ZERO, law) * 3.0).sum() };
        // one square metre: k V and k V^2, back and front alike
        for v in [3.0, -3.0] {
            assert!((push(Vec3::X * v, Drag::Linear(2.0)) + Vec3::X * 2.0 * v).length() < 1e-12);
            assert!((push(Vec3::X * v, Drag::Quadratic(2.0)) + Vec3::X * 2.0 * v * v.abs()).length() < 1e-12);
        }
        // at 60 degrees half the size, still along the velocity
        let v = Vec3::new(0.5, 0.75f64.sqrt(), 0.0);
        assert!((push(v, Drag::Linear(2.0)) + v).length() < 1e-12);
        assert_eq!(push(Vec3::Y, Drag::Linear(2.0)), Vec3::ZERO);
    }

    #[test]
    fn fluid_carries_and_takes_energy_only() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let (facet, wind) = (random.triangle(Vec3::ZERO, 1.0), random.vector());
            let velocities = [random.vector(), random.vector(), random.vector()];
            let relative = blend(&velocities) - wind;
            for law in [Drag::Free, Drag::Linear(1.0), Drag::Quadratic(1.0)] {
                let force = drag(&facet, &velocities, wind, law);
                assert!(force.dot(relative) <= 0.0);
                assert!(drag(&facet, &[wind; 3], wind, law).length() < 1e-14);
            }
        }
    }

    fn blend(velocities: &[Vec3; 3]) -> Vec3 {
        velocities.iter().sum::<Vec3>() / 3.0
    }

    #[test]
    fn nothing_moves_degenerate_facets() {
        let law = Drag::Linear(1.0);
        assert_eq!(drag(&[Vec3::ZERO; 3], &[Vec3::X; 3], Vec3::ZERO, law), Vec3::ZERO);
        assert_eq!(drag(&plate()[0], &[Vec3::NAN; 3], Vec3::ZERO, law), Vec3::ZERO);
        assert_eq!(drag(&[Vec3::NAN; 3], &[Vec3::X; 3], Vec3::ZERO, law), Vec3::ZERO);
    }
}
