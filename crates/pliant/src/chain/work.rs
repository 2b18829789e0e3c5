//! Work done on a chain in a step, and the energy that its steps may create.

use super::derive::Constants;
use super::forces::Forces;
use super::{Chain, Scratch, UpdateRule};
use crate::account::{Bound, Work};
use crate::body::Surroundings;
use crate::grip::Wrench;
use crate::lanes::get;

impl Chain {
    /// Start counting the work of a step: closing grips put energy into their holds, and opening ones return it to
    /// joints.
    pub(super) fn begin_work(&mut self, around: &Surroundings<'_>) {
        if !self.has_inertia() {
            return;
        }
        let holding = self.constants.holding();
        let Chain { state, scratch, .. } = self;
        let Scratch { force, holders, unused, .. } = scratch;
        holders.aim(around.grips, around.grippers, 0.0, 0.0);
        holders.begin(&state.x);
        let energy = holders.energy(&holding, &state.x, false);
        // start from the current targets, not those of the last step: a restored chain has none
        holders.forget_seen();
        unused.resize(holders.list().len(), Wrench::default());
        holders.pull(&holding, &state.x, 0.0, force, unused);
        // for unchanged grips the difference is only rounding
        let gripped = Some(energy - state.held[0]).filter(|more| *more > 1e-9 * energy);
        scratch.work = Work { grips: gripped.unwrap_or(0.0), ..Work::default() };
    }

    /// Finish counting the work at the end of the step.
    pub(super) fn end_work(&mut self, around: &Surroundings<'_>) {
        if !self.has_inertia() {
            self.scratch.work = Work::default();
            return;
        }
        let holding = self.constants.holding();
        let gravity = around.gravity;
        let Chain { constants: Constants { elasticity, .. }, state, scratch, .. } = self;
        let Scratch { force, joints, holders, kernel, unused, work, .. } = scratch;
        // forces at the end of the step: positions are half a model step ahead of velocities, and so is their energy
        let planes = state.planes.any().then_some(&state.planes);
        kernel.run(Forces { elasticity, joints, x: &state.x, gravity, planes, out: force });
        state.planes.push_between(&state.x, force);
        unused.resize(holders.list().len(), Wrench::default());
        work.grips += holders.pull(&holding, &state.x, 1.0, force, unused);
        let ahead = |i: usize| get(force, i).dot(get(&state.update.step, i));
        state.ahead_by = 0.5 * (0..elasticity.points).map(ahead).sum::<f64>();
        let [loads, bodies] = scratch.holders.pushed(&state.x);
        (scratch.work.loads, scratch.work.bodies) = (loads, bodies);
        state.held = [scratch.holders.energy(&holding, &state.x, true), scratch.holders.drawn(&holding, &state.x)];
    }

    /// Whether it moves by Newton's law: the published rules compute displacements and conserve no energy.
    pub(crate) fn has_inertia(&self) -> bool {
        self.settings.update == UpdateRule::Velocity && self.constants.scaling.is_none()
    }

    /// Total mass [kg].
    pub(crate) fn mass(&self) -> f64 {
        self.constants.elasticity.masses.as_flattened().iter().sum()
    }

    /// Work done on the body in the last step.
    pub(crate) fn work(&self) -> Work {
        self.scratch.work
    }

    /// Energy of grip and contact springs, and the correction for positions ahead of velocities [J].
    pub(crate) fn stored(&self) -> f64 {
        self.state.ahead_by + self.state.held[1] + self.state.planes.stored(&self.state.x, self.size())
    }

    /// Bound on the energy that a step may create.
    pub(crate) fn may_create(&self) -> Bound {
        if !self.has_inertia() {
            let why = "the published rules know displacements and no inertia, of which energy would be kept";
            return Bound { part: f64::INFINITY, held: 0.0, contacts: 0.0, why };
        }
        Bound {
            part: 0.1,
            held: 1e-3,
            contacts: 0.0,
            why: "Euler's symplectic rule swings about the balance, by half of w tau of what vibrates at w",
        }
    }
}
