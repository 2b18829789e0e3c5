//! Results of a rod: shape, frames, forces and moments, energies, contacts.

use super::span::POINTS;
use super::{Elastica, ElasticaState, Kinematics};
use crate::body::Surroundings;
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy, Other};
use crate::linkage::FIELDS;
use crate::math::{Vec2, Vec3, sincos};

impl Elastica {
    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let at = &self.scratch.at;
        let mut energy = Energy { elastic: self.rod.elastic(&self.state.q), ..Energy::default() };
        for (i, masses) in self.rod.masses.iter().enumerate() {
            for q in 0..POINTS {
                let (start, offset) = (&at.nodes[i], &at.offsets[i][q]);
                energy.kinetic += 0.5 * masses[q] * (start.velocity + offset.velocity).length_squared();
                energy.gravity -= masses[q] * gravity.dot(self.plane.lift_point(start.place + offset.place));
            }
        }
        energy
    }

    /// Write orientations, fields and energies into a frame that has the nodes already.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let (n, at) = (self.rod.intervals(), &self.scratch.at);
        frame.frames.clear();
        let sections = at.nodes.iter().zip(self.angles());
        frame.frames.extend(sections.map(|(node, angle)| self.plane.section(node.place, angle).rotation));
        frame.set_fields(&FIELDS);
        for (k, field) in frame.fields.iter_mut().enumerate() {
            field.values.clear();
            field.values.extend((0..=n).map(|i| self.value(at, k, i)));
        }
        frame.energy = self.energy(gravity);
    }

    /// Value of a field at a node.
    fn value(&self, at: &Kinematics, field: usize, node: usize) -> f64 {
        let n = self.rod.intervals();
        let angle = if node < n { at.ends[node].u[0][0] } else { at.ends[n - 1].u[1][0] };
        let (sin, cos) = sincos(angle);
        let force = self.state.carried[node];
        match field {
            0 => -force.dot(Vec2::new(cos, sin)),
            1 => force.dot(Vec2::new(-sin, cos)).abs(),
            2 => self.moment(at, node).abs(),
            4 => self.touching_force(node).length(),
            5 => self.curvature(at, node).abs(),
            _ => 0.0,
        }
    }

    /// Sum of the contact forces nearest to a node, in the plane [N].
    fn touching_force(&self, node: usize) -> Vec2 {
        let touches = self.state.touches.iter().map(|t| (t.interval, t.fraction, t.force));
        let second = self.state.meetings.iter().map(|m| (m.intervals[1], m.fractions[1], m.force));
        let first = self.state.meetings.iter().map(|m| (m.intervals[0], m.fractions[0], -m.force));
        let here = touches.chain(second).chain(first).filter(|(i, x, _)| nearest_node(*i, *x) == node);
        here.map(|(_, _, force)| force).sum()
    }

    /// Bending moment at a node [N m].
    fn moment(&self, at: &Kinematics, node: usize) -> f64 {
        let of = |i: usize| self.rod.bending[i] * (turn(at, i) - self.rod.rest[i]);
        self.between_intervals(node, of)
    }

    /// Signed curvature at a node [1/m].
    fn curvature(&self, at: &Kinematics, node: usize) -> f64 {
        self.between_intervals(node, |i| turn(at, i) / self.rod.h)
    }

    /// Node value of a quantity that is constant per interval: the mean of the adjacent intervals, extrapolated at the
    /// ends.
    fn between_intervals(&self, node: usize, of: impl Fn(usize) -> f64) -> f64 {
        let n = self.rod.intervals();
        match node {
            _ if n == 1 => of(0),
            0 => 1.5 * of(0) - 0.5 * of(1),
            i if i == n => 1.5 * of(n - 1) - 0.5 * of(n - 2),
            i => 0.5 * (of(i - 1) + of(i)),
        }
    }

    pub(crate) fn write_contacts(&self, index: usize, _obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        for touch in &self.state.touches {
            let (place, _) = self.place_at(touch.interval, touch.fraction);
            contacts.push(Contact {
                body: index,
                other: Other::Obstacle(touch.obstacle),
                position: self.plane.lift_point(place - touch.normal * (self.rod.radius - touch.depth)),
                normal: self.plane.lift(touch.normal),
                force: self.plane.lift(touch.force),
                penetration: touch.depth,
                along: Some((touch.interval as f64 + touch.fraction) * self.rod.h),
            });
        }
        for m in &self.state.meetings {
            let (place, _) = self.place_at(m.intervals[1], m.fractions[1]);
            contacts.push(Contact {
                body: index,
                other: Other::Body(index),
                position: self.plane.lift_point(place - m.normal * (self.rod.radius - 0.5 * m.depth)),
                normal: self.plane.lift(m.normal),
                force: self.plane.lift(m.force),
                penetration: m.depth,
                along: Some((m.intervals[1] as f64 + m.fractions[1]) * self.rod.h),
            });
        }
        self.write_sliders(index, contacts);
    }

    /// Whether the rod is in self-contact, and if so whether with a force.
    pub(crate) fn is_at_itself(&self) -> Option<bool> {
        let meetings = &self.state.meetings;
        (!meetings.is_empty()).then(|| meetings.iter().any(|m| m.force != Vec2::ZERO))
    }

    /// Append the forces of sliders as contacts, each at the point it holds.
    fn write_sliders(&self, index: usize, contacts: &mut Vec<Contact>) {
        for (n, (slider, load)) in self.settings.sliders.iter().zip(&self.state.slider_loads).enumerate() {
            let (interval, fraction) = self.rod.locate(slider.at);
            contacts.push(Contact {
                body: index,
                other: Other::Slider(n),
                position: self.plane.lift_point(self.place_at(interval, fraction).0),
                normal: load.force.normalize_or(self.plane.normal().cross(slider.along).normalize_or(Vec3::Z)),
                force: load.force,
                penetration: 0.0,
                along: Some((interval as f64 + fraction) * self.rod.h),
            });
        }
    }

    /// Report which obstacles the rod began or ceased to touch.
    pub(super) fn note_touching(&mut self, around: &mut Surroundings<'_>) {
        let ElasticaState { touches, touched, .. } = &mut self.state;
        let touching = |obstacle: usize| touches.iter().any(move |t| t.obstacle == obstacle);
        around.note_touching(touched, around.near, touching, touching);
    }
}

/// Turn of the rod along an interval [rad].
fn turn(at: &Kinematics, interval: usize) -> f64 {
    at.ends[interval].u[1][0] - at.ends[interval].u[0][0]
}

fn nearest_node(interval: usize, fraction: f64) -> usize {
    interval + usize::from(fraction > 0.5)
}
