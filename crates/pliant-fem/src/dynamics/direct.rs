//! Integration of all unknowns in time: M u'' + C u' + K u = f, C = alpha M + beta K.
//!
//! Newmark's scheme of average acceleration, without damping of its own, and stable for any step:
//!
//!   M (v1 - v0) / h + C (v0 + v1) / 2 + K (u0 + u1) / 2 = f,   (u1 - u0) / h = (v0 + v1) / 2
//!
//! with the mean force f of the step, so that the impulse is f h whatever the step. One sparse factorisation serves all steps.
//! Frequencies come out as 2 / h atan(omega h / 2): above 1 / h they are wrong, though never growing.

use crate::algebra::dense::{Block, add};
use crate::algebra::factor::Cholesky;
use crate::dynamics::response::{Damping, Response, Timing};
use crate::elements::model::Model;
use crate::elements::rigid::RigidFilter;
use crate::error::FemError;
use crate::progress::{Progress, Stage, tell};
use std::ops::ControlFlow;

/// A body ready to be integrated in time.
pub struct Direct<'a> {
    model: &'a Model,
    filter: RigidFilter,
    cholesky: Cholesky,
    damping: Damping,
    timing: Timing,
}

impl<'a> Direct<'a> {
    /// Factorise for sub-steps of this length.
    pub fn new(model: &'a Model, damping: &Damping, timing: &Timing) -> Result<Direct<'a>, FemError> {
        damping.check()?;
        timing.check()?;
        let h = timing.substep();
        // (4 / h^2 M + 2 / h C + K) for the displacement in the middle of a step
        let k = 1.0 + 2.0 * damping.stiffness / h;
        let m = 4.0 / (h * h) + 2.0 * damping.mass / h;
        let cholesky = Cholesky::new(&model.matrices.combined(k, m), "the matrix of a step")?;
        Ok(Direct { model, filter: RigidFilter::new(model)?, cholesky, damping: *damping, timing: *timing })
    }

    /// The response of the nodes of the surface to each of several forces on all unknowns [N], which act during the first sample.
    /// Forces computed together take less time than one after the other. `watch` hears of each sample, and may stop it.
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
        // rigid motion decouples: what would cause it is taken out of the force
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

    /// One sub-step of displacements and velocities.
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
