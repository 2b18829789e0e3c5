//! Properties of a rod from its specification, and their change while it moves.

use std::sync::Arc;

use super::Xpbd;
use super::joint::Mobility;
use super::params::XpbdSpec;
use super::step::Links;
use crate::derived::Derived;
use crate::error::BuildError;
use crate::linkage::Link;
use crate::math::Vec3;
use crate::properties::Properties;

/// Properties of the links of a rod, and derived parameters.
pub(super) fn made_of(spec: &XpbdSpec) -> (Links, Vec<Derived>) {
    let (count, settings, radius) = (spec.segments, spec.settings, spec.section.radius());
    let link = Link::new(&spec.path, count, &spec.section, &spec.material);
    let mut derived = link.derived(count, &spec.section);
    let Link { length, mass, inertia, rigidity: [ea, ga_y, ga_z, gj, ei_y, ei_z] } = link;
    let rigidity = [Vec3::new(ea, ga_y, ga_z), Vec3::new(gj, ei_y, ei_z)];
    let why = "time in which stretch crosses a link; substeps as short as this need few sweeps, longer ones many";
    derived.push(Derived::new("h_c", (mass * length / ea).sqrt(), "s", why));
    let links = Links {
        length,
        radius,
        mass,
        inertia,
        mobility: Mobility { shift: 1.0 / mass, turn: inertia.recip() },
        compliance: rigidity.map(|k| length / k),
        damping_time: settings.damping_time,
        drag: settings.drag,
        friction: spec.material.friction,
        substeps: settings.substeps,
        sweeps: settings.iterations.div_ceil(settings.substeps),
    };
    (links, derived)
}

impl Xpbd {
    /// Properties that can be changed while the body moves.
    pub(crate) fn properties(&self) -> Properties {
        let XpbdSpec { material, section, settings, .. } = &*self.spec;
        Properties {
            damping_time: Some(settings.damping_time),
            drag: Some(settings.drag),
            ..Properties::of_rod(material, section)
        }
    }

    /// Adopt new properties, keeping velocities.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        let mut spec = XpbdSpec::clone(&self.spec);
        spec.material = spec.material.with(properties);
        properties.damp(&mut spec.settings.damping_time, &mut spec.settings.drag);
        spec.check(&self.name)?;
        (self.links, self.derived) = made_of(&spec);
        self.spec = Arc::new(spec);
        self.fill_joints();
        Ok(())
    }
}
