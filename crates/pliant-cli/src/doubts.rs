//! What in a run shows that its numbers are not to be trusted.

use pliant::{Body, Frame, World};

use crate::output::short;

/// Part of all energy that went through a body from which on what was created makes its numbers doubtful.
const GAINED: f64 = 0.1;

/// Energy below which nothing is seen, whatever made it: that of a body that moves at this speed [m/s], or is this much
/// higher [m].
const UNSEEN: (f64, f64) = (1e-4, 1e-6);

/// Depth of a cable in something, relative to the radius, from which on a run is doubtful; impacts stay below a
/// twentieth.
const DEEP: f64 = 0.25;

/// Distance of what touches from the lines between nodes, relative to the radius, from which on the nodes do not show
/// where a cable is.
const BESIDE: f64 = 0.5;

/// Angle between neighbouring links from which on their bend is not resolved [rad].
const SHARP: f64 = std::f64::consts::FRAC_PI_3;

/// Shapes are looked at after every so many steps.
const EVERY: u64 = 16;

/// What was seen while it ran.
#[derive(Default)]
pub struct Doubts {
    /// For each body the sharpest bend for its segments.
    bends: Vec<Bend>,
    /// The greatest depth, and when it was reached [m, s].
    deepest: (f64, f64),
}

#[derive(Clone, Copy, Default)]
struct Bend {
    /// Largest distance of links from the lines between nodes [m].
    beside: f64,
    /// Largest angle between neighbouring links [rad], and when that was [s].
    angle: f64,
    time: f64,
}

impl Doubts {
    /// Look at the world after a step.
    pub fn look(&mut self, world: &World, step: u64) {
        if world.deepest() > self.deepest.0 {
            self.deepest = (world.deepest(), world.time());
        }
        // a kink of the path that it begins with is gone soon
        if step > 0 && step.is_multiple_of(EVERY) {
            self.look_at_shapes(world);
        }
    }

    fn look_at_shapes(&mut self, world: &World) {
        self.bends.resize(world.bodies().len(), Bend::default());
        for (bend, body) in self.bends.iter_mut().zip(world.bodies()) {
            let Some((beside, angle)) = body.beside_nodes() else { continue };
            bend.beside = bend.beside.max(beside);
            if angle > bend.angle {
                (bend.angle, bend.time) = (angle, world.time());
            }
        }
    }

    /// What is to be told at the end, of which the frame is given.
    pub fn at_end(mut self, world: &World, frame: &Frame) -> Vec<String> {
        self.look_at_shapes(world);
        let mut found = vec![];
        for ((body, shown), bend) in world.bodies().iter().zip(&frame.bodies).zip(&self.bends) {
            let account = &shown.account;
            let through =
                shown.energy.kinetic + shown.energy.elastic + account.work.total().abs() + account.dissipated();
            let unseen = body.mass() * (0.5 * UNSEEN.0 * UNSEEN.0 + world.gravity().length() * UNSEEN.1);
            if account.created > GAINED * through && account.created_max > 0.0 && account.created > unseen {
                let instead = match body {
                    Body::Xpbd(_) => "shorten the step, or sweep more",
                    _ => "shorten the step",
                };
                found.push(format!(
                    "{} has gained {} J in all that no force gave it, of {} J that went through it: do not trust its \
                     numbers, {instead}",
                    body.name(),
                    short(account.created),
                    short(through)
                ));
            }
            if bend.angle > SHARP || bend.beside > BESIDE * body.radius() {
                found.push(format!(
                    "{} bends by {:.0} degrees from one link to the next at t = {} s, and its links, which are what \
                     touches, lie up to {} mm beside the lines between its nodes: segments are too long for such bends, and \
                     forces there are rough; take more of them",
                    body.name(),
                    bend.angle.to_degrees(),
                    short(bend.time),
                    short(1e3 * bend.beside)
                ));
            }
        }
        found.extend(self.depth(world, frame));
        found
    }

    /// Rods that sink deeply into what they touch.
    fn depth(&self, world: &World, frame: &Frame) -> Option<String> {
        let cables = world.bodies().iter().filter(|body| matches!(body, Body::Cable(_)));
        let soft = |body: &Body| !body.is_solid() && body.radius() > 0.0 && !matches!(body, Body::Cable(_));
        if world.bodies().iter().any(soft) {
            // contacts of the other models give way by design
            return deep_at_end(world, frame);
        }
        let thinnest = cables.map(Body::radius).fold(f64::INFINITY, f64::min);
        let (depth, time) = self.deepest;
        (depth > DEEP * thinnest).then(|| {
            format!(
                "a cable was {} mm deep in another, in itself or in an obstacle at t = {} s, with a radius of {} mm: \
                 take shorter steps or more segments",
                short(1e3 * depth),
                short(time),
                short(1e3 * thinnest)
            )
        })
    }
}

/// A rod that at the end is deeper in something than its radius.
fn deep_at_end(world: &World, frame: &Frame) -> Option<String> {
    let rods = world.bodies().iter().enumerate().filter(|(_, body)| !body.is_solid() && body.radius() > 0.0);
    let depth = |index: usize| {
        let own = frame.contacts.iter().filter(|contact| contact.body == index);
        own.map(|contact| contact.penetration).fold(0.0, f64::max)
    };
    let mut deep = rods.map(|(index, body)| (body, depth(index))).filter(|(body, depth)| *depth > body.radius());
    deep.next().map(|(body, depth)| {
        format!(
            "{} is {} mm deep in what it touches at the end, with a radius of {} mm: its contact is too soft for that load",
            body.name(),
            short(1e3 * depth),
            short(1e3 * body.radius())
        )
    })
}
