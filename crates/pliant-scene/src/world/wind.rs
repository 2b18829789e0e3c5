//! The motion `wind` in a scene file: what it derives from the drum and from the cable that the gripper holds.

use pliant::contact::ShapeKind;
use pliant::math::Vec3;
use pliant::motion::{Motion, Wind};
use pliant::{Place, World};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::BodySpec;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, Duration, Quantity, Stretch, Time, Windings};
use crate::text::word::Name;

/// Least alignment of the cable's start with the direction of winding [cosine]; below it the sense of winding is
/// unknown.
const LEAST_ALIGNMENT: f64 = 1e-3;

/// Lay a cable on a drum, holding the end of the free part.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindSpec {
    /// Name of the obstacle to wind on; its z axis at time zero is the axis of winding.
    on: Name,
    /// Advance along the drum's z axis per turn [m].
    pitch: Coordinate,
    /// Number of turns [-].
    turns: Windings,
    /// Relative stretch of the cable while it is laid [-]; 0 unless given.
    stretch: Option<Stretch>,
    /// When winding starts [s]; until then the gripper pulls the cable taut. 0 unless given.
    start: Option<Time>,
    /// Time per turn [s].
    period: Duration,
}

/// What a winding gripper needs to know.
pub(crate) struct Winder<'a> {
    /// The world, with its obstacles and bodies.
    pub(crate) world: &'a World,
    /// What its first grip holds, if it has one.
    pub(crate) cable: Option<HeldCable<'a>>,
}

/// A body and the place where it is held.
pub(crate) struct HeldCable<'a> {
    /// Index of the body.
    pub(crate) body: usize,
    /// The place.
    pub(crate) place: Place,
    /// The scene's table of the body.
    pub(crate) spec: &'a BodySpec,
}

impl WindSpec {
    /// Build the motion. Fails for anything but a gripper.
    pub(crate) fn build(&self, winder: Option<&Winder<'_>>) -> Result<Motion, Fault> {
        let Some(winder) = winder else {
            return Err(Fault::new("only a gripper can wind: give this motion to the one that holds the cable's end"));
        };
        let cable = match &winder.cable {
            Some(cable) if cable.is_held_at_its_end(winder.world) => cable,
            _ => {
                let message = "the gripper's first grip must hold the end of the cable to wind: at = \"end\"";
                return Err(Fault::new(message));
            }
        };
        let (centre, axis) = self.axis(winder.world).map_err(|f| f.at("on"))?;
        let path = cable.spec.centre_line()?;
        let (from, to) = (path[0], path[path.len() - 1]);
        let length: f64 = path.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum();
        let wind = Wind {
            centre,
            axis,
            from,
            towards: to - from,
            length: length * (1.0 + self.stretch.map_or(0.0, Quantity::get)),
            pitch: self.pitch.get(),
            turns: self.turns.get(),
            start: self.start.map_or(0.0, Quantity::get),
            period: self.period.get(),
        };
        if wind.radius() < 1e-9 || wind.alignment() < LEAST_ALIGNMENT {
            let message = format!(
                "the path of the cable does not tell which way to wind: it must start beside the axis of {} and lead \
                 around it",
                &*self.on
            );
            return Err(Fault::new(message));
        }
        let (taken, there) = (wind.turns * wind.length_per_turn(), wind.length);
        if taken > there {
            let fit = (there / wind.length_per_turn() * 1000.0).floor() / 1000.0;
            let message = format!(
                "{} turns take {taken:.3} m of cable, more than its {there:.3} m: at most {fit} turns fit",
                wind.turns
            );
            return Err(Fault::new(message).at("turns"));
        }
        Ok(Motion::Wind(wind))
    }

    /// A point on the drum's axis and its direction, at time zero.
    fn axis(&self, world: &World) -> Result<(Vec3, Vec3), Fault> {
        let obstacles = world.obstacles();
        let Some(drum) = obstacles.iter().find(|o| *o.params.name == *self.on) else {
            let known: Vec<&str> = obstacles.iter().map(|o| o.params.name.as_str()).collect();
            return Err(Fault::unknown("obstacle", &self.on, known));
        };
        if let ShapeKind::Plane | ShapeKind::HeightField { .. } = drum.params.shape.kind() {
            let message =
                format!("{} has no way around it: a cable is wound on a cylinder, or a mesh of one", &*self.on);
            return Err(Fault::new(message));
        }
        let pose = &drum.sweep.start;
        Ok((pose.translation, pose.rotation * Vec3::Z))
    }
}

impl HeldCable<'_> {
    fn is_held_at_its_end(&self, world: &World) -> bool {
        match self.place {
            Place::Fraction(fraction) => fraction == 1.0,
            Place::Node(node) => {
                let is_there = |node| world.bodies()[self.body].place_pose(Place::Node(node)).is_ok();
                is_there(node) && !is_there(node + 1)
            }
            Place::Point(_) | Place::Box { .. } => false,
        }
    }
}
