//! Joins in a scene file: places of bodies that end in a rigid body or in a link of an arm.

use pliant::math::Pose;
use pliant::{Body, GripParams, GripperParams, Hold, World};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::word::Name;
use crate::world::arm::unknown_link;
use crate::world::place::{PlaceSpec, body_named};
use crate::world::rigid::LINK;

/// A place of a body that is joined to a rigid body, or to a link of an arm: a gripper on that, which never opens.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JoinSpec {
    /// Name, unique among joins and grippers: its force is that of a gripper.
    name: Name,
    /// Name of the body.
    body: Name,
    /// Where on the body, as for a grip.
    at: PlaceSpec,
    /// Name of the rigid body or of the arm.
    to: Name,
    /// Link of the arm; a rigid body has only one.
    link: Option<String>,
    /// Whether the body can turn there: "fixed" or "ball"; "fixed" unless given.
    joint: Option<JointSpec>,
}

/// How a body is joined.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum JointSpec {
    /// At an angle that stays.
    Fixed,
    /// At any angle.
    Ball,
}

impl JoinSpec {
    /// Join the body where it is, to the link where that is.
    pub(crate) fn add(&self, world: &mut World) -> Result<(), Fault> {
        let body = body_named(&self.body, world)?;
        let carrier = body_named(&self.to, world).map_err(|_| {
            let arms = world.bodies().iter().filter(|body| matches!(body, Body::Arm(_))).map(Body::name);
            Fault::unknown("rigid body or arm", &self.to, arms).at("to")
        })?;
        let place = world.body(body)?.place_pose(self.at.0)?.translation;
        let Body::Arm(arm) = world.body(carrier)? else {
            return Err(Fault::new(format!("{} is no rigid body and no arm", &*self.to)).at("to"));
        };
        let link = self.link.as_deref().unwrap_or(LINK);
        let Some(number) = arm.model().link(link) else {
            let fault = match self.link {
                Some(_) => unknown_link(arm.model(), link),
                None => Fault::new("an arm is joined by one of its links"),
            };
            return Err(fault.at("link"));
        };
        let at = arm.link(number).inverse() * Pose::from_translation(place);
        let params = GripperParams::at(&self.name, Pose::from_translation(place));
        let gripper = world.add_gripper(params).map_err(Fault::from)?;
        world.carry(gripper, carrier, link, at).map_err(Fault::from)?;
        let hold = if self.joint == Some(JointSpec::Ball) { Hold::Position } else { Hold::Clamp };
        world.add_grip(GripParams::new(gripper, body, self.at.0, hold)).map_err(Fault::from)?;
        Ok(())
    }
}
