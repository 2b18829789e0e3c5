//! Bodies that begin inside each other, for warnings.

use pliant::contact::{Mesh, Shape, ShapeKind, segment_distance};

use pliant::math::{Pose, Vec3};
use pliant::{Body, BodyFrame, World};

/// Two bodies that overlap.
pub struct Overlap<'a> {
    /// Names of both.
    pub bodies: [&'a str; 2],
    /// How deep one is in the other [m].
    pub depth: f64,
}

/// Limits of the search: number of bodies, and number of pairs of segments of two rods. Of a scene with thousands of bodies the
/// first hundreds say enough.
const MOST_BODIES: usize = 200;
const MOST_SEGMENTS: usize = 1_000_000;

/// Nodes of a body that are looked for in a solid.
const MOST_NODES: usize = 500;

/// Depth that counts, relative to the radius of a rod, and to the size of a solid.
const OF_RADIUS: f64 = 0.1;
const OF_SIZE: f64 = 1e-3;

/// All bodies that overlap at the start.
pub fn overlaps(world: &World) -> Vec<Overlap<'_>> {
    let frame = world.frame();
    let shown = world.bodies().iter().zip(&frame.bodies).filter(|(body, _)| !matches!(body, Body::Arm(_)));
    let all: Vec<Shown<'_, '_>> = shown.take(MOST_BODIES).map(|(body, frame)| Shown::new(body, frame)).collect();
    let mut out = vec![];
    for (i, one) in all.iter().enumerate() {
        for other in &all[i + 1..] {
            if let Some(depth) = one.depth_in(other) {
                out.push(Overlap { bodies: [one.body.name(), other.body.name()], depth });
            }
        }
    }
    out
}

/// A body as it begins.
struct Shown<'a, 'b> {
    body: &'a Body,
    nodes: &'b [Vec3],
    /// The box around its nodes.
    low: Vec3,
    high: Vec3,
    /// The surface of a solid.
    surface: Option<Shape>,
}

impl<'a, 'b> Shown<'a, 'b> {
    fn new(body: &'a Body, frame: &'b BodyFrame) -> Self {
        let nodes = &frame.nodes;
        let [low, high] = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let [low, high] = nodes.iter().fold([low, high], |[low, high], p| [low.min(*p), high.max(*p)]);
        let mesh = body.is_solid().then(|| Mesh { vertices: nodes.clone(), triangles: body.facets().to_vec() });
        let surface = mesh.and_then(|mesh| Shape::new(ShapeKind::Mesh(mesh)).ok());
        Shown { body, nodes, low, high, surface }
    }

    /// How deep two bodies are in each other, if it counts [m].
    fn depth_in(&self, other: &Shown<'_, '_>) -> Option<f64> {
        let thick = self.body.radius() + other.body.radius();
        let apart = (self.low - other.high).max(other.low - self.high);
        if apart.max_element() > thick {
            return None;
        }
        match (&self.surface, &other.surface) {
            (None, None) => {
                if self.body.is_solid() || other.body.is_solid() || self.nodes.len() * other.nodes.len() > MOST_SEGMENTS
                {
                    return None;
                }
                let pieces = |nodes: &[Vec3]| nodes.windows(2).map(|w| [w[0], w[1]]).collect::<Vec<_>>();
                let (mine, theirs) = (pieces(self.nodes), pieces(other.nodes));
                let distances = mine.iter().flat_map(|a| theirs.iter().map(|b| segment_distance(a, b)));
                let depth = thick - distances.fold(f64::INFINITY, f64::min);
                (depth > OF_RADIUS * self.body.radius().min(other.body.radius())).then_some(depth)
            }
            (mine, theirs) => {
                let depth = self.depth_of_nodes(theirs).max(other.depth_of_nodes(mine));
                let counts = self.least().min(other.least());
                (depth > counts).then_some(depth)
            }
        }
    }

    /// Depth that counts [m].
    fn least(&self) -> f64 {
        if self.body.is_solid() {
            OF_SIZE * (self.high - self.low).min_element()
        } else {
            OF_RADIUS * self.body.radius()
        }
    }

    /// How deep the deepest node is inside a surface [m]; zero if there is none.
    fn depth_of_nodes(&self, surface: &Option<Shape>) -> f64 {
        let Some(surface) = surface else { return 0.0 };
        let every = self.nodes.len().div_ceil(MOST_NODES).max(1);
        let depth = |node: &Vec3| {
            let face = surface.surface_near(&Pose::IDENTITY, *node, f64::MAX);
            face.map_or(0.0, |face| self.body.radius() - face.distance)
        };
        self.nodes.iter().step_by(every).map(depth).fold(0.0, f64::max)
    }
}
