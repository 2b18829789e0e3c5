//! The model `elastica`: a planar inextensible rod whose unknowns are the tangent angles along its length, after H.
//! Wakamatsu, T. Yamasaki, A. Tsumaya, E. Arai and S. Hirai, "Dynamic modeling of linear object deformation considering
//! contact with obstacles".
//!
//! Fewest degrees of freedom of all models, exactly inextensible, full dynamics; confined to a plane in the world. With
//! the option to stretch, each node has a second unknown.

mod balance;
mod change;
mod elimination;
mod equations;
mod equilibrium;
mod fehlberg;
mod holds;
mod meet;
mod midpoint;
mod params;
mod path;
mod plane;
mod react;
#[cfg(test)]
mod referee;
mod report;
mod rod;
mod span;
mod step;
mod system;
mod touch;
mod work;

pub use equilibrium::Settled;
pub use params::{ElasticaSettings, ElasticaSpec, Integrator, Profile, Slider, Start};

use change::Made;
use equations::{Equations, Push};
use fehlberg::Fehlberg;
use holds::{By, Held, What};
use meet::{MOST_TIES, Meeting};
use midpoint::Midpoint;
use path::nearest_turn;
use plane::Plane;
use rod::{Kinematics, Rod};
use system::Working;
use touch::Touch;

use std::sync::Arc;

use crate::account::Work;
use crate::body::{There, Vicinity};
use crate::bytes::stored;
use crate::check::Checks;
use crate::counters::Counters;
use crate::derived::Derived;
use crate::error::BuildError;
use crate::grip::{Gripper, Hold, Place, Wrench};
use crate::math::{Pose, Vec2, Vec3, atan2};
use crate::moments::Moments;
use crate::world::move_up;

/// A planar rod in angle coordinates.
#[derive(Clone, Debug)]
pub struct Elastica {
    name: String,
    spec: Arc<ElasticaSpec>,
    rod: Rod,
    plane: Plane,
    settings: ElasticaSettings,
    derived: Vec<Derived>,
    state: ElasticaState,
    scratch: Scratch,
}

/// State of a rod: everything that changes in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticaState {
    /// Generalised coordinates: position of the first node [m], angles [rad], stretches [-].
    q: Vec<f64>,
    /// Rates of `q`.
    v: Vec<f64>,
    /// Next integrator step [s]; `None` before the first.
    next: Option<f64>,
    /// Contacts at the end of the last step.
    touches: Vec<Touch>,
    /// Self-contacts.
    meetings: Vec<Meeting>,
    /// Obstacles touched in the last step.
    touched: Vec<usize>,
    /// Internal force at each node, of the part before it on the part after it [N].
    carried: Vec<Vec2>,
    /// A point on the line of each slider, in the plane [m]; empty until the rod is placed.
    sliders: Vec<Vec2>,
    /// Mean load of each slider on the rod over the last step, the torque about the held point.
    slider_loads: Vec<Wrench>,
    counters: Counters,
}

/// A grip that holds the rod.
#[derive(Clone, Copy, Debug)]
struct Gripped {
    /// Index of the grip in the world.
    grip: usize,
    gripper: usize,
    interval: usize,
    fraction: f64,
    hold: Hold,
    /// Pose of the held section in the gripper's frame.
    section: Pose,
}

#[derive(Clone, Debug)]
struct Scratch {
    system: Working,
    fehlberg: Fehlberg,
    midpoint: Midpoint,
    gripped: Vec<Gripped>,
    holds: Vec<Held>,
    /// Multiplier of each constraint, integrated over the step.
    impulses: Vec<f64>,
    pushes: Vec<Push>,
    /// How many of `pushes` are loads; the rest come from other bodies.
    loads: usize,
    /// Position [m] and angle [rad] at which each push acted at the start of the step.
    from: Vec<(Vec2, f64)>,
    /// Work done on the body so far in this step.
    work: Work,
    /// Kinematics of the current state.
    at: Kinematics,
    still: Vec<f64>,
    /// State before the step, for `undo`.
    before: ElasticaState,
}

impl ElasticaState {
    /// Copy another state into this one, reusing capacity.
    fn copy_from(&mut self, other: &ElasticaState) {
        let ElasticaState { q, v, next, touches, meetings, touched, carried, sliders, slider_loads, counters } = other;
        self.q.clone_from(q);
        self.v.clone_from(v);
        self.touches.clone_from(touches);
        self.meetings.clone_from(meetings);
        self.touched.clone_from(touched);
        self.carried.clone_from(carried);
        self.sliders.clone_from(sliders);
        self.slider_loads.clone_from(slider_loads);
        (self.next, self.counters) = (*next, *counters);
    }

    fn reserve(&mut self, touches: usize, meetings: usize, obstacles: usize) {
        self.touches.reserve(touches.saturating_sub(self.touches.len()));
        self.meetings.reserve(meetings.saturating_sub(self.meetings.len()));
        self.touched.reserve(obstacles);
    }
}

impl Elastica {
    /// Build a rod. Fails if a parameter is out of range or the path is not planar.
    pub fn new(name: &str, spec: ElasticaSpec) -> Result<Elastica, BuildError> {
        spec.check(name)?;
        let plane = Plane::of_path(name, &spec.path, spec.normal)?;
        let n = spec.intervals;
        let Made { rod, derived, angles } = Made::of(name, &spec, &plane)?;
        let settings = &spec.settings;
        for slider in &settings.sliders {
            let within = plane.direction(slider.along).length() / slider.along.length();
            let what = "the part of a slider's direction that lies in the plane";
            Checks(name).that(within >= 1e-6, what, "above zero", within)?;
        }
        let size = rod.size();
        let mut q = vec![0.0; size];
        for (i, angle) in angles.iter().enumerate() {
            q[2 + rod.unknowns() * i] = *angle;
        }
        let state = ElasticaState {
            q,
            v: vec![0.0; size],
            next: None,
            touches: vec![],
            meetings: vec![],
            touched: vec![],
            carried: vec![Vec2::ZERO; n + 1],
            sliders: vec![],
            slider_loads: vec![Wrench::default(); settings.sliders.len()],
            counters: Counters::default(),
        };
        let scratch = Scratch {
            system: Working { equations: Equations::new(&rod), ..Working::default() },
            fehlberg: Fehlberg::new(size, n),
            midpoint: Midpoint::new(size, n),
            gripped: vec![],
            holds: vec![],
            impulses: vec![],
            pushes: vec![],
            loads: 0,
            from: vec![],
            work: Work::default(),
            at: Kinematics::new(n),
            still: vec![0.0; size],
            before: state.clone(),
        };
        let (name, settings) = (name.into(), spec.settings.clone());
        let mut elastica = Elastica { name, spec: Arc::new(spec), rod, plane, settings, derived, state, scratch };
        elastica.place();
        elastica.state.sliders = elastica.slider_points();
        elastica.reserve(0, 0, 0);
        Ok(elastica)
    }

    /// Whether the rod is to start in equilibrium.
    pub(crate) fn begins_settled(&self) -> bool {
        self.settings.start != Start::Path
    }

    /// Largest number of self-contacts that are solved together.
    fn ties(&self) -> usize {
        // the explicit integrator needs them only for equilibria
        if self.settings.self_contact { MOST_TIES } else { 0 }
    }

    /// Update the kinematics from the state.
    fn place(&mut self) {
        let Elastica { rod, state, scratch, .. } = self;
        if rod.extensible {
            scratch.at.place::<2>(rod, &state.q, &state.v, None);
        } else {
            scratch.at.place::<1>(rod, &state.q, &state.v, None);
        }
    }

    /// Position in the plane [m] and angle [rad] of a point of the rod.
    fn place_at(&self, interval: usize, fraction: f64) -> (Vec2, f64) {
        let (at, h) = (&self.scratch.at, self.rod.h);
        let (node, _) =
            if self.rod.extensible { at.at::<2>(h, interval, fraction) } else { at.at::<1>(h, interval, fraction) };
        (node.place, at.angle(interval, fraction)[0])
    }

    /// A point on the line of each slider, in the plane [m].
    fn slider_points(&self) -> Vec<Vec2> {
        let through = |slider: &Slider| match slider.through {
            Some(point) => self.plane.point(point),
            None => {
                let (interval, fraction) = self.rod.locate(slider.at);
                self.place_at(interval, fraction).0
            }
        };
        self.settings.sliders.iter().map(through).collect()
    }

    /// Set the targets of the constraints for the step.
    fn aim(&mut self, grippers: &[Gripper]) {
        let mut holds = std::mem::take(&mut self.scratch.holds);
        holds.clear();
        for g in &self.scratch.gripped {
            let sweep = &grippers[g.gripper].sweep;
            let poses = [0.0, 0.5, 1.0].map(|f| sweep.at(f) * g.section);
            let (interval, fraction, by) = (g.interval, g.fraction, By::Grip(g.grip));
            if g.hold != Hold::Direction {
                let place = poses.map(|pose| self.plane.point(pose.translation));
                for (axis, target) in [(Vec2::X, place.map(|p| p.x)), (Vec2::Y, place.map(|p| p.y))] {
                    holds.push(Held { interval, fraction, what: What::Along(axis), target, by });
                }
            }
            if g.hold != Hold::Position {
                let mut near = self.place_at(interval, fraction).1;
                let target = poses.map(|pose| {
                    let along = self.plane.direction(pose.rotation * Vec3::X);
                    near = nearest_turn(atan2(along.y, along.x), near);
                    near
                });
                holds.push(Held { interval, fraction, what: What::Angle, target, by });
            }
        }
        for (n, slider) in self.settings.sliders.iter().enumerate() {
            let (interval, fraction) = self.rod.locate(slider.at);
            let along = self.plane.direction(slider.along).normalize_or(Vec2::X);
            let (across, by) = (along.perp(), By::Slider(n));
            let target = [self.state.sliders[n].dot(across); 3];
            holds.push(Held { interval, fraction, what: What::Along(across), target, by });
            if slider.aligned {
                let angle = nearest_turn(atan2(along.y, along.x), self.place_at(interval, fraction).1);
                holds.push(Held { interval, fraction, what: What::Angle, target: [angle; 3], by });
            }
        }
        self.scratch.holds = holds;
    }

    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        let (mut low, mut high, mut fastest) = (Vec3::INFINITY, Vec3::NEG_INFINITY, pulled);
        for node in &self.scratch.at.nodes {
            let place = self.plane.lift_point(node.place);
            (low, high) = (low.min(place), high.max(place));
            fastest = fastest.max(node.velocity.length());
        }
        let travel = 2.0 * dt * (fastest + gravity.length() * dt);
        Vicinity { low, high, reach: 2.0 * self.rod.radius + self.rod.h + travel, horizon: 0.0 }
    }

    pub(crate) fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        let n = self.rod.intervals();
        if let Place::Node(node) = place
            && node > n
        {
            let why = format!("its nodes are 0 to {n}");
            return Err(BuildError::NoSuchPlace { body: self.name.clone(), place: format!("node {node}"), why });
        }
        let (interval, fraction) = self.rod.locate(place.along(n));
        let (place, angle) = self.place_at(interval, fraction);
        Ok(self.plane.section(place, angle))
    }

    /// Mass, centre of mass and inertia, from the mass points of the intervals.
    pub(crate) fn moments(&self) -> Moments {
        let at = &self.scratch.at;
        let points = self.rod.masses.iter().enumerate().flat_map(|(i, masses)| {
            let place = move |p: usize| self.plane.lift_point(at.nodes[i].place + at.offsets[i][p].place);
            masses.iter().enumerate().map(move |(p, mass)| (place(p), *mass))
        });
        Moments::of_pairs(points)
    }

    /// Name of the body.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of intervals.
    pub fn size(&self) -> usize {
        self.rod.intervals()
    }

    /// Unloaded length of the rod [m].
    pub fn length(&self) -> f64 {
        self.rod.length()
    }

    /// Radius of the rod [m].
    pub fn radius(&self) -> f64 {
        self.rod.radius
    }

    /// Derived parameters, each with its reason.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// Mean load of each slider on the rod over the last step, the torque about the held point.
    pub fn slider_loads(&self) -> &[Wrench] {
        &self.state.slider_loads
    }

    /// Solver statistics since the body was built.
    pub fn counters(&self) -> Counters {
        self.state.counters
    }

    /// Estimated number of integrator steps in a world step of `dt` [s]. For the Runge-Kutta-Fehlberg method it follows
    /// from stability for the fastest bending wave that the nodes can carry.
    pub fn expected_steps(&self, dt: f64) -> f64 {
        if self.settings.integrator == Integrator::Midpoint {
            return 1.0;
        }
        let stiffest = self.rod.bending.iter().copied().fold(0.0, f64::max) * self.rod.h;
        let lightest = self.rod.masses.iter().map(|m| m.iter().sum::<f64>()).fold(f64::INFINITY, f64::min) / self.rod.h;
        FASTEST * (stiffest / lightest).sqrt() / (self.rod.h * self.rod.h) * dt / STABLE
    }

    /// Tangent angles of the nodes, in the rod's plane [rad].
    pub fn angles(&self) -> impl Iterator<Item = f64> + '_ {
        (0..=self.rod.intervals()).map(|i| rod::unknowns(&self.rod, &self.state.q, i)[0])
    }

    pub(crate) fn state(&self) -> &ElasticaState {
        &self.state
    }

    /// Whether a state is of the right size for this rod.
    pub(crate) fn fits(&self, state: &ElasticaState, there: &There) -> bool {
        let ElasticaState { q, v, next, touches, meetings, touched, carried, sliders, slider_loads, counters: _ } =
            state;
        let (like, intervals) = (&self.state, self.rod.intervals());
        [q.len(), v.len(), carried.len()] == [like.q.len(), like.v.len(), like.carried.len()]
            && [sliders.len(), slider_loads.len()] == [like.sliders.len(), like.slider_loads.len()]
            && next.is_none_or(|next| next > 0.0)
            && there.are_obstacles(touched.iter().chain(touches.iter().map(|touch| &touch.obstacle)))
            && touches.iter().all(|touch| touch.interval < intervals)
            && meetings.iter().flat_map(|meeting| meeting.intervals).all(|interval| interval < intervals)
    }

    /// Preallocate for grips, loads and contacts, so that a step does not allocate.
    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        let n = self.rod.intervals();
        // many grips may come and go, but few hold at the same time
        let bounds = 3 * grips.min(16) + 2 * self.settings.sliders.len() + self.ties();
        let touches = n * obstacles.min(3) + 16;
        let Scratch { system, fehlberg, midpoint, gripped, holds, impulses, pushes, from, .. } = &mut self.scratch;
        system.equations.reserve(bounds);
        fehlberg.reserve(bounds);
        midpoint.reserve(bounds);
        system.bounds.reserve(bounds);
        system.touches.reserve(touches);
        system.meetings.reserve(n.min(1000) + 16);
        system.ties.reserve(MOST_TIES);
        system.springs.reserve(2 * touches + 4 * n.min(1000));
        gripped.reserve(grips);
        holds.reserve(bounds);
        impulses.reserve(bounds);
        pushes.reserve(loads);
        from.reserve(loads);
        for state in [&mut self.state, &mut self.scratch.before] {
            state.reserve(touches, n.min(1000) + 16, obstacles);
        }
    }

    /// Forget a removed obstacle; the indices of those after it drop by one.
    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        move_up(&mut self.state.touched, gone);
        let touches = &mut self.state.touches;
        touches.retain(|touch| touch.obstacle != gone);
        touches.iter_mut().filter(|t| t.obstacle > gone).for_each(|t| t.obstacle -= 1);
    }

    pub(crate) fn save(&self, to: &mut ElasticaState) {
        to.copy_from(&self.state);
    }

    pub(crate) fn set_state(&mut self, state: &ElasticaState) {
        self.state.copy_from(state);
        self.place();
    }

    pub(crate) fn keep(&mut self) {
        self.scratch.before.copy_from(&self.state);
    }

    pub(crate) fn undo(&mut self) {
        self.state.copy_from(&self.scratch.before);
        self.place();
    }
}

/// Angular frequency of the fastest bending wave, in units of sqrt(EI / mass per length) / h^2: found numerically, for
/// 160 and 320 intervals.
const FASTEST: f64 = 14.5;

/// Largest stable step of the Runge-Kutta-Fehlberg method for an undamped wave, times its angular frequency.
const STABLE: f64 = 3.0;

stored!(ElasticaState { q, v, next, touches, meetings, touched, carried, sliders, slider_loads, counters });
