//! Whether solids have obstacles inside them. Models of solids touch at their nodes and particles: something thin that
//! they meet too fast, or that pushes too hard, comes between these and out at the other side.

use super::Crossing;
use crate::body::Body;
use crate::bytes::{Malformed, Reader, Stored};
use crate::contact::{Obstacle, ShapeKind};
use crate::frame::Other;
use crate::math::Vec3;
use crate::react::Nodes;

/// Cosine of a segment and the way out from the middle of the part of it that is inside an obstacle, above which it goes
/// through from one side to the other, as an edge goes through a plate.
const ALONG: f64 = 0.5;

/// Depth of that middle, relative to the length of that part, above which it goes through in any case, as an edge goes
/// through a bar. Below, the obstacle pokes into a face.
const DEEP: f64 = 0.25;

/// How often they are looked at [s].
const EVERY: f64 = 2e-3;

/// One in so many looks is at bodies whose model does not compute all nodes otherwise.
const SELDOM: u32 = 10;

/// Most strides from an end of a segment to the surface.
const STRIDES: usize = 32;

/// What is known of all solids.
#[derive(Clone, Debug, Default)]
pub struct Solids {
    shells: Vec<Shell>,
    /// Number of bodies whose surfaces were read.
    known: usize,
    /// Bodies and obstacles that are through each other now.
    through: Vec<[usize; 2]>,
    /// When they were last looked at [s].
    looked: f64,
    /// Number of looks since all were looked at.
    looks: u32,
    /// Working memory.
    nodes: Nodes,
}

/// The surface of a solid.
#[derive(Clone, Debug, Default)]
struct Shell {
    body: usize,
    /// Sides of its facets, each once.
    edges: Vec<[u32; 2]>,
}

impl PartialEq for Solids {
    /// Ignores what follows from the bodies.
    fn eq(&self, other: &Solids) -> bool {
        (&self.through, self.looked, self.looks) == (&other.through, other.looked, other.looks)
    }
}

impl Solids {
    /// Whether the surfaces of as many bodies were read.
    pub fn knows(&self, bodies: usize) -> bool {
        self.known == bodies
    }

    /// Forget what goes through what.
    pub fn forget(&mut self) {
        self.through.clear();
    }

    /// Look at all solids for the first time: what an obstacle goes through already is that way on purpose.
    pub fn begin(&mut self, bodies: &[Body], obstacles: &[Obstacle]) {
        self.through.clear();
        self.look_at(bodies, obstacles, true, &mut |_| {});
    }

    /// Read the surfaces of all solids, and preallocate.
    pub fn read(&mut self, bodies: &[Body], obstacles: usize) {
        self.known = bodies.len();
        let mut count = 0;
        for (body, solid) in bodies.iter().enumerate() {
            let Some(facets) = solid.skin().facets else { continue };
            // reuse what was allocated before
            if count == self.shells.len() {
                self.shells.push(Shell::default());
            }
            let Shell { body: whose, edges } = &mut self.shells[count];
            *whose = body;
            edges.clear();
            let sides = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]].map(|[a, b]| [a.min(b), a.max(b)]);
            edges.extend(facets.iter().flat_map(sides));
            edges.sort_unstable();
            edges.dedup();
            solid.show(&mut self.nodes);
            count += 1;
        }
        self.shells.truncate(count);
        let room = self.shells.len() * obstacles;
        self.through.reserve(room.saturating_sub(self.through.len()));
    }

    /// Whether it is of bodies and obstacles that are there.
    pub fn fits(&self, bodies: usize, obstacles: usize) -> bool {
        self.through.iter().all(|[body, obstacle]| *body < bodies && *obstacle < obstacles)
    }

    /// Copy from `other`, reusing the capacity; what follows from the bodies stays.
    pub fn copy_from(&mut self, other: &Solids) {
        self.through.clone_from(&other.through);
        (self.looked, self.looks) = (other.looked, other.looks);
    }

    /// Tell of the obstacles that have come between the nodes of a solid by `time` [s], since they were last looked at.
    pub(super) fn look(&mut self, bodies: &[Body], obstacles: &[Obstacle], time: f64, tell: &mut impl FnMut(Crossing)) {
        // time may have been set back
        if (time - self.looked).abs() >= EVERY {
            (self.looked, self.looks) = (time, (self.looks + 1) % SELDOM);
            self.look_at(bodies, obstacles, self.looks == 0, tell);
        }
    }

    fn look_at(&mut self, bodies: &[Body], obstacles: &[Obstacle], all: bool, tell: &mut impl FnMut(Crossing)) {
        let Solids { shells, through, nodes, .. } = self;
        let due = |shell: &&Shell| all || !matches!(bodies[shell.body], Body::Response(_));
        for Shell { body, edges } in shells.iter().filter(due) {
            // a half-space has no other side
            let may_pass = |obstacle: &Obstacle| {
                !matches!(obstacle.params.shape.kind(), ShapeKind::Plane) && !bodies[*body].touches_as_finger(obstacle)
            };
            if !obstacles.iter().any(may_pass) {
                continue;
            }
            bodies[*body].show(nodes);
            let wide = |[low, high]: [Vec3; 2], at: &Vec3| [low.min(*at), high.max(*at)];
            let [low, high] = nodes.places.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], wide);
            for (index, obstacle) in obstacles.iter().enumerate().filter(|(_, obstacle)| may_pass(obstacle)) {
                let [from, to] = obstacle.swept_bounds(1.0);
                let is_near = low.cmple(to).all() && high.cmpge(from).all();
                let passes = |edge: &&[u32; 2]| {
                    let [a, b] = edge.map(|node| nodes.places[node as usize]);
                    let [low, high] = [a.min(b), a.max(b)];
                    low.cmple(to).all() && high.cmpge(from).all() && is_through(obstacle, [a, b])
                };
                let found = edges.iter().filter(|_| is_near).find(passes);
                let known = through.iter().position(|pair| *pair == [*body, index]);
                match (found, known) {
                    (Some(edge), None) => {
                        through.push([*body, index]);
                        tell(Crossing { body: *body, other: Other::Obstacle(index), node: edge[0] as usize });
                    }
                    (None, Some(known)) => _ = through.swap_remove(known),
                    _ => {}
                }
            }
        }
    }
}

/// Whether a segment goes through an obstacle, from one side of it to the other.
fn is_through(obstacle: &Obstacle, [a, b]: [Vec3; 2]) -> bool {
    let (shape, pose) = (&obstacle.params.shape, obstacle.sweep.end);
    let (length, along) = ((b - a).length(), (b - a).normalize_or_zero());
    // both ends are outside, and near enough for the segment to reach it
    let outside = |end| shape.surface_near(&pose, end, length).map(|face| face.distance).filter(|d| *d > 0.0);
    if outside(a).zip(outside(b)).is_none_or(|(a, b)| a + b >= length)
        || shape.clearance(&[a, b].map(|end| pose.inverse_transform_point(end)), f64::MIN_POSITIVE) > 0.0
    {
        return false;
    }
    // from an end outside to where it enters: as far as the distance at a time
    let enters = |from: Vec3, along: Vec3| {
        let mut gone = 0.0;
        for _ in 0..STRIDES {
            let face = shape.surface_near(&pose, from + along * gone, length)?;
            if face.distance <= 0.0 {
                return (gone > 0.0).then_some(gone);
            }
            gone += face.distance.max(1e-6 * length);
        }
        Some(gone)
    };
    let Some((first, last)) = enters(a, along).zip(enters(b, -along)) else { return false };
    let inside = length - first - last;
    let Some(face) = shape.surface_near(&pose, a + along * (first + 0.5 * inside), length) else { return false };
    inside > 0.0 && face.distance < 0.0 && (face.normal.dot(along).abs() > ALONG || -face.distance > DEEP * inside)
}

impl Stored for Solids {
    fn write(&self, out: &mut Vec<u8>) {
        self.through.write(out);
        self.looked.write(out);
        self.looks.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Result<Solids, Malformed> {
        let (through, looked, looks) = (Stored::read(from)?, Stored::read(from)?, Stored::read(from)?);
        Ok(Solids { through, looked, looks, ..Solids::default() })
    }
}
