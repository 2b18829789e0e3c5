//! Contact of two rods: the nearest points of two segments of their centre lines.

use super::outline::{Outline, Side};
use super::press::{Key, Press};
use crate::contact::closest_on_segments;
use crate::math::Vec3;

/// Contact at the nearest points of two segments. Rods that have been pushed through each other separate on the side
/// they came from: `known` is their previous contact.
pub fn press(key: Key, [first, second]: [&Outline; 2], known: Option<&Press>) -> Option<Press> {
    let [i, j] = key.parts.map(|part| part as usize);
    let ends = |outline: &Outline, n: usize| [outline.nodes.places[n], outline.nodes.places[n + 1]];
    let ([a, b], [c, d]) = (ends(first, i), ends(second, j));
    let (u, v) = ((b - a).normalize_or(Vec3::X), (d - c).normalize_or(Vec3::X));
    let halves = [0.5 * (b - a).length(), 0.5 * (d - c).length()];
    // a body that has diverged touches nothing: its own check says so at the end of the step
    if !halves.iter().all(|half| half.is_finite()) {
        return None;
    }
    let thick = first.radius + second.radius;
    let (s, t) = closest_on_segments(0.5 * (a + b) - 0.5 * (c + d), [u, v], halves, thick);
    let fraction = |s: f64, half: f64| if half > 0.0 { 0.5 + 0.5 * s / half } else { 0.5 };
    let sides = [Side::along(key.parts[0], fraction(s, halves[0])), Side::along(key.parts[1], fraction(t, halves[1]))];
    let apart = sides[0].of(&first.nodes.places) - sides[1].of(&second.nodes.places);
    let distance = apart.length();
    let across = || known.map_or_else(|| u.cross(v).normalize_or(u.any_orthonormal_vector()), |k| k.normal);
    let normal = if distance > 1e-12 { apart / distance } else { across() };
    let through = known.is_some_and(|k| k.normal.dot(normal) < 0.0 && k.gap < 0.0);
    let (normal, gap) = if through { (-normal, -distance - thick) } else { (normal, distance - thick) };
    let mut press = Press::new(key, sides, normal, gap);
    press.share = 2.0 * halves[0].min(halves[1]);
    gap.is_finite().then_some(press)
}
