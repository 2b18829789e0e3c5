//! Straight pieces of two rods: their distance, and whether one passes through the other on its way.

use super::passage::Ends;
use super::triangle::{blend, nearest_of_triangle, twice_area};
use crate::math::Vec3;

/// Maximum number of halvings of a path; if it is still undecided then, it counts as passing.
const MOST_HALVINGS: u32 = 12;

/// Crossing links are nearest at one point, parallel ones at any. At most this weight draws the point towards their
/// centres.
const CENTRING: f64 = 0.02;

/// By how much rods may be nearer than the points found, relative to the sum of their radii. With a weight c the square
/// of the distance is off by at most c/2 times the square of half a segment.
const BLUR: f64 = 0.006;

/// Distance of two segments [m].
pub fn segment_distance(a: &[Vec3; 2], b: &[Vec3; 2]) -> f64 {
    let mut least = distance_inside(a, b);
    // or at an end of one of them
    for (ends, other) in [(a, b), (b, a)] {
        for end in ends {
            least = least.min(point_distance(*end, other));
        }
    }
    least
}

/// Distance of two segments that are nearest to each other inside both [m]; infinite for others, and parallel ones.
fn distance_inside(a: &Ends, b: &Ends) -> f64 {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let across = uu * vv - uv * uv;
    if across > 1e-12 * uu * vv {
        let (s, t) = ((uv * vw - vv * uw) / across, (uu * vw - uv * uw) / across);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            return (w + u * s - v * t).length();
        }
    }
    f64::INFINITY
}

/// Distance of a segment from a triangle [m]; zero if it passes through.
pub fn segment_to_triangle(ends: &Ends, corners: &[Vec3; 3]) -> f64 {
    let normal = twice_area(corners);
    let heights = ends.map(|end| normal.dot(end - corners[0]));
    let sides: [Ends; 3] = [0, 1, 2].map(|k| [corners[k], corners[(k + 1) % 3]]);
    if heights[0] * heights[1] <= 0.0 && heights[0] != heights[1] {
        let place = ends[0].lerp(ends[1], heights[0] / (heights[0] - heights[1]));
        if sides.iter().all(|[a, b]| normal.cross(*b - *a).dot(place - *a) >= 0.0) {
            return 0.0;
        }
    }
    let end = |end: &Vec3| blend(corners, &nearest_of_triangle(*end, *corners)).distance(*end);
    let side = |side: &Ends| distance_inside(ends, side).min(point_distance(side[0], ends));
    sides.iter().map(side).chain(ends.iter().map(end)).fold(f64::INFINITY, f64::min)
}

/// Distance of a point from a segment [m].
fn point_distance(point: Vec3, ends: &Ends) -> f64 {
    let (along, offset) = (ends[1] - ends[0], point - ends[0]);
    let t = (offset.dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (offset - along * t).length()
}

/// Whether two segments pass through each other while their ends move straight from the first place of each to the
/// second. Segments that start inside each other have no side to stay on, and do not count.
pub(crate) fn segments_cross(a: [&Ends; 2], b: [&Ends; 2]) -> bool {
    let (here, there) = (segment_distance(a[0], b[0]), segment_distance(a[1], b[1]));
    here > 0.0 && cross_between((a, b), here, there, MOST_HALVINGS)
}

fn cross_between((a, b): ([&Ends; 2], [&Ends; 2]), here: f64, there: f64, halvings: u32) -> bool {
    // points that start and end this far apart cannot meet on a shorter path, see `passage`
    if way_between(a, b) < here + there {
        return false;
    }
    if halvings == 0 {
        return true;
    }
    let middle = |[from, to]: [&Ends; 2]| [from[0].midpoint(to[0]), from[1].midpoint(to[1])];
    let (p, q) = (middle(a), middle(b));
    let half = segment_distance(&p, &q);
    cross_between(([a[0], &p], [b[0], &q]), here, half, halvings - 1)
        || cross_between(([&p, a[1]], [&q, b[1]]), half, there, halvings - 1)
}

/// The longest path of a point of one relative to a point of the other [m].
fn way_between(a: [&Ends; 2], b: [&Ends; 2]) -> f64 {
    let way = |[from, to]: [&Ends; 2], end: usize| to[end] - from[end];
    let mut longest: f64 = 0.0;
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        longest = longest.max((way(a, i) - way(b, j)).length_squared());
    }
    longest.sqrt()
}

/// Parameters s in [-a, a] along u and t in [-b, b] along v for which d + s u - t v is shortest, drawn slightly towards
/// the centres so that the answer is unique for parallel segments too: by so little that rods of this `thickness`, the
/// sum of their radii, do not sink into each other.
pub(crate) fn closest_on_segments(d: Vec3, [u, v]: [Vec3; 2], [a, b]: [f64; 2], thickness: f64) -> (f64, f64) {
    let (du, dv, uv) = (d.dot(u), d.dot(v), u.dot(v));
    let slender = thickness / a.max(b).max(f64::MIN_POSITIVE);
    let one = 1.0 + (4.0 * BLUR * slender * slender).min(CENTRING);
    // one s - uv t = -du, one t - uv s = dv
    // not `clamp`, which panics where poses are no numbers: such a step is given up, not the run
    let within = |x: f64, most: f64| x.max(-most).min(most);
    let s = within((uv * dv - one * du) / (one * one - uv * uv), a);
    let t = within((dv + uv * s) / one, b);
    let s = within((uv * t - du) / one, a);
    (s, t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) as f64 / f64::from(1_u32 << 31) * 2.0 - 1.0
    }

    /// Compares with the distances of many points of both.
    #[test]
    fn the_distance_is_the_least_of_any_two_points() {
        let mut state = 7;
        for round in 0..400 {
            let mut point = || Vec3::new(random(&mut state), random(&mut state), random(&mut state));
            let a = [point(), point()];
            let mut b = [point(), point()];
            if round % 3 == 0 {
                // parallel
                b[1] = b[0] + (a[1] - a[0]) * 0.7;
            }
            let at = |ends: &Ends, k: i32| ends[0].lerp(ends[1], f64::from(k) / 200.0);
            let all = (0..=200).flat_map(|i| (0..=200).map(move |j| (i, j)));
            let sampled = all.map(|(i, j)| at(&a, i).distance(at(&b, j))).fold(f64::INFINITY, f64::min);
            let found = segment_distance(&a, &b);
            assert!(found <= sampled + 1e-12 && sampled - found < 0.02, "{found} {sampled}");
        }
    }

    /// Crossing means that the volume between them changes sign while they overlap: checked in small steps.
    #[test]
    fn what_crosses_is_told_from_what_passes_by() {
        let mut state = 3;
        let mut counts = [0; 2];
        for _ in 0..2000 {
            let mut point = |scale: f64| Vec3::new(random(&mut state), random(&mut state), random(&mut state)) * scale;
            let (a, b) = ([point(1.0), point(1.0)], [point(1.0), point(1.0)]);
            let (to_a, to_b) = ([a[0] + point(0.7), a[1] + point(0.7)], [b[0] + point(0.7), b[1] + point(0.7)]);
            let at = |from: &Ends, to: &Ends, t: f64| [from[0].lerp(to[0], t), from[1].lerp(to[1], t)];
            let mut least = f64::INFINITY;
            for k in 0..=4000 {
                let t = f64::from(k) / 4000.0;
                least = least.min(segment_distance(&at(&a, &to_a, t), &at(&b, &to_b, t)));
            }
            let crossed = segments_cross([&a, &to_a], [&b, &to_b]);
            // in between it depends on the resolution
            if least > 2e-3 {
                assert!(!crossed, "{least}");
                counts[0] += 1;
            } else if least < 1e-5 {
                assert!(crossed, "{least}");
                counts[1] += 1;
            }
        }
        assert!(counts[0] > 1000 && counts[1] > 20, "{counts:?}");
    }

    #[test]
    fn nearest_points_of_crossing_and_parallel_segments() {
        let (s, t) = closest_on_segments(Vec3::new(0.2, -0.1, 1.0), [Vec3::X, Vec3::Y], [1.0; 2], 1.0);
        assert!((s + 0.2).abs() < 0.01 && (t + 0.1).abs() < 0.01, "{s} {t}");
        // beyond the ends
        let (s, t) = closest_on_segments(Vec3::new(5.0, -7.0, 1.0), [Vec3::X, Vec3::Y], [1.0; 2], 1.0);
        assert_eq!((s, t), (-1.0, -1.0));
        // side by side: the middle of the overlap
        let (s, t) = closest_on_segments(Vec3::new(0.5, 0.1, 0.0), [Vec3::X; 2], [1.0; 2], 1.0);
        assert!((s + 0.25).abs() < 0.01 && (t - 0.25).abs() < 0.01, "{s} {t}");
    }
    /// Segments of any slenderness that lie across each other as rods that just touch do, at any angle.
    #[test]
    fn rods_are_hardly_nearer_than_the_points_found() {
        let mut state = 11;
        let mut worst: f64 = 0.0;
        for round in 0..20_000 {
            let half = [1.0, 3.0, 10.0, 50.0, 300.0][round % 5];
            let angle = std::f64::consts::FRAC_PI_2 * random(&mut state).powi(4);
            let (u, v) = (Vec3::X, Vec3::new(angle.cos(), angle.sin(), 0.0));
            let [s, t] = [half * random(&mut state), half * random(&mut state)];
            // two rods of radius 1, nearest to each other at s and t
            let d = Vec3::new(0.0, 0.0, 2.0) + v * t - u * s;
            let (s, t) = closest_on_segments(d, [u, v], [half; 2], 2.0);
            worst = worst.max((d + u * s - v * t).length() - 2.0);
        }
        assert!(worst < BLUR * 2.0 && worst > 0.2 * BLUR, "{worst}");
    }
}
