//! What a page may say.

use serde::Deserialize;

use crate::action::Property;

/// Longest message that is read [bytes].
pub const LONGEST: usize = 4096;

/// What a page says.
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
    /// Begin again.
    Reset,
    /// Go faster or slower.
    Speed {
        /// Times real time.
        factor: f64,
    },
    /// Change gravity [m/s2].
    Gravity {
        /// The new value.
        value: [f64; 3],
    },
    /// Change a property of a body.
    Change {
        /// Index of the body.
        body: usize,
        /// Which property.
        property: Property,
        /// The new value.
        value: f64,
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
        assert_eq!(serde_json::from_str::<Said>(grab).ok(), Some(said));
        for text in [
            "",
            "{}",
            "[]",
            r#"{"type":"grab"}"#,
            r#"{"type":"fly"}"#,
            r#"{"type":"step","count":-1}"#,
            r#"{"type":"drop","hand":0,"and":"more"}"#,
            r#"{"type":"change","body":0,"property":"colour","value":1}"#,
        ] {
            assert!(serde_json::from_str::<Said>(text).is_err(), "{text}");
        }
    }
}
