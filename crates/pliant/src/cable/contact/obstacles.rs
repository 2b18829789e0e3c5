//! Contacts of links with obstacles.
//!
//! At the start of a step every link that could reach an obstacle gets a contact with the plane it faces there. During
//! the Newton iteration the plane is updated, with link and obstacle halfway through the step; where a link moves so
//! fast that halfway it may be behind something thin, the plane of the start is kept, so that nothing gets past it.

use std::ops::Range;

use crate::cable::algebra::block::{Vec6, dot};
use crate::cable::contact::law::{
    Contacting, Firmness, Law, Limit, along, axes, closed_in, joint_rows, no_deeper, rows,
};
use crate::cable::contact::touch::{Facing, PastTouch, Rolling, Touch};
use crate::cable::links::{OPEN, Stretch, gap_after};
use crate::contact::{Hint, Nearby, Obstacle, Piece};
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
pub(super) const SAME_SIDE: f64 = 0.5;

/// Penetration that is left where a cable touches a link of an arm, relative to the radius: what its ends have anyway.
const LEFT: f64 = BULGE;

/// A link that moves by less than this fraction of its radius in a step keeps the face of its start.
const STILL: f64 = 1e-4;

/// Change of slope along half a link below which no point of it counts as nearest [-].
const FLAT: f64 = 1e-6;

/// Distance from the root of the slope, relative to half a link, from which a point counts as held there by an edge.
const HALTED: f64 = 1e-2;

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

    pub(super) fn step(&self) -> f64 {
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
    pub(super) fn is_joined(&self, links: usize, link: usize) -> bool {
        self.closed || link + 1 < links
    }

    /// Whether there is a gap between a link and the next.
    pub(super) fn is_open(&self, poses: &[Pose], link: usize) -> bool {
        self.is_joined(poses.len(), link) && self.between(link, poses).1.length() > OPEN * self.radius
    }

    /// The end of a link, and the vector from there to the start of the next.
    fn between(&self, link: usize, poses: &[Pose]) -> (Vec3, Vec3) {
        let next = if link + 1 < poses.len() { link + 1 } else { 0 };
        gap_after(self.length, [&poses[link], &poses[next]])
    }

    /// A link or a joint as a straight piece.
    pub(super) fn piece(&self, on: Stretch, link: usize, poses: &[Pose]) -> Piece {
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
    pub(super) fn rests(&self, touch: &Touch, means: &[Vec6], part: f64) -> bool {
        let sweep = &self.obstacles[touch.obstacle].sweep;
        let still = |mean: &Vec6| {
            let (linear, turning) =
                (Vec3::new(mean[0], mean[1], mean[2]).length(), Vec3::new(0.0, mean[4], mean[5]).length());
            self.step() * (linear + 0.5 * self.length * turning) < part * self.radius
        };
        let links = if touch.on == Stretch::Link { 1 } else { 2 };
        sweep.start == sweep.end && (0..links).all(|n| still(&means[(touch.link + n) % means.len()]))
    }

    /// The surfaces that a piece faces, nearest first.
    pub(super) fn faces(
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
