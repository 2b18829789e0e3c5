//! Kahl and Henrich on the number of points: how it changes the force of bending (Fig. 3), and how many steps a change takes from one end to
//! the other (II.B).

use std::f64::consts::FRAC_PI_2;

use pliant::math::Vec3;

use super::lattice_pictures::{Chart, Panel, Series};
use super::lattice_steps::exponent;
use super::{Results, chain, scene, shape};
use crate::Failure;
use pliant_record::short;

const ROTATION: &str = include_str!("../../scenes/000-rotation.toml");

/// Length of the rod [m].
const LENGTH: f64 = 0.15;

/// Fig. 3 and the speed of changes.
pub fn points(results: &mut Results) -> Result<(), Failure> {
    results.choice("rod", "that of Table 1, with other numbers of points; all its other parameters stay");
    results.choice("angles of (9)", "(pi/2) / (N - 1) as printed; a quarter circle of N points has N - 2 joints");
    bending(results)?;
    travelling(results)
}

/// The right-hand side of (9), as printed.
fn printed(points: f64) -> f64 {
    let c = 1.0 - (FRAC_PI_2 / (points - 1.0)).cos();
    c * (0.5 * c).sqrt()
}

/// The force of bending on the end of a rod that is bent to a quarter circle [N].
fn end_force(points: usize, law: &str) -> Result<f64, Failure> {
    let count = points.to_string();
    let changes = [("body.rod.points", count.as_str()), ("body.rod.chain.bending", law)];
    let scene = scene(ROTATION, "scenes/000-rotation.toml", &changes)?;
    let mut rod = chain(&scene.world)?.clone();
    // segments keep their lengths, so that bending alone pushes
    let segment = LENGTH / (points - 1) as f64;
    let turn = FRAC_PI_2 / (points - 2) as f64;
    let mut places = vec![Vec3::ZERO];
    for k in 0..points - 1 {
        let angle = turn * k as f64;
        places.push(places[k] + segment * Vec3::new(angle.cos(), 0.0, angle.sin()));
    }
    rod.set_points(&places).map_err(|e| Failure::Run(e.to_string()))?;
    Ok(rod.internal_forces()[points - 1].length())
}

/// Whether a number has lost almost all influence: a ratio within a fifth of 1.
fn unchanged(ratio: f64) -> bool {
    (0.8..=1.25).contains(&ratio)
}

fn bending(results: &mut Results) -> Result<(), Failure> {
    let ratio = printed(10.0) / printed(5.0);
    results.statement(
        "(9) as printed: force with 10 points over that with 5, 0.8 to 1.25 (\"greater than four N loses almost all influence\")",
        "-",
        ratio,
        unchanged(ratio),
    );
    let mut series = vec![];
    let counts = [4, 5, 6, 8, 10, 15, 20, 30, 40];
    for (law, name) in [("paper", "the paper's law, (3) and (4)"), ("linear", "moments linear in the angle (ours)")] {
        let forces: Result<Vec<f64>, Failure> = counts.iter().map(|n| end_force(*n, law)).collect();
        let forces = forces?;
        let ratio = forces[4] / forces[1];
        let what = format!("{name}: force on the end of a quarter circle with 10 points over that with 5, 0.8 to 1.25");
        results.statement(what, "-", ratio, unchanged(ratio));
        // the end is pushed with an arm of one segment
        results.remark(format!("{name}: the moment with 10 points is {} of that with 5.", short(ratio * 4.0 / 9.0)));
        let points = counts.iter().zip(&forces).map(|(n, f)| [*n as f64, f / forces[1]]).collect();
        series.push(Series { label: name.into(), points, marks: false });
    }
    let points = (4..=40).map(|n| [f64::from(n), printed(f64::from(n)) / printed(5.0)]).collect();
    series.push(Series { label: "(9) as printed".into(), points, marks: false });
    let panels = vec![Panel { label: "force, that with 5 points being 1".into(), log: true, series }];
    let chart = Chart {
        title: "Force of bending against the number of points (Fig. 3)".into(),
        label: "N".into(),
        log: true,
        panels,
    };
    results.pictures.push(("000-points-fig3".into(), chart.svg()));
    Ok(())
}

/// Steps until the far end of a straight rod has done this part of the way by which the other end was drawn along it.
fn steps(points: usize, update: &str, part: f64) -> Result<Option<f64>, Failure> {
    let count = points.to_string();
    let path = format!("[[0, 0, 0], [{LENGTH}, 0, 0]]");
    let (drawn, step) = (1e-4, 0.00025);
    let motion = format!("{{ speed = {{ velocity = [-{}, 0, 0], end = {step} }} }}", drawn / step);
    let changes = [
        ("gravity", "[0, 0, 0]"),
        ("duration", "60"),
        ("body.rod.points", count.as_str()),
        ("body.rod.path", path.as_str()),
        ("body.rod.chain.update", update),
        ("body.rod.chain.gripper_rate", "4000"),
        ("gripper.hand.grips", "[{ body = \"rod\", at = { node = 0 } }]"),
        ("gripper.hand.motion", motion.as_str()),
        ("expect", "[]"),
    ];
    let mut scene = scene(ROTATION, "scenes/000-rotation.toml", &changes)?;
    let first = shape(&scene.world)?[points - 1].x;
    for step in 1..=20_000 {
        scene.world.step(scene.step).map_err(|e| Failure::Run(format!("a rod that is drawn: {e}")))?;
        if first - shape(&scene.world)?[points - 1].x >= part * drawn {
            return Ok(Some(f64::from(step)));
        }
    }
    Ok(None)
}

fn travelling(results: &mut Results) -> Result<(), Failure> {
    results.choice(
        "a change",
        "one end of a straight rod without weight is drawn along it by 0.1 mm in one step; it has come to the other end when that has done half of the way, or a hundredth",
    );
    for (update, name) in [("relative", "relative limits, (18)"), ("dynamics", "dynamics, (20)")] {
        for (part, said) in [(0.5, "half"), (0.01, "a hundredth")] {
            let mut seen = vec![];
            for points in [6, 11, 21, 41] {
                let what = format!(
                    "{name}: steps until {said} of a pull has come through {points} points, over their number, 2 to 3"
                );
                let found = steps(points, update, part)?;
                let times = found.map_or(f64::INFINITY, |steps| steps / points as f64);
                results.statement(what, "-", times, (2.0..=3.0).contains(&times));
                seen.extend(found.map(|steps| [points as f64, steps]));
            }
            if seen.len() > 2 {
                let power = exponent(&seen);
                let what = format!(
                    "{name}: steps until {said} of it has come through go with the number of points to a power of 1 (0.8 to 1.2)"
                );
                results.statement(what, "-", power, (0.8..=1.2).contains(&power));
            }
        }
    }
    results.remark(
        "A step carries a force from a point to its neighbours only: no change can come through N points in fewer than N - 1 steps.",
    );
    Ok(())
}
