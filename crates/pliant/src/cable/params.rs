//! Parameters of the cable: what a user may set, and what a body is built from.

use crate::cable::solver::Method;
use crate::check::Checks;
use crate::curve;
use crate::elastica::Start;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::Vec3;
use crate::rest::Rest;
use crate::section::Section;

/// Everything a cable is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct CableSpec {
    /// Material.
    pub material: Material,
    /// Cross-section.
    pub section: Section,
    /// Initial centre line as a polyline [m]; the cable is as long as this path.
    pub path: Vec<Vec3>,
    /// Direction of the section's y axis at the start of the path, made perpendicular to it; `None` turns the axes of the
    /// world the least way to the path.
    pub normal: Option<Vec3>,
    /// The shape it has without load.
    pub rest: Rest,
    /// Number of links.
    pub segments: usize,
    /// Settings of the model.
    pub settings: CableSettings,
}

impl CableSpec {
    /// A round cable along a path [m], straight when nothing bends it, with default settings.
    pub fn round(material: Material, radius: f64, path: Vec<Vec3>, segments: usize) -> CableSpec {
        let section = Section::Round { radius };
        CableSpec {
            material,
            section,
            path,
            normal: None,
            rest: Rest::Straight,
            segments,
            settings: CableSettings::default(),
        }
    }
}

/// Settings of the cable model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableSettings {
    /// Damping of the material: viscous over elastic stress, per rate of strain [s]. The loss factor at angular frequency
    /// w is w times this.
    pub damping_time: f64,
    /// Drag of the air: force per mass and velocity [1/s].
    pub drag: f64,
    /// Part of its normal speed with which a link leaves what it hits, 0 to 1 [-].
    pub restitution: f64,
    /// Apply the law of friction to each contact as it is, as printed in the paper, instead of per length: with an
    /// exponent other than 1 results then depend on the number of segments.
    pub friction_per_contact: bool,
    /// Tension that is told of as an event [N]; infinite for none.
    pub tension_limit: f64,
    /// Radius of bending below which it is told of as an event [m]; zero for none.
    pub bend_radius_limit: f64,
    /// What is solved in a step.
    pub step: Step,
    /// How contact is solved.
    pub solver: Solver,
    /// Most iterations over contacts in a step, for the solvers that have them; then Newton's method makes it.
    pub iterations: u32,
    /// Number of runs for the solver of subsystems; each has two links or more.
    pub subsystems: usize,
    /// How that solver treats the couplings between runs.
    pub couplings: Couplings,
    /// Whether that solver bounds what contacts change in an iteration, (16) of the paper.
    pub post_regulation: bool,
    /// Whether it is closed, to a ring: the path leads back to its first point, and the last link is joined to the first.
    pub closed: bool,
    /// How far its sections are turned about it from its start to its end when it begins, though without load they are not
    /// [rad].
    pub twist: f64,
    /// Whether it touches itself.
    pub self_contact: bool,
    /// Where it begins; an equilibrium is found by [`World::ready`](crate::World::ready).
    pub start: Start,
}

/// What is solved in a step of a cable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// The whole motion of the links: energy does not grow by itself, whatever the step, and waves that the step cannot
    /// resolve die out.
    #[default]
    Decaying,
    /// The same without that: energy is kept, and such waves ring for ever.
    Midpoint,
    /// The motion linearised once, at the start of the step, as in the paper: energy grows as links turn, the more the
    /// longer the step.
    Linear,
}

/// How a cable's contact is solved. All come to the same motion; where links push links, Newton's method makes the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// As part of the motion, by Newton's method.
    Newton,
    /// All contacts at once, by projected Gauss and Seidel's method: the paper's direct solver.
    Direct,
    /// In runs of links with couplings between them: the paper's Algorithm 1.
    #[default]
    Subsystems,
}

/// How couplings between runs of a cable are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Couplings {
    /// They follow contacts exactly.
    #[default]
    Exact,
    /// By one pass of block Gauss and Seidel's method in each iteration, as printed in the paper: for comparison. A step
    /// that comes to the limit of iterations is taken as it is.
    Printed,
}

impl Default for CableSettings {
    fn default() -> Self {
        CableSettings {
            damping_time: 1e-3,
            drag: 0.0,
            restitution: 0.0,
            friction_per_contact: false,
            tension_limit: f64::INFINITY,
            bend_radius_limit: 0.0,
            step: Step::default(),
            solver: Solver::default(),
            iterations: 100,
            subsystems: 16,
            couplings: Couplings::Exact,
            post_regulation: true,
            closed: false,
            twist: 0.0,
            self_contact: true,
            start: Start::Path,
        }
    }
}

/// Most segments of a cable: its solver works with some 5 kB of memory for each.
pub const MOST_SEGMENTS: usize = 400_000;

impl CableSpec {
    /// Refuse what cannot be built.
    pub(super) fn check(&self, name: &str) -> Result<(), BuildError> {
        let (checks, settings) = (Checks(name), &self.settings);
        self.material.check(checks)?;
        checks.not_negative("damping_time", settings.damping_time)?;
        checks.not_negative("drag", settings.drag)?;
        checks.within("the restitution", settings.restitution, 0.0..=1.0, "0 to 1")?;
        checks.not_negative("the limit of the radius of bending", settings.bend_radius_limit)?;
        checks.that(settings.tension_limit > 0.0, "the limit of tension", "positive", settings.tension_limit)?;
        let most = MOST_SEGMENTS as f64;
        checks.within("the number of segments", self.segments as f64, 2.0..=most, "2 to 400,000, which need 2 GB")?;
        // a turn of more than a right angle in one joint is no curve
        let right_angles = std::f64::consts::FRAC_PI_2 * self.segments as f64;
        let angle = settings.twist;
        checks.within(
            "the twist",
            angle,
            -right_angles..=right_angles,
            "at most a right angle per segment, in radians",
        )?;
        if settings.closed {
            self.check_closed(name)?;
        }
        if let Rest::Curved { curvature: [y, z], twist } = self.rest {
            let most = right_angles / curve::length(&self.whole_path());
            for (what, value) in
                [("the natural curvature", y), ("the natural curvature", z), ("the natural twist", twist)]
            {
                checks.within(what, value, -most..=most, "at most a right angle per segment")?;
            }
        }
        self.section.check(checks)?;
        curve::check(name, &self.whole_path())
    }

    /// Refuse what a closed cable cannot be.
    fn check_closed(&self, name: &str) -> Result<(), BuildError> {
        let (checks, settings) = (Checks(name), &self.settings);
        checks.within(
            "the number of segments",
            self.segments as f64,
            3.0..=MOST_SEGMENTS as f64,
            "3 to 400,000 where it is closed",
        )?;
        if Method::of(settings) == Method::Printed {
            return Err(BuildError::Cannot {
                body: name.into(),
                model: "cable",
                cannot: "has no printed couplings for closed cables".into(),
                instead: "leave the couplings out, or leave it open",
                field: Some("cable couplings"),
            });
        }
        Ok(())
    }
}
