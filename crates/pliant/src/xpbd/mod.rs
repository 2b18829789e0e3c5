//! The model `xpbd`: an elastic rod in extended position-based dynamics, after Macklin, Mueller, Chentanez, "XPBD:
//! position-based simulation of compliant constrained dynamics" (2016), with the rod of Kugelstadt and Schoemer,
//! "Position and orientation based Cosserat rods" (2016).
//!
//! Rigid links with six degrees of freedom; joints stretch, shear, bend and twist with EA, GA, EI and GJ, as compliant
//! constraints that are projected one after another. Constraints are not solved to convergence: the cost of a step is
//! fixed, and what its sweeps leave unsolved makes the rod softer. With many sweeps or short substeps the rod converges
//! to that of its material.

mod change;
mod holds;
mod joint;
mod params;
mod react;
mod report;
mod step;
mod touch;

pub use params::{XpbdSettings, XpbdSpec};

use holds::Held;
use joint::Strain;
use step::Links;
use touch::Touch;

use std::sync::Arc;

use crate::account::Work;
use crate::body::{Surroundings, There, Vicinity};
use crate::bytes::stored;
use crate::counters::Counters;
use crate::curve;
use crate::derived::Derived;
use crate::error::{BuildError, StepError};
use crate::grip::{Place, Wrench};
use crate::linkage::{Line, Push, poses_along};
use crate::math::{Pose, Quat, Vec3};
use crate::moments::Moments;
use crate::world::move_up;

/// A rod of rigid links in extended position-based dynamics.
#[derive(Clone, Debug)]
pub struct Xpbd {
    name: String,
    spec: Arc<XpbdSpec>,
    links: Links,
    derived: Vec<Derived>,
    state: XpbdState,
    scratch: Scratch,
}

/// State of a rod: everything that changes in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct XpbdState {
    poses: Vec<Pose>,
    /// Velocities in the world [m/s].
    velocities: Vec<Vec3>,
    /// Angular velocities in the axes of the links [rad/s].
    turnings: Vec<Vec3>,
    /// Mean force and moment in each joint over the last step [N, N m].
    loads: Vec<Strain>,
    /// Energy that each joint has taken up, see `take_up` [J].
    taken: Vec<f64>,
    /// Likewise of the half-links between held sections and the middles of their links, each with its grip.
    held: Vec<(usize, f64)>,
    /// Contacts of the last substep, in order of links.
    touches: Vec<Touch>,
    /// Obstacles touched in the last step.
    touched: Vec<usize>,
    counters: Counters,
}

#[derive(Clone, Debug)]
struct Scratch {
    /// Poses at the start of the substep.
    start: Vec<Pose>,
    /// Strains of the joints at the start of the substep.
    strains: Vec<Strain>,
    /// Multipliers of the joints.
    multipliers: Vec<Strain>,
    held: Vec<Held>,
    pushes: Vec<Push>,
    /// State before the step, for `undo`.
    before: XpbdState,
    /// How many of `pushes` are loads; the rest come from other bodies.
    loads: usize,
    /// Work done on the body so far in this step.
    work: Work,
    /// Work of pushes beyond what they do on links that turn [J].
    unreached: f64,
    /// Energy that weight gave in each substep of the step to links that lie on something, before it was taken back [J].
    borne: f64,
    /// Work of pushes in a substep on the way of links that nothing holds back [J].
    straight: f64,
}

impl XpbdState {
    /// Copy another state into this one, reusing capacity.
    fn copy_from(&mut self, other: &XpbdState) {
        let XpbdState { poses, velocities, turnings, loads, taken, held, touches, touched, counters } = other;
        self.poses.clone_from(poses);
        self.velocities.clone_from(velocities);
        self.turnings.clone_from(turnings);
        self.loads.clone_from(loads);
        self.touches.clone_from(touches);
        self.touched.clone_from(touched);
        self.taken.clone_from(taken);
        self.held.clone_from(held);
        self.counters = *counters;
    }

    fn reserve(&mut self, grips: usize, touches: usize, obstacles: usize) {
        self.held.reserve(grips);
        self.touches.reserve(touches.saturating_sub(self.touches.len()));
        self.touched.reserve(obstacles);
    }
}

impl Xpbd {
    /// Build a rod; fails if a parameter is out of range.
    pub fn new(name: &str, spec: XpbdSpec) -> Result<Xpbd, BuildError> {
        spec.check(name)?;
        let (count, (links, derived)) = (spec.segments, change::made_of(&spec));
        let poses = poses_along(&curve::resample(&spec.path, count + 1), Quat::IDENTITY);
        let still = || vec![Vec3::ZERO; count];
        let none = || vec![[Vec3::ZERO; 2]; count - 1];
        let start = poses.clone();
        let state = XpbdState {
            poses,
            velocities: still(),
            turnings: still(),
            loads: none(),
            taken: vec![0.0; count - 1],
            held: vec![],
            touches: vec![],
            touched: vec![],
            counters: Counters::default(),
        };
        let (held, pushes, before) = (vec![], vec![], state.clone());
        let scratch = Scratch {
            start,
            strains: none(),
            multipliers: none(),
            held,
            pushes,
            before,
            loads: 0,
            work: Work::default(),
            unreached: 0.0,
            borne: 0.0,
            straight: 0.0,
        };
        let mut rod = Xpbd { name: name.into(), spec: Arc::new(spec), links, derived, state, scratch };
        rod.fill_joints();
        Ok(rod)
    }

    /// Advance by one world step. Fails if the rod has diverged.
    pub(crate) fn advance(&mut self, around: &mut Surroundings<'_>) -> Result<(), StepError> {
        self.state.loads.fill([Vec3::ZERO; 2]);
        for held in &mut self.scratch.held {
            held.load = Wrench::default();
        }
        self.begin_work(around);
        self.check_turns(around.time, around.dt)?;
        let parts = self.links.substeps;
        for part in 0..parts {
            if around.stop.is_asked() {
                break;
            }
            self.substep(around, [part, part + 1].map(|p| p as f64 / parts as f64));
            self.check_finite(around.time + around.dt)?;
            self.state.counters.steps += 1;
            self.state.counters.iterations += self.links.sweeps as u64;
        }
        self.write_loads(around);
        self.note_touching(around);
        Ok(())
    }

    fn check_finite(&self, time: f64) -> Result<(), StepError> {
        for (i, pose) in self.state.poses.iter().enumerate() {
            StepError::check_place(&self.name, time, pose.translation, || format!("link {i}"))?;
            if !pose.rotation.is_finite() {
                let quantity = format!("the rotation of link {i} [-]");
                return Err(StepError::Diverged { body: self.name.clone(), time, quantity, value: pose.rotation.w });
            }
        }
        Ok(())
    }

    pub(crate) fn vicinity(&self, dt: f64, gravity: Vec3, pulled: f64) -> Vicinity {
        let [low, high] = self.line().bounds();
        let speeds = self.state.velocities.iter().zip(&self.state.turnings).map(|(v, w)| self.links.speed(*v, *w));
        let fastest = speeds.fold(pulled, f64::max);
        // twice the travel at this speed, as a rod that snaps back accelerates
        let travel = 2.0 * dt * (fastest + gravity.length() * dt);
        Vicinity { low, high, reach: 2.0 * self.links.radius + self.links.length + travel, horizon: 0.0 }
    }

    pub(crate) fn place_pose(&self, place: Place) -> Result<Pose, BuildError> {
        self.line().place_pose(&self.name, place)
    }

    /// The links at their current poses.
    pub(crate) fn line(&self) -> Line<'_> {
        self.links.line(&self.state.poses)
    }

    /// Mass, centre of mass and inertia of the links.
    pub(crate) fn moments(&self) -> Moments {
        self.line().moments(self.links.mass, self.links.inertia)
    }

    /// Name of the body.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of links.
    pub fn size(&self) -> usize {
        self.state.poses.len()
    }

    /// Radius of the rod [m].
    pub fn radius(&self) -> f64 {
        self.links.radius
    }

    /// Number of sweeps over all constraints in a world step.
    pub fn sweeps(&self) -> usize {
        self.links.sweeps * self.links.substeps
    }

    /// Derived parameters, each with its reason.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// Solver statistics since the body was built.
    pub fn counters(&self) -> Counters {
        self.state.counters
    }

    pub(crate) fn state(&self) -> &XpbdState {
        &self.state
    }

    /// Whether a state is of the right size for this rod.
    pub(crate) fn fits(&self, state: &XpbdState, there: &There) -> bool {
        let XpbdState { poses, velocities, turnings, loads, taken, held, touches, touched, .. } = state;
        [poses.len(), velocities.len(), turnings.len()] == [self.size(); 3]
            && [loads.len(), taken.len()] == [self.state.loads.len(); 2]
            && held.iter().all(|(grip, _)| *grip < there.grips)
            && there.are_obstacles(touched.iter().chain(touches.iter().map(|touch| &touch.obstacle)))
            && touches.iter().all(|touch| touch.link < self.size())
    }

    /// Preallocate for grips, loads and contacts, so that a step does not allocate.
    pub(crate) fn reserve(&mut self, grips: usize, loads: usize, obstacles: usize) {
        // a point is seldom near more than one obstacle
        let touches = self.size() * self.links.points() * obstacles.min(3) + 16;
        self.state.reserve(grips, touches, obstacles);
        self.scratch.before.reserve(grips, touches, obstacles);
        self.scratch.held.reserve(grips);
        self.scratch.pushes.reserve(loads);
    }

    /// Forget a removed obstacle; the indices of those after it drop by one.
    pub(crate) fn forget_obstacle(&mut self, gone: usize) {
        move_up(&mut self.state.touched, gone);
        let touches = &mut self.state.touches;
        touches.retain(|touch| touch.obstacle != gone);
        touches.iter_mut().filter(|t| t.obstacle > gone).for_each(|t| t.obstacle -= 1);
    }

    pub(crate) fn save(&self, to: &mut XpbdState) {
        to.copy_from(&self.state);
    }

    pub(crate) fn set_state(&mut self, state: &XpbdState) {
        self.state.copy_from(state);
    }

    pub(crate) fn keep(&mut self) {
        self.scratch.before.copy_from(&self.state);
    }

    pub(crate) fn undo(&mut self) {
        self.state.copy_from(&self.scratch.before);
    }
}

/// Energy of springs with given compliances [J]; a rigid one, of zero compliance, stores none.
fn stored(compliance: Vec3, e: Vec3) -> f64 {
    (0..3).filter(|&k| compliance[k] > 0.0).map(|k| 0.5 * e[k] * e[k] / compliance[k]).sum()
}

stored!(XpbdState { poses, velocities, turnings, loads, taken, held, touches, touched, counters });
