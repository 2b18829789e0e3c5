//! The account of energy against closed forms: bodies of all models that move as rigid ones do, so that the work of what acts on them
//! is known.
//!
//! Bodies give way a little, and steps are of first order in some models. So tolerances are the step over the time of the motion, where
//! the way counts, and the square of the frequency of the motion over that of the body, (m w^2 L / E A), where that follows.
//!
//! Where a step itself loses energy, how much follows from its rule, and the closed form has it. Backward Euler's rule, v1 = v0 + h a
//! and x1 = x0 + h v1, loses m (h a)^2 / 2 in a step and goes h^2 a / 2 too far: `xpbd` always, `response` while something touches it and
//! its steps do not resolve its vibrations. The decaying step of `cable` loses c m dv^2 / 2 when an acceleration begins, dv in a step.

use std::f64::consts::{FRAC_PI_6, TAU};
use std::path::Path;

use pliant::{Account, BodyFrame, World};
use pliant_scene::parse;

use super::rods::G;
use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case::of_chain("account", account),
    Case::of_cable("account", account),
    Case::of_xpbd("account", account),
    Case::of_elastica("account", account),
    Case::of_lattice("account", account),
    Case::of_response("account", account),
];

const STEP: f64 = 1e-3;

/// Drag [1/s].
const DRAG: f64 = 4.0;

/// Radius of rods [m].
const RADIUS: f64 = 0.004;

/// c of the decaying step of cables.
const DECAY: f64 = 1.0 / 60.0;

/// The step of backward Euler's rule, for models that use it on a body that something touches [s]; a scene halves that of `response`
/// until it resolves a part of its vibrations.
fn backward(model: &str) -> f64 {
    match model {
        "xpbd" => STEP,
        "response" => 0.5 * STEP,
        _ => 0.0,
    }
}

fn is_solid(model: &str) -> bool {
    matches!(model, "lattice" | "response")
}

/// A world with one body of a model: a straight rod from the origin along a direction, or a box below it; with more of a scene.
fn world(model: &str, [x, z]: [f64; 2], drag: f64, gravity: [f64; 2], friction: f64, more: &str) -> World {
    let shape = if is_solid(model) {
        let height = if z == 0.0 { 0.02 } else { 0.5 * z };
        format!("solid = {{ box = {{ size = [0.06, 0.04, 0.04], cells = [3, 2, 2] }} }}\nposition = [0, 0, {height}]")
    } else {
        let count = match model {
            "chain" => "points",
            "elastica" => "normal = [0, 1, 0]\nintervals",
            _ => "segments",
        };
        let level = if z == 0.0 { RADIUS } else { 0.0 };
        format!("radius = {RADIUS}\npath = [[0, 0, {level}], [{x}, 0, {}]]\n{count} = 10", level + z)
    };
    let text = format!(
        "duration = 10\nstep = {STEP}\ngravity = [{}, 0, {}]\n[material.m]\nyoung = 1e7\npoisson = 0.3\ndensity = 1100\n\
         friction = {{ coefficient = {friction} }}\n[[body]]\nname = \"b\"\nmodel = \"{model}\"\nmaterial = \"m\"\n{shape}\n\
         [body.{model}]\ndrag = {drag}\n{more}",
        gravity[0], gravity[1]
    );
    match parse(&text, "account", Path::new("."), &[]) {
        Ok(scene) => scene.world,
        Err(error) => unreachable!("a scene of this file: {error}"),
    }
}

/// The body after a time [s]; nothing where a step fails.
fn after(world: &mut World, time: f64) -> Option<BodyFrame> {
    let steps = (time / STEP).round() as usize;
    (0..steps).try_for_each(|_| world.step(STEP)).ok()?;
    world.frame().bodies.pop()
}

/// A number of a body, none where it could not be had.
fn of(body: &Option<BodyFrame>, value: impl Fn(&Account) -> f64) -> f64 {
    body.as_ref().map_or(f64::NAN, |body| value(&body.account))
}

fn mass(world: &World) -> f64 {
    world.bodies()[0].moments().volume
}

fn account(sheet: &mut Sheet) {
    let model = sheet.model;
    fall(sheet, model);
    load(sheet, model);
    // drag of a solid by its response acts on its deformation alone
    if model != "response" {
        drag(sheet, model);
    }
    // the same for a hand: without drag it does nothing in whole periods
    if model != "response" {
        grip(sheet, model);
    }
    slope(sheet, model);
}

/// Gravity gives a body that falls m g^2 t^2 / 2, and nothing else does anything, but for what the rule of a step loses.
fn fall(sheet: &mut Sheet, model: &str) {
    let time = 0.5;
    let mut world = world(model, [0.3, 0.0], 0.0, [0.0, -G], 0.0, "");
    let (m, size) = (mass(&world), world.bodies()[0].size());
    let body = after(&mut world, time);
    let kinetic = body.as_ref().map_or(f64::NAN, |body| body.energy.kinetic);
    let given = 0.5 * m * G * G * time * time;
    sheet.relative("energy that gravity gave [J]", size, kinetic, given, 2.0 * STEP / time);
    let lost = match model {
        "xpbd" => given * backward(model) / time,
        "cable" => given * DECAY * (STEP / time).powi(2),
        _ => 0.0,
    };
    // rounding of places a metre away
    let created = of(&body, |account| account.created + account.dissipated() + account.work.total().abs());
    sheet.scaled("created, lost or done otherwise / given", size, [created, lost, given], 1e-9);
}

/// Drag takes the integral of m c v^2, where v = (g / c) (1 - exp(-c t)).
fn drag(sheet: &mut Sheet, model: &str) {
    let time = 0.5;
    let mut world = world(model, [0.3, 0.0], DRAG, [0.0, -G], 0.0, "");
    let (m, size) = (mass(&world), world.bodies()[0].size());
    let (once, twice) = (1.0 - (-DRAG * time).exp(), 1.0 - (-2.0 * DRAG * time).exp());
    let lost = m * G * G / DRAG * (time - 2.0 * once / DRAG + 0.5 * twice / DRAG);
    let body = after(&mut world, time);
    // the rate c, and the time, are each known to half a step
    let tolerance = STEP * (DRAG + 1.0 / time);
    sheet.relative("energy that drag took [J]", size, of(&body, Account::dissipated), lost, tolerance);
}

/// A force along a body that is free does (F t)^2 / (2 m).
fn load(sheet: &mut Sheet, model: &str) {
    let (time, force): (f64, f64) = (0.3, 0.1);
    let place = if is_solid(model) { "{ min = [0.029, -1, -1], max = [1, 1, 1] }" } else { "\"end\"" };
    let more = format!("[[load]]\nbody = \"b\"\nat = {place}\nforce = [{force}, 0, 0]\n");
    let mut world = world(model, [0.3, 0.0], 0.0, [0.0, 0.0], 0.0, &more);
    let (m, size) = (mass(&world), world.bodies()[0].size());
    let done = (force * time).powi(2) / (2.0 * m);
    let body = after(&mut world, time);
    let yields = force * stretch_of(model);
    let tolerance = STEP / time + yields * force / done;
    sheet.relative("work of a load [J]", size, of(&body, |account| account.work.loads), done, tolerance);
}

/// How much longer a body becomes by a force along it [m/N]: L / (E A).
fn stretch_of(model: &str) -> f64 {
    if is_solid(model) { 0.06 / (1e7 * 0.04 * 0.04) } else { 0.3 / (1e7 * std::f64::consts::PI * RADIUS * RADIUS) }
}

/// A hand moves a hanging body up and down: over whole periods it does what drag takes, m c (a w)^2 / 2 for each second, and what the
/// rule of a step loses.
///
/// Backward Euler's rule loses m (a w^2)^2 h / 4 for each second, and the drag of `xpbd`, which comes before the forces of a step and
/// sees none of their change of velocity, is the smaller by c h.
fn grip(sheet: &mut Sheet, model: &str) {
    let (amplitude, frequency, waits, periods): (f64, f64, f64, f64) = (0.04, 1.0, 3.0, 2.0);
    let place = if is_solid(model) { "{ min = [-1, -1, -0.131], max = [1, 1, 1] }" } else { "\"start\"" };
    let more = format!(
        "[[gripper]]\nname = \"hand\"\ngrips = [{{ body = \"b\", at = {place} }}]\nmotion = {{ sinusoid = {{ amplitude = [0, 0, \
         {amplitude}], frequency = {frequency} }} }}\n"
    );
    let mut world = world(model, [0.0, -0.3], DRAG, [0.0, -G], 0.0, &more);
    let (m, size) = (mass(&world), world.bodies()[0].size());
    let (w, wait, time) = (TAU * frequency, waits / frequency, periods / frequency);
    let begun = of(&after(&mut world, wait), |account| account.work.grips);
    let done = of(&after(&mut world, time), |account| account.work.grips) - begun;
    let (fastest, h) = (amplitude * w, backward(model));
    let rate = DRAG * (1.0 - DRAG * h) + 0.5 * w * w * h;
    let expected = 0.5 * m * fastest * fastest * rate * time;
    // what is lifted to and fro is m g a, and known to a part of a step in a period
    let lifted = m * G * amplitude * w * STEP / expected;
    // The hand sets out at full speed V and the weight acts at once. Waves of that are left, by half the rate of drag: of mode n, with
    // k = (2 n - 1) pi / (2 L), 8 m V^2 / (pi (2 n - 1))^2 goes to and fro between hand and body at the start, m V^2 of all, and of the
    // weight 16 / pi^3 (1 + 1/27 + ...) m g V L / c with the speed of sound c, L / c = sqrt(m L / (E A)).
    let stretch = stretch_of(model);
    let waves = m * fastest * (fastest + 0.54 * G * (m * stretch).sqrt());
    let left = waves * ((-0.5 * DRAG * wait).exp() + (-0.5 * DRAG * (wait + time)).exp()) / expected;
    // a hand that goes straight from step to step changes its speed by a w^2 h, and damped connectors take up to m dv^2 / 2 of that
    let jerks = if model == "lattice" { 0.5 * w * w * STEP / DRAG } else { 0.0 };
    let tolerance = 0.5 * lifted * w * STEP + STEP * DRAG + 2.0 * m * w * w * stretch + left + jerks;
    sheet.relative("work of a grip in two periods [J]", size, done, expected, tolerance);
}

/// A body slides down a slope of 30 degrees: friction takes mu m g cos(30) times the way, g (sin - mu cos) t^2 / 2.
fn slope(sheet: &mut Sheet, model: &str) {
    let (time, friction) = (0.4, 0.2);
    let (down, across) = (G * FRAC_PI_6.sin(), G * FRAC_PI_6.cos());
    let floor = "[[obstacle]]\nname = \"floor\"\nshape = { plane = {} }\n";
    let mut world = world(model, [0.3, 0.0], 0.0, [down, -across], friction, floor);
    let (m, size) = (mass(&world), world.bodies()[0].size());
    let faster = down - friction * across;
    // a way that is longer by half a step at the speed at the end, and what the steps lose
    let beyond = 0.5 * faster * time * backward(model);
    let way = 0.5 * faster * time * time + beyond;
    let lost = friction * m * across * way + m * faster * beyond;
    let body = after(&mut world, time);
    // a step of the way, and that it sinks in by a hundredth of the radius while it settles
    let tolerance = 2.0 * STEP / time + 0.01 * RADIUS / (friction * way);
    sheet.relative("energy that friction took on a slope [J]", size, of(&body, Account::dissipated), lost, tolerance);
}
