//! Tetrahedral meshes in a scene file: of a box, or from a file.

use std::path::Path;

use pliant::math::Vec3;
use pliant_fem::{Order, Repairs, TetMesh, read_gmsh, read_vtk};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::cut::Fineness;
use crate::body::solid::{BoxSpec, SolidSpec};
use crate::files::Files;
use crate::text::fault::Fault;
use crate::text::quantity::{Quantity, Scale};

/// Largest number of unknowns of a finite-element solid: its modes then take minutes and one or two gigabytes.
pub(crate) const MOST_UNKNOWNS: usize = 200_000;

/// A tetrahedral mesh from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TetsSpec {
    /// Name of a Gmsh (.msh) or legacy VTK (.vtk) file, relative to the scene file.
    file: String,
    /// Factor from the unit of the file to metres [-]; 1 unless given.
    scale: Option<Scale>,
}

impl SolidSpec {
    /// The solid as tetrahedra, for finite elements.
    pub(crate) fn tetrahedra(&self, order: Order, owner: &str, files: &mut Files) -> Result<TetMesh, Fault> {
        let refused = |key: &str| {
            let message = "a body of the model response is a box, or tets from a file: Pliant does not fill other shapes with \
                           tetrahedra. Mesh it with Gmsh, for example, and give the file as tets";
            Err(Fault::new(message).at(key))
        };
        match self {
            SolidSpec::Box(spec) => spec.tetrahedra(order, files).map_err(|fault| fault.at("box")),
            SolidSpec::Tets(spec) => spec.read(owner, files).map_err(|fault| fault.at("tets")),
            SolidSpec::Prism(_) => refused("prism"),
            SolidSpec::Polygon(_) => refused("polygon"),
            SolidSpec::Sweep(_) => refused("sweep"),
            SolidSpec::Convex(_) => refused("convex"),
            SolidSpec::Mesh(_) => refused("mesh"),
            SolidSpec::Points(_) => refused("points"),
        }
    }
}

impl BoxSpec {
    /// A box centred on the origin.
    fn tetrahedra(&self, order: Order, files: &mut Files) -> Result<TetMesh, Fault> {
        for (key, given) in [("grading", self.grading.is_some()), ("masses", self.masses.is_some())] {
            if given {
                return Err(Fault::new("this is for the model lattice: leave it out").at(key));
            }
        }
        let size = self.size.vector();
        let cells = match &self.cells {
            Some(Fineness::Counts(counts)) => *counts,
            Some(Fineness::Enough(_)) => {
                return Err(
                    Fault::new("give the numbers of cells: they are chosen for the model lattice only").at("cells")
                );
            }
            None => usual_cells(size, order),
        };
        let unknowns = block_unknowns(cells, order);
        if unknowns > MOST_UNKNOWNS {
            return Err(too_many(unknowns).at("cells"));
        }
        files.take_corners([unknowns / 3, 1, 1])?;
        let mesh = TetMesh::block(cells, size).and_then(|mesh| mesh.mapped(|at| at - 0.5 * size));
        mesh.map_err(|error| Fault::new(error.to_string()))
    }
}

impl TetsSpec {
    fn read(&self, owner: &str, files: &mut Files) -> Result<TetMesh, Fault> {
        let name = &self.file;
        let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        let known = ["msh", "vtk"];
        if !known.contains(&extension.as_str()) {
            let message = format!("{name}: unknown kind of mesh of tetrahedra `{extension}`");
            let help = crate::text::suggest::help(&extension, known);
            return Err(Fault::new(message).with_help(help).at("file"));
        }
        let bytes = files.read(name).map_err(|fault| fault.at("file"))?;
        let read = if extension == "msh" { read_gmsh(&bytes) } else { read_vtk(&bytes) };
        let broken = |why: &dyn std::fmt::Display| Fault::new(format!("{name}: {why}")).at("file");
        let (mesh, repairs) = read.map_err(|error| broken(&error))?;
        // quadratic elements have more, which are counted once these are known to be few
        if 3 * mesh.nodes().len() > MOST_UNKNOWNS {
            return Err(too_many(3 * mesh.nodes().len()).at("file"));
        }
        files.take_corners([mesh.nodes().len(), 1, 1])?;
        let Repairs { turned, dropped } = repairs;
        if turned > 0 {
            files
                .warnings
                .push(format!("body {owner}: {name}: {turned} tetrahedra were inside out, and are turned round"));
        }
        if dropped > 0 {
            files
                .warnings
                .push(format!("body {owner}: {name}: {dropped} nodes belong to no tetrahedron, and are left out"));
        }
        let scale = self.scale.map_or(1.0, Quantity::get);
        mesh.mapped(|at| at * scale).map_err(|error| broken(&error))
    }
}

/// Error for a solid with too many unknowns.
pub(crate) fn too_many(unknowns: usize) -> Fault {
    Fault::new(format!("{unknowns} unknowns are too many: at most {MOST_UNKNOWNS} of a body, three for each node"))
}

/// Cells as close to cubes as possible, a few along the longest edge: linear elements need twice as many.
fn usual_cells(size: Vec3, order: Order) -> [usize; 3] {
    let most = if order == Order::Quadratic { 6.0 } else { 12.0 };
    size.to_array().map(|edge| (edge / size.max_element() * most).round().max(1.0) as usize)
}

/// Number of unknowns of a block of cells cut into five tetrahedra each: three for each corner and, with quadratic
/// elements, for each edge of a cell and each diagonal of a face.
fn block_unknowns([x, y, z]: [usize; 3], order: Order) -> usize {
    let product = |a: usize, b: usize, c: usize| a.saturating_mul(b).saturating_mul(c);
    let corners = product(x + 1, y + 1, z + 1);
    let others = [
        product(x, y + 1, z + 1),
        product(x + 1, y, z + 1),
        product(x + 1, y + 1, z),
        product(x + 1, y, z),
        product(x, y + 1, z),
        product(x, y, z + 1),
    ];
    let middles = if order == Order::Quadratic { others.into_iter().fold(0, usize::saturating_add) } else { 0 };
    corners.saturating_add(middles).saturating_mul(3)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pliant_fem::{Elastic, Recipe};

    #[test]
    fn unknowns_are_known_before_the_mesh() {
        let solid = Elastic { young: 1.0, poisson: 0.0, density: 1.0 };
        for (cells, order) in [([3, 2, 1], Order::Linear), ([3, 2, 1], Order::Quadratic), ([2, 2, 2], Order::Quadratic)]
        {
            let mesh = TetMesh::block(cells, Vec3::ONE).unwrap();
            let recipe = Recipe { order, ..Recipe::new(mesh, solid, 1) };
            assert_eq!(block_unknowns(cells, order), recipe.size().0, "{cells:?} {order:?}");
        }
        assert_eq!(block_unknowns([usize::MAX / 2; 3], Order::Quadratic), usize::MAX);
    }

    #[test]
    fn usual_cells_are_about_cubes() {
        assert_eq!(usual_cells(Vec3::splat(0.1), Order::Quadratic), [6, 6, 6]);
        assert_eq!(usual_cells(Vec3::new(0.1, 0.05, 1e-6), Order::Linear), [12, 6, 1]);
    }
}
