//! A rod of this model in contact with bodies of other models.

use super::Xpbd;
use crate::linkage::Push;
use crate::math::Vec3;
use crate::react::{Beam, Giving, Nodes, Skin, Spot};

impl Xpbd {
    pub(crate) fn skin(&self) -> Skin<'_> {
        Skin { radius: self.links.radius, friction: self.links.friction, facets: None, plane: None }
    }

    pub(crate) fn show(&self, nodes: &mut Nodes) {
        let moving = |i: usize| (self.state.velocities[i], self.state.turnings[i]);
        self.line().show_nodes(moving, nodes);
    }

    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        let (spacing, line_mass) = (self.links.length, self.links.mass / self.links.length);
        let rigidity = spacing / self.links.compliance[1].max_element();
        let stretching = spacing / self.links.compliance[0].x;
        giving.add_beam(&Beam { nodes: self.size() + 1, spacing, line_mass, rigidity, stretching, between: 1.0 }, dt);
    }

    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        self.scratch.pushes.extend(Push::at_spot(spot, force, self.links.length));
    }
}
