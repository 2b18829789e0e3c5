//! Shapes of arms that may meet in a step: of links of one arm that are not neighbours, or of two arms.

use crate::arm::{CLOSE, SCALE};
use crate::body::Body;
use crate::contact::Obstacle;
use crate::math::{Vec3, rotation_vector};
use crate::motion::Drive;

/// Two shapes that may meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Their indices among obstacles, the lower one first.
    pub shapes: [usize; 2],
    /// How near they have to be [m].
    pub reach: f64,
    /// Overlap that is taken back in a few steps [m].
    pub scale: f64,
}

/// A shape that an arm carries.
#[derive(Clone, Copy, Debug)]
struct Carried {
    shape: usize,
    arm: usize,
    link: usize,
    /// The box about all places that it has in the step, with room.
    low: Vec3,
    high: Vec3,
    /// How far it moves, and its size [m].
    moved: f64,
    size: f64,
}

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    carried: Vec<Carried>,
    pub near: Vec<Near>,
}

impl Shapes {
    /// Preallocate for so many obstacles.
    pub fn reserve(&mut self, obstacles: &[Obstacle]) {
        let count = obstacles.iter().filter(|obstacle| matches!(obstacle.drive, Drive::Carried { .. })).count();
        self.carried.reserve(count.saturating_sub(self.carried.len()));
        self.near.reserve((4 * count).saturating_sub(self.near.len()));
    }

    /// Find those that may meet in a step of `dt` [s].
    pub fn find(&mut self, bodies: &[Body], obstacles: &[Obstacle], gravity: Vec3, dt: f64) {
        self.near.clear();
        self.carried.clear();
        let fall = gravity.length() * dt * dt;
        for (shape, obstacle) in obstacles.iter().enumerate() {
            let Drive::Carried { arm, link, .. } = obstacle.drive else { continue };
            if !matches!(bodies.get(arm), Some(Body::Arm(arm)) if !arm.is_still()) {
                continue;
            }
            let [low, high] = obstacle.params.shape.bounds(&obstacle.sweep.start);
            let size = (high - low).length();
            let (start, end) = (obstacle.sweep.start, obstacle.sweep.end);
            let turned = rotation_vector(start.rotation.inverse() * end.rotation).length();
            let moved = (end.translation - start.translation).length() + size * turned;
            let room = 1.5 * moved + 2.0 * fall + CLOSE * size;
            self.carried.push(Carried { shape, arm, link, low: low - room, high: high + room, moved, size });
        }
        // from left to right: those whose boxes overlap along x, then along y and z
        self.carried.sort_unstable_by(|a, b| a.low.x.total_cmp(&b.low.x).then(a.shape.cmp(&b.shape)));
        for (n, own) in self.carried.iter().enumerate() {
            for other in self.carried[n + 1..].iter().take_while(|other| other.low.x <= own.high.x) {
                let apart = own.low.cmpgt(other.high).any() || own.high.cmplt(other.low).any();
                if apart || own.arm == other.arm && !may_touch(&bodies[own.arm], own.link, other.link) {
                    continue;
                }
                let size = own.size.min(other.size);
                let reach = 1.5 * (own.moved + other.moved) + 2.0 * fall + CLOSE * size;
                let shapes = [own.shape.min(other.shape), own.shape.max(other.shape)];
                self.near.push(Near { shapes, reach, scale: SCALE * size });
            }
        }
        self.near.sort_unstable_by_key(|near| near.shapes);
    }
}

fn may_touch(body: &Body, link: usize, other: usize) -> bool {
    matches!(body, Body::Arm(arm) if arm.may_touch_itself(link, other))
}
