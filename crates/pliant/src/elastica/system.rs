//! A rod during a world step: accelerations from its state, and corrections that enforce constraints.

use super::equations::{At, Bound, Equations, Field, Implicit, Push, Spring, Tie};
use super::holds::{Held, What};
use super::meet::{self, Meeting};
use super::rod::{Kinematics, Rod};
use super::span::Row;
use super::touch::{Search, Touch};
use crate::math::Vec2;
use crate::stop::Stop;

/// A rod and everything that acts on it during a world step.
pub struct System<'a> {
    /// Constants of the rod.
    pub rod: &'a Rod,
    /// Distributed loads.
    pub field: Field,
    /// Dead loads.
    pub pushes: &'a [Push],
    /// Constraints.
    pub holds: &'a [Held],
    /// Obstacles it may touch.
    pub search: Search<'a>,
    /// Whether the rod can touch itself.
    pub self_contact: bool,
    /// mu of (25) [1/s].
    pub stabilisation: f64,
    /// Length of the world step [s].
    pub dt: f64,
    /// Request to stop.
    pub stop: &'a Stop,
    /// Working memory.
    pub s: &'a mut Working,
}

/// Working memory of a system.
#[derive(Clone, Debug, Default)]
pub struct Working {
    /// Equations of motion.
    pub equations: Equations,
    /// Constraints at the current instant, with their multipliers.
    pub bounds: Vec<Bound>,
    /// Contacts at the current instant.
    pub touches: Vec<Touch>,
    /// Self-contacts.
    pub meetings: Vec<Meeting>,
    /// Whether the rod has touched itself at any instant since the step began.
    pub met: bool,
    /// Forces of all contacts.
    pub springs: Vec<Spring>,
    /// Couplings of points in self-contact.
    pub ties: Vec<Tie>,
}

/// Limit on corrections of coordinates until constraints hold.
const MOST_CORRECTIONS: usize = 30;

/// Violation below which constraints hold, relative to the rod's length, or as an angle [rad].
pub const HOLDS: f64 = 1e-11;

impl System<'_> {
    /// Accelerations at a fraction of the step; multipliers are stored in the bounds. Returns false if the system is
    /// singular.
    pub fn accelerate(&mut self, f: f64, q: &[f64], v: &[f64], a: &mut [f64]) -> bool {
        if self.rod.extensible { self.accelerate_of::<2>(f, q, v, a) } else { self.accelerate_of::<1>(f, q, v, a) }
    }

    fn accelerate_of<const K: usize>(&mut self, f: f64, q: &[f64], v: &[f64], a: &mut [f64]) -> bool {
        self.assemble::<K>(f, [q, v], None, 1.0, Implicit::default());
        let mu = self.stabilisation;
        // (25): R'' + 2 mu R' + mu^2 R = 0
        let wanted = |b: &Bound| -b.left[2] - 2.0 * mu * b.left[1] - mu * mu * b.left[0];
        let fine = self.s.equations.solve::<K>(&mut self.s.bounds, wanted);
        a.copy_from_slice(&self.s.equations.solution.x);
        fine
    }

    /// Power of moving obstacles through the current contacts [W].
    pub fn led(&self) -> f64 {
        self.s.touches.iter().map(|touch| touch.force.dot(touch.carried)).sum()
    }

    /// Whether friction acts in any of the current contacts.
    pub fn rubs(&self) -> bool {
        let rough =
            |touch: &Touch| self.search.obstacles[touch.obstacle].friction_with(self.rod.friction).coefficient > 0.0;
        self.s.touches.iter().any(rough)
    }

    /// Contacts and internal forces at the end of the step.
    pub fn look(&mut self, q: &[f64], v: &[f64], carried: &mut [Vec2]) {
        if self.rod.extensible { self.look_of::<2>(q, v, carried) } else { self.look_of::<1>(q, v, carried) }
    }

    fn look_of<const K: usize>(&mut self, q: &[f64], v: &[f64], carried: &mut [Vec2]) {
        self.assemble::<K>(1.0, [q, v], None, 1.0, Implicit::default());
        let Working { equations, bounds, springs, .. } = &mut *self.s;
        equations.solve::<K>(bounds, |b| -b.left[2]);
        let others = forces(bounds, self.pushes, springs);
        equations.transmit::<K>(self.rod, &self.field, [q, v], others, carried);
    }

    /// Assemble the equations at coordinates, rates and, if given, second rates, with `mass` times the inertia.
    pub fn assemble<const K: usize>(
        &mut self,
        f: f64,
        [q, v]: [&[f64]; 2],
        a: Option<&[f64]>,
        mass: f64,
        implicit: Implicit,
    ) {
        self.assemble_without_contact::<K>(f, [q, v], a, mass, implicit);
        let Working { equations, touches, meetings, met, .. } = &mut *self.s;
        self.search.find::<K>(self.rod, &equations.at, f, touches);
        if self.self_contact {
            meet::find::<K>(self.rod, &equations.at, meetings);
            *met |= !meetings.is_empty();
        }
        self.add_contacts::<K>(None, f, implicit);
    }

    /// Find contacts for kinematics other than those of the equations, at a fraction of the step.
    pub fn find_contacts<const K: usize>(&mut self, f: f64, at: &Kinematics) {
        self.search.find::<K>(self.rod, at, f, &mut self.s.touches);
        if self.self_contact {
            meet::find::<K>(self.rod, at, &mut self.s.meetings);
        }
    }

    /// Assemble the equations with contact depths taken at the end of the step, at another fraction of it. Contact
    /// forces act along the rows at the current kinematics, and depend on the unknowns by `implicit.1`.
    pub fn assemble_with_contact_at<const K: usize>(
        &mut self,
        f: [f64; 2],
        state: [&[f64]; 2],
        a: &[f64],
        end: &Kinematics,
        implicit: [Implicit; 2],
    ) {
        self.assemble_without_contact::<K>(f[0], state, Some(a), 1.0, implicit[0]);
        self.find_contacts::<K>(f[1], end);
        self.add_contacts::<K>(Some(end), f[1], implicit[1]);
    }

    fn assemble_without_contact<const K: usize>(
        &mut self,
        f: f64,
        [q, v]: [&[f64]; 2],
        a: Option<&[f64]>,
        mass: f64,
        implicit: Implicit,
    ) {
        let Working { equations, bounds, .. } = &mut *self.s;
        equations.at.place::<K>(self.rod, q, v, a);
        equations.assemble::<K>(self.rod, &self.field, mass, implicit);
        for push in self.pushes {
            equations.push::<K>(self.rod, push);
        }
        bounds.clear();
        bounds.extend(self.holds.iter().map(|held| held.bound::<K>(&equations.at, self.rod.h, f, self.dt)));
    }

    /// Add the forces of the contacts found, at a fraction of the step; `seen` gives their kinematics if not the
    /// current ones.
    fn add_contacts<const K: usize>(&mut self, seen: Option<&Kinematics>, f: f64, implicit: Implicit) {
        let Working { equations, touches, meetings, springs, ties, .. } = &mut *self.s;
        springs.clear();
        let (at, sloping) = (&equations.at, implicit.place != 0.0);
        self.search.push::<K>(self.rod, [at, seen.unwrap_or(at)], (f, sloping), touches, springs);
        if self.self_contact {
            meet::push::<K>(self.rod, at, meetings, springs, ties);
        }
        for spring in springs.iter() {
            equations.spring(spring, implicit);
        }
    }

    /// Correct coordinates until constraints hold, by the least changes weighted by mass. Returns the largest remaining
    /// violation and the index of its constraint.
    pub fn correct(&mut self, f: f64, q: &mut [f64]) -> (f64, usize) {
        if self.rod.extensible {
            self.correct_of::<2>(f, q, Equations::inertia::<2>)
        } else {
            self.correct_of::<1>(f, q, Equations::inertia::<1>)
        }
    }

    /// Correct coordinates that are far from satisfying constraints, by changes that bend the rod least: weighted by
    /// mass alone, a rod with many intervals would be folded where it is held.
    pub fn reach(&mut self, q: &mut [f64]) -> (f64, usize) {
        let slow = self.slow_inertia();
        let bend = |equations: &mut Equations, rod: &Rod| equations.resistance::<1>(rod, slow);
        let stretch = |equations: &mut Equations, rod: &Rod| equations.resistance::<2>(rod, slow);
        if self.rod.extensible { self.correct_of::<2>(0.0, q, stretch) } else { self.correct_of::<1>(0.0, q, bend) }
    }

    /// Factor that makes the inertia comparable with the bending stiffness over the length of the rod [1/s2].
    pub fn slow_inertia(&self) -> f64 {
        let length = self.rod.length();
        self.rod.bending.iter().sum::<f64>() * self.rod.h / (length * self.rod.mass() * length * length)
    }

    fn correct_of<const K: usize>(
        &mut self,
        f: f64,
        q: &mut [f64],
        resist: impl Fn(&mut Equations, &Rod),
    ) -> (f64, usize) {
        let length = self.rod.length();
        let mut most = (0.0, 0);
        for _ in 0..MOST_CORRECTIONS {
            // rates do not matter here
            self.place_only::<K>(f, q, q);
            most = self.largest(0, length);
            if most.0 <= HOLDS {
                break;
            }
            resist(&mut self.s.equations, self.rod);
            if !self.s.equations.solve::<K>(&mut self.s.bounds, |b| -b.left[0]) {
                break;
            }
            // constraints are nonlinear: limit the change of angles to where linearisation holds
            let x = &self.s.equations.solution.x;
            let turn = x[2..].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let part = (0.5 / turn).min(1.0);
            q.iter_mut().zip(x).for_each(|(q, x)| *q += part * x);
        }
        most
    }

    /// Correct rates until constraints hold, by impulses, which are stored in the bounds [N s].
    pub fn correct_rates(&mut self, f: f64, q: &[f64], v: &mut [f64]) -> bool {
        if self.rod.extensible { self.correct_rates_of::<2>(f, q, v) } else { self.correct_rates_of::<1>(f, q, v) }
    }

    fn correct_rates_of<const K: usize>(&mut self, f: f64, q: &[f64], v: &mut [f64]) -> bool {
        self.place_only::<K>(f, q, v);
        let enough = HOLDS / self.dt;
        if self.largest(1, self.rod.length()).0 <= enough {
            return true;
        }
        self.s.equations.inertia::<K>(self.rod);
        let fine = self.s.equations.solve::<K>(&mut self.s.bounds, |b| -b.left[1]);
        v.iter_mut().zip(&self.s.equations.solution.x).for_each(|(v, x)| *v += x);
        fine
    }

    /// Update kinematics and constraints only.
    fn place_only<const K: usize>(&mut self, f: f64, q: &[f64], v: &[f64]) {
        let Working { equations, bounds, .. } = &mut *self.s;
        equations.at.place::<K>(self.rod, q, v, None);
        bounds.clear();
        bounds.extend(self.holds.iter().map(|held| held.bound::<K>(&equations.at, self.rod.h, f, self.dt)));
    }

    /// The largest violation, positions relative to a length [m], and its index.
    fn largest(&self, order: usize, length: f64) -> (f64, usize) {
        let mut most = (0.0, 0);
        for (n, (bound, held)) in self.s.bounds.iter().zip(self.holds).enumerate() {
            let size = bound.left[order].abs() / if held.what == What::Angle { 1.0 } else { length };
            if size > most.0 {
                most = (size, n);
            }
        }
        most
    }
}

/// Point forces of constraints, loads and contacts.
pub fn forces<'a>(bounds: &'a [Bound], pushes: &'a [Push], springs: &'a [Spring]) -> impl Iterator<Item = At> + 'a {
    let along = |row: &Row, force: f64| Vec2::new(row[0], row[1]) * force;
    let held = bounds.iter().map(move |b| (b.interval, b.fraction, along(&b.row, b.force)));
    let pushed = pushes.iter().map(|p| (p.interval, p.fraction, p.force));
    held.chain(pushed).chain(springs.iter().map(move |s| (s.interval, s.fraction, along(&s.row, s.force))))
}
