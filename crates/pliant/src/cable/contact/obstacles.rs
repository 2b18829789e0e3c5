//! Contacts of links with obstacles.
//!
//! At the start of a step every link that could reach an obstacle gets a contact with the plane it faces there. During
//! the Newton iteration the plane is updated, with link and obstacle halfway through the step; where a link moves so
//! fast that halfway it may be behind something thin, the plane of the start is kept, so that nothing gets past it.

use std::ops::Range;

use crate::bytes::stored;
use crate::cable::algebra::block::{Mat6, Tridiagonal, Vec6, add_scaled, dot};
use crate::cable::contact::law::{
    Contacting, Firmness, Law, Limit, Reply, add_cross, add_slope, along, axes, closed_in, joint_rows, minus,
    no_deeper, rows, subtract_force, velocity,
};
use crate::cable::links::{OPEN, Stretch, gap_after};
use crate::cable::solver::gauss_seidel::projection::Local;
use crate::contact::{Ends, Hint, Nearby, Obstacle, Piece, passes};
use crate::material::Friction;
use crate::math::{Pose, Vec3, unit_or, x_axis};
use crate::motion::Drive;

/// Links bulge by this fraction of their radius in the middle, so that the contact point on a flat floor moves
/// continuously as a link tilts instead of jumping between its ends.
const BULGE: f64 = 0.01;

/// Largest slope of the bulge at the ends of a link: a steeper one on short links would push along the cable.
const SLOPE: f64 = 0.005;

/// Largest number of contacts of a link with one mesh.
const FACES: usize = 4;

/// Cosine of the angle within which a face halfway through the step counts as the one at its start.
const SAME_SIDE: f64 = 0.5;

/// Links that move by less than this fraction of their radius in a step cannot pass through anything.
const SLOW: f64 = 0.25;

/// Penetration, relative to the radius, from which a slow link could pass through after all.
const DEEP: f64 = 0.5;

/// Penetration allowed within a step, relative to the radius; more than the bulge, which lets the ends of a link sink
/// in.
pub const SINKING: f64 = 0.0125;

/// Penetration that is left where a cable touches a link of an arm, relative to the radius: what its ends have anyway.
const LEFT: f64 = BULGE;

/// How much firmer contacts with links of arms are than others: an arm strikes with more than the inertia of a cable's link, and what
/// gives way then is pushed back in the next step.
const FIRMER: f64 = 10.0;

/// Part of that by which a link that has reached it may sink deeper.
const CREEPING: f64 = 0.2;

/// A link that moves by less than this fraction of its radius in a step keeps the face of its start.
const STILL: f64 = 1e-4;

/// Change of slope along half a link below which no point of it counts as nearest [-].
const FLAT: f64 = 1e-6;

/// Distance from the root of the slope, relative to half a link, from which a point counts as held there by an edge.
const HALTED: f64 = 1e-2;

/// A contact of a link, or of the joint after it, with an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Index of the link.
    pub link: usize,
    /// The link or the joint after it.
    pub on: Stretch,
    /// Index of the obstacle.
    pub obstacle: usize,
    /// The plane at the start of the step.
    start: Facing,
    /// Stiffness and friction.
    pub law: Law,
    /// Normal and two tangents, in the world.
    pub axes: [Vec3; 3],
    /// Velocity along these per velocity of the link.
    pub rows: [Vec6; 3],
    /// Velocity along these per velocity of the next link, where the contact is on a joint.
    pub next: Option<[Vec6; 3]>,
    /// Position along the link or the joint, from its centre [m].
    pub s: f64,
    /// How it moves along the link, unless it stays where it is.
    rolling: Option<Rolling>,
    /// Velocity along the axes at which nothing slides and the gap is just closed at the end of the step [m/s].
    carried: [f64; 3],
    /// Velocity of the obstacle along the axes [m/s].
    pub surface: [f64; 3],
    /// Limit of friction.
    pub limit: Limit,
    /// Force before this step, in the world [N].
    before: Vec3,
    /// Force from which the law starts, in the world [N]: first `before`, then those found in the iteration.
    from: Vec3,
    /// Force of the contact law on the link, in the world [N].
    lawful: Vec3,
    /// The force of the contact law, if a solver has computed it as an unknown.
    found: Option<Vec3>,
    /// Force on the link, in the world [N]: that of the law, and the impulse that corrects velocities.
    pub force: Vec3,
    /// Stiffness relative to the links, where links push links.
    pub firmness: Firmness,
    /// Open, sticking or sliding.
    pub state: Contacting,
    /// Speed with which it may leave the obstacle after an impact [m/s].
    pub bounce: f64,
    /// The contact of the step before that it continues: its position along the link, and its normal.
    past: Option<(f64, Vec3)>,
    /// Where to look for its surface first.
    hint: Hint,
    /// Where it is, in the frame of an obstacle that an arm carries.
    pub place: Vec3,
    /// The motion of that arm, if it is solved together with the cable, and the force of the last iteration.
    pub leans: Option<Lean>,
    pub replied: Option<Reply>,
}

/// What is known of the link of an arm that a contact leans on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lean {
    /// The point of contact in the link's frame.
    pub point: Vec3,
    /// How far it is, at the start, from where it was expected, in the world [m].
    pub aside: Vec3,
    /// Its velocity [m/s].
    pub velocity: Vec3,
    /// Pose of the obstacle at the end of the step.
    pub end: Pose,
    /// Power of the arm on the link by what brings both to rest after the step, beyond that at this velocity [W].
    pub more: f64,
}

/// How the nearest point moves along a link as it tilts over a surface, and as it slides along it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rolling {
    /// Where the point would be on a link without ends, from its centre, at no velocity [m].
    from: f64,
    /// Its change per mean velocity of the link.
    by: Vec6,
    /// Half the length of the link [m].
    half: f64,
}

impl Rolling {
    /// Where the point would be on a link without ends [m].
    fn free(&self, mean: &Vec6) -> f64 {
        self.from + dot(&self.by, mean)
    }
}

/// What is kept of a contact after the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastTouch {
    /// Index of the link.
    pub link: usize,
    on: Stretch,
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Position along the link, from its centre [m].
    pub s: f64,
    /// Unit normal out of the obstacle, in the world.
    pub normal: Vec3,
    /// Force on the link, in the world [N].
    pub force: Vec3,
    lawful: Vec3,
    firmness: Firmness,
    state: Contacting,
    hint: Hint,
}

impl PastTouch {
    /// Whether it is on the joint after its link.
    pub fn is_on_joint(&self) -> bool {
        self.on != Stretch::Link
    }

    /// Position along its link, from its centre, for links of this length [m].
    pub fn along_link(&self, length: f64) -> f64 {
        if self.on == Stretch::Link { self.s } else { 0.5 * length }
    }
}

/// The surface that a point of a link faces.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Facing {
    /// Unit normal out of the obstacle, in the world.
    normal: Vec3,
    /// Distance between the two surfaces [m].
    gap: f64,
    /// Position along the link, from its centre [m].
    s: f64,
    /// Where to look for it next.
    hint: Hint,
    /// Second derivative of the distance along the link, without the bulge [1/m].
    curvature: f64,
}

/// What to search, and when.
pub struct Search<'a> {
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Those near the cable.
    pub near: &'a [usize],
    /// Fractions of the world's step between which the cable moves.
    pub part: [f64; 2],
    /// See `Part::recovery`.
    pub recovery: f64,
    /// The world's step [s].
    pub dt: f64,
    /// Radius of the cable [m].
    pub radius: f64,
    /// Length of a link [m].
    pub length: f64,
    /// Whether the last link is joined to the first.
    pub closed: bool,
    /// Friction of the cable's surface.
    pub friction: Friction,
    /// Whether the friction law applies per contact instead of per length.
    pub per_contact: bool,
    /// rho of the contact law [kg/s].
    pub rho: f64,
}

impl Search<'_> {
    /// How far the surface of a link recedes from its middle, per square of the distance [1/m].
    fn bulge(&self) -> f64 {
        (4.0 * BULGE * self.radius / self.length).min(SLOPE) / self.length
    }

    fn step(&self) -> f64 {
        self.dt * (self.part[1] - self.part[0])
    }

    /// Find all contacts of some links of a cable, which move by less than `travel` [m]; forces are taken over from the
    /// contacts before. Both lists are in the order of links.
    pub fn begin(
        &self,
        links: Range<usize>,
        poses: &[Pose],
        travel: impl Fn(usize) -> f64,
        before: &[PastTouch],
        found: &mut Vec<Touch>,
    ) {
        found.clear();
        let mut old = before.partition_point(|past| past.link < links.start);
        for link in links {
            let mut travel_here = travel(link);
            while old < before.len() && before[old].link < link {
                old += 1;
            }
            let known = &before[old..];
            let known = &known[..known.iter().take_while(|t| t.link == link).count()];
            self.find(Stretch::Link, link, poses, travel_here, known, found);
            if self.is_open(poses, link) {
                travel_here = travel_here.max(travel((link + 1) % poses.len()));
                self.find(Stretch::Joint, link, poses, travel_here, known, found);
            }
        }
    }

    /// Find the contacts of a link or a joint.
    fn find(&self, on: Stretch, link: usize, poses: &[Pose], travel: f64, known: &[PastTouch], found: &mut Vec<Touch>) {
        let piece = self.piece(on, link, poses);
        for &index in self.near {
            let obstacle = &self.obstacles[index];
            let world = obstacle.sweep.at(self.part[0]);
            let moving = obstacle.sweep.velocity_of(piece.middle, self.part[0], self.dt).length();
            let reach = self.radius + travel + 1.5 * moving * self.step();
            let hint =
                known.iter().find(|past| (past.on, past.obstacle) == (on, index)).map_or(Hint::NONE, |past| past.hint);
            let faces = self.faces(obstacle, &world, &piece, reach, hint);
            let first = found.len();
            for start in faces.into_iter().flatten() {
                let mut touch = self.touch(on, link, index, start);
                if let Drive::Carried { .. } = obstacle.drive {
                    let at = piece.middle + piece.along * start.s - start.normal * self.radius;
                    touch.place = world.inverse_transform_point(at);
                }
                let taken = |past: &PastTouch| found[first..].iter().any(|t| t.past == Some((past.s, past.normal)));
                let same = |past: &&PastTouch| {
                    (past.on, past.obstacle) == (on, index) && past.normal.dot(start.normal) > SAME_SIDE && !taken(past)
                };
                let nearest = |a: &&PastTouch, b: &&PastTouch| (a.s - start.s).abs().total_cmp(&(b.s - start.s).abs());
                if let Some(past) = known.iter().filter(same).min_by(nearest) {
                    touch.go_on(past);
                }
                found.push(touch);
            }
        }
    }

    /// Whether there is a joint after a link.
    fn is_joined(&self, links: usize, link: usize) -> bool {
        self.closed || link + 1 < links
    }

    /// Whether there is a gap between a link and the next.
    fn is_open(&self, poses: &[Pose], link: usize) -> bool {
        self.is_joined(poses.len(), link) && self.between(link, poses).1.length() > OPEN * self.radius
    }

    /// The end of a link, and the vector from there to the start of the next.
    fn between(&self, link: usize, poses: &[Pose]) -> (Vec3, Vec3) {
        let next = if link + 1 < poses.len() { link + 1 } else { 0 };
        gap_after(self.length, [&poses[link], &poses[next]])
    }

    /// A link or a joint as a straight piece.
    fn piece(&self, on: Stretch, link: usize, poses: &[Pose]) -> Piece {
        match on {
            Stretch::Link => {
                let (pose, half) = (&poses[link], 0.5 * self.length);
                let along = x_axis(pose.rotation);
                Piece { middle: pose.translation, along, span: [-half, half], bulge: self.bulge() }
            }
            Stretch::Joint => {
                let (end, way) = self.between(link, poses);
                let half = 0.5 * way.length();
                Piece { middle: end + way * 0.5, along: unit_or(way, Vec3::X), span: [-half, half], bulge: 0.0 }
            }
        }
    }

    fn touch(&self, on: Stretch, link: usize, obstacle: usize, start: Facing) -> Touch {
        let friction = self.obstacles[obstacle].friction_with(self.friction);
        let friction = if self.per_contact { friction } else { friction.over(self.length) };
        let law = Law { rho: self.rho, friction };
        Touch {
            link,
            on,
            obstacle,
            start,
            law,
            axes: [start.normal, Vec3::ZERO, Vec3::ZERO],
            rows: [[0.0; 6]; 3],
            next: None,
            s: start.s,
            rolling: None,
            carried: [0.0; 3],
            surface: [0.0; 3],
            limit: Limit::Given(0.0),
            before: Vec3::ZERO,
            from: Vec3::ZERO,
            lawful: Vec3::ZERO,
            found: None,
            force: Vec3::ZERO,
            firmness: Firmness::default(),
            state: Contacting::Open,
            bounce: 0.0,
            past: None,
            hint: start.hint,
            place: Vec3::ZERO,
            leans: None,
            replied: None,
        }
    }

    /// Update a contact with the links halfway through the step, at their mean velocities.
    pub fn refresh(&self, touch: &mut Touch, middle: &[Pose], means: &[Vec6]) {
        let step = self.step();
        let obstacle = &self.obstacles[touch.obstacle];
        let fraction = 0.5 * (self.part[0] + self.part[1]);
        let piece = self.piece(touch.on, touch.link, middle);
        // speed at which it moves out of the plane of the start
        let towards = |touch: &Touch, at: Vec3| {
            touch.speed(means) - touch.axes[0].dot(obstacle.sweep.velocity_of(at, fraction, self.dt))
        };
        let mut position = self.lay(touch, touch.start, &piece, middle);
        let advance = -towards(touch, position) * step;
        let (mut gap, mut facing) = (touch.start.gap, touch.start);
        if advance < gap + self.radius && !self.rests(touch, means, STILL) {
            let world = obstacle.sweep.at(fraction);
            let reach = 1.1 * self.radius + gap.max(0.0) + advance.abs();
            let faces = self.faces(obstacle, &world, &piece, reach, touch.hint);
            let side = |f: &Facing| f.normal.dot(touch.start.normal);
            // of the faces on the same side, the one nearest to where the contact began
            let likeness = |f: &Facing| side(f) - (f.s - touch.start.s).abs() / self.length;
            let same = faces.into_iter().flatten().filter(|f| side(f) > SAME_SIDE);
            if let Some(best) = same.max_by(|a, b| likeness(a).total_cmp(&likeness(b))) {
                (position, facing) = (self.lay(touch, best, &piece, middle), best);
                touch.hint = best.hint;
                // the gap halfway, extrapolated back to the start at the current velocity
                let aside = touch.leans.map_or(0.0, |lean| touch.axes[0].dot(lean.aside));
                gap = no_deeper(best.gap - aside - 0.5 * step * towards(touch, position), gap);
            }
        }
        if let (Some(lean), Drive::Carried { at, .. }) = (&mut touch.leans, &obstacle.drive) {
            lean.point = at.transform_point(obstacle.sweep.at(fraction).inverse_transform_point(position));
        }
        // of a link that sticks to an obstacle that turns, so that it stays where it is on it
        let centre = match touch.on {
            Stretch::Link => middle[touch.link].translation,
            Stretch::Joint => {
                middle[touch.link].translation.midpoint(middle[(touch.link + 1) % middle.len()].translation)
            }
        };
        let carried = || obstacle.sweep.carries(position, centre, self.part, self.dt);
        let surface = touch.leans.map_or_else(carried, |lean| lean.velocity);
        touch.surface = along(&touch.axes, surface);
        touch.carried = touch.surface;
        // nobody pays for pushing a link out of an arm that presses on it: a little is left
        let left = if touch.leans.is_some() { LEFT * self.radius } else { 0.0 };
        let gap = if gap < 0.0 { (gap + left).min(0.0) } else { gap };
        touch.carried[0] -= closed_in(self.recovery, gap, self.radius) / step;
        touch.rolling = match touch.on {
            Stretch::Link => self.rolling(&facing, &piece, &touch.axes, &middle[touch.link], &means[touch.link]),
            Stretch::Joint => None,
        };
    }

    /// How the nearest point moves along a link. Where the distance along it is d(s) = h + (n . e) s + (k / 2 + b) s^2,
    /// with the curvature k of the surface and the bulge b, it is where the slope n . e + (k + 2 b) s is zero. As the
    /// link turns by w and moves by v, that changes by w . (e x n) + k v . t.
    fn rolling(&self, facing: &Facing, piece: &Piece, axes: &[Vec3; 3], pose: &Pose, mean: &Vec6) -> Option<Rolling> {
        let (half, bends) = (0.5 * self.length, facing.curvature + 2.0 * piece.bulge);
        if bends * half < FLAT {
            return None;
        }
        let slope = facing.normal.dot(piece.along) + 2.0 * piece.bulge * facing.s;
        let free = facing.s - slope / bends;
        // halted by something else than its end
        if facing.s.abs() < (1.0 - HALTED) * half && (free - facing.s).abs() > HALTED * half {
            return None;
        }
        let per = -0.5 * self.step() / bends;
        let turn = pose.rotation.inverse() * piece.along.cross(facing.normal) * per;
        let shift = axes[1] * (per * facing.curvature);
        let by = [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z];
        Some(Rolling { from: free - dot(&by, mean), by, half })
    }

    /// Place a contact where a piece faces an obstacle. Returns the contact point in the world [m].
    fn lay(&self, touch: &mut Touch, facing: Facing, piece: &Piece, poses: &[Pose]) -> Vec3 {
        let pose = &poses[touch.link];
        let inwards = facing.normal * -self.radius;
        touch.s = facing.s;
        touch.axes = axes(facing.normal, piece.along);
        let position = piece.middle + piece.along * facing.s + inwards;
        match touch.on {
            Stretch::Link => touch.rows = rows(&touch.axes, position - pose.translation, pose.rotation),
            Stretch::Joint => {
                // its motion is interpolated between the ends of both links
                let weight = (0.5 + facing.s / (piece.span[1] - piece.span[0]).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                let next = &poses[(touch.link + 1) % poses.len()];
                let [here, there] = joint_rows(&touch.axes, weight, inwards, self.length, [pose, next]);
                (touch.rows, touch.next) = (here, Some(there));
            }
        }
        position
    }

    /// Whether no point of the links of a contact moves by more than a part of the radius in the step, and the obstacle
    /// not at all.
    fn rests(&self, touch: &Touch, means: &[Vec6], part: f64) -> bool {
        let sweep = &self.obstacles[touch.obstacle].sweep;
        let still = |mean: &Vec6| {
            let (linear, turning) =
                (Vec3::new(mean[0], mean[1], mean[2]).length(), Vec3::new(0.0, mean[4], mean[5]).length());
            self.step() * (linear + 0.5 * self.length * turning) < part * self.radius
        };
        let links = if touch.on == Stretch::Link { 1 } else { 2 };
        sweep.start == sweep.end && (0..links).all(|n| still(&means[(touch.link + n) % means.len()]))
    }

    /// Whether a link is deeper in the obstacle at the end of the step than contact should allow, by more than a part
    /// of its radius: it turned so fast that the point nearest halfway is not the one that counts.
    pub fn sank(&self, touch: &Touch, end: &[Pose], means: &[Vec6], most: f64) -> bool {
        if self.rests(touch, means, most) {
            return false;
        }
        let obstacle = &self.obstacles[touch.obstacle];
        let world = touch.leans.map_or_else(|| obstacle.sweep.at(self.part[1]), |lean| lean.end);
        let piece = self.piece(touch.on, touch.link, end);
        let faces = self.faces(obstacle, &world, &piece, self.radius, touch.hint);
        // a link that is deep already may creep a little deeper: it recovers gradually
        let allowed = (touch.start.gap - CREEPING * most * self.radius).min(-most * self.radius);
        let depth = |f: &Facing| f.gap - piece.bulge * f.s * f.s;
        faces.iter().flatten().any(|f| f.normal.dot(touch.start.normal) > SAME_SIDE && depth(f) < allowed)
    }

    /// Whether one of some links, or the joint after it, passes through an obstacle between the start and the end of the
    /// step or, if that matters, has entered one where none of the contacts, which are in the order of links, applies.
    /// No point of a link moves farther than `way` [m], and contacts are those that it can have on a way of `travel` [m].
    pub fn passed(
        &self,
        links: Range<usize>,
        [start, end]: [&[Pose]; 2],
        [way, travel]: [&(dyn Fn(usize) -> f64 + Sync); 2],
        touches: &[Touch],
        matters: bool,
    ) -> bool {
        for &index in self.near {
            let sweep = &self.obstacles[index].sweep;
            let [shift, turn] = if sweep.start == sweep.end { [Vec3::ZERO; 2] } else { sweep.rates(self.dt) };
            let moves = |at: Vec3| {
                let velocity = shift + turn.cross(at - sweep.start.translation);
                self.step() * (velocity.length() + turn.length() * (self.length + shift.length() * self.dt))
            };
            let still = turn == Vec3::ZERO && shift == Vec3::ZERO;
            let is_fast =
                |link: usize| way(link) + if still { 0.0 } else { moves(start[link].translation) } > SLOW * self.radius;
            let first = touches.partition_point(|touch| touch.link < links.start);
            let (mut next_is_fast, mut rest) = (is_fast(links.start), &touches[first..]);
            for link in links.clone() {
                let here_is_fast = next_is_fast;
                let joined = self.is_joined(start.len(), link);
                next_is_fast = joined && is_fast((link + 1) % start.len());
                let here = &rest[..rest.iter().take_while(|t| t.link == link).count()];
                rest = &rest[here.len()..];
                // a link that is deep inside need not move far to pass through
                let deep = here.iter().any(|t| (-1.0..-DEEP).contains(&(t.start.gap / self.radius)));
                let here_is_fast = here_is_fast || deep;
                if !here_is_fast && !next_is_fast {
                    continue;
                }
                let open = self.is_open(start, link) || self.is_open(end, link);
                // without a contact, a link was too far away
                let known = |t: &Touch| (t.on, t.obstacle) == (Stretch::Link, index);
                let far = still && !here.iter().any(known) && way(link) <= travel(link);
                for on in [(here_is_fast && !far).then_some(Stretch::Link), open.then_some(Stretch::Joint)]
                    .into_iter()
                    .flatten()
                {
                    let (ways, way) = self.way(on, link, index, [start, end]);
                    if way <= SLOW * self.radius && !deep {
                        continue;
                    }
                    if passes(&self.obstacles[index].params.shape, &ways[0], &ways[1])
                        || (matters && self.came_in(on, link, index, end, here))
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// A link or joint before and after the step as seen from an obstacle, and how far it moves [m].
    fn way(&self, on: Stretch, link: usize, index: usize, [start, end]: [&[Pose]; 2]) -> ([Ends; 2], f64) {
        let sweep = &self.obstacles[index].sweep;
        let [from, to] = [(start, self.part[0]), (end, self.part[1])].map(|(poses, fraction)| {
            let (piece, world) = (self.piece(on, link, poses), sweep.at(fraction));
            piece.span.map(|s| world.inverse_transform_point(piece.middle + piece.along * s))
        });
        let way = (to[0] - from[0]).length().max((to[1] - from[1]).length());
        ([from, to], way)
    }

    /// Whether a link or a joint is inside an obstacle at the end of the step where it has no contact.
    fn came_in(&self, on: Stretch, link: usize, index: usize, end: &[Pose], touches: &[Touch]) -> bool {
        let obstacle = &self.obstacles[index];
        let (piece, world) = (self.piece(on, link, end), obstacle.sweep.at(self.part[1]));
        let faces = self.faces(obstacle, &world, &piece, self.radius, Hint::NONE);
        let known = |f: &Facing| {
            let same = |t: &&Touch| (t.on, t.obstacle) == (on, index) && t.axes[0].dot(f.normal) > SAME_SIDE;
            touches.iter().any(|t| same(&t))
        };
        faces.iter().flatten().any(|f| f.gap < -SINKING * self.radius && !known(f))
    }

    /// The surfaces that a piece faces, nearest first.
    fn faces(
        &self,
        obstacle: &Obstacle,
        world: &Pose,
        piece: &Piece,
        reach: f64,
        hint: Hint,
    ) -> [Option<Facing>; FACES] {
        let mut found = [None; FACES];
        obstacle.params.shape.near_piece(world, piece, self.radius, reach, hint, &mut found);
        found.map(|place: Option<Nearby>| {
            place.map(|Nearby { s, normal, distance, curvature, hint, .. }| {
                let gap = distance - self.radius;
                Facing { normal, gap, s, curvature, hint }
            })
        })
    }
}

impl Touch {
    /// Continue a contact of the step before.
    fn go_on(&mut self, past: &PastTouch) {
        (self.before, self.from) = (past.lawful, past.lawful);
        (self.state, self.firmness) = (past.state, past.firmness);
        self.limit = Limit::Given(self.law.friction.limit(past.normal.dot(past.lawful).max(0.0)));
        self.past = Some((past.s, past.normal));
    }

    /// Lean on the link of an arm.
    pub fn lean(&mut self, lean: Lean) {
        self.start.gap -= self.start.normal.dot(lean.aside);
        self.law.rho *= FIRMER;
        self.leans = Some(lean);
    }

    /// Follow the arm that it leans on, at this velocity and to this pose.
    pub fn lead(&mut self, velocity: Vec3, end: Pose) {
        let Some(lean) = &mut self.leans else { return };
        (lean.velocity, lean.end) = (velocity, end);
        let closing = self.carried[0] - self.surface[0];
        self.surface = along(&self.axes, velocity);
        self.carried = self.surface;
        self.carried[0] += closing;
    }

    /// Add an impulse along its axes that ends the step, with the work of the obstacle by that [J].
    pub fn strike(&mut self, impulse: &[f64; 3], work: f64, step: f64) {
        let usual: f64 = impulse.iter().zip(&self.surface).map(|(p, v)| p * v).sum();
        self.force += self.in_world(impulse) / step;
        if let Some(lean) = &mut self.leans {
            lean.more = (work - usual) / step;
        }
    }

    /// A force along its axes, in the world.
    pub fn in_world(&self, force: &[f64; 3]) -> Vec3 {
        self.axes[0] * force[0] + self.axes[1] * force[1] + self.axes[2] * force[2]
    }

    /// Follow its link, of this radius, at these mean velocities: in the frame of the link the arm of the force turns as
    /// the link does, and its place moves along the link. The plane stays.
    pub fn follow(&mut self, radius: f64, middle: &[Pose], means: &[Vec6]) {
        if self.on != Stretch::Link {
            return;
        }
        if let Some(rolling) = &self.rolling {
            self.s = rolling.free(&means[self.link]).clamp(-rolling.half, rolling.half);
        }
        let pose = &middle[self.link];
        self.rows = rows(&self.axes, x_axis(pose.rotation) * self.s - self.axes[0] * radius, pose.rotation);
    }

    /// Add to the tangent how the moment of a force, along the axes, changes in the frame of the link as this turns in
    /// the step, and as the contact moves along it. On limp links nothing else resists either.
    pub fn add_moment(&self, force: &[f64; 3], step: f64, middle: &[Pose], means: &[Vec6], block: &mut Mat6) {
        if self.on != Stretch::Link {
            return;
        }
        let moment = |k: usize| 0.5 * step * (0..3).map(|i| self.rows[i][k] * force[i]).sum::<f64>();
        add_cross(block, [moment(3), moment(4), moment(5)]);
        let Some(Rolling { by, .. }) = self.rolling.as_ref().filter(|r| r.free(&means[self.link]).abs() < r.half)
        else {
            return;
        };
        // the moment of the force about the next place is larger by e x f, with e the x axis of the link
        let force: Vec3 = self.axes[0] * force[0] + self.axes[1] * force[1] + self.axes[2] * force[2];
        let force = middle[self.link].rotation.inverse() * force;
        add_scaled(&mut block[4], force.z, by);
        add_scaled(&mut block[5], -force.y, by);
    }

    /// Velocity of the contact point along its axes, for velocities of the links [m/s].
    pub fn moves(&self, velocities: &[Vec6]) -> [f64; 3] {
        let own = velocity(&self.rows, &velocities[self.link]);
        let Some(next) = &self.next else { return own };
        let other = velocity(next, &velocities[(self.link + 1) % velocities.len()]);
        [own[0] + other[0], own[1] + other[1], own[2] + other[2]]
    }

    /// Power of the obstacle's own motion on the link [W].
    pub fn led(&self) -> f64 {
        let power: f64 = (0..3).map(|k| self.axes[k].dot(self.force) * self.surface[k]).sum();
        power + self.leans.map_or(0.0, |lean| lean.more)
    }

    /// Velocity of the contact point along the normal [m/s].
    pub fn speed(&self, velocities: &[Vec6]) -> f64 {
        let own = dot(&self.rows[0], &velocities[self.link]);
        own + self.next.as_ref().map_or(0.0, |next| dot(&next[0], &velocities[(self.link + 1) % velocities.len()]))
    }

    /// Velocity u in the contact law, for mean velocities of the links [m/s].
    pub fn velocity(&self, means: &[Vec6]) -> [f64; 3] {
        minus(&self.moves(means), &self.carried)
    }

    /// Subtract a force along its axes from the residual.
    pub fn subtract(&self, force: &[f64; 3], residual: &mut [Vec6]) {
        subtract_force(&mut residual[self.link], &self.rows, force);
        if let Some(next) = &self.next {
            let at = (self.link + 1) % residual.len();
            subtract_force(&mut residual[at], next, force);
        }
    }

    /// Add the derivative of its force with respect to the velocities of its links to the tangent.
    pub fn add_to(&self, slope: &[[f64; 3]; 3], matrix: &mut Tridiagonal) {
        let link = self.link;
        add_slope(&mut matrix.diagonal[link], &self.rows, slope, &self.rows);
        if let Some(next) = &self.next {
            let at = (link + 1) % matrix.diagonal.len();
            add_slope(&mut matrix.diagonal[at], next, slope, next);
            add_slope(&mut matrix.right[link], &self.rows, slope, next);
            add_slope(&mut matrix.below[link], next, slope, &self.rows);
        }
    }

    /// Force and slope of the contact law, for mean velocities of the links.
    pub fn reply(&self, means: &[Vec6]) -> Reply {
        self.law.reply(&along(&self.axes, self.from), &self.velocity(means), self.limit)
    }

    /// Force of the contact law alone, for mean velocities of the links [N].
    pub fn lawful_force(&self, means: &[Vec6]) -> [f64; 3] {
        self.law.force(&along(&self.axes, self.from), &self.velocity(means), self.limit)
    }

    /// Let friction follow the normal force from now on, and restart the law from the force found: a contact yields by
    /// the change of its force divided by rho.
    pub fn renew(&mut self, means: &[Vec6]) {
        let force = self.lawful_force(means);
        self.limit = Limit::Follows;
        self.from = (0..3).map(|k| self.axes[k] * force[k]).sum();
    }

    /// Move the friction limit closer to what the normal force allows; true if it was far off.
    pub fn bound(&mut self, means: &[Vec6]) -> bool {
        let normal = self.lawful_force(means)[0];
        let (limit, far) = self.limit.towards(self.law.friction.limit(normal), normal);
        self.limit = limit;
        far
    }

    /// Whether the law confirms its state at these velocities, and it does not slide.
    pub fn stays(&self, means: &[Vec6]) -> bool {
        self.state != Contacting::Slip && self.reply(means).state == self.state
    }

    /// Reply of the law if the contact keeps the state of the step before; the law itself if there was no force.
    pub fn first_reply(&self, means: &[Vec6]) -> Reply {
        if self.before == Vec3::ZERO {
            return self.reply(means);
        }
        let before = along(&self.axes, self.before);
        self.law.go_on(&before, &self.velocity(means), self.state)
    }

    /// The contact for a solver that has forces as unknowns; `yielding` remains to be set.
    pub fn local(&self, means: &[Vec6]) -> Local {
        let known = self.found.unwrap_or(self.before);
        Local::new(self.law, self.velocity(means), self.axes.map(|axis| axis.dot(known)))
    }

    /// The expected derivative of its force with respect to its velocity for such a solver, while other contacts
    /// change: as if it kept its state.
    pub fn expected_slope(&self, means: &[Vec6]) -> [[f64; 3]; 3] {
        let Some(found) = self.found else { return self.first_reply(means).slope };
        let rho = self.law.rho;
        match self.state {
            Contacting::Open => [[0.0; 3]; 3],
            Contacting::Stick => [[rho, 0.0, 0.0], [0.0, rho, 0.0], [0.0, 0.0, rho]],
            Contacting::Slip => self.law.reply(&along(&self.axes, found), &self.velocity(means), self.limit).slope,
        }
    }

    /// Take over the result of such a solver.
    pub fn take(&mut self, local: &Local) {
        (self.state, self.limit) = (local.state, Limit::Given(local.limit));
        self.found = Some((0..3).map(|k| self.axes[k] * local.force[k]).sum());
    }

    /// What is kept of it after the step.
    pub fn past(&self) -> PastTouch {
        let Touch { link, on, obstacle, s, force, lawful, firmness, state, hint, .. } = *self;
        PastTouch { link, on, obstacle, s, normal: self.axes[0], force, lawful, firmness, state, hint }
    }

    /// Take over the force of the law, or the one that a solver found.
    pub fn settle(&mut self, means: &[Vec6]) {
        if let Some(found) = self.found {
            (self.lawful, self.force) = (found, found);
            return;
        }
        // resting contacts may not have switched to it yet
        self.limit = Limit::Follows;
        let reply = self.reply(means);
        self.state = reply.state;
        let [normal, first, second] = &self.axes;
        self.lawful = *normal * reply.force[0] + *first * reply.force[1] + *second * reply.force[2];
        self.force = self.lawful;
    }
}

stored!(PastTouch { link, on, obstacle, s, normal, force, lawful, firmness, state, hint });
