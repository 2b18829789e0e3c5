//! Inverse kinematics and timing.

use super::super::*;
use super::largest;
use crate::math::Vec3;
use crate::random::Random;

/// An arm of seven joints with offsets, and limits.
fn seven() -> Model {
    let mut random = Random(77);
    let mut links = vec![super::super::sample::link("base", &mut random)];
    let mut joints = vec![];
    for i in 0..7 {
        links.push(super::super::sample::link(&format!("link{i}"), &mut random));
        let at = crate::math::Pose::from_parts(Vec3::new(0.0, 0.02, 0.2), crate::math::Quat::IDENTITY);
        let axis = if i % 2 == 0 { Vec3::Z } else { Vec3::Y };
        let mut joint = JointSpec::new(&format!("joint{i}"), JointKind::Revolute, [i, i + 1], at, axis);
        (joint.limits.lower, joint.limits.upper) = (-2.0, 2.2);
        joints.push(joint);
    }
    let base = Base::Fixed(crate::math::Pose::IDENTITY);
    Model::new(&RobotSpec { name: "seven".into(), links, joints, base, gravity: Vec3::ZERO }).unwrap()
}

#[test]
fn poses_that_can_be_reached_are_reached_within_limits() {
    let model = seven();
    let (mut random, mut kin, mut reacher) = (Random(5), Kinematics::new(&model), Reacher::new(&model));
    let tool = super::super::sample::pose(&mut random);
    let (mut found, mut starts) = (0, 0);
    for _ in 0..200 {
        let goal = (0..7).map(|_| 0.1 + 2.0 * random.signed()).collect::<Vec<_>>();
        kin.place(&model, &goal);
        let mut target = Target::new(7, kin.link(&model, 7) * tool);
        target.link_from_tool = tool;
        let mut q = vec![0.0; 7];
        let reach = reacher.reach(&model, &target, &mut q);
        assert!(q.iter().all(|q| (-2.0..=2.2).contains(q)), "{q:?}");
        // what it says is so
        kin.place(&model, &q);
        let off = (kin.link(&model, 7) * tool).translation - target.pose.translation;
        assert!((off.length() - reach.distance).abs() < 1e-12);
        found += usize::from(reach.reached);
        starts += reach.starts;
    }
    println!("{found} of 200 reached, {starts} starts");
    assert!(found >= 198, "{found} of 200, {starts} starts");
    // out of reach: as near as can be, and said
    let far = Target::new(7, crate::math::Pose::from_parts(Vec3::X * 9.0, crate::math::Quat::IDENTITY));
    let mut q = vec![0.0; 7];
    let reach = reacher.reach(&model, &Target { orientation: false, ..far }, &mut q);
    assert!(!reach.reached && reach.distance > 7.0 && reach.distance < 8.5, "{reach:?}");
}

#[test]
fn motions_keep_to_waypoints_and_limits() {
    use super::super::timing::{Pace, Trajectory};
    let mut random = Random(6);
    let paces = [
        Pace { speed: 1.5, acceleration: 4.0 },
        Pace { speed: 0.7, acceleration: 9.0 },
        Pace { speed: 3.0, acceleration: 2.0 },
    ];
    let points = (0..5).map(|_| (0..3).map(|_| random.signed()).collect::<Vec<_>>()).collect::<Vec<_>>();
    let [mut q, mut v, mut a] = [(); 3].map(|()| vec![0.0; 3]);
    for smooth in [true, false] {
        let way =
            if smooth { Trajectory::smooth(&points, &paces) } else { Trajectory::fastest(&points, &paces) }.unwrap();
        let (n, mut before) = (20_000, vec![0.0; 3]);
        let (mut near, mut top) = (vec![f64::INFINITY; 5], 0.0_f64);
        let h = way.duration() / f64::from(n);
        for k in 0..=n {
            way.sample(h * f64::from(k), &mut q, &mut v, &mut a);
            for j in 0..3 {
                assert!(
                    v[j].abs() <= paces[j].speed * (1.0 + 1e-9) && a[j].abs() <= paces[j].acceleration * (1.0 + 1e-9)
                );
                top = top.max(v[j].abs() / paces[j].speed).max(a[j].abs() / paces[j].acceleration);
                // the velocity is the slope
                assert!(k == 0 || (q[j] - before[j]).abs() <= paces[j].speed * h * (1.0 + 1e-6), "jump");
            }
            before.copy_from_slice(&q);
            for (near, point) in near.iter_mut().zip(&points) {
                *near = near.min(largest(q.iter().zip(point).map(|(a, b)| a - b)));
            }
        }
        assert!(near.iter().all(|near| *near < 1e-3), "{near:?}");
        // some limit is reached
        assert!(top > 0.999, "{top}");
        way.sample(0.0, &mut q, &mut v, &mut a);
        assert!(largest(q.iter().zip(&points[0]).map(|(a, b)| a - b)) < 1e-12 && largest(v.clone()) < 1e-12);
        way.sample(way.duration(), &mut q, &mut v, &mut a);
        assert!(largest(q.iter().zip(&points[4]).map(|(a, b)| a - b)) < 1e-9 && largest(v.clone()) < 1e-9);
        assert!(smooth || largest(a.clone()) > 0.0);
    }
}

/// One segment: 30 x^2 (1 - x)^2 is its speed, with the peaks 15/8 and 10/sqrt(3) (Flash and Hogan 1985); the fastest takes v/a + x/v, or
/// 2 sqrt(x/a) where the top speed is not reached.
#[test]
fn one_segment_has_its_closed_form() {
    use super::super::timing::{Pace, Trajectory};
    let go = [vec![0.0], vec![2.0]];
    let pace = |speed: f64, acceleration: f64| [Pace { speed, acceleration }];
    let smooth = Trajectory::smooth(&go, &pace(1.0, 1e6)).unwrap();
    assert!((smooth.duration() - 2.0 * 15.0 / 8.0).abs() < 1e-3);
    let smooth = Trajectory::smooth(&go, &pace(1e6, 1.0)).unwrap();
    assert!((smooth.duration() - (2.0 * 10.0 / 3.0_f64.sqrt()).sqrt()).abs() < 1e-3);
    let [mut q, mut v, mut a] = [[0.0]; 3];
    smooth.sample(0.3 * smooth.duration(), &mut q, &mut v, &mut a);
    let x: f64 = 0.3;
    assert!((q[0] - 2.0 * (10.0 * x.powi(3) - 15.0 * x.powi(4) + 6.0 * x.powi(5))).abs() < 1e-12);
    assert!((Trajectory::fastest(&go, &pace(1.0, 2.0)).unwrap().duration() - (0.5 + 2.0)).abs() < 1e-12);
    assert!((Trajectory::fastest(&go, &pace(10.0, 2.0)).unwrap().duration() - 2.0).abs() < 1e-12);
    assert!(
        Trajectory::fastest(&go[..1], &pace(1.0, 1.0)).is_err() && Trajectory::smooth(&go, &pace(0.0, 1.0)).is_err()
    );
    assert_eq!(Trajectory::fastest(&[vec![1.0], vec![1.0]], &pace(1.0, 1.0)).unwrap().duration(), 0.0);
}
