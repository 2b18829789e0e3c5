//! Places of bodies in a scene file, for grips and loads.

use std::fmt;

use pliant::{Place, World};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de::value::MapAccessDeserializer};

use crate::body::MOST_POINTS;
use crate::fault::Fault;
use crate::quantity::{Count, Fraction, Quantity};
use crate::suggest;
use crate::word::Name;

/// A place of a body: a word, a number or a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceSpec(pub(crate) Place);

const PLACES: &str = "\"start\", \"end\", a fraction from 0 to 1, or { node = 3 }";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeSpec {
    node: Count<0, { MOST_POINTS - 1 }>,
}

impl<'de> Deserialize<'de> for PlaceSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlaceVisitor)
    }
}

struct PlaceVisitor;

impl<'de> Visitor<'de> for PlaceVisitor {
    type Value = PlaceSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PLACES)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<PlaceSpec, E> {
        match word {
            "start" => Ok(PlaceSpec(Place::Fraction(0.0))),
            "end" => Ok(PlaceSpec(Place::Fraction(1.0))),
            _ => Err(E::custom(unknown_word(word, &["start", "end"], PLACES))),
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<PlaceSpec, E> {
        if Fraction::RANGE.holds(value) {
            Ok(PlaceSpec(Place::Fraction(value)))
        } else {
            Err(E::custom(format!("expected {PLACES}, got {value}")))
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<PlaceSpec, E> {
        self.visit_f64(value as f64)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PlaceSpec, A::Error> {
        NodeSpec::deserialize(MapAccessDeserializer::new(map)).map(|spec| PlaceSpec(Place::Node(spec.node.0)))
    }
}

impl JsonSchema for PlaceSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Place".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "enum": ["start", "end"], "description": "An end of the body." },
            { "type": "number", "minimum": 0, "maximum": 1, "description": "Fraction of the length from the start [-]." },
            { "type": "object", "additionalProperties": false, "required": ["node"], "properties": {
                "node": { "type": "integer", "minimum": 0, "description": "Point of the model, counted from 0 [-]." },
            } },
        ] })
    }
}

/// Index of the body that a `body` field names.
pub(crate) fn body_named(wanted: &Name, world: &World) -> Result<usize, Fault> {
    let known = || world.bodies().iter().map(pliant::Body::name);
    known().position(|name| *name == **wanted).ok_or_else(|| {
        let known: Vec<&str> = known().collect();
        Fault::unknown("body", wanted, known).at("body")
    })
}

/// What to say of a word that is not among the known ones.
pub(crate) fn unknown_word(word: &str, known: &[&str], expected: &str) -> String {
    match suggest::nearest(word, known.iter().copied()) {
        Some(near) => format!("expected {expected}, got \"{word}\": did you mean \"{near}\"?"),
        None => format!("expected {expected}, got \"{word}\""),
    }
}
