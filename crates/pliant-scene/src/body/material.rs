//! Materials in a scene file.

use pliant::{Friction, Material};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::quantity::{Density, FrictionCoefficient, FrictionExponent, Poisson, Quantity, Young};
use crate::text::word::Table;

/// An isotropic elastic material.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MaterialSpec {
    /// Young's modulus [Pa].
    young: Young,
    /// Poisson's ratio [-]; 0.3 unless given.
    poisson: Option<Poisson>,
    /// Mass density [kg/m3].
    density: Density,
    /// Friction of its surface; frictionless unless given.
    friction: Option<Table<FrictionSpec>>,
}

/// Friction law: the tangential force is at most the coefficient times the normal force raised to the exponent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FrictionSpec {
    /// Coefficient [-].
    coefficient: FrictionCoefficient,
    /// Exponent of the normal force [-]; 1, Coulomb's law, unless given.
    exponent: Option<FrictionExponent>,
}

impl MaterialSpec {
    pub(crate) fn build(&self) -> Material {
        Material {
            young: self.young.get(),
            poisson: self.poisson.map_or(0.3, Quantity::get),
            density: self.density.get(),
            friction: self.friction.as_ref().map_or(Friction::NONE, |friction| friction.build()),
        }
    }
}

impl FrictionSpec {
    pub(crate) fn build(&self) -> Friction {
        Friction { coefficient: self.coefficient.get(), exponent: self.exponent.map_or(1.0, Quantity::get) }
    }
}
