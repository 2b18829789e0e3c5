//! Links that touch links: of the same cable, or of another.
//!
//! The law is that of `obstacles`, with a velocity that depends on two links. The paper binds touching links into one
//! subsystem; here the coupling is part of the tangent: without it the equations of each cable are block-tridiagonal, and
//! what the pairs add are blocks far from the diagonal (see `solver::coupling`).

use crate::cable::algebra::block::{Vec6, dot};
use crate::cable::contact::impact::within;
use crate::cable::contact::law::{
    Contacting, DEEP, Firmness, Law, Limit, Reply, along, axes, closed_in, minus, rows, velocity,
};
use crate::cable::equations::midpoint::Part;
use crate::cable::links::Links;
use crate::contact::segments_cross;
use crate::material::Friction;
use crate::math::{Pose, Vec3, x_axis};

/// One side of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// Index of the body.
    pub body: usize,
    /// Index of the link.
    pub link: usize,
}

/// Two links that touch or may touch during the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The links, in order.
    pub ends: [End; 2],
    /// Normal from the second to the first and gap at the start of the step.
    start: (Vec3, f64),
    /// See `Links::span`, at the start of the step.
    spans: [[f64; 2]; 2],
    /// Stiffness and friction.
    pub law: Law,
    /// Normal and two tangents, in the world.
    pub axes: [Vec3; 3],
    /// Velocity along these per velocity of each link.
    pub rows: [[Vec6; 3]; 2],
    /// Where along each link, from its middle [m].
    pub along: [f64; 2],
    /// Velocity along the normal at which the gap is closed at the end of the step [m/s].
    closing: f64,
    /// Largest friction.
    pub limit: Limit,
    /// Force on the first link before this step, in the world [N].
    before: Vec3,
    /// Force from which the law goes, in the world: that, then what was found on the way [N].
    from: Vec3,
    /// Force of the law on the first link, in the world [N].
    lawful: Vec3,
    /// Force on the first link, in the world, with the impulse that settles velocities [N].
    pub force: Vec3,
    /// Whether it slides.
    pub state: Contacting,
    /// Whether there is a force at the velocities at hand.
    pub pushes: bool,
    /// How the force falls with the velocity there.
    pub slope: [[f64; 3]; 3],
    /// How much stiffer it is than what it pushes on.
    pub firmness: Firmness,
    /// Whether it is in the pattern of the tangent.
    pub planned: bool,
}

/// Two crossing links are nearest at one point; for parallel ones any point would do. This draws it to their middles.
const CENTRING: f64 = 0.02;

/// Cosine of the angle within which the normal half-way through the step is still that of the start.
const SAME_SIDE: f64 = 0.5;

/// Links may sink into each other by this part of their radius within a step.
const SINKING: f64 = 0.1;

/// A link as a pair sees it.
pub struct Side<'a> {
    /// What its cable is made of.
    pub links: &'a Links,
    /// Its pose.
    pub pose: &'a Pose,
    /// Its mean velocity.
    pub mean: &'a Vec6,
}

impl Pair {
    /// Whether its links are those of two cables.
    pub fn is_between_two(&self) -> bool {
        self.ends[0].body != self.ends[1].body
    }

    /// A pair that has not touched yet.
    pub fn new(ends: [End; 2]) -> Pair {
        Pair {
            ends,
            start: (Vec3::Z, f64::INFINITY),
            spans: [[0.0; 2]; 2],
            law: Law { rho: 0.0, friction: Friction::NONE },
            axes: [Vec3::Z, Vec3::X, Vec3::Y],
            rows: [[[0.0; 6]; 3]; 2],
            along: [0.0; 2],
            closing: 0.0,
            limit: Limit::Given(0.0),
            before: Vec3::ZERO,
            from: Vec3::ZERO,
            lawful: Vec3::ZERO,
            force: Vec3::ZERO,
            state: Contacting::Open,
            pushes: false,
            slope: [[0.0; 3]; 3],
            firmness: Firmness::default(),
            planned: false,
        }
    }

    /// Take over what is known from the step before.
    pub fn go_on(&mut self, known: &Pair) {
        (self.before, self.state) = (known.lawful, known.state);
        self.lawful = known.lawful;
        self.firmness = known.firmness;
    }

    /// Become stiffer if the links are too deep in each other at the end of the step. False where that cannot help.
    pub fn stiffen(&mut self, sides: [&Side<'_>; 2]) -> bool {
        let radius = sides[0].links.radius.min(sides[1].links.radius);
        nearest(sides, &self.spans).gap < self.start.1.min(0.0) - DEEP * radius && self.firmness.grow()
    }

    /// Look at the links at the start of a part of a step.
    pub fn begin(&mut self, sides: [&Side<'_>; 2], spans: [[f64; 2]; 2], step: f64) {
        self.spans = spans;
        let nearest = nearest(sides, &spans);
        // links that have been pushed through each other's middles come out where they went in
        let flipped = self.before != Vec3::ZERO && nearest.normal.dot(self.axes[0]) < 0.0 && nearest.distance < 1e-9;
        self.start = (if flipped { -nearest.normal } else { nearest.normal }, nearest.gap);
        (self.before, self.from) = (self.lawful, self.lawful);
        let [a, b] = sides.map(|s| s.links);
        let friction = Friction::between(a.friction, b.friction);
        // per length only where both are
        let whole = a.per_contact || b.per_contact;
        let friction = if whole { friction } else { friction.over(a.length.min(b.length)) };
        self.law = Law { rho: a.rho(step).min(b.rho(step)), friction };
        self.limit = Limit::Given(friction.limit(self.start.0.dot(self.lawful).max(0.0)));
        self.planned = self.before != Vec3::ZERO;
    }

    /// Normal at the start of the step.
    pub fn start_normal(&self) -> Vec3 {
        self.start.0
    }

    /// Bring it up to date with the links half-way through the step, at their mean velocities.
    pub fn refresh(&mut self, sides: [&Side<'_>; 2], part: &Part) {
        let step = part.step();
        let nearest = nearest(sides, &self.spans);
        let (start_normal, start_gap) = self.start;
        let kept = nearest.normal.dot(start_normal) < SAME_SIDE;
        let normal = if kept { start_normal } else { nearest.normal };
        let tangent = x_axis(sides[0].pose.rotation);
        self.axes = axes(normal, tangent);
        self.along = nearest.along;
        // the point of contact is shared: on the first surface for both, so that nothing creates torque
        let point = nearest.points[0] - normal * sides[0].links.radius;
        for (rows_of, side) in self.rows.iter_mut().zip(sides) {
            *rows_of = rows(&self.axes, point - side.pose.translation, side.pose.rotation);
        }
        let apart = dot(&self.rows[0][0], sides[0].mean) - dot(&self.rows[1][0], sides[1].mean);
        let gap = if kept { start_gap } else { nearest.gap - 0.5 * step * apart };
        let radius = sides[0].links.radius.min(sides[1].links.radius);
        self.closing = -closed_in(part.to - part.from, gap, radius) / step;
    }

    /// Whether the links are deeper in each other at the end of the step than they should be: they turned so fast that the
    /// points that were nearest half-way are not those that count.
    pub fn sank(&self, sides: [&Side<'_>; 2]) -> bool {
        let radius = sides[0].links.radius.min(sides[1].links.radius);
        nearest(sides, &self.spans).gap < self.start.1.min(0.0) - SINKING * radius
    }

    /// Whether the links go through each other between the start and the end of the step.
    pub fn passed(&self, start: [&Pose; 2], end: [&Pose; 2]) -> bool {
        let ends = |pose: &Pose, side: usize| {
            let along = x_axis(pose.rotation);
            self.spans[side].map(|s| pose.translation + along * s)
        };
        let [from, to] = [start, end].map(|poses| [ends(poses[0], 0), ends(poses[1], 1)]);
        segments_cross([&from[0], &to[0]], [&from[1], &to[1]])
    }

    /// Velocity of the first link against the second, along the axes.
    pub fn relative(&self, velocities: [&Vec6; 2]) -> [f64; 3] {
        let [a, b] = [velocity(&self.rows[0], velocities[0]), velocity(&self.rows[1], velocities[1])];
        minus(&a, &b)
    }

    fn lawful_velocity(&self, means: [&Vec6; 2]) -> [f64; 3] {
        let mut u = self.relative(means);
        u[0] -= self.closing;
        u
    }

    /// What the law says at the links' velocities.
    pub fn reply(&self, means: [&Vec6; 2]) -> Reply {
        self.law.reply(&along(&self.axes, self.from), &self.lawful_velocity(means), self.limit)
    }

    /// The force of that alone.
    pub fn lawful_force(&self, means: [&Vec6; 2]) -> [f64; 3] {
        self.law.force(&along(&self.axes, self.from), &self.lawful_velocity(means), self.limit)
    }

    /// Whether at the links' velocities it does what it is taken to do, and does not slide.
    pub fn stays(&self, means: [&Vec6; 2]) -> bool {
        self.state != Contacting::Slip && self.reply(means).state == self.state
    }

    /// What it would say if the pair did what it did before; the law itself where there was no force.
    pub fn first_reply(&self, means: [&Vec6; 2]) -> Reply {
        if self.before == Vec3::ZERO {
            return self.reply(means);
        }
        let before = along(&self.axes, self.before);
        self.law.go_on(&before, &self.lawful_velocity(means), self.state)
    }

    /// Let friction follow the normal force from now on, and let the law go from the force found.
    pub fn renew(&mut self, means: [&Vec6; 2]) {
        let force = self.lawful_force(means);
        self.from = (0..3).map(|k| self.axes[k] * force[k]).sum();
        self.limit = Limit::Follows;
    }

    /// Bring the limit of friction closer to what the normal force allows; true where it was far off.
    pub fn bound(&mut self, means: [&Vec6; 2]) -> bool {
        let normal = self.lawful_force(means)[0];
        let (limit, far) = self.limit.towards(self.law.friction.limit(normal), normal);
        self.limit = limit;
        far
    }

    /// Take over the force that the law says.
    pub fn settle(&mut self, means: [&Vec6; 2]) {
        // what rests has not come to it yet
        self.limit = Limit::Follows;
        let reply = self.reply(means);
        self.state = reply.state;
        self.lawful = (0..3).map(|k| self.axes[k] * reply.force[k]).sum();
        self.force = self.lawful;
    }

    /// Bring the velocities at the end of the step towards rest against each other, as `impact` does for obstacles. Returns the
    /// work that is done by it [J].
    pub fn calm(&mut self, inertias: [&Vec6; 2], velocities: &mut [Vec6; 2], step: f64) -> f64 {
        let stopping = |pair: &Pair, velocities: &[Vec6; 2], k: usize| {
            let yielding = |side: usize| (0..6).map(|c| pair.rows[side][k][c].powi(2) / inertias[side][c]).sum::<f64>();
            -pair.relative([&velocities[0], &velocities[1]])[k] / (yielding(0) + yielding(1))
        };
        // never so much that the pair would pull
        let normal = stopping(self, velocities, 0).max(-self.axes[0].dot(self.force) * step);
        let mut work = self.push(inertias, velocities, 0, normal, step);
        let had = along(&self.axes, self.force);
        let more = |k: usize| if self.state == Contacting::Stick { stopping(self, velocities, k) / step } else { 0.0 };
        let kept = within([had[1] + more(1), had[2] + more(2)], self.law.friction.limit(had[0].max(0.0)));
        work += self.push(inertias, velocities, 1, (kept[0] - had[1]) * step, step);
        work + self.push(inertias, velocities, 2, (kept[1] - had[2]) * step, step)
    }

    /// What the force of the law has taken from the motion in the step [J].
    pub fn taken(&self, means: [&Vec6; 2], step: f64) -> f64 {
        let (force, moved) = (along(&self.axes, self.lawful), self.relative(means));
        -step * (force[0] * moved[0] + force[1] * moved[1] + force[2] * moved[2]).min(0.0)
    }

    /// An impulse on the links along one axis. Returns its work [J].
    fn push(&mut self, inertias: [&Vec6; 2], velocities: &mut [Vec6; 2], axis: usize, impulse: f64, step: f64) -> f64 {
        let before = self.relative([&velocities[0], &velocities[1]])[axis];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            for c in 0..6 {
                velocities[side][c] += sign * self.rows[side][axis][c] * impulse / inertias[side][c];
            }
        }
        self.force += self.axes[axis] * (impulse / step);
        0.5 * impulse * (before + self.relative([&velocities[0], &velocities[1]])[axis])
    }
}

/// Where two links are nearest to each other.
struct Nearest {
    /// Unit vector from the second to the first.
    normal: Vec3,
    /// Distance of the axes [m].
    distance: f64,
    /// Distance of the surfaces [m].
    gap: f64,
    /// Points on the axes.
    points: [Vec3; 2],
    /// Where along the links, from their middles [m].
    along: [f64; 2],
}

fn nearest(sides: [&Side<'_>; 2], spans: &[[f64; 2]; 2]) -> Nearest {
    let [p, q] = sides.map(|s| s.pose.translation);
    let [u, v] = sides.map(|s| x_axis(s.pose.rotation));
    let (s, t) = closest_on_spans(p - q, [u, v], spans);
    let points = [p + u * s, q + v * t];
    let offset = points[0] - points[1];
    let distance = offset.length();
    let across = || u.cross(v).try_normalize().unwrap_or_else(|| u.any_orthonormal_vector());
    let normal = if distance > 1e-12 { offset / distance } else { across() };
    let gap = distance - sides[0].links.radius - sides[1].links.radius;
    Nearest { normal, distance, gap, points, along: [s, t] }
}

/// Places s in [-a, a] along u and t in [-b, b] along v where d + s u - t v is shortest, drawn to the middles a little so
/// that there is one answer for parallel segments too.
pub(crate) fn closest_on_segments(d: Vec3, u: Vec3, v: Vec3, a: f64, b: f64) -> (f64, f64) {
    let (du, dv, uv) = (d.dot(u), d.dot(v), u.dot(v));
    let one = 1.0 + CENTRING;
    // one s - uv t = -du, one t - uv s = dv
    let s = ((uv * dv - one * du) / (one * one - uv * uv)).clamp(-a, a);
    let t = ((dv + uv * s) / one).clamp(-b, b);
    let s = ((uv * t - du) / one).clamp(-a, a);
    (s, t)
}

/// The same with places in given spans.
fn closest_on_spans(d: Vec3, [u, v]: [Vec3; 2], spans: &[[f64; 2]; 2]) -> (f64, f64) {
    let [(m, a), (n, b)] = spans.map(|[from, to]| (0.5 * (from + to), 0.5 * (to - from)));
    let (s, t) = closest_on_segments(d + u * m - v * n, u, v, a, b);
    (m + s, n + t)
}

/// From where to where two links can touch each other, of what `Links::span` says: those of one bend come near each other where
/// it leads round, not where they point to.
pub fn spans_of(ends: &[End; 2], links: [&Links; 2], spans: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let [a, b] = ends;
    let bend = a.body == b.body && links[0].apart(a.link, b.link) <= nearest_neighbour(links[0]) + 1;
    if bend { links.map(Links::own_span) } else { spans }
}

/// Distance between the axes of two links with their spans, for a quick look.
pub fn axis_distance(a: (&Pose, [f64; 2]), b: (&Pose, [f64; 2])) -> f64 {
    let [(p, u), (q, v)] = [a.0, b.0].map(|pose| (pose.translation, x_axis(pose.rotation)));
    let (s, t) = closest_on_spans(p - q, [u, v], &[a.1, b.1]);
    (p + u * s - q - v * t).length()
}

/// Links of one cable that lie along it less than this apart cannot touch unless it bends tighter than its own radius.
pub fn nearest_neighbour(links: &Links) -> usize {
    (std::f64::consts::PI * links.radius / links.length).ceil() as usize + 1
}

/// A body was taken away: its pairs are gone, and those behind it have moved up.
pub(crate) fn forget_body(pairs: &mut Vec<Pair>, gone: usize) {
    pairs.retain(|pair| pair.ends.iter().all(|end| end.body != gone));
    let ends = pairs.iter_mut().flat_map(|pair| &mut pair.ends);
    ends.filter(|end| end.body > gone).for_each(|end| end.body -= 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_points_of_crossing_and_parallel_segments() {
        let (s, t) = closest_on_segments(Vec3::new(0.2, -0.1, 1.0), Vec3::X, Vec3::Y, 1.0, 1.0);
        assert!((s + 0.2).abs() < 0.01 && (t + 0.1).abs() < 0.01, "{s} {t}");
        // beyond the ends
        let (s, t) = closest_on_segments(Vec3::new(5.0, -7.0, 1.0), Vec3::X, Vec3::Y, 1.0, 1.0);
        assert_eq!((s, t), (-1.0, -1.0));
        // side by side: the middle of the overlap
        let (s, t) = closest_on_segments(Vec3::new(0.5, 0.1, 0.0), Vec3::X, Vec3::X, 1.0, 1.0);
        assert!((s + 0.25).abs() < 0.01 && (t - 0.25).abs() < 0.01, "{s} {t}");
    }
}
