//! A step: free motion, missing displacements at held and touching points, the forces for these, and their effect.

use super::Response;
use super::guess::go_on;
use super::near::is_finger;
use super::past::Given;
use super::rows::{get, put};
use super::solid::Form;
use super::solve::Condition;
use super::touch::{By, Spot, Touch};
use crate::account::Work;
use crate::body::Surroundings;
use crate::contact::{Obstacle, ShapeKind};
use crate::error::StepError;
use crate::grip::Wrench;
use crate::math::{Pose, Vec3};

/// Change of displacements at which sweeps end, relative to the largest [-].
const TOLERANCE: f64 = 1e-5;

/// Distance of a node from an obstacle beyond which their contact is dropped, relative to the mean edge [-].
const LEFT: f64 = 0.1;

/// Least coefficient of friction assumed for pushing out a finger that is inside, so that it does not sink in [-].
const SLIPPERY: f64 = 0.3;

/// How often forces of a step are found anew because fingers would create energy.
const RESTRAINTS: usize = 3;

/// Limit on model steps in a world step; one that needs more fails instead of running practically forever.
const MOST_STRIDES: f64 = 1e6;

/// A model step.
#[derive(Clone, Copy)]
pub(super) struct Stride {
    /// Length [s].
    pub step: f64,
    /// End of the step, as a fraction of the world step.
    pub at_end: f64,
    /// Length as a fraction of the world step.
    pub share: f64,
}

impl Response {
    /// Advance by one world step, in model steps. Fails if it diverges, deforms too far, or takes too many model steps,
    /// and with recorded responses if it is not a multiple of their sample.
    pub(crate) fn advance(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        let sample = self.settings.sample;
        let count = (around.dt / sample).round().max(1.0);
        if count > MOST_STRIDES {
            return Err(StepError::Strides { body: self.name.clone(), sample, dt: around.dt });
        }
        let mut step = around.dt / count;
        if (step / sample - 1.0).abs() < 1e-9 {
            step = sample;
        } else if matches!(self.solid.form, Form::Records(_)) {
            return Err(StepError::Sample { body: self.name.clone(), sample, dt: around.dt });
        }
        self.scratch.work = Work::default();
        self.scratch.lasted = around.dt;
        for n in 1..=count as u64 {
            if around.stop.is_asked() {
                return Ok(());
            }
            let stride = Stride { step, at_end: n as f64 / count, share: 1.0 / count };
            self.stride(around, stride);
            self.check_small(around.time + stride.at_end * around.dt)?;
        }
        let motion = &self.state.motion;
        let time = around.time + around.dt;
        StepError::check_place(&self.name, time, motion.place, || "its centre".into())?;
        let swing = self.state.past.size(self.kernel) + self.state.past.speed(self.kernel);
        let sound = motion.velocity.is_finite() && motion.turn.is_finite() && motion.momentum.is_finite();
        if !(sound && swing.is_finite()) {
            let quantity = "its deformation or velocity [m, m/s]".into();
            return Err(StepError::Diverged { body: self.name.clone(), time, quantity, value: swing });
        }
        let (state, near) = (&mut self.state, around.near);
        let touching =
            |obstacle: usize| state.touches.iter().any(|t| t.by == By::Obstacle(obstacle) && t.force != Vec3::ZERO);
        around.note_touching(&mut state.touched, near, touching, touching);
        Ok(())
    }

    fn stride(&mut self, around: &mut Surroundings<'_>, stride: Stride) {
        if self.answers.set(&self.solid, &self.settings.damping, stride.step) {
            self.scratch.slots.forget();
        }
        self.go_free(around.gravity, stride.step);
        self.find_touches(around, stride);
        self.lean_fingers(around, stride.at_end, stride.share);
        self.place_idle_fingers();
        self.fall_as_pushed(around.gravity, stride.step);
        self.aim(around, stride);
        self.solve();
        for _ in 0..RESTRAINTS {
            if !self.restrain_fingers(around, stride) {
                break;
            }
            self.sweep();
        }
        self.follow(around, stride);
    }

    /// Let weight displace a body that is held, pushed or near an obstacle in the same way as forces, see
    /// `Solid::shift`; free fall stays exact. With its own h^2 / 2 beside the s of a force F, a step would create
    /// (h^2 / 2 - s) F (g + F / m), which is positive where F carries a part of the weight.
    fn fall_as_pushed(&mut self, gravity: Vec3, step: f64) {
        if !self.state.touches.is_empty() {
            self.scratch.free.place += self.solid.falls(gravity) * (self.solid.shift(step) - 0.5 * step * step);
        }
    }

    /// Find points of the surface that may touch obstacles.
    fn find_touches(&mut self, around: &Surroundings<'_>, stride: Stride) {
        let near = |by: By| !matches!(by, By::Obstacle(n) if !around.near.contains(&n));
        self.state.touches.retain(|touch| near(touch.by));
        if around.near.is_empty() {
            return;
        }
        self.travel(around, stride.step, stride.share);
        self.find_due(around, stride.at_end);
        self.find_fingers(around, stride.at_end);
        let edge = self.solid.shell.edges[1];
        for n in 0..self.scratch.found.len() {
            let node = self.scratch.found[n];
            if self.solid.firm.has(node as usize) {
                continue;
            }
            let place = self.free_place(node as usize);
            for &index in around.near {
                let obstacle = &around.obstacles[index];
                let known = |t: &Touch| t.by == By::Obstacle(index) && t.spot.nodes[0] == node && t.facet.is_none();
                if is_finger(obstacle, edge).is_some() || self.state.touches.iter().any(known) {
                    continue;
                }
                let pose = obstacle.sweep.at(stride.at_end);
                let Some(face) = obstacle.params.shape.surface_near(&pose, place, LEFT * edge) else { continue };
                let anchor = pose.inverse_transform_point(face.point);
                let start = self.place_of(Spot::node(node));
                let touch = Touch::new(Spot::node(node), By::Obstacle(index), anchor, face.normal, start);
                self.state.touches.push(Touch { gap: face.distance, ..touch });
            }
        }
    }

    /// Current position of a surface point in the world, at the start of a model step [m].
    pub(super) fn place_of(&self, spot: Spot) -> Vec3 {
        let local = spot.mean(|node| self.solid.shell.nodes[node] + self.displaced(node));
        self.state.motion.world_from_body().transform_point(local)
    }

    /// Update the positions of fingers that do not push, which have slid since these were recorded.
    fn place_idle_fingers(&mut self) {
        for n in 0..self.state.touches.len() {
            let touch = &self.state.touches[n];
            if touch.facet.is_some() && touch.force == Vec3::ZERO {
                self.state.touches[n].place = self.place_of(touch.spot);
            }
        }
    }

    /// Set the condition of each point, and its missing displacement.
    fn aim(&mut self, around: &Surroundings<'_>, stride: Stride) {
        let Response { state, scratch, solid, answers, kernel, friction, .. } = self;
        let motion = &state.motion;
        let place = |touch: &Touch| motion.turn.inverse() * (touch.place - motion.place);
        scratch.slots.update(*kernel, &state.touches, solid, answers, place);
        scratch.slots.conditions.clear();
        let free = scratch.free;
        let body_from_world = free.turn.inverse();
        let edge = solid.shell.edges[1];
        for (n, touch) in state.touches.iter_mut().enumerate() {
            let moved = match &solid.form {
                Form::Modes(_) => scratch.slots.displacement(*kernel, n, &scratch.ahead.coordinates),
                Form::Records(_) => touch.spot.mean(|node| state.past.free(*kernel, solid, &scratch.ahead, node)),
            };
            put(&mut scratch.slots.free, n, moved);
            let place = free.place + free.turn * (touch.spot.mean(|node| solid.shell.nodes[node]) + moved);
            let (condition, missing) = match touch.by {
                By::Grip(grip) => {
                    let pose = around.grippers[around.grips[grip].gripper].sweep.at(stride.at_end);
                    (Condition::Held, pose.transform_point(touch.anchor) - place)
                }
                By::Load(_) | By::Body => (Condition::Given, Vec3::ZERO),
                By::Obstacle(index) => {
                    let obstacle = &around.obstacles[index];
                    let pose = obstacle.sweep.at(stride.at_end);
                    let carried = pose * obstacle.sweep.at(stride.at_end - stride.share).inverse();
                    let start = carried.transform_point(touch.place);
                    if touch.facet.is_some() && !touch.beside && touch.force == Vec3::ZERO {
                        touch.stick_where_it_is(&pose, start);
                    }
                    let off = pose.transform_point(touch.anchor) - place;
                    let before = touch.normal;
                    // how far a finger that does not push yet is from its point: beside an edge the plane of the facet may be
                    // nearer
                    let radius = is_finger(obstacle, edge).filter(|_| touch.facet.is_some() && !touch.beside);
                    let apart = radius.map_or(0.0, |radius| (place - pose.translation).length() - radius);
                    let missing = match touch.facet {
                        Some(_) if apart > 0.0 && touch.force == Vec3::ZERO => touch.normal * -apart,
                        // the sticking point is fixed to the finger, even if the body has turned since
                        Some(_) => off,
                        None => {
                            let depth = match obstacle.params.shape.kind() {
                                ShapeKind::Sphere { .. } => depth_beside(&pose, start, place, obstacle, edge, touch),
                                _ => depth_in(obstacle, &pose, place, edge, touch),
                            };
                            touch.normal * depth + off - touch.normal * touch.normal.dot(off)
                        }
                    };
                    touch.sink(before, touch.normal.dot(missing + place - start), stride.step);
                    let missing = missing - touch.normal * (touch.sunk + touch.kept);
                    let normal = body_from_world * touch.normal;
                    let friction = obstacle.friction_with(*friction).coefficient;
                    (Condition::Touch { normal, friction, finger: touch.facet.is_some() }, missing)
                }
            };
            scratch.slots.conditions.push(condition);
            // a load has a given force, the others start with that of the previous step
            let guess = if condition == Condition::Given { touch.anchor } else { touch.force };
            let (missing, force) = (body_from_world * missing, body_from_world * guess);
            put(&mut scratch.slots.missing, n, missing);
            put(&mut scratch.slots.forces, n, force);
        }
    }

    /// Solve for the forces that produce the missing displacements.
    fn solve(&mut self) {
        let count = self.state.touches.len();
        let slots = &mut self.scratch.slots;
        self.state.counters.steps += 1;
        if count == 0 {
            return;
        }
        go_on(slots, &self.state.touches);
        self.sweep();
    }

    /// Sweep over all points, from the forces as they are.
    fn sweep(&mut self) {
        let (slots, count) = (&mut self.scratch.slots, self.state.touches.len());
        let swept = slots.solve(self.kernel, count, self.settings.most_sweeps, TOLERANCE);
        self.state.counters.iterations += swept.sweeps as u64;
        self.state.counters.limit_hits += u64::from(!swept.settled);
    }

    /// Apply the forces found.
    fn follow(&mut self, around: &mut Surroundings<'_>, stride: Stride) {
        let count = self.state.touches.len();
        let free = self.scratch.free;
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for n in 0..count {
            let given = get(&self.scratch.slots.forces, n);
            let pushed = free.turn * given;
            let spot = &self.state.touches[n].spot;
            let rest = spot.mean(|node| self.solid.shell.nodes[node]);
            let slots = &self.scratch.slots;
            let moved = get(&slots.moved, n);
            let arm = free.turn * (rest + get(&slots.free, n) + moved);
            let touch = &mut self.state.touches[n];
            touch.trend.follow(free.turn.inverse() * touch.force, given, moved);
            touch.force = pushed;
            let way = free.place + arm - touch.place;
            touch.place += way;
            match touch.by {
                By::Grip(_) => self.scratch.work.grips += pushed.dot(way),
                By::Load(_) => self.scratch.work.loads += pushed.dot(way),
                By::Body => self.scratch.work.bodies += pushed.dot(way),
                By::Obstacle(index) => {
                    let sweep = &around.obstacles[index].sweep;
                    let velocity = sweep.velocity_of(touch.place, stride.at_end - 0.5 * stride.share, around.dt);
                    self.scratch.work.obstacles += stride.step * pushed.dot(velocity);
                }
            }
            force += pushed;
            torque += arm.cross(pushed);
        }
        self.state.motion = free.pushed(&self.solid, force, torque, stride.step);
        let width = self.width();
        let Response { state, scratch, solid, answers, kernel, .. } = self;
        scratch.before.past.note(&mut state.past, width);
        let forces = &scratch.slots.forces[..3 * count];
        state.acting.clear();
        state
            .acting
            .extend(state.touches.iter().zip(forces.as_chunks::<3>().0).map(|(t, f)| (t.spot, Vec3::from_array(*f))));
        let given = Given { touches: &state.touches, rows: scratch.slots.all_rows(count), forces };
        state.past.take(*kernel, solid, answers, given, &mut scratch.ahead);
        self.keep_stored(force, torque, stride.step);
        self.let_go(around, stride);
    }

    /// Write the loads of grips, slide points that slip or carry no force, and drop those that have left.
    fn let_go(&mut self, around: &mut Surroundings<'_>, stride: Stride) {
        let edge = self.solid.shell.edges[1];
        let mut n = 0;
        while n < self.state.touches.len() {
            let touch = self.state.touches[n];
            // W f - e: displacement beyond the target
            let off = get(&self.scratch.slots.moved, n) - get(&self.scratch.slots.missing, n);
            let off = self.scratch.free.turn * off;
            match touch.by {
                By::Grip(index) => {
                    let grip = &mut around.grips[index];
                    let middle = around.grippers[grip.gripper].sweep.at(stride.at_end - 0.5 * stride.share);
                    let (place, force) = (middle.transform_point(touch.anchor), -touch.force * stride.share);
                    grip.load += Wrench::at(place, force, Vec3::ZERO, middle.translation);
                }
                By::Load(_) | By::Body => {}
                By::Obstacle(index) => {
                    let gap = touch.normal.dot(off);
                    if touch.beside {
                        self.state.touches[n].gap = gap;
                        n += 1;
                        continue;
                    }
                    let far = if touch.facet.is_some() { self.solid.shell.edges[0] } else { LEFT * edge };
                    if touch.force == Vec3::ZERO && gap > far {
                        self.forget(n);
                        continue;
                    }
                    self.state.touches[n].gap = gap;
                    let obstacle = &around.obstacles[index];
                    let pose = obstacle.sweep.at(stride.at_end);
                    if !self.sticks(n, obstacle) {
                        let across = off - touch.normal * gap;
                        let place = match is_finger(obstacle, edge).filter(|_| touch.facet.is_some()) {
                            Some(radius) => {
                                let friction = obstacle.friction_with(self.friction).coefficient;
                                self.slip(n, pose.translation, radius, across.length() * friction.clamp(SLIPPERY, 1.0))
                            }
                            // it stays at its position
                            None => pose.transform_point(touch.anchor) + across,
                        };
                        self.state.touches[n].anchor = pose.inverse_transform_point(place);
                    }
                }
            }
            n += 1;
        }
    }

    /// Whether friction holds a point that touches: its force is inside the cone.
    fn sticks(&self, n: usize, obstacle: &Obstacle) -> bool {
        let Touch { force, normal, .. } = self.state.touches[n];
        let friction = obstacle.friction_with(self.friction).coefficient;
        let pressed = normal.dot(force);
        pressed > 0.0 && (force - normal * pressed).length() < friction * pressed * (1.0 - 1e-9)
    }

    /// Remove a point; the last takes its index.
    fn forget(&mut self, n: usize) {
        if self.state.touches[n].facet.is_some() {
            self.state.watch.begin_again();
        }
        let last = self.state.touches.len() - 1;
        self.state.touches.swap_remove(n);
        let slots = &mut self.scratch.slots;
        for list in [&mut slots.moved, &mut slots.missing] {
            list.copy_within(3 * last..3 * last + 3, 3 * n);
        }
    }
}

/// Depth of a node below the plane that touches a ball where the node was nearest to it at the `start` of the step [m];
/// stores the normal in the contact.
///
/// Without forces the dent of the last step is gone, and nodes are deep inside the ball: normals from there would lean
/// outwards. The plane is outside the ball, so that it does no work on the way from plane to plane.
fn depth_beside(pose: &Pose, start: Vec3, place: Vec3, obstacle: &Obstacle, edge: f64, touch: &mut Touch) -> f64 {
    let far = edge + (start - place).length();
    match obstacle.params.shape.surface_near(pose, start, far) {
        Some(face) => {
            touch.normal = face.normal;
            face.normal.dot(face.point - place)
        }
        None => -edge,
    }
}

/// Depth of a node in an obstacle [m]; stores the normal in the contact.
fn depth_in(obstacle: &Obstacle, pose: &Pose, place: Vec3, edge: f64, touch: &mut Touch) -> f64 {
    match obstacle.params.shape.surface_near(pose, place, edge) {
        Some(face) => {
            touch.normal = face.normal;
            -face.distance
        }
        None => -edge,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::body;
    use super::*;
    use crate::contact::{ObstacleParams, Shape};
    use crate::random::Random;

    fn obstacle(kind: ShapeKind) -> Obstacle {
        let shape = Shape::new(kind).unwrap_or_else(|error| unreachable!("{error}"));
        Obstacle::new(ObstacleParams::fixed("it", shape, Pose::IDENTITY), 0.0)
    }

    fn touch() -> Touch {
        Touch::new(Spot::node(0), By::Obstacle(0), Vec3::ZERO, Vec3::ZERO, Vec3::ZERO)
    }

    /// A ball of radius r about c: a point p is r - |p - c| deep, and pushed along p - c.
    #[test]
    fn depth_in_a_ball() {
        let (radius, centre, mut random) = (0.5, Vec3::new(1.0, 2.0, 3.0), Random(1));
        let (ball, pose) = (obstacle(ShapeKind::Sphere { radius }), Pose::from_translation(centre));
        for _ in 0..100 {
            let place = centre + random.vector() * 0.5;
            let mut touch = touch();
            let depth = depth_in(&ball, &pose, place, 1.0, &mut touch);
            let out = place - centre;
            assert!((depth - (radius - out.length())).abs() < 1e-12);
            assert!((touch.normal - out.normalize()).length() < 1e-12);
        }
        assert_eq!(depth_in(&ball, &pose, centre + Vec3::X * 5.0, 1.0, &mut touch()), -1.0);
    }

    /// Beside a ball a point is measured from the plane that touches it where the point began: on that plane it has no depth, and
    /// moves along it without.
    #[test]
    fn depth_beside_a_ball_is_that_below_a_tangent_plane() {
        let (radius, mut random) = (0.5, Random(6));
        let ball = obstacle(ShapeKind::Sphere { radius });
        for _ in 0..100 {
            let normal = random.vector().normalize();
            let (start, along) = (normal * (radius + 0.1 * random.fraction()), normal.any_orthonormal_vector());
            let (deep, aside) = (0.2 * random.signed(), 0.3 * random.signed());
            let place = normal * (radius - deep) + along * aside;
            let mut touch = touch();
            let depth = depth_beside(&Pose::IDENTITY, start, place, &ball, 1.0, &mut touch);
            assert!((depth - deep).abs() < 1e-12, "{depth} instead of {deep}");
            assert!((touch.normal - normal).length() < 1e-12);
        }
    }

    /// Friction holds a point whose force is inside the cone of the coefficient, here 0.5, about the normal.
    #[test]
    fn points_stick_inside_the_cone_of_friction() {
        let (mut body, floor) = (body(Pose::IDENTITY), obstacle(ShapeKind::Plane));
        let mut sticks = |force: Vec3| {
            body.state.touches = vec![Touch { force, normal: Vec3::Z, ..touch() }];
            body.sticks(0, &floor)
        };
        assert!(sticks(Vec3::new(0.49, 0.0, 1.0)) && sticks(Vec3::Z));
        assert!(!sticks(Vec3::new(0.0, 0.51, 1.0)) && !sticks(-Vec3::Z) && !sticks(Vec3::ZERO));
    }
}
