//! Contact of a body with obstacles: its facets sink in, and are pushed out by the volume that does, (7), with friction, (8).

use super::integrate::Motion;
use super::overlap::{blend, overlap};
use super::rub::{Rubbing, Stick, slide};
use super::sink::{Fineness, sink};
use super::tree::{around as box_around, meet};
use super::{Lattice, PointContact};
use crate::body::Surroundings;
use crate::contact::Obstacle;
use crate::math::{Pose, Vec3};

/// Facets are pushed out of an obstacle with faces down to this part of its thickness.
const DEEPEST: f64 = 0.4;

/// A place of a body that touches an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Which obstacle, which facet (or particle, for points) and which direction of the obstacle's surface there.
    pub key: [u32; 3],
    /// How the two hold each other along the surface.
    pub stick: Stick,
    /// Where [m].
    pub place: Vec3,
    /// Out of the obstacle.
    pub normal: Vec3,
    /// Force on the body [N].
    pub force: Vec3,
    /// How deep it is [m].
    pub depth: f64,
}

/// What presses two surfaces together, and how they rub.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Force over volume [N/m3].
    pub stiffness: f64,
    /// Force over its rate [N s/m3].
    pub damping: f64,
    /// Static and kinetic coefficient of friction.
    pub friction: [f64; 2],
}

/// Volume and area of a contact, and how its sides move past each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressed {
    /// The way the body is pushed.
    pub normal: Vec3,
    /// Volume of penetration [m3].
    pub volume: f64,
    /// Area [m2].
    pub area: f64,
    /// Velocity of the body relative to the other [m/s].
    pub velocity: Vec3,
}

impl Law {
    /// Force on the body, after a step of `tau`. Dampers do not pull, as those printed may.
    pub fn push(&self, p: &Pressed, stick: &mut Stick, tau: f64) -> Vec3 {
        let force = self.stiffness * p.volume - self.damping * p.area * p.velocity.dot(p.normal);
        if force <= 0.0 {
            *stick = Stick::default();
            return Vec3::ZERO;
        }
        let [hold, slip] = self.friction;
        let mut push = p.normal * force;
        if hold > 0.0 {
            // along the surface as stiff and as damped as across it
            let law = Rubbing { stiffness: self.stiffness * p.area, damping: self.damping * p.area, hold, slide: slip };
            push += slide(stick, p.normal, p.velocity, tau, force, &law);
        }
        push
    }
}

impl Lattice {
    /// Which facets may touch which obstacles during the step of the world.
    pub(super) fn find_candidates(&mut self, around: &Surroundings<'_>) {
        let Lattice { matter, state, scratch, .. } = self;
        scratch.candidates.clear();
        if scratch.near.is_empty() {
            return;
        }
        let Motion { places, velocities, .. } = &state.motion;
        let fastest = velocities.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        for &index in &scratch.near {
            let obstacle = &around.obstacles[index];
            let moved = (obstacle.sweep.end.translation - obstacle.sweep.start.translation).length();
            let travel = 2.0 * around.dt * (fastest + around.gravity.length() * around.dt) + moved;
            let close = |point: Vec3, reach: f64| {
                let poses = [obstacle.sweep.start, obstacle.sweep.end];
                poses.iter().any(|pose| {
                    obstacle.params.shape.surface_near(pose, point, reach).is_some_and(|face| face.distance < reach)
                })
            };
            for (n, facet) in matter.facets.iter().enumerate() {
                let corners = facet.map(|k| places[k as usize]);
                let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
                let radius = corners.iter().map(|c| c.distance(centre)).fold(0.0, f64::max);
                if close(centre, radius + travel) {
                    scratch.candidates.push([index as u32, n as u32]);
                }
            }
        }
    }

    /// Add forces of obstacles where a step leads, at a fraction of the step of the world and `tau` after the last.
    pub(super) fn touch(&mut self, around: &Surroundings<'_>, f: f64, tau: f64) {
        let Lattice { matter, settings, state, scratch, contact, grain, .. } = self;
        let Motion { places, velocities, forces } = &mut scratch.next;
        scratch.touches.clear();
        let before = |key: [u32; 3]| match state.touches.binary_search_by_key(&key, |t| t.key) {
            Ok(n) => state.touches[n].stick,
            Err(_) => Stick::default(),
        };
        let law_of = |obstacle: &Obstacle| {
            let kinetic = obstacle.params.friction.map_or(contact.friction[1], |f| f.coefficient);
            Law { friction: [kinetic * settings.static_friction, kinetic], ..*contact }
        };
        let (mut last, mut pose) = (u32::MAX, Pose::IDENTITY);
        for &[index, facet] in &scratch.candidates {
            let obstacle = &around.obstacles[index as usize];
            if index != last {
                (last, pose) = (index, obstacle.sweep.at(f));
                let place = |face: &[Vec3; 3]| face.map(|corner| pose.transform_point(corner));
                let faces = obstacle.params.shape.faces().iter().map(place);
                scratch.outline.clear();
                scratch.outline.extend(faces.map(|face| (face, box_around(&face, 0.0))));
            }
            let ids = matter.facets[facet as usize].map(|n| n as usize);
            let corners = ids.map(|n| places[n]);
            let face = |point: Vec3, reach: f64| {
                obstacle.params.shape.surface_near(&pose, point, reach).map(|face| (face.distance, face.normal))
            };
            let (law, mut part) = (law_of(obstacle), 0);
            // plane faces that meet plane facets: the volume between them is known
            let deepest = DEEPEST * obstacle.params.shape.thickness();
            let own = box_around(&corners, deepest.min(*grain));
            for (n, (other, _)) in scratch.outline.iter().enumerate().filter(|(_, (_, bounds))| meet(&own, bounds)) {
                let Some(o) = overlap(&corners, other, deepest) else { continue };
                let key = [index, facet, n as u32];
                let place = blend(&corners, &o.on_x);
                let moving = blend(&ids.map(|n| velocities[n]), &o.on_x);
                let velocity = moving - obstacle.sweep.velocity_of(place, f, around.dt);
                let mut stick = before(key);
                let pressed = Pressed { normal: o.normal, volume: o.volume, area: o.area, velocity };
                let push = law.push(&pressed, &mut stick, tau);
                let force = if push == Vec3::ZERO { push } else { push + o.aside * law.stiffness };
                ids.iter().zip(o.on_x).for_each(|(n, part)| forces[*n] += force * part);
                scratch.touches.push(Touch { key, stick, place, normal: o.normal, force, depth: o.deepest });
            }
            if !obstacle.params.shape.faces().is_empty() {
                continue;
            }
            sink(&corners, &Fineness::default(), face, |sunk| {
                let key = [index, facet, part];
                part += 1;
                let place = blend(&corners, &sunk.parts);
                let moving = blend(&ids.map(|n| velocities[n]), &sunk.parts);
                let velocity = moving - obstacle.sweep.velocity_of(place, f, around.dt);
                let mut stick = before(key);
                let pressed = Pressed { normal: sunk.normal, volume: sunk.volume, area: sunk.area, velocity };
                let force = law.push(&pressed, &mut stick, tau);
                ids.iter().zip(sunk.parts).for_each(|(n, part)| forces[*n] += force * part);
                scratch.touches.push(Touch { key, stick, place, normal: sunk.normal, force, depth: sunk.deepest });
            });
        }
        if let Some(PointContact { radius, stiffness, damping }) = settings.point_contact {
            for &index in &scratch.near {
                let obstacle = &around.obstacles[index];
                let pose = obstacle.sweep.at(f);
                // a point presses on an area of one: its depth is its volume
                let law = Law { stiffness, damping, ..law_of(obstacle) };
                for n in matter.points.iter().map(|n| *n as usize) {
                    let Some(face) = obstacle.params.shape.surface_near(&pose, places[n], radius) else { continue };
                    let depth = radius - face.distance;
                    if depth <= 0.0 {
                        continue;
                    }
                    let key = [index as u32, n as u32, u32::MAX];
                    let (place, normal) = (places[n] - face.normal * radius, face.normal);
                    let velocity = velocities[n] - obstacle.sweep.velocity_of(place, f, around.dt);
                    let mut stick = before(key);
                    let force = law.push(&Pressed { normal, volume: depth, area: 1.0, velocity }, &mut stick, tau);
                    forces[n] += force;
                    scratch.touches.push(Touch { key, stick, place, normal, force, depth });
                }
            }
        }
        scratch.touches.sort_unstable_by_key(|touch| touch.key);
    }
}
