//! Bodies in a scene file.

pub(crate) mod cable;
pub(crate) mod chain;
pub(crate) mod coil;
pub(crate) mod cut;
pub(crate) mod elastica;
mod joint;
pub(crate) mod lattice;
pub(crate) mod material;
pub(crate) mod response;
pub(crate) mod rest;
pub(crate) mod ring;
pub(crate) mod rod_model;
pub(crate) mod section;
pub(crate) mod solid;
mod swept;
pub(crate) mod xpbd;

use std::collections::BTreeMap;

use pliant::Rest;
use pliant::cable::{Cable, CableSettings, CableSpec};
use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec};
use pliant::lattice::{Lattice, LatticeSettings, LatticeSpec};
use pliant::math::{Pose, Vec3};
use pliant::response::{Known, Response, ResponseSpec};
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{Body, Material, Section};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::cable::CableTable;
use crate::body::chain::ChainTable;
use crate::body::coil::CoilSpec;
use crate::body::elastica::ElasticaTable;
use crate::body::lattice::LatticeTable;
use crate::body::material::MaterialSpec;
use crate::body::response::{Precomputable, ResponseTable};
use crate::body::rest::RestSpec;
use crate::body::ring::RingSpec;
use crate::body::section::SectionSpec;
use crate::body::solid::{PartSpec, SolidSpec};
use crate::body::xpbd::XpbdTable;
use crate::files::Files;
use crate::text::fault::Fault;
use crate::text::quantity::{Component, Coordinate, Count, Length, Quantity, Spin, Triple, Velocity, WholeTwist};
use crate::text::word::{Name, Table};
use crate::world::pose::{OrientationSpec, pose};

/// Largest number of points of all bodies together.
pub(crate) const MOST_POINTS: usize = 1_000_000;

/// Default number of segments of a rod of links.
const USUAL_SEGMENTS: usize = 40;

/// Default number of intervals of a rod in angle coordinates.
const USUAL_INTERVALS: usize = 20;

/// A deformable body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BodySpec {
    /// Name, unique among bodies.
    pub(crate) name: Name,
    /// Model that simulates it.
    pub(crate) model: ModelSpec,
    /// Name of its material.
    material: Name,
    /// Radius of a solid round cross-section [m]; either this or `section`.
    radius: Option<Length>,
    /// Cross-section, if it is not solid and round; either this or `radius`.
    section: Option<SectionSpec>,
    /// For the model `cable`, the direction of the section's width at the start of the path, made perpendicular to it
    /// [-]; the axes of the world, rotated by the least angle onto the path, unless given. For the model `elastica`, a
    /// normal of the plane it moves in [-]; that of the path, or of the vertical plane through a straight one, unless
    /// given. Not for other models.
    normal: Option<Triple<Component>>,
    /// Shape without load; straight unless given. Only for the models `cable` and `elastica`.
    rest: Option<RestSpec>,
    /// Initial centre line of a rod: points of a polyline [m], at least two. Rods only.
    #[serde(default)]
    path: Vec<Triple<Coordinate>>,
    /// Whether the path returns to its first point, and the end of the rod is joined to its start; false unless given.
    /// Only for the model `cable`, like `ring` and `twist_deg`.
    closed: Option<bool>,
    /// A circle that a closed cable starts as, instead of a path.
    ring: Option<Table<RingSpec>>,
    /// A helix that a rod starts as, instead of a path. Rods only.
    coil: Option<Table<CoilSpec>>,
    /// Initial twist from start to end, relative to the shape without load [degrees]; none unless given.
    twist_deg: Option<WholeTwist>,
    /// Shape of a solid in one piece; either this or `parts`. Only for the models `lattice` and `response`, like the
    /// fields up to `spin`.
    pub(crate) solid: Option<SolidSpec>,
    /// Parts of a solid; only for the model `lattice`.
    #[serde(default)]
    pub(crate) parts: Vec<Table<PartSpec>>,
    /// Position of the origin of a solid's frame [m]; the origin of the world unless given.
    position: Option<Triple<Coordinate>>,
    /// Orientation of a solid; that of the world unless given.
    orientation: Option<Table<OrientationSpec>>,
    /// Initial velocity of a solid [m/s]; zero unless given.
    velocity: Option<Triple<Velocity>>,
    /// Initial angular velocity of a solid, about the origin of its frame [rad/s]; zero unless given.
    spin: Option<Triple<Spin>>,
    /// Number of points; at most one of points, segments and intervals. The model chooses unless given.
    points: Option<Count<2, MOST_POINTS>>,
    /// Number of segments, one less than points.
    segments: Option<Count<1, { MOST_POINTS - 1 }>>,
    /// Number of intervals, one less than points.
    intervals: Option<Count<1, { MOST_POINTS - 1 }>>,
    /// Settings of the model `chain`; ignored by other models.
    pub(crate) chain: Option<Table<ChainTable>>,
    /// Settings of the model `cable`; ignored by other models.
    pub(crate) cable: Option<Table<CableTable>>,
    /// Settings of the model `xpbd`; ignored by other models.
    pub(crate) xpbd: Option<Table<XpbdTable>>,
    /// Settings of the model `elastica`; ignored by other models.
    pub(crate) elastica: Option<Table<ElasticaTable>>,
    /// Settings of the model `lattice`; ignored by other models.
    lattice: Option<Table<LatticeTable>>,
    /// Settings of the model `response`; ignored by other models.
    pub(crate) response: Option<Table<ResponseTable>>,
}

/// The model of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModelSpec {
    /// Points with contraction and bending forces.
    Chain,
    /// Rigid links with elastic joints.
    Cable,
    /// Rigid links with elastic joints, by extended position-based dynamics (XPBD).
    Xpbd,
    /// A planar rod described by its tangent angle along its length.
    Elastica,
    /// A solid made of particles and connectors.
    Lattice,
    /// An elastic solid described by its precomputed response to impulses.
    Response,
}

impl BodySpec {
    /// Build the body, of at most `points_left` points, for scene steps of length `step` [s].
    pub(crate) fn build(
        &self,
        materials: &BTreeMap<Name, Table<MaterialSpec>>,
        points_left: usize,
        step: f64,
        files: &mut Files,
    ) -> Result<Body, Fault> {
        let material = self.material(materials)?;
        match self.model {
            ModelSpec::Lattice => return self.build_solid(material, files),
            ModelSpec::Response => return self.build_response(&material, step, files),
            _ => {}
        }
        self.refuse_what_solids_have()?;
        self.check_closed_and_twist()?;
        let points = self.size()?;
        let too_many = |key| Fault::new(format!("too many points: all bodies together may have {MOST_POINTS}")).at(key);
        let section = self.section()?;
        let path = self.centre_line()?;
        self.check_rest_and_normal()?;
        match self.model {
            ModelSpec::Chain => {
                let settings = self.chain.as_ref().map_or_else(ChainSettings::default, |table| table.build());
                let spec = ChainSpec { material, section, path, points, settings };
                if least_points(&spec) > points_left as f64 {
                    return Err(too_many(if points.is_some() { "points" } else { "chain" }));
                }
                Ok(Body::Chain(Chain::new(&self.name, spec)?))
            }
            ModelSpec::Cable => {
                let mut settings = self.cable.as_ref().map_or_else(CableSettings::default, |table| table.build());
                settings.closed = self.is_closed();
                settings.twist = self.twist_deg.map_or(0.0, |twist| twist.get().to_radians());
                let segments = points.map_or(USUAL_SEGMENTS, |points| points - 1);
                if segments >= points_left {
                    return Err(too_many("points"));
                }
                let (normal, rest) = self.normal_and_rest();
                let spec = CableSpec { material, section, path, normal, rest, segments, settings };
                Ok(Body::Cable(Cable::new(&self.name, spec)?))
            }
            ModelSpec::Xpbd => {
                let settings = self.xpbd.as_ref().map_or_else(XpbdSettings::default, |table| table.build());
                let segments = points.map_or(USUAL_SEGMENTS, |points| points - 1);
                if segments >= points_left {
                    return Err(too_many("points"));
                }
                Ok(Body::Xpbd(Xpbd::new(&self.name, XpbdSpec { material, section, path, segments, settings })?))
            }
            ModelSpec::Elastica => {
                let table =
                    self.elastica.as_ref().map_or_else(|| Ok(ElasticaSettings::default()), |table| table.build());
                let settings = table.map_err(|fault| fault.at("elastica"))?;
                let intervals = points.map_or(USUAL_INTERVALS, |points| points - 1);
                if intervals >= points_left {
                    return Err(too_many("points"));
                }
                let (normal, rest) = self.normal_and_rest();
                let spec = ElasticaSpec { material, section, path, normal, rest, intervals, settings };
                Ok(Body::Elastica(Elastica::new(&self.name, spec)?))
            }
            // already built above
            ModelSpec::Lattice | ModelSpec::Response => Err(Fault::new("a solid has no path")),
        }
    }

    /// The material that the body names.
    fn material(&self, materials: &BTreeMap<Name, Table<MaterialSpec>>) -> Result<Material, Fault> {
        let known = materials.keys().map(|name| &**name);
        let found = materials.get(&self.material);
        found
            .map(|material| material.build())
            .ok_or_else(|| Fault::unknown("material", &self.material, known).at("material"))
    }

    /// What has to be precomputed for the body, if its model needs that.
    pub(crate) fn to_precompute(
        &self,
        materials: &BTreeMap<Name, Table<MaterialSpec>>,
        files: &mut Files,
    ) -> Result<Option<Precomputable>, Fault> {
        match self.model {
            ModelSpec::Response => self.precomputable(&self.material(materials)?, files).map(Some),
            _ => Ok(None),
        }
    }

    /// An elastic solid of the model `response`; whatever is not in the cache is computed now.
    fn build_response(&self, material: &Material, step: f64, files: &mut Files) -> Result<Body, Fault> {
        let wanted = self.precomputable(material, files)?;
        let (solid, warning) = wanted.known().map_err(|why| Fault::new(why).at("response"))?;
        if let Known::Records(records) = &solid
            && !is_whole(step / records.sample)
        {
            let sample = records.sample;
            let why = format!(
                "its responses are recorded in samples of {sample} s, and a step of the scene, {step} s, is no whole number of them: \
                 record them anew with response.sample = {step}, or change the step"
            );
            return Err(Fault::new(why).at("response"));
        }
        let (settings, remark) = wanted.settings(&solid, step);
        files.warnings.extend([warning, remark].into_iter().flatten().map(|text| format!("{}: {text}", &*self.name)));
        let spec = ResponseSpec {
            solid,
            friction: material.friction,
            placed: pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)?,
            velocity: self.velocity.map_or(Vec3::ZERO, |v| v.vector()),
            spin: self.spin.map_or(Vec3::ZERO, |v| v.vector()),
            settings,
        };
        Ok(Body::Response(Response::new(&self.name, spec)?))
    }

    /// A solid of the model `lattice`.
    fn build_solid(&self, material: Material, files: &mut Files) -> Result<Body, Fault> {
        self.refuse_what_rods_have()?;
        let parts = match (&self.solid, self.parts.is_empty()) {
            (Some(solid), true) => vec![solid.build(&Pose::IDENTITY, &self.name, files).map_err(|f| f.at("solid"))?],
            (None, false) => {
                let part = |(n, spec): (usize, &Table<PartSpec>)| spec.build(files).map_err(|f| f.at(n).at("parts"));
                self.parts.iter().enumerate().map(part).collect::<Result<_, _>>()?
            }
            (Some(_), false) => return Err(Fault::new("give either a solid or parts, not both").at("parts")),
            (None, true) => return Err(Fault::new("a body of the model lattice needs a solid, or parts")),
        };
        let table = self.lattice.as_deref();
        let connectors = match table {
            Some(table) => table.connectors(&self.parts).map_err(|f| f.at("lattice"))?,
            None => vec![],
        };
        let spec = LatticeSpec {
            material,
            parts,
            connectors,
            placed: pose(self.position.as_ref(), self.orientation.as_ref(), Vec3::ZERO)?,
            velocity: self.velocity.map_or(Vec3::ZERO, |v| v.vector()),
            spin: self.spin.map_or(Vec3::ZERO, |v| v.vector()),
            settings: table.map_or_else(LatticeSettings::default, LatticeTable::build),
        };
        Ok(Body::Lattice(Lattice::new(&self.name, spec)?))
    }

    /// Fail if a solid has fields of rods.
    pub(crate) fn refuse_what_rods_have(&self) -> Result<(), Fault> {
        let given = [
            ("path", !self.path.is_empty()),
            ("closed", self.closed.is_some()),
            ("ring", self.ring.is_some()),
            ("coil", self.coil.is_some()),
            ("twist_deg", self.twist_deg.is_some()),
            ("radius", self.radius.is_some()),
            ("section", self.section.is_some()),
            ("normal", self.normal.is_some()),
            ("rest", self.rest.is_some()),
            ("points", self.points.is_some()),
            ("segments", self.segments.is_some()),
            ("intervals", self.intervals.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((key, _)) => {
                let model = if let ModelSpec::Response = self.model {
                    "response is a solid"
                } else {
                    "lattice is a solid, or parts"
                };
                Err(Fault::new(format!("this is for rods: a body of the model {model}")).at(key))
            }
            None => Ok(()),
        }
    }

    /// Fail if a rod has fields of solids.
    fn refuse_what_solids_have(&self) -> Result<(), Fault> {
        let given = [
            ("solid", self.solid.is_some()),
            ("parts", !self.parts.is_empty()),
            ("position", self.position.is_some()),
            ("orientation", self.orientation.is_some()),
            ("velocity", self.velocity.is_some()),
            ("spin", self.spin.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((key, _)) => {
                Err(Fault::new("this is for solids, of the models lattice and response: a rod has a path").at(key))
            }
            None => Ok(()),
        }
    }

    /// Whether its end is joined to its start.
    fn is_closed(&self) -> bool {
        self.ring.is_some() || self.closed == Some(true)
    }

    /// Fail if a rod has no path, or is closed or twisted and not a cable.
    fn check_closed_and_twist(&self) -> Result<(), Fault> {
        let refused = |message: &str, key: &str| Err(Fault::new(message).at(key));
        if self.model != ModelSpec::Cable {
            let given =
                [("ring", self.ring.is_some()), ("closed", self.is_closed()), ("twist_deg", self.twist_deg.is_some())];
            if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
                return refused("only a cable can be closed or begin twisted: leave this out, or make it a cable", key);
            }
        }
        if self.coil.is_some() {
            return match (self.path.is_empty(), &self.ring, self.is_closed()) {
                (true, None, false) => Ok(()),
                (true, None, true) => refused("a coil is open: leave this out, or give a path", "closed"),
                _ => refused("give either a path, a ring or a coil", "coil"),
            };
        }
        match (&self.ring, self.path.len()) {
            (Some(_), 1..) => refused("give either a path or a ring, not both", "ring"),
            (Some(_), 0) if self.closed == Some(false) => {
                refused("a ring is closed: leave this out, or give a path", "closed")
            }
            (None, 0) => Err(Fault::new("a rod needs a path of at least two points")),
            (None, 1) => refused("a rod needs a path of at least two points", "path"),
            (None, 2) if self.is_closed() => refused("a closed path needs at least three points", "path"),
            _ => Ok(()),
        }
    }

    /// Fail if the model supports no unloaded shape or normal and one is given.
    fn check_rest_and_normal(&self) -> Result<(), Fault> {
        let model = match self.model {
            ModelSpec::Chain => "a chain",
            ModelSpec::Xpbd => "a rod of the model xpbd",
            ModelSpec::Cable | ModelSpec::Lattice | ModelSpec::Response => return Ok(()),
            ModelSpec::Elastica => {
                let checked = self.rest.as_ref().map_or(Ok(()), RestSpec::refuse_out_of_plane);
                return checked.map_err(|fault| fault.at("rest"));
            }
        };
        if let Some(RestSpec::Path(_) | RestSpec::Curved(_)) = self.rest {
            let message = format!("{model} is straight at rest: leave the rest out, or make it a cable");
            return Err(Fault::new(message).at("rest"));
        }
        if self.normal.is_some() {
            let message = format!("{model} has no axes across it: leave the normal out, or make it a cable");
            return Err(Fault::new(message).at("normal"));
        }
        Ok(())
    }

    fn normal_and_rest(&self) -> (Option<Vec3>, Rest) {
        let normal = self.normal.map(|normal| normal.vector());
        (normal, self.rest.as_ref().map_or(Rest::Straight, RestSpec::build))
    }

    fn section(&self) -> Result<Section, Fault> {
        match (self.radius, &self.section) {
            (Some(radius), None) => Ok(Section::Round { radius: radius.get() }),
            (None, Some(section)) => Ok(section.build()),
            (None, None) => Err(Fault::new("give the radius of a solid round section, or a section")),
            (Some(_), Some(_)) => {
                Err(Fault::new("give either the radius of a solid round section or a section, not both").at("section"))
            }
        }
    }

    /// Points of the initial centre line [m].
    pub(crate) fn centre_line(&self) -> Result<Vec<Vec3>, Fault> {
        let sides = self.size()?.map(|points| points - 1);
        if let Some(coil) = &self.coil {
            return coil.corners(sides.unwrap_or(coil.usual_sides()).max(1)).map_err(|fault| fault.at("coil"));
        }
        let Some(ring) = &self.ring else { return Ok(self.path.iter().map(Triple::vector).collect()) };
        ring.corners(sides.unwrap_or(USUAL_SEGMENTS).max(3)).map_err(|fault| fault.at("ring"))
    }

    /// Number of points, if given.
    fn size(&self) -> Result<Option<usize>, Fault> {
        match (self.points, self.segments, self.intervals) {
            (None, None, None) => Ok(None),
            (Some(points), None, None) => Ok(Some(points.0)),
            (None, Some(count), None) | (None, None, Some(count)) => Ok(Some(count.0 + 1)),
            (points, ..) => {
                let key = if points.is_some() { "points" } else { "segments" };
                Err(Fault::new("only one of points, segments and intervals can be given").at(key))
            }
        }
    }
}

/// A lower bound on the number of points of a chain, known before memory is allocated: a small bending radius needs
/// many.
fn least_points(spec: &ChainSpec) -> f64 {
    let length: f64 = spec.path.windows(2).map(|pair: &[Vec3]| (pair[1] - pair[0]).length()).sum();
    match (spec.points, spec.settings.heuristic.and_then(|h| h.bend_radius)) {
        (Some(points), _) => points as f64,
        // two segments bend by an angle of about 0.15, so one is about 0.15 radii long, surely less than 0.2
        (None, Some(radius)) => length / (0.2 * radius),
        (None, None) => 2.0,
    }
}

/// Whether it is a positive integer up to rounding.
fn is_whole(count: f64) -> bool {
    count > 0.5 && (count / count.round() - 1.0).abs() < 1e-9
}
