//! Where links touch obstacles.
//!
//! At the start of a step every link that could reach an obstacle gets a touch with the plane it faces there. While Newton's
//! method runs the touch looks again, with link and obstacle half-way through the step; where a link moves so fast that
//! half-way may be behind something thin, the plane of the start stays, and nothing gets past it.

use crate::cable::algebra::block::{Vec6, dot};
use crate::cable::contact::law::{Contacting, Law, Limit, Reply, along, axes, minus, row, rows, velocity};
use crate::cable::solver::gauss_seidel::projection::Local;
use crate::contact::{Nearby, Obstacle, Piece, SurfacePoint};
use crate::material::Friction;
use crate::math::{Pose, Vec3};

/// Links bulge by this part of their radius in the middle, so that the point where one touches a flat floor glides along
/// it as it tilts instead of jumping between its ends.
const BULGE: f64 = 0.01;

/// But no more than by this slope at their ends: short links would push along the cable with it.
const SLOPE: f64 = 0.005;

/// Places of a mesh that one link may touch.
const FACES: usize = 4;

/// Places of a mesh with the same normal count once where they are less than this part of the radius from each other.
const APART: f64 = 2.0;

/// Cosine of the angle within which a face half-way through the step is still the one the link began with.
const SAME_SIDE: f64 = 0.5;

/// How often the place where a link is nearest is narrowed down.
const MOST_HALVINGS: usize = 10;

/// Of the depth that is there at the start of a step, this part is taken back in it.
const RECOVERY: f64 = 0.5;

/// But no more than this part of the radius.
const FASTEST_RECOVERY: f64 = 0.1;

/// A link may sink in by this part of its radius within a step; more than its bulge, which lets its ends do so.
const SINKING: f64 = 0.0125;

/// A link that moves by less than this part of its radius faces half-way through the step what it faced at the start.
const STILL: f64 = 1e-4;

/// A link near an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Which link.
    pub link: usize,
    /// Which obstacle.
    pub obstacle: usize,
    /// From where to where the link reaches, from its middle [m].
    span: [f64; 2],
    /// The plane at the start of the step.
    start: Facing,
    /// Stiffness and friction.
    pub law: Law,
    /// Normal and two tangents, in the world.
    pub axes: [Vec3; 3],
    /// Velocity along these per velocity of the link.
    pub rows: [Vec6; 3],
    /// Where along the link, from its middle [m].
    pub s: f64,
    /// Velocity along the axes at which nothing slides and the gap is closed at the end of the step [m/s].
    carried: [f64; 3],
    /// Velocity of the obstacle along the axes [m/s].
    pub surface: [f64; 3],
    /// Largest friction.
    pub limit: Limit,
    /// Force before this step, in the world [N].
    before: Vec3,
    /// Force from which the law goes, in the world: that, then what was found on the way [N].
    from: Vec3,
    /// Force of the law of contact on the link, in the world [N].
    lawful: Vec3,
    /// That force where a solver found it as an unknown of its own.
    found: Option<Vec3>,
    /// Force on the link, in the world: that of the law, and the impulse that settles the velocity [N].
    pub force: Vec3,
    /// Whether it slides.
    pub state: Contacting,
    /// Speed with which it may leave the obstacle after an impact [m/s].
    pub bounce: f64,
    /// The touch of the step before that it goes on from: where along the link that was, and its normal.
    past: Option<(f64, Vec3)>,
}

/// What is kept of a touch after the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastTouch {
    /// Which link.
    pub link: usize,
    /// Which obstacle.
    pub obstacle: usize,
    /// Where along the link, from its middle [m].
    pub s: f64,
    /// Unit normal out of the obstacle.
    pub normal: Vec3,
    /// Force on the link, in the world [N].
    pub force: Vec3,
    lawful: Vec3,
    state: Contacting,
}

/// What a point of a link faces.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Facing {
    /// Unit normal out of the obstacle.
    normal: Vec3,
    /// Distance of the two surfaces [m].
    gap: f64,
    /// Where along the link, from its middle [m].
    s: f64,
}

/// What to look among, and when.
pub struct Search<'a> {
    /// All obstacles.
    pub obstacles: &'a [Obstacle],
    /// Those near the cable.
    pub near: &'a [usize],
    /// Fractions of the world's step between which the cable moves.
    pub part: [f64; 2],
    /// The world's step [s].
    pub dt: f64,
    /// Radius of the cable [m].
    pub radius: f64,
    /// Length of a link [m].
    pub length: f64,
    /// Friction of the cable's surface.
    pub friction: Friction,
    /// Whether the law of friction holds per contact instead of per length.
    pub per_contact: bool,
    /// rho of the law of contact [kg/s].
    pub rho: f64,
}

impl Search<'_> {
    /// How far the surface of a link falls back from its middle, per square of the distance [1/m].
    fn bulge(&self) -> f64 {
        (4.0 * BULGE * self.radius / self.length).min(SLOPE) / self.length
    }

    fn step(&self) -> f64 {
        self.dt * (self.part[1] - self.part[0])
    }

    /// All touches of a cable. `reaches` says of a link from where to where it reaches, from its middle, and how far it may
    /// move [m]. Forces are taken over from the touches before; both lists are in order of links.
    pub fn begin(
        &self,
        poses: &[Pose],
        reaches: impl Fn(usize) -> ([f64; 2], f64),
        before: &[PastTouch],
        found: &mut Vec<Touch>,
    ) {
        found.clear();
        let mut old = 0;
        for (link, pose) in poses.iter().enumerate() {
            let (span, travel) = reaches(link);
            while old < before.len() && before[old].link < link {
                old += 1;
            }
            let known = &before[old..];
            let known = &known[..known.iter().take_while(|t| t.link == link).count()];
            for &index in self.near {
                let obstacle = &self.obstacles[index];
                let world = obstacle.sweep.at(self.part[0]);
                let moving = obstacle.sweep.velocity_of(pose.translation, self.part[0], self.dt).length();
                let reach = self.radius + travel + 1.5 * moving * self.step();
                let mut faces = [None; FACES];
                self.faces(obstacle, &world, pose, span, reach, &mut faces);
                let first = found.len();
                for start in faces.into_iter().flatten() {
                    let mut touch = self.touch(link, index, span, start);
                    let taken = |past: &PastTouch| found[first..].iter().any(|t| t.past == Some((past.s, past.normal)));
                    let same = |past: &&PastTouch| {
                        past.obstacle == index && past.normal.dot(start.normal) > SAME_SIDE && !taken(past)
                    };
                    let nearest =
                        |a: &&PastTouch, b: &&PastTouch| (a.s - start.s).abs().total_cmp(&(b.s - start.s).abs());
                    if let Some(past) = known.iter().filter(same).min_by(nearest) {
                        touch.go_on(past);
                    }
                    found.push(touch);
                }
            }
        }
    }

    fn touch(&self, link: usize, obstacle: usize, span: [f64; 2], start: Facing) -> Touch {
        let friction = self.obstacles[obstacle].friction_with(self.friction);
        let friction = if self.per_contact { friction } else { friction.over(self.length) };
        let law = Law { rho: self.rho, friction };
        Touch {
            link,
            obstacle,
            span,
            start,
            law,
            axes: [start.normal, Vec3::ZERO, Vec3::ZERO],
            rows: [[0.0; 6]; 3],
            s: start.s,
            carried: [0.0; 3],
            surface: [0.0; 3],
            limit: Limit::Given(0.0),
            before: Vec3::ZERO,
            from: Vec3::ZERO,
            lawful: Vec3::ZERO,
            found: None,
            force: Vec3::ZERO,
            state: Contacting::Open,
            bounce: 0.0,
            past: None,
        }
    }

    /// Bring a touch up to date with the link half-way through the step, at its mean velocity.
    pub fn refresh(&self, touch: &mut Touch, middle: &Pose, mean: &Vec6) {
        let step = self.step();
        let obstacle = &self.obstacles[touch.obstacle];
        let fraction = 0.5 * (self.part[0] + self.part[1]);
        let tangent = middle.rotation * Vec3::X;
        let point = |s: f64, normal: Vec3| middle.translation + tangent * s - normal * self.radius;
        // how far the link comes towards the plane of the start within the step
        let here = point(touch.start.s, touch.start.normal);
        let towards = |normal: Vec3, at: Vec3| {
            let row = row(normal, at - middle.translation, middle.rotation.inverse());
            dot(&row, mean) - normal.dot(obstacle.sweep.velocity_of(at, fraction, self.dt))
        };
        let advance = -towards(touch.start.normal, here) * step;
        let mut facing = touch.start;
        let mut gap = facing.gap;
        let mut position = here;
        if advance < touch.start.gap + self.radius && !self.rests(obstacle, mean, STILL) {
            let world = obstacle.sweep.at(fraction);
            let reach = 1.5 * self.radius + touch.start.gap.max(0.0) + advance.abs();
            let mut faces = [None; FACES];
            self.faces(obstacle, &world, middle, touch.span, reach, &mut faces);
            let side = |f: &Facing| f.normal.dot(touch.start.normal);
            // of faces of the same side the one that is nearest to where the touch began
            let likeness = |f: &Facing| side(f) - (f.s - touch.start.s).abs() / self.length;
            let same = faces.into_iter().flatten().filter(|f| side(f) > SAME_SIDE);
            if let Some(best) = same.max_by(|a, b| likeness(a).total_cmp(&likeness(b))) {
                facing = best;
                position = point(facing.s, facing.normal);
                // the gap half-way, taken back to the start at the present velocity
                gap = facing.gap - 0.5 * step * towards(facing.normal, position);
            }
        }
        if gap < 0.0 {
            gap = (RECOVERY * gap).max(-FASTEST_RECOVERY * self.radius);
        }
        touch.axes = axes(facing.normal, tangent);
        touch.rows = rows(&touch.axes, position - middle.translation, middle.rotation);
        touch.s = facing.s;
        let surface = obstacle.sweep.velocity_of(position, fraction, self.dt);
        touch.surface = along(&touch.axes, surface);
        touch.carried = touch.surface;
        touch.carried[0] -= gap / step;
    }

    /// Whether no point of a link moves by more than a part of its radius in the step, nor the obstacle at all.
    fn rests(&self, obstacle: &Obstacle, mean: &Vec6, part: f64) -> bool {
        let (linear, turning) =
            (Vec3::new(mean[0], mean[1], mean[2]).length(), Vec3::new(0.0, mean[4], mean[5]).length());
        obstacle.sweep.start == obstacle.sweep.end
            && self.step() * (linear + 0.5 * self.length * turning) < part * self.radius
    }

    /// Whether a link is deeper in the obstacle at the end of the step than contact should let it be: it turned so fast that
    /// the point that was nearest half-way is not the one that counts.
    pub fn sank(&self, touch: &Touch, end: &Pose, mean: &Vec6) -> bool {
        let obstacle = &self.obstacles[touch.obstacle];
        if self.rests(obstacle, mean, SINKING) {
            return false;
        }
        let world = obstacle.sweep.at(self.part[1]);
        let mut faces = [None; FACES];
        self.faces(obstacle, &world, end, touch.span, 2.0 * self.radius, &mut faces);
        // one that creeps deeper from step to step is drawn back soon enough
        let allowed = touch.start.gap.min(0.0) - SINKING * self.radius;
        faces.iter().flatten().any(|f| f.normal.dot(touch.start.normal) > SAME_SIDE && f.depth_at_axis(self) < allowed)
    }

    /// What a link faces, nearest first.
    fn faces(
        &self,
        obstacle: &Obstacle,
        world: &Pose,
        link: &Pose,
        span: [f64; 2],
        reach: f64,
        faces: &mut [Option<Facing>; FACES],
    ) {
        let shape = &obstacle.params.shape;
        let bulge = self.bulge();
        let facing =
            |s: f64, f: SurfacePoint| Facing { normal: f.normal, gap: f.distance - self.radius + bulge * s * s, s };
        let piece = Piece { middle: link.translation, along: link.rotation * Vec3::X, span, bulge };
        let mut found = [None; FACES];
        if !shape.near_piece(world, &piece, reach, APART * self.radius, &mut found) {
            faces[0] = self.closest(obstacle, world, link, span, reach).map(|(s, f)| facing(s, f));
            return;
        }
        for (face, found) in faces.iter_mut().zip(found) {
            *face = found.map(|Nearby { s, normal, distance }| Facing { normal, gap: distance - self.radius, s });
        }
        if faces[0].is_none() {
            // nothing of it is in front: the link may be inside
            let inside = shape.surface_near(world, link.translation, self.radius).filter(|f| f.distance < 0.0);
            faces[0] = inside.map(|f| facing(0.0, f));
        }
    }

    /// The point of a stretch of a link that is nearest to an obstacle: where the gap has no slope along the link.
    fn closest(
        &self,
        obstacle: &Obstacle,
        world: &Pose,
        link: &Pose,
        [from, to]: [f64; 2],
        reach: f64,
    ) -> Option<(f64, SurfacePoint)> {
        let tangent = link.rotation * Vec3::X;
        let curvature = 2.0 * self.bulge();
        let look = |s: f64, reach: f64| {
            let point = link.translation + tangent * s;
            obstacle.params.shape.surface_near(world, point, reach).map(|f| (f.normal.dot(tangent) + s * curvature, f))
        };
        let half = 0.5 * (to - from);
        let middle = 0.5 * (from + to);
        let (slope, face) = look(middle, reach + half)?;
        if slope.abs() * half < 1e-3 * self.radius {
            return Some((middle, face));
        }
        let end = if slope < 0.0 { to } else { from };
        let Some((end_slope, end_face)) = look(end, reach + 2.0 * half) else { return Some((middle, face)) };
        if end_slope * slope >= 0.0 {
            return Some((end, end_face));
        }
        // the slope changes sign in between, steadily on a round obstacle and with a jump at an edge: halve, but take the
        // straight line between the two where it is nearly one
        let (mut low, mut high) = ((middle, slope, face), (end, end_slope, end_face));
        for round in 0..MOST_HALVINGS {
            let weight = low.1 / (low.1 - high.1);
            let share = if round % 2 == 0 { weight.clamp(0.05, 0.95) } else { 0.5 };
            let s = low.0 + (high.0 - low.0) * share;
            let Some((slope, face)) = look(s, reach + 2.0 * half) else { break };
            if slope * low.1 > 0.0 {
                low = (s, slope, face);
            } else {
                high = (s, slope, face);
            }
            // what could still be gained
            if slope.abs() * (high.0 - low.0).abs() < 1e-3 * self.radius {
                break;
            }
        }
        let gap = |(s, _, face): &(f64, f64, SurfacePoint)| face.distance + 0.5 * curvature * s * s;
        let nearer = if gap(&low) < gap(&high) { low } else { high };
        Some((nearer.0, nearer.2))
    }
}

impl Facing {
    /// Distance of the surfaces without the bulge [m].
    fn depth_at_axis(&self, search: &Search<'_>) -> f64 {
        self.gap - search.bulge() * self.s * self.s
    }
}

impl Touch {
    /// Take over what is known from the step before.
    fn go_on(&mut self, past: &PastTouch) {
        (self.before, self.from) = (past.lawful, past.lawful);
        self.state = past.state;
        self.limit = Limit::Given(self.law.friction.limit(past.normal.dot(past.lawful).max(0.0)));
        self.past = Some((past.s, past.normal));
    }

    /// Velocity in the law of contact, for a velocity of the link.
    pub fn velocity(&self, mean: &Vec6) -> [f64; 3] {
        minus(&velocity(&self.rows, mean), &self.carried)
    }

    /// What the law says at a velocity of the link.
    pub fn reply(&self, mean: &Vec6) -> Reply {
        self.law.reply(&along(&self.axes, self.from), &self.velocity(mean), self.limit)
    }

    /// Let friction follow the normal force from now on, and let the law go from the force found: what a contact gives way by
    /// is what its force changes over rho.
    pub fn renew(&mut self, mean: &Vec6) {
        let force = self.reply(mean).force;
        self.limit = Limit::Follows;
        self.from = (0..3).map(|k| self.axes[k] * force[k]).sum();
    }

    /// Whether at a velocity of the link it does what it is taken to do, and does not slide.
    pub fn stays(&self, mean: &Vec6) -> bool {
        self.state != Contacting::Slip && self.reply(mean).state == self.state
    }

    /// What the law would say if the touch did what it did in the step before; the law itself where there was no force.
    pub fn first_reply(&self, mean: &Vec6) -> Reply {
        if self.before == Vec3::ZERO {
            return self.reply(mean);
        }
        let before = along(&self.axes, self.before);
        self.law.go_on(&before, &self.velocity(mean), self.state)
    }

    /// The contact for a solver that has forces as unknowns, at a velocity of the link; `yielding` is left open.
    pub fn local(&self, mean: &Vec6) -> Local {
        let known = self.found.unwrap_or(self.before);
        Local::new(self.law, self.velocity(mean), self.axes.map(|axis| axis.dot(known)))
    }

    /// How its force is taken to fall with its velocity by such a solver, while others move: as where it goes on doing what
    /// it did.
    pub fn expected_slope(&self, mean: &Vec6) -> [[f64; 3]; 3] {
        let Some(found) = self.found else { return self.first_reply(mean).slope };
        let rho = self.law.rho;
        match self.state {
            Contacting::Open => [[0.0; 3]; 3],
            Contacting::Stick => [[rho, 0.0, 0.0], [0.0, rho, 0.0], [0.0, 0.0, rho]],
            Contacting::Slip => self.law.reply(&along(&self.axes, found), &self.velocity(mean), self.limit).slope,
        }
    }

    /// Keep what such a solver has found.
    pub fn take(&mut self, local: &Local) {
        (self.state, self.limit) = (local.state, Limit::Given(local.limit));
        self.found = Some((0..3).map(|k| self.axes[k] * local.force[k]).sum());
    }

    /// What is kept of it.
    pub fn past(&self) -> PastTouch {
        let Touch { link, obstacle, s, force, lawful, state, .. } = *self;
        PastTouch { link, obstacle, s, normal: self.axes[0], force, lawful, state }
    }

    /// Take over the force that the law says, or that was found.
    pub fn settle(&mut self, mean: &Vec6) {
        if let Some(found) = self.found {
            (self.lawful, self.force) = (found, found);
            return;
        }
        // what rests has not come to it yet
        self.limit = Limit::Follows;
        let reply = self.reply(mean);
        self.state = reply.state;
        let [normal, first, second] = &self.axes;
        self.lawful = *normal * reply.force[0] + *first * reply.force[1] + *second * reply.force[2];
        self.force = self.lawful;
    }
}
