//! Spatial vectors: motions, wrenches and inertias as six and ten numbers, all about one origin and in one set of axes.
//! Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 2.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use crate::math::{Mat3, Vec3};

/// Velocity or acceleration of a rigid body, or a joint's axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Angular part [rad/s].
    pub angular: Vec3,
    /// Velocity of the point of the body that is at the origin [m/s].
    pub linear: Vec3,
}

/// Force and moment, or momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// Moment about the origin [N m].
    pub moment: Vec3,
    /// Force [N].
    pub force: Vec3,
}

impl Motion {
    /// From both parts.
    pub const fn new(angular: Vec3, linear: Vec3) -> Motion {
        Motion { angular, linear }
    }

    /// This vector carried along by the motion `by`: `by` x this.
    #[inline]
    pub fn carried(self, by: Motion) -> Motion {
        let linear = by.angular.cross(self.linear) + by.linear.cross(self.angular);
        Motion { angular: by.angular.cross(self.angular), linear }
    }

    /// Power of a wrench.
    #[inline]
    pub fn dot(self, f: Force) -> f64 {
        self.angular.dot(f.moment) + self.linear.dot(f.force)
    }

    /// Velocity of the point of the body that is at `place`.
    #[inline]
    pub fn at(self, place: Vec3) -> Vec3 {
        self.linear + self.angular.cross(place)
    }
}

impl Force {
    /// From both parts.
    pub const fn new(moment: Vec3, force: Vec3) -> Force {
        Force { moment, force }
    }

    /// A force at a place, with a couple.
    #[inline]
    pub fn at(place: Vec3, force: Vec3, couple: Vec3) -> Force {
        Force { moment: place.cross(force) + couple, force }
    }

    /// This vector carried along by the motion `by`: `by` x* this.
    #[inline]
    pub fn carried(self, by: Motion) -> Force {
        let moment = by.angular.cross(self.moment) + by.linear.cross(self.force);
        Force { moment, force: by.angular.cross(self.force) }
    }
}

impl Add for Motion {
    type Output = Motion;
    #[inline]
    fn add(self, o: Motion) -> Motion {
        Motion { angular: self.angular + o.angular, linear: self.linear + o.linear }
    }
}

impl Sub for Motion {
    type Output = Motion;
    #[inline]
    fn sub(self, o: Motion) -> Motion {
        Motion { angular: self.angular - o.angular, linear: self.linear - o.linear }
    }
}

impl Neg for Motion {
    type Output = Motion;
    #[inline]
    fn neg(self) -> Motion {
        Motion { angular: -self.angular, linear: -self.linear }
    }
}

impl Mul<f64> for Motion {
    type Output = Motion;
    #[inline]
    fn mul(self, s: f64) -> Motion {
        Motion { angular: self.angular * s, linear: self.linear * s }
    }
}

impl Add for Force {
    type Output = Force;
    #[inline]
    fn add(self, o: Force) -> Force {
        Force { moment: self.moment + o.moment, force: self.force + o.force }
    }
}

impl AddAssign for Force {
    #[inline]
    fn add_assign(&mut self, o: Force) {
        *self = *self + o;
    }
}

impl Sub for Force {
    type Output = Force;
    #[inline]
    fn sub(self, o: Force) -> Force {
        Force { moment: self.moment - o.moment, force: self.force - o.force }
    }
}

/// Inertia of a rigid body, or of several that move as one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia {
    /// Mass [kg].
    pub mass: f64,
    /// Mass times centre [kg m].
    pub first: Vec3,
    /// Second moments about the origin: xx, yy, zz [kg m2].
    pub diagonal: Vec3,
    /// The products of inertia as they stand in the matrix: yz, zx, xy [kg m2].
    pub products: Vec3,
}

impl Inertia {
    /// From mass, centre and the matrix about the centre.
    pub fn new(mass: f64, centre: Vec3, about_centre: Mat3) -> Inertia {
        let first = centre * mass;
        let mut out = Inertia { mass, first, ..Inertia::of_matrix(about_centre) };
        out.add_point(mass, centre);
        out
    }

    fn of_matrix(m: Mat3) -> Inertia {
        let diagonal = Vec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z);
        let products = Vec3::new(m.y_axis.z, m.z_axis.x, m.x_axis.y);
        Inertia { mass: 0.0, first: Vec3::ZERO, diagonal, products }
    }

    /// Steiner's share of a point mass.
    #[inline]
    fn add_point(&mut self, mass: f64, c: Vec3) {
        let squares = c * c * mass;
        self.diagonal += Vec3::splat(squares.x + squares.y + squares.z) - squares;
        self.products -= Vec3::new(c.y * c.z, c.z * c.x, c.x * c.y) * mass;
    }

    /// The matrix of second moments about the origin [kg m2].
    pub fn matrix(&self) -> Mat3 {
        let (d, p) = (self.diagonal, self.products);
        Mat3::from_cols(Vec3::new(d.x, p.z, p.y), Vec3::new(p.z, d.y, p.x), Vec3::new(p.y, p.x, d.z))
    }

    /// The centre of mass; the origin where there is no mass.
    pub fn centre(&self) -> Vec3 {
        if self.mass > 0.0 { self.first / self.mass } else { Vec3::ZERO }
    }

    /// The inertia of the body once placed: turned by `rotation`, then moved by `translation`.
    #[inline]
    pub fn placed(&self, rotation: Mat3, t: Vec3) -> Inertia {
        // R I R^T, then I + 2 (t.c) - (t c^T + c t^T) + m (t^2 - t t^T), with c the turned first moment
        let (d, p) = (self.diagonal, self.products);
        // rows of R, and of R I
        let rows = [0, 1, 2].map(|k| Vec3::new(rotation.x_axis[k], rotation.y_axis[k], rotation.z_axis[k]));
        let half = rows.map(|r| {
            Vec3::new(
                d.x * r.x + p.z * r.y + p.y * r.z,
                p.z * r.x + d.y * r.y + p.x * r.z,
                p.y * r.x + p.x * r.y + d.z * r.z,
            )
        });
        let mut out = Inertia {
            diagonal: Vec3::new(half[0].dot(rows[0]), half[1].dot(rows[1]), half[2].dot(rows[2])),
            products: Vec3::new(half[1].dot(rows[2]), half[2].dot(rows[0]), half[0].dot(rows[1])),
            ..Inertia::default()
        };
        let c = rotation * self.first;
        let both = t * c;
        out.diagonal += (Vec3::splat(both.x + both.y + both.z) - both) * 2.0;
        out.products -= Vec3::new(t.y * c.z + t.z * c.y, t.z * c.x + t.x * c.z, t.x * c.y + t.y * c.x);
        out.add_point(self.mass, t);
        out.mass = self.mass;
        out.first = c + t * self.mass;
        out
    }

    /// Momentum of a motion.
    #[inline]
    pub fn times(&self, v: Motion) -> Force {
        let (d, p, w) = (self.diagonal, self.products, v.angular);
        let turn = Vec3::new(
            d.x * w.x + p.z * w.y + p.y * w.z,
            p.z * w.x + d.y * w.y + p.x * w.z,
            p.y * w.x + p.x * w.y + d.z * w.z,
        );
        let moment = turn + self.first.cross(v.linear);
        Force { moment, force: v.linear * self.mass + w.cross(self.first) }
    }
}

impl AddAssign for Inertia {
    #[inline]
    fn add_assign(&mut self, o: Inertia) {
        self.mass += o.mass;
        self.first += o.first;
        self.diagonal += o.diagonal;
        self.products += o.products;
    }
}
