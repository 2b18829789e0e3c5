//! What a body shows to bodies of other models that touch it: the contract of this stage.
//!
//! A model has to say three things, each in its file `react.rs`: where the nodes of its outline are and how they move, how they
//! give way to a push, and what it does with a push. A rod's outline is the line through its nodes, with a radius; a solid's are
//! facets over its nodes.

use crate::material::Friction;
use crate::math::Vec3;

/// What does not change about an outline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skin<'a> {
    /// How far the surface is from the nodes [m]: a rod's radius, or zero.
    pub radius: f64,
    /// Friction of its surface.
    pub friction: Friction,
    /// Facets over the nodes, counter-clockwise seen from outside; `None` for a rod.
    pub facets: Option<&'a [[u32; 3]]>,
    /// The normal of the plane that it cannot leave, for a rod that lives in one.
    pub plane: Option<Vec3>,
}

/// Where a body is pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spot {
    /// At a fraction of the line between a node of a rod and the next.
    Along {
        /// The first of the two nodes.
        segment: usize,
        /// Fraction of the way to the second.
        fraction: f64,
    },
    /// At a node of a solid.
    Node(usize),
}

/// Nodes of an outline and how they move.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    /// Places [m].
    pub places: Vec<Vec3>,
    /// Velocities [m/s].
    pub velocities: Vec<Vec3>,
}

impl Nodes {
    /// None.
    pub fn clear(&mut self) {
        self.places.clear();
        self.velocities.clear();
    }

    /// One more.
    pub fn add(&mut self, place: Vec3, velocity: Vec3) {
        self.places.push(place);
        self.velocities.push(velocity);
    }
}

/// How the nodes of an outline give way, to a push that lasts for a step.
///
/// What a place does in a step it does together with its neighbourhood: all of a stiff body, a node of a soft one. So velocities
/// are read as means over neighbourhoods, v' = S v, and momentum J changes them by S J / m; S keeps the motion of a rigid body as
/// it is. What swings faster than steps can tell is neither seen nor driven.
#[derive(Clone, Debug, Default)]
pub(crate) struct Giving {
    /// Mass of each node [kg].
    pub masses: Vec<f64>,
    /// How easily each node is moved by itself [1/kg]; zero where it is held.
    pub loose: Vec<f64>,
    /// For a rod: how many nodes to either side belong to a neighbourhood, for what moves across it ...
    pub width: f64,
    /// ... and along it.
    pub width_along: f64,
    /// For a solid: the part of its motion against the whole that a node does by itself; the rest is that of the whole.
    pub alone: f64,
}

/// A rod as a beam, for how its nodes give way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beam {
    /// Nodes.
    pub nodes: usize,
    /// Distance between nodes [m].
    pub spacing: f64,
    /// Mass per length [kg/m].
    pub line_mass: f64,
    /// EI [N m2].
    pub rigidity: f64,
    /// EA [N]; zero where it does not stretch at all, so that nothing swings along it.
    pub stretching: f64,
    /// How many times as easily as a lumped mass the discretisation gives way between nodes.
    pub between: f64,
}

/// Half the width of a neighbourhood on a beam, over sqrt(b t). A wave of bending that swings by a radian in a step still has
/// 0.57 of its velocity in the mean, one of half a period 0.15.
const WAVE: f64 = 2.5;

impl Giving {
    /// None.
    pub fn clear(&mut self) {
        self.masses.clear();
        self.loose.clear();
        (self.width, self.width_along, self.alone) = (0.0, 0.0, 1.0);
    }

    /// One more node.
    pub fn add(&mut self, mass: f64, loose: f64) {
        self.masses.push(mass);
        self.loose.push(loose);
    }

    /// Nodes of a beam, for a push across it that lasts for `dt`.
    ///
    /// A force F that begins to act on an endless beam of mu and EI, with b = sqrt(EI / mu), moves the place it acts at with a
    /// velocity of F / (pi mu) times the integral over k of sin(b k^2 t) / (b k^2), which is 0.4 F t / (mu sqrt(b t)): in a time t
    /// a length of 2.5 sqrt(b t) is set in motion. (A step by the midpoint rule has 0.5 in place of 0.4.) A mean weighted by a hat
    /// of that half-width gives as much, and four times as much at an end, as does a beam.
    pub fn add_beam(&mut self, beam: &Beam, dt: f64) {
        let Beam { nodes, spacing, line_mass, rigidity, stretching, between } = *beam;
        self.width = WAVE * ((rigidity / line_mass).sqrt() * dt).sqrt() / spacing;
        // a force along an endless rod moves it with F / (2 mu c), c = sqrt(EA / mu): a length of 2 c t is set in motion
        self.width_along = 2.0 * (stretching / line_mass).sqrt() * dt / spacing;
        for n in 0..nodes {
            let lump = line_mass * spacing * if n == 0 || n + 1 == nodes { 0.5 } else { 1.0 };
            self.add(lump, between / lump);
        }
    }
}
