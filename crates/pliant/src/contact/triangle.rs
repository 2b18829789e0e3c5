//! Triangles: points on them, the nearest point, normals.

use crate::math::Vec3;

/// The point of a triangle with these barycentric weights; also the velocity there, from those of its corners.
#[inline]
pub fn blend([a, b, c]: &[Vec3; 3], weights: &[f64; 3]) -> Vec3 {
    *a * weights[0] + *b * weights[1] + *c * weights[2]
}

/// Twice the area of a triangle times its unit normal, which points to where its corners are seen counter-clockwise
/// [m2].
#[inline]
pub fn twice_area([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (*b - *a).cross(*c - *a)
}

/// Unit normal of a triangle; zero if it is degenerate.
#[inline]
pub fn normal(corners: &[Vec3; 3]) -> Vec3 {
    twice_area(corners).normalize_or_zero()
}

/// The point of a triangle that is nearest to `p`, as barycentric weights. (C. Ericson, "Real-Time Collision
/// Detection", section 5.1.5.)
pub fn nearest_of_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = share(d1, d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = share(d2, d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = share(d4 - d3, (d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    if sum > 0.0 { [va / sum, vb / sum, vc / sum] } else { [1.0, 0.0, 0.0] }
}

/// a / b, or zero where both vanish: an edge without length.
fn share(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_places_of_a_triangle() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        // over the inside, beyond an edge, beyond a corner
        let cases = [
            (Vec3::new(0.25, 0.25, 3.0), Vec3::new(0.25, 0.25, 0.0)),
            (Vec3::new(0.3, -2.0, 1.0), Vec3::new(0.3, 0.0, 0.0)),
            (Vec3::new(2.0, 2.0, 1.0), Vec3::new(0.5, 0.5, 0.0)),
            (Vec3::new(3.0, -1.0, 0.0), Vec3::X),
            (Vec3::new(-1.0, -1.0, 5.0), Vec3::ZERO),
            (Vec3::new(-1.0, 4.0, 0.0), Vec3::Y),
        ];
        for (point, expected) in cases {
            let found = blend(&corners, &nearest_of_triangle(point, corners));
            assert!((found - expected).length() < 1e-14, "{point}: {found}");
        }
    }
}
