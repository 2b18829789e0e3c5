//! The planar rod in motion: the paper's own equations with few intervals, their limit with many, frequencies, energy,
//! constraints, first contact.

use std::f64::consts::{FRAC_PI_2, TAU};

use pliant::contact::ShapeKind;
use pliant::elastica::Integrator;
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::{Motion, Window};
use pliant::{Body, EventKind, Frame, GripParams, GripperParams, Hold, Place, World};

use super::contact::obstacle;
use super::elastica_rods::{rod, world};
use super::references_motion::{Energies, SwingState, rods_dynamic, semidiscrete};
use super::rods::{G, built, hold, tip};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_elastica("printed-equations", printed_equations),
    Case::of_elastica("many-intervals", many_intervals),
    Case::of_elastica("frequencies", frequencies),
    Case::of_elastica("rigid-rod", rigid_rod),
    Case::of_elastica("energy", energy),
    Case::of_elastica("constraints", constraints),
    Case::of_elastica("first-contact", first_contact),
];

/// The rod of Fig. 4, hung from one end and released from horizontal, without obstacle.
fn swing(intervals: usize, integrator: Integrator, tolerance: Option<f64>) -> World {
    let mut spec = rod(vec![Vec3::ZERO, Vec3::X * -1.0], intervals, 0.1, 1.0);
    spec.settings.integrator = integrator;
    spec.settings.tolerance = tolerance.unwrap_or(spec.settings.tolerance);
    let mut world = world(spec, G);
    hold(&mut world, "hinge", 0.0, Hold::Position, Pose::IDENTITY);
    world
}

/// The rod of Fig. 3 in equilibrium, its ends clamped level and 0.6 m apart; the right one moves to 0.3 m.
fn pushed_arch(integrator: Integrator) -> World {
    let path = [[0.0, 0.0], [0.3, 0.4], [0.6, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
    let mut spec = rod(path, 10, 10.0, 10.0);
    spec.settings.integrator = integrator;
    // below the tolerance of the reference
    spec.settings.tolerance = 1e-9;
    let mut world = world(spec, G);
    hold(&mut world, "left", 0.0, Hold::Clamp, Pose::IDENTITY);
    let window = Window { start: 0.0, end: 0.1 };
    let motion = Motion::Glide { velocity: Vec3::X * -3.0, acceleration: Vec3::ZERO, window };
    let placed = Pose::from_translation(Vec3::X * 0.6);
    let gripper = built(world.add_gripper(GripperParams { name: "right".into(), placed, motion }));
    let (place, hold) = (Place::Fraction(1.0), Hold::Clamp);
    built(world.add_grip(GripParams { snap: true, ..GripParams::new(gripper, built(world.body_at(0)), place, hold) }));
    built(world.settle(built(world.body_at(0))));
    world
}

/// Step until a time; false if a step fails.
fn run(world: &mut World, until: f64, step: f64) -> bool {
    while world.time() < until - 0.5 * step {
        if world.step(step).is_err() {
            return false;
        }
    }
    true
}

/// Distance of a node from a point in the plane [m].
fn off(frame: &Frame, node: usize, [x, z]: [f64; 2]) -> f64 {
    (frame.bodies[0].nodes[node] - Vec3::new(x, 0.0, z)).length()
}

fn angle(world: &World, node: usize) -> f64 {
    match &world.bodies()[0] {
        Body::Elastica(rod) => rod.angles().nth(node).unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

/// Absolute errors of the energies [J].
fn energies_off(frame: &Frame, known: Energies) -> [f64; 3] {
    let got = frame.bodies[0].energy;
    [got.kinetic - known.kinetic, got.elastic - known.bending, got.gravity - known.gravity].map(f64::abs)
}

/// Largest error of each quantity; NaN stays NaN.
fn keep_largest<const N: usize>(worst: &mut [f64; N], errors: [f64; N]) {
    for (worst, error) in worst.iter_mut().zip(errors) {
        *worst = if error > *worst || error.is_nan() { error } else { *worst };
    }
}

/// Largest errors of the rod of Fig. 4: tip, middle, first and last angle, kinetic, bending and gravity energy.
fn swing_errors(n: usize, samples: &[SwingState], how: (Integrator, Option<f64>), step: f64) -> [f64; 7] {
    let mut world = swing(n, how.0, how.1);
    let mut worst = [0.0; 7];
    for r in samples {
        let arrived = run(&mut world, r.t, step);
        let frame = world.frame();
        let [kinetic, bending, gravity] = energies_off(&frame, r.energies).map(|e| e / G);
        let angles = [angle(&world, 0) - r.theta0, angle(&world, n) - r.theta_n].map(f64::abs);
        let places = [off(&frame, n, r.tip), off(&frame, n / 2, r.mid)];
        let errors = [places[0], places[1], angles[0], angles[1], kinetic, bending, gravity];
        keep_largest(&mut worst, if arrived { errors } else { [f64::NAN; 7] });
    }
    worst
}

/// Figs. 3 and 4 with the paper's 10 intervals, against independent code for the same equations, exact in time.
fn printed_equations(sheet: &mut Sheet) {
    let references = semidiscrete();
    // the reference is good to 1e-9; the midpoint rule is off by (w T)^2 / 24 with w of about 100 rad/s
    let tolerance = 1e-5;
    for (&n, samples) in &references.fig4_without_obstacle {
        for integrator in [Integrator::Fehlberg, Integrator::Midpoint] {
            let worst = swing_errors(n, samples, (integrator, None), 5e-4);
            let names = ["tip / L", "middle / L", "first angle", "last angle"];
            let energies = ["kinetic energy / swing", "bending energy / swing", "gravity energy / swing"];
            for (name, error) in names.into_iter().chain(energies).zip(worst) {
                // the midpoint rule is less accurate for the fastest waves, which show only in the angles
                if integrator == Integrator::Midpoint && name.ends_with("angle") {
                    continue;
                }
                sheet.scaled(format!("Fig. 4, {integrator:?}: {name}"), n, [error, 0.0, 1.0], tolerance);
            }
        }
        let errors =
            [5e-4, 2.5e-4, 1.25e-4].map(|step| swing_errors(n, samples, (Integrator::Midpoint, Some(1e-11)), step));
        for (k, name) in [(0, "tip"), (2, "first angle"), (3, "last angle")] {
            let text = format!("{name} in time, Midpoint, steps per second");
            sheet.order(&text, [2000, 4000, 8000], errors.map(|e| e[k]), 2.0);
        }
    }
    for (&n, samples) in &references.fig3_ideal_jumps {
        let mut world = pushed_arch(Integrator::Fehlberg);
        let mut worst = [0.0; 3];
        for r in samples {
            let arrived = run(&mut world, r.t, 1e-3);
            let frame = world.frame();
            let error = if arrived { off(&frame, n / 2, r.mid) } else { f64::NAN };
            sheet.scaled(format!("Fig. 3: middle / L at {} s", r.t), n, [error, 0.0, 1.0], tolerance);
            let mut errors = energies_off(&frame, r.energies).map(|e| e / samples[0].energies.bending);
            // the reference starts with its velocity at time 0, the rod reaches it in its first step
            errors[0] = if r.t == 0.0 { 0.0 } else { errors[0] };
            keep_largest(&mut worst, if arrived { errors } else { [f64::NAN; 3] });
        }
        for (name, error) in ["kinetic", "bending", "gravity"].into_iter().zip(worst) {
            sheet.scaled(format!("Fig. 3: {name} energy / that of bending"), n, [error, 0.0, 1.0], tolerance);
        }
    }
}

/// Fig. 4 with more and more intervals, against the limit computed by another method.
fn many_intervals(sheet: &mut Sheet) {
    let reference = rods_dynamic().seed001_fig4_without_obstacle;
    let error = |n: usize| {
        let mut world = swing(n, Integrator::Fehlberg, None);
        let mut squares = 0.0;
        for r in &reference.samples {
            if !run(&mut world, r.t, 1e-3) {
                return f64::NAN;
            }
            for (at, [x, z]) in [(0.5, r.mid), (1.0, r.tip)] {
                let place = built(world.bodies()[0].place_pose(Place::Fraction(at))).translation;
                squares += (place - Vec3::new(x, 0.0, z)).length_squared();
            }
        }
        (squares / reference.samples.len() as f64).sqrt()
    };
    let errors = [5, 10, 20, 40].map(error);
    // second order from 1.1e-3 with the paper's 10
    sheet.scaled("tip and middle error / L", 10, [errors[1], 0.0, 1.0], 2e-3);
    sheet.scaled("tip and middle error / L", 40, [errors[3], 0.0, 1.0], 1.5e-4);
    sheet.order("tip and middle", [5, 10, 20], [errors[0], errors[1], errors[2]], 2.0);
    sheet.order("tip and middle", [10, 20, 40], [errors[1], errors[2], errors[3]], 2.0);
}

/// Angular frequency near `near` at which the spectrum of evenly sampled values peaks [rad/s].
fn peak(values: &[f64], step: f64, near: f64) -> f64 {
    let height = |omega: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (k, value) in values.iter().enumerate() {
            // Hann window, which suppresses other modes
            let window = (0.5 * TAU * k as f64 / values.len() as f64).sin().powi(2);
            let (sin, cos) = (omega * step * k as f64).sin_cos();
            (re, im) = (re + window * value * cos, im + window * value * sin);
        }
        re.hypot(im)
    };
    let (mut centre, mut width) = (near, 0.02 * near);
    for _ in 0..12 {
        let best = (-5..=5).map(|k| centre + width * f64::from(k) / 5.0);
        centre = best.max_by(|a, b| height(*a).total_cmp(&height(*b))).unwrap_or(f64::NAN);
        width *= 0.4;
    }
    centre
}

/// Lateral positions of the tip of a rod of length 1 m, held at its upper end and released slightly bent [m].
fn sways(intervals: usize, [ei, mass, gravity]: [f64; 3], how: Hold, step: f64) -> Vec<f64> {
    let bent = |k: i32| {
        let s = f64::from(k) / 100.0;
        Vec3::new(1e-3 * s * s, 0.0, -s)
    };
    let mut spec = rod((0..=100).map(bent).collect(), intervals, ei, mass);
    spec.settings.integrator = Integrator::Midpoint;
    let mut world = world(spec, gravity);
    hold(&mut world, "hook", 0.0, how, Pose::from_rotation(Quat::from_rotation_y(FRAC_PI_2)));
    let mut values = vec![];
    for _ in 0..10_000 {
        values.push(if world.step(step).is_ok() { tip(&world.frame()).x } else { f64::NAN });
    }
    values
}

/// Frequencies of rods that swing and bend a little. The midpoint rule is slow by (w T)^2 / 12. Curvature is constant
/// within an interval, which makes a rod too stiff by h^2/12 times the ratio of its squared slope to its square, and a
/// frequency too high by half of that: the error is second order in the interval, and Richardson extrapolation of 20
/// and 40 intervals is of fourth order.
fn frequencies(sheet: &mut Sheet) {
    let references = rods_dynamic();
    for r in &references.hanging_rod_frequencies {
        let how = if r.bc == "pinned" { Hold::Position } else { Hold::Clamp };
        let step = 0.02 / r.omega[1];
        let values = [20, 40].map(|n| sways(n, [r.ei, r.rho, G], how, step));
        for (n, &omega) in r.omega.iter().take(2).enumerate() {
            let [coarse, fine] = [0, 1].map(|k| peak(&values[k], step, omega) * (1.0 + (omega * step).powi(2) / 12.0));
            let text = format!("frequency {} of a hanging rod, {} [rad/s]", n + 1, r.bc);
            // the fourth-order term is below the square of the second-order one; through a Hann window of N periods the
            // same peak at its negative frequency leaks by 1/(2 N)^3
            let (off, periods) = ((coarse - fine) / omega, omega * step * 10_000.0 / TAU);
            let tolerance = 1e-5 + (2.0 * periods).powi(-3) + 20.0 * off * off;
            sheet.relative(text, 40, (4.0 * fine - coarse) / 3.0, omega, tolerance);
        }
    }
    let root = references.beam_roots.clamped_free[0];
    let (omega, h) = (root.powi(2), 1.0 / 20.0);
    let step = 0.02 / omega;
    let found = peak(&sways(20, [1.0, 1.0, 0.0], Hold::Clamp, step), step, omega);
    // the curvature of a cantilever's mode is the mode seen from the other end: the ratio of its squared slope to its
    // square is a k (2 + a k) with a = 0.7341, which a sum over the mode confirms
    let ak = 0.734_095_514 * root;
    let known = omega * (1.0 + h * h / 24.0 * ak * (2.0 + ak)) * (1.0 - (omega * step).powi(2) / 12.0);
    sheet.relative("first frequency of a cantilever of 20 intervals [rad/s]", 20, found, known, 2e-5);
}

/// A nearly rigid rod, released from horizontal.
fn rigid_rod(sheet: &mut Sheet) {
    let reference = rods_dynamic().rigid_rod_release_from_horizontal.time_to_vertical_s;
    // bending delays it by rho g L^3 / EI, 1e-4, at most
    let mut spec = rod(vec![Vec3::ZERO, Vec3::X * -1.0], 10, 1e5, 1.0);
    spec.settings.integrator = Integrator::Midpoint;
    let mut world = world(spec, G);
    hold(&mut world, "hinge", 0.0, Hold::Position, Pose::IDENTITY);
    let (step, mut last, mut time) = (1e-3, -1.0, f64::NAN);
    while world.time() < 1.0 && world.step(step).is_ok() {
        let now = tip(&world.frame()).x;
        if now >= 0.0 {
            time = world.time() - step * now / (now - last);
            break;
        }
        last = now;
    }
    sheet.relative("time until it is vertical [s]", 10, time, reference, 1e-3);
}

/// Released from horizontal without damping: energy is conserved.
fn energy(sheet: &mut Sheet) {
    let cases = [
        ("Fehlberg, tolerance 1e-9", Integrator::Fehlberg, Some(1e-9), 1e-6),
        ("midpoint rule, 1 ms", Integrator::Midpoint, None, 1e-4),
    ];
    for (name, integrator, tolerance, allowed) in cases {
        let mut world = swing(10, integrator, tolerance);
        let start = world.frame().bodies[0].energy.total();
        let mut worst = [0.0];
        for _ in 0..5000 {
            let arrived = world.step(1e-3).is_ok();
            let error = (world.frame().bodies[0].energy.total() - start).abs() / G;
            keep_largest(&mut worst, [if arrived { error } else { f64::NAN }]);
        }
        sheet.scaled(format!("energy error / swing in 5 s, {name}"), 10, [worst[0], 0.0, 1.0], allowed);
    }
}

/// Fig. 3 for a second: errors of position and direction at the held ends.
fn constraints(sheet: &mut Sheet) {
    for integrator in [Integrator::Fehlberg, Integrator::Midpoint] {
        let mut world = pushed_arch(integrator);
        let mut worst = [0.0; 2];
        for _ in 0..1000 {
            let arrived = world.step(1e-3).is_ok();
            let frame = world.frame();
            for (node, gripper) in [(0, 0), (10, 1)] {
                let pose = frame.grippers[gripper].pose;
                let away = (frame.bodies[0].nodes[node] - pose.translation).length();
                let errors = [away, angle(&world, node).abs()];
                keep_largest(&mut worst, if arrived { errors } else { [f64::NAN; 2] });
            }
        }
        for (name, error) in ["place / L", "angle"].into_iter().zip(worst) {
            sheet.scaled(format!("largest error of a held {name}, {integrator:?}"), 10, [error, 0.0, 1.0], 1e-6);
        }
    }
}

/// Fig. 4: when the rod meets the obstacle.
fn first_contact(sheet: &mut Sheet) {
    let reference = rods_dynamic().seed001_fig4_without_obstacle.obstacle_first_contact;
    let mut spec = rod(vec![Vec3::ZERO, Vec3::X * -1.0], 40, 0.1, 1.0);
    (spec.settings.contact_stiffness, spec.settings.contact_damping) = (Some(1000.0), Some(100.0));
    let mut world = world(spec, G);
    hold(&mut world, "hinge", 0.0, Hold::Position, Pose::IDENTITY);
    let kind = ShapeKind::Cylinder { radius: reference.r, length: 0.2 };
    let [x, z] = reference.center;
    let placed = Pose::from_parts(Vec3::new(x, 0.0, z), Quat::from_rotation_x(FRAC_PI_2));
    obstacle(&mut world, "circle", kind, placed);
    let mut time = f64::NAN;
    while time.is_nan() && world.time() < 0.5 && world.step(1e-4).is_ok() {
        let touched = world.events().iter().find(|e| matches!(e.kind, EventKind::Touched { .. }));
        time = touched.map_or(f64::NAN, |e| e.time);
    }
    // a step, and the error of 40 intervals
    sheet.scaled("time of first contact [s]", 40, [time, reference.t, 1.0], 5e-4);
}
