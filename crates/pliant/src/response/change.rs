//! Properties of a body that can be changed while it moves.

use std::sync::Arc;

use super::Response;
use super::answers::Answers;
use super::params::Damping;
use super::solid::{Form, Solid};
use crate::check::Checks;
use crate::error::BuildError;
use crate::properties::Properties;

impl Response {
    /// Properties that can be changed while the body moves. The modes belong to a material and a mesh that are not
    /// known here: another Young's modulus or density needs another basis. Recorded responses contain their damping.
    pub(crate) fn properties(&self) -> Properties {
        let damping_time = match (&self.solid.form, self.settings.damping) {
            (Form::Modes(_), Damping::Rayleigh { stiffness, .. }) => Some(stiffness),
            _ => None,
        };
        let friction = self.friction;
        Properties { young: None, density: None, friction, damping_time, drag: None, rest: None }
    }

    /// Adopt new damping and friction; vibrations continue from their current state.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        properties.friction.check(Checks(&self.name))?;
        let now = self.properties().damping_time;
        if let (Damping::Rayleigh { mass, .. }, Some(stiffness)) = (self.settings.damping, properties.damping_time)
            && Some(stiffness) != now
        {
            Checks(&self.name).not_negative("the damping", stiffness)?;
            let damping = Damping::Rayleigh { mass, stiffness };
            let mut solid = Solid::clone(&self.solid);
            solid.damp(&damping, self.settings.sample);
            self.answers = Answers::new(self.kernel, &solid, self.settings.sample);
            (self.settings.damping, self.solid) = (damping, Arc::new(solid));
            self.scratch.slots.forget();
        }
        self.friction = properties.friction;
        Ok(())
    }
}
