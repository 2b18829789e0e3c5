//! Tagawa, Hirota and Hirose's Fig. 5b: a soft cube is held by two fingers and shaken.

use std::f64::consts::TAU;

use super::Results;
use super::lattice_pictures::{Chart, GROUND, Panel, Picture, Series, View};
use super::response_cube::{Course, PAPER_TIME, SIDE, Seen, basis, common_choices, largest};
use crate::Failure;
use pliant::math::Vec3;
use pliant_record::short;

const SHAKE: &str = include_str!("../../scenes/002-shake.toml");

/// Frequency [Hz], amplitude [m] and start [s] of the shaking, as in the scene.
const FREQUENCY: f64 = 2.0;
const AMPLITUDE: f64 = 0.015;
const START: f64 = 1.0;

/// Number of periods at the end in which forces are compared, when the transient has decayed.
const PERIODS: f64 = 4.0;

/// Mean, amplitude and phase of samples at the shaking frequency, over whole periods.
struct Swing {
    mean: f64,
    amplitude: f64,
    phase: f64,
}

impl Swing {
    fn of(seen: &[Seen], value: impl Fn(&Seen) -> f64) -> Swing {
        let count = seen.len() as f64;
        let part = |with: fn(f64) -> f64| {
            seen.iter().map(|s| value(s) * with(TAU * FREQUENCY * (s.frame.time - START))).sum::<f64>() * 2.0 / count
        };
        let (sine, cosine) = (part(f64::sin), part(f64::cos));
        let mean = seen.iter().map(value).sum::<f64>() / count;
        Swing { mean, amplitude: sine.hypot(cosine), phase: cosine.atan2(sine) }
    }
}

/// Force of the cube on a finger along x, averaged over the step [N].
fn force(seen: &Seen, finger: usize) -> f64 {
    seen.frame.grippers[finger].load.force.x
}

/// Fig. 5b: the cube held and shaken.
pub fn shake(results: &mut Results) -> Result<(), Failure> {
    common_choices(results);
    results
        .choice("fingers", "balls of 4 mm that press the middles of two faces in by 11.5 mm; the paper's are points");
    results.choice("amplitude", "15 mm; not given");
    results.choice("friction", "0.8; not given");
    results.choice("damping", "C = beta K with beta = 5 ms, so that what the start leaves dies away; not given");
    basis(results)?;
    let course = Course::new(SHAKE, "scenes/002-shake.toml", &[])?;
    let length = (PERIODS / FREQUENCY / course.step).round() as usize;
    let late = &course.seen[course.seen.len() - length..];
    judge_forces(results, &course, late);
    judge_hold(results, &course);
    let holding = |s: &Seen| s.frame.contacts.len() == 2;
    let took = course.median(holding);
    results.rows.push(super::Row {
        quantity: "time of a step with forces at two fingers, median; paper: at most".into(),
        unit: "ms",
        paper: Some(1e3 * PAPER_TIME),
        ours: Some(1e3 * took),
        holds: took <= PAPER_TIME,
    });
    draw(results, &course);
    Ok(())
}

fn judge_forces(results: &mut Results, course: &Course, late: &[Seen]) {
    let both = Swing::of(late, |s| force(s, 0) + force(s, 1));
    let rigid = course.mass * (TAU * FREQUENCY).powi(2) * AMPLITUDE;
    let centre = Swing::of(late, |s| s.place.x);
    let moved = course.mass * (TAU * FREQUENCY).powi(2) * centre.amplitude;
    results.statement(
        "shaking \"changes the forces\": amplitude of their sum",
        "N",
        both.amplitude,
        both.amplitude > 0.1 * rigid,
    );
    // a mass on the springs of the squeeze, driven below resonance
    let pressed = 0.5
        * (force(&course.seen[(START / course.step) as usize], 1)
            - force(&course.seen[(START / course.step) as usize], 0));
    let stiffness = 2.0 * pressed / 0.0115;
    let own = (stiffness / course.mass).sqrt() / TAU;
    let gain = 1.0 / (1.0 - (FREQUENCY / own).powi(2));
    results.statement(
        "that over m (2 pi f)^2 A of a rigid cube; above 1, since it is driven below its own frequency in the fingers",
        "-",
        both.amplitude / rigid,
        both.amplitude > rigid && FREQUENCY < own,
    );
    results.remark(format!(
        "A rigid cube would need {} N. Pressed by {} N over 11.5 mm a side, the fingers hold it like springs of {} N/m in all: its own \
         frequency in them is about {} Hz, for which a mass on springs has {} of that force at 2 Hz.",
        short(rigid),
        short(pressed),
        short(stiffness),
        short(own),
        short(gain)
    ));
    results.statement(
        "the same over m (2 pi f)^2 times the amplitude of its centre of mass, 1 to 1 %",
        "-",
        both.amplitude / moved,
        (both.amplitude / moved - 1.0).abs() < 0.01,
    );
    // Newton's second law in every step: the force of the fingers is the rate of momentum
    let off = largest(course.seen.windows(2).map(|w| {
        let rate = (w[1].velocity - w[0].velocity) * (course.mass / course.step);
        let fingers: Vec3 = w[1].frame.grippers.iter().map(|g| g.load.force).sum();
        (fingers + rate).length()
    }));
    results.statement(
        "sum of forces less rate of momentum, largest of all steps over the amplitude, below 1e-6",
        "-",
        off / both.amplitude,
        off < 1e-6 * both.amplitude,
    );
    let (left, right) = (Swing::of(late, |s| -force(s, 0)), Swing::of(late, |s| force(s, 1)));
    let apart = ((left.phase - right.phase).to_degrees().rem_euclid(360.0) - 180.0).abs();
    results.statement("pressures left and right are in antiphase: off 180 degrees by", "deg", apart, apart < 5.0);
    results.remark(format!(
        "Pressures swing by {} N about {} N left and by {} N about {} N right.",
        short(left.amplitude),
        short(left.mean),
        short(right.amplitude),
        short(right.mean)
    ));
}

fn judge_hold(results: &mut Results, course: &Course) {
    let from = course.seen.iter().position(|s| s.frame.contacts.len() == 2).unwrap_or(0);
    let held = &course.seen[from..];
    let lost = held.iter().filter(|s| s.frame.contacts.len() != 2).count();
    results.statement("it stays held: steps without a finger on it", "-", lost as f64, lost == 0);
    let off = |s: &Seen| {
        let middle = s.frame.grippers.iter().map(|g| g.pose.translation).sum::<Vec3>() / 2.0;
        (s.place - middle).reject_from(Vec3::X).length()
    };
    let slipped = largest(held.iter().map(off)) / SIDE;
    results.statement(
        "its centre stays between the fingers: off their line at most, over the side",
        "-",
        slipped,
        slipped < 0.01,
    );
}

/// Draw shapes over a period, and the forces.
fn draw(results: &mut Results, course: &Course) {
    let mut picture =
        Picture::new("A soft cube is shaken by two fingers, over one period (Fig. 5b)", View::from(12.0, 14.0));
    let start = course.seen[course.seen.len() - 1].frame.time - 1.0 / FREQUENCY;
    for n in 0..8 {
        let seen = course.at(start + f64::from(n) / (8.0 * FREQUENCY));
        let moved = [0.21 * f64::from(n % 4), -0.19 * f64::from(n / 4)];
        course.draw(&mut picture, seen, 0, moved);
        for (gripper, out) in seen.frame.grippers.iter().zip([-1.0, 1.0]) {
            finger(&mut picture, gripper.pose.translation, out, moved);
        }
        // a mark at the rest position of the fingers' midpoint, so that shapes beside each other can be compared
        let mark = [[-0.001, -0.06], [0.001, -0.06], [0.001, -0.053], [-0.001, -0.053]];
        picture.face(&mark.map(|[x, z]| Vec3::new(x, -0.05, z)), GROUND, moved);
        picture.note(Vec3::new(0.0, 0.0, -0.09), moved, format!("{:.3} s", seen.frame.time));
    }
    results.pictures.push(("002-shake".into(), picture.svg()));
    let series = |label: &str, value: &dyn Fn(&Seen) -> f64| Series {
        label: label.into(),
        points: course.seen.iter().map(|s| [s.frame.time, value(s)]).collect(),
        marks: false,
    };
    let chart = Chart {
        title: "Forces of a soft cube on the fingers that shake it (Fig. 5b)".into(),
        label: "time [s]".into(),
        log: false,
        panels: vec![
            Panel {
                label: "pressure [N]".into(),
                log: false,
                series: vec![series("left", &|s| -force(s, 0)), series("right", &|s| force(s, 1))],
            },
            Panel {
                label: "place along x [m]".into(),
                log: false,
                series: vec![
                    series("centre of mass", &|s| s.place.x),
                    series("middle of the fingers", &|s| {
                        s.frame.grippers.iter().map(|g| g.pose.translation.x).sum::<f64>() / 2.0
                    }),
                ],
            },
        ],
    };
    results.pictures.push(("002-shake-forces".into(), chart.svg()));
}

/// Draw a fingertip as the outline of a sphere, with the finger behind it, which points outward along x.
fn finger(picture: &mut Picture, at: Vec3, out: f64, moved: [f64; 2]) {
    let radius = 0.004;
    let tip = (0..=12).map(|n| {
        let angle = (f64::from(n) / 12.0 - 0.5) * TAU / 2.0;
        at + Vec3::new(-out * radius * angle.cos(), 0.0, radius * angle.sin())
    });
    let end = [1.0, -1.0].map(|side| at + Vec3::new(out * 0.03, 0.0, side * radius));
    let points: Vec<Vec3> = tip.chain(end).collect();
    picture.face(&points, 1, moved);
}
