//! Members that begin in equilibrium: they come to rest together, while all others stay where they are. The world makes
//! the steps, see `world::settle`.

use crate::body::{Body, BodyState};
use crate::cable::{Cable, Moving};
use crate::elastica::Start;
use crate::math::Vec3;

/// Bodies that come to rest together, and those that stay.
pub(crate) struct Resting {
    /// Index of each body that comes to rest, with the settings to restore.
    bodies: Vec<(usize, Moving)>,
    /// The others of the group that could move, with the states to keep.
    others: Vec<(usize, BodyState)>,
    /// The longest step [s], and how many halvings of it are useful.
    pub longest: f64,
    pub halvings: i32,
}

impl Resting {
    /// Begin with the bodies that have this start; `None` if there are none.
    pub fn begin(bodies: &mut [Body], start: Start, gravity: Vec3) -> Option<Resting> {
        let begins = |body: &Body| matches!(body, Body::Cable(cable) if cable.begins() == start);
        if !bodies.iter().any(begins) {
            return None;
        }
        let mut resting = Resting { bodies: vec![], others: vec![], longest: 0.0, halvings: 0 };
        for (index, body) in bodies.iter_mut().enumerate() {
            match body {
                Body::Cable(cable) if cable.begins() == start => {
                    let (step, count) = cable.steps_to_rest(gravity);
                    resting.longest = resting.longest.max(step);
                    resting.halvings = resting.halvings.max(count);
                    resting.bodies.push((index, cable.begin_to_rest()));
                }
                Body::Cable(cable) => {
                    cable.stay(true);
                    resting.others.push((index, body.state()));
                }
                Body::Arm(arm) => arm.stay(true),
                _ => {}
            }
        }
        Some(resting)
    }

    /// Indices of the bodies that come to rest.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        self.bodies.iter().map(|(index, _)| *index)
    }

    /// Indices of all that take part in a step to rest, those that stay included, in order.
    pub fn taking_part(&self, bodies: &[Body]) -> Vec<usize> {
        (0..bodies.len()).filter(|&index| matches!(bodies[index], Body::Cable(_))).collect()
    }

    /// Before a step of `step` [s] with this drag [1/s].
    pub fn damp(&self, bodies: &mut [Body], step: f64, drag: f64) {
        self.each(bodies, |_, cable| cable.damp(step, drag));
        bodies.iter_mut().filter(|body| matches!(body, Body::Cable(_))).for_each(Body::keep);
    }

    /// After a step from rest: add to each of `ways`, one per body that comes to rest, the largest distance that a part
    /// of it moved relative to its length, and stop it.
    pub fn measure(&self, bodies: &mut [Body], ways: &mut [f64]) {
        self.each(bodies, |n, cable| {
            ways[n] += cable.way() / cable.length();
            cable.stop();
        });
    }

    /// Note in `places` where the links of all bodies that come to rest are [m], and in `ways`, one per body, the largest
    /// distance from where they were noted before, relative to its length.
    pub fn measure_from(&self, bodies: &mut [Body], places: &mut Vec<Vec3>, ways: &mut [f64]) {
        let before = std::mem::take(places);
        let mut before = before.into_iter();
        self.each(bodies, |n, cable| {
            ways[n] = 0.0;
            for pose in cable.line().poses {
                let from = before.next().unwrap_or(pose.translation);
                ways[n] = ways[n].max(pose.translation.distance(from) / cable.length());
                places.push(pose.translation);
            }
        });
    }

    /// Return those that stay to where they were, and after a step that failed the others too.
    pub fn put_back(&self, bodies: &mut [Body], failed: bool) {
        self.others.iter().for_each(|(index, state)| bodies[*index].set_state(state));
        if failed {
            self.each(bodies, |_, cable| cable.undo());
        }
    }

    /// Restore all settings, with the bodies where they have come to rest.
    pub fn end(&self, bodies: &mut [Body]) {
        for body in bodies.iter_mut() {
            match body {
                Body::Arm(arm) => arm.stay(false),
                Body::Cable(cable) => cable.stay(false),
                _ => {}
            }
        }
        self.each(bodies, |n, cable| cable.end_at_rest(&self.bodies[n].1));
    }

    fn each(&self, bodies: &mut [Body], mut act: impl FnMut(usize, &mut Cable)) {
        for (n, (index, _)) in self.bodies.iter().enumerate() {
            if let Body::Cable(cable) = &mut bodies[*index] {
                act(n, cable);
            }
        }
    }
}
