//! Rods of rigid links in a row, whatever moves them: where places lie on them, how they begin, what they show.

use crate::frame::BodyFrame;
use crate::grip::Place;
use crate::math::{Pose, Quat, Vec3, unit_or};
use crate::react::Nodes;

/// Fields of a frame, by node.
pub const FIELDS: [(&str, &str); 5] =
    [("tension", "N"), ("shear force", "N"), ("bending moment", "N m"), ("torsion", "N m"), ("contact force", "N")];

/// The link a place lies on, and where along it from its middle [m].
pub fn locate(place: Place, count: usize, length: f64) -> (usize, f64) {
    let s = place.along(count).clamp(0.0, 1.0) * count as f64;
    let link = (s as usize).min(count - 1);
    (link, (s - link as f64 - 0.5) * length)
}

/// Poses of the links between points, each frame turned from the last by the least rotation, the first from `turn`.
pub fn poses_along(points: &[Vec3], mut turn: Quat) -> Vec<Pose> {
    let pose = |w: &[Vec3]| {
        let tangent = unit_or(w[1] - w[0], turn * Vec3::X);
        turn = (Quat::from_rotation_arc(turn * Vec3::X, tangent) * turn).normalize();
        Pose::from_parts(0.5 * (w[0] + w[1]), turn)
    };
    points.windows(2).map(pose).collect()
}

/// Nodes and their frames: the ends and the joints, half-way between the ends of the links that meet there. Fields are made
/// where there are none.
pub fn write_nodes(poses: &[Pose], length: f64, frame: &mut BodyFrame) {
    let count = poses.len();
    let half = Vec3::X * (0.5 * length);
    let (start, end) = (|i: usize| poses[i].transform_point(-half), |i: usize| poses[i].transform_point(half));
    frame.nodes.clear();
    frame.frames.clear();
    for i in 0..=count {
        let (before, after) = (i.max(1) - 1, i.min(count - 1));
        frame.nodes.push(match i {
            0 => start(0),
            i if i == count => end(count - 1),
            i => 0.5 * (end(i - 1) + start(i)),
        });
        let (a, b): (Quat, Quat) = (poses[before].rotation, poses[after].rotation);
        frame.frames.push(if before == after { a } else { a.slerp(b, 0.5) });
    }
    frame.set_fields(&FIELDS);
}

/// Nodes as `write_nodes` gives them and their velocities, from the velocity and turning of each link, that in its own axes.
pub fn show_nodes(poses: &[Pose], length: f64, moving: impl Fn(usize) -> (Vec3, Vec3), nodes: &mut Nodes) {
    let end = |i: usize, side: f64| {
        let ((velocity, turning), arm) = (moving(i), Vec3::X * (side * 0.5 * length));
        (poses[i].transform_point(arm), velocity + poses[i].rotation * turning.cross(arm))
    };
    let count = poses.len();
    for i in 0..=count {
        let (a, b) = match i {
            0 => (end(0, -1.0), end(0, -1.0)),
            i if i == count => (end(count - 1, 1.0), end(count - 1, 1.0)),
            i => (end(i - 1, 1.0), end(i, -1.0)),
        };
        nodes.add(0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
    }
}
