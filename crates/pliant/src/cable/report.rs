//! What a cable tells of itself: shape, frames, forces and moments, energies.

use super::Cable;
use super::block::Vec6;
use super::joint::strain;
use super::search::Touched;
use crate::body::{PARTING_GAP, Surroundings};
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy, Event, EventKind, Other};
use crate::linkage::{FIELDS, write_nodes};
use crate::math::Vec3;

impl Cable {
    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let mut energy = Energy::default();
        let links = &self.state.links;
        for (pose, v) in links.poses.iter().zip(&links.velocities) {
            energy.kinetic += (0..6).map(|k| 0.5 * self.links.inertia[k] * v[k] * v[k]).sum::<f64>();
            energy.gravity -= self.links.inertia[0] * gravity.dot(pose.translation);
        }
        let arms = self.links.arms();
        let stored = |k: &Vec6, e: &Vec6| (0..6).map(|i| 0.5 * k[i] * e[i] * e[i]).sum::<f64>();
        for (pair, rest) in links.poses.windows(2).zip(&self.links.rest) {
            let e = strain(&pair[0], &pair[1], arms);
            energy.elastic += stored(&self.links.stiffness, &std::array::from_fn(|k| e[k] - rest[k]));
        }
        energy.elastic += self.state.held_energy;
        energy
    }

    /// Copy out all that can be seen.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let links = &self.state.links;
        let poses = &links.poses;
        let count = poses.len();
        write_nodes(poses, self.links.length, frame);
        frame.energy = self.energy(gravity);
        for (k, field) in frame.fields.iter_mut().enumerate() {
            field.values.clear();
            field.values.extend((0..=count).map(|i| {
                // the ends of the cable are free or held: they show what the joint next to them carries
                let load = &self.state.loads[i.clamp(1, count - 1) - 1];
                match k {
                    0 => load[0],
                    1 => load[1].hypot(load[2]),
                    2 => load[4].hypot(load[5]),
                    3 => load[3],
                    _ => 0.0,
                }
            }));
        }
        // each link shares its contact force among the two nodes it lies between
        let values = &mut frame.fields[FIELDS.len() - 1].values;
        for (i, value) in values.iter_mut().enumerate() {
            let pushed = |link: Option<&Vec3>| link.copied().unwrap_or_default();
            *value = 0.5 * (pushed(i.checked_sub(1).map(|j| &links.pushed[j])) + pushed(links.pushed.get(i))).length();
        }
    }

    pub(crate) fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        for touch in &self.state.links.touches {
            let (distance, position) = self.distance(touch, obstacles);
            let penetration = self.links.radius - distance;
            if touch.force != Vec3::ZERO || penetration > 0.0 {
                let (other, normal, force) = (Other::Obstacle(touch.obstacle), touch.normal, touch.force);
                contacts.push(Contact { body: index, other, position, normal, force, penetration });
            }
        }
    }

    /// Distance of the axis of a link from an obstacle at the end of the step, and where the obstacle is nearest.
    fn distance(&self, touch: &Touched, obstacles: &[Obstacle]) -> (f64, Vec3) {
        let obstacle = &obstacles[touch.obstacle];
        let point = self.state.links.poses[touch.link].transform_point(Vec3::X * touch.s);
        let face = obstacle.params.shape.surface_near(&obstacle.sweep.end, point, f64::MAX);
        face.map_or((f64::INFINITY, point), |f| (f.distance, f.point))
    }

    /// Tell when tension or curvature goes beyond its limit; and again after it was clearly within.
    pub(super) fn note_limits(&mut self, around: &mut Surroundings<'_>) {
        const CLEARLY: f64 = 0.95;
        let (time, body) = (around.time + around.dt, around.body);
        let arms = self.links.arms();
        let poses = &self.state.links.poses;
        let curvature = |joint: usize| {
            let e = strain(&poses[joint], &poses[joint + 1], arms);
            e[4].hypot(e[5]) / self.links.length
        };
        for (kind, limit) in self.limits.into_iter().enumerate().filter(|(_, limit)| limit.is_finite()) {
            let value = |joint: usize| if kind == 0 { self.state.loads[joint][0] } else { curvature(joint) };
            let most =
                (0..self.state.loads.len()).map(|joint| (joint, value(joint))).max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((joint, most)) = most else { continue };
            let node = joint + 1;
            if most > limit && !self.state.beyond[kind] {
                self.state.beyond[kind] = true;
                let kind =
                    if kind == 0 { EventKind::OverTension { body, node } } else { EventKind::OverBend { body, node } };
                around.events.push(Event { time, kind });
            } else if most < CLEARLY * limit {
                self.state.beyond[kind] = false;
            }
        }
    }

    /// Tell which obstacles the cable began or ceased to touch.
    pub(super) fn note_touching(&mut self, around: &mut Surroundings<'_>) {
        let mut touched = std::mem::take(&mut self.state.touched);
        let touches = |obstacle: usize| self.state.links.touches.iter().filter(move |t| t.obstacle == obstacle);
        // contact begins with a force and ends clearly away, so that what rests does not chatter
        let (reach, obstacles) = ((1.0 + PARTING_GAP) * self.links.radius, around.obstacles);
        let stays = |obstacle| touches(obstacle).any(|t| self.distance(t, obstacles).0 < reach);
        let begins = |obstacle| touches(obstacle).any(|t| t.force != Vec3::ZERO);
        around.note_touching(&mut touched, &self.scratch.near, stays, begins);
        self.state.touched = touched;
    }
}
