//! Two ways to every answer: mass matrix against energy, recursions against differences, steps against conservation laws and a
//! fine integration. Numbers of another library are in `pliant validate robot`.
#![allow(clippy::unwrap_used)]

use super::sample::{double_pendulum, tree};
use super::*;
use crate::math::Vec3;
use crate::random::Random;

fn models() -> Vec<Model> {
    let kinds = [(2, false), (7, false), (12, false), (1, true), (6, true), (13, true)];
    kinds.iter().enumerate().map(|(k, (n, floating))| Model::new(&tree(*n, *floating, 5 + k as u64)).unwrap()).collect()
}

fn random_state(model: &Model, random: &mut Random, speed: f64) -> State {
    let mut state = State::new(model);
    state.q.iter_mut().for_each(|q| *q = random.signed());
    if model.floating() {
        let size = state.q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
        state.q[3..7].iter_mut().for_each(|x| *x /= size);
    }
    state.v.iter_mut().for_each(|v| *v = speed * random.signed());
    state
}

fn largest(a: impl IntoIterator<Item = f64>) -> f64 {
    a.into_iter().fold(0.0, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

#[test]
fn the_mass_matrix_is_that_of_the_kinetic_energy_and_momentum_of_the_motion() {
    for model in models() {
        let (mut random, n) = (Random(3), model.velocities());
        let (mut dynamics, mut mass) = (Dynamics::new(&model), Matrix::zeros(n, n));
        for _ in 0..5 {
            let s = random_state(&model, &mut random, 2.0);
            dynamics.mass_matrix(&model, &s.q, &mut mass);
            let mut p = vec![0.0; n];
            mass.times(&s.v, &mut p);
            let half: f64 = s.v.iter().zip(&p).map(|(v, p)| 0.5 * v * p).sum();
            let [kinetic, _] = dynamics.energies(&model, &s.q, &s.v);
            assert!((half - kinetic).abs() < 1e-13 * kinetic.max(1.0), "{half} {kinetic}");
            if model.floating() {
                let (linear, _) = dynamics.momentum(&model, &s.q, &s.v);
                let own = dynamics.kinematics.world.transpose() * linear;
                assert!((0..3).all(|k| (own[k] - p[k]).abs() < 1e-12), "{own} {p:?}");
            }
        }
    }
}

/// d/dt of energy is the power of torques: v (M a + bias) with the energy by central differences along the motion.
#[test]
fn inverse_dynamics_give_the_power_that_energy_takes() {
    for model in models() {
        let (mut random, n) = (Random(4), model.velocities());
        let mut dynamics = Dynamics::new(&model);
        for _ in 0..5 {
            let s = random_state(&model, &mut random, 2.0);
            let a = (0..n).map(|_| random.signed()).collect::<Vec<_>>();
            let mut tau = vec![0.0; n];
            dynamics.inverse(&model, &s.q, &s.v, &a, &mut tau);
            let power: f64 = tau.iter().zip(&s.v).map(|(t, v)| t * v).sum();
            let energy = |e: f64| {
                let mut q = s.q.clone();
                // to second order: q + e v + e^2 a / 2 is the same way
                let mean = s.v.iter().zip(&a).map(|(v, a)| v + 0.5 * e * a).collect::<Vec<_>>();
                integrate(&model, &s.q, &mean, e, &mut q);
                let v = s.v.iter().zip(&a).map(|(v, a)| v + e * a).collect::<Vec<_>>();
                Dynamics::new(&model).energies(&model, &q, &v).iter().sum::<f64>()
            };
            let e = 1e-5;
            let rate = (energy(e) - energy(-e)) / (2.0 * e);
            assert!((rate - power).abs() < 1e-6 * power.abs().max(10.0), "{rate} {power}");
        }
    }
}

#[test]
fn forward_dynamics_are_the_inverse_of_inverse_dynamics() {
    for model in models() {
        let (mut random, n) = (Random(5), model.velocities());
        let mut dynamics = Dynamics::new(&model);
        let s = random_state(&model, &mut random, 2.0);
        let a = (0..n).map(|_| random.signed()).collect::<Vec<_>>();
        let (mut tau, mut back) = (vec![0.0; n], vec![0.0; n]);
        dynamics.inverse(&model, &s.q, &s.v, &a, &mut tau);
        assert!(dynamics.forward(&model, &s.q, &s.v, &tau, &[], &mut back));
        assert!(largest(a.iter().zip(&back).map(|(a, b)| a - b)) < 1e-9, "{a:?} {back:?}");
        // a load is what its Jacobian makes of it
        let load = LinkLoad { link: 1, point: random.vector(), force: random.vector(), couple: random.vector() };
        let mut jacobian = Matrix::zeros(6, n);
        dynamics.kinematics.jacobian(&model, 1, load.point, &mut jacobian);
        let wrench = [load.force.to_array(), load.couple.to_array()].concat();
        let less = (0..n).map(|j| tau[j] - (0..6).map(|k| jacobian[(k, j)] * wrench[k]).sum::<f64>()).collect::<Vec<_>>();
        assert!(dynamics.forward(&model, &s.q, &s.v, &less, &[load], &mut back));
        assert!(largest(a.iter().zip(&back).map(|(a, b)| a - b)) < 1e-9, "{a:?} {back:?}");
    }
}

#[test]
fn jacobians_and_their_rates_are_those_of_poses() {
    for model in models() {
        let (mut random, n) = (Random(6), model.velocities());
        let mut kin = Kinematics::new(&model);
        let s = random_state(&model, &mut random, 1.0);
        let (link, point) = (model.links().len() - 1, random.vector());
        let velocity = |e: f64| {
            let (mut q, mut kin) = (s.q.clone(), Kinematics::new(&model));
            integrate(&model, &s.q, &s.v, e, &mut q);
            kin.place(&model, &q);
            kin.velocities(&model, &s.v);
            let (v, w) = kin.velocity(&model, link, point);
            (kin.link(&model, link) * point, v, w)
        };
        kin.place(&model, &s.q);
        kin.velocities(&model, &s.v);
        let mut jacobian = Matrix::zeros(6, n);
        kin.jacobian(&model, link, point, &mut jacobian);
        let mut image = [0.0; 6];
        jacobian.times(&s.v, &mut image);
        let (v, w) = kin.velocity(&model, link, point);
        assert!(largest((0..3).flat_map(|k| [image[k] - v[k], image[3 + k] - w[k]])) < 1e-13);
        let e = 1e-5;
        let ([a, b], (dv, dw)) = ([velocity(e), velocity(-e)], kin.drift(&model, link, point));
        assert!(((a.0 - b.0) / (2.0 * e) - v).length() < 1e-8);
        assert!(((a.1 - b.1) / (2.0 * e) - dv).length() < 1e-7, "{} {dv}", (a.1 - b.1) / (2.0 * e));
        assert!(((a.2 - b.2) / (2.0 * e) - dw).length() < 1e-7);
    }
}

#[test]
fn derivatives_of_inverse_dynamics_are_differences() {
    for model in models() {
        let (mut random, n) = (Random(7), model.velocities());
        let (mut dynamics, mut derivatives) = (Dynamics::new(&model), Derivatives::new(&model));
        let s = random_state(&model, &mut random, 1.0);
        let a = (0..n).map(|_| random.signed()).collect::<Vec<_>>();
        let [mut by_q, mut by_v] = [Matrix::zeros(n, n), Matrix::zeros(n, n)];
        derivatives.inverse(&model, &mut dynamics, [&s.q, &s.v, &a], [&mut by_q, &mut by_v]);
        let e = 1e-6;
        for k in 0..n {
            let tau = |side: f64, speed: bool| {
                let (mut q, mut v, mut unit, mut out) = (s.q.clone(), s.v.clone(), vec![0.0; n], vec![0.0; n]);
                unit[k] = side;
                if speed { v[k] += e * side } else { integrate(&model, &s.q, &unit, e, &mut q) }
                Dynamics::new(&model).inverse(&model, &q, &v, &a, &mut out);
                out
            };
            for (speed, matrix) in [(false, &by_q), (true, &by_v)] {
                let (plus, minus) = (tau(1.0, speed), tau(-1.0, speed));
                for j in 0..n {
                    let slope = (plus[j] - minus[j]) / (2.0 * e);
                    let error = (slope - matrix[(j, k)]).abs();
                    assert!(error < 1e-6 * (1.0 + slope.abs()), "{j} {k} {speed}: {slope} {}", matrix[(j, k)]);
                }
            }
        }
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
