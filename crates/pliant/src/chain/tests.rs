//! What must hold for the chain's forces whatever the shape: they are the gradient of an energy, they create no net
//! force or torque, they vanish for rigid motions, and every compiled form of the kernel gives the same bits.

use super::between::Between;
use super::forces::{Elasticity, Forces, PADDING};
use super::touch::Plane;
use super::update::Update;
use super::*;
use crate::contact::{ObstacleParams, Shape, ShapeKind};
use crate::lanes::{add, set};
use crate::math::Quat;
use crate::motion::Motion;

/// A crooked chain with unequal segments, more points than a tile.
fn crooked(points: usize, seed: u64) -> Rows {
    let mut random = seed;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let blocks = points.div_ceil(LANES) + PADDING;
    let mut x = zero_rows(blocks);
    let mut at = Vec3::ZERO;
    for i in 0..blocks * LANES {
        set(&mut x, i, at);
        at += Vec3::new(0.02 + 0.01 * next(), 0.02 * next(), 0.02 * next());
    }
    x
}

fn elasticity(points: usize, law: BendingLaw) -> Elasticity {
    let mut contractions = vec![[0.0; LANES]; points.div_ceil(LANES) + PADDING];
    contractions.as_flattened_mut()[..points - 1].fill(50.0);
    let masses = vec![[0.0; LANES]; contractions.len()];
    let bending = Bending { law, stiffness: 0.7 };
    Elasticity { points, segment: 0.02, contraction: 50.0, bending, contractions, masses }
}

fn forces_of(e: &Elasticity, x: &Rows) -> Vec<Vec3> {
    let blocks = x[0].len();
    let mut out: Rows = std::array::from_fn(|_| vec![[f64::NAN; LANES]; blocks]);
    let mut joints = vec![];
    e.joints(&[], &mut joints);
    let (joints, gravity, planes) = (&joints, Vec3::ZERO, None);
    Kernel::Plain.run(Forces { elasticity: e, joints, x, gravity, planes, out: &mut out });
    (0..e.points).map(|i| get(&out, i)).collect()
}

/// Reference forces directly from (1) to (4) with corrected signs, point by point.
fn textbook(e: &Elasticity, x: &Rows) -> Vec<Vec3> {
    let p = |i: usize| get(x, i);
    let mut f = vec![Vec3::ZERO; e.points];
    for i in 0..e.points - 1 {
        let d = p(i + 1) - p(i);
        let pull = d.normalize() * (e.contraction * (d.length() - e.segment) / e.segment);
        f[i] += pull;
        f[i + 1] -= pull;
    }
    for i in 1..e.points - 1 {
        let (e1, e2) = ((p(i - 1) - p(i)).normalize(), (p(i + 1) - p(i)).normalize());
        let angle = std::f64::consts::PI - e1.cross(e2).length().atan2(e1.dot(e2));
        match e.bending.law {
            BendingLaw::Paper => {
                let d = 1.0 + e1.dot(e2);
                let spring = (p(i + 1) - p(i - 1)).normalize() * (e.bending.stiffness * d);
                let (s1, s2) = (e1 * spring.dot(e1), e2 * spring.dot(e2));
                f[i - 1] += -spring + s1;
                f[i] += s2 - s1;
                f[i + 1] += spring - s2;
            }
            BendingLaw::Linear => {
                // moment k alpha, as a couple orthogonal to each segment that turns it towards the other's line
                let moment = e.bending.stiffness * angle;
                let away1 = (-e2 - e1 * (-e2).dot(e1)).normalize();
                let away2 = (-e1 - e2 * (-e1).dot(e2)).normalize();
                let f1 = away1 * (moment / (p(i - 1) - p(i)).length());
                let f2 = away2 * (moment / (p(i + 1) - p(i)).length());
                f[i - 1] += f1;
                f[i + 1] += f2;
                f[i] -= f1 + f2;
            }
        }
    }
    f
}

#[test]
fn the_kernel_agrees_with_the_equations() {
    for law in [BendingLaw::Linear, BendingLaw::Paper] {
        for points in [2, 3, 4, 5, 11, 12, 13, 63, 64, 65, 66, 127, 128, 129, 200] {
            let (e, x) = (elasticity(points, law), crooked(points, 7 + points as u64));
            for (i, (got, want)) in forces_of(&e, &x).iter().zip(textbook(&e, &x)).enumerate() {
                let scale = 1.0 + want.length();
                assert!((*got - want).length() < 1e-11 * scale, "{law:?} {points} points, {i}: {got} for {want}");
            }
        }
    }
}

#[test]
fn sharp_angles_agree_with_the_equations_too() {
    // a zigzag of 70 to 170 degrees, beyond the range of the series
    let e = elasticity(9, BendingLaw::Linear);
    let mut x = crooked(9, 3);
    let mut at = Vec3::ZERO;
    for i in 0..9 {
        set(&mut x, i, at);
        let turn = [0.0_f64, 70.0, 120.0, 170.0, 40.0, 90.0, 61.0, 10.0, 0.0][i].to_radians();
        at += Quat::from_rotation_z(if i % 2 == 0 { turn } else { 0.0 }) * Vec3::X * 0.02 + Vec3::Z * 1e-3;
    }
    for (got, want) in forces_of(&e, &x).iter().zip(textbook(&e, &x)) {
        assert!((*got - want).length() < 1e-11 * (1.0 + want.length()), "{got} for {want}");
    }
}

#[test]
fn forces_are_minus_the_gradient_of_the_energy() {
    // the linear law; the paper's has no energy when segments change their length
    let e = elasticity(12, BendingLaw::Linear);
    let x = crooked(12, 11);
    let energy = |x: &Rows| {
        let p = |i: usize| get(x, i);
        let stretch: f64 = (0..e.points - 1)
            .map(|i| 0.5 * e.contraction / e.segment * ((p(i + 1) - p(i)).length() - e.segment).powi(2))
            .sum();
        let bend: f64 = (1..e.points - 1)
            .map(|i| {
                let (a, b) = (p(i) - p(i - 1), p(i + 1) - p(i));
                e.bending.energy(a.cross(b).length().atan2(a.dot(b)), e.segment)
            })
            .sum();
        stretch + bend
    };
    let force = forces_of(&e, &x);
    // a central difference of step h has errors of h^2 and of rounding / h
    let h = 1e-7;
    for i in 0..e.points {
        for k in 0..3 {
            let (mut up, mut down) = (x.clone(), x.clone());
            let by = [Vec3::X, Vec3::Y, Vec3::Z][k] * h;
            add(&mut up, i, by);
            add(&mut down, i, -by);
            let slope = (energy(&up) - energy(&down)) / (2.0 * h);
            let want = -force[i].to_array()[k];
            assert!((slope - want).abs() < 1e-6 * (1.0 + want.abs()), "point {i} axis {k}: {slope} for {want}");
        }
    }
}

#[test]
fn no_net_force_or_torque_for_any_segment_lengths() {
    for law in [BendingLaw::Linear, BendingLaw::Paper] {
        let e = elasticity(150, law);
        let x = crooked(150, 5);
        let f = forces_of(&e, &x);
        let p = |i: usize| get(&x, i);
        let scale: f64 = f.iter().map(|f| f.length()).sum();
        let net: Vec3 = f.iter().sum();
        let torque: Vec3 = f.iter().enumerate().map(|(i, f)| p(i).cross(*f)).sum();
        assert!(net.length() < 1e-14 * scale, "{law:?}: {net}");
        assert!(torque.length() < 1e-13 * scale * 3.0, "{law:?}: {torque}");
    }
}

#[test]
fn rigid_motions_of_the_rest_shape_give_no_force() {
    let e = elasticity(90, BendingLaw::Linear);
    let turn = Quat::from_euler(glamx::EulerRot::XYZ, 0.4, 1.0, -2.0);
    let mut x = crooked(90, 1);
    for i in 0..x[0].len() * LANES {
        set(&mut x, i, Vec3::new(5.0, -3.0, 2.0) + turn * (Vec3::X * (0.02 * i as f64)));
    }
    // positions are accurate to 1e-15 of 5 m; the stiffest response to that is c_c / L_s
    let most = 8.0 * f64::EPSILON * 5.0 * e.contraction / e.segment;
    for f in forces_of(&e, &x) {
        assert!(f.length() < most, "{f}");
    }
}

fn floor(height: f64) -> ObstacleParams {
    let shape = Shape::new(ShapeKind::Plane).expect("a good shape");
    let (placed, motion) = (Pose::from_translation(Vec3::Z * height), Motion::Hold);
    ObstacleParams { name: "floor".into(), shape, placed, motion, friction: None }
}

#[test]
fn every_form_of_the_kernel_gives_the_same_bits() {
    let spec = |points| ChainSpec {
        material: crate::Material { young: 1e7, poisson: 0.3, density: 1000.0, friction: Friction::NONE },
        section: crate::Section::Round { radius: 2e-3 },
        path: vec![Vec3::ZERO, Vec3::X * 0.3, Vec3::new(0.3, 0.3, 0.0)],
        points: Some(points),
        settings: ChainSettings { update: UpdateRule::Dynamics, ..ChainSettings::default() },
    };
    // in the air, and a micrometre above a floor
    for (points, height) in [(11, -1.0), (130, -1.0), (11, -2.001e-3), (130, -2.001e-3)] {
        let run = |kernel: Kernel| {
            let mut chain = Chain::new("rod", spec(points)).expect("a good spec");
            chain.scratch.kernel = kernel;
            let mut world = crate::World::new(Vec3::Z * -9.81);
            world.add_obstacle(floor(height)).expect("a good obstacle");
            world.add_body(crate::Body::Chain(chain)).expect("a good body");
            let mut touched = false;
            for _ in 0..20 {
                world.step(1e-3).expect("a stable step");
                touched |= !world.frame().contacts.is_empty();
            }
            assert_eq!(touched, height > -0.5);
            world.snapshot()
        };
        assert_eq!(run(Kernel::Plain), run(Kernel::default()));
    }
}

/// What a place between two points gives back: net force and moment of its contact, friction in its cone, no energy, and
/// no more depth than half a radius.
#[test]
fn a_place_between_points_obeys_the_law_of_contact() {
    let (radius, mu, stiffness) = (3e-3, 0.4, 900.0);
    let obstacle = crate::contact::Obstacle::new(floor(0.0), 0.0);
    let mut checked = [0; 3];
    for round in 0..200_u64 {
        let noise = |k: u64| ((round * 7919 + k * 104_729) % 1999) as f64 / 999.5 - 1.0;
        let x = crooked(3, 40 + round);
        let (weight, normal) = (0.5 + 0.49 * noise(1), Vec3::new(noise(2), noise(3), 1.5).normalize());
        let at = get(&x, 0).lerp(get(&x, 1), weight);
        let depth = radius * 0.25 * (1.0 + noise(4));
        let plane = Plane { normal, offset: normal.dot(at) + depth, velocity: Vec3::ZERO, obstacle: 0 };
        let mut place = Between::new(0, weight, plane);
        // force and moment are those of the push at its place
        let mut force = zero_rows(x[0].len());
        place.push(stiffness, &x, &mut force);
        let push = normal * (stiffness * depth);
        let net: Vec3 = (0..3).map(|i| get(&force, i)).sum();
        let moment: Vec3 = (0..3).map(|i| get(&x, i).cross(get(&force, i))).sum();
        assert!((net - push).length() < 1e-14 * (1.0 + push.length()), "{net} for {push}");
        assert!((moment - at.cross(push)).length() < 1e-14 * (1.0 + push.length()), "{moment}");
        // masses differ; displacements of a model step
        let mobility = vec![[1e-5, 2e-5, 1e-5, 0.0]; x[0].len()];
        let mut step = zero_rows(x[0].len());
        let speed = 10.0_f64.powi(-3 - (round % 4) as i32);
        for i in 0..3 {
            set(&mut step, i, Vec3::new(noise(5 + i as u64), noise(9), noise(13 + i as u64)) * speed);
        }
        let energy = |step: &Rows| (0..2).map(|i| get(step, i).length_squared() / mobility[0][i]).sum::<f64>();
        let before = step.clone();
        let friction = Friction { coefficient: mu, exponent: 1.0 };
        let touch = Touch { friction, damped: true, tau: 5e-5, share: 0.02, radius };
        place.resist(stiffness, &x, &mobility, &touch, std::slice::from_ref(&obstacle), &mut step);
        let whole = push + place.resistance;
        let along = whole.dot(normal);
        let slip = (whole - normal * along).length();
        assert!(along >= -1e-12 && slip <= mu * along + 1e-9, "{slip} for {along}");
        let moved = get(&step, 0).lerp(get(&step, 1), weight);
        assert!(depth - normal.dot(moved) <= 0.5 * radius + 1e-15 || normal.dot(moved) >= 0.0);
        // the resistance is shared like the push, and takes energy away
        for (i, share) in [(0, 1.0 - weight), (1, weight), (2, 0.0)] {
            let by = (get(&step, i) - get(&before, i)) / mobility[0][i];
            assert!((by - place.resistance * share).length() < 1e-10 * (1.0 + place.resistance.length()));
        }
        let damping = place.resistance.dot(normal) >= 0.0;
        checked[usize::from(slip > 0.999 * mu * along)] += 1;
        checked[2] += usize::from(damping);
        if damping && normal.dot(get(&before, 0).lerp(get(&before, 1), weight)) < 0.0 {
            assert!(energy(&step) <= energy(&before) * (1.0 + 1e-12));
        }
    }
    assert!(checked.iter().all(|n| *n > 20), "{checked:?}");
}

/// A rod whose displacements rise evenly from point to point: far from the mean at its ends, near to the neighbour everywhere.
#[test]
fn displacement_is_limited_relative_to_what_is_asked_for() {
    let (points, rise, along) = (21, 1e-4, 5e-2);
    let e = elasticity(points, BendingLaw::Linear);
    let applied = |relative_to: RelativeTo, step_limit: f64| {
        let rule = UpdateRule::Relative;
        let update = Update { rule, history: 0.0, step_limit, relative_limit: true, relative_to };
        let (mut x, mut state) = (crooked(points, 5), UpdateState::new(e.blocks() + 1));
        for point in 0..points {
            set(&mut state.step, point, Vec3::new(along, rise * point as f64, 0.0));
        }
        let (update, elasticity, state) = (&update, &e, &mut state);
        Kernel::default().run(Apply { update, elasticity, oscillating: 0.0, state, x: &mut x })
    };
    // neighbours differ by the rise, the ends from the mean by ten of them; all of it moves by far more
    assert_eq!(applied(RelativeTo::Neighbour, 1.01 * rise), 1.0);
    assert!((applied(RelativeTo::Neighbour, 0.5 * rise) - 0.5).abs() < 1e-9);
    assert_eq!(applied(RelativeTo::Whole, 10.01 * rise), 1.0);
    assert!((applied(RelativeTo::Whole, 5.0 * rise) - 0.5).abs() < 1e-9);
}
