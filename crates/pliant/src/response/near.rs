//! Which nodes may touch something, without a look at the whole surface in every step.
//!
//! A node that is some way off everything cannot touch before the body, or what is around it, has moved that far. How far any
//! node may have moved is summed up; a node is looked at again when that sum has reached what its distance allows.

use super::Response;
use super::solid::Form;
use super::touch::By;
use crate::body::Surroundings;
use crate::bytes::stored;
use crate::contact::{Obstacle, ShapeKind};
use crate::error::BuildError;
use crate::math::{Pose, Vec3};

/// What is known of the distances of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// How far any node may have moved in all [m].
    travel: f64,
    /// For each node the travel at which it has to be looked at.
    due: Vec<f64>,
    /// No node has to be looked at before this travel.
    soonest: f64,
    /// The obstacles for which that holds.
    around: Vec<usize>,
}

impl Watch {
    /// Copy another state into this one, reusing capacity.
    pub fn copy_from(&mut self, other: &Watch) {
        let Watch { travel, due, soonest, around } = other;
        self.due.clone_from(due);
        self.around.clone_from(around);
        (self.travel, self.soonest) = (*travel, *soonest);
    }

    /// Of so many nodes.
    pub fn new(nodes: usize) -> Watch {
        Watch { travel: 0.0, due: vec![f64::NEG_INFINITY; nodes], soonest: f64::NEG_INFINITY, around: vec![] }
    }

    /// Whether it is one of so many nodes.
    pub fn fits(&self, nodes: usize) -> bool {
        self.due.len() == nodes
    }

    /// Distances have to be found again: a finger that was followed by itself counts as an obstacle from now on, or no longer.
    pub fn begin_again(&mut self) {
        self.around.clear();
    }

    /// Room for so many obstacles.
    pub fn reserve(&mut self, obstacles: usize) {
        self.around.reserve(obstacles);
    }
}

/// What a watch was before a step.
#[derive(Clone, Debug)]
pub struct Looked {
    travel: f64,
    soonest: f64,
    around: Vec<usize>,
    /// When nodes were due that have been looked at since.
    due: Vec<f64>,
    /// Whether that is so of a node.
    is_noted: Vec<bool>,
    /// Those nodes.
    noted: Vec<u32>,
}

impl Looked {
    /// With room for a watch.
    pub fn new(watch: &Watch) -> Looked {
        let nodes = watch.due.len();
        Looked {
            travel: watch.travel,
            soonest: watch.soonest,
            around: vec![],
            due: vec![0.0; nodes],
            is_noted: vec![false; nodes],
            noted: Vec::with_capacity(nodes),
        }
    }

    /// Room for so many obstacles.
    pub fn reserve(&mut self, obstacles: usize) {
        self.around.reserve(obstacles);
    }

    /// Begin a step.
    pub fn keep(&mut self, watch: &Watch) {
        (self.travel, self.soonest) = (watch.travel, watch.soonest);
        self.around.clone_from(&watch.around);
        for node in self.noted.drain(..) {
            self.is_noted[node as usize] = false;
        }
    }

    /// A node is about to become due at another time.
    fn note(&mut self, node: u32, due: f64) {
        if !std::mem::replace(&mut self.is_noted[node as usize], true) {
            self.due[node as usize] = due;
            self.noted.push(node);
        }
    }

    /// Make a watch what it was.
    pub fn undo(&self, watch: &mut Watch) {
        (watch.travel, watch.soonest) = (self.travel, self.soonest);
        watch.around.clone_from(&self.around);
        for &node in &self.noted {
            watch.due[node as usize] = self.due[node as usize];
        }
    }
}

/// A node is looked at in every step when it is nearer than this to something, over the mean edge [-]: neighbours that are pressed may
/// push it there within the step.
const MARGIN: f64 = 0.1;

/// Whether an obstacle touches facets as a finger does, at one point, and not nodes: a ball as small as edges.
pub fn is_finger(obstacle: &Obstacle, edge: f64) -> Option<f64> {
    match obstacle.params.shape.kind() {
        ShapeKind::Sphere { radius } if *radius <= 1.5 * edge => Some(*radius),
        _ => None,
    }
}

/// How far any point within `reach` of `middle` and fixed to an obstacle moves in a world step [m].
fn swept(obstacle: &Obstacle, middle: Vec3, reach: f64) -> f64 {
    let sweep = &obstacle.sweep;
    if sweep.start == sweep.end {
        return 0.0;
    }
    let [shift, turn] = sweep.rates(1.0);
    shift.length() + turn.length() * ((middle - sweep.start.translation).length() + reach + shift.length())
}

/// A body that begins deeper than this in an obstacle is refused, over its radius [-]: contact takes it out within a step, which
/// throws it.
const SUNKEN: f64 = 0.01;

impl Response {
    /// Refuse to begin inside an obstacle.
    pub(crate) fn check_start(&self, obstacles: &[Obstacle]) -> Result<(), BuildError> {
        let mut places = vec![];
        self.write_surface(&mut places);
        let [_, edge] = self.solid.shell.edges;
        for obstacle in obstacles {
            let pose = obstacle.sweep.start;
            let depth_at = |place: Vec3| match is_finger(obstacle, edge) {
                Some(_) => 0.0,
                None => {
                    let face = obstacle.params.shape.surface_near(&pose, place, self.solid.shell.radius);
                    face.map_or(0.0, |face| -face.distance)
                }
            };
            let deepest = places.iter().map(|place| (depth_at(*place), *place)).max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((depth, place)) = deepest.filter(|deepest| deepest.0 > SUNKEN * self.solid.shell.radius) {
                let (body, obstacle) = (self.name.clone(), obstacle.params.name.clone());
                return Err(BuildError::SolidStartsInside { body, obstacle, depth, place });
            }
        }
        Ok(())
    }

    /// Sum up how far nodes may move in a step of its own, the part `share` of one of the world.
    pub(super) fn travel(&mut self, around: &Surroundings<'_>, step: f64, share: f64) {
        let Form::Modes(modes) = &self.solid.form else { return };
        let (motion, past) = (&self.state.motion, &self.state.past);
        let size = self.solid.shell.radius + modes.reach * past.size(self.kernel);
        let spin = motion.spin(&self.solid.inverse_inertia).length();
        let speed = motion.velocity.length() + around.gravity.length() * step;
        let fastest = speed + spin * size + modes.reach * past.speed(self.kernel);
        let others = around.near.iter().map(|n| swept(&around.obstacles[*n], motion.place, size)).fold(0.0, f64::max);
        self.state.watch.travel += fastest * step + others * share;
    }

    /// Append the nodes that may touch an obstacle by the end of the step, but for those that do.
    pub(super) fn find_due(&mut self, around: &Surroundings<'_>, at_end: f64) {
        if self.state.watch.around != around.near {
            self.state.watch.around.clear();
            self.state.watch.around.extend_from_slice(around.near);
            self.guess_due(around, at_end);
            self.state.watch.soonest = f64::NEG_INFINITY;
        }
        if self.state.watch.travel < self.state.watch.soonest {
            self.scratch.found.clear();
            return;
        }
        let margin = MARGIN * self.solid.shell.edges[1];
        let mut found = std::mem::take(&mut self.scratch.found);
        found.clear();
        let travel = self.state.watch.travel;
        found.extend((0u32..).zip(&self.state.watch.due).filter(|(_, due)| **due <= travel).map(|(node, _)| node));
        found.retain(|node| {
            let clear = self.clearance(around, at_end, self.free_place(*node as usize));
            if clear > margin {
                let due = &mut self.state.watch.due[*node as usize];
                self.scratch.before.watch.note(*node, *due);
                *due = travel + clear - margin;
            }
            clear <= margin
        });
        self.scratch.found = found;
        let watch = &mut self.state.watch;
        watch.soonest = watch.due.iter().copied().fold(f64::INFINITY, f64::min);
    }

    /// Distance from all that is near, or from the edge of a finger's reach [m].
    fn clearance(&self, around: &Surroundings<'_>, at_end: f64, place: Vec3) -> f64 {
        let distance = |n: &usize| {
            let obstacle = &around.obstacles[*n];
            let pose = obstacle.sweep.at(at_end);
            match is_finger(obstacle, self.solid.shell.edges[1]) {
                // a finger touches facets: nodes matter within their edges
                Some(radius) => (pose.translation - place).length() - radius - 1.5 * self.solid.shell.edges[0],
                None => {
                    let far = self.solid.shell.radius;
                    obstacle.params.shape.surface_near(&pose, place, far).map_or(far, |face| face.distance)
                }
            }
        };
        // a finger that has its point on the surface is followed there
        let followed = |n: &&usize| self.state.touches.iter().any(|t| t.facet.is_some() && t.by == By::Obstacle(**n));
        around.near.iter().filter(|n| !followed(n)).map(distance).fold(f64::INFINITY, f64::min)
    }

    /// When nodes have to be looked at first, from where they would be without deformation.
    fn guess_due(&mut self, around: &Surroundings<'_>, at_end: f64) {
        let Form::Modes(modes) = &self.solid.form else { return };
        let size = self.state.past.size(self.kernel);
        let world: Pose = self.scratch.free.world_from_body();
        for (node, rest) in self.solid.shell.nodes.iter().enumerate() {
            let clear = self.clearance(around, at_end, world.transform_point(*rest));
            // bulges that follow forces at once are within the margin
            let sure = clear - modes.reaches[node] * size - 2.0 * MARGIN * self.solid.shell.edges[1];
            self.scratch.before.watch.note(node as u32, self.state.watch.due[node]);
            self.state.watch.due[node] = self.state.watch.travel + sure.max(0.0);
        }
    }
}

stored!(Watch { travel, due, soonest, around });
