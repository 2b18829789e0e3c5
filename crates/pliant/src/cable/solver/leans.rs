//! Cables that touch links of arms: contacts are solved together with the arms, as `hands` does for what these hold.
//!
//! A surface that an arm carries moves with the velocity V = J y at the point of contact, with the mean velocities y of the joints and
//! the Jacobian J halfway through the step. The law of contact is that for obstacles, with V in place of a velocity that is known; the
//! force f on the link of the cable pushes the arm by -J^T f. So what the one loses by V the other gets.
//!
//! Arms whose root is free are pushed a step later instead, see `World::load_arms`.

use super::hands::Hands;
use crate::arm::{Arm, ArmStep};
use crate::body::Body;
use crate::cable::algebra::block::{Vec6, add_scaled};
use crate::cable::contact::law::Reply;
use crate::cable::contact::touch::{Lean, Touch};
use crate::cable::equations::part::Part;
use crate::cable::equations::scratch::StepScratch;
use crate::cable::group::step::Island;
use crate::math::{Pose, Vec3};
use crate::motion::Drive;
use crate::robot::Matrix;

/// Contacts of cables with arms that memory is kept for before the first step; more of them allocate once.
pub const USUAL_LEANS: usize = 32;

/// A contact of a cable with a link of an arm.
#[derive(Clone, Debug, Default)]
pub struct Leaning {
    /// Index of the arm among those of the island.
    pub arm: usize,
    /// Index of the cable among those of the island.
    pub cable: usize,
    /// Index of the contact among those of the cable.
    pub touch: usize,
    /// Link of the arm, and the pose of the shape in its frame.
    carrier: usize,
    at: Pose,
    /// Velocity of the point per velocity of the arm, one column for each unknown.
    columns: Vec<Vec3>,
    /// Its links: as many as `links` of these are in use.
    sides: [Side; 2],
    links: usize,
}

/// A link of a cable in such a contact.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// Index of the link.
    pub link: usize,
    /// Derivative of the link's residual, one column for each unknown of the arm.
    pub by_arm: Vec<Vec6>,
    /// Derivative of the arm's residual, one row for each of its unknowns.
    pub by_link: Vec<Vec6>,
}

impl Side {
    /// Fill in the derivatives for a contact with these rows: of the force by the velocity of the link, and by V with the other sign.
    fn fill(&mut self, link: usize, rows: &[Vec6; 3], columns: &[Vec3], (axes, reply): (&[Vec3; 3], &Reply)) {
        self.link = link;
        self.by_arm.clear();
        self.by_link.clear();
        for column in columns {
            let along = axes.map(|axis| axis.dot(*column));
            let (mut by_arm, mut by_link) = ([0.0; 6], [0.0; 6]);
            for a in 0..3 {
                for b in 0..3 {
                    add_scaled(&mut by_arm, -reply.slope[a][b] * along[b], &rows[a]);
                    add_scaled(&mut by_link, -reply.slope[a][b] * along[a], &rows[b]);
                }
            }
            self.by_arm.push(by_arm);
            self.by_link.push(by_link);
        }
    }
}

impl Leaning {
    /// Memory for an arm with so many unknowns.
    pub fn with_room(unknowns: usize) -> Leaning {
        let list = || Vec::with_capacity(unknowns);
        let side = || Side { link: 0, by_arm: list(), by_link: list() };
        Leaning { columns: Vec::with_capacity(unknowns), sides: [side(), side()], ..Leaning::default() }
    }

    /// The links of the cable.
    pub fn sides(&self) -> &[Side] {
        &self.sides[..self.links]
    }

    /// Derive nothing from it: it does not push.
    pub fn let_go(&mut self) {
        self.links = 0;
    }

    /// Velocity of the point per velocity of the arm.
    pub fn columns(&self) -> impl Iterator<Item = &Vec3> {
        self.columns.iter()
    }

    /// Velocity of the point at these velocities of the arm.
    pub fn moves(&self, velocities: &[f64]) -> Vec3 {
        self.columns.iter().zip(velocities).map(|(column, v)| *column * *v).sum()
    }

    /// Fill in the derivatives of its force, for a cable with so many links.
    pub fn fill(&mut self, touch: &Touch, reply: &Reply, count: usize) {
        let with = (&touch.axes, reply);
        self.sides[0].fill(touch.link, &touch.rows, &self.columns, with);
        self.links = 1;
        if let Some(next) = &touch.next {
            self.sides[1].fill((touch.link + 1) % count, next, &self.columns, with);
            self.links = 2;
        }
    }

    /// Add the derivative of the force on the arm by the arm's own velocities.
    pub fn add_tangent(&self, touch: &Touch, reply: &Reply, step: &mut ArmStep) {
        for (i, column) in self.columns.iter().enumerate() {
            let row = touch.axes.map(|axis| axis.dot(*column));
            for (j, other) in self.columns.iter().enumerate() {
                let other = touch.axes.map(|axis| axis.dot(*other));
                for (a, b) in (0..9).map(|k| (k / 3, k % 3)) {
                    step.tangent[(i, j)] += row[a] * reply.slope[a][b] * other[b];
                }
            }
        }
    }

    /// Add what a force on the cable does to the residual of the arm.
    pub fn add_force(&self, force: Vec3, residual: &mut [f64]) {
        residual.iter_mut().enumerate().for_each(|(i, r)| *r += self.onto(i, force));
    }

    /// The force on an unknown of the arm per force on the cable, with the sign of the residual.
    fn onto(&self, unknown: usize, force: Vec3) -> f64 {
        self.columns[unknown].dot(force)
    }
}

impl Island<'_> {
    /// An arm of the island.
    pub(super) fn arm_at(&mut self, arm: usize) -> Option<&mut Arm> {
        match &mut self.bodies[self.arms[arm] - self.first] {
            Body::Arm(arm) => Some(arm),
            _ => None,
        }
    }

    /// A cable of the island.
    fn cable_at(&mut self, cable: usize) -> Option<&mut StepScratch> {
        match &mut self.bodies[self.members[cable] - self.first] {
            Body::Cable(cable) => Some(&mut cable.scratch.step),
            _ => None,
        }
    }

    /// Do something with each contact of a cable with an arm.
    fn each_lean(&mut self, mut f: impl FnMut(&mut Self, &mut Leaning, &mut Matrix)) {
        if self.coupling.hands.leans.is_empty() {
            return;
        }
        let mut hands = std::mem::take(&mut self.coupling.hands);
        let Hands { leans, jacobian, .. } = &mut hands;
        leans.iter_mut().for_each(|leaning| f(self, leaning, jacobian));
        self.coupling.hands = hands;
    }

    /// Find the contacts of cables with links of arms, at the start of a part of the step.
    pub(crate) fn begin_leans(&mut self, part: &Part) {
        let mut hands = std::mem::take(&mut self.coupling.hands);
        let Hands { leans, idle, .. } = &mut hands;
        idle.append(leans);
        if self.arms.is_empty() {
            self.coupling.hands = hands;
            return;
        }
        let obstacles = self.around.obstacles;
        for cable in 0..self.members.len() {
            for touch in 0.. {
                let found = self.cable_at(cable).and_then(|s| s.touches.get(touch)).copied();
                let Some(Touch { obstacle, place, .. }) = found else { break };
                let Drive::Carried { arm, link, at } = obstacles[obstacle].drive else { continue };
                let Some(number) = self.arms.iter().position(|&known| known == arm) else { continue };
                let arm = self.arm_at(number).filter(|arm| arm.is_leant_on());
                let Some(start) = arm.map(|arm| arm.at_start(link) * at) else { continue };
                // links may have moved otherwise than expected in the parts before
                let aside =
                    start.transform_point(place) - obstacles[obstacle].sweep.at(part.from).transform_point(place);
                let point = at.transform_point(place);
                if let Some(s) = self.cable_at(cable) {
                    s.touches[touch].lean(Lean { point, aside, velocity: Vec3::ZERO, end: start, more: 0.0 });
                }
                let mut leaning = idle.pop().unwrap_or_default();
                (leaning.cable, leaning.touch) = (cable, touch);
                (leaning.arm, leaning.carrier, leaning.at, leaning.links) = (number, link, at, 0);
                leans.push(leaning);
            }
        }
        self.coupling.hands = hands;
    }

    /// Let surfaces move as the arms do at their current velocities.
    pub(crate) fn place_leans(&mut self) {
        self.each_lean(|island, leaning, jacobian| {
            let lean = island.cable_at(leaning.cable).and_then(|s| s.touches[leaning.touch].leans);
            let (Some(lean), Some(arm)) = (lean, island.arm_at(leaning.arm)) else { return };
            arm.jacobian(leaning.carrier, lean.point, false, jacobian);
            let column = |j: usize| Vec3::new(jacobian[(0, j)], jacobian[(1, j)], jacobian[(2, j)]);
            leaning.columns.clear();
            leaning.columns.extend((0..arm.unknowns()).map(column));
            let velocity = leaning.moves(&arm.step().mean);
            let end = arm.stepped(leaning.carrier, true) * leaning.at;
            if let Some(s) = island.cable_at(leaning.cable) {
                s.touches[leaning.touch].lead(velocity, end);
            }
        });
    }

    /// Add what contacts do to the equations of arms; those of the cables have been touched.
    pub(crate) fn lean(&mut self) {
        self.each_lean(|island, leaning, _| {
            leaning.let_go();
            let Some(s) = island.cable_at(leaning.cable) else { return };
            let (touch, count) = (s.touches[leaning.touch], s.residual.len());
            let Some(reply) = touch.replied.filter(|reply| reply.force != [0.0; 3]) else { return };
            leaning.fill(&touch, &reply, count);
            let Some(arm) = island.arm_at(leaning.arm) else { return };
            let step = arm.step_mut();
            leaning.add_force(touch.in_world(&reply.force), &mut step.residual);
            leaning.add_tangent(&touch, &reply, step);
        });
    }

    /// Forces of these contacts on arms along the last change, where no joint is held; they are not yet in the residual.
    pub(crate) fn descent_of_leans(&mut self) -> f64 {
        let mut sum = 0.0;
        self.each_lean(|island, leaning, _| {
            let Some(s) = island.cable_at(leaning.cable) else { return };
            let touch = &s.touches[leaning.touch];
            let force = touch.in_world(&touch.lawful_force(&s.mean));
            let Some(arm) = island.arm_at(leaning.arm) else { return };
            let step = arm.step();
            let moves = (0..step.change.len()).filter(|&i| !step.held[i]);
            sum += moves.map(|i| leaning.onto(i, force) * step.change[i]).sum::<f64>();
        });
        sum
    }

    /// Take over the forces of contacts that have been settled into the residual of arms.
    pub(crate) fn settle_leans(&mut self, part: &Part) {
        self.each_lean(|island, leaning, _| {
            let Some(s) = island.cable_at(leaning.cable) else { return };
            let touch = s.touches[leaning.touch];
            let velocity = touch.leans.map_or(Vec3::ZERO, |lean| lean.velocity);
            let Some(arm) = island.arm_at(leaning.arm) else { return };
            let step = arm.step_mut();
            leaning.add_force(touch.force, &mut step.residual);
            step.given -= part.step() * touch.force.dot(velocity);
        });
    }
}
