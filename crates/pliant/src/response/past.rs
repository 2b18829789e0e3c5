//! Effect of past forces, (5) and (7): either as modal coordinates, which contain all of it, or as a history of forces.

use super::answers::Answers;
use super::rows::{Dot, Sum};
use super::solid::{Form, Six, Solid};
use super::touch::Touch;
use super::{Numbers, Records};
use crate::bytes::stored_enum;
use crate::kernel::{Kernel, Task};
use crate::lanes::{LANES, Lanes};
use crate::math::{Mat3, Vec3};

/// Effect of past forces.
#[derive(Clone, Debug, PartialEq)]
pub enum Past {
    /// Modal coordinates [sqrt(kg) m] and their rates.
    Modes {
        /// q.
        coordinates: Vec<f64>,
        /// q'.
        rates: Vec<f64>,
        /// q without the effect of the forces of the last step.
        free: Vec<f64>,
    },
    /// Forces at recorded nodes [N].
    Records {
        /// A ring of as many samples as a response has, each with three components per node; the latest is at `newest`.
        forces: Vec<f64>,
        /// Index of the latest sample.
        newest: usize,
    },
}

/// Kernel task: a step of all oscillators without forces.
struct Swung<'a> {
    rows: &'a [Vec<f64>; 6],
    from: [&'a [f64]; 2],
    to: [&'a mut [f64]; 2],
}

impl Task for Swung<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Swung { rows, from: [q, v], to: [q_to, v_to] } = self;
        for i in (0..q.len()).step_by(LANES) {
            let (x, y) = (L::load_at(q, i), L::load_at(v, i));
            let x_to = L::load_at(&rows[0], i) * x + L::load_at(&rows[1], i) * y;
            let y_to = L::load_at(&rows[2], i) * x + L::load_at(&rows[3], i) * y;
            x_to.store_at(q_to, i);
            y_to.store_at(v_to, i);
        }
    }
}

/// Modal coordinates a step later.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    pub coordinates: Vec<f64>,
    pub rates: Vec<f64>,
    /// Modal forces [N/sqrt(kg)].
    pub pushes: Vec<f64>,
}

impl Ahead {
    /// Allocate for a number of modes.
    pub fn new(modes: usize) -> Ahead {
        Ahead { coordinates: vec![0.0; modes], rates: vec![0.0; modes], pushes: vec![0.0; modes] }
    }
}

impl Past {
    /// Whether it is of a body like that of another.
    pub fn fits(&self, other: &Past) -> bool {
        match (self, other) {
            (Past::Modes { coordinates, rates, free }, Past::Modes { rates: like, .. }) => {
                [coordinates.len(), rates.len(), free.len()] == [like.len(); 3]
            }
            // the ring holds a sample of at least one number for each index
            (Past::Records { forces, newest }, Past::Records { forces: like, .. }) => {
                forces.len() == like.len() && *newest < like.len().max(1)
            }
            _ => false,
        }
    }

    /// Copy another state into this one, reusing capacity.
    pub fn copy_from(&mut self, other: &Past) {
        match (self, other) {
            (Past::Modes { coordinates, rates, free }, Past::Modes { coordinates: q, rates: v, free: f }) => {
                coordinates.clone_from(q);
                rates.clone_from(v);
                free.clone_from(f);
            }
            (Past::Records { forces, newest }, Past::Records { forces: other, newest: last }) => {
                forces.clone_from(other);
                *newest = *last;
            }
            (own, other) => *own = other.clone(),
        }
    }

    /// A past without forces.
    pub fn new(solid: &Solid) -> Past {
        match &solid.form {
            Form::Modes(modes) => {
                let none = || vec![0.0; modes.count];
                Past::Modes { coordinates: none(), rates: none(), free: none() }
            }
            Form::Records(records) => {
                Past::Records { forces: vec![0.0; 3 * records.nodes.len() * records.samples], newest: 0 }
            }
        }
    }

    /// Compute the modal coordinates after a step without forces.
    pub fn look_ahead(&self, kernel: Kernel, answers: &Answers, ahead: &mut Ahead) {
        let Past::Modes { coordinates, rates, .. } = self else { return };
        let to = [&mut ahead.coordinates[..], &mut ahead.rates[..]];
        kernel.run(Swung { rows: &answers.swing.rows, from: [coordinates, rates], to });
    }

    /// Add the effect of centrifugal forces on the modes, given products of the spin in the order of `Modes::inertias`.
    pub fn fly_outwards(&self, kernel: Kernel, solid: &Solid, answers: &Answers, spins: &Six, ahead: &mut Ahead) {
        let Form::Modes(modes) = &solid.form else { return };
        ahead.pushes.fill(0.0);
        for (rows, factor) in modes.inertias.iter().zip(spins) {
            kernel.run(Sum { rows, factors: &[*factor], to: &mut ahead.pushes });
        }
        let (b_q, b_v) = (&answers.swing.rows[4], &answers.swing.rows[5]);
        for n in 0..ahead.pushes.len() {
            ahead.coordinates[n] += b_q[n] * ahead.pushes[n];
            ahead.rates[n] += b_v[n] * ahead.pushes[n];
        }
    }

    /// Inertia of the body in its current deformation, in the body's frame [kg m2].
    pub fn inertia(&self, kernel: Kernel, solid: &Solid) -> Mat3 {
        let Past::Modes { coordinates, .. } = self else { return solid.inertia };
        solid.inertia_with(kernel, coordinates)
    }

    /// Displacement of a node after a step without forces, in the body's frame [m].
    pub fn free(&self, kernel: Kernel, solid: &Solid, ahead: &Ahead, node: usize) -> Vec3 {
        match (self, &solid.form) {
            (Past::Modes { .. }, Form::Modes(modes)) => {
                let along = |axis: usize| kernel.run(Dot(modes.row(3 * node + axis), &ahead.coordinates));
                Vec3::new(along(0), along(1), along(2))
            }
            (Past::Records { forces, newest }, Form::Records(records)) => records.convolved(forces, *newest, node, 1),
            _ => Vec3::ZERO,
        }
    }

    /// Apply the forces of a step.
    pub fn take(&mut self, kernel: Kernel, solid: &Solid, answers: &Answers, given: Given<'_>, ahead: &mut Ahead) {
        match (self, &solid.form) {
            (Past::Modes { coordinates, rates, free }, Form::Modes(_)) => {
                free.copy_from_slice(&ahead.coordinates);
                ahead.pushes.fill(0.0);
                kernel.run(Sum { rows: given.rows, factors: given.forces, to: &mut ahead.pushes });
                let (b_q, b_v) = (&answers.swing.rows[4], &answers.swing.rows[5]);
                for n in 0..coordinates.len() {
                    coordinates[n] = ahead.coordinates[n] + b_q[n] * ahead.pushes[n];
                    rates[n] = ahead.rates[n] + b_v[n] * ahead.pushes[n];
                }
            }
            (Past::Records { forces, newest }, Form::Records(records)) => {
                let width = 3 * records.nodes.len();
                *newest = (*newest + 1) % records.samples;
                let now = &mut forces[*newest * width..(*newest + 1) * width];
                now.fill(0.0);
                for (touch, force) in given.touches.iter().zip(given.forces.as_chunks::<3>().0) {
                    for (node, weight) in touch.spot.parts() {
                        let Some(place) = records.nodes.iter().position(|n| *n as usize == node) else { continue };
                        (0..3).for_each(|axis| now[3 * place + axis] += weight * force[axis]);
                    }
                }
            }
            _ => {}
        }
    }

    /// Norm of the modal rates: bounds the speed of any node, divided by its reach.
    pub fn speed(&self, kernel: Kernel) -> f64 {
        match self {
            Past::Modes { rates, .. } => kernel.run(Dot(rates, rates)).sqrt(),
            Past::Records { .. } => 0.0,
        }
    }

    /// Norm of the modal coordinates: bounds the displacement of any node, divided by its reach.
    pub fn size(&self, kernel: Kernel) -> f64 {
        match self {
            Past::Modes { coordinates, .. } => kernel.run(Dot(coordinates, coordinates)).sqrt(),
            Past::Records { .. } => 0.0,
        }
    }
}

/// Forces of a step.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// Points at which they act.
    pub touches: &'a [Touch],
    /// Mode shapes at these points.
    pub rows: &'a [f64],
    /// Three components for each point, in the body's frame [N].
    pub forces: &'a [f64],
}

impl Records {
    /// (5): displacement of a node due to past forces, without those of the last `first - 1` samples, in the body's
    /// frame [m].
    ///
    /// With `first` = 1 the latest force is one sample old, as seen from the end of the next step.
    pub fn convolved(&self, forces: &[f64], newest: usize, node: usize, first: usize) -> Vec3 {
        let (width, unknowns) = (3 * self.nodes.len(), 3 * self.hull.nodes.len());
        let mut sum = Vec3::ZERO;
        for s in first..self.samples {
            let then = (newest + self.samples - (s - first)) % self.samples;
            for (force, response) in forces[then * width..(then + 1) * width].iter().zip(&self.responses) {
                if *force != 0.0 {
                    sum += at(response, s * unknowns + 3 * node) * *force;
                }
            }
        }
        sum
    }
}

fn at(list: &Numbers, start: usize) -> Vec3 {
    Vec3::new(list[start], list[start + 1], list[start + 2])
}

stored_enum!(Past {
    0 => Modes { coordinates: coordinates, rates: rates, free: free },
    1 => Records { forces: forces, newest: newest },
});

#[cfg(test)]
mod tests {
    use super::super::sample::{DAMPING, SAMPLE, records, settings, solid};
    use super::super::touch::{By, Spot};
    use super::super::{Known, Oscillator, Scheme};
    use super::*;

    fn touch(node: u32) -> Touch {
        Touch::new(Spot::node(node), By::Body, Vec3::ZERO, Vec3::Z, Vec3::ZERO)
    }

    /// Forces that change from step to step, on node 1.
    fn force(step: usize) -> [f64; 3] {
        [1.0 + step as f64, -2.0, 0.5 * step as f64]
    }

    #[test]
    fn modes_swing_as_oscillators_under_their_forces() {
        let (kernel, body) = (Kernel::default(), solid(1e-6, true));
        let Form::Modes(modes) = &body.form else { unreachable!() };
        let answers = Answers::new(kernel, &body, SAMPLE);
        let (mut past, mut ahead) = (Past::new(&body), Ahead::new(4));
        let mut expected = [[0.0; 2]; 4];
        let rows: Vec<f64> = (3..6).flat_map(|unknown| modes.row(unknown).to_vec()).collect();
        for step in 0..20 {
            let forces = force(step);
            past.look_ahead(kernel, &answers, &mut ahead);
            past.take(
                kernel,
                &body,
                &answers,
                Given { touches: &[touch(1)], rows: &rows, forces: &forces },
                &mut ahead,
            );
            for (n, state) in expected.iter_mut().enumerate() {
                let square = modes.squares[n];
                let push = (0..3).map(|axis| modes.row(3 + axis)[n] * forces[axis]).sum();
                *state = Oscillator::new(Scheme::Exact, square, DAMPING.of(square), SAMPLE).step(*state, push);
            }
        }
        let Past::Modes { coordinates, rates, .. } = &past else { unreachable!() };
        for n in 0..4 {
            assert!((coordinates[n] - expected[n][0]).abs() < 1e-15 && (rates[n] - expected[n][1]).abs() < 1e-12);
        }
        let length = |list: &[f64]| list.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((past.speed(kernel) - length(rates)).abs() < 1e-12);
        assert!((past.size(kernel) - length(coordinates)).abs() < 1e-15);
    }

    /// (5) written out: the sum over samples s of R[s] f[now - s].
    #[test]
    fn records_are_convolved_with_the_forces_of_the_past() {
        let (kernel, records) = (Kernel::default(), records());
        let body = Solid::new("sample", Known::Records(records.clone()), &settings());
        let body = body.unwrap_or_else(|error| unreachable!("{error}"));
        let answers = Answers::new(kernel, &body, SAMPLE);
        let (mut past, mut ahead) = (Past::new(&body), Ahead::new(0));
        let count = 8;
        for step in 0..count {
            let given = Given { touches: &[touch(1)], rows: &[], forces: &force(step) };
            past.take(kernel, &body, &answers, given, &mut ahead);
        }
        let Past::Records { forces, newest } = &past else { unreachable!() };
        for (node, first) in [(0, 0), (2, 0), (3, 1)] {
            let mut expected = Vec3::ZERO;
            for s in first..records.samples {
                // seen from the end of the next step with `first` = 1
                let then = force(count - 1 - (s - first));
                for axis in 0..3 {
                    let response = &records.responses[axis];
                    let at = 12 * s + 3 * node;
                    expected += Vec3::new(response[at], response[at + 1], response[at + 2]) * then[axis];
                }
            }
            let found = records.convolved(forces, *newest, node, first);
            assert!((found - expected).length() < 1e-12, "{node}: {found} for {expected}");
        }
    }
}
