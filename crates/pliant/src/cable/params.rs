//! Parameters of the cable: what a cable is built from, and the settings of its solver.

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
    /// Initial centre line as a polyline in the world [m]; its length is the rest length of the cable.
    pub path: Vec<Vec3>,
    /// Direction of the section's y axis at the start of the path, projected perpendicular to it; `None` takes the
    /// world axes, rotated by the smallest angle onto the path.
    pub normal: Option<Vec3>,
    /// The unloaded shape.
    pub rest: Rest,
    /// Number of links.
    pub segments: usize,
    /// Settings of the model.
    pub settings: CableSettings,
}

impl CableSpec {
    /// A round cable along a path [m], straight when unloaded, with default settings.
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
    /// Material damping: ratio of viscous to elastic stress per strain rate [s]. The loss factor at angular frequency w
    /// is w times this.
    pub damping_time: f64,
    /// Air drag: force per mass and velocity [1/s].
    pub drag: f64,
    /// Coefficient of restitution of links that hit something, 0 to 1 [-].
    pub restitution: f64,
    /// Apply the friction law to each contact, as printed in the paper, instead of per length: with an exponent other
    /// than 1 results then depend on the number of segments.
    pub friction_per_contact: bool,
    /// Tension above which an event is raised [N]; infinite for none.
    pub tension_limit: f64,
    /// Bend radius below which an event is raised [m]; zero for none.
    pub bend_radius_limit: f64,
    /// Equations solved in a step.
    pub step: Step,
    /// Contact solver.
    pub solver: Solver,
    /// Limit of contact iterations in a step, for the iterative solvers; beyond it the step is solved by Newton's
    /// method.
    pub iterations: u32,
    /// Number of runs for [`Solver::Subsystems`]; each has two links or more.
    pub subsystems: usize,
    /// How [`Solver::Subsystems`] treats the couplings between runs.
    pub couplings: Couplings,
    /// Whether [`Solver::Subsystems`] bounds the change of contact forces in an iteration, (16) of the paper.
    pub post_regulation: bool,
    /// How it bounds them.
    pub regulation: Regulation,
    /// epsilon of Algorithm 1: [`Couplings::Printed`] have converged when they change by this fraction of the loads of their
    /// joints [-].
    pub epsilon: f64,
    /// How links that push links are solved.
    pub pairs: Pairs,
    /// Whether the cable is a closed ring: the path leads back to its first point, and the last link is joined to the
    /// first.
    pub closed: bool,
    /// Initial twist about the centre line from start to end [rad]; it is not part of the unloaded shape.
    pub twist: f64,
    /// Whether contact of the cable with itself is detected.
    pub self_contact: bool,
    /// Initial state; an equilibrium is found by [`World::ready`](crate::World::ready).
    pub start: Start,
}

/// The equations that a step of a cable solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// The full nonlinear motion of the links: energy does not grow, whatever the step size, and waves that the step
    /// cannot resolve decay.
    #[default]
    Decaying,
    /// The full nonlinear motion, conserving energy: waves that the step cannot resolve ring for ever.
    Midpoint,
    /// The motion linearised once, at the start of the step, as in the paper: energy grows as links rotate, the more
    /// the longer the step.
    Linear,
}

/// Contact solver of a cable. All give the same motion; where links touch links, Newton's method makes the step unless they
/// are [`Pairs::Bound`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Contact and motion together, by Newton's method.
    Newton,
    /// All contacts at once, by projected Gauss-Seidel: the paper's direct solver.
    Direct,
    /// Runs of links with couplings between them: the paper's Algorithm 1.
    #[default]
    Subsystems,
}

/// How the couplings between runs of a cable are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Couplings {
    /// Exactly, for each change of the contact forces.
    #[default]
    Exact,
    /// By one pass of block Gauss-Seidel in each iteration, as printed in the paper, for comparison. A step that
    /// reaches the iteration limit is accepted as it is.
    Printed,
}

/// How links that push links are solved; cables that touch use the last one that any of them requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pairs {
    /// By Newton's method, whose tangent is factored as a sparse matrix, or solved iteratively where its factors would
    /// fill up.
    #[default]
    Factored,
    /// By Newton's method, whose tangent is solved iteratively, preconditioned with the factors of each cable alone: for
    /// comparison.
    Iterated,
    /// As in the paper (IV-D-2), for comparison: links that touch are bound into one subsystem of [`Solver::Subsystems`]
    /// or [`Solver::Direct`], and their forces are unknowns of its projected Gauss-Seidel iteration.
    Bound,
}

/// The post-regulation (16): in iteration l contacts may change velocities by xi alpha^(l-1) of what they changed in the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regulation {
    /// xi, relative to the first change [-]; the paper's is absolute, and not given. Below 1 it freezes contacts from the start.
    pub xi: f64,
    /// alpha [-], between 0 and 1; `None` takes 0.8 for exact couplings, which need few iterations, and 0.97 for printed ones.
    pub alpha: Option<f64>,
    /// Whether a change that is too large is dropped as a whole, as printed, rather than shortened. A contact may then be
    /// frozen for the rest of the step, which only [`Couplings::Printed`] take as it is.
    pub rejects: bool,
}

impl Default for Regulation {
    fn default() -> Self {
        Regulation { xi: 1.0, alpha: None, rejects: false }
    }
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
            regulation: Regulation::default(),
            epsilon: 1e-5,
            pairs: Pairs::Factored,
            closed: false,
            twist: 0.0,
            self_contact: true,
            start: Start::Path,
        }
    }
}

/// Largest number of segments of a cable: the solver needs about 5 kB of memory for each.
pub const MOST_SEGMENTS: usize = 400_000;

impl CableSpec {
    /// Reject parameters that no cable can be built from.
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
        // more than a right angle between neighbouring links is not a resolved curve
        let right_angles = std::f64::consts::FRAC_PI_2 * self.segments as f64;
        let most_twist = 90.0 * self.segments as f64;
        let twist = settings.twist.to_degrees();
        checks.within("the twist in degrees", twist, -most_twist..=most_twist, "at most 90 per segment")?;
        if settings.closed {
            self.check_closed(name)?;
        }
        let Regulation { xi, alpha, rejects } = settings.regulation;
        checks.positive("xi", xi)?;
        let alpha = alpha.unwrap_or(0.5);
        checks.that(alpha > 0.0 && alpha < 1.0, "alpha", "between 0 and 1", alpha)?;
        checks.positive("epsilon", settings.epsilon)?;
        if rejects && Method::of(settings) != Method::Printed {
            return Err(BuildError::Cannot {
                body: name.into(),
                model: "cable",
                cannot: "drops whole changes of contacts with printed couplings only".into(),
                instead: "leave `rejects` out, so that they are shortened",
                field: Some("cable rejects"),
            });
        }
        if settings.pairs == Pairs::Bound && (settings.closed || settings.solver == Solver::Newton) {
            return Err(BuildError::Cannot {
                body: name.into(),
                model: "cable",
                cannot: "binds pairs of links for the solvers `direct` and `subsystems` of open cables only".into(),
                instead: "leave the pairs out",
                field: Some("cable pairs"),
            });
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

    /// Reject settings that a closed cable does not support.
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
