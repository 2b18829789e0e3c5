//! Parameters of the model `elastica`: its settings, and the specification a body is built from.

use crate::check::Checks;
use crate::curve;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::Vec3;
use crate::rest::Rest;
use crate::section::Section;

/// Everything needed to build a rod of this model.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticaSpec {
    /// Material.
    pub material: Material,
    /// Cross-section.
    pub section: Section,
    /// Initial centre line as a planar polyline [m]; it also gives the length of the rod.
    pub path: Vec<Vec3>,
    /// Normal of the rod's plane. `None` takes the plane of the path, or the vertical plane through a straight path.
    pub normal: Option<Vec3>,
    /// Shape without load.
    pub rest: Rest,
    /// Number of intervals between nodes.
    pub intervals: usize,
    /// Settings of the model.
    pub settings: ElasticaSettings,
}

/// Settings of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticaSettings {
    /// Time integration.
    pub integrator: Integrator,
    /// Error tolerance of an integrator step, for angles and for their rates times the step [rad].
    pub tolerance: f64,
    /// Initial configuration.
    pub start: Start,
    /// mu of (25) in the paper, constraint stabilisation: the rate at which constraint violations decay [1/s].
    pub stabilisation: f64,
    /// Material damping: viscous moment per bending rate over elastic moment per bending [s].
    pub damping_time: f64,
    /// Air drag: force per mass and velocity [1/s].
    pub drag: f64,
    /// k_c of (30) in the paper: contact force per penetration [N/m]; `None` derives it.
    pub contact_stiffness: Option<f64>,
    /// b_c of (30) in the paper: contact force per normal speed [N s/m]; `None` derives it.
    pub contact_damping: Option<f64>,
    /// Whether the rod can touch itself.
    pub self_contact: bool,
    /// Whether the rod stretches, with stiffness EA.
    pub extensible: bool,
    /// Uniform dead load per length, in the world [N/m].
    pub line_load: Vec3,
    /// Variation of mass and rigidity along the rod: factors at increasing fractions of its length, interpolated
    /// linearly. Empty for a uniform rod.
    pub profile: Vec<Profile>,
    /// Lines that points of the rod slide on.
    pub sliders: Vec<Slider>,
}

/// Factors of mass and rigidity at a point along the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Fraction of the length, 0 to 1.
    pub at: f64,
    /// Factor of the mass per length [-].
    pub mass: f64,
    /// Factor of the rigidities [-].
    pub rigidity: f64,
}

/// A line that a point of the rod slides on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// Fraction of the length, 0 to 1.
    pub at: f64,
    /// A point of the line, in the world [m]; `None` takes the point's initial position.
    pub through: Option<Vec3>,
    /// Direction of the line, in the world; need not be a unit vector.
    pub along: Vec3,
    /// Whether the rod's tangent is also held along the line.
    pub aligned: bool,
}

/// Time integration of the rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// The Runge-Kutta-Fehlberg method of order 4(5), with steps as long as the tolerance allows.
    #[default]
    Fehlberg,
    /// The implicit midpoint rule, for stiff rods: one step per world step, halved where it does not converge.
    Midpoint,
}

/// Initial configuration of the rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At rest on its path.
    #[default]
    Path,
    /// In equilibrium with gravity, grips and loads, as found starting from the path.
    Equilibrium,
    /// In equilibrium with grips and loads but without gravity, as found starting from the path.
    WeightlessEquilibrium,
}

impl Default for ElasticaSettings {
    fn default() -> Self {
        ElasticaSettings {
            integrator: Integrator::Fehlberg,
            tolerance: 1e-7,
            start: Start::Path,
            stabilisation: 100.0,
            damping_time: 0.0,
            drag: 0.0,
            contact_stiffness: None,
            contact_damping: None,
            self_contact: true,
            extensible: false,
            line_load: Vec3::ZERO,
            profile: vec![],
            sliders: vec![],
        }
    }
}

impl ElasticaSpec {
    /// Check that a body can be built from these parameters.
    pub(super) fn check(&self, name: &str) -> Result<(), BuildError> {
        let (checks, settings) = (Checks(name), &self.settings);
        self.material.check(checks)?;
        checks.within("tolerance", settings.tolerance, 1e-13..=0.1, "1e-13 to 0.1")?;
        checks.not_negative("stabilisation", settings.stabilisation)?;
        checks.not_negative("damping_time", settings.damping_time)?;
        checks.not_negative("drag", settings.drag)?;
        checks.not_negative("contact_stiffness", settings.contact_stiffness.unwrap_or(0.0))?;
        checks.not_negative("contact_damping", settings.contact_damping.unwrap_or(0.0))?;
        checks.not_negative("line_load", settings.line_load.length())?;
        for p in &settings.profile {
            checks.within("the place of a factor", p.at, 0.0..=1.0, "0 to 1")?;
            checks.positive("a factor of the mass", p.mass)?;
            checks.positive("a factor of the rigidity", p.rigidity)?;
        }
        if let Some(w) = settings.profile.windows(2).find(|w| w[1].at <= w[0].at) {
            return Err(checks.bad("the place of a factor", "farther along than the one before", w[1].at));
        }
        for slider in &settings.sliders {
            checks.within("the place of a slider", slider.at, 0.0..=1.0, "0 to 1")?;
            checks.positive("the direction of a slider", slider.along.length())?;
        }
        checks.within("the number of intervals", self.intervals as f64, 1.0..=1e6, "1 to 1,000,000")?;
        self.section.check(checks)?;
        curve::check(name, &self.path)?;
        if let Rest::Curved { curvature: [about_y, about_z], twist } = self.rest {
            // more between neighbouring intervals is not a resolved curve
            let most = std::f64::consts::FRAC_PI_2 * self.intervals as f64 / curve::length(&self.path);
            checks.within("the natural curvature", about_z, -most..=most, "at most a right angle per interval")?;
            let out_of_plane = "zero, as it lies in a plane";
            checks.that(about_y == 0.0, "the natural curvature about y", out_of_plane, about_y)?;
            checks.that(twist == 0.0, "the natural twist", out_of_plane, twist)?;
        }
        Ok(())
    }
}
