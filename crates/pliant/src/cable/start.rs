//! Initial state of a cable: the poses of its links, and the unloaded strain of each joint.
//!
//! Sections follow the path without turning about it (parallel transport), and in addition turn by the requested twist.
//! Along a closed path that is not plane they come back turned by some angle, and the last joint must match the first
//! link. For a straight unloaded shape with an isotropic section it does not matter which of its points meet: its axes
//! are then turned along the cable so that they do, and turning beyond the twist of the cable counts as natural.
//! Otherwise the twist is the smallest one with which they meet, or the requested one must be such.

use std::borrow::Cow;
use std::f64::consts::TAU;

use super::CableSpec;
use super::algebra::block::Vec6;
use super::joint::strain;
use super::links::jointed;
use crate::curve;
use crate::error::BuildError;
use crate::linkage::{Arms, poses_along};
use crate::math::{Pose, Quat, Vec3, atan2, unit_or};
use crate::rest::Rest;

/// Tolerance within which a requested twist counts as one with which a closed cable meets itself [rad].
const MEETS: f64 = 1e-3;

/// Initial links and joints.
pub struct Beginning {
    /// Poses of the links.
    pub poses: Vec<Pose>,
    /// Unloaded strain of each joint.
    pub rest: Vec<Vec6>,
}

impl CableSpec {
    /// The path; a closed one ends at its first point.
    pub fn whole_path(&self) -> Cow<'_, [Vec3]> {
        match (self.path.first(), self.path.last()) {
            (Some(first), Some(last)) if self.settings.closed && first != last => {
                Cow::Owned(self.path.iter().copied().chain([*first]).collect())
            }
            _ => Cow::Borrowed(&self.path),
        }
    }

    /// Number of joints.
    pub fn joints(&self) -> usize {
        self.segments - usize::from(!self.settings.closed)
    }

    /// The initial state, with links of this length [m].
    pub fn beginning(&self, name: &str, length: f64) -> Result<Beginning, BuildError> {
        let (count, joints) = (self.segments, self.joints());
        let points = curve::resample(&self.whole_path(), count + 1);
        let along = poses_along(&points, first_turn(name, &points, self.normal)?);
        // how far sections turn about the cable from its start to its end, and how much of that is natural
        let (turned, natural) =
            if self.settings.closed { self.closing_turn(name, &along)? } else { (self.settings.twist, 0.0) };
        let each = 1.0 / count as f64;
        let rest = match self.rest {
            Rest::Straight => vec![[0.0, 0.0, 0.0, natural * each, 0.0, 0.0]; joints],
            Rest::Path => {
                let arms = Arms::between(length);
                let poses = turned_along(along.clone(), natural, self.settings.closed);
                jointed(&poses, joints).map(|(a, b)| strain(a, b, arms)).collect()
            }
            Rest::Curved { curvature: [y, z], twist } => {
                vec![[0.0, 0.0, 0.0, twist * length + natural * each, y * length, z * length]; joints]
            }
        };
        Ok(Beginning { poses: turned_along(along, turned, self.settings.closed), rest })
    }

    /// How far the sections of a closed cable turn about it once around, so that they meet, and how much of that is
    /// natural [rad].
    fn closing_turn(&self, name: &str, along: &[Pose]) -> Result<(f64, f64), BuildError> {
        let twist = self.settings.twist;
        let (first, last) = (along[0].rotation, along[along.len() - 1].rotation);
        let tangent = first * Vec3::X;
        let back = Quat::from_rotation_arc(last * Vec3::X, tangent) * last;
        // the turn with which they meet, up to full turns
        let least = angle_about(tangent, back * Vec3::Y, first * Vec3::Y);
        let whole = |angle: f64| TAU * (angle / TAU).round();
        let straight = match self.rest {
            Rest::Straight => true,
            Rest::Curved { curvature, .. } => curvature == [0.0; 2],
            Rest::Path => {
                // the unloaded shape is closed already
                return meeting(name, twist, whole(twist)).map(|twist| (least + twist, least));
            }
        };
        let turned = least + whole(twist - least);
        if straight && self.section.is_isotropic() {
            return Ok((turned, turned - twist));
        }
        let turned = if twist == 0.0 { least } else { meeting(name, twist, turned)? };
        Ok((turned, 0.0))
    }
}

/// The nearest twist with which a cable meets itself, if it is the requested one.
fn meeting(name: &str, twist: f64, nearest: f64) -> Result<f64, BuildError> {
    if (twist - nearest).abs() > MEETS {
        let (twist, nearest) = (twist.to_degrees(), nearest.to_degrees());
        return Err(BuildError::Seam { body: name.into(), twist, nearest });
    }
    Ok(nearest)
}

/// Links turned about their own axes, by an angle that grows over the whole length.
fn turned_along(mut poses: Vec<Pose>, angle: f64, closed: bool) -> Vec<Pose> {
    if angle != 0.0 {
        let count = poses.len() as f64;
        // the centre of an open cable's first link is half a link from its start
        let from = if closed { 0.0 } else { 0.5 };
        for (i, pose) in poses.iter_mut().enumerate() {
            let turn = Quat::from_rotation_x(angle * (i as f64 + from) / count);
            pose.rotation = (pose.rotation * turn).normalize();
        }
    }
    poses
}

/// The angle about an axis from one perpendicular direction to another [rad].
fn angle_about(axis: Vec3, from: Vec3, to: Vec3) -> f64 {
    atan2(from.cross(to).dot(axis), from.dot(to))
}

/// Rotation of the first link such that its y axis is along `normal`; the identity without one.
fn first_turn(name: &str, points: &[Vec3], normal: Option<Vec3>) -> Result<Quat, BuildError> {
    let Some(normal) = normal else { return Ok(Quat::IDENTITY) };
    let tangent = unit_or(points[1] - points[0], Vec3::X);
    let across = normal.try_normalize().map(|unit| unit.reject_from_normalized(tangent));
    // less than a thousandth of a degree off the path is no usable direction
    let Some(y) = across.filter(|across| across.length() > 1e-5).map(Vec3::normalize) else {
        return Err(BuildError::Normal { body: name.into(), normal });
    };
    let turn = Quat::from_rotation_arc(Vec3::X, tangent);
    let angle = angle_about(tangent, turn * Vec3::Y, y);
    Ok((Quat::from_axis_angle(tangent, angle) * turn).normalize())
}
