use super::*;
use crate::random::Random;

fn points(random: &mut Random) -> Points {
    std::array::from_fn(|_| random.vector())
}

/// The slopes of the angle are those of its value, and forces along them have neither sum nor torque.
#[test]
fn slopes_of_the_angle() {
    let mut random = Random(11);
    for _ in 0..200 {
        let at = points(&mut random);
        let slope = angle(&at);
        // a change by a whole turn is none
        let near = |x: f64| x - TAU * (x / TAU).round();
        for n in 0..4 {
            for axis in Vec3::AXES {
                let small = 1e-6;
                let value = |by: f64| {
                    let mut moved = at;
                    moved[slope.points[n]] += axis * by;
                    angle(&moved).value
                };
                let expected = near(value(small) - value(-small)) / (2.0 * small);
                let found = slope.by[n].dot(axis);
                assert!((found - expected).abs() < 1e-4 * (1.0 + expected.powi(2)), "{n}: {found} {expected}");
            }
        }
        let sum: Vec3 = slope.by.iter().sum();
        let torque: Vec3 = slope.points.iter().zip(slope.by).map(|(p, f)| at[*p].cross(f)).sum();
        let size: f64 = slope.by.iter().map(|f| f.length()).sum();
        assert!(sum.length() < 1e-12 * size && torque.length() < 1e-12 * size, "{sum} {torque} of {size}");
    }
}

/// Where the arms are perpendicular to the axis it is the printed JS: the angle between them in space, and forces n x j.
#[test]
fn it_is_the_printed_joint_connector_where_its_arms_are_perpendicular() {
    let mut random = Random(12);
    for _ in 0..100 {
        let mut at = points(&mut random);
        let n = (at[S] - at[C]).normalize();
        for p in [A, B] {
            let arm = at[p] - at[C];
            at[p] = at[C] + arm - n * n.dot(arm);
        }
        let hinge = Hinge { ends: [0, 1], middle: 2, side: Some(3), rest: 1.0, stiffness: 2.0, damping: 0.0 };
        let printed = hinge.turn([at[A], at[B], at[C]], [Vec3::ZERO; 3], Some(at[S]));
        let slope = angle(&at);
        let value = slope.value.rem_euclid(TAU);
        assert!((value - 1.0 - printed.off).abs() < 1e-12);
        // at the angle in print nothing is between 0 and 2 pi: its torque is that of its own deviation
        for (by, force) in [(slope.by[2], printed.forces[0]), (slope.by[3], printed.forces[1])] {
            assert!((by * (-2.0 * printed.off) - force).length() < 1e-10 * force.length().max(1.0), "{by} {force}");
        }
        assert!(slope.by[1].length() < 1e-12);
    }
}
