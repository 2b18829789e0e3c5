//! An elastic solid in contact with bodies of other models.

use super::Response;
use super::past::Past;
use super::rows::Dot;
use super::solid::Form;
use super::touch::{By, Spot, Touch};
use crate::math::Vec3;
use crate::react::{self, Giving, Nodes, Skin};

impl Response {
    pub(crate) fn skin(&self) -> Skin<'_> {
        Skin { radius: 0.0, friction: self.friction, facets: Some(&self.solid.shell.facets), plane: None }
    }

    pub(crate) fn show(&self, nodes: &mut Nodes) {
        self.write_surface(&mut nodes.places);
        let motion = &self.state.motion;
        let spin = motion.spin(&self.solid.inverse_inertia);
        for (node, place) in nodes.places.iter().enumerate() {
            let swinging = match (&self.state.past, &self.solid.form) {
                (Past::Modes { rates, .. }, Form::Modes(modes)) => {
                    let along = |axis: usize| self.kernel.run(Dot(modes.row(3 * node + axis), rates));
                    motion.turn * Vec3::new(along(0), along(1), along(2))
                }
                _ => Vec3::ZERO,
            };
            nodes.velocities.push(motion.velocity + spin.cross(*place - motion.place) + swinging);
        }
    }

    pub(crate) fn give_way(&self, dt: f64, giving: &mut Giving) {
        giving.alone = 1.0;
        let share = self.solid.mass / self.size() as f64;
        for node in 0..self.size() {
            if self.solid.firm.has(node) {
                giving.add(share, 0.0);
                continue;
            }
            // inverse of the free mass that a force would move equally far in a step
            let loose = match &self.answers.dense {
                Some(dense) if self.takes_force(node as u32) => {
                    let block = dense.block(node, node);
                    2.0 * (block.col(0).x + block.col(1).y + block.col(2).z) / (3.0 * dt * dt)
                }
                _ => 1.0 / share,
            };
            giving.add(share, loose.max(1.0 / share));
        }
    }

    pub(crate) fn push(&mut self, spot: react::Spot, force: Vec3) {
        let react::Spot::Node(node) = spot else { return };
        let spot = Spot::node(node as u32);
        let (normal, rest) = (Vec3::Z, self.solid.shell.nodes[node]);
        let place = self.world_from_body().transform_point(rest + self.displaced(node));
        let push = Touch::new(spot, By::Body, force, normal, place);
        self.state.touches.push(push);
    }
}
