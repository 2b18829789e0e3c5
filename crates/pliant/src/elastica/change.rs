//! Properties of a rod from its specification, and their change while it moves.

use std::sync::Arc;

use super::params::ElasticaSpec;
use super::plane::Plane;
use super::rod::Rod;
use super::{Elastica, path};
use crate::check::Checks;
use crate::curve;
use crate::derived::Derived;
use crate::error::BuildError;
use crate::properties::Properties;

/// Properties of a rod, and the initial angles of its nodes [rad].
pub(super) struct Made {
    pub rod: Rod,
    pub derived: Vec<Derived>,
    pub angles: Vec<f64>,
}

impl Made {
    /// Properties from the specification. Fails if the rod has too few intervals to end where its path does.
    pub fn of(name: &str, spec: &ElasticaSpec, plane: &Plane) -> Result<Made, BuildError> {
        let length = curve::length(&spec.path);
        let points = curve::resample(&spec.path, spec.intervals + 1);
        let angles = path::angles_on(plane, &points, length).map_err(|off| {
            let what = "the distance [m] at which the rod ends beside its path, which has corners,";
            Checks(name).bad(what, "zero: give it more intervals", off)
        })?;
        let (rod, settings) = (Rod::new(spec, &angles), &spec.settings);
        let ([.., ei], [stiffness, damping]) = (spec.section.rigidities(&spec.material), rod.voigt);
        let derived = vec![
            Derived::new("L", length, "m", "length of the path"),
            Derived::new("m", rod.mass(), "kg", spec.section.mass_reason()),
            Derived::new("EI", ei, "N m2", "bending in the plane"),
            Derived::new("k_c", stiffness, "N/m", given(settings.contact_stiffness, K_C)),
            Derived::new("b_c", damping, "N s/m", given(settings.contact_damping, B_C)),
        ];
        Ok(Made { rod, derived, angles })
    }
}

impl Elastica {
    /// Properties that can be changed while the body moves.
    pub(crate) fn properties(&self) -> Properties {
        let ElasticaSpec { material, section, settings, rest, .. } = &*self.spec;
        Properties {
            damping_time: Some(settings.damping_time),
            drag: Some(settings.drag),
            rest: Some(*rest),
            ..Properties::of_rod(material, section)
        }
    }

    /// Adopt new properties, keeping velocities. The integrator chooses its next step anew.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        let mut spec = ElasticaSpec::clone(&self.spec);
        spec.material = spec.material.with(properties);
        properties.damp(&mut spec.settings.damping_time, &mut spec.settings.drag);
        spec.rest = properties.rest.unwrap_or(spec.rest);
        spec.check(&self.name)?;
        let Made { rod, derived, .. } = Made::of(&self.name, &spec, &self.plane)?;
        (self.rod, self.derived, self.settings) = (rod, derived, spec.settings.clone());
        self.spec = Arc::new(spec);
        self.state.next = None;
        Ok(())
    }
}

/// Reason for the derived contact stiffness.
const K_C: &str =
    "contact: the rod's weight, or what bends it to a circle, on one point sinks in by a hundredth of its radius";

/// Reason for the derived contact damping.
const B_C: &str = "contact: an interval stops without bouncing";

/// Reason for a parameter: given, or derived.
fn given(what: Option<f64>, derived: &'static str) -> &'static str {
    if what.is_some() { "as given" } else { derived }
}
