//! The unloaded shape of a body, in a scene file.

use pliant::Rest;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{Bend, Quantity, Tuple, Twist};
use crate::text::word::{Nothing, Table};

/// Unloaded shape.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RestSpec {
    /// Straight.
    Straight(Table<Nothing>),
    /// The initial path.
    Path(Table<Nothing>),
    /// Constant curvature and twist: a circle or a helix.
    Curved(Table<CurvedSpec>),
}

/// Natural curvature and twist.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurvedSpec {
    /// Curvature about the y and z axes of the section [1/m]; zero unless given.
    curvature: Option<Tuple<Bend, 2>>,
    /// Twist about the tangent [rad/m]; zero unless given.
    twist: Option<Twist>,
}

impl RestSpec {
    pub(crate) fn build(&self) -> Rest {
        match self {
            RestSpec::Straight(_) => Rest::Straight,
            RestSpec::Path(_) => Rest::Path,
            RestSpec::Curved(spec) => Rest::Curved {
                curvature: spec.curvature.as_ref().map_or([0.0; 2], Tuple::numbers),
                twist: spec.twist.map_or(0.0, Quantity::get),
            },
        }
    }

    /// Fail if the shape leaves the plane of a rod of the model `elastica`.
    pub(crate) fn refuse_out_of_plane(&self) -> Result<(), Fault> {
        let Rest::Curved { curvature: [about_y, _], twist } = self.build() else { return Ok(()) };
        let refused = |what: &str, key: &str| {
            let message = format!(
                "a rod of the model elastica bends in its plane, about z only: leave {what} out, or make it a cable"
            );
            Err(Fault::new(message).at(key).at("curved"))
        };
        if twist != 0.0 {
            return refused("the twist", "twist");
        }
        if about_y != 0.0 {
            return refused("the curvature about y", "curvature");
        }
        Ok(())
    }
}
