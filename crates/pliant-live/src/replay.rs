//! A live run again, as an ordinary run of its scene.

use pliant_scene::{Moment, Ran, Scene};

use crate::action::{Controls, Head};
use crate::session::{Fitting, FittingError, Hands, Refusal};

/// Why a live run cannot be replayed on a scene.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The scene has no room for hands.
    #[error(transparent)]
    Hands(#[from] FittingError),
}

/// What a live run was replayed to.
#[derive(Debug)]
pub struct Replay {
    controls: Controls,
    hands: Hands,
    /// The first action that was refused, which none was in the live run: the scene is another one.
    pub refused: Option<(u64, Refusal)>,
}

impl Replay {
    /// Make a scene ready for what was done to it: hands, step and duration. What the scene
    /// expects of its own motions is not expected of this.
    pub fn prepare(scene: &mut Scene, controls: Controls) -> Result<Replay, ReplayError> {
        let controls = controls.that_counts();
        let Head { fingers, carries, .. } = controls.head.clone();
        let hands = Hands::new(&mut scene.world, &Fitting { fingers, carries, movable: scene.movable.clone() })?;
        scene.step = controls.head.step;
        scene.duration = controls.head.step * controls.steps.max(1) as f64;
        scene.expectations.clear();
        Ok(Replay { controls, hands, refused: None })
    }

    /// Run the scene with it.
    pub fn run<E>(&mut self, scene: &mut Scene, see: impl FnMut(&mut Moment<'_>) -> Result<(), E>) -> Ran<E> {
        let Replay { controls, hands, refused } = self;
        let mut entries = controls.entries.iter().peekable();
        scene.run_with(
            |world, step| {
                while let Some(entry) = entries.next_if(|entry| entry.step <= step) {
                    if let Err(refusal) = hands.apply(world, &entry.action) {
                        refused.get_or_insert((step, refusal));
                    }
                }
            },
            see,
        )
    }
}
