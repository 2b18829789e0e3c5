//! The chain against rods: static shapes, grip loads, frequencies.

use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::math::{Pose, Quat, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Frame, Friction, GripParams, GripperParams, Hold, Load, Material, Place, Section, World};

use super::references::rods_static;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_chain("tip-loaded-cantilever", tip_loaded),
    Case::of_chain("heavy-elastica", heavy_elastica),
    Case::of_chain("steel-rod", steel_rod),
    Case::of_chain("clamped-arch", clamped_arch),
    Case::of_chain("catenary", catenary),
    Case::of_chain("cantilever-frequency", cantilever_frequency),
    Case::of_chain("hanging-chain-frequency", hanging_frequency),
    Case::of_chain("energy", energy),
];

const G: f64 = 9.81;
const DENSITY: f64 = 1100.0;

/// A thin rod along x from the origin; thin, so that its stretch under these loads stays below 1e-5.
struct Rod {
    length: f64,
    radius: f64,
    young: f64,
    density: f64,
    points: usize,
    damping: f64,
}

impl Rod {
    /// A rod with EI = 1e-4 N m2.
    fn thin(points: usize) -> Rod {
        let radius: f64 = 5e-4;
        let young = 1e-4 / Section { radius }.second_moment();
        Rod { length: 0.4, radius, young, density: DENSITY, points, damping: 0.0 }
    }

    /// A thin rod with a given rho A g L^3 / EI.
    fn heavy(points: usize, gamma: f64) -> Rod {
        let mut rod = Rod::thin(points);
        // rho A g L^3 / (E I) with I = A r^2 / 4
        rod.young = 4.0 * rod.density * G * rod.length.powi(3) / (gamma * rod.radius.powi(2));
        rod
    }

    fn rigidity(&self) -> f64 {
        self.young * Section { radius: self.radius }.second_moment()
    }

    fn line_density(&self) -> f64 {
        self.density * Section { radius: self.radius }.area()
    }

    /// First bending frequency of the cantilever [rad/s].
    fn frequency(&self) -> f64 {
        1.875_104_07_f64.powi(2) * (self.rigidity() / self.line_density()).sqrt() / self.length.powi(2)
    }

    fn body(&self, path: Vec<Vec3>) -> Body {
        let material = Material { young: self.young, poisson: 0.5, density: self.density, friction: Friction::NONE };
        let settings = ChainSettings { damping: self.damping, ..ChainSettings::default() };
        let section = Section { radius: self.radius };
        let spec = ChainSpec { material, section, path, points: Some(self.points), settings };
        Body::Chain(Chain::new("rod", spec).unwrap_or_else(|e| unreachable!("a rod of this file: {e}")))
    }

    fn straight(&self) -> Body {
        self.body(vec![Vec3::ZERO, Vec3::X * self.length])
    }
}

/// A world with one body, whose index is 0.
fn world_of(body: Body, gravity: Vec3) -> World {
    let mut world = World::new(gravity);
    built(world.add_body(body));
    world
}

/// Hold a place of the body at a pose; snapping means that place and direction are drawn to the pose.
fn hold(world: &mut World, name: &str, place: f64, hold: Hold, pose: Pose) {
    let gripper = built(world.add_gripper(GripperParams { name: name.into(), placed: pose, motion: Motion::Hold }));
    let place = Place::Fraction(place);
    built(world.add_grip(GripParams { gripper, body: 0, place, hold, from: 0.0, until: f64::INFINITY, snap: true }));
}

fn built<T>(result: Result<T, pliant::BuildError>) -> T {
    result.unwrap_or_else(|e| unreachable!("a world of this file: {e}"))
}

/// Run until nothing moves any more: until the fastest node covers less than 1e-9 of the length in a period.
fn settle(mut world: World, length: f64, period: f64) -> Frame {
    let step = period / 20.0;
    let mut last = world.frame();
    for _ in 0..400 {
        for _ in 0..20 {
            if world.step(step).is_err() {
                return world.frame();
            }
        }
        let now = world.frame();
        let moved = now.bodies[0].nodes.iter().zip(&last.bodies[0].nodes).map(|(a, b)| (*a - *b).length());
        let moved = moved.fold(0.0, f64::max);
        last = now;
        if moved < 1e-9 * length {
            break;
        }
    }
    last
}

/// A clamped rod at rest under gravity and a tip load, with critical damping of its slowest motion.
fn cantilever(mut rod: Rod, angle: f64, gravity: f64, tip_load: f64) -> Frame {
    // a long soft rod swings like a pendulum, a short stiff one like a beam
    let slowest = (rod.frequency().powi(2) + gravity / rod.length).sqrt();
    rod.damping = 2.0 * slowest;
    let turn = Quat::from_rotation_y(-angle);
    let body = rod.body(vec![Vec3::ZERO, turn * Vec3::X * rod.length]);
    let mut world = world_of(body, Vec3::Z * -gravity);
    hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::from_rotation(turn));
    let force = Vec3::Z * -tip_load;
    built(world.add_load(Load { body: 0, place: Place::Fraction(1.0), force, from: 0.0, until: f64::INFINITY }));
    settle(world, rod.length, 6.0 / slowest)
}

fn tip(frame: &Frame) -> Vec3 {
    frame.bodies[0].nodes.last().copied().unwrap_or_default()
}

fn tip_loaded(sheet: &mut Sheet) {
    for reference in rods_static().tip_load_cantilever.iter().filter(|r| [1.0, 5.0, 10.0].contains(&r.load)) {
        let error_at = |points: usize| {
            let rod = Rod::thin(points);
            let (length, load) = (rod.length, reference.load * rod.rigidity() / rod.length.powi(2));
            let tip = tip(&cantilever(rod, 0.0, 0.0, load)) / length;
            (tip, (tip - Vec3::new(1.0 - reference.shortening, 0.0, -reference.drop)).length())
        };
        let (tip, error) = error_at(40);
        // the bound is 2 %; the discretisation gives h^2 = 7e-4 times a number of order one
        sheet.relative(format!("drop / L at P L2/EI = {}", reference.load), 40, -tip.z, reference.drop, 1e-3);
        sheet.scaled(format!("tip error / L at {}", reference.load), 40, [error, 0.0, 1.0], 1e-3);
        if reference.load == 5.0 {
            let errors = [21, 41, 81].map(|n| error_at(n).1);
            sheet.order("tip", [20, 40, 80], errors, 2.0);
        }
    }
}

fn heavy_elastica(sheet: &mut Sheet) {
    for reference in rods_static().heavy_cantilever_horizontal.iter().filter(|r| r.gamma <= 100.0) {
        let at = |points: usize| {
            let rod = Rod::heavy(points, reference.gamma);
            let (length, rigidity) = (rod.length, rod.rigidity());
            let frame = cantilever(rod, 0.0, G, 0.0);
            let tip = tip(&frame) / length;
            let error = (tip - Vec3::new(reference.x_tip, 0.0, reference.y_tip)).length();
            (tip, error, frame.grippers[0].load.torque.y * length / rigidity)
        };
        let gamma = reference.gamma;
        let (tip, error, moment) = at(40);
        sheet.relative(format!("H/W at Gamma = {gamma}"), 40, -tip.z / tip.x, -reference.y_tip / reference.x_tip, 5e-3);
        sheet.scaled(format!("tip error / L at {gamma}"), 40, [error, 0.0, 1.0], 2e-3);
        sheet.relative(format!("clamp moment L/EI at {gamma}"), 40, moment, reference.clamp_moment, 5e-3);
        if gamma == 10.0 {
            let errors = [21, 41, 81].map(|n| at(n).1);
            sheet.order("tip", [20, 40, 80], errors, 2.0);
        }
    }
}

/// Kahl and Henrich's spring steel, 0.5 m long and 2 mm thick, at its true modulus.
fn steel_rod(sheet: &mut Sheet) {
    for r in rods_static().seed000_table5_rod.iter().filter(|r| r.case.starts_with("E=210")) {
        let rod = Rod { length: 0.5, radius: 1e-3, young: 2.1e11, density: 7900.0, points: 40, damping: 0.0 };
        let tip = tip(&cantilever(rod, r.gripper_deg.to_radians(), G, 0.0));
        let straight = 0.5 * Vec3::new(r.gripper_deg.to_radians().cos(), 0.0, r.gripper_deg.to_radians().sin());
        // compared on the sag, which is what bends; the straight line alone would be within 2.5 % of the length
        let reference = (Vec3::new(r.x_tip_m, 0.0, r.y_tip_m) - straight).length();
        sheet.relative(
            format!("sag of the tip at {} deg [m]", r.gripper_deg),
            40,
            (tip - straight).length(),
            reference,
            2e-3,
        );
    }
}

fn clamped_arch(sheet: &mut Sheet) {
    let references = rods_static().postbuckled_elastica;
    for r in references.iter().filter(|r| [0.9, 0.6].contains(&r.end_distance)) {
        let at = |points: usize| {
            let mut rod = Rod::thin(points);
            rod.damping = 4.0 * rod.frequency();
            let span = r.end_distance * rod.length;
            let mut world = world_of(rod.body(arch(rod.length, span)), Vec3::ZERO);
            hold(&mut world, "left", 0.0, Hold::Clamp, Pose::IDENTITY);
            hold(&mut world, "right", 1.0, Hold::Clamp, Pose::from_translation(Vec3::X * span));
            let frame = settle(world, rod.length, 6.0 / rod.frequency());
            let middle = frame.bodies[0].nodes[(points - 1) / 2].z / rod.length;
            (middle, -frame.grippers[0].load.force.x * rod.length.powi(2) / rod.rigidity())
        };
        let (middle, force) = at(41);
        let d = r.end_distance;
        sheet.relative(format!("mid deflection / L at d = {d}"), 41, middle, r.mid_deflection, 5e-3);
        sheet.relative(format!("end force L2/EI at d = {d}"), 41, force.abs(), r.clamped_force, 5e-3);
        if d == 0.6 {
            let errors = [21, 41, 81].map(|n| (at(n).0 - r.mid_deflection).abs());
            sheet.order("mid deflection", [20, 40, 80], errors, 2.0);
        }
    }
}

/// A smooth arch of a given length between two points `span` apart, level at both ends.
fn arch(length: f64, span: f64) -> Vec<Vec3> {
    let shape = |height: f64| -> Vec<Vec3> {
        let at = |i: usize| i as f64 / 400.0;
        let z = |t: f64| height * (std::f64::consts::PI * t).sin().powi(2);
        (0..=400).map(|i| Vec3::new(span * at(i), 0.0, z(at(i)))).collect()
    };
    let measure = |path: &[Vec3]| -> f64 { path.windows(2).map(|w| (w[1] - w[0]).length()).sum() };
    let (mut low, mut high) = (0.0, length);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if measure(&shape(middle)) < length { low = middle } else { high = middle }
    }
    // bisection leaves the length off by rounding only
    shape(high)
}

/// A soft, thin line hung from two points: nearly without bending, so off by the width of its end zones, sqrt(EI/T).
fn catenary(sheet: &mut Sheet) {
    let Some(r) = rods_static().catenary.into_iter().find(|r| r.length == 1.0) else { return };
    let mut rod = Rod { length: 1.0, radius: 5e-5, young: 1e8, density: DENSITY, points: 41, damping: 0.0 };
    let swing = (G / r.sag).sqrt();
    rod.damping = 2.0 * swing;
    let v = vec![Vec3::ZERO, Vec3::new(0.5 * r.span, 0.0, -(0.25 - 0.25 * r.span.powi(2)).sqrt()), Vec3::X * r.span];
    let mut world = world_of(rod.body(v), Vec3::Z * -G);
    hold(&mut world, "left", 0.0, Hold::Position, Pose::IDENTITY);
    hold(&mut world, "right", 1.0, Hold::Position, Pose::from_translation(Vec3::X * r.span));
    let frame = settle(world, 1.0, 6.0 / swing);
    let weight = rod.line_density() * G;
    let tension = &frame.bodies[0].fields[0].values;
    let low = tension.iter().copied().fold(f64::INFINITY, f64::min);
    sheet.relative("sag [m]", 41, -frame.bodies[0].nodes[20].z, r.sag, 1e-3);
    sheet.relative("least tension / weight", 41, low / weight, r.least_tension, 5e-3);
    let pull = frame.grippers[0].load.force.length();
    sheet.relative("pull on a support / weight", 41, pull / weight, r.largest_tension, 5e-4);
}

/// Time between upward crossings of zero of a quantity, over several periods.
fn period(world: &mut World, step: f64, periods: usize, most: f64, mut quantity: impl FnMut(&Frame) -> f64) -> f64 {
    let (mut last, mut crossings) = (quantity(&world.frame()), vec![]);
    while crossings.len() <= periods && world.time() < most {
        if world.step(step).is_err() {
            return f64::NAN;
        }
        let now = quantity(&world.frame());
        if last < 0.0 && now >= 0.0 {
            crossings.push(world.time() - step * now / (now - last));
        }
        last = now;
    }
    match (crossings.first(), crossings.last()) {
        (Some(first), Some(last)) if crossings.len() > periods => (last - first) / periods as f64,
        _ => f64::NAN,
    }
}

/// Give a world's chain a sideways shape.
fn bend(world: &mut World, points: Vec<Vec3>) {
    built(world.set_points(0, &points));
}

fn cantilever_frequency(sheet: &mut Sheet) {
    let mut errors = vec![];
    for points in [11, 21, 41] {
        let rod = Rod::thin(points);
        let mut world = world_of(rod.straight(), Vec3::ZERO);
        hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::IDENTITY);
        // first mode of the clamped-free beam
        let (b, k) = (1.875_104_07_f64, 0.734_095_5_f64);
        let mode = |s: f64| (b * s).cosh() - (b * s).cos() - k * ((b * s).sinh() - (b * s).sin());
        let shape = |i: usize| {
            let s = i as f64 / (points - 1) as f64;
            Vec3::new(rod.length * s, 0.0, -5e-4 * rod.length * mode(s))
        };
        bend(&mut world, (0..points).map(shape).collect());
        let exact = rod.frequency() / std::f64::consts::TAU;
        let measured = 1.0 / period(&mut world, 0.01 / exact, 5, 20.0 / exact, |f| tip(f).z);
        sheet.relative(
            "first frequency [Hz]",
            points,
            measured,
            exact,
            [1.5e-2, 4e-3, 1e-3][[11, 21, 41].iter().position(|n| *n == points).unwrap_or(0)],
        );
        errors.push((measured / exact - 1.0).abs());
    }
    sheet.order("frequency", [10, 20, 40], [errors[0], errors[1], errors[2]], 2.0);
}

/// A line without bending stiffness hung from one end: w = 1.20241278 sqrt(g/L).
fn hanging_frequency(sheet: &mut Sheet) {
    let points = 41;
    let rod = Rod { length: 1.0, radius: 2e-4, young: 1e8, density: DENSITY, points, damping: 0.0 };
    let mut world = world_of(rod.body(vec![Vec3::ZERO, Vec3::Z * -1.0]), Vec3::Z * -G);
    hold(&mut world, "hook", 0.0, Hold::Position, Pose::IDENTITY);
    // first mode, J0(2 w sqrt(s/g)) with s from the free end, near enough: other modes cross zero too seldom to matter
    let shape = |i: usize| {
        let s = i as f64 / (points - 1) as f64;
        let argument = 2.404_825_56 * (1.0 - s).sqrt();
        Vec3::new(-1e-3 * bessel_j0(argument), 0.0, -s)
    };
    bend(&mut world, (0..points).map(shape).collect());
    let exact = 1.202_412_78 * G.sqrt() / std::f64::consts::TAU;
    let measured = 1.0 / period(&mut world, 2e-3, 5, 30.0, |f| tip(f).x);
    sheet.relative("first frequency [Hz]", points, measured, exact, 2e-4);
}

/// J0 by its series, for arguments up to 3.
fn bessel_j0(x: f64) -> f64 {
    let q = -0.25 * x * x;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..25 {
        term *= q / (k * k) as f64;
        sum += term;
    }
    sum
}

/// A rod let go from the horizontal without damping: the rule is symplectic, so its energy swings about the true one
/// by an amount that shrinks with the step and does not drift.
fn energy(sheet: &mut Sheet) {
    let rod = Rod::heavy(21, 30.0);
    let mut world = world_of(rod.straight(), Vec3::Z * -G);
    hold(&mut world, "hinge", 0.0, Hold::Position, Pose::IDENTITY);
    let total = |world: &World| world.frame().bodies[0].energy.total();
    let start = total(&world);
    let swing = rod.line_density() * G * rod.length.powi(2);
    let (mut first, mut last): (f64, f64) = (0.0, 0.0);
    for step in 0..5000 {
        if world.step(1e-3).is_err() {
            last = f64::NAN;
            break;
        }
        let off = (total(&world) - start).abs() / swing;
        if step < 500 {
            first = first.max(off);
        } else if step >= 4500 {
            last = last.max(off);
        }
    }
    sheet.scaled("energy error / swing, first 0.5 s", 21, [first, 0.0, 1.0], 1e-4);
    sheet.scaled("energy error / swing, last of 5 s", 21, [last, 0.0, 1.0], 1e-4);
}
