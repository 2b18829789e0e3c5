//! Pairs of links in Newton's method: their forces and slopes.

use crate::body::Body;
use crate::cable::Cable;
use crate::cable::algebra::block::Tridiagonal;
use crate::cable::algebra::elimination::Wide6;
use crate::cable::algebra::inverse::InverseDiagonal;
use crate::cable::contact::impact::take_energy;
use crate::cable::contact::law::{along, subtract_force, velocity};
use crate::cable::contact::pairs::{End, Pair, Side, spans_of};
use crate::cable::equations::midpoint::StepScratch;
use crate::cable::equations::midpoint::{Part, Touching};
use crate::cable::group::step::Island;
use crate::frame::{Contact, Other};
use crate::math::{Pose, Vec3, x_axis};

/// The cable of an end of a pair; pairs are made of cables only.
fn cable((bodies, first): (&[Body], usize), end: End) -> Option<&Cable> {
    match &bodies[end.body - first] {
        Body::Cable(cable) => Some(cable),
        _ => None,
    }
}

/// The same, to be changed.
pub(crate) fn cable_mut((bodies, first): (&mut [Body], usize), end: End) -> Option<&mut Cable> {
    match &mut bodies[end.body - first] {
        Body::Cable(cable) => Some(cable),
        _ => None,
    }
}

fn side_at_start(cable: &Cable, link: usize) -> Side<'_> {
    let state = &cable.state.links;
    Side { links: &cable.links, pose: &state.poses[link], mean: &state.means[link] }
}

/// A link of a cable as a pair sees it.
pub(crate) fn side(cable: &Cable, link: usize) -> Side<'_> {
    let s = &cable.scratch.step;
    Side { links: &cable.links, pose: &s.middle[link], mean: &s.mean[link] }
}

fn side_at_end(cable: &Cable, link: usize) -> Side<'_> {
    Side { pose: &cable.scratch.step.end[link], ..side(cable, link) }
}

/// How fast a link moves along a direction when it is pushed that way [s/kg].
fn along_normal(answer: &Wide6, normal: Vec3) -> f64 {
    let moved = |i: usize| (0..3).map(|j| answer.0[i][j] * normal[j]).sum::<f64>();
    (0..3).map(|i| normal[i] * moved(i)).sum()
}

/// Whatever is needed of both ends of a pair.
pub(crate) fn both<'a, T>(
    bodies: (&'a [Body], usize),
    pair: &Pair,
    f: impl Fn(&'a Cable, usize) -> T,
) -> Option<[T; 2]> {
    let [a, b] = pair.ends;
    Some([f(cable(bodies, a)?, a.link), f(cable(bodies, b)?, b.link)])
}

/// Append the contacts of pairs: each as one of its first link, with the force on that.
pub(crate) fn write_pairs(bodies: &[Body], pairs: &[Pair], contacts: &mut Vec<Contact>) {
    for pair in pairs {
        let end = |c: &Cable, link: usize| (c.state.links.poses[link], c.links.radius, c.links.length);
        let Some([a, b]) = both((bodies, 0), pair, end) else { continue };
        let point = |(pose, ..): &(Pose, f64, f64), along: f64| pose.translation + x_axis(pose.rotation) * along;
        let [p, q] = [point(&a, pair.along[0]), point(&b, pair.along[1])];
        let penetration = a.1 + b.1 - p.distance(q);
        if pair.force != Vec3::ZERO || penetration > 0.0 {
            contacts.push(Contact {
                body: pair.ends[0].body,
                other: Other::Body(pair.ends[1].body),
                position: p - pair.axes[0] * a.1,
                normal: pair.axes[0],
                force: pair.force,
                penetration,
                along: Some((pair.ends[0].link as f64 + 0.5) * a.2 + pair.along[0]),
            });
        }
    }
}

impl Island<'_> {
    /// Look at all pairs at the start of a part of the step.
    pub(crate) fn begin_pairs(&mut self, part: &Part) {
        for pair in self.pairs.iter_mut() {
            let span = |c: &Cable, link: usize| c.links.span(&c.state.links.poses, link);
            let bodies = (&*self.bodies, self.first);
            if let (Some([a, b]), Some(spans)) = (both(bodies, pair, side_at_start), both(bodies, pair, span)) {
                pair.begin([&a, &b], spans_of(&pair.ends, [a.links, b.links], spans), part.step());
            }
        }
    }

    /// Choose rho of all contacts from how their links answer to pushes. False where the tangent is singular.
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
            let answer = |c: &Cable, link: usize| c.scratch.step.runs.answers[link];
            let Some([a, b]) = both((self.bodies, self.first), pair, answer) else { continue };
            let normal = pair.start_normal();
            pair.law.rho = pair.firmness.rho(along_normal(&a, normal) + along_normal(&b, normal));
        }
        fine
    }

    /// Add pairs to the residual and find their slopes. Returns how many changed between open, stick and slip.
    pub(crate) fn touch_pairs(&mut self, part: &Part, touching: Touching) -> usize {
        let mut changed = 0;
        for pair in self.pairs.iter_mut() {
            let Some([a, b]) = both((self.bodies, self.first), pair, side) else { continue };
            let means = [a.mean, b.mean];
            if touching == Touching::Fresh {
                pair.renew(means);
            }
            if touching != Touching::Settled {
                pair.refresh([&a, &b], part);
            }
            let reply = if touching == Touching::First { pair.first_reply(means) } else { pair.reply(means) };
            changed += usize::from(reply.state != pair.state);
            pair.state = reply.state;
            pair.pushes = reply.force != [0.0; 3];
            pair.slope = reply.slope;
            if pair.pushes {
                let [end, other] = pair.ends;
                if let Some(c) = cable_mut((self.bodies, self.first), end) {
                    subtract_force(&mut c.scratch.step.residual[end.link], &pair.rows[0], &reply.force);
                }
                if let Some(c) = cable_mut((self.bodies, self.first), other) {
                    let back = reply.force.map(|f| -f);
                    subtract_force(&mut c.scratch.step.residual[other.link], &pair.rows[1], &back);
                }
            }
        }
        changed
    }

    /// Bring limits of friction of pairs closer to their normal forces; true where any was far off.
    pub(crate) fn bound_pairs(&mut self) -> bool {
        let mean = |c: &Cable, link: usize| c.scratch.step.mean[link];
        let mut far = false;
        for pair in self.pairs.iter_mut() {
            let Some([a, b]) = both((self.bodies, self.first), pair, mean) else { continue };
            far |= pair.bound([&a, &b]);
        }
        far
    }

    /// What the pairs add to the residual along the change, where they are not in it.
    pub(crate) fn descent_of_pairs(&self) -> f64 {
        let mut sum = 0.0;
        for pair in self.pairs.iter() {
            let Some([a, b]) = both((self.bodies, self.first), pair, side) else { continue };
            let force = pair.lawful_force([a.mean, b.mean]);
            if force == [0.0; 3] {
                continue;
            }
            let change = |c: &Cable, link: usize| c.scratch.step.change[link];
            let Some([a, b]) = both((self.bodies, self.first), pair, change) else { continue };
            let moved = pair.relative([&a, &b]);
            sum -= force[0] * moved[0] + force[1] * moved[1] + force[2] * moved[2];
        }
        sum
    }

    /// Whether all pairs do what they are taken to do, and none slides.
    pub(crate) fn pairs_stay(&self) -> bool {
        let mean = |c: &Cable, link: usize| c.scratch.step.mean[link];
        let stays = |p: &Pair| both((self.bodies, self.first), p, mean).is_none_or(|[a, b]| p.stays([&a, &b]));
        self.pairs.iter().all(stays)
    }

    /// Whether links are deeper in each other at the end of the part than contact should let them be.
    pub(crate) fn pairs_sank(&self) -> bool {
        let sank =
            |pair: &Pair| both((self.bodies, self.first), pair, side_at_end).is_some_and(|[a, b]| pair.sank([&a, &b]));
        self.pairs.iter().any(sank)
    }

    /// Whether links go through each other in the part.
    pub(crate) fn pairs_passed(&self) -> bool {
        let ways = |c: &Cable, link: usize| (c.state.links.poses[link], c.scratch.step.end[link]);
        let passed = |pair: &Pair| {
            let ways = both((self.bodies, self.first), pair, ways);
            ways.is_some_and(|[a, b]| pair.passed([&a.0, &b.0], [&a.1, &b.1]))
        };
        self.pairs.iter().any(passed)
    }

    /// Make contacts stiffer that are too deep at the end of the part, where links push links; true where there are such.
    pub(crate) fn stiffen(&mut self, part: &Part) -> bool {
        let mut any = false;
        if self.pairs.is_empty() {
            return any;
        }
        self.each(|mut share| any |= share.stiffen(part));
        for pair in self.pairs.iter_mut().filter(|p| p.pushes) {
            if let Some([a, b]) = both((self.bodies, self.first), pair, side_at_end) {
                any |= pair.stiffen([&a, &b]);
            }
        }
        any
    }

    /// Let them become softer by and by.
    pub(crate) fn soften(&mut self) {
        self.pairs.iter_mut().for_each(|pair| pair.firmness.soften());
        self.each(|share| share.s.touches.iter_mut().for_each(|touch| touch.firmness.soften()));
    }

    /// Take over the forces of pairs, into the residuals too.
    pub(crate) fn settle_pairs(&mut self) {
        for pair in self.pairs.iter_mut() {
            let mean = |c: &Cable, link: usize| c.scratch.step.mean[link];
            let Some([a, b]) = both((self.bodies, self.first), pair, mean) else { continue };
            pair.settle([&a, &b]);
            let (force, against) = (along(&pair.axes, pair.force), pair.relative([&a, &b]));
            let gained = (force[0] * against[0] + force[1] * against[1] + force[2] * against[2]).max(0.0);
            for (side, force) in [pair.force, -pair.force].into_iter().enumerate() {
                let end = pair.ends[side];
                if let Some(c) = cable_mut((self.bodies, self.first), end) {
                    c.scratch.step.gained += 0.5 * gained;
                    if pair.is_between_two() {
                        let (force, moves) = (along(&pair.axes, force), velocity(&pair.rows[side], [&a, &b][side]));
                        c.scratch.step.met += force[0] * moves[0] + force[1] * moves[1] + force[2] * moves[2];
                    }
                    let residual = &mut c.scratch.step.residual[end.link];
                    subtract_force(residual, &pair.rows[side], &along(&pair.axes, force));
                }
            }
        }
    }

    /// Bring links that push each other to rest against each other. No more energy comes of it than the pairs took in the step.
    pub(crate) fn calm_pairs(&mut self, part: &Part) {
        self.each(|share| share.s.owed = 0.0);
        for pair in self.pairs.iter_mut() {
            if !pair.pushes {
                continue;
            }
            let of = |c: &Cable, link: usize| (c.links.inertia, c.state.links.velocities[link]);
            let Some([a, b]) = both((self.bodies, self.first), pair, of) else { continue };
            let mut velocities = [a.1, b.1];
            let mean = |c: &Cable, link: usize| c.scratch.step.mean[link];
            let taken =
                both((self.bodies, self.first), pair, mean).map_or(0.0, |[a, b]| pair.taken([&a, &b], part.step()));
            let owed = pair.calm([&a.0, &b.0], &mut velocities, part.step()) - taken;
            for (end, v) in pair.ends.into_iter().zip(velocities) {
                if let Some(c) = cable_mut((self.bodies, self.first), end) {
                    let had = std::mem::replace(&mut c.state.links.velocities[end.link], v);
                    let won = (0..6).map(|k| 0.5 * c.links.inertia[k] * (v[k] - had[k]) * (v[k] + had[k])).sum::<f64>();
                    c.scratch.step.work.bodies += if pair.is_between_two() { won } else { 0.0 };
                    c.scratch.step.owed += 0.5 * owed;
                }
            }
            for (end, force) in pair.ends.into_iter().zip([pair.force, -pair.force]) {
                if let Some(c) = cable_mut((self.bodies, self.first), end) {
                    c.state.links.pushed[end.link] += force;
                }
            }
        }
        self.each(|share| {
            if share.s.owed > 0.0 {
                take_energy(share.links, &mut share.state.velocities, share.s.owed);
            }
        });
    }
}
