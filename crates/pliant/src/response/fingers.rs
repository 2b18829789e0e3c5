//! Fingers: small balls that touch facets at one point, which glides over the surface as they do. That point is the ideal interface
//! point of Zilles and Salisbury's god-object method, here of a surface that moves and deforms.

use super::Response;
use super::near::is_finger;
use super::touch::{By, Spot, Touch};
use crate::body::Surroundings;
use crate::contact::{blend, nearest_of_triangle};
use crate::math::Vec3;

/// A facet near a finger.
struct Reached {
    distance: f64,
    facet: u32,
    weights: [f64; 3],
    place: Vec3,
}

impl Response {
    /// Fingers that have come near the nodes found get a point on the surface, until they leave.
    pub(super) fn find_fingers(&mut self, around: &Surroundings<'_>, at_end: f64) {
        let [longest, mean] = self.solid.shell.edges;
        for &n in around.near {
            let obstacle = &around.obstacles[n];
            let Some(radius) = is_finger(obstacle, mean) else { continue };
            if self.state.touches.iter().any(|t| t.by == By::Obstacle(n)) {
                continue;
            }
            let pose = obstacle.sweep.at(at_end);
            let mut best: Option<Reached> = None;
            for &node in &self.scratch.found {
                if (self.free_place(node as usize) - pose.translation).length() > radius + 2.0 * longest {
                    continue;
                }
                for &facet in self.solid.shell.around(node) {
                    let reached = self.reached(facet, pose.translation);
                    if best.as_ref().is_none_or(|b| reached.distance < b.distance) {
                        best = Some(reached);
                    }
                }
            }
            let Some(Reached { facet, weights, place, .. }) = best.filter(|b| b.distance < radius + 2.0 * longest)
            else {
                continue;
            };
            let normal = -(self.scratch.free.turn * self.solid.shell.normals[facet as usize]);
            self.state.watch.begin_again();
            let spot = Spot { nodes: self.solid.shell.facets[facet as usize], weights };
            let anchor = pose.inverse_transform_point(pose.translation + normal * radius);
            let gap = (place - pose.translation).dot(normal) - radius;
            let touch = Touch::new(spot, By::Obstacle(n), anchor, normal, place);
            self.state.touches.push(Touch { facet: Some(facet), gap, ..touch });
        }
    }

    fn reached(&self, facet: u32, centre: Vec3) -> Reached {
        let corners = self.solid.shell.facets[facet as usize].map(|node| self.free_place(node as usize));
        let weights = nearest_of_triangle(centre, corners);
        let place = blend(&corners, &weights);
        Reached { distance: (place - centre).length(), facet, weights, place }
    }

    /// Let the point of a finger that does not stick glide to where the finger is nearest, given where the point is now.
    pub(super) fn glide(&mut self, n: usize, place: Vec3, centre: Vec3) {
        let touch = &mut self.state.touches[n];
        let Some(facet) = touch.facet else { return };
        let off = centre - place;
        let along = off - touch.normal * touch.normal.dot(off);
        let displacement = self.state.motion.turn.inverse() * along;
        let (facet, weights) = self.solid.shell.walk(facet, touch.spot.weights, displacement);
        touch.facet = Some(facet);
        touch.spot = Spot { nodes: self.solid.shell.facets[facet as usize], weights };
    }
}
