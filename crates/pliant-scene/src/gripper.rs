//! Grippers and their grips in a scene file.

use std::fmt;

use pliant::math::Vec3;
use pliant::motion::Motion;
use pliant::{GripParams, GripperParams, Hold, Place, World};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de::value::MapAccessDeserializer};

use crate::body::MOST_POINTS;
use crate::fault::Fault;
use crate::files::Files;
use crate::motion::MotionSpec;
use crate::pose::{OrientationSpec, pose};
use crate::quantity::{Coordinate, Count, EndTime, Fraction, Quantity, Time, Triple};
use crate::suggest;
use crate::word::{Name, Table};

/// A gripper: a frame that moves, and places of bodies tied to it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GripperSpec {
    /// Name, unique among grippers.
    pub(crate) name: Name,
    /// Position at time zero [m]; where its first grip holds unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation at time zero; that of the world unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// Motion from there; none unless given.
    motion: Option<MotionSpec>,
    /// What it holds.
    #[serde(default)]
    pub(crate) grips: Vec<Table<GripSpec>>,
}

/// One place of a body held by a gripper.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GripSpec {
    /// Name of the body.
    body: Name,
    /// Where on the body: "start", "end", a fraction of its length from 0 to 1, or { node = 3 }.
    at: PlaceSpec,
    /// Whether it holds the direction too: false, true, or "two-points" to hold two neighbouring points of the model;
    /// false unless given.
    orientation: Option<HoldSpec>,
    /// When it closes [s]; 0 unless given.
    from: Option<Time>,
    /// When it opens [s]; never unless given.
    until: Option<EndTime>,
    /// Pull the place to the gripper's origin instead of keeping the distance it has when the grip closes; false unless
    /// given.
    snap: Option<bool>,
}

impl GripperSpec {
    /// The gripper. The bodies it holds are in the world already.
    pub(crate) fn build(&self, world: &World, files: &mut Files) -> Result<GripperParams, Fault> {
        let origin = match (&self.position, self.grips.first()) {
            (Some(position), _) => position.vector(),
            (None, Some(grip)) => grip.position(world).map_err(|f| f.at(0).at("grips"))?,
            (None, None) => return Err(Fault::new("a gripper without grips needs a position")),
        };
        Ok(GripperParams {
            name: self.name.to_string(),
            placed: pose(None, self.orientation.as_ref(), origin)?,
            motion: match &self.motion {
                Some(motion) => motion.build(files).map_err(|f| f.at("motion"))?,
                None => Motion::Hold,
            },
        })
    }
}

impl GripSpec {
    pub(crate) fn build(&self, gripper: usize, world: &World) -> Result<GripParams, Fault> {
        let from = self.from.map_or(0.0, Quantity::get);
        let until = self.until.map_or(f64::INFINITY, Quantity::get);
        if until <= from {
            return Err(Fault::new(format!("it must open after it closes at {from} s, got {until} s")).at("until"));
        }
        Ok(GripParams {
            gripper,
            body: self.body(world)?,
            place: self.at.0,
            hold: self.orientation.map_or(Hold::Position, |hold| hold.0),
            from,
            until,
            snap: self.snap.unwrap_or(false),
        })
    }

    fn body(&self, world: &World) -> Result<usize, Fault> {
        let known = || world.bodies().iter().map(pliant::Body::name);
        known().position(|name| *name == *self.body).ok_or_else(|| {
            let known: Vec<&str> = known().collect();
            Fault::unknown("body", &self.body, known).at("body")
        })
    }

    fn position(&self, world: &World) -> Result<Vec3, Fault> {
        let body = self.body(world)?;
        Ok(world.bodies()[body].place_pose(self.at.0)?.translation)
    }
}

/// A place of a body: a word, a number or a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceSpec(Place);

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

/// What a grip holds: a truth value or a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HoldSpec(Hold);

const HOLDS: &str = "false, true or \"two-points\"";

impl<'de> Deserialize<'de> for HoldSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HoldVisitor)
    }
}

struct HoldVisitor;

impl Visitor<'_> for HoldVisitor {
    type Value = HoldSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HOLDS)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<HoldSpec, E> {
        Ok(HoldSpec(if value { Hold::Clamp } else { Hold::Position }))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<HoldSpec, E> {
        match word {
            "two-points" => Ok(HoldSpec(Hold::TwoPoints)),
            _ => Err(E::custom(unknown_word(word, &["two-points"], HOLDS))),
        }
    }
}

impl JsonSchema for HoldSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hold".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [false, true, "two-points"] })
    }
}

fn unknown_word(word: &str, known: &[&str], expected: &str) -> String {
    match suggest::nearest(word, known.iter().copied()) {
        Some(near) => format!("expected {expected}, got \"{word}\": did you mean \"{near}\"?"),
        None => format!("expected {expected}, got \"{word}\""),
    }
}
