//! Solids swept between two polygons in a scene file.

use pliant::lattice::solid::{Cells, Rings, polygon, sweep};
use pliant::math::Vec3;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::cut::CellCount;
use crate::body::solid::{MassName, fault};
use crate::files::Files;
use crate::text::fault::Fault;
use crate::text::quantity::{Coordinate, Length, Quantity, Triple};
use crate::text::word::Pair;

/// Largest number of corners of a polygon.
const MOST_CORNERS: usize = 1000;

/// A plate: a convex polygon in the plane of x and y, swept along z and centred there.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolygonSpec {
    /// Corners of the polygon [m], at least three, one after the other either way round.
    corners: Vec<Pair<Coordinate>>,
    /// Thickness along z [m].
    thickness: Length,
    /// Number of cells along each edge [-]; 1 unless given.
    per_edge: Option<CellCount>,
    /// Number of rings of cells from the centre outward, where there are not four corners [-]; 1 unless given.
    rings: Option<CellCount>,
    /// Number of layers of cells along z [-]; 1 unless given.
    layers: Option<CellCount>,
    /// How mass is distributed to particles.
    pub(crate) masses: Option<MassName>,
}

/// A solid swept from one convex polygon to another.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SweepSpec {
    /// Corners of the polygon where it begins [m], at least three in a plane.
    bottom: Vec<Triple<Coordinate>>,
    /// Where each of them ends [m], again in a plane.
    top: Vec<Triple<Coordinate>>,
    /// Number of cells along each edge [-]; 1 unless given.
    per_edge: Option<CellCount>,
    /// Number of rings of cells from the centre outward, where there are not four corners [-]; 1 unless given.
    rings: Option<CellCount>,
    /// Number of layers of cells on the way [-]; 1 unless given.
    layers: Option<CellCount>,
    /// How mass is distributed to particles.
    pub(crate) masses: Option<MassName>,
}

/// How finely a solid is cut.
struct Cut {
    rings: Rings,
    layers: usize,
}

impl Cut {
    fn of([per_edge, rings, layers]: [&Option<CellCount>; 3]) -> Cut {
        let count = |given: &Option<CellCount>| given.as_ref().map_or(1, |count| count.0);
        Cut { rings: Rings { per_edge: count(per_edge), rings: count(rings) }, layers: count(layers) }
    }

    /// The cells between two polygons; each may name the key that it is from, for errors.
    fn cells(&self, [bottom, top]: [Vec<Vec3>; 2], keys: [&'static str; 2], files: &mut Files) -> Result<Cells, Fault> {
        for (corners, key) in [(&bottom, keys[0]), (&top, keys[1])] {
            if !(3..=MOST_CORNERS).contains(&corners.len()) {
                let message = format!("a polygon has 3 to {MOST_CORNERS} corners, this one {}", corners.len());
                return Err(Fault::new(message).at(key));
            }
        }
        if bottom.len() != top.len() {
            let message = format!("{} corners cannot end as {}: give as many", bottom.len(), top.len());
            return Err(Fault::new(message).at(keys[1]));
        }
        let Rings { per_edge, rings } = self.rings;
        // what a grid of a polygon with four corners has, or rings of one with more
        let points =
            if bottom.len() == 4 { [per_edge + 1, per_edge + 1] } else { [bottom.len() * per_edge, rings + 1] };
        files.take_corners([points[0], points[1], self.layers + 1])?;
        // the bottom has to turn counter-clockwise seen from the top
        let along = top.iter().zip(&bottom).map(|(t, b)| *t - *b).sum::<Vec3>();
        let area: Vec3 = (0..bottom.len()).map(|i| bottom[i].cross(bottom[(i + 1) % bottom.len()])).sum();
        let turned = |mut corners: Vec<Vec3>| {
            if area.dot(along) < 0.0 {
                corners.reverse();
            }
            corners
        };
        let begin = polygon(&turned(bottom), self.rings).map_err(|e| fault(e).at(keys[0]))?;
        let end = polygon(&turned(top), self.rings).map_err(|e| fault(e).at(keys[1]))?;
        sweep(&begin, &end.points, self.layers).map_err(fault)
    }
}

impl PolygonSpec {
    pub(crate) fn cells(&self, files: &mut Files) -> Result<Cells, Fault> {
        let half = 0.5 * self.thickness.get();
        let at = |z: f64| self.corners.iter().map(|Pair([x, y])| Vec3::new(x.get(), y.get(), z)).collect();
        let cut = Cut::of([&self.per_edge, &self.rings, &self.layers]);
        cut.cells([at(-half), at(half)], ["corners"; 2], files)
    }
}

impl SweepSpec {
    pub(crate) fn cells(&self, files: &mut Files) -> Result<Cells, Fault> {
        let corners = |given: &[Triple<Coordinate>]| given.iter().map(Triple::vector).collect();
        let cut = Cut::of([&self.per_edge, &self.rings, &self.layers]);
        cut.cells([corners(&self.bottom), corners(&self.top)], ["bottom", "top"], files)
    }
}
