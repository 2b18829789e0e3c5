//! Parameters of the model `xpbd`: its settings, and the specification a body is built from.

use crate::check::Checks;
use crate::curve;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::Vec3;
use crate::section::Section;

/// Everything needed to build a rod of this model.
#[derive(Clone, Debug, PartialEq)]
pub struct XpbdSpec {
    /// Material.
    pub material: Material,
    /// Cross-section.
    pub section: Section,
    /// Initial centre line as a polyline [m]; the rod is straight at rest, as long as this path.
    pub path: Vec<Vec3>,
    /// Number of links, at least 2.
    pub segments: usize,
    /// Settings of the model.
    pub settings: XpbdSettings,
}

/// Settings of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XpbdSettings {
    /// Gauss-Seidel sweeps over all constraints in a world step, divided evenly among its substeps (rounded up, so that
    /// each has at least one). Too few make the rod softer than its material: see the book's chapter on the model.
    pub iterations: usize,
    /// Number of substeps in a world step.
    pub substeps: usize,
    /// Material damping: viscous stress per strain rate over elastic stress per strain [s].
    pub damping_time: f64,
    /// Air drag: force per mass and velocity [1/s].
    pub drag: f64,
}

impl Default for XpbdSettings {
    fn default() -> Self {
        XpbdSettings { iterations: 20, substeps: 1, damping_time: 1e-3, drag: 0.0 }
    }
}

/// Limit on substeps, and on sweeps, in a world step: more can only be a mistake.
const MOST_WORK: usize = 1_000_000;

impl XpbdSpec {
    /// Check that a body can be built from these parameters.
    pub(super) fn check(&self, name: &str) -> Result<(), BuildError> {
        let (checks, settings) = (Checks(name), &self.settings);
        self.material.check(checks)?;
        self.section.check(checks)?;
        self.section.check_even(name, "xpbd", &self.material)?;
        checks.not_negative("damping_time", settings.damping_time)?;
        checks.not_negative("drag", settings.drag)?;
        for (what, value) in [("iterations", settings.iterations), ("substeps", settings.substeps)] {
            checks.that((1..=MOST_WORK).contains(&value), what, "1 to 1,000,000", value as f64)?;
        }
        checks.within("the number of segments", self.segments as f64, 2.0..=1e6, "2 to 1,000,000")?;
        curve::check(name, &self.path)
    }
}
