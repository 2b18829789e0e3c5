//! What a body is made of.

/// Friction `|t| <= coefficient * |n|^exponent`; an exponent of 1 is Coulomb's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Factor of the law; for an exponent N it carries the unit N^(1-N) per length [-].
    pub coefficient: f64,
    /// Exponent of the normal force [-].
    pub exponent: f64,
}

impl Friction {
    /// No friction at all.
    pub const NONE: Friction = Friction { coefficient: 0.0, exponent: 1.0 };
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
    /// Shear modulus G = E / (2 (1 + nu)) [Pa].
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }
}
