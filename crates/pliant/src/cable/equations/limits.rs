//! How far links may go in a part of a step: no farther than contacts were searched for, not through anything, and not
//! deep into it.

use crate::cable::algebra::block::Vec6;
use crate::cable::contact::law::Contacting;
use crate::cable::contact::passing::SINKING;
use crate::cable::equations::midpoint::{Share, search};
use crate::cable::equations::part::Part;
use crate::cable::equations::scratch::StepScratch;
use crate::team::{Team, share_out};

/// Contacts are stiffened where links sink in by this fraction of the depth at which a step is shortened.
const FIRM: f64 = 0.6;

impl Share<'_> {
    /// Whether a link has moved farther than the range of the contact search, which must then be repeated.
    pub fn outran(&mut self, part: &Part) -> bool {
        let Share { links, state, acting, s } = self;
        let step = part.step();
        let farther = |(mean, start): (&Vec6, &Vec6)| {
            step * links.speed(mean) - links.travel(links.speed(start), step, acting.gravity)
        };
        let most = s.mean.iter().zip(&state.velocities).map(farther).fold(0.0, f64::max);
        let outran = most > s.farther && !acting.obstacles.is_empty() && most.is_finite();
        if outran {
            s.farther = 1.5 * most;
        }
        outran
    }

    /// Whether a link moves so far in the part that this alone may bring it too deep into something.
    pub fn is_fast(&self, part: &Part) -> bool {
        let farthest = self.s.mean.iter().map(|mean| self.links.speed(mean)).fold(0.0, f64::max);
        part.step() * farthest > SINKING * self.links.radius
    }

    /// Whether a link is too deep in an obstacle at the end of the part.
    pub fn sank(&mut self, part: &Part, team: Option<&mut Team>) -> bool {
        let search = search(self.links, &self.acting, part);
        let (StepScratch { touches, end, mean, .. }, long) = (&*self.s, self.is_long());
        let (low, high) = touches.split_at(touches.len() / 2);
        let mut halves = [(low, false), (high, false)];
        share_out(team.filter(|_| long), &mut halves, |(touches, sank)| {
            *sank = touches.iter().any(|touch| search.sank(touch, end, mean, SINKING));
        });
        halves.iter().any(|(_, sank)| *sank)
    }

    /// Stiffen contacts whose links sink in, see `Firmness`; true if there are any.
    pub fn stiffen(&mut self, part: &Part) -> bool {
        let search = search(self.links, &self.acting, part);
        let StepScratch { touches, end, mean, .. } = &mut *self.s;
        let mut any = false;
        for touch in touches.iter_mut().filter(|touch| touch.state != Contacting::Open) {
            any |= search.sank(touch, end, mean, FIRM * SINKING) && touch.firmness.grow();
        }
        any
    }

    /// Whether a link has passed through something in the part or, if that matters, entered it unexpectedly.
    pub fn passed(&mut self, part: &Part, matters: bool, team: Option<&mut Team>) -> bool {
        let long = self.is_long();
        let Share { links, state, acting, s } = self;
        let (search, step) = (search(links, acting, part), part.step());
        let way = |link: usize| step * links.speed(&s.mean[link]);
        let travel =
            |link: usize| links.travel(links.speed(&state.velocities[link]), step, acting.gravity) + s.searched;
        if acting.near.is_empty() {
            return false;
        }
        let (count, half) = (state.poses.len(), state.poses.len() / 2);
        let mut halves = [(0..half, false), (half..count, false)];
        share_out(team.filter(|_| long), &mut halves, |(links, passed)| {
            let poses = [&state.poses[..], &s.end[..]];
            *passed = search.passed(links.clone(), poses, [&way, &travel], &s.touches, matters);
        });
        halves.iter().any(|(_, passed)| *passed)
    }
}
