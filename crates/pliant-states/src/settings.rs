//! Settings of the analysis.

use serde::{Deserialize, Serialize};

/// When a contact counts, and what counts as an edge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// A contact begins above this force [N], and ends below half of it. By default 2 % of the median force of all
    /// contacts in the recording.
    pub force: Option<f64>,
    /// Contacts shorter than this do not count, gaps shorter than this do not end one, and no state is shorter [s].
    pub hold: f64,
    /// Triangles that meet at less than this belong to one face [degrees].
    pub edge_angle: f64,
    /// A contact is one of a rod's end if it is nearer to it than this many radii.
    pub end_radii: f64,
    /// Wrenches before and after a transition are those of straight lines through this time on either side [s].
    pub window: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { force: None, hold: 0.03, edge_angle: 30.0, end_radii: 2.0, window: 0.1 }
    }
}
