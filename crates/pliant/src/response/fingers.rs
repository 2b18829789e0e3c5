//! Fingers: small balls that touch facets at one point, which slides over the surface with them. That point is the
//! god-object of Zilles and Salisbury's haptic rendering, here on a surface that moves and deforms.

use super::Response;
use super::motion::Motion;
use super::near::is_finger;
use super::rows::{get, put};
use super::step::Stride;
use super::touch::{By, SAME_SIDE, Spot, Touch};
use super::valleys::Resting;
use crate::body::Surroundings;
use crate::contact::{blend, nearest_of_triangle, twice_area};
use crate::math::{Vec3, unit_or};

/// A facet near a finger.
struct Reached {
    distance: f64,
    facet: u32,
    weights: [f64; 3],
    place: Vec3,
}

impl Response {
    /// Give fingers near the nodes found a contact point on the surface, which they keep until they leave.
    pub(super) fn find_fingers(&mut self, around: &Surroundings<'_>, at_end: f64) {
        let [longest, mean] = self.solid.shell.edges;
        for &n in around.near {
            let obstacle = &around.obstacles[n];
            let Some(radius) = is_finger(obstacle, mean) else { continue };
            if self.state.touches.iter().any(|t| t.by == By::Obstacle(n) && !t.beside) {
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

    /// Prepare fingers for a step: the direction and point of their push if they slide without friction.
    pub(super) fn lean_fingers(&mut self, around: &Surroundings<'_>, at_end: f64, share: f64) {
        self.scratch.beside.clear();
        for n in 0..self.state.touches.len() {
            let Touch { facet: Some(facet), by: By::Obstacle(index), beside: false, .. } = self.state.touches[n] else {
                continue;
            };
            let obstacle = &around.obstacles[index];
            let Some(radius) = is_finger(obstacle, self.solid.shell.edges[1]) else { continue };
            let seen = self.seen(facet);
            if obstacle.friction_with(self.friction).coefficient > 0.0 {
                self.state.touches[n].normal = self.scratch.free.turn * lean(&seen, self.inwards(n));
                continue;
            }
            let centre = |motion: &Motion, at: f64| {
                motion.world_from_body().inverse_transform_point(obstacle.sweep.at(at).translation)
            };
            let centres = [centre(&self.state.motion, at_end - share), centre(&self.scratch.free, at_end)];
            let (normal, place) = self.lean_over(n, facet, seen, centres, radius);
            let pose = obstacle.sweep.at(at_end);
            let tip = self.tip(n, pose.translation, radius);
            let touch = &mut self.state.touches[n];
            touch.normal = self.scratch.free.turn * normal;
            touch.anchor = pose.inverse_transform_point(tip);
            self.touch_beside(n, &Resting { index, radius, pose, centre: centres[1], place });
        }
        self.forget_beside();
    }

    /// Slide a frictionless finger to its position at the end of the step, given its centre now and then in the body's
    /// frame. Returns the direction in which it pushes there, into the body, and its current contact point.
    ///
    /// At the end the point x of the body that it pushes is at its tip p. The work of a force F on the body in the step
    /// is F . (x1 - x0), and that of the finger F . (p1 - p0). They are equal if F is perpendicular to D = x0 - p0, the
    /// path over the current surface from below the finger to where it will be. On one facet D lies in the facet;
    /// across an edge the normal is corrected minimally to be perpendicular to D (the discrete gradient of Gonzalez).
    /// So the finger feels the gradient of the energy that it slides over.
    fn lean_over(&mut self, n: usize, facet: u32, seen: [Vec3; 3], centres: [Vec3; 2], radius: f64) -> (Vec3, Vec3) {
        let (mut now, mut corners, before) = (facet, seen, self.inwards(n));
        for _ in 0..GLIDES {
            let place = blend(&corners, &self.state.touches[n].spot.weights);
            let next = self.glide(n, centres[1] - place);
            if next != now {
                (now, corners) = (next, self.seen(next));
            }
        }
        let inwards = self.inwards(n);
        let normal = lean(&corners, inwards);
        self.begin_around_an_edge(n, before);
        let touch = &self.state.touches[n];
        let place = blend(&corners, &touch.spot.weights);
        let way = place - (centres[0] + inwards * radius);
        let rise = normal.dot(way);
        // over a ridge; in a valley the finger touches both sides, and the work balances
        if now != facet && touch.force != Vec3::ZERO && rise < 0.0 && -rise < STEEPEST * way.length() {
            return (unit_or(normal - way * (rise / way.length_squared()), normal), place);
        }
        (normal, place)
    }

    /// Corners of the deformed facet, in the body's frame [m].
    pub(super) fn seen(&self, facet: u32) -> [Vec3; 3] {
        let shell = &self.solid.shell;
        shell.facets[facet as usize].map(|node| shell.nodes[node as usize] + self.displaced(node as usize))
    }

    /// Direction into the body at a finger, from its facet at rest, in the body's frame.
    fn inwards(&self, n: usize) -> Vec3 {
        self.state.touches[n].facet.map_or(Vec3::Z, |facet| -self.solid.shell.normals[facet as usize])
    }

    /// Tip of a finger in the world [m]: its point that would touch the facet at rest first.
    pub(super) fn tip(&self, n: usize, centre: Vec3, radius: f64) -> Vec3 {
        centre + self.scratch.free.turn * self.inwards(n) * radius
    }

    /// Slide a slipping finger to the nearest point of the surface, and return where it will stick: at its tip.
    ///
    /// Its tip may be inside, after sliding onto a facet that rises or after turning while it stuck. It moves out by no
    /// more than half of `lost`, the friction loss of the step over the normal force [m], so that it never adds more
    /// energy than was lost.
    pub(super) fn slip(&mut self, n: usize, centre: Vec3, radius: f64, lost: f64) -> Vec3 {
        let (motion, before) = (self.state.motion, self.inwards(n));
        let facet = self.glide(n, motion.turn.inverse() * (centre - self.state.touches[n].place));
        let tip = self.tip(n, centre, radius);
        self.begin_around_an_edge(n, before);
        let Touch { force, spot, .. } = self.state.touches[n];
        if force == Vec3::ZERO {
            return tip;
        }
        let seen = self.seen(facet);
        let normal = motion.turn * lean(&seen, self.inwards(n));
        let place = motion.world_from_body().transform_point(blend(&seen, &spot.weights));
        // on a sharp edge the tip in the facet's direction may be far from the point: it sticks where the ball is nearest
        let tip = if self.solid.shell.is_on_an_edge(facet, &spot.weights) {
            centre + unit_or(place - centre, normal) * radius
        } else {
            tip
        };
        tip - normal * ((tip - place).dot(normal) - 0.5 * lost).max(0.0)
    }

    /// Leave points in a frictionless finger where pushing them out to it in this step would create energy; true if there are any, for
    /// which forces have to be found anew.
    ///
    /// A force F on a point of the body that goes from x0 to x1 while the finger is led by d does the work F . (x1 - x0), and
    /// the finger the work F . d. Where a finger comes to another facet, as at an edge, its point jumps out to its tip, and
    /// the first is far more than the second.
    pub(super) fn restrain_fingers(&mut self, around: &Surroundings<'_>, stride: Stride) -> bool {
        let mut any = false;
        for n in 0..self.state.touches.len() {
            let Touch { facet: Some(_), by: By::Obstacle(index), spot, normal, .. } = self.state.touches[n] else {
                continue;
            };
            let (free, slots) = (self.scratch.free, &self.scratch.slots);
            let (given, moved) = (get(&slots.forces, n), get(&slots.moved, n));
            // one that rubs has its tip moved out by what friction has paid for, see `slip`
            let rubs = around.obstacles[index].friction_with(self.friction).coefficient > 0.0;
            if given == Vec3::ZERO || rubs {
                continue;
            }
            let rest = spot.mean(|node| self.solid.shell.nodes[node]);
            let end = free.place + free.turn * (rest + get(&slots.free, n) + moved);
            let velocity =
                around.obstacles[index].sweep.velocity_of(end, stride.at_end - 0.5 * stride.share, around.dt);
            let out = end - self.place_of(spot) - velocity * stride.step;
            // what the force stores as the body yields to it, of which a little may come from rounding a ridge
            if (free.turn * given).dot(out) > LITTLE * given.dot(moved).abs() {
                let more = normal.dot(out).max(0.0);
                self.state.touches[n].kept += more;
                let missing = get(&slots.missing, n) - free.turn.inverse() * normal * more;
                put(&mut self.scratch.slots.missing, n, missing);
                any |= more > 0.0;
            }
        }
        any
    }

    /// Let a finger that went around a sharp edge, from where `before` led into the body, begin to push anew: its tip on
    /// the other side is far from where it pushed.
    fn begin_around_an_edge(&mut self, n: usize, before: Vec3) {
        if self.inwards(n).dot(before) < SAME_SIDE {
            self.state.touches[n].force = Vec3::ZERO;
        }
    }

    /// Slide the point of a finger over the surface by the tangential part of a displacement in the body's frame [m].
    /// Returns the facet it reaches.
    pub(super) fn glide(&mut self, n: usize, displacement: Vec3) -> u32 {
        let inwards = self.inwards(n);
        let touch = &mut self.state.touches[n];
        let Some(facet) = touch.facet else { return 0 };
        let along = displacement - inwards * inwards.dot(displacement);
        let (facet, weights) = self.solid.shell.walk(facet, touch.spot.weights, along);
        touch.facet = Some(facet);
        touch.spot = Spot { nodes: self.solid.shell.facets[facet as usize], weights };
        facet
    }
}

/// Iterations to find the point of a finger on the deformed surface, whose lengths differ from those at rest.
const GLIDES: usize = 2;

/// Energy that a finger may create in a step where it goes from facet to facet, relative to what its force stores [-].
const LITTLE: f64 = 0.02;

/// Cosine below which a facet has turned too far from its rest direction for a finger to follow; also the largest
/// correction of a normal [-].
const STEEPEST: f64 = 0.5;

/// Direction into the body, normal to a deformed facet, or to the facet at rest if it has turned too far.
pub(super) fn lean(corners: &[Vec3; 3], inwards: Vec3) -> Vec3 {
    let normal = -unit_or(twice_area(corners), -inwards);
    if normal.dot(inwards) > STEEPEST { normal } else { inwards }
}

#[cfg(test)]
mod tests {
    use super::super::sample::body;
    use super::*;
    use crate::math::{Pose, Quat};
    use crate::random::Random;

    /// The direction of a push is normal to the deformed facet, into the body; where the facet has turned by more than 60 degrees it is
    /// that at rest.
    #[test]
    fn pushes_follow_a_facet_up_to_sixty_degrees() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let mut random = Random(13);
        for _ in 0..500 {
            let turn = Quat::from_scaled_axis(random.vector() * 2.0);
            let turned = corners.map(|corner| turn * corner + Vec3::ONE);
            let (found, outwards) = (lean(&turned, -Vec3::Z), turn * Vec3::Z);
            let expected = if outwards.z > 0.5 { -outwards } else { -Vec3::Z };
            assert!((found - expected).length() < 1e-12);
        }
        assert_eq!(lean(&[Vec3::ONE; 3], -Vec3::Z), -Vec3::Z, "a facet without area");
    }

    /// The point of a facet that a finger reaches first is the nearest of many.
    #[test]
    fn a_finger_reaches_the_nearest_point_of_a_facet() {
        let placed = Pose::from_parts(Vec3::new(0.3, 0.1, -0.2), Quat::from_scaled_axis(Vec3::new(0.2, 0.9, -0.4)));
        let (body, mut random) = (body(placed), Random(14));
        for n in 0..100u32 {
            let (facet, centre) = (n % 4, placed.translation + 2.0 * random.vector());
            let Reached { distance, place, weights, .. } = body.reached(facet, centre);
            assert!((place.distance(centre) - distance).abs() < 1e-12);
            let corners = body.solid.shell.facets[facet as usize]
                .map(|node| placed.transform_point(body.solid.shell.nodes[node as usize] + Vec3::splat(0.25)));
            assert!((blend(&corners, &weights) - place).length() < 1e-12);
            for _ in 0..100 {
                let (u, v) = (random.fraction(), random.fraction());
                let [u, v] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
                assert!(blend(&corners, &[u, v, 1.0 - u - v]).distance(centre) >= distance - 1e-12);
            }
        }
    }
}
