//! Mass matrix against energy, recursions against differences.

use super::super::*;
use super::{largest, models, random_state};
use crate::random::Random;

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
        let less =
            (0..n).map(|j| tau[j] - (0..6).map(|k| jacobian[(k, j)] * wrench[k]).sum::<f64>()).collect::<Vec<_>>();
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
                if speed {
                    v[k] += e * side
                } else {
                    integrate(&model, &s.q, &unit, e, &mut q)
                }
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
