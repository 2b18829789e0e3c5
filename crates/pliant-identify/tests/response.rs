//! Modes from blows: data made by Runge and Kutta's method, with noise, give what they were made of as often as they say.
#![allow(clippy::unwrap_used)]

mod common;

use std::f64::consts::{PI, TAU};

use common::Noise;
use pliant_identify::response::{Blow, Spot, Struck, identify, read};

/// Frequencies [Hz], damping ratios, and shapes [1/sqrt(kg)] at four points upwards of a thing of some hundred grams.
const MODES: [(f64, f64, [f64; 4]); 3] =
    [(18.0, 0.02, [2.6, 1.7, 0.8, 0.3]), (43.0, 0.04, [2.2, -0.9, -1.9, -1.1]), (71.0, 0.03, [1.8, -2.0, 0.7, 1.9])];
/// What each point gives way at once [m/N].
const AT_ONCE: f64 = 3e-5;
const POINTS: [[f64; 3]; 4] = [[0.1, 0.0, 0.02], [0.07, 0.0, 0.02], [0.04, 0.01, 0.02], [0.02, 0.0, 0.02]];
const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// The force of a hammer with a soft tip: the square of half a sine of 10 ms from 5 ms on.
fn hammer(peak: f64, t: f64) -> f64 {
    let at = (t - 0.005) / 0.01;
    if (0.0..1.0).contains(&at) { peak * (PI * at).sin().powi(2) } else { 0.0 }
}

/// Courses of an oscillator q'' + 2 zeta omega q' + omega^2 (q + cubic q^3) = force at multiples of a time, by the classical method of Runge
/// and Kutta with twenty steps in each.
fn swung([omega, ratio, cubic]: [f64; 3], force: impl Fn(f64) -> f64, every: f64, count: usize) -> Vec<f64> {
    let rate =
        |t: f64, [q, v]: [f64; 2]| [v, force(t) - 2.0 * ratio * omega * v - omega * omega * (q + cubic * q * q * q)];
    let along = |y: [f64; 2], d: [f64; 2], by: f64| [y[0] + by * d[0], y[1] + by * d[1]];
    let h = every / 20.0;
    let (mut state, mut list) = ([0.0; 2], vec![0.0]);
    for step in 0..20 * (count - 1) {
        let t = step as f64 * h;
        let a = rate(t, state);
        let b = rate(t + 0.5 * h, along(state, a, 0.5 * h));
        let c = rate(t + 0.5 * h, along(state, b, 0.5 * h));
        let d = rate(t + h, along(state, c, h));
        state = [0, 1].map(|n| state[n] + h / 6.0 * (a[n] + 2.0 * b[n] + 2.0 * c[n] + d[n]));
        if step % 20 == 19 {
            list.push(state[0]);
        }
    }
    list
}

/// A blow of a strength [N] on a point, of a solid whose first mode may be nonlinear. Without noise.
fn blow(point: usize, peak: f64, cubic: f64) -> Blow {
    let (every, count) = (1e-3, 500);
    let times: Vec<f64> = (0..count).map(|k| k as f64 * every).collect();
    let mut watched: Vec<(Spot, Vec<f64>)> =
        POINTS.map(|point| (Spot { point, direction: UP }, vec![0.0; count])).to_vec();
    for (n, (frequency, ratio, shape)) in MODES.iter().enumerate() {
        let stiffer = if n == 0 { cubic } else { 0.0 };
        let course = swung([TAU * frequency, *ratio, stiffer], |t| hammer(peak * shape[point], t), every, count);
        for (list, by) in watched.iter_mut().zip(shape) {
            list.1.iter_mut().zip(&course).for_each(|(u, q)| *u += by * q);
        }
    }
    watched[point].1.iter_mut().zip(&times).for_each(|(u, t)| *u += AT_ONCE * hammer(peak, *t));
    let forces = times.iter().map(|t| [0.0, 0.0, hammer(peak, *t)]).collect();
    Blow { point: POINTS[point], times, forces, watched }
}

/// Noise of 2 % of the largest displacement in every measurement.
fn noisy(blows: &[Blow], random: &mut Noise) -> Vec<Blow> {
    let every = || blows.iter().flat_map(|blow| &blow.watched).flat_map(|(_, list)| list);
    let size = 0.02 * every().fold(0.0, |m: f64, u| m.max(u.abs()));
    let mut blows = blows.to_vec();
    for blow in &mut blows {
        blow.watched.iter_mut().for_each(|(_, list)| list.iter_mut().for_each(|u| *u += size * random.normal()));
    }
    blows
}

fn trials() -> usize {
    if std::env::var("PLIANT_LONG").is_ok() { 100 } else { 40 }
}

fn holds(found: &Struck, name: &str, truth: f64) -> bool {
    let [low, high] = found.found.number(name).unwrap().interval.unwrap();
    (low..=high).contains(&truth)
}

/// Blows of different strength on three points, watched at four: frequencies, dampings and amplitudes are in their intervals in nine
/// trials of ten, and there are three modes, neither more nor fewer.
#[test]
fn blows_tell_modes_as_often_as_they_say() {
    let clean = [blow(0, 20.0, 0.0), blow(0, 12.0, 0.0), blow(1, 20.0, 0.0), blow(3, 25.0, 0.0)];
    let mut random = Noise(17);
    let (mut three, mut fits, mut given) = (0, 0, 0);
    let mut inside = vec![0; 3 * 6];
    for _ in 0..trials() {
        let found = identify(&noisy(&clean, &mut random)).unwrap();
        fits += usize::from(!found.found.is_refuted());
        if found.modes.len() != 3 {
            continue;
        }
        three += 1;
        given += usize::from(found.at_once[0].is_some_and(|r| (r / AT_ONCE - 1.0).abs() < 0.5));
        for (n, (frequency, ratio, shape)) in MODES.iter().enumerate() {
            let mode = &found.modes[n];
            let sign = mode.shape[0][0].signum();
            let mut told = vec![
                holds(&found, &format!("mode{}.frequency", n + 1), *frequency),
                holds(&found, &format!("mode{}.damping_ratio", n + 1), *ratio),
            ];
            told.extend(mode.shape.iter().zip(shape).map(|([x, within], truth)| (sign * x - truth).abs() <= *within));
            inside[6 * n..6 * n + 6].iter_mut().zip(told).for_each(|(sum, yes)| *sum += usize::from(yes));
        }
    }
    println!("{inside:?} inside, {three} with three modes, {fits} fit, of {}", trials());
    // frequencies, dampings and amplitudes of all modes: some trials less than a hundred cannot tell nine in ten of a single number from
    // nineteen in twenty
    for kind in [0..1, 1..2, 2..6] {
        let numbers = || inside.chunks_exact(6).flat_map(|mode| &mode[kind.clone()]);
        let (sum, count) = (numbers().sum::<usize>(), numbers().count());
        assert!(10 * sum >= 9 * count * trials(), "{sum} of {} numbers {kind:?}", count * trials());
    }
    assert!(trials() < 100 || inside.iter().all(|n| *n >= 90), "{inside:?} of 100");
    assert_eq!(three, trials());
    // one in a hundred is refuted by chance
    assert!(10 * fits >= 9 * trials() && 10 * given >= 9 * trials(), "{fits} fit, {given} at once, of {}", trials());
}

/// A thing that is stiffer the farther it swings, struck softly and hard, is told not to be linear.
#[test]
fn a_nonlinear_thing_is_told() {
    let mut random = Noise(4);
    // the hard blows make the first coordinate swing by 3e-3, where stiffness has grown by a sixth
    let bent = [blow(0, 5.0, 2e4), blow(0, 25.0, 2e4), blow(1, 25.0, 2e4)];
    let found = identify(&noisy(&bent, &mut random)).unwrap();
    assert!(found.found.is_refuted(), "{:?} with {} modes", found.found.misfit, found.modes.len());
    let straight = identify(&noisy(&bent.map(|_| blow(0, 25.0, 0.0)), &mut random)).unwrap();
    assert!(!straight.found.is_refuted(), "{:?}", straight.found.misfit);
}

#[test]
fn what_cannot_be_told_is_said() {
    let mut random = Noise(8);
    // struck where nothing is watched: masses stay unknown
    let mut beside = blow(0, 20.0, 0.0);
    beside.watched.remove(0);
    let told = identify(&[beside.clone()]).unwrap_err().to_string();
    assert!(told.contains("must be watched along the direction in which it is struck"), "{told}");
    // with another blow that is watched, the amplitude there is found as well
    let found = identify(&noisy(&[beside, blow(1, 20.0, 0.0)], &mut random)).unwrap();
    let last = found.spots.len() - 1;
    assert_eq!(found.spots[last].point, POINTS[0]);
    let [x, within] = found.modes[0].shape[last];
    assert!((x.abs() - MODES[0].2[0]).abs() < within.max(0.2), "{x} within {within}");
    assert!(found.at_once[last].is_none());
    // noise alone
    let mut still = blow(0, 20.0, 0.0);
    still.watched.iter_mut().for_each(|(_, list)| list.iter_mut().for_each(|u| *u = 1e-4 * random.normal()));
    let told = identify(&[still]).unwrap_err().to_string();
    assert!(told.contains("well beyond its noise"), "{told}");
    let untold = identify(&[blow(0, 20.0, 0.0)]).unwrap().untold.join("; ");
    assert!(untold.contains("500 Hz") && untold.contains("between the spots"), "{untold}");
}

#[test]
fn tables_are_read_and_faults_are_told() {
    let head = "blow,t,px,py,pz,fz,qx,qy,qz,uz\n";
    let rows = |blow: u32, q: f64| -> String {
        (0..12)
            .map(|k| format!("{blow},{},0.1,0,0,{},{q},0,0,{}\n", 0.001 * f64::from(k), k % 3, q * f64::from(k)))
            .collect()
    };
    let text = format!("{head}{}{}{}", rows(1, 0.1), rows(1, 0.2), rows(2, 0.1));
    let blows = read(text.as_bytes()).unwrap();
    assert_eq!(blows.iter().map(|blow| blow.watched.len()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!((blows[0].watched[1].0.point, blows[0].watched[1].1[3]), ([0.2, 0.0, 0.0], 0.2 * 3.0));
    assert_eq!((blows[0].forces[2], blows[0].watched[0].0.direction), ([0.0, 0.0, 2.0], UP));
    let fault = |text: String| read(text.as_bytes()).unwrap_err().to_string();
    let back = fault(format!("{head}{}1,0.001,0.1,0,0,0,0.1,0,0,0\n", rows(1, 0.1)));
    assert!(back.contains("line 14: t must grow"), "{back}");
    let moved = fault(format!("{head}{}1,0.9,0.3,0,0,0,0.1,0,0,0\n", rows(1, 0.1)));
    assert!(moved.contains("strikes two points"), "{moved}");
    let short = fault(format!("{head}{}1,0,0.1,0,0,0,0.3,0,0,0\n", rows(1, 0.1)));
    assert!(short.contains("the same times and forces"), "{short}");
    assert!(fault("blow,t,px,py,pz,fz,qx,qy,qz\n".into()).contains("ux, uy or uz"));
}
