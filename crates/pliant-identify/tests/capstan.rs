//! Capstan laws against the reference numbers, and what is identified against what was put in.
#![allow(clippy::unwrap_used)]

mod common;

use std::f64::consts::PI;

use common::Noise;
use pliant_identify::capstan::{Capstan, Making, Pull, Rig, Theory, identify, read, simulate};

const RIG: Rig = Rig { drum: 0.02, radius: 0.002, young: 4.462e6, poisson: 0.5012 };

fn law(theory: Theory) -> Capstan {
    Capstan { rig: RIG, coefficient: 1.296, exponent: 0.7616, theory }
}

fn near(a: f64, b: f64, part: f64) -> bool {
    (a - b).abs() <= part * b.abs()
}

#[test]
fn laws_have_the_numbers_of_their_closed_forms() {
    let [power, extension] = [Theory::PowerLaw, Theory::Extension].map(law);
    for (angle, pull) in [(0.5, 2.1139681), (1.0, 3.9890723), (2.0, 11.2705749), (4.0, 51.8249078)] {
        assert!(near(power.pull(1.0, angle * PI), pull, 1e-7), "{} for {pull}", power.pull(1.0, angle * PI));
    }
    // references/capstan.json, power_law_extensible_radius
    for (angle, pull) in [(0.5, 2.1135455698612318), (1.0, 3.9870310509020688), (2.0, 11.251684879778226)] {
        assert!(near(extension.pull(1.0, angle * PI), pull, 1e-7), "{} for {pull}", extension.pull(1.0, angle * PI));
    }
    let classical = Capstan { coefficient: 0.3, exponent: 1.0, ..law(Theory::Classical) };
    assert!(near(classical.pull(2.0, PI), 2.0 * 2.566332395208135, 1e-12));
    // thickness alone: a cable that hardly resists bending, T0 exp(a theta) with a (1 + (r/Rc) mu a) = mu R/Rc
    let limp = Rig { young: 1e3, poisson: 0.0, ..RIG };
    let thick = Capstan { rig: limp, coefficient: 0.3, exponent: 1.0, theory: Theory::Thickness };
    assert!(near(thick.pull(1e3, 2.0 * PI), 1e3 * 5.4796234764188725, 2e-3), "{}", thick.pull(1e3, 2.0 * PI));
}

/// Loads and angles of a day in the laboratory, each measured `repeats` times with this noise.
fn measured(law: &Capstan, noise: f64, repeats: usize, random: &mut Noise) -> Vec<Pull> {
    let mut pulls = vec![];
    for load in [0.2, 0.5, 1.0, 2.0] {
        for angle in [0.5, 1.0, 1.5, 2.0].map(|turns| turns * PI) {
            for _ in 0..repeats {
                let pull = law.pull(load, angle) * (1.0 + noise * random.normal());
                pulls.push(Pull { load, angle, pull });
            }
        }
    }
    pulls
}

/// Of days with 2 % noise, at least nine in ten have the truth within their intervals, for each number that is told.
#[test]
fn intervals_contain_the_truth_as_often_as_they_say() {
    // with thickness it takes minutes
    let long = std::env::var("PLIANT_LONG").is_ok();
    let trials = if long { 100 } else { 40 };
    let theories = [Theory::PowerLaw, Theory::Extension, Theory::Thickness];
    for theory in theories.into_iter().filter(|theory| long || *theory != Theory::Thickness) {
        let (truth, mut random) = (law(theory), Noise(7));
        let mut inside = [0; 2];
        for _ in 0..trials {
            let found = identify(&measured(&truth, 0.02, 1, &mut random), RIG, theory).unwrap();
            for (k, value) in [truth.coefficient, truth.exponent].into_iter().enumerate() {
                let [low, high] = found.parameters[k].interval.unwrap();
                inside[k] += usize::from(low <= value && value <= high);
            }
            assert!(!found.is_refuted() || found.misfit.unwrap().probability > 1e-4, "{:?}", found.misfit);
        }
        assert!(inside.iter().all(|n| 10 * n >= 9 * trials), "{theory:?}: {inside:?} of {trials}");
    }
}

/// The seed's four numbers come back; stiffness does not show in these pulls, and that is said.
#[test]
fn what_pulls_do_not_tell_is_not_invented() {
    let truth = law(Theory::Extension);
    let found = identify(&measured(&truth, 0.02, 3, &mut Noise(1)), RIG, Theory::Extension).unwrap();
    let told = |name: &str| found.parameters.iter().find(|p| p.name == name).unwrap().interval.is_some();
    assert!(told("friction.coefficient") && told("friction.exponent"), "{found:?}");
    assert!(!told("young") && !told("poisson"), "{found:?}");
    // without noise they are told, at least their ratio: 1 % of pulls is not nothing
    let softer = Rig { young: 3e6, ..RIG };
    let exact = identify(&measured(&truth, 0.0, 1, &mut Noise(1)), softer, Theory::Extension).unwrap();
    let ratio = |p: f64, e: f64| p / e;
    let got = ratio(exact.value("poisson").unwrap(), exact.value("young").unwrap());
    assert!(near(got, ratio(RIG.poisson, RIG.young), 0.02), "{exact:?}");
}

/// Data of a thick, stiff cable are not those of the thin law, and repeated measurements show it.
#[test]
fn a_theory_that_does_not_fit_is_refuted() {
    let truth =
        Capstan { rig: Rig { young: 40e6, ..RIG }, coefficient: 0.35, exponent: 1.0, theory: Theory::Thickness };
    let mut random = Noise(5);
    let mut pulls = vec![];
    for load in [0.6, 1.0, 3.0, 10.0] {
        for angle in [PI, 2.0 * PI, 3.0 * PI] {
            for _ in 0..5 {
                pulls.push(Pull { load, angle, pull: truth.pull(load, angle) * (1.0 + 0.01 * random.normal()) });
            }
        }
    }
    let wrong = identify(&pulls, truth.rig, Theory::Classical).unwrap();
    assert!(wrong.is_refuted() && wrong.misfit.unwrap().beyond > 0.02, "{:?}", wrong.misfit);
    let right = identify(&pulls, truth.rig, Theory::Thickness).unwrap();
    assert!(!right.is_refuted(), "{:?}", right.misfit);
}

/// The simulated rig slides where theory says, and its data give the friction back that was put in.
#[test]
fn the_simulated_rig_gives_its_friction_back() {
    // limp for its drum: where a stiff cable lifts off, a point force acts on one link, with friction that depends on its length
    let rig = Rig { drum: 0.04, radius: 0.001, poisson: 0.49, ..RIG };
    let truth = Capstan { rig, coefficient: 0.5, exponent: 0.8, theory: Theory::Thickness };
    let mut pulls = vec![];
    for load in [0.3, 1.0] {
        for angle in [0.5 * PI, PI, 1.5 * PI] {
            pulls.push(simulate(&truth, load, angle, Making::default()).unwrap());
        }
    }
    for p in &pulls {
        assert!(near(p.pull, truth.pull(p.load, p.angle), 0.03), "{p:?} for {}", truth.pull(p.load, p.angle));
    }
    let found = identify(&pulls, rig, Theory::Thickness).unwrap();
    // pulls to 1 %: coefficient and exponent make up for each other
    assert!(near(found.value("friction.coefficient").unwrap(), 0.5, 0.1), "{found:?}");
    assert!((found.value("friction.exponent").unwrap() - 0.8).abs() < 0.04, "{found:?}");
}

#[test]
fn tables_are_read_and_faults_are_told() {
    let pulls = read("# a day\nT0, T, angle_deg\n1.0, 2.0, 180\n0.5, 1.1, 180\n".as_bytes()).unwrap();
    assert_eq!(pulls.len(), 2);
    assert!((pulls[0].angle - PI).abs() < 1e-12 && pulls[1].load == 0.5);
    let told = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
    assert!(told("t0,angle\n1,2\n").contains("there is no column t"), "{}", told("t0,angle\n1,2\n"));
    assert!(told("t0,t,angle\n1,-2,3\n").contains("line 2: t must be a positive number, not `-2`"));
    assert!(told("t0,t,angle\n1,2\n").contains("line"), "{}", told("t0,t,angle\n1,2\n"));
    let few = identify(&pulls, RIG, Theory::PowerLaw).unwrap_err().to_string();
    assert!(few.contains("measure at least 3 pulls"), "{few}");
}
