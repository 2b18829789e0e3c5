//! Bodies in a scene file.

use std::collections::BTreeMap;

use pliant::cable::{Cable, CableSettings, CableSpec, Rest};
use pliant::chain::{Chain, ChainSettings, ChainSpec};
use pliant::elastica::{Elastica, ElasticaSettings, ElasticaSpec};
use pliant::math::Vec3;
use pliant::xpbd::{Xpbd, XpbdSettings, XpbdSpec};
use pliant::{Body, Section};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cable::CableTable;
use crate::chain::ChainTable;
use crate::elastica::ElasticaTable;
use crate::fault::Fault;
use crate::material::MaterialSpec;
use crate::quantity::{Component, Coordinate, Count, Length, Quantity, Triple};
use crate::rest::RestSpec;
use crate::section::SectionSpec;
use crate::word::{Name, Table};
use crate::xpbd::XpbdTable;

/// Most points of all bodies together.
pub(crate) const MOST_POINTS: usize = 1_000_000;

/// Segments of a rod of links that says nothing of its size.
const USUAL_SEGMENTS: usize = 40;

/// Intervals of a rod in angle coordinates that says nothing of its size.
const USUAL_INTERVALS: usize = 20;

/// A body that bends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BodySpec {
    /// Name, unique among bodies.
    pub(crate) name: Name,
    /// Model that simulates it.
    model: ModelSpec,
    /// Name of its material.
    material: Name,
    /// Radius of its solid round section [m]; either this or `section`.
    radius: Option<Length>,
    /// Its section, if it is not solid and round; either this or `radius`.
    section: Option<SectionSpec>,
    /// For the model `cable` the direction of the section's width at the start of the path, made perpendicular to it [-]; the
    /// axes of the world, turned the least way to the path, unless given. For the model `elastica` a direction out of the
    /// plane it lives in [-]; that of the path, or the upright plane through a straight one, unless given. Others have none.
    normal: Option<Triple<Component>>,
    /// Its shape without load; straight unless given. Only for the models `cable` and `elastica`.
    rest: Option<RestSpec>,
    /// Initial centre line: points of a polyline [m], at least two.
    path: Vec<Triple<Coordinate>>,
    /// Number of points; only one of points, segments and intervals. The model chooses unless given.
    points: Option<Count<2, MOST_POINTS>>,
    /// Number of segments, one less than points.
    segments: Option<Count<1, { MOST_POINTS - 1 }>>,
    /// Number of intervals, one less than points.
    intervals: Option<Count<1, { MOST_POINTS - 1 }>>,
    /// Settings of the model `chain`; other models leave them alone.
    chain: Option<Table<ChainTable>>,
    /// Settings of the model `cable`; other models leave them alone.
    cable: Option<Table<CableTable>>,
    /// Settings of the model `xpbd`; other models leave them alone.
    xpbd: Option<Table<XpbdTable>>,
    /// Settings of the model `elastica`; other models leave them alone.
    elastica: Option<Table<ElasticaTable>>,
}

/// The model of a body.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ModelSpec {
    /// Points with contraction and bending forces.
    Chain,
    /// Rigid links with elastic joints.
    Cable,
    /// Rigid links with elastic joints, by extended position-based dynamics.
    Xpbd,
    /// A planar rod described by its angle along its length.
    Elastica,
}

impl BodySpec {
    /// The body, of at most `points_left` points.
    pub(crate) fn build(
        &self,
        materials: &BTreeMap<Name, Table<MaterialSpec>>,
        points_left: usize,
    ) -> Result<Body, Fault> {
        let Some(material) = materials.get(&self.material) else {
            let known = materials.keys().map(|name| &**name);
            return Err(Fault::unknown("material", &self.material, known).at("material"));
        };
        if self.path.len() < 2 {
            return Err(Fault::new("a path needs at least two points").at("path"));
        }
        let points = self.size()?;
        let too_many = |key| Fault::new(format!("too many points: all bodies together may have {MOST_POINTS}")).at(key);
        let (material, section) = (material.build(), self.section()?);
        let path = self.centre_line();
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
                let settings = self.cable.as_ref().map_or_else(CableSettings::default, |table| table.build());
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
        }
    }

    /// Refuse a shape without load, and axes across it, that its model does not have.
    fn check_rest_and_normal(&self) -> Result<(), Fault> {
        let model = match self.model {
            ModelSpec::Chain => "a chain",
            ModelSpec::Xpbd => "a rod of the model xpbd",
            ModelSpec::Cable => return Ok(()),
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
    pub(crate) fn centre_line(&self) -> Vec<Vec3> {
        self.path.iter().map(Triple::vector).collect()
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

/// Not more points than the chain will have, known before it takes its memory: a small radius of bending asks for many.
fn least_points(spec: &ChainSpec) -> f64 {
    let length: f64 = spec.path.windows(2).map(|pair: &[Vec3]| (pair[1] - pair[0]).length()).sum();
    match (spec.points, spec.settings.heuristic.and_then(|h| h.bend_radius)) {
        (Some(points), _) => points as f64,
        // two segments bend by an angle of about 0.15, so that one is about 0.15 radii long
        (None, Some(radius)) => length / (0.2 * radius),
        (None, None) => 2.0,
    }
}
