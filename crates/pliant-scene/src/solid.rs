//! Solids in a scene file: shapes that are cut into cells.

use pliant::contact::{Shape, ShapeKind};
use pliant::lattice::Part;
use pliant::lattice::solid::{
    Cells, DiscretiseError, Facet, MassRule, MeshLimits, Patch, Rings, brick, check_mesh, frustum, russian_doll,
};
use pliant::math::{Pose, Vec3};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::fault::Fault;
use crate::files::Files;
use crate::mesh;
use crate::pose::{OrientationSpec, pose};
use crate::quantity::{Coordinate, Count, Length, Mass, Quantity, Scale, Triple, Tuple};
use crate::word::{Name, Table};

/// Most cells along an edge.
const MOST_CELLS: usize = 100_000;

/// Most particles that are given one by one.
const MOST_POINTS: usize = 100_000;

/// Most corners of cells of a solid.
const MOST_CORNERS: usize = 4_000_000;

/// Number of cells along something.
pub(crate) type CellCount = Count<1, MOST_CELLS>;

/// A part of a body: a solid, or particles given one by one, somewhere in the frame of the body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartSpec {
    /// Name, unique among parts; connectors refer to it.
    pub(crate) name: Name,
    /// Its shape.
    solid: SolidSpec,
    /// Position of its origin in the frame of the body [m]; the origin unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation in the frame of the body; that of the body unless given.
    orientation: Option<Table<OrientationSpec>>,
}

/// The shape of a solid in its own frame, and the cells it is cut into.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SolidSpec {
    /// A box about the origin.
    Box(Table<BoxSpec>),
    /// A prism along z about the origin on a regular polygon; with many sides a cylinder.
    Prism(Table<PrismSpec>),
    /// The like with a top of another size: a frustum, nearly a pyramid or a cone.
    Frustum(Table<FrustumSpec>),
    /// The convex hull of points.
    Convex(Table<ConvexSpec>),
    /// A closed surface of triangles from a file, all of which can be seen from its centre of mass.
    Mesh(Table<MeshSpec>),
    /// Particles that are given one by one.
    Points(Table<PointsSpec>),
}

/// A box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxSpec {
    /// Full lengths of the edges along x, y and z [m].
    size: Triple<Length>,
    /// Number of cells along x, y and z [-]; 1 each unless given.
    cells: Option<[CellCount; 3]>,
    /// How mass is put on particles.
    masses: Option<MassName>,
}

/// A prism on a regular polygon.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PrismSpec {
    /// Number of sides [-].
    sides: Count<3, 1000>,
    /// From the axis to the edges [m].
    radius: Length,
    /// Length along z [m].
    length: Length,
    /// Number of rings of cells from the axis outwards [-]; 1 unless given.
    rings: Option<CellCount>,
    /// Number of layers of cells along z [-]; 1 unless given.
    layers: Option<CellCount>,
    /// How mass is put on particles.
    masses: Option<MassName>,
}

/// A frustum.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FrustumSpec {
    /// Number of sides [-].
    sides: Count<3, 1000>,
    /// From the axis to the corners, at the bottom and at the top [m].
    radii: Tuple<Length, 2>,
    /// Length along z [m].
    length: Length,
    /// Number of rings of cells from the axis outwards [-]; 1 unless given.
    rings: Option<CellCount>,
    /// Number of layers of cells along z [-]; 1 unless given.
    layers: Option<CellCount>,
    /// How mass is put on particles.
    masses: Option<MassName>,
}

/// The convex hull of points.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConvexSpec {
    /// Points [m], at least four that are not in one plane.
    points: Vec<Triple<Coordinate>>,
    /// Number of shells of cells, one in the other [-]; 1 unless given.
    shells: Option<CellCount>,
    /// How mass is put on particles.
    masses: Option<MassName>,
}

/// A closed surface of triangles.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshSpec {
    /// Name of an STL or OBJ file, relative to the scene file.
    file: String,
    /// Factor from the unit of the file to metres [-]; 1 unless given.
    scale: Option<Scale>,
    /// Number of shells of cells, one in the other [-]; 1 unless given.
    shells: Option<CellCount>,
    /// How mass is put on particles.
    masses: Option<MassName>,
}

/// Particles that are given one by one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointsSpec {
    /// Where they are [m].
    places: Vec<Triple<Coordinate>>,
    /// Mass of each [kg].
    mass: Mass,
}

/// How mass is put on particles.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MassName {
    /// On corners and the centre of each cell: 9 particles for a hexahedron, exact for boxes.
    Approximate,
    /// Exact, by tetrahedra: 13 particles for a hexahedron.
    Exact,
    /// Exact and symmetric: 39 particles for a hexahedron.
    SymmetricExact,
}

impl PartSpec {
    /// The part, in the frame of the body.
    pub(crate) fn build(&self, files: &mut Files) -> Result<Part, Fault> {
        let placed = pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)?;
        self.solid.build(&placed, &self.name, files).map_err(|fault| fault.at("solid"))
    }
}

impl SolidSpec {
    /// A part of this shape, at a pose in the frame of the body.
    pub(crate) fn build(&self, placed: &Pose, owner: &str, files: &mut Files) -> Result<Part, Fault> {
        self.refuse_too_many()?;
        let (key, cells, masses) = match self {
            SolidSpec::Box(spec) => {
                let counts = spec.cells.as_ref().map_or([1; 3], |cells| [cells[0].0, cells[1].0, cells[2].0]);
                ("box", brick(spec.size.vector(), counts), spec.masses)
            }
            SolidSpec::Prism(spec) => {
                let (rings, layers) = (count(&spec.rings), count(&spec.layers));
                let cut = Rings { per_edge: 1, rings };
                let radii = [spec.radius.get(); 2];
                ("prism", frustum(spec.sides.0, radii, spec.length.get(), cut, layers), spec.masses)
            }
            SolidSpec::Frustum(spec) => {
                let (rings, layers) = (count(&spec.rings), count(&spec.layers));
                let cut = Rings { per_edge: 1, rings };
                ("frustum", frustum(spec.sides.0, spec.radii.numbers(), spec.length.get(), cut, layers), spec.masses)
            }
            SolidSpec::Convex(spec) => {
                let points = spec.points.iter().map(Triple::vector).collect();
                let hull =
                    Shape::new(ShapeKind::Convex { points }).map_err(|e| Fault::new(e.to_string()).at("convex"))?;
                ("convex", doll(&hull.outline(), count(&spec.shells)), spec.masses)
            }
            SolidSpec::Mesh(spec) => {
                let scale = spec.scale.map_or(1.0, Quantity::get);
                let raw = mesh::read_solid(&spec.file, scale, files).map_err(|fault| fault.at("mesh"))?;
                let checked = check_mesh(&raw, &MeshLimits::default())
                    .map_err(|e| Fault::new(format!("{}: {e}", spec.file)).at("mesh"))?;
                for warning in &checked.warnings {
                    files.warnings.push(format!("body {owner}: {}: {warning}", spec.file));
                }
                let corners = checked.mesh.vertices.len().saturating_mul(count(&spec.shells));
                if corners > MOST_CORNERS {
                    let message = format!("{corners} corners of cells are too many: a solid may have {MOST_CORNERS}");
                    return Err(Fault::new(message).at("shells").at("mesh"));
                }
                ("mesh", doll(&checked.mesh, count(&spec.shells)), spec.masses)
            }
            SolidSpec::Points(spec) => {
                if spec.places.is_empty() || spec.places.len() > MOST_POINTS {
                    let message = format!("1 to {MOST_POINTS} particles can be given one by one");
                    return Err(Fault::new(message).at("points"));
                }
                let places: Vec<Vec3> = spec.places.iter().map(|p| placed.transform_point(p.vector())).collect();
                let masses = vec![spec.mass.get(); places.len()];
                return Ok(Part::Points { places, masses });
            }
        };
        let cells = cells.map_err(|e| Fault::new(e.to_string()).at(key))?;
        let rule = match masses {
            None | Some(MassName::Approximate) => MassRule::Approximate,
            Some(MassName::Exact) => MassRule::Exact,
            Some(MassName::SymmetricExact) => MassRule::SymmetricExact,
        };
        Ok(Part::Solid { cells: cells.moved(|p| placed.transform_point(p)), rule })
    }
}

impl SolidSpec {
    /// Refuse what would take more memory than there may be, before it does.
    fn refuse_too_many(&self) -> Result<(), Fault> {
        let (key, factors) = match self {
            SolidSpec::Box(spec) => {
                ("box", spec.cells.as_ref().map_or([1; 3], |cells| cells.each_ref().map(|c| c.0 + 1)))
            }
            SolidSpec::Prism(spec) => ("prism", [spec.sides.0, count(&spec.rings) + 1, count(&spec.layers) + 1]),
            SolidSpec::Frustum(spec) => ("frustum", [spec.sides.0, count(&spec.rings) + 1, count(&spec.layers) + 1]),
            SolidSpec::Convex(spec) => ("convex", [spec.points.len(), count(&spec.shells), 1]),
            SolidSpec::Mesh(_) | SolidSpec::Points(_) => return Ok(()),
        };
        let corners = factors.into_iter().fold(1usize, usize::saturating_mul);
        if corners > MOST_CORNERS {
            let message = format!("{corners} corners of cells are too many: a solid may have {MOST_CORNERS}");
            return Err(Fault::new(message).at(key));
        }
        Ok(())
    }
}

fn count(given: &Option<CellCount>) -> usize {
    given.as_ref().map_or(1, |count| count.0)
}

/// A closed surface, filled with shells.
fn doll(mesh: &pliant::contact::Mesh, shells: usize) -> Result<Cells, DiscretiseError> {
    let facets = mesh.triangles.iter().map(|t| Facet::Triangle(*t)).collect();
    russian_doll(&Patch { points: mesh.vertices.clone(), facets }, shells)
}
