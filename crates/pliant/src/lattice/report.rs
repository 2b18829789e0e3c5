//! Results of a body: shape, energies, contacts.

use super::Lattice;
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy, Other};
use crate::math::Vec3;

/// Fields of a frame: name and unit.
const FIELDS: [(&str, &str); 1] = [("speed", "m/s")];

impl Lattice {
    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let motion = &self.state.motion;
        let mut energy = Energy { elastic: self.matter.elastic(&motion.places), ..Energy::default() };
        for ((mass, place), velocity) in self.matter.masses.iter().zip(&motion.places).zip(&motion.velocities) {
            energy.kinetic += 0.5 * mass * velocity.length_squared();
            energy.gravity -= mass * gravity.dot(*place);
        }
        energy
    }

    /// Write fields and energies into a frame that has the nodes already.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        frame.frames.clear();
        frame.set_fields(&FIELDS);
        frame.fields[0].values.clear();
        frame.fields[0].values.extend(self.state.motion.velocities.iter().map(|v| v.length()));
        let motion = &self.state.motion;
        frame.joints.extend(self.matter.joints.iter().map(|joint| joint.frame(&motion.places, &motion.velocities)));
        frame.energy = self.energy(gravity);
    }

    pub(crate) fn write_contacts(&self, index: usize, _obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        contacts.extend(self.state.told.iter().filter(|t| t.force != Vec3::ZERO).map(|t| Contact {
            body: index,
            other: Other::Obstacle(t.key[0] as usize),
            position: t.place,
            normal: t.normal,
            force: t.force,
            penetration: t.depth,
            along: None,
        }));
    }
}
