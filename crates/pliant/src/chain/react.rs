//! A chain as bodies of other models meet it.

use super::Chain;
use crate::lanes::get;
use crate::math::Vec3;
use crate::react::{Beam, Giving, Nodes, Skin, Spot};

impl Chain {
    pub(crate) fn skin(&self) -> Skin<'_> {
        Skin { radius: self.radius, friction: self.friction, facets: None, plane: None }
    }

    pub(crate) fn show(&self, nodes: &mut Nodes) {
        for i in 0..self.size() {
            nodes.add(self.point(i), get(&self.state.update.step, i) / self.state.tau);
        }
    }

    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        let e = &self.constants.elasticity;
        let mass = e.masses.as_flattened()[1.min(e.points - 1)];
        match self.constants.scaling {
            // without inertia a force is a velocity, which it reaches at once: as a mass would within the step
            Some(scaling) => {
                let mass = dt * (1.0 - self.constants.update.history) / (scaling * self.constants.rate);
                (0..e.points).for_each(|_| giving.add(mass, 1.0 / mass));
            }
            None => {
                let rigidity = e.bending.tangent(0.0, e.segment) * e.segment;
                let (nodes, spacing) = (e.points, e.segment);
                giving.add_beam(&Beam { nodes, spacing, line_mass: mass / e.segment, rigidity, between: 1.0 }, dt);
            }
        }
    }

    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        let Spot::Along { segment, fraction } = spot else { return };
        self.scratch.holders.push(segment, fraction, force);
    }
}
