//! A chain in contact with bodies of other models.

use super::Chain;
use crate::lanes::{Row, Rows, add, get};
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
            // without inertia a force gives a velocity at once: the mass that would reach it within the step
            Some(scaling) => {
                let mass = dt * (1.0 - self.constants.update.history) / (scaling * self.constants.rate);
                (0..e.points).for_each(|_| giving.add(mass, 1.0 / mass));
            }
            None => {
                let rigidity = e.bending.tangent(0.0, e.segment) * e.segment;
                let (nodes, spacing, stretching) = (e.points, e.segment, e.contraction);
                giving.add_beam(
                    &Beam { nodes, spacing, line_mass: mass / e.segment, rigidity, stretching, between: 1.0 },
                    dt,
                );
            }
        }
    }

    pub(crate) fn push(&mut self, spot: Spot, force: Vec3) {
        let Spot::Along { segment, fraction } = spot else { return };
        self.scratch.holders.push(segment, fraction, force);
        for point in [segment, segment + 1] {
            if self.scratch.calmed.last().is_none_or(|last| *last < point) {
                self.scratch.calmed.push(point);
            }
        }
    }
}

/// Fraction of its oscillation against its neighbours that a point pushed by another body loses in a world step.
const CALMED: f64 = 0.2;

/// Damp oscillations of points against the mean of their neighbours. A chain has no damping of its own, and contact
/// forces that are constant over a world step would amplify oscillations of about that period. The three forces sum to
/// zero.
pub fn calm(points: &[usize], masses: &Row, step: &Rows, per_step: f64, force: &mut Rows) {
    for &i in points.iter().filter(|i| **i > 0 && masses.as_flattened().get(**i + 1).is_some_and(|m| *m > 0.0)) {
        let swing = get(step, i) - (get(step, i - 1) + get(step, i + 1)) * 0.5;
        let damper = swing * (-CALMED * per_step * masses.as_flattened()[i]);
        add(force, i, damper);
        add(force, i - 1, damper * -0.5);
        add(force, i + 1, damper * -0.5);
    }
}
