//! Suggestions: the known word nearest to an unknown one.

/// Longest word worth a suggestion; the comparison is quadratic in its length.
const LONGEST: usize = 64;

/// The known word nearest to `word`, if it is close enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |s: &str| s.to_lowercase().replace('-', "_");
    let typed = plain(word);
    if typed.chars().count() > LONGEST {
        return None;
    }
    // a third of the letters may be wrong, but not all of them
    let close_enough = |distance: usize, other: &str| {
        let (ours, theirs) = (typed.chars().count(), other.chars().count());
        distance <= (ours.min(theirs) / 3).max(1) && distance < ours.max(theirs)
    };
    known
        .into_iter()
        .filter(|other| other.chars().count() <= LONGEST)
        .map(|other| (edits(&typed, &plain(other)), other))
        .filter(|(distance, other)| close_enough(*distance, other))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, other)| other)
}

/// Help for an unknown word: the nearest known one, or all known ones if they are few.
pub(crate) fn help<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<String> {
    if let Some(near) = nearest(word, known.clone()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let known: Vec<&str> = known.into_iter().take(41).collect();
    match known.len() {
        0 => None,
        1..=40 => Some(format!("known: {}", known.join(", "))),
        _ => None,
    }
}

/// Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swap = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(swap)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("segments", "segments"), 0);
        assert_eq!(edits("segmnets", "segments"), 1);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
    }

    #[test]
    fn only_near_words_are_suggested() {
        let known = ["segments", "points", "radius", "minimum-jerk"];
        assert_eq!(nearest("segmets", known), Some("segments"));
        assert_eq!(nearest("Radius", known), Some("radius"));
        assert_eq!(nearest("minimum_jerk", known), Some("minimum-jerk"));
        assert_eq!(nearest("density", known), None);
        assert_eq!(nearest("0", ["x", "y"]), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
        assert_eq!(help("density", known), Some("known: segments, points, radius, minimum-jerk".into()));
    }
}
