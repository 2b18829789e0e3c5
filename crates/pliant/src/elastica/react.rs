//! A planar rod in contact with bodies of other models. It is immovable out of its plane, which bears all forces along
//! its normal.

use super::Elastica;
use super::equations::Push;
use crate::math::Vec3;
use crate::react::{Beam, Giving, Nodes, Skin, Spot};

impl Elastica {
    pub(crate) fn skin(&self) -> Skin<'_> {
        let plane = Some(self.plane.normal());
        Skin { radius: self.rod.radius, friction: self.rod.friction, facets: None, plane }
    }

    pub(crate) fn show(&self, nodes: &mut Nodes) {
        for node in &self.scratch.at.nodes {
            nodes.add(self.plane.lift_point(node.place), self.plane.lift(node.velocity));
        }
    }

    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        // estimate for the lightest and softest interval, which yields most
        let least = |of: &mut dyn Iterator<Item = f64>| of.fold(f64::INFINITY, f64::min);
        let line_mass = least(&mut self.rod.masses.iter().map(|m| m.iter().sum::<f64>())) / self.rod.h;
        let rigidity = least(&mut self.rod.bending.iter().copied()) * self.rod.h;
        let (nodes, spacing) = (self.rod.intervals() + 1, self.rod.h);
        giving.add_beam(&Beam { nodes, spacing, line_mass, rigidity, stretching: 0.0, between: 1.0 }, dt);
    }

    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        let Spot::Along { segment: interval, fraction } = spot else { return };
        let force = self.plane.direction(force);
        self.scratch.pushes.push(Push { interval, fraction, force, moment: 0.0 });
    }
}
