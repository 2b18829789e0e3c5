//! Steps: their tangent against differences, conservation laws, a fine integration, friction and stops.

use super::super::sample::{double_pendulum, tree};
use super::super::*;
use super::{largest, models, random_state};
use crate::math::Vec3;
use crate::random::Random;

/// Why a step is passive, without solving it: for any mean velocity y, h y times the residual is the change of energy. What is
/// left is that of Gauss's quadrature, which grows with the sixth power of the angle by which joints turn in a step.
#[test]
fn the_power_of_the_residual_is_the_change_of_energy() {
    for (turn, most) in [(0.02, 1e-13), (0.1, 1e-8)] {
        let mut worst = 0.0_f64;
        for model in models() {
            let (mut random, n, h) = (Random(18), model.velocities(), 0.02);
            let (mut midpoint, mut y) = (Midpoint::new(&model), vec![0.0; n]);
            for _ in 0..20 {
                let s = random_state(&model, &mut random, turn / h);
                midpoint.begin(&model, &s, h, &mut y);
                y.iter_mut().for_each(|y| *y = turn / h * random.signed());
                midpoint.assemble(&model, &y);
                let power: f64 = y.iter().zip(midpoint.residual()).map(|(y, r)| y * r).sum();
                let kinetic = Dynamics::new(&model).energies(&model, &s.q, &s.v)[0];
                worst = worst.max((midpoint.gain(&model) - h * power).abs() / kinetic);
            }
        }
        println!("{turn} rad in a step: {worst:.1e} of the energy");
        assert!(worst < most, "{worst}");
    }
}

#[test]
fn the_tangent_of_a_step_is_the_derivative_of_its_residual() {
    for model in models() {
        let (mut random, n) = (Random(8), model.velocities());
        let s = random_state(&model, &mut random, 2.0);
        let (mut midpoint, mut y) = (Midpoint::new(&model), vec![0.0; n]);
        for h in [0.05, 0.2] {
            midpoint.begin(&model, &s, h, &mut y);
            y.iter_mut().for_each(|y| *y += 0.3 * random.signed());
            let e = 1e-5;
            let mut differences = Matrix::zeros(n, n);
            for k in 0..n {
                let mut side = |by: f64| {
                    let mut at = y.clone();
                    at[k] += by;
                    midpoint.assemble(&model, &at);
                    midpoint.residual().to_vec()
                };
                let (plus, minus) = (side(e), side(-e));
                (0..n).for_each(|j| differences[(j, k)] = (plus[j] - minus[j]) / (2.0 * e));
            }
            midpoint.assemble(&model, &y);
            let scale = largest(differences.data().iter().copied());
            let error = largest(differences.data().iter().zip(midpoint.tangent().data()).map(|(a, b)| a - b));
            assert!(error < 1e-7 * scale, "{error} of {scale}");
        }
    }
}

#[test]
fn jacobians_of_a_step_are_those_of_its_poses() {
    for model in models() {
        let (mut random, n) = (Random(9), model.velocities());
        let s = random_state(&model, &mut random, 2.0);
        let (mut midpoint, mut y, h) = (Midpoint::new(&model), vec![0.0; n], 0.05);
        midpoint.begin(&model, &s, h, &mut y);
        let (link, point, e) = (model.links().len() - 1, random.vector(), 1e-6);
        let mut jacobian = Matrix::zeros(6, n);
        midpoint.assemble(&model, &y);
        midpoint.end_jacobian(&model, link, point, &y, &mut jacobian);
        for k in 0..n {
            let mut side = |by: f64| {
                let mut at = y.clone();
                at[k] += by;
                midpoint.assemble(&model, &at);
                midpoint.link(&model, link, true)
            };
            let (plus, minus) = (side(e), side(-e));
            let way = (plus * point - minus * point) / (2.0 * e * h);
            let turn = (plus.rotation * minus.rotation.inverse()).to_scaled_axis() / (2.0 * e * h);
            let error = largest((0..3).flat_map(|r| [way[r] - jacobian[(r, k)], turn[r] - jacobian[(3 + r, k)]]));
            assert!(error < 1e-7, "{k}: {error}");
        }
        // the power of a load is that of its Jacobian at the middle
        midpoint.assemble(&model, &y);
        midpoint.middle_jacobian(&model, link, point, &mut jacobian);
        let load = LinkLoad { link, point, force: random.vector(), couple: random.vector() };
        let mut forces = vec![0.0; n];
        midpoint.add_load(&model, &load, &mut forces);
        let wrench = [load.force.to_array(), load.couple.to_array()].concat();
        let error = largest((0..n).map(|j| forces[j] - (0..6).map(|k| jacobian[(k, j)] * wrench[k]).sum::<f64>()));
        assert!(error < 1e-13, "{error}");
    }
}

/// Without torques, energy is kept to rounding at any step, joints of every kind and loads of momentum included.
#[test]
fn energy_is_kept_and_momentum_of_a_free_robot() {
    for model in models() {
        let mut random = Random(10);
        let mut s = random_state(&model, &mut random, 1.0);
        let (mut stepper, mut dynamics) = (Stepper::new(&model), Dynamics::new(&model));
        let tau = vec![0.0; model.velocities()];
        let total = |d: &mut Dynamics, s: &State| d.energies(&model, &s.q, &s.v).iter().sum::<f64>();
        let size: f64 = dynamics.energies(&model, &s.q, &s.v)[0] + 10.0;
        let start = total(&mut dynamics, &s);
        let weight = model.gravity * model.mass();
        let (p0, l0) = dynamics.momentum(&model, &s.q, &s.v);
        for step in 1..=200 {
            let before = s.clone();
            stepper.step(&model, &mut s, 0.01, &tau, &[]).unwrap();
            let drift = total(&mut dynamics, &s) - start;
            assert!(drift.abs() < 1e-10 * size, "step {step}: {drift} of {size}");
            if model.floating() {
                // linear momentum grows by the weight
                let (p, _) = dynamics.momentum(&model, &s.q, &s.v);
                let error = (p - p0 - weight * (0.01 * f64::from(step))).length();
                assert!(error < 1e-11 * (1.0 + p.length()), "{error} {step}");
            }
            assert!(before != s);
        }
        if model.floating() {
            // and without gravity both are kept to rounding
            let mut model = model.clone();
            model.gravity = Vec3::ZERO;
            let mut s = random_state(&model, &mut Random(10), 1.0);
            for _ in 0..1000 {
                stepper.step(&model, &mut s, 0.01, &tau, &[]).unwrap();
            }
            let (p, l) = dynamics.momentum(&model, &s.q, &s.v);
            assert!((p - p0).length() < 1e-12 * (1.0 + p0.length()), "{p} {p0}");
            assert!((l - l0).length() < 2e-12 * (1.0 + l0.length()), "{} of {}", (l - l0).length(), l0.length());
        }
    }
}

/// Runge and Kutta's method of fourth order, for a reference.
fn fine(model: &Model, state: &State, time: f64, steps: usize) -> State {
    let n = model.velocities();
    let mut dynamics = Dynamics::new(model);
    let mut rate = |q: &[f64], v: &[f64]| {
        let mut a = vec![0.0; n];
        assert!(dynamics.forward(model, q, v, &vec![0.0; n], &[], &mut a));
        a
    };
    let (mut s, h) = (state.clone(), time / steps as f64);
    let add = |x: &[f64], y: &[f64], f: f64| x.iter().zip(y).map(|(x, y)| x + f * y).collect::<Vec<_>>();
    for _ in 0..steps {
        let a1 = rate(&s.q, &s.v);
        let v2 = add(&s.v, &a1, 0.5 * h);
        let a2 = rate(&add(&s.q, &s.v, 0.5 * h), &v2);
        let v3 = add(&s.v, &a2, 0.5 * h);
        let a3 = rate(&add(&s.q, &v2, 0.5 * h), &v3);
        let v4 = add(&s.v, &a3, h);
        let a4 = rate(&add(&s.q, &v3, h), &v4);
        for i in 0..n {
            s.q[i] += h / 6.0 * (s.v[i] + 2.0 * v2[i] + 2.0 * v3[i] + v4[i]);
            s.v[i] += h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
        }
    }
    s
}

#[test]
fn a_double_pendulum_moves_as_it_should_at_second_order() {
    let model = Model::new(&double_pendulum()).unwrap();
    let mut start = State::new(&model);
    start.q.copy_from_slice(&[1.2, -0.4]);
    let exact = fine(&model, &start, 1.0, 20_000);
    let error = |steps: usize| {
        let (mut s, mut stepper) = (start.clone(), Stepper::new(&model));
        for _ in 0..steps {
            stepper.step(&model, &mut s, 1.0 / steps as f64, &[0.0; 2], &[]).unwrap();
        }
        largest(s.q.iter().zip(&exact.q).map(|(a, b)| a - b))
    };
    let errors = [100, 200, 400].map(error);
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    assert!(orders.iter().all(|o| (o - 2.0).abs() < 0.1), "{errors:?} {orders:?}");
}

/// A chaotic pendulum over 100,000 steps of 10 ms: the energy never grows by more than rounding.
#[test]
fn energy_never_grows_in_a_hundred_thousand_steps() {
    let model = Model::new(&double_pendulum()).unwrap();
    let (mut s, mut stepper, mut dynamics) = (State::new(&model), Stepper::new(&model), Dynamics::new(&model));
    s.q.copy_from_slice(&[2.8, 1.0]);
    let start: f64 = dynamics.energies(&model, &s.q, &s.v).iter().sum();
    let (mut most, mut least) = (f64::MIN, f64::MAX);
    for _ in 0..100_000 {
        stepper.step(&model, &mut s, 0.01, &[0.0; 2], &[]).unwrap();
        let gain = dynamics.energies(&model, &s.q, &s.v).iter().sum::<f64>() - start;
        most = most.max(gain);
        least = least.min(gain);
    }
    println!("energy within {least:.1e} and {most:.1e} J of its start");
    // the scale is the weight times the length, 14 J
    assert!(most < 14e-10 && least > -14e-10, "{most} {least}");
}

#[test]
fn torques_do_the_work_that_energy_gains_and_dampers_take_some() {
    let mut spec = tree(6, false, 3);
    spec.joints.iter_mut().for_each(|joint| joint.damping = 0.2);
    let model = Model::new(&spec).unwrap();
    let mut random = Random(2);
    let (mut s, mut stepper, mut dynamics) = (State::new(&model), Stepper::new(&model), Dynamics::new(&model));
    let n = model.velocities();
    let mut energy = dynamics.energies(&model, &s.q, &s.v).iter().sum::<f64>();
    for _ in 0..200 {
        let tau = (0..n).map(|_| 5.0 * random.signed()).collect::<Vec<_>>();
        let load = LinkLoad { link: n, point: random.vector(), force: random.vector() * 5.0, couple: random.vector() };
        let stepped = stepper.step(&model, &mut s, 0.01, &tau, &[load]).unwrap();
        let now = dynamics.energies(&model, &s.q, &s.v).iter().sum::<f64>();
        assert!((now - energy - stepped.work).abs() < 1e-9, "{} {}", now - energy, stepped.work);
        energy = now;
    }
}

/// A free robot under gravity: its centre of mass falls as a stone.
#[test]
fn a_free_robot_falls_as_a_stone() {
    let model = Model::new(&tree(5, true, 8)).unwrap();
    let (mut s, mut stepper) = (random_state(&model, &mut Random(1), 3.0), Stepper::new(&model));
    let mut dynamics = Dynamics::new(&model);
    let mut centre = |s: &State| {
        let g = model.gravity;
        // the potential energy says how far along gravity it is
        -dynamics.energies(&model, &s.q, &s.v)[1] / (model.mass() * g.length_squared())
    };
    let p = Dynamics::new(&model).momentum(&model, &s.q, &s.v).0.dot(model.gravity) / model.gravity.length_squared();
    let (start, speed) = (centre(&s), p / model.mass());
    for _ in 0..100 {
        stepper.step(&model, &mut s, 0.01, &vec![0.0; model.velocities()], &[]).unwrap();
    }
    assert!((centre(&s) - start - speed - 0.5).abs() < 1e-11, "{}", centre(&s) - start - speed - 0.5);
}

fn slider(friction: f64, range: [f64; 2], damping: f64) -> Model {
    let mut spec = double_pendulum();
    spec.joints.truncate(1);
    spec.links.truncate(2);
    let joint = &mut spec.joints[0];
    (joint.kind, joint.axis) = (JointKind::Prismatic, Vec3::X);
    (joint.friction, joint.damping) = (friction, damping);
    (joint.limits.lower, joint.limits.upper) = (range[0], range[1]);
    Model::new(&spec).unwrap()
}

/// A mass of 1 kg with friction of 2 N: it slides v^2 m / (2 f) far and stays, and stays under less than 2 N.
#[test]
fn friction_stops_and_holds() {
    let model = slider(2.0, [f64::NEG_INFINITY, f64::INFINITY], 0.0);
    for h in [0.002, 0.01, 0.05] {
        let (mut s, mut stepper) = (State::new(&model), Stepper::new(&model));
        s.v[0] = 1.0;
        for _ in 0..(1.0 / h) as usize {
            stepper.step(&model, &mut s, h, &[0.0], &[]).unwrap();
        }
        // the way is v^2 m / (2 f), but for the part of a step in which it stops: up to f h^2 / (2 m)
        assert!((s.q[0] - 0.25).abs() <= h * h, "{}", s.q[0]);
        assert_eq!(s.v[0], 0.0);
        let at = s.q[0];
        for _ in 0..100 {
            stepper.step(&model, &mut s, h, &[1.99], &[]).unwrap();
        }
        assert_eq!((s.q[0], s.v[0]), (at, 0.0));
        stepper.step(&model, &mut s, h, &[-3.0], &[]).unwrap();
        // a = (3 - 2) / 1
        assert!((s.v[0] + h).abs() < 1e-12, "{}", s.v[0]);
    }
}

#[test]
fn joints_stop_at_their_limits() {
    let model = slider(0.0, [-0.1, 0.3], 0.0);
    for h in [0.002, 0.01, 0.05] {
        let (mut s, mut stepper) = (State::new(&model), Stepper::new(&model));
        s.v[0] = 1.0;
        for _ in 0..(1.0 / h) as usize {
            stepper.step(&model, &mut s, h, &[0.5], &[]).unwrap();
            assert!(s.q[0] <= 0.3 + 1e-12);
        }
        assert!((s.q[0] - 0.3).abs() < 1e-12 && s.v[0].abs() < 1e-12, "{s:?}");
        // and leaves it when pulled back
        stepper.step(&model, &mut s, h, &[-1.0], &[]).unwrap();
        assert!(s.q[0] < 0.3 && s.v[0] < 0.0);
    }
}

#[test]
fn a_robot_too_fast_for_its_step_is_cut_or_refused() {
    let model = Model::new(&tree(7, false, 2)).unwrap();
    let (mut stepper, tau) = (Stepper::new(&model), vec![0.0; model.velocities()]);
    for speed in [30.0, 1e3, 1e8, f64::NAN] {
        let mut s = random_state(&model, &mut Random(3), speed);
        let before = format!("{s:?}");
        match stepper.step(&model, &mut s, 0.05, &tau, &[]) {
            Ok(_) => assert!(s.q.iter().chain(&s.v).all(|x| x.is_finite())),
            Err(_) => assert_eq!(format!("{s:?}"), before),
        }
    }
    assert!(stepper.step(&model, &mut State::new(&model), 0.0, &tau, &[]).is_err());
}
