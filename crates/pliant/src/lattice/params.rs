//! Parameters of the model `lattice`: what a user may set, and what a body is built from.

use super::solid::{Cells, MassRule};
use crate::check::Checks;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::{Pose, Vec3};

/// Everything a body of this model is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeSpec {
    /// Material.
    pub material: Material,
    /// What it consists of, in its own frame.
    pub parts: Vec<Part>,
    /// Connectors besides those that the parts have from their material.
    pub connectors: Vec<Connector>,
    /// Where its frame is at first.
    pub placed: Pose,
    /// Velocity of the body's frame at first [m/s].
    pub velocity: Vec3,
    /// Angular velocity at first, about the origin of its frame [rad/s].
    pub spin: Vec3,
    /// Settings of the model.
    pub settings: LatticeSettings,
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A solid, cut into cells.
    Solid {
        /// Its cells.
        cells: Cells,
        /// How mass is put on particles.
        rule: MassRule,
    },
    /// Particles that are given one by one.
    Points {
        /// Where they are [m].
        places: Vec<Vec3>,
        /// Their masses [kg].
        masses: Vec<f64>,
    },
}

/// A place of a body: the particle of a part that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// Which part.
    pub part: usize,
    /// The point, in the frame of the body [m].
    pub point: Vec3,
}

/// A connector that is given one by one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Connector {
    /// Between two particles: LS.
    Line {
        /// The two.
        ends: [Site; 2],
        /// Length without force [m]; as it is at first unless given.
        rest: Option<f64>,
        /// Stiffness [N/m].
        stiffness: f64,
        /// Damping [N s/m].
        damping: f64,
    },
    /// The angle of two particles, seen from a third: TS, or JS with a side.
    Angle {
        /// The two.
        ends: [Site; 2],
        /// The third.
        middle: Site,
        /// On which side of the plane the angle counts as positive: a joint that may turn by more than half a turn (JS).
        side: Option<Site>,
        /// Angle without torque [rad]; as it is at first unless given.
        rest: Option<f64>,
        /// Stiffness [N m/rad]; none for a joint that is switched off.
        stiffness: f64,
        /// Damping [N m s/rad].
        damping: f64,
        /// How the angle without torque is moved.
        drive: Option<Drive>,
    },
}

/// How the angle without torque of a joint is moved: smoothly, from what it is at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// To which angle [rad].
    pub to: f64,
    /// From when [s].
    pub start: f64,
    /// Until when [s].
    pub end: f64,
}

impl Drive {
    /// The angle at a time [s], from that at rest.
    pub fn at(&self, rest: f64, time: f64) -> f64 {
        let x = ((time - self.start) / (self.end - self.start)).clamp(0.0, 1.0);
        rest + (self.to - rest) * x * x * (3.0 - 2.0 * x)
    }
}

/// How positions and velocities follow from accelerations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// Verlet's method: of second order, one evaluation of forces a step, energy without drift.
    Verlet,
    /// The limited development (3), (4): V += tau ((1 + alpha) a - alpha a'), P += tau V + tau^2/2 ((1 + beta) a - beta a'),
    /// with a' the acceleration of the step before; for steps that change, alpha and beta are scaled by tau / tau'. Both zero
    /// are (5), (6); 1/2 and 1/3 are consistent with Taylor's series.
    Development {
        /// alpha.
        alpha: f64,
        /// beta.
        beta: f64,
    },
}

/// How long steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As long as energy is kept: halved where the energy that a step makes of nothing is above a bound, times 3/2 where not.
    Adaptive {
        /// That bound, for each body and step [J]; unless given 0.003 of the largest kinetic energy it has had lately.
        energy_error: Option<f64>,
        /// How many steps a step of the world may take before it counts as late.
        budget: Option<usize>,
    },
    /// Always the same [s].
    Constant {
        /// The step [s].
        step: f64,
    },
}

/// A fluid around a body, (9).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fluid {
    /// Force over area and speed [N s/m3], or over area and speed squared [N s2/m4].
    pub viscosity: f64,
    /// Whether it grows with the square of speed, as in liquids.
    pub quadratic: bool,
    /// Velocity of the fluid [m/s].
    pub velocity: Vec3,
}

/// Contact of particles that are given one by one, (7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointContact {
    /// How far around a particle its surface is [m].
    pub radius: f64,
    /// lambda [N/m].
    pub stiffness: f64,
    /// mu [N s/m].
    pub damping: f64,
}

/// Settings of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeSettings {
    /// How it is integrated.
    pub scheme: Scheme,
    /// How long steps are.
    pub pace: Pace,
    /// Damping of connectors over their stiffness [s]; unless given the fastest vibration is damped by a tenth of what would
    /// stop it.
    pub damping_time: Option<f64>,
    /// Drag: force per mass and velocity [1/s].
    pub drag: f64,
    /// lambda of contact: force over the volume of penetration [N/m3]; from the material unless given.
    pub contact_stiffness: Option<f64>,
    /// mu of contact: force over the rate of that volume [N s/m3]; from the material unless given.
    pub contact_damping: Option<f64>,
    /// How particles that are given one by one touch obstacles; not at all unless given.
    pub point_contact: Option<PointContact>,
    /// Static over kinetic friction, at least 1 [-].
    pub static_friction: f64,
    /// The fluid around it.
    pub fluid: Option<Fluid>,
    /// Whether parts of it touch each other.
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

/// Most particles of a body.
const MOST_PARTICLES: usize = 20_000_000;

impl LatticeSpec {
    /// Refuse what cannot be built.
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
        for part in &self.parts {
            let Part::Points { places, masses } = part else { continue };
            let same = places.len() == masses.len();
            checks.that(same, "the number of masses", "that of particles", masses.len() as f64)?;
            masses.iter().try_for_each(|mass| checks.positive("a mass", *mass))?;
        }
        Ok(())
    }
}
