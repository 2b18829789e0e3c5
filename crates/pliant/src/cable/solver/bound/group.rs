//! The contacts of one subsystem: their Delassus operator as a dense matrix, and projected Gauss-Seidel on it (15).

use crate::cable::algebra::block::{Vec6, dot, times_transposed};
use crate::cable::solver::gauss_seidel::projection::Local;
use crate::cable::solver::printed::Printed;

/// Most links that a contact moves: a joint on either side.
pub const MOST_TERMS: usize = 4;

/// A link that a contact moves.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// Index of the cable among those of the island.
    pub member: usize,
    /// Index of the link.
    pub link: usize,
    /// Velocity of the contact per velocity of the link.
    pub rows: [Vec6; 3],
}

/// What a contact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Cable among those of the island, and index among its contacts with obstacles.
    Touch(usize, usize),
    /// Index among the pairs of the island.
    Pair(usize),
}

/// A contact, with an obstacle or of links with links, as seen by the iteration.
#[derive(Clone, Copy, Debug)]
pub struct BoundContact {
    /// What it is.
    pub source: Source,
    terms: [Option<Term>; MOST_TERMS],
    /// Force and law.
    pub local: Local,
}

impl BoundContact {
    /// A contact that moves no link yet.
    pub fn new(source: Source, local: Local) -> BoundContact {
        BoundContact { source, terms: [None; MOST_TERMS], local }
    }

    /// Add a link that it moves.
    pub fn add(&mut self, term: Term) {
        if let Some(free) = self.terms.iter_mut().find(|t| t.is_none()) {
            *free = Some(term);
        }
    }

    /// The links that it moves.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.terms.iter().flatten()
    }
}

/// A place where a link has a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    member: usize,
    link: usize,
    contact: usize,
    term: usize,
}

/// Contacts that are solved one after the other, each with the others as they are.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The contacts, in the order in which they are solved.
    pub contacts: Vec<BoundContact>,
    places: Vec<Place>,
    /// Velocities of all contacts per force of each, by columns.
    delassus: Vec<f64>,
    /// Velocities of all contacts [m/s].
    velocities: Vec<f64>,
}

impl Group {
    /// Compute the responses of its contacts to each other; `cable` gives the runs of a member of the island.
    pub fn answer<'a>(&mut self, cable: impl Fn(usize) -> Option<&'a Printed>) {
        let Group { contacts, places, delassus, .. } = self;
        places.clear();
        for (contact, c) in contacts.iter().enumerate() {
            let at = |(term, t): (usize, &Term)| Place { member: t.member, link: t.link, contact, term };
            places.extend(c.terms().enumerate().map(at));
        }
        places.sort_unstable();
        let size = 3 * contacts.len();
        delassus.clear();
        delassus.resize(size * size, 0.0);
        for t in 0..contacts.len() {
            let columns = &mut delassus[3 * t * size..(3 * t + 3) * size];
            for term in contacts[t].terms() {
                let Some(printed) = cable(term.member) else { continue };
                let (answers, range) = printed.responses(term.link);
                let own = term.rows.map(|row| times_transposed(&answers[term.link].own, &row));
                // from the link up to the end of its run, and down to its start
                let first = places.partition_point(|p| (p.member, p.link) < (term.member, term.link));
                let (mut at, mut moved) = (term.link, own);
                for place in places[first..].iter().take_while(|p| p.member == term.member && p.link < range[1]) {
                    while at < place.link {
                        moved = moved.map(|v| times_transposed(&answers[at].up, &v));
                        at += 1;
                    }
                    hear(columns, size, contacts, place, &moved);
                }
                (at, moved) = (term.link, own);
                let before = places[..first].iter().rev();
                for place in before.take_while(|p| p.member == term.member && p.link >= range[0]) {
                    while at > place.link {
                        moved = moved.map(|v| times_transposed(&answers[at].down, &v));
                        at -= 1;
                    }
                    hear(columns, size, contacts, place, &moved);
                }
            }
            for (k, i) in (0..3).flat_map(|k| (0..3).map(move |i| (k, i))) {
                contacts[t].local.yielding[i][k] = columns[k * size + 3 * t + i];
            }
        }
    }

    /// One pass over its contacts; `change` gives the change of the velocity of a link in the linearisation.
    pub fn sweep<'a>(&mut self, change: impl Fn(&Term) -> Option<&'a Vec6>) {
        let Group { contacts, delassus, velocities, .. } = self;
        let size = 3 * contacts.len();
        velocities.clear();
        for contact in contacts.iter_mut() {
            let mut u = contact.local.base;
            for term in contact.terms() {
                let Some(moved) = change(term) else { continue };
                (0..3).for_each(|k| u[k] += dot(&term.rows[k], moved));
            }
            velocities.extend(u);
            contact.local.old = contact.local.force;
        }
        for t in 0..contacts.len() {
            let u = [velocities[3 * t], velocities[3 * t + 1], velocities[3 * t + 2]];
            let more = contacts[t].local.project(&u);
            for k in 0..3 {
                let column = &delassus[(3 * t + k) * size..(3 * t + k + 1) * size];
                velocities.iter_mut().zip(column).for_each(|(u, w)| *u += more[k] * w);
            }
        }
    }
}

/// Add the velocity of a contact by motions of one of its links, for forces along three axes.
fn hear(columns: &mut [f64], size: usize, contacts: &[BoundContact], place: &Place, moved: &[Vec6; 3]) {
    let Some(term) = contacts[place.contact].terms[place.term] else { return };
    for k in 0..3 {
        for i in 0..3 {
            columns[k * size + 3 * place.contact + i] += dot(&term.rows[i], &moved[k]);
        }
    }
}
