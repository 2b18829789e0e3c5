//! Solids in a scene file: shapes divided into cells.

use std::fmt::Display;

use pliant::contact::{Shape, ShapeKind};
use pliant::lattice::Part;
use pliant::lattice::solid::{Cells, Facet, MassRule, MeshLimits, Patch, Rings, check_mesh, frustum, russian_doll};
use pliant::math::{Pose, Vec3};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::cut::{Bar, CellCount, Fineness, GradingSpec, box_cells};
use crate::body::swept::{PolygonSpec, SweepSpec};
use crate::files::Files;
use crate::files::mesh;
use crate::files::tets::TetsSpec;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, Count, Length, Mass, Quantity, Scale, Triple};
use crate::text::word::{Name, Table};
use crate::world::pose::{OrientationSpec, pose};

/// Largest number of individually given particles.
const MOST_POINTS: usize = 100_000;

/// Largest number of triangles of a surface that is filled with cells: its cells are thin and need hundreds of model
/// steps per step of the scene.
const MOST_TRIANGLES: usize = 200_000;

/// A part of a body: a solid or individual particles, placed in the frame of the body.
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

/// The shape of a solid in its own frame, and the cells it is divided into.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SolidSpec {
    /// A box centred on the origin.
    Box(Table<BoxSpec>),
    /// A prism along z, centred on the origin, on a regular polygon; with many sides nearly a cylinder, with a top of
    /// another size a frustum, nearly a pyramid or a cone.
    Prism(Table<PrismSpec>),
    /// A plate: a convex polygon in the plane of x and y, swept along z.
    Polygon(Table<PolygonSpec>),
    /// A solid swept from one convex polygon to another.
    Sweep(Table<SweepSpec>),
    /// The convex hull of points.
    Convex(Table<ConvexSpec>),
    /// A closed surface of triangles from a file, all visible from its centre of mass.
    Mesh(Table<MeshSpec>),
    /// Individually given particles.
    Points(Table<PointsSpec>),
    /// A tetrahedral mesh from a file; only for the model `response`.
    Tets(Table<TetsSpec>),
}

/// A box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoxSpec {
    /// Full lengths of the edges along x, y and z [m].
    pub(crate) size: Triple<Length>,
    /// Number of cells along x, y and z [-], or a table for as many as keep the inertia when it is bent along its
    /// longest edge, in the direction of its shortest, or twisted about it; 1 each unless given. For the model
    /// `response` only numbers; a few unless given.
    pub(crate) cells: Option<Fineness<3>>,
    /// Where cells are denser; uniform unless given. Only for the model `lattice`.
    pub(crate) grading: Option<Table<GradingSpec>>,
    /// How mass is distributed to particles. Only for the model `lattice`.
    pub(crate) masses: Option<MassName>,
}

/// A prism on a regular polygon.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PrismSpec {
    /// Number of sides [-].
    sides: Count<3, 1000>,
    /// Distance from the axis to the edges along z [m]; at the bottom, if `top_radius` is given.
    radius: Length,
    /// Distance from the axis to the edges at the top [m]; `radius` unless given.
    top_radius: Option<Length>,
    /// Length along z [m].
    length: Length,
    /// Number of rings of cells from the axis outward [-]; 1 unless given.
    rings: Option<CellCount>,
    /// Number of layers of cells along z [-], or a table for as many as keep the inertia when it is bent or twisted; 1
    /// unless given.
    layers: Option<Fineness<1>>,
    /// How mass is distributed to particles.
    masses: Option<MassName>,
}

/// The convex hull of points.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConvexSpec {
    /// Points [m], at least four that are not coplanar.
    points: Vec<Triple<Coordinate>>,
    /// Number of nested shells of cells [-]; 1 unless given.
    shells: Option<CellCount>,
    /// How mass is distributed to particles.
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
    /// Number of nested shells of cells [-]; 1 unless given.
    shells: Option<CellCount>,
    /// How mass is distributed to particles.
    masses: Option<MassName>,
}

/// Individually given particles.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointsSpec {
    /// Positions [m].
    places: Vec<Triple<Coordinate>>,
    /// Mass of each [kg].
    mass: Mass,
}

/// How mass is distributed to particles.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MassName {
    /// At the corners and the centre of each cell: 9 particles for a hexahedron, exact for boxes.
    Approximate,
    /// Exact, by tetrahedra: 13 particles for a hexahedron.
    Exact,
    /// Exact and symmetric: 39 particles for a hexahedron.
    SymmetricExact,
}

impl PartSpec {
    /// Build the part in the frame of the body.
    pub(crate) fn build(&self, files: &mut Files) -> Result<Part, Fault> {
        let placed = pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)?;
        self.solid.build(&placed, &self.name, files).map_err(|fault| fault.at("solid"))
    }
}

impl SolidSpec {
    /// Build a part of this shape at a pose in the frame of the body.
    pub(crate) fn build(&self, placed: &Pose, owner: &str, files: &mut Files) -> Result<Part, Fault> {
        let (key, cells, masses) = match self {
            SolidSpec::Box(spec) => ("box", spec.cells(files), spec.masses),
            SolidSpec::Prism(spec) => ("prism", spec.cells(files), spec.masses),
            SolidSpec::Polygon(spec) => ("polygon", spec.cells(files), spec.masses),
            SolidSpec::Sweep(spec) => ("sweep", spec.cells(files), spec.masses),
            SolidSpec::Convex(spec) => ("convex", spec.cells(files), spec.masses),
            SolidSpec::Mesh(spec) => ("mesh", spec.cells(owner, files), spec.masses),
            SolidSpec::Points(spec) => return spec.build(placed).map_err(|fault| fault.at("points")),
            SolidSpec::Tets(_) => {
                let message = "a mesh of tetrahedra is for the model response: the model lattice fills a box, a prism, a polygon, a sweep, a convex \
                               hull or a mesh of triangles";
                return Err(Fault::new(message).at("tets"));
            }
        };
        let cells = cells.map_err(|fault| fault.at(key))?;
        Ok(Part::Solid { cells: cells.moved(|p| placed.transform_point(p)), rule: rule(masses) })
    }
}

impl BoxSpec {
    fn cells(&self, files: &mut Files) -> Result<Cells, Fault> {
        if let Some(Fineness::Counts(counts)) = &self.cells {
            files.take_corners(counts.map(|count| count + 1))?;
        }
        box_cells(self.size.vector(), self.cells.as_ref(), self.grading.as_deref(), rule(self.masses))
    }
}

impl PrismSpec {
    fn cells(&self, files: &mut Files) -> Result<Cells, Fault> {
        let (radius, length) = (self.radius.get(), self.length.get());
        let radii = [radius, self.top_radius.map_or(radius, Quantity::get)];
        let cut = Rings { per_edge: 1, rings: count(&self.rings) };
        let build = |layers| frustum(self.sides.0, radii, length, cut, layers);
        let mut take = |layers: usize| files.take_corners([self.sides.0, cut.rings + 1, layers + 1]);
        match &self.layers {
            Some(Fineness::Enough(spec)) => {
                take(1)?;
                let bar = Bar { along: 2, away: 0, length, reach: radii[0].max(radii[1]) };
                spec.refine(&bar, rule(self.masses), build).map_err(|fault| fault.at("layers"))
            }
            Some(Fineness::Counts([layers])) => take(*layers).and_then(|()| build(*layers).map_err(fault)),
            None => take(1).and_then(|()| build(1).map_err(fault)),
        }
    }
}

impl ConvexSpec {
    fn cells(&self, files: &mut Files) -> Result<Cells, Fault> {
        let shells = count(&self.shells);
        files.take_corners([self.points.len(), shells, 1])?;
        let points = self.points.iter().map(Triple::vector).collect();
        let hull = Shape::new(ShapeKind::Convex { points }).map_err(fault)?;
        // a hull is visible from its centre unless it is flat
        doll(&hull.outline(), shells)
            .map_err(|_| Fault::new("the convex hull is flat: are its points in one plane?").at("points"))
    }
}

impl MeshSpec {
    fn cells(&self, owner: &str, files: &mut Files) -> Result<Cells, Fault> {
        let (scale, shells) = (self.scale.map_or(1.0, Quantity::get), count(&self.shells));
        let raw = mesh::read_solid(&self.file, scale, files)?;
        let broken = |why: &dyn Display| Fault::new(format!("{}: {why}", self.file));
        let limits = MeshLimits { triangles: MOST_TRIANGLES, ..MeshLimits::default() };
        let checked = check_mesh(&raw, &limits).map_err(|e| broken(&e))?;
        for warning in &checked.warnings {
            files.warnings.push(format!("body {owner}: {}: {warning}", self.file));
        }
        files.take_corners([checked.mesh.vertices.len(), shells, 1]).map_err(|fault| fault.at("shells"))?;
        doll(&checked.mesh, shells)
    }
}

impl PointsSpec {
    fn build(&self, placed: &Pose) -> Result<Part, Fault> {
        if self.places.is_empty() || self.places.len() > MOST_POINTS {
            return Err(Fault::new(format!("1 to {MOST_POINTS} particles can be given one by one")));
        }
        let places: Vec<Vec3> = self.places.iter().map(|p| placed.transform_point(p.vector())).collect();
        let masses = vec![self.mass.get(); places.len()];
        Ok(Part::Points { places, masses })
    }
}

fn rule(given: Option<MassName>) -> MassRule {
    match given {
        None | Some(MassName::Approximate) => MassRule::Approximate,
        Some(MassName::Exact) => MassRule::Exact,
        Some(MassName::SymmetricExact) => MassRule::SymmetricExact,
    }
}

pub(crate) fn fault(error: impl Display) -> Fault {
    Fault::new(error.to_string())
}

fn count(given: &Option<CellCount>) -> usize {
    given.as_ref().map_or(1, |count| count.0)
}

/// A closed surface filled with nested shells.
fn doll(mesh: &pliant::contact::Mesh, shells: usize) -> Result<Cells, Fault> {
    let facets = mesh.triangles.iter().map(|t| Facet::Triangle(*t)).collect();
    russian_doll(&Patch { points: mesh.vertices.clone(), facets }, shells).map_err(fault)
}
