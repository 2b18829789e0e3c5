//! Undoing a failed step: what it may change is copied beforehand into preallocated memory.
//!
//! Pairs of cables need no copy, because the search for the pairs of a step keeps the previous ones; nor does what
//! changes only when nothing can fail any more: the clock, which bodies touch, what the watch has found.

use super::World;
use super::accounts::Accounts;
use crate::frame::Event;
use crate::grip::{Grip, Wrench};
use crate::motion::Sweep;
use crate::react::Presses;

/// The state that a failed step returns to; bodies keep their own.
#[derive(Debug, Default)]
pub(super) struct Before {
    obstacles: Vec<Sweep>,
    grippers: Vec<(Sweep, Wrench)>,
    grips: Vec<Grip>,
    events: Vec<Event>,
    presses: Presses,
    accounts: Accounts,
    /// Whether the watch knew the bodies.
    watched: bool,
}

impl Clone for Before {
    /// Every step fills this anew: there is nothing to copy.
    fn clone(&self) -> Before {
        Before::default()
    }
}

impl World {
    /// Save everything that a step may change before it fails.
    pub(super) fn keep(&mut self) {
        let World { before, obstacles, grippers, grips, events, bodies, presses, watch, accounts, .. } = self;
        before.obstacles.clear();
        before.obstacles.extend(obstacles.iter().map(|o| o.sweep));
        before.grippers.clear();
        before.grippers.extend(grippers.iter().map(|g| (g.sweep, g.load)));
        before.grips.clone_from(grips);
        before.events.clone_from(events);
        before.presses.list.clone_from(&presses.list);
        before.presses.accounts.clone_from(&presses.accounts);
        before.accounts.copy_from(accounts);
        before.watched = watch.knows();
        bodies.iter_mut().for_each(|body| body.keep());
        self.groups.keep();
    }

    /// Return to the saved state.
    pub(super) fn undo(&mut self) {
        let World { before, obstacles, grippers, grips, events, bodies, presses, watch, accounts, .. } = self;
        for (obstacle, sweep) in obstacles.iter_mut().zip(&before.obstacles) {
            obstacle.sweep = *sweep;
        }
        for (gripper, (sweep, load)) in grippers.iter_mut().zip(&before.grippers) {
            (gripper.sweep, gripper.load) = (*sweep, *load);
        }
        grips.clone_from(&before.grips);
        events.clone_from(&before.events);
        presses.list.clone_from(&before.presses.list);
        presses.accounts.clone_from(&before.presses.accounts);
        accounts.copy_from(&before.accounts);
        if !before.watched {
            watch.forget();
        }
        bodies.iter_mut().for_each(|body| body.undo());
        self.groups.undo();
        // prepare for the restored grips and loads; since this may change their states, bodies are restored once more
        self.size_loads(self.time());
        (0..self.bodies.len()).for_each(|body| self.prepare(body));
        self.bodies.iter_mut().for_each(|body| body.undo());
    }

    /// Preallocate the memory for it.
    pub(super) fn reserve_before(&mut self) {
        let World { before, obstacles, grippers, grips, events, presses, accounts, .. } = self;
        before.accounts.copy_from(accounts);
        let room = |capacity: usize, len: usize| capacity.saturating_sub(len);
        before.obstacles.reserve(room(obstacles.capacity(), before.obstacles.len()));
        before.grippers.reserve(room(grippers.capacity(), before.grippers.len()));
        before.grips.reserve(room(grips.capacity(), before.grips.len()));
        before.events.reserve(room(events.capacity(), before.events.len()));
        before.presses.list.reserve(room(presses.list.capacity(), before.presses.list.len()));
        before.presses.accounts.reserve(room(presses.accounts.capacity(), before.presses.accounts.len()));
    }
}
