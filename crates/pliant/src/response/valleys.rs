//! Smooth fingers in valleys.
//!
//! Where a finger presses, the surface is pressed in most at the nearest nodes and edges: a finger that glides there crosses valleys. On one
//! side of a valley it pushes the surface one way, on the other side the other way, so that it stays in there for a while, as the surface
//! gives way, and pushes somewhere in between. A finger that touched one facet at a time would be thrown from side to side. So it
//! touches those beside too, as long as they rise from its own; each only pushes.

use super::Response;
use super::touch::{By, Spot, Touch};
use crate::contact::{blend, nearest_of_triangle};
use crate::math::{Pose, Vec3};

/// How near to a finger another facet has to be, over the mean edge [-].
const REACH: f64 = 0.15;

/// A smooth finger at the end of a step.
pub struct Resting {
    /// Obstacle that it is.
    pub index: usize,
    pub radius: f64,
    pub pose: Pose,
    /// Its centre in the frame of the body [m].
    pub centre: Vec3,
    /// Where its own facet is under it, as deformed now [m].
    pub place: Vec3,
}

impl Response {
    /// Let a finger touch facets that rise beside that of its point `n`.
    pub(super) fn touch_beside(&mut self, n: usize, finger: &Resting) {
        let Touch { facet: Some(own), spot, .. } = self.state.touches[n] else { return };
        let rest = spot.mean(|node| self.solid.shell.nodes[node]);
        for node in spot.nodes {
            for k in 0..self.solid.shell.around(node).len() {
                let facet = self.solid.shell.around(node)[k];
                if facet != own
                    && !self.scratch.beside.contains(&(finger.index, facet))
                    && self.is_near(facet, rest)
                    && let Some(touch) = self.risen(facet, finger)
                {
                    self.scratch.beside.push((finger.index, facet));
                    self.put_beside(touch);
                }
            }
        }
    }

    fn is_near(&self, facet: u32, rest: Vec3) -> bool {
        let shell = &self.solid.shell;
        let corners = shell.facets[facet as usize].map(|node| shell.nodes[node as usize]);
        (blend(&corners, &nearest_of_triangle(rest, corners)) - rest).length() < REACH * shell.edges[1]
    }

    /// What a finger touches of a facet that the point under it is in front of.
    fn risen(&self, facet: u32, finger: &Resting) -> Option<Touch> {
        let inwards = -self.solid.shell.normals[facet as usize];
        let seen = self.seen(facet);
        let normal = super::fingers::lean(&seen, inwards);
        if normal.dot(seen[0] - finger.place) < 0.0 {
            return None;
        }
        let tip = finger.centre + inwards * finger.radius;
        let weights = nearest_of_triangle(tip, seen);
        let free = self.scratch.free.world_from_body();
        let anchor = finger.pose.inverse_transform_point(free.transform_point(tip));
        let spot = Spot { nodes: self.solid.shell.facets[facet as usize], weights };
        let by = By::Obstacle(finger.index);
        let touch = Touch::new(spot, by, anchor, free.rotation * normal, free.transform_point(blend(&seen, &weights)));
        Some(Touch { facet: Some(facet), beside: true, ..touch })
    }

    /// Go on with a facet that was touched before, or begin.
    fn put_beside(&mut self, touch: Touch) {
        let same = |t: &&mut Touch| t.beside && t.by == touch.by && t.facet == touch.facet;
        match self.state.touches.iter_mut().find(same) {
            Some(known) => {
                *known = Touch {
                    force: known.force,
                    gap: known.gap,
                    place: known.place,
                    sunk: known.sunk,
                    trend: known.trend,
                    ..touch
                };
            }
            None => self.state.touches.push(touch),
        }
    }

    /// Forget facets that no finger touches beside its own any more.
    pub(super) fn forget_beside(&mut self) {
        let beside = &self.scratch.beside;
        self.state.touches.retain(|touch| match (touch.by, touch.facet) {
            (By::Obstacle(index), Some(facet)) if touch.beside => beside.contains(&(index, facet)),
            _ => true,
        });
    }
}
