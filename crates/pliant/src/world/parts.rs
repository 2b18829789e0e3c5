//! A step in which a body gains energy from nothing is taken again in parts: what integrators and contacts of finite
//! order miss shrinks with the step.

use super::World;
use crate::error::StepError;
use crate::grip::Wrench;
use crate::math::Vec3;
use crate::stage::Probe;

/// Numbers of parts that are tried one after the other. What creates energy even in a sixteenth of a step does so for
/// another reason than its length.
const CUTS: [u32; 4] = [2, 4, 8, 16];

/// How often a step is tried with smaller forces between bodies.
const EASINGS: usize = 6;

impl World {
    /// Take a step of `dt` [s]. If a body gains too much in it because contacts with bodies of other models gave energy,
    /// whose forces hold for the step, it is taken again with smaller ones where they did: bodies then leave each other
    /// more slowly. If it fails, the world is left as it was.
    pub(super) fn try_eased(&mut self, dt: f64, probe: &mut impl Probe) -> Result<(), StepError> {
        self.keep();
        let mut stepped = self.try_step(dt, probe);
        for _ in 0..EASINGS {
            if !matches!(stepped, Err(StepError::Created { .. })) || !self.react.ease() {
                break;
            }
            self.undo();
            stepped = self.try_step(dt, probe);
        }
        self.react.forget_ease();
        if stepped.is_err() {
            self.undo();
        }
        stepped
    }

    /// Take a step of `dt` [s], which as a whole has ended with an error, in ever shorter parts until none of them gains
    /// too much. If all do, the world is left as it was, with the error of the whole.
    pub(super) fn step_in_parts(&mut self, dt: f64, whole: StepError, probe: &mut impl Probe) -> Result<(), StepError> {
        let (start, end) = (self.snapshot(), self.clock.after(dt));
        for parts in CUTS {
            let taken = self.take_parts(dt, parts, probe);
            if taken.is_ok() {
                self.clock = end;
                return Ok(());
            }
            if self.restore(&start).is_err() {
                return Err(whole);
            }
            match taken {
                Err(StepError::Created { .. }) => {}
                Err(StepError::Stopped { .. }) => return taken,
                _ => break,
            }
        }
        Err(whole)
    }

    /// Take a step in equal parts. Events, contacts, loads on grippers and what bodies gain are those of all parts together.
    fn take_parts(&mut self, dt: f64, parts: u32, probe: &mut impl Probe) -> Result<(), StepError> {
        let share = 1.0 / f64::from(parts);
        let (mut events, mut contacts, mut more) = (vec![], vec![], vec![]);
        let mut gripped = vec![Wrench::default(); self.grips.len()];
        let mut loaded = vec![Wrench::default(); self.grippers.len()];
        let mut entered = vec![Default::default(); self.bodies.len()];
        for _ in 0..parts {
            self.try_eased(dt * share, probe)?;
            events.append(&mut self.events);
            self.write_contacts(&mut more);
            more.retain(|contact| contact.force != Vec3::ZERO);
            more.iter_mut().for_each(|contact| contact.force *= share);
            contacts.append(&mut more);
            self.grips.iter().zip(&mut gripped).for_each(|(grip, sum)| *sum += grip.load * share);
            self.grippers.iter().zip(&mut loaded).for_each(|(gripper, sum)| *sum += gripper.load * share);
            for (account, (work, created)) in self.accounts.list.iter().zip(&mut entered) {
                *work += account.step_work;
                *created += account.step_created;
            }
        }
        self.events.append(&mut events);
        self.parted = contacts;
        self.grips.iter_mut().zip(gripped).for_each(|(grip, load)| grip.load = load);
        self.grippers.iter_mut().zip(loaded).for_each(|(gripper, load)| gripper.load = load);
        for (account, (work, created)) in self.accounts.list.iter_mut().zip(entered) {
            (account.step_work, account.step_created) = (work, created);
        }
        Ok(())
    }
}
