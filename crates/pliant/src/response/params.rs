//! Parameters of the model `response`: its settings, and the specification a body is built from.

use super::{Basis, Records};
use crate::check::Checks;
use crate::error::BuildError;
use crate::material::Friction;
use crate::math::{Pose, Vec3};

/// Everything needed to build a body of this model.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseSpec {
    /// Modes or responses of the solid, from a finite element analysis.
    pub solid: Known,
    /// Friction of the surface against obstacles that do not define their own.
    pub friction: Friction,
    /// Initial pose of the mesh frame.
    pub placed: Pose,
    /// Initial velocity of the origin of that frame, in the world [m/s].
    pub velocity: Vec3,
    /// Initial angular velocity about that origin, in the world [rad/s].
    pub spin: Vec3,
    /// Settings of the model.
    pub settings: ResponseSettings,
}

/// Dynamics of a solid, as computed in advance.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Vibration modes: the effect of past forces follows from a recursion.
    Modes(Basis),
    /// Recorded impulse responses of some nodes: the effect of past forces is a convolution, as in the paper.
    Records(Records),
}

/// Settings of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseSettings {
    /// Damping of vibrations. Not used with recorded responses, which already contain their damping.
    pub damping: Damping,
    /// Length of a model step, over which forces are constant [s]; a world step is divided into the number of steps
    /// that comes nearest. Recorded responses use the sample of the record instead, of which a world step must be a
    /// multiple.
    pub sample: f64,
    /// Limit on Gauss-Seidel sweeps over the contacts in a model step.
    pub most_sweeps: usize,
    /// What it is made of, for solids too large for the compliance of all pairs of nodes; if unknown, nodes do not
    /// displace each other beyond the modes, and what touches many of them feels the mesh.
    pub elasticity: Option<Elasticity>,
}

/// Elasticity of a solid of one material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio [-].
    pub poisson: f64,
    /// Density [kg/m3].
    pub density: f64,
}

impl Default for ResponseSettings {
    fn default() -> Self {
        ResponseSettings {
            damping: Damping::Rayleigh { mass: 0.0, stiffness: 1e-3 },
            sample: 1e-3,
            most_sweeps: 200,
            elasticity: None,
        }
    }
}

/// Damping of vibrations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    /// Rayleigh damping: 2 zeta omega = mass + stiffness omega^2.
    Rayleigh {
        /// Mass-proportional coefficient [1/s].
        mass: f64,
        /// Stiffness-proportional coefficient [s].
        stiffness: f64,
    },
    /// Loss factor, equal for all modes: 2 zeta = factor [-].
    LossFactor(f64),
}

impl Damping {
    /// Decay coefficient 2 zeta omega [1/s] of a mode with `square` = omega^2 [1/s2].
    pub fn of(&self, square: f64) -> f64 {
        match self {
            Damping::Rayleigh { mass, stiffness } => mass + stiffness * square,
            Damping::LossFactor(factor) => factor * square.sqrt(),
        }
    }
}

impl ResponseSpec {
    /// Check that a body can be built from these parameters.
    pub(super) fn check(&self, name: &str) -> Result<(), BuildError> {
        let checks = Checks(name);
        self.friction.check(checks)?;
        self.friction.check_coulomb(name, "response", "its material")?;
        checks.start(&self.placed, self.velocity, self.spin)?;
        let ResponseSettings { damping, sample, most_sweeps, elasticity } = self.settings;
        match damping {
            Damping::Rayleigh { mass, stiffness } => {
                checks.not_negative("the damping", mass)?;
                checks.not_negative("the damping", stiffness)?;
            }
            Damping::LossFactor(factor) => checks.not_negative("the damping", factor)?,
        }
        checks.positive("the sample", sample)?;
        if let Some(Elasticity { young, poisson, density }) = elasticity {
            checks.positive("Young's modulus", young)?;
            checks.that((-1.0..=0.5).contains(&poisson), "Poisson's ratio", "from -1 to 0.5", poisson)?;
            checks.positive("the density", density)?;
        }
        checks.that(most_sweeps > 0, "the most sweeps", "at least 1", 0.0)?;
        let hull = match &self.solid {
            Known::Modes(basis) => &basis.hull,
            Known::Records(records) => &records.hull,
        };
        let any = !hull.nodes.is_empty() && !hull.facets.is_empty();
        checks.that(any, "the surface", "nodes and facets", hull.nodes.len() as f64)?;
        checks.positive("the mass", hull.mass)?;
        if let Some(fixed) = &hull.fixed {
            let still = "zero, as it is fixed: leave it out, or let it be free";
            checks.that(self.velocity == Vec3::ZERO, "the velocity", still, self.velocity.length())?;
            checks.that(self.spin == Vec3::ZERO, "the spin", still, self.spin.length())?;
            let there = fixed.iter().all(|node| (*node as usize) < hull.nodes.len());
            checks.that(there, "the fixed nodes", "nodes of its surface", fixed.len() as f64)?;
        }
        let unknowns = 3 * hull.nodes.len();
        match &self.solid {
            Known::Modes(basis) => {
                let modes = basis.squares.len();
                let compliances = match &basis.compliance {
                    super::Compliance::Full(list) => list.len() == unknowns * (unknowns + 1) / 2,
                    super::Compliance::Local(list) => list.len() == 3 * unknowns,
                };
                let whole = basis.shapes.len() == unknowns * modes && basis.moments.len() == modes && compliances;
                let sound = whole && basis.squares.iter().all(|s| s.is_finite() && *s > 0.0);
                checks.that(sound, "the modes", "one shape and frequency above zero for each", modes as f64)
            }
            Known::Records(records) => {
                let length = records.samples.saturating_mul(unknowns);
                let whole = records.responses.len() == 3 * records.nodes.len()
                    && records.samples > 0
                    && records.responses.iter().all(|r| r.len() == length)
                    && records.nodes.iter().all(|n| (*n as usize) < hull.nodes.len());
                let samples = records.samples as f64;
                checks.that(whole, "the records", "all samples of three responses for each node", samples)?;
                checks.positive("the sample of the records", records.sample)
            }
        }
    }
}
