//! Accelerations checked against Lagrange's equations (8), with numerical derivatives of the Lagrangian: independent of
//! Jacobians, the recursion and Gauss's principle.
#![allow(clippy::unwrap_used)]

use super::equations::Field;
use super::system::System;
use super::touch::Search;
use super::*;
use crate::rest::Rest;
use crate::stop::Stop;

fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    }
}

/// A moving rod with varying mass and rigidity, curved at rest.
fn moving(extensible: bool) -> Elastica {
    let given = crate::section::Rigidities {
        radius: 1e-3,
        mass_per_length: 0.3,
        ea: 20.0,
        ga: 1.0,
        ei: [0.05, 0.05],
        gj: 0.05,
    };
    let material =
        crate::material::Material { young: 1e9, poisson: 0.3, density: 1e3, friction: crate::material::Friction::NONE };
    let profile = vec![Profile { at: 0.2, mass: 0.5, rigidity: 2.0 }, Profile { at: 0.9, mass: 3.0, rigidity: 0.7 }];
    let settings = ElasticaSettings { extensible, profile, self_contact: false, ..ElasticaSettings::default() };
    let spec = ElasticaSpec {
        material,
        section: crate::section::Section::Explicit(given),
        path: vec![Vec3::ZERO, Vec3::X * 0.8],
        normal: None,
        rest: Rest::Curved { curvature: [0.0, 2.0], twist: 0.0 },
        intervals: 5,
        settings,
    };
    let mut rod = Elastica::new("rod", spec).unwrap();
    let mut random = numbers(7);
    rod.state.q.iter_mut().for_each(|q| *q += random());
    if extensible {
        // stretches of a few per cent
        (0..=5).for_each(|i| rod.state.q[3 + 2 * i] *= 0.1);
    }
    rod.state.v.iter_mut().for_each(|v| *v = 4.0 * random());
    rod
}

const GRAVITY: Vec3 = Vec3::new(1.0, 0.0, -9.0);

/// T - U.
fn lagrangian(rod: &mut Elastica, q: &[f64], v: &[f64]) -> f64 {
    rod.state.q.copy_from_slice(q);
    rod.state.v.copy_from_slice(v);
    rod.place();
    let energy = rod.energy(GRAVITY);
    energy.kinetic - energy.elastic - energy.gravity
}

fn accelerations(rod: &mut Elastica, holds: &[Held]) -> (Vec<f64>, Vec<equations::Bound>) {
    let Elastica { rod, plane, state, scratch, .. } = rod;
    let field = Field { gravity: plane.direction(GRAVITY), line_load: Vec2::ZERO };
    let search = Search { obstacles: &[], near: &[], plane, dt: 1e-3 };
    scratch.system.equations.reserve(holds.len());
    let (s, stop) = (&mut scratch.system, &Stop::default());
    let mut system =
        System { rod, field, pushes: &[], holds, search, self_contact: false, stabilisation: 0.0, dt: 1e-3, stop, s };
    let mut a = vec![0.0; state.q.len()];
    assert!(system.accelerate(0.0, &state.q, &state.v, &mut a));
    (a, scratch.system.bounds.clone())
}

/// d/dt dL/dv - dL/dq, by finite differences.
fn left(rod: &mut Elastica, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
    let e = 1e-4;
    let shifted = |x: &[f64], by: &[f64], h: f64| -> Vec<f64> { x.iter().zip(by).map(|(x, d)| x + h * d).collect() };
    let mut momentum = |k: usize, q: &[f64], v: &[f64]| {
        let mut at = |h: f64| {
            let mut v = v.to_vec();
            v[k] += h;
            lagrangian(rod, q, &v)
        };
        (at(1.0) - at(-1.0)) / 2.0
    };
    let rates: Vec<f64> = (0..q.len())
        .map(|k| {
            let mut at = |h: f64| momentum(k, &shifted(q, v, h), &shifted(v, a, h));
            (8.0 * (at(e) - at(-e)) - (at(2.0 * e) - at(-2.0 * e))) / (12.0 * e)
        })
        .collect();
    (0..q.len())
        .map(|k| {
            let mut at = |h: f64| {
                let mut q = q.to_vec();
                q[k] += h;
                lagrangian(rod, &q, v)
            };
            let slope = (8.0 * (at(e) - at(-e)) - (at(2.0 * e) - at(-2.0 * e))) / (12.0 * e);
            rates[k] - slope
        })
        .collect()
}

#[test]
fn accelerations_are_those_of_lagrange() {
    for extensible in [false, true] {
        let mut rod = moving(extensible);
        let (q, v) = (rod.state.q.clone(), rod.state.v.clone());
        let (a, _) = accelerations(&mut rod, &[]);
        let still = left(&mut rod, &q, &v, &vec![0.0; a.len()]);
        let size = still.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (k, x) in left(&mut rod, &q, &v, &a).into_iter().enumerate() {
            // rounding of finite differences
            assert!(x.abs() < 1e-8 * size, "extensible {extensible}, {k}: {x:e} of {size:e} is left");
        }
    }
}

/// With constraints the residual equals the multipliers along their rows, (24), and constraints satisfy (25).
#[test]
fn multipliers_are_what_is_left_of_lagrange() {
    let mut rod = moving(false);
    let hold = |interval, fraction, what| Held { interval, fraction, what, target: [0.0; 3], by: By::Slider(0) };
    let holds = [
        hold(0, 0.0, What::Along(Vec2::X)),
        hold(0, 0.0, What::Along(Vec2::Y)),
        hold(2, 0.3, What::Along(Vec2::new(0.6, 0.8))),
        hold(4, 1.0, What::Angle),
    ];
    let (q, v) = (rod.state.q.clone(), rod.state.v.clone());
    let (a, bounds) = accelerations(&mut rod, &holds);
    // work of the multipliers: derivative of each constraint by a coordinate, by finite differences
    let value = |rod: &mut Elastica, held: &Held, q: &[f64]| {
        rod.state.q.copy_from_slice(q);
        rod.place();
        let (place, angle) = rod.place_at(held.interval, held.fraction);
        match held.what {
            What::Angle => angle,
            What::Along(direction) => place.dot(direction),
        }
    };
    let want = left(&mut rod, &q, &v, &a);
    let size = want.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for k in 0..q.len() {
        let mut sum = 0.0;
        for (held, bound) in holds.iter().zip(&bounds) {
            let e = 1e-4;
            let mut at = |h: f64| {
                let mut q = q.clone();
                q[k] += h;
                value(&mut rod, held, &q)
            };
            sum += bound.force * (8.0 * (at(e) - at(-e)) - (at(2.0 * e) - at(-2.0 * e))) / (12.0 * e);
        }
        assert!((want[k] - sum).abs() < 1e-8 * size, "{k}: {sum} for {}", want[k]);
    }
    // second derivatives of held quantities vanish
    for held in &holds {
        let e = 2e-4;
        let mut at = |t: f64| {
            let q: Vec<f64> = (0..q.len()).map(|k| q[k] + t * v[k] + 0.5 * t * t * a[k]).collect();
            value(&mut rod, held, &q)
        };
        let second = (16.0 * (at(e) + at(-e)) - (at(2.0 * e) + at(-2.0 * e)) - 30.0 * at(0.0)) / (12.0 * e * e);
        assert!(second.abs() < 1e-4, "{held:?}: {second}");
    }
}

/// Contact forces are the gradient of the stored energy, whichever nodes and intervals penetrate: by finite
/// differences.
#[test]
fn contacts_push_with_the_slope_of_what_they_store() {
    use crate::contact::{Obstacle, ObstacleParams, Shape, ShapeKind};
    use crate::motion::Motion;
    let placed = Pose::from_translation(Vec3::new(0.4, 0.0, 0.0));
    let (mut kinds, mut random) = ([0; 3], numbers(3));
    for (kind, low) in [(ShapeKind::Plane, 0.0), (ShapeKind::Sphere { radius: 0.1 }, 0.1)] {
        let params = ObstacleParams {
            name: "obstacle".into(),
            shape: Shape::new(kind).unwrap(),
            placed,
            motion: Motion::Hold,
            friction: None,
        };
        let obstacles = [Obstacle::new(params, 0.0)];
        for _ in 0..1000 {
            let mut elastica = moving(false);
            elastica.rod.radius = 1e-2;
            let Elastica { rod, plane, state, scratch, .. } = &mut elastica;
            // sagging slightly, about as deep as its radius
            let q = &mut state.q;
            let at = plane.point(Vec3::new(0.4, 0.0, low));
            let sag = random();
            for i in 0..=rod.intervals() {
                q[2 + i] = (i as f64 - 2.5) * sag + 0.02 * random();
            }
            scratch.at.place::<1>(rod, q, &scratch.still, None);
            let off = at + Vec2::new(0.1 * random(), 0.01 + 0.02 * random()) - scratch.at.nodes[2].place;
            (q[0], q[1]) = (q[0] + off.x, q[1] + off.y);
            let near = [0];
            let search = Search { obstacles: &obstacles, near: &near, plane, dt: 1e-3 };
            let Working { equations, touches, springs, .. } = &mut scratch.system;
            let mut stored = |q: &[f64]| {
                equations.at.place::<1>(rod, q, &scratch.still, None);
                search.find::<1>(rod, &equations.at, 0.0, touches);
                touches.iter().map(|t| rod.voigt[0] * t.stored).sum::<f64>()
            };
            let q = state.q.clone();
            let slopes: Vec<f64> = (0..q.len())
                .map(|k| {
                    let mut at = |h: f64| {
                        let mut q = q.clone();
                        q[k] += h;
                        stored(&q)
                    };
                    (at(1e-6) - at(-1e-6)) / 2e-6
                })
                .collect();
            stored(&q);
            springs.clear();
            search.push::<1>(rod, [&equations.at; 2], (0.0, false), touches, springs);
            // work of the forces, from the motion of their points
            let size = slopes.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            for (k, slope) in slopes.iter().enumerate() {
                let mut work = 0.0;
                for touch in touches.iter() {
                    let place = |q: &[f64], at: &mut Kinematics| {
                        at.place::<1>(rod, q, &scratch.still, None);
                        at.at::<1>(rod.h, touch.interval, touch.fraction).0.place
                    };
                    let mut moved = q.clone();
                    moved[k] += 1e-6;
                    let ahead = place(&moved, &mut equations.at);
                    moved[k] -= 2e-6;
                    let behind = place(&moved, &mut equations.at);
                    work += touch.force.dot(ahead - behind) / 2e-6;
                }
                assert!((work + slope).abs() <= 1e-4 * size, "{k}: {work} for {}", -slope);
            }
            let between = touches.iter().filter_map(|t| t.beside);
            between.for_each(|b| kinds[usize::from(b[0].0 > 0.0) + usize::from(b[1].0 > 0.0)] += 1);
        }
    }
    // intervals with none, one and both of their nodes inside
    assert!(kinds.iter().all(|count| *count > 10), "{kinds:?}");
}
