//! The view of a scene.

use std::collections::BTreeSet;

use pliant::math::Vec3;
use pliant::{View, World};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{Component, Coordinate, Length, Quantity, Time, Triple};
use crate::text::suggest::help;
use crate::text::word::Name;

/// From where, and when, the scene is best looked at: the report opens with this view, and pictures are taken of it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ViewSpec {
    /// The moment of its picture [s]; the end unless given.
    time: Option<Time>,
    /// Direction from what is looked at to the eye; from the longer side and a little above unless given.
    from: Option<Triple<Component>>,
    /// Point that is looked at [m]; the middle of all motion unless given.
    at: Option<Triple<Coordinate>>,
    /// Width of what is in view there [m]; all motion unless given.
    width: Option<Length>,
    /// Quantity that colours the bodies, such as "tension"; each body has a colour of its own unless given.
    colour: Option<Name>,
}

impl ViewSpec {
    pub(crate) fn build(&self, world: &World, duration: f64) -> Result<View, Fault> {
        let time = self.time.map(Quantity::get);
        if let Some(time) = time.filter(|&time| time > duration) {
            return Err(Fault::new(format!("the run ends before {time} s, at {duration} s")).at("time"));
        }
        let from = self.from.map(|from| from.vector());
        if from.is_some_and(|from| from == Vec3::ZERO) {
            return Err(Fault::new("it must have a direction, got a vector without length").at("from"));
        }
        let colour = self.colour.as_ref().map(|name| name.to_string());
        if let Some(colour) = &colour {
            let layout = world.layout();
            let fields = || layout.bodies.iter().flat_map(|body| body.fields.iter().map(|(name, _)| *name));
            if !fields().any(|field| field == colour) {
                let known: BTreeSet<&str> = fields().collect();
                let hint = help(colour, known).map_or(String::new(), |help| format!("; {help}"));
                return Err(Fault::new(format!("no body here has a quantity `{colour}`{hint}")).at("colour"));
            }
        }
        Ok(View { time, from, at: self.at.map(|at| at.vector()), width: self.width.map(Quantity::get), colour })
    }
}
