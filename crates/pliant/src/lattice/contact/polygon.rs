//! Convex polygons with a depth that is linear over them: clipping and exact integrals.

use crate::math::Vec2;

/// Limit on corners: those of a triangle after the at most eight cuts made here, and one to spare.
const MOST: usize = 12;

/// A corner of a polygon.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corner {
    /// Position in the plane of the polygon.
    pub at: Vec2,
    /// Depth there [m].
    pub depth: f64,
    /// One if the side from here to the next corner belongs to the triangle, zero if it comes from a cut.
    pub own: f64,
}

impl Corner {
    /// A corner of a triangle.
    pub fn new(at: Vec2, depth: f64) -> Corner {
        Corner { at, depth, own: 1.0 }
    }
}

/// A convex polygon, counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub struct Polygon {
    corners: [Corner; MOST],
    count: usize,
}

/// Integrals over a polygon, where `a` is the unit of area of its plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Area [a].
    pub area: f64,
    /// Integral of the depth [a m].
    pub volume: f64,
    /// Integral of half the depth squared [a m2].
    pub stored: f64,
    /// Integral of position times depth.
    pub first: Vec2,
    /// Largest depth [m].
    pub deepest: f64,
}

impl Polygon {
    /// A triangle, counter-clockwise.
    pub fn triangle(corners: [Corner; 3]) -> Polygon {
        let mut polygon = Polygon { corners: [Corner::default(); MOST], count: 0 };
        corners.into_iter().for_each(|corner| polygon.push(corner));
        polygon
    }

    /// Its corners.
    pub fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// Whether the polygon is empty.
    pub fn is_empty(&self) -> bool {
        self.count < 3
    }

    /// Set the depth of the corners.
    pub fn deepen(&mut self, depth: impl Fn(Vec2) -> f64) {
        self.corners[..self.count].iter_mut().for_each(|corner| corner.depth = depth(corner.at));
    }

    /// Keep the part where a linear function is not negative (Sutherland and Hodgman, "Reentrant polygon clipping").
    pub fn keep(&mut self, inside: impl Fn(&Corner) -> f64) {
        let mut values = [0.0; MOST];
        self.corners().iter().zip(&mut values).for_each(|(corner, value)| *value = inside(corner));
        let values = &values[..self.count];
        // most polygons are entirely on one side
        if values.iter().all(|value| *value >= 0.0) {
            return;
        }
        if values.iter().all(|value| *value < 0.0) {
            self.count = 0;
            return;
        }
        // in place: a convex polygon gains at most one corner, and the next is read before it is overwritten
        let count = std::mem::take(&mut self.count);
        let (mut before, mut from) = (self.corners[count - 1], values[count - 1]);
        let mut ahead = self.corners[0];
        for n in 0..count {
            let (corner, to) = (ahead, values[n]);
            ahead = self.corners[(n + 1).min(MOST - 1)];
            if (from >= 0.0) != (to >= 0.0) {
                let cut = between(&before, &corner, from / (from - to));
                // on the way out the next side belongs to the cut, on the way in it is the rest of the old side
                self.push(Corner { own: if to >= 0.0 { before.own } else { 0.0 }, ..cut });
            }
            if to >= 0.0 {
                self.push(corner);
            }
            (before, from) = (corner, to);
        }
    }

    /// Keep the part that is nearer to facet X than to its neighbours across its edges, or the corresponding part for
    /// facet Y, whichever is larger: a facet near the side of another body, deep below its top, is pushed by the side.
    pub fn keep_own(&mut self, facets: [([Vec2; 3], [f64; 3]); 2]) {
        // distance of a corner inside an edge, beyond where the facet across the edge is equally near
        let beyond = |(corners, turns): &([Vec2; 3], [f64; 3]), k: usize| {
            let (from, to, third, turn) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3], turns[k]);
            let across = (to - from).perp().normalize_or_zero();
            let across = if across.dot(third - from) < 0.0 { -across } else { across };
            move |corner: &Corner| across.dot(corner.at - from) - turn * corner.depth
        };
        let edges = |(_, turns): &([Vec2; 3], [f64; 3])| {
            let turns = *turns;
            (0..3).filter(move |k| turns[*k] > 0.0)
        };
        let whole = |facet| edges(facet).all(|k| self.corners().iter().all(|c| beyond(facet, k)(c) >= 0.0));
        if self.is_empty() || facets.iter().any(whole) {
            return;
        }
        let mut other = *self;
        edges(&facets[0]).for_each(|k| self.keep(beyond(&facets[0], k)));
        edges(&facets[1]).for_each(|k| other.keep(beyond(&facets[1], k)));
        if other.moments().volume > self.moments().volume {
            *self = other;
        }
    }

    /// Append a corner. There is always space except for polygons degenerate by rounding, which have no area.
    fn push(&mut self, corner: Corner) {
        if self.count < MOST {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// Integrals, exact for linear depth: with depths a, b, c at the corners of a triangle of area T they are
    /// T (a + b + c) / 3 and T (a2 + b2 + c2 + ab + bc + ca) / 12.
    pub fn moments(&self) -> Moments {
        let mut sum = Moments::default();
        let [first, rest @ ..] = self.corners() else { return sum };
        for pair in rest.windows(2) {
            let (p, q) = (pair[0].at - first.at, pair[1].at - first.at);
            let area = 0.5 * p.perp_dot(q);
            let [a, b, c] = [first.depth, pair[0].depth, pair[1].depth];
            let all = a + b + c;
            sum.area += area;
            sum.volume += area * all / 3.0;
            sum.stored += area * (all * all + a * a + b * b + c * c) / 24.0;
            // from the first corner: integral of place times depth is T (sum p sum d + sum p d) / 12
            sum.first += area / 12.0 * ((p + q) * all + p * b + q * c);
        }
        sum.first += first.at * sum.volume;
        sum.deepest = self.corners().iter().fold(0.0, |most: f64, corner| most.max(corner.depth));
        sum
    }

    /// Integral of half the depth squared along the triangle's own sides, times their outward normals.
    pub fn rim(&self) -> Vec2 {
        let next = self.corners().iter().cycle().skip(1);
        self.corners().iter().zip(next).fold(Vec2::ZERO, |sum, (from, to)| {
            let (a, b) = (from.depth, to.depth);
            sum - (to.at - from.at).perp() * (from.own * (a * a + a * b + b * b) / 6.0)
        })
    }
}

/// The corner where a side is cut.
fn between(a: &Corner, b: &Corner, fraction: f64) -> Corner {
    Corner { at: a.at.lerp(b.at, fraction), depth: a.depth + (b.depth - a.depth) * fraction, own: a.own }
}

/// Barycentric coordinates of a point in a triangle; they sum to one. Not finite if the triangle has no area.
pub fn weights(triangle: &[Vec2; 3], place: Vec2) -> [f64; 3] {
    let [a, b, c] = triangle.map(|corner| corner - place);
    let whole = (triangle[1] - triangle[0]).perp_dot(triangle[2] - triangle[0]);
    let (second, third) = (c.perp_dot(a) / whole, a.perp_dot(b) / whole);
    [1.0 - second - third, second, third]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Depth d = 1 + x + 2 y over the triangle (0, 0), (1, 0), (0, 1), by hand.
    fn wedge() -> Polygon {
        let depth = |at: Vec2| 1.0 + at.x + 2.0 * at.y;
        Polygon::triangle([Vec2::ZERO, Vec2::X, Vec2::Y].map(|at| Corner::new(at, depth(at))))
    }

    #[test]
    fn integrals_over_a_wedge_are_those_computed_by_hand() {
        let Moments { area, volume, stored, first, deepest } = wedge().moments();
        // integrals of 1, x, x^2 and x y over the triangle are 1/2, 1/6, 1/12 and 1/24
        let expected = [0.5, 0.5 + 0.5, 0.5 * (0.5 + 1.0 / 12.0 + 4.0 / 12.0 + 1.0 / 3.0 + 2.0 / 3.0 + 4.0 / 24.0)];
        for (found, expected) in [area, volume, stored].into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} for {expected}");
        }
        let by_hand = Vec2::new(1.0 / 6.0 + 1.0 / 12.0 + 2.0 / 24.0, 1.0 / 6.0 + 1.0 / 24.0 + 2.0 / 12.0);
        assert!((first - by_hand).length() < 1e-15 && deepest == 3.0, "{first}");
    }

    /// The two parts of a cut polygon have all of it.
    #[test]
    fn parts_add_up_to_the_whole() {
        let mut random = Random(8);
        for _ in 0..1000 {
            let mut number = || random.signed();
            let corners: [Vec2; 3] = std::array::from_fn(|_| Vec2::new(number(), number()));
            if (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]) < 1e-3 {
                continue;
            }
            let whole = Polygon::triangle(corners.map(|at| Corner::new(at, 2.0 + at.x - 0.5 * at.y)));
            let (normal, offset) = (Vec2::new(number(), number()), 0.3 * number());
            let side = |corner: &Corner| corner.at.dot(normal) - offset;
            let (mut front, mut back) = (whole, whole);
            front.keep(side);
            back.keep(|corner| -side(corner));
            let [all, a, b] = [&whole, &front, &back].map(Polygon::moments);
            assert!((a.area + b.area - all.area).abs() < 1e-13);
            assert!((a.volume + b.volume - all.volume).abs() < 1e-13);
            assert!((a.stored + b.stored - all.stored).abs() < 1e-13);
            assert!((a.first + b.first - all.first).length() < 1e-13);
            // sides that belong to the triangle are shared out, those of the cut do not count
            assert!((front.rim() + back.rim() - whole.rim()).length() < 1e-13);
        }
    }

    /// By the theorem of Gauss, half the squared depth on the rim is the integral of its gradient, d grad d.
    #[test]
    fn the_rim_is_the_integral_of_the_gradient() {
        let polygon = wedge();
        let expected = Vec2::new(1.0, 2.0) * polygon.moments().volume;
        assert!((polygon.rim() - expected).length() < 1e-15, "{} for {expected}", polygon.rim());
    }

    #[test]
    fn a_point_is_the_mean_of_corners_with_its_weights() {
        let triangle = [Vec2::new(0.1, -0.3), Vec2::new(2.0, 0.4), Vec2::new(-0.5, 1.5)];
        let place = Vec2::new(0.7, 0.6);
        let parts = weights(&triangle, place);
        let mean: Vec2 = triangle.iter().zip(parts).map(|(corner, part)| *corner * part).sum();
        assert!((mean - place).length() < 1e-15 && (parts.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }
}
