//! The messages of a recording: Foxglove's, which Foxglove and Rerun draw, and our own for plotting.
//!
//! Names, numbers and types of fields follow the published schemas (<https://docs.foxglove.dev/docs/sdk/schemas>),
//! complete even where we fill only some of them, because a viewer may rely on a field being there.

use pliant::math::{Pose as WorldPose, Quat, Vec3};

use crate::protobuf::{EnumSchema, Field, Kind, Malformed, Wire, message};

message!(Timestamp = "google.protobuf.Timestamp" { 1 seconds: i64, 2 nanos: i32, });
message!(Duration = "google.protobuf.Duration" { 1 seconds: i64, 2 nanos: i32, });

message!(Vector3 = "foxglove.Vector3" { 1 x: f64, 2 y: f64, 3 z: f64, });
message!(Point3 = "foxglove.Point3" { 1 x: f64, 2 y: f64, 3 z: f64, });
message!(Quaternion = "foxglove.Quaternion" { 1 x: f64, 2 y: f64, 3 z: f64, 4 w: f64, });
message!(Pose = "foxglove.Pose" { 1 position: Vector3, 2 orientation: Quaternion, });
message!(Color = "foxglove.Color" { 1 r: f64, 2 g: f64, 3 b: f64, 4 a: f64, });
message!(KeyValuePair = "foxglove.KeyValuePair" { 1 key: String, 2 value: String, });

message!(SceneUpdate = "foxglove.SceneUpdate" {
    1 deletions: Vec<SceneEntityDeletion>, 2 entities: Vec<SceneEntity>,
});
message!(SceneEntityDeletion = "foxglove.SceneEntityDeletion" {
    1 timestamp: Timestamp, 2 r#type: DeletionType, 3 id: String,
});
message!(SceneEntity = "foxglove.SceneEntity" {
    1 timestamp: Timestamp, 2 frame_id: String, 3 id: String, 4 lifetime: Duration, 5 frame_locked: bool,
    6 metadata: Vec<KeyValuePair>, 7 arrows: Vec<ArrowPrimitive>, 8 cubes: Vec<CubePrimitive>,
    9 spheres: Vec<SpherePrimitive>, 10 cylinders: Vec<CylinderPrimitive>, 11 lines: Vec<LinePrimitive>,
    12 triangles: Vec<TriangleListPrimitive>, 13 texts: Vec<TextPrimitive>, 14 models: Vec<ModelPrimitive>,
});
message!(ArrowPrimitive = "foxglove.ArrowPrimitive" {
    1 pose: Pose, 2 shaft_length: f64, 3 shaft_diameter: f64, 4 head_length: f64, 5 head_diameter: f64,
    6 color: Color,
});
message!(CubePrimitive = "foxglove.CubePrimitive" { 1 pose: Pose, 2 size: Vector3, 3 color: Color, });
message!(SpherePrimitive = "foxglove.SpherePrimitive" { 1 pose: Pose, 2 size: Vector3, 3 color: Color, });
message!(CylinderPrimitive = "foxglove.CylinderPrimitive" {
    1 pose: Pose, 2 size: Vector3, 3 bottom_scale: f64, 4 top_scale: f64, 5 color: Color,
});
message!(LinePrimitive = "foxglove.LinePrimitive" {
    1 r#type: LineType, 2 pose: Pose, 3 thickness: f64, 4 scale_invariant: bool, 5 points: Vec<Point3>,
    6 color: Color, 7 colors: Vec<Color>, 8 indices: Vec<u32>,
});
message!(TriangleListPrimitive = "foxglove.TriangleListPrimitive" {
    1 pose: Pose, 2 points: Vec<Point3>, 3 color: Color, 4 colors: Vec<Color>, 5 indices: Vec<u32>,
});
message!(TextPrimitive = "foxglove.TextPrimitive" {
    1 pose: Pose, 2 billboard: bool, 3 font_size: f64, 4 scale_invariant: bool, 5 color: Color, 6 text: String,
});
message!(ModelPrimitive = "foxglove.ModelPrimitive" {
    1 pose: Pose, 2 scale: Vector3, 3 color: Color, 4 override_color: bool, 5 url: String, 6 media_type: String,
    7 data: Vec<u8>,
});

message!(PointCloud = "foxglove.PointCloud" {
    1 timestamp: Timestamp, 2 frame_id: String, 3 pose: Pose, 4 point_stride: u32, 5 fields: Vec<PackedElementField>,
    6 data: Vec<u8>,
});
message!(PackedElementField = "foxglove.PackedElementField" { 1 name: String, 2 offset: u32, 3 r#type: NumericType, });

message!(FrameTransforms = "foxglove.FrameTransforms" { 1 transforms: Vec<FrameTransform>, });
message!(FrameTransform = "foxglove.FrameTransform" {
    1 timestamp: Timestamp, 2 parent_frame_id: String, 3 child_frame_id: String, 4 translation: Vector3,
    5 rotation: Quaternion,
});
message!(Log = "foxglove.Log" {
    1 timestamp: Timestamp, 2 level: LogLevel, 3 message: String, 4 name: String, 5 file: String, 6 line: u32,
});

message!(
    /// A gripper: its pose in the world, and the load that bodies exert on it (world axes, torque about its origin).
    GripperSample = "pliant.Gripper" {
        1 timestamp: Timestamp, 2 position: Vector3, 3 orientation: Quaternion, 4 force: Vector3, 5 torque: Vector3,
        6 force_norm: f64, 7 torque_norm: f64, 8 attached: bool,
        9 force_low: Vector3, 10 force_high: Vector3, 11 torque_low: Vector3, 12 torque_high: Vector3,
        13 force_norm_high: f64, 14 torque_norm_high: f64,
    }
);
message!(
    /// A force/torque sensor: its pose in the world, and what it reads, in its own axes.
    SensorSample = "pliant.Sensor" {
        1 timestamp: Timestamp, 2 position: Vector3, 3 orientation: Quaternion, 4 force: Vector3, 5 torque: Vector3,
        6 force_low: Vector3, 7 force_high: Vector3, 8 torque_low: Vector3, 9 torque_high: Vector3,
    }
);
message!(
    /// A body: energies, positions of its nodes and a value per node for each of its fields.
    ///
    /// Nodes have the field number of `LinePrimitive.points`: their bytes are then equal, and the compressor finds them
    /// in the scene just before, so that the second copy costs almost nothing.
    BodySample = "pliant.Body" {
        1 timestamp: Timestamp, 2 energy: EnergySample, 3 fields: Vec<FieldSample>, 5 nodes: Vec<Point3>,
        6 joints: Vec<JointSample>,
    }
);
message!(
    /// A joint of an arm: where it is, how fast it moves [rad, m, rad/s, m/s], and the torque of its drive [N m, N], with the
    /// lowest and the highest since the instant before.
    JointSample = "pliant.Joint" {
        1 name: String, 2 position: f64, 3 speed: f64, 4 torque: f64, 5 torque_low: f64, 6 torque_high: f64,
    }
);
message!(EnergySample = "pliant.Energy" { 1 kinetic: f64, 2 elastic: f64, 3 gravity: f64, 4 total: f64, });
message!(FieldSample = "pliant.Field" { 1 name: String, 2 unit: String, 3 values: Vec<f64>, 4 low: f64, 5 high: f64, });
message!(
    /// The force of an obstacle on all bodies, and on each that it touches.
    ObstacleSample = "pliant.Obstacle" {
        1 timestamp: Timestamp, 2 force: Vector3, 3 force_norm: f64, 4 on: Vec<PushSample>,
        5 force_low: Vector3, 6 force_high: Vector3, 7 force_norm_high: f64,
    }
);
message!(PushSample = "pliant.Push" { 1 body: String, 2 force: Vector3, });
message!(
    /// All contacts at an instant.
    ContactsSample = "pliant.Contacts" {
        1 timestamp: Timestamp, 2 penetration_max: f64, 3 force_sum: f64, 4 contacts: Vec<ContactSample>,
        5 penetration_max_high: f64, 6 force_sum_high: f64,
    }
);
message!(ContactSample = "pliant.Contact" {
    1 body: String, 2 other: String, 3 position: Point3, 4 normal: Vector3, 5 force: Vector3, 6 penetration: f64,
    7 along: f64, 8 with: String,
});
message!(
    /// What stays constant: bodies, grippers, obstacles and sensors, in the order of the world.
    LayoutSample = "pliant.Layout" {
        1 bodies: Vec<BodyLayoutSample>, 2 grippers: Vec<String>, 3 obstacles: Vec<ObstacleLayoutSample>,
        4 sensors: Vec<SensorLayoutSample>,
    }
);
message!(
    /// A sensor, and the gripper whose load it measures.
    SensorLayoutSample = "pliant.SensorLayout" { 1 name: String, 2 gripper: String, }
);
message!(
    /// A body: its model, and radius and unloaded length if it is a rod [m].
    BodyLayoutSample = "pliant.BodyLayout" {
        1 name: String, 2 model: String, 3 radius: f64, 4 length: f64, 5 closed: bool,
        6 joints: Vec<JointLayoutSample>,
    }
);
message!(
    /// A joint of an arm: its name, and whether it is a length, not an angle.
    JointLayoutSample = "pliant.JointLayout" { 1 name: String, 2 slides: bool, }
);
message!(ObstacleLayoutSample = "pliant.ObstacleLayout" { 1 name: String, 2 is_plane: bool, });
message!(GripsSample = "pliant.Grips" { 1 timestamp: Timestamp, 2 grips: Vec<GripSample>, });
message!(
    /// A closed grip: where along a rod, as a fraction of its unloaded length (NaN on a solid); the load of the body on
    /// the gripper by this grip (world axes, torque about the gripper's origin).
    GripSample = "pliant.Grip" {
        1 gripper: String, 2 body: String, 3 fraction: f64, 4 sliding: bool, 5 position: Point3, 6 force: Vector3,
        7 torque: Vector3,
    }
);

/// An enumeration as a field. We use only one value of each, so the type itself is the value.
macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident = $full:literal [$($value:literal),*], written as $used:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $name;

        impl Field for $name {
            const KIND: Kind = Kind::Enum(&EnumSchema { name: $full, values: &[$($value),*] });
            fn encode_field(&self, number: u32, out: &mut Vec<u8>) {
                Field::encode_field(&($used as i32), number, out);
            }
            fn merge_field(&mut self, _: Wire<'_>) -> Result<(), Malformed> {
                Ok(())
            }
        }
    };
}

enumeration!(
    /// `LINE_STRIP`.
    LineType = "foxglove.LinePrimitive.Type" ["LINE_STRIP", "LINE_LOOP", "LINE_LIST"], written as 0
);
enumeration!(
    /// `MATCHING_ID`.
    DeletionType = "foxglove.SceneEntityDeletion.Type" ["MATCHING_ID", "ALL"], written as 0
);
enumeration!(
    /// `FLOAT32`.
    NumericType = "foxglove.PackedElementField.NumericType"
        ["UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32", "FLOAT64"], written as 7
);
enumeration!(
    /// `INFO`.
    LogLevel = "foxglove.Log.Level" ["UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"], written as 2
);

impl Timestamp {
    /// From simulated time [s], which starts at zero.
    pub fn at(time: f64) -> Timestamp {
        let nanos = nanoseconds(time);
        Timestamp { seconds: (nanos / 1_000_000_000) as i64, nanos: (nanos % 1_000_000_000) as i32 }
    }
}

/// Simulated time in nanoseconds; it is never negative.
pub(crate) fn nanoseconds(time: f64) -> u64 {
    (time * 1e9).round() as u64
}

impl From<Vec3> for Vector3 {
    fn from(v: Vec3) -> Self {
        Vector3 { x: v.x, y: v.y, z: v.z }
    }
}

impl From<Vec3> for Point3 {
    fn from(v: Vec3) -> Self {
        Point3 { x: v.x, y: v.y, z: v.z }
    }
}

impl From<Quat> for Quaternion {
    fn from(q: Quat) -> Self {
        Quaternion { x: q.x, y: q.y, z: q.z, w: q.w }
    }
}

impl From<WorldPose> for Pose {
    fn from(pose: WorldPose) -> Self {
        Pose { position: pose.translation.into(), orientation: pose.rotation.into() }
    }
}

impl From<Vector3> for Vec3 {
    fn from(v: Vector3) -> Self {
        Vec3::new(v.x, v.y, v.z)
    }
}

impl From<Point3> for Vec3 {
    fn from(p: Point3) -> Self {
        Vec3::new(p.x, p.y, p.z)
    }
}

impl From<Quaternion> for Quat {
    fn from(q: Quaternion) -> Self {
        Quat::from_xyzw(q.x, q.y, q.z, q.w)
    }
}
