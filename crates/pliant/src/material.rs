//! Elastic materials and friction laws.

use crate::bytes::stored;
use crate::check::Checks;
use crate::error::BuildError;
use crate::math::pow;

/// Friction law `|t| <= coefficient * |n|^exponent`; an exponent of 1 is Coulomb's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Coefficient c [-] for an exponent N of 1; otherwise it relates forces per length of a rod [(N/m)^(1-N)].
    pub coefficient: f64,
    /// Exponent of the normal force [-].
    pub exponent: f64,
}

impl Friction {
    /// No friction.
    pub const NONE: Friction = Friction { coefficient: 0.0, exponent: 1.0 };

    /// Reject invalid parameters.
    pub(crate) fn check(&self, checks: Checks<'_>) -> Result<(), BuildError> {
        checks.not_negative("the friction", self.coefficient)?;
        checks.not_negative("the exponent of friction", self.exponent)
    }

    /// Reject a law other than Coulomb's for a body whose model has no other; `whose` names the owner of the law.
    pub(crate) fn check_coulomb(self, body: &str, model: &'static str, whose: &str) -> Result<(), BuildError> {
        let Friction { exponent, .. } = self;
        if exponent == 1.0 {
            return Ok(());
        }
        let cannot = format!("knows Coulomb's friction alone, but that of {whose} has an exponent of {exponent}");
        Err(BuildError::Cannot { body: body.into(), model, cannot, instead: "let it be 1", field: Some("friction") })
    }

    /// Friction between two surfaces: that of the more slippery one.
    pub fn between(a: Friction, b: Friction) -> Friction {
        if a.coefficient <= b.coefficient { a } else { b }
    }

    /// The law for a piece of a rod of this length [m], c l^(1-N), with which forces do not depend on how the rod is
    /// divided.
    pub fn over(self, length: f64) -> Friction {
        if self.exponent == 1.0 {
            return self;
        }
        Friction { coefficient: self.coefficient * pow(length, 1.0 - self.exponent), ..self }
    }

    /// Derivative of the friction limit with respect to the normal force `push` [N], dimensionless.
    pub fn slope(self, push: f64) -> f64 {
        if self.exponent == 1.0 {
            return self.coefficient;
        }
        self.coefficient * self.exponent * pow(push, self.exponent - 1.0)
    }

    /// Largest friction force [N] at a normal force `push` [N].
    pub fn limit(self, push: f64) -> f64 {
        if self.exponent == 1.0 { self.coefficient * push } else { self.coefficient * pow(push, self.exponent) }
    }
}

/// An isotropic elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E [Pa].
    pub young: f64,
    /// Poisson's ratio [-].
    pub poisson: f64,
    /// Mass density [kg/m3].
    pub density: f64,
    /// Friction of its surface against others.
    pub friction: Friction,
}

impl Material {
    /// Reject invalid parameters.
    pub(crate) fn check(&self, checks: Checks<'_>) -> Result<(), BuildError> {
        checks.positive("Young's modulus", self.young)?;
        checks.positive("the shear modulus", self.shear_modulus())?;
        checks.positive("the density", self.density)?;
        self.friction.check(checks)
    }

    /// Shear modulus G = E / (2 (1 + nu)) [Pa].
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }
}

stored!(Friction { coefficient, exponent });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_of_a_rod_does_not_depend_on_how_it_is_divided() {
        let law = Friction { coefficient: 0.4, exponent: 0.7 };
        let along = |pieces: f64| pieces * law.over(2.0 / pieces).limit(6.0 / pieces);
        // c p^N per length, with 3 N/m over 2 m
        let exact = 2.0 * 0.4 * 3.0_f64.powf(0.7);
        for pieces in [1.0, 2.0, 50.0] {
            assert!((along(pieces) - exact).abs() < 1e-14);
        }
        assert_eq!(Friction { exponent: 1.0, ..law }.over(1e-3), Friction { exponent: 1.0, ..law });
        assert_eq!(Friction::between(law, Friction::NONE), Friction::NONE);
    }

    #[test]
    fn solids_refuse_laws_other_than_coulombs() {
        let law = Friction { coefficient: 0.4, exponent: 0.7 };
        let error = law.check_coulomb("block", "lattice", "floor").map_err(|e| e.to_string());
        let text = "block is of the model lattice, which knows Coulomb's friction alone, but that of floor has an exponent of 0.7: \
                    let it be 1";
        assert_eq!(error, Err(text.into()));
    }
}
