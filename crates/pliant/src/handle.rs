//! Handles, by which callers refer to the contents of a world.
//!
//! A handle stays valid as long as its object is in the world, whatever else is added or removed. Using a handle of
//! something that was removed, or of another world, is an error and never refers to something else. Clones of a world
//! share its handles, and so does a world restored from a snapshot.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bytes::{Malformed, Reader, Stored};
use crate::error::{BuildError, Gone};

/// The interface common to all handles.
pub(crate) trait Handle: Copy + Ord {
    /// What it refers to, in a word.
    const KIND: &'static str;

    /// A handle that differs from all others in this process.
    fn fresh() -> Self;
}

/// A number that is unique in this process: handles of different worlds never agree.
fn fresh_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident: $kind:literal,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u64);

        impl Handle for $name {
            const KIND: &'static str = $kind;

            fn fresh() -> $name {
                $name(fresh_number())
            }
        }

        // handles are valid in one process only: readers assign their own
        impl Stored for $name {
            fn write(&self, _: &mut Vec<u8>) {}

            fn read(_: &mut Reader<'_>) -> Result<$name, Malformed> {
                Ok($name::fresh())
            }
        }
    )*};
}

handles! {
    /// Handle of a body.
    BodyId: "body",
    /// Handle of an obstacle.
    ObstacleId: "obstacle",
    /// Handle of a gripper.
    GripperId: "gripper",
    /// Handle of a grip.
    GripId: "grip",
    /// Handle of a load.
    LoadId: "load",
    /// Handle of a sensor.
    SensorId: "sensor",
}

/// Handles of the named objects of one kind, in the order of a list without gaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Roster<H> {
    /// One per object, ascending: objects are added at the end.
    handles: Vec<H>,
    names: HashMap<String, H>,
}

impl<H> Default for Roster<H> {
    fn default() -> Roster<H> {
        Roster { handles: vec![], names: HashMap::new() }
    }
}

impl<H: Handle> Roster<H> {
    /// Reject a name that is taken.
    pub fn refuse(&self, name: &str) -> Result<(), BuildError> {
        if self.names.contains_key(name) {
            return Err(BuildError::SameName { kind: H::KIND, name: name.into() });
        }
        Ok(())
    }

    /// Add an object at the end of the list.
    pub fn add(&mut self, name: &str) -> H {
        let handle = H::fresh();
        self.handles.push(handle);
        self.names.insert(name.into(), handle);
        handle
    }

    /// Index in the list.
    pub fn index(&self, handle: H) -> Result<usize, Gone> {
        self.handles.binary_search(&handle).map_err(|_| Gone { kind: H::KIND })
    }

    /// The handle at an index.
    pub fn at(&self, index: usize) -> Option<H> {
        self.handles.get(index).copied()
    }

    /// The handle of a name.
    pub fn named(&self, name: &str) -> Option<H> {
        self.names.get(name).copied()
    }

    /// Whether no handle is in both rosters.
    pub fn shares_none(&self, other: &Roster<H>) -> bool {
        self.handles.iter().all(|handle| other.index(*handle).is_err())
    }

    /// Whether both rosters have the same names in the same order.
    pub fn is_named_like(&self, other: &Roster<H>) -> bool {
        let place = |roster: &Roster<H>, name: &str| roster.named(name).and_then(|handle| roster.index(handle).ok());
        self.handles.len() == other.handles.len()
            && self.names.keys().all(|name| place(self, name) == place(other, name))
    }

    /// Remove an object; those after it move up. Returns its former index.
    pub fn remove(&mut self, handle: H, name: &str) -> Result<usize, Gone> {
        let index = self.index(handle)?;
        self.handles.remove(index);
        self.names.remove(name);
        Ok(index)
    }
}

/// Writes the names in order; readers assign handles of their own.
impl<H: Handle> Stored for Roster<H> {
    fn write(&self, out: &mut Vec<u8>) {
        let mut names: Vec<(&H, &String)> = self.names.iter().map(|(name, handle)| (handle, name)).collect();
        names.sort_unstable();
        names.len().write(out);
        names.into_iter().for_each(|(_, name)| name.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Result<Roster<H>, Malformed> {
        let mut roster = Roster::default();
        for name in Vec::<String>::read(from)? {
            roster.refuse(&name).map_err(|_| Malformed)?;
            roster.add(&name);
        }
        Ok(roster)
    }
}

/// Handles of unnamed objects of one kind, in a list with gaps that are reused.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slots<H> {
    /// One per slot; `None` where it is vacant.
    handles: Vec<Option<H>>,
    /// Indices of vacant slots.
    vacant: Vec<usize>,
}

impl<H> Default for Slots<H> {
    fn default() -> Slots<H> {
        Slots { handles: vec![], vacant: vec![] }
    }
}

impl<H: Handle> Slots<H> {
    /// Add an object: returns its handle and the index of its slot, which may be a new one at the end.
    pub fn add(&mut self) -> (H, usize) {
        let handle = H::fresh();
        match self.vacant.pop() {
            Some(index) => {
                self.handles[index] = Some(handle);
                (handle, index)
            }
            None => {
                self.handles.push(Some(handle));
                // so that vacating any slot does not allocate
                self.vacant.reserve(self.handles.len());
                (handle, self.handles.len() - 1)
            }
        }
    }

    /// Index of the slot.
    pub fn index(&self, handle: H) -> Result<usize, Gone> {
        self.handles.iter().position(|h| *h == Some(handle)).ok_or(Gone { kind: H::KIND })
    }

    /// The handle in a slot.
    pub fn at(&self, index: usize) -> Option<H> {
        self.handles.get(index).copied().flatten()
    }

    /// Whether the same slots are vacant, and will be reused in the same order.
    pub fn is_laid_out_like(&self, other: &Slots<H>) -> bool {
        self.handles.len() == other.handles.len() && self.vacant == other.vacant
    }

    /// Have the same slots vacant as another list; occupied slots keep their handles, or get new ones.
    pub fn become_like(&mut self, other: &Slots<H>) {
        let own = |index: usize| self.handles.get(index).copied().flatten();
        let handles = other.handles.iter().enumerate().map(|(n, slot)| slot.map(|_| own(n).unwrap_or_else(H::fresh)));
        (self.handles, self.vacant) = (handles.collect(), other.vacant.clone());
    }

    /// Number of slots, including vacant ones.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Vacate a slot.
    pub fn vacate(&mut self, index: usize) {
        if let Some(slot) = self.handles.get_mut(index)
            && slot.take().is_some()
        {
            self.vacant.push(index);
        }
    }
}

/// Writes which slots are occupied, and the order in which vacant ones are reused.
impl<H: Handle> Stored for Slots<H> {
    fn write(&self, out: &mut Vec<u8>) {
        self.handles.iter().map(Option::is_some).collect::<Vec<bool>>().write(out);
        self.vacant.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<Slots<H>, Malformed> {
        let (taken, vacant) = (Vec::<bool>::read(from)?, Vec::<usize>::read(from)?);
        let mut sorted = vacant.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq((0..taken.len()).filter(|&n| !taken[n])) {
            return Err(Malformed);
        }
        Ok(Slots { handles: taken.into_iter().map(|taken| taken.then(H::fresh)).collect(), vacant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roster_keeps_its_order_and_forgets_what_left() {
        let mut roster = Roster::<BodyId>::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| roster.add(name));
        assert_eq!([a, b, c].map(|h| roster.index(h)), [Ok(0), Ok(1), Ok(2)]);
        assert_eq!(roster.remove(b, "b"), Ok(1));
        assert_eq!([a, b, c].map(|h| roster.index(h)), [Ok(0), Err(Gone { kind: "body" }), Ok(1)]);
        assert_eq!((roster.named("b"), roster.named("c"), roster.at(1)), (None, Some(c), Some(c)));
        // a reused name gets a new handle
        let again = roster.add("b");
        assert!(again != b && roster.index(b).is_err() && roster.refuse("b").is_err());
    }

    #[test]
    fn slots_are_filled_again_under_other_handles() {
        let mut slots = Slots::<GripId>::default();
        let (first, second) = (slots.add(), slots.add());
        assert_eq!([first.1, second.1], [0, 1]);
        slots.vacate(0);
        assert_eq!((slots.index(first.0), slots.at(0)), (Err(Gone { kind: "grip" }), None));
        let third = slots.add();
        assert_eq!(third.1, 0);
        assert!(slots.index(first.0).is_err() && slots.index(third.0) == Ok(0) && slots.index(second.0) == Ok(1));
    }

    #[test]
    fn handles_of_two_lists_never_agree() {
        let (mut one, mut other) = (Roster::<BodyId>::default(), Roster::<BodyId>::default());
        let (a, b) = (one.add("rod"), other.add("rod"));
        assert!(one.index(b).is_err() && other.index(a).is_err());
    }
}
