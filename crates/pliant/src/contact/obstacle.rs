//! Rigid things in the scene that bodies touch: fixed, or moving as prescribed.

use std::sync::Arc;

use super::Shape;
use crate::material::Friction;
use crate::math::{Pose, Vec3};
use crate::motion::{Drive, Motion, Sweep};

/// What an obstacle is, frozen when the world is built.
#[derive(Clone, Debug)]
pub struct ObstacleParams {
    /// Name, unique among obstacles.
    pub name: String,
    /// Geometry.
    pub shape: Shape,
    /// Pose at time zero.
    pub placed: Pose,
    /// Motion from there.
    pub motion: Motion,
    /// Friction of its surface at first; `None` leaves it to the body that touches it.
    pub friction: Option<Friction>,
}

impl ObstacleParams {
    /// An obstacle that stays where it is put, with the friction of whatever touches it.
    pub fn fixed(name: &str, shape: Shape, placed: Pose) -> ObstacleParams {
        ObstacleParams { name: name.into(), shape, placed, motion: Motion::Hold, friction: None }
    }
}

/// An obstacle and where it is.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// What it is, shared by all clones of a world.
    pub params: Arc<ObstacleParams>,
    /// Poses at the start and end of the last step.
    pub sweep: Sweep,
    /// Who moves it.
    pub drive: Drive,
    /// Friction of its surface now; `None` leaves it to the body that touches it.
    pub friction: Option<Friction>,
}

impl Obstacle {
    /// An obstacle at its pose at a time [s].
    pub fn new(params: ObstacleParams, time: f64) -> Obstacle {
        let pose = params.motion.pose(&params.placed, time);
        let friction = params.friction;
        Obstacle { params: Arc::new(params), sweep: Sweep::resting(pose), drive: Drive::Prescribed, friction }
    }

    /// Friction against a body whose own is given.
    pub fn friction_with(&self, own: Friction) -> Friction {
        self.friction.unwrap_or(own)
    }

    /// A box around everything it sweeps through in the step, and in `steps_ahead` more like it.
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
