//! The constant part of a world: names, models, surfaces and fields. It changes only when something is added or
//! removed, which its revision shows.

use std::fmt;
use std::str::FromStr;

use crate::body::Body;
use crate::contact::{Mesh, ShapeKind};
use crate::grip::Place;
use crate::world::World;

/// What is in a world: the constant counterpart of [`Frame`](super::Frame), whose lists are in the same order.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Layout {
    /// Changes whenever the world gains or loses a body, an obstacle or a gripper.
    pub revision: u64,
    /// Bodies, in the order of the world.
    pub bodies: Vec<BodyLayout>,
    /// Grippers, in the order of the world.
    pub grippers: Vec<GripperLayout>,
    /// Sensors, in the order of the world.
    pub sensors: Vec<SensorLayout>,
    /// Obstacles, in the order of the world.
    pub obstacles: Vec<ObstacleLayout>,
}

/// A body, apart from its state.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BodyLayout {
    /// Name, unique among bodies.
    pub name: String,
    /// Its model.
    pub model: Model,
    /// Contact radius of a rod [m]; zero for a solid.
    pub radius: f64,
    /// Unloaded length of a rod [m]; zero for a solid.
    pub length: f64,
    /// Whether it is a rod whose end is joined to its start, so that it has neither.
    pub closed: bool,
    /// Triangles of a solid's surface as node indices, counter-clockwise seen from outside; empty for a rod.
    pub facets: Vec<[u32; 3]>,
    /// Number of nodes.
    pub nodes: usize,
    /// Name and unit of each quantity that frames hold per node.
    pub fields: Vec<(&'static str, &'static str)>,
    /// Joints of an arm, from root to tips, or between parts of a lattice; empty for other models.
    pub joints: Vec<JointLayout>,
}

/// A joint coordinate of an arm or a lattice, apart from its state.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct JointLayout {
    /// Name of the joint; with `/x`, `/y` or `/turn` for those of a planar joint.
    pub name: String,
    /// Whether it is a length, not an angle.
    pub slides: bool,
}

impl JointLayout {
    /// Units of position, speed and torque.
    pub fn units(&self) -> [&'static str; 3] {
        if self.slides { ["m", "m/s", "N"] } else { ["rad", "rad/s", "N m"] }
    }
}

impl BodyLayout {
    /// A place on a rod as a fraction of its unloaded length; NaN on a solid.
    pub fn fraction(&self, place: Place) -> f64 {
        let intervals = self.nodes.saturating_sub(1).max(1);
        if self.model.is_solid() { f64::NAN } else { place.along(intervals) }
    }
}

/// A gripper, apart from its state.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GripperLayout {
    /// Name, unique among grippers.
    pub name: String,
}

/// A force/torque sensor, apart from its readings.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SensorLayout {
    /// Name, unique among sensors.
    pub name: String,
    /// Index of the gripper whose load it measures.
    pub gripper: usize,
}

/// An obstacle, apart from its pose.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ObstacleLayout {
    /// Name, unique among obstacles.
    pub name: String,
    /// Its surface as triangles in its own frame [m]; empty for a plane.
    pub outline: Mesh,
    /// Whether it is an infinite plane.
    pub is_plane: bool,
}

impl Layout {
    /// Names of the bodies, in order.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().map(|body| body.name.as_str())
    }

    /// Names of the grippers, in order.
    pub fn gripper_names(&self) -> impl Iterator<Item = &str> {
        self.grippers.iter().map(|gripper| gripper.name.as_str())
    }

    /// Names of the sensors, in order.
    pub fn sensor_names(&self) -> impl Iterator<Item = &str> {
        self.sensors.iter().map(|sensor| sensor.name.as_str())
    }

    /// Names of the obstacles, in order.
    pub fn obstacle_names(&self) -> impl Iterator<Item = &str> {
        self.obstacles.iter().map(|obstacle| obstacle.name.as_str())
    }

    /// Name of the body at an index, or its number if there is none.
    pub fn body_name(&self, index: usize) -> String {
        named(self.bodies.get(index).map(|body| &body.name), index)
    }

    /// Name of the gripper at an index, or its number if there is none.
    pub fn gripper_name(&self, index: usize) -> String {
        named(self.grippers.get(index).map(|gripper| &gripper.name), index)
    }

    /// Name of the obstacle at an index, or its number if there is none.
    pub fn obstacle_name(&self, index: usize) -> String {
        named(self.obstacles.get(index).map(|obstacle| &obstacle.name), index)
    }
}

fn named(name: Option<&String>, index: usize) -> String {
    name.cloned().unwrap_or_else(|| format!("#{index}"))
}

impl World {
    /// The constant part of the world. Allocates; call it again when [`World::revision`] has changed.
    pub fn layout(&self) -> Layout {
        let frame = self.frame();
        let bodies = self.bodies().iter().zip(&frame.bodies).map(|(body, now)| BodyLayout {
            name: body.name().into(),
            model: body.model(),
            radius: body.radius(),
            length: body.length(),
            closed: body.is_closed(),
            facets: body.facets().to_vec(),
            nodes: now.nodes.len(),
            fields: now.fields.iter().map(|field| (field.name, field.unit)).collect(),
            joints: joints(body),
        });
        let grippers = self.grippers().iter().map(|gripper| GripperLayout { name: gripper.params.name.clone() });
        let sensors = self
            .sensors()
            .iter()
            .map(|sensor| SensorLayout { name: sensor.params.name.clone(), gripper: sensor.gripper });
        let obstacles = self.obstacles().iter().map(|obstacle| ObstacleLayout {
            name: obstacle.params.name.clone(),
            outline: obstacle.params.shape.outline(),
            is_plane: matches!(obstacle.params.shape.kind(), ShapeKind::Plane),
        });
        Layout {
            revision: self.revision(),
            bodies: bodies.collect(),
            grippers: grippers.collect(),
            sensors: sensors.collect(),
            obstacles: obstacles.collect(),
        }
    }
}

/// Joints of a body.
fn joints(body: &Body) -> Vec<JointLayout> {
    let joint = |(name, slides): (&str, bool)| JointLayout { name: name.into(), slides };
    match body {
        Body::Arm(arm) => arm.model().coordinates().iter().map(|c| joint((&c.name, c.slides))).collect(),
        Body::Lattice(lattice) => lattice.joints().map(joint).collect(),
        _ => vec![],
    }
}

/// The models of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Model {
    /// Rods as point masses with stretching and bending forces.
    Chain,
    /// Rods as rigid links with elastic joints, integrated by passive midpoint steps.
    Cable,
    /// Rods as rigid links with elastic joints, by extended position-based dynamics.
    Xpbd,
    /// Planar rods described by their tangent angle along their length.
    Elastica,
    /// Solids as particles and connectors.
    Lattice,
    /// Solids by their response to impulses.
    Response,
    /// Articulated robots in joint coordinates.
    Arm,
}

impl Model {
    /// All models, rods first.
    pub const ALL: [Model; 7] =
        [Model::Chain, Model::Cable, Model::Xpbd, Model::Elastica, Model::Lattice, Model::Response, Model::Arm];

    /// Name in scenes and output.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Chain => "chain",
            Model::Cable => "cable",
            Model::Xpbd => "xpbd",
            Model::Elastica => "elastica",
            Model::Lattice => "lattice",
            Model::Response => "response",
            Model::Arm => "arm",
        }
    }

    /// Whether bodies of this model are solids; the others are rods.
    pub const fn is_solid(self) -> bool {
        matches!(self, Model::Lattice | Model::Response)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that belongs to no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no model `{0}`: expected chain, cable, xpbd, elastica, lattice, response or arm")]
pub struct UnknownModel(pub String);

impl FromStr for Model {
    type Err = UnknownModel;

    fn from_str(name: &str) -> Result<Model, UnknownModel> {
        Model::ALL.into_iter().find(|model| model.name() == name).ok_or_else(|| UnknownModel(name.into()))
    }
}

impl Body {
    /// The model of this body.
    pub fn model(&self) -> Model {
        match self {
            Body::Chain(_) => Model::Chain,
            Body::Cable(_) => Model::Cable,
            Body::Xpbd(_) => Model::Xpbd,
            Body::Elastica(_) => Model::Elastica,
            Body::Lattice(_) => Model::Lattice,
            Body::Response(_) => Model::Response,
            Body::Arm(_) => Model::Arm,
        }
    }

    /// Triangles of a solid's surface as node indices; empty for a rod.
    pub fn facets(&self) -> &[[u32; 3]] {
        match self {
            Body::Lattice(solid) => solid.facets(),
            Body::Response(solid) => solid.facets(),
            Body::Chain(_) | Body::Cable(_) | Body::Xpbd(_) | Body::Elastica(_) | Body::Arm(_) => &[],
        }
    }
}
