//! Parameters of the model `xpbd`: what a user may set, and what a body is built from.

use crate::curve;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::Vec3;
use crate::section::Section;

/// Everything a rod of this model is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct XpbdSpec {
    /// Material.
    pub material: Material,
    /// Cross-section.
    pub section: Section,
    /// Initial centre line as a polyline [m]; the rod is straight at rest, as long as this path.
    pub path: Vec<Vec3>,
    /// Number of links.
    pub segments: usize,
    /// Settings of the model.
    pub settings: XpbdSettings,
}

/// Settings of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XpbdSettings {
    /// Sweeps of Gauss-Seidel over all constraints in a step of the world, shared evenly among its substeps (rounded up,
    /// so that each has at least one). Too few make the rod softer than its material: see the chapter on the model.
    pub iterations: usize,
    /// Substeps of a step of the world.
    pub substeps: usize,
    /// Damping of the material: viscous over elastic stress, per rate of strain [s].
    pub damping_time: f64,
    /// Drag of the air: force per mass and velocity [1/s].
    pub drag: f64,
}

impl Default for XpbdSettings {
    fn default() -> Self {
        XpbdSettings { iterations: 20, substeps: 1, damping_time: 1e-3, drag: 0.0 }
    }
}

/// Most substeps or sweeps in a step of the world.
const MOST_WORK: usize = 1_000_000;

impl XpbdSpec {
    /// Refuse what cannot be built.
    pub(super) fn check(&self, name: &str) -> Result<(), BuildError> {
        let bad =
            |what: &str, expected, value| BuildError::Parameter { what: format!("{what} of {name}"), expected, value };
        let positive = [
            ("Young's modulus", self.material.young),
            ("the shear modulus", self.material.shear_modulus()),
            ("the density", self.material.density),
        ];
        for (what, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(bad(what, "finite and positive", value));
            }
        }
        self.section.check(name)?;
        self.section.check_even(name, "xpbd", &self.material)?;
        let not_negative = [
            ("damping_time", self.settings.damping_time),
            ("drag", self.settings.drag),
            ("the friction", self.material.friction.coefficient),
            ("the exponent of friction", self.material.friction.exponent),
        ];
        for (what, value) in not_negative {
            if !(value.is_finite() && value >= 0.0) {
                return Err(bad(what, "finite and not negative", value));
            }
        }
        for (what, value) in [("iterations", self.settings.iterations), ("substeps", self.settings.substeps)] {
            if !(1..=MOST_WORK).contains(&value) {
                return Err(bad(what, "1 to 1,000,000", value as f64));
            }
        }
        if !(2..=1_000_000).contains(&self.segments) {
            return Err(bad("the number of segments", "2 to 1,000,000", self.segments as f64));
        }
        curve::check(name, &self.path)
    }
}
