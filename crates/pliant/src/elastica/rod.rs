//! Constants of a rod, and its kinematics.

use super::params::{ElasticaSpec, Profile};
use super::span::{Ends, GAUSS, MOST, Offset, POINTS, Rule, Unknowns, WEIGHTS};
use crate::curve;
use crate::material::Friction;
use crate::math::Vec2;
use crate::rest::Rest;

/// Constants of a rod.
#[derive(Clone, Debug)]
pub struct Rod {
    /// Length of an interval [m].
    pub h: f64,
    /// Radius [m].
    pub radius: f64,
    /// Mass of each Gauss point of each interval [kg].
    pub masses: Vec<[f64; POINTS]>,
    /// EI of each interval over its length [N m].
    pub bending: Vec<f64>,
    /// EA of each interval times its length [N m].
    pub stretching: Vec<f64>,
    /// Change of the angle over each interval without load [rad].
    pub rest: Vec<f64>,
    /// Material damping: viscous over elastic moment, per bending rate [s].
    pub damping_time: f64,
    /// Air drag: force per mass and velocity [1/s].
    pub drag: f64,
    /// Friction of the surface.
    pub friction: Friction,
    /// k_c and b_c [N/m, N s/m].
    pub voigt: [f64; 2],
    /// Whether the rod stretches: nodes then have two unknowns instead of one.
    pub extensible: bool,
    /// Quadrature rule.
    pub rule: Rule,
}

impl Rod {
    /// Constants from the specification and the initial angles of the nodes [rad].
    pub fn new(spec: &ElasticaSpec, angles: &[f64]) -> Rod {
        let (n, settings) = (spec.intervals, &spec.settings);
        let length = curve::length(&spec.path);
        let h = length / n as f64;
        let per_length = spec.section.mass_per_length(&spec.material);
        // the section's z axis is the normal of the plane
        let [ea, .., ei] = spec.section.rigidities(&spec.material);
        let factors = |s: f64| factors(&settings.profile, s);
        let mass = |i: usize, q: usize| per_length * factors((i as f64 + GAUSS[q]) / n as f64)[0] * h * WEIGHTS[q];
        let rigidity =
            |i: usize| -> f64 { (0..POINTS).map(|q| WEIGHTS[q] * factors((i as f64 + GAUSS[q]) / n as f64)[1]).sum() };
        let rest = match spec.rest {
            Rest::Straight => vec![0.0; n],
            Rest::Path => angles.windows(2).map(|w| w[1] - w[0]).collect(),
            Rest::Curved { curvature, .. } => vec![curvature[1] * h; n],
        };
        let masses: Vec<[f64; POINTS]> = (0..n).map(|i| std::array::from_fn(|q| mass(i, q))).collect();
        let whole: f64 = masses.iter().flatten().sum();
        let radius = spec.section.radius();
        // the rod's whole weight, or the force that bends it to a circle, on one contact penetrates by a hundredth of
        // its radius
        let heavy = (9.81 * whole).max(ei / (length * length));
        let stiffness = settings.contact_stiffness.unwrap_or(heavy / (0.01 * radius));
        // critical damping: an interval stops without bouncing
        let damping = settings.contact_damping.unwrap_or(2.0 * (stiffness * whole / n as f64).sqrt());
        Rod {
            h,
            radius,
            masses,
            bending: (0..n).map(|i| ei * rigidity(i) / h).collect(),
            stretching: (0..n).map(|i| ea * rigidity(i) * h).collect(),
            rest,
            damping_time: settings.damping_time,
            drag: settings.drag,
            friction: spec.material.friction,
            voigt: [stiffness, damping],
            extensible: settings.extensible,
            rule: Rule::default(),
        }
    }

    /// Number of intervals.
    pub fn intervals(&self) -> usize {
        self.masses.len()
    }

    /// Unknowns of a node.
    pub fn unknowns(&self) -> usize {
        if self.extensible { 2 } else { 1 }
    }

    /// Number of generalised coordinates.
    pub fn size(&self) -> usize {
        2 + self.unknowns() * (self.intervals() + 1)
    }

    /// Length of the rod [m].
    pub fn length(&self) -> f64 {
        self.h * self.intervals() as f64
    }

    /// Mass [kg].
    pub fn mass(&self) -> f64 {
        self.masses.iter().flatten().sum()
    }

    /// The interval at a fraction of the length, and the fraction within it.
    pub fn locate(&self, fraction: f64) -> (usize, f64) {
        let s = fraction.clamp(0.0, 1.0) * self.intervals() as f64;
        let interval = (s as usize).min(self.intervals() - 1);
        (interval, s - interval as f64)
    }

    /// Bending and stretching energy [J].
    pub fn elastic(&self, q: &[f64]) -> f64 {
        let mut energy = 0.0;
        for i in 0..self.intervals() {
            let [a, b] = [unknowns(self, q, i), unknowns(self, q, i + 1)];
            energy += 0.5 * self.bending[i] * (b[0] - a[0] - self.rest[i]).powi(2);
            let stretch = |x: f64| (1.0 - x) * a[1] + x * b[1];
            energy +=
                (0..POINTS).map(|r| 0.5 * self.stretching[i] * WEIGHTS[r] * stretch(GAUSS[r]).powi(2)).sum::<f64>();
        }
        energy
    }
}

/// Unknowns of a node.
#[inline(always)]
pub fn unknowns(rod: &Rod, q: &[f64], node: usize) -> Unknowns {
    if rod.extensible { [q[2 + 2 * node], q[3 + 2 * node]] } else { [q[2 + node], 0.0] }
}

/// Position and motion of a node, in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node {
    /// Position [m].
    pub place: Vec2,
    /// Velocity [m/s].
    pub velocity: Vec2,
    /// Acceleration [m/s2].
    pub acceleration: Vec2,
}

/// Kinematics of a rod, as it follows from its coordinates.
#[derive(Clone, Debug, Default)]
pub struct Kinematics {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// Gauss points and end of each interval, relative to its start.
    pub offsets: Vec<[Offset; POINTS + 1]>,
    /// Unknowns of the ends of each interval.
    pub ends: Vec<Ends>,
    /// Second derivatives of the unknowns of all nodes by time.
    pub second: Vec<Unknowns>,
}

impl Kinematics {
    /// Allocate for a number of intervals.
    pub fn new(intervals: usize) -> Kinematics {
        let still = Ends { u: [[0.0; MOST]; 2], rates: [[0.0; MOST]; 2] };
        Kinematics {
            nodes: vec![Node::default(); intervals + 1],
            offsets: vec![[Offset::default(); POINTS + 1]; intervals],
            ends: vec![still; intervals],
            second: vec![[0.0; MOST]; intervals + 1],
        }
    }

    /// Update from coordinates, their rates and, if given, second rates.
    pub fn place<const K: usize>(&mut self, rod: &Rod, q: &[f64], v: &[f64], a: Option<&[f64]>) {
        let pair = |x: &[f64]| Vec2::new(x[0], x[1]);
        let acceleration = a.map_or(Vec2::ZERO, pair);
        let mut node = Node { place: pair(q), velocity: pair(v), acceleration };
        for i in 0..rod.intervals() {
            let of = |x: &[f64]| [unknowns(rod, x, i), unknowns(rod, x, i + 1)];
            let ends = Ends { u: of(q), rates: of(v) };
            let second = a.map_or([[0.0; MOST]; 2], of);
            let offsets = ends.offsets::<K>(&rod.rule, rod.h);
            self.nodes[i] = node;
            (self.second[i], self.second[i + 1]) = (second[0], second[1]);
            let end = &offsets[POINTS];
            node.place += end.place;
            node.velocity += end.velocity;
            node.acceleration += end.spun + pushed::<K>(end, &second);
            self.ends[i] = ends;
            self.offsets[i] = offsets;
        }
        self.nodes[rod.intervals()] = node;
    }

    /// Position and motion at a fraction of an interval of length `h` [m].
    pub fn at<const K: usize>(&self, h: f64, interval: usize, fraction: f64) -> (Node, Offset) {
        let offset = self.ends[interval].offset::<K>(fraction, h);
        (self.moved::<K>(interval, &offset), offset)
    }

    /// Position and motion of a point of an interval, given its offset from the start.
    #[inline(always)]
    pub fn moved<const K: usize>(&self, interval: usize, offset: &Offset) -> Node {
        let (start, second) = (&self.nodes[interval], [self.second[interval], self.second[interval + 1]]);
        Node {
            place: start.place + offset.place,
            velocity: start.velocity + offset.velocity,
            acceleration: start.acceleration + offset.spun + pushed::<K>(offset, &second),
        }
    }

    /// Angle at a fraction of an interval [rad], and its rate [rad/s].
    pub fn angle(&self, interval: usize, fraction: f64) -> [f64; 2] {
        let Ends { u, rates } = &self.ends[interval];
        [u, rates].map(|of| (1.0 - fraction) * of[0][0] + fraction * of[1][0])
    }
}

/// Acceleration due to second derivatives of the unknowns.
#[inline(always)]
fn pushed<const K: usize>(offset: &Offset, second: &[Unknowns; 2]) -> Vec2 {
    let mut sum = Vec2::ZERO;
    for k in 0..K {
        sum += offset.by[0][k] * second[0][k] + offset.by[1][k] * second[1][k];
    }
    sum
}

/// Factors of mass and rigidity at a fraction of the length.
fn factors(profile: &[Profile], at: f64) -> [f64; 2] {
    let behind = profile.partition_point(|p| p.at <= at);
    match (behind.checked_sub(1).map(|n| &profile[n]), profile.get(behind)) {
        (Some(a), Some(b)) => {
            let f = (at - a.at) / (b.at - a.at);
            [a.mass + f * (b.mass - a.mass), a.rigidity + f * (b.rigidity - a.rigidity)]
        }
        (Some(one), None) | (None, Some(one)) => [one.mass, one.rigidity],
        (None, None) => [1.0; 2],
    }
}
