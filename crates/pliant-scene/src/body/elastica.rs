//! Settings of the model `elastica` in a scene file.

use pliant::elastica::{ElasticaSettings, Integrator, Profile, Slider, Start};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{
    AngleTolerance, Component, ContactDamping, ContactStiffness, Coordinate, Damping, DampingTime, Factor, Fraction,
    LineLoad, Quantity, Stabilisation, Triple, short,
};
use crate::text::word::Table;
use crate::world::pose::direction;

/// Largest number of sliders of a rod: each takes memory for all of its intervals.
const MOST_SLIDERS: usize = 100;

/// Settings of the model `elastica`. Fields that are not given have the engine's defaults.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ElasticaTable {
    /// Time integrator.
    integrator: Option<IntegratorName>,
    /// Error allowed in an integration step: of an angle, and of its rate times the step [rad].
    tolerance: Option<AngleTolerance>,
    /// Initial configuration.
    start: Option<StartName>,
    /// Rate at which residual constraint errors decay [1/s].
    stabilisation: Option<Stabilisation>,
    /// Material damping: viscous over elastic moment, per rate of bending [s].
    pub(crate) damping_time: Option<DampingTime>,
    /// Air drag: force per mass and velocity [1/s].
    pub(crate) drag: Option<Damping>,
    /// Contact stiffness: force per depth [N/m]; derived unless given.
    contact_stiffness: Option<ContactStiffness>,
    /// Contact damping: force per speed [N s/m]; derived unless given.
    contact_damping: Option<ContactDamping>,
    /// Whether the rod can touch itself.
    self_contact: Option<bool>,
    /// Whether the rod can be stretched, with the EA of its section.
    extensible: Option<bool>,
    /// A dead load along its whole length, in the world frame [N/m].
    line_load: Option<Triple<LineLoad>>,
    /// How mass and rigidity vary along the rod: factors at increasing positions, interpolated linearly. Constant
    /// unless given.
    #[serde(default)]
    profile: Vec<Table<ProfileSpec>>,
    /// Lines that points of the rod slide on; none unless given.
    #[serde(default)]
    sliders: Vec<Table<SliderSpec>>,
}

/// Factors of mass and rigidity at a point of the rod.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileSpec {
    /// Position as a fraction of the length [-].
    at: Fraction,
    /// Factor of the mass per length [-].
    mass: Factor,
    /// Factor of the bending and axial rigidities [-].
    rigidity: Factor,
}

/// A line that a point of the rod slides on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SliderSpec {
    /// Position on the rod as a fraction of the length [-].
    at: Fraction,
    /// A point of the line in the world [m]; where the point of the rod starts unless given.
    through: Option<Triple<Coordinate>>,
    /// Direction of the line in the world, of any nonzero length [-].
    along: Triple<Component>,
    /// Whether the rod's tangent is held along the line too; false unless given.
    #[serde(default)]
    aligned: bool,
}

/// Time integrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IntegratorName {
    /// The Runge-Kutta-Fehlberg method, with steps as long as the tolerance allows.
    Fehlberg,
    /// The implicit midpoint rule, for stiff rods: steps of the scene, halved where they do not converge.
    Midpoint,
}

/// Initial configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StartName {
    /// On the path.
    Path,
    /// In equilibrium with grips and loads, starting the search from the path.
    Equilibrium,
    /// In equilibrium with grips and loads but without gravity, starting the search from the path.
    WeightlessEquilibrium,
}

impl StartName {
    pub(crate) fn build(self) -> Start {
        match self {
            StartName::Path => Start::Path,
            StartName::Equilibrium => Start::Equilibrium,
            StartName::WeightlessEquilibrium => Start::WeightlessEquilibrium,
        }
    }
}

impl ElasticaTable {
    /// The settings. Fails if a profile is out of order or a slider has no direction.
    pub(crate) fn build(&self) -> Result<ElasticaSettings, Fault> {
        let default = ElasticaSettings::default();
        // axial waves are too fast for an explicit method
        let extensible = self.extensible.unwrap_or(default.extensible);
        let usual = if extensible { Integrator::Midpoint } else { default.integrator };
        Ok(ElasticaSettings {
            integrator: self.integrator.map_or(usual, |name| match name {
                IntegratorName::Fehlberg => Integrator::Fehlberg,
                IntegratorName::Midpoint => Integrator::Midpoint,
            }),
            tolerance: self.tolerance.map_or(default.tolerance, Quantity::get),
            start: self.start.map_or(default.start, StartName::build),
            stabilisation: self.stabilisation.map_or(default.stabilisation, Quantity::get),
            damping_time: self.damping_time.map_or(default.damping_time, Quantity::get),
            drag: self.drag.map_or(default.drag, Quantity::get),
            contact_stiffness: self.contact_stiffness.map(Quantity::get).or(default.contact_stiffness),
            contact_damping: self.contact_damping.map(Quantity::get).or(default.contact_damping),
            self_contact: self.self_contact.unwrap_or(default.self_contact),
            extensible: self.extensible.unwrap_or(default.extensible),
            line_load: self.line_load.map_or(default.line_load, |load| load.vector()),
            profile: self.profile()?,
            sliders: self.sliders()?,
        })
    }

    /// Name of a given field that sets loads, section or start in a way that no other model knows.
    pub(crate) fn own_physics(&self) -> Option<&'static str> {
        let given = [
            ("start", self.start.is_some_and(|start| start != StartName::Path)),
            ("line_load", self.line_load.is_some()),
            ("profile", !self.profile.is_empty()),
            ("sliders", !self.sliders.is_empty()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(key, _)| key)
    }

    fn profile(&self) -> Result<Vec<Profile>, Fault> {
        let factors =
            |p: &Table<ProfileSpec>| Profile { at: p.at.get(), mass: p.mass.get(), rigidity: p.rigidity.get() };
        let profile: Vec<Profile> = self.profile.iter().map(factors).collect();
        if let Some(index) = profile.windows(2).position(|pair| pair[1].at <= pair[0].at) {
            let (before, at) = (short(profile[index].at), short(profile[index + 1].at));
            let fault = Fault::new(format!("places of a profile must rise along the rod: {at} follows {before}"));
            return Err(fault.at("at").at(index + 1).at("profile"));
        }
        Ok(profile)
    }

    fn sliders(&self) -> Result<Vec<Slider>, Fault> {
        if self.sliders.len() > MOST_SLIDERS {
            let message = format!("{} sliders are too many: a rod may have {MOST_SLIDERS}", self.sliders.len());
            return Err(Fault::new(message).at("sliders"));
        }
        let slider = |(index, spec): (usize, &Table<SliderSpec>)| {
            let along = direction(&spec.along).map_err(|fault| fault.at("along").at(index).at("sliders"))?;
            let through = spec.through.map(|point| point.vector());
            Ok(Slider { at: spec.at.get(), through, along, aligned: spec.aligned })
        };
        self.sliders.iter().enumerate().map(slider).collect()
    }
}
