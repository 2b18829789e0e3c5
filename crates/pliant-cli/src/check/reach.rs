//! How fast a pull travels along a rod of points, and how fast a motion it can follow: measured on a straight copy of it,
//! without weight, obstacles or other bodies (Kahl and Henrich, II.B).

use pliant::chain::Chain;
use pliant::math::{Pose, Vec3};
use pliant::motion::Drive;
use pliant::{Body, ControlError, GripParams, GripperParams, Hold, Place, StepError, World};
use serde::Serialize;

/// Model steps after which a pull that has not come through counts as stuck, for each point.
const PATIENCE: usize = 200;

/// Points of the longest rod that is measured: the time goes with their square.
const MOST_POINTS: usize = 400;

/// Stretch of the segment behind the gripper that a motion may cause [-].
const STRETCH: f64 = 0.05;

/// Updates of a gripper that a haptic device asks for [Hz].
const HAPTIC: f64 = 1000.0;

/// What was measured.
#[derive(Serialize)]
pub struct Reach {
    /// Model steps until the far end has done half of the way by which the other end was drawn along the rod.
    pub steps: usize,
    /// The same for each point.
    pub per_point: f64,
    /// Speed of the pull along the rod [m/s].
    pub speed: f64,
    /// Rate of model steps at which it comes to the far end within a millisecond, a frame of a haptic device [Hz].
    pub rate_needed: f64,
    /// Largest speed along itself at which its first segment is stretched by less than 5 %, once it moves steadily [m/s].
    pub fastest: Option<f64>,
}

/// Why nothing could be measured.
pub enum Unknown {
    /// The rod has too many points.
    Long,
    /// A pull does not come through.
    Stuck,
    /// It cannot be built or stepped.
    Broken,
}

impl From<StepError> for Unknown {
    fn from(_: StepError) -> Unknown {
        Unknown::Broken
    }
}

impl From<ControlError> for Unknown {
    fn from(_: ControlError) -> Unknown {
        Unknown::Broken
    }
}

impl From<pliant::BuildError> for Unknown {
    fn from(_: pliant::BuildError) -> Unknown {
        Unknown::Broken
    }
}

impl From<pliant::Gone> for Unknown {
    fn from(_: pliant::Gone) -> Unknown {
        Unknown::Broken
    }
}

/// A straight copy of a rod that is held at its start.
struct Rig {
    world: World,
    gripper: pliant::GripperId,
    segment: f64,
    points: usize,
    step: f64,
}

impl Rig {
    fn new(chain: &Chain) -> Result<Rig, Unknown> {
        let (points, step) = (chain.size(), 1.0 / chain.rate());
        let lengths = (0..points - 1).map(|n| (chain.point(n + 1) - chain.point(n)).length());
        let segment = lengths.sum::<f64>() / (points - 1) as f64;
        let mut rod = chain.clone();
        let straight: Vec<Vec3> = (0..points).map(|n| Vec3::X * (segment * n as f64)).collect();
        rod.set_points(&straight)?;
        let mut world = World::new(Vec3::ZERO);
        let body = world.add_body(Body::Chain(rod))?;
        let gripper = world.add_gripper(GripperParams::at("hand", Pose::IDENTITY))?;
        world.add_grip(GripParams::new(gripper, body, Place::Node(0), Hold::Position))?;
        Ok(Rig { world, gripper, segment, points, step })
    }

    fn point(&self, n: usize) -> Vec3 {
        match &self.world.bodies()[0] {
            Body::Chain(chain) => chain.point(n),
            _ => Vec3::NAN,
        }
    }

    /// Model steps until half of a small pull has come to the far end.
    fn travel(mut self) -> Result<usize, Unknown> {
        let drawn = 1e-3 * self.segment;
        let first = self.point(self.points - 1).x;
        self.world.drive(self.gripper, Drive::Pose(Pose::from_translation(Vec3::NEG_X * drawn)))?;
        for step in 1..=PATIENCE * self.points {
            self.world.step(self.step)?;
            if first - self.point(self.points - 1).x >= 0.5 * drawn {
                return Ok(step);
            }
        }
        Err(Unknown::Stuck)
    }

    /// Whether it follows a speed along itself with a first segment that is stretched by less than 5 %, on the mean over the last
    /// of ten times that a pull takes.
    fn follows(mut self, speed: f64, steps: usize) -> bool {
        let drive = Drive::Velocity { linear: Vec3::NEG_X * speed, angular: Vec3::ZERO };
        if self.world.drive(self.gripper, drive).is_err() {
            return false;
        }
        let mut sum = 0.0;
        for step in 0..10 * steps {
            if self.world.step(self.step).is_err() {
                return false;
            }
            if step >= 9 * steps {
                sum += (self.point(1) - self.point(0)).length() / self.segment - 1.0;
            }
        }
        // a rod that falls behind is not held any more, whatever its first segment does
        let behind = self.point(0).x + speed * self.step * (10 * steps) as f64;
        sum / (steps as f64) < STRETCH && behind.abs() < self.segment
    }
}

/// Measure a rod.
pub fn measure(chain: &Chain) -> Result<Reach, Unknown> {
    if chain.size() > MOST_POINTS {
        return Err(Unknown::Long);
    }
    let rig = Rig::new(chain)?;
    let (segment, points, rate) = (rig.segment, rig.points, chain.rate());
    let steps = rig.travel()?;
    let follows = |speed: f64| Rig::new(chain).is_ok_and(|rig| rig.follows(speed, steps));
    // from a speed at which nothing happens, by factors of two, then in between
    let mut low = 1e-4 * segment * rate;
    let mut fastest = None;
    if follows(low) {
        let mut high = 2.0 * low;
        while high < 10.0 * segment * rate && follows(high) {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..5 {
            let middle = (low * high).sqrt();
            *(if follows(middle) { &mut low } else { &mut high }) = middle;
        }
        fastest = Some(low);
    }
    Ok(Reach {
        steps,
        per_point: steps as f64 / points as f64,
        speed: segment * (points - 1) as f64 * rate / steps as f64,
        rate_needed: HAPTIC * steps as f64,
        fastest,
    })
}
