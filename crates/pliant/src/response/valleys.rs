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

#[cfg(test)]
mod tests {
    use super::super::sample::body;
    use super::*;
    use crate::random::Random;

    const RADIUS: f64 = 0.1;

    fn finger(place: Vec3, normal: Vec3) -> Resting {
        Resting { index: 0, radius: RADIUS, pose: Pose::IDENTITY, centre: place + normal * RADIUS, place }
    }

    fn corners(body: &Response, facet: u32) -> [Vec3; 3] {
        body.solid.shell.facets[facet as usize].map(|node| body.solid.shell.nodes[node as usize])
    }

    fn inside(random: &mut Random) -> [f64; 3] {
        let (u, v) = (random.fraction(), random.fraction());
        let [u, v] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
        [u, v, 1.0 - u - v]
    }

    /// A convex solid at rest has no valleys: no facet rises beside a point of another. One that the point is behind does, and
    /// pushes along its normal at the point of it that is nearest to the finger's tip.
    #[test]
    fn only_facets_in_front_of_a_point_push_it() {
        let (body, mut random) = (body(Pose::IDENTITY), Random(9));
        for n in 0..400u32 {
            let (own, other) = (n % 4, (n + 1 + n / 4 % 3) % 4);
            let normal = body.solid.shell.normals[own as usize];
            let place = blend(&corners(&body, own), &inside(&mut random));
            assert!(body.risen(other, &finger(place, normal)).is_none());
            let out = body.solid.shell.normals[other as usize];
            let beyond = place + out * (0.01 + out.dot(corners(&body, other)[0] - place));
            let Some(touch) = body.risen(other, &finger(beyond, out)) else { panic!("it is in front") };
            assert!((touch.normal + out).length() < 1e-12 && touch.beside && touch.facet == Some(other));
            // no other point of the facet is nearer to the tip
            let tip = beyond + out * RADIUS - out * RADIUS;
            let found = touch.spot.mean(|node| body.solid.shell.nodes[node]);
            for _ in 0..50 {
                let some = blend(&corners(&body, other), &inside(&mut random));
                assert!(some.distance(tip) >= found.distance(tip) - 1e-12);
            }
        }
    }

    /// Facets count as near by the distance of their nearest point, as many samples of them show.
    #[test]
    fn facets_are_near_by_their_nearest_point() {
        let (body, mut random) = (body(Pose::IDENTITY), Random(10));
        let reach = REACH * body.solid.shell.edges[1];
        let (mut near, mut far) = (0, 0);
        for n in 0..200u32 {
            let facet = n % 4;
            let corners = corners(&body, facet);
            let from = blend(&corners, &inside(&mut random)) + 2.0 * reach * random.vector();
            let least =
                (0..4000).map(|_| blend(&corners, &inside(&mut random)).distance(from)).fold(f64::INFINITY, f64::min);
            if body.is_near(facet, from) {
                // samples are within a few hundredths of an edge from any point
                assert!(least < reach + 0.1 * body.solid.shell.edges[0]);
                near += 1;
            } else {
                assert!(least >= reach);
                far += 1;
            }
        }
        assert!(near > 20 && far > 20);
    }
}
