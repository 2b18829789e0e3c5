//! Response of nodes to forces within one step: R[0].

use std::sync::Arc;

use super::Compliance;
use super::rows::{Dot, Scaled};
use super::solid::{Form, Modes, Solid, Swing};
use super::{Damping, Records};
use crate::kernel::Kernel;
use crate::lanes::LANES;
use crate::math::Mat3;

/// Response of nodes to forces within a step of a given length.
#[derive(Clone, Debug)]
pub struct Answers {
    pub swing: Swing,
    /// R[0] of all nodes, if the full compliance is known and steps are as long as a sample.
    pub dense: Option<Arc<Dense>>,
    kept: Option<Arc<Dense>>,
    sample: f64,
}

/// R[0] of all degrees of freedom of the surface, without rigid motion: a symmetric matrix, row by row [m/N].
#[derive(Debug, PartialEq)]
pub struct Dense {
    /// Length of a row, padded with zeros to a multiple of four.
    width: usize,
    values: Vec<f64>,
}

impl Dense {
    /// Displacement of node `i` per force at node `j` [m/N].
    pub fn block(&self, i: usize, j: usize) -> Mat3 {
        let start = 3 * i * self.width + 3 * j;
        let row = |n: usize| &self.values[start + n * self.width..][..3];
        let (x, y, z) = (row(0), row(1), row(2));
        Mat3::from_cols_array(&[x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]])
    }

    /// Displacements of all degrees of freedom per force on one [m/N].
    pub fn row(&self, unknown: usize) -> &[f64] {
        &self.values[unknown * self.width..(unknown + 1) * self.width]
    }

    fn new(kernel: Kernel, modes: &Modes, list: &[f64], by: &[f64]) -> Dense {
        let unknowns = 3 * modes.basis.hull.nodes.len();
        let width = unknowns.next_multiple_of(LANES);
        let mut values = vec![0.0; unknowns * width];
        let mut scaled = vec![0.0; modes.count];
        for i in 0..unknowns {
            kernel.run(Scaled { rows: modes.row(i), by, out: &mut scaled });
            for j in 0..=i {
                let value = list[i * (i + 1) / 2 + j] + kernel.run(Dot(&scaled, modes.row(j)));
                values[i * width + j] = value;
                values[j * width + i] = value;
            }
        }
        Dense { width, values }
    }
}

impl Answers {
    /// Responses for steps as long as a sample [s].
    pub fn new(kernel: Kernel, solid: &Solid, sample: f64) -> Answers {
        match &solid.form {
            Form::Modes(modes) => {
                let dense = match &modes.basis.compliance {
                    Compliance::Full(list) => Some(Arc::new(Dense::new(kernel, modes, list, &modes.swing.change))),
                    Compliance::Local(_) => None,
                };
                Answers { swing: modes.swing.clone(), dense: dense.clone(), kept: dense, sample }
            }
            Form::Records(_) => {
                let swing = Swing { step: sample, ..Swing::default() };
                Answers { swing, dense: None, kept: None, sample }
            }
        }
    }

    /// Switch to another step length [s]; returns whether it has changed.
    pub fn set(&mut self, solid: &Solid, damping: &Damping, step: f64) -> bool {
        if self.swing.step == step {
            return false;
        }
        if let Form::Modes(modes) = &solid.form {
            self.swing.set(&modes.squares, &modes.inertias, damping, step);
        }
        self.swing.step = step;
        self.dense = self.kept.clone().filter(|_| step == self.sample);
        true
    }
}

impl Records {
    /// R[0]: displacement of node `i` at the end of a sample per force at node `j` [m/N]; zero if `j` was not recorded.
    pub fn first(&self, i: usize, j: usize) -> Mat3 {
        let Some(place) = self.nodes.iter().position(|node| *node as usize == j) else { return Mat3::ZERO };
        let column = |axis: usize| {
            let response = &self.responses[3 * place + axis];
            [response[3 * i], response[3 * i + 1], response[3 * i + 2]]
        };
        Mat3::from_cols_array_2d(&[column(0), column(1), column(2)])
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{DAMPING, SAMPLE, records, solid};
    use super::super::{Oscillator, Scheme};
    use super::*;
    use crate::math::Vec3;

    /// A constant force from rest moves each mode as its oscillator says, and the rest of the body at once.
    #[test]
    fn nodes_answer_a_force_as_their_oscillators_do() {
        let stiffer = 2e-6;
        let body = solid(stiffer, true);
        let Form::Modes(modes) = &body.form else { unreachable!() };
        let answers = Answers::new(Kernel::default(), &body, SAMPLE);
        let dense = answers.dense.as_ref().unwrap_or_else(|| unreachable!());
        for (i, j) in (0..12).flat_map(|i| (0..12).map(move |j| (i, j))) {
            let swung = |n: usize| {
                let square = modes.squares[n];
                let swing = Oscillator::new(Scheme::Exact, square, DAMPING.of(square), SAMPLE);
                modes.row(i)[n] * modes.row(j)[n] * swing.step([0.0; 2], 1.0)[0]
            };
            let expected = (0..4).map(swung).sum::<f64>() + if i == j { stiffer } else { 0.0 };
            assert!((dense.row(i)[j] - expected).abs() < 1e-18, "{i} {j}: {} for {expected}", dense.row(i)[j]);
            assert_eq!(dense.block(i / 3, j / 3).col(j % 3)[i % 3], dense.row(i)[j]);
        }
    }

    #[test]
    fn only_steps_of_a_sample_know_all_answers() {
        let body = solid(1e-6, true);
        let mut answers = Answers::new(Kernel::default(), &body, SAMPLE);
        assert!(!answers.set(&body, &DAMPING, SAMPLE));
        assert!(answers.set(&body, &DAMPING, 0.5 * SAMPLE) && answers.dense.is_none());
        let square = 500.0 * 500.0;
        let half = Oscillator::new(Scheme::Exact, square, DAMPING.of(square), 0.5 * SAMPLE);
        assert_eq!((answers.swing.rows[0][0], answers.swing.rows[5][0]), (half.a[0][0], half.b[1]));
        assert!(answers.set(&body, &DAMPING, SAMPLE) && answers.dense.is_some());
    }

    #[test]
    fn the_first_sample_of_a_record_is_the_answer() {
        let records = records();
        let block = records.first(2, 3);
        for axis in 0..3 {
            let response = &records.responses[3 + axis];
            assert_eq!(block.col(axis), Vec3::new(response[6], response[7], response[8]));
        }
        assert_eq!(records.first(2, 0), Mat3::ZERO);
    }
}
