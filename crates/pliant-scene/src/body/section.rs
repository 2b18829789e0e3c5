//! Cross-sections of bodies in a scene file.

use pliant::{Rigidities, Section};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::quantity::{AxialRigidity, BendingRigidity, Length, MassPerLength, Quantity, Tuple};
use crate::text::word::Table;

/// A cross-section other than a solid round one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SectionSpec {
    /// A round tube.
    Hollow(Table<HollowSpec>),
    /// A solid rectangle.
    Rectangle(Table<RectangleSpec>),
    /// Given rigidities instead of shape and material.
    Explicit(Table<ExplicitSpec>),
}

/// A round tube.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HollowSpec {
    /// Outer radius [m].
    radius: Length,
    /// Inner radius, less than the outer one [m].
    inner: Length,
}

/// A solid rectangle; the body's field `normal` gives the direction of its width.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RectangleSpec {
    /// Edge along the y axis of the section [m].
    width: Length,
    /// Edge along the z axis of the section [m].
    height: Length,
}

/// Rigidities measured or computed elsewhere; only friction is then taken from the material.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplicitSpec {
    /// Outer radius, for contact and drawing [m].
    radius: Length,
    /// Mass per length [kg/m].
    mass_per_length: MassPerLength,
    /// Axial rigidity [N].
    #[serde(rename = "EA")]
    ea: AxialRigidity,
    /// Shear rigidity, the same along y and z [N].
    #[serde(rename = "GA")]
    ga: AxialRigidity,
    /// Bending rigidities about the y and z axes of the section [N m2].
    #[serde(rename = "EI")]
    ei: Tuple<BendingRigidity, 2>,
    /// Torsional rigidity [N m2].
    #[serde(rename = "GJ")]
    gj: BendingRigidity,
}

impl SectionSpec {
    pub(crate) fn build(&self) -> Section {
        match self {
            SectionSpec::Hollow(spec) => Section::Hollow { radius: spec.radius.get(), inner: spec.inner.get() },
            SectionSpec::Rectangle(spec) => Section::Rectangle { width: spec.width.get(), height: spec.height.get() },
            SectionSpec::Explicit(spec) => Section::Explicit(Rigidities {
                radius: spec.radius.get(),
                mass_per_length: spec.mass_per_length.get(),
                ea: spec.ea.get(),
                ga: spec.ga.get(),
                ei: spec.ei.numbers(),
                gj: spec.gj.get(),
            }),
        }
    }
}
