//! Tests of the search for pairs.

use std::time::Instant;

use super::*;
use crate::contact::tree::around;
use crate::math::Vec3;
use crate::random::Random;

/// A body for tests: facets over shared corners.
struct Soup {
    corners: Vec<Vec3>,
    facets: Vec<[u32; 3]>,
    boxes: Vec<Bounds>,
    never: Option<Vec<[u32; 2]>>,
}

impl Soup {
    fn random(random: &mut Random, count: usize, middle: Vec3, size: f64) -> Soup {
        let mut soup = Soup { corners: Vec::new(), facets: Vec::new(), boxes: Vec::new(), never: None };
        for _ in 0..count {
            let from = soup.corners.len() as u32;
            let at = middle + random.vector();
            soup.corners.extend(random.triangle(at, size));
            // some share a corner with one before
            let shared = (random.fraction() * from as f64) as u32;
            soup.facets.push([if random.fraction() < 0.5 { from } else { shared }, from + 1, from + 2]);
        }
        soup.measure(0.01);
        soup
    }

    fn measure(&mut self, margin: f64) {
        let facet = |f: &[u32; 3]| f.map(|corner| self.corners[corner as usize]);
        self.boxes = self.facets.iter().map(|f| around(&facet(f), margin)).collect();
    }

    fn surface(&self) -> Surface<'_> {
        Surface { facets: &self.facets, boxes: &self.boxes, itself: self.never.as_deref() }
    }
}

/// All pairs, by brute force.
fn brute(soups: &[Soup]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, a) in soups.iter().enumerate() {
        for (j, b) in soups.iter().enumerate().skip(i) {
            for f in 0..a.facets.len() {
                for g in 0..b.facets.len() {
                    let facets = [f as u32, g as u32];
                    let counts = match (i == j, &a.never) {
                        (false, _) => true,
                        (true, None) => false,
                        (true, Some(never)) => {
                            let shared = a.facets[f].iter().any(|c| a.facets[g].contains(c));
                            f < g && !shared && !never.contains(&facets)
                        }
                    };
                    let ([p, q], [r, s]) = (a.boxes[f], b.boxes[g]);
                    if counts && (0..3).all(|k| p[k] <= s[k] && r[k] <= q[k]) {
                        pairs.push(Pair { bodies: [i as u32, j as u32], facets });
                    }
                }
            }
        }
    }
    pairs
}

#[test]
fn finds_all_pairs_and_no_others() {
    let mut random = Random(21);
    let mut broad = Broad::default();
    for round in 0..6 {
        let counts = [0, 1, 3, 4, 5, 9, 150, 333];
        let mut soups: Vec<Soup> = counts
            .iter()
            .map(|&count| {
                let middle = random.vector() * 1.5;
                Soup::random(&mut random, count, middle, 0.2)
            })
            .collect();
        soups[6].never = Some(vec![]);
        soups[7].never = Some((0..300).step_by(2).map(|f| [f, f + 1]).collect());
        let mut most = 0;
        for step in 0..10 {
            let found = broad.find(soups.len(), |i| soups[i].surface()).to_vec();
            let expected = brute(&soups);
            assert_eq!(found, expected, "round {round}, step {step}");
            most = most.max(found.len());
            // move, bend, and tear apart in the end
            let size = if step < 7 { 0.02 } else { 1.0 };
            for soup in &mut soups {
                let shift = random.vector() * 0.1;
                soup.corners.iter_mut().for_each(|c| *c += shift + random.vector() * size);
                soup.measure(0.01);
            }
        }
        assert!(most > 1000, "{most}");
    }
}

#[test]
fn numbers_that_are_none_hide_only_themselves() {
    let mut random = Random(22);
    let mut soups = [0.0, 0.3].map(|x| Soup::random(&mut random, 200, Vec3::X * x, 0.2));
    soups[0].never = Some(vec![]);
    for k in [3, 77, 150] {
        soups[0].boxes[k] = [Vec3::NAN; 2];
        soups[1].boxes[k] = [Vec3::new(f64::NAN, 0.0, 0.0), Vec3::ONE];
        soups[1].boxes[k + 1] = [Vec3::NEG_INFINITY, Vec3::INFINITY];
    }
    let mut broad = Broad::default();
    for _ in 0..2 {
        assert_eq!(broad.find(2, |i| soups[i].surface()), brute(&soups));
    }
    assert!(broad.pairs.len() > 1000);
}

#[test]
#[ignore = "prints times"]
fn cost() {
    for count in [1_000usize, 10_000, 100_000] {
        // two wavy sheets that touch, each with the given facets, in squares of side 1 m
        let n = ((count / 2) as f64).sqrt() as usize;
        let sheet = |height: f64| {
            let at = |i: usize, j: usize| {
                let (x, y) = (i as f64 / n as f64, j as f64 / n as f64);
                Vec3::new(x, y, height + 0.05 * (9.0 * x).sin() * (7.0 * y).cos())
            };
            let index = |i: usize, j: usize| (i * (n + 1) + j) as u32;
            let mut soup = Soup { corners: Vec::new(), facets: Vec::new(), boxes: Vec::new(), never: Some(vec![]) };
            soup.corners = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
            for i in 0..n {
                for j in 0..n {
                    let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
                    soup.facets.extend([[a, b, c], [a, c, d]]);
                }
            }
            soup.measure(0.01 / n as f64);
            soup
        };
        let mut soups = [sheet(0.0), sheet(0.001)];
        let mut broad = Broad::default();
        for own in [true, false] {
            if !own {
                soups.iter_mut().for_each(|soup| soup.never = None);
                broad = Broad::default();
            }
            let start = Instant::now();
            let pairs = broad.find(2, |i| soups[i].surface()).len();
            let first = start.elapsed();
            let start = Instant::now();
            (0..5).for_each(|_| _ = broad.find(2, |i| soups[i].surface()));
            println!(
                "2 x {count} facets, own pairs {own}: {pairs} pairs, first {:.2} ms, then {:.2} ms",
                first.as_secs_f64() * 1e3,
                start.elapsed().as_secs_f64() * 200.0
            );
        }
    }
}
