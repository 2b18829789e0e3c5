//! Which links may touch which: a grid of cells over all links of all cables, in time that grows with their number.

use super::Cable;
use super::block::Vec6;
use super::pairs::{End, Pair, axis_distance, nearest_neighbour};
use crate::body::Body;
use crate::math::{Pose, Vec3};

/// A cell and half of its neighbours, so that every two neighbours are looked at from one side.
const HALF_AROUND: [[i32; 3]; 14] = [
    [0, 0, 0],
    [1, 0, 0],
    [-1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [-1, -1, 1],
    [0, -1, 1],
    [1, -1, 1],
    [-1, 0, 1],
    [0, 0, 1],
    [1, 0, 1],
    [-1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
];

/// Working memory of the search for pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    /// All links, with the middle and the cell of each.
    places: Vec<(End, Vec3, [i32; 3])>,
    /// First link of each cell, and the next link of the same cell after each link; one more than the index, 0 for none.
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Grid {
    /// Room for a number of links.
    pub fn reserve(&mut self, links: usize) {
        self.places.reserve(links.saturating_sub(self.places.len()));
        self.next.reserve(links.saturating_sub(self.next.len()));
        let cells = (2 * links).next_power_of_two();
        self.first.reserve(cells.saturating_sub(self.first.len()));
    }

    /// All pairs of links that may touch in a step, in order; `known` are those of the step before, in order too.
    pub fn find(&mut self, bodies: &[Body], dt: f64, gravity: Vec3, known: &[Pair], found: &mut Vec<Pair>) {
        found.clear();
        let cables = || {
            bodies.iter().enumerate().filter_map(|(i, b)| match b {
                Body::Cable(cable) => Some((i, cable)),
                Body::Chain(_) | Body::Xpbd(_) => None,
            })
        };
        let (mut count, mut width) = (0, 0.0_f64);
        for (_, cable) in cables() {
            let Cable { links, state, .. } = cable;
            count += cable.size();
            let fastest = state.links.velocities.iter().map(|v| links.speed(v)).fold(0.0, f64::max);
            width = width.max(2.0 * (links.radius + links.travel(fastest, dt, gravity)) + links.length);
        }
        // far out cells run together, which costs time but loses nothing
        let cell_of = |p: Vec3| (p / width).floor().to_array().map(|x| x.clamp(-1e9, 1e9) as i32);
        self.places.clear();
        for (body, cable) in cables() {
            let poses = &cable.state.links.poses;
            let place =
                |(link, pose): (usize, &Pose)| (End { body, link }, pose.translation, cell_of(pose.translation));
            self.places.extend(poses.iter().enumerate().map(place));
        }
        let cells = (2 * count).next_power_of_two();
        self.first.clear();
        self.first.resize(cells, 0);
        self.next.clear();
        self.next.resize(count, 0);
        for (i, (_, _, cell)) in self.places.iter().enumerate() {
            let slot = hash(*cell) & (cells - 1);
            self.next[i] = self.first[slot];
            self.first[slot] = i as u32 + 1;
        }
        for (i, (end, place, [x, y, z])) in self.places.iter().enumerate() {
            // each pair once: half of the cells around, and of the own cell the links that come later
            for [dx, dy, dz] in HALF_AROUND {
                let cell = [x + dx, y + dy, z + dz];
                let own = [dx, dy, dz] == [0; 3];
                let mut at = self.first[hash(cell) & (cells - 1)];
                while at > 0 {
                    let j = at as usize - 1;
                    at = self.next[j];
                    let (other, there, other_cell) = &self.places[j];
                    // links of other cells may share the slot
                    if *other_cell == cell
                        && (!own || j > i)
                        && there.distance_squared(*place) < width * width
                        && let (Body::Cable(a), Body::Cable(b)) = (&bodies[end.body], &bodies[other.body])
                        && may_touch((a, end), (b, other), dt, gravity)
                    {
                        found.push(Pair::new(if i < j { [*end, *other] } else { [*other, *end] }));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|pair| pair.ends);
        for pair in found.iter_mut() {
            if let Ok(at) = known.binary_search_by_key(&pair.ends, |k| k.ends) {
                pair.go_on(&known[at]);
            }
        }
    }
}

fn may_touch((a, end): (&Cable, &End), (b, other): (&Cable, &End), dt: f64, gravity: Vec3) -> bool {
    if end.body == other.body && end.link.abs_diff(other.link) < nearest_neighbour(&a.links) {
        return false;
    }
    let (v, w) = (&a.state.links.velocities[end.link], &b.state.links.velocities[other.link]);
    let approach = Vec3::new(v[0] - w[0], v[1] - w[1], v[2] - w[2]).length();
    let turning = |c: &Cable, v: &Vec6| 0.5 * c.links.length * (v[4] * v[4] + v[5] * v[5]).sqrt();
    let speed = approach + turning(a, v) + turning(b, w);
    // gravity pulls at both, so at most one of them falls towards the other
    let reach = b.links.radius + a.links.radius + a.links.travel(speed, dt, 0.5 * gravity);
    let (p, q) = (&a.state.links.poses[end.link], &b.state.links.poses[other.link]);
    let apart = p.translation.distance(q.translation) - 0.5 * (a.links.length + b.links.length);
    apart < reach && axis_distance((p, &a.links), (q, &b.links)) < reach
}

fn hash([x, y, z]: [i32; 3]) -> usize {
    let mix = |v: i32, k: u64| (v as u64).wrapping_mul(k);
    let h = mix(x, 0x9E37_79B9_7F4A_7C15) ^ mix(y, 0xC2B2_AE3D_27D4_EB4F) ^ mix(z, 0x1656_67B1_9E37_79F9);
    (h ^ (h >> 29)) as usize
}
