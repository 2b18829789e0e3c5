//! Solids as particles and connectors, against closed forms.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::lattice::solid::{MassRule, brick};
use pliant::lattice::{Connector, Lattice, LatticeSettings, LatticeSpec, Pace, Part, PointContact, Scheme, Site};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Load, Material, Place, World};

fn material(young: f64, poisson: f64) -> Material {
    Material { young, poisson, density: 1000.0, friction: Friction::NONE }
}

fn spec(parts: Vec<Part>, connectors: Vec<Connector>, settings: LatticeSettings) -> LatticeSpec {
    LatticeSpec {
        material: material(1e5, 0.3),
        parts,
        connectors,
        placed: Pose::IDENTITY,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        settings,
    }
}

fn solid(size: Vec3, counts: [usize; 3]) -> Part {
    Part::Solid { cells: brick(size, counts).unwrap(), rule: MassRule::Approximate }
}

fn world_of(spec: LatticeSpec, gravity: Vec3) -> World {
    let mut world = World::new(gravity);
    world.add_body(Body::Lattice(Lattice::new("solid", spec).unwrap())).unwrap();
    world
}

fn lattice(world: &World) -> &Lattice {
    let Body::Lattice(lattice) = &world.bodies()[0] else { panic!() };
    lattice
}

/// Two unit masses, lambda = 100 N/m, mu = 5 N s/m, let go stretched: dp = exp(-zeta w t) (cos + ...) in closed form.
fn pair(scheme: Scheme, pace: Pace) -> World {
    let part = Part::Points { places: vec![Vec3::ZERO, Vec3::X * 1.1], masses: vec![1.0, 1.0] };
    let site = |x: f64| Site { part: 0, point: Vec3::X * x };
    let spring = Connector::Line { ends: [site(0.0), site(1.1)], rest: Some(1.0), stiffness: 100.0, damping: 5.0 };
    let settings = LatticeSettings { scheme, pace, ..LatticeSettings::default() };
    world_of(spec(vec![part], vec![spring], settings), Vec3::ZERO)
}

#[test]
fn a_damped_pair_follows_its_closed_form() {
    let (w0, zeta) = (200.0_f64.sqrt(), 0.35355339059327373_f64);
    let wd = w0 * (1.0 - zeta * zeta).sqrt();
    let known = |t: f64| (-zeta * w0 * t).exp() * ((wd * t).cos() + zeta * w0 / wd * (wd * t).sin());
    let taylor = Scheme::Development { alpha: 0.5, beta: 1.0 / 3.0 };
    for (scheme, order) in [(Scheme::Verlet, 2.0), (taylor, 2.0), (Scheme::Development { alpha: 0.0, beta: 0.0 }, 1.0)]
    {
        let error = |step: f64| {
            let mut world = pair(scheme, Pace::Constant { step });
            let mut worst: f64 = 0.0;
            for n in 1..=100 {
                world.step(0.01).unwrap();
                let places = lattice(&world).places();
                let off = ((places[1] - places[0]).length() - 1.0) / 0.1 - known(0.01 * f64::from(n));
                worst = worst.max(off.abs());
            }
            worst
        };
        let [coarse, fine] = [error(1e-3), error(5e-4)];
        let found = (coarse / fine).log2();
        assert!((found - order).abs() < 0.2, "{scheme:?}: order {found}, errors {coarse:e} and {fine:e}");
    }
}

#[test]
fn momentum_and_angular_momentum_are_kept() {
    let mut spec = spec(vec![solid(Vec3::new(0.3, 0.1, 0.2), [3, 1, 2])], vec![], LatticeSettings::default());
    (spec.velocity, spec.spin) = (Vec3::new(1.0, 2.0, -0.5), Vec3::new(5.0, -3.0, 8.0));
    spec.material = material(1e5, 0.1);
    let mut world = world_of(spec, Vec3::ZERO);
    let sums = |world: &World| {
        let l = lattice(world);
        let mut sums = (Vec3::ZERO, Vec3::ZERO);
        for ((m, p), v) in l.masses().iter().zip(l.places()).zip(l.velocities()) {
            sums.0 += *v * *m;
            sums.1 += p.cross(*v * *m);
        }
        sums
    };
    let before = sums(&world);
    for _ in 0..100 {
        world.step(0.01).unwrap();
    }
    let after = sums(&world);
    assert!((after.0 - before.0).length() < 1e-12 * before.0.length(), "{} {}", after.0, before.0);
    assert!((after.1 - before.1).length() < 1e-11 * before.1.length(), "{} {}", after.1, before.1);
}

/// A bar along x, held at its left face.
fn bar(n: usize, long: usize, poisson: f64) -> (World, f64) {
    let (a, length) = (0.1, 0.1 * long as f64);
    let settings = LatticeSettings { drag: 3.0, ..LatticeSettings::default() };
    let mut spec = spec(vec![solid(Vec3::new(length, a, a), [n * long, n, n])], vec![], settings);
    spec.material = material(1e5, poisson);
    let mut world = world_of(spec, Vec3::ZERO);
    let gripper =
        world.add_gripper(GripperParams { name: "wall".into(), placed: Pose::IDENTITY, motion: Motion::Hold }).unwrap();
    let e = 1e-6;
    let place =
        Place::Box { low: Vec3::new(-0.5 * length - e, -1.0, -1.0), high: Vec3::new(-0.5 * length + e, 1.0, 1.0) };
    let grip = GripParams::new(gripper, world.body_at(0).unwrap(), place, Hold::Clamp);
    world.add_grip(grip).unwrap();
    (world, length)
}

/// Deflection of a beam with shear: it comes closer with the square of the cells across.
#[test]
fn a_bar_bends_as_a_beam_does() {
    let error = |n: usize| {
        let (mut world, length) = bar(n, 5, 0.3);
        let e = 1e-6;
        let low = Vec3::new(0.5 * length - e, -1.0, -1.0);
        let place = Place::Box { low, high: Vec3::new(0.5 * length + e, 1.0, 1.0) };
        let force = Vec3::Z * 1e-3;
        world.add_load(Load::new(world.body_at(0).unwrap(), place, force)).unwrap();
        for _ in 0..400 {
            world.step(0.01).unwrap();
        }
        let z = world.bodies()[0].place_pose(place).unwrap().translation.z;
        let (young, shear, a) = (1e5, 1e5 / 2.6, 0.1_f64);
        let known = 1e-3 * (length.powi(3) / (3.0 * young * a.powi(4) / 12.0) + 6.0 * length / (5.0 * shear * a * a));
        // the load is carried to the wall, less what the last of the swing takes
        let load = world.grippers()[0].load;
        assert!((load.force.z - 1e-3).abs() < 2e-5 && (load.torque.y + 2.5e-4).abs() < 2e-6, "{load:?}");
        1.0 - z / known
    };
    let [coarse, fine] = [error(2), error(4)];
    assert!(coarse < 0.3 && fine < 0.1 && coarse / fine > 2.5, "{coarse} {fine}");
}

fn floor(world: &mut World, angle: f64, friction: f64) {
    let placed = Pose::from_rotation(Quat::from_rotation_y(angle));
    let shape = Shape::new(ShapeKind::Plane).unwrap();
    let friction = Some(Friction { coefficient: friction, exponent: 1.0 });
    world.add_obstacle(ObstacleParams { name: "floor".into(), shape, placed, motion: Motion::Hold, friction }).unwrap();
}

/// One kilogram on a spring of 2000 N/m with a damper of 5 N s/m that does not pull, from 1 m: particles.json.
#[test]
fn a_ball_bounces_as_high_as_it_should() {
    for (damping, height) in [(0.0, 0.9999999998423109), (5.0, 0.6944157915611449)] {
        let part = Part::Points { places: vec![Vec3::Z], masses: vec![1.0] };
        let point_contact = Some(PointContact { radius: 0.0, stiffness: 2000.0, damping });
        let settings = LatticeSettings { point_contact, ..LatticeSettings::default() };
        let mut world = world_of(spec(vec![part], vec![], settings), Vec3::Z * -9.81);
        floor(&mut world, 0.0, 0.0);
        let (mut top, mut risen) = (0.0_f64, false);
        for _ in 0..1000 {
            world.step(1e-3).unwrap();
            let (z, v) = (lattice(&world).places()[0].z, lattice(&world).velocities()[0].z);
            risen |= v > 0.0;
            if risen {
                top = top.max(z);
            }
        }
        assert!((top - height).abs() < 2e-3, "{top} for {height}");
    }
}

/// A cube on a slope slides with g (sin a - c cos a), or sticks.
#[test]
fn a_cube_slides_or_sticks() {
    for (friction, expected) in [(0.05, 2.894298375529322), (0.1, 2.433379145033834), (0.4, 0.0)] {
        let angle = 20.0_f64.to_radians();
        let tilt = Quat::from_rotation_y(angle);
        let mut spec = spec(vec![solid(Vec3::splat(0.1), [1, 1, 1])], vec![], LatticeSettings::default());
        spec.placed = Pose::from_parts(tilt * Vec3::Z * 0.05, tilt);
        let mut world = world_of(spec, Vec3::Z * -9.81);
        floor(&mut world, angle, friction);
        let along = |world: &World| {
            let l = lattice(world);
            let sum: Vec3 = l.masses().iter().zip(l.velocities()).map(|(m, v)| *v * *m).sum();
            (sum / l.masses().iter().sum::<f64>()).dot(tilt * Vec3::X)
        };
        for _ in 0..200 {
            world.step(5e-3).unwrap();
        }
        let first = along(&world);
        for _ in 0..100 {
            world.step(5e-3).unwrap();
        }
        let found = (along(&world) - first) / 0.5;
        assert!((found - expected).abs() < 1e-2 * 9.81, "{friction}: {found} for {expected}");
    }
}

/// Two blocks that fall on each other and a floor, turning.
fn pile(cells: usize) -> World {
    let mut world = World::new(Vec3::Z * -9.81);
    for (n, height) in [0.06, 0.17].into_iter().enumerate() {
        let part = solid(Vec3::splat(0.1), [cells; 3]);
        let mut spec = spec(vec![part], vec![], LatticeSettings::default());
        spec.material.friction = Friction { coefficient: 0.5, exponent: 1.0 };
        spec.placed = Pose::from_parts(Vec3::Z * height, Quat::from_rotation_x(0.1 * n as f64));
        spec.spin = Vec3::Z * 2.0;
        world.add_body(Body::Lattice(Lattice::new(&format!("block {n}"), spec).unwrap())).unwrap();
    }
    floor(&mut world, 0.0, 0.3);
    world
}

#[test]
fn a_snapshot_goes_on_to_the_bit() {
    let mut world = pile(2);
    (0..30).for_each(|_| world.step(2e-3).unwrap());
    let (snapshot, seen) = (world.snapshot(), world.frame());
    assert!(seen.contacts.len() > 2);
    (0..30).for_each(|_| world.step(2e-3).unwrap());
    let first = world.frame();
    world.restore(&snapshot).unwrap();
    assert_eq!(world.frame(), seen);
    (0..30).for_each(|_| world.step(2e-3).unwrap());
    assert_eq!(world.frame(), first);
    // and in a world that has done nothing yet
    let mut other = pile(2);
    other.restore(&snapshot).unwrap();
    assert_eq!(other.frame(), seen);
    (0..30).for_each(|_| other.step(2e-3).unwrap());
    assert_eq!(other.frame(), first);
}

#[test]
fn threads_do_not_change_a_bit() {
    // enough particles for several blocks
    let frames: Vec<_> = [1, 2, 3]
        .map(|threads| {
            let mut world = pile(14);
            world.set_threads(threads);
            (0..8).for_each(|_| world.step(2e-3).unwrap());
            world.frame()
        })
        .to_vec();
    assert!(frames[0] == frames[1] && frames[0] == frames[2]);
}

#[test]
fn a_step_allocates_nothing() {
    let mut world = pile(3);
    let mut frame = world.frame();
    (0..150).for_each(|_| world.step(2e-3).unwrap());
    world.write_frame(&mut frame);
    frame.contacts.reserve(1000);
    let before = common::allocations();
    for _ in 0..50 {
        world.step(2e-3).unwrap();
        world.write_frame(&mut frame);
    }
    assert_eq!(common::allocations() - before, 0);
    assert!(!frame.contacts.is_empty());
}
