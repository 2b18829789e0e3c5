//! Velocities of cables, and of the arms whose links they touch, after a step.
//!
//! The law of contact holds for mean velocities, and those that follow from them would swing about these for ever, as in
//! `contact::impact`. So all that touches there comes to rest relative to each other, by the impulses p of least kinetic energy,
//! M dv = R^T p with the velocities R v of contacts; those with other obstacles on the same links included. They are found at once:
//! between two heavy fingers a light link would have to be pushed to and fro for long. What the link gets the arm loses, to rounding.
//! At most the force of the step is taken back, and friction stays within its cone.

use super::hands::Hands;
use super::leans::Leaning;
use crate::body::Body;
use crate::cable::Cable;
use crate::cable::algebra::block::{Vec6, ZERO, add_scaled};
use crate::cable::contact::impact::within;
use crate::cable::contact::law::{Contacting, Reply, along, minus};
use crate::cable::contact::touch::Touch;
use crate::cable::equations::part::Part;
use crate::cable::group::step::Island;
use crate::cable::links::Links;

/// Stiffness of a contact against the inertia that it meets, and how often it is solved for: each leaves one over that.
const STIFF: f64 = 1e4;
const PASSES: usize = 3;

/// Inertia of an arm, relative to that of a link, from which it is taken for no more.
const HEAVIEST: f64 = 1e6;

/// How often contacts that would pull or slide are let go.
const ROUNDS: usize = 8;

/// A contact that is to come to rest.
#[derive(Clone, Copy, Debug)]
pub struct Halt {
    /// Index of the cable among those of the island, of the contact among those of the cable, and of it among those with arms.
    cable: usize,
    touch: usize,
    leaning: Option<usize>,
    /// Whether it is let go, slides or sticks: as many of its axes come to rest.
    rows: usize,
    /// Stiffness along its axes [kg].
    weights: [f64; 3],
    /// Power that it took from the motion relative to the obstacle in the step [W].
    taken: f64,
    /// Velocity along the normal that is left [m/s].
    bounce: f64,
    /// Velocities along the axes before, as seen from the obstacle, and those of the obstacle [m/s].
    before: [f64; 3],
    carried: [f64; 3],
    /// Impulse along the axes, on the link [N s], and the part of it that is given.
    impulse: [f64; 3],
    given: [f64; 3],
}

impl Halt {
    /// The slope of its force, as the law of contact has it.
    fn slope(&self) -> [[f64; 3]; 3] {
        let mut slope = [[0.0; 3]; 3];
        (0..self.rows).for_each(|a| slope[a][a] = self.weights[a]);
        slope
    }

    /// Impulse that is missing at these velocities relative to the obstacle.
    fn missing(&self, speeds: &[f64; 3]) -> [f64; 3] {
        let aims = [self.before[0].clamp(0.0, self.bounce), 0.0, 0.0];
        std::array::from_fn(|a| if a < self.rows { self.weights[a] * (aims[a] - speeds[a]) } else { 0.0 })
    }

    /// Let go of what would pull, and let slide what friction does not hold; whether anything has changed.
    fn relent(&mut self, touch: &Touch, step: f64) -> bool {
        let had = along(&touch.axes, touch.force);
        if self.rows == 0 {
            return false;
        }
        if self.impulse[0] < -(1.0 + 1e-9) * had[0] * step {
            (self.rows, self.given) = (0, [0.0; 3]);
            return true;
        }
        let limit = touch.law.friction.limit((had[0] + self.impulse[0] / step).max(0.0));
        let wanted = [1, 2].map(|a| had[a] + self.impulse[a] / step);
        let kept = within(wanted, limit);
        let size = limit + wanted[0].abs() + wanted[1].abs();
        if (kept[0] - wanted[0]).abs() + (kept[1] - wanted[1]).abs() <= 1e-9 * size {
            return false;
        }
        self.rows = 1;
        self.given = [0.0, (kept[0] - had[1]) * step, (kept[1] - had[2]) * step];
        true
    }
}

/// Inverse of the inertia that a contact meets along an axis, by its links.
fn answer(links: &Links, touch: &Touch, axis: usize) -> f64 {
    let of = |row: &Vec6| row.iter().zip(&links.inertia).map(|(r, m)| r * r / m).sum::<f64>();
    of(&touch.rows[axis]) + touch.next.as_ref().map_or(0.0, |next| of(&next[axis]))
}

impl Island<'_> {
    fn cable(&mut self, member: usize) -> Option<&mut Cable> {
        match &mut self.bodies[self.members[member] - self.first] {
            Body::Cable(cable) => Some(cable),
            _ => None,
        }
    }

    /// Bring cables, and the arms whose links they push, to rest relative to each other at the end of a part of the step.
    pub(crate) fn calm_leans(&mut self, part: &Part) {
        if self.coupling.hands.leans.is_empty() {
            return;
        }
        let mut hands = std::mem::take(&mut self.coupling.hands);
        self.find_halts(&mut hands);
        if !hands.halts.is_empty() {
            self.save_velocities(&mut hands);
            self.halt(&mut hands, part.step());
        }
        self.coupling.hands = hands;
    }

    /// Find the contacts that push an arm, and those with other obstacles on the same links.
    fn find_halts(&mut self, hands: &mut Hands) {
        let Hands { leans, halts, .. } = hands;
        halts.clear();
        for (n, leaning) in leans.iter_mut().enumerate() {
            leaning.let_go();
            let Some(halt) = self.halt_of(leaning.cable, leaning.touch, Some(leaning)) else { continue };
            halts.push(Halt { leaning: Some(n), ..halt });
        }
        let pushing = halts.len();
        for cable in 0..if pushing > 0 { self.members.len() } else { 0 } {
            for touch in 0.. {
                let Some(of) = self.cable(cable) else { break };
                let Some(at) = of.scratch.step.touches.get(touch) else { break };
                let (leans, size) = (at.leans.is_some(), of.size());
                let [first, last] = [at.link, if at.next.is_some() { (at.link + 1) % size } else { at.link }];
                let shared = |halt: &Halt| {
                    let other = &of.scratch.step.touches[halt.touch];
                    let next = if other.next.is_some() { (other.link + 1) % size } else { other.link };
                    halt.cable == cable && [other.link, next].iter().any(|link| [first, last].contains(link))
                };
                if leans || !halts[..pushing].iter().any(shared) {
                    continue;
                }
                halts.extend(self.halt_of(cable, touch, None));
            }
        }
    }

    /// A contact of a cable as one that comes to rest, unless it does not push.
    fn halt_of(&mut self, cable: usize, touch: usize, leaning: Option<&Leaning>) -> Option<Halt> {
        let of = self.cable(cable)?;
        let (velocities, gained) = (&of.state.links.velocities, &of.state.links.gained);
        let (at, links) = (&of.scratch.step.touches[touch], &of.links);
        // the factors of a matrix are those of an open cable
        let around = at.next.is_some() && at.link + 1 == velocities.len();
        if at.state == Contacting::Open || around {
            return None;
        }
        let (axes, state, moved) = (at.axes, at.state, at.moves(velocities));
        let slid = minus(&at.moves(&of.scratch.step.mean), &at.surface);
        let force = along(&at.axes, at.force);
        let taken = -(0..3).map(|a| force[a] * slid[a]).sum::<f64>().min(0.0);
        let came = at.speed(velocities) - at.speed(gained) - at.surface[0];
        let bounce = links.restitution * (-came).max(0.0);
        let answers: [f64; 3] = std::array::from_fn(|a| answer(links, at, a));
        let mut carried = at.surface;
        let mut inertias = [0.0; 3];
        if let Some(leaning) = leaning {
            let arm = self.arm_at(leaning.arm)?;
            carried = along(&axes, leaning.moves(arm.end_velocities()));
            inertias = axes.map(|axis| arm.meets(leaning.columns().map(|column| axis.dot(*column))));
        }
        let before = minus(&moved, &carried);
        let weights = std::array::from_fn(|a| STIFF / answers[a] * (inertias[a] * answers[a]).clamp(1.0, HEAVIEST));
        // one that slides has stopped if it would now slide back
        let stops = state == Contacting::Stick || slid[1] * before[1] + slid[2] * before[2] < 0.0;
        let rows = if stops { 3 } else { 1 };
        let [impulse, given] = [[0.0; 3]; 2];
        Some(Halt { cable, touch, leaning: None, rows, weights, taken, bounce, before, carried, impulse, given })
    }

    fn save_velocities(&mut self, hands: &mut Hands) {
        let Hands { links_before, arms_before, .. } = hands;
        links_before.clear();
        arms_before.clear();
        self.each(|share| links_before.extend_from_slice(&share.state.velocities));
        self.each_arm(|_, arm| arms_before.extend_from_slice(arm.end_velocities()));
    }

    fn restore_velocities(&mut self, hands: &Hands) {
        let (mut link, mut unknown) = (0, 0);
        self.each(|share| {
            let count = share.state.velocities.len();
            share.state.velocities.copy_from_slice(&hands.links_before[link..link + count]);
            link += count;
        });
        self.each_arm(|_, arm| {
            let count = arm.unknowns();
            arm.set_end_velocities(&hands.arms_before[unknown..unknown + count]);
            unknown += count;
        });
    }

    /// Velocities of a contact relative to the obstacle, and of that, along its axes.
    fn speeds(&mut self, halt: &Halt, leans: &[Leaning]) -> [[f64; 3]; 2] {
        let Some(cable) = self.cable(halt.cable) else { return [[0.0; 3]; 2] };
        let touch = &cable.scratch.step.touches[halt.touch];
        let (moved, axes, surface) = (touch.moves(&cable.state.links.velocities), touch.axes, touch.surface);
        let leaning = halt.leaning.map(|n| &leans[n]);
        let led = leaning.and_then(|leaning| Some(leaning.moves(self.arm_at(leaning.arm)?.end_velocities())));
        let carried = led.map_or(surface, |velocity| along(&axes, velocity));
        [minus(&moved, &carried), carried]
    }

    /// Find the impulses, and apply them.
    fn halt(&mut self, hands: &mut Hands, step: f64) {
        let mut found = false;
        for round in 0..ROUNDS {
            if round > 0 {
                self.restore_velocities(hands);
            }
            hands.halts.iter_mut().for_each(|halt| halt.impulse = halt.given);
            found = self.hold(hands);
            if !found {
                break;
            }
            let mut changed = false;
            for halt in &mut hands.halts {
                let Some(cable) = self.cable(halt.cable) else { continue };
                changed |= halt.relent(&cable.scratch.step.touches[halt.touch], step);
            }
            found = !changed;
            if found {
                break;
            }
        }
        // as seen from the obstacles it may give no more energy than contacts took
        let mut gained = 0.0;
        for n in 0..hands.halts.len() {
            let halt = hands.halts[n];
            let [after, _] = self.speeds(&halt, &hands.leans);
            gained += (0..3).map(|a| 0.5 * halt.impulse[a] * (halt.before[a] + after[a])).sum::<f64>();
            gained -= step * halt.taken;
        }
        if !found || gained > 0.0 {
            self.restore_velocities(hands);
            return;
        }
        for n in 0..hands.halts.len() {
            let halt = hands.halts[n];
            let [_, carried] = self.speeds(&halt, &hands.leans);
            let work: f64 = (0..3).map(|a| 0.5 * halt.impulse[a] * (halt.carried[a] + carried[a])).sum();
            if let Some(leaning) = halt.leaning.map(|n| &hands.leans[n])
                && let Some(arm) = self.arm_at(leaning.arm)
            {
                arm.struck(-work);
            }
            let Some(cable) = self.cable(halt.cable) else { continue };
            cable.scratch.step.touches[halt.touch].strike(&halt.impulse, work, step);
        }
    }

    /// Solve for the impulses that bring contacts to rest; false if that has no solution.
    fn hold(&mut self, hands: &mut Hands) -> bool {
        self.each(|share| {
            let (matrix, inertia) = (&mut share.s.matrix, &share.links.inertia);
            for block in matrix.right.iter_mut().chain(&mut matrix.below) {
                *block = ZERO;
            }
            for block in &mut matrix.diagonal {
                *block = ZERO;
                (0..6).for_each(|k| block[k][k] = inertia[k]);
            }
        });
        self.each_arm(|_, arm| arm.begin_halt());
        hands.leans.iter_mut().for_each(Leaning::let_go);
        for halt in &hands.halts {
            let slope = halt.slope();
            let Some(cable) = self.cable(halt.cable) else { return false };
            let s = &mut cable.scratch.step;
            let touch = s.touches[halt.touch];
            touch.add_to(&slope, &mut s.matrix);
            let Some(leaning) = halt.leaning.map(|n| &mut hands.leans[n]) else { continue };
            let reply = Reply { force: [0.0; 3], slope, state: touch.state };
            leaning.fill(&touch, &reply, s.residual.len());
            let Some(arm) = self.arm_at(leaning.arm) else { return false };
            leaning.add_tangent(&touch, &reply, arm.step_mut());
        }
        let mut fine = true;
        self.each(|share| fine &= share.s.matrix.factor());
        if !fine {
            return false;
        }
        for pass in 0..PASSES {
            if !self.push_halts(hands, pass == 0) || !self.solve_with(hands, None, false) {
                return false;
            }
            self.each(|share| {
                for (v, change) in share.state.velocities.iter_mut().zip(&share.s.change) {
                    add_scaled(v, -1.0, change);
                }
            });
            self.each_arm(|_, arm| arm.change_end());
            for n in 0..hands.halts.len() {
                let halt = hands.halts[n];
                let [speeds, _] = self.speeds(&halt, &hands.leans);
                let more = halt.missing(&speeds);
                (0..3).for_each(|a| hands.halts[n].impulse[a] += more[a]);
            }
        }
        true
    }

    /// Write what is missing into the residuals, with the impulses that are given in the first pass, and solve for cables alone.
    fn push_halts(&mut self, hands: &mut Hands, first: bool) -> bool {
        self.each(|share| share.s.residual.fill([0.0; 6]));
        self.each_arm(|_, arm| arm.step_mut().residual.fill(0.0));
        for n in 0..hands.halts.len() {
            let halt = hands.halts[n];
            let [speeds, _] = self.speeds(&halt, &hands.leans);
            let mut push = halt.missing(&speeds);
            if first {
                (0..3).for_each(|a| push[a] += halt.given[a]);
            }
            let Some(cable) = self.cable(halt.cable) else { return false };
            let s = &mut cable.scratch.step;
            let touch = s.touches[halt.touch];
            touch.subtract(&push, &mut s.residual);
            let Some(leaning) = halt.leaning.map(|n| &hands.leans[n]) else { continue };
            let Some(arm) = self.arm_at(leaning.arm) else { return false };
            leaning.add_force(touch.in_world(&push), &mut arm.step_mut().residual);
        }
        self.each(|share| {
            share.s.change.copy_from_slice(&share.s.residual);
            share.s.matrix.solve(&mut share.s.change);
        });
        true
    }
}
