//! What a rod tells of itself: shape, frames, forces and moments, energies, contacts.

use super::joint::strain;
use super::touch::Touch;
use super::{Xpbd, stored};
use crate::body::{PARTING_GAP, Surroundings};
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy, Other};
use crate::linkage::{FIELDS, write_nodes};
use crate::math::Vec3;

impl Xpbd {
    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let mut energy = Energy { elastic: self.state.held_energy, ..Energy::default() };
        let moving = self.state.velocities.iter().zip(&self.state.turnings);
        for (pose, (v, w)) in self.state.poses.iter().zip(moving) {
            energy.kinetic += 0.5 * self.links.mass * v.length_squared() + 0.5 * w.dot(self.links.inertia * *w);
            energy.gravity -= self.links.mass * gravity.dot(pose.translation);
        }
        for pair in self.state.poses.windows(2) {
            let e = strain(&pair[0], &pair[1], self.links.arms());
            energy.elastic += stored(self.links.compliance[0], e[0]) + stored(self.links.compliance[1], e[1]);
        }
        energy
    }

    /// Copy out all that can be seen.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let poses = &self.state.poses;
        let count = poses.len();
        write_nodes(poses, self.links.length, frame);
        frame.energy = self.energy(gravity);
        for (k, field) in frame.fields.iter_mut().enumerate() {
            field.values.clear();
            field.values.extend((0..=count).map(|i| {
                // the ends of the rod are free or held: they show what the joint next to them carries
                let [force, moment] = &self.state.loads[i.clamp(1, count - 1) - 1];
                match k {
                    0 => force.x,
                    1 => force.y.hypot(force.z),
                    2 => moment.y.hypot(moment.z),
                    3 => moment.x,
                    _ => 0.0,
                }
            }));
        }
        self.write_contact_force(&mut frame.fields[FIELDS.len() - 1].values);
    }

    /// Each link shares its contact force among the two nodes it lies between.
    fn write_contact_force(&self, values: &mut [f64]) {
        let mut carried = Vec3::ZERO;
        let mut touches = self.state.touches.iter().peekable();
        for (i, value) in values.iter_mut().enumerate() {
            let mut own = Vec3::ZERO;
            while let Some(touch) = touches.next_if(|t| t.link == i) {
                own += touch.force;
            }
            *value = 0.5 * (carried + own).length();
            carried = own;
        }
    }

    pub(crate) fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        for touch in &self.state.touches {
            let (distance, position) = self.distance(touch, obstacles);
            let penetration = self.links.radius - distance;
            if touch.force != Vec3::ZERO || penetration > 0.0 {
                let (obstacle, normal, force) = (touch.obstacle, touch.normal, touch.force);
                contacts.push(Contact {
                    body: index,
                    other: Other::Obstacle(obstacle),
                    position,
                    normal,
                    force,
                    penetration,
                });
            }
        }
    }

    /// Distance of a point from an obstacle at the end of the step, and where the obstacle is nearest.
    fn distance(&self, touch: &Touch, obstacles: &[Obstacle]) -> (f64, Vec3) {
        let obstacle = &obstacles[touch.obstacle];
        let point = self.state.poses[touch.link].transform_point(Vec3::X * touch.s);
        let face = obstacle.params.shape.surface_near(&obstacle.sweep.end, point, f64::MAX);
        face.map_or((f64::INFINITY, point), |f| (f.distance, f.point))
    }

    /// Tell which obstacles the rod began or ceased to touch.
    pub(super) fn note_touching(&mut self, around: &mut Surroundings<'_>) {
        let mut touched = std::mem::take(&mut self.state.touched);
        let touches = |obstacle: usize| self.state.touches.iter().filter(move |t| t.obstacle == obstacle);
        // contact begins with a force and ends clearly away, so that what rests does not chatter
        let (reach, obstacles) = ((1.0 + PARTING_GAP) * self.links.radius, around.obstacles);
        let stays = |obstacle| touches(obstacle).any(|t| self.distance(t, obstacles).0 < reach);
        let begins = |obstacle| touches(obstacle).any(|t| t.force != Vec3::ZERO);
        around.note_touching(&mut touched, around.near, stays, begins);
        self.state.touched = touched;
    }
}
