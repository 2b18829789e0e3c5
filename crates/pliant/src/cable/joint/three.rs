//! Rotations and 3 x 3 matrices, four at a time.

use crate::lanes::{Lanes, Lanes3};

/// A matrix by its columns.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<L>(pub [Lanes3<L>; 3]);

/// A unit quaternion.
#[derive(Clone, Copy, Debug)]
pub struct Turn<L> {
    /// Vector part.
    pub u: Lanes3<L>,
    /// Scalar part.
    pub w: L,
}

/// The zero vector.
#[inline(always)]
pub fn none<L: Lanes>() -> Lanes3<L> {
    Lanes3 { x: L::zero(), y: L::zero(), z: L::zero() }
}

/// One vector in all lanes.
#[inline(always)]
pub fn all<L: Lanes>(x: f64, y: f64, z: f64) -> Lanes3<L> {
    Lanes3 { x: L::splat(x), y: L::splat(y), z: L::splat(z) }
}

/// -v.
#[inline(always)]
pub fn minus<L: Lanes>(v: Lanes3<L>) -> Lanes3<L> {
    none() - v
}

impl<L: Lanes> Matrix<L> {
    /// a b^T.
    #[inline(always)]
    pub fn outer(a: Lanes3<L>, b: Lanes3<L>) -> Self {
        Matrix([a.scale(b.x), a.scale(b.y), a.scale(b.z)])
    }

    /// The transposed matrix.
    #[inline(always)]
    pub fn transposed(&self) -> Self {
        let [a, b, c] = self.0;
        Matrix([
            Lanes3 { x: a.x, y: b.x, z: c.x },
            Lanes3 { x: a.y, y: b.y, z: c.y },
            Lanes3 { x: a.z, y: b.z, z: c.z },
        ])
    }

    /// m v.
    #[inline(always)]
    pub fn times(&self, v: Lanes3<L>) -> Lanes3<L> {
        self.0[0].scale(v.x) + self.0[1].scale(v.y) + self.0[2].scale(v.z)
    }

    /// m^T v.
    #[inline(always)]
    pub fn transposed_times(&self, v: Lanes3<L>) -> Lanes3<L> {
        Lanes3 { x: self.0[0].dot(v), y: self.0[1].dot(v), z: self.0[2].dot(v) }
    }

    /// Each matrix times its own factor.
    #[inline(always)]
    pub fn scale(&self, f: L) -> Self {
        Matrix([self.0[0].scale(f), self.0[1].scale(f), self.0[2].scale(f)])
    }

    /// Each row times its own factor.
    #[inline(always)]
    pub fn by_rows(&self, f: Lanes3<L>) -> Self {
        Matrix([self.0[0].by_parts(f), self.0[1].by_parts(f), self.0[2].by_parts(f)])
    }

    /// v x m: the cross product of v with every column.
    #[inline(always)]
    pub fn crossed_by(&self, v: Lanes3<L>) -> Self {
        Matrix([v.cross(self.0[0]), v.cross(self.0[1]), v.cross(self.0[2])])
    }

    /// m x v: the cross product of every column with v; [v]x^T m.
    #[inline(always)]
    pub fn crossed_with(&self, v: Lanes3<L>) -> Self {
        Matrix([self.0[0].cross(v), self.0[1].cross(v), self.0[2].cross(v)])
    }

    /// m n.
    #[inline(always)]
    pub fn product(&self, n: &Self) -> Self {
        Matrix([self.times(n.0[0]), self.times(n.0[1]), self.times(n.0[2])])
    }

    /// m^T n.
    #[inline(always)]
    pub fn transposed_product(&self, n: &Self) -> Self {
        Matrix([self.transposed_times(n.0[0]), self.transposed_times(n.0[1]), self.transposed_times(n.0[2])])
    }

    /// m + n.
    #[inline(always)]
    pub fn plus(&self, n: &Self) -> Self {
        Matrix([self.0[0] + n.0[0], self.0[1] + n.0[1], self.0[2] + n.0[2]])
    }

    /// m + f times the identity.
    #[inline(always)]
    pub fn plus_diagonal(&self, f: L) -> Self {
        let [a, b, c] = self.0;
        Matrix([Lanes3 { x: a.x + f, ..a }, Lanes3 { y: b.y + f, ..b }, Lanes3 { z: c.z + f, ..c }])
    }

    /// m + [v]x.
    #[inline(always)]
    pub fn plus_crossing(&self, v: Lanes3<L>) -> Self {
        let [a, b, c] = self.0;
        Matrix([
            Lanes3 { x: a.x, y: a.y + v.z, z: a.z - v.y },
            Lanes3 { x: b.x - v.z, y: b.y, z: b.z + v.x },
            Lanes3 { x: c.x + v.y, y: c.y - v.x, z: c.z },
        ])
    }

    /// m + d [v]x, each row with its own factor.
    #[inline(always)]
    pub fn plus_weighted_crossing(&self, d: Lanes3<L>, v: Lanes3<L>) -> Self {
        let [a, b, c] = self.0;
        Matrix([
            Lanes3 { x: a.x, y: a.y + d.y * v.z, z: a.z - d.z * v.y },
            Lanes3 { x: b.x - d.x * v.z, y: b.y, z: b.z + d.z * v.x },
            Lanes3 { x: c.x + d.x * v.y, y: c.y - d.y * v.x, z: c.z },
        ])
    }

    /// m with vectors added to its second and third column.
    #[inline(always)]
    pub fn plus_columns(&self, second: Lanes3<L>, third: Lanes3<L>) -> Self {
        Matrix([self.0[0], self.0[1] + second, self.0[2] + third])
    }

    /// m - n.
    #[inline(always)]
    pub fn less(&self, n: &Self) -> Self {
        Matrix([self.0[0] - n.0[0], self.0[1] - n.0[1], self.0[2] - n.0[2]])
    }

    /// -m.
    #[inline(always)]
    pub fn negative(&self) -> Self {
        Matrix([minus(self.0[0]), minus(self.0[1]), minus(self.0[2])])
    }
}

impl<L: Lanes> Turn<L> {
    /// Product of quaternions.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        Turn {
            u: other.u.scale(self.w) + self.u.scale(other.w) + self.u.cross(other.u),
            w: self.w * other.w - self.u.dot(other.u),
        }
    }

    /// The rotation from this one to the other, with the sign of the shorter one.
    #[inline(always)]
    pub fn to(self, other: Self) -> Self {
        let u = other.u.scale(self.w) - self.u.scale(other.w) - self.u.cross(other.u);
        let w = self.w * other.w + self.u.dot(other.u);
        let sign = L::splat(1.0) - L::splat(2.0) * w.below(L::zero());
        Turn { u: u.scale(sign), w: w * sign }
    }

    /// Normalised again, for a quaternion of length one up to rounding: one Newton iteration for the inverse square
    /// root.
    #[inline(always)]
    pub fn normalised(self) -> Self {
        let by = L::splat(1.5) - L::splat(0.5) * (self.u.dot(self.u) + self.w * self.w);
        Turn { u: self.u.scale(by), w: self.w * by }
    }

    /// The rotation matrix.
    #[inline(always)]
    pub fn matrix(self) -> Matrix<L> {
        let (one, Lanes3 { x, y, z }, w) = (L::splat(1.0), self.u, self.w);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Matrix([
            Lanes3 { x: one - (yy + zz), y: xy + wz, z: xz - wy },
            Lanes3 { x: xy - wz, y: one - (xx + zz), z: yz + wx },
            Lanes3 { x: xz + wy, y: yz - wx, z: one - (xx + yy) },
        ])
    }
}
