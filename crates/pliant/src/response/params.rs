//! Parameters of the model `response`: what a user may set, and what a body is built from.

use super::{Basis, Records};
use crate::check::Checks;
use crate::error::BuildError;
use crate::material::Friction;
use crate::math::{Pose, Vec3};

/// Everything a body of this model is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseSpec {
    /// What finite elements found out about the solid.
    pub solid: Known,
    /// Friction of its surface against obstacles that have none of their own.
    pub friction: Friction,
    /// Where the frame of its mesh is at first.
    pub placed: Pose,
    /// Velocity of that frame at first [m/s].
    pub velocity: Vec3,
    /// Angular velocity at first, about the origin of that frame [rad/s].
    pub spin: Vec3,
    /// Settings of the model.
    pub settings: ResponseSettings,
}

/// What is known of a solid.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Its modes: the past is a recursion.
    Modes(Basis),
    /// Recorded responses of some nodes: the past is a convolution, as in the paper.
    Records(Records),
}

/// Settings of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseSettings {
    /// Damping of vibrations. Recorded responses have theirs from when they were recorded.
    pub damping: Damping,
    /// Length of the model's own steps, in which forces are constant: a step of the world is cut into as many as come nearest [s].
    pub sample: f64,
    /// Most sweeps over the contacts in a step of its own.
    pub most_sweeps: usize,
}

impl Default for ResponseSettings {
    fn default() -> Self {
        ResponseSettings { damping: Damping::Rayleigh { mass: 0.0, stiffness: 1e-3 }, sample: 1e-3, most_sweeps: 200 }
    }
}

/// Damping of vibrations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    /// By Rayleigh: 2 zeta omega = mass + stiffness omega^2.
    Rayleigh {
        /// Over mass [1/s].
        mass: f64,
        /// Over stiffness [s].
        stiffness: f64,
    },
    /// The same part of the energy of each vibration: 2 zeta = factor [-].
    LossFactor(f64),
}

impl Damping {
    /// 2 zeta omega of a mode of omega^2 [1/s].
    pub fn of(&self, square: f64) -> f64 {
        match self {
            Damping::Rayleigh { mass, stiffness } => mass + stiffness * square,
            Damping::LossFactor(factor) => factor * square.sqrt(),
        }
    }
}

impl ResponseSpec {
    /// Refuse what cannot be built.
    pub(super) fn check(&self, name: &str) -> Result<(), BuildError> {
        let checks = Checks(name);
        self.friction.check(checks)?;
        self.friction.check_coulomb(name, "response", "its material")?;
        checks.start(&self.placed, self.velocity, self.spin)?;
        let ResponseSettings { damping, sample, most_sweeps } = self.settings;
        match damping {
            Damping::Rayleigh { mass, stiffness } => {
                checks.not_negative("the damping", mass)?;
                checks.not_negative("the damping", stiffness)?;
            }
            Damping::LossFactor(factor) => checks.not_negative("the damping", factor)?,
        }
        checks.positive("the sample", sample)?;
        checks.that(most_sweeps > 0, "the most sweeps", "at least 1", 0.0)?;
        let hull = match &self.solid {
            Known::Modes(basis) => &basis.hull,
            Known::Records(records) => &records.hull,
        };
        let any = !hull.nodes.is_empty() && !hull.facets.is_empty();
        checks.that(any, "the surface", "nodes and facets", hull.nodes.len() as f64)?;
        checks.positive("the mass", hull.mass)?;
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
