//! Outlines of bodies for contact: positions, bounding boxes of parts, and inertia of the whole body.

use super::skin::{Giving, Nodes, Skin};
use crate::body::Body;
use crate::bytes::stored;
use crate::contact::blend;
use crate::contact::tree::{Bounds, EMPTY, Tree, around, join};
use crate::math::{Mat3, Vec3};
use crate::moments::Moments;

/// Margin on the travel of bodies, relative to that at their initial speeds.
const FASTER: f64 = 1.5;

/// Limit on the nodes to either side that the mean velocity of a node includes.
const MOST_WIDTH: f64 = 24.0;

/// A point of a body, as up to three nodes with weights that sum to one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// Nodes.
    pub nodes: [u32; 3],
    /// Weights of the nodes.
    pub weights: [f64; 3],
}

impl Side {
    /// A point between a node and the next.
    pub fn along(segment: u32, fraction: f64) -> Side {
        Side { nodes: [segment, segment + 1, segment], weights: [1.0 - fraction, fraction, 0.0] }
    }

    /// Interpolate a nodal quantity at this point.
    pub fn of(&self, values: &[Vec3]) -> Vec3 {
        blend(&self.nodes.map(|n| values[n as usize]), &self.weights)
    }
}

/// The outline of a body, with working memory for contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// Positions and velocities of its nodes.
    pub nodes: Nodes,
    /// Positions of its nodes at the start of the step [m], if it was near another body then.
    pub start: Vec<Vec3>,
    /// How nodes yield to pushes.
    pub giving: Giving,
    /// Bounding boxes of its segments or facets, and a tree over them.
    pub boxes: Vec<Bounds>,
    pub tree: Tree,
    /// Corners of a solid's facets, their bounding boxes and a tree over those.
    pub corners: Vec<u32>,
    pub corner_boxes: Vec<Bounds>,
    pub corner_tree: Tree,
    /// Largest size of a part, and distance of the surface from the nodes [m].
    pub grain: f64,
    pub radius: f64,
    /// Normal of the plane that the body is confined to, if any.
    plane: Option<Vec3>,
    /// Inverse mass [1/kg], centre of mass [m], inverse inertia [1/(kg m2)].
    lightness: f64,
    centre: Vec3,
    turning: Mat3,
    /// Changes due to pushes so far: velocity and angular velocity of the whole, and velocities of single nodes.
    shift: Vec3,
    turn: Vec3,
    moved: Vec<Vec3>,
    /// Working memory for mean velocities.
    smooth: Vec<Vec3>,
    fits: Vec<Fit>,
}

/// A weighted linear fit of values around a node of a rod, with hat weights. The value at the node is exact for rigid
/// motion of the rod.
#[derive(Clone, Copy, Debug)]
struct Fit {
    /// The weight of a value is hat(x) (constant + slope x), with x in nodes from the centre node.
    constant: f64,
    slope: f64,
}

impl Fit {
    /// Range of nodes around a node.
    fn around(n: usize, count: usize, width: f64) -> std::ops::Range<usize> {
        (n as f64 - width).max(0.0).ceil() as usize..((n as f64 + width) as usize + 1).min(count)
    }

    fn new(n: usize, count: usize, width: f64) -> Fit {
        // sums of 1, x, x^2
        let mut s = [0.0; 3];
        for k in Fit::around(n, count, width) {
            let x = k as f64 - n as f64;
            let hat = (1.0 - x.abs() / width).max(0.0);
            s = [s[0] + hat, s[1] + hat * x, s[2] + hat * x * x];
        }
        let det = s[0] * s[2] - s[1] * s[1];
        if det > 1e-9 * s[0] * s[0] {
            Fit { constant: s[2] / det, slope: -s[1] / det }
        } else {
            Fit { constant: 1.0 / s[0], slope: 0.0 }
        }
    }

    /// Value at node `n` of the linear fit through values around it.
    fn mean(&self, n: usize, values: &[Vec3], width: f64) -> Vec3 {
        let around = Fit::around(n, values.len(), width);
        around.map(|k| values[k] * self.weight(k as f64 - n as f64, width)).sum()
    }

    fn weight(&self, x: f64, width: f64) -> f64 {
        (1.0 - x.abs() / width).max(0.0) * (self.constant + self.slope * x)
    }
}

impl Outline {
    /// Note which nodes are corners of facets, and allocate memory; needed once per body.
    pub fn know(&mut self, body: &Body) {
        self.corners.clear();
        self.corners.extend(body.skin().facets.unwrap_or_default().iter().flatten());
        self.corners.sort_unstable();
        self.corners.dedup();
        self.place(body);
        let nodes = self.nodes.places.len();
        self.smooth.reserve(nodes);
        self.fits.reserve(nodes);
        // for any step
        self.enclose(body, 1e-3, Vec3::ZERO);
    }

    /// Update positions and velocities from a body.
    pub fn place(&mut self, body: &Body) {
        body.show(&mut self.nodes);
    }

    /// Bounding box of the body, including its travel within `dt` [s].
    pub fn bounds(&self, skin: &Skin<'_>, dt: f64, gravity: Vec3) -> Bounds {
        let all = self.nodes.places.iter().fold(EMPTY, |sum, p| join(&sum, &[*p; 2]));
        let margin = skin.radius + self.travel(dt, gravity);
        [all[0] - margin, all[1] + margin]
    }

    /// Largest travel within `dt` [s], with a margin [m].
    fn travel(&self, dt: f64, gravity: Vec3) -> f64 {
        let fastest = self.nodes.velocities.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        FASTER * dt * (fastest + gravity.length() * dt)
    }

    /// Prepare a body that is near another: how it yields, and bounding boxes of its parts including their travel.
    pub fn enclose(&mut self, body: &Body, dt: f64, gravity: Vec3) {
        let skin = &body.skin();
        (self.radius, self.plane) = (skin.radius, skin.plane);
        body.give_way(dt, &mut self.giving);
        self.start.clone_from(&self.nodes.places);
        self.weigh();
        self.smooth();
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
        self.grain = grain;
        self.tree.follow(&self.boxes);
        self.corner_tree.follow(&self.corner_boxes);
    }

    /// Replace velocities by means over neighbourhoods.
    fn smooth(&mut self) {
        let Outline { nodes, giving, smooth, fits, .. } = self;
        let velocities = &mut nodes.velocities;
        smooth.clear();
        fits.clear();
        if giving.width > 1.0 || giving.width_along > 1.0 {
            let count = velocities.len();
            let [width, along] = [giving.width, giving.width_along].map(|w| w.clamp(1.0, MOST_WIDTH));
            fits.extend((0..count).map(|n| Fit::new(n, count, width)));
            for (n, fit) in fits.iter().enumerate() {
                let tangent = nodes.places[(n + 1).min(count - 1)] - nodes.places[n.max(1) - 1];
                let t = tangent.normalize_or_zero();
                let mean = fit.mean(n, velocities, width);
                let mean_along = Fit::new(n, count, along).mean(n, velocities, along);
                smooth.push(mean + t * t.dot(mean_along - mean));
            }
            std::mem::swap(velocities, smooth);
        } else if giving.alone < 1.0 {
            let arm = |n: usize| nodes.places[n] - self.centre;
            let momentum = |n: usize| velocities[n] * giving.masses[n];
            let shift: Vec3 = (0..velocities.len()).map(momentum).sum::<Vec3>() * self.lightness;
            let turn = self.turning * (0..velocities.len()).map(|n| arm(n).cross(momentum(n))).sum::<Vec3>();
            for n in 0..velocities.len() {
                let whole = shift + turn.cross(arm(n));
                velocities[n] = whole + (velocities[n] - whole) * giving.alone;
            }
        }
    }

    /// Weight of node `k` in the mean velocity of node `n`.
    fn part(&self, n: usize, k: usize) -> f64 {
        match self.fits.get(n) {
            Some(fit) => fit.weight(k as f64 - n as f64, self.giving.width.clamp(1.0, MOST_WIDTH)),
            None if n == k => self.giving.alone,
            None => 0.0,
        }
    }

    /// Compute the inertia of the whole body.
    fn weigh(&mut self) {
        let moments = Moments::of_points(&self.nodes.places, &self.giving.masses);
        self.lightness = 1.0 / moments.volume;
        self.centre = moments.centre;
        // point masses on a straight line have no inertia about it: add that of the rod's thickness
        let least = moments.volume * (0.5 * self.radius * self.radius + 1e-12);
        let inertia = moments.inertia + Mat3::from_diagonal(Vec3::splat(least));
        self.turning = match self.plane {
            // it turns only about the normal of its plane
            Some(n) => Mat3::from_cols(n * n.x, n * n.y, n * n.z) * (1.0 / n.dot(inertia * n)),
            None => inertia.inverse(),
        };
        self.forget();
    }

    /// Reset the changes due to pushes.
    pub fn forget(&mut self) {
        self.shift = Vec3::ZERO;
        self.turn = Vec3::ZERO;
        self.moved.clear();
        self.moved.resize(self.nodes.places.len(), Vec3::ZERO);
    }

    fn flat(&self, v: Vec3) -> Vec3 {
        self.plane.map_or(v, |n| v - n * n.dot(v))
    }

    /// Velocity along a unit direction at a point per unit impulse along it there: inverse effective mass [1/kg].
    pub fn mobility(&self, side: &Side, along: Vec3) -> f64 {
        let along = self.flat(along);
        let spin = (side.of(&self.nodes.places) - self.centre).cross(along);
        let mut local = 0.0;
        for (n, to) in side.nodes.into_iter().zip(side.weights).filter(|(_, weight)| *weight != 0.0) {
            for (k, from) in side.nodes.into_iter().zip(side.weights).filter(|(_, weight)| *weight != 0.0) {
                local += to * from * self.part(n as usize, k as usize) * self.giving.loose[k as usize];
            }
        }
        // a rod yields by neighbourhoods only; a solid yields as a whole, except for the part that nodes do alone
        let whole = 1.0 - self.giving.alone;
        along.length_squared() * (whole * self.lightness + local) + whole * spin.dot(self.turning * spin)
    }

    /// Apply an impulse at a point [N s].
    pub fn hit(&mut self, side: &Side, momentum: Vec3) {
        let momentum = self.flat(momentum);
        let arm = side.of(&self.nodes.places) - self.centre;
        let whole = 1.0 - self.giving.alone;
        self.shift += momentum * (whole * self.lightness);
        self.turn += self.turning * arm.cross(momentum) * whole;
        for (k, weight) in side.nodes.into_iter().zip(side.weights).filter(|(_, weight)| *weight != 0.0) {
            let k = k as usize;
            let by_itself = momentum * (weight * self.giving.loose[k]);
            let count = self.moved.len();
            let around = if self.fits.is_empty() {
                k..k + 1
            } else {
                Fit::around(k, count, self.giving.width.clamp(1.0, MOST_WIDTH))
            };
            for n in around {
                let part = self.part(n, k);
                self.moved[n] += by_itself * part;
            }
        }
    }

    /// Change of the velocity of a point by impulses so far [m/s].
    pub fn change(&self, side: &Side) -> Vec3 {
        let arm = side.of(&self.nodes.places) - self.centre;
        self.flat(self.shift + self.turn.cross(arm) + side.of(&self.moved))
    }
}

stored!(Side { nodes, weights });
