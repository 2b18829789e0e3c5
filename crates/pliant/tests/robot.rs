//! Robots: no function of a step allocates, and the same steps give the same bits.
#![allow(clippy::unwrap_used)]

mod common;

use common::allocations;
use pliant::math::{Mat3, Pose, Quat, Vec3};
use pliant::robot::{
    Base, Derivatives, Dynamics, JointKind, JointSpec, LinkLoad, LinkSpec, Matrix, Mimic, Model, Reacher, RobotSpec,
    State, Stepper, Target,
};

/// A chain with a branch, a slide, a joint that follows, friction, damping and stops.
fn robot(floating: bool) -> Model {
    let link = |i: usize| LinkSpec {
        name: format!("link{i}"),
        mass: 1.0,
        centre: Vec3::new(0.02, 0.01, 0.1),
        inertia: Mat3::from_diagonal(Vec3::new(0.01, 0.012, 0.008)),
    };
    let joint = |i: usize| {
        let at = Pose::from_parts(Vec3::new(0.0, 0.02, 0.2), Quat::from_rotation_x(0.3));
        let kind = if i == 3 { JointKind::Prismatic } else { JointKind::Revolute };
        let parent = if i == 5 { 2 } else { i };
        let mut joint = JointSpec::new(&format!("joint{i}"), kind, [parent, i + 1], at, Vec3::AXES[i % 3]);
        (joint.limits.lower, joint.limits.upper, joint.damping, joint.friction) = (-0.5, 0.5, 0.01, 0.05);
        if i == 5 {
            joint.mimic = Some(Mimic { joint: 0, multiplier: 0.5, offset: 0.1 });
        }
        joint
    };
    let base = if floating { Base::Floating } else { Base::Fixed(Pose::IDENTITY) };
    let (links, joints) = ((0..7).map(link).collect(), (0..6).map(joint).collect());
    Model::new(&RobotSpec { name: "robot".into(), links, joints, base, gravity: Vec3::NEG_Z * 9.81 }).unwrap()
}

#[test]
fn a_step_allocates_nothing() {
    for model in [robot(false), robot(true)] {
        let n = model.velocities();
        let (mut state, mut stepper, mut dynamics) = (State::new(&model), Stepper::new(&model), Dynamics::new(&model));
        let (mut derivatives, mut reacher) = (Derivatives::new(&model), Reacher::new(&model));
        let [mut mass, mut by_q, mut by_v] = [(); 3].map(|()| Matrix::zeros(n, n));
        let [mut tau, mut out] = [(); 2].map(|()| vec![0.0; n]);
        let loads = [LinkLoad { link: 6, point: Vec3::X * 0.1, force: Vec3::Y, couple: Vec3::Z * 0.1 }];
        let target = Target::new(6, Pose::from_parts(Vec3::new(0.1, 0.2, 0.6), Quat::IDENTITY));
        let mut q = state.q.clone();
        let before = allocations();
        // joints come to their stops on the way
        for step in 0..300 {
            tau[n - 1] = if step % 50 < 25 { 1.0 } else { -1.0 };
            stepper.step(&model, &mut state, 0.01, &tau, &loads).unwrap();
            dynamics.mass_and_bias(&model, &state.q, &state.v, &mut mass, &mut out);
            dynamics.forward(&model, &state.q, &state.v, &tau, &loads, &mut out);
            derivatives.inverse(&model, &mut dynamics, [&state.q, &state.v, &tau], [&mut by_q, &mut by_v]);
        }
        reacher.reach(&model, &target, &mut q);
        assert_eq!(allocations() - before, 0);
        let stopped = state.q[model.first_position()..].iter().any(|q| (q.abs() - 0.5).abs() < 1e-9);
        assert!(stopped, "{:?}", state.q);
    }
}

#[test]
fn the_same_steps_give_the_same_bits() {
    let model = robot(true);
    let run = || {
        let (mut state, mut stepper) = (State::new(&model), Stepper::new(&model));
        state.v.fill(0.3);
        (0..100).for_each(|_| {
            stepper.step(&model, &mut state, 0.01, &vec![0.0; model.velocities()], &[]).unwrap();
        });
        state.q.iter().chain(&state.v).map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}
