//! How long mass matrix, bias forces and their like take for a robot: prints nanoseconds per call, as `peers/run`
//! reads them. Arguments: a URDF file, and the number of calls (200000).

use std::hint::black_box;
use std::time::Instant;

use pliant::robot::{Derivatives, Dynamics, Matrix, State, Stepper};
use pliant_scene::robot::{UrdfOptions, load_urdf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "robots/arm7.urdf".into());
    let calls: u32 = arguments.next().map_or(Ok(200_000), |n| n.parse())?;
    let model = load_urdf(file.as_ref(), &UrdfOptions::default())?.model;
    let n = model.velocities();
    let (mut dynamics, mut state) = (Dynamics::new(&model), State::new(&model));
    state.q.iter_mut().skip(model.first_position()).enumerate().for_each(|(i, q)| *q += 0.1 * (i as f64 + 1.0));
    state.v.fill(0.5);
    let (mut mass, mut bias) = (Matrix::zeros(n, n), vec![0.0; n]);
    let mut time = |name: &str, act: &mut dyn FnMut(&mut Dynamics)| {
        let start = Instant::now();
        (0..calls).for_each(|_| act(&mut dynamics));
        println!("{name} {:.0}", start.elapsed().as_nanos() as f64 / f64::from(calls));
    };
    time("mass+bias", &mut |d| d.mass_and_bias(&model, black_box(&state.q), &state.v, &mut mass, &mut bias));
    time("mass", &mut |d| d.mass_matrix(&model, black_box(&state.q), &mut mass));
    time("bias", &mut |d| d.bias(&model, black_box(&state.q), &state.v, &mut bias));
    let (tau, mut out) = (vec![0.0; n], vec![0.0; n]);
    time("forward", &mut |d| {
        black_box(d.forward(&model, black_box(&state.q), &state.v, &tau, &[], &mut out));
    });
    let (mut derivatives, mut by_q, mut by_v) = (Derivatives::new(&model), Matrix::zeros(n, n), Matrix::zeros(n, n));
    time("derivatives", &mut |d| {
        derivatives.inverse(&model, d, [black_box(&state.q), &state.v, &tau], [&mut by_q, &mut by_v]);
    });
    let mut stepper = Stepper::new(&model);
    time("step", &mut |_| {
        black_box(stepper.step(&model, &mut state, 0.001, &tau, &[]).is_ok());
    });
    Ok(())
}
