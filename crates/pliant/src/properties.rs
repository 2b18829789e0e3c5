//! Properties of bodies that can be changed while they move.

use crate::bytes::stored;
use crate::material::{Friction, Material};
use crate::rest::Rest;
use crate::section::Section;

/// Properties of a body that can be changed between steps, by [`World::change`](crate::World::change). `None` for a
/// property that its model does not have, or does not have separately: a rod with given rigidities, for instance, has
/// no Young's modulus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Properties {
    /// Young's modulus [Pa].
    pub young: Option<f64>,
    /// Mass density [kg/m3].
    pub density: Option<f64>,
    /// Friction of its surface.
    pub friction: Friction,
    /// Material damping: ratio of viscous to elastic stress per strain rate [s].
    pub damping_time: Option<f64>,
    /// Air drag: force per mass and velocity [1/s].
    pub drag: Option<f64>,
    /// The unloaded shape.
    pub rest: Option<Rest>,
}

/// A change of one property of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Young's modulus [Pa]. Poisson's ratio stays, so that the shear modulus changes with it.
    Young(f64),
    /// Mass density [kg/m3]. Velocities stay, so that momentum and kinetic energy change with it.
    Density(f64),
    /// Friction of its surface.
    Friction(Friction),
    /// Material damping: ratio of viscous to elastic stress per strain rate [s].
    DampingTime(f64),
    /// Air drag: force per mass and velocity [1/s].
    Drag(f64),
    /// The unloaded shape. The current shape stays, so that elastic energy changes.
    Rest(Rest),
}

impl Change {
    /// Name of the property, for messages.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Change::Young(_) => "Young's modulus",
            Change::Density(_) => "density",
            Change::Friction(_) => "friction",
            Change::DampingTime(_) => "damping",
            Change::Drag(_) => "drag",
            Change::Rest(_) => "shape at rest",
        }
    }
}

impl Properties {
    /// The properties with one of them changed; `None` if the body does not have it.
    pub(crate) fn with(mut self, change: Change) -> Option<Properties> {
        fn set<T>(property: &mut Option<T>, value: T) -> Option<()> {
            property.replace(value).map(drop)
        }
        match change {
            Change::Young(young) => set(&mut self.young, young)?,
            Change::Density(density) => set(&mut self.density, density)?,
            Change::Friction(friction) => self.friction = friction,
            Change::DampingTime(time) => set(&mut self.damping_time, time)?,
            Change::Drag(drag) => set(&mut self.drag, drag)?,
            Change::Rest(rest) => set(&mut self.rest, rest)?,
        }
        Some(self)
    }

    /// Properties of a rod of a material: Young's modulus and density unless rigidities and mass are given, friction, and
    /// none that belongs to a model.
    pub(crate) fn of_rod(material: &Material, section: &Section) -> Properties {
        let made = !matches!(section, Section::Explicit(_));
        Properties {
            young: made.then_some(material.young),
            density: made.then_some(material.density),
            friction: material.friction,
            damping_time: None,
            drag: None,
            rest: None,
        }
    }

    /// Write damping and drag over those of a specification, where they are among the properties.
    pub(crate) fn damp(&self, damping_time: &mut f64, drag: &mut f64) {
        *damping_time = self.damping_time.unwrap_or(*damping_time);
        *drag = self.drag.unwrap_or(*drag);
    }

    /// Whether both have the same set of properties, whatever their values.
    pub(crate) fn are_those_of(&self, other: &Properties) -> bool {
        let has = |p: &Properties| {
            [p.young.is_some(), p.density.is_some(), p.damping_time.is_some(), p.drag.is_some(), p.rest.is_some()]
        };
        has(self) == has(other)
    }
}

impl Material {
    /// The material with the given values of these properties.
    pub(crate) fn with(self, properties: &Properties) -> Material {
        let (young, density) = (properties.young.unwrap_or(self.young), properties.density.unwrap_or(self.density));
        Material { young, density, friction: properties.friction, ..self }
    }
}

stored!(Properties { young, density, friction, damping_time, drag, rest });
