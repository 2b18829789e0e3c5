//! Places on bodies in a scene file, for grips and loads.

use std::fmt;

use pliant::{BodyId, Place, World};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de::value::MapAccessDeserializer};

use crate::body::MOST_POINTS;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, Count, Fraction, Quantity, Triple};
use crate::text::suggest;
use crate::text::word::Name;

/// A place on a body: a word, a number or a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceSpec(pub(crate) Place);

const PLACES: &str = "\"start\", \"end\", a fraction from 0 to 1, { node = 3 }, or for a solid { point = [x, y, z] } or \
                      { min = [x, y, z], max = [x, y, z] }";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpaceSpec {
    node: Option<Count<0, { MOST_POINTS - 1 }>>,
    point: Option<Triple<Coordinate>>,
    min: Option<Triple<Coordinate>>,
    max: Option<Triple<Coordinate>>,
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
        let SpaceSpec { node, point, min, max } = SpaceSpec::deserialize(MapAccessDeserializer::new(map))?;
        let place = match (node, point, min, max) {
            (Some(node), None, None, None) => Place::Node(node.0),
            (None, Some(point), None, None) => Place::Point(point.vector()),
            (None, None, Some(min), Some(max)) => Place::Box { low: min.vector(), high: max.vector() },
            _ => return Err(de::Error::custom(format!("expected {PLACES}"))),
        };
        Ok(PlaceSpec(place))
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
            { "type": "object", "additionalProperties": false, "required": ["point"], "properties": {
                "point": { "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3,
                    "description": "The particle of a solid that is nearest to this point of the world [m]." },
            } },
            { "type": "object", "additionalProperties": false, "required": ["min", "max"], "properties": {
                "min": { "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3,
                    "description": "All particles of a solid in a box of the world: its lower corner [m]." },
                "max": { "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3,
                    "description": "Its upper corner [m]." },
            } },
        ] })
    }
}

/// The body that a field `body` names.
pub(crate) fn body_named(wanted: &Name, world: &World) -> Result<BodyId, Fault> {
    world.body_named(wanted).ok_or_else(|| {
        let known: Vec<&str> = world.bodies().iter().map(pliant::Body::name).collect();
        Fault::unknown("body", wanted, known).at("body")
    })
}

/// Error message for a word that is not among the known ones.
pub(crate) fn unknown_word(word: &str, known: &[&str], expected: &str) -> String {
    match suggest::nearest(word, known.iter().copied()) {
        Some(near) => format!("expected {expected}, got \"{word}\": did you mean \"{near}\"?"),
        None => format!("expected {expected}, got \"{word}\""),
    }
}
