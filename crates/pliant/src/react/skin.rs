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

/// How the nodes of an outline give way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Giving {
    /// Mass of each node [kg].
    pub masses: Vec<f64>,
    /// By how much a push moves a node against the body as a whole, as one over a mass [1/kg].
    pub local: Vec<f64>,
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
    /// How many times as easily as a lumped mass the discretisation gives way between nodes.
    pub between: f64,
}

impl Giving {
    /// None.
    pub fn clear(&mut self) {
        self.masses.clear();
        self.local.clear();
    }

    /// One more node, that gives way like a lump of its mass.
    pub fn add(&mut self, mass: f64, local: f64) {
        self.masses.push(mass);
        self.local.push(local);
    }

    /// Nodes of a beam, for a push across it that lasts for `dt`.
    ///
    /// A force F that begins to act on an endless beam of mu and EI, with b = sqrt(EI / mu), moves the place it acts at with a
    /// velocity of F / (pi mu) times the integral over k of sin(b k^2 t) / (b k^2), which is 0.4 F t / (mu sqrt(b t)): in a time t
    /// a length of 2.5 sqrt(b t) is set in motion. A step by the midpoint rule has 0.5 in place of 0.4. The end of a beam gives
    /// way four times as easily. What is shorter than the distance of nodes is a lump.
    pub fn add_beam(&mut self, beam: &Beam, dt: f64) {
        let Beam { nodes, spacing, line_mass, rigidity, between } = *beam;
        let reach = ((rigidity / line_mass).sqrt() * dt).sqrt();
        let endless = 0.5 / (line_mass * reach.max(f64::MIN_POSITIVE));
        for n in 0..nodes {
            let lump = line_mass * spacing * if n == 0 || n + 1 == nodes { 0.5 } else { 1.0 };
            let to_end = spacing * n.min(nodes - 1 - n) as f64;
            let beside = 1.0 + 3.0 * (1.0 - to_end / (4.0 * reach)).max(0.0);
            self.add(lump, (endless * beside).min(between / lump));
        }
    }
}
