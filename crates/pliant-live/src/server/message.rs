//! What a page may say.

use serde::Deserialize;

use crate::action::Action;

/// Longest message that is read [bytes].
pub const LONGEST: usize = 4096;

/// What a page says: something about the run, or something to be done to the world, in the words of a file of controls.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Asked {
    /// About the run.
    Say(Said),
    /// To the world.
    Do(Action),
}

impl Asked {
    /// Understand a message; `None` for anything else than what a page may say. Hands are moved by what is said of
    /// them alone, so that the loop stands between.
    pub fn read(text: &str) -> Option<Asked> {
        serde_json::from_str(text).ok().filter(|asked| match asked {
            Asked::Say(_) => true,
            Asked::Do(action) => matches!(action, Action::Change { .. } | Action::Gravity { .. } | Action::Reset),
        })
    }
}

/// What a page says about the run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    /// Take a hand, put it somewhere and grip.
    Grab {
        /// Which hand.
        hand: usize,
        /// Where, in the world [m].
        at: [f64; 3],
        /// How far it may be from what it grips [m].
        reach: f64,
        /// Its orientation, x y z w; without one it does not turn what it holds.
        turn: Option<[f64; 4]>,
    },
    /// Move a hand that was taken.
    Move {
        /// Which hand.
        hand: usize,
        /// Where to, in the world [m].
        to: [f64; 3],
        /// Its orientation, x y z w.
        turn: Option<[f64; 4]>,
    },
    /// Let go.
    Drop {
        /// Which hand.
        hand: usize,
    },
    /// Stand still.
    Pause,
    /// Go on.
    Play,
    /// Take some steps while standing still.
    Step {
        /// How many.
        count: u32,
    },
    /// Go faster or slower.
    Speed {
        /// Times real time.
        factor: f64,
    },
    /// Go on with another scene.
    Scene {
        /// Its name in the gallery.
        name: String,
        /// The model for its rods; `None` for that of the scene.
        model: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_meant_is_understood() {
        let grab = r#"{"type":"grab","hand":0,"at":[0,0.5,1],"reach":0.02}"#;
        let said = Said::Grab { hand: 0, at: [0.0, 0.5, 1.0], reach: 0.02, turn: None };
        assert_eq!(Asked::read(grab), Some(Asked::Say(said)));
        assert_eq!(Asked::read(r#"{"do":"reset"}"#), Some(Asked::Do(Action::Reset)));
        for text in [
            "",
            "{}",
            "[]",
            r#"{"type":"grab"}"#,
            r#"{"type":"fly"}"#,
            r#"{"type":"step","count":-1}"#,
            r#"{"type":"drop","hand":0,"and":"more"}"#,
            r#"{"do":"change","body":0,"property":"colour","value":1}"#,
            r#"{"do":"drive","hand":0,"position":[0,0,0],"orientation":[1,0,0,0]}"#,
            r#"{"do":"back"}"#,
        ] {
            assert_eq!(Asked::read(text), None, "{text}");
        }
    }
}
