//! Which bodies touch each other or themselves, and when contact begins and ends.

use super::World;
use crate::frame::{Event, EventKind};
use crate::react;

/// Maximum number of pairs of bodies that memory is preallocated for: more rarely touch at once, and then the lists
/// grow.
const ROOM: usize = 4096;

/// Indices of two bodies, the lower one first; equal for a body that touches itself.
pub(super) type Two = [usize; 2];

/// Two bodies that are close to each other somewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside {
    /// Their indices.
    pub bodies: Two,
    /// Whether a contact force acts between them. Contact begins with a force, and continues without one.
    pub pushes: bool,
}

/// The pairs of bodies that touch, sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    /// At the end of the last step.
    pub(super) touching: Vec<Two>,
    /// Scratch: at the end of this one.
    now: Vec<Two>,
}

impl Together {
    /// Preallocate for this number of bodies.
    pub fn reserve(&mut self, bodies: usize) {
        let most = (bodies * (bodies + 1) / 2).min(ROOM);
        self.touching.reserve(most.saturating_sub(self.touching.len()));
        self.now.reserve(most);
    }

    /// Remove a body; those after it move up.
    pub fn forget_body(&mut self, gone: usize) {
        self.touching.retain(|two| !two.contains(&gone));
        self.touching.iter_mut().flatten().filter(|body| **body > gone).for_each(|body| *body -= 1);
    }

    fn look(&mut self, beside: Beside) {
        let [a, b] = beside.bodies;
        let two = [a.min(b), a.max(b)];
        if let (Err(place), true) =
            (self.now.binary_search(&two), beside.pushes || self.touching.binary_search(&two).is_ok())
        {
            self.now.insert(place, two);
        }
    }

    /// Raise an event for each contact that began or ended since the last step.
    fn tell(&mut self, time: f64, events: &mut Vec<Event>) {
        let gone = self.touching.iter().filter(|two| self.now.binary_search(two).is_err());
        events.extend(gone.map(|&[body, other]| Event { time, kind: EventKind::Separated { body, other } }));
        let new = self.now.iter().filter(|two| self.touching.binary_search(two).is_err());
        events.extend(new.map(|&[body, other]| Event { time, kind: EventKind::Met { body, other } }));
        std::mem::swap(&mut self.touching, &mut self.now);
        self.now.clear();
    }
}

impl World {
    /// Raise events for bodies that began or ceased to touch each other, or themselves, in the step that ends at `time`
    /// [s].
    pub(super) fn note_bodies(&mut self, time: f64) {
        let World { bodies, groups, presses, together, events, .. } = self;
        groups.between.beside(bodies).for_each(|beside| together.look(beside));
        react::presses_beside(presses).for_each(|beside| together.look(beside));
        for (index, body) in bodies.iter().enumerate() {
            if let Some(pushes) = body.is_at_itself() {
                together.look(Beside { bodies: [index; 2], pushes });
            }
        }
        together.tell(time, events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contact_begins_with_a_force_and_goes_on_without() {
        let mut together = Together::default();
        let mut step = |near: &[(Two, bool)]| {
            let mut events = vec![];
            near.iter().for_each(|&(bodies, pushes)| together.look(Beside { bodies, pushes }));
            together.tell(1.0, &mut events);
            events.into_iter().map(|e| e.kind).collect::<Vec<_>>()
        };
        assert_eq!(step(&[([2, 2], false)]), []);
        let met = |body, other| EventKind::Met { body, other };
        assert_eq!(step(&[([2, 2], true), ([3, 1], true), ([1, 3], false), ([2, 2], true)]), [met(1, 3), met(2, 2)]);
        assert_eq!(step(&[([2, 2], false), ([1, 3], false)]), []);
        assert_eq!(step(&[([3, 1], false)]), [EventKind::Separated { body: 2, other: 2 }]);
        assert_eq!(step(&[]), [EventKind::Separated { body: 1, other: 3 }]);
    }
}
