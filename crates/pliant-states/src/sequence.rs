//! The result: contact states in order, and the transitions between them. This is what is written as JSON.

use serde::{Deserialize, Serialize};

use crate::features::Feature;
use crate::settings::Settings;

/// Contact states of a demonstration and the transitions between them.
///
/// All numbers in SI units. Positions, normals, contact forces and shapes are in the world; wrenches on grippers are
/// what bodies exert on them, in the gripper's own axes with torques about its origin, as a force sensor in the wrist
/// measures it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// Version of this format.
    pub version: u32,
    /// Title of the scene.
    pub title: String,
    /// Longest time between two frames of the recording [s]: transitions are known to within this.
    pub resolution: f64,
    /// Settings of the analysis, with the force that was used.
    pub settings: Settings,
    /// Names of the grippers; lists of grippers below are in this order.
    pub grippers: Vec<String>,
    /// States in order; each begins where the one before ends.
    pub states: Vec<State>,
    /// Transitions: the first leads from state 0 to state 1, and so on.
    pub transitions: Vec<Transition>,
}

/// Version of [`Sequence`] that this code writes.
pub const VERSION: u32 = 1;

/// A time in which the same contacts last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// When it begins [s].
    pub from: f64,
    /// When it ends [s].
    pub to: f64,
    /// What touches what.
    pub contacts: Vec<Touch>,
    /// Poses of the grippers, and the wrenches on them.
    pub path: Vec<Waypoint>,
}

/// What a part of a body touches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Touch {
    /// The body.
    pub body: String,
    /// Which part of it.
    pub part: Part,
    /// What kind of thing it touches.
    pub with: With,
    /// Name of that.
    pub other: String,
    /// Which part of an obstacle.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub feature: Option<Feature>,
}

/// A part of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The first end of a rod.
    Start,
    /// The last end of a rod.
    End,
    /// A rod between its ends.
    Body,
    /// The surface of a solid.
    Surface,
}

/// What a body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum With {
    /// A gripper that holds it.
    Grip,
    /// A gripper's fingertip.
    Fingertip,
    /// An obstacle.
    Obstacle,
    /// Another body, or itself.
    Body,
    /// A line on which a place of it slides.
    Slider,
}

impl Touch {
    /// As words, such as `end of wire on the +z face of block`.
    pub fn text(&self) -> String {
        let body = &self.body;
        let part = match self.part {
            Part::Start => format!("start of {body}"),
            Part::End => format!("end of {body}"),
            Part::Body | Part::Surface => body.clone(),
        };
        let other = &self.other;
        match (self.with, &self.feature) {
            (With::Grip, _) => format!("{part} in {other}"),
            (With::Fingertip, _) => format!("{part} at the fingertip {other}"),
            (With::Obstacle, Some(Feature { kind, name })) if name.is_empty() => {
                format!("{part} on the {} of {other}", kind.name())
            }
            (With::Obstacle, Some(Feature { kind, name })) => {
                format!("{part} on the {name} {} of {other}", kind.name())
            }
            (With::Body, _) if other == body => format!("{part} on itself"),
            _ => format!("{part} on {other}"),
        }
    }
}

/// The grippers at an instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waypoint {
    /// When [s].
    pub time: f64,
    /// Each gripper, in order.
    pub grippers: Vec<Held>,
}

/// A gripper at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Position in the world [m].
    pub position: [f64; 3],
    /// Orientation in the world: w, x, y, z.
    pub orientation: [f64; 4],
    /// Force on it, in its own axes [N].
    pub force: [f64; 3],
    /// Torque on it about its origin, in its own axes [N m].
    pub torque: [f64; 3],
}

/// A change from one state to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// The first frame in which it has happened [s].
    pub time: f64,
    /// The frame before, in which it had not [s].
    pub since: f64,
    /// Index of the state before.
    pub from: usize,
    /// Index of the state after.
    pub to: usize,
    /// Contacts that begin.
    pub gained: Vec<Touch>,
    /// Contacts that end.
    pub lost: Vec<Touch>,
    /// All contact points at this time, grips included.
    pub points: Vec<Point>,
    /// Shapes of all rods at this time.
    pub shapes: Vec<BodyShape>,
    /// What each gripper feels of it, in order.
    pub grippers: Vec<Change>,
}

impl Transition {
    /// As words: what begins, then what ends.
    pub fn text(&self) -> String {
        let gained = self.gained.iter().map(|touch| format!("+ {}", touch.text()));
        let lost = self.lost.iter().map(|touch| format!("- {}", touch.text()));
        gained.chain(lost).collect::<Vec<_>>().join("\n")
    }
}

/// A contact point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// What touches what.
    pub touch: Touch,
    /// Where, in the world [m].
    pub position: [f64; 3],
    /// Unit normal out of what is touched, in the world; none for a grip.
    pub normal: Option<[f64; 3]>,
    /// Force on the body, in the world [N].
    pub force: [f64; 3],
    /// Where along a rod, as unloaded length from its start [m].
    pub along: Option<f64>,
}

/// The shape of a rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyShape {
    /// Its name.
    pub body: String,
    /// Its nodes in the world, from its start to its end [m].
    pub nodes: Vec<[f64; 3]>,
}

/// A wrench.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Force [N], or its rate [N/s].
    pub force: [f64; 3],
    /// Torque [N m], or its rate [N m/s].
    pub torque: [f64; 3],
}

/// What a gripper feels of a transition: its wrench is taken for a straight line over time before it, and for another one
/// after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Position in the world [m].
    pub position: [f64; 3],
    /// Orientation in the world: w, x, y, z.
    pub orientation: [f64; 4],
    /// Where the line before ends, at the transition.
    pub before: Load,
    /// Where the line after begins.
    pub after: Load,
    /// Their difference: what jumps.
    pub jump: Load,
    /// Rates before, per second.
    pub rate_before: Load,
    /// Rates after, per second.
    pub rate_after: Load,
    /// Change of the wrench from the frame before to the end of the window: what a controller sees within that time.
    pub change: Load,
    /// How far force [N] and torque [N m] may be from `change`: three times what the lines leave unexplained, and 30 % of
    /// the change, for things that differ from their model.
    pub tolerance: [f64; 2],
}
