//! Links that touch links in the paper's way (IV-D-2): "an adaptive subsystem division scheme that binds the segments
//! where self-contact occurred to the same subsystem".
//!
//! Runs of links that a contact connects, of one cable or of several, become one subsystem. Neighbouring runs of one
//! subsystem are not cut apart, and its contacts, with obstacles and of links with links, are solved one after the other on
//! its Delassus operator J A^-1 J^T, computed before the iteration as a dense matrix (15). Forces are the unknowns;
//! nothing is assumed of other contacts. All else is as in `gauss_seidel` and `printed`: with printed couplings
//! subsystems are cut apart and coupled by one pass of block Gauss-Seidel in each iteration (13), with exact ones they
//! only divide the contacts.
//!
//! Pairs enter when their links would overlap: which those are is looked at again in each linearisation.

pub mod group;
#[cfg(test)]
mod referee;

use crate::body::Body;
use crate::cable::algebra::block::{Vec6, add_scaled};
use crate::cable::equations::part::Part;
use crate::cable::group::step::{Island, Solved};
use crate::cable::solver::Method;
use crate::cable::solver::bound::group::{BoundContact, Group, Source, Term};
use crate::cable::solver::coupled_pairs::{halfway, means};
use crate::cable::solver::gauss_seidel::{FRESH, MOST_LINEARISATIONS, PATIENCE, SWEPT};
use crate::cable::solver::newton::CLOSE;
use crate::cable::solver::printed::Printed;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Binding {
    groups: Vec<Group>,
    /// Number of groups in use.
    used: usize,
    contacts: Vec<BoundContact>,
    /// Pairs that are unknowns.
    listed: Vec<bool>,
    /// Index of the first run of each cable among all, and their number.
    first_runs: Vec<usize>,
    /// For each run, the first of those it is bound to; afterwards its group.
    subsystem: Vec<usize>,
    bounds: Vec<usize>,
}

impl Island<'_> {
    /// Solve a part of the step. With printed couplings a result that reached the limit of iterations is accepted.
    pub(crate) fn sweeps_bound(&mut self, part: &Part) -> Solved {
        let mut binding = std::mem::take(&mut self.coupling.binding);
        let exchange = |island: &mut Self| {
            island.each(|share| {
                let runs = &mut share.s.runs;
                runs.provide(share.s.mean.len());
                let whole = || Printed::new(&[0, share.s.mean.len()]);
                runs.bound.get_or_insert_with(whole);
                std::mem::swap(&mut runs.printed, &mut runs.bound);
            });
        };
        exchange(self);
        let solved = self.linearisations(part, &mut binding);
        self.each(|share| std::mem::swap(&mut share.s.runs.printed, &mut share.s.runs.bound));
        self.coupling.binding = binding;
        solved
    }

    fn linearisations(&mut self, part: &Part, binding: &mut Binding) -> Solved {
        let mut solved = Solved::default();
        let (printed, mut last) = (self.method() == Method::Printed, f64::INFINITY);
        binding.listed.clear();
        binding.listed.resize(self.pairs.len(), false);
        for n in 0..MOST_LINEARISATIONS {
            if self.around.stop.is_asked() || !self.linearise_bound(part, n < FRESH, binding) {
                return solved;
            }
            solved.linearisations += 1;
            let (swept, limited) = self.iterate_bound(part, binding, &mut solved);
            solved.limited |= limited;
            if limited && !printed {
                return solved;
            }
            let Some((change, size)) = self.take_bound(part, binding) else { return solved };
            if self.list_pairs(binding) {
                last = f64::INFINITY;
                continue;
            }
            // convergence is at least linear, as in `gauss_seidel`
            let next = if last.is_finite() { change * (change / last).min(1.0) } else { change };
            let enough = CLOSE * f64::from(1 << (n / PATIENCE).min(16));
            if (swept && next <= enough * enough * size) || limited {
                solved.converged = true;
                break;
            }
            last = change;
        }
        solved
    }

    /// Make pairs unknowns whose links would overlap otherwise; true if there are any.
    fn list_pairs(&mut self, binding: &mut Binding) -> bool {
        let mut any = false;
        for (pair, listed) in self.pairs.iter().zip(&mut binding.listed) {
            if !*listed && means((self.bodies, self.first), pair).is_some_and(|means| pair.meets(&means)) {
                (*listed, any) = (true, true);
            }
        }
        any
    }

    /// Set up the equations at the current velocities, divide the cables into subsystems, and compute how these respond. With
    /// `fresh`, planes of contacts are updated. False if that fails.
    fn linearise_bound(&mut self, part: &Part, fresh: bool, binding: &mut Binding) -> bool {
        if !self.assemble(part, true) {
            return false;
        }
        if fresh {
            self.each(|mut share| share.refresh(part, None));
            for pair in self.pairs.iter_mut() {
                let bodies = (&*self.bodies, self.first);
                if let (Some(means), Some(sides)) = (means(bodies, pair), halfway(bodies, pair)) {
                    pair.refresh(sides, &means, part);
                }
            }
        }
        self.list_pairs(binding);
        self.gather(binding);
        self.bind(binding);
        let exact = self.method() != Method::Printed;
        let mut member = 0;
        self.each(|share| {
            binding.divide(member, &share.s.runs.bounds, exact);
            if let Some(printed) = &mut share.s.runs.printed {
                printed.divide(&binding.bounds);
                for (force, residual) in printed.forces().iter_mut().zip(&share.s.residual) {
                    *force = residual.map(|x| -x);
                }
            }
            share.s.runs.touched.clear();
            member += 1;
        });
        let Binding { groups, used, .. } = binding;
        for contact in groups[..*used].iter().flat_map(|g| &g.contacts) {
            self.push(contact, &contact.local.force);
        }
        let (mut fine, mut team) = (true, self.team.take());
        self.each(|share| {
            fine =
                fine && share.s.cut(share.links, share.state, part.step()) && share.s.answer_runs(team.as_deref_mut());
        });
        let (bodies, members, first) = (&*self.bodies, self.members, self.first);
        let cable = |member: usize| match &bodies[members[member] - first] {
            Body::Cable(cable) => cable.scratch.step.runs.printed.as_ref(),
            _ => None,
        };
        on_threads(team.as_deref_mut(), &mut groups[..*used], |group| group.answer(cable));
        self.team = team;
        fine
    }

    /// All contacts, with the links that they move.
    fn gather(&mut self, binding: &mut Binding) {
        let Binding { contacts, listed, .. } = binding;
        contacts.clear();
        let mut member = 0;
        self.each(|share| {
            for (n, touch) in share.s.touches.iter().enumerate() {
                let mut contact = BoundContact::new(Source::Touch(member, n), touch.local(&share.s.mean));
                contact.add(Term { member, link: touch.link, rows: touch.rows });
                if let Some(rows) = touch.next {
                    contact.add(Term { member, link: share.links.next(touch.link), rows });
                }
                contacts.push(contact);
            }
            member += 1;
        });
        for (n, pair) in self.pairs.iter().enumerate().filter(|(n, _)| listed[*n]) {
            let Some(means) = means((self.bodies, self.first), pair) else { continue };
            let mut contact = BoundContact::new(Source::Pair(n), pair.local(&means));
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                let member = self.members.partition_point(|&m| m < pair.ends[k].body);
                let link = pair.ends[k].link;
                let signed = |rows: [Vec6; 3]| rows.map(|row| row.map(|x| sign * x));
                contact.add(Term { member, link, rows: signed(pair.rows(k)) });
                if let Some(rows) = pair.next(k) {
                    contact.add(Term { member, link: link + 1, rows: signed(rows) });
                }
            }
            contacts.push(contact);
        }
    }

    /// Bind the runs that contacts connect, and divide the contacts among the subsystems.
    fn bind(&mut self, binding: &mut Binding) {
        let Binding { groups, used, contacts, first_runs, subsystem, .. } = binding;
        first_runs.clear();
        let mut count = 0;
        self.each(|share| {
            first_runs.push(count);
            count += share.s.runs.bounds.len() - 1;
        });
        first_runs.push(count);
        subsystem.clear();
        subsystem.extend(0..count);
        let (bodies, members, first) = (&*self.bodies, self.members, self.first);
        let run = |term: &Term| match &bodies[members[term.member] - first] {
            Body::Cable(cable) => {
                let bounds = &cable.scratch.step.runs.bounds;
                first_runs[term.member] + bounds.partition_point(|&b| b <= term.link) - 1
            }
            _ => 0,
        };
        // until the smallest index of a subsystem has reached all of it
        let mut changed = true;
        while changed {
            changed = false;
            for contact in contacts.iter() {
                let least = contact.terms().map(|t| subsystem[run(t)]).min().unwrap_or(0);
                for term in contact.terms() {
                    let at = &mut subsystem[run(term)];
                    changed |= *at != least;
                    *at = least;
                }
            }
        }
        *used = 0;
        for n in 0..count {
            // the first run of a subsystem numbers it
            subsystem[n] = if subsystem[n] == n { *used } else { subsystem[subsystem[n]] };
            *used = (*used).max(subsystem[n] + 1);
        }
        if groups.len() < *used {
            groups.resize_with(*used, Group::default);
        }
        groups.iter_mut().for_each(|g| g.contacts.clear());
        for contact in contacts.iter() {
            if let Some(term) = contact.terms().next() {
                groups[subsystem[run(term)]].contacts.push(*contact);
            }
        }
    }

    /// Add a force of a contact to those that are to move its links.
    fn push(&mut self, contact: &BoundContact, force: &[f64; 3]) {
        for term in contact.terms() {
            let Body::Cable(cable) = &mut self.bodies[self.members[term.member] - self.first] else { continue };
            if let Some(printed) = &mut cable.scratch.step.runs.printed {
                let to = &mut printed.forces()[term.link];
                (0..3).for_each(|k| add_scaled(to, force[k], &term.rows[k]));
            }
        }
    }

    /// Iterate over contacts and couplings. Returns whether both have settled, and whether the limit was reached.
    fn iterate_bound(&mut self, part: &Part, binding: &mut Binding, solved: &mut Solved) -> (bool, bool) {
        let (mut limit, mut size) = (0, 0.0);
        self.each(|share| {
            limit = limit.max(share.s.runs.limit);
            size += share.progress(part.step()).size;
        });
        let settled = SWEPT * SWEPT * CLOSE * CLOSE * size;
        for iteration in 1..=limit {
            solved.iterations += 1;
            self.each(|share| share.s.runs.begin());
            self.sweep_bound(binding);
            let (kept, changed) = self.regulate(iteration);
            if kept < 1.0 {
                let groups = &mut binding.groups[..binding.used];
                groups.iter_mut().flat_map(|g| &mut g.contacts).for_each(|c| c.local.shorten(kept));
            }
            if self.couple_runs() && changed <= settled {
                return (true, false);
            }
        }
        (false, true)
    }

    /// (15): one pass over the contacts of every subsystem, and the motion that follows.
    fn sweep_bound(&mut self, binding: &mut Binding) {
        let mut team = self.team.take();
        let groups = &mut binding.groups[..binding.used];
        let (bodies, members, first) = (&*self.bodies, self.members, self.first);
        let change = |term: &Term| match &bodies[members[term.member] - first] {
            Body::Cable(cable) => Some(&cable.scratch.step.runs.change[term.link]),
            _ => None,
        };
        on_threads(team.as_deref_mut(), groups, |group| group.sweep(change));
        self.each(|share| {
            if let Some(printed) = &mut share.s.runs.printed {
                printed.forces().fill([0.0; 6]);
            }
        });
        for contact in groups.iter().flat_map(|g| &g.contacts) {
            let more = std::array::from_fn(|k| contact.local.force[k] - contact.local.old[k]);
            self.push(contact, &more);
        }
        self.each(|share| share.s.push_runs(team.as_deref_mut()));
        self.team = team;
    }

    /// Take over velocities and forces. Returns the change and the scale it is compared with.
    fn take_bound(&mut self, part: &Part, binding: &Binding) -> Option<(f64, f64)> {
        let (mut change, mut size) = (0.0, 0.0);
        for (pair, _) in self.pairs.iter_mut().zip(&binding.listed).filter(|(_, listed)| !**listed) {
            pair.take(None);
        }
        for contact in binding.groups[..binding.used].iter().flat_map(|g| &g.contacts) {
            match contact.source {
                Source::Pair(n) => self.pairs[n].take(Some(&contact.local)),
                Source::Touch(member, n) => {
                    if let Body::Cable(cable) = &mut self.bodies[self.members[member] - self.first] {
                        cable.scratch.step.touches[n].take(&contact.local);
                    }
                }
            }
        }
        self.each(|mut share| {
            share.s.change.copy_from_slice(&share.s.runs.change);
            let progress = share.progress(part.step());
            change += progress.change;
            size += progress.size;
            // `change` is what Newton's method subtracts
            share.go(-1.0);
        });
        change.is_finite().then_some((change, size))
    }
}

impl Binding {
    /// Set the bounds of the pieces that a cable is cut into: those of its runs, given, but between neighbours of one
    /// subsystem; none with exact couplings.
    fn divide(&mut self, member: usize, runs: &[usize], exact: bool) {
        let Binding { bounds, subsystem, first_runs, .. } = self;
        let first = first_runs[member];
        bounds.clear();
        for (n, &bound) in runs.iter().enumerate() {
            let inner = n > 0 && n + 1 < runs.len();
            if !inner || !exact && subsystem[first + n - 1] != subsystem[first + n] {
                bounds.push(bound);
            }
        }
    }
}

/// Call `f` with each group, on the threads that are free.
fn on_threads(team: Option<&mut crate::team::Team>, groups: &mut [Group], f: impl Fn(&mut Group) + Sync) {
    match team {
        Some(team) => team.each(groups, f),
        None => groups.iter_mut().for_each(f),
    }
}
