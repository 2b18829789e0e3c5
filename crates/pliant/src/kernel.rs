//! The inner loops, compiled twice: for any machine, and for one with 256-bit vectors.

use crate::lanes::{Lanes, Plain};

/// Which instructions the inner loops use; the numbers they give are the same to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// What every machine of the architecture has.
    Plain,
    /// 256-bit vectors; only made where the machine has them.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

/// An inner loop. Everything it calls must be `#[inline(always)]`: what is not inlined is compiled for any machine.
pub trait Task {
    /// What it gives.
    type Output;
    /// Run with numbers four at a time.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl Default for Kernel {
    /// The best this machine can do.
    fn default() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Kernel::Avx2;
        }
        Kernel::Plain
    }
}

impl Kernel {
    /// Run a task.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Kernel::Plain => task.run::<Plain>(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => avx2::run(task),
        }
    }
}

/// Calling code compiled for instructions a machine lacks is undefined behaviour, hence `unsafe`.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2 {
    use super::Task;
    use crate::lanes::Wide;

    pub fn run<T: Task>(task: T) -> T::Output {
        #[target_feature(enable = "avx2")]
        fn inner<T: Task>(task: T) -> T::Output {
            task.run::<Wide>()
        }
        // SAFETY: only called through `Kernel::Avx2`, which `Kernel::default` makes where the feature was detected
        unsafe { inner(task) }
    }
}
