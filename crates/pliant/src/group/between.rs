//! Contacts between the members of groups, kept from step to step.

use crate::body::Body;
use crate::bytes::stored;
use crate::cable::{self, PastPair};
use crate::frame::Contact;
use crate::lattice::{self, Meeting};
use crate::world::Beside;

/// Contacts between members of the same group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Between {
    /// Links of cables that touch or may touch each other, sorted.
    pub pairs: Vec<PastPair>,
    /// Facets of solids that touch each other, sorted.
    pub meetings: Vec<Meeting>,
}

stored!(Between { pairs, meetings });

impl Between {
    /// Copy from `other`, without allocating where the capacity suffices.
    pub fn copy_from(&mut self, other: &Between) {
        self.pairs.clone_from(&other.pairs);
        self.meetings.clone_from(&other.meetings);
    }

    /// Forget the contacts of a removed body; those after it have moved up.
    pub fn forget_body(&mut self, gone: usize) {
        cable::forget_body(&mut self.pairs, gone);
        lattice::forget_body(&mut self.meetings, gone);
    }

    /// Whether all contacts are of members that are there.
    pub fn fits(&self, bodies: &[Body]) -> bool {
        cable::pairs_fit(&self.pairs, bodies) && lattice::meetings_fit(&self.meetings, bodies)
    }

    /// Append all contacts.
    pub fn write(&self, bodies: &[Body], contacts: &mut Vec<Contact>) {
        cable::write_pairs(bodies, &self.pairs, contacts);
        lattice::write_meetings(&self.meetings, contacts);
    }

    /// Upper bound on the energy that the contacts can return and that no member counts as its own [J].
    pub fn most_stored(&self) -> f64 {
        lattice::most_stored(&self.meetings)
    }

    /// Which bodies are beside each other.
    pub fn beside(&self, bodies: &[Body]) -> impl Iterator<Item = Beside> {
        cable::pairs_beside(bodies, &self.pairs).chain(lattice::meetings_beside(&self.meetings))
    }
}
