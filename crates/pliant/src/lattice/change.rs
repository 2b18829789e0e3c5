//! What follows from the material of a body; and what of that may be changed while it moves.
//!
//! Stiffness of connectors is proportional to Young's modulus and mass to density, so that both are scaled from what they were at
//! first, but for connectors and masses that were given one by one.

use std::sync::Arc;

use super::Lattice;
use super::connectors::{Hinge, LinkKind, SwellKind};
use super::contact::touch::Law;
use super::matter::Matter;
use super::params::LatticeSettings;
use crate::check::Checks;
use crate::derived::Derived;
use crate::error::BuildError;
use crate::material::Material;
use crate::math::{Vec3, cbrt};
use crate::properties::Properties;

/// The fastest vibration is damped by this part of what would stop it.
const DAMPED: f64 = 0.1;

/// Contact absorbs by this part of what would stop a layer of cells without bouncing.
const ABSORBED: f64 = 0.2;

/// A body of n cells on top of each other that falls on something is pressed by it for pi sqrt(n) times the time in which a cell
/// would swing by a radian: more than this many of these times it is crushed.
const PATIENCE: f64 = 50.0;

/// Steps are this part of the longest that is stable.
const SAFE: f64 = 0.7;

/// A body as it was put together, before it was damped.
#[derive(Debug)]
pub(super) struct Origin {
    material: Material,
    /// Where particles are in the frame of the body [m].
    pub places: Vec<Vec3>,
    masses: Vec<f64>,
    link_kinds: Vec<LinkKind>,
    /// Stiffness and damping; not a number where damping follows from the material.
    hinges: Vec<[f64; 2]>,
    swell_kinds: Vec<SwellKind>,
    counted: Counted,
}

/// What was counted while parts were put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// Volume of its cells [m3], and how many there are.
    pub space: f64,
    pub cells: usize,
    /// Part of the elastic constants that links of the worst cell miss [-].
    pub missed: f64,
}

impl Origin {
    /// Of what was put together.
    pub fn of(matter: &Matter, material: Material, places: Vec<Vec3>, counted: Counted) -> Origin {
        Origin {
            material,
            places,
            masses: matter.masses.clone(),
            link_kinds: matter.link_kinds.clone(),
            hinges: matter.hinges.iter().map(|hinge| [hinge.stiffness, hinge.damping]).collect(),
            swell_kinds: matter.swell_kinds.clone(),
            counted,
        }
    }

    /// Let matter have the masses and the stiffness of another material.
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
    }
}

/// What follows from material and settings.
pub(super) struct Made {
    pub stable: f64,
    pub contact: Law,
    pub grain: f64,
    pub patience: f64,
    pub total_mass: f64,
    pub derived: Vec<Derived>,
}

impl Made {
    /// Of matter that is not damped yet.
    pub fn of(matter: &mut Matter, origin: &Origin, material: Material, settings: &LatticeSettings) -> Made {
        let Counted { space, cells: count, missed } = origin.counted;
        let [fastest, usual] = matter.swings(&origin.places);
        let damping = settings.damping_time.unwrap_or(usual);
        let stable = matter.damp(fastest, damping);
        let grain = cbrt(space / count.max(1) as f64);
        // a layer of cells, pressed together
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
    /// Its fastest vibration [rad/s], and damping over stiffness by which that has a part of critical damping [s].
    fn swings(&self, places: &[Vec3]) -> [f64; 2] {
        let fastest = self.fastest_found(places).sqrt();
        [fastest, if fastest > 0.0 { 2.0 * DAMPED / fastest } else { 0.0 }]
    }

    /// Damp all that has no damping of its own by a time [s]; the longest step that is stable with the fastest vibration [rad/s] [s].
    fn damp(&mut self, fastest: f64, damping: f64) -> f64 {
        self.link_kinds[..self.own_kinds].iter_mut().for_each(|kind| kind.damping = damping * kind.stiffness);
        self.swell_kinds.iter_mut().for_each(|kind| kind.damping = damping * kind.stiffness);
        let own = |hinge: &&mut Hinge| hinge.damping.is_nan();
        self.hinges.iter_mut().filter(own).for_each(|hinge| hinge.damping = damping * hinge.stiffness);
        // an explicit step of a damped vibration
        let zeta = 0.5 * damping * fastest;
        // sqrt(1 + zeta^2) - zeta in the form that does not cancel: strong damping asks for short steps, not for none
        let step = SAFE * 2.0 / fastest / ((1.0 + zeta * zeta).sqrt() + zeta);
        if fastest > 0.0 { step } else { f64::INFINITY }
    }
}

impl Lattice {
    /// Properties that can be changed while the body moves. Its damping is that of its connectors, given or derived.
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

    /// Properties that one of them was changed to, with a damping that was derived, and is not the one that was changed, derived anew.
    pub(crate) fn following(&self, then: Properties) -> Properties {
        if self.settings.damping_time.is_some() || then.damping_time != self.properties().damping_time {
            return then;
        }
        let (mut matter, material) = (self.matter.clone(), self.material.with(&then));
        self.origin.scale(&mut matter, &material);
        let [_, usual] = matter.swings(&self.origin.places);
        Properties { damping_time: then.damping_time.map(|_| usual), ..then }
    }

    /// Be made of something else; velocities stay. Forces and the length of its own steps are found anew.
    pub(crate) fn adopt(&mut self, properties: &Properties) -> Result<(), BuildError> {
        let checks = Checks(&self.name);
        let (material, mut settings) = (self.material.with(properties), self.settings.clone());
        settings.drag = properties.drag.unwrap_or(settings.drag);
        material.check(checks)?;
        checks.not_negative("drag", settings.drag)?;
        checks.not_negative("damping_time", properties.damping_time.unwrap_or(0.0))?;
        self.origin.scale(&mut self.matter, &material);
        // what is as it would be derived counts as derived
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
