//! Frictionless fingers in valleys of the surface.
//!
//! Where a finger presses, the surface is indented most at the nearest nodes and edges, so that a sliding finger
//! crosses valleys. The two sides of a valley push it in opposite directions, so that it rests there for a while, as
//! the surface yields, with a force between the two normals. A finger that touched one facet at a time would be thrown
//! from side to side. So it also touches neighbouring facets that rise from its own; each can only push.

use super::Response;
use super::touch::{By, Spot, Touch};
use crate::contact::{blend, nearest_of_triangle};
use crate::math::{Pose, Vec3};

/// Distance from a finger within which a further facet is touched, relative to the mean edge [-].
const REACH: f64 = 0.15;

/// A frictionless finger at the end of a step.
pub struct Resting {
    /// Index of its obstacle.
    pub index: usize,
    pub radius: f64,
    pub pose: Pose,
    /// Centre in the body's frame [m].
    pub centre: Vec3,
    /// Point below it on its own deformed facet, in the body's frame [m].
    pub place: Vec3,
}

impl Response {
    /// Add contacts of a finger with facets that rise beside that of its point `n`.
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

    /// Contact of a finger with a facet, if the point below the finger is in front of it.
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

    /// Continue the contact with a facet, or start a new one.
    fn put_beside(&mut self, touch: Touch) {
        let same = |t: &&mut Touch| t.beside && t.by == touch.by && t.facet == touch.facet;
        match self.state.touches.iter_mut().find(same) {
            Some(known) => {
                *known = Touch {
                    force: known.force,
                    gap: known.gap,
                    place: known.place,
                    sunk: known.sunk,
                    kept: known.kept,
                    trend: known.trend,
                    ..touch
                };
            }
            None => self.state.touches.push(touch),
        }
    }

    /// Drop contacts with further facets that no finger touches any more.
    pub(super) fn forget_beside(&mut self) {
        let beside = &self.scratch.beside;
        self.state.touches.retain(|touch| match (touch.by, touch.facet) {
            (By::Obstacle(index), Some(facet)) if touch.beside => beside.contains(&(index, facet)),
            _ => true,
        });
    }
}
