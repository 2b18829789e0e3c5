//! What is asked for, and what is found.

use pliant::contact::{Shape, ShapeKind};
use pliant::math::{Pose, Vec3};
use pliant::robot::{Kinematics, Matrix, Model};

/// A robot, what is in its way, and where it has to go.
#[derive(Clone, Debug)]
pub struct Task {
    /// The robot; its root is fixed. A mobile robot hangs on a planar joint.
    pub model: Model,
    /// Shapes of its links.
    pub shapes: Vec<LinkShape>,
    /// Coordinates of its joints at the start [rad, m].
    pub start: Vec<f64>,
    /// What it must not touch.
    pub walls: Vec<Wall>,
    /// Where it has to go.
    pub goal: Goal,
    /// How.
    pub settings: Settings,
}

/// A shape of a link.
#[derive(Clone, Debug)]
pub struct LinkShape {
    /// Index of the link.
    pub link: usize,
    /// Its frame in that of the link.
    pub link_from_shape: Pose,
    /// What it is.
    pub shape: Shape,
}

/// An obstacle that stays where it is.
#[derive(Clone, Debug)]
pub struct Wall {
    /// Name.
    pub name: String,
    /// What it is.
    pub shape: Shape,
    /// Where.
    pub pose: Pose,
    /// Whether the robot stands on it: it has weight then, touches this, and only its way over the ground counts.
    pub ground: bool,
}

/// Where a frame of a link has to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Index of the link.
    pub link: usize,
    /// The frame on the link that is drawn.
    pub link_from_tool: Pose,
    /// Where it has to go, in the world.
    pub pose: Pose,
    /// Whether its rotation matters, or its position only.
    pub orientation: bool,
}

/// How a robot is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Distance that it keeps from obstacles, and parts of the robot from each other [m].
    pub safety: f64,
    /// Distance from the goal that counts as reached [m].
    pub tolerance: f64,
    /// Angle from the goal that counts as reached [rad].
    pub angle_tolerance: f64,
    /// Speed at which it is drawn where nothing is in its way [m/s].
    pub speed: f64,
    /// Time between samples of the motion [s].
    pub step: f64,
    /// Longest motion [s].
    pub most_time: f64,
    /// Most virtual obstacles.
    pub most_virtual: usize,
    /// Longest time of all attempts together [s].
    pub most_search: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            safety: 0.02,
            tolerance: 0.01,
            angle_tolerance: 0.05,
            speed: 0.5,
            step: 0.01,
            most_time: 60.0,
            most_virtual: 200,
            most_search: 600.0,
        }
    }
}

/// A motion of all joints, sampled evenly, straight between samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Time between samples [s].
    pub spacing: f64,
    /// Number of coordinates.
    pub joints: usize,
    /// Coordinates of all joints, sample after sample [rad, m].
    pub samples: Vec<f64>,
}

impl Plan {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.samples.len() / self.joints.max(1)
    }

    /// Whether it has no sample.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Coordinates of a sample.
    pub fn at(&self, sample: usize) -> &[f64] {
        &self.samples[sample * self.joints..][..self.joints]
    }

    /// How long it takes [s].
    pub fn duration(&self) -> f64 {
        self.len().saturating_sub(1) as f64 * self.spacing
    }
}

/// Why a task makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TaskError {
    /// The root is free.
    #[error("its root is free: fix it, and let the robot hang on a planar joint, or on slides and turns")]
    Free,
    /// Nothing moves.
    #[error("it has no joints that could move it")]
    Rigid,
    /// Lists that do not fit the robot.
    #[error("it has {joints} joint coordinates, but {given} are given")]
    Joints {
        /// Of the robot.
        joints: usize,
        /// Given.
        given: usize,
    },
    /// A link that is not there.
    #[error("it has {links} links, but link {link} is asked for")]
    Link {
        /// Of the robot.
        links: usize,
        /// Asked for.
        link: usize,
    },
    /// A setting out of range.
    #[error("{what} must be {range}, got {value}")]
    Setting {
        /// Which.
        what: &'static str,
        /// What it may be.
        range: &'static str,
        /// What it is.
        value: f64,
    },
    /// A robot with a shape that is hollow.
    #[error(
        "a plane, a mesh or a height field cannot be the shape of a link that is planned for: take its convex hull"
    )]
    Hollow,
    /// It begins in an obstacle.
    #[error("it starts {depth:.4} m deep in {wall}: move one of them")]
    StartsInside {
        /// The obstacle.
        wall: String,
        /// How deep [m].
        depth: f64,
    },
    /// It begins where joints cannot be.
    #[error("{joint} must start between {low} and {high}, got {value}")]
    StartsBeyond {
        /// The joint.
        joint: String,
        /// Smallest value.
        low: f64,
        /// Largest value.
        high: f64,
        /// What it is.
        value: f64,
    },
}

/// Most samples of a motion.
const MOST_SAMPLES: f64 = 1e6;

impl Task {
    /// Check everything that does not need a step.
    pub fn check(&self) -> Result<(), TaskError> {
        let (model, joints) = (&self.model, self.model.coordinates().len());
        if model.floating() {
            return Err(TaskError::Free);
        }
        if joints == 0 {
            return Err(TaskError::Rigid);
        }
        if self.start.len() != joints {
            return Err(TaskError::Joints { joints, given: self.start.len() });
        }
        for (value, coordinate) in self.start.iter().zip(model.coordinates()) {
            let [low, high] = coordinate.range;
            if !(value.is_finite() && (low..=high).contains(value)) {
                let joint = coordinate.name.clone();
                return Err(TaskError::StartsBeyond { joint, low, high, value: *value });
            }
        }
        let links = model.links().len();
        let asked = self.shapes.iter().map(|shape| shape.link).chain([self.goal.link]);
        if let Some(link) = asked.into_iter().find(|link| *link >= links) {
            return Err(TaskError::Link { links, link });
        }
        let hollow =
            |kind: &ShapeKind| matches!(kind, ShapeKind::Plane | ShapeKind::Mesh(_) | ShapeKind::HeightField { .. });
        if self.shapes.iter().any(|shape| hollow(shape.shape.kind())) {
            return Err(TaskError::Hollow);
        }
        self.check_settings()?;
        let inside = self.deepest_at_start();
        inside.map_or(Ok(()), |(wall, depth)| Err(TaskError::StartsInside { wall, depth }))
    }

    fn check_settings(&self) -> Result<(), TaskError> {
        let Settings { safety, tolerance, angle_tolerance, speed, step, most_time, most_virtual, most_search } =
            self.settings;
        let positive = [
            ("the tolerance", tolerance),
            ("the angle that counts as reached", angle_tolerance),
            ("the speed", speed),
            ("the step", step),
            ("the longest time", most_time),
            ("the longest time of the search", most_search),
        ];
        let range = "finite and positive";
        if let Some((what, value)) = positive.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            return Err(TaskError::Setting { what, range, value });
        }
        if !(safety.is_finite() && safety >= 0.0) {
            return Err(TaskError::Setting {
                what: "the safety distance",
                range: "finite and not negative",
                value: safety,
            });
        }
        for (what, value) in [("the longest time", most_time), ("the longest time of the search", most_search)] {
            if value / step > MOST_SAMPLES {
                return Err(TaskError::Setting { what, range: "at most a million steps", value });
            }
        }
        if most_virtual > 100_000 {
            let value = most_virtual as f64;
            return Err(TaskError::Setting { what: "the number of virtual obstacles", range: "at most 100000", value });
        }
        Ok(())
    }

    /// The obstacle that the robot is deepest in at the start.
    fn deepest_at_start(&self) -> Option<(String, f64)> {
        let still = Plan { spacing: self.settings.step, joints: self.start.len(), samples: self.start.clone() };
        let found = self.clearance(&still);
        let wall = found.nearest.filter(|_| found.least < 0.0)?;
        Some((wall, -found.least))
    }

    /// The direction that does not count, where the robot stands on ground: up.
    pub(crate) fn up(&self) -> Option<Vec3> {
        self.walls.iter().any(|wall| wall.ground).then(|| (-self.model.gravity).try_normalize()).flatten()
    }

    /// The way from a pose of the drawn frame to the goal that counts [m].
    pub(crate) fn way(&self, tool: &Pose) -> Vec3 {
        let way = self.goal.pose.translation - tool.translation;
        self.up().map_or(way, |up| way - up * way.dot(up))
    }

    /// Whether joints move each of the shapes: what stands still touches what it stands on.
    pub(crate) fn moving(&self) -> Vec<bool> {
        let mut jacobian = Matrix::zeros(6, self.model.velocities());
        let mut kinematics = Kinematics::new(&self.model);
        kinematics.place(&self.model, &self.start);
        let mut moves = |shape: &LinkShape| {
            kinematics.jacobian(&self.model, shape.link, Vec3::ZERO, &mut jacobian);
            jacobian.data().iter().any(|x| *x != 0.0)
        };
        self.shapes.iter().map(&mut moves).collect()
    }

    /// Pose of the drawn frame at a configuration.
    pub fn tool(&self, q: &[f64]) -> Pose {
        let mut kinematics = Kinematics::new(&self.model);
        kinematics.place(&self.model, q);
        kinematics.link(&self.model, self.goal.link) * self.goal.link_from_tool
    }

    /// Length of the way of the drawn frame's origin [m].
    pub fn path_length(&self, plan: &Plan) -> f64 {
        let places: Vec<Vec3> = (0..plan.len()).map(|sample| self.tool(plan.at(sample)).translation).collect();
        places.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }
}
