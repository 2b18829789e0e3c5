//! Curves over time as SVG.

use std::fmt::Write as _;

use super::page::Pen;
use pliant_record::drawing::{escaped, nice_below};

/// A plot over time.
pub struct Chart<'a> {
    /// Title, with the unit.
    pub title: String,
    /// Whether to draw logarithms, for values that span powers of ten.
    pub logarithmic: bool,
    /// Duration of the scene [s].
    pub duration: f64,
    /// Curves as (time [s], value).
    pub curves: Vec<(Pen<'a>, Vec<[f64; 2]>)>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 250.0;
/// The plot area [px]. The page moves a line along it with time: see `page.html`.
const LEFT: f64 = 66.0;
const RIGHT: f64 = WIDTH - 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = HEIGHT - 40.0;

/// Largest number of decades in a logarithmic plot.
const DECADES: f64 = 4.0;

impl Chart<'_> {
    /// The plot as SVG text.
    pub fn svg(&self) -> String {
        let (low, high) = self.range();
        let title = escaped(&self.title);
        let mut out = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\" \
             data-left=\"{LEFT}\" data-right=\"{RIGHT}\" data-duration=\"{}\">\n\
             <text class=\"title\" x=\"{LEFT}\" y=\"18\">{title}</text>\n",
            self.duration
        );
        for (value, label) in self.value_ticks(low, high) {
            let y = place(value, low, high);
            let _ = writeln!(
                out,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 7.0,
                y + 4.0
            );
        }
        for (time, label) in ticks(0.0, self.duration, 6.0) {
            let x = self.x(time);
            let _ = writeln!(
                out,
                "<path class=\"axis\" d=\"M{x:.1} {BOTTOM}v4\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                BOTTOM + 17.0
            );
        }
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{LEFT} {BOTTOM}H{RIGHT}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">time [s]</text>",
            0.5 * (LEFT + RIGHT),
            HEIGHT - 6.0
        );
        for (pen, points) in &self.curves {
            let _ = write!(out, "<path fill=\"none\" {} d=\"", pen.line());
            let mut down = false;
            for [time, value] in points {
                let value = self.drawn(*value);
                if !value.is_finite() || value < low {
                    down = false;
                    continue;
                }
                let to = if down { 'L' } else { 'M' };
                let _ = write!(out, "{to}{:.1} {:.1}", self.x(*time), place(value, low, high));
                down = true;
            }
            out.push_str("\"/>\n");
        }
        let _ = writeln!(out, "<path class=\"cursor\" d=\"M{RIGHT} {TOP}V{BOTTOM}\"/>\n</svg>");
        out
    }

    fn x(&self, time: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * time / self.duration
    }

    fn drawn(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }

    fn range(&self) -> (f64, f64) {
        let values = self.curves.iter().flat_map(|(_, points)| points.iter()).map(|[_, value]| self.drawn(*value));
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            return if self.logarithmic { (-1.0, 0.0) } else { (0.0, 1.0) };
        }
        if self.logarithmic {
            let top = high.ceil().max(low.floor() + 1.0);
            return (low.floor().max(top - DECADES), top);
        }
        // forces are never negative here, and zero belongs in the picture
        (low.min(0.0), if high > 0.0 { 1.08 * high } else { 1.0 })
    }

    fn value_ticks(&self, low: f64, high: f64) -> Vec<(f64, String)> {
        if !self.logarithmic {
            return ticks(low, high, 5.0);
        }
        let decades = low as i32..=high as i32;
        decades.map(|power| (f64::from(power), plain(10f64.powi(power), (-power).max(0) as usize))).collect()
    }
}

fn place(value: f64, low: f64, high: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low)
}

/// A number without needless digits: with an exponent where it would be long.
fn plain(value: f64, digits: usize) -> String {
    if digits > 4 || value.abs() >= 1e6 { format!("{value:.0e}") } else { format!("{value:.digits$}") }
}

/// About `count` round numbers in a range, with their labels.
pub fn ticks(low: f64, high: f64, count: f64) -> Vec<(f64, String)> {
    let extent = high - low;
    if !(extent.is_finite() && extent > 0.0) {
        return vec![];
    }
    let step = nice_below(1.25 * extent / count);
    let digits = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).map(|value| (value, plain(value, digits))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let labels = |low, high| ticks(low, high, 5.0).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels(0.0, 3.0), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]);
        assert_eq!(labels(-0.28, 0.0), ["-0.25", "-0.20", "-0.15", "-0.10", "-0.05", "0.00"]);
        assert_eq!(labels(0.0, 1234.0), ["0", "200", "400", "600", "800", "1000", "1200"]);
        assert!(labels(1.0, 1.0).is_empty() && labels(0.0, f64::NAN).is_empty());
    }
}
