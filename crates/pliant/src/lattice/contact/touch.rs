//! Contact of a body with obstacles: facets are pushed out in proportion to the penetrating volume, (7), with friction,
//! (8).

use super::overlap::{Face, Overlap, overlap};
use super::rub::{Rubbing, Stick, slide};
use super::sink::{Fineness, Sunk, sink};
use crate::body::Surroundings;
use crate::bytes::stored;
use crate::contact::tree::{around as box_around, meet};
use crate::contact::{Obstacle, ShapeKind, blend};
use crate::error::StepError;
use crate::lattice::integrate::Motion;
use crate::lattice::{Lattice, LatticeState, PointContact, Scratch};
use crate::math::{Pose, Vec3};

/// Depth down to which facets are pushed out of an obstacle with faces, relative to its thickness.
const DEEPEST: f64 = 0.4;

/// Marks the contact of an individual particle, in place of the surface direction in its key.
pub(in crate::lattice) const POINT: u32 = u32::MAX;

/// A contact of a body with an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Obstacle, facet (or particle, for points) and direction of the obstacle's surface, as indices.
    pub key: [u32; 3],
    /// State of friction.
    pub stick: Stick,
    /// Contact point, in the world [m].
    pub place: Vec3,
    /// Unit normal out of the obstacle.
    pub normal: Vec3,
    /// Force on the body, in the world [N].
    pub force: Vec3,
    /// Penetration [m].
    pub depth: f64,
    /// Barycentric coordinates in its facet of the point where it is pushed.
    pub parts: [f64; 3],
    /// Velocity of the obstacle at the contact [m/s].
    pub carried: Vec3,
    /// For a contact that began in the step: excess of the trapezoidal rule over its work [J].
    pub unseen: f64,
}

/// Law of contact and friction of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Force per volume [N/m3].
    pub stiffness: f64,
    /// Force per rate of volume [N s/m3].
    pub damping: f64,
    /// Static and kinetic coefficient of friction [-].
    pub friction: [f64; 2],
}

/// Volume and area of a contact, and its relative velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressed {
    /// Unit normal: the direction in which the body is pushed.
    pub normal: Vec3,
    /// Volume of penetration [m3].
    pub volume: f64,
    /// Component of the push across the normal [m3], see `overlap`.
    pub aside: Vec3,
    /// Area [m2].
    pub area: f64,
    /// Velocity of the body relative to the other [m/s].
    pub velocity: Vec3,
}

impl Law {
    /// Force on the body [N], after a step of `tau` [s]. Dampers do not pull, unlike the printed ones.
    pub fn push(&self, p: &Pressed, stick: &mut Stick, tau: f64) -> Vec3 {
        let force = self.stiffness * p.volume - self.damping * p.area * p.velocity.dot(p.normal);
        if force <= 0.0 {
            *stick = Stick::default();
            return Vec3::ZERO;
        }
        let [hold, slip] = self.friction;
        // forces along the normal alone would not be the gradient of an energy
        let mut push = p.normal * force + p.aside * self.stiffness;
        if hold > 0.0 {
            // as stiff and as damped along the surface as across it
            let law = Rubbing { stiffness: self.stiffness * p.area, damping: self.damping * p.area, hold, slide: slip };
            push += slide(stick, p.normal, p.velocity, tau, force, &law);
        }
        push
    }
}

impl Lattice {
    /// Fail if the body is crushed: deeper in an obstacle than half a cell, and for longer than an impact lasts.
    /// Contact is then no stiffer than the body, which penetrates instead of being compressed.
    pub(in crate::lattice) fn check_pressed(&mut self, around: &Surroundings<'_>, time: f64) -> Result<(), StepError> {
        let half = 0.5 * self.grain;
        let deep = |touch: &&Touch| touch.key[2] != POINT && touch.depth > half;
        let LatticeState { touches, pressed, .. } = &mut self.state;
        let Some(deepest) = touches.iter().filter(deep).max_by(|a, b| a.depth.total_cmp(&b.depth)) else {
            *pressed = 0.0;
            return Ok(());
        };
        *pressed += around.dt;
        if *pressed <= self.patience {
            return Ok(());
        }
        Err(StepError::Crushed {
            body: self.name.clone(),
            obstacle: around.obstacles[deepest.key[0] as usize].params.name.clone(),
            time,
            depth: deepest.depth,
            long: *pressed,
            cell: self.grain,
        })
    }

    /// Find the facets that may touch obstacles during the world step.
    pub(in crate::lattice) fn find_candidates(&mut self, around: &Surroundings<'_>) {
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

    /// Add contact forces of obstacles at the end of a trial step of `tau` [s], at fraction `f` of the world step.
    pub(in crate::lattice) fn touch(&mut self, around: &Surroundings<'_>, f: f64, tau: f64) {
        let own = self.friction();
        let Lattice { matter, settings, state, scratch, contact, grain, .. } = self;
        let Scratch { next, touches, candidates, outline, near, inverse, unseen, .. } = scratch;
        touches.clear();
        let by = |index: u32| {
            let obstacle = &around.obstacles[index as usize];
            let kinetic = obstacle.friction_with(own).coefficient;
            let law = Law { friction: [kinetic * settings.static_friction, kinetic], ..*contact };
            let (from, inverse) = (&state.motion.places[..], &inverse[..]);
            Presser { obstacle, before: &state.touches, from, inverse, law, f, dt: around.dt, tau }
        };
        let (mut last, mut pose) = (u32::MAX, Pose::IDENTITY);
        for &[index, facet] in candidates.iter() {
            let (presser, shape) = (by(index), &around.obstacles[index as usize].params.shape);
            if index != last {
                (last, pose) = (index, presser.obstacle.sweep.at(f));
                let faces = shape.faces().iter().map(|face| face.map(|corner| pose.transform_point(corner)));
                let faces = faces.zip(shape.turns()).map(|(face, turns)| Face::new(face, *turns));
                outline.clear();
                outline.extend(faces.map(|face| (face, box_around(&face.corners, 0.0))));
            }
            let ids = matter.facets[facet as usize].map(|n| n as usize);
            let corners = ids.map(|n| next.places[n]);
            let plane = matches!(shape.kind(), ShapeKind::Plane);
            let above = |corner: &Vec3| (*corner - pose.translation).dot(pose.rotation * Vec3::Z) > 0.0;
            if plane && corners.iter().all(above) {
                continue;
            }
            if shape.faces().is_empty() {
                let surface = |point: Vec3, reach: f64| {
                    shape.surface_near(&pose, point, reach).map(|face| (face.distance, face.normal))
                };
                let mut part = 0;
                let fineness = Fineness { plane, ..Fineness::default() };
                sink(&corners, &fineness, surface, |sunk| {
                    touches.push(presser.press([index, facet, part], ids, &Patch::of_sunk(&corners, &sunk), next));
                    part += 1;
                });
                continue;
            }
            // plane faces against plane facets: the volume between them is known exactly
            let deepest = DEEPEST * shape.thickness();
            let (own, bounds) =
                (Face::new(corners, matter.turns[facet as usize]), box_around(&corners, deepest.min(*grain)));
            for (n, (other, _)) in outline.iter().enumerate().filter(|(_, (_, other))| meet(&bounds, other)) {
                let Some(o) = overlap(&own, other, deepest) else { continue };
                touches.push(presser.press([index, facet, n as u32], ids, &Patch::of_overlap(&corners, &o), next));
            }
        }
        if let Some(PointContact { radius, stiffness, damping }) = settings.point_contact {
            for &index in near.iter() {
                let mut presser = by(index as u32);
                presser.law = Law { stiffness, damping, ..presser.law };
                let pose = presser.obstacle.sweep.at(f);
                for n in matter.points.iter().map(|n| *n as usize) {
                    let place = next.places[n];
                    let Some(face) = presser.obstacle.params.shape.surface_near(&pose, place, radius) else { continue };
                    let depth = radius - face.distance;
                    if depth <= 0.0 {
                        continue;
                    }
                    let patch = Patch::of_point(place - face.normal * radius, face.normal, depth);
                    touches.push(presser.press([index as u32, n as u32, POINT], [n; 3], &patch, next));
                }
            }
        }
        touches.sort_unstable_by_key(|touch| touch.key);
        let begun: f64 = touches.iter().map(|touch| touch.unseen).sum();
        let gone = |touch: &&Touch| touches.binary_search_by_key(&touch.key, |now| now.key).is_err();
        let ended = state.touches.iter().filter(gone).map(|touch| {
            let [_, n, part] = touch.key;
            let ids = if part == POINT { [n; 3] } else { matter.facets[n as usize] };
            let moved: Vec3 = ids.iter().map(|n| next.places[*n as usize] - state.motion.places[*n as usize]).sum();
            let velocity = around.obstacles[touch.key[0] as usize].sweep.velocity_of(touch.place, f, around.dt);
            let way = (moved / 3.0 - velocity * tau).dot(touch.normal);
            let free = ids.iter().filter(|n| inverse[**n as usize] > 0.0).count() as f64 / 3.0;
            // as for a contact that begins
            0.5 * free * touch.force.dot(touch.normal) * (way - touch.depth).max(0.0)
        });
        *unseen = ended.sum::<f64>() - begun;
    }
}

/// A part of a surface inside an obstacle.
struct Patch {
    place: Vec3,
    normal: Vec3,
    volume: f64,
    aside: Vec3,
    area: f64,
    depth: f64,
    /// Weights of the particles in the point where it is pushed.
    parts: [f64; 3],
}

impl Patch {
    fn of_sunk(corners: &[Vec3; 3], sunk: &Sunk) -> Patch {
        let Sunk { parts, normal, volume, area, deepest: depth, .. } = *sunk;
        Patch { place: blend(corners, &parts), normal, volume, aside: Vec3::ZERO, area, depth, parts }
    }

    fn of_overlap(corners: &[Vec3; 3], overlap: &Overlap) -> Patch {
        let Overlap { on_x: parts, normal, volume, aside, area, deepest: depth, .. } = *overlap;
        Patch { place: blend(corners, &parts), normal, volume, aside, area, depth, parts }
    }

    /// The patch of a point, with unit area: its depth is its volume.
    fn of_point(place: Vec3, normal: Vec3, depth: f64) -> Patch {
        Patch { place, normal, volume: depth, aside: Vec3::ZERO, area: 1.0, depth, parts: [1.0, 0.0, 0.0] }
    }
}

/// An obstacle in contact at a fraction of the world step.
struct Presser<'a> {
    obstacle: &'a Obstacle,
    /// Contacts of the previous step, sorted.
    before: &'a [Touch],
    /// Positions of the particles then [m].
    from: &'a [Vec3],
    /// Inverse masses [1/kg]; zero for particles held by a gripper.
    inverse: &'a [f64],
    law: Law,
    f: f64,
    dt: f64,
    tau: f64,
}

impl Presser<'_> {
    /// Apply the contact force of a patch to particles `ids`.
    fn press(&self, key: [u32; 3], ids: [usize; 3], patch: &Patch, next: &mut Motion) -> Touch {
        let Patch { place, normal, volume, aside, area, depth, parts } = *patch;
        let own = blend(&ids.map(|n| next.velocities[n]), &parts);
        let carried = self.obstacle.sweep.velocity_of(place, self.f, self.dt);
        let velocity = own - carried;
        let found = self.before.binary_search_by_key(&key, |touch| touch.key);
        let mut stick = found.map_or(Stick::default(), |n| self.before[n].stick);
        let force = self.law.push(&Pressed { normal, volume, aside, area, velocity }, &mut stick, self.tau);
        ids.into_iter().zip(parts).for_each(|(n, part)| next.forces[n] += force * part);
        let begun = found.is_err() && self.tau > 0.0;
        let unseen = if begun { self.unseen(ids, patch, force.dot(normal), next) } else { 0.0 };
        Touch { key, stick, place, normal, force, depth, parts, carried, unseen }
    }

    /// Excess of the trapezoidal rule over the work of a contact that began in the step [J]. With a force f at the end,
    /// f_e of it elastic, a travel w into the obstacle and a final depth d, the contact has absorbed f_e d / 2 plus the
    /// damper's work over d; the rule, which does not see when contact began, gives f w / 2.
    fn unseen(&self, ids: [usize; 3], patch: &Patch, force: f64, next: &Motion) -> f64 {
        let Patch { place, normal, volume, depth, parts, .. } = *patch;
        let own = blend(&ids.map(|n| next.places[n] - self.from[n]), &parts);
        let carried = self.obstacle.sweep.velocity_of(place, self.f, self.dt);
        let way = -(own - carried * self.tau).dot(normal);
        let free: f64 = ids.iter().zip(parts).filter(|(n, _)| self.inverse[**n] > 0.0).map(|(_, part)| part).sum();
        // if the depth exceeds the travel, contact existed before under another key
        if way <= depth {
            return 0.0;
        }
        let elastic = (self.law.stiffness * volume).min(force);
        free * (0.5 * elastic * (way - depth) + (force - elastic) * (0.5 * way - depth))
    }
}

stored!(Touch { key, stick, place, normal, force, depth, parts, carried, unseen });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ObstacleParams, Shape};
    use crate::random::Random;

    const LAW: Law = Law { stiffness: 1e6, damping: 2e3, friction: [0.6, 0.4] };

    fn pressed(volume: f64, velocity: Vec3) -> Pressed {
        Pressed { normal: Vec3::Z, volume, aside: Vec3::ZERO, area: 2e-3, velocity }
    }

    /// The force is K V - D A v, along the normal, and never pulls.
    #[test]
    fn surfaces_push_and_never_pull() {
        let smooth = Law { friction: [0.0; 2], ..LAW };
        for (volume, speed) in [(1e-6, 0.0), (1e-6, -0.1), (1e-6, 0.1), (1e-6, 1.0), (0.0, 0.1)] {
            let force = smooth.push(&pressed(volume, Vec3::new(3.0, 0.0, speed)), &mut Stick::default(), 1e-3);
            let expected = (1e6 * volume - 2e3 * 2e-3 * speed).max(0.0);
            assert!((force - Vec3::Z * expected).length() < 1e-12, "{force} instead of {expected}");
        }
        // without a push nothing sticks
        let mut stick = Stick { offset: Vec3::X, sliding: true };
        assert_eq!(LAW.push(&pressed(1e-6, Vec3::Z), &mut stick, 1e-3), Vec3::ZERO);
        assert_eq!(stick, Stick::default());
    }

    /// Friction acts along the surface, against the motion, and within the cone of the static coefficient.
    #[test]
    fn friction_is_within_its_cone() {
        let (mut random, mut stick) = (Random(51), Stick::default());
        for _ in 0..1000 {
            let velocity = random.vector() * Vec3::new(1.0, 1.0, 0.0);
            let force = LAW.push(&pressed(1e-6, velocity), &mut stick, 1e-3);
            assert!((force.z - 1.0).abs() < 1e-12);
            assert!(force.truncate().length() <= 0.6 * force.z * (1.0 + 1e-12));
        }
        // in steady sliding it is the kinetic one, against the motion
        let mut stick = Stick::default();
        let mut last = Vec3::ZERO;
        (0..2000).for_each(|_| last = LAW.push(&pressed(1e-6, Vec3::X), &mut stick, 1e-3));
        assert!((last - Vec3::new(-0.4, 0.0, 1.0)).length() < 1e-9, "{last}");
    }

    /// What the trapezoidal rule gives beyond the work of a contact that began in the step, against the integral over it in small parts.
    #[test]
    fn the_excess_of_a_contact_that_begins_is_that_of_the_integral() {
        let Ok(shape) = Shape::new(ShapeKind::Plane) else { unreachable!("a plane is") };
        let floor = Obstacle::new(ObstacleParams::fixed("floor", shape, Pose::IDENTITY), 0.0);
        let (way, depth, tau) = (3e-3, 1e-3, 1e-3);
        let from = [Vec3::Z * (way - depth); 3];
        for (elastic, damped) in [(4.0, 0.0), (4.0, 1.5), (0.0, 2.0)] {
            // a patch of unit volume per depth, pressed by a spring that ends at `elastic` and a damper that gives `damped` throughout
            let law = Law { stiffness: elastic / depth, damping: 0.0, friction: [0.0; 2] };
            let patch = Patch::of_point(Vec3::Z * -depth, Vec3::Z, depth);
            let mut next = Motion::resting(vec![Vec3::Z * -depth; 3]);
            next.velocities = vec![Vec3::Z * (-way / tau); 3];
            let presser =
                Presser { obstacle: &floor, before: &[], from: &from, inverse: &[1.0; 3], law, f: 1.0, dt: tau, tau };
            let found = presser.unseen([0, 1, 2], &patch, elastic + damped, &next);
            let parts = 100_000;
            let work: f64 = (0..parts)
                .map(|n| {
                    let sunk = (f64::from(n) + 0.5) / f64::from(parts) * way - (way - depth);
                    let force = if sunk > 0.0 { elastic * sunk / depth + damped } else { 0.0 };
                    force * way / f64::from(parts)
                })
                .sum();
            let expected = 0.5 * (elastic + damped) * way - work;
            // midpoints are exact but for the part in which contact begins
            assert!((found - expected).abs() < (elastic + damped) * way / f64::from(parts), "{found} {expected}");
        }
    }
}
