//! Parameters of the model `elastica`: what a user may set, and what a body is built from.

use crate::check::Checks;
use crate::curve;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::Vec3;
use crate::rest::Rest;
use crate::section::Section;

/// Everything a rod of this model is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticaSpec {
    /// Material.
    pub material: Material,
    /// Cross-section.
    pub section: Section,
    /// Initial centre line as a polyline in a plane [m]; the rod is as long as this path.
    pub path: Vec<Vec3>,
    /// A direction out of the plane it lives in. `None` takes the plane of the path, or the upright one through a straight
    /// path.
    pub normal: Option<Vec3>,
    /// The shape it has without load.
    pub rest: Rest,
    /// Number of intervals between nodes.
    pub intervals: usize,
    /// Settings of the model.
    pub settings: ElasticaSettings,
}

/// Settings of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticaSettings {
    /// How it moves on.
    pub integrator: Integrator,
    /// Error allowed in a step of its own: of an angle [rad], and of its rate times the step.
    pub tolerance: f64,
    /// Where it begins.
    pub start: Start,
    /// mu of the paper's (25): how fast what is left of a constraint dies away [1/s].
    pub stabilisation: f64,
    /// Damping of the material: viscous over elastic moment, per rate of bending [s].
    pub damping_time: f64,
    /// Drag of the air: force per mass and velocity [1/s].
    pub drag: f64,
    /// k_c of the paper's (30): force per depth of a contact [N/m]; derived unless given.
    pub contact_stiffness: Option<f64>,
    /// b_c of the paper's (30): force per speed of a contact [N s/m]; derived unless given.
    pub contact_damping: Option<f64>,
    /// Whether the rod touches itself.
    pub self_contact: bool,
    /// Whether it can be stretched, with EA.
    pub extensible: bool,
    /// A dead load on all of its length [N/m].
    pub line_load: Vec3,
    /// How density and rigidity vary along it: factors at fractions of its length, in between straight lines. Empty for
    /// none.
    pub profile: Vec<Profile>,
    /// Lines that places of it slide on.
    pub sliders: Vec<Slider>,
}

/// Factors of mass and rigidity somewhere along the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Fraction of the length.
    pub at: f64,
    /// Factor of the mass per length.
    pub mass: f64,
    /// Factor of the rigidities.
    pub rigidity: f64,
}

/// A line that a place of the rod slides on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// Fraction of the length.
    pub at: f64,
    /// A point of the line in the world [m]; `None` for where the place is at the start.
    pub through: Option<Vec3>,
    /// Its direction in the world.
    pub along: Vec3,
    /// Whether the rod's direction is held too, along the line.
    pub aligned: bool,
}

/// How the rod moves on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Runge, Kutta and Fehlberg's method of order 4(5), with steps as long as the tolerance allows.
    #[default]
    Fehlberg,
    /// The implicit midpoint rule, for stiff rods: steps of the world, halved where they do not converge.
    Midpoint,
}

/// Where the rod begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// On its path.
    #[default]
    Path,
    /// In equilibrium with its grips and loads, the one found from the path.
    Equilibrium,
    /// The same without gravity.
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
    /// Refuse what cannot be built.
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
        curve::check(name, &self.path)
    }
}
