//! Worlds with solids of particles, shared by several files.

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::lattice::solid::{Cells, DiscretiseError, MassRule, brick};
use pliant::lattice::{Lattice, LatticeSettings, LatticeSpec, Part};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Friction, Material, World};

use super::rods::built;

/// Density of all solids here [kg/m3].
pub const DENSITY: f64 = 1000.0;

/// A frictionless material; obstacles bring their own friction.
pub fn material(young: f64, poisson: f64) -> Material {
    Material { young, poisson, density: DENSITY, friction: Friction::NONE }
}

/// Unwrap a division into cells that is known to be valid.
pub fn cut(cells: Result<Cells, DiscretiseError>) -> Cells {
    cells.unwrap_or_else(|e| unreachable!("a solid of this command: {e}"))
}

/// A solid of some cells.
pub fn solid(cells: Cells) -> Part {
    Part::Solid { cells, rule: MassRule::Approximate }
}

/// A box centred on the origin [m].
pub fn block(size: Vec3, counts: [usize; 3]) -> Part {
    solid(cut(brick(size, counts)))
}

/// A body of one part, at rest.
pub fn body_of(part: Part, material: Material, settings: LatticeSettings) -> LatticeSpec {
    let [velocity, spin] = [Vec3::ZERO; 2];
    LatticeSpec { material, parts: vec![part], connectors: vec![], placed: Pose::IDENTITY, velocity, spin, settings }
}

/// A world with these bodies.
pub fn world_with(specs: impl IntoIterator<Item = LatticeSpec>, gravity: Vec3) -> World {
    let mut world = World::new(gravity);
    for (n, spec) in specs.into_iter().enumerate() {
        built(world.add_body(Body::Lattice(built(Lattice::new(&format!("solid {n}"), spec)))));
    }
    world
}

/// A plane through the origin that descends along x at an angle [rad].
pub fn slope(world: &mut World, angle: f64, coefficient: f64) {
    let placed = Pose::from_rotation(Quat::from_rotation_y(angle));
    let shape = Shape::new(ShapeKind::Plane).unwrap_or_else(|e| unreachable!("a plane: {e}"));
    let friction = Some(Friction { coefficient, exponent: 1.0 });
    built(world.add_obstacle(ObstacleParams { name: "floor".into(), shape, placed, motion: Motion::Hold, friction }));
}

/// A body of a world.
pub fn lattice(world: &World, body: usize) -> &Lattice {
    match &world.bodies()[body] {
        Body::Lattice(lattice) => lattice,
        _ => unreachable!("all bodies here are of particles"),
    }
}

/// Step a world; false if a step failed.
pub fn steps(world: &mut World, dt: f64, count: usize) -> bool {
    (0..count).all(|_| world.step(dt).is_ok())
}

/// Sums over the particles of all bodies.
#[derive(Clone, Copy, Default)]
pub struct Sums {
    /// Mass [kg].
    pub mass: f64,
    /// Mass times position [kg m].
    pub first: Vec3,
    /// Momentum [kg m/s].
    pub momentum: Vec3,
    /// Angular momentum about the origin [kg m2/s].
    pub spin: Vec3,
}

impl Sums {
    /// Sums over all bodies of a world.
    pub fn of(world: &World) -> Sums {
        let mut sums = Sums::default();
        for n in 0..world.bodies().len() {
            let l = lattice(world, n);
            for ((m, p), v) in l.masses().iter().zip(l.places()).zip(l.velocities()) {
                sums.mass += m;
                sums.first += *p * *m;
                sums.momentum += *v * *m;
                sums.spin += p.cross(*v * *m);
            }
        }
        sums
    }

    /// Centre of mass [m].
    pub fn centre(&self) -> Vec3 {
        self.first / self.mass
    }

    /// Velocity of the centre [m/s].
    pub fn velocity(&self) -> Vec3 {
        self.momentum / self.mass
    }

    /// Angular momentum about the centre [kg m2/s].
    pub fn own_spin(&self) -> Vec3 {
        self.spin - self.centre().cross(self.momentum)
    }
}
