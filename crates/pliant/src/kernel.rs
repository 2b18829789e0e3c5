//! Inner loops, compiled for three instruction sets: the baseline of the architecture, 256-bit vectors, and 512-bit
//! vectors, which come with twice as many registers.

use crate::lanes::{Lanes, Plain};

/// Instruction set of the inner loops; results are the same to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// The baseline of the architecture.
    Plain,
    /// 256-bit vectors; only available where the machine has them.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors; only available where the machine has them.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// An inner loop. Everything it calls must be `#[inline(always)]`: what is not inlined is compiled for the baseline.
pub trait Task {
    /// Its result.
    type Output;
    /// Run with four numbers at a time.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl Default for Kernel {
    /// The best instruction set of this machine.
    fn default() -> Kernel {
        Kernel::all().last().unwrap_or(Kernel::Plain)
    }
}

impl Kernel {
    /// The instruction sets of this machine, the best one last.
    pub fn all() -> impl Iterator<Item = Kernel> {
        let plain = std::iter::once(Kernel::Plain);
        #[cfg(target_arch = "x86_64")]
        return {
            use std::arch::is_x86_feature_detected as has;
            let more = has!("avx512f") && has!("avx512vl") && has!("avx512dq");
            let avx2 = has!("avx2").then_some(Kernel::Avx2);
            plain.chain(avx2).chain((avx2.is_some() && more).then_some(Kernel::Avx512))
        };
        #[cfg(not(target_arch = "x86_64"))]
        plain
    }

    /// Run a task.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Kernel::Plain => task.run::<Plain>(),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => wide::avx2(task),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => wide::avx512(task),
        }
    }
}

/// Calling code compiled for instructions that the machine lacks is undefined behaviour, hence `unsafe`.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use super::Task;
    use crate::lanes::{Broad, Narrow, Wide};

    pub fn avx2<T: Task>(task: T) -> T::Output {
        #[target_feature(enable = "avx2")]
        fn inner<T: Task>(task: T) -> T::Output {
            task.run::<Wide<Narrow>>()
        }
        // SAFETY: only called through `Kernel::Avx2`, which `Kernel::all` makes where the feature was detected
        unsafe { inner(task) }
    }

    pub fn avx512<T: Task>(task: T) -> T::Output {
        #[target_feature(enable = "avx2,avx512f,avx512vl,avx512dq")]
        fn inner<T: Task>(task: T) -> T::Output {
            task.run::<Wide<Broad>>()
        }
        // SAFETY: only called through `Kernel::Avx512`, which `Kernel::all` makes where the features were detected
        unsafe { inner(task) }
    }
}
