//! How nodes answer to forces within one step: R[0].

use std::sync::Arc;

use super::Compliance;
use super::rows::Dot;
use super::solid::{Form, Modes, Solid, Swing};
use super::{Damping, Records};
use crate::kernel::Kernel;
use crate::math::Mat3;

/// What answers to forces within a step of one length.
#[derive(Clone, Debug)]
pub struct Answers {
    pub swing: Swing,
    /// R[0] of all nodes, where the whole compliance is known and steps are as long as a sample.
    pub dense: Option<Arc<Dense>>,
    kept: Option<Arc<Dense>>,
    sample: f64,
}

/// R[0] of all nodes: blocks of three rows of three.
#[derive(Debug, PartialEq)]
pub struct Dense {
    nodes: usize,
    values: Vec<f64>,
}

impl Dense {
    /// How node `i` moves under a force at node `j` [m/N].
    pub fn block(&self, i: usize, j: usize) -> Mat3 {
        // symmetric: the lower triangle is there
        let (i, j, turned) = if i >= j { (i, j, false) } else { (j, i, true) };
        let start = 9 * (i * (i + 1) / 2 + j);
        let [p, q, r, s, t, u, v, w, x] = *self.values[start..].first_chunk::<9>().unwrap_or(&[0.0; 9]);
        let block = Mat3::from_cols_array_2d(&[[p, s, v], [q, t, w], [r, u, x]]);
        if turned { block.transpose() } else { block }
    }

    fn new(kernel: Kernel, modes: &Modes, list: &[f64], by: &[f64]) -> Dense {
        let nodes = modes.basis.hull.nodes.len();
        let mut values = Vec::with_capacity(9 * nodes * (nodes + 1) / 2);
        let mut scaled = vec![vec![0.0; modes.count]; 3];
        for i in 0..nodes {
            for (axis, row) in scaled.iter_mut().enumerate() {
                row.iter_mut().zip(modes.row(3 * i + axis)).zip(by).for_each(|((s, x), b)| *s = x * b);
            }
            for j in 0..=i {
                let beyond = super::touches::packed(list, i, j);
                for (r, row) in scaled.iter().enumerate() {
                    for c in 0..3 {
                        values.push(beyond.col(c)[r] + kernel.run(Dot(row, modes.row(3 * j + c))));
                    }
                }
            }
        }
        Dense { nodes, values }
    }
}

impl Answers {
    /// For steps as long as a sample.
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

    /// For steps of another length; true if it is one.
    pub fn set(&mut self, solid: &Solid, damping: &Damping, step: f64) -> bool {
        if self.swing.step == step {
            return false;
        }
        if let Form::Modes(modes) = &solid.form {
            self.swing.set(&modes.squares, damping, step);
        }
        self.swing.step = step;
        self.dense = self.kept.clone().filter(|_| step == self.sample);
        true
    }
}

impl Records {
    /// R[0]: how node `i` moves by the end of a sample under a force at node `j`, which must be one of those recorded [m/N].
    pub fn first(&self, i: usize, j: usize) -> Mat3 {
        let Some(place) = self.nodes.iter().position(|node| *node as usize == j) else { return Mat3::ZERO };
        let column = |axis: usize| {
            let response = &self.responses[3 * place + axis];
            [response[3 * i], response[3 * i + 1], response[3 * i + 2]]
        };
        Mat3::from_cols_array_2d(&[column(0), column(1), column(2)])
    }
}
