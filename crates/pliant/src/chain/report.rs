//! Results of a chain: shape, tension, bending moment, energies, contacts.

use super::holds::between;
use super::touch::Touching;
use super::{Chain, ChainState};
use crate::body::{PARTING_GAP, Surroundings};
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy, Other};
use crate::lanes::get;
use crate::math::{Vec3, atan2};

/// Fields of a frame: name and unit.
const FIELDS: [(&str, &str); 4] =
    [("tension", "N"), ("bending moment", "N m"), ("contact force", "N"), ("curvature", "1/m")];

impl Chain {
    /// Tension of a segment [N], positive when it is longer than at rest.
    pub fn tension(&self, segment: usize) -> f64 {
        let e = &self.constants.elasticity;
        let length = (self.point(segment + 1) - self.point(segment)).length();
        e.contraction * (length / e.segment - 1.0)
    }

    /// Angle between the segments that meet at a point [rad]; zero at the ends.
    pub fn angle(&self, point: usize) -> f64 {
        if point == 0 || point + 1 >= self.size() {
            return 0.0;
        }
        let a = self.point(point) - self.point(point - 1);
        let b = self.point(point + 1) - self.point(point);
        atan2(a.cross(b).length(), a.dot(b))
    }

    /// Energies [J]; the kinetic energy is that of the last displacements.
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let e = &self.constants.elasticity;
        let points = self.size();
        let stretch = |s: usize| 0.5 * self.tension(s).powi(2) / e.contraction * e.segment;
        let clamps = &self.state.clamps;
        let bend = |j: usize| {
            // a joint replaced by a clamp stores nothing itself
            let replaced = clamps.iter().any(|clamp| clamp.node == Some(j));
            if replaced { 0.0 } else { e.bending.energy(self.angle(j), e.segment) }
        };
        let clamped: f64 = clamps.iter().map(|clamp| clamp.energy(&self.state.x)).sum();
        let mut energy = Energy {
            elastic: (0..points - 1).map(stretch).sum::<f64>() + (1..points - 1).map(bend).sum::<f64>() + clamped,
            ..Energy::default()
        };
        for i in 0..points {
            let mass = e.masses.as_flattened()[i];
            let velocity = get(&self.state.update.step, i) / self.state.tau;
            energy.kinetic += 0.5 * mass * velocity.length_squared();
            energy.gravity -= mass * gravity.dot(self.point(i));
        }
        energy
    }

    /// Write fields and energies into a frame that has the nodes already.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let points = self.size();
        frame.frames.clear();
        frame.energy = self.energy(gravity);
        frame.set_fields(&FIELDS);
        let e = &self.constants.elasticity;
        for field in &mut frame.fields {
            field.values.resize(points, 0.0);
        }
        for i in 0..points {
            // the value at a point is the mean of its segments
            let (before, after) = (i.max(1) - 1, i.min(points - 2));
            frame.fields[0].values[i] = 0.5 * (self.tension(before) + self.tension(after));
            frame.fields[1].values[i] = e.bending.moment(self.angle(i), e.segment);
            frame.fields[2].values[i] = 0.0;
            frame.fields[3].values[i] = self.angle(i) / e.segment;
        }
        // where a clamp replaces the joint, its half-segments carry the moment and the curvature
        let clamps = || self.state.clamps.iter().filter_map(|clamp| Some((clamp.node?, clamp)));
        clamps().for_each(|(node, _)| [1, 3].into_iter().for_each(|f| frame.fields[f].values[node] = 0.0));
        for (node, clamp) in clamps() {
            let curvature = clamp.angle(&self.state.x) / (0.5 * e.segment);
            for (field, value) in [(1, clamp.moment(&self.state.x)), (3, curvature)] {
                let most = &mut frame.fields[field].values[node];
                *most = most.max(value);
            }
        }
        for touch in self.state.planes.within(&self.state.x, points, 0.0) {
            let ((point, weight), force) = (touch.at, touch.force.length());
            frame.fields[2].values[point] += (1.0 - weight) * force;
            if weight > 0.0 {
                frame.fields[2].values[point + 1] += weight * force;
            }
        }
    }

    pub(crate) fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        let planes = &self.state.planes;
        for touch in planes.within(&self.state.x, self.size(), 0.0) {
            // the plane is an approximation: the true depth comes from the shape itself
            let Touching { at: (point, weight), obstacle, normal, depth, force } = touch;
            let along = Some((point as f64 + weight) * self.constants.elasticity.segment);
            let point = between(&self.state.x, point, weight);
            let shape = &obstacles[obstacle].params.shape;
            let face = shape.surface_near(&obstacles[obstacle].sweep.end, point, f64::MAX);
            contacts.push(Contact {
                body: index,
                other: Other::Obstacle(obstacle),
                position: face.map_or(point - normal * (self.radius - depth), |f| f.point),
                normal,
                force,
                penetration: face.map_or(0.0, |f| self.radius - f.distance),
                along,
            });
        }
    }

    /// Report which obstacles the rod began or ceased to touch.
    pub(super) fn note_touching(&mut self, around: &mut Surroundings<'_>) {
        let (points, gap) = (self.size(), PARTING_GAP * self.radius);
        let ChainState { x, planes, touched, .. } = &mut self.state;
        let within = |obstacle: usize, gap: f64| planes.within(x, points, gap).any(|t| t.obstacle == obstacle);
        // contact begins below the plane and ends clearly above it
        around.note_touching(touched, around.near, |o| within(o, gap), |o| within(o, 0.0));
    }
}
