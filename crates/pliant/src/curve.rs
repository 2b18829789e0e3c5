//! Centre lines of slender bodies: polylines, measured and resampled.

use crate::error::BuildError;
use crate::math::Vec3;

/// Reject a path that is not finite, or has no length.
pub fn check(body: &str, path: &[Vec3]) -> Result<(), BuildError> {
    if let Some(bad) = path.iter().find(|p| !p.is_finite()) {
        let what = format!("the path of {body}");
        return Err(BuildError::Parameter { what, expected: "finite", value: bad.x + bad.y + bad.z });
    }
    if length(path) == 0.0 {
        return Err(BuildError::EmptyPath { body: body.into() });
    }
    Ok(())
}

/// Length of a polyline [m].
pub fn length(path: &[Vec3]) -> f64 {
    path.windows(2).map(|w| (w[1] - w[0]).length()).sum()
}

/// `points` points at equal arc lengths along a polyline.
pub fn resample(path: &[Vec3], points: usize) -> Vec<Vec3> {
    let spacing = length(path) / (points - 1) as f64;
    // the current piece of the polyline, and the arc length at which it starts
    let (mut piece, mut start) = (0, 0.0);
    let piece_length = |piece: usize| (path[piece + 1] - path[piece]).length();
    let mut out: Vec<Vec3> = (0..points)
        .map(|i| {
            let s = spacing * i as f64;
            while piece + 2 < path.len() && s >= start + piece_length(piece) {
                start += piece_length(piece);
                piece += 1;
            }
            let fraction = ((s - start) / piece_length(piece).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            path[piece].lerp(path[piece + 1], fraction)
        })
        .collect();
    // the last point is exact, whatever rounding did on the way
    out[points - 1] = path[path.len() - 1];
    out
}
