//! temporary
#![allow(missing_docs)]
use crate::math::Vec3;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    Hexahedron([u32; 8]),
}
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    pub vertices: Vec<Vec3>,
    pub cells: Vec<Cell>,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassRule {
    Approximate,
}
pub fn brick(size: Vec3, counts: [usize; 3]) -> Cells {
    let [nx, ny, nz] = counts;
    let mut vertices = vec![];
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                vertices.push(
                    Vec3::new(i as f64 / nx as f64 - 0.5, j as f64 / ny as f64 - 0.5, k as f64 / nz as f64 - 0.5)
                        * size,
                );
            }
        }
    }
    let id = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    let mut cells = vec![];
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                cells.push(Cell::Hexahedron([
                    id(i, j, k),
                    id(i + 1, j, k),
                    id(i + 1, j + 1, k),
                    id(i, j + 1, k),
                    id(i, j, k + 1),
                    id(i + 1, j, k + 1),
                    id(i + 1, j + 1, k + 1),
                    id(i, j + 1, k + 1),
                ]));
            }
        }
    }
    Cells { vertices, cells }
}
