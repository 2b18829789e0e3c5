//! Parameters that a model derives, for reports.

/// A derived parameter, with its value and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// Symbol in the paper, such as `c_b`.
    pub symbol: &'static str,
    /// Value.
    pub value: f64,
    /// Unit.
    pub unit: &'static str,
    /// How it was derived.
    pub why: String,
}

impl Derived {
    /// A derived parameter and the reason for its value.
    pub fn new(symbol: &'static str, value: f64, unit: &'static str, why: impl Into<String>) -> Derived {
        Derived { symbol, value, unit, why: why.into() }
    }
}
