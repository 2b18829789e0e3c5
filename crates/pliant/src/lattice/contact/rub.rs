//! Dry friction of one contact: Coulomb's law, (8) of Joukhadar, "Robot-Phi", with a spring for the sticking part.
//!
//! As printed, (8) sticks only at a speed of exactly zero, which never occurs, and with whatever force is needed, which
//! a contact does not know. The solution here is that of the paper's footnote 6: the surfaces are connected by a spring
//! from the point of first contact. It is elastic-plastic: it slips at the static limit s N, then follows at the
//! kinetic limit c N, and sticks again when the motion stops or reverses.
//!
//! Energy is never created: with offset u before and w after a step of slip d = v dt, and the force -K w, the work done
//! on the body and the energy gained by the spring sum to
//!
//!   -K w.d + K (w.w - u.u) / 2 = -K |w - u|^2 / 2 - K w.(u + d - w),
//!
//! where u + d - w is zero while sticking and along w while sliding.

use crate::bytes::stored;
use crate::math::Vec3;

/// State of friction of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stick {
    /// Stretch of the spring between the surfaces, along them [m].
    pub offset: Vec3,
    /// Whether the surfaces slide.
    pub sliding: bool,
}

/// Constants of friction of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rubbing {
    /// Stiffness of the spring [N/m].
    pub stiffness: f64,
    /// Damping parallel to the spring while sticking [N s/m].
    pub damping: f64,
    /// Static coefficient s, not less than the kinetic one [-].
    pub hold: f64,
    /// Kinetic coefficient c [-].
    pub slide: f64,
}

impl Stick {
    /// Energy of the spring [J].
    pub fn stored(&self, stiffness: f64) -> f64 {
        0.5 * stiffness * self.offset.length_squared()
    }

    /// Turn the offset into the plane across `normal`, keeping its length.
    fn turn(&mut self, normal: Vec3) {
        let flat = across(self.offset, normal);
        let size = flat.length();
        // after a turn by a right angle it has no direction left
        let longer = if size > 1e-9 * self.offset.length() { self.offset.length() / size } else { 0.0 };
        self.offset = if longer.is_finite() { flat * longer } else { Vec3::ZERO };
    }
}

/// Friction force [N] on a body that moves with `velocity` [m/s] relative to what it touches, over a step `dt` [s], at
/// a contact with unit normal `normal` and normal force `pressed` [N].
pub fn slide(stick: &mut Stick, normal: Vec3, velocity: Vec3, dt: f64, pressed: f64, law: &Rubbing) -> Vec3 {
    let sound = pressed > 0.0 && pressed.is_finite() && law.stiffness > 0.0 && velocity.is_finite() && dt >= 0.0;
    if !sound {
        *stick = Stick::default();
        return Vec3::ZERO;
    }
    stick.turn(normal);
    let slip = across(velocity, normal);
    stick.offset += slip * dt;
    // sliding lasts until the motion stops or reverses
    stick.sliding &= slip.dot(stick.offset) > 0.0;
    let (kinetic, fixed) = (law.slide * pressed, law.hold.max(law.slide) * pressed);
    let (spring, damper) = (stick.offset * -law.stiffness, slip * -law.damping);
    if !stick.sliding && (spring + damper).length() <= fixed {
        return spring + damper;
    }
    stick.sliding = true;
    let size = spring.length();
    if size > kinetic {
        stick.offset *= kinetic / size;
        return spring * (kinetic / size);
    }
    spring + damper * share(spring, damper, kinetic)
}

/// The component of a vector across a unit vector.
fn across(v: Vec3, normal: Vec3) -> Vec3 {
    v - normal * normal.dot(v)
}

/// The largest fraction x up to one with |a + x b| <= limit, where |a| <= limit.
fn share(a: Vec3, b: Vec3, limit: f64) -> f64 {
    let (bb, ab) = (b.length_squared(), a.dot(b));
    let rest = (limit * limit - a.length_squared()).max(0.0);
    let root = (ab * ab + bb * rest).sqrt();
    // (root - ab) / bb in the form without cancellation
    let x = if ab > 0.0 { rest / (root + ab) } else { (root - ab) / bb };
    if x < 1.0 { x.max(0.0) } else { 1.0 }
}

stored!(Stick { offset, sliding });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const LAW: Rubbing = Rubbing { stiffness: 1e4, damping: 60.0, hold: 0.6, slide: 0.5 };
    const GRAVITY: f64 = 9.81;

    /// A block of 1 kg on an incline for a time, let go over `laid` seconds: how far it has come along it at each step.
    fn incline(angle: f64, time: f64, noise: f64, laid: f64) -> Vec<f64> {
        let (normal, down) = (Vec3::new(angle.sin(), 0.0, angle.cos()), Vec3::new(angle.cos(), 0.0, -angle.sin()));
        let (dt, mut stick, mut random) = (1e-3, Stick::default(), Random(5));
        let (mut place, mut velocity) = (Vec3::ZERO, Vec3::ZERO);
        let mut course = Vec::new();
        for step in 0..(time / dt) as usize {
            let freed = (step as f64 * dt / laid).min(1.0);
            let pressed = GRAVITY * angle.cos() * (1.0 + noise * random.signed());
            let force = down * (freed * GRAVITY * angle.sin()) + slide(&mut stick, normal, velocity, dt, pressed, &LAW);
            velocity += force * dt;
            place += velocity * dt;
            course.push(place.dot(down));
        }
        course
    }

    #[test]
    fn block_on_an_incline_sticks_without_creep() {
        let angle = 0.98 * 0.6f64.atan();
        for noise in [0.0, 0.01] {
            let course = incline(angle, 60.0, noise, 1.0);
            // it hangs in the spring: m g sin a / K
            let (settled, end) = (course[2000], course[course.len() - 1]);
            assert!((end - GRAVITY * angle.sin() / 1e4).abs() < 1e-9, "{end}");
            assert!((end - settled).abs() < 1e-9, "creep {}", end - settled);
        }
    }

    #[test]
    fn block_on_a_steep_incline_slides_as_in_textbooks() {
        for (angle, noise, tolerance) in [(0.7f64, 0.0, 2e-3), (0.7, 0.05, 5e-3), (1.2, 0.0, 1e-3)] {
            let course = incline(angle, 2.0, noise, 1e-9);
            let n = course.len() - 1;
            // acceleration from places one second apart, after the start
            let found = (course[n] - 2.0 * course[n - 900] + course[n - 1800]) / 0.81;
            let expected = GRAVITY * (angle.sin() - 0.5 * angle.cos());
            assert!((found / expected - 1.0).abs() < tolerance, "{found} {expected}");
        }
    }

    #[test]
    fn gives_way_at_the_static_limit_and_follows_at_the_kinetic() {
        let (mut stick, law) = (Stick::default(), Rubbing { damping: 0.0, ..LAW });
        let (mut most, mut last): (f64, f64) = (0.0, 0.0);
        for _ in 0..20_000 {
            last = slide(&mut stick, Vec3::Z, Vec3::new(1e-3, 0.0, 5.0), 1e-4, 10.0, &law).x;
            most = most.max(-last);
        }
        assert!((most - 6.0).abs() < 2e-3, "{most}");
        assert!((last + 5.0).abs() < 1e-9, "{last}");
        // after reversal it sticks again
        slide(&mut stick, Vec3::Z, Vec3::X * -1e-3, 1e-4, 10.0, &law);
        assert!(!stick.sliding);
    }

    #[test]
    fn energy_is_never_made() {
        let mut random = Random(11);
        for damping in [0.0, 60.0, 6000.0] {
            let (law, mut stick) = (Rubbing { damping, ..LAW }, Stick::default());
            let (mut normal, mut sticking, mut sliding) = (Vec3::Z, 0, 0);
            for _ in 0..100_000 {
                // normals turn, pressing changes and sometimes ends
                normal = (normal + random.vector() * 0.05).normalize();
                let pressed = (random.fraction() * 12.0 - 1.0) * if random.fraction() < 0.01 { -1.0 } else { 1.0 };
                let speed = if random.fraction() < 0.5 { 0.01 } else { 1.0 };
                let (velocity, dt) = (random.vector() * speed, 1e-3 * random.fraction());
                let before = stick.stored(law.stiffness);
                let force = slide(&mut stick, normal, velocity, dt, pressed, &law);
                let made = force.dot(velocity) * dt + stick.stored(law.stiffness) - before;
                assert!(made <= 1e-15 * (1.0 + before), "{made}");
                assert!(force.length() <= 0.6 * pressed.max(0.0) * (1.0 + 1e-12));
                assert!(force.dot(normal).abs() < 1e-12);
                if stick.sliding {
                    sliding += 1;
                    assert!(force.length() <= 0.5 * pressed * (1.0 + 1e-9));
                } else {
                    sticking += 1;
                }
            }
            assert!(sticking > 1000 && sliding > 1000, "{sticking} {sliding}");
        }
    }

    #[test]
    fn a_turning_normal_keeps_the_stretch() {
        let mut stick = Stick { offset: Vec3::X * 1e-4, sliding: false };
        for i in 1..=1000 {
            // a full turn about y
            let (sin, cos) = (i as f64 * std::f64::consts::TAU / 1000.0).sin_cos();
            slide(&mut stick, Vec3::new(sin, 0.0, cos), Vec3::ZERO, 1e-3, 10.0, &LAW);
        }
        assert!((stick.offset - Vec3::X * 1e-4).length() < 1e-15);
    }

    #[test]
    fn nothing_panics() {
        let bad = [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300];
        for a in bad {
            for b in bad {
                let mut stick = Stick { offset: Vec3::new(a, b, a), sliding: true };
                let law = Rubbing { stiffness: a, damping: b, hold: a, slide: b };
                slide(&mut stick, Vec3::new(b, a, 0.0), Vec3::splat(a), b, a, &law);
            }
        }
    }
}
