//! Results of a rod: shape, frames, forces and moments, energies, contacts.

use super::touch::Touch;
use super::{Xpbd, XpbdState};
use crate::account::{Bound, Work};
use crate::body::Surroundings;
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy};
use crate::linkage::Touching;
use crate::math::Vec3;

/// Fraction of the energy at play that a step may create.
const PART: f64 = 5e-2;

impl Xpbd {
    /// Energies [J]. The elastic one is what joints and holds have taken up and can give back; where sweeps solve the
    /// equations, it is that of the strains, and otherwise less.
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let held: f64 = self.state.held.iter().map(|(_, energy)| energy).sum();
        let mut energy = Energy { elastic: held + self.state.taken.iter().sum::<f64>(), ..Energy::default() };
        let moving = self.state.velocities.iter().zip(&self.state.turnings);
        for (pose, (v, w)) in self.state.poses.iter().zip(moving) {
            energy.kinetic += 0.5 * self.links.mass * v.length_squared() + 0.5 * w.dot(self.links.inertia * *w);
            energy.gravity -= self.links.mass * gravity.dot(pose.translation);
        }
        energy
    }

    /// Total mass [kg].
    pub(crate) fn mass(&self) -> f64 {
        self.links.mass * self.size() as f64
    }

    /// Work done on the body in the last step.
    pub(crate) fn work(&self) -> Work {
        self.scratch.work
    }

    /// Energy stored in contacts and holds [J]: none, as contacts are rigid and holds count as elastic energy.
    pub(crate) fn stored(&self) -> f64 {
        0.0
    }

    /// Bound on the energy that a step may create.
    pub(crate) fn may_create(&self) -> Bound {
        let why = "Euler's implicit rule takes from what sweeps reach, and joints give back what they have taken up; loads on links that turn \
                   within a substep are counted one by one; projections turn links by small angles, to second order";
        let Energy { kinetic, elastic, .. } = self.energy(Vec3::ZERO);
        // the same part of what weight gives before contacts take it back, within the step
        let contacts = self.scratch.unreached.min(kinetic + elastic) + PART * self.scratch.borne;
        Bound { part: PART, held: 0.0, contacts, why }
    }

    /// Write orientations, fields and energies into a frame that has the nodes already.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let line = self.line();
        line.write_frames(&mut frame.frames);
        let mut touches = self.state.touches.iter().peekable();
        let pushed = |link: usize| {
            let mut force = Vec3::ZERO;
            while let Some(touch) = touches.next_if(|t| t.link == link) {
                force += touch.force;
            }
            force
        };
        line.write_fields(|joint| self.state.loads[joint], &[None; 2], pushed, frame);
        frame.energy = self.energy(gravity);
    }

    pub(crate) fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        let touches = self.state.touches.iter().map(touching);
        self.line().write_contacts(index, touches, obstacles, contacts);
    }

    /// Report which obstacles the rod began or ceased to touch.
    pub(super) fn note_touching(&mut self, around: &mut Surroundings<'_>) {
        let XpbdState { poses, touches, touched, .. } = &mut self.state;
        let touches = touches.iter().map(touching);
        self.links.line(poses).note_touching(touches, touched, around.near, around);
    }
}

fn touching(touch: &Touch) -> Touching {
    let Touch { link, s, obstacle, normal, force, .. } = *touch;
    Touching { link, s, obstacle, normal, force }
}
