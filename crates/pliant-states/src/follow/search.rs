//! Where to try again: beside the demonstrated path, ring after ring.

use std::f64::consts::TAU;

use pliant::math::{Vec3, cos, sin};

/// Points of a pattern of equal triangles across a direction, from the middle outwards: six times as many on each ring as its
/// number, `pitch` apart, as far as `reach` [m].
pub(super) fn places(direction: Vec3, pitch: f64, reach: f64) -> Vec<Vec3> {
    let (u, v) = direction.any_orthonormal_pair();
    let mut found = vec![Vec3::ZERO];
    // rounding must not leave out the ring at the very end
    let rings = (reach / pitch + 1e-9).floor().min(MOST_RINGS) as usize;
    for ring in 1..=rings {
        let corner = |n: usize| {
            let angle = TAU * (n % 6) as f64 / 6.0;
            (u * cos(angle) + v * sin(angle)) * (pitch * ring as f64)
        };
        for side in 0..6 {
            let (a, b) = (corner(side), corner(side + 1));
            found.extend((0..ring).map(|n| a.lerp(b, n as f64 / ring as f64)));
        }
    }
    found
}

/// Largest number of rings.
const MOST_RINGS: f64 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// No point within the reach is farther from all places than a corner of a triangle from its centre.
    #[test]
    fn places_cover_a_disc() {
        let (pitch, reach) = (0.004, 0.012);
        let places = places(Vec3::NEG_Z, pitch, reach);
        assert_eq!(places.len(), 1 + 6 + 12 + 18);
        let inner = reach * (TAU / 12.0).cos();
        for n in 0..1000 {
            let (radius, angle) = (inner * f64::from(n % 40) / 40.0, f64::from(n));
            let point = Vec3::new(radius * angle.cos(), radius * angle.sin(), 0.0);
            let near = places.iter().map(|place| place.distance(point)).fold(f64::INFINITY, f64::min);
            assert!(near <= pitch / 3.0_f64.sqrt() + 1e-12, "{point}: {near}");
        }
        assert!(places.iter().all(|place| place.z == 0.0 && place.length() <= reach + 1e-12));
    }
}
