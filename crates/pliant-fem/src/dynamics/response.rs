//! Impulse responses and their sampling: see [`Response`].

use crate::error::FemError;

/// Rayleigh damping C = alpha M + beta K, which keeps modes decoupled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Mass-proportional coefficient alpha [1/s].
    pub mass: f64,
    /// Stiffness-proportional coefficient beta [s].
    pub stiffness: f64,
}

impl Damping {
    /// Damping rate of a mode with omega^2 [1/s2]: 2 zeta omega = alpha + beta omega^2 [1/s].
    pub fn of(&self, square: f64) -> f64 {
        self.mass + self.stiffness * square
    }

    pub(crate) fn check(&self) -> Result<(), FemError> {
        for (what, value) in [("the damping by mass", self.mass), ("the damping by stiffness", self.stiffness)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(FemError::Parameter { what, expected: "zero or above", value });
            }
        }
        Ok(())
    }
}

/// At what time within a sample the displacement is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampling {
    /// At the end of each sample.
    End,
    /// The mean of the ends of its sub-steps, as in the paper.
    #[default]
    Mean,
}

/// Sampling in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Length of a sample T [s].
    pub sample: f64,
    /// Sub-steps per sample.
    pub substeps: usize,
    /// Number of samples.
    pub samples: usize,
    /// At what time within a sample the displacement is taken.
    pub sampling: Sampling,
}

impl Default for Timing {
    /// As in the paper: one second at 500 Hz, in sub-steps of 1 ms, averaged over the ends of sub-steps.
    fn default() -> Timing {
        Timing { sample: 2e-3, substeps: 2, samples: 500, sampling: Sampling::Mean }
    }
}

impl Timing {
    /// Length of a sub-step [s].
    pub fn substep(&self) -> f64 {
        self.sample / self.substeps as f64
    }

    /// Weight of the end of sub-step `k` in the value of a sample.
    pub(crate) fn weight(&self, k: usize) -> f64 {
        match self.sampling {
            Sampling::Mean => 1.0 / self.substeps as f64,
            Sampling::End => f64::from(u8::from(k + 1 == self.substeps)),
        }
    }

    pub(crate) fn check(&self) -> Result<(), FemError> {
        if !(self.sample > 0.0 && self.sample.is_finite()) {
            let expected = "above 0 s";
            return Err(FemError::Parameter { what: "the length of a sample", expected, value: self.sample });
        }
        for (what, count) in [("the number of sub-steps", self.substeps), ("the number of samples", self.samples)] {
            if count == 0 {
                return Err(FemError::Parameter { what, expected: "at least 1", value: 0.0 });
            }
        }
        Ok(())
    }
}

/// Displacements of some nodes after an impulse, without rigid motion.
///
/// A force f is constant during the first sample, of length T, and zero afterwards: an impulse f T. The response R[s],
/// s = 0, 1, ..., is the displacement that follows, without rigid motion: u - Z Z^T M u, with the six rigid motions Z,
/// Z^T M Z = 1. It has the unit of displacement; for a unit force it is [m/N] and contains the length of the sample
/// (Tagawa, Hirota and Hirose, "A study on haptic interaction and simulation of motion and deformation of elastic
/// object", eq. (2); their continuous r of eq. (1) is [m/(N s)]). For forces that are constant during samples, u[t] =
/// sum over s of R[s] f[t - s] is the displacement after sample t.
///
/// Time is cut into sub-steps of T / n. [`Sampling::End`] takes R[s] at the end of sample s, at (s + 1) T: the
/// convolution is then exact. [`Sampling::Mean`] is what the paper did with n = 2: the mean over the ends of the
/// sub-steps of sample s, which to second order is the displacement T (1 - 1/n) / 2 earlier: 0.5 ms for T = 2 ms and n
/// = 2. Either way R[0] is positive, so that the force for a displacement can be found from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The nodes, by their numbers in the model.
    pub nodes: Vec<usize>,
    /// Number of samples.
    pub samples: usize,
    /// Sample by sample, x, y and z of each node in turn [m].
    pub values: Vec<f64>,
}

impl Response {
    /// x, y and z of each node in turn, at sample `s` [m].
    pub fn sample(&self, s: usize) -> &[f64] {
        let width = 3 * self.nodes.len();
        &self.values[s * width..(s + 1) * width]
    }
}
