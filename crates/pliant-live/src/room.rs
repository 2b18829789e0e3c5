//! Where hands may be: in and around the scene. Nobody pulls a cable of a metre by a kilometre, and a step in which it
//! is tried can only fail.

use pliant::World;
use pliant::contact::ShapeKind;
use pliant::math::Vec3;

/// The box in which hands may be.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    low: Vec3,
    high: Vec3,
}

/// How far hands may go beyond what is in the scene: this many times its size, and this far in any case [m].
const SIZES: f64 = 5.0;
const LEAST: f64 = 2.0;

impl Room {
    /// The room around everything that is in a world now, but for planes, which have no end.
    pub fn around(world: &World) -> Room {
        let frame = world.frame();
        let (mut low, mut high) = (Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY));
        let mut take = |a: Vec3, b: Vec3| (low, high) = (low.min(a), high.max(b));
        frame.bodies.iter().flat_map(|body| &body.nodes).for_each(|node| take(*node, *node));
        for obstacle in world.obstacles() {
            if !matches!(obstacle.params.shape.kind(), ShapeKind::Plane) {
                let [a, b] = obstacle.params.shape.bounds(&obstacle.sweep.end);
                take(a, b);
            }
        }
        for gripper in world.grippers() {
            take(gripper.sweep.end.translation, gripper.sweep.end.translation);
        }
        if !(low.is_finite() && high.is_finite() && low.cmple(high).all()) {
            (low, high) = (Vec3::ZERO, Vec3::ZERO);
        }
        let margin = Vec3::splat(LEAST + SIZES * low.distance(high));
        Room { low: low - margin, high: high + margin }
    }

    /// Whether a point is in it.
    pub fn has(&self, point: Vec3) -> bool {
        point.cmpge(self.low).all() && point.cmple(self.high).all()
    }
}

impl std::fmt::Display for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Room { low, high } = self;
        write!(
            f,
            "x from {:.1} to {:.1}, y from {:.1} to {:.1}, z from {:.1} to {:.1} m",
            low.x, high.x, low.y, high.y, low.z, high.z
        )
    }
}
