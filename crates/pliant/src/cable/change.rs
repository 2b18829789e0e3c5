//! Deriving the parameters of a cable from its specification, and changing them while it moves.

use std::sync::Arc;

use super::Cable;
use super::links::Links;
use super::params::{CableSpec, Step};
use super::solver::Method;
use super::start::Beginning;
use crate::derived::Derived;
use crate::error::BuildError;
use crate::linkage::Link;
use crate::math::Pose;
use crate::properties::Properties;

/// c of the decaying step: a mode with thirty steps per period loses 0.1 % of its energy in a step.
pub(super) const DECAY: f64 = 1.0 / 60.0;

/// Parameters of a cable, and the initial poses of its links.
pub(super) struct Made {
    pub links: Links,
    pub derived: Vec<Derived>,
    pub poses: Vec<Pose>,
}

impl Made {
    /// From the specification; fails if the path cannot be discretised.
    pub fn of(name: &str, spec: &CableSpec) -> Result<Made, BuildError> {
        let link = Link::new(&spec.whole_path(), spec.segments, &spec.section, &spec.material);
        let derived = link.derived(spec.segments, &spec.section);
        let Link { length, mass, inertia, rigidity } = link;
        let Beginning { poses, rest } = spec.beginning(name, length)?;
        let links = Links {
            length,
            radius: spec.section.radius(),
            inertia: [mass, mass, mass, inertia.x, inertia.y, inertia.z],
            stiffness: rigidity.map(|k| k / length),
            rest,
            closed: spec.settings.closed,
            twisted: spec.settings.twist != 0.0,
            self_contact: spec.settings.self_contact,
            damping_time: spec.settings.damping_time,
            drag: spec.settings.drag,
            friction: spec.material.friction,
            per_contact: spec.settings.friction_per_contact,
            restitution: spec.settings.restitution,
            linear: spec.settings.step == Step::Linear,
            method: Method::of(&spec.settings),
            pairs: spec.settings.pairs,
            decay: if spec.settings.step == Step::Decaying { DECAY } else { 0.0 },
        };
        Ok(Made { links, derived, poses })
    }
}

impl Cable {
    /// The properties that can be changed. The joint that closes a ring fits its unloaded shape, which is therefore not
    /// among them.
    pub(crate) fn properties(&self) -> Properties {
        let CableSpec { material, section, settings, rest, .. } = &*self.spec;
        Properties {
            damping_time: Some(settings.damping_time),
            drag: Some(settings.drag),
            rest: (!settings.closed).then_some(*rest),
            ..Properties::of_rod(material, section)
        }
    }

    /// Rebuild with other properties; poses and velocities stay.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        let mut spec = CableSpec::clone(&self.spec);
        spec.material = spec.material.with(properties);
        properties.damp(&mut spec.settings.damping_time, &mut spec.settings.drag);
        spec.rest = properties.rest.unwrap_or(spec.rest);
        spec.check(&self.name)?;
        let Made { links, derived, .. } = Made::of(&self.name, &spec)?;
        (self.links, self.derived, self.spec) = (links, derived, Arc::new(spec));
        Ok(())
    }
}
