//! Results of an arm: places of its links, energies.

use super::Arm;
use crate::account::Bound;
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy, JointFrame, Other};
use crate::material::Friction;
use crate::math::Vec3;
use crate::moments::Moments;
use crate::motion::Drive;
use crate::react::{Giving, Nodes, Skin, Spot};

impl Arm {
    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        Energy { kinetic: self.scratch.kinetic, elastic: 0.0, gravity: -gravity.dot(self.scratch.moment) }
    }

    /// Mass of all links [kg].
    pub fn mass(&self) -> f64 {
        self.model.mass()
    }

    /// Energy in contacts and holds [J]: holds belong to what is held.
    pub(crate) fn stored(&self) -> f64 {
        0.0
    }

    /// Bound on the energy that a step may create.
    pub(crate) fn may_create(&self) -> Bound {
        let why = "the midpoint rule of Lagrange's equations with differences in place of derivatives; what quadrature and Newton's method leave is \
                   taken from the motion";
        Bound { part: 1e-6, held: 0.0, contacts: self.scratch.step.touches.given, why }
    }

    /// Mass, centre of mass and inertia with its joints as they stand, in the world.
    pub(crate) fn moments(&self) -> Moments {
        self.scratch.kinematics.moments(&self.model)
    }

    /// The outline that other models meet: none, its links are obstacles.
    pub(crate) fn skin(&self) -> Skin<'_> {
        Skin { radius: 0.0, friction: Friction::NONE, facets: Some(&[]), plane: None }
    }

    /// The origins of its links.
    pub(crate) fn show(&self, nodes: &mut Nodes) {
        for link in 0..self.model.links().len() {
            let (velocity, _) = self.scratch.kinematics.velocity(&self.model, link, Vec3::ZERO);
            nodes.add(self.link(link).translation, velocity);
        }
    }

    pub(crate) fn give_way(&self, _: f64, giving: &mut Giving) {
        for _ in 0..self.model.links().len() {
            giving.add(self.mass(), 0.0);
        }
    }

    pub(crate) fn push(&mut self, _: Spot, _: Vec3) {}

    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        frame.frames.clear();
        frame.frames.extend((0..self.model.links().len()).map(|link| self.link(link).rotation));
        frame.fields.clear();
        frame.energy = self.energy(gravity);
        let (joints, first, position) = (&self.state.joints, self.model.first_joint(), self.model.first_position());
        frame.joints.extend((0..self.size()).map(|i| JointFrame {
            position: joints.q[position + i],
            speed: joints.v[first + i],
            torque: self.state.torques[first + i],
        }));
    }

    pub(crate) fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        contacts.extend(self.state.touches.iter().filter(|touch| touch.force != Vec3::ZERO).map(|touch| Contact {
            body: index,
            other: Other::Obstacle(touch.obstacle()),
            position: touch.position,
            normal: touch.normal,
            force: touch.force,
            penetration: touch.depth,
            along: None,
        }));
        let met = self.state.meets.iter().filter(|touch| touch.force != Vec3::ZERO);
        contacts.extend(met.filter_map(|touch| {
            let Drive::Carried { arm, .. } = obstacles[touch.obstacle()].drive else { return None };
            Some(Contact {
                body: index,
                other: Other::Body(arm),
                position: touch.position,
                normal: touch.normal,
                force: touch.force,
                penetration: touch.depth,
                along: None,
            })
        }));
    }
}
