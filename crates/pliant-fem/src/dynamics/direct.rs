//! Direct time integration of all unknowns: M u'' + C u' + K u = f, C = alpha M + beta K.
//!
//! Newmark's average acceleration scheme, without numerical damping and unconditionally stable:
//!
//!   M (v1 - v0) / h + C (v0 + v1) / 2 + K (u0 + u1) / 2 = f,   (u1 - u0) / h = (v0 + v1) / 2
//!
//! with the mean force f of the step, so that the impulse is f h whatever the step. One sparse factorisation serves all
//! steps. Frequencies come out as 2 / h atan(omega h / 2): those above 1 / h are wrong, but do not grow.

use crate::algebra::dense::{Block, add};
use crate::algebra::factor::Cholesky;
use crate::dynamics::response::{Damping, Response, Timing};
use crate::elements::model::Model;
use crate::elements::rigid::RigidFilter;
use crate::error::FemError;
use crate::progress::{Progress, Stage, tell};
use std::ops::ControlFlow;

/// A body factorised for direct time integration.
pub struct Direct<'a> {
    model: &'a Model,
    filter: RigidFilter,
    cholesky: Cholesky,
    damping: Damping,
    timing: Timing,
}

impl<'a> Direct<'a> {
    /// Check the parameters and factorise for the sub-step of `timing`.
    pub fn new(model: &'a Model, damping: &Damping, timing: &Timing) -> Result<Direct<'a>, FemError> {
        damping.check()?;
        timing.check()?;
        let h = timing.substep();
        // (4 / h^2 M + 2 / h C + K), the matrix for the displacement at mid-step
        let k = 1.0 + 2.0 * damping.stiffness / h;
        let m = 4.0 / (h * h) + 2.0 * damping.mass / h;
        let cholesky = Cholesky::new(&model.matrices.combined(k, m), "the matrix of a step")?;
        Ok(Direct { model, filter: RigidFilter::new(model)?, cholesky, damping: *damping, timing: *timing })
    }

    /// Responses of the surface nodes to several forces on all unknowns [N], each applied during the first sample.
    /// Solving for several together is faster than one after the other. `watch` is called after each sample and may
    /// stop it.
    pub fn respond(
        &self,
        forces: &[&[f64]],
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Vec<Response>, FemError> {
        let (size, timing) = (self.model.unknowns(), &self.timing);
        let mut force = Block::zeros(size, forces.len());
        for (n, given) in forces.iter().enumerate() {
            self.model.check_length("a force", given)?;
            force.column_mut(n).copy_from_slice(given);
        }
        // rigid motion decouples: remove the part of the force that causes it
        self.filter.forces(&mut force);
        let nodes = self.model.surface().nodes.clone();
        let empty =
            Response { values: Vec::with_capacity(3 * nodes.len() * timing.samples), samples: timing.samples, nodes };
        let mut responses = vec![empty; forces.len()];
        let mut state = (Block::zeros(size, forces.len()), Block::zeros(size, forces.len()));
        for sample in 0..timing.samples {
            tell(watch, Stage::Integrating, sample, timing.samples)?;
            let mut mean = Block::zeros(size, forces.len());
            for k in 0..timing.substeps {
                self.step(&mut state, (sample == 0).then_some(&force));
                for n in 0..forces.len() {
                    add(mean.column_mut(n), timing.weight(k), state.0.column(n));
                }
            }
            self.filter.displacements(&mut mean);
            for (n, response) in responses.iter_mut().enumerate() {
                let column = mean.column(n);
                response.values.extend(response.nodes.iter().flat_map(|node| &column[3 * node..3 * node + 3]));
            }
        }
        Ok(responses)
    }

    /// One sub-step of displacements and velocities, for all columns.
    fn step(&self, (u, v): &mut (Block, Block), force: Option<&Block>) {
        let (h, damping) = (self.timing.substep(), &self.damping);
        let matrices = &self.model.matrices;
        let mut product = vec![0.0; self.model.unknowns()];
        let mut middle = force.cloned().unwrap_or_else(|| Block::zeros(u.rows(), u.columns()));
        for n in 0..u.columns() {
            // M (4 / h^2 u0 + 2 / h v0) + 2 / h C u0
            let factor = 4.0 / (h * h) + 2.0 * damping.mass / h;
            let moved: Vec<f64> =
                (u.column(n).iter().zip(v.column(n))).map(|(u, v)| factor * u + 2.0 / h * v).collect();
            matrices.mass_times(&moved, &mut product);
            add(middle.column_mut(n), 1.0, &product);
            if damping.stiffness > 0.0 {
                matrices.stiffness_times(u.column(n), &mut product);
                add(middle.column_mut(n), 2.0 * damping.stiffness / h, &product);
            }
        }
        self.cholesky.solve(&mut middle);
        for n in 0..u.columns() {
            let (u, v) = (u.column_mut(n), v.column_mut(n));
            for (i, middle) in middle.column(n).iter().enumerate() {
                let speed = 2.0 / h * (middle - u[i]);
                u[i] = 2.0 * middle - u[i];
                v[i] = 2.0 * speed - v[i];
            }
        }
    }
}
