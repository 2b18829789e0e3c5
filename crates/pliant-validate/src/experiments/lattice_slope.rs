//! Joukhadar's Fig. 32: a wheel that turns and a cube that topples on a slope, for three coefficients of friction.

use pliant::World;
use pliant::math::Vec3;

use super::lattice_pictures::{GROUND, Picture, View};
use super::lattice_steps::{Whole, inertia, solid};
use super::{Results, run, scene};
use crate::Failure;
use pliant_record::short;

const SLOPE: &str = include_str!("../../scenes/003-slope.toml");
const ANGLE: f64 = 50.0;
const GRAVITY: f64 = 9.81;

/// Direction down the slope.
fn down() -> Vec3 {
    let (sin, cos) = ANGLE.to_radians().sin_cos();
    Vec3::new(cos, 0.0, -sin)
}

/// State of a body: its speed down the slope [m/s], its angular velocity about the horizontal [rad/s], and its rotation
/// since the start [rad].
#[derive(Clone, Copy)]
struct State {
    speed: f64,
    turning: f64,
    turned: f64,
}

/// A run: states of wheel and cube after each step of the scene, and shapes for the strip.
struct Descent {
    times: Vec<f64>,
    states: [Vec<State>; 2],
    shots: Vec<World>,
}

/// Instants of the strip [s].
const SHOTS: [f64; 5] = [0.0, 0.15, 0.3, 0.45, 0.6];

fn descend(friction: f64) -> Result<Descent, Failure> {
    let text = format!("{friction}");
    let mut scene = scene(SLOPE, "scenes/003-slope.toml", &[("obstacle.slope.friction.coefficient", &text)])?;
    let mut found = Descent { times: vec![], states: [vec![], vec![]], shots: vec![] };
    let (mut turned, step) = ([0.0; 2], scene.step);
    run(&mut scene, |moment| {
        let time = moment.world.time();
        for n in 0..2 {
            let body = solid(moment.world, n)?;
            let whole = Whole::of(body);
            // forward about y
            let turning = whole.spin.y / inertia(body, Vec3::Y);
            turned[n] += turning * step;
            found.states[n].push(State { speed: whole.velocity.dot(down()), turning, turned: turned[n] });
        }
        found.times.push(time);
        if SHOTS.iter().any(|t| (t - time).abs() < 0.5 * step) {
            found.shots.push(moment.world.clone());
        }
        Ok(())
    })?;
    Ok(found)
}

impl Descent {
    /// Slope of a straight line fitted to a quantity between two times.
    fn rate(&self, n: usize, [from, to]: [f64; 2], of: fn(&State) -> f64) -> f64 {
        let points: Vec<[f64; 2]> = self.times.iter().zip(&self.states[n]).map(|(t, s)| [*t, of(s)]).collect();
        let within: Vec<&[f64; 2]> = points.iter().filter(|p| p[0] >= from && p[0] <= to).collect();
        let count = within.len() as f64;
        let mean = |k: usize| within.iter().map(|p| p[k]).sum::<f64>() / count;
        let (t, v) = (mean(0), mean(1));
        let (up, across) =
            within.iter().fold((0.0, 0.0), |(u, a), p| (u + (p[0] - t) * (p[1] - v), a + (p[0] - t).powi(2)));
        up / across
    }
}

/// Fig. 32: a wheel and a cube on a slope.
pub fn slope(results: &mut Results) -> Result<(), Failure> {
    results.choice("slope", "50 degrees: a cube topples above 45 if friction lets it; not given");
    results.choice(
        "frictions",
        "0.02, 0.2 and 1.5; not given. A wheel rolls from tan(50)/3 = 0.397 on, a cube holds from 1.19 on",
    );
    results.choice(
        "column paper",
        "closed forms: wheel (2/3) g sin a, or g (sin a - c cos a) with r alpha = 2 c g cos a; cube g (sin a - c cos a)",
    );
    results.choice(
        "wheel",
        "a prism of 24 sides, radius 0.1 m, so soft in contact that it rolls on more than one of \
         them: with a stiffer one it slides on a flat side where friction is small, and does not turn",
    );
    results.choice(
        "slides only",
        "r times turning is below a twentieth of the speed; by Coulomb's law any friction turns it",
    );
    let (sin, cos) = ANGLE.to_radians().sin_cos();
    let mut picture =
        Picture::new("Wheel and cube on a slope, at 0, 0.15, 0.3, 0.45 and 0.6 s (Fig. 32)", View::from(0.0, 0.0));
    for (row, (friction, name)) in [(0.02, "small"), (0.2, "middle"), (1.5, "large")].into_iter().enumerate() {
        let run = descend(friction)?;
        let rolls = sin / cos <= 3.0 * friction;
        // a regular polygon's effective radius follows from its inertia: 2 I = m r^2 for round ones
        let radius = 0.1;
        let window = [0.1, 0.55];
        let slides = GRAVITY * (sin - friction * cos);
        let expected = if rolls { 2.0 / 3.0 * GRAVITY * sin } else { slides };
        let found = run.rate(0, window, |s| s.speed);
        results.known(format!("{name} friction: acceleration of the wheel"), "m/s2", expected, found);
        let turning = radius * run.rate(0, window, |s| s.turning);
        let expected = if rolls { expected } else { 2.0 * friction * GRAVITY * cos };
        results.known(format!("{name} friction: r times angular acceleration of the wheel"), "m/s2", expected, turning);
        let ratio = turning / found;
        let (does, holds) = match name {
            "small" => ("slides only", ratio < 0.05),
            "middle" => ("slides and turns", (0.05..0.95).contains(&ratio)),
            _ => ("turns only", (ratio - 1.0).abs() < 0.05),
        };
        results.statement(format!("{name} friction: the wheel {does}; r times turning over speed"), "-", ratio, holds);
        let turned = run.states[1].last().map_or(f64::NAN, |s| s.turned.to_degrees());
        if friction < 1.0 {
            let found = run.rate(1, window, |s| s.speed);
            results.known(format!("{name} friction: acceleration of the cube"), "m/s2", slides, found);
            results.statement(
                format!("{name} friction: the cube slides, turned by"),
                "deg",
                turned,
                turned.abs() < 10.0,
            );
        } else {
            results.statement(format!("{name} friction: the cube topples, turned by"), "deg", turned, turned > 60.0);
        }
        let at = |t: f64| run.times.iter().position(|x| *x >= t - 1e-9).map_or(f64::NAN, |k| run.states[1][k].turned);
        results.remark(format!(
            "{name} friction: cube turned by {} degrees at 0.2 s, {} at 0.4 s, {} at 0.6 s.",
            short(at(0.2).to_degrees()),
            short(at(0.4).to_degrees()),
            short(at(0.6).to_degrees())
        ));
        draw(&mut picture, &run, row, friction)?;
    }
    results.pictures.push(("003-slope".into(), picture.svg()));
    Ok(())
}

/// Draw a row of the strip: wheels above, cubes below, all instants superimposed.
fn draw(picture: &mut Picture, run: &Descent, row: usize, friction: f64) -> Result<(), Failure> {
    for n in 0..2 {
        let moved = [1.9 * row as f64, -1.75 * n as f64];
        // the slope, behind everything
        let across = Vec3::new(-down().z, 0.0, down().x);
        let corners = [down() * -0.25, down() * 1.5, down() * 1.5 - across * 0.03, down() * -0.25 - across * 0.03];
        picture.face(&corners.map(|c| c + Vec3::Y * 5.0), GROUND, moved);
        for world in &run.shots {
            picture.body(solid(world, n)?, &[n], moved);
        }
        if n == 0 {
            picture.note(Vec3::new(0.6, 0.0, 0.35), moved, format!("friction {friction}"));
        }
    }
    Ok(())
}
