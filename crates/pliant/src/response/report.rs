//! Results of a body: its surface, (10), energies, contacts.

use std::sync::Arc;

use super::answers::Dense;
use super::motion::Motion;
use super::past::Past;
use super::rows::Dot;
use super::solid::{Form, Modes, Solid};
use super::touch::{By, RISE, Spot, packed};
use super::{Compliance, Response, ResponseState};
use crate::account::{Bound, Work};
use crate::contact::Obstacle;
use crate::derived::Derived;
use crate::frame::{BodyFrame, Contact, Energy, Other};
use crate::kernel::Kernel;
use crate::math::Vec3;

/// Fields of a frame: name and unit.
const FIELDS: [(&str, &str); 1] = [("displacement", "m")];

/// Everything that determines the surface of a body at an instant: a few kilobytes, from which the surface can be
/// computed at any time and on any thread.
#[derive(Clone, Debug)]
pub struct Shape {
    kernel: Kernel,
    solid: Arc<Solid>,
    dense: Option<Arc<Dense>>,
    motion: Motion,
    past: Past,
    acting: Vec<(Spot, Vec3)>,
}

impl Shape {
    /// Write the positions of the surface nodes in the world [m], reusing the list.
    pub fn write_surface(&self, places: &mut Vec<Vec3>) {
        let Shape { kernel, solid, dense, motion, past, acting } = self;
        write_surface(&Seen { kernel: *kernel, solid, dense: dense.as_deref(), motion, past, acting }, places);
    }
}

/// Input for computing the surface.
struct Seen<'a> {
    kernel: Kernel,
    solid: &'a Solid,
    dense: Option<&'a Dense>,
    motion: &'a Motion,
    past: &'a Past,
    acting: &'a [(Spot, Vec3)],
}

/// (10): displacements of all nodes in the body's frame, then their positions in the world.
fn write_surface(seen: &Seen<'_>, places: &mut Vec<Vec3>) {
    let (kernel, solid) = (seen.kernel, seen.solid);
    let nodes = solid.shell.nodes.len();
    places.clear();
    match (seen.past, &solid.form) {
        (Past::Modes { coordinates, free, .. }, Form::Modes(modes)) => match (&modes.basis.compliance, seen.dense) {
            (_, Some(dense)) => {
                swing(kernel, modes, free, places);
                for (unknown, force) in each_force(seen.acting) {
                    let answers = dense.row(unknown).as_chunks::<3>().0;
                    places.iter_mut().zip(answers).for_each(|(place, u)| *place += Vec3::from_array(*u) * force);
                }
            }
            (Compliance::Full(list), None) => {
                swing(kernel, modes, coordinates, places);
                // the static response of the modes is also part of the full compliance
                for (node, force) in forces_at(seen.acting) {
                    let moved = places.iter_mut().enumerate();
                    moved.for_each(|(n, place)| *place += (packed(list, n, node) - modes.lasting(n, node)) * force);
                }
            }
            (Compliance::Local(_), None) => {
                swing(kernel, modes, coordinates, places);
                for (node, force) in forces_at(seen.acting) {
                    let moved = places.iter_mut().enumerate();
                    moved.for_each(|(n, place)| {
                        *place += modes.at_once(n, node).map_or(Vec3::ZERO, |at_once| at_once * force)
                    });
                }
            }
        },
        (Past::Records { forces, newest }, Form::Records(records)) => {
            places.extend((0..nodes).map(|n| records.convolved(forces, *newest, n, 0)));
        }
        _ => places.resize(nodes, Vec3::ZERO),
    }
    for (node, force) in forces_at(seen.acting) {
        places[node] += solid.firm.moved(node, force);
    }
    let world = seen.motion.world_from_body();
    for (place, rest) in places.iter_mut().zip(&solid.shell.nodes) {
        *place = world.transform_point(*rest + *place);
    }
}

/// Displacements of all nodes from modal coordinates.
fn swing(kernel: Kernel, modes: &Modes, coordinates: &[f64], places: &mut Vec<Vec3>) {
    let along = |unknown: usize| kernel.run(Dot(modes.row(unknown), coordinates));
    let nodes = modes.basis.hull.nodes.len();
    places.extend((0..nodes).map(|n| Vec3::new(along(3 * n), along(3 * n + 1), along(3 * n + 2))));
}

/// Nodes and forces on them [N].
fn forces_at(acting: &[(Spot, Vec3)]) -> impl Iterator<Item = (usize, Vec3)> + '_ {
    let acts = acting.iter().filter(|(_, force)| *force != Vec3::ZERO);
    acts.flat_map(|(spot, force)| spot.parts().map(|(node, weight)| (node, *force * weight)))
}

/// Degrees of freedom and forces on them [N].
fn each_force(acting: &[(Spot, Vec3)]) -> impl Iterator<Item = (usize, f64)> + '_ {
    forces_at(acting).flat_map(|(node, force)| (0..3).map(move |axis| (3 * node + axis, force[axis])))
}

impl Response {
    /// Everything that determines the current surface.
    pub fn shape(&self) -> Shape {
        Shape {
            kernel: self.kernel,
            solid: self.solid.clone(),
            dense: self.answers.dense.clone(),
            motion: self.state.motion,
            past: self.state.past.clone(),
            acting: self.state.acting.clone(),
        }
    }

    /// Write the positions of the surface nodes in the world [m], reusing the list.
    pub fn write_surface(&self, places: &mut Vec<Vec3>) {
        let ResponseState { motion, past, acting, .. } = &self.state;
        let (kernel, solid, dense) = (self.kernel, &self.solid, self.answers.dense.as_deref());
        write_surface(&Seen { kernel, solid, dense, motion, past, acting }, places);
    }

    /// Displacement of one node at the end of the last step, (10), in the body's frame [m].
    pub(super) fn displaced(&self, node: usize) -> Vec3 {
        let ResponseState { past, acting, .. } = &self.state;
        let moved = match (past, &self.solid.form) {
            (Past::Modes { coordinates, free, .. }, Form::Modes(modes)) => {
                let swung = |q: &[f64]| {
                    let along = |axis: usize| self.kernel.run(Dot(modes.row(3 * node + axis), q));
                    Vec3::new(along(0), along(1), along(2))
                };
                match (&modes.basis.compliance, self.answers.dense.as_deref()) {
                    (_, Some(dense)) => forces_at(acting)
                        .fold(swung(free), |sum, (other, force)| sum + dense.block(node, other) * force),
                    (Compliance::Full(list), None) => {
                        let at_once = |other: usize| packed(list, node, other) - modes.lasting(node, other);
                        forces_at(acting).fold(swung(coordinates), |sum, (other, force)| sum + at_once(other) * force)
                    }
                    (Compliance::Local(_), None) => {
                        let at_once = |(other, force)| Some(modes.at_once(node, other)? * force);
                        forces_at(acting).filter_map(at_once).fold(swung(coordinates), |sum, moved| sum + moved)
                    }
                }
            }
            (Past::Records { forces, newest }, Form::Records(records)) => records.convolved(forces, *newest, node, 0),
            _ => Vec3::ZERO,
        };
        if !self.solid.firm.has(node) {
            return moved;
        }
        let own = forces_at(acting).filter(|(other, _)| *other == node);
        own.fold(moved, |sum, (_, force)| sum + self.solid.firm.moved(node, force))
    }

    /// Whether forces can act on a node: with recorded responses, only if its own was recorded.
    pub(super) fn takes_force(&self, node: u32) -> bool {
        match &self.solid.form {
            Form::Modes(_) => true,
            Form::Records(records) => records.nodes.contains(&node),
        }
    }

    /// Record the energy of the quasi-static deformation, given the total force and torque of the step.
    pub(super) fn keep_stored(&mut self, force: Vec3, torque: Vec3, step: f64) {
        let slots = &self.scratch.slots;
        let length = 3 * self.state.touches.len();
        let all: f64 = slots.forces[..length].iter().zip(&slots.moved).map(|(f, u)| f * u).sum();
        let turned = self.scratch.free.turn.inverse() * torque;
        let rigid = force.length_squared() * self.solid.inverse_mass + turned.dot(self.solid.inverse_inertia * turned);
        let pushes = &self.scratch.ahead.pushes;
        let modes: f64 = self.answers.swing.rows[4].iter().zip(pushes).map(|(b, p)| b * p * p).sum();
        self.state.stored = 0.5 * (all - self.solid.shift(step) * rigid - modes).max(0.0);
    }

    /// Energies [J]. With recorded responses the deformation energy is unknown.
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let Motion { place, turn, velocity, momentum } = self.state.motion;
        let inverse = self.solid.inverse_of(&self.state.past.inertia(self.kernel, &self.solid));
        let local = turn.inverse() * momentum;
        let mut kinetic = 0.5 * self.solid.mass * velocity.length_squared() + 0.5 * local.dot(inverse * local);
        let mut elastic = self.state.stored;
        if let (Past::Modes { coordinates, rates, .. }, Form::Modes(modes)) = (&self.state.past, &self.solid.form) {
            kinetic += 0.5 * self.kernel.run(Dot(rates, rates));
            let squares = coordinates.iter().zip(&modes.squares).map(|(q, square)| q * q * square);
            elastic += 0.5 * squares.sum::<f64>();
        }
        Energy { kinetic, elastic, gravity: -self.solid.mass * gravity.dot(place) }
    }

    /// Work done on the body in the last step.
    pub(crate) fn work(&self) -> Work {
        self.scratch.work
    }

    /// Energy stored in contacts [J]: none, as contacts are rigid and the quasi-static deformation counts as elastic
    /// energy.
    pub(crate) fn stored(&self) -> f64 {
        0.0
    }

    /// Upper bound on the work of contacts that push out points which started inside [J].
    fn raised(&self) -> f64 {
        let sunk = self.state.touches.iter().filter(|touch| touch.sunk > 0.0);
        RISE * self.scratch.lasted * sunk.map(|touch| touch.force.dot(touch.normal).max(0.0)).sum::<f64>()
    }

    /// Bound on the energy that a step may create.
    pub(crate) fn may_create(&self) -> Bound {
        if matches!(self.solid.form, Form::Records(_)) {
            let why = "recorded responses do not tell the energy of deformation";
            return Bound { part: f64::INFINITY, held: 0.0, contacts: 0.0, why };
        }
        if self.state.touches.iter().any(|touch| touch.facet.is_some()) {
            let why = "the point of a fingertip goes from facet to facet between steps, and the dent with it";
            return Bound { part: 0.1, held: 5e-2, contacts: self.raised(), why };
        }
        Bound {
            part: 2e-2,
            held: 5e-3,
            contacts: self.raised(),
            why: "oscillators are exact; that forces turn with the body is of second order",
        }
    }

    /// Write fields and energies into a frame that has the nodes already.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        frame.frames.clear();
        frame.set_fields(&FIELDS);
        let world = self.world_from_body();
        let displaced = frame.nodes.iter().zip(&self.solid.shell.nodes);
        frame.fields[0].values.clear();
        frame.fields[0].values.extend(displaced.map(|(place, rest)| (*place - world.transform_point(*rest)).length()));
        frame.energy = self.energy(gravity);
    }

    pub(crate) fn write_contacts(&self, index: usize, _obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        for touch in self.state.touches.iter().filter(|t| t.force != Vec3::ZERO) {
            let By::Obstacle(obstacle) = touch.by else { continue };
            contacts.push(Contact {
                body: index,
                other: Other::Obstacle(obstacle),
                position: touch.place,
                normal: touch.normal,
                force: touch.force,
                penetration: -touch.gap,
                along: None,
            });
        }
    }
}

/// Parameters of the solid to report.
pub fn derived(solid: &Solid, known: usize) -> Vec<Derived> {
    let mut out = vec![
        Derived { symbol: "m", value: solid.mass, unit: "kg", why: "density times volume of the mesh".into() },
        Derived {
            symbol: "n",
            value: 3.0 * solid.shell.nodes.len() as f64,
            unit: "-",
            why: "degrees of freedom of its surface".into(),
        },
    ];
    if solid.is_fixed() {
        let value = solid.firm.held() as f64;
        out.push(Derived {
            symbol: "n_f",
            value,
            unit: "-",
            why: "nodes of its surface that are held in place".into(),
        });
    }
    if let Form::Modes(modes) = &solid.form {
        let hertz = |square: f64| square.sqrt() / std::f64::consts::TAU;
        out.push(Derived {
            symbol: "modes",
            value: modes.count as f64,
            unit: "-",
            why: format!("of {known} known ones those that a sample resolves; the others follow forces at once"),
        });
        for (symbol, square, why) in [
            ("f_1", modes.squares.first(), "the lowest frequency of vibration"),
            ("f_m", modes.squares.last(), "the highest that is used"),
        ] {
            if let Some(square) = square {
                out.push(Derived { symbol, value: hertz(*square), unit: "Hz", why: why.into() });
            }
        }
    }
    out
}
