//! Bricks of hexahedra.

use super::{DiscretiseError, at_least, bounded, positive};
use crate::lattice::solid::cells::{Cell, Cells};
use crate::math::{Vec3, expm1, log1p};

/// A box of a size [m] centred at the origin, as `counts` equal boxes along each axis.
pub fn brick(size: Vec3, counts: [usize; 3]) -> Result<Cells, DiscretiseError> {
    let mut bounds: [Vec<f64>; 3] = Default::default();
    for axis in 0..3 {
        bounds[axis] = grading(size[axis], counts[axis], |s| s)?;
    }
    graded_brick([&bounds[0], &bounds[1], &bounds[2]])
}

/// Bounds of cells along an axis [m]: an edge of a length [m] centred at zero, divided by an increasing function on 0
/// to 1.
///
/// Only the ratios of the function's values matter: it is scaled so that 0 and 1 are the ends. Cells are small where it
/// rises slowly (Fig. 13: `|s| 0.5 + 4.0 * (s - 0.5).powi(3)` refines the middle).
pub fn grading(length: f64, count: usize, at: impl Fn(f64) -> f64) -> Result<Vec<f64>, DiscretiseError> {
    positive("length", length)?;
    at_least("number of cells", 1, count)?;
    bounded("cells along an axis", &[count])?;
    let (first, last) = (at(0.0), at(1.0));
    positive("rise of the grading", last - first)?;
    let bound = |i: usize| match i {
        0 => -0.5 * length,
        i if i == count => 0.5 * length,
        i => length * ((at(i as f64 / count as f64) - first) / (last - first) - 0.5),
    };
    let bounds: Vec<f64> = (0..=count).map(bound).collect();
    check_rising(&bounds)?;
    Ok(bounds)
}

/// A function for [`grading`] that refines cells around a position on the edge [m], where they are `finer` times
/// shorter than at the farther end.
///
/// The length of cells grows linearly with the distance from that position, h = 1 + k |x - at|, so that the ratio of
/// neighbours is constant: x - at = (exp(k s) - 1)/k, with s counting cells from there.
pub fn crowded(length: f64, at: f64, finer: f64) -> impl Fn(f64) -> f64 {
    let [left, right] = [at + 0.5 * length, 0.5 * length - at];
    let k = (finer - 1.0) / left.max(right);
    // numbers of cells on either side, up to a common factor
    let [before, after] = [left, right].map(|reach| if k == 0.0 { reach } else { log1p(k * reach) / k });
    move |s: f64| {
        let from = s * (before + after) - before;
        let off = if k == 0.0 { from.abs() } else { expm1(k * from.abs()) / k };
        at + off.copysign(from)
    }
}

/// A box divided at given bounds along each axis [m].
pub fn graded_brick(bounds: [&[f64]; 3]) -> Result<Cells, DiscretiseError> {
    for axis in bounds {
        at_least("number of bounds of cells", 2, axis.len())?;
        check_rising(axis)?;
    }
    let n = bounds.map(|b| b.len());
    bounded("vertices of a brick", &n)?;
    let mut vertices = Vec::with_capacity(n[0] * n[1] * n[2]);
    for &z in bounds[2] {
        for &y in bounds[1] {
            vertices.extend(bounds[0].iter().map(|&x| Vec3::new(x, y, z)));
        }
    }
    let at = |i: usize, j: usize, k: usize| (i + n[0] * (j + n[1] * k)) as u32;
    let mut cells = Vec::with_capacity((n[0] - 1) * (n[1] - 1) * (n[2] - 1));
    for k in 0..n[2] - 1 {
        for j in 0..n[1] - 1 {
            for i in 0..n[0] - 1 {
                let layer = |k| [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k)];
                let ([a, b, c, d], [e, f, g, h]) = (layer(k), layer(k + 1));
                cells.push(Cell::Hexahedron([a, b, c, d, e, f, g, h]));
            }
        }
    }
    Ok(Cells::new(vertices, cells)?)
}

/// Check that bounds increase and are finite.
fn check_rising(bounds: &[f64]) -> Result<(), DiscretiseError> {
    for (i, pair) in bounds.windows(2).enumerate() {
        let rises = pair[0].is_finite() && pair[1].is_finite() && pair[0] < pair[1];
        if !rises {
            return Err(DiscretiseError::NotRising { index: i + 1, before: pair[0], value: pair[1] });
        }
    }
    Ok(())
}
