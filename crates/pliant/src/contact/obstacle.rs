//! Rigid obstacles that bodies touch: fixed, or moving as prescribed.

use std::sync::Arc;

use super::Shape;
use crate::material::Friction;
use crate::math::{Pose, Vec3};
use crate::motion::{Drive, Motion, Sweep};

/// Parameters of an obstacle, fixed once it has been added.
#[derive(Clone, Debug)]
pub struct ObstacleParams {
    /// Name, unique among obstacles.
    pub name: String,
    /// Geometry.
    pub shape: Shape,
    /// Pose in the world at time zero.
    pub placed: Pose,
    /// Prescribed motion from there.
    pub motion: Motion,
    /// Initial friction of its surface; with `None` that of the touching body applies.
    pub friction: Option<Friction>,
}

impl ObstacleParams {
    /// An obstacle that stays where it is placed, with the friction of whatever touches it.
    pub fn fixed(name: &str, shape: Shape, placed: Pose) -> ObstacleParams {
        ObstacleParams { name: name.into(), shape, placed, motion: Motion::Hold, friction: None }
    }
}

/// An obstacle with its poses.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Its parameters, shared by all clones of a world.
    pub params: Arc<ObstacleParams>,
    /// Poses in the world at the start and end of the last step.
    pub sweep: Sweep,
    /// What moves it.
    pub drive: Drive,
    /// Current friction of its surface; with `None` that of the touching body applies.
    pub friction: Option<Friction>,
}

impl Obstacle {
    /// An obstacle at the pose of its prescribed motion at `time` [s].
    pub fn new(params: ObstacleParams, time: f64) -> Obstacle {
        let pose = params.motion.pose(&params.placed, time);
        let friction = params.friction;
        Obstacle { params: Arc::new(params), sweep: Sweep::resting(pose), drive: Drive::Prescribed, friction }
    }

    /// Friction law against a body with this law of its own.
    pub fn friction_with(&self, own: Friction) -> Friction {
        self.friction.unwrap_or(own)
    }

    /// Bounding box of everything it sweeps through in the step, and in `steps_ahead` more like it, in the world [m].
    pub fn swept_bounds(&self, steps_ahead: f64) -> [Vec3; 2] {
        let [low, high] = self.params.shape.bounds(&self.sweep.end);
        if self.sweep.start == self.sweep.end || !low.is_finite() {
            return [low, high];
        }
        let [low0, high0] = self.params.shape.bounds(&self.sweep.start);
        let ahead = (low - low0).length().max((high - high0).length()) * steps_ahead;
        [low.min(low0) - ahead, high.max(high0) + ahead]
    }
}
