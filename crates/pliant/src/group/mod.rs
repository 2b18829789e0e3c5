//! Groups: bodies that advance together, because what acts between them is solved with their motion.
//!
//! A body that belongs to no group advances by itself, with [`Body::advance`]. The members of a group get ready for a
//! step, each with [`Body::get_ready`]; then the group advances all of them at once, after which every member is checked
//! and finishes its step. A model joins by a variant in [`Body::group`] and an arm in [`Groups::advance`]: nothing else
//! in the world asks which models go together.

mod between;
mod rest;

pub(crate) use between::Between;
pub(crate) use rest::Resting;

use crate::body::{Body, Surroundings};
use crate::cable::{Around, Cables, Key};
use crate::contact::Obstacle;
use crate::error::StepError;
use crate::lattice::{self, Meeting, Meetings, Shared};
use crate::stage::Probe;
use crate::team::Team;

/// A kind of bodies that advance together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Cables, and arms, whose joint speeds are unknowns of the cables that they hold.
    Linked,
    /// Solids of particles, which share the length of their inner steps.
    Particles,
}

impl Body {
    /// The group that it advances with, if it does not advance by itself.
    pub(crate) fn group(&self) -> Option<Group> {
        match self {
            Body::Cable(_) | Body::Arm(_) => Some(Group::Linked),
            Body::Lattice(_) => Some(Group::Particles),
            Body::Chain(_) | Body::Xpbd(_) | Body::Elastica(_) | Body::Response(_) => None,
        }
    }

    /// Whether contact with another body is solved by the group of both.
    pub(crate) fn is_grouped_with(&self, other: &Body) -> bool {
        self.group().is_some() && self.group() == other.group()
    }
}

/// The groups of a world: what they keep from step to step, and their working memory.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Contacts between members.
    pub between: Between,
    /// Contacts between facets before the current step.
    before: Vec<Meeting>,
    cables: Cables,
    solids: Meetings,
    /// Scratch: members of a group.
    members: Vec<usize>,
}

impl Clone for Groups {
    /// Working memory is not copied: it is allocated again before the next step.
    fn clone(&self) -> Groups {
        Groups { between: self.between.clone(), ..Groups::default() }
    }
}

impl Groups {
    /// Preallocate for these bodies.
    pub fn reserve(&mut self, bodies: &[Body], obstacles: &[Obstacle]) {
        self.solids.reserve(bodies.len());
        self.cables.reserve(bodies, obstacles, &mut self.between.pairs);
        self.members.reserve(bodies.len().saturating_sub(self.members.len()));
        self.before.reserve(self.between.meetings.capacity().saturating_sub(self.before.len()));
    }

    /// Save what a step may change before it fails.
    pub fn keep(&mut self) {
        self.before.clone_from(&self.between.meetings);
        self.cables.keep();
    }

    /// Return to what was saved.
    pub fn undo(&mut self) {
        self.between.meetings.clone_from(&self.before);
        self.cables.undo(&mut self.between.pairs);
    }

    /// Links of cables that touch or nearly touch at their current poses.
    pub fn touching(&mut self, bodies: &mut [Body]) -> &[Key] {
        self.cables.touching(bodies)
    }

    /// Advance the members of a group, all of which are ready, by a step.
    pub fn advance(
        &mut self,
        group: Group,
        bodies: &mut [Body],
        around: &Surroundings<'_>,
        team: &mut Team,
        probe: &mut impl Probe,
    ) -> Result<(), StepError> {
        let Groups { between: Between { pairs, meetings }, cables, solids, members, .. } = self;
        members.clear();
        members.extend((0..bodies.len()).filter(|&body| bodies[body].group() == Some(group)));
        if members.is_empty() {
            return Ok(());
        }
        match group {
            Group::Linked => {
                let Surroundings { gravity, obstacles, stop, .. } = *around;
                cables.advance(bodies, pairs, Around { gravity, obstacles, stop, near: &[] }, around.dt, team, probe);
                Ok(())
            }
            Group::Particles => {
                probe.enter_together(members);
                let seen = |bodies: &[Body], elapsed: f64, tau: f64| probe.stride(bodies, elapsed, tau);
                lattice::advance(bodies, &mut Shared { meetings, scratch: solids, team }, around, seen)
            }
        }
    }
}
