//! Joints between parts of a solid against closed forms of rigid bodies: a pendulum, springs, and the same along a rail with a
//! damper, a stop and a motor.
//!
//! Parts are stiff enough that what they and the connectors between them give way counts below the tolerances: holding
//! connectors of 1e6 N/m under some newtons give by micrometres of decimetres. Inertia is that of the particles.

use pliant::lattice::{JointKind, JointSpec, LatticeSettings, LatticeSpec, Motor, Part};
use pliant::math::{Pose, Quat, Vec3};
use pliant::{GripParams, GripperParams, Hold, JointFrame, Load, Place, World};

use super::lattice_worlds::{Sums, body_of, lattice, material, world_with};
use super::lattice_worlds::{block, steps};
use super::rods::{G, built};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_lattice("joint-pendulum", pendulum),
    Case::of_lattice("joint-spring", spring),
    Case::of_lattice("joint-slide", slide),
    Case::of_lattice("joint-rail", rail),
];

/// Edge of a cell [m].
const CELL: f64 = 0.02;
/// Young's modulus [Pa]: bars of 1e8 Pa bend so much as they begin to swing that it shows, by 6e-3 of the time.
const YOUNG: f64 = 1e9;
/// Stiffness of each connector that holds parts together [N/m].
const HOLDING: f64 = 1e6;
/// Step of the world [s].
const STEP: f64 = 1e-3;

/// A box with cells of one edge, about a place.
fn part(size: Vec3, at: Vec3, turn: Quat) -> Part {
    let counts = (size / CELL).to_array().map(|n| n.round() as usize);
    match block(size, counts) {
        Part::Solid { cells, rule } => Part::Solid { cells: cells.moved(|p| at + turn * p), rule },
        points => points,
    }
}

/// Two parts that are joined, in some orientation.
fn joined(parts: [Part; 2], joint: JointSpec, turn: Quat) -> LatticeSpec {
    let [first, second] = parts;
    let joint = JointSpec { width: Some(CELL), holding: joint.holding.or(Some(HOLDING)), ..joint };
    // dampers between particles take energy out of what vibrates, not out of what turns
    let mut spec = body_of(first, material(YOUNG, 0.25), LatticeSettings::default());
    spec.parts.push(second);
    spec.connectors.push(pliant::lattice::Connector::Joint(joint));
    spec.placed = Pose::from_rotation(turn);
    spec
}

/// Hold all particles within a box of the body's frame, which is turned in the world: those of its first part.
fn hold(world: &mut World, turn: Quat, low: Vec3, high: Vec3) {
    let gripper = built(world.add_gripper(GripperParams::at("wall", Pose::IDENTITY)));
    let body = built(world.body_at(0));
    let inside: Vec<usize> = (0..lattice(world, 0).size())
        .filter(|n| {
            let p = turn.inverse() * lattice(world, 0).places()[*n];
            p.cmpge(low).all() && p.cmple(high).all()
        })
        .collect();
    for node in inside {
        built(world.add_grip(GripParams::new(gripper, body, Place::Node(node), Hold::Position)));
    }
}

/// The joint now.
fn now(world: &World) -> JointFrame {
    world.frame().bodies[0].joints.first().copied().unwrap_or_default()
}

/// Time at which the joint passes a coordinate [s], between steps by a straight line; NaN if it does not in `most` steps.
fn passes(world: &mut World, value: f64, most: usize) -> f64 {
    let mut before = now(world).position - value;
    for _ in 0..most {
        if !steps(world, STEP, 1) {
            return f64::NAN;
        }
        let after = now(world).position - value;
        if before * after <= 0.0 {
            return world.time() - STEP * after / (after - before);
        }
        before = after;
    }
    f64::NAN
}

/// Length of the bar and of an edge of its section [m].
const BAR: f64 = 0.3;
const EDGE: f64 = 0.02;
/// Distance of its centre from the axis [m].
const ARM: f64 = 0.15;

/// A bar that hangs from a block on an axis along y, at an angle from the vertical [rad], turned about the vertical and the
/// axis' own direction: gravity is turned with it.
fn hanging(angle: f64, turn: Quat, joint: impl FnOnce(JointSpec) -> JointSpec) -> World {
    let base = part(Vec3::new(0.02, 0.02, 0.02), Vec3::new(0.0, 0.04, 0.0), Quat::IDENTITY);
    let lean = Quat::from_rotation_y(-angle);
    let bar = part(Vec3::new(EDGE, EDGE, BAR), lean * (Vec3::Z * -ARM), lean);
    let spec = JointSpec::passive("hinge", JointKind::Revolute, [0, 1], Vec3::Y * 0.02, Vec3::Y);
    let mut world = world_with([joined([base, bar], joint(spec), turn)], turn * (Vec3::Z * -G));
    hold(&mut world, turn, Vec3::new(-0.011, 0.029, -0.011), Vec3::new(0.011, 0.051, 0.011));
    world
}

/// Mass of the bar [kg], and its inertia about the axis [kg m2].
fn bar() -> [f64; 2] {
    let mass = 1000.0 * EDGE * EDGE * BAR;
    [mass, mass * (BAR * BAR + EDGE * EDGE) / 12.0 + mass * ARM * ARM]
}

/// The complete elliptic integral of the first kind, by the arithmetic and the geometric mean.
fn elliptic(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::PI / (2.0 * a)
}

/// A passive hinge: T / 4 = K(sin(a / 2)) sqrt(I / (m g l)), in three orientations of everything.
fn pendulum(sheet: &mut Sheet) {
    let [mass, inertia] = bar();
    for (degrees, turn, name) in [
        (10.0_f64, Quat::IDENTITY, "as built"),
        (60.0, Quat::IDENTITY, "as built"),
        (60.0, Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 0.7), "turned by 40 degrees"),
        (60.0, Quat::from_axis_angle(Vec3::new(-0.3, 0.4, 1.0).normalize(), 2.6), "turned by 149 degrees"),
    ] {
        let angle = degrees.to_radians();
        let mut world = hanging(angle, turn, |joint| joint);
        let expected = elliptic((0.5 * angle).sin()) * (inertia / (mass * G * ARM)).sqrt();
        // it hangs at x > 0 and swings back, which turns it about y by the right hand
        let found = passes(&mut world, angle, 1000);
        // the base gives way, and cells have Verlet's error of (w t)^2 / 24 of long steps: far below
        let text = format!("quarter of a swing from {degrees} degrees, {name} [s]");
        sheet.relative(text, lattice(&world, 0).size(), found, expected, 1e-3);
    }
}

/// Two free bars across each other, hinged at their middles, with a spring and a damper: the angle is
/// r (1 - exp(-d t) (cos w t + d / w sin w t)) with 2 d = mu / J, w^2 = lambda / J - d^2 and 1 / J = 1 / I + 1 / I.
fn spring(sheet: &mut Sheet) {
    let (stiffness, damping, rest) = (0.5, 1e-3, 0.8);
    let size = Vec3::new(BAR - 0.02, EDGE, EDGE);
    let mass = 1000.0 * size.x * size.y * size.z;
    let reduced = 0.5 * mass * (size.x * size.x + size.y * size.y) / 12.0;
    let (first, second) = (-Vec3::Z * 0.01, Vec3::Z * 0.01);
    let across = Quat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    for (name, turn) in
        [("", Quat::IDENTITY), (", turned", Quat::from_axis_angle(Vec3::new(2.0, -1.0, 1.0).normalize(), 1.1))]
    {
        let parts = [part(size, first, Quat::IDENTITY), part(size, second, across)];
        let joint = JointSpec::passive("hinge", JointKind::Revolute, [0, 1], Vec3::ZERO, Vec3::Z);
        let joint = JointSpec { stiffness, damping, rest, ..joint };
        let mut world = world_with([joined(parts, joint, turn)], Vec3::ZERO);
        let decay = 0.5 * damping / reduced;
        let speed = (stiffness / reduced - decay * decay).sqrt();
        let size = lattice(&world, 0).size();
        let first = (rest, 0.25 * std::f64::consts::TAU / speed);
        // the time at which it passes its rest: tan(w t) = -w / d
        let until = (std::f64::consts::FRAC_PI_2 + (decay / speed).atan()) / speed;
        sheet.relative(
            format!("when it passes its rest{name} [s]"),
            size,
            passes(&mut world, first.0, 1000),
            until,
            2e-3,
        );
        // and the peak behind it, at w t = pi
        let mut peak = 0.0_f64;
        while world.time() < 2.5 * first.1 && steps(&mut world, STEP, 1) {
            peak = peak.max(now(&world).position);
        }
        let expected = rest * (1.0 + (-decay * std::f64::consts::PI / speed).exp());
        sheet.relative(format!("how far it swings{name} [rad]"), size, peak, expected, 2e-3);
        let sums = Sums::of(&world);
        let scale = reduced * speed * rest;
        // internal forces: rounding of some hundred steps of each step of the world
        sheet.scaled(format!("angular momentum of both{name}"), size, [sums.own_spin().length(), 0.0, scale], 1e-9);
        sheet.scaled(format!("momentum of both{name}"), size, [sums.momentum.length(), 0.0, scale / BAR], 1e-9);
    }
}

/// Mass of the slider [kg].
fn slider() -> f64 {
    1000.0 * 0.04 * 0.04 * 0.04
}

/// A block that slides on a rail along x of a block that is held, in a gravity.
fn on_rail(gravity: Vec3, turn: Quat, joint: impl FnOnce(JointSpec) -> JointSpec) -> World {
    let base = part(Vec3::new(0.1, 0.02, 0.02), -Vec3::Z * 0.06, Quat::IDENTITY);
    let block = part(Vec3::splat(0.04), Vec3::ZERO, Quat::IDENTITY);
    let spec = JointSpec::passive("slide", JointKind::Prismatic, [0, 1], Vec3::ZERO, Vec3::X);
    let spec = joint(JointSpec { stops: Some([-0.02, 0.25]), ..spec });
    let mut world = world_with([joined([base, block], spec, turn)], turn * gravity);
    hold(&mut world, turn, Vec3::new(-0.1, -0.1, -0.08), Vec3::new(0.1, 0.1, -0.04));
    world
}

/// Along a rail: free fall g t^2 / 2 of a passive joint; a speed at last of m g / mu; swings of sqrt(m / lambda); a stop.
fn slide(sheet: &mut Sheet) {
    let mass = slider();
    for (name, turn) in
        [("", Quat::IDENTITY), (", turned", Quat::from_axis_angle(Vec3::new(2.0, -1.0, 1.0).normalize(), 1.1))]
    {
        // on a slope of 30 degrees, across the rail as well
        let slope = Vec3::new(0.5, 0.5, -0.5_f64.sqrt()) * G;
        let mut world = on_rail(slope, turn, |joint| joint);
        let size = lattice(&world, 0).size();
        let found = passes(&mut world, 0.1, 1000);
        sheet.relative(format!("time of 0.1 m down a slope{name} [s]"), size, found, (0.2 / slope.x).sqrt(), 1e-3);
        let mut world = on_rail(slope, turn, |joint| JointSpec { damping: 2.0, ..joint });
        // 8 times m / mu
        let speed = if steps(&mut world, STEP, 256) { now(&world).speed } else { f64::NAN };
        sheet.relative(format!("its speed at last with a damper{name} [m/s]"), size, speed, mass * slope.x / 2.0, 2e-3);
        let stiffness = 10.0;
        let mut world = on_rail(slope, turn, |joint| JointSpec { stiffness, ..joint });
        // from the stretch where the spring begins to that at which it carries the weight
        let found = passes(&mut world, mass * slope.x / stiffness, 1000);
        let expected = 0.25 * std::f64::consts::TAU * (mass / stiffness).sqrt();
        sheet.relative(format!("quarter of a swing on a spring{name} [s]"), size, found, expected, 2e-3);
    }
    let joint = |joint: JointSpec| JointSpec {
        stops: Some([-0.02, 0.05]),
        stop_stiffness: Some(1e3),
        stop_damping: 4.0,
        damping: 0.1,
        ..joint
    };
    let mut world = on_rail(Vec3::X * G, Quat::IDENTITY, joint);
    let rest = if steps(&mut world, STEP, 2000) { now(&world).position } else { f64::NAN };
    let size = lattice(&world, 0).size();
    sheet.scaled("depth in a stop, over m g / lambda", size, [rest - 0.05, mass * G / 1e3, mass * G / 1e3], 2e-3);
    let drive = Motor::At { speed: 0.1, start: 0.0, end: 1.5 };
    let mut world = on_rail(Vec3::ZERO, Quat::IDENTITY, |joint| JointSpec {
        stiffness: 100.0,
        damping: 2.0,
        motor: Some(drive),
        ..joint
    });
    let done = steps(&mut world, STEP, 1000);
    let moved = if done { now(&world) } else { JointFrame::default() };
    // it lags by mu v / lambda
    sheet.relative("way of a motor of 0.1 m/s in 1 s [m]", size, moved.position, 0.1 - 2.0 * 0.1 / 100.0, 2e-3);
    sheet.relative("its speed [m/s]", size, moved.speed, 0.1, 2e-3);
}

/// Across a rail: each of its two points gives way by F / (lambda (1/a + 1/b)^2), as a TS of 180 degrees does.
fn rail(sheet: &mut Sheet) {
    let (holding, force) = (1e4, 5.0);
    let damping = Vec3::ZERO;
    let mut world =
        on_rail(damping, Quat::IDENTITY, |joint| JointSpec { holding: Some(holding), damping: 10.0, ..joint });
    let body = built(world.body_at(0));
    let (low, high) = (Vec3::splat(-0.021), Vec3::splat(0.021));
    built(world.add_load(Load { rise: 0.2, ..Load::new(body, Place::Box { low, high }, Vec3::Y * force) }));
    let inside: Vec<usize> = (0..lattice(&world, 0).size())
        .filter(|n| lattice(&world, 0).places()[*n].abs().max_element() < 0.021)
        .collect();
    let mean =
        |world: &World| inside.iter().map(|n| lattice(world, 0).places()[*n].y).sum::<f64>() / inside.len() as f64;
    let size = lattice(&world, 0).size();
    let mut sum = 0.0;
    for n in 0..1000 {
        if !steps(&mut world, STEP, 1) {
            sum = f64::NAN;
        }
        // TS have no damper across the plane of their angle: a mean over what still swings
        sum += if n >= 500 { mean(&world) / 500.0 } else { 0.0 };
    }
    // stops of -0.02 and 0.25 and a width of 0.02: half a rail of 0.29 about 0.115, points at -0.01 and 0.01
    let reach = 0.27 + CELL;
    let bend = 0.25 * holding * reach * reach;
    let across = |x: f64| bend * (1.0 / (reach + x - 0.115) + 1.0 / (reach - x + 0.115)).powi(2);
    let expected = force / (across(-0.01) + across(0.01));
    // the base and the slider give way by some hundredths of that
    sheet.relative("deflection of a slider across its rail [m]", size, sum, expected, 2e-2);
}
