//! Search for nodes that may be in contact, without examining the whole surface in every step.
//!
//! A node at some distance from all obstacles cannot touch before the body or an obstacle has moved that far. The
//! largest possible motion of any node is summed up; a node is checked again when that sum reaches its distance.

use super::Response;
use super::solid::Form;
use super::touch::By;
use crate::body::{Surroundings, There};
use crate::bytes::stored;
use crate::contact::{Obstacle, ShapeKind};
use crate::error::BuildError;
use crate::math::{Pose, Vec3};

/// Schedule of distance checks of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// Largest possible total motion of any node [m].
    travel: f64,
    /// For each node, the travel at which it is due for a check [m].
    due: Vec<f64>,
    /// No node is due before this travel [m].
    soonest: f64,
    /// Indices of the obstacles for which this holds.
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

    /// A schedule for a number of nodes, all due.
    pub fn new(nodes: usize) -> Watch {
        Watch { travel: 0.0, due: vec![f64::NEG_INFINITY; nodes], soonest: f64::NEG_INFINITY, around: vec![] }
    }

    /// Whether it has this number of nodes, and watches obstacles that are there.
    pub fn fits(&self, nodes: usize, there: &There) -> bool {
        self.due.len() == nodes && there.are_obstacles(self.around.iter())
    }

    /// Discard all distances, as when a finger starts or ceases to count as an ordinary obstacle.
    pub fn begin_again(&mut self) {
        self.around.clear();
    }

    /// Preallocate for obstacles.
    pub fn reserve(&mut self, obstacles: usize) {
        self.around.reserve(obstacles);
    }
}

/// Changes of a watch in a step, for undo.
#[derive(Clone, Debug)]
pub struct Looked {
    travel: f64,
    soonest: f64,
    around: Vec<usize>,
    /// Previous due travel of nodes that were checked since.
    due: Vec<f64>,
    /// Whether a node was checked since.
    is_noted: Vec<bool>,
    /// Nodes that were checked since.
    noted: Vec<u32>,
}

impl Looked {
    /// Allocate for a watch.
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

    /// Preallocate for obstacles.
    pub fn reserve(&mut self, obstacles: usize) {
        self.around.reserve(obstacles);
    }

    /// Start a step.
    pub fn keep(&mut self, watch: &Watch) {
        (self.travel, self.soonest) = (watch.travel, watch.soonest);
        self.around.clone_from(&watch.around);
        for node in self.noted.drain(..) {
            self.is_noted[node as usize] = false;
        }
    }

    /// Note the previous due travel of a node before it changes.
    fn note(&mut self, node: u32, due: f64) {
        if !std::mem::replace(&mut self.is_noted[node as usize], true) {
            self.due[node as usize] = due;
            self.noted.push(node);
        }
    }

    /// Restore a watch.
    pub fn undo(&self, watch: &mut Watch) {
        (watch.travel, watch.soonest) = (self.travel, self.soonest);
        watch.around.clone_from(&self.around);
        for &node in &self.noted {
            watch.due[node as usize] = self.due[node as usize];
        }
    }
}

/// Distance below which a node is checked in every step, relative to the mean edge [-]: pressed neighbours may push it
/// that far within the step.
const MARGIN: f64 = 0.1;

/// The radius of an obstacle that acts as a finger [m], touching facets at one point instead of nodes: a ball no larger
/// than about an edge.
pub fn is_finger(obstacle: &Obstacle, edge: f64) -> Option<f64> {
    match obstacle.params.shape.kind() {
        ShapeKind::Sphere { radius } if *radius <= 1.5 * edge => Some(*radius),
        _ => None,
    }
}

/// Upper bound on the motion in a world step of points fixed to an obstacle within `reach` of `middle` [m].
fn swept(obstacle: &Obstacle, middle: Vec3, reach: f64) -> f64 {
    let sweep = &obstacle.sweep;
    if sweep.start == sweep.end {
        return 0.0;
    }
    let [shift, turn] = sweep.rates(1.0);
    shift.length() + turn.length() * ((middle - sweep.start.translation).length() + reach + shift.length())
}

/// Initial depth in an obstacle beyond which a body is rejected, relative to its radius [-]: contact would push it out
/// within a step and throw it.
const SUNKEN: f64 = 0.01;

impl Response {
    /// Whether an obstacle touches its facets at one point, as a finger does.
    pub(crate) fn is_finger(&self, obstacle: &Obstacle) -> bool {
        is_finger(obstacle, self.solid.shell.edges[1]).is_some()
    }

    /// Fail if the body starts inside an obstacle.
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
            // held nodes touch nothing
            let touching = (0..places.len()).filter(|node| !self.solid.firm.has(*node)).map(|node| places[node]);
            let deepest = touching.map(|place| (depth_at(place), place)).max_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((depth, place)) = deepest.filter(|deepest| deepest.0 > SUNKEN * self.solid.shell.radius) {
                let (body, obstacle) = (self.name.clone(), obstacle.params.name.clone());
                return Err(BuildError::SolidStartsInside { body, obstacle, depth, place });
            }
        }
        Ok(())
    }

    /// Add the largest possible motion of nodes in a model step, which is the fraction `share` of a world step.
    pub(super) fn travel(&mut self, around: &Surroundings<'_>, step: f64, share: f64) {
        let Form::Modes(modes) = &self.solid.form else { return };
        let (motion, past) = (&self.state.motion, &self.state.past);
        let size = self.solid.shell.radius + modes.reach * past.size(self.kernel);
        let spin = motion.spin(&self.solid.inverse_inertia).length();
        let speed = motion.velocity.length() + self.solid.falls(around.gravity).length() * step;
        let fastest = speed + spin * size + modes.reach * past.speed(self.kernel);
        let others = around.near.iter().map(|n| swept(&around.obstacles[*n], motion.place, size)).fold(0.0, f64::max);
        self.state.watch.travel += fastest * step + others * share;
    }

    /// Append the nodes that may touch an obstacle by the end of the step, except those already in contact.
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
            let clear = self.clearance(around, at_end, *node as usize, self.free_place(*node as usize));
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

    /// Distance of a node from the nearest obstacle, or from the edge of a finger's reach [m]. Nodes that are held touch
    /// no obstacles, so that a floor below them costs nothing.
    fn clearance(&self, around: &Surroundings<'_>, at_end: f64, node: usize, place: Vec3) -> f64 {
        let distance = |n: &usize| {
            let obstacle = &around.obstacles[*n];
            let pose = obstacle.sweep.at(at_end);
            match is_finger(obstacle, self.solid.shell.edges[1]) {
                // a finger touches facets: it concerns nodes within about an edge length
                Some(radius) => (pose.translation - place).length() - radius - 1.5 * self.solid.shell.edges[0],
                None if self.solid.firm.has(node) => f64::INFINITY,
                None => {
                    let far = self.solid.shell.radius;
                    obstacle.params.shape.surface_near(&pose, place, far).map_or(far, |face| face.distance)
                }
            }
        };
        // a finger with a point on the surface is tracked there
        let followed = |n: &&usize| self.state.touches.iter().any(|t| t.facet.is_some() && t.by == By::Obstacle(**n));
        around.near.iter().filter(|n| !followed(n)).map(distance).fold(f64::INFINITY, f64::min)
    }

    /// Estimate when nodes are first due, from their undeformed positions.
    fn guess_due(&mut self, around: &Surroundings<'_>, at_end: f64) {
        let Form::Modes(modes) = &self.solid.form else { return };
        let size = self.state.past.size(self.kernel);
        let world: Pose = self.scratch.free.world_from_body();
        for (node, rest) in self.solid.shell.nodes.iter().enumerate() {
            let clear = self.clearance(around, at_end, node, world.transform_point(*rest));
            // quasi-static bulges are within the margin
            let sure = clear - modes.reaches[node] * size - 2.0 * MARGIN * self.solid.shell.edges[1];
            self.scratch.before.watch.note(node as u32, self.state.watch.due[node]);
            self.state.watch.due[node] = self.state.watch.travel + sure.max(0.0);
        }
    }
}

stored!(Watch { travel, due, soonest, around });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ObstacleParams, Shape};
    use crate::math::Quat;
    use crate::motion::Sweep;
    use crate::random::Random;

    fn obstacle(kind: ShapeKind, sweep: Sweep) -> Obstacle {
        let shape = Shape::new(kind).unwrap_or_else(|error| unreachable!("{error}"));
        let mut obstacle = Obstacle::new(ObstacleParams::fixed("it", shape, sweep.start), 0.0);
        obstacle.sweep = sweep;
        obstacle
    }

    /// No point of an obstacle moves farther in a step than the bound says, however it shifts and turns.
    #[test]
    fn points_of_an_obstacle_move_no_farther_than_the_bound() {
        let mut random = Random(2);
        for _ in 0..200 {
            let turned = Quat::from_scaled_axis(random.vector());
            let start = Pose::from_parts(random.vector(), turned);
            let end = Pose::from_parts(
                start.translation + 0.3 * random.vector(),
                Quat::from_scaled_axis(random.vector()) * turned,
            );
            let (middle, reach) = (3.0 * random.vector(), random.fraction());
            let it = obstacle(ShapeKind::Plane, Sweep { start, end });
            let bound = swept(&it, middle, reach);
            for _ in 0..20 {
                let point = middle + reach * random.vector().normalize();
                let own = start.inverse_transform_point(point);
                for f in [0.1, 0.5, 1.0] {
                    let moved = it.sweep.at(f).transform_point(own).distance(point);
                    assert!(moved <= bound * (1.0 + 1e-12), "{moved} beyond {bound}");
                }
            }
        }
        let still = obstacle(ShapeKind::Plane, Sweep::resting(Pose::IDENTITY));
        assert_eq!(swept(&still, Vec3::X, 1.0), 0.0);
    }

    #[test]
    fn only_small_balls_are_fingers() {
        let of = |kind: ShapeKind| is_finger(&obstacle(kind, Sweep::resting(Pose::IDENTITY)), 0.1);
        assert_eq!(of(ShapeKind::Sphere { radius: 0.14 }), Some(0.14));
        assert_eq!(of(ShapeKind::Sphere { radius: 0.16 }), None);
        assert_eq!(of(ShapeKind::Plane), None);
    }

    /// What was looked at in a step is undone, the nodes that it did not look at stay.
    #[test]
    fn a_step_is_undone() {
        let mut watch = Watch { due: vec![1.0, 2.0, 3.0], travel: 0.5, soonest: 1.0, around: vec![4] };
        let before = watch.clone();
        let mut looked = Looked::new(&watch);
        for _ in 0..2 {
            looked.keep(&watch);
            for (node, due) in [(2, 7.0), (0, 8.0), (2, 9.0)] {
                looked.note(node, watch.due[node as usize]);
                watch.due[node as usize] = due;
            }
            (watch.travel, watch.soonest) = (0.7, 2.0);
            watch.around.clear();
            assert_eq!(watch.due, [8.0, 2.0, 9.0]);
            looked.undo(&mut watch);
            assert_eq!(watch, before);
        }
    }
}
