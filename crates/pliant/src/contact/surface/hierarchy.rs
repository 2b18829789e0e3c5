//! Facets, edges and corners of a surface in a tree of bounding boxes, each with the cone of normals of its points:
//! what is farther away than a contact already found, and would push in the same direction, need not be examined.
//! (Cones of normals: D. E. Johnson and E. Cohen, "Spatialized normal cone hierarchies".)

use super::{Hint, Look, NONE, SAME_HILL, SAME_NORMAL};
use crate::contact::tree::{EMPTY, join};
use crate::math::{Vec3, acos, cos, sin};

/// Maximum number of items in a leaf.
const LEAF: usize = 4;

/// Upper bound of the depth of the tree.
const DEPTH: usize = 64;

/// Half-angle of a cone that contains all directions [rad].
pub const ANY: f64 = std::f64::consts::PI;

/// A cone of directions.
#[derive(Clone, Copy, Debug)]
pub struct Cone {
    /// Unit vector.
    pub axis: Vec3,
    /// Sine of its half-angle; 1 from a right angle on.
    pub sine: f64,
    /// Directions with a larger cosine to the axis count as equal to all of the cone; above 1 where none does.
    like: f64,
    /// The corresponding cosine where the surface is convex.
    alike: f64,
}

impl Cone {
    fn new(axis: Vec3, angle: f64) -> Cone {
        let within = |most: f64| if angle < most { cos(most - angle) } else { 2.0 };
        let sine = sin(angle.min(std::f64::consts::FRAC_PI_2));
        Cone { axis, sine, like: within(SAME_NORMAL), alike: within(SAME_HILL) }
    }

    /// Whether all of its directions count as equal to this one.
    pub fn is_like(&self, normal: Vec3) -> bool {
        self.axis.dot(normal) > self.like
    }

    /// Whether all of its directions count as equal to this one where the surface is convex.
    pub fn is_alike(&self, normal: Vec3) -> bool {
        self.axis.dot(normal) > self.alike
    }
}

/// A facet, an edge or a corner, while the tree is built.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Index of the feature.
    number: u32,
    /// Indices of the flat region and of the convex part that it belongs to.
    parts: [u32; 2],
    /// Axis and half-angle of a cone of its normals [rad].
    axis: Vec3,
    angle: f64,
    /// Lower and upper bounds of their components.
    normals: [Vec3; 2],
}

impl Item {
    /// An item with normals between these, and others within an angle of their sum that count as well [rad].
    pub fn new(number: usize, parts: [u32; 2], normals: &[Vec3], angle: f64) -> Item {
        let sum = normals.iter().sum::<Vec3>().try_normalize();
        let (axis, angle) = sum.map_or((Vec3::Z, ANY), |axis| (axis, angle));
        // unit vectors between two others bulge out of their box
        let bulge = Vec3::splat(1.0 - cos(angle));
        let [low, high] = normals.iter().fold(EMPTY, |sum, normal| join(&sum, &[*normal; 2]));
        let normals = if angle < ANY / 2.0 { [low - bulge, high + bulge] } else { [Vec3::NEG_ONE, Vec3::ONE] };
        Item { number: number as u32, parts, axis, angle, normals }
    }
}

/// An item and its corners, some of them repeated.
pub type Placed = (Item, [Vec3; 3]);

/// Bounds of the items under a node.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Bounding box: its centre and half its sides.
    pub middle: Vec3,
    pub half: Vec3,
    /// Normals of points on them.
    pub cone: Cone,
    /// Extent along the axis of that cone.
    pub height: f64,
    /// Unit vector perpendicular to that axis and to the direction in which they are longest.
    pub across: Vec3,
    /// Range that they cover along `across`.
    pub width: [f64; 2],
    /// Minimum of n . (q - middle), for q on them and n a normal there.
    depth: f64,
    /// Box of these normals: its centre and half its sides.
    normals: [Vec3; 2],
}

#[derive(Clone, Copy, Debug)]
struct Node {
    extent: Extent,
    /// The flat region and the convex part that all its items belong to.
    parts: [u32; 2],
    /// Number of items of a leaf, which begin at `at`; zero for a branch, whose first child follows and whose second is
    /// `at`.
    count: u32,
    at: u32,
}

/// The tree.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    /// Numbers of the items of leaves.
    items: Vec<u32>,
}

/// Centre of a box, and half its sides.
fn centred([low, high]: &[Vec3; 2]) -> [Vec3; 2] {
    [0.5 * (*low + *high), 0.5 * (*high - *low)]
}

impl Extent {
    fn of(items: &[Placed]) -> Extent {
        let corners = || items.iter().flat_map(|(_, corners)| corners);
        let [low, high] = corners().fold(EMPTY, |sum, corner| join(&sum, &[*corner; 2]));
        let axis = items.iter().map(|(item, _)| item.axis).sum::<Vec3>().normalize_or(Vec3::Z);
        let widest = |item: &Item| acos(item.axis.dot(axis).clamp(-1.0, 1.0)) + item.angle;
        let angle = items.iter().map(|(item, _)| widest(item)).fold(0.0, f64::max);
        let height = corners().map(|corner| corner.dot(axis)).fold(f64::NEG_INFINITY, f64::max);
        let middle = 0.5 * (low + high);
        let depth = items.iter().flat_map(|(item, corners)| {
            let [normal, beside] = centred(&item.normals);
            corners.map(|q| normal.dot(q - middle) - beside.dot((q - middle).abs()))
        });
        let depth = depth.fold(f64::INFINITY, f64::min);
        let normals = centred(&items.iter().fold(EMPTY, |sum, (item, _)| join(&sum, &item.normals)));
        let farther = |a: &Vec3, b: &Vec3| a.distance_squared(middle).total_cmp(&b.distance_squared(middle));
        let longest = corners().copied().max_by(farther).map_or(Vec3::ZERO, |corner| corner - middle);
        let across = axis.cross(longest).try_normalize().unwrap_or_else(|| axis.any_orthonormal_vector());
        let along = corners().map(|corner| corner.dot(across));
        let width = along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
        let (half, cone) = (0.5 * (high - low), Cone::new(axis, angle));
        Extent { middle, half, cone, height, across, width, depth, normals }
    }

    /// Whether a point lies behind all of them, within a tolerance [m]: behind the planes through each of their points
    /// perpendicular to the normals there.
    pub fn is_before(&self, place: Vec3, tolerance: f64) -> bool {
        let way = place - self.middle;
        way.dot(self.normals[0]) + way.abs().dot(self.normals[1]) <= self.depth + tolerance
    }

    /// Whether n . x is at most this for all of them [m].
    pub fn is_under(&self, normal: Vec3, most: f64) -> bool {
        // along the axis they are known better than by the box
        let along = normal.dot(self.cone.axis).max(0.0);
        let rest = normal - self.cone.axis * along;
        along * self.height + rest.dot(self.middle) + rest.abs().dot(self.half) <= most
    }
}

impl Hierarchy {
    /// A hierarchy without items.
    pub const EMPTY: Hierarchy = Hierarchy { nodes: vec![], items: vec![] };

    /// The hierarchy of some items.
    pub fn new(mut items: Vec<Placed>) -> Hierarchy {
        let mut hierarchy = Hierarchy::EMPTY;
        if !items.is_empty() {
            hierarchy.add(&mut items);
        }
        hierarchy
    }

    /// Append a node over items, halved along the longest side of the box of their centres.
    fn add(&mut self, items: &mut [Placed]) {
        let parts = [0, 1].map(|k| {
            let part = items[0].0.parts[k];
            if items.iter().all(|(item, _)| item.parts[k] == part) { part } else { NONE }
        });
        let (at, count) = (self.items.len() as u32, items.len() as u32);
        let node = Node { extent: Extent::of(items), parts, count, at };
        if items.len() <= LEAF {
            // facets first: near them, edges and corners mostly need not be examined
            items.sort_unstable_by_key(|(item, _)| item.number);
            self.nodes.push(node);
            self.items.extend(items.iter().map(|(item, _)| item.number));
            return;
        }
        let index = self.nodes.len();
        self.nodes.push(Node { count: 0, ..node });
        let middle = |[a, b, c]: &[Vec3; 3]| *a + *b + *c;
        let [low, high] = items.iter().fold(EMPTY, |sum, (_, corners)| join(&sum, &[middle(corners); 2]));
        let extent = high - low;
        let side = if extent.x >= extent.y.max(extent.z) { 0 } else { 1 + usize::from(extent.z > extent.y) };
        let half = items.len() / 2;
        items.select_nth_unstable_by(half, |a, b| {
            let along = |item: &Placed| middle(&item.1)[side];
            along(a).total_cmp(&along(b)).then(a.0.number.cmp(&b.0.number))
        });
        let (low, high) = items.split_at_mut(half);
        self.add(low);
        self.nodes[index].at = self.nodes.len() as u32;
        self.add(high);
    }

    /// The items of a leaf; none for a branch.
    fn under(&self, node: &Node) -> &[u32] {
        if node.count == 0 { &[] } else { &self.items[node.at as usize..(node.at + node.count) as usize] }
    }

    /// Whether n . x is at most this for all items [m], those of leaves judged by their numbers.
    pub fn is_under(&self, normal: Vec3, most: f64, exact: impl Fn(usize) -> bool) -> bool {
        let (mut waiting, mut count) = ([0u32; DEPTH], usize::from(!self.nodes.is_empty()));
        while count > 0 {
            count -= 1;
            let node = &self.nodes[waiting[count] as usize];
            if node.extent.is_under(normal, most) {
                continue;
            }
            if node.count == 0 {
                (waiting[count + 1], waiting[count]) = (waiting[count] + 1, node.at);
                count += 2;
            } else if !self.under(node).iter().all(|number| exact(*number as usize)) {
                return false;
            }
        }
        true
    }

    /// Call `f` with every item.
    #[cfg(test)]
    pub fn every(&self, f: impl FnMut(u32)) {
        self.items.iter().copied().for_each(f);
    }

    /// Examine all items that may count, those of the leaf that it is at first, then nearer ones first.
    pub fn walk(&self, look: &mut Look<'_>) {
        let Some(top) = self.nodes.first() else { return };
        if let Some(node) = self.nodes.get(look.leaf.node as usize) {
            self.under(node).iter().for_each(|number| look.look(*number));
        }
        let mut waiting = [(0u32, 0.0); DEPTH];
        let mut count = 1;
        waiting[0] = (0, look.distance(&top.extent, look.most));
        while count > 0 {
            count -= 1;
            let (index, distance) = waiting[count];
            let node = &self.nodes[index as usize];
            if look.passes_by(distance, &node.extent, node.parts) {
                continue;
            }
            if node.count > 0 {
                look.leaf = Hint { node: index };
                self.under(node).iter().for_each(|number| look.look(*number));
                continue;
            }
            let below = [index + 1, node.at].map(|n| (n, look.distance(&self.nodes[n as usize].extent, look.most)));
            // first the one whose centre is nearer, which is a better guide than the bounds
            let [first, second] = below.map(|(n, _)| look.off_middle(&self.nodes[n as usize].extent));
            let second_is_nearer = second < first;
            waiting[count] = below[usize::from(!second_is_nearer)];
            waiting[count + 1] = below[usize::from(second_is_nearer)];
            count += 2;
        }
    }
}
