//! Properties of a chain that can be changed while it moves.

use std::sync::Arc;

use super::params::{ChainSettings, ChainSpec, UpdateRule};
use super::{Chain, derive};
use crate::curve;
use crate::error::BuildError;
use crate::properties::Properties;

impl Chain {
    /// Properties that can be changed while the body moves. There is no Young's modulus if rigidities are given or come
    /// from heuristics.
    pub(crate) fn properties(&self) -> Properties {
        let ChainSpec { material, section, settings, .. } = &*self.spec;
        let ChainSettings { contraction, bending_force, bending_stiffness, .. } = settings;
        let given = contraction.is_some() && (bending_force.is_some() || bending_stiffness.is_some());
        let newton = settings.update == UpdateRule::Velocity && settings.scaling.is_none();
        let own = Properties::of_rod(material, section);
        Properties {
            young: own.young.filter(|_| !given && settings.heuristic.is_none()),
            density: own.density.filter(|_| settings.mass.is_none()),
            drag: newton.then_some(settings.drag),
            ..own
        }
    }

    /// Adopt new properties. Velocities are kept even if the rate of model steps changes.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        let mut spec = ChainSpec::clone(&self.spec);
        spec.material = spec.material.with(properties);
        spec.settings.drag = properties.drag.unwrap_or(spec.settings.drag);
        spec.check(&self.name)?;
        (self.constants, self.derived) = derive::derive(&spec, curve::length(&spec.path))?;
        (self.settings, self.friction) = (spec.settings.clone(), spec.material.friction);
        self.spec = Arc::new(spec);
        self.state.planes.stiffness = self.constants.contact_stiffness;
        self.scratch.mobility_tau = 0.0;
        Ok(())
    }
}
