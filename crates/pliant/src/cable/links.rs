//! The links of a cable: their parameters and their state.

use crate::body::There;
use crate::bytes::{stored, stored_enum};
use crate::cable::algebra::block::{Vec6, add_scaled, dot};
use crate::cable::contact::touch::PastTouch;
use crate::cable::params::Pairs;
use crate::cable::solver::Method;
use crate::linkage::{Arms, Line};
use crate::material::Friction;
use crate::math::{Pose, Vec3, x_axis};

/// Range of the contact search: this many times the travel at the initial speeds.
const TRAVEL: f64 = 2.0;

/// Margin added to that range, relative to the radius.
const MARGIN: f64 = 0.5;

/// A joint is open where its links are apart by more than this part g of the radius: a smaller gap is a dent of g^2 / 8
/// of the radius between their round ends, less than a hundredth.
pub const OPEN: f64 = 0.25;

/// The parts of a cable that can touch something: its surface is closed, even where a joint is stretched or sheared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stretch {
    /// A link.
    Link,
    /// The gap between the end of a link and the start of the next.
    Joint,
}

/// Parameters of the links of a cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    /// Length of a link [m].
    pub length: f64,
    /// Radius of the cable [m].
    pub radius: f64,
    /// Mass and inertia of a link, in its own axes [kg, kg m2].
    pub inertia: Vec6,
    /// Stiffness of a joint: stretch, shear, shear [N/m], torsion, bending, bending [N m].
    pub stiffness: Vec6,
    /// Unloaded strain of each joint: natural stretch [m], twist and curvature [rad]. For a closed cable the last one
    /// is that of the joint from its last link to its first.
    pub rest: Vec<Vec6>,
    /// Whether it is closed: its last link is joined to its first.
    pub closed: bool,
    /// Whether it started twisted; the poses of its sections then include the current twist.
    pub twisted: bool,
    /// Whether contact between its links is detected.
    pub self_contact: bool,
    /// Damping of a joint over its stiffness [s].
    pub damping_time: f64,
    /// Drag force per mass and velocity [1/s].
    pub drag: f64,
    /// Friction law of the surface.
    pub friction: Friction,
    /// Whether the friction law applies per contact instead of per length.
    pub per_contact: bool,
    /// Coefficient of restitution [-].
    pub restitution: f64,
    /// Whether the equations of a step are linearised at its start.
    pub linear: bool,
    /// The solver.
    pub method: Method,
    /// How links that push links are solved.
    pub pairs: Pairs,
    /// c of the decaying step, see `equations::midpoint`; zero for steps that conserve energy.
    pub decay: f64,
}

impl Links {
    /// Distances from a joint to the centres of its two links.
    pub fn arms(&self) -> Arms {
        Arms::between(self.length)
    }

    /// Damping of a joint relative to its stiffness in a step, including the numerical damping of the step [s].
    pub fn damping(&self, step: f64) -> f64 {
        self.damping_time + self.decay * step
    }

    /// Change of velocity in a step per difference of the mean velocity from the force-free one: 1 / (1/2 + c).
    pub fn gain(&self) -> f64 {
        1.0 / (0.5 + self.decay)
    }

    /// Natural bend and twist from the centre of a link to its section at an offset from there [m].
    pub fn natural(&self, link: usize, offset: f64) -> Vec6 {
        let rest = &self.rest[self.joint_beside(link, offset)];
        std::array::from_fn(|k| if k < 3 { 0.0 } else { rest[k] * offset / self.length })
    }

    /// How many links two links are apart, the shorter way round for a closed cable.
    pub fn apart(&self, i: usize, j: usize) -> usize {
        let apart = i.abs_diff(j);
        if self.closed { apart.min(self.rest.len() - apart) } else { apart }
    }

    /// The link after this one; in a closed cable the first comes after the last.
    pub fn next(&self, link: usize) -> usize {
        if link + 1 < self.rest.len() + usize::from(!self.closed) { link + 1 } else { 0 }
    }

    /// The link after this one (1) or before it (-1), if the cable goes on there.
    pub fn beside(&self, link: usize, way: i8) -> Option<usize> {
        let count = self.rest.len() + usize::from(!self.closed);
        match (way > 0, self.closed) {
            (true, false) => (link + 1 < count).then_some(link + 1),
            (false, false) => link.checked_sub(1),
            (true, true) => Some((link + 1) % count),
            (false, true) => Some((link + count - 1) % count),
        }
    }

    /// The joint on the side of a link to which the offset points; at an end of an open cable the only one.
    pub fn joint_beside(&self, link: usize, offset: f64) -> usize {
        match (link, self.closed) {
            (0, true) if offset < 0.0 => self.rest.len() - 1,
            _ if offset < 0.0 => link.saturating_sub(1),
            _ => link.min(self.rest.len() - 1),
        }
    }

    /// The links at given poses.
    pub(super) fn line<'a>(&self, poses: &'a [Pose]) -> Line<'a> {
        Line { poses, length: self.length, radius: self.radius, closed: self.closed }
    }

    /// How far something may move in a step that starts at this speed, with a margin for contacts [m].
    pub fn travel(&self, speed: f64, step: f64, gravity: Vec3) -> f64 {
        TRAVEL * step * (speed + gravity.length() * step) + MARGIN * self.radius
    }

    /// Largest speed of any point of a link's axis [m/s].
    pub fn speed(&self, v: &Vec6) -> f64 {
        let (linear, turning) = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2], v[4] * v[4] + v[5] * v[5]);
        linear.sqrt() + 0.5 * self.length * turning.sqrt()
    }

    /// rho of the contact law [kg/s]: well above the resistance to a push within a step, so that a contact yields by
    /// less than a micrometre; not so far above that rounding errors of positions become forces.
    pub fn rho(&self, step: f64) -> f64 {
        200.0 * self.inertia[0] / step + 5.0 * step * self.stiffness[0]
    }
}

/// Poses and velocities of the links, and their contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkState {
    /// Poses of the centres; the tangent is the x axis.
    pub poses: Vec<Pose>,
    /// Linear velocity in the world [m/s], angular velocity in the frame of the link [rad/s].
    pub velocities: Vec<Vec6>,
    /// Mean velocities over the last step; oscillations faster than the step average out.
    pub means: Vec<Vec6>,
    /// Mean velocities over the step before the last.
    pub earlier: Vec<Vec6>,
    /// Sizes of those two steps [s].
    pub steps: [f64; 2],
    /// Change of the velocities in the last step, without impacts.
    pub gained: Vec<Vec6>,
    /// Strains of the joints at the start of the last step.
    pub strains: Vec<Vec6>,
    /// Change of the strains of holds in the last step, with the indices of their grips and links.
    pub held: Vec<([usize; 2], Vec6)>,
    /// Force and moment in each joint in the last step.
    pub loads: Vec<Vec6>,
    /// Contacts with obstacles in the last part of the last step, in the order of links.
    pub touches: Vec<PastTouch>,
    /// If it had several parts, those in all of them, with their mean forces over the step.
    pub borne: Vec<PastTouch>,
    /// Mean of all contact forces on each link over the last step [N].
    pub pushed: Vec<Vec3>,
    /// Sum of the magnitudes of these forces, whether they balance each other or not [N].
    pub pressed: f64,
}

impl LinkState {
    /// Links at rest, with this number of joints.
    pub fn resting(poses: Vec<Pose>, joints: usize) -> LinkState {
        let zeros = vec![[0.0; 6]; poses.len()];
        let pushed = vec![Vec3::ZERO; poses.len()];
        let loads = vec![[0.0; 6]; joints];
        let (velocities, means, earlier, gained) = (zeros.clone(), zeros.clone(), zeros.clone(), zeros);
        let (strains, steps, held, touches, borne) = (loads.clone(), [0.0; 2], vec![], vec![], vec![]);
        LinkState {
            poses,
            velocities,
            means,
            earlier,
            steps,
            gained,
            strains,
            held,
            loads,
            touches,
            borne,
            pushed,
            pressed: 0.0,
        }
    }

    /// Whether it is of links like `others`, and touches nothing that is not there.
    pub fn fits(&self, others: &LinkState, there: &There) -> bool {
        let LinkState { poses, velocities, means, earlier, gained, strains, loads, touches, borne, pushed, .. } = self;
        let known = || touches.iter().chain(borne);
        let (links, joints) = (others.poses.len(), others.loads.len());
        [poses.len(), velocities.len(), means.len(), earlier.len(), gained.len(), pushed.len()] == [links; 6]
            && [strains.len(), loads.len()] == [joints; 2]
            && there.are_obstacles(known().map(|touch| &touch.obstacle))
            && known().all(|touch| touch.link < if touch.is_on_joint() { joints } else { links })
    }

    /// Copy from `other`, without allocating where the capacity suffices.
    pub fn copy_from(&mut self, other: &LinkState) {
        let LinkState {
            poses,
            velocities,
            means,
            earlier,
            steps,
            gained,
            strains,
            held,
            loads,
            touches,
            borne,
            pushed,
            pressed,
        } = other;
        self.poses.clone_from(poses);
        self.velocities.clone_from(velocities);
        self.means.clone_from(means);
        self.earlier.clone_from(earlier);
        self.steps = *steps;
        self.gained.clone_from(gained);
        self.strains.clone_from(strains);
        self.held.clone_from(held);
        self.loads.clone_from(loads);
        self.touches.clone_from(touches);
        self.borne.clone_from(borne);
        self.pushed.clone_from(pushed);
        self.pressed = *pressed;
    }
}

impl LinkState {
    /// Contacts with obstacles in the last step, with their mean forces over it.
    pub fn contacts(&self) -> &[PastTouch] {
        if self.borne.is_empty() { &self.touches } else { &self.borne }
    }

    /// Weight of the changes of the last step in a step of the given size.
    pub fn remembered(&self, step: f64) -> f64 {
        if self.steps[1] > 0.0 { (step / self.steps[1]).min(1.0) } else { 0.0 }
    }
}

/// The end of a link of the given length, and the vector from there to the start of the next link.
pub fn gap_after(length: f64, [here, next]: [&Pose; 2]) -> (Vec3, Vec3) {
    let half = 0.5 * length;
    let end = here.translation + x_axis(here.rotation) * half;
    (end, next.translation - x_axis(next.rotation) * half - end)
}

/// The poses of the two links of each joint; a closed cable has as many joints as links.
pub fn jointed(poses: &[Pose], joints: usize) -> impl Iterator<Item = (&Pose, &Pose)> {
    poses.iter().zip(poses.iter().cycle().skip(1)).take(joints)
}

/// Mean velocity of the links; its angular part is zero.
pub fn drift(velocities: &[Vec6]) -> Vec6 {
    let mut sum = [0.0; 6];
    velocities.iter().for_each(|v| add_scaled(&mut sum, 1.0 / velocities.len() as f64, v));
    [sum[0], sum[1], sum[2], 0.0, 0.0, 0.0]
}

/// Sum of the squares of velocities relative to a drift, weighted by inertia. Motion common to all links gives no scale
/// for convergence.
pub fn beside_drift(links: &Links, velocities: &[Vec6], drift: &Vec6) -> f64 {
    let mut sum = [0.0; 6];
    for v in velocities {
        for k in 0..6 {
            sum[k] += (v[k] - drift[k]) * (v[k] - drift[k]);
        }
    }
    dot(&links.inertia, &sum)
}

stored_enum!(Stretch { 0 => Link {}, 1 => Joint {} });
stored!(LinkState {
    poses,
    velocities,
    means,
    earlier,
    steps,
    gained,
    strains,
    held,
    loads,
    touches,
    borne,
    pushed,
    pressed
});
