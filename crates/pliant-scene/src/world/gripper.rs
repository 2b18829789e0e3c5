//! Grippers and their grips in a scene file.

use std::fmt;

use pliant::math::Vec3;
use pliant::motion::Motion;
use pliant::{FingerParams, GripParams, GripperId, GripperParams, Hold, Jaws, World};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::body::BodySpec;
use crate::body::material::FrictionSpec;
use crate::files::Files;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, EndTime, Force, Length, Quantity, Stiffness, Time, Triple};
use crate::text::word::{Name, Table};
use crate::world::arm::CarriedSpec;
use crate::world::motion::MotionSpec;
use crate::world::place::{PlaceSpec, body_named, unknown_word};
use crate::world::pose::{OrientationSpec, pose};
use crate::world::wind::{HeldCable, Winder};

/// A gripper: a moving frame to which points of bodies are tied.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GripperSpec {
    /// Name, unique among grippers.
    pub(crate) name: Name,
    /// Position at time zero [m]; that of the point held by its first grip unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation at time zero; that of the world unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// Motion from there; at rest unless given.
    motion: Option<MotionSpec>,
    /// The link of an arm that carries it, and follows its motion; none unless given.
    pub(crate) carried: Option<Table<CarriedSpec>>,
    /// What it holds.
    #[serde(default)]
    pub(crate) grips: Vec<Table<GripSpec>>,
    /// Its fingertip, a sphere about its origin that touches bodies; none unless given.
    pub(crate) finger: Option<Table<FingerSpec>>,
}

/// A fingertip.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FingerSpec {
    /// Radius [m].
    radius: Length,
    /// Friction of its surface; that of the body that touches it unless given.
    friction: Option<Table<FrictionSpec>>,
}

impl FingerSpec {
    /// The fingertip of a gripper.
    pub(crate) fn build(&self, gripper: GripperId) -> FingerParams {
        FingerParams {
            gripper,
            radius: self.radius.get(),
            friction: self.friction.as_ref().map(|friction| friction.build()),
        }
    }
}

/// A point of a body held by a gripper.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GripSpec {
    /// Name of the body.
    body: Name,
    /// Where on the body: "start", "end", a fraction of its length from 0 to 1, { node = 3 }, or for a solid { point =
    /// [x, y, z] }, the particle nearest to it, or { min = [x, y, z], max = [x, y, z] }, all particles in that box of
    /// the world.
    at: PlaceSpec,
    /// Whether it holds the direction too: false, true, "two-points" to hold two neighbouring points of the model, or
    /// "only" to hold nothing else (model `elastica`); false unless given.
    orientation: Option<HoldSpec>,
    /// When it closes [s]; 0 unless given.
    from: Option<Time>,
    /// When it opens [s]; never unless given.
    until: Option<EndTime>,
    /// Whether the point is pulled to the gripper's origin instead of keeping the offset it has when the grip closes;
    /// false unless given.
    snap: Option<bool>,
    /// How long `snap` takes to pull the point there, as jaws do [s]; 0.1 unless given, 0 for at once. Solids are
    /// pulled at once.
    closing: Option<Time>,
    /// Stiffness of the jaws, the same in all directions [N/m]; rigid unless given. Cables only.
    stiffness: Option<Stiffness>,
    /// Pull along a cable above which it slides through the jaws [N]: twice their pressing force times the coefficient
    /// of friction. It never slides unless given. Needs `orientation = true`.
    slips_at: Option<Force>,
    /// Pull above which the body comes out of the jaws [N]; never unless given.
    opens_at: Option<Force>,
}

impl GripperSpec {
    /// Build the gripper. The bodies it holds are already in the world, built from `bodies` in the same order.
    pub(crate) fn build(
        &self,
        world: &World,
        bodies: &[Table<BodySpec>],
        files: &mut Files,
    ) -> Result<GripperParams, Fault> {
        let origin = match (&self.position, self.grips.first()) {
            (Some(position), _) => position.vector(),
            (None, Some(grip)) => grip.position(world).map_err(|f| f.at(0).at("grips"))?,
            (None, None) => return Err(Fault::new("a gripper without grips needs a position")),
        };
        Ok(GripperParams {
            name: self.name.to_string(),
            placed: pose(None, self.orientation.as_ref(), origin)?,
            motion: match &self.motion {
                Some(motion) => {
                    let cable = match self.grips.first() {
                        Some(grip) => Some(grip.cable(world, bodies).map_err(|f| f.at(0).at("grips"))?),
                        None => None,
                    };
                    motion.build(files, Some(&Winder { world, cable })).map_err(|f| f.at("motion"))?
                }
                None => Motion::Hold,
            },
        })
    }
}

impl GripSpec {
    pub(crate) fn build(&self, gripper: GripperId, world: &World) -> Result<GripParams, Fault> {
        let from = self.from.map_or(0.0, Quantity::get);
        let until = self.until.map_or(f64::INFINITY, Quantity::get);
        if until <= from {
            return Err(Fault::new(format!("it must open after it closes at {from} s, got {until} s")).at("until"));
        }
        Ok(GripParams {
            from,
            until,
            snap: self.snap.unwrap_or(false),
            closing: self.closing.map_or(GripParams::CLOSING, Quantity::get),
            jaws: Jaws {
                stiffness: self.stiffness.map_or(f64::INFINITY, Quantity::get),
                slips_at: self.slips_at.map_or(f64::INFINITY, Quantity::get),
                opens_at: self.opens_at.map_or(f64::INFINITY, Quantity::get),
            },
            ..GripParams::new(
                gripper,
                body_named(&self.body, world)?,
                self.at.0,
                self.orientation.map_or(Hold::Position, |hold| hold.0),
            )
        })
    }

    fn cable<'a>(&self, world: &World, bodies: &'a [Table<BodySpec>]) -> Result<HeldCable<'a>, Fault> {
        let body = world.body_index(body_named(&self.body, world)?)?;
        Ok(HeldCable { body, place: self.at.0, spec: &bodies[body] })
    }

    fn position(&self, world: &World) -> Result<Vec3, Fault> {
        let body = body_named(&self.body, world)?;
        Ok(world.body(body)?.place_pose(self.at.0)?.translation)
    }
}

/// What a grip holds: a boolean or a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HoldSpec(Hold);

const HOLDS: &str = "false, true, \"two-points\" or \"only\"";

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
            "only" => Ok(HoldSpec(Hold::Direction)),
            _ => Err(E::custom(unknown_word(word, &["two-points", "only"], HOLDS))),
        }
    }
}

impl JsonSchema for HoldSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hold".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [false, true, "two-points", "only"] })
    }
}
