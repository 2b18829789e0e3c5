//! Free rigid bodies in a scene file: arms of one link, without a URDF file.

use pliant::arm::{Arm, ArmSpec};
use pliant::contact::{Mesh, ObstacleParams, Shape, ShapeKind};
use pliant::lattice::solid::Moments;
use pliant::math::{Mat3, Pose, Vec3};
use pliant::motion::Motion;
use pliant::robot::{Base, LinkSpec, RobotSpec};
use pliant::{Body, World};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::material::FrictionSpec;
use crate::files::Files;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, Density, Mass, Quantity, Spin, Triple, Velocity};
use crate::text::word::{Name, Table};
use crate::world::obstacle::ShapeSpec;
use crate::world::pose::{OrientationSpec, pose};

/// Name of the only link of a rigid body.
pub(crate) const LINK: &str = "body";

/// A free rigid body: a connector housing, a tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RigidSpec {
    /// Name, unique among bodies and arms.
    pub(crate) name: Name,
    /// Geometry in its own frame, of even density; no plane and no ground.
    shape: ShapeSpec,
    /// Mass [kg]; either this or `density`.
    mass: Option<Mass>,
    /// Mass density [kg/m3].
    density: Option<Density>,
    /// Position of its origin at the start [m]; the origin of the world unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation at the start; that of the world unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// Velocity of its origin at the start, in the world [m/s]; zero unless given.
    velocity: Option<Triple<Velocity>>,
    /// Angular velocity at the start, in the world [rad/s]; zero unless given.
    angular_velocity: Option<Triple<Spin>>,
    /// Friction on obstacles that have none of their own; a coefficient of 0.5 unless given.
    friction: Option<Table<FrictionSpec>>,
}

impl RigidSpec {
    /// Build the body, and add it with its shape.
    pub(crate) fn add(&self, world: &mut World, files: &mut Files) -> Result<(), Fault> {
        let kind = self.shape.build(&self.name, files).map_err(|fault| fault.at("shape"))?;
        let shape = Shape::new(kind).map_err(|error| Fault::new(error.to_string()).at("shape"))?;
        let solid = moments(&shape).map_err(|fault| fault.at("shape"))?;
        let mass = match (self.mass, self.density) {
            (Some(mass), None) => mass.get(),
            (None, Some(density)) => density.get() * solid.volume,
            _ => return Err(Fault::new("a rigid body needs either a mass or a density")),
        };
        let inertia = solid.inertia * (mass / solid.volume);
        let links = vec![LinkSpec { name: LINK.into(), mass, centre: solid.centre, inertia }];
        let robot =
            RobotSpec { name: self.name.to_string(), links, joints: vec![], base: Base::Floating, gravity: Vec3::ZERO };
        let root = pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)?;
        let given = |v: Option<Vec3>| v.unwrap_or(Vec3::ZERO);
        let mut spec = ArmSpec {
            root,
            moving: [given(self.velocity.map(|v| v.vector())), given(self.angular_velocity.map(|v| v.vector()))],
            ..ArmSpec::new(robot)
        };
        spec.friction = self.friction.as_ref().map_or(spec.friction, |friction| friction.build());
        let arm = world.add_body(Body::Arm(Arm::new(&self.name, spec).map_err(Fault::from)?)).map_err(Fault::from)?;
        let params =
            ObstacleParams { name: self.name.to_string(), shape, placed: root, motion: Motion::Hold, friction: None };
        let obstacle = world.add_obstacle(params).map_err(Fault::from)?;
        world.carry_obstacle(obstacle, arm, LINK, Pose::IDENTITY).map_err(Fault::from)
    }
}

/// Volume, centre and inertia of a shape for a density of one.
fn moments(shape: &Shape) -> Result<Moments, Fault> {
    use std::f64::consts::PI;
    let about = |volume: f64, squares: Vec3| {
        Ok(Moments { volume, centre: Vec3::ZERO, inertia: Mat3::from_diagonal(squares * volume) })
    };
    let of_mesh = |mesh: &Mesh| {
        let found = Moments::of_mesh(mesh);
        if found.volume > 0.0 { Ok(found) } else { Err(Fault::new("its surface encloses no volume")) }
    };
    match *shape.kind() {
        ShapeKind::Plane | ShapeKind::HeightField { .. } => {
            Err(Fault::new("a rigid body has a closed shape, no plane and no ground"))
        }
        ShapeKind::Sphere { radius } => about(4.0 / 3.0 * PI * radius.powi(3), Vec3::splat(0.4 * radius * radius)),
        ShapeKind::Box { size } => {
            let square = size * size;
            let sums = Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
            about(size.element_product(), sums / 12.0)
        }
        ShapeKind::Cylinder { radius, length } => {
            let across = (3.0 * radius * radius + length * length) / 12.0;
            about(PI * radius * radius * length, Vec3::new(across, across, 0.5 * radius * radius))
        }
        ShapeKind::Capsule { radius, length } => {
            // a cylinder, and a ball in two halves whose centres of mass are 3/8 of the radius from its ends
            let (tube, ball) = (PI * radius * radius * length, 4.0 / 3.0 * PI * radius.powi(3));
            let square = radius * radius;
            let along = 0.5 * square * tube + 0.4 * square * ball;
            let apart = 0.25 * length * length + 0.375 * length * radius;
            let across = tube * (3.0 * square + length * length) / 12.0 + ball * (0.4 * square + apart);
            about(tube + ball, Vec3::new(across, across, along) / (tube + ball))
        }
        ShapeKind::Convex { .. } => of_mesh(&shape.outline()),
        ShapeKind::Mesh(ref mesh) => of_mesh(mesh),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Closed forms against integrals over the triangles that shapes are drawn with: their volumes are smaller by what chords cut off.
    #[test]
    fn moments_of_round_shapes_are_those_of_their_outlines() {
        let cases = [
            ShapeKind::Sphere { radius: 0.3 },
            ShapeKind::Capsule { radius: 0.2, length: 0.7 },
            ShapeKind::Cylinder { radius: 0.2, length: 0.7 },
            ShapeKind::Box { size: Vec3::new(0.1, 0.2, 0.3) },
        ];
        for kind in cases {
            let shape = Shape::new(kind.clone()).unwrap();
            let (exact, drawn) = (moments(&shape).unwrap(), Moments::of_mesh(&shape.outline()));
            // 32 chords to a circle take 1 - sin(t)/t with t = 2 pi / 32 off its area: 0.64 %, twice that with 16 along a meridian
            let like = drawn.scaled(exact.volume / drawn.volume);
            assert!((1.0 - drawn.volume / exact.volume).abs() < 0.02, "{kind:?}");
            for (a, b) in exact.inertia.to_cols_array().iter().zip(like.inertia.to_cols_array()) {
                assert!((a - b).abs() < 0.02 * exact.inertia.to_cols_array()[0].abs().max(a.abs()), "{kind:?}");
            }
        }
    }
}
