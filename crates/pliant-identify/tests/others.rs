//! What shapes, swings and slopes tell, against what was put in; theories against the simulator, which knows nothing of them.
#![allow(clippy::unwrap_used)]

mod common;

use std::f64::consts::PI;

use common::Noise;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::math::{Pose, Vec3};
use pliant::motion::Motion;
use pliant::{Body, Friction, GripParams, GripperParams, Hold, Material, Place, World};
use pliant_identify::shape::{Hanging, Shape};
use pliant_identify::slope::{Slide, Slope};
use pliant_identify::swing::{Swinging, first_mode};
use pliant_identify::{Found, GRAVITY, curl, shape, slope, swing};

fn holds(found: &Found, name: &str, truth: f64) -> bool {
    let [low, high] = found.number(name).unwrap().interval.unwrap();
    low <= truth && truth <= high
}

fn near(a: f64, b: f64, part: f64) -> bool {
    (a - b).abs() <= part * b.abs()
}

/// A soft cable as thick as a pencil lead: EI [N m2] of its material, and kg/m.
const RADIUS: f64 = 0.002;
const YOUNG: f64 = 4.462e6;
const DENSITY: f64 = 1100.0;

fn stiffness() -> f64 {
    YOUNG * 0.25 * PI * RADIUS.powi(4)
}

fn mass() -> f64 {
    DENSITY * PI * RADIUS * RADIUS
}

/// Points of a shape in random order, with noise of 2 % of its length, and of these a part that is anywhere.
fn seen(curve: &[[f64; 2]], length: f64, count: usize, outliers: usize, random: &mut Noise) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> = (0..count)
        .map(|_| {
            let at = random.fraction() * (curve.len() - 1) as f64;
            let (k, part) = (at as usize, at.fract());
            let [a, b] = [curve[k], curve[k + 1]];
            [0, 1].map(|i| a[i] + part * (b[i] - a[i]) + 0.02 * length * random.normal())
        })
        .collect();
    for _ in 0..outliers {
        points.push([0, 1].map(|_| length * (2.0 * random.fraction() - 1.0)));
    }
    points
}

/// The shape of a rod that leaves its clamp at an angle.
fn hung(length: f64, curvature: f64, angle: f64) -> Shape {
    let shape = Shape { length, stiffness: stiffness() / (mass() * GRAVITY), curvature, tip: 0.0 }.clamped(angle);
    assert!((shape.curve().1 - angle).abs() < 1e-9);
    shape
}

fn hanging(length: f64) -> Hanging {
    Hanging { length, mass: mass(), radius: Some(RADIUS), angle: None, curved: false }
}

/// Fits of shapes: a hundred where there is time.
fn trials() -> usize {
    if std::env::var("PLIANT_LONG").is_ok() { 100 } else { 40 }
}

/// Of shapes with 2 % noise in every coordinate, at least nine in ten have the truth within their interval: with the angle of
/// the clamp known, found, and with one point in eight somewhere else.
#[test]
fn hanging_shapes_tell_stiffness_as_often_as_they_say() {
    let length = 0.16;
    let shape = hung(length, 0.0, 0.3);
    let curve = shape.curve().0;
    let mut random = Noise(3);
    for (known, outliers) in [(Some(0.3), 0), (None, 0), (None, 10)] {
        let mut inside = 0;
        for _ in 0..trials() {
            let points = seen(&curve, length, 80, outliers, &mut random);
            let found = shape::identify(&points, Hanging { angle: known, ..hanging(length) }).unwrap();
            inside += usize::from(holds(&found, "bending_stiffness", stiffness()));
            assert!(holds(&found, "bending_stiffness", stiffness()) == holds(&found, "young", YOUNG));
            // those that lie on the cable by chance are not seen to be wrong
            assert!(found.left_out + 5 >= outliers && found.left_out <= outliers + 3, "{}", found.left_out);
        }
        assert!(10 * inside >= 9 * trials(), "{inside} of {} with {known:?} and {outliers} outliers", trials());
    }
}

/// A cable that has been on a drum and hangs: its rest curvature is found beside its stiffness; and without the curvature the theory
/// is said not to fit.
#[test]
fn a_curved_cable_is_told_from_a_stiff_one() {
    let (length, angle) = (0.2, 0.5);
    let curve = hung(length, -8.0, angle).curve().0;
    let known = Hanging { angle: Some(angle), ..hanging(length) };
    let mut random = Noise(11);
    let mut inside = [0; 2];
    for _ in 0..trials() {
        let points = seen(&curve, length, 120, 0, &mut random);
        let found = shape::identify(&points, Hanging { curved: true, ..known }).unwrap();
        inside[0] += usize::from(holds(&found, "bending_stiffness", stiffness()));
        inside[1] += usize::from(holds(&found, "rest_curvature", -8.0));
    }
    assert!(inside.iter().all(|n| 10 * n >= 9 * trials()), "{inside:?} of {}", trials());
    // points with less noise tell that it is no straight cable
    let fine: Vec<[f64; 2]> = curve.iter().map(|p| p.map(|x| x + 0.002 * length * random.normal())).collect();
    let straight = shape::identify(&fine, known).unwrap();
    assert!(straight.is_refuted() && straight.misfit.unwrap().beyond > 0.004 * length, "{:?}", straight.misfit);
    let curved = shape::identify(&fine, Hanging { curved: true, ..known }).unwrap();
    assert!(!curved.is_refuted(), "{:?}", curved.misfit);
}

/// A world with a soft cable of this path, clamped at its start.
fn clamped(path: Vec<Vec3>, segments: usize, settings: CableSettings) -> World {
    let friction = Friction { coefficient: 0.0, exponent: 1.0 };
    let material = Material { young: YOUNG, poisson: 0.4999, density: DENSITY, friction };
    let mut spec = CableSpec::round(material, RADIUS, path.clone(), segments);
    spec.settings = settings;
    let mut world = World::new(Vec3::new(0.0, 0.0, -GRAVITY));
    let cable = world.add_body(Body::Cable(Cable::new("cable", spec).unwrap())).unwrap();
    let along = (path[1] - path[0]).normalize();
    let rotation = pliant::math::Quat::from_rotation_arc(Vec3::X, along);
    let placed = Pose::from_parts(path[0], rotation);
    let hand = world.add_gripper(GripperParams { name: "clamp".into(), placed, motion: Motion::Hold }).unwrap();
    world.add_grip(GripParams::new(hand, cable, Place::Fraction(0.0), Hold::Clamp)).unwrap();
    world
}

/// The simulated cable hangs as the heavy elastica does: its nodes give its stiffness back.
#[test]
fn a_simulated_cable_that_hangs_gives_its_stiffness_back() {
    let (length, angle) = (0.16, 0.3_f64);
    let end = Vec3::new(length * angle.cos(), 0.0, length * angle.sin());
    let settings = CableSettings { drag: 20.0, damping_time: 0.02, ..CableSettings::default() };
    let mut world = clamped(vec![Vec3::ZERO, end], 80, settings);
    world.ready().unwrap();
    while world.time() < 3.0 {
        world.step(0.01).unwrap();
    }
    let points: Vec<[f64; 2]> = world.frame().bodies[0].nodes.iter().map(|p| [p.x, p.z]).collect();
    let found = shape::identify(&points, Hanging { angle: Some(angle), ..hanging(length) }).unwrap();
    // links of 1/80 of the length, whose clamped one is half a link off: second order in 1/80 of bends, first in the clamp
    let value = found.number("bending_stiffness").unwrap().value;
    assert!(near(value, stiffness(), 0.02), "{value} for {}", stiffness());
    assert!(found.deviation < 1e-3 * length, "{}", found.deviation);
}

/// A swing of the theory with 2 % noise, in a hundred trials.
#[test]
fn swings_tell_stiffness_and_damping_as_often_as_they_say() {
    let length = 0.15;
    let known = Swinging { length, mass: mass(), radius: Some(RADIUS) };
    let (frequency, bending) = first_mode(stiffness() / (mass() * GRAVITY * length.powi(3)));
    let (delta, rate) = (0.6, GRAVITY / length);
    let omega = (frequency * rate - delta * delta).sqrt();
    let mut random = Noise(5);
    let mut inside = [0; 3];
    for _ in 0..100 {
        let phase = 2.0 * PI * random.fraction();
        let at = |t: f64| 0.003 + 0.01 * (-delta * t).exp() * (omega * t + phase).cos();
        let track: Vec<[f64; 2]> =
            (0..150).map(|k| 0.01 * f64::from(k)).map(|t| [t, at(t) + 0.02 * 0.01 * random.normal()]).collect();
        let found = swing::identify(&track, known).unwrap();
        inside[0] += usize::from(holds(&found, "bending_stiffness", stiffness()));
        inside[1] += usize::from(holds(&found, "drag", 2.0 * delta));
        inside[2] += usize::from(holds(&found, "damping_time", 2.0 * delta / (bending * rate)));
    }
    // the damping time also depends on the stiffness found, a little
    assert!(inside.iter().all(|n| *n >= 90), "{inside:?} of 100");
    // two modes are not one
    let both: Vec<[f64; 2]> = (0..150)
        .map(|k| 0.01 * f64::from(k))
        .map(|t| [t, (omega * t).cos() + 0.2 * (6.3 * omega * t).cos() + 0.01 * random.normal()])
        .collect();
    assert!(swing::identify(&both, known).unwrap().is_refuted());
}

/// The simulated cable swings as the theory says, and fades by its drag, or by its material.
#[test]
fn a_simulated_swing_gives_stiffness_and_damping_back() {
    let length = 0.15;
    let known = Swinging { length, mass: mass(), radius: None };
    for (drag, damping_time) in [(1.2, 0.0), (0.0, 0.004)] {
        // straight down; a push at the tip for a moment makes it swing by some millimetres
        let settings = CableSettings { drag, damping_time, ..CableSettings::default() };
        let mut world = clamped(vec![Vec3::ZERO, Vec3::new(0.0, 0.0, -length)], 60, settings);
        let cable = world.body_at(0).unwrap();
        let load = pliant::Load {
            until: 0.15,
            rise: 0.05,
            fall: 0.05,
            ..pliant::Load::new(cable, Place::Fraction(1.0), Vec3::X * 4e-4)
        };
        world.add_load(load).unwrap();
        world.ready().unwrap();
        let mut track = vec![];
        while world.time() < 2.5 {
            world.step(1e-3).unwrap();
            // higher modes fade first
            if world.time() > 0.6 {
                track.push([world.time(), world.frame().bodies[0].nodes[60].x]);
            }
        }
        let found = swing::identify(&track, known).unwrap();
        let value = |name: &str| found.number(name).unwrap().value;
        assert!(
            near(value("bending_stiffness"), stiffness(), 0.03),
            "{} for {}",
            value("bending_stiffness"),
            stiffness()
        );
        if drag > 0.0 {
            assert!(near(value("drag"), drag, 0.03), "{} for {drag}", value("drag"));
        } else {
            assert!(near(value("damping_time"), damping_time, 0.05), "{} for {damping_time}", value("damping_time"));
        }
    }
}

#[test]
fn slopes_tell_friction_as_often_as_they_say() {
    let (truth, mut random) = (0.37, Noise(9));
    let mut inside = [0; 2];
    for _ in 0..100 {
        let angles = (0..8).map(|_| f64::atan(truth) * (1.0 + 0.02 * random.normal())).collect();
        let found = slope::identify(&Slope::Onset(angles)).unwrap();
        inside[0] += usize::from(holds(&found, "friction.coefficient", truth));
        let slides = [0.5_f64, 0.6]
            .map(|angle| {
                let pull = GRAVITY * (angle.sin() - truth * angle.cos());
                // 2 % of the whole way
                let at = |t: f64| 0.05 + 0.1 * t + 0.5 * pull * t * t;
                let noise = 0.02 * (at(0.6) - at(0.0));
                let track =
                    (0..30).map(|k| 0.02 * f64::from(k)).map(|t| [t, at(t) + noise * random.normal()]).collect();
                Slide { angle, track }
            })
            .to_vec();
        let found = slope::identify(&Slope::Slides(slides)).unwrap();
        inside[1] += usize::from(holds(&found, "friction.coefficient", truth));
    }
    assert!(inside.iter().all(|n| *n >= 90), "{inside:?} of 100");
    // drag is no friction of Coulomb's
    let faded: Vec<[f64; 2]> = (0..60)
        .map(|k| 0.02 * f64::from(k))
        .map(|t| [t, 0.3 * (t - 0.3 * (1.0 - (-t / 0.3).exp())) + 1e-4 * random.normal()])
        .collect();
    let wrong = slope::identify(&Slope::Slides(vec![Slide { angle: 0.5, track: faded }])).unwrap();
    assert!(wrong.is_refuted(), "{:?}", wrong.misfit);
}

#[test]
fn curls_tell_their_curvature_as_often_as_they_say() {
    let (curvature, length) = (1.0 / 0.06, 0.2);
    let mut random = Noise(21);
    let mut inside = 0;
    for _ in 0..100 {
        let turn = 2.0 * PI * random.fraction();
        let arc: Vec<[f64; 2]> = (0..=200)
            .map(|k| curvature * length * f64::from(k) / 200.0 + turn)
            .map(|a| [0.4 + a.cos() / curvature, -0.1 + a.sin() / curvature])
            .collect();
        let mut points = seen(&arc, length, 70, 0, &mut random);
        for _ in 0..7 {
            points.push([0.3 + 0.3 * random.fraction(), 0.2 * random.fraction()]);
        }
        let found = curl::identify(&points, Some(0.05)).unwrap();
        inside += usize::from(holds(&found, "rest_curvature", curvature) && holds(&found, "kept", 0.05 * curvature));
    }
    assert!(inside >= 90, "{inside} of 100");
    // a straight cable has none
    let line: Vec<[f64; 2]> = (0..50).map(|k| [0.01 * f64::from(k), 0.3 + 5e-4 * random.normal()]).collect();
    let straight = curl::identify(&line, None).unwrap();
    assert_eq!(straight.number("rest_curvature").unwrap().interval.unwrap()[0], 0.0, "{straight:?}");
    // two radii are not one
    let two: Vec<[f64; 2]> = (0..80)
        .map(|k| 0.04 * f64::from(k))
        .map(|a| {
            if a < 1.6 {
                [a.sin(), 1.0 - a.cos()]
            } else {
                [
                    1.0_f64.mul_add(1.6_f64.sin(), 1.6_f64.cos() * (a - 1.6)),
                    1.0 - 1.6_f64.cos() + 1.6_f64.sin() * (a - 1.6),
                ]
            }
        })
        .map(|p| p.map(|x| x + 0.005 * random.normal()))
        .collect();
    assert!(curl::identify(&two, None).unwrap().is_refuted());
}

#[test]
fn tables_are_read_and_faults_are_told() {
    // in a vertical plane at 30 degrees, with one point beside it
    let text: String = (1..20)
        .map(|k| 0.01 * f64::from(k))
        .map(|d| format!("{},{},{}\n", d * (PI / 6.0).cos(), d * (PI / 6.0).sin(), -d * d))
        .collect();
    let points = shape::read(format!("x,y,z\n{text}0.1,-0.1,0\n").as_bytes()).unwrap();
    assert!((points[9][0] - 0.1).abs() < 1e-9 && (points[9][1] + 0.01).abs() < 1e-9, "{:?}", points[9]);
    assert_eq!(shape::read("x [m], z [m]\n1, 2\n".as_bytes()).unwrap(), vec![[1.0, 2.0]]);
    let told = shape::read("x,y\n1,2\n".as_bytes()).unwrap_err().to_string();
    assert!(told.contains("there is no column z") && told.contains("found x, y"), "{told}");
    let told = swing::read("t,x\n0,1\n1,?\n".as_bytes()).unwrap_err().to_string();
    assert!(told.contains("line 3: x must be a number, not `?`"), "{told}");
    let slides = slope::read("angle_deg,t,s\n30,0,0\n30,0.1,0.01\n30,0,0\n40,0,0\n".as_bytes()).unwrap();
    let Slope::Slides(slides) = slides else { panic!("slides") };
    assert_eq!(slides.iter().map(|slide| slide.track.len()).collect::<Vec<_>>(), [2, 1, 1]);
    assert!(matches!(slope::read("angle\n0.3\n".as_bytes()).unwrap(), Slope::Onset(angles) if angles == [0.3]));
    assert!(slope::read("angle_deg\n95\n".as_bytes()).unwrap_err().to_string().contains("0 and 90 degrees"));
    let few = shape::identify(&[[0.0, 0.0]; 3], hanging(0.1)).unwrap_err().to_string();
    assert!(few.contains("at least 8"), "{few}");
    let length = swing::identify(&[[0.0, 0.0]; 20], Swinging { length: -1.0, mass: 0.1, radius: None }).unwrap_err();
    assert!(length.to_string().contains("the length must be positive"), "{length}");
}
