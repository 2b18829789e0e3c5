//! Work done on a chain in a step, and what its steps may create.

use super::{Chain, UpdateRule};
use crate::account::{Bound, Work};
use crate::body::Surroundings;

impl Chain {
    /// Begin to count the work of a step: grips that close put energy into their holds, and those that open let joints have it.
    pub(super) fn begin_work(&mut self, around: &Surroundings<'_>) {
        let holding = self.constants.holding();
        let Chain { state, scratch, .. } = self;
        scratch.holders.aim(around.grips, around.grippers, 0.0, 0.0);
        scratch.holders.begin(&state.x);
        let gripped = scratch.holders.energy(&holding, &state.x, false) - state.held[0];
        scratch.work = Work { grips: gripped.max(0.0), ..Work::default() };
    }

    /// Count what is left to count at its end.
    pub(super) fn end_work(&mut self) {
        let holding = self.constants.holding();
        let Chain { state, scratch, .. } = self;
        scratch.work.grips += scratch.holders.arrive(&holding, &state.x);
        let [loads, bodies] = scratch.holders.pushed(&state.x);
        (scratch.work.loads, scratch.work.bodies) = (loads, bodies);
        state.held = [scratch.holders.energy(&holding, &state.x, true), scratch.holders.drawn(&holding, &state.x)];
    }

    /// Mass [kg].
    pub(crate) fn mass(&self) -> f64 {
        self.constants.elasticity.masses.as_flattened().iter().sum()
    }

    /// Work done on it in the last step.
    pub(crate) fn work(&self) -> Work {
        self.scratch.work
    }

    /// Energy in what draws it to grippers and out of obstacles [J].
    pub(crate) fn stored(&self) -> f64 {
        self.state.held[1] + self.state.planes.stored(&self.state.x, self.size())
    }

    /// What a step may create.
    pub(crate) fn may_create(&self) -> Bound {
        if self.settings.update != UpdateRule::Velocity {
            let why = "the published rules know displacements and no inertia, of which energy would be kept";
            return Bound { part: f64::INFINITY, speed: 0.0, why };
        }
        Bound {
            part: 0.5,
            speed: 1e-6,
            why: "Euler's symplectic rule swings about the balance, by half of w tau of what vibrates at w",
        }
    }
}
