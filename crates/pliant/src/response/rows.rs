//! Rows with one number per mode: the inner loops of the model. Lengths are multiples of four.

use crate::kernel::Task;
use crate::lanes::{LANES, Lanes};
use crate::math::Vec3;

/// The vector of a point, in a list with three numbers per point.
#[inline(always)]
pub fn get(list: &[f64], point: usize) -> Vec3 {
    Vec3::new(list[3 * point], list[3 * point + 1], list[3 * point + 2])
}

/// Set the vector of a point, in a list with three numbers per point.
#[inline(always)]
pub fn put(list: &mut [f64], point: usize, v: Vec3) {
    list[3 * point..3 * point + 3].copy_from_slice(&v.to_array());
}

/// Dot product of two rows. Four parallel sums hide the latency of additions.
#[inline(always)]
pub fn dot<L: Lanes>(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
    let mut sums = [L::zero(); 4];
    let (fours, rest) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (x, y) in fours.0.iter().zip(rest.0) {
        for k in 0..4 {
            sums[k] = sums[k] + L::load(&x[k]) * L::load(&y[k]);
        }
    }
    for (x, y) in fours.1.iter().zip(rest.1) {
        sums[0] = sums[0] + L::load(x) * L::load(y);
    }
    let [p, q, r, s] = ((sums[0] + sums[1]) + (sums[2] + sums[3])).block();
    (p + q) + (r + s)
}

/// Dot products of three rows with one, of any length.
#[inline(always)]
pub fn dots<L: Lanes>(rows: [&[f64]; 3], with: &[f64]) -> [f64; 3] {
    let (with, rest) = with.as_chunks::<LANES>();
    let [a, b, c] = rows.map(|row| row.as_chunks::<LANES>());
    let mut sums = [[L::zero(); 3]; 2];
    let (pairs, last) = with.as_chunks::<2>();
    for (k, w) in pairs.iter().enumerate() {
        for (half, sums) in sums.iter_mut().enumerate() {
            let with = L::load(&w[half]);
            for (row, sum) in [a.0, b.0, c.0].into_iter().zip(sums) {
                *sum = *sum + L::load(&row[2 * k + half]) * with;
            }
        }
    }
    if let [w] = last {
        for (row, sum) in [a.0, b.0, c.0].into_iter().zip(&mut sums[0]) {
            *sum = *sum + L::load(&row[row.len() - 1]) * L::load(w);
        }
    }
    let mut out = [0.0; 3];
    for (k, (out, row)) in out.iter_mut().zip([a.1, b.1, c.1]).enumerate() {
        let [p, q, r, s] = (sums[0][k] + sums[1][k]).block();
        *out = (p + q) + (r + s);
        for (x, w) in row.iter().zip(rest) {
            *out += x * w;
        }
    }
    out
}

/// Add three rows of any length, each with a factor.
#[inline(always)]
pub fn add_three<L: Lanes>(to: &mut [f64], rows: [&[f64]; 3], factors: [f64; 3]) {
    let (to, rest) = to.as_chunks_mut::<LANES>();
    let [a, b, c] = rows.map(|row| row.as_chunks::<LANES>());
    let [f, g, h] = factors.map(L::splat);
    for (((to, a), b), c) in to.iter_mut().zip(a.0).zip(b.0).zip(c.0) {
        *to = (L::load(to) + (f * L::load(a) + g * L::load(b) + h * L::load(c))).block();
    }
    for (((to, a), b), c) in rest.iter_mut().zip(a.1).zip(b.1).zip(c.1) {
        *to += factors[0] * a + factors[1] * b + factors[2] * c;
    }
}

/// `to += factor * row`.
#[inline(always)]
fn add<L: Lanes>(to: &mut [f64], factor: f64, row: &[f64]) {
    let factor = L::splat(factor);
    for (to, x) in to.as_chunks_mut::<LANES>().0.iter_mut().zip(row.as_chunks::<LANES>().0) {
        *to = (L::load(to) + factor * L::load(x)).block();
    }
}

/// Dot products of several consecutive rows with one row.
pub struct Products<'a> {
    pub rows: &'a [f64],
    pub with: &'a [f64],
    pub out: &'a mut [f64],
}

impl Task for Products<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (row, out) in self.rows.chunks_exact(self.with.len().max(1)).zip(self.out) {
            *out = dot::<L>(row, self.with);
        }
    }
}

/// Dot products of each row of one list with each row of another: `out[i * b_rows + j]`.
pub struct Pairs<'a> {
    pub a: &'a [f64],
    pub b: &'a [f64],
    pub length: usize,
    pub out: &'a mut [f64],
}

impl Task for Pairs<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let length = self.length.max(1);
        let mut out = self.out.iter_mut();
        for a in self.a.chunks_exact(length) {
            for (b, out) in self.b.chunks_exact(length).zip(&mut out) {
                *out = dot::<L>(a, b);
            }
        }
    }
}

/// Add rows, each with a factor, to one row.
pub struct Sum<'a> {
    pub rows: &'a [f64],
    pub factors: &'a [f64],
    pub to: &'a mut [f64],
}

impl Task for Sum<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (row, factor) in self.rows.chunks_exact(self.to.len().max(1)).zip(self.factors) {
            add::<L>(self.to, *factor, row);
        }
    }
}

/// Multiply rows element by element.
pub struct Scaled<'a> {
    pub rows: &'a [f64],
    pub by: &'a [f64],
    pub out: &'a mut [f64],
}

impl Task for Scaled<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let length = self.by.len().max(1);
        for (row, out) in self.rows.chunks_exact(length).zip(self.out.chunks_exact_mut(length)) {
            let blocks = row.as_chunks::<LANES>().0.iter().zip(self.by.as_chunks::<LANES>().0);
            for ((x, y), out) in blocks.zip(out.as_chunks_mut::<LANES>().0) {
                *out = (L::load(x) * L::load(y)).block();
            }
        }
    }
}

/// Dot product of two rows.
pub struct Dot<'a>(pub &'a [f64], pub &'a [f64]);

impl Task for Dot<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        dot::<L>(self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn products_are_those_of_a_plain_loop_on_any_machine() {
        let row = |n: usize, seed: f64| -> Vec<f64> { (0..n).map(|i| (seed * (i + 1) as f64).sin()).collect() };
        for n in [4, 8, 12, 16, 20, 64, 300] {
            let (a, b) = (row(n, 0.7), row(n, 1.3));
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            let (best, any) = (Kernel::default().run(Dot(&a, &b)), Kernel::Plain.run(Dot(&a, &b)));
            assert!((best - plain).abs() < 1e-13 * n as f64);
            assert_eq!(best.to_bits(), any.to_bits());
            let mut sum = vec![1.0; n];
            Kernel::default().run(Sum { rows: &a, factors: &[2.0], to: &mut sum });
            assert!(sum.iter().zip(&a).all(|(s, x)| *s == 1.0 + 2.0 * x));
        }
    }

    /// Three rows at once, as sweeps take them.
    struct Three<'a>([&'a [f64]; 3], &'a [f64], &'a mut [f64]);

    impl Task for Three<'_> {
        type Output = [f64; 3];
        #[inline(always)]
        fn run<L: Lanes>(self) -> [f64; 3] {
            add_three::<L>(self.2, self.0, [2.0, 3.0, 5.0]);
            dots::<L>(self.0, self.1)
        }
    }

    #[test]
    fn three_rows_of_any_length_are_like_one_by_one() {
        for n in [0, 1, 3, 4, 6, 8, 11, 12, 21, 507] {
            let row = |seed: f64| -> Vec<f64> { (0..n).map(|i| (seed * (i + 1) as f64).sin()).collect() };
            let (a, b, c, with) = (row(0.7), row(1.1), row(0.2), row(0.4));
            let rows = [&a[..], &b[..], &c[..]];
            let (mut best, mut any) = (vec![1.0; n], vec![1.0; n]);
            let sums = Kernel::default().run(Three(rows, &with, &mut best));
            assert_eq!(sums, Kernel::Plain.run(Three(rows, &with, &mut any)));
            assert_eq!(best, any);
            for (sum, row) in sums.iter().zip(rows) {
                let plain: f64 = row.iter().zip(&with).map(|(x, y)| x * y).sum();
                assert!((sum - plain).abs() < 1e-13 * (n + 1) as f64);
            }
            for i in 0..n {
                assert!((best[i] - (1.0 + 2.0 * a[i] + 3.0 * b[i] + 5.0 * c[i])).abs() < 1e-14);
            }
        }
    }
}
