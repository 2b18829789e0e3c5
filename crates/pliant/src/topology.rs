//! Global properties of a curve: how often it winds around an axis, and whether it is knotted.

use crate::math::{Pose, Quat, Vec3, atan2, hypot};

/// Signed number of turns of a curve around the z axis of a frame.
pub fn turns(points: &[Vec3], axis: &Pose) -> f64 {
    let mut sum = 0.0;
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|p| axis.inverse_transform_point(p));
        sum += atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
    }
    sum / std::f64::consts::TAU
}

/// Advance along the z axis of a frame per turn about it [m], of the part of a curve that is wound on something there:
/// the nodes within 2 % of the smallest distance from the axis. Zero if that part covers less than a quarter of a turn.
pub fn pitch(points: &[Vec3], axis: &Pose) -> f64 {
    const NEARLY: f64 = 1.02;
    let local = || points.iter().map(|p| axis.inverse_transform_point(*p));
    let distance = |p: &Vec3| hypot(p.x, p.y);
    let nearest = local().map(|p| distance(&p)).fold(f64::INFINITY, f64::min);
    let (mut angle, mut last) = (0.0, None::<Vec3>);
    // least-squares fit of z against the angle
    let (mut n, mut sa, mut sz, mut saa, mut saz) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in local() {
        if let Some(q) = last {
            angle += atan2(q.x * p.y - q.y * p.x, q.x * p.x + q.y * p.y);
        }
        last = Some(p);
        if distance(&p) <= NEARLY * nearest {
            (n, sa, sz) = (n + 1.0, sa + angle, sz + p.z);
            (saa, saz) = (saa + angle * angle, saz + angle * p.z);
            (low, high) = (f64::min(low, angle), f64::max(high, angle));
        }
    }
    if n < 3.0 || high - low < 0.25 * std::f64::consts::TAU {
        return 0.0;
    }
    (saz - sa * sz / n) / (saa - sa * sa / n) * std::f64::consts::TAU
}

/// Determinant of the knot that a curve forms when its ends are joined far outside: 1 for an unknotted curve, 3 for an
/// overhand knot (a trefoil), 5 for a figure eight. It is computed by colouring the crossings of a projection, modulo a
/// prime far larger than the determinant of any knot of a few hundred crossings that could be tied by hand.
pub fn knot_determinant(points: &[Vec3]) -> u64 {
    let crossings = crossings(&closed(points));
    let count = crossings.len();
    if count < 3 {
        return 1;
    }
    // along the curve, an arc ends wherever it goes under another
    let mut passes: Vec<(f64, usize, bool)> = vec![];
    for (index, c) in crossings.iter().enumerate() {
        passes.push((c.over, index, true));
        passes.push((c.under, index, false));
    }
    passes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut arcs = vec![[0usize; 3]; count];
    let mut arc = 0;
    for (_, index, over) in passes {
        if over {
            arcs[index][0] = arc;
        } else {
            arcs[index][1] = arc;
            arc = (arc + 1) % count;
            arcs[index][2] = arc;
        }
    }
    let mut rows = vec![vec![0u64; count]; count];
    for (row, [over, before, after]) in rows.iter_mut().zip(arcs) {
        row[over] = (row[over] + 2) % PRIME;
        for under in [before, after] {
            row[under] = (row[under] + PRIME - 1) % PRIME;
        }
    }
    // any minor gives the determinant
    rows.pop();
    rows.iter_mut().for_each(|row| {
        row.pop();
    });
    let found = determinant(rows);
    found.min(PRIME - found)
}

/// A Mersenne prime, small enough that products of two residues fit into 128 bits.
const PRIME: u64 = (1 << 61) - 1;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn inverse(a: u64) -> u64 {
    // Fermat: a^(p-2)
    let (mut base, mut power, mut result) = (a, PRIME - 2, 1);
    while power > 0 {
        if power & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        power >>= 1;
    }
    result
}

fn determinant(mut m: Vec<Vec<u64>>) -> u64 {
    let n = m.len();
    let mut product = 1;
    for k in 0..n {
        let Some(pivot) = (k..n).find(|&i| m[i][k] != 0) else { return 0 };
        if pivot != k {
            m.swap(pivot, k);
            product = (PRIME - product) % PRIME;
        }
        product = times(product, m[k][k]);
        let scale = inverse(m[k][k]);
        for i in k + 1..n {
            let factor = times(m[i][k], scale);
            if factor != 0 {
                for j in k..n {
                    let taken = times(factor, m[k][j]);
                    m[i][j] = (m[i][j] + PRIME - taken) % PRIME;
                }
            }
        }
    }
    product
}

/// The curve seen from a direction that no scene is likely to use, with its ends extended straight outwards and joined
/// far away.
fn closed(points: &[Vec3]) -> Vec<Vec3> {
    let look = Quat::from_rotation_arc(Vec3::new(0.2917, -0.4371, 0.8507).normalize(), Vec3::Z);
    let mut seen: Vec<Vec3> = points.iter().map(|p| look * *p).collect();
    let (Some(&first), Some(&last)) = (seen.first(), seen.last()) else { return seen };
    let centre = seen.iter().copied().sum::<Vec3>() / seen.len() as f64;
    let size = seen.iter().map(|p| p.distance(centre)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let out = |end: Vec3| centre + (end - centre).try_normalize().unwrap_or(Vec3::X) * (10.0 * size);
    let (start, stop) = (out(first), out(last));
    // around the curve, not across it: through a corner on the outer side of both ends
    let flat = |v: Vec3| Vec3::new(v.x, v.y, 0.0).try_normalize().unwrap_or(Vec3::X);
    let (a, b) = (flat(start - centre), flat(stop - centre));
    let middle = (a + b).try_normalize().filter(|_| a.dot(b) > -0.99).unwrap_or(Vec3::new(-a.y, a.x, 0.0));
    let far = |direction: Vec3| centre + direction * (40.0 * size);
    seen.insert(0, start);
    seen.insert(0, far(a));
    seen.push(stop);
    seen.push(far(b));
    seen.push(far((b + middle).try_normalize().unwrap_or(middle)));
    seen.push(far(middle));
    seen.push(far((a + middle).try_normalize().unwrap_or(middle)));
    let beginning = seen[0];
    seen.push(beginning);
    seen
}

/// A self-crossing of the projected curve: positions of the upper and the lower strand along it, in segments.
struct Crossing {
    over: f64,
    under: f64,
}

fn crossings(points: &[Vec3]) -> Vec<Crossing> {
    let mut found = vec![];
    let count = points.len().saturating_sub(1);
    for i in 0..count {
        for j in i + 2..count {
            if i == 0 && j + 1 == count {
                continue;
            }
            let (p, q) = (points[i], points[j]);
            let (u, v, w) = (points[i + 1] - p, points[j + 1] - q, q - p);
            let cross = u.x * v.y - u.y * v.x;
            if cross == 0.0 {
                continue;
            }
            let (s, t) = ((w.x * v.y - w.y * v.x) / cross, (w.x * u.y - w.y * u.x) / cross);
            if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
                let (here, there) = (i as f64 + s, j as f64 + t);
                let above = p.z + u.z * s > q.z + v.z * t;
                let (over, under) = if above { (here, there) } else { (there, here) };
                found.push(Crossing { over, under });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(f: impl Fn(f64) -> Vec3) -> Vec<Vec3> {
        (0..=400).map(|i| f(i as f64 / 400.0)).collect()
    }

    /// The trefoil as a polynomial curve (Shastri).
    fn overhand(t: f64) -> Vec3 {
        let t = 4.4 * t - 2.2;
        Vec3::new(t * t * t - 3.0 * t, t.powi(4) - 4.0 * t * t, 0.2 * t.powi(5) - 2.0 * t)
    }

    #[test]
    fn knots_are_told_from_tangles() {
        assert_eq!(knot_determinant(&curve(|t| Vec3::new(t, t * t, 0.0))), 1);
        assert_eq!(knot_determinant(&curve(overhand)), 3);
        // loops that cross but hold nothing: a coil, and a cable laid over itself
        let coil = |t: f64| Vec3::new((40.0 * t).cos(), (40.0 * t).sin(), 3.0 * t);
        assert_eq!(knot_determinant(&curve(coil)), 1);
        let flat = |t: f64| {
            let p = overhand(t);
            Vec3::new(p.x, p.y, t)
        };
        assert_eq!(knot_determinant(&curve(flat)), 1);
        // a figure eight, as a polynomial curve (Shastri)
        let eight = |t: f64| {
            let t = 4.2 * t - 2.1;
            let x = 0.4 * t * (t * t - 7.0) * (t * t - 10.0);
            let y = t.powi(4) - 13.0 * t * t;
            let z = 0.1 * t * (t * t - 4.0) * (t * t - 9.0) * (t * t - 12.0);
            Vec3::new(x, y, z)
        };
        let seen = knot_determinant(&curve(|t| eight(1.9 * t - 0.45)));
        assert_eq!(seen, 5);
    }

    #[test]
    fn turns_and_pitch_of_a_helix() {
        let axis = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_x(0.7));
        let helix = |t: f64| {
            let a = 14.0 * t;
            axis.transform_point(Vec3::new(0.02 * a.cos(), 0.02 * a.sin(), 0.005 * a))
        };
        let points = curve(helix);
        assert!((turns(&points, &axis) - 14.0 / std::f64::consts::TAU).abs() < 1e-9);
        assert!((pitch(&points, &axis) - 0.005 * std::f64::consts::TAU).abs() < 1e-9);
    }
}
