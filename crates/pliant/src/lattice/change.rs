//! Parameters that follow from the material of a body, and their change while it moves.
//!
//! Stiffness of connectors is proportional to Young's modulus and mass to density, so both are scaled from their
//! initial values, except for individually given connectors and masses.

use std::sync::Arc;

use super::Lattice;
use super::connectors::{Hinge, LinkKind, SwellKind};
use super::contact::touch::Law;
use super::joint::{Joint, Rows};
use super::matter::Matter;
use super::params::LatticeSettings;
use crate::check::Checks;
use crate::derived::Derived;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::{Vec3, cbrt};
use crate::properties::Properties;

/// Default damping of the fastest vibration, as a fraction of critical damping.
const DAMPED: f64 = 0.1;

/// Default contact damping, as a fraction of what stops a layer of cells without bouncing.
const ABSORBED: f64 = 0.2;

/// Time after which a body pressed deep into an obstacle counts as crushed, in units of the time in which a cell
/// oscillates by one radian. A falling body n cells high is in contact for pi sqrt(n) such times.
const PATIENCE: f64 = 50.0;

/// Longest step as a fraction of the stability limit.
const SAFE: f64 = 0.7;

/// A body as assembled, before damping was added.
#[derive(Debug)]
pub(super) struct Origin {
    material: Material,
    /// Positions of particles in the body's frame [m].
    pub places: Vec<Vec3>,
    masses: Vec<f64>,
    link_kinds: Vec<LinkKind>,
    /// Stiffness and damping; the damping is NaN if it follows from the material.
    hinges: Vec<[f64; 2]>,
    swell_kinds: Vec<SwellKind>,
    joints: Vec<Joint>,
    counted: Counted,
}

/// Totals collected while parts were assembled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// Volume of its cells [m3], and how many there are.
    pub space: f64,
    pub cells: usize,
    /// Part of the elastic constants that links of the worst cell miss [-].
    pub missed: f64,
}

impl Origin {
    /// Keep a body as assembled.
    pub fn of(matter: &Matter, material: Material, places: Vec<Vec3>, counted: Counted) -> Origin {
        Origin {
            material,
            places,
            masses: matter.masses.clone(),
            link_kinds: matter.link_kinds.clone(),
            hinges: matter.hinges.iter().map(|hinge| [hinge.stiffness, hinge.damping]).collect(),
            swell_kinds: matter.swell_kinds.clone(),
            joints: matter.joints.clone(),
            counted,
        }
    }

    /// Scale masses and stiffness of matter to another material.
    fn scale(&self, matter: &mut Matter, material: &Material) {
        let (stiffer, heavier) = (material.young / self.material.young, material.density / self.material.density);
        matter.masses.clone_from(&self.masses);
        matter.masses.iter_mut().for_each(|mass| *mass *= heavier);
        for &point in &matter.points {
            matter.masses[point as usize] = self.masses[point as usize];
        }
        matter.link_kinds.clone_from(&self.link_kinds);
        matter.link_kinds[..matter.own_kinds].iter_mut().for_each(|kind| kind.stiffness *= stiffer);
        matter.swell_kinds.clone_from(&self.swell_kinds);
        matter.swell_kinds.iter_mut().for_each(|kind| kind.stiffness *= stiffer);
        for (hinge, [stiffness, damping]) in matter.hinges.iter_mut().zip(&self.hinges) {
            let factor = if damping.is_nan() { stiffer } else { 1.0 };
            (hinge.stiffness, hinge.damping) = (stiffness * factor, *damping);
        }
        for (joint, built) in matter.joints.iter_mut().zip(&self.joints) {
            let rest = joint.rest;
            joint.clone_from(built);
            joint.stiffen(stiffer);
            joint.rest = rest;
        }
    }
}

/// Parameters that follow from material and settings.
pub(super) struct Made {
    pub stable: f64,
    pub contact: Law,
    pub grain: f64,
    pub patience: f64,
    pub total_mass: f64,
    pub derived: Vec<Derived>,
}

impl Made {
    /// Derive the parameters of matter that is not yet damped, and damp it.
    pub fn of(matter: &mut Matter, origin: &Origin, material: Material, settings: &LatticeSettings) -> Made {
        let Counted { space, cells: count, missed } = origin.counted;
        let [fastest, usual] = matter.swings(&origin.places);
        let damping = settings.damping_time.unwrap_or(usual);
        // explicit dampers allow steps of 2 over their rate of decay
        let decay = matter.by_joints(&origin.places, Rows::Damping);
        let stable = matter.damp(fastest, damping).min(if decay > 0.0 { SAFE * 2.0 / decay } else { f64::INFINITY });
        let grain = cbrt(space / count.max(1) as f64);
        // stiffness of a compressed layer of cells
        let pressing = settings.contact_stiffness.unwrap_or(material.young / grain.max(1e-6));
        let patience = PATIENCE * (material.density * grain / pressing).sqrt();
        let absorbing =
            settings.contact_damping.unwrap_or(2.0 * ABSORBED * (pressing * material.density * grain).sqrt());
        let kinetic = material.friction.coefficient;
        let friction = [kinetic * settings.static_friction, kinetic];
        let contact = Law { stiffness: pressing, damping: absorbing, friction };
        let total_mass = matter.mass();
        let derived = vec![
            Derived::new("m", total_mass, "kg", "volume times density"),
            Derived::new("n", matter.size() as f64, "-", "particles"),
            Derived::new("n_c", count as f64, "-", "cells"),
            Derived::new("e_C", missed, "-", "part of the elastic constants that links of the worst cell miss"),
            Derived::new("tau_d", damping, "s", "damping over stiffness of connectors"),
            Derived::new(
                "lambda_c",
                pressing,
                "N/m3",
                "force over volume of penetration: E over the edge of a cell, or as given",
            ),
            Derived::new("mu_c", absorbing, "N s/m3", "force over the rate of that volume"),
            Derived::new("tau_s", stable, "s", "longest step that connectors allow"),
        ];
        Made { stable, contact, grain, patience, total_mass, derived }
    }
}

impl Matter {
    /// Fastest vibration [rad/s], and the ratio of damping to stiffness that gives it the default damping [s].
    fn swings(&self, places: &[Vec3]) -> [f64; 2] {
        let fastest = self.fastest_found(places).sqrt();
        [fastest, if fastest > 0.0 { 2.0 * DAMPED / fastest } else { 0.0 }]
    }

    /// Damp all connectors without their own damping, with the ratio `damping` of damping to stiffness [s]. Returns the
    /// longest stable step [s], given the fastest vibration [rad/s].
    fn damp(&mut self, fastest: f64, damping: f64) -> f64 {
        self.link_kinds[..self.own_kinds].iter_mut().for_each(|kind| kind.damping = damping * kind.stiffness);
        self.swell_kinds.iter_mut().for_each(|kind| kind.damping = damping * kind.stiffness);
        let own = |hinge: &&mut Hinge| hinge.damping.is_nan();
        self.hinges.iter_mut().filter(own).for_each(|hinge| hinge.damping = damping * hinge.stiffness);
        self.joints.iter_mut().for_each(|joint| joint.damp(damping));
        // stability of an explicit step of a damped vibration
        let zeta = 0.5 * damping * fastest;
        // sqrt(1 + zeta^2) - zeta in a form without cancellation, so that strong damping gives short steps, not zero
        let step = SAFE * 2.0 / fastest / ((1.0 + zeta * zeta).sqrt() + zeta);
        if fastest > 0.0 { step } else { f64::INFINITY }
    }
}

impl Lattice {
    /// Properties that can be changed while the body moves. The damping is that of the connectors, given or derived.
    pub(crate) fn properties(&self) -> Properties {
        let solid = self.origin.counted.cells > 0;
        let derived = |symbol: &str| self.derived.iter().find(|d| d.symbol == symbol).map(|d| d.value);
        Properties {
            young: solid.then_some(self.material.young),
            density: solid.then_some(self.material.density),
            friction: self.material.friction,
            damping_time: derived("tau_d").filter(|_| solid),
            drag: Some(self.settings.drag),
            rest: None,
        }
    }

    /// Properties after one of them was changed: derived damping is derived again, unless it is the one that was
    /// changed.
    pub(crate) fn following(&self, then: Properties) -> Properties {
        if self.settings.damping_time.is_some() || then.damping_time != self.properties().damping_time {
            return then;
        }
        let (mut matter, material) = (self.matter.clone(), self.material.with(&then));
        self.origin.scale(&mut matter, &material);
        let [_, usual] = matter.swings(&self.origin.places);
        Properties { damping_time: then.damping_time.map(|_| usual), ..then }
    }

    /// Adopt new properties, keeping velocities. Forces and the step length are computed again.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        let checks = Checks(&self.name);
        let (material, mut settings) = (self.material.with(properties), self.settings.clone());
        settings.drag = properties.drag.unwrap_or(settings.drag);
        material.check(checks)?;
        checks.not_negative("drag", settings.drag)?;
        checks.not_negative("damping_time", properties.damping_time.unwrap_or(0.0))?;
        self.origin.scale(&mut self.matter, &material);
        // a value equal to the derived one counts as derived
        let [_, usual] = self.matter.swings(&self.origin.places);
        settings.damping_time = properties.damping_time.filter(|time| *time != usual);
        let Made { stable, contact, grain, patience, total_mass, derived } =
            Made::of(&mut self.matter, &Arc::clone(&self.origin), material, &settings);
        (self.stable, self.contact, self.grain, self.patience) = (stable, contact, grain, patience);
        (self.total_mass, self.derived) = (total_mass, derived);
        (self.material, self.settings) = (material, settings);
        let state = &mut self.state;
        (state.fresh, state.last, state.tau) = (true, 0.0, None);
        Ok(())
    }
}
