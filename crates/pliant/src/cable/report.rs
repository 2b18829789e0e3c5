//! Output of a cable: shape, frames, forces and moments, energies.

use super::{Cable, CableState, PastPair};
use crate::account::{Bound, Level, Work};
use crate::body::{Body, PARTING_GAP, Surroundings};
use crate::cable::algebra::block::{Vec6, dot};
use crate::cable::contact::pairs::SINKING;
use crate::cable::contact::touch::PastTouch;
use crate::cable::joint::strain;
use crate::cable::links::jointed;
use crate::cable::solver::coupled_pairs::at_start;
use crate::contact::Obstacle;
use crate::frame::{BodyFrame, Contact, Energy, Event, EventKind};
use crate::linkage::{HeldEnd, Touching};
use crate::math::Vec3;
use crate::world::Beside;

impl Cable {
    /// Strain of each joint.
    pub(super) fn strains(&self) -> impl Iterator<Item = Vec6> {
        let arms = self.links.arms();
        jointed(&self.state.links.poses, self.links.rest.len()).map(move |(a, b)| strain(a, b, arms))
    }

    /// Energies [J].
    pub fn energy(&self, gravity: Vec3) -> Energy {
        let mut energy = Energy::default();
        let links = &self.state.links;
        for (pose, v) in links.poses.iter().zip(&links.velocities) {
            energy.kinetic += (0..6).map(|k| 0.5 * self.links.inertia[k] * v[k] * v[k]).sum::<f64>();
            energy.gravity -= self.links.inertia[0] * gravity.dot(pose.translation);
        }
        let stored = |k: &Vec6, e: &Vec6| (0..6).map(|i| 0.5 * k[i] * e[i] * e[i]).sum::<f64>();
        for (e, rest) in self.strains().zip(&self.links.rest) {
            energy.elastic += stored(&self.links.stiffness, &std::array::from_fn(|k| e[k] - rest[k]));
        }
        energy.elastic += self.state.held_energy;
        energy
    }

    /// Mass [kg].
    pub(crate) fn mass(&self) -> f64 {
        self.links.inertia[0] * self.size() as f64
    }

    /// Work done on it in the last step.
    pub(crate) fn work(&self) -> Work {
        let work = self.scratch.step.work;
        Work { grips: work.grips + self.scratch.gripped, ..work }
    }

    /// Energy, including what the decaying step carries from step to step, c (K de^2 + M dV^2) / 2, see
    /// `equations::midpoint` [J].
    pub(crate) fn level(&self, gravity: Vec3) -> Level {
        let (c, links) = (self.links.decay, &self.state.links);
        let [mut strained, mut changed, mut moving, mut gained] = [[0.0; 6]; 4];
        let mut low = Vec3::ZERO;
        for ((pose, v), more) in links.poses.iter().zip(&links.velocities).zip(&links.gained) {
            for k in 0..6 {
                moving[k] += v[k] * v[k];
                gained[k] += more[k] * more[k];
            }
            low += pose.translation;
        }
        // before its first step nothing has changed
        let known = if links.steps[1] > 0.0 { 1.0 } else { 0.0 };
        for ((now, rest), before) in self.strains().zip(&self.links.rest).zip(&links.strains) {
            for k in 0..6 {
                strained[k] += (now[k] - rest[k]) * (now[k] - rest[k]);
                changed[k] += known * (now[k] - before[k]) * (now[k] - before[k]);
            }
        }
        let mut kept = dot(&self.links.stiffness, &changed) + dot(&self.links.inertia, &gained);
        for (held, (_, changed)) in self.scratch.held.iter().zip(&links.held) {
            kept += (0..6).map(|k| held.stiffness[k] * changed[k] * changed[k]).sum::<f64>();
        }
        Level {
            kinetic: 0.5 * dot(&self.links.inertia, &moving),
            elastic: 0.5 * dot(&self.links.stiffness, &strained) + self.state.held_energy,
            gravity: -self.links.inertia[0] * gravity.dot(low),
            stored: 0.5 * c * kept,
        }
    }

    /// The stored part of [`Cable::level`] [J].
    pub(crate) fn stored(&self) -> f64 {
        self.level(Vec3::ZERO).stored
    }

    /// Bound on the energy that a step may create.
    pub(crate) fn may_create(&self) -> Bound {
        if self.links.linear {
            let why = "the published step takes joints as they are at its start, and gains as links turn";
            return Bound { part: f64::INFINITY, held: 0.0, contacts: 0.0, why };
        }
        let why = "the midpoint rule gives exactly what forces do, and what its iterations leave is taken from the motion as far as there \
                   is any; contacts push out links that they let sink in";
        Bound { part: 1e-2, held: 1e-3, contacts: SINKING * self.links.radius * self.state.links.pressed, why }
    }

    /// Write orientations, fields and energies into a frame that has the nodes already.
    pub(crate) fn write_frame(&self, gravity: Vec3, frame: &mut BodyFrame) {
        let line = self.line();
        line.write_frames(&mut frame.frames);
        let load = |joint: usize| {
            let [x, y, z, about_x, about_y, about_z] = self.state.loads[joint];
            [Vec3::new(x, y, z), Vec3::new(about_x, about_y, about_z)]
        };
        line.write_fields(load, &self.state.ends, |link| self.state.links.pushed[link], frame);
        frame.energy = self.energy(gravity);
    }

    pub(crate) fn write_contacts(&self, index: usize, obstacles: &[Obstacle], contacts: &mut Vec<Contact>) {
        let touches = self.state.links.contacts().iter().map(|t| touching(t, self.links.length));
        self.line().write_contacts(index, touches, obstacles, contacts);
    }

    /// The node with the largest tension, and its value [N].
    fn most_tension(&self) -> Option<(usize, f64)> {
        let joints = self.state.loads.iter().enumerate().map(|(joint, load)| (joint + 1, load[0]));
        joints.chain(self.held_ends().map(|(node, end)| (node, end.load[0].x))).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The node with the largest curvature, and its value [1/m].
    fn most_curvature(&self) -> Option<(usize, f64)> {
        let line = self.line();
        let joints = (0..self.state.loads.len()).map(|joint| (joint + 1, line.curvature(joint)));
        let ends = self.held_ends().filter_map(|(node, end)| Some((node, end.curvature?)));
        joints.chain(ends).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The ends that are held, with their nodes.
    fn held_ends(&self) -> impl Iterator<Item = (usize, &HeldEnd)> {
        [0, self.size()].into_iter().zip(&self.state.ends).filter_map(|(node, end)| Some((node, end.as_ref()?)))
    }

    /// Raise an event when tension or curvature exceeds its limit, and when it is clearly within the limit again, with
    /// the extreme reached.
    pub(super) fn note_limits(&mut self, around: &mut Surroundings<'_>) {
        // hysteresis, so that a value at its limit does not raise event after event
        const CLEARLY: f64 = 0.95;
        let (time, body) = (around.time + around.dt, around.body);
        for kind in 0..2 {
            let limit = self.limits[kind];
            if !limit.is_finite() {
                continue;
            }
            let Some(most) = (if kind == 0 { self.most_tension() } else { self.most_curvature() }) else { continue };
            let told = match &mut self.state.beyond[kind] {
                None if most.1 > limit => {
                    self.state.beyond[kind] = Some(most);
                    limit_event(kind, true, body, most, limit)
                }
                Some(worst) if most.1 < CLEARLY * limit => {
                    let worst = *worst;
                    self.state.beyond[kind] = None;
                    limit_event(kind, false, body, worst, limit)
                }
                Some(worst) if most.1 > worst.1 => {
                    *worst = most;
                    continue;
                }
                _ => continue,
            };
            around.events.push(Event { time, kind: told });
        }
    }

    /// Raise events for obstacles that the cable began or ceased to touch.
    pub(super) fn note_touching(&mut self, around: &mut Surroundings<'_>) {
        let CableState { links, touched, .. } = &mut self.state;
        let touches = links.contacts().iter().map(|t| touching(t, self.links.length));
        self.links.line(&links.poses).note_touching(touches, touched, &self.scratch.near, around);
    }
}

/// The event for a limit of tension (0) or curvature (1) that is exceeded, or no longer is; `most` is a node and its
/// value.
fn limit_event(kind: usize, passed: bool, body: usize, most: (usize, f64), limit: f64) -> EventKind {
    let (node, most) = most;
    match (kind, passed) {
        (0, true) => EventKind::OverTension { body, node, tension: most, limit },
        (0, false) => EventKind::TensionEased { body, node, tension: most, limit },
        (_, true) => EventKind::OverBend { body, node, radius: 1.0 / most, limit: 1.0 / limit },
        (_, false) => EventKind::BendEased { body, node, radius: 1.0 / most, limit: 1.0 / limit },
    }
}

/// Cables whose links touch each other, or are close enough for contact to continue.
pub(crate) fn pairs_beside(bodies: &[Body], pairs: &[PastPair]) -> impl Iterator<Item = Beside> {
    pairs.iter().filter_map(|pair| {
        let (pushes, bodies_of) = (pair.force != Vec3::ZERO, pair.ends.map(|end| end.body));
        let near = || {
            at_start((bodies, 0), &pair.key()).is_some_and(|sides| {
                let ([p, q], [r, s]) = (pair.places(sides), sides.map(|side| side.links.radius));
                p.distance(q) < r + s + PARTING_GAP * r.min(s)
            })
        };
        (pushes || near()).then_some(Beside { bodies: bodies_of, pushes })
    })
}

fn touching(touch: &PastTouch, length: f64) -> Touching {
    let PastTouch { link, obstacle, normal, force, .. } = *touch;
    Touching { link, s: touch.along_link(length), obstacle, normal, force }
}
