//! Modal superposition: R[s] = sum over modes of phi phi^T f h[s], where h is the response of one oscillator.
//!
//!   q'' + c q' + k q = p,   k = omega^2,  c = alpha + beta omega^2
//!
//! For a force p that is constant during a step, (q, q') at its end is a linear map of (q, q') at its start and of p:
//! either the exact one, or that of the direct time integration, so that both agree to rounding.

use crate::dynamics::modes::Modes;
use crate::dynamics::response::{Damping, Response, Timing};
use crate::error::FemError;
use pliant::response::{Oscillator, Scheme};

impl Timing {
    /// Response h[s] to a unit force during the first sample. The oscillator must be built for the sub-step of this
    /// timing.
    pub fn sampled(&self, oscillator: &Oscillator) -> Vec<f64> {
        let mut state = [0.0; 2];
        let mut sample = |force: f64| -> f64 {
            (0..self.substeps)
                .map(|k| {
                    state = oscillator.step(state, force);
                    self.weight(k) * state[0]
                })
                .sum()
        };
        (0..self.samples).map(|s| sample(if s == 0 { 1.0 } else { 0.0 })).collect()
    }
}

impl Modes {
    /// Response of `nodes` to a force on all unknowns [N] applied during the first sample, truncated to these modes.
    pub fn respond(
        &self,
        force: &[f64],
        nodes: &[usize],
        damping: &Damping,
        timing: &Timing,
        scheme: Scheme,
    ) -> Result<Response, FemError> {
        damping.check()?;
        timing.check()?;
        if force.len() != self.unknowns() {
            return Err(FemError::Length { what: "a force", expected: self.unknowns(), found: force.len() });
        }
        if let Some(node) = nodes.iter().find(|node| 3 * **node + 2 >= self.unknowns()) {
            return Err(FemError::NoSuch { what: "a node of the response", index: *node, count: self.unknowns() / 3 });
        }
        let width = 3 * nodes.len();
        let mut values = vec![0.0; width * timing.samples];
        for (mode, &square) in self.squares().iter().enumerate() {
            let shape = self.shape(mode);
            let along = crate::algebra::dense::dot(shape, force);
            let seen: Vec<f64> = nodes.iter().flat_map(|node| &shape[3 * node..3 * node + 3]).copied().collect();
            let oscillator = Oscillator::new(scheme, square, damping.of(square), timing.substep());
            for (sample, h) in values.chunks_exact_mut(width.max(1)).zip(timing.sampled(&oscillator)) {
                crate::algebra::dense::add(sample, along * h, &seen);
            }
        }
        Ok(Response { nodes: nodes.to_vec(), samples: timing.samples, values })
    }
}
