//! The tangent of cables whose links push each other, solved iteratively with the factors of each cable alone as
//! preconditioner: another way than the sparse factors of `coupling`, for comparison.
//!
//! With T the tangent without pairs, block-tridiagonal for each cable, J the rows of the pairs that push and D their
//! slopes, (T + J^T D J) x = r. For the change of their forces, w = D J x, this is
//!
//!   (1 + D J T^-1 J^T) w = D J T^-1 r,      x = T^-1 (r - J^T w),
//!
//! three unknowns for each pair, and one solution with the factors of T for each product. D is not symmetric where
//! friction follows normal forces, so the iteration is that of generalised minimal residuals.

use crate::cable::algebra::block::Vec6;
use crate::cable::contact::law::subtract_force;
use crate::cable::group::step::Island;
use crate::cable::params::Pairs;
use crate::cable::solver::coupled_pairs::{cable_mut, of_links};

/// Residual at which the iteration ends, relative to that at its start: a part of what Newton's method asks for.
const ACCURATE: f64 = 1e-7;

/// Limit of iterations; a step that needs more is halved.
const MOST_ITERATIONS: usize = 300;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Iterated {
    /// Orthonormal directions, one after the other.
    basis: Vec<f64>,
    /// Upper triangular matrix of the rotated products, by columns.
    triangle: Vec<f64>,
    rotations: Vec<[f64; 2]>,
    /// Rotated residual.
    left: Vec<f64>,
    w: Vec<f64>,
}

impl Island<'_> {
    /// Solve for the change of the mean velocities where pairs push. False if the iteration does not converge, or the
    /// tangent of a cable is singular.
    pub fn solve_iterated(&mut self) -> bool {
        let mut fine = true;
        self.each(|share| fine &= share.s.matrix.factor());
        if !fine {
            return false;
        }
        let mut it = std::mem::take(&mut self.coupling.iterated);
        let count = 3 * self.pairs.iter().filter(|p| p.pushes).count();
        it.w.clear();
        it.w.resize(count, 0.0);
        self.answer(None);
        it.basis.clear();
        self.hear(None, &mut it.basis);
        fine = it.solve(count, |w, out| {
            self.answer(Some((w, false)));
            self.hear(Some(w), out);
        });
        self.answer(Some((&it.w, true)));
        self.coupling.iterated = it;
        fine
    }

    /// Set the changes of velocities to T^-1 r, or to T^-1 J^T w, or to T^-1 (r - J^T w) if `with` the residual r.
    fn answer(&mut self, forces: Option<(&[f64], bool)>) {
        self.each(|share| match forces {
            Some((_, false)) => share.s.change.fill([0.0; 6]),
            _ => share.s.change.copy_from_slice(&share.s.residual),
        });
        if let Some((w, with)) = forces {
            let (bodies, first) = (&mut *self.bodies, self.first);
            for (pair, w) in self.pairs.iter().filter(|p| p.pushes).zip(w.chunks_exact(3)) {
                for (k, sign) in [(0, 1.0), (1, -1.0)] {
                    let Some(cable) = cable_mut((&mut *bodies, first), pair.ends[k]) else { continue };
                    let (link, next) = (pair.ends[k].link, cable.links.next(pair.ends[k].link));
                    let sign = if with { sign } else { -sign };
                    let force = [sign * w[0], sign * w[1], sign * w[2]];
                    let change: &mut [Vec6] = &mut cable.scratch.step.change;
                    subtract_force(&mut change[link], &pair.rows(k), &force);
                    if let Some(rows) = pair.next(k) {
                        subtract_force(&mut change[next], &rows, &force);
                    }
                }
            }
        }
        self.each(|share| share.s.matrix.solve(&mut share.s.change));
    }

    /// Append D J x for the current changes x, added to w if given.
    fn hear(&self, w: Option<&[f64]>, out: &mut Vec<f64>) {
        let bodies = (&*self.bodies, self.first);
        for (n, pair) in self.pairs.iter().filter(|p| p.pushes).enumerate() {
            let moved = of_links(bodies, pair, |c| &c.scratch.step.change).map(|v| pair.relative(&v));
            let moved = moved.unwrap_or([0.0; 3]);
            for i in 0..3 {
                let push: f64 = (0..3).map(|j| pair.slope[i][j] * moved[j]).sum();
                out.push(w.map_or(0.0, |w| w[3 * n + i]) + push);
            }
        }
    }

    /// Whether the tangent with pairs is to be solved iteratively: closed cables have factors for one solution alone, and
    /// arms ask for more.
    pub(crate) fn iterates(&mut self) -> bool {
        let mut open = self.arms.is_empty() && self.way_of_pairs() == Pairs::Iterated;
        self.each(|share| open &= !share.links.closed);
        open
    }
}

impl Iterated {
    /// Find w, of so many numbers, for the right-hand side that is in `basis`; `times` appends the product with a vector.
    /// False if it is not accurate after all iterations.
    fn solve(&mut self, count: usize, mut times: impl FnMut(&[f64], &mut Vec<f64>)) -> bool {
        let Iterated { basis, triangle, rotations, left, w } = self;
        triangle.clear();
        rotations.clear();
        left.clear();
        let size = length(basis);
        if size == 0.0 {
            return true;
        }
        basis.iter_mut().for_each(|x| *x /= size);
        left.push(size);
        let (most, mut used) = (count.min(MOST_ITERATIONS), 0);
        while used < most && left[used].abs() > ACCURATE * size {
            let mut next = std::mem::take(w);
            next.clear();
            times(&basis[used * count..], &mut next);
            let first = triangle.len();
            for n in 0..=used {
                let with = &basis[n * count..(n + 1) * count];
                let part: f64 = with.iter().zip(&next).map(|(a, b)| a * b).sum();
                next.iter_mut().zip(with).for_each(|(x, b)| *x -= part * b);
                triangle.push(part);
            }
            let rest = length(&next);
            basis.extend(next.iter().map(|x| x / rest.max(f64::MIN_POSITIVE)));
            *w = next;
            for (n, [c, s]) in rotations.iter().enumerate() {
                let (a, b) = (triangle[first + n], triangle[first + n + 1]);
                (triangle[first + n], triangle[first + n + 1]) = (c * a + s * b, c * b - s * a);
            }
            let last = triangle[first + used];
            let both = (last * last + rest * rest).sqrt().max(f64::MIN_POSITIVE);
            let (c, s) = (last / both, rest / both);
            rotations.push([c, s]);
            triangle[first + used] = both;
            let had = left[used];
            left[used] = c * had;
            left.push(-s * had);
            used += 1;
        }
        let accurate = left[used].abs() <= ACCURATE * size;
        for n in (0..used).rev() {
            let column = n * (n + 1) / 2;
            left[n] /= triangle[column + n];
            for i in 0..n {
                left[i] -= left[n] * triangle[column + i];
            }
        }
        w.clear();
        w.resize(count, 0.0);
        for n in 0..used {
            w.iter_mut().zip(&basis[n * count..]).for_each(|(w, b)| *w += left[n] * b);
        }
        accurate
    }
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_matrix_is_solved() {
        let mut random = crate::random::Random(7);
        for count in [1, 2, 5, 12, 40] {
            let m: Vec<f64> = (0..count * count).map(|_| random.signed()).collect();
            let b: Vec<f64> = (0..count).map(|_| random.signed()).collect();
            let times = |w: &[f64], out: &mut Vec<f64>| {
                for i in 0..count {
                    let row: f64 = (0..count).map(|j| m[i * count + j] * w[j]).sum();
                    out.push(8.0 * w[i] + row);
                }
            };
            let mut it = Iterated { basis: b.clone(), w: vec![0.0; count], ..Iterated::default() };
            assert!(it.solve(count, times));
            let mut got = vec![];
            times(&it.w, &mut got);
            for (got, want) in got.iter().zip(&b) {
                assert!((got - want).abs() < 1e-6, "{count} unknowns: {got} for {want}");
            }
        }
    }
}
