//! Links of arms that touch each other: of one arm, or of two.
//!
//! A contact is one with an obstacle whose surface moves with the unknowns, too: with the velocities V and W of both places, each as in
//! `touch`, the law holds for V - W, and the force f that pushes one link pushes the other by -f. So what one loses the other
//! gets, and friction and impact take the rest. Arms that may meet are solved together.

use super::{Candidate, Key, PastTouch, SAME_SIDE, Touch, Touches};
use crate::arm::Arm;
use crate::body::Body;
use crate::cable::contact::law::{Contacting, Reply, closed_in};
use crate::cable::equations::part::{Part, Touching};
use crate::cable::group::step::Island;
use crate::contact::{Met, Obstacle};
use crate::math::{Pose, Vec3};
use crate::motion::Drive;
use crate::robot::Matrix;

/// Pairs of shapes for which memory is kept before the first step, for each shape; more of them allocate once.
const USUAL: usize = 4;

/// Passes over all contacts in which impulses after a step are found, and the change of speed at which they end [m/s].
const PASSES: usize = 50;
const STILL: f64 = 1e-12;

/// The other one of two links that touch.
#[derive(Clone, Copy, Debug, Default)]
struct Partner {
    link: usize,
    /// Pose of its shape in its frame.
    at: Pose,
    /// Its pose at the start of the part.
    start: Pose,
    /// The place in its frame, and an offset from there in the world.
    point: Vec3,
    offset: Vec3,
    /// From that place to where the force acts, in the world: where it acts on the other side.
    lever: Vec3,
}

/// A contact of two links within a part of a step.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Indices of the arms among those of the island: of the link that the force pushes, and of the other one.
    arms: [usize; 2],
    /// As with an obstacle, whose surface has the velocity of the other link.
    touch: Touch,
    other: Partner,
    reply: Reply,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meets {
    /// What may meet in this step.
    finder: Touches,
    list: Vec<Meeting>,
    /// For each contact three rows J of each of the two links, and three of the derivative of its velocity, `width` long.
    rows: Vec<f64>,
    ends: Vec<f64>,
    width: usize,
    /// Velocities before impulses, impulses along the axes, and energies before.
    saved: Vec<f64>,
    impulses: Vec<[f64; 3]>,
    kinetic: Vec<f64>,
}

impl Meets {
    /// Preallocate for so many shapes that arms carry, and unknowns of the widest arm.
    pub fn reserve(&mut self, shapes: usize, arms: usize, width: usize) {
        let most = USUAL * shapes;
        self.finder.reserve(most, 0);
        let room = |len: usize, most: usize| most.saturating_sub(len);
        self.list.reserve(room(self.list.len(), most));
        self.impulses.reserve(room(self.impulses.len(), most));
        for rows in [&mut self.rows, &mut self.ends] {
            rows.reserve(room(rows.len(), 6 * width * most));
        }
        self.saved.reserve(room(self.saved.len(), width * arms));
        self.kinetic.reserve(room(self.kinetic.len(), arms));
    }

    /// Whether there are any contacts.
    pub fn any(&self) -> bool {
        !self.list.is_empty()
    }

    /// Rows of a side of a contact, `n` long.
    fn row(&self, k: usize, side: usize, axis: usize, n: usize) -> &[f64] {
        &self.rows[((2 * k + side) * 3 + axis) * self.width..][..n]
    }

    fn end(&self, k: usize, side: usize, axis: usize, n: usize) -> &[f64] {
        &self.ends[((2 * k + side) * 3 + axis) * self.width..][..n]
    }

    /// Add the derivatives of forces between two arms by each other's velocities to the equations of all arms.
    pub fn add_cross(&self, firsts: &[usize], matrix: &mut Matrix) {
        for (k, meeting) in self.list.iter().enumerate() {
            let [a, b] = meeting.arms;
            if a == b || meeting.reply.force == [0.0; 3] {
                continue;
            }
            for (s, t) in [(0, 1), (1, 0)] {
                let [from, to] = [s, t].map(|side| meeting.arms[side]);
                let [n, m] = [from, to].map(|arm| firsts[arm + 1] - firsts[arm]);
                for (axis, other) in (0..9).map(|k| (k / 3, k % 3)) {
                    let slope = meeting.reply.slope[axis][other];
                    if slope == 0.0 {
                        continue;
                    }
                    let (row, end) = (self.row(k, s, axis, n), self.end(k, t, other, m));
                    for (i, r) in row.iter().enumerate().filter(|(_, r)| **r != 0.0) {
                        let line = &mut matrix.row_mut(firsts[from] + i)[firsts[to]..firsts[to] + m];
                        line.iter_mut().zip(end).for_each(|(x, e)| *x -= r * slope * e);
                    }
                }
            }
        }
    }
}

/// Sign of the force on a side of a contact.
const SIGNS: [f64; 2] = [1.0, -1.0];

impl Meeting {
    /// Take over where they face each other, with both links at a pose.
    fn lay(&mut self, met: &Met, links: [&Pose; 2]) {
        self.touch.lay(met, links[0]);
        let facing = met.point + met.offset;
        let (point, offset) = if self.touch.of.key.theirs {
            (met.point, met.offset)
        } else {
            (facing - met.normal * met.gap, Vec3::ZERO)
        };
        self.other.point = links[1].inverse_transform_point(point);
        self.other.offset = offset;
        self.other.lever = links[0].transform_point(self.touch.point) + self.touch.offset - point;
    }

    /// Place of a side: its link, the pose of that at the start, and the point with its offset.
    fn side(&self, side: usize) -> (usize, Pose, Vec3, Vec3) {
        let Meeting { touch, other, .. } = self;
        match side {
            0 => (touch.of.link, touch.link, touch.point, touch.offset),
            _ => (other.link, other.start, other.point, other.lever),
        }
    }
}

/// Where two links face each other, with both at a pose.
fn facing(
    of: &Candidate,
    links: [&Pose; 2],
    at: &Pose,
    obstacles: &[Obstacle],
) -> [Option<Met>; crate::contact::FACES] {
    let Key { shape, obstacle, core, theirs } = of.key;
    let [own, other] = [shape, obstacle].map(|index| &obstacles[index].params.shape);
    let (here, there) = (*links[0] * of.at, *links[1] * *at);
    if theirs {
        other.cores()[core].meet(&there, own, &here, of.reach)
    } else {
        own.cores()[core].meet(&here, other, &there, of.reach)
    }
}

impl Island<'_> {
    fn meeting_arm(&mut self, arm: usize) -> Option<&mut Arm> {
        match &mut self.bodies[self.arms[arm] - self.first] {
            Body::Arm(arm) => Some(arm),
            _ => None,
        }
    }

    /// Find which parts of which shapes may meet in a step of the world.
    pub(crate) fn find_meets(&mut self) {
        let mut meets = std::mem::take(&mut self.coupling.hands.meets);
        meets.finder.clear();
        meets.list.clear();
        let obstacles = self.around.obstacles;
        for near in self.around.near {
            let [shape, obstacle] = near.shapes;
            let Drive::Carried { arm, link, at } = obstacles[shape].drive else { continue };
            if !self.arms.contains(&arm) {
                continue;
            }
            for theirs in [false, true] {
                let key = Key { shape, obstacle, core: 0, theirs };
                meets.finder.find(key, Candidate { key, link, at, reach: near.reach, scale: near.scale }, obstacles);
            }
        }
        meets.width = 0;
        self.each_arm(|_, arm| meets.width = meets.width.max(arm.unknowns()));
        self.coupling.hands.meets = meets;
    }

    /// Begin the contacts of a part of the step.
    pub(crate) fn begin_meets(&mut self, part: &Part) {
        let mut meets = std::mem::take(&mut self.coupling.hands.meets);
        meets.list.clear();
        let obstacles = self.around.obstacles;
        for n in 0..meets.finder.candidates.len() {
            let of = meets.finder.candidates[n];
            let drives = [of.key.shape, of.key.obstacle].map(|shape| &obstacles[shape].drive);
            let [Drive::Carried { arm: a, .. }, Drive::Carried { arm: b, link, at }] = drives else { continue };
            let arms = [a, b].map(|arm| self.arms.iter().position(|known| known == arm));
            let [Some(a), Some(b)] = arms else { continue };
            let start = self.meeting_arm(b).map(|arm| arm.at_start(*link));
            let (Some(start), Some(arm)) = (start, self.meeting_arm(a)) else { continue };
            let here = arm.at_start(of.link);
            let friction = arm.spec.friction;
            let past = &arm.state.meets;
            for met in facing(&of, [&here, &start], at, obstacles).into_iter().flatten() {
                let touch = Touch::new(of, here, met, friction);
                let other = Partner { link: *link, at: *at, start, ..Partner::default() };
                let reply = Reply { force: [0.0; 3], slope: [[0.0; 3]; 3], state: Contacting::Open };
                let mut meeting = Meeting { arms: [a, b], touch, other, reply };
                meeting.lay(&met, [&here, &start]);
                let touch = &mut meeting.touch;
                let like = |past: &&PastTouch| past.key == of.key && past.normal.dot(touch.axes[0]) > SAME_SIDE;
                if let Some(past) = past.iter().find(like) {
                    touch.go_on(past, part);
                }
                meets.list.push(meeting);
            }
        }
        let room = 6 * meets.width * meets.list.len();
        meets.rows.resize(room, 0.0);
        meets.ends.resize(room, 0.0);
        self.coupling.hands.meets = meets;
    }

    /// Add contacts to the residuals and tangents of arms; returns how many changed between open, stick and slip.
    pub(crate) fn meet(&mut self, part: &Part, touching: Touching) -> usize {
        let mut meets = std::mem::take(&mut self.coupling.hands.meets);
        let mut changed = 0;
        for k in 0..meets.list.len() {
            if touching == Touching::Fresh {
                meets.list[k].touch.renew();
            }
            if touching != Touching::Settled {
                self.refresh_meeting(&mut meets.list[k], part);
            }
            self.place_meeting(&mut meets, k, part);
            if touching == Touching::First {
                let answer = self.answers(&meets, k);
                meets.list[k].touch.law.rho = if answer > 0.0 { super::FIRM / answer } else { 0.0 };
            }
        }
        let load = super::BORNE * meets.list.iter().flat_map(|m| m.touch.force).map(f64::abs).sum::<f64>();
        for k in 0..meets.list.len() {
            let touch = &mut meets.list[k].touch;
            if touch.law.rho == 0.0 {
                continue;
            }
            let reply = if touching == Touching::First { touch.first_reply() } else { touch.reply() };
            let bears = |force: &[f64; 3]| force.iter().any(|f| f.abs() > load);
            changed += usize::from((bears(&touch.force) || bears(&reply.force)) && reply.state != touch.state);
            (touch.state, touch.force) = (reply.state, reply.force);
            meets.list[k].reply = reply;
            if reply.force != [0.0; 3] {
                self.push_meeting(&meets, k, &reply.force);
                self.add_meeting(&meets, k, part.step());
            }
        }
        self.coupling.hands.meets = meets;
        changed
    }

    /// Inverse of the inertia that a contact meets along its normal, were each unknown alone.
    fn answers(&mut self, meets: &Meets, k: usize) -> f64 {
        let arms = meets.list[k].arms;
        let mut sum = 0.0;
        for (side, &number) in arms.iter().enumerate() {
            let Some(arm) = self.meeting_arm(number) else { continue };
            let (n, tangent) = (arm.unknowns(), &arm.step().tangent);
            let row = meets.row(k, side, 0, n);
            if arms[0] == arms[1] {
                let other = meets.row(k, 1, 0, n);
                return (0..n).map(|i| (row[i] - other[i]).powi(2) / tangent[(i, i)]).sum();
            }
            sum += row.iter().enumerate().map(|(i, r)| r * r / tangent[(i, i)]).sum::<f64>();
        }
        sum
    }

    /// Look where they face each other halfway through the part, if on the same side; otherwise it stays as it began.
    fn refresh_meeting(&mut self, meeting: &mut Meeting, part: &Part) {
        let Meeting { arms, touch, other, .. } = *meeting;
        let middles = [(arms[0], touch.of.link), (arms[1], other.link)]
            .map(|(arm, link)| self.meeting_arm(arm).map(|arm| arm.stepped(link, false)));
        let [Some(here), Some(there)] = middles else { return };
        let side = |met: &Met| met.normal.dot(touch.met.normal);
        let likeness = |met: &Met| side(met) - (met.point - touch.met.point).length() / touch.of.scale;
        let faces = facing(&touch.of, [&here, &there], &other.at, self.around.obstacles).into_iter().flatten();
        let best = faces.filter(|met| side(met) > SAME_SIDE).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        match best {
            Some(met) => meeting.lay(&met, [&here, &there]),
            None => meeting.lay(&touch.met, [&touch.link, &other.start]),
        }
        let Meeting { touch: own, other: theirs, .. } = &*meeting;
        let places = [
            own.link.transform_point(own.point) + own.offset,
            theirs.start.transform_point(theirs.point) + theirs.offset,
        ];
        let gap = own.axes[0].dot(places[0] - places[1]);
        // little overlap is left as it is: to take it back would give energy
        let gap = if gap < 0.0 { (gap + super::LEFT * touch.of.scale).min(0.0) } else { gap };
        meeting.touch.closing = closed_in(part.recovery(), gap, touch.of.scale) / part.step();
    }

    /// Velocities of both places at the current mean velocities, their rows, and the derivatives.
    fn place_meeting(&mut self, meets: &mut Meets, k: usize, part: &Part) {
        let width = meets.width;
        for side in 0..2 {
            let meeting = &meets.list[k];
            let (axes, place) = (meeting.touch.axes, meeting.side(side));
            let number = meeting.arms[side];
            let Some(arm) = self.meeting_arm(number) else { continue };
            let at = (2 * k + side) * 3 * width..(2 * k + side + 1) * 3 * width;
            let velocity =
                arm.place_point(part, place, &axes, (&mut meets.rows[at.clone()], &mut meets.ends[at]), width);
            let touch = &mut meets.list[k].touch;
            if side == 0 {
                touch.velocity = velocity;
            } else {
                touch.surface = velocity;
            }
        }
    }

    /// Subtract a force along the axes of a contact from the residuals.
    fn push_meeting(&mut self, meets: &Meets, k: usize, force: &[f64; 3]) {
        for (side, number) in meets.list[k].arms.into_iter().enumerate() {
            let Some(arm) = self.meeting_arm(number) else { continue };
            let n = arm.unknowns();
            for (axis, f) in force.iter().enumerate() {
                let row = meets.row(k, side, axis, n);
                arm.step_mut().residual.iter_mut().zip(row).for_each(|(r, j)| *r -= SIGNS[side] * j * f);
            }
        }
    }

    /// Add the derivatives of its force to the tangent of each arm, as `Arm::add_slope` does; those of two arms by each other's
    /// velocities come with `Meets::add_cross`.
    fn add_meeting(&mut self, meets: &Meets, k: usize, h: f64) {
        let Meeting { arms, reply, touch, .. } = &meets.list[k];
        let force = touch.in_world(&reply.force);
        for s in 0..2 {
            let Some(arm) = self.meeting_arm(arms[s]) else { continue };
            let n = arm.unknowns();
            for t in (0..2).filter(|&t| arms[t] == arms[s]) {
                for (a, b) in (0..9).map(|k| (k / 3, k % 3)).filter(|&(a, b)| reply.slope[a][b] != 0.0) {
                    let scale = SIGNS[s] * SIGNS[t] * reply.slope[a][b];
                    let (row, end) = (meets.row(k, s, a, n), meets.end(k, t, b, n));
                    let tangent = &mut arm.step_mut().tangent;
                    for (i, r) in row.iter().enumerate().filter(|(_, r)| **r != 0.0) {
                        tangent.row_mut(i).iter_mut().zip(end).for_each(|(x, e)| *x += scale * r * e);
                    }
                }
            }
            let (link, _, point, _) = meets.list[k].side(s);
            arm.turn_force(link, point, force * SIGNS[s], h);
        }
    }

    /// Contact forces along the last change at the current velocities, where no joint is held; they are not yet in the residual.
    pub(crate) fn descent_of_meets(&mut self, part: &Part) -> f64 {
        let mut meets = std::mem::take(&mut self.coupling.hands.meets);
        let mut sum = 0.0;
        for k in 0..meets.list.len() {
            if meets.list[k].touch.law.rho == 0.0 {
                continue;
            }
            self.place_meeting(&mut meets, k, part);
            let force = meets.list[k].touch.reply().force;
            for (side, number) in meets.list[k].arms.into_iter().enumerate() {
                let Some(arm) = self.meeting_arm(number) else { continue };
                let (n, step) = (arm.unknowns(), arm.step());
                for (axis, f) in force.iter().enumerate() {
                    let row = meets.row(k, side, axis, n);
                    let along: f64 = (0..n).filter(|&i| !step.held[i]).map(|i| row[i] * step.change[i]).sum();
                    sum -= SIGNS[side] * f * along;
                }
            }
        }
        self.coupling.hands.meets = meets;
        sum
    }

    /// Move friction limits closer to what normal forces allow; true if any was far off.
    pub(crate) fn bound_meets(&mut self) -> bool {
        let list = &mut self.coupling.hands.meets.list;
        let mut far = false;
        for touch in list.iter_mut().map(|meeting| &mut meeting.touch).filter(|touch| touch.law.rho > 0.0) {
            far |= touch.bound();
        }
        far
    }

    /// Take over the contact forces of a part that has been solved, into the residuals too, and their work on each arm.
    pub(crate) fn settle_meets(&mut self, part: &Part) {
        let mut meets = std::mem::take(&mut self.coupling.hands.meets);
        let h = part.step();
        for k in 0..meets.list.len() {
            if meets.list[k].touch.law.rho == 0.0 {
                continue;
            }
            self.place_meeting(&mut meets, k, part);
            let touch = &mut meets.list[k].touch;
            let reply = touch.reply();
            (touch.state, touch.force) = (reply.state, reply.force);
            self.push_meeting(&meets, k, &reply.force);
            let Touch { velocity, surface, .. } = meets.list[k].touch;
            let works = [velocity, surface].map(|v| (0..3).map(|a| h * reply.force[a] * v[a]).sum::<f64>());
            // together they may only take: what takes back overlap, or what finite stiffness gives, comes from their motion, or is told
            let gained = (works[0] - works[1]).max(0.0);
            for (side, number) in meets.list[k].arms.into_iter().enumerate() {
                let Some(arm) = self.meeting_arm(number) else { continue };
                let step = arm.step_mut();
                step.given += SIGNS[side] * works[side] - 0.5 * gained;
                step.met += reply.force.iter().map(|f| f.abs()).sum::<f64>();
                step.lifted += 0.5 * gained;
            }
        }
        self.coupling.hands.meets = meets;
    }

    /// Bring links that push each other to rest relative to each other at the end of a part of the step, by impulses that are bounded as
    /// the forces of the step are, and write down what contacts did.
    pub(crate) fn calm_meets(&mut self, part: &Part) {
        if self.arms.is_empty() {
            return;
        }
        let mut meets = std::mem::take(&mut self.coupling.hands.meets);
        meets.impulses.clear();
        meets.impulses.resize(meets.list.len(), [0.0; 3]);
        if meets.list.iter().any(|meeting| meeting.touch.state != Contacting::Open) {
            self.halt_meets(&mut meets, part.step());
        }
        self.each_arm(|_, arm| arm.state.meets.clear());
        for k in 0..meets.list.len() {
            let Meeting { arms, touch, .. } = meets.list[k];
            let Partner { link, point, offset, .. } = meets.list[k].other;
            let Some(there) = self.meeting_arm(arms[1]).map(|arm| arm.stepped(link, true)) else { continue };
            let plane = there.transform_point(point) + offset;
            let Some(arm) = self.meeting_arm(arms[0]) else { continue };
            let position = arm.stepped(touch.of.link, true).transform_point(touch.point) + touch.offset;
            let impulses = touch.in_world(&meets.impulses[k]);
            let past = touch.past(part, impulses, position, touch.axes[0].dot(plane - position));
            arm.state.meets.push(past);
        }
        self.coupling.hands.meets = meets;
    }

    /// Find these impulses, contact by contact: each pass takes kinetic energy, and what they have taken in the end is compared.
    fn halt_meets(&mut self, meets: &mut Meets, h: f64) {
        meets.saved.clear();
        meets.kinetic.clear();
        self.each_arm(|_, arm| {
            meets.saved.extend_from_slice(arm.end_velocities());
            meets.kinetic.push(arm.end_kinetic());
        });
        // rows at the end of the step
        let width = meets.width;
        for k in 0..meets.list.len() {
            for side in 0..2 {
                let meeting = &meets.list[k];
                let (number, axes, (link, _, point, offset)) =
                    (meeting.arms[side], meeting.touch.axes, meeting.side(side));
                let at = (2 * k + side) * 3 * width;
                let Some(arm) = self.meeting_arm(number) else { continue };
                for (axis, way) in axes.into_iter().enumerate() {
                    let n = arm.unknowns();
                    arm.final_row(link, point, offset, way, &mut meets.rows[at + axis * width..][..n]);
                }
            }
            // of a link of the same arm only the difference counts
            let [a, b] = meets.list[k].arms;
            if a == b {
                let (own, other) = meets.rows[6 * k * width..6 * (k + 1) * width].split_at_mut(3 * width);
                own.iter_mut().zip(&mut *other).for_each(|(x, y)| {
                    *x -= *y;
                    *y = 0.0;
                });
            }
        }
        for _ in 0..PASSES {
            let mut most = 0.0_f64;
            for k in 0..meets.list.len() {
                let state = meets.list[k].touch.state;
                let axes = match state {
                    Contacting::Open => 0,
                    Contacting::Slip => 1,
                    Contacting::Stick => 3,
                };
                for axis in 0..axes {
                    most = most.max(self.strike_meeting(meets, k, axis, h));
                }
            }
            if most <= STILL {
                break;
            }
        }
        let (mut after, before) = (0.0, meets.kinetic.iter().sum::<f64>());
        self.each_arm(|_, arm| after += arm.end_kinetic());
        if after > before {
            // nothing but rounding is left to be brought to rest
            meets.impulses.fill([0.0; 3]);
            let mut from = 0;
            self.each_arm(|_, arm| {
                let n = arm.unknowns();
                arm.set_end_velocities(&meets.saved[from..from + n]);
                from += n;
            });
            return;
        }
        self.each_arm(|n, arm| {
            let work = arm.end_kinetic() - meets.kinetic[n];
            arm.struck(work);
        });
    }

    /// Bring a contact to rest along an axis, as far as its force allows; returns the change of its speed [m/s].
    fn strike_meeting(&mut self, meets: &mut Meets, k: usize, axis: usize, h: f64) -> f64 {
        let Meeting { arms, touch, .. } = meets.list[k];
        let (mut speed, mut answer) = (0.0, 0.0);
        for side in 0..if arms[0] == arms[1] { 1 } else { 2 } {
            let Some(arm) = self.meeting_arm(arms[side]) else { continue };
            let row = meets.row(k, side, axis, arm.unknowns());
            let along: f64 = row.iter().zip(arm.end_velocities()).map(|(r, v)| r * v).sum();
            speed += SIGNS[side] * along;
            answer += arm.answers_row(row);
        }
        if answer <= 0.0 {
            return 0.0;
        }
        let had = touch.force;
        let given = meets.impulses[k];
        let normal = had[0] + given[0] / h;
        let [low, high] = match axis {
            0 => [-h * had[0], f64::INFINITY],
            _ => {
                let limit = touch.law.friction.limit(normal.max(0.0));
                [-h * (limit + had[axis]), h * (limit - had[axis])]
            }
        };
        let wanted = (given[axis] - speed / answer).clamp(low.min(given[axis]), high.max(given[axis]));
        let impulse = wanted - given[axis];
        meets.impulses[k][axis] = wanted;
        for side in 0..if arms[0] == arms[1] { 1 } else { 2 } {
            let Some(arm) = self.meeting_arm(arms[side]) else { continue };
            let row = meets.row(k, side, axis, arm.unknowns());
            arm.strike_row(row, SIGNS[side] * impulse);
        }
        (impulse * answer).abs()
    }
}
