//! Contact of a cable with bodies of other models.

use super::Cable;
use crate::linkage::Push;
use crate::math::Vec3;
use crate::react::{Beam, Giving, Nodes, Skin, Spot};

impl Cable {
    pub(crate) fn skin(&self) -> Skin<'_> {
        Skin { radius: self.links.radius, friction: self.links.friction, facets: None, plane: None }
    }

    pub(crate) fn show(&self, nodes: &mut Nodes) {
        let links = &self.state.links;
        let moving = |i: usize| {
            let [x, y, z, turn_x, turn_y, turn_z] = links.velocities[i];
            (Vec3::new(x, y, z), Vec3::new(turn_x, turn_y, turn_z))
        };
        self.line().show_nodes(moving, nodes);
    }

    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        let (spacing, line_mass) = (self.links.length, self.links.inertia[0] / self.links.length);
        let rigidity = self.links.stiffness[4].min(self.links.stiffness[5]) * spacing;
        let stretching = self.links.stiffness[0] * spacing;
        giving.add_beam(&Beam { nodes: self.size() + 1, spacing, line_mass, rigidity, stretching, between: 1.0 }, dt);
    }

    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        self.scratch.pushes.extend(Push::at_spot(spot, force, self.links.length));
    }
}
