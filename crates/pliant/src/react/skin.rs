//! Interface of a body for contact with bodies of other models.
//!
//! A model provides three things in its file `react.rs`: positions and velocities of the nodes of its outline, how they
//! yield to a push, and the effect of a push. A rod's outline is the line through its nodes, with a radius; a solid's
//! is its facets.

use crate::material::Friction;
use crate::math::Vec3;

/// Constant properties of an outline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skin<'a> {
    /// Distance of the surface from the nodes [m]: a rod's radius, or zero.
    pub radius: f64,
    /// Friction of the surface.
    pub friction: Friction,
    /// Facets over the nodes, counter-clockwise seen from outside; `None` for a rod.
    pub facets: Option<&'a [[u32; 3]]>,
    /// Normal of the plane that the body is confined to, if any.
    pub plane: Option<Vec3>,
}

/// A point at which a body is pushed.
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

/// Positions and velocities of the nodes of an outline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    /// Positions, in the world [m].
    pub places: Vec<Vec3>,
    /// Velocities, in the world [m/s].
    pub velocities: Vec<Vec3>,
}

impl Nodes {
    /// Remove all nodes.
    pub fn clear(&mut self) {
        self.places.clear();
        self.velocities.clear();
    }

    /// Append a node.
    pub fn add(&mut self, place: Vec3, velocity: Vec3) {
        self.places.push(place);
        self.velocities.push(velocity);
    }
}

/// How the nodes of an outline yield to a push that lasts for a step.
///
/// In a step a point moves together with its neighbourhood: all of a stiff body, a node of a soft one. So velocities
/// are means over neighbourhoods, v' = S v, and an impulse J changes them by S J / m; S preserves rigid motion.
/// Vibrations too fast for the step are neither seen nor excited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Giving {
    /// Mass of each node [kg].
    pub masses: Vec<f64>,
    /// Inverse effective mass of each node by itself [1/kg]; zero if it is held.
    pub loose: Vec<f64>,
    /// For a rod: nodes to either side in a neighbourhood, for motion across the rod.
    pub width: f64,
    /// For a rod: nodes to either side in a neighbourhood, for motion along the rod.
    pub width_along: f64,
    /// For a solid: the fraction of the motion that a node does by itself; the rest is that of the whole body [-].
    pub alone: f64,
}

/// A rod as a beam, to estimate how its nodes yield.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beam {
    /// Number of nodes.
    pub nodes: usize,
    /// Distance between nodes [m].
    pub spacing: f64,
    /// Mass per length [kg/m].
    pub line_mass: f64,
    /// EI [N m2].
    pub rigidity: f64,
    /// EA [N]; zero for an inextensible rod, which has no longitudinal waves.
    pub stretching: f64,
    /// How much more easily than a lumped mass the discretisation yields between nodes, as a factor [-].
    pub between: f64,
}

/// Half-width of a neighbourhood on a beam, over sqrt(b t). The mean retains 0.57 of the velocity of a bending wave
/// with a phase of one radian per step, and 0.15 of one with half a period per step.
const WAVE: f64 = 2.5;

impl Giving {
    /// Remove all nodes.
    pub fn clear(&mut self) {
        self.masses.clear();
        self.loose.clear();
        (self.width, self.width_along, self.alone) = (0.0, 0.0, 1.0);
    }

    /// Append a node with its mass and inverse effective mass.
    pub fn add(&mut self, mass: f64, loose: f64) {
        self.masses.push(mass);
        self.loose.push(loose);
    }

    /// Append the nodes of a beam, for a push across it that lasts for `dt` [s].
    ///
    /// A force F that starts to act on an infinite beam of mass per length mu and bending stiffness EI, with b =
    /// sqrt(EI / mu), moves its point of application with a velocity of F / (pi mu) times the integral over k of sin(b
    /// k^2 t) / (b k^2), which is 0.4 F t / (mu sqrt(b t)): in a time t a length of 2.5 sqrt(b t) is set in motion. (A
    /// step by the midpoint rule has 0.5 in place of 0.4.) A mean weighted by a hat of that half-width gives as much,
    /// and four times as much at an end, as does a beam.
    pub fn add_beam(&mut self, beam: &Beam, dt: f64) {
        let Beam { nodes, spacing, line_mass, rigidity, stretching, between } = *beam;
        self.width = WAVE * ((rigidity / line_mass).sqrt() * dt).sqrt() / spacing;
        // a force along an infinite rod moves it with F / (2 mu c), c = sqrt(EA / mu): a length of 2 c t is set in
        // motion
        self.width_along = 2.0 * (stretching / line_mass).sqrt() * dt / spacing;
        for n in 0..nodes {
            let lump = line_mass * spacing * if n == 0 || n + 1 == nodes { 0.5 } else { 1.0 };
            self.add(lump, between / lump);
        }
    }
}
