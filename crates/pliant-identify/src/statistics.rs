//! Tails of the distributions of Student and Fisher, by the incomplete beta function.

/// Logarithm of the gamma function (Lanczos, with Godfrey's coefficients).
fn ln_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let t = x + 7.5;
    let sum = COEFFICIENTS[1..].iter().zip(1..).fold(COEFFICIENTS[0], |sum, (c, k)| sum + c / (x + f64::from(k)));
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// Regularised incomplete beta function I_x(a, b), by its continued fraction.
fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // the fraction converges quickly below the mean
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta(1.0 - x, b, a);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp() / a;
    let apart = |v: f64| if v.abs() < 1e-300 { 1e-300 } else { v };
    let (mut c, mut d) = (1.0, 1.0 / apart(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in 1..300 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for step in [even, odd] {
            d = 1.0 / apart(1.0 + step * d);
            c = apart(1.0 + step / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0_f64).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

/// Probability that Student's t with these degrees of freedom is larger than `t` in size.
pub fn t_tail(t: f64, freedom: f64) -> f64 {
    beta(freedom / (freedom + t * t), 0.5 * freedom, 0.5)
}

/// The size that Student's t exceeds with this probability, by bisection.
pub fn t_quantile(tail: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if t_tail(middle, freedom) > tail { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Probability that Fisher's ratio with these degrees of freedom is larger than `ratio`.
pub fn f_tail(ratio: f64, [over, under]: [f64; 2]) -> f64 {
    beta(under / (under + over * ratio), 0.5 * under, 0.5 * over)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against printed tables (Abramowitz and Stegun, 26.7 and 26.9), and closed forms for few degrees of freedom.
    #[test]
    fn tails_are_those_of_tables() {
        for (freedom, t) in [(1.0, 12.706), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (120.0, 1.980)] {
            assert!((t_quantile(0.05, freedom) - t).abs() < 6e-4, "{freedom}: {}", t_quantile(0.05, freedom));
        }
        // one degree of freedom is the distribution of Cauchy
        assert!((t_tail(3.0, 1.0) - (1.0 - 2.0 / std::f64::consts::PI * 3.0_f64.atan())).abs() < 1e-13);
        for (over, under, ratio) in [(1.0, 10.0, 4.96), (5.0, 10.0, 3.33), (10.0, 20.0, 2.35)] {
            assert!((f_tail(ratio, [over, under]) - 0.05).abs() < 3e-4, "{over} over {under}");
        }
        // the square of t is F
        assert!((f_tail(4.0, [1.0, 7.0]) - t_tail(2.0, 7.0)).abs() < 1e-13);
    }
}
