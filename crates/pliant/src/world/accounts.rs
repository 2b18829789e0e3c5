//! The accounts of all bodies: what was done on each in a step, against the change of its energy.

use super::World;
use crate::account::{Account, Verdict};
use crate::body::Body;
use crate::bytes::stored;
use crate::error::StepError;
use crate::frame::{Event, EventKind};
use crate::math::Vec3;
use crate::{lattice, react};

/// One account for each body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Accounts {
    /// In the order of bodies.
    pub list: Vec<Account>,
    /// Gravity that energies were found with [m/s2].
    gravity: Vec3,
    /// Energy that contacts between bodies have taken and may give back [J].
    between: f64,
    /// Whether a step that creates more than its bound fails.
    enforced: bool,
    /// Bodies that grips snap to themselves in the step, or in the next one.
    snapped: Vec<bool>,
}

impl Accounts {
    /// Something was changed by hand.
    pub fn forget(&mut self) {
        self.list.iter_mut().for_each(Account::close);
    }

    /// One body was changed by hand.
    pub fn forget_one(&mut self, body: usize) {
        self.list.get_mut(body).into_iter().for_each(Account::close);
    }

    /// A body was added.
    pub fn add(&mut self) {
        self.list.push(Account::default());
        self.snapped.push(false);
    }

    /// A body was taken away.
    pub fn remove(&mut self, gone: usize) {
        self.list.remove(gone);
        self.snapped.remove(gone);
    }

    /// Become like others, without allocating where there is room.
    pub fn copy_from(&mut self, other: &Accounts) {
        let Accounts { list, gravity, between, enforced, snapped } = other;
        self.list.clone_from(list);
        self.snapped.clone_from(snapped);
        (self.gravity, self.between, self.enforced) = (*gravity, *between, *enforced);
    }

    /// Know the energies at the start of a step.
    pub fn begin(&mut self, bodies: &[Body], gravity: Vec3) {
        let same = self.gravity == gravity;
        self.gravity = gravity;
        for (account, body) in self.list.iter_mut().zip(bodies).filter(|(account, _)| !same || !account.is_open()) {
            account.open(body.level(gravity));
        }
    }

    /// A grip snaps a body to itself: it does whatever work that takes.
    pub fn snap(&mut self, body: usize) {
        if let Some(snapped) = self.snapped.get_mut(body) {
            *snapped = true;
        }
    }
}

impl World {
    /// Let a step in which a body creates more energy than its model states fail, instead of an event that tells of it.
    pub fn enforce_accounts(&mut self, enforced: bool) {
        self.accounts.enforced = enforced;
    }

    /// Enter the step that was made, to its end at `time`.
    pub(super) fn settle_accounts(&mut self, time: f64) -> Result<(), StepError> {
        let given = self.given_by_contacts();
        let mut beyond = None;
        for (n, body) in self.bodies.iter().enumerate() {
            let mut work = body.work();
            // what contacts between bodies gave of nothing is nobody's work
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
                    let body = body.name().to_string();
                    let instead = "shorten the step, or let it pass by `allow_gain = true`";
                    beyond = beyond.or(Some(StepError::Created { body, time, created, allowed, instead }));
                }
            }
        }
        self.accounts.snapped.fill(false);
        beyond.map_or(Ok(()), Err)
    }

    /// Energy that contacts between bodies have given beyond what they took, and the body that won most by them.
    fn given_by_contacts(&mut self) -> Option<(usize, f64)> {
        if self.bodies.len() < 2 {
            return None;
        }
        let won = |body: &Body| body.work().bodies;
        let most = lattice::most_stored(&self.meetings) + react::most_stored(&self.presses);
        let between = self.accounts.between - self.bodies.iter().map(won).sum::<f64>();
        self.accounts.between = between.clamp(0.0, most);
        let winner = self.bodies.iter().map(won).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        winner.filter(|_| between < 0.0).map(|(n, _)| (n, -between))
    }
}

stored!(Accounts { list, gravity, between, enforced, snapped });
