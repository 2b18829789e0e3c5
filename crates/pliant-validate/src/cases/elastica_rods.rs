//! The planar rod in equilibrium: shapes, buckling loads, grip forces, stretch.

use std::f64::consts::{FRAC_PI_2, TAU};

use pliant::Rest;
use pliant::contact::ShapeKind;
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec, Slider};
use pliant::math::{Pose, Quat, Vec3};
use pliant::{Body, Frame, Friction, Hold, Load, Material, Place, Rigidities, Section, World};

use super::contact::obstacle;
use super::references::{Heavy, Sample, rods_static};
use super::rods::{G, built, hold, tip, world_of};
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_elastica("tip-loaded-cantilever", tip_loaded),
    Case::of_elastica("heavy-elastica", heavy),
    Case::of_elastica("post-buckled", buckled),
    Case::of_elastica("clamped-arch", arches),
    Case::of_elastica("columns", columns),
    Case::of_elastica("forces-on-grippers", forces),
    Case::of_elastica("stretch", stretch),
    Case::of_elastica("on-the-floor", on_the_floor),
];

/// A thin rod, straight without load, with given EI [N m2] and mass per length [kg/m].
pub fn rod(path: Vec<Vec3>, intervals: usize, ei: f64, mass_per_length: f64) -> ElasticaSpec {
    let material = Material { young: 1e9, poisson: 0.3, density: 1000.0, friction: Friction::NONE };
    let given = Rigidities { radius: 1e-6, mass_per_length, ea: 1e6, ga: 1e6, ei: [ei; 2], gj: ei };
    let settings = ElasticaSettings { self_contact: false, ..ElasticaSettings::default() };
    let (section, rest) = (Section::Explicit(given), Rest::Straight);
    ElasticaSpec { material, section, path, normal: None, rest, intervals, settings }
}

/// A world with one rod.
pub fn world(spec: ElasticaSpec, gravity: f64) -> World {
    world_of(Body::Elastica(built(Elastica::new("rod", spec))), Vec3::Z * -gravity)
}

/// A rotation about y that turns x to an angle above the horizontal [rad].
fn upwards(angle: f64) -> Quat {
    Quat::from_rotation_y(-angle)
}

/// A rod of length 1 m and EI = 1 N m2, clamped at the origin.
fn clamped(intervals: usize, angle: f64, weight: f64) -> World {
    // a weightless rod still has mass
    let (mass, gravity) = if weight > 0.0 { (weight / G, G) } else { (1.0, 0.0) };
    let turn = upwards(angle);
    let mut world = world(rod(vec![Vec3::ZERO, turn * Vec3::X], intervals, 1.0, mass), gravity);
    hold(&mut world, "wall", 0.0, Hold::Clamp, Pose::from_rotation(turn));
    world
}

/// Add a dead force at the tip.
fn pulled(mut world: World, force: Vec3) -> World {
    let (place, torque) = (Place::Fraction(1.0), Vec3::ZERO);
    built(world.add_load(Load { torque, ..Load::new(built(world.body_at(0)), place, force) }));
    world
}

/// The energy minimum found, and the frame a few steps later, when the forces on grippers are known.
fn rests(mut world: World) -> Option<(World, Frame)> {
    let settled = world.settle(world.body_at(0).ok()?).ok()?;
    for _ in 0..3 {
        world.step(1e-3).ok()?;
    }
    let frame = world.frame();
    (settled.falling == 0 && settled.balanced).then_some((world, frame))
}

/// Distance of the tip of a rod at rest from a point [m].
fn tip_off(world: World, x: f64, z: f64) -> f64 {
    rests(world).map_or(f64::NAN, |(_, frame)| (tip(&frame) - Vec3::new(x, 0.0, z)).length())
}

/// Cantilevers with a dead load at the tip.
fn tip_loaded(sheet: &mut Sheet) {
    for r in rods_static().tip_load_cantilever {
        let at = |n| tip_off(pulled(clamped(n, 0.0, 0.0), Vec3::Z * -r.load), 1.0 - r.shortening, -r.drop);
        sheet.scaled(format!("tip error / L at P L2/EI = {}", r.load), 20, [at(20), 0.0, 1.0], 1e-3);
        if r.load == 5.0 {
            sheet.order("tip", [10, 20, 40], [10, 20, 40].map(at), 2.0);
        }
    }
}

/// Cantilevers under their own weight.
fn heavy(sheet: &mut Sheet) {
    let references = rods_static();
    let horizontal = references.heavy_cantilever_horizontal.iter().map(|r| (0.0, r));
    let inclined = references.heavy_cantilever_inclined.iter().map(|r| (r.clamp_deg, &r.heavy));
    for (degrees, r) in horizontal.chain(inclined) {
        let Heavy { gamma, x_tip, y_tip, clamp_moment } = *r;
        // it bends within L / sqrt(Gamma) of the clamp, which needs a few intervals; independent code for linear angles
        // has the same errors: 1.48e-3 with 20 intervals, 3.66e-4 with 40 at Gamma = 100
        let n = if gamma > 100.0 { 160 } else { 20 * (1 + usize::from(gamma > 10.0)) };
        let rest = |n| rests(clamped(n, degrees.to_radians(), gamma));
        let off = |n| rest(n).map_or(f64::NAN, |(_, frame)| (tip(&frame) - Vec3::new(x_tip, 0.0, y_tip)).length());
        sheet.scaled(format!("tip error / L at Gamma = {gamma}, {degrees} deg"), n, [off(n), 0.0, 1.0], 1e-3);
        let moment = rest(n).map_or(f64::NAN, |(_, frame)| frame.grippers[0].load.torque.y);
        sheet.relative(format!("clamp moment L/EI at {gamma}, {degrees} deg"), n, moment, clamp_moment, 2e-3);
        if gamma == 10.0 && degrees == 0.0 {
            sheet.order("tip", [10, 20, 40], [10, 20, 40].map(off), 2.0);
        }
    }
}

/// A curve of length 1 from the origin, starting and ending along x, with its ends `distance` apart; its angle is a
/// sine.
fn arc(distance: f64) -> Vec<Vec3> {
    let count = 400;
    let along = |amplitude: f64| {
        let mut at = Vec3::ZERO;
        let mut path = vec![at];
        for k in 0..count {
            let angle = amplitude * (TAU * (f64::from(k) + 0.5) / f64::from(count)).sin();
            at += Vec3::new(angle.cos(), 0.0, angle.sin()) / f64::from(count);
            path.push(at);
        }
        path
    };
    let (mut low, mut high) = (0.0, 3.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let reached = along(middle)[count as usize].x;
        (low, high) = if reached > distance { (middle, high) } else { (low, middle) };
    }
    along(low)
}

/// A rod of length 1 m and EI = 1 N m2 with its ends clamped along x, `distance` apart.
fn arch(intervals: usize, distance: f64, gamma: f64) -> World {
    let (mass, gravity) = if gamma > 0.0 { (gamma / G, G) } else { (1.0, 0.0) };
    let mut world = world(rod(arc(distance), intervals, 1.0, mass), gravity);
    hold(&mut world, "left", 0.0, Hold::Clamp, Pose::IDENTITY);
    hold(&mut world, "right", 1.0, Hold::Clamp, Pose::from_translation(Vec3::X * distance));
    world
}

/// Post-buckled rods, with clamped ends pushed together.
fn buckled(sheet: &mut Sheet) {
    // a rod whose ends meet can slip along itself without work: it is neutrally stable
    for r in rods_static().postbuckled_elastica.iter().filter(|r| r.end_distance > 0.0) {
        let d = r.end_distance;
        let at = |n: usize| {
            rests(arch(n, d, 0.0))
                .map_or([f64::NAN; 2], |(_, frame)| [frame.bodies[0].nodes[n / 2].z, frame.grippers[1].load.force.x])
        };
        let (coarse, fine) = (at(20), at(80));
        sheet.scaled(format!("mid deflection / L, ends {d} L apart"), 20, [coarse[0], r.mid_deflection, 1.0], 1e-3);
        // a buckling load is off by (k h)^2 / 12 for waves with P = k^2 EI: 0.8 to 1.8 % with 20 intervals
        let bound = |n: f64| 1.5 * r.clamped_force / (12.0 * n * n);
        let text = format!("P L2/EI, ends {d} L apart");
        sheet.relative(&text, 20, coarse[1], r.clamped_force, bound(20.0));
        sheet.relative(&text, 80, fine[1], r.clamped_force, bound(80.0));
        if d == 0.6 {
            let off = |n| (at(n)[1] - r.clamped_force).abs();
            sheet.order("P", [20, 40, 80], [20, 40, 80].map(off), 2.0);
        }
    }
}

/// Largest distance between samples and a rod of length 1.
fn farthest(frame: &Frame, samples: &[Sample]) -> f64 {
    let nodes = &frame.bodies[0].nodes;
    let off = |r: &Sample| {
        let node = (r.s * (nodes.len() - 1) as f64).round() as usize;
        (nodes[node] - Vec3::new(r.x, 0.0, r.y)).length()
    };
    samples.iter().map(off).fold(0.0, f64::max)
}

/// Arches between clamped ends, with and without weight.
fn arches(sheet: &mut Sheet) {
    let references = rods_static();
    for (distance, samples) in &references.clamped_clamped_shape {
        let apart = distance.parse().unwrap_or(f64::NAN);
        let off = |n| rests(arch(n, apart, 0.0)).map_or(f64::NAN, |(_, frame)| farthest(&frame, samples));
        sheet.scaled(format!("shape error / L, no weight, ends {distance} L apart"), 20, [off(20), 0.0, 1.0], 1e-3);
        sheet.order("shape, no weight", [20, 40, 80], [20, 40, 80].map(off), 2.0);
    }
    for (name, r) in &references.clamped_clamped_gravity {
        let rest = |n| rests(arch(n, r.end_distance, r.gamma));
        let off = |n| rest(n).map_or(f64::NAN, |(_, frame)| farthest(&frame, &r.samples));
        sheet.scaled(format!("shape error / L, {name}"), 20, [off(20), 0.0, 1.0], 1e-3);
        sheet.order(&format!("shape, {name}"), [20, 40, 80], [20, 40, 80].map(off), 2.0);
        // as for buckled rods
        let thrust = rest(80).map_or(f64::NAN, |(_, frame)| -frame.grippers[1].load.force.x);
        let bound = 1.5 * r.thrust.abs() / (12.0 * 80.0 * 80.0);
        sheet.relative(format!("thrust L2/EI, {name}"), 80, thrust, r.thrust, bound);
    }
}

/// Whether an upright column is found to be stable.
fn stands(mut column: World) -> bool {
    let settled = column.settle(built(column.body_at(0))).is_ok_and(|s| s.falling == 0 && s.balanced);
    settled && (tip(&column.frame()) - Vec3::Z).length() < 1e-6
}

/// The largest load under which a column stands.
fn bears(between: [f64; 2], column: impl Fn(f64) -> World) -> f64 {
    let [mut low, mut high] = between;
    if !stands(column(low)) || stands(column(high)) {
        return f64::NAN;
    }
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        (low, high) = if stands(column(middle)) { (middle, high) } else { (low, middle) };
    }
    low
}

/// Columns clamped at the bottom: when they buckle, and how far they then lean.
fn columns(sheet: &mut Sheet) {
    let references = rods_static();
    let greenhill = references.critical_loads.self_weight_column_clamped_free;
    let euler = references.critical_loads.euler_clamped_free;
    let heavy = |n: usize| bears([0.5 * greenhill, 2.0 * greenhill], |gamma| clamped(n, FRAC_PI_2, gamma));
    let loaded = |n: usize| bears([0.5 * euler, 2.0 * euler], |p| pulled(clamped(n, FRAC_PI_2, 0.0), Vec3::Z * -p));
    // (k h)^2 / 12 with k of at least about pi / 2: 5e-4
    sheet.relative("largest rho A g L3/EI that stands", 20, heavy(20), greenhill, 1e-3);
    sheet.order("that", [10, 20, 40], [10, 20, 40].map(|n| (heavy(n) - greenhill).abs()), 2.0);
    sheet.relative("largest P L2/EI that stands", 20, loaded(20), euler, 1e-3);
    for n in [10, 20, 40] {
        // buckling load with angles that are linear within intervals
        let (h, cos) = (1.0 / n as f64, (FRAC_PI_2 / n as f64).cos());
        let exact = 6.0 / (h * h) * (1.0 - cos) / (2.0 + cos);
        sheet.relative("the same, against that of linear angles", n, loaded(n), exact, 1e-6);
    }
    sheet.order("that", [10, 20, 40], [10, 20, 40].map(|n| (loaded(n) - euler).abs()), 2.0);
    // half of a pinned rod of twice the length; near the critical load it is sensitive to errors
    for r in references.postbuckled_elastica.iter().filter(|r| r.end_distance < 0.85) {
        let path = vec![Vec3::ZERO, Vec3::new(0.01, 0.0, 1.0).normalize()];
        let mut column = world(rod(path, 40, 1.0, 1.0), 0.0);
        hold(&mut column, "floor", 0.0, Hold::Clamp, Pose::from_rotation(upwards(FRAC_PI_2)));
        let column = pulled(column, Vec3::Z * (-0.25 * r.pinned_force));
        let off = tip_off(column, 2.0 * r.mid_deflection, r.end_distance);
        let text = format!("tip error / L at {:.3} of Euler's load", 0.25 * r.pinned_force / euler);
        sheet.scaled(text, 40, [off, 0.0, 1.0], 1e-3);
    }
}

/// Centre of mass of a rod of length 1, from its angles, which are linear within intervals.
fn centre(world: &World) -> Vec3 {
    let Body::Elastica(rod) = &world.bodies()[0] else { return Vec3::NAN };
    let angles: Vec<f64> = rod.angles().collect();
    let (fine, h) = (200, 1.0 / (angles.len() - 1) as f64);
    let (mut at, mut sum) = (Vec3::ZERO, Vec3::ZERO);
    for ends in angles.windows(2) {
        for k in 0..fine {
            // Simpson's rule for positions, the midpoint rule for the sum
            let direction = |part: f64| {
                let angle = ends[0] + (ends[1] - ends[0]) * (f64::from(k) + part) / f64::from(fine);
                Vec3::new(angle.cos(), 0.0, angle.sin())
            };
            let step = h / f64::from(fine);
            let [a, b, c] = [0.0, 0.5, 1.0].map(direction);
            sum += (at + (a * 5.0 + b * 8.0 - c) * (step / 24.0)) * step;
            at += (a + b * 4.0 + c) * (step / 6.0);
        }
    }
    sum
}

/// Grip loads at rest, against the balance of forces and moments.
fn forces(sheet: &mut Sheet) {
    let mut row = |name: &str, value: Option<f64>, reference: f64| {
        sheet.relative(name, 20, value.unwrap_or(f64::NAN), reference, 1e-6);
    };
    let gamma = 10.0;
    let heavy = rests(clamped(20, 0.5, gamma));
    let load = heavy.as_ref().map(|(_, frame)| frame.grippers[0].load);
    row("weight of a heavy cantilever [N]", load.map(|l| -l.force.z), gamma);
    let arm = heavy.as_ref().map_or(f64::NAN, |(world, _)| centre(world).x);
    row("clamp moment of it, from its centre [N m]", load.map(|l| l.torque.y), gamma * arm);

    let pulled_by = Vec3::new(2.0, 0.0, -3.0);
    let bent = rests(pulled(clamped(20, 0.5, 0.0), pulled_by));
    let load = bent.as_ref().map(|(_, frame)| frame.grippers[0].load);
    row("force of a load at the tip, across [N]", load.map(|l| l.force.x), pulled_by.x);
    row("force of a load at the tip, upwards [N]", load.map(|l| l.force.z), pulled_by.z);
    let moment = bent.as_ref().map_or(f64::NAN, |(_, frame)| tip(frame).cross(pulled_by).y);
    row("clamp moment of it, from its tip [N m]", load.map(|l| l.torque.y), moment);

    let held = rests(arch(20, 0.6, gamma));
    let loads = held.as_ref().map(|(_, frame)| [frame.grippers[0].load, frame.grippers[1].load]);
    row("weight of an arch, left [N]", loads.map(|[l, _]| -l.force.z), 0.5 * gamma);
    row("weight of an arch, right [N]", loads.map(|[_, r]| -r.force.z), 0.5 * gamma);
    row("thrust of an arch, one end against the other [N]", loads.map(|[l, _]| -l.force.x), {
        loads.map_or(f64::NAN, |[_, r]| r.force.x)
    });

    let path = vec![Vec3::ZERO, Vec3::X];
    let mut hung = world(rod(path, 20, 1.0, gamma / G), G);
    hold(&mut hung, "hinge", 0.0, Hold::Position, Pose::IDENTITY);
    let hung = rests(pulled(hung, Vec3::X * 4.0));
    let load = hung.as_ref().map(|(_, frame)| frame.grippers[0].load);
    row("force on a hinge, across [N]", load.map(|l| l.force.x), 4.0);
    row("force on a hinge, upwards [N]", load.map(|l| l.force.z), -gamma);

    let mut propped = rod(vec![Vec3::ZERO, Vec3::X], 20, 1.0, gamma / G);
    let slides = |aligned| Slider { at: 1.0, through: Some(Vec3::ZERO), along: Vec3::X, aligned };
    for aligned in [false, true] {
        propped.settings.sliders = vec![slides(aligned)];
        let mut propped = world(propped.clone(), G);
        hold(&mut propped, "wall", 0.0, Hold::Clamp, Pose::IDENTITY);
        let rest = rests(propped);
        let known = rest.as_ref().and_then(|(world, frame)| match &world.bodies()[0] {
            Body::Elastica(rod) => Some((frame.grippers[0].load, rod.slider_loads()[0], tip(frame), centre(world))),
            _ => None,
        });
        let how = if aligned { "that holds its direction too" } else { "that holds its place" };
        row(
            &format!("weight on a clamp and a slider {how} [N]"),
            known.map(|(wall, slider, ..)| slider.force.z - wall.force.z),
            gamma,
        );
        let moment = known.map(|(wall, slider, tip, _)| wall.torque.y - slider.torque.y - tip.cross(slider.force).y);
        let reference = known.map_or(f64::NAN, |(.., centre)| gamma * centre.x);
        row(&format!("moments on a clamp and a slider {how} [N m]"), moment, reference);
    }
}

/// A rod clamped above a floor that its far part lies on. The touchdown carries no moment, so for a beam of small slope
/// a length s hangs free where H = w s^4 / (72 EI), and the clamp carries 2 w s / 3.
fn on_the_floor(sheet: &mut Sheet) {
    let (weight, height) = (10.0, 1e-3);
    let free = f64::powf(72.0 * height / weight, 0.25);
    for intervals in [20, 40, 80] {
        let mut spec = rod(vec![Vec3::ZERO, Vec3::X], intervals, 1.0, weight / G);
        let given = Rigidities { radius: 1e-4, mass_per_length: weight / G, ea: 1e6, ga: 1e6, ei: [1.0; 2], gj: 1.0 };
        (spec.section, spec.settings.contact_stiffness) = (Section::Explicit(given), Some(1e6));
        let mut lying = world(spec, G);
        hold(&mut lying, "wall", 0.0, Hold::Clamp, Pose::IDENTITY);
        let below = Pose::from_translation(Vec3::Z * -(height + 1e-4));
        obstacle(&mut lying, "floor", ShapeKind::Plane, below);
        let rest = rests(lying);
        let borne = rest.as_ref().map_or(f64::NAN, |(_, frame)| -frame.grippers[0].load.force.z);
        sheet.relative("force on the clamp [N]", intervals, borne, 2.0 / 3.0 * weight * free, 0.2 / intervals as f64);
        let floor: f64 = rest.iter().flat_map(|(_, frame)| &frame.contacts).map(|c| c.force.z).sum();
        sheet.relative("force on clamp and floor [N]", intervals, borne + floor, weight, 1e-4);
    }
}

/// A hanging rod stretched by its weight and by a load at its end.
fn stretch(sheet: &mut Sheet) {
    let (length, mass, ea) = (0.8, 2.0, 150.0);
    for intervals in [5, 20] {
        for load in [0.0, 7.0] {
            let mut spec = rod(vec![Vec3::ZERO, Vec3::Z * -length], intervals, 0.1, mass);
            let given = Rigidities { radius: 1e-6, mass_per_length: mass, ea, ga: ea, ei: [0.1; 2], gj: 0.1 };
            (spec.section, spec.settings.extensible) = (Section::Explicit(given), true);
            let mut hung = world(spec, G);
            hold(&mut hung, "hook", 0.0, Hold::Position, Pose::IDENTITY);
            let rest = rests(pulled(hung, Vec3::Z * -load));
            let reference = length + mass * G * length.powi(2) / (2.0 * ea) + load * length / ea;
            let reached = rest.as_ref().map_or(f64::NAN, |(_, frame)| -tip(frame).z);
            sheet.relative(format!("length with {load} N at the end [m]"), intervals, reached, reference, 1e-6);
            let force = rest.map_or(f64::NAN, |(_, frame)| -frame.grippers[0].load.force.z);
            let text = format!("force on the hook with {load} N at the end [N]");
            sheet.relative(text, intervals, force, mass * G * length + load, 1e-6);
        }
    }
}
