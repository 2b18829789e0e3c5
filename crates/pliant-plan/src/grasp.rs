//! Whether a grasp holds: the hand is shaken, and what it holds has to stay in it.
//!
//! Fingertips that linear connectors draw to each other push an object from all sides without a net force, since the two ends of a
//! connector pull alike (Joukhadar and Laugier, "Robot-Phi", 5.3). Whether that is enough is tried out. In the frame of a hand that
//! is accelerated by a, everything weighs as if gravity had changed by -a; so the hand stays and gravity is changed, in
//! six directions one after another, each time from the same state.

use pliant::math::Vec3;
use pliant::{BodyId, Other, StepError, World};

/// How a grasp is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaking {
    /// What is held.
    pub object: BodyId,
    /// Acceleration of the hand [m/s2].
    pub acceleration: f64,
    /// How long in each direction [s].
    pub time: f64,
    /// Largest way that the object may move in the hand [m].
    pub slip: f64,
}

/// What became of the object in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaken {
    /// Direction of the hand's acceleration.
    pub direction: Vec3,
    /// How far the object moved in the hand at most [m].
    pub moved: f64,
}

/// What was found of a grasp.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// Sum of all forces of contact on the object before it was shaken [N].
    pub net_force: Vec3,
    /// Sum of their sizes [N].
    pub squeeze: f64,
    /// All directions.
    pub shaken: Vec<Shaken>,
}

impl Grasp {
    /// The direction in which the object moved most.
    pub fn worst(&self) -> Option<&Shaken> {
        self.shaken.iter().max_by(|a, b| a.moved.total_cmp(&b.moved))
    }
}

impl Shaking {
    /// Shake a world in which an object is held. It is left as it was. Fails where a step does.
    pub fn judge(&self, world: &mut World, step: f64) -> Result<Grasp, StepError> {
        let (net_force, squeeze) = self.forces(world);
        let (begun, gravity) = (world.snapshot(), world.gravity());
        let steps = (self.time / step).ceil().max(1.0) as usize;
        let mut shaken = vec![];
        for direction in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            let rest = self.place(world);
            // an acceleration that is not finite leaves gravity as it is
            let _ = world.set_gravity(gravity - direction * self.acceleration);
            let (mut moved, mut failed) = (0.0_f64, None);
            for _ in 0..steps {
                if let Err(error) = world.step(step) {
                    failed = Some(error);
                    break;
                }
                moved = moved.max(self.place(world).distance(rest));
                // it is lost: how far it flies tells nothing
                if moved > 10.0 * self.slip {
                    break;
                }
            }
            // the snapshot is of this world: going back to it, gravity included, cannot fail
            let _ = world.restore(&begun);
            if let Some(error) = failed {
                return Err(error);
            }
            shaken.push(Shaken { direction, moved });
        }
        Ok(Grasp { net_force, squeeze, shaken })
    }

    fn place(&self, world: &World) -> Vec3 {
        world.body(self.object).map_or(Vec3::NAN, |body| body.moments().centre)
    }

    /// Sum of the forces of contact on the object, and of their sizes.
    fn forces(&self, world: &World) -> (Vec3, f64) {
        let Ok(object) = world.body_index(self.object) else { return (Vec3::ZERO, 0.0) };
        let (mut sum, mut sizes) = (Vec3::ZERO, 0.0);
        for contact in &world.frame().contacts {
            let sign = match contact.other {
                _ if contact.body == object => 1.0,
                Other::Body(other) if other == object => -1.0,
                _ => continue,
            };
            sum += contact.force * sign;
            sizes += contact.force.length();
        }
        (sum, sizes)
    }
}
