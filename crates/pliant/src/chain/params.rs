//! Parameters of the chain: its settings, and the specification a body is built from.

use crate::check::Checks;
use crate::curve;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::Vec3;
use crate::section::Section;

/// Everything needed to build a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainSpec {
    /// Material; only E, density and friction are used, as the model has no torsion.
    pub material: Material,
    /// Cross-section; it must be equally stiff in all bending directions.
    pub section: Section,
    /// Initial centre line as a polyline [m]; the rod is straight at rest, as long as this path.
    pub path: Vec<Vec3>,
    /// Number of points N; `None` derives it from (9) and (10) with the heuristic's bend radius, or takes 11 without
    /// one.
    pub points: Option<usize>,
    /// Settings of the model.
    pub settings: ChainSettings,
}

/// Settings of the chain model. A value of `None` is derived; [`super::Chain::derived`] gives the result and the
/// reason.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainSettings {
    /// Bending law.
    pub bending: BendingLaw,
    /// How forces become motion.
    pub update: UpdateRule,
    /// Rate of model steps [Hz].
    pub rate: Option<f64>,
    /// Rate at which gripper poses are sampled and held, as in the paper [Hz]; `None` interpolates them at every model
    /// step.
    pub gripper_rate: Option<f64>,
    /// Rate at which the planes that approximate nearby obstacles are updated [Hz].
    pub contact_rate: f64,
    /// Derive stiffness from weight and a tolerated deformation, (12) to (14), instead of from the material.
    pub heuristic: Option<Heuristic>,
    /// c_c, contraction force per relative change of length [N].
    pub contraction: Option<f64>,
    /// c_b of the paper's bending law [N]; for the linear law see `bending_stiffness`.
    pub bending_force: Option<f64>,
    /// EI of the linear law [N m2].
    pub bending_stiffness: Option<f64>,
    /// Curvature at which the paper's law is matched to the moment EI times curvature [1/m].
    pub matched_curvature: f64,
    /// c_e of grips [N/m].
    pub grip_stiffness: Option<f64>,
    /// c_e of obstacle planes [N/m].
    pub contact_stiffness: Option<f64>,
    /// c_F, displacement per force and model step [m/N].
    pub scaling: Option<f64>,
    /// c_h, fraction of the last displacement that the rule `Dynamics` keeps, from 0 to below 1 [-].
    pub history: Option<f64>,
    /// Viscous drag per mass under the rule `Velocity`: the rate at which speed decays [1/s].
    pub drag: f64,
    /// l_s, largest displacement in a model step as a fraction of the segment length [-].
    pub step_limit: f64,
    /// Whether the rule `Dynamics` limits relative displacement (20) rather than absolute displacement (17).
    pub relative_limit: bool,
    /// What the rules `Relative` and `Dynamics` limit displacement relative to.
    pub relative_to: RelativeTo,
    /// Repeat model steps to make up for displacement that the limits have cut (Text 1).
    pub keep_displacement: bool,
    /// Total mass [kg]; `None` derives it from density and section.
    pub mass: Option<f64>,
    /// Give the end points the full mass of an inner point, as published, instead of half.
    pub equal_weights: bool,
}

impl Default for ChainSettings {
    fn default() -> Self {
        ChainSettings {
            bending: BendingLaw::Linear,
            update: UpdateRule::Velocity,
            rate: None,
            gripper_rate: None,
            contact_rate: 1000.0,
            heuristic: None,
            contraction: None,
            bending_force: None,
            bending_stiffness: None,
            matched_curvature: 5.0,
            grip_stiffness: None,
            contact_stiffness: None,
            scaling: None,
            history: None,
            drag: 0.0,
            step_limit: 0.1,
            relative_limit: true,
            relative_to: RelativeTo::Neighbour,
            keep_displacement: false,
            mass: None,
            equal_weights: false,
        }
    }
}

/// Bending moment as a function of the angle between two segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BendingLaw {
    /// Moment EI / L_s times the angle; shapes converge to the elastica as segments get shorter.
    Linear,
    /// The published law (3), (4), which is cubic for small angles.
    Paper,
}

/// How forces become motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateRule {
    /// (7): displacement equals c_F times force.
    Plain,
    /// (16), (17): all displacements are scaled down when one exceeds l_s, and damped by c_s when points oscillate.
    Limit,
    /// (18): like `Limit`, but limits the displacement relative to the neighbouring point.
    Relative,
    /// (19), (20): like `Relative`, with a fraction c_h of the last displacement added.
    Dynamics,
    /// Newton's law with the mass of each point; displacements are not limited.
    Velocity,
}

/// What displacement is limited relative to; the paper names two ways (II.C).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelativeTo {
    /// The next point: (18).
    #[default]
    Neighbour,
    /// The movement of the whole rod, the mean over its points.
    Whole,
}

/// The heuristics of section II.B: stiffness from the rod's weight and a tolerated deformation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heuristic {
    /// Change of length under the rod's own weight, Delta l in (12) [%].
    pub stretch: f64,
    /// Angle between two segments under the rod's own weight, alpha_l in (13) [rad].
    pub bend_angle: f64,
    /// Gap between a gripper and its point under the rod's own weight, in (14) [% of a segment].
    pub grip_gap: f64,
    /// Smallest bending radius to be resolved, R in (10) [m]: gives the number of points, with at most 0.15 rad between
    /// segments.
    pub bend_radius: Option<f64>,
}

impl Default for Heuristic {
    fn default() -> Self {
        Heuristic { stretch: 5.0, bend_angle: 2.5_f64.to_radians(), grip_gap: 1.0, bend_radius: None }
    }
}

impl ChainSpec {
    /// Check that a body can be built from these parameters.
    pub(super) fn check(&self, name: &str) -> Result<(), BuildError> {
        let (checks, s) = (Checks(name), &self.settings);
        self.material.check(checks)?;
        checks.positive("contact_rate", s.contact_rate)?;
        checks.positive("step_limit", s.step_limit)?;
        checks.positive("matched_curvature", s.matched_curvature)?;
        let given = [
            ("rate", s.rate),
            ("gripper_rate", s.gripper_rate),
            ("contraction", s.contraction),
            ("grip_stiffness", s.grip_stiffness),
            ("contact_stiffness", s.contact_stiffness),
            ("scaling", s.scaling),
            ("mass", s.mass),
            ("heuristic.stretch", s.heuristic.map(|h| h.stretch)),
            ("heuristic.bend_angle", s.heuristic.map(|h| h.bend_angle)),
            ("heuristic.grip_gap", s.heuristic.map(|h| h.grip_gap)),
            ("heuristic.bend_radius", s.heuristic.and_then(|h| h.bend_radius)),
        ];
        for (what, value) in given {
            value.map_or(Ok(()), |value| checks.positive(what, value))?;
        }
        checks.not_negative("bending_force", s.bending_force.unwrap_or(0.0))?;
        checks.not_negative("bending_stiffness", s.bending_stiffness.unwrap_or(0.0))?;
        checks.not_negative("drag", s.drag)?;
        let history = s.history.unwrap_or(0.0);
        checks.that((0.0..1.0).contains(&history), "history", "from 0 to below 1", history)?;
        let angle = s.heuristic.map_or(0.0, |h| h.bend_angle);
        let acute = angle < std::f64::consts::FRAC_PI_2;
        checks.that(acute, "heuristic.bend_angle", "below a right angle", angle)?;
        self.section.check(checks)?;
        self.section.check_even(name, "chain", &self.material)?;
        curve::check(name, &self.path)
    }
}
