//! Energy accounts of all bodies: the work done on each in a step, against the change of its energy.

use super::World;
use crate::account::{Account, Verdict};
use crate::body::Body;
use crate::bytes::stored;
use crate::error::StepError;
use crate::frame::{Event, EventKind};
use crate::math::Vec3;
use crate::react;

/// One account for each body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Accounts {
    /// In the order of the bodies.
    pub list: Vec<Account>,
    /// Gravity with which the energies were computed [m/s2].
    gravity: Vec3,
    /// Energy that contacts between bodies have absorbed and may return [J].
    between: f64,
    /// Whether a step that creates more than its bound fails.
    enforced: bool,
    /// Per body: whether a grip snaps it to itself in this step, or in the next one.
    snapped: Vec<bool>,
}

impl Accounts {
    /// Close all accounts, after a change from outside.
    pub fn forget(&mut self) {
        self.list.iter_mut().for_each(Account::close);
    }

    /// Close the account of one body, after a change from outside.
    pub fn forget_one(&mut self, body: usize) {
        self.list.get_mut(body).into_iter().for_each(Account::close);
    }

    /// Add an account, for a new body.
    pub fn add(&mut self) {
        self.list.push(Account::default());
        self.snapped.push(false);
    }

    /// Remove the account of a body.
    pub fn remove(&mut self, gone: usize) {
        self.list.remove(gone);
        self.snapped.remove(gone);
    }

    /// Whether there is one for each of so many bodies.
    pub fn fits(&self, bodies: usize) -> bool {
        [self.list.len(), self.snapped.len()] == [bodies; 2]
    }

    /// Copy from `other`, without allocating where the capacity suffices.
    pub fn copy_from(&mut self, other: &Accounts) {
        let Accounts { list, gravity, between, enforced, snapped } = other;
        self.list.clone_from(list);
        self.snapped.clone_from(snapped);
        (self.gravity, self.between, self.enforced) = (*gravity, *between, *enforced);
    }

    /// Open closed accounts with the energies at the start of a step; all of them if gravity has changed.
    pub fn begin(&mut self, bodies: &[Body], gravity: Vec3) {
        let same = self.gravity == gravity;
        self.gravity = gravity;
        for (account, body) in self.list.iter_mut().zip(bodies).filter(|(account, _)| !same || !account.is_open()) {
            account.open(body.level(gravity));
        }
    }

    /// Allow a grip to do any work on this body in the step, because it snaps the body to itself.
    pub fn snap(&mut self, body: usize) {
        if let Some(snapped) = self.snapped.get_mut(body) {
            *snapped = true;
        }
    }
}

impl World {
    /// Whether a step in which a body gains more energy than its model allows fails, instead of raising an event.
    pub fn enforce_accounts(&mut self, enforced: bool) {
        self.accounts.enforced = enforced;
    }

    /// Enter the finished step, which ends at `time` [s], into the accounts.
    pub(super) fn settle_accounts(&mut self, time: f64) -> Result<(), StepError> {
        let given = self.given_by_contacts();
        let mut beyond = None;
        for (n, body) in self.bodies.iter().enumerate() {
            let mut work = body.work();
            // energy that contacts between bodies gave without having absorbed it counts as nobody's work
            work.bodies -= given.filter(|(winner, _)| *winner == n).map_or(0.0, |(_, energy)| energy);
            let Accounts { list, snapped, .. } = &mut self.accounts;
            let (account, now) = (&mut list[n], body.level(self.gravity));
            if snapped[n] {
                work.grips += account.missing(&now, &work).max(0.0);
            }
            match account.enter(time, now, work, body.may_create(), body.mass()) {
                Verdict::Sound => {}
                Verdict::Slowly { created: energy } => {
                    self.events.push(Event { time, kind: EventKind::Created { body: n, energy } });
                }
                Verdict::Beyond { created: energy, .. } if !self.accounts.enforced => {
                    self.events.push(Event { time, kind: EventKind::Created { body: n, energy } });
                }
                Verdict::Beyond { created, allowed } => {
                    let (body, instead) = (body.name().to_string(), body.against_gain());
                    beyond = beyond.or(Some(StepError::Created { body, time, created, allowed, instead }));
                }
            }
        }
        self.accounts.snapped.fill(false);
        beyond.map_or(Ok(()), Err)
    }

    /// The body that gained most from contacts between bodies, and the energy that they returned beyond what they
    /// absorbed [J]; `None` if they did not.
    fn given_by_contacts(&mut self) -> Option<(usize, f64)> {
        if self.bodies.len() < 2 {
            return None;
        }
        let won = |body: &Body| body.work().bodies;
        let most = self.groups.between.most_stored() + react::most_stored(&self.presses);
        let between = self.accounts.between - self.bodies.iter().map(won).sum::<f64>();
        self.accounts.between = between.clamp(0.0, most.max(0.0));
        let winner = self.bodies.iter().map(won).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        winner.filter(|_| between < 0.0).map(|(n, _)| (n, -between))
    }
}

stored!(Accounts { list, gravity, between, enforced, snapped });
