//! A solid in contact with bodies of other models.

use super::Lattice;
use super::holds::Push;
use crate::material::Friction;
use crate::math::Vec3;
use crate::react::{Giving, Nodes, Skin, Spot};

impl Lattice {
    pub(crate) fn skin(&self) -> Skin<'_> {
        Skin { radius: 0.0, friction: self.friction(), facets: Some(&self.matter.facets), plane: None }
    }

    /// Friction of its surface when it slides.
    pub(super) fn friction(&self) -> Friction {
        Friction { coefficient: self.contact.friction[1], exponent: 1.0 }
    }

    pub(crate) fn show(&self, nodes: &mut Nodes) {
        nodes.places.extend_from_slice(&self.state.motion.places);
        nodes.velocities.extend_from_slice(&self.state.motion.velocities);
    }

    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        // a particle swings back when its neighbours hold it: in a long step it hardly moves against them
        giving.alone = (2.0 * self.stable / dt).min(1.0);
        for (mass, inverse) in self.matter.masses.iter().zip(&self.scratch.inverse) {
            giving.add(*mass, *inverse);
        }
    }

    /// Forget what others pushed with: forces at the start of the step have it in them.
    pub(super) fn forget_pushes(&mut self) {
        for push in self.state.pushed.drain(..) {
            self.state.motion.forces[push.particle as usize] -= push.force;
        }
    }

    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        let Spot::Node(n) = spot else { return };
        self.state.motion.forces[n] += force;
        self.state.pushed.push(Push { particle: n as u32, force });
    }
}
