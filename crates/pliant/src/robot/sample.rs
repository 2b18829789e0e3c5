//! Robots for tests: random trees of every kind of joint.

use super::spec::{Base, JointKind, JointSpec, LinkSpec, Mimic, RobotSpec};
use crate::math::{Mat3, Pose, Quat, Vec3};
use crate::random::Random;

/// A random pose about half a metre away.
pub fn pose(random: &mut Random) -> Pose {
    Pose::from_parts(random.vector() * 0.3, Quat::from_scaled_axis(random.vector() * 2.0))
}

/// A link with random mass, centre and inertia: three points of mass in random places.
pub fn link(name: &str, random: &mut Random) -> LinkSpec {
    let mass = 0.3 + random.fraction();
    let mut inertia = Mat3::ZERO;
    for _ in 0..4 {
        let r = random.vector() * 0.1;
        let square = Mat3::from_cols(r * r.x, r * r.y, r * r.z);
        inertia += (Mat3::from_diagonal(Vec3::splat(r.length_squared())) - square) * (0.25 * mass);
    }
    LinkSpec { name: name.into(), mass, centre: random.vector() * 0.2, inertia }
}

/// A tree of so many joints, one in five of them prismatic, one fixed, one planar or following another.
pub fn tree(joints: usize, floating: bool, seed: u64) -> RobotSpec {
    let mut random = Random(seed);
    let mut links = vec![link("root", &mut random)];
    let mut list: Vec<JointSpec> = vec![];
    for i in 0..joints {
        links.push(link(&format!("link{i}"), &mut random));
        // mostly chains, with branches
        let parent = if random.fraction() < 0.7 { i } else { (random.fraction() * i as f64) as usize };
        let kind = match i % 5 {
            1 => JointKind::Prismatic,
            3 => JointKind::Fixed,
            4 if i % 2 == 0 => JointKind::Planar,
            _ => JointKind::Continuous,
        };
        let origin = pose(&mut random);
        let mut joint = JointSpec::new(&format!("joint{i}"), kind, [parent, i + 1], origin, random.vector());
        if i % 7 == 5 && kind != JointKind::Fixed && kind != JointKind::Planar {
            joint.mimic = Some(Mimic { joint: 0, multiplier: -0.6, offset: 0.2 });
        }
        list.push(joint);
    }
    let base = if floating { Base::Floating } else { Base::Fixed(pose(&mut random)) };
    RobotSpec { name: "tree".into(), links, joints: list, base, gravity: Vec3::new(1.0, -2.0, -9.0) }
}

/// Two rods that swing in a plane: the first of length 1 and mass 1, the second of length 0.7 and mass 0.5.
pub fn double_pendulum() -> RobotSpec {
    let rod = |name: &str, mass: f64, length: f64| LinkSpec {
        name: name.into(),
        mass,
        centre: Vec3::NEG_Z * (0.5 * length),
        inertia: Mat3::from_diagonal(Vec3::new(1.0, 1.0, 0.001) * (mass * length * length / 12.0)),
    };
    let base = LinkSpec { name: "base".into(), mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO };
    let at = Pose::from_parts(Vec3::NEG_Z, Quat::IDENTITY);
    RobotSpec {
        name: "double pendulum".into(),
        links: vec![base, rod("upper", 1.0, 1.0), rod("lower", 0.5, 0.7)],
        joints: vec![
            JointSpec::new("shoulder", JointKind::Continuous, [0, 1], Pose::IDENTITY, Vec3::Y),
            JointSpec::new("elbow", JointKind::Continuous, [1, 2], at, Vec3::Y),
        ],
        base: Base::Fixed(Pose::IDENTITY),
        gravity: Vec3::NEG_Z * 9.81,
    }
}
