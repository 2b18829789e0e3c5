//! Obstacles in a scene file.

use pliant::contact::{ObstacleParams, Shape, ShapeKind};
use pliant::math::Vec3;
use pliant::motion::Motion;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::material::FrictionSpec;
use crate::files::Files;
use crate::files::mesh;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, Length, Quantity, Scale, Triple, Tuple};
use crate::text::word::{Name, Nothing, Table};
use crate::world::motion::MotionSpec;
use crate::world::pose::{OrientationSpec, pose};

/// Largest number of points of a convex hull, which takes longer to build than a mesh to read.
const MOST_HULL_POINTS: usize = 100_000;

/// A rigid obstacle that bodies touch.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObstacleSpec {
    /// Name, unique among obstacles.
    pub(crate) name: Name,
    /// Geometry in its own frame.
    shape: ShapeSpec,
    /// Position of its origin [m]; the origin of the world unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation; that of the world unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// Motion from there; at rest unless given.
    motion: Option<MotionSpec>,
    /// Friction of its surface; that of the body that touches it unless given.
    friction: Option<Table<FrictionSpec>>,
    /// Whether hands of a live run may take it and carry it along; false unless given.
    #[serde(default)]
    pub(crate) hand: bool,
}

/// The geometry of an obstacle in its own frame.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ShapeSpec {
    /// The half-space below z = 0.
    Plane(Table<Nothing>),
    /// A sphere about the origin.
    Sphere(Table<SphereSpec>),
    /// A box centred on the origin.
    Box(Table<BoxSpec>),
    /// A cylinder along z with round caps.
    Capsule(Table<RoundSpec>),
    /// A cylinder along z with flat ends.
    Cylinder(Table<RoundSpec>),
    /// The convex hull of points.
    Convex(Table<ConvexSpec>),
    /// A surface of triangles from a file.
    Mesh(Table<MeshSpec>),
    /// Ground of varying height.
    HeightField(Table<HeightFieldSpec>),
}

/// A sphere.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SphereSpec {
    /// Radius [m].
    radius: Length,
}

/// A box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxSpec {
    /// Full lengths of the edges along x, y and z [m].
    size: Triple<Length>,
}

/// A capsule or cylinder.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoundSpec {
    /// Radius [m].
    radius: Length,
    /// Length of the cylindrical part [m].
    length: Length,
}

/// A convex hull of points given here, or of the vertices of a mesh file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConvexSpec {
    /// Points [m], at least four that are not coplanar.
    points: Option<Vec<Triple<Coordinate>>>,
    /// Name of an STL or OBJ file, relative to the scene file.
    file: Option<String>,
    /// Factor from the unit of the file to metres [-]; 1 unless given.
    scale: Option<Scale>,
}

/// A surface of triangles.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshSpec {
    /// Name of an STL or OBJ file, relative to the scene file.
    file: String,
    /// Factor from the unit of the file to metres [-]; 1 unless given.
    scale: Option<Scale>,
}

/// Ground of varying height over a rectangle centred on the origin.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeightFieldSpec {
    /// Heights [m]: rows along y, each with the same number of heights along x.
    heights: Vec<Vec<Coordinate>>,
    /// Full extent along x and y [m].
    size: Tuple<Length, 2>,
}

impl ObstacleSpec {
    pub(crate) fn build(&self, files: &mut Files) -> Result<ObstacleParams, Fault> {
        let kind = self.shape.build(&self.name, files).map_err(|f| f.at("shape"))?;
        Ok(ObstacleParams {
            name: self.name.to_string(),
            shape: Shape::new(kind).map_err(|e| Fault::new(e.to_string()).at("shape"))?,
            placed: pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)?,
            motion: match &self.motion {
                Some(motion) => motion.build(files, None).map_err(|f| f.at("motion"))?,
                None => Motion::Hold,
            },
            friction: self.friction.as_ref().map(|friction| friction.build()),
        })
    }
}

impl ShapeSpec {
    pub(crate) fn build(&self, owner: &str, files: &mut Files) -> Result<ShapeKind, Fault> {
        Ok(match self {
            ShapeSpec::Plane(_) => ShapeKind::Plane,
            ShapeSpec::Sphere(spec) => ShapeKind::Sphere { radius: spec.radius.get() },
            ShapeSpec::Box(spec) => ShapeKind::Box { size: spec.size.vector() },
            ShapeSpec::Capsule(spec) => ShapeKind::Capsule { radius: spec.radius.get(), length: spec.length.get() },
            ShapeSpec::Cylinder(spec) => ShapeKind::Cylinder { radius: spec.radius.get(), length: spec.length.get() },
            ShapeSpec::Convex(spec) => ShapeKind::Convex { points: spec.points(files).map_err(|f| f.at("convex"))? },
            ShapeSpec::Mesh(spec) => {
                let mesh = mesh::read(&spec.file, factor(spec.scale), owner, files);
                ShapeKind::Mesh(mesh.map_err(|f| f.at("file").at("mesh"))?)
            }
            ShapeSpec::HeightField(spec) => spec.build(files).map_err(|f| f.at("heights").at("height_field"))?,
        })
    }
}

fn factor(scale: Option<Scale>) -> f64 {
    scale.map_or(1.0, Quantity::get)
}

impl ConvexSpec {
    fn points(&self, files: &mut Files) -> Result<Vec<Vec3>, Fault> {
        let (points, key): (Vec<Vec3>, _) = match (&self.points, &self.file) {
            (Some(points), None) => (points.iter().map(|p| p.vector() * factor(self.scale)).collect(), "points"),
            (None, Some(file)) => {
                (mesh::read_points(file, factor(self.scale), files).map_err(|f| f.at("file"))?, "file")
            }
            _ => return Err(Fault::new("a convex hull needs either points or a file")),
        };
        if points.len() > MOST_HULL_POINTS {
            let message = format!("{} points are too many: at most {MOST_HULL_POINTS} for a hull", points.len());
            return Err(Fault::new(message).at(key));
        }
        files.take_triangles(2 * points.len()).map_err(|f| f.at(key))?;
        Ok(points)
    }
}

impl HeightFieldSpec {
    fn build(&self, files: &mut Files) -> Result<ShapeKind, Fault> {
        files.take_triangles(2 * self.heights.iter().map(Vec::len).sum::<usize>())?;
        let heights = self.heights.iter().map(|row| row.iter().map(|h| h.get()).collect()).collect();
        Ok(ShapeKind::HeightField { heights, size: self.size.numbers() })
    }
}
