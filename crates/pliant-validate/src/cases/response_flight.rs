//! Blocks in free flight: momentum, energy, Euler's equations, and stretch by spin.

use pliant::World;
use pliant::math::{Quat, Vec3};
use pliant::response::{Damping, Known};
use pliant_fem::{Elastic, Order};

use super::response_worlds::{
    DENSITY, UNDAMPED, YOUNG, basis, block, displacements, elastic, response, rest_of, spec, steps, world_of,
};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_response("free-flight", flight),
    Case::of_response("euler-equations", euler),
    Case::of_response("spinning-bar", stretch),
];

/// Edge lengths of a block with three different moments of inertia [m].
const SIZE: Vec3 = Vec3::new(0.1, 0.06, 0.04);

/// A spin about the axis of the intermediate moment of inertia, and a little about the others [rad/s]: it tumbles.
const SPIN: Vec3 = Vec3::new(0.05, 3.0, 0.04);

/// A tumbling block with a Young's modulus [Pa] and a spin [rad/s].
fn tumbling(young: f64, spin: Vec3, step: f64, gravity: Vec3) -> World {
    let solid = basis(&block([5, 3, 2], SIZE), Elastic { young, ..elastic(0.3) }, Order::Linear, Some(60));
    let mut spec = spec(Known::Modes(solid), UNDAMPED, step);
    (spec.velocity, spec.spin) = (VELOCITY, spin);
    world_of(spec, gravity)
}

/// Initial velocity of the origin of its mesh, which is a corner [m/s].
const VELOCITY: Vec3 = Vec3::new(0.3, -0.2, 0.1);

const GRAVITY: Vec3 = Vec3::new(0.5, 0.0, -9.81);

/// Principal moments of inertia of the block [kg m2].
fn moments() -> Vec3 {
    let (mass, squares) = (DENSITY * SIZE.x * SIZE.y * SIZE.z, SIZE * SIZE);
    Vec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y) * (mass / 12.0)
}

/// A nearly rigid block, as observed by its nodes alone.
struct Sight {
    /// The mean of its nodes, which by symmetry is its centre [m].
    centre: Vec3,
    /// Its body axes.
    axes: [Vec3; 3],
}

impl Sight {
    fn new(world: &World, rest: &[Vec3]) -> Sight {
        let places = &world.frame().bodies[0].nodes;
        let centre = places.iter().sum::<Vec3>() / places.len() as f64;
        let axis = |n: usize| {
            let sum: Vec3 = places.iter().zip(rest).map(|(place, rest)| (*place - centre) * rest[n]).sum();
            sum.normalize_or_zero()
        };
        Sight { centre, axes: [0, 1, 2].map(axis) }
    }

    /// Velocity, angular momentum and kinetic energy of the block, from its positions a step [s] before and after.
    fn between(&self, before: &Sight, after: &Sight, step: f64) -> (Vec3, Vec3, f64) {
        let velocity = (after.centre - before.centre) / (2.0 * step);
        let turning = |n: usize| self.axes[n].cross(after.axes[n] - before.axes[n]) / (2.0 * step);
        let spin = 0.5 * (turning(0) + turning(1) + turning(2));
        let own = Vec3::from_array(self.axes.map(|axis| axis.dot(spin)));
        let momentum = own * moments();
        let of_axes = |v: Vec3| self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z;
        (velocity, of_axes(momentum), 0.5 * own.dot(momentum))
    }
}

/// A nearly rigid block falls along a parabola and keeps its initial angular momentum and energy: measured by the
/// positions of its nodes alone, with velocities by central differences, which are off by the square of spin times step
/// over six.
fn flight(sheet: &mut Sheet) {
    for (step, count) in [(4e-3, 2000), (2e-3, 4000), (1e-3, 8000)] {
        let mut world = tumbling(1e9, SPIN, step, GRAVITY);
        let rest: Vec<Vec3> = world.frame().bodies[0].nodes.iter().map(|place| *place - 0.5 * SIZE).collect();
        let thrown = VELOCITY + SPIN.cross(0.5 * SIZE);
        let (angular, energy) = (moments() * SPIN, 0.5 * SPIN.dot(moments() * SPIN));
        let mut seen = vec![Sight::new(&world, &rest)];
        let (mut off, mut turned) = ([0.0_f64; 4], 0.0_f64);
        for n in 1..=count {
            let fine = steps(&mut world, step, 1);
            seen.push(Sight::new(&world, &rest));
            let time = n as f64 * step;
            let path = 0.5 * SIZE + thrown * time + GRAVITY * (0.5 * time * time);
            off[0] = off[0].max(if fine { (seen[n].centre - path).length() } else { f64::NAN });
            turned = turned.max(seen[n].axes[1].angle_between(Vec3::Y));
            if n >= 2 {
                let (velocity, momentum, moving) = seen[n - 1].between(&seen[n - 2], &seen[n], step);
                let falls = thrown + GRAVITY * (time - step);
                let now = [0.0, (velocity - falls).length(), (momentum - angular).length(), (moving - energy).abs()];
                off = [0, 1, 2, 3].map(|n| if now[n].is_nan() { f64::NAN } else { off[n].max(now[n]) });
            }
        }
        // its spin stretches it by about 1e-9 of its size
        sheet.scaled("centre of its nodes off a parabola [m]", count, [off[0], 0.0, 1.0], 1e-9);
        sheet.scaled("velocity of that off its fall [m/s]", count, [off[1], 0.0, 1.0], 1e-8);
        let square = (SPIN.length() * step).powi(2);
        sheet.scaled("angular momentum seen by nodes", count, [off[2], 0.0, angular.length()], square / 3.0);
        sheet.scaled("energy of spin seen by nodes", count, [off[3], 0.0, energy], square);
        // as a body does that spins about its intermediate axis
        sheet.scaled("its axis turns over [rad]", count, [turned, std::f64::consts::PI, 1.0], 0.3);
    }
    swings(sheet);
}

/// A soft block that tumbles and vibrates conserves its energy, however fast it spins, up to rounding.
fn swings(sheet: &mut Sheet) {
    for (rate, step) in [(1.0, 4e-3), (3.0, 4e-3), (8.0, 4e-3), (8.0, 1e-3)] {
        let mut world = tumbling(YOUNG, SPIN * (rate / 3.0), step, Vec3::ZERO);
        let own = |world: &World| {
            let body = response(world);
            body.energy(Vec3::ZERO).total() - 0.5 * body.mass() * body.motion().velocity.length_squared()
        };
        let (first, mut drift, mut swung) = (own(&world), 0.0_f64, 0.0_f64);
        for _ in 0..4000 {
            let fine = steps(&mut world, step, 1);
            drift = if fine { drift.max((own(&world) - first).abs() / first) } else { f64::NAN };
            swung = swung.max(response(&world).energy(Vec3::ZERO).elastic / first);
        }
        let text = format!("drift of energy at {rate} rad/s, of which {:.1e} go into vibration, step {step} s", swung);
        sheet.scaled(text, 4000, [drift, 0.0, 1.0], 1e-10);
    }
}

/// Euler's equations of a free rigid body by the fourth-order Runge-Kutta method: spin in body axes, and orientation.
fn by_euler(moments: Vec3, mut spin: Vec3, time: f64, count: usize) -> Quat {
    let rate = |w: Vec3| -w.cross(moments * w) / moments;
    let mut turn = Quat::IDENTITY;
    let change = |q: Quat, w: Vec3| q * Quat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0);
    let h = time / count as f64;
    for _ in 0..count {
        let (a, p) = (rate(spin), change(turn, spin));
        let (w, q) = (spin + a * (0.5 * h), turn + p * (0.5 * h));
        let (b, r) = (rate(w), change(q, w));
        let (w, q) = (spin + b * (0.5 * h), turn + r * (0.5 * h));
        let (c, s) = (rate(w), change(q, w));
        let (w, q) = (spin + c * h, turn + s * h);
        let (d, t) = (rate(w), change(q, w));
        spin += (a + (b + c) * 2.0 + d) * (h / 6.0);
        turn += (p + (r + s) * 2.0 + t) * (h / 6.0);
    }
    turn.normalize()
}

/// A nearly rigid block, in steps in which it turns by up to two radians.
fn euler(sheet: &mut Sheet) {
    for (rate, step) in [(1.0, 4e-3), (10.0, 2e-3), (100.0, 2e-3), (1000.0, 2e-3)] {
        // a hundred radians
        let (spin, count) = (SPIN * (rate / SPIN.length()), (100.0 / rate / step).round() as usize);
        let exact = by_euler(moments(), spin, count as f64 * step, 100_000);
        let mut world = tumbling(1e13, spin, step, Vec3::ZERO);
        let fine = steps(&mut world, step, count);
        let error = response(&world).motion().turn.angle_between(exact);
        let error = if fine { error } else { f64::NAN };
        // of fourth order in rotations of a fifth of a radian or less
        sheet.scaled(
            format!("angle from Euler's equations after 100 rad at {rate} rad/s [rad]"),
            count,
            [error, 0.0, 1.0],
            1e-3,
        );
    }
}

/// A bar with Poisson's ratio 0 that spins about a transverse axis: from its centre,
///
///   E u'' = -rho w^2 x,  u' = 0 at the ends:   u = rho w^2 (l^2 x - x^3 / 3) / (2 E), l the half of its length
///
/// and likewise along its width.
fn stretch(sheet: &mut Sheet) {
    let size = Vec3::new(0.1, 0.02, 0.02);
    let spin = 1.0;
    for cells in [4, 8, 16] {
        let solid = basis(&block([cells, 1, 1], size), elastic(0.0), Order::Linear, None);
        let rest = rest_of(&solid);
        let mut spec = spec(Known::Modes(solid), Damping::Rayleigh { mass: 40.0, stiffness: 1e-3 }, 2e-4);
        spec.spin = Vec3::Z * spin;
        let mut world = world_of(spec, Vec3::ZERO);
        let fine = steps(&mut world, 2e-3, 500);
        let moved = displacements(&world, &rest);
        let half = 0.5 * size.x;
        let ends = rest.iter().zip(&moved).filter(|(at, _)| (at.x.abs() - half).abs() < 1e-9);
        let (sum, count) = ends.fold((0.0, 0.0), |(sum, count), (at, u)| (sum + u.x * at.x.signum(), count + 1.0));
        let exact = DENSITY * spin * spin * half.powi(3) / (3.0 * YOUNG);
        let value = if fine { sum / count } else { f64::NAN };
        // linear elements distribute the load unevenly to nodes, and the bar slows down by 1e-4 as it stretches
        sheet.relative("stretch at the ends of a spinning bar [m]", cells, value, exact, 0.08 / cells as f64);
    }
}
