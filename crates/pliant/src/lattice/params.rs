//! Parameters of the model `lattice`: its settings, and the specification a body is built from.

use super::joint::JointSpec;
use super::solid::{Cells, MassRule};
use crate::check::Checks;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::{Pose, Vec3};

/// Everything needed to build a body of this model.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeSpec {
    /// Material.
    pub material: Material,
    /// Parts of the body, in the body's frame.
    pub parts: Vec<Part>,
    /// Connectors in addition to those that solids get from their material.
    pub connectors: Vec<Connector>,
    /// Initial pose of the body's frame.
    pub placed: Pose,
    /// Initial velocity of the origin of the body's frame, in the world [m/s].
    pub velocity: Vec3,
    /// Initial angular velocity about that origin, in the world [rad/s].
    pub spin: Vec3,
    /// Settings of the model.
    pub settings: LatticeSettings,
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A solid, meshed into cells.
    Solid {
        /// Cells of the mesh.
        cells: Cells,
        /// How the mass of cells is lumped to particles.
        rule: MassRule,
    },
    /// Individual particles.
    Points {
        /// Positions, in the body's frame [m].
        places: Vec<Vec3>,
        /// Masses, one per position [kg].
        masses: Vec<f64>,
    },
}

/// A particle of a body, given as the one of a part that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// Index of the part.
    pub part: usize,
    /// The point, in the body's frame [m].
    pub point: Vec3,
}

/// An individual connector, or a joint made of several.
#[derive(Clone, Debug, PartialEq)]
pub enum Connector {
    /// A linear spring and damper between two particles (LS).
    Line {
        /// The two particles.
        ends: [Site; 2],
        /// Rest length [m]; `None` takes the initial length.
        rest: Option<f64>,
        /// Stiffness [N/m].
        stiffness: f64,
        /// Damping [N s/m].
        damping: f64,
    },
    /// A torsional spring and damper on the angle between two particles as seen from a third (TS), or a joint if it has
    /// a side (JS).
    Angle {
        /// The two particles.
        ends: [Site; 2],
        /// The third particle, at the vertex of the angle.
        middle: Site,
        /// A particle on the side of the plane from which the angle counts as positive; the joint may then turn by more
        /// than half a turn (JS).
        side: Option<Site>,
        /// Rest angle [rad]; `None` takes the initial angle.
        rest: Option<f64>,
        /// Stiffness [N m/rad]; zero for a joint that is switched off.
        stiffness: f64,
        /// Damping [N m s/rad].
        damping: f64,
        /// Motion of the rest angle, if it is driven.
        drive: Option<Drive>,
    },
    /// A joint between two parts.
    Joint(JointSpec),
}

/// Motion of the rest angle of a joint, or of the length of one that slides, smoothly from its initial value to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// Final rest angle [rad], or length [m].
    pub to: f64,
    /// Time at which it starts [s].
    pub start: f64,
    /// Time at which it ends [s].
    pub end: f64,
}

impl Drive {
    /// The rest angle [rad] at a time [s], given its initial value.
    pub fn at(&self, rest: f64, time: f64) -> f64 {
        let x = ((time - self.start) / (self.end - self.start)).clamp(0.0, 1.0);
        rest + (self.to - rest) * x * x * (3.0 - 2.0 * x)
    }
}

/// Time integration scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// The Verlet method: second order, one force evaluation per step, no energy drift.
    Verlet,
    /// The limited development (3), (4): V += tau ((1 + alpha) a - alpha a'), P += tau V + tau^2/2 ((1 + beta) a - beta
    /// a'), with a' the acceleration of the previous step; for variable steps alpha and beta are scaled by tau / tau'.
    /// Both zero gives (5), (6); 1/2 and 1/3 match the Taylor series.
    Development {
        /// alpha.
        alpha: f64,
        /// beta.
        beta: f64,
    },
}

/// Choice of the step length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Step controlled by the energy error: halved where that exceeds a bound, increased by half where it does not (for
    /// a derived bound, where it is well below).
    Adaptive {
        /// Bound on the energy error per body and step [J]; `None` takes 0.003 of the body's largest recent kinetic
        /// energy.
        energy_error: Option<f64>,
        /// Number of steps in a world step beyond which it counts as late; no limit if `None`.
        budget: Option<usize>,
    },
    /// Constant step.
    Constant {
        /// Length of the step [s].
        step: f64,
    },
}

/// A fluid that surrounds a body, (9).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fluid {
    /// Drag per area and speed [N s/m3], or per area and speed squared if `quadratic` [N s2/m4].
    pub viscosity: f64,
    /// Whether drag grows with the square of the speed, as in liquids.
    pub quadratic: bool,
    /// Velocity of the fluid, in the world [m/s].
    pub velocity: Vec3,
}

/// Contact of individual particles with obstacles, (7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointContact {
    /// Radius of a particle [m].
    pub radius: f64,
    /// lambda, contact stiffness [N/m].
    pub stiffness: f64,
    /// mu, contact damping [N s/m].
    pub damping: f64,
}

/// Settings of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeSettings {
    /// Time integration scheme.
    pub scheme: Scheme,
    /// Choice of the step length.
    pub pace: Pace,
    /// Ratio of damping to stiffness of the connectors [s]; `None` damps the fastest vibration at a tenth of critical
    /// damping.
    pub damping_time: Option<f64>,
    /// Viscous drag: force per mass and velocity [1/s].
    pub drag: f64,
    /// lambda, contact force per volume of penetration [N/m3]; `None` derives it from the material.
    pub contact_stiffness: Option<f64>,
    /// mu, contact force per rate of that volume [N s/m3]; `None` derives it from the material.
    pub contact_damping: Option<f64>,
    /// Contact of individual particles with obstacles; `None` disables it.
    pub point_contact: Option<PointContact>,
    /// Ratio of static to kinetic friction, at least 1 [-].
    pub static_friction: f64,
    /// Surrounding fluid, if any.
    pub fluid: Option<Fluid>,
    /// Whether the body can touch itself.
    pub self_contact: bool,
}

impl Default for LatticeSettings {
    fn default() -> Self {
        LatticeSettings {
            scheme: Scheme::Verlet,
            pace: Pace::Adaptive { energy_error: None, budget: None },
            damping_time: None,
            drag: 0.0,
            contact_stiffness: None,
            contact_damping: None,
            point_contact: None,
            static_friction: 1.0,
            fluid: None,
            self_contact: false,
        }
    }
}

/// Limit on the particles of a body, to catch mistakes before memory runs out.
const MOST_PARTICLES: usize = 20_000_000;

impl LatticeSpec {
    /// Check that a body can be built from these parameters.
    pub(super) fn check(&self, name: &str) -> Result<(), BuildError> {
        let (checks, material, s) = (Checks(name), &self.material, &self.settings);
        material.check(checks)?;
        material.friction.check_coulomb(name, "lattice", "its material")?;
        checks.start(&self.placed, self.velocity, self.spin)?;
        let poisson = material.poisson;
        let sound = (0.0..0.5).contains(&poisson);
        checks.that(sound, "Poisson's ratio", "from 0 to below 0.5 for a body of particles", poisson)?;
        checks.not_negative("damping_time", s.damping_time.unwrap_or(0.0))?;
        checks.not_negative("drag", s.drag)?;
        checks.positive("contact_stiffness", s.contact_stiffness.unwrap_or(1.0))?;
        checks.not_negative("contact_damping", s.contact_damping.unwrap_or(0.0))?;
        checks.not_negative("the viscosity", s.fluid.map_or(0.0, |f| f.viscosity))?;
        let ratio = s.static_friction;
        checks.within("static_friction", ratio, 1.0..=f64::MAX, "at least 1: it is over kinetic friction")?;
        match s.pace {
            Pace::Constant { step } => checks.positive("the step", step)?,
            Pace::Adaptive { energy_error, .. } => checks.positive("energy_error", energy_error.unwrap_or(1.0))?,
        }
        let counts = self.parts.iter().map(|part| match part {
            Part::Solid { cells, .. } => cells.vertices().len(),
            Part::Points { places, .. } => places.len(),
        });
        let count: usize = counts.sum();
        let sound = (1..=MOST_PARTICLES).contains(&count);
        checks.that(sound, "the number of particles", "1 to 20,000,000", count as f64)?;
        for connector in &self.connectors {
            if let Connector::Joint(joint) = connector {
                joint.check(name, self.parts.len())?;
            }
        }
        for part in &self.parts {
            let Part::Points { places, masses } = part else { continue };
            let same = places.len() == masses.len();
            checks.that(same, "the number of masses", "that of particles", masses.len() as f64)?;
            masses.iter().try_for_each(|mass| checks.positive("a mass", *mass))?;
        }
        Ok(())
    }
}
