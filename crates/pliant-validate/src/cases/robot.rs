//! Robots against numbers of Pinocchio, an exact motion, and conservation laws.

use pliant::math::Vec3;
use pliant::robot::{Derivatives, Dynamics, Kinematics, Matrix, Model, State, Stepper};
use pliant_scene::robot::{UrdfOptions, parse_urdf};
use serde::Deserialize;

use super::{Case, Sheet};

/// Cases of this file.
pub const CASES: &[Case] = &[
    Case { model: "robot", name: "robot-dynamics", run: dynamics },
    Case { model: "robot", name: "robot-pendulum", run: pendulum },
    Case { model: "robot", name: "robot-energy", run: energy },
    Case { model: "robot", name: "robot-momentum", run: momentum },
];

/// Both compute with the same numbers of the same file, in other orders: rounding of some hundred operations on entries of one size,
/// and of matrices with a condition of 1e5 for accelerations.
const ROUNDING: f64 = 1e-9;

#[derive(Deserialize)]
struct References {
    robots: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    robot: String,
    frame: String,
    joints: Vec<String>,
    states: Vec<At>,
}

/// A state and what it gives; see references/robots/make.py.
#[derive(Deserialize)]
struct At {
    root: Option<Vec<f64>>,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    place: Vec<f64>,
    mass: Vec<Vec<f64>>,
    bias: Vec<f64>,
    inverse: Vec<f64>,
    forward: Vec<f64>,
    inverse_by_q: Vec<Vec<f64>>,
    inverse_by_v: Vec<Vec<f64>>,
    jacobian: Vec<Vec<f64>>,
    drift: Vec<f64>,
    kinetic: f64,
    potential: f64,
}

/// A robot of `robots/`.
fn robot(name: &str) -> Option<Model> {
    let text = match name {
        "arm7" => include_str!("../../robots/arm7.urdf"),
        "hand" => include_str!("../../robots/hand.urdf"),
        _ => include_str!("../../robots/walker.urdf"),
    };
    parse_urdf(text, name, "".as_ref(), &UrdfOptions::default()).ok().map(|robot| robot.model)
}

/// Largest difference and largest entry of the reference.
#[derive(Default)]
struct Worst {
    off: f64,
    size: f64,
}

impl Worst {
    fn take(&mut self, ours: impl IntoIterator<Item = f64>, theirs: impl IntoIterator<Item = f64>) {
        let (mut ours, mut theirs) = (ours.into_iter(), theirs.into_iter());
        loop {
            match (ours.next(), theirs.next()) {
                (Some(a), Some(b)) => {
                    // written so that NaN stays
                    let off = (a - b).abs();
                    self.off = if off > self.off || off.is_nan() { off } else { self.off };
                    self.size = self.size.max(b.abs());
                }
                (None, None) => return,
                // one of them is longer
                _ => self.off = f64::NAN,
            }
        }
    }
}

/// Everything that Pinocchio computes too, at random states of three robots.
fn dynamics(sheet: &mut Sheet) {
    let text = include_str!("../../references/robots/robots.json");
    let Ok(references) = serde_json::from_str::<References>(text) else {
        return sheet.scaled("readable references", 0, [f64::NAN, 0.0, 1.0], 0.0);
    };
    for reference in references.robots {
        let Some(model) = robot(&reference.robot) else {
            sheet.scaled(format!("{} can be read", reference.robot), 0, [f64::NAN, 0.0, 1.0], 0.0);
            continue;
        };
        compare(sheet, &reference, &model);
    }
}

fn compare(sheet: &mut Sheet, reference: &Reference, model: &Model) {
    let (n, first, position) = (model.velocities(), model.first_joint(), model.first_position());
    // where their joints are among ours
    let at = |name: &String| model.coordinates().iter().position(|c| c.name == *name).unwrap_or(usize::MAX);
    let order: Vec<usize> = reference.joints.iter().map(at).collect();
    let Some(link) = model.link(&reference.frame).filter(|_| order.iter().all(|i| *i < n)) else {
        return sheet.scaled(format!("{}: the same joints", reference.robot), n, [f64::NAN, 0.0, 1.0], 0.0);
    };
    let columns: Vec<usize> = (0..first).chain(order.iter().map(|i| first + i)).collect();
    let ours = |theirs: &[f64]| {
        let mut out = vec![0.0; n];
        columns.iter().zip(theirs).for_each(|(c, x)| out[*c] = *x);
        out
    };
    let names = [
        "place of a frame",
        "Jacobian",
        "dJ/dt v",
        "mass matrix",
        "bias forces",
        "inverse dynamics",
        "forward dynamics",
        "derivative by q",
        "derivative by v",
        "energies",
    ];
    let mut worst: [Worst; 10] = Default::default();
    let (mut dynamics, mut derivatives, mut kin) =
        (Dynamics::new(model), Derivatives::new(model), Kinematics::new(model));
    let [mut mass, mut by_q, mut by_v] = [(); 3].map(|()| Matrix::zeros(n, n));
    let mut jacobian = Matrix::zeros(6, n);
    let picked = |list: &[f64]| columns.iter().map(|c| list[*c]).collect::<Vec<_>>();
    let square = |m: &Matrix| columns.iter().flat_map(|r| columns.iter().map(move |c| m[(*r, *c)])).collect::<Vec<_>>();
    for s in &reference.states {
        let mut q = vec![0.0; model.positions()];
        if let Some(root) = &s.root {
            q[..7].copy_from_slice(root);
        }
        order.iter().zip(&s.q).for_each(|(i, x)| q[position + i] = *x);
        let (v, a, tau) = (ours(&s.v), ours(&s.a), ours(&s.tau));
        kin.place(model, &q);
        kin.velocities(model, &v);
        worst[0].take(kin.link(model, link).translation.to_array(), s.place.clone());
        kin.jacobian(model, link, Vec3::ZERO, &mut jacobian);
        worst[1].take((0..6).flat_map(|r| picked(jacobian.row(r))), s.jacobian.concat());
        let (linear, angular) = kin.drift(model, link, Vec3::ZERO);
        worst[2].take(linear.to_array().into_iter().chain(angular.to_array()), s.drift.clone());
        let mut out = vec![0.0; n];
        dynamics.mass_and_bias(model, &q, &v, &mut mass, &mut out);
        worst[3].take(square(&mass), s.mass.concat());
        worst[4].take(picked(&out), s.bias.clone());
        dynamics.inverse(model, &q, &v, &a, &mut out);
        worst[5].take(picked(&out), s.inverse.clone());
        dynamics.forward(model, &q, &v, &tau, &[], &mut out);
        worst[6].take(picked(&out), s.forward.clone());
        derivatives.inverse(model, &mut dynamics, [&q, &v, &a], [&mut by_q, &mut by_v]);
        worst[7].take(square(&by_q), s.inverse_by_q.concat());
        worst[8].take(square(&by_v), s.inverse_by_v.concat());
        worst[9].take(dynamics.energies(model, &q, &v), [s.kinetic, s.potential]);
    }
    for (name, worst) in names.into_iter().zip(worst) {
        let text = format!("{}: {name}, largest difference / largest entry", reference.robot);
        sheet.scaled(text, n, [worst.off, 0.0, worst.size], ROUNDING);
    }
}

/// Two rods of one mass and length that swing in a plane. The reference is an integration of the textbook's equations of the double
/// pendulum, by Runge and Kutta's method with steps of 50 µs: its error is 1e-12.
fn pendulum(sheet: &mut Sheet) {
    let text = r#"<robot name="pendulum"><link name="base"/>
        <link name="upper"><inertial><origin xyz="0 0 -1"/><mass value="1"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>
        <link name="lower"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>
        <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
        <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -1"/><axis xyz="0 1 0"/></joint>
        </robot>"#;
    let Ok(robot) = parse_urdf(text, "pendulum", "".as_ref(), &UrdfOptions::default()) else {
        return sheet.scaled("the pendulum can be read", 0, [f64::NAN, 0.0, 1.0], 0.0);
    };
    let model = robot.model;
    // angles from the vertical: the second joint turns against the first link
    let exact = textbook([1.3, 0.4, 0.0, 0.0], 1.0, 20_000);
    let run = |steps: usize| {
        let (mut state, mut stepper) = (State::new(&model), Stepper::new(&model));
        state.q.copy_from_slice(&[1.3, 0.4 - 1.3]);
        for _ in 0..steps {
            let stepped = stepper.step(&model, &mut state, 1.0 / steps as f64, &[0.0; 2], &[]);
            if stepped.is_err() {
                return f64::NAN;
            }
        }
        (state.q[0] - exact[0]).abs().max((state.q[0] + state.q[1] - exact[1]).abs())
    };
    let sizes = [100, 200, 400];
    let errors = sizes.map(run);
    sheet.order("the angles after 1 s, steps of 5 and 2.5 ms", sizes, errors, 2.0);
    // by the order: a step of 10 ms of a swing with accelerations that change at 10 rad/s has an error of (0.1)^2 / 12 of an angle of 1 rad
    // in each second
    sheet.scaled("angles after 1 s in steps of 10 ms [rad]", 100, [errors[0], 0.0, 1.0], 1e-2);
}

/// The double pendulum with masses 1 and 2 on rods of length 1 and 0.5 without mass, in angles from the vertical.
fn textbook(start: [f64; 4], time: f64, steps: usize) -> [f64; 4] {
    let (m1, m2, l1, l2, g) = (1.0, 2.0, 1.0, 0.5, 9.81);
    let rate = |[a, b, va, vb]: [f64; 4]| {
        let d: f64 = a - b;
        // (m1 + m2) l1 a'' + m2 l2 b'' cos d + m2 l2 vb^2 sin d + (m1 + m2) g sin a = 0, l2 b'' + l1 a'' cos d - l1 va^2 sin d + g sin b = 0
        let (m11, m12) = ((m1 + m2) * l1, m2 * l2 * d.cos());
        let (m21, m22) = (l1 * d.cos(), l2);
        let r1 = -m2 * l2 * vb * vb * d.sin() - (m1 + m2) * g * a.sin();
        let r2 = l1 * va * va * d.sin() - g * b.sin();
        let det = m11 * m22 - m12 * m21;
        [va, vb, (r1 * m22 - r2 * m12) / det, (m11 * r2 - m21 * r1) / det]
    };
    let (h, mut x) = (time / steps as f64, start);
    let add = |x: [f64; 4], k: [f64; 4], f: f64| std::array::from_fn(|i| x[i] + f * k[i]);
    for _ in 0..steps {
        let a = rate(x);
        let b = rate(add(x, a, 0.5 * h));
        let c = rate(add(x, b, 0.5 * h));
        let d = rate(add(x, c, h));
        x = std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    x
}

/// A robot without friction and limits.
fn free(name: &str) -> Option<Model> {
    let text = match name {
        "arm7" => include_str!("../../robots/arm7.urdf"),
        _ => include_str!("../../robots/walker.urdf"),
    };
    let mut robot = parse_urdf(text, name, "".as_ref(), &UrdfOptions::default()).ok()?;
    for joint in &mut robot.spec.joints {
        (joint.damping, joint.friction, joint.limits) = (0.0, 0.0, Default::default());
    }
    Model::new(&robot.spec).ok()
}

/// The arm, which falls and swings without friction, torques off: its energy after each of 100,000 steps of 10 ms. Energy is kept but for rounding of
/// some 1e-14 of 100 J in a step, which is a walk of 100,000 steps at the most.
fn energy(sheet: &mut Sheet) {
    let Some(model) = free("arm7") else {
        return sheet.scaled("the arm can be read", 0, [f64::NAN, 0.0, 1.0], 0.0);
    };
    let (mut state, mut stepper, mut dynamics) = (State::new(&model), Stepper::new(&model), Dynamics::new(&model));
    let n = model.velocities();
    state.q.iter_mut().enumerate().for_each(|(i, q)| *q = 0.4 + 0.1 * i as f64);
    let tau = vec![0.0; n];
    let mut total = |state: &State| dynamics.energies(&model, &state.q, &state.v).iter().sum::<f64>();
    let start = total(&state);
    // the weight of the arm times its length
    let scale = 13.0 * 9.81;
    let (mut gain, mut loss) = (0.0_f64, 0.0_f64);
    // light links spin so fast at times that steps are cut
    let steps = 100_000;
    for _ in 0..steps {
        if stepper.step(&model, &mut state, 0.01, &tau, &[]).is_err() {
            gain = f64::NAN;
            break;
        }
        let change = total(&state) - start;
        (gain, loss) = (gain.max(change), loss.min(change));
    }
    sheet.scaled(
        "arm, torques off, 100,000 steps of 10 ms: energy gained / weight times length",
        steps,
        [gain, 0.0, scale],
        1e-9,
    );
    sheet.scaled("energy lost / weight times length", steps, [loss, 0.0, scale], 1e-9);
}

/// A walker that tumbles without weight: linear and angular momentum after 10,000 steps of 10 ms, and its energy.
fn momentum(sheet: &mut Sheet) {
    let Some(mut model) = free("walker") else {
        return sheet.scaled("the walker can be read", 0, [f64::NAN, 0.0, 1.0], 0.0);
    };
    model.gravity = Vec3::ZERO;
    let (mut state, mut stepper, mut dynamics) = (State::new(&model), Stepper::new(&model), Dynamics::new(&model));
    for (i, v) in state.v.iter_mut().enumerate() {
        *v = if i < 3 { 0.1 } else { 1.0 - 0.35 * (i % 7) as f64 };
    }
    let steps = 10_000;
    let (p, l) = dynamics.momentum(&model, &state.q, &state.v);
    let kinetic = dynamics.energies(&model, &state.q, &state.v)[0];
    let tau = vec![0.0; model.velocities()];
    let done = (0..steps).all(|_| stepper.step(&model, &mut state, 0.01, &tau, &[]).is_ok());
    let (p1, l1) = dynamics.momentum(&model, &state.q, &state.v);
    let broken = if done { 0.0 } else { f64::NAN };
    // rounding of 1e-16 in each step, and of the place of the centre of mass, which has moved by some metres
    sheet.scaled("linear momentum, change / start", steps, [(p1 - p).length() + broken, 0.0, p.length()], 1e-10);
    sheet.scaled("angular momentum, change / start", steps, [(l1 - l).length() + broken, 0.0, l.length()], 1e-10);
    let after = dynamics.energies(&model, &state.q, &state.v)[0];
    sheet.scaled("energy, change / start", steps, [after, kinetic, kinetic], 1e-10);
}
