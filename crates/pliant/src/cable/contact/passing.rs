//! Whether links pass through obstacles in a step, or sink too deep into them.

use std::ops::Range;

use crate::cable::algebra::block::Vec6;
use crate::cable::contact::obstacles::{SAME_SIDE, Search};
use crate::cable::contact::touch::{Facing, Touch};
use crate::cable::links::Stretch;
use crate::contact::{Ends, Hint, passes};
use crate::math::{Pose, Vec3};

/// Links that move by less than this fraction of their radius in a step cannot pass through anything.
const SLOW: f64 = 0.25;

/// Penetration, relative to the radius, from which a slow link could pass through after all.
const DEEP: f64 = 0.5;

/// Penetration allowed within a step, relative to the radius; more than the bulge, which lets the ends of a link sink
/// in.
pub const SINKING: f64 = 0.0125;

/// Part of that by which a link that has reached it may sink deeper.
const CREEPING: f64 = 0.2;

impl Search<'_> {
    /// Whether a link is deeper in the obstacle at the end of the step than contact should allow, by more than a part
    /// of its radius: it turned so fast that the point nearest halfway is not the one that counts.
    pub fn sank(&self, touch: &Touch, end: &[Pose], means: &[Vec6], most: f64) -> bool {
        if self.rests(touch, means, most) {
            return false;
        }
        let obstacle = &self.obstacles[touch.obstacle];
        let world = touch.leans.map_or_else(|| obstacle.sweep.at(self.part[1]), |lean| lean.end);
        let piece = self.piece(touch.on, touch.link, end);
        let faces = self.faces(obstacle, &world, &piece, self.radius, touch.hint);
        // a link that is deep already may creep a little deeper: it recovers gradually
        let allowed = (touch.start.gap - CREEPING * most * self.radius).min(-most * self.radius);
        let depth = |f: &Facing| f.gap - piece.bulge * f.s * f.s;
        faces.iter().flatten().any(|f| f.normal.dot(touch.start.normal) > SAME_SIDE && depth(f) < allowed)
    }

    /// Whether one of some links, or the joint after it, passes through an obstacle between the start and the end of the
    /// step or, if that matters, has entered one where none of the contacts, which are in the order of links, applies.
    /// No point of a link moves farther than `way` [m], and contacts are those that it can have on a way of `travel` [m].
    pub fn passed(
        &self,
        links: Range<usize>,
        [start, end]: [&[Pose]; 2],
        [way, travel]: [&(dyn Fn(usize) -> f64 + Sync); 2],
        touches: &[Touch],
        matters: bool,
    ) -> bool {
        for &index in self.near {
            let sweep = &self.obstacles[index].sweep;
            let [shift, turn] = if sweep.start == sweep.end { [Vec3::ZERO; 2] } else { sweep.rates(self.dt) };
            let moves = |at: Vec3| {
                let velocity = shift + turn.cross(at - sweep.start.translation);
                self.step() * (velocity.length() + turn.length() * (self.length + shift.length() * self.dt))
            };
            let still = turn == Vec3::ZERO && shift == Vec3::ZERO;
            let is_fast =
                |link: usize| way(link) + if still { 0.0 } else { moves(start[link].translation) } > SLOW * self.radius;
            let first = touches.partition_point(|touch| touch.link < links.start);
            let (mut next_is_fast, mut rest) = (is_fast(links.start), &touches[first..]);
            for link in links.clone() {
                let here_is_fast = next_is_fast;
                let joined = self.is_joined(start.len(), link);
                next_is_fast = joined && is_fast((link + 1) % start.len());
                let here = &rest[..rest.iter().take_while(|t| t.link == link).count()];
                rest = &rest[here.len()..];
                // a link that is deep inside need not move far to pass through
                let deep = here.iter().any(|t| (-1.0..-DEEP).contains(&(t.start.gap / self.radius)));
                let here_is_fast = here_is_fast || deep;
                if !here_is_fast && !next_is_fast {
                    continue;
                }
                let open = self.is_open(start, link) || self.is_open(end, link);
                // without a contact, a link was too far away
                let known = |t: &Touch| (t.on, t.obstacle) == (Stretch::Link, index);
                let far = still && !here.iter().any(known) && way(link) <= travel(link);
                for on in [(here_is_fast && !far).then_some(Stretch::Link), open.then_some(Stretch::Joint)]
                    .into_iter()
                    .flatten()
                {
                    let (ways, way) = self.way(on, link, index, [start, end]);
                    if way <= SLOW * self.radius && !deep {
                        continue;
                    }
                    if passes(&self.obstacles[index].params.shape, &ways[0], &ways[1])
                        || (matters && self.came_in(on, link, index, end, here))
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// A link or joint before and after the step as seen from an obstacle, and how far it moves [m].
    fn way(&self, on: Stretch, link: usize, index: usize, [start, end]: [&[Pose]; 2]) -> ([Ends; 2], f64) {
        let sweep = &self.obstacles[index].sweep;
        let [from, to] = [(start, self.part[0]), (end, self.part[1])].map(|(poses, fraction)| {
            let (piece, world) = (self.piece(on, link, poses), sweep.at(fraction));
            piece.span.map(|s| world.inverse_transform_point(piece.middle + piece.along * s))
        });
        let way = (to[0] - from[0]).length().max((to[1] - from[1]).length());
        ([from, to], way)
    }

    /// Whether a link or a joint is inside an obstacle at the end of the step where it has no contact.
    fn came_in(&self, on: Stretch, link: usize, index: usize, end: &[Pose], touches: &[Touch]) -> bool {
        let obstacle = &self.obstacles[index];
        let (piece, world) = (self.piece(on, link, end), obstacle.sweep.at(self.part[1]));
        let faces = self.faces(obstacle, &world, &piece, self.radius, Hint::NONE);
        let known = |f: &Facing| {
            let same = |t: &&Touch| (t.on, t.obstacle) == (on, index) && t.axes[0].dot(f.normal) > SAME_SIDE;
            touches.iter().any(|t| same(&t))
        };
        faces.iter().flatten().any(|f| f.gap < -SINKING * self.radius && !known(f))
    }
}
