//! What a cable tells of itself: shape, frames, forces and moments, energies.

use super::Cable;
use super::block::Vec6;
use super::joint::{Arms, strain};
use crate::frame::{BodyFrame, Energy, Field};
use crate::math::{Quat, Vec3};

const FIELDS: [(&str, &str); 4] =
    [("tension", "N"), ("shear force", "N"), ("bending moment", "N m"), ("torsion", "N m")];

impl Cable {
    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let mut energy = Energy::default();
        let links = &self.state.links;
        for (pose, v) in links.poses.iter().zip(&links.velocities) {
            energy.kinetic += (0..6).map(|k| 0.5 * self.links.inertia[k] * v[k] * v[k]).sum::<f64>();
            energy.gravity -= self.links.inertia[0] * gravity.dot(pose.translation);
        }
        let arms = Arms { a: 0.5 * self.links.length, b: 0.5 * self.links.length };
        let stored = |k: &Vec6, e: &Vec6| (0..6).map(|i| 0.5 * k[i] * e[i] * e[i]).sum::<f64>();
        for (pair, rest) in links.poses.windows(2).zip(&self.links.rest) {
            let e = strain(&pair[0], &pair[1], arms);
            energy.elastic += stored(&self.links.stiffness, &std::array::from_fn(|k| e[k] - rest[k]));
        }
        energy.elastic += self.state.held_energy;
        energy
    }

    /// Nodes are the ends and the joints, half-way between the ends of the links that meet there.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let poses = &self.state.links.poses;
        let count = poses.len();
        let half = Vec3::X * (0.5 * self.links.length);
        let (start, end) = (|i: usize| poses[i].transform_point(-half), |i: usize| poses[i].transform_point(half));
        frame.nodes.clear();
        frame.frames.clear();
        for i in 0..=count {
            let (before, after) = (i.max(1) - 1, i.min(count - 1));
            frame.nodes.push(match i {
                0 => start(0),
                i if i == count => end(count - 1),
                i => 0.5 * (end(i - 1) + start(i)),
            });
            let (a, b): (Quat, Quat) = (poses[before].rotation, poses[after].rotation);
            frame.frames.push(if before == after { a } else { a.slerp(b, 0.5) });
        }
        frame.energy = self.energy(gravity);
        if frame.fields.len() != FIELDS.len() {
            frame.fields = FIELDS.map(|(name, unit)| Field { name, unit, values: vec![] }).to_vec();
        }
        for (k, field) in frame.fields.iter_mut().enumerate() {
            field.values.clear();
            field.values.extend((0..=count).map(|i| {
                // the ends of the cable are free or held: they show what the joint next to them carries
                let load = &self.state.loads[i.clamp(1, count - 1) - 1];
                match k {
                    0 => load[0],
                    1 => load[1].hypot(load[2]),
                    2 => load[4].hypot(load[5]),
                    _ => load[3],
                }
            }));
        }
    }
}
