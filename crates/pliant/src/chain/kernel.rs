//! The inner loops, compiled twice: for any machine, and for one with 256-bit vectors. Which one runs is decided once.

use super::contact::Planes;
use super::forces::{self, Elasticity};
use super::update::{self, Update, UpdateState};
use crate::lanes::{Plain, Row, Rows};
use crate::math::Vec3;

/// Which instructions the inner loops use; the numbers they give are the same to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// What every machine of the architecture has.
    Plain,
    /// 256-bit vectors; only made where the machine has them.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernel {
    /// The best this machine can do.
    pub fn best() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Kernel::Avx2;
        }
        Kernel::Plain
    }

    /// See [`forces::forces`].
    pub fn forces(self, e: &Elasticity, joints: &Row, x: &Rows, gravity: Vec3, planes: &Planes, out: &mut Rows) {
        match self {
            Kernel::Plain => forces::forces::<Plain>(e, joints, x, gravity, planes, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::forces(e, joints, x, gravity, planes, out),
        }
    }

    /// See [`update::displace`].
    pub fn displace(self, u: &Update, points: usize, mobility: &Row, force: &Rows, state: &mut UpdateState) -> f64 {
        match self {
            Kernel::Plain => update::displace::<Plain>(u, points, mobility, force, state),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::displace(u, points, mobility, force, state),
        }
    }

    /// See [`update::apply`].
    pub fn apply(self, u: &Update, e: &Elasticity, oscillating: f64, state: &mut UpdateState, x: &mut Rows) -> f64 {
        match self {
            Kernel::Plain => update::apply::<Plain>(u, e, oscillating, state, x),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::apply(u, e, oscillating, state, x),
        }
    }
}

/// The same functions with 256-bit vectors. Calling code compiled for instructions a machine lacks is undefined
/// behaviour, hence `unsafe`; `Kernel::Avx2` exists only after the machine was asked.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2 {
    use super::*;
    use crate::lanes::Wide;

    pub fn forces(e: &Elasticity, joints: &Row, x: &Rows, gravity: Vec3, planes: &Planes, out: &mut Rows) {
        #[target_feature(enable = "avx2")]
        fn inner(e: &Elasticity, joints: &Row, x: &Rows, gravity: Vec3, planes: &Planes, out: &mut Rows) {
            forces::forces::<Wide>(e, joints, x, gravity, planes, out);
        }
        // SAFETY: only called through `Kernel::Avx2`, which `Kernel::best` makes where the feature was detected
        unsafe { inner(e, joints, x, gravity, planes, out) }
    }

    pub fn displace(u: &Update, points: usize, mobility: &Row, force: &Rows, state: &mut UpdateState) -> f64 {
        #[target_feature(enable = "avx2")]
        fn inner(u: &Update, points: usize, mobility: &Row, force: &Rows, state: &mut UpdateState) -> f64 {
            update::displace::<Wide>(u, points, mobility, force, state)
        }
        // SAFETY: as above
        unsafe { inner(u, points, mobility, force, state) }
    }

    pub fn apply(u: &Update, e: &Elasticity, oscillating: f64, state: &mut UpdateState, x: &mut Rows) -> f64 {
        #[target_feature(enable = "avx2")]
        fn inner(u: &Update, e: &Elasticity, oscillating: f64, state: &mut UpdateState, x: &mut Rows) -> f64 {
            update::apply::<Wide>(u, e, oscillating, state, x)
        }
        // SAFETY: as above
        unsafe { inner(u, e, oscillating, state, x) }
    }
}
