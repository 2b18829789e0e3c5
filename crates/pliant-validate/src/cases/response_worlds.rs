//! Worlds with elastic solids of the model `response`, shared by several files.

use std::fmt::Display;
use std::ops::ControlFlow;

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::response::{Basis, Damping, Known, Response, ResponseSettings, ResponseSpec};
use pliant::{Body, Friction, GripParams, GripperId, GripperParams, Hold, Place, World};
use pliant_fem::{Elastic, MassKind, Model, Order, Recipe, TetMesh};

/// Side of the cube of Tagawa, Hirota and Hirose [m].
pub const SIDE: f64 = 0.1;

/// Its Young's modulus [Pa].
pub const YOUNG: f64 = 2000.0;

/// Its density [kg/m3].
pub const DENSITY: f64 = 110.0;

/// Its Poisson's ratio.
pub const POISSON: f64 = 0.49;

/// Threads for precomputation.
const THREADS: usize = 2;

/// No damping.
pub const UNDAMPED: Damping = Damping::Rayleigh { mass: 0.0, stiffness: 0.0 };

/// The material of the cube with another Poisson's ratio.
pub fn elastic(poisson: f64) -> Elastic {
    Elastic { young: YOUNG, poisson, density: DENSITY }
}

/// Unwrap a result that is known to be valid.
pub fn sure<T, E: Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|e| unreachable!("a solid of this command: {e}"))
}

/// A block of cells, from the origin to `size` [m].
pub fn block(cells: [usize; 3], size: Vec3) -> TetMesh {
    sure(TetMesh::block(cells, size))
}

/// The cube, with this many cells per side.
pub fn cube(cells: usize) -> TetMesh {
    block([cells; 3], Vec3::splat(SIDE))
}

/// A finite-element model of a mesh, with consistent mass.
pub fn model(mesh: &TetMesh, poisson: f64, order: Order) -> Model {
    sure(Model::new(mesh, &elastic(poisson), order, MassKind::Consistent))
}

/// The precomputed modes of a solid; all of them for `None`.
pub fn basis(mesh: &TetMesh, elastic: Elastic, order: Order, modes: Option<usize>) -> Basis {
    let mut recipe = Recipe { order, ..Recipe::new(mesh.clone(), elastic, 1) };
    let all = recipe.size().0 - 6;
    recipe.modes = modes.unwrap_or(all).min(all);
    sure(recipe.compute(THREADS, &mut |_| ControlFlow::Continue(())))
}

/// A frictionless solid at rest, placed as its mesh is.
pub fn spec(solid: Known, damping: Damping, sample: f64) -> ResponseSpec {
    let settings = ResponseSettings { damping, sample, ..ResponseSettings::default() };
    let [velocity, spin] = [Vec3::ZERO; 2];
    ResponseSpec { solid, friction: Friction::NONE, placed: Pose::IDENTITY, velocity, spin, settings }
}

/// A world with a solid.
pub fn world_of(spec: ResponseSpec, gravity: Vec3) -> World {
    let mut world = World::new(gravity);
    sure(world.add_body(Body::Response(sure(Response::new("solid", spec)))));
    world
}

/// The solid of a world.
pub fn response(world: &World) -> &Response {
    match &world.bodies()[0] {
        Body::Response(response) => response,
        _ => unreachable!("all bodies here are of the model response"),
    }
}

/// Add a moving plane.
pub fn plane(world: &mut World, at: Vec3, normal: Vec3, motion: Motion, coefficient: f64) {
    let placed = Pose::from_parts(at, Quat::from_rotation_arc(Vec3::Z, normal));
    let name = format!("plane {}", world.obstacles().len());
    let friction = Some(Friction { coefficient, exponent: 1.0 });
    sure(world.add_obstacle(ObstacleParams {
        name,
        shape: sure(Shape::new(ShapeKind::Plane)),
        placed,
        motion,
        friction,
    }));
}

/// Add a gripper that holds a place as it is.
pub fn hold(world: &mut World, at: Vec3, place: Place, motion: Motion) -> GripperId {
    let name = format!("gripper {}", world.grippers().len());
    let gripper = sure(world.add_gripper(GripperParams { name, placed: Pose::from_translation(at), motion }));
    sure(world.add_grip(GripParams::new(gripper, sure(world.body_at(0)), place, Hold::Position)));
    gripper
}

/// A constant velocity [m/s] for a time [s].
pub fn glide(velocity: Vec3, time: f64) -> Motion {
    Motion::Glide { velocity, acceleration: Vec3::ZERO, window: Window { start: 0.0, end: time } }
}

/// Step a world; false if a step failed.
pub fn steps(world: &mut World, dt: f64, count: usize) -> bool {
    (0..count).all(|_| world.step(dt).is_ok())
}

/// Displacements of the surface nodes in the frame that moves with the solid [m].
pub fn displacements(world: &World, rest: &[Vec3]) -> Vec<Vec3> {
    let (body, mut places) = (response(world), vec![]);
    body.write_surface(&mut places);
    let pose = body.world_from_body();
    places.iter().zip(rest).map(|(place, rest)| pose.inverse_transform_point(*place) - *rest).collect()
}

/// Surface nodes at rest, relative to the centre of mass [m].
pub fn rest_of(basis: &Basis) -> Vec<Vec3> {
    basis.hull.nodes.iter().map(|node| *node - basis.hull.centre).collect()
}

/// Pseudo-random numbers between -1 and 1, the same in every run.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A vector of three numbers.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}
