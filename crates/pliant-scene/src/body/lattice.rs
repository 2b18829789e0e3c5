//! Settings and connectors of the model `lattice` in a scene file.

use pliant::lattice::{Connector, Drive, Fluid, LatticeSettings, Pace, PointContact, Scheme, Site};
use pliant::math::Vec3;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::joint::{PrismaticSpec, RevoluteSpec};
use crate::body::solid::PartSpec;
use crate::text::fault::Fault;
use crate::text::quantity::{
    Angle, ContactDamping, ContactStiffness, Coordinate, Count, Damping, DampingTime, Energy, Factor, Length, Quantity,
    Step, Time, Triple, TurnDamping, TurnStiffness, Velocity, Viscosity, VolumeDamping, VolumeStiffness, Weight,
};
use crate::text::word::{Name, Pair, Table};

/// Settings of the model `lattice`. Fields that are not given have the engine's defaults.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LatticeTable {
    /// Time integrator.
    scheme: Option<SchemeSpec>,
    /// Length of constant steps [s]; adapted to conserve energy unless given.
    step: Option<Step>,
    /// Energy that an adaptive step may create [J]; 0.003 of the largest recent kinetic energy unless given.
    energy_error: Option<Energy>,
    /// Number of steps within a step of the scene beyond which it counts as late [-]; unlimited unless given.
    budget: Option<Count<1, 1_000_000_000>>,
    /// Damping of connectors over their stiffness [s]; derived unless given.
    damping_time: Option<DampingTime>,
    /// Drag: force per mass and velocity [1/s].
    drag: Option<Damping>,
    /// Contact stiffness: force per volume of penetration [N/m3]; derived unless given.
    contact_stiffness: Option<VolumeStiffness>,
    /// Contact damping: force per rate of that volume [N s/m3]; derived unless given.
    contact_damping: Option<VolumeDamping>,
    /// Contact of individually given particles with obstacles; none unless given.
    point_contact: Option<Table<PointContactSpec>>,
    /// Ratio of static to kinetic friction, at least 1 [-].
    static_friction: Option<Factor>,
    /// The fluid around it; none unless given.
    fluid: Option<Table<FluidSpec>>,
    /// Whether parts of it can touch each other.
    self_contact: Option<bool>,
    /// Individually given connectors and joints.
    #[serde(default)]
    connectors: Vec<ConnectorSpec>,
}

/// Time integrator.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SchemeSpec {
    /// The Verlet method.
    Verlet,
    /// The limited development with the weights of Taylor's series: alpha = 1/2, beta = 1/3.
    Taylor,
    /// The limited development without the change of acceleration: alpha = beta = 0.
    Plain,
    /// The limited development with given weights.
    #[serde(untagged)]
    Weights(WeightsSpec),
}

/// Weights of the limited development.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeightsSpec {
    /// Weight in velocities [-].
    alpha: Weight,
    /// Weight in positions [-].
    beta: Weight,
}

/// Contact of individually given particles.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointContactSpec {
    /// Radius of a particle [m]; a point unless given.
    radius: Option<Length>,
    /// Force per depth [N/m].
    stiffness: ContactStiffness,
    /// Force per speed [N s/m]; none unless given.
    damping: Option<ContactDamping>,
}

/// A fluid around the solid.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FluidSpec {
    /// Force per area and speed, or per area and squared speed [N s/m3 or N s2/m4].
    viscosity: Viscosity,
    /// Whether the force grows with the square of the speed, as in liquids; false unless given.
    #[serde(default)]
    quadratic: bool,
    /// Velocity of the fluid [m/s]; at rest unless given.
    velocity: Option<Triple<Velocity>>,
}

/// The particle of a part that is nearest to a point.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SiteSpec {
    /// Name of the part; the only one unless given.
    part: Option<Name>,
    /// The point, in the frame of the body [m].
    point: Triple<Coordinate>,
}

/// An individually given connector, or a joint made of several.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ConnectorSpec {
    /// A spring that keeps the distance between two particles.
    Line(Table<LineSpec>),
    /// A spring that keeps the angle between two particles, seen from a third.
    Angle(Table<AngleSpec>),
    /// A joint between two parts that turns about an axis.
    Revolute(Table<RevoluteSpec>),
    /// A joint between two parts that slides along an axis.
    Prismatic(Table<PrismaticSpec>),
}

/// A linear connector.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LineSpec {
    /// The two particles.
    ends: Pair<Table<SiteSpec>>,
    /// Length at rest [m]; the initial one unless given.
    rest: Option<Coordinate>,
    /// Stiffness [N/m].
    stiffness: ContactStiffness,
    /// Damping [N s/m]; none unless given.
    damping: Option<ContactDamping>,
}

/// An angle connector.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AngleSpec {
    /// The two particles.
    ends: Pair<Table<SiteSpec>>,
    /// The particle at the vertex of the angle.
    middle: Table<SiteSpec>,
    /// A particle on the side of the plane of the other three where the angle counts as positive, for joints that turn
    /// by more than 180 degrees.
    side: Option<Table<SiteSpec>>,
    /// Angle at rest [degrees]; the initial one unless given.
    rest_deg: Option<Angle>,
    /// Stiffness [N m/rad]; 0 for a joint that is switched off.
    stiffness: TurnStiffness,
    /// Damping [N m s/rad]; none unless given.
    damping: Option<TurnDamping>,
    /// How the angle at rest is driven; constant unless given.
    drive: Option<Table<DriveSpec>>,
}

/// How a joint is driven.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DriveSpec {
    /// Target angle [degrees].
    to_deg: Angle,
    /// When it starts [s]; 0 unless given.
    start: Option<Time>,
    /// When it ends [s].
    end: Time,
}

impl LatticeTable {
    /// The settings.
    pub(crate) fn build(&self) -> LatticeSettings {
        let default = LatticeSettings::default();
        let adaptive = Pace::Adaptive {
            energy_error: self.energy_error.map(Quantity::get),
            budget: self.budget.as_ref().map(|count| count.0),
        };
        LatticeSettings {
            scheme: self.scheme.map_or(default.scheme, |scheme| match scheme {
                SchemeSpec::Verlet => Scheme::Verlet,
                SchemeSpec::Taylor => Scheme::Development { alpha: 0.5, beta: 1.0 / 3.0 },
                SchemeSpec::Plain => Scheme::Development { alpha: 0.0, beta: 0.0 },
                SchemeSpec::Weights(w) => Scheme::Development { alpha: w.alpha.get(), beta: w.beta.get() },
            }),
            pace: self.step.map_or(adaptive, |step| Pace::Constant { step: step.get() }),
            damping_time: self.damping_time.map(Quantity::get),
            drag: self.drag.map_or(default.drag, Quantity::get),
            contact_stiffness: self.contact_stiffness.map(Quantity::get),
            contact_damping: self.contact_damping.map(Quantity::get),
            point_contact: self.point_contact.as_ref().map(|spec| PointContact {
                radius: spec.radius.map_or(0.0, Quantity::get),
                stiffness: spec.stiffness.get(),
                damping: spec.damping.map_or(0.0, Quantity::get),
            }),
            static_friction: self.static_friction.map_or(default.static_friction, Quantity::get),
            fluid: self.fluid.as_ref().map(|spec| Fluid {
                viscosity: spec.viscosity.get(),
                quadratic: spec.quadratic,
                velocity: spec.velocity.map_or(Vec3::ZERO, |v| v.vector()),
            }),
            self_contact: self.self_contact.unwrap_or(default.self_contact),
        }
    }

    /// Connectors between particles of these parts.
    pub(crate) fn connectors(&self, parts: &[Table<PartSpec>]) -> Result<Vec<Connector>, Fault> {
        let names: Vec<Option<&Name>> = self.connectors.iter().map(ConnectorSpec::name).collect();
        for (index, name) in names.iter().enumerate() {
            if let Some(name) = name
                && names[..index].contains(&Some(*name))
            {
                let fault = Fault::new(format!("there is a joint named {} already", &***name));
                return Err(fault.at("name").at(self.connectors[index].key()).at(index).at("connectors"));
            }
        }
        let build = |(index, spec): (usize, &ConnectorSpec)| {
            spec.build(parts).map_err(|fault| fault.at(index).at("connectors"))
        };
        self.connectors.iter().enumerate().map(build).collect()
    }
}

impl ConnectorSpec {
    /// Name, if it is a joint.
    fn name(&self) -> Option<&Name> {
        match self {
            ConnectorSpec::Revolute(spec) => Some(spec.name()),
            ConnectorSpec::Prismatic(spec) => Some(spec.name()),
            ConnectorSpec::Line(_) | ConnectorSpec::Angle(_) => None,
        }
    }

    /// Its key in the file.
    fn key(&self) -> &'static str {
        match self {
            ConnectorSpec::Line(_) => "line",
            ConnectorSpec::Angle(_) => "angle",
            ConnectorSpec::Revolute(_) => "revolute",
            ConnectorSpec::Prismatic(_) => "prismatic",
        }
    }

    fn build(&self, parts: &[Table<PartSpec>]) -> Result<Connector, Fault> {
        match self {
            ConnectorSpec::Line(spec) => Ok(Connector::Line {
                ends: sites(&spec.ends, parts).map_err(|fault| fault.at("line"))?,
                rest: spec.rest.map(|rest| rest.get().abs()),
                stiffness: spec.stiffness.get(),
                damping: spec.damping.map_or(0.0, Quantity::get),
            }),
            ConnectorSpec::Angle(spec) => {
                let here = |fault: Fault| fault.at("angle");
                let side = match &spec.side {
                    Some(side) => Some(side.build(parts).map_err(|fault| here(fault.at("side")))?),
                    None => None,
                };
                let drive = spec.drive.as_ref().map(|drive| Drive {
                    to: drive.to_deg.get().to_radians(),
                    start: drive.start.map_or(0.0, Quantity::get),
                    end: drive.end.get(),
                });
                if drive.is_some_and(|drive| drive.end <= drive.start) {
                    return Err(here(Fault::new("a drive must end after it starts").at("end").at("drive")));
                }
                Ok(Connector::Angle {
                    ends: sites(&spec.ends, parts).map_err(here)?,
                    middle: spec.middle.build(parts).map_err(|fault| here(fault.at("middle")))?,
                    side,
                    rest: spec.rest_deg.map(|angle| angle.get().to_radians()),
                    stiffness: spec.stiffness.get(),
                    damping: spec.damping.map_or(0.0, Quantity::get),
                    drive,
                })
            }
            ConnectorSpec::Revolute(spec) => {
                spec.build(parts).map(Connector::Joint).map_err(|fault| fault.at(self.key()))
            }
            ConnectorSpec::Prismatic(spec) => {
                spec.build(parts).map(Connector::Joint).map_err(|fault| fault.at(self.key()))
            }
        }
    }
}

fn sites(Pair(ends): &Pair<Table<SiteSpec>>, parts: &[Table<PartSpec>]) -> Result<[Site; 2], Fault> {
    let end = |n: usize| ends[n].build(parts).map_err(|fault| fault.at(n).at("ends"));
    Ok([end(0)?, end(1)?])
}

impl SiteSpec {
    fn build(&self, parts: &[Table<PartSpec>]) -> Result<Site, Fault> {
        let part = match &self.part {
            None if parts.len() <= 1 => 0,
            None => return Err(Fault::new("say which part is meant: there are several").at("part")),
            Some(name) => {
                let known = || parts.iter().map(|part| &*part.name);
                known()
                    .position(|other| *other == **name)
                    .ok_or_else(|| Fault::unknown("part", name, known()).at("part"))?
            }
        };
        Ok(Site { part, point: self.point.vector() })
    }
}
