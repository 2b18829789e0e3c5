//! Cross-sections of slender bodies, and the rigidities that follow from a shape and a material, or are given directly.
//!
//! Axes are those of a link: x along the body, y and z across it. No shear correction factor is applied: GA is the
//! shear modulus times the area. Where that matters, give the rigidities directly.

use crate::math::{hypot, tanh};
use std::f64::consts::PI;

use crate::check::Checks;
use crate::error::BuildError;
use crate::material::Material;

/// The cross-section of a slender body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A solid circle.
    Round {
        /// Radius [m].
        radius: f64,
    },
    /// A circular tube.
    Hollow {
        /// Outer radius [m].
        radius: f64,
        /// Inner radius, not negative and less than the outer one [m].
        inner: f64,
    },
    /// A solid rectangle.
    Rectangle {
        /// Edge length along y [m].
        width: f64,
        /// Edge length along z [m].
        height: f64,
    },
    /// Rigidities as measured or computed elsewhere; of the material only friction is used. Where a shape is needed, it
    /// is a disc.
    Explicit(Rigidities),
}

/// Mass per length and rigidities of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigidities {
    /// Outer radius, for contact and drawing [m].
    pub radius: f64,
    /// Mass per length [kg/m].
    pub mass_per_length: f64,
    /// Axial rigidity EA [N].
    pub ea: f64,
    /// Shear rigidity GA along y and z, with any shear correction [N].
    pub ga: f64,
    /// Bending rigidities EI about y and z [N m2].
    pub ei: [f64; 2],
    /// Torsional rigidity GJ [N m2].
    pub gj: f64,
}

impl Section {
    /// Radius of the circumscribed circle, used for contact and drawing [m].
    pub fn radius(&self) -> f64 {
        match *self {
            Section::Round { radius } | Section::Hollow { radius, .. } => radius,
            Section::Rectangle { width, height } => 0.5 * hypot(width, height),
            Section::Explicit(given) => given.radius,
        }
    }

    /// Area A [m2].
    pub fn area(&self) -> f64 {
        match *self {
            Section::Round { radius } => PI * radius * radius,
            Section::Hollow { radius, inner } => PI * (radius - inner) * (radius + inner),
            Section::Rectangle { width, height } => width * height,
            Section::Explicit(given) => PI * given.radius * given.radius,
        }
    }

    /// Second moments of area I about y and z [m4].
    pub fn second_moments(&self) -> [f64; 2] {
        match *self {
            Section::Round { radius } => [PI * radius.powi(4) / 4.0; 2],
            // pi (R^4 - r^4) / 4 in factored form, so that thin walls keep their digits
            Section::Hollow { radius, inner } => [self.area() * (radius * radius + inner * inner) / 4.0; 2],
            Section::Rectangle { width, height } => [width * height.powi(3) / 12.0, height * width.powi(3) / 12.0],
            Section::Explicit(given) => [PI * given.radius.powi(4) / 4.0; 2],
        }
    }

    /// Torsion constant J: torque divided by shear modulus and twist per length [m4].
    pub fn torsion_constant(&self) -> f64 {
        match *self {
            Section::Rectangle { width, height } => rectangle_torsion(width.max(height), width.min(height)),
            // the polar moment: circular sections do not warp
            _ => self.second_moments().iter().sum(),
        }
    }

    /// Rigidities EA, GA_y, GA_z [N], GJ, EI_y, EI_z [N m2], in the order of the strains of a rod.
    pub fn rigidities(&self, material: &Material) -> [f64; 6] {
        if let Section::Explicit(given) = self {
            return [given.ea, given.ga, given.ga, given.gj, given.ei[0], given.ei[1]];
        }
        let (young, shear, area) = (material.young, material.shear_modulus(), self.area());
        let [about_y, about_z] = self.second_moments();
        let twisting = shear * self.torsion_constant();
        [young * area, shear * area, shear * area, twisting, young * about_y, young * about_z]
    }

    /// Reject a section with different bending rigidities about y and z, for a model that has only one.
    pub(crate) fn check_even(&self, name: &str, model: &'static str, material: &Material) -> Result<(), BuildError> {
        if self.is_isotropic() {
            return Ok(());
        }
        let [.., about_y, about_z] = self.rigidities(material);
        Err(BuildError::Cannot {
            body: name.into(),
            model,
            cannot: format!(
                "bends alike in all directions, but the section has an EI of {about_y:.4e} N m2 about y and {about_z:.4e} N m2 about z"
            ),
            instead: "give it a round section, or make it a cable",
            field: Some("section"),
        })
    }

    /// Mass per length [kg/m].
    pub fn mass_per_length(&self, material: &Material) -> f64 {
        match self {
            Section::Explicit(given) => given.mass_per_length,
            _ => material.density * self.area(),
        }
    }

    /// Where the mass of a body comes from, for reports.
    pub(crate) fn mass_reason(&self) -> &'static str {
        match self {
            Section::Explicit(_) => "mass per length times length",
            _ => "density times volume",
        }
    }

    /// Where GA comes from, for reports.
    pub(crate) fn shear_reason(&self) -> &'static str {
        match self {
            Section::Explicit(_) => "shearing, as given",
            _ => "shearing, with G = E / (2 + 2 nu) and no correction of the section",
        }
    }

    /// Moments of inertia per length about x, y and z [kg m]; for explicit rigidities those of a homogeneous disc.
    pub fn rotary_inertia(&self, material: &Material) -> [f64; 3] {
        let [about_y, about_z] = self.second_moments().map(|i| self.mass_per_length(material) * i / self.area());
        [about_y + about_z, about_y, about_z]
    }

    /// Whether the bending rigidities about y and z are equal, to 1e-9.
    pub fn is_isotropic(&self) -> bool {
        let [about_y, about_z] = match self {
            Section::Explicit(given) => given.ei,
            _ => self.second_moments(),
        };
        (about_y - about_z).abs() <= 1e-9 * about_y.max(about_z)
    }

    /// Reject sizes that make no section.
    pub(crate) fn check(&self, checks: Checks<'_>) -> Result<(), BuildError> {
        let sizes = match *self {
            Section::Round { radius } => vec![("radius", radius)],
            Section::Hollow { radius, .. } => vec![("radius", radius)],
            Section::Rectangle { width, height } => vec![("width", width), ("height", height)],
            Section::Explicit(Rigidities { radius, mass_per_length, ea, ga, ei, gj }) => vec![
                ("radius", radius),
                ("mass_per_length", mass_per_length),
                ("EA", ea),
                ("GA", ga),
                ("EI about y", ei[0]),
                ("EI about z", ei[1]),
                ("GJ", gj),
            ],
        };
        for (what, value) in sizes {
            checks.positive(&format!("the {what}"), value)?;
        }
        match *self {
            Section::Hollow { radius, inner } => {
                let sound = (0.0..radius).contains(&inner);
                checks.that(sound, "the inner radius", "less than the outer one and not negative", inner)
            }
            _ => Ok(()),
        }
    }
}

/// Torsion constant of a rectangle with edges a >= b, after Saint-Venant (Timoshenko and Goodier, Theory of Elasticity,
/// article 109): J = a b^3 / 3 (1 - 192 b / (pi^5 a) sum over odd n of tanh(n pi a / 2 b) / n^5).
fn rectangle_torsion(a: f64, b: f64) -> f64 {
    // the truncated remainder of the sum is less than 1 / (8 LAST^4), 1e-9
    const LAST: u8 = 101;
    let term = |n: u8| tanh(f64::from(n) * PI * a / (2.0 * b)) / f64::from(n).powi(5);
    // smallest terms first, to keep their digits
    let sum: f64 = (1..=LAST).step_by(2).rev().map(term).sum();
    a * b.powi(3) / 3.0 * (1.0 - 192.0 / PI.powi(5) * b / a * sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Friction;

    const STEEL: Material = Material { young: 2e11, poisson: 0.25, density: 8000.0, friction: Friction::NONE };

    fn close(got: f64, expected: f64) -> bool {
        (got / expected - 1.0).abs() < 1e-12
    }

    #[test]
    fn round_sections_have_the_moments_of_the_textbook() {
        let solid = Section::Round { radius: 2e-3 };
        assert!(close(solid.area(), PI * 4e-6));
        assert!(solid.second_moments().iter().all(|i| close(*i, PI * 16e-12 / 4.0)));
        assert!(close(solid.torsion_constant(), PI * 16e-12 / 2.0));
        assert_eq!(Section::Hollow { radius: 2e-3, inner: 0.0 }.area(), solid.area());
        // a tube is a round section less its bore
        let bore = Section::Round { radius: 1.5e-3 };
        let tube = Section::Hollow { radius: 2e-3, inner: 1.5e-3 };
        assert!(close(tube.area(), solid.area() - bore.area()));
        assert!(close(tube.second_moments()[1], solid.second_moments()[1] - bore.second_moments()[1]));
        assert!(close(tube.torsion_constant(), solid.torsion_constant() - bore.torsion_constant()));
        assert_eq!(tube.radius(), 2e-3);
    }

    /// Coefficients J / (a b^3) of Timoshenko and Goodier, article 109, table 9, and the limit of a thin strip.
    #[test]
    fn rectangles_twist_as_saint_venant_says() {
        let table =
            [(1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (2.5, 0.249), (3.0, 0.263), (5.0, 0.291), (10.0, 0.312)];
        for (ratio, coefficient) in table {
            let upright = Section::Rectangle { width: 1e-3, height: ratio * 1e-3 }.torsion_constant();
            let flat = Section::Rectangle { width: ratio * 1e-3, height: 1e-3 }.torsion_constant();
            assert_eq!(upright, flat);
            // printed with three digits, the last of which may be rounded either way
            assert!((flat / (ratio * 1e-12) - coefficient).abs() < 8e-4, "{ratio}: {}", flat / (ratio * 1e-12));
        }
        let square = Section::Rectangle { width: 1.0, height: 1.0 };
        assert!((square.torsion_constant() - 0.140_577).abs() < 1e-6);
        // J = b^3 (a / 3 - 0.21 b) for a >> b, with 0.21 = 64 / pi^5 sum 1 / n^5 = 0.210083
        let strip = Section::Rectangle { width: 1.0, height: 1e-3 };
        assert!((strip.torsion_constant() / (1e-9 * (1.0 / 3.0 - 0.210_083e-3)) - 1.0).abs() < 1e-8);
    }

    #[test]
    fn a_rectangle_is_stiffest_about_the_axis_along_its_short_edge() {
        let ribbon = Section::Rectangle { width: 0.02, height: 0.001 };
        let [about_y, about_z] = ribbon.second_moments();
        assert!(close(about_y, 0.02 * 1e-9 / 12.0) && close(about_z, 1e-3 * 8e-6 / 12.0));
        assert!(close(ribbon.radius(), 0.5 * (0.02_f64 * 0.02 + 1e-6).sqrt()));
        assert!(!ribbon.is_isotropic());
        assert!(Section::Rectangle { width: 0.3, height: 0.3 }.is_isotropic());
    }

    #[test]
    fn a_material_turns_a_shape_into_rigidities() {
        let section = Section::Rectangle { width: 0.02, height: 0.01 };
        let [ea, ga_y, ga_z, gj, ei_y, ei_z] = section.rigidities(&STEEL);
        assert!(close(ea, 2e11 * 2e-4) && close(ga_y, 8e10 * 2e-4) && ga_z == ga_y);
        assert!((gj / (8e10 * 0.228_68 * 0.02 * 1e-6) - 1.0).abs() < 1e-4);
        assert!(close(ei_y, 2e11 * 0.02 * 1e-6 / 12.0) && close(ei_z, 2e11 * 0.01 * 8e-6 / 12.0));
        assert!(close(section.mass_per_length(&STEEL), 1.6));
        // for a slice: m (b^2 + h^2) / 12 about x
        let [about_x, about_y, about_z] = section.rotary_inertia(&STEEL);
        assert!(close(about_x, 1.6 * 5e-4 / 12.0) && close(about_y, 1.6 * 1e-4 / 12.0));
        assert!(close(about_z, 1.6 * 4e-4 / 12.0));
        // for a disc: m r^2 / 2 about x, half of that about y and z
        let [about_x, about_y, _] = Section::Round { radius: 0.1 }.rotary_inertia(&STEEL);
        assert!(close(about_x, 8000.0 * PI * 0.01 * 0.01 / 2.0) && close(about_y, 0.5 * about_x));
    }

    #[test]
    fn explicit_rigidities_are_taken_as_they_are() {
        let given = Rigidities { radius: 0.01, mass_per_length: 0.3, ea: 1.0, ga: 2.0, ei: [3.0, 4.0], gj: 5.0 };
        let section = Section::Explicit(given);
        assert_eq!(section.rigidities(&STEEL), [1.0, 2.0, 2.0, 5.0, 3.0, 4.0]);
        assert_eq!((section.mass_per_length(&STEEL), section.radius()), (0.3, 0.01));
        assert!(close(section.rotary_inertia(&STEEL)[0], 0.3 * 1e-4 / 2.0));
        assert!(!section.is_isotropic());
        assert!(Section::Explicit(Rigidities { ei: [3.0; 2], ..given }).is_isotropic());
    }

    #[test]
    fn what_is_no_section_is_refused() {
        let message = |section: Section| section.check(Checks("wire")).err().map(|e| e.to_string()).unwrap_or_default();
        let tube = Section::Hollow { radius: 1.0, inner: 1.0 };
        assert_eq!(message(tube), "the inner radius of wire must be less than the outer one and not negative, got 1");
        let flat = Section::Rectangle { width: 1.0, height: 0.0 };
        assert_eq!(message(flat), "the height of wire must be finite and positive, got 0");
        let limp = Rigidities { radius: 1.0, mass_per_length: 1.0, ea: 1.0, ga: 1.0, ei: [1.0, f64::NAN], gj: 1.0 };
        assert_eq!(message(Section::Explicit(limp)), "the EI about z of wire must be finite and positive, got NaN");
        assert!(Section::Hollow { radius: 1.0, inner: 0.0 }.check(Checks("wire")).is_ok());
        assert!(Section::Hollow { radius: 1.0, inner: -0.1 }.check(Checks("wire")).is_err());
        assert!(Section::Round { radius: f64::INFINITY }.check(Checks("wire")).is_err());
    }
}
