//! How finely a solid is divided, in a scene file: numbers of cells, or an accuracy to reach; and where cells are
//! denser.

use std::fmt;

use pliant::lattice::solid::{
    Cells, DiscretiseError, Flexion, MassRule, RefineError, brick, cells_for, crowded, graded_brick, grading,
};
use pliant::math::Vec3;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};

use crate::text::fault::Fault;
use crate::text::quantity::{BendAngle, Coordinate, Count, Crowding, InertiaError, Quantity, Triple};

/// Largest number of cells along an edge.
const MOST_CELLS: usize = 100_000;

/// Largest number of cells that is chosen automatically for a solid.
const MOST_CHOSEN: usize = 5_000;

/// Number of cells along something.
pub(crate) type CellCount = Count<1, MOST_CELLS>;

/// Numbers of cells, or an accuracy to reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fineness<const N: usize> {
    Counts([usize; N]),
    Enough(EnoughSpec),
}

/// As many cells as needed for accurate inertia of the bent and twisted solid.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnoughSpec {
    /// Largest relative error of the inertia matrix [-].
    error: InertiaError,
    /// Angle between the ends when it is bent to an arc [degrees]; not bent unless given.
    bend_deg: Option<BendAngle>,
    /// Angle between the ends when it is twisted [degrees]; not twisted unless given.
    twist_deg: Option<BendAngle>,
}

/// Where the cells of a box are denser.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GradingSpec {
    /// The point where cells are shortest, in the frame of the solid [m]; its centre unless given.
    at: Option<Triple<Coordinate>>,
    /// How many times shorter cells are there than at the farther end, along x, y and z [-].
    finer: Triple<Crowding>,
}

/// A solid as a bar that can be bent: its axis, the direction of bending, its length and how far it reaches from the
/// axis.
pub(crate) struct Bar {
    pub(crate) along: usize,
    pub(crate) away: usize,
    pub(crate) length: f64,
    pub(crate) reach: f64,
}

impl EnoughSpec {
    /// The coarsest division that keeps the inertia, by doubling.
    pub(crate) fn refine(
        &self,
        bar: &Bar,
        rule: MassRule,
        build: impl Fn(usize) -> Result<Cells, DiscretiseError>,
    ) -> Result<Cells, Fault> {
        let angle = |given: Option<BendAngle>| given.map_or(0.0, |angle| angle.get().to_radians());
        let (bend, twist) = (angle(self.bend_deg), angle(self.twist_deg));
        if bend == 0.0 && twist == 0.0 {
            return Err(Fault::new("say how it is deformed: bend_deg or twist_deg"));
        }
        let flexion = Flexion { along: bar.along, away: bar.away, length: bar.length, bend, twist };
        if !flexion.holds(bar.reach) {
            let message =
                format!("a solid so thick cannot be bent so far: {} m long, {} m thick", bar.length, 2.0 * bar.reach);
            return Err(Fault::new(message).at("bend_deg"));
        }
        let refined = cells_for(build, |p| flexion.moved(p), rule, self.error.get(), MOST_CHOSEN);
        refined.map(|refined| refined.cells).map_err(|error| match error {
            RefineError::TooFine { cells, error, .. } => Fault::new(format!(
                "with {cells} cells the inertia is still off by {error:.1e}, and no more than {MOST_CHOSEN} are chosen: allow a \
                 larger error, or give the numbers of cells"
            ))
            .at("error"),
            other => Fault::new(other.to_string()),
        })
    }
}

/// The cells of a box.
pub(crate) fn box_cells(
    size: Vec3,
    fineness: Option<&Fineness<3>>,
    crowd: Option<&GradingSpec>,
    rule: MassRule,
) -> Result<Cells, Fault> {
    if let Some(at) = crowd.and_then(|spec| spec.at)
        && !(at.vector().abs().cmple(0.5 * size).all())
    {
        return Err(Fault::new("this is not in the box, whose origin is its centre").at("at").at("grading"));
    }
    let cut = |counts| match crowd {
        Some(spec) => spec.brick(size, counts),
        None => brick(size, counts),
    };
    match fineness {
        None => cut([1; 3]).map_err(|e| Fault::new(e.to_string())),
        Some(Fineness::Counts(counts)) => cut(*counts).map_err(|e| Fault::new(e.to_string())),
        Some(Fineness::Enough(spec)) => {
            let bar = Bar::of_box(size);
            // cells as close to cubes as possible
            let counts =
                |n: usize| size.to_array().map(|edge| ((edge / bar.length * n as f64).round() as usize).max(1));
            spec.refine(&bar, rule, |n| cut(counts(n))).map_err(|fault| fault.at("cells"))
        }
    }
}

impl Bar {
    /// A box, bent along its longest edge in the direction of its shortest.
    fn of_box(size: Vec3) -> Bar {
        let along = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
        let [a, b] = [(along + 1) % 3, (along + 2) % 3];
        let away = if size[b] < size[a] { b } else { a };
        Bar { along, away, length: size[along], reach: 0.5 * size[away] }
    }
}

impl GradingSpec {
    fn brick(&self, size: Vec3, counts: [usize; 3]) -> Result<Cells, DiscretiseError> {
        let (at, finer) = (self.at.map_or(Vec3::ZERO, |at| at.vector()), self.finer.numbers());
        let bounds = |axis: usize| grading(size[axis], counts[axis], crowded(size[axis], at[axis], finer[axis]));
        graded_brick([&bounds(0)?, &bounds(1)?, &bounds(2)?])
    }
}

impl<'de, const N: usize> Deserialize<'de> for Fineness<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FinenessVisitor)
    }
}

struct FinenessVisitor<const N: usize>;

impl<'de, const N: usize> Visitor<'de> for FinenessVisitor<N> {
    type Value = Fineness<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match N {
            1 => write!(f, "a whole number")?,
            _ => write!(f, "{N} whole numbers in brackets")?,
        }
        f.write_str(" or { error = 0.01, bend_deg = 90 }")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        if N != 1 {
            return Err(E::invalid_type(de::Unexpected::Signed(value), &self));
        }
        let count = CellCount::deserialize(de::value::I64Deserializer::<E>::new(value))?;
        Ok(Fineness::Counts([count.0; N]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut counts = vec![];
        while let Some(count) = seq.next_element::<CellCount>()? {
            counts.push(count.0);
        }
        match <[usize; N]>::try_from(counts) {
            Ok(counts) if N != 1 => Ok(Fineness::Counts(counts)),
            Ok(_) => Err(de::Error::invalid_type(de::Unexpected::Seq, &self)),
            Err(counts) => Err(de::Error::invalid_length(counts.len(), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        EnoughSpec::deserialize(MapAccessDeserializer::new(map)).map(Fineness::Enough)
    }
}

impl<const N: usize> JsonSchema for Fineness<N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Fineness{N}").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let count = CellCount::json_schema(generator);
        let counts = match N {
            1 => count,
            _ => json_schema!({ "type": "array", "items": count, "minItems": N, "maxItems": N }),
        };
        json_schema!({ "anyOf": [counts, generator.subschema_for::<EnoughSpec>()] })
    }
}
