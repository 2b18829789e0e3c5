//! Blocks in free flight: momentum, energy, Euler's equations, and what a spin stretches.

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

/// Lengths of a block with three different moments of inertia [m].
const SIZE: Vec3 = Vec3::new(0.1, 0.06, 0.04);

/// A spin about the axis of the middle moment of inertia, and a little about the others [rad/s]: it tumbles.
const SPIN: Vec3 = Vec3::new(0.05, 3.0, 0.04);

/// A block of this Young's modulus [Pa] that tumbles.
fn tumbling(young: f64, step: f64) -> World {
    let solid = basis(&block([5, 3, 2], SIZE), Elastic { young, ..elastic(0.3) }, Order::Linear, Some(60));
    let mut spec = spec(Known::Modes(solid), UNDAMPED, step);
    (spec.velocity, spec.spin) = (Vec3::new(0.3, -0.2, 0.1), SPIN);
    world_of(spec, Vec3::ZERO)
}

/// Momentum and angular momentum are kept to rounding while the block tumbles and vibrates; energy to second order in the step.
fn flight(sheet: &mut Sheet) {
    let mut drifts = vec![];
    for (step, count) in [(4e-3, 2000), (2e-3, 4000), (1e-3, 8000)] {
        let mut world = tumbling(YOUNG, step);
        let (first, energy) = (*response(&world).motion(), response(&world).energy(Vec3::ZERO).total());
        // of spin and vibration alone: flight has no part in it
        let own = energy - 0.5 * response(&world).mass() * first.velocity.length_squared();
        let (mut off, mut drift, mut turned) = ([0.0_f64; 2], 0.0_f64, 0.0_f64);
        for _ in 0..count {
            let fine = steps(&mut world, step, 1);
            let (now, body) = (response(&world).motion(), response(&world));
            let momentum = (now.velocity - first.velocity).length() / first.velocity.length();
            let spin = (now.momentum - first.momentum).length() / first.momentum.length();
            off = if fine { [off[0].max(momentum), off[1].max(spin)] } else { [f64::NAN; 2] };
            drift = drift.max((body.energy(Vec3::ZERO).total() - energy).abs() / own);
            turned = turned.max((now.turn * Vec3::Y).angle_between(Vec3::Y));
        }
        // nothing acts: kept as it is, not even rounded
        sheet.scaled("momentum", count, [off[0], 0.0, 1.0], 1e-12);
        sheet.scaled("angular momentum", count, [off[1], 0.0, 1.0], 1e-12);
        // as a body does that spins about its middle axis
        sheet.scaled("its axis turns over [rad]", count, [turned, std::f64::consts::PI, 1.0], 0.3);
        sheet.scaled(
            format!("drift of energy, step {step} s"),
            count,
            [drift, 0.0, 1.0],
            1e-5 * (step / 4e-3_f64).powi(2),
        );
        drifts.push(drift);
    }
    sheet.order("the drift of energy", [2000, 4000, 8000], [drifts[0], drifts[1], drifts[2]], 2.0);
}

/// Euler's equations of a free rigid body by Runge and Kutta's method of fourth order: spin in its own axes, and turn.
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

/// A block so stiff that it is as good as rigid.
fn euler(sheet: &mut Sheet) {
    let time = 4.0;
    let mass = DENSITY * SIZE.x * SIZE.y * SIZE.z;
    let squares = SIZE * SIZE;
    let moments = Vec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y) * (mass / 12.0);
    let exact = by_euler(moments, SPIN, time, 40_000);
    let mut errors = vec![];
    for count in [500, 1000, 2000] {
        let step = time / count as f64;
        let mut world = tumbling(1e9, step);
        let fine = steps(&mut world, step, count);
        let error = response(&world).motion().turn.angle_between(exact);
        errors.push(if fine { error } else { f64::NAN });
        sheet.scaled(
            "angle from Euler's equations [rad]",
            count,
            [error, 0.0, 1.0],
            3e-4 * (500.0 / count as f64).powi(2),
        );
    }
    sheet.order("angle from Euler's equations", [500, 1000, 2000], [errors[0], errors[1], errors[2]], 2.0);
}

/// A bar without Poisson's effect that spins about an axis across it: from its centre,
///
///   E u'' = -rho w^2 x,  u' = 0 at the ends:   u = rho w^2 (l^2 x - x^3 / 3) / (2 E), l the half of its length
///
/// and the same along its width.
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
        // linear elements share the pull out to nodes unevenly, and it slows down by 1e-4 as it stretches
        sheet.relative("stretch at the ends of a spinning bar [m]", cells, value, exact, 0.08 / cells as f64);
    }
}
