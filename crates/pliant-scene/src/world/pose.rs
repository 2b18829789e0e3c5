//! Positions and orientations.

use pliant::math::{Pose, Quat, Vec3};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::fault::Fault;
use crate::text::quantity::{Angle, Component, Coordinate, Quantity, Triple, Tuple};
use crate::text::word::Table;

/// An orientation: a quaternion, an axis with an angle, or three angles.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrientationSpec {
    /// Quaternion w, x, y, z [-]; normalised.
    quaternion: Option<Tuple<Component, 4>>,
    /// Axis to turn about, of any nonzero length [-]; with `angle_deg`.
    axis: Option<Triple<Component>>,
    /// Angle to turn by [degrees]; with `axis`.
    angle_deg: Option<Angle>,
    /// Roll about x, then pitch about y, then yaw about z, all about fixed axes [degrees].
    euler_deg: Option<Triple<Angle>>,
}

impl OrientationSpec {
    pub(crate) fn build(&self) -> Result<Quat, Fault> {
        match (&self.quaternion, &self.axis, &self.angle_deg, &self.euler_deg) {
            (Some(quaternion), None, None, None) => {
                let [w, x, y, z] = quaternion.numbers();
                unit_quaternion(w, x, y, z).ok_or_else(|| Fault::new("a quaternion must not be zero").at("quaternion"))
            }
            (None, Some(axis), Some(angle), None) => {
                let axis = direction(axis).map_err(|f| f.at("axis"))?;
                Ok(Quat::from_axis_angle(axis, angle.get().to_radians()))
            }
            (None, None, None, Some(angles)) => {
                let [roll, pitch, yaw] = angles.numbers().map(f64::to_radians);
                Ok(Quat::from_rotation_z(yaw) * Quat::from_rotation_y(pitch) * Quat::from_rotation_x(roll))
            }
            _ => Err(Fault::new(
                "an orientation is one of { quaternion = … }, { axis = …, angle_deg = … }, { euler_deg = … }",
            )),
        }
    }
}

/// The normalised quaternion, or `None` for zero.
pub(crate) fn unit_quaternion(w: f64, x: f64, y: f64, z: f64) -> Option<Quat> {
    let quaternion = Quat::from_xyzw(x, y, z, w);
    let length = quaternion.length();
    (length > 1e-9 && length.is_finite()).then(|| quaternion / length)
}

/// The unit vector along a direction. Fails if it is zero.
pub(crate) fn direction(spec: &Triple<Component>) -> Result<Vec3, Fault> {
    let vector = spec.vector();
    let length = vector.length();
    if length > 1e-9 { Ok(vector / length) } else { Err(Fault::new("a direction must not be zero")) }
}

/// A pose from an optional position, else `default`, and an optional orientation.
pub(crate) fn pose(
    position: Option<&Triple<Coordinate>>,
    orientation: Option<&Table<OrientationSpec>>,
    default: Vec3,
) -> Result<Pose, Fault> {
    let rotation = match orientation {
        Some(spec) => spec.build().map_err(|f| f.at("orientation"))?,
        None => Quat::IDENTITY,
    };
    Ok(Pose::from_parts(position.map_or(default, Triple::vector), rotation))
}
