//! Four numbers at a time. Every operation is elementwise and none is fused, so that results are the same to the bit
//! whichever vector instructions the machine has.

use std::ops::{Add, Mul, Sub};

use crate::math::Vec3;

/// How many numbers are processed at a time.
pub const LANES: usize = 4;

/// Four numbers in memory.
pub type Block = [f64; LANES];

/// Numbers in blocks of four.
pub type Row = Vec<Block>;

/// Coordinates of points: one row per coordinate.
pub type Rows = [Row; 3];

/// Rows of `blocks` blocks of zeros.
pub fn zero_rows(blocks: usize) -> Rows {
    std::array::from_fn(|_| vec![[0.0; LANES]; blocks])
}

/// Points as rows of coordinates, padded to `blocks` blocks by extrapolating the last segment.
pub fn rows_of(points: &[Vec3], blocks: usize) -> Rows {
    let last = points[points.len() - 1];
    let along = last - points[points.len() - 2];
    let padding = (1..).map(|i| last + along * i as f64);
    let mut rows = zero_rows(blocks);
    for (i, point) in points.iter().copied().chain(padding).take(blocks * LANES).enumerate() {
        set(&mut rows, i, point);
    }
    rows
}

/// The vector at index `i`.
#[inline(always)]
pub fn get(rows: &Rows, i: usize) -> Vec3 {
    let at = |row: &Row| row[i / LANES][i % LANES];
    Vec3::new(at(&rows[0]), at(&rows[1]), at(&rows[2]))
}

/// Replace the vector at index `i`.
#[inline(always)]
pub fn set(rows: &mut Rows, i: usize, v: Vec3) {
    for (row, value) in rows.iter_mut().zip(v.to_array()) {
        row[i / LANES][i % LANES] = value;
    }
}

/// Add to the vector at index `i`.
#[inline(always)]
pub fn add(rows: &mut Rows, i: usize, v: Vec3) {
    for (row, value) in rows.iter_mut().zip(v.to_array()) {
        row[i / LANES][i % LANES] += value;
    }
}

/// Four numbers in a register. The compiler alone vectorises only some of the arithmetic in the kernels; this states
/// which instructions are meant, for the baseline and for wide vectors.
pub trait Lanes: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The corresponding type of eight numbers.
    type Eight: Eight<Half = Self>;
    /// One number in all lanes.
    fn splat(value: f64) -> Self;
    /// Load from memory.
    fn load(from: &Block) -> Self;
    /// Store to memory.
    fn block(self) -> Block;
    /// 1 / sqrt(x), by a square root and a division.
    fn inverse_root(self) -> Self;
    /// 1 / x, by a division.
    fn inverse(self) -> Self;
    /// Lane `K` replaced by that of `other`.
    fn replaced<const K: usize>(self, other: Self) -> Self;
    /// Transpose of a 4 x 4 matrix given by rows.
    fn transposed(rows: [Self; LANES]) -> [Self; LANES];
    /// The larger of each pair; that of `self` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// One where `self` is less than `other`, else zero.
    fn below(self, other: Self) -> Self;
    /// Each number's right neighbour, given the block to the right.
    fn followed_by(self, next: Self) -> Self;
    /// Each number's left neighbour, given the block to the left.
    fn preceded_by(self, before: Self) -> Self;

    /// Zeros.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// Load four numbers of a slice, beginning at index `i`.
    #[inline(always)]
    fn load_at(from: &[f64], i: usize) -> Self {
        let four = &from[i..i + LANES];
        Self::load(&[four[0], four[1], four[2], four[3]])
    }

    /// Store to four numbers of a slice, beginning at index `i`.
    #[inline(always)]
    fn store_at(self, to: &mut [f64], i: usize) {
        // written out: `copy_from_slice` is not always inlined, and would then cost a call per store
        let (four, [a, b, c, d]) = (&mut to[i..i + LANES], self.block());
        (four[0], four[1], four[2], four[3]) = (a, b, c, d);
    }

    /// The largest of the four.
    #[inline(always)]
    fn largest(self) -> f64 {
        let [a, b, c, d] = self.block();
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        larger(larger(a, b), larger(c, d))
    }
}

/// Eight numbers: in two registers, or in one where the machine has 512-bit vectors.
pub trait Eight: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The corresponding type of four numbers.
    type Half;
    /// One number in all lanes.
    fn splat(value: f64) -> Self;
    /// Load from memory.
    fn load(from: &[f64; 8]) -> Self;
    /// Load six numbers, followed by zeros.
    fn load_six(from: &[f64; 6]) -> Self;
    /// Store to memory.
    fn store(self, to: &mut [f64; 8]);
    /// Store the first six.
    fn store_six(self, to: &mut [f64; 6]);
    /// Lane `K` replaced by that of `other`.
    fn replaced<const K: usize>(self, other: Self) -> Self;
    /// The first four and the last four.
    fn halves(self) -> [Self::Half; 2];
    /// The inverse of [`Eight::halves`].
    fn joined(halves: [Self::Half; 2]) -> Self;
}

/// Eight numbers in two registers.
#[derive(Clone, Copy, Debug)]
pub struct Both<L>([L; 2]);

impl<L: Lanes> Eight for Both<L> {
    type Half = L;
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Both([L::splat(value); 2])
    }
    #[inline(always)]
    fn load(from: &[f64; 8]) -> Self {
        Both([L::load_at(from, 0), L::load_at(from, LANES)])
    }
    #[inline(always)]
    fn load_six(from: &[f64; 6]) -> Self {
        Both([L::load(&[from[0], from[1], from[2], from[3]]), L::load(&[from[4], from[5], 0.0, 0.0])])
    }
    #[inline(always)]
    fn store(self, to: &mut [f64; 8]) {
        self.0[0].store_at(to, 0);
        self.0[1].store_at(to, LANES);
    }
    #[inline(always)]
    fn store_six(self, to: &mut [f64; 6]) {
        let ([a, b, c, d], [e, f, _, _]) = (self.0[0].block(), self.0[1].block());
        *to = [a, b, c, d, e, f];
    }
    #[inline(always)]
    fn replaced<const K: usize>(mut self, other: Self) -> Self {
        let (half, other) = (&mut self.0[K / LANES], other.0[K / LANES]);
        *half = match K % LANES {
            0 => half.replaced::<0>(other),
            1 => half.replaced::<1>(other),
            2 => half.replaced::<2>(other),
            _ => half.replaced::<3>(other),
        };
        self
    }
    #[inline(always)]
    fn halves(self) -> [L; 2] {
        self.0
    }
    #[inline(always)]
    fn joined(halves: [L; 2]) -> Self {
        Both(halves)
    }
}

impl<L: Lanes> Add for Both<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Both([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
}

impl<L: Lanes> Sub for Both<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Both([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }
}

impl<L: Lanes> Mul for Both<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Both([self.0[0] * other.0[0], self.0[1] * other.0[1]])
    }
}

/// Four numbers without vector instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain(pub Block);

impl Plain {
    #[inline(always)]
    fn pairs(self, other: Plain, f: impl Fn(f64, f64) -> f64) -> Plain {
        Plain(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Lanes for Plain {
    type Eight = Both<Plain>;
    #[inline(always)]
    fn splat(value: f64) -> Plain {
        Plain([value; LANES])
    }
    #[inline(always)]
    fn load(from: &Block) -> Plain {
        Plain(*from)
    }
    #[inline(always)]
    fn block(self) -> Block {
        self.0
    }
    #[inline(always)]
    fn inverse_root(self) -> Plain {
        self.pairs(self, |x, _| 1.0 / x.sqrt())
    }
    #[inline(always)]
    fn inverse(self) -> Plain {
        self.pairs(self, |x, _| 1.0 / x)
    }
    #[inline(always)]
    fn replaced<const K: usize>(mut self, other: Plain) -> Plain {
        self.0[K] = other.0[K];
        self
    }
    #[inline(always)]
    fn transposed(rows: [Plain; LANES]) -> [Plain; LANES] {
        let [a, b, c, d] = rows.map(|row| row.0);
        [0, 1, 2, 3].map(|i| Plain([a[i], b[i], c[i], d[i]]))
    }
    #[inline(always)]
    fn max(self, other: Plain) -> Plain {
        self.pairs(other, |a, b| if b > a { b } else { a })
    }
    #[inline(always)]
    fn below(self, other: Plain) -> Plain {
        self.pairs(other, |a, b| if a < b { 1.0 } else { 0.0 })
    }
    #[inline(always)]
    fn followed_by(self, next: Plain) -> Plain {
        Plain([self.0[1], self.0[2], self.0[3], next.0[0]])
    }
    #[inline(always)]
    fn preceded_by(self, before: Plain) -> Plain {
        Plain([before.0[3], self.0[0], self.0[1], self.0[2]])
    }
}

impl Add for Plain {
    type Output = Plain;
    #[inline(always)]
    fn add(self, other: Plain) -> Plain {
        self.pairs(other, |a, b| a + b)
    }
}

impl Sub for Plain {
    type Output = Plain;
    #[inline(always)]
    fn sub(self, other: Plain) -> Plain {
        self.pairs(other, |a, b| a - b)
    }
}

impl Mul for Plain {
    type Output = Plain;
    #[inline(always)]
    fn mul(self, other: Plain) -> Plain {
        self.pairs(other, |a, b| a * b)
    }
}

/// Four numbers in one 256-bit register.
///
/// `unsafe` because these instructions are undefined on a machine without them: code that uses `Wide` must only be
/// reached through a function with the target feature `avx2`, called after the feature was detected (see `kernel`).
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use super::{Add, Block, Both, Eight, LANES, Lanes, Mul, Sub};
    use std::arch::x86_64::*;
    use std::marker::PhantomData;

    /// Four numbers in one register.
    #[derive(Clone, Copy, Debug)]
    pub struct Wide<W>(__m256d, PhantomData<W>);

    /// How eight numbers are represented beside [`Wide`].
    pub trait Width: Copy {
        /// The type of eight numbers.
        type Eight: Eight<Half = Wide<Self>>;
    }

    /// In two 256-bit registers.
    #[derive(Clone, Copy, Debug)]
    pub struct Narrow;

    /// In one 512-bit register, for the target feature `avx512f`.
    #[derive(Clone, Copy, Debug)]
    pub struct Broad;

    impl Width for Narrow {
        type Eight = Both<Wide<Narrow>>;
    }

    impl Width for Broad {
        type Eight = Octet;
    }

    #[inline(always)]
    fn of<W>(numbers: __m256d) -> Wide<W> {
        Wide(numbers, PhantomData)
    }

    // SAFETY (all of this file): see the module's comment; loads and stores are of whole blocks and need no alignment
    impl<W: Width> Lanes for Wide<W> {
        type Eight = W::Eight;
        #[inline(always)]
        fn splat(value: f64) -> Self {
            of(unsafe { _mm256_set1_pd(value) })
        }
        #[inline(always)]
        fn load(from: &Block) -> Self {
            of(unsafe { _mm256_loadu_pd(from.as_ptr()) })
        }
        #[inline(always)]
        fn block(self) -> Block {
            let mut out = [0.0; LANES];
            unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self.0) };
            out
        }
        #[inline(always)]
        fn inverse_root(self) -> Self {
            of(unsafe { _mm256_div_pd(_mm256_set1_pd(1.0), _mm256_sqrt_pd(self.0)) })
        }
        #[inline(always)]
        fn inverse(self) -> Self {
            of(unsafe { _mm256_div_pd(_mm256_set1_pd(1.0), self.0) })
        }
        #[inline(always)]
        fn replaced<const K: usize>(self, other: Self) -> Self {
            of(unsafe {
                match K {
                    0 => _mm256_blend_pd::<1>(self.0, other.0),
                    1 => _mm256_blend_pd::<2>(self.0, other.0),
                    2 => _mm256_blend_pd::<4>(self.0, other.0),
                    _ => _mm256_blend_pd::<8>(self.0, other.0),
                }
            })
        }
        #[inline(always)]
        fn transposed([a, b, c, d]: [Self; LANES]) -> [Self; LANES] {
            // [a0 b0 a2 b2] and so on, then their halves
            unsafe {
                let (ab0, ab1) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
                let (cd0, cd1) = (_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0));
                [
                    of(_mm256_permute2f128_pd::<0x20>(ab0, cd0)),
                    of(_mm256_permute2f128_pd::<0x20>(ab1, cd1)),
                    of(_mm256_permute2f128_pd::<0x31>(ab0, cd0)),
                    of(_mm256_permute2f128_pd::<0x31>(ab1, cd1)),
                ]
            }
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // the instruction returns its second operand where either is NaN
            of(unsafe { _mm256_max_pd(other.0, self.0) })
        }
        #[inline(always)]
        fn below(self, other: Self) -> Self {
            of(unsafe { _mm256_and_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0), _mm256_set1_pd(1.0)) })
        }
        #[inline(always)]
        fn followed_by(self, next: Self) -> Self {
            // [s2 s3 n0 n1], then every second number of both: [s1 s2 s3 n0]
            of(unsafe { _mm256_shuffle_pd::<0b0101>(self.0, _mm256_permute2f128_pd::<0x21>(self.0, next.0)) })
        }
        #[inline(always)]
        fn preceded_by(self, before: Self) -> Self {
            // [b2 b3 s0 s1], then every second number of both: [b3 s0 s1 s2]
            of(unsafe { _mm256_shuffle_pd::<0b0101>(_mm256_permute2f128_pd::<0x21>(before.0, self.0), self.0) })
        }
    }

    impl<W> Add for Wide<W> {
        type Output = Self;
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            of(unsafe { _mm256_add_pd(self.0, other.0) })
        }
    }

    impl<W> Sub for Wide<W> {
        type Output = Self;
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            of(unsafe { _mm256_sub_pd(self.0, other.0) })
        }
    }

    impl<W> Mul for Wide<W> {
        type Output = Self;
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            of(unsafe { _mm256_mul_pd(self.0, other.0) })
        }
    }

    /// Eight numbers in one register.
    #[derive(Clone, Copy, Debug)]
    pub struct Octet(__m512d);

    /// Mask of the first six of eight lanes.
    const SIX: __mmask8 = 0x3f;

    impl Eight for Octet {
        type Half = Wide<Broad>;
        #[inline(always)]
        fn splat(value: f64) -> Octet {
            Octet(unsafe { _mm512_set1_pd(value) })
        }
        #[inline(always)]
        fn load(from: &[f64; 8]) -> Octet {
            Octet(unsafe { _mm512_loadu_pd(from.as_ptr()) })
        }
        #[inline(always)]
        fn load_six(from: &[f64; 6]) -> Octet {
            Octet(unsafe { _mm512_maskz_loadu_pd(SIX, from.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, to: &mut [f64; 8]) {
            unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn store_six(self, to: &mut [f64; 6]) {
            unsafe { _mm512_mask_storeu_pd(to.as_mut_ptr(), SIX, self.0) }
        }
        #[inline(always)]
        fn replaced<const K: usize>(self, other: Octet) -> Octet {
            Octet(unsafe { _mm512_mask_blend_pd(1 << K, self.0, other.0) })
        }
        #[inline(always)]
        fn halves(self) -> [Wide<Broad>; 2] {
            unsafe { [of(_mm512_castpd512_pd256(self.0)), of(_mm512_extractf64x4_pd::<1>(self.0))] }
        }
        #[inline(always)]
        fn joined([low, high]: [Wide<Broad>; 2]) -> Octet {
            Octet(unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low.0), high.0) })
        }
    }

    impl Add for Octet {
        type Output = Octet;
        #[inline(always)]
        fn add(self, other: Octet) -> Octet {
            Octet(unsafe { _mm512_add_pd(self.0, other.0) })
        }
    }

    impl Sub for Octet {
        type Output = Octet;
        #[inline(always)]
        fn sub(self, other: Octet) -> Octet {
            Octet(unsafe { _mm512_sub_pd(self.0, other.0) })
        }
    }

    impl Mul for Octet {
        type Output = Octet;
        #[inline(always)]
        fn mul(self, other: Octet) -> Octet {
            Octet(unsafe { _mm512_mul_pd(self.0, other.0) })
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub use wide::{Broad, Narrow, Wide};

/// Three coordinates, four points at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes3<L> {
    /// First coordinates.
    pub x: L,
    /// Second coordinates.
    pub y: L,
    /// Third coordinates.
    pub z: L,
}

impl<L: Lanes> Lanes3<L> {
    /// One vector in all lanes.
    #[inline(always)]
    pub fn splat(v: Vec3) -> Self {
        Lanes3 { x: L::splat(v.x), y: L::splat(v.y), z: L::splat(v.z) }
    }

    /// Load a block of three rows.
    #[inline(always)]
    pub fn load(from: &[&[Block]; 3], block: usize) -> Self {
        Lanes3 { x: L::load(&from[0][block]), y: L::load(&from[1][block]), z: L::load(&from[2][block]) }
    }

    /// Store to a block of three rows.
    #[inline(always)]
    pub fn store(self, to: &mut [&mut [Block]; 3], block: usize) {
        to[0][block] = self.x.block();
        to[1][block] = self.y.block();
        to[2][block] = self.z.block();
    }

    /// Dot products.
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Cross products.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Lanes3 {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// Elementwise products.
    #[inline(always)]
    pub fn by_parts(self, other: Self) -> Self {
        Lanes3 { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }

    /// Each vector times its own factor.
    #[inline(always)]
    pub fn scale(self, by: L) -> Self {
        Lanes3 { x: self.x * by, y: self.y * by, z: self.z * by }
    }

    /// Each vector's right neighbour, given the block to the right.
    #[inline(always)]
    pub fn followed_by(self, next: Self) -> Self {
        Lanes3 { x: self.x.followed_by(next.x), y: self.y.followed_by(next.y), z: self.z.followed_by(next.z) }
    }

    /// Each vector's left neighbour, given the block to the left.
    #[inline(always)]
    pub fn preceded_by(self, before: Self) -> Self {
        Lanes3 { x: self.x.preceded_by(before.x), y: self.y.preceded_by(before.y), z: self.z.preceded_by(before.z) }
    }
}

impl<L: Lanes> Add for Lanes3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Lanes3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<L: Lanes> Sub for Lanes3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Lanes3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}
