//! Cables in the hands of arms: their equations and those of the arms are solved together.
//!
//! A hold on a gripper that an arm carries is a joint between a link of the cable and a section that moves with the mean
//! velocities y of the arm's joints. With V its mean velocity over the step and J the Jacobian of the section, the load
//! of the hold pushes the arm by J^T w. J is that halfway through the step, with the least change that makes J y = V:
//! what the hold does to the arm is then exactly what the arm does to it, whatever the step.
//!
//! Newton's method has the equations A x + B z = r of the cables and C x + D z = s of the arms. The columns of A^-1 B, a few for
//! each joint of an arm, cost as much as that many solutions with the factors of A; the rest is as small as the arms.

use crate::arm::Meets;
use crate::body::Body;
use crate::cable::algebra::block::{Mat6, Vec6, add_scaled, dot};
use crate::cable::equations::part::Part;
use crate::cable::group::step::Island;
use crate::cable::solver::halt::Halt;
use crate::cable::solver::leans::{Leaning, USUAL_LEANS};
use crate::math::{Pose, Vec3, pose_between, rotation_vector};
use crate::robot::{Matrix, eliminate};

/// A hold of a cable on a gripper that an arm carries.
#[derive(Clone, Debug, Default)]
pub struct Hand {
    /// Index of the arm among those of the island.
    arm: usize,
    /// Index of the cable among those of the island.
    cable: usize,
    /// Index of the hold among those of the cable.
    hold: usize,
    /// Link of the cable.
    link: usize,
    /// Link of the arm.
    carrier: usize,
    /// The section in the frame of the arm's link, at the start, middle and end of the step of the world.
    sections: [Pose; 3],
    /// Poses of the arm's link at the start and the end of the part.
    start: Pose,
    end: Pose,
    /// Mean velocity of the section: of its point in the world, its angular velocity in its own frame.
    velocity: Vec6,
    /// Such velocities per velocity of the arm, one column for each unknown: halfway and at the end.
    jacobians: [Vec<Vec6>; 2],
    /// Force and couple that the residual of the arm gets through this.
    wrench: Vec6,
    /// Derivative of the cable's residual, one column for each unknown of the arm.
    by_arm: Vec<Vec6>,
    /// Derivative of the arm's residual, one row for each of its unknowns.
    by_link: Vec<Vec6>,
    /// Derivative of the wrench, one column for each unknown of the arm.
    own: Vec<Vec6>,
}

/// Load of a hold on the hand, and its derivatives, as velocities of the hand are used in `joint`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reply {
    /// Force and couple of the hold in the residual of the hand.
    pub wrench: Vec6,
    /// Derivatives by the velocity of the hand at the end, and halfway.
    pub by_hand: [Mat6; 2],
    /// Derivative by the velocity of the link.
    pub by_link: Mat6,
    /// Derivatives of the link's residual by the velocity of the hand at the end, and halfway.
    pub of_link: [Mat6; 2],
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Hands {
    list: Vec<Hand>,
    /// Hands that are not in use: their memory is used again.
    spare: Vec<Hand>,
    /// Contacts of cables with links of arms, and those that are not in use.
    pub leans: Vec<Leaning>,
    pub idle: Vec<Leaning>,
    /// Contacts of links of arms with each other.
    pub meets: Meets,
    /// Contacts that are to come to rest after a step, and all velocities before that.
    pub halts: Vec<Halt>,
    pub links_before: Vec<Vec6>,
    pub arms_before: Vec<f64>,
    /// Index of the first unknown of each arm.
    firsts: Vec<usize>,
    /// Index of the first link of each cable.
    links: Vec<usize>,
    /// A^-1 B, column by column.
    columns: Vec<Vec6>,
    /// D - C A^-1 B.
    matrix: Matrix,
    right: Vec<f64>,
    pub jacobian: Matrix,
}

impl Hands {
    /// Preallocate for arms with these numbers of unknowns, for this number of holds on cables, each with its number of
    /// links, and for so many shapes that arms carry.
    pub fn reserve(
        &mut self,
        arms: impl Iterator<Item = usize> + Clone,
        holds: usize,
        cables: &[usize],
        shapes: usize,
    ) {
        let (count, widest) = (arms.clone().sum::<usize>(), arms.clone().max().unwrap_or(0));
        self.put_down();
        self.meets.reserve(shapes, arms.clone().count(), widest);
        self.list.reserve(holds);
        self.spare.resize_with(self.spare.len().max(holds), Hand::default);
        for hand in &mut self.spare {
            let [middle, end] = &mut hand.jacobians;
            for columns in [middle, end, &mut hand.by_arm, &mut hand.by_link, &mut hand.own] {
                columns.resize(widest, [0.0; 6]);
            }
        }
        let room = |capacity: usize, needed: usize| needed.saturating_sub(capacity);
        self.firsts.reserve(room(self.firsts.len(), arms.count() + 1));
        self.links.reserve(room(self.links.len(), cables.len() + 1));
        self.columns.reserve(room(self.columns.len(), count * cables.iter().sum::<usize>()));
        self.right.reserve(room(self.right.len(), count));
        self.matrix.resize(count, count);
        self.jacobian.resize(6, widest);
        self.idle.append(&mut self.leans);
        let leans = USUAL_LEANS.min(2 * cables.iter().sum::<usize>());
        self.leans.reserve(leans);
        self.halts.reserve(room(self.halts.len(), 2 * leans));
        self.links_before.reserve(room(self.links_before.len(), cables.iter().sum()));
        self.arms_before.reserve(room(self.arms_before.len(), count));
        self.idle.reserve(leans.saturating_sub(self.idle.len()));
        self.idle.resize_with(leans.max(self.idle.len()), || Leaning::with_room(widest));
    }

    /// Put all hands aside.
    fn put_down(&mut self) {
        self.spare.append(&mut self.list);
    }
}

fn times(m: &Mat6, x: &Vec6) -> Vec6 {
    std::array::from_fn(|r| dot(&m[r], x))
}

impl Island<'_> {
    /// Do something with each arm.
    pub(crate) fn each_arm(&mut self, mut f: impl FnMut(usize, &mut crate::arm::Arm)) {
        for (n, &arm) in self.arms.iter().enumerate() {
            if let Body::Arm(arm) = &mut self.bodies[arm - self.first] {
                f(n, arm);
            }
        }
    }

    /// Find all holds that arms of this island carry, at the start of a step of the world.
    pub(crate) fn find_hands(&mut self) {
        // the memory may be that of another island, whose hands are none of this one's
        self.coupling.hands.put_down();
        if self.arms.is_empty() {
            return;
        }
        let mut hands = std::mem::take(&mut self.coupling.hands);
        let Hands { list, spare, firsts, matrix, right, jacobian, .. } = &mut hands;
        firsts.clear();
        let (mut count, mut widest) = (0, 0);
        self.each_arm(|_, arm| {
            firsts.push(count);
            count += arm.unknowns();
            widest = widest.max(arm.unknowns());
        });
        firsts.push(count);
        if (matrix.rows(), jacobian.columns()) != (count, widest) {
            matrix.resize(count, count);
            jacobian.resize(6, widest);
        }
        right.resize(count, 0.0);
        let mut cable = 0;
        let arms = self.arms;
        self.each(|share| {
            for (hold, held) in share.acting.held.iter().enumerate() {
                let Some(carried) = &held.carried else { continue };
                let Some(arm) = arms.iter().position(|&arm| arm == carried.arm) else { continue };
                let mut hand = spare.pop().unwrap_or_default();
                (hand.arm, hand.cable, hand.hold, hand.link) = (arm, cable, hold, held.link);
                (hand.carrier, hand.sections) = (carried.link, carried.sections);
                list.push(hand);
            }
            cable += 1;
        });
        for hand in list {
            let n = firsts[hand.arm + 1] - firsts[hand.arm];
            let [middle, end] = &mut hand.jacobians;
            for columns in [middle, end, &mut hand.by_arm, &mut hand.by_link, &mut hand.own] {
                columns.resize(n, [0.0; 6]);
            }
        }
        self.coupling.hands = hands;
    }

    /// Begin a part of the step: arms too.
    pub(crate) fn begin_arms(&mut self, part: &Part) {
        let obstacles = self.around.obstacles;
        self.each_arm(|_, arm| {
            arm.begin(part);
            arm.begin_touches(part, obstacles);
        });
        let mut hands = std::mem::take(&mut self.coupling.hands);
        self.each_arm(|n, arm| {
            for hand in hands.list.iter_mut().filter(|hand| hand.arm == n) {
                hand.start = arm.at_start(hand.carrier);
            }
        });
        for hand in &hands.list {
            let Body::Cable(cable) = &mut self.bodies[self.members[hand.cable] - self.first] else { continue };
            cable.begin_held(hand.hold, hand.start * hand.section(part.from));
        }
        self.coupling.hands = hands;
    }

    /// Place the hands at the current velocities of the arms, and assemble the equations of these.
    pub(crate) fn assemble_arms(&mut self, part: &Part, tangent: bool) {
        if self.arms.is_empty() {
            return;
        }
        let step = part.step();
        let mut hands = std::mem::take(&mut self.coupling.hands);
        let Hands { list, jacobian, .. } = &mut hands;
        self.each_arm(|n, arm| {
            arm.assemble(part, tangent);
            for hand in list.iter_mut().filter(|hand| hand.arm == n) {
                hand.place(part, arm, jacobian);
            }
        });
        let mut cable = 0;
        self.each(|share| {
            for hand in list.iter().filter(|hand| hand.cable == cable) {
                let [start, end] = [part.from, part.to].map(|f| hand.section(f));
                let (start, end) = (hand.start * start, hand.end * end);
                let middle = pose_between(&start, &end, 0.5);
                share.s.held_poses[hand.hold] = [start, middle, end];
                let [.., x, y, z] = hand.velocity;
                share.s.held_turns[hand.hold] = Vec3::new(x, y, z) * step;
            }
            cable += 1;
        });
        self.coupling.hands = hands;
        self.place_leans();
    }

    /// Add what holds do to the equations of arms; the cables have been assembled.
    pub(crate) fn load_arms(&mut self) {
        if self.arms.is_empty() {
            return;
        }
        let mut hands = std::mem::take(&mut self.coupling.hands);
        let mut cable = 0;
        self.each(|share| {
            for hand in hands.list.iter_mut().filter(|hand| hand.cable == cable) {
                hand.feel(&share.s.held_replies[hand.hold]);
            }
            cable += 1;
        });
        self.each_arm(|n, arm| {
            for hand in hands.list.iter().filter(|hand| hand.arm == n) {
                hand.push(arm);
            }
        });
        self.coupling.hands = hands;
    }

    /// Solve for the changes of arms and cables together. The factors of the cables' matrices and the solution without arms are
    /// there. False if the equations are singular.
    pub(crate) fn solve_arms(&mut self, part: &Part, sparse: bool) -> bool {
        let mut hands = std::mem::take(&mut self.coupling.hands);
        let fine = self.solve_with(&mut hands, Some(part), sparse);
        self.coupling.hands = hands;
        fine
    }

    /// The same in a part of a step, or after it: then holds and what drives joints have no share in it.
    pub(super) fn solve_with(&mut self, hands: &mut Hands, part: Option<&Part>, sparse: bool) -> bool {
        let Hands { list, leans, firsts, links, columns, matrix, right, meets, .. } = hands;
        let list = if part.is_some() { &list[..] } else { &[] };
        links.clear();
        let mut count = 0;
        self.each(|share| {
            links.push(count);
            count += share.s.change.len();
        });
        links.push(count);
        let unknowns = right.len();
        columns.clear();
        columns.resize(unknowns * count, [0.0; 6]);
        matrix.clear();
        self.each_arm(|n, arm| {
            let (first, step) = (firsts[n], &arm.step());
            for i in 0..arm.unknowns() {
                right[first + i] = step.residual[i];
                for j in 0..arm.unknowns() {
                    matrix[(first + i, first + j)] = step.tangent[(i, j)];
                }
            }
        });
        if part.is_some() {
            meets.add_cross(firsts, matrix);
        }
        // the columns of A^-1 B
        for (u, column) in columns.chunks_exact_mut(count.max(1)).enumerate() {
            let arm = firsts.partition_point(|&first| first <= u) - 1;
            let mut met = false;
            for hand in list.iter().filter(|hand| hand.arm == arm) {
                add_scaled(&mut column[links[hand.cable] + hand.link], 1.0, &hand.by_arm[u - firsts[arm]]);
                met = true;
            }
            for leaning in leans.iter().filter(|leaning| leaning.arm == arm) {
                for side in leaning.sides() {
                    add_scaled(&mut column[links[leaning.cable] + side.link], 1.0, &side.by_arm[u - firsts[arm]]);
                    met = true;
                }
            }
            if !met {
                continue;
            }
            if sparse {
                self.coupling.solve_again(column);
                continue;
            }
            let mut cable = 0;
            self.each(|share| {
                let held = list.iter().any(|hand| hand.arm == arm && hand.cable == cable);
                if held || leans.iter().any(|leaning| leaning.arm == arm && leaning.cable == cable) {
                    share.s.matrix.solve(&mut column[links[cable]..links[cable + 1]]);
                }
                cable += 1;
            });
        }
        // D - C A^-1 B, and s - C A^-1 r
        let mut cable = 0;
        self.each(|share| {
            let mut eliminate = |arm: usize, link: usize, by_link: &[Vec6]| {
                let (first, at) = (firsts[arm], links[cable] + link);
                for (i, row) in by_link.iter().enumerate() {
                    right[first + i] -= dot(row, &share.s.change[link]);
                    for u in 0..unknowns {
                        matrix[(first + i, u)] -= dot(row, &columns[u * count + at]);
                    }
                }
            };
            for hand in list.iter().filter(|hand| hand.cable == cable) {
                eliminate(hand.arm, hand.link, &hand.by_link);
            }
            for leaning in leans.iter().filter(|leaning| leaning.cable == cable) {
                leaning.sides().iter().for_each(|side| eliminate(leaning.arm, side.link, &side.by_link));
            }
            cable += 1;
        });
        self.each_arm(|n, arm| match part {
            Some(part) => arm.apply_laws(part.step(), firsts[n], matrix, right),
            None => arm.keep_held(firsts[n], matrix, right),
        });
        if !eliminate(matrix, right) {
            return false;
        }
        self.each_arm(|n, arm| {
            let own = &right[firsts[n]..firsts[n + 1]];
            arm.step_mut().change.copy_from_slice(own);
        });
        let mut cable = 0;
        self.each(|share| {
            for (u, z) in right.iter().enumerate().filter(|(_, z)| **z != 0.0) {
                let column = &columns[u * count..][links[cable]..links[cable + 1]];
                for (x, c) in share.s.change.iter_mut().zip(column) {
                    add_scaled(x, -z, c);
                }
            }
            cable += 1;
        });
        true
    }

    /// Settle the energy of arms in a part of the step that has been solved; false where it has to be cut.
    pub(crate) fn settle_arms(&mut self, part: &Part) -> bool {
        let hands = std::mem::take(&mut self.coupling.hands);
        let mut all = true;
        self.each_arm(|n, arm| {
            let holding = hands.list.iter().filter(|hand| hand.arm == n);
            // the residual has w on the side of inertia
            let given: f64 = holding.map(|hand| -part.step() * dot(&hand.wrench, &hand.velocity)).sum();
            let leant = std::mem::take(&mut arm.step_mut().given);
            all &= arm.settle(part, given + leant);
        });
        self.coupling.hands = hands;
        all
    }
}

impl Hand {
    /// The section in the frame of the arm's link at a fraction of the step of the world.
    fn section(&self, fraction: f64) -> Pose {
        let [start, middle, end] = &self.sections;
        if start == end {
            return *start;
        }
        if fraction < 0.5 {
            pose_between(start, middle, 2.0 * fraction)
        } else {
            pose_between(middle, end, 2.0 * fraction - 1.0)
        }
    }

    /// Velocity of the section, and its Jacobians, for the current mean velocities of the arm.
    fn place(&mut self, part: &Part, arm: &crate::arm::Arm, jacobian: &mut Matrix) {
        let step = part.step();
        let [from, to] = [part.from, part.to].map(|f| self.section(f));
        self.end = arm.stepped(self.carrier, true);
        let (start, end) = (self.start * from, self.end * to);
        let moved = (end.translation - start.translation) / step;
        let turned = rotation_vector(start.rotation.inverse() * end.rotation) / step;
        self.velocity = [moved.x, moved.y, moved.z, turned.x, turned.y, turned.z];
        let middle = pose_between(&start, &end, 0.5);
        let rotations = [middle.rotation, end.rotation];
        for (k, rotation) in rotations.into_iter().enumerate() {
            let point = if k == 0 { pose_between(&from, &to, 0.5).translation } else { to.translation };
            arm.jacobian(self.carrier, point, k == 1, jacobian);
            for (j, column) in self.jacobians[k].iter_mut().enumerate() {
                let part = |r: usize| Vec3::new(jacobian[(r, j)], jacobian[(r + 1, j)], jacobian[(r + 2, j)]);
                let (v, w) = (part(0), rotation.inverse() * part(3));
                *column = [v.x, v.y, v.z, w.x, w.y, w.z];
            }
        }
        // the least change with which the mean velocities of the arm give that of the section; of joints alone, so that a free arm
        // keeps its momentum, and of its rotation where no joint moves the section
        let (mean, first) = (&arm.step().mean, arm.model().first_joint());
        let rigid = first > 0 && self.jacobians[0][first..].iter().all(|column| *column == [0.0; 6]);
        let [joints, last] = if rigid { [3, first] } else { [first, mean.len()] };
        // nearly at rest it would be rounding over next to nothing, and the arm would feel another force than the cable
        let squares: f64 = RESTING * RESTING + mean[joints..last].iter().map(|y| y * y).sum::<f64>();
        if squares > RESTING * RESTING {
            let mut missing = self.velocity;
            for (column, y) in self.jacobians[0].iter().zip(mean) {
                add_scaled(&mut missing, -y, column);
            }
            for (column, y) in self.jacobians[0].iter_mut().zip(mean).take(last).skip(joints) {
                add_scaled(column, y / squares, &missing);
            }
        }
    }

    /// Take over what the hold does, with its derivatives.
    fn feel(&mut self, reply: &Reply) {
        self.wrench = reply.wrench;
        let [middle, end] = &self.jacobians;
        for j in 0..middle.len() {
            let both = |m: &[Mat6; 2]| {
                let mut sum = times(&m[0], &end[j]);
                add_scaled(&mut sum, 1.0, &times(&m[1], &middle[j]));
                sum
            };
            self.by_arm[j] = both(&reply.of_link);
            self.own[j] = both(&reply.by_hand);
            self.by_link[j] = std::array::from_fn(|k| (0..6).map(|r| middle[j][r] * reply.by_link[r][k]).sum());
        }
    }

    /// Add it to the residual and the tangent of the arm.
    fn push(&self, arm: &mut crate::arm::Arm) {
        let step = arm.step_mut();
        let middle = &self.jacobians[0];
        for i in 0..middle.len() {
            step.residual[i] += dot(&middle[i], &self.wrench);
            for j in 0..middle.len() {
                step.tangent[(i, j)] += dot(&middle[i], &self.own[j]);
            }
        }
    }
}

/// Mean velocities of joints below which an arm is nearly at rest [rad/s, m/s].
const RESTING: f64 = 1e-6;
