//! Contacts between links in Newton's method: their forces and slopes.

use crate::body::Body;
use crate::cable::Cable;
use crate::cable::algebra::block::{Tridiagonal, Vec6};
use crate::cable::algebra::elimination::Wide6;
use crate::cable::algebra::inverse::InverseDiagonal;
use crate::cable::contact::impact::take_energy;
use crate::cable::contact::law::{Contacting, add_slope, along, subtract_force};
use crate::cable::contact::pairs::{End, Key, Pair, PastPair, Side, Velocities, passed};
use crate::cable::equations::part::{Part, Touching};
use crate::cable::equations::scratch::StepScratch;
use crate::cable::group::step::Island;
use crate::cable::links::Stretch;
use crate::frame::{Contact, Other};
use crate::math::{Pose, Vec3};

/// The cable at one side of a pair; `None` for bodies of other models.
fn cable((bodies, first): (&[Body], usize), end: End) -> Option<&Cable> {
    match &bodies[end.body - first] {
        Body::Cable(cable) => Some(cable),
        _ => None,
    }
}

/// The cable at one side of a pair, mutably.
pub(crate) fn cable_mut((bodies, first): (&mut [Body], usize), end: End) -> Option<&mut Cable> {
    match &mut bodies[end.body - first] {
        Body::Cable(cable) => Some(cable),
        _ => None,
    }
}

/// One side of a pair, at given poses of its cable.
fn side<'a>(cable: &'a Cable, poses: &'a [Pose], (ends, on): &Key, k: usize) -> Side<'a> {
    Side { links: &cable.links, poses, link: ends[k].link, on: on[k] }
}

/// Both sides of a pair halfway through the step.
pub(crate) fn halfway<'a>(bodies: (&'a [Body], usize), pair: &Pair) -> Option<[Side<'a>; 2]> {
    both(bodies, &pair.ends, |c, k| side(c, &c.scratch.step.middle, &pair.key(), k))
}

/// Both sides of a pair at the end of the step.
fn at_end<'a>(bodies: (&'a [Body], usize), pair: &Pair) -> Option<[Side<'a>; 2]> {
    both(bodies, &pair.ends, |c, k| side(c, &c.scratch.step.end, &pair.key(), k))
}

/// Both sides of a pair at the start of the step, or at their current poses outside of one.
pub(crate) fn at_start<'a>(bodies: (&'a [Body], usize), key: &Key) -> Option<[Side<'a>; 2]> {
    both(bodies, &key.0, |c, k| side(c, &c.state.links.poses, key, k))
}

/// The vectors of the links of a pair, out of those of all links of its cables.
pub(crate) fn of_links<'a>(
    bodies: (&'a [Body], usize),
    pair: &Pair,
    all: impl Fn(&'a Cable) -> &'a [Vec6],
) -> Option<Velocities<'a>> {
    both(bodies, &pair.ends, |c, k| {
        let (all, link) = (all(c), pair.ends[k].link);
        let next = if pair.on[k] == Stretch::Link { link } else { c.links.next(link) };
        [&all[link], &all[next]]
    })
}

/// Mean velocities of the links of a pair.
pub(crate) fn means<'a>(bodies: (&'a [Body], usize), pair: &Pair) -> Option<Velocities<'a>> {
    of_links(bodies, pair, |c| &c.scratch.step.mean)
}

/// Velocity of a link along a direction per force in that direction [s/kg].
fn along_normal(answer: &Wide6, normal: Vec3) -> f64 {
    let moved = |i: usize| (0..3).map(|j| answer.0[i][j] * normal[j]).sum::<f64>();
    (0..3).map(|i| normal[i] * moved(i)).sum()
}

impl Cable {
    /// Set the velocity of a link; returns the energy that it gains [J].
    fn settle_velocity(&mut self, link: usize, velocity: Vec6) -> f64 {
        let had = std::mem::replace(&mut self.state.links.velocities[link], velocity);
        let inertia = &self.links.inertia;
        (0..6).map(|k| 0.5 * inertia[k] * (velocity[k] - had[k]) * (velocity[k] + had[k])).sum()
    }
}

/// Evaluate `f` for both sides of a pair, with the cable and the number of the side.
fn both<'a, T>(bodies: (&'a [Body], usize), ends: &[End; 2], f: impl Fn(&'a Cable, usize) -> T) -> Option<[T; 2]> {
    let [a, b] = *ends;
    Some([f(cable(bodies, a)?, 0), f(cable(bodies, b)?, 1)])
}

/// Subtract the force of a pair, along its axes, from the residuals of its links.
fn subtract(bodies: (&mut [Body], usize), pair: &Pair, force: &[f64; 3]) {
    for (k, sign) in [(0, 1.0), (1, -1.0)] {
        let Some(c) = cable_mut((&mut *bodies.0, bodies.1), pair.ends[k]) else { continue };
        let (link, force) = (pair.ends[k].link, force.map(|f| sign * f));
        let residual = &mut c.scratch.step.residual;
        subtract_force(&mut residual[link], &pair.rows(k), &force);
        if let Some(next) = pair.next(k) {
            subtract_force(&mut residual[c.links.next(link)], &next, &force);
        }
    }
}

/// For a contact on a joint, add the derivative of the force with respect to the velocities of the links of one cable
/// to its tangent; the coupling between sides is added by `coupling`, and all of it where links touch links.
fn add_own_slopes(bodies: (&mut [Body], usize), pair: &Pair) {
    for k in 0..2 {
        let Some(c) = cable_mut((&mut *bodies.0, bodies.1), pair.ends[k]) else { continue };
        let (link, rows) = (pair.ends[k].link, &pair.rows(k));
        let matrix = &mut c.scratch.step.matrix;
        add_slope(&mut matrix.diagonal[link], rows, &pair.slope, rows);
        if let Some(next) = &pair.next(k) {
            let at = c.links.next(link);
            add_slope(&mut matrix.diagonal[at], next, &pair.slope, next);
            add_slope(&mut matrix.right[link], rows, &pair.slope, next);
            add_slope(&mut matrix.below[link], next, &pair.slope, rows);
        }
    }
}

/// Append the contacts of pairs, each as a contact of its first link with the force on that.
pub(crate) fn write_pairs(bodies: &[Body], pairs: &[PastPair], contacts: &mut Vec<Contact>) {
    for pair in pairs {
        let Some(sides) = at_start((bodies, 0), &pair.key()) else { continue };
        let [p, q] = pair.places(sides);
        let [a, b] = sides.map(|side| side.links.radius);
        let penetration = a + b - p.distance(q);
        if pair.force != Vec3::ZERO || penetration > 0.0 {
            contacts.push(Contact {
                body: pair.ends[0].body,
                other: Other::Body(pair.ends[1].body),
                position: p - pair.normal * a,
                normal: pair.normal,
                force: pair.force,
                penetration,
                along: Some(pair.arc_length(sides[0].links.length)),
            });
        }
    }
}

impl Island<'_> {
    /// Set up all pairs at the start of a part of the step.
    pub(crate) fn begin_pairs(&mut self, part: &Part) {
        for pair in self.pairs.iter_mut() {
            if let Some(sides) = at_start((self.bodies, self.first), &pair.key()) {
                pair.begin(sides, part.step());
            }
        }
        for n in 0..self.pairs.len() {
            self.pairs[n].covered = self.is_covered(n);
        }
    }

    /// Whether another pair acts where links of a pair are nearest. Links that lie along each other are nearest at
    /// their ends to those beside their partners: as contacts of their own these would only repeat what is there.
    fn is_covered(&self, n: usize) -> bool {
        let pair = &self.pairs[n];
        let Some(links) = both((self.bodies, self.first), &pair.ends, |c, _| &c.links) else { return false };
        let Some(beside) = pair.corner(links) else { return false };
        let found = |key: &Key| self.pairs.binary_search_by_key(key, Pair::key).ok();
        let thickness = links[0].radius + links[1].radius;
        beside.iter().filter_map(found).any(|other| self.pairs[other].covers(pair, thickness))
    }

    /// Choose rho of all contacts from the response of their links to forces. False if the tangent is singular.
    pub(crate) fn weigh_contacts(&mut self) -> bool {
        let mut fine = true;
        self.each(|share| {
            let StepScratch { matrix, runs, mean, touches, .. } = share.s;
            runs.provide(mean.len());
            fine &= matrix.factor();
            let Tridiagonal { right, below, factors, kernel, .. } = &*matrix;
            let of = [0, mean.len()];
            kernel.run(InverseDiagonal { right, below, factors, of, answers: &mut runs.answers });
            for touch in touches {
                touch.law.rho = touch.firmness.rho(along_normal(&runs.answers[touch.link], touch.axes[0]));
            }
        });
        for pair in self.pairs.iter_mut() {
            let answer = |c: &Cable, k: usize| c.scratch.step.runs.answers[pair.ends[k].link];
            let Some([a, b]) = both((self.bodies, self.first), &pair.ends, answer) else { continue };
            let normal = pair.start_normal();
            pair.law.rho = pair.firmness.rho(along_normal(&a, normal) + along_normal(&b, normal));
        }
        fine
    }

    /// Add pairs to the residual and compute their slopes. Returns how many changed between open, stick and slip.
    pub(crate) fn touch_pairs(&mut self, part: &Part, touching: Touching) -> usize {
        let mut changed = 0;
        let iterated = !self.pairs.is_empty() && self.iterates();
        for pair in self.pairs.iter_mut() {
            if pair.covered {
                (pair.state, pair.pushes) = (Contacting::Open, false);
                continue;
            }
            let Some(means) = means((self.bodies, self.first), pair) else { continue };
            if touching == Touching::Fresh {
                pair.renew(&means);
            }
            if touching != Touching::Settled {
                let Some(sides) = halfway((self.bodies, self.first), pair) else { continue };
                pair.refresh(sides, &means, part);
            }
            let reply = if touching == Touching::First { pair.first_reply(&means) } else { pair.reply(&means) };
            changed += usize::from(reply.state != pair.state);
            pair.state = reply.state;
            pair.pushes = reply.force != [0.0; 3];
            pair.slope = reply.slope;
            if pair.pushes {
                subtract((self.bodies, self.first), pair, &reply.force);
                if !pair.is_of_links() && !iterated {
                    add_own_slopes((self.bodies, self.first), pair);
                }
            }
        }
        changed
    }

    /// Move the friction limits of pairs closer to their normal forces; true if any was far off.
    pub(crate) fn bound_pairs(&mut self) -> bool {
        let mut far = false;
        for pair in self.pairs.iter_mut().filter(|pair| !pair.covered) {
            let Some(means) = means((self.bodies, self.first), pair) else { continue };
            far |= pair.bound(&means);
        }
        far
    }

    /// Contribution of the pairs, which are not in the residual, to the residual along the change.
    pub(crate) fn descent_of_pairs(&self) -> f64 {
        let mut sum = 0.0;
        for pair in self.pairs.iter().filter(|pair| !pair.covered) {
            let Some(means) = means((self.bodies, self.first), pair) else { continue };
            let force = pair.lawful_force(&means);
            if force == [0.0; 3] {
                continue;
            }
            let Some(changes) = of_links((self.bodies, self.first), pair, |c| &c.scratch.step.change) else { continue };
            let moved = pair.relative(&changes);
            sum -= force[0] * moved[0] + force[1] * moved[1] + force[2] * moved[2];
        }
        sum
    }

    /// Whether the law confirms the states of all pairs, and none slides.
    pub(crate) fn pairs_stay(&self) -> bool {
        let stays = |p: &Pair| means((self.bodies, self.first), p).is_none_or(|means| p.stays(&means));
        self.pairs.iter().filter(|pair| !pair.covered).all(stays)
    }

    /// Whether links overlap more at the end of the part than contact should allow.
    pub(crate) fn pairs_sank(&self) -> bool {
        let sank = |pair: &Pair| at_end((self.bodies, self.first), pair).is_some_and(|sides| pair.sank(sides));
        self.pairs.iter().any(sank)
    }

    /// Whether links pass through each other in the part.
    pub(crate) fn pairs_passed(&self) -> bool {
        let bodies = (&*self.bodies, self.first);
        let ways = |pair: &Pair| Some((at_start(bodies, &pair.key())?, at_end(bodies, pair)?));
        self.pairs.iter().any(|pair| ways(pair).is_some_and(|(start, end)| passed(start, end)))
    }

    /// Stiffen contacts that are too deep at the end of the part, where links push links, and let pairs act for which
    /// others do not hold enough; true if there are any.
    pub(crate) fn stiffen(&mut self, part: &Part) -> bool {
        let mut any = false;
        // forces that are unknowns of their own have no stiffness
        if self.pairs.is_empty() || self.pairs.iter().any(Pair::is_found) {
            return any;
        }
        self.each(|mut share| any |= share.stiffen(part));
        for pair in self.pairs.iter_mut().filter(|p| p.pushes || p.covered) {
            if let Some(sides) = at_end((self.bodies, self.first), pair) {
                any |= if pair.covered { pair.uncover(sides) } else { pair.stiffen(sides) };
            }
        }
        any
    }

    /// Let contacts soften gradually.
    pub(crate) fn soften(&mut self) {
        self.pairs.iter_mut().for_each(|pair| pair.firmness.soften());
        self.each(|share| share.s.touches.iter_mut().for_each(|touch| touch.firmness.soften()));
    }

    /// Take over the forces of pairs, into the residuals too.
    pub(crate) fn settle_pairs(&mut self) {
        for pair in self.pairs.iter_mut() {
            if pair.covered {
                pair.let_go();
                continue;
            }
            let Some(means) = means((self.bodies, self.first), pair) else { continue };
            pair.settle(&means);
            let (force, against) = (along(&pair.axes, pair.force), pair.relative(&means));
            let power = force[0] * against[0] + force[1] * against[1] + force[2] * against[2];
            let shares = [0, 1].map(|side| if pair.is_between_two() { pair.power(side, &force, &means) } else { 0.0 });
            for (end, share) in pair.ends.into_iter().zip(shares) {
                if let Some(c) = cable_mut((self.bodies, self.first), end) {
                    let gained = 0.5 * power.max(0.0);
                    c.scratch.step.gained += gained;
                    c.scratch.step.gained_between += if pair.is_between_two() { gained } else { 0.0 };
                    c.scratch.step.power += 0.5 * power;
                    c.scratch.step.met += share;
                }
            }
            subtract((self.bodies, self.first), pair, &force);
        }
    }

    /// Bring links that push each other to relative rest. This adds no more energy than the pairs dissipated in the
    /// step.
    pub(crate) fn calm_pairs(&mut self, part: &Part) {
        let fraction = part.to - part.from;
        self.each(|share| (share.s.owed, share.s.owed_between) = (0.0, 0.0));
        for pair in self.pairs.iter_mut() {
            if !pair.pushes {
                continue;
            }
            let bodies = (&*self.bodies, self.first);
            let Some([a, b]) = both(bodies, &pair.ends, |c, _| c.links.inertia) else { continue };
            let Some(velocities) = of_links(bodies, pair, |c| &c.state.links.velocities) else { continue };
            let mut velocities = velocities.map(|side| side.map(|v| *v));
            let taken = means(bodies, pair).map_or(0.0, |means| pair.taken(&means, part.step()));
            let owed = pair.calm([&a, &b], &mut velocities, part.step()) - taken;
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                let Some(c) = cable_mut((self.bodies, self.first), pair.ends[k]) else { continue };
                let (link, weight) = (pair.ends[k].link, pair.weights[k]);
                let next = c.links.next(link);
                c.scratch.step.owed += 0.5 * owed;
                c.scratch.step.owed_between += if pair.is_between_two() { 0.5 * owed } else { 0.0 };
                let mut won = c.settle_velocity(link, velocities[k][0]);
                c.state.links.pressed += pair.force.length() * fraction;
                c.state.links.pushed[link] += pair.force * (sign * (1.0 - weight) * fraction);
                if pair.on[k] == Stretch::Joint {
                    won += c.settle_velocity(next, velocities[k][1]);
                    c.state.links.pushed[next] += pair.force * (sign * weight * fraction);
                }
                c.scratch.step.work.bodies += if pair.is_between_two() { won } else { 0.0 };
            }
            pair.bear(part);
        }
        self.each(|share| {
            if share.s.owed > 0.0 {
                let taken = take_energy(share.links, &mut share.state.velocities, share.s.owed);
                share.s.work.bodies -= taken * share.s.owed_between;
            }
        });
    }
}
