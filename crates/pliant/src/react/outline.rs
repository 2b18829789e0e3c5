//! Outlines of bodies while they are looked at: where they are, boxes around their parts, how they give way as a whole.

use super::skin::{Giving, Nodes, Skin};
use crate::body::Body;
use crate::contact::tree::{Bounds, EMPTY, Tree, around, join};
use crate::lattice::solid::{Mat3, Moments};
use crate::math::Vec3;

/// Bodies may move this many times as far as they would at the speeds of the start.
const FASTER: f64 = 1.5;

/// A part of a body and how much of it: up to three nodes with weights that sum to one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// Nodes.
    pub nodes: [u32; 3],
    /// Their weights.
    pub weights: [f64; 3],
}

impl Side {
    /// A place between a node and the next.
    pub fn along(segment: u32, fraction: f64) -> Side {
        Side { nodes: [segment, segment + 1, segment], weights: [1.0 - fraction, fraction, 0.0] }
    }

    /// What this part has of a quantity of the nodes.
    pub fn of(&self, values: &[Vec3]) -> Vec3 {
        (0..3).map(|k| values[self.nodes[k] as usize] * self.weights[k]).sum()
    }
}

/// A body while it is looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// Where its nodes are.
    pub nodes: Nodes,
    /// How they give way.
    pub giving: Giving,
    /// Boxes of its segments or facets, and a tree over them.
    pub boxes: Vec<Bounds>,
    pub tree: Tree,
    /// Corners of a solid's facets, boxes around them and a tree over those.
    pub corners: Vec<u32>,
    pub corner_boxes: Vec<Bounds>,
    pub corner_tree: Tree,
    /// Largest size of a part, and how far the surface is from the nodes [m].
    pub grain: f64,
    pub radius: f64,
    /// The plane it cannot leave.
    plane: Option<Vec3>,
    /// One over its mass, its centre, the inverse of its inertia.
    lightness: f64,
    centre: Vec3,
    turning: Mat3,
    /// By how much pushes change its velocity as a whole, its turning, and the velocities of nodes besides.
    shift: Vec3,
    turn: Vec3,
    moved: Vec<Vec3>,
}

impl Outline {
    /// Which nodes are corners of facets; once for each body.
    pub fn know(&mut self, skin: &Skin<'_>) {
        self.corners.clear();
        self.corners.extend(skin.facets.unwrap_or_default().iter().flatten());
        self.corners.sort_unstable();
        self.corners.dedup();
    }

    /// Look where a body is.
    pub fn place(&mut self, body: &Body) {
        body.show(&mut self.nodes);
    }

    /// The box around all of it and around where it may go within `dt`.
    pub fn bounds(&self, skin: &Skin<'_>, dt: f64, gravity: Vec3) -> Bounds {
        let all = self.nodes.places.iter().fold(EMPTY, |sum, p| join(&sum, &[*p; 2]));
        let margin = skin.radius + self.travel(dt, gravity);
        [all[0] - margin, all[1] + margin]
    }

    /// How far it may go within `dt` [m].
    fn travel(&self, dt: f64, gravity: Vec3) -> f64 {
        let fastest = self.nodes.velocities.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        FASTER * dt * (fastest + gravity.length() * dt)
    }

    /// Boxes around its parts and where they may go; a part may also lie as deep inside another body as it is large.
    pub fn enclose(&mut self, skin: &Skin<'_>, dt: f64, gravity: Vec3) {
        let travel = self.travel(dt, gravity);
        let Outline { nodes, boxes, corners, corner_boxes, .. } = self;
        let places = &nodes.places;
        boxes.clear();
        corner_boxes.clear();
        let mut grain: f64 = 0.0;
        match skin.facets {
            Some(facets) => {
                for facet in facets {
                    let at = facet.map(|n| places[n as usize]);
                    let sides = [at[1] - at[0], at[2] - at[1], at[0] - at[2]].map(|s| s.length());
                    grain = sides.into_iter().fold(grain, f64::max);
                    boxes.push(around(&at, travel));
                }
                corner_boxes
                    .extend(corners.iter().map(|n| [places[*n as usize] - travel, places[*n as usize] + travel]));
            }
            None => {
                grain = 2.0 * skin.radius;
                let margin = skin.radius + travel;
                boxes.extend(places.windows(2).map(|w| [w[0].min(w[1]) - margin, w[0].max(w[1]) + margin]));
            }
        }
        (self.grain, self.radius, self.plane) = (grain, skin.radius, skin.plane);
        self.tree.follow(&self.boxes);
        self.corner_tree.follow(&self.corner_boxes);
    }

    /// How it gives way as a whole and in its nodes.
    pub fn weigh(&mut self, body: &Body, dt: f64) {
        body.give_way(dt, &mut self.giving);
        let moments = Moments::of_points(&self.nodes.places, &self.giving.masses);
        self.lightness = 1.0 / moments.volume;
        self.centre = moments.centre;
        // a straight rod has no inertia about itself: that of its thickness
        let least = moments.volume * (0.5 * self.radius * self.radius + 1e-12);
        let inertia = moments.inertia + Mat3::from_diagonal(Vec3::splat(least));
        self.turning = match self.plane {
            // it turns about the normal of its plane alone
            Some(n) => Mat3::from_cols(n * n.x, n * n.y, n * n.z) * (1.0 / n.dot(inertia * n)),
            None => inertia.inverse(),
        };
        self.shift = Vec3::ZERO;
        self.turn = Vec3::ZERO;
        self.moved.clear();
        self.moved.resize(self.nodes.places.len(), Vec3::ZERO);
    }

    fn flat(&self, v: Vec3) -> Vec3 {
        self.plane.map_or(v, |n| v - n * n.dot(v))
    }

    /// Velocity along a unit direction at a place by a unit of momentum along it [1/kg].
    pub fn mobility(&self, side: &Side, along: Vec3) -> f64 {
        let along = self.flat(along);
        let spin = (side.of(&self.nodes.places) - self.centre).cross(along);
        let local: f64 = (0..3).map(|k| side.weights[k].powi(2) * self.giving.local[side.nodes[k] as usize]).sum();
        along.length_squared() * (self.lightness + local) + spin.dot(self.turning * spin)
    }

    /// Take momentum at a place [N s].
    pub fn hit(&mut self, side: &Side, momentum: Vec3) {
        let momentum = self.flat(momentum);
        let arm = side.of(&self.nodes.places) - self.centre;
        self.shift += momentum * self.lightness;
        self.turn += self.turning * arm.cross(momentum);
        for k in 0..3 {
            let n = side.nodes[k] as usize;
            self.moved[n] += momentum * (side.weights[k] * self.giving.local[n]);
        }
    }

    /// By how much momentum has changed the velocity of a place so far [m/s].
    pub fn change(&self, side: &Side) -> Vec3 {
        let arm = side.of(&self.nodes.places) - self.centre;
        self.flat(self.shift + self.turn.cross(arm) + side.of(&self.moved))
    }
}
