//! Parameters that a model derives, told to people.

/// A parameter that was derived, with its value and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// Symbol of the paper, such as `c_b`.
    pub symbol: &'static str,
    /// Value.
    pub value: f64,
    /// Unit.
    pub unit: &'static str,
    /// Where it comes from.
    pub why: String,
}

impl Derived {
    /// A parameter and the reason for its value.
    pub fn new(symbol: &'static str, value: f64, unit: &'static str, why: impl Into<String>) -> Derived {
        Derived { symbol, value, unit, why: why.into() }
    }
}
