//! What a cable tells of itself: shape, frames, forces and moments, energies.

use super::{Cable, CableState};
use crate::body::Surroundings;
use crate::cable::algebra::block::Vec6;
use crate::cable::contact::obstacles::PastTouch;
use crate::cable::joint::strain;
use crate::cable::links::jointed;
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy, Event, EventKind};
use crate::linkage::Touching;
use crate::math::Vec3;

impl Cable {
    /// Strain of each joint.
    pub(super) fn strains(&self) -> impl Iterator<Item = Vec6> {
        let arms = self.links.arms();
        jointed(&self.state.links.poses, self.links.rest.len()).map(move |(a, b)| strain(a, b, arms))
    }

    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let mut energy = Energy::default();
        let links = &self.state.links;
        for (pose, v) in links.poses.iter().zip(&links.velocities) {
            energy.kinetic += (0..6).map(|k| 0.5 * self.links.inertia[k] * v[k] * v[k]).sum::<f64>();
            energy.gravity -= self.links.inertia[0] * gravity.dot(pose.translation);
        }
        let stored = |k: &Vec6, e: &Vec6| (0..6).map(|i| 0.5 * k[i] * e[i] * e[i]).sum::<f64>();
        for (e, rest) in self.strains().zip(&self.links.rest) {
            energy.elastic += stored(&self.links.stiffness, &std::array::from_fn(|k| e[k] - rest[k]));
        }
        energy.elastic += self.state.held_energy;
        energy
    }

    /// Copy out all that can be seen.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let line = self.line();
        line.write_nodes(frame);
        let load = |joint: usize| {
            let [x, y, z, about_x, about_y, about_z] = self.state.loads[joint];
            [Vec3::new(x, y, z), Vec3::new(about_x, about_y, about_z)]
        };
        line.write_fields(load, |link| self.state.links.pushed[link], frame);
        frame.energy = self.energy(gravity);
    }

    pub(crate) fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        let touches = self.state.links.touches.iter().map(|t| touching(t, self.links.length));
        self.line().write_contacts(index, touches, obstacles, contacts);
    }

    /// Tell when tension or curvature goes beyond its limit; and again after it was clearly within.
    pub(super) fn note_limits(&mut self, around: &mut Surroundings<'_>) {
        const CLEARLY: f64 = 0.95;
        let (time, body) = (around.time + around.dt, around.body);
        let arms = self.links.arms();
        let poses = &self.state.links.poses;
        let curvature = |joint: usize| {
            let e = strain(&poses[joint], &poses[(joint + 1) % poses.len()], arms);
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
        let CableState { links, touched, .. } = &mut self.state;
        let touches = links.touches.iter().map(|t| touching(t, self.links.length));
        self.links.line(&links.poses).note_touching(touches, touched, &self.scratch.near, around);
    }
}

fn touching(touch: &PastTouch, length: f64) -> Touching {
    let PastTouch { link, obstacle, normal, force, .. } = *touch;
    Touching { link, s: touch.along_link(length), obstacle, normal, force }
}
