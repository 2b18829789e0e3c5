//! A solid of cells as point masses.

use std::collections::HashMap;

use super::cells::{Cell, Cells};
use super::rules::{MassRule, Shares, share};
use super::split::{Corner, Cut, position};
use crate::math::Vec3;
use crate::moments::Moments;

/// What a particle represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParticleKind {
    /// A vertex of the cells, shared by all cells that have it.
    Vertex(u32),
    /// The middle of a facet of four corners, shared by the two cells that have it.
    FaceCentre {
        /// The first cell with this facet.
        cell: u32,
        /// Index of the facet in that cell.
        face: u32,
    },
    /// The centre of mass of a cell.
    CellCentre(u32),
    /// The centre of a tetrahedron of a cell.
    TetraCentre {
        /// The cell.
        cell: u32,
        /// Index in [`CellParticles::tetrahedra`].
        tetra: u32,
    },
}

/// Particles of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TetraParticles {
    /// At the corners; seen from the last the others are counter-clockwise.
    pub corners: [u32; 4],
    /// At the centre.
    pub centre: u32,
}

/// Particles of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellParticles {
    /// The rule that was applied: another than requested if that would need a mass that is not positive.
    pub rule: MassRule,
    /// At the vertices, in the order of the cell.
    pub vertices: Vec<u32>,
    /// At the middles of the facets, in the order of the cell; `None` for triangles and for rules without them.
    pub face_centres: Vec<Option<u32>>,
    /// At the centre of mass, if the rule has one.
    pub centre: Option<u32>,
    /// Tetrahedra with their own particles; none for the approximate rule, except in a tetrahedral cell.
    pub tetrahedra: Vec<TetraParticles>,
}

/// Point masses with the mass, centre and inertia of a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Particles {
    /// Positions [m]; those of the vertices come first, under the same indices.
    pub positions: Vec<Vec3>,
    /// Masses [kg], all positive.
    pub masses: Vec<f64>,
    /// What each particle represents.
    pub kinds: Vec<ParticleKind>,
    /// Particles of each cell.
    pub cells: Vec<CellParticles>,
}

/// Why a solid cannot become particles.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MassError {
    /// A density that is not finite or not positive.
    #[error("the density must be finite and positive, got {density} kg/m3")]
    Density {
        /// The density [kg/m3].
        density: f64,
    },
    /// A cell so distorted that every rule needs a mass that is not positive.
    #[error(
        "cell {cell}, a {kind} near {at} m, is too bent: a particle would need a mass of {mass:.3e} kg. Cut it into \
         smaller cells or straighten it"
    )]
    Negative {
        /// Index of the cell.
        cell: usize,
        /// Kind of cell.
        kind: &'static str,
        /// One of its vertices [m].
        at: Vec3,
        /// The mass [kg].
        mass: f64,
    },
    /// Cells other than those the particles were made from.
    #[error("these cells are not those the particles were made of: {what}")]
    OtherCells {
        /// The difference.
        what: &'static str,
    },
}

impl Particles {
    /// Particles of a solid of uniform density [kg/m3]. Fails if a cell is too distorted for any rule.
    pub fn new(cells: &Cells, density: f64, rule: MassRule) -> Result<Particles, MassError> {
        if !(density.is_finite() && density > 0.0) {
            return Err(MassError::Density { density });
        }
        let mut builder = Builder::new(cells, density);
        for (index, cell) in cells.cells().iter().enumerate() {
            let shares = share(cells.vertices(), cell, cells.is_even(index), rule).map_err(|mass| {
                let at = cells.vertices()[cell.vertices()[0] as usize];
                MassError::Negative { cell: index, kind: cell.name(), at, mass: mass * density }
            })?;
            builder.add(index, cell, &shares);
        }
        Ok(builder.particles)
    }

    /// Mass [kg], centre of mass [m] and inertia [kg m2] of the particles.
    pub fn moments(&self) -> Moments {
        Moments::of_points(&self.positions, &self.masses)
    }

    /// Positions of the particles in moved cells [m]: each at the point it represents. Fails if the cells do not
    /// correspond.
    pub fn positions_in(&self, moved: &Cells) -> Result<Vec<Vec3>, MassError> {
        self.check_same(moved)?;
        let mut positions: Vec<Vec3> = Vec::with_capacity(self.kinds.len());
        for kind in &self.kinds {
            // corners of tetrahedra are listed before their centres
            let at = match *kind {
                ParticleKind::Vertex(v) => moved.vertices()[v as usize],
                ParticleKind::FaceCentre { cell, face } => {
                    let (cell, corner) = (&moved.cells()[cell as usize], Corner::Face(face as usize));
                    position(moved.vertices(), cell, corner, Vec3::ZERO)
                }
                ParticleKind::CellCentre(c) => moved.cell_moments(c as usize, Cut::Centred).centre,
                ParticleKind::TetraCentre { cell, tetra } => {
                    let t = self.cells[cell as usize].tetrahedra[tetra as usize];
                    t.corners.iter().map(|&p| positions[p as usize]).sum::<Vec3>() / 4.0
                }
            };
            positions.push(at);
        }
        Ok(positions)
    }

    /// Check that cells correspond to those the particles were made from.
    fn check_same(&self, cells: &Cells) -> Result<(), MassError> {
        let vertices = self.kinds.iter().take_while(|k| matches!(k, ParticleKind::Vertex(_))).count();
        let mut pairs = cells.cells().iter().zip(&self.cells);
        let same = cells.cells().len() == self.cells.len()
            && cells.vertices().len() == vertices
            && pairs.all(|(a, b)| a.vertices() == b.vertices);
        if same { Ok(()) } else { Err(MassError::OtherCells { what: "their vertices differ" }) }
    }

    /// The surface as triangles of particles, counter-clockwise seen from outside.
    pub fn outer_facets(&self, cells: &Cells) -> Result<Vec<[u32; 3]>, MassError> {
        self.check_same(cells)?;
        let mut triangles = vec![];
        for [cell, face] in cells.outer_faces() {
            let middle = self.cells[cell as usize].face_centres.get(face as usize).copied().flatten();
            triangles.extend(cells.face_triangles(cell as usize, face as usize, middle.map(|id| move || id)));
        }
        Ok(triangles)
    }
}

/// Particles under construction.
struct Builder<'a> {
    cells: &'a Cells,
    density: f64,
    faces: HashMap<[u32; 4], u32>,
    particles: Particles,
}

impl<'a> Builder<'a> {
    fn new(cells: &'a Cells, density: f64) -> Builder<'a> {
        let positions = cells.vertices().to_vec();
        let masses = vec![0.0; positions.len()];
        let kinds = (0..positions.len() as u32).map(ParticleKind::Vertex).collect();
        let particles = Particles { positions, masses, kinds, cells: Vec::with_capacity(cells.cells().len()) };
        Builder { cells, density, faces: HashMap::new(), particles }
    }

    /// Add a particle without mass.
    fn push(&mut self, at: Vec3, kind: ParticleKind) -> u32 {
        self.particles.positions.push(at);
        self.particles.masses.push(0.0);
        self.particles.kinds.push(kind);
        self.particles.positions.len() as u32 - 1
    }

    /// Add the mass of a volume [m3] to a particle.
    fn load(&mut self, particle: u32, volume: f64) {
        self.particles.masses[particle as usize] += self.density * volume;
    }

    fn add(&mut self, index: usize, cell: &Cell, shares: &Shares) {
        let mut of_cell = CellParticles {
            rule: shares.rule,
            vertices: cell.vertices().to_vec(),
            face_centres: vec![None; cell.local_faces().len()],
            centre: None,
            tetrahedra: Vec::with_capacity(shares.tetrahedra.len()),
        };
        for (corner, volume) in &shares.corners {
            let particle = self.corner(index, cell, *corner, &mut of_cell);
            self.load(particle, *volume);
        }
        for (tetra, (corners, volume)) in shares.tetrahedra.iter().enumerate() {
            let corners = corners.map(|corner| self.corner(index, cell, corner, &mut of_cell));
            let centre = if let Cell::Tetrahedron(_) = cell {
                self.corner(index, cell, Corner::Centre, &mut of_cell)
            } else {
                let at = corners.iter().map(|&p| self.particles.positions[p as usize]).sum::<Vec3>() / 4.0;
                self.push(at, ParticleKind::TetraCentre { cell: index as u32, tetra: tetra as u32 })
            };
            self.load(centre, *volume);
            of_cell.tetrahedra.push(TetraParticles { corners, centre });
        }
        self.particles.cells.push(of_cell);
    }

    /// The particle at a corner, created if there is none yet.
    fn corner(&mut self, index: usize, cell: &Cell, corner: Corner, of_cell: &mut CellParticles) -> u32 {
        let at = |cells: &Cells, centre: Vec3| position(cells.vertices(), cell, corner, centre);
        match corner {
            Corner::Vertex(i) => of_cell.vertices[i],
            Corner::Centre => match of_cell.centre {
                Some(particle) => particle,
                None => {
                    let centre = self.cells.cell_moments(index, Cut::Centred).centre;
                    let particle = self.push(centre, ParticleKind::CellCentre(index as u32));
                    of_cell.centre = Some(particle);
                    particle
                }
            },
            Corner::Face(face) => match of_cell.face_centres[face] {
                Some(particle) => particle,
                None => {
                    let key = cell.faces().nth(face).map(|f| f.key()).unwrap_or_default();
                    let known = self.faces.get(&key).copied();
                    let particle = known.unwrap_or_else(|| {
                        let kind = ParticleKind::FaceCentre { cell: index as u32, face: face as u32 };
                        self.push(at(self.cells, Vec3::ZERO), kind)
                    });
                    self.faces.insert(key, particle);
                    of_cell.face_centres[face] = Some(particle);
                    particle
                }
            },
        }
    }
}
