//! What of a body may be changed while it moves.

use crate::bytes::stored;
use crate::material::{Friction, Material};
use crate::rest::Rest;

/// Properties of a body that may be changed between steps, by [`World::change`](crate::World::change). `None` stands for one that its
/// model does not have, or does not have by itself: a rod with given rigidities, for instance, has no Young's modulus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Properties {
    /// Young's modulus [Pa].
    pub young: Option<f64>,
    /// Mass density [kg/m3].
    pub density: Option<f64>,
    /// Friction of its surface.
    pub friction: Friction,
    /// Damping of the material: viscous over elastic stress, per rate of strain [s].
    pub damping_time: Option<f64>,
    /// Drag of the air: force per mass and velocity [1/s].
    pub drag: Option<f64>,
    /// The shape it has without load.
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
    /// Damping of the material: viscous over elastic stress, per rate of strain [s].
    DampingTime(f64),
    /// Drag of the air: force per mass and velocity [1/s].
    Drag(f64),
    /// The shape it has without load. It stays where it is, and stores or loses energy.
    Rest(Rest),
}

impl Change {
    /// What it changes, in words.
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
    /// These with one of them changed; none where there is no such property.
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

    /// Whether a body has the same properties, whatever their values.
    pub(crate) fn are_those_of(&self, other: &Properties) -> bool {
        let has = |p: &Properties| {
            [p.young.is_some(), p.density.is_some(), p.damping_time.is_some(), p.drag.is_some(), p.rest.is_some()]
        };
        has(self) == has(other)
    }
}

impl Material {
    /// With the properties that a material has, where they are given.
    pub(crate) fn with(self, properties: &Properties) -> Material {
        let (young, density) = (properties.young.unwrap_or(self.young), properties.density.unwrap_or(self.density));
        Material { young, density, friction: properties.friction, ..self }
    }
}

stored!(Properties { young, density, friction, damping_time, drag, rest });
