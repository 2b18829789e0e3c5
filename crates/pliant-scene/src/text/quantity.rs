//! Numbers with a unit and a range, checked while reading, so that the error points at the number itself.

use std::fmt;
use std::marker::PhantomData;

use pliant::math::Vec3;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};

/// The valid range of a quantity. NaN is in no range.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    min: f64,
    max: f64,
    /// Whether `min` itself is excluded.
    open: bool,
}

impl Range {
    const fn from(min: f64, max: f64) -> Range {
        Range { min, max, open: false }
    }

    const fn above(min: f64, max: f64) -> Range {
        Range { min, max, open: true }
    }

    pub(crate) fn holds(&self, value: f64) -> bool {
        let high_enough = if self.open { value > self.min } else { value >= self.min };
        high_enough && value <= self.max
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (min, max) = (short(self.min), short(self.max));
        match (self.open, self.max.is_finite()) {
            (false, true) => write!(f, "from {min} to {max}"),
            (true, true) => write!(f, "above {min} and at most {max}"),
            (false, false) => write!(f, "of at least {min}, or inf"),
            (true, false) => write!(f, "above {min}, or inf"),
        }
    }
}

/// A number as people write it, with an exponent for very large and small ones.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && size.is_finite() && !(1e-3..1e6).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// A number with a unit and a range.
pub(crate) trait Quantity: Copy {
    const NAME: &'static str;
    const UNIT: &'static str;
    const RANGE: Range;
    fn of(value: f64) -> Self;
    fn get(self) -> f64;

    /// Description for errors and the schema.
    fn expected() -> String {
        let article = if Self::NAME.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        format!("{article} {} {} [{}]", Self::NAME, Self::RANGE, Self::UNIT)
    }
}

/// Declares one newtype per quantity, which checks its range on reading and documents it in the schema.
macro_rules! quantity {
    ($($(#[$doc:meta])* $type:ident, $name:literal [$unit:literal] $kind:ident $min:literal .. $max:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) struct $type(f64);

        impl Quantity for $type {
            const NAME: &'static str = $name;
            const UNIT: &'static str = $unit;
            const RANGE: Range = Range::$kind($min, $max);
            fn of(value: f64) -> Self {
                $type(value)
            }
            fn get(self) -> f64 {
                self.0
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_f64(Number(PhantomData))
            }
        }

        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                number_schema::<$type>()
            }
        }
    )*};
}

quantity! {
    /// A size of something.
    Length, "length" ["m"] from 1e-9 .. 1e6;
    /// A distance between things, possibly none.
    Gap, "distance" ["m"] from 0.0 .. 1e3;
    /// A signed coordinate or distance.
    Coordinate, "coordinate" ["m"] from -1e6 .. 1e6;
    /// Duration of the scene or of a leg of a motion.
    Duration, "duration" ["s"] above 0.0 .. 1e6;
    /// Step of the world.
    Step, "step" ["s"] from 1e-7 .. 1.0;
    /// An instant.
    Time, "time" ["s"] from 0.0 .. 1e6;
    /// An instant that may never come.
    EndTime, "time" ["s"] from 0.0 .. f64::INFINITY;
    /// How fast something moves, in whatever direction.
    Speed, "speed" ["m/s"] above 0.0 .. 1e3;
    Velocity, "velocity" ["m/s"] from -1e6 .. 1e6;
    Acceleration, "acceleration" ["m/s2"] from -1e6 .. 1e6;
    Angle, "angle" ["degrees"] from -1e6 .. 1e6;
    Turns, "number of turns" ["-"] from -1e6 .. 1e6;
    /// Turns of a cable on a drum.
    Windings, "number of turns" ["-"] above 0.0 .. 1e6;
    Stretch, "stretch" ["-"] from 0.0 .. 10.0;
    Frequency, "frequency" ["Hz"] from 0.0 .. 1e6;
    Rate, "rate" ["Hz"] above 0.0 .. 1e7;
    Young, "Young's modulus" ["Pa"] from 1.0 .. 1e13;
    Poisson, "Poisson's ratio" ["-"] above -1.0 .. 0.51;
    Density, "density" ["kg/m3"] from 1e-3 .. 1e6;
    FrictionCoefficient, "coefficient of friction" ["-"] from 0.0 .. 1e3;
    FrictionExponent, "exponent" ["-"] above 0.0 .. 2.0;
    /// A component of a quaternion or a direction.
    Component, "component" ["-"] from -1e6 .. 1e6;
    Scale, "scale" ["-"] from 1e-9 .. 1e9;
    Percent, "percentage" ["%"] above 0.0 .. 100.0;
    BendAngle, "angle" ["degrees"] above 0.0 .. 180.0;
    Force, "force" ["N"] above 0.0 .. 1e15;
    BendingForce, "force" ["N"] from 0.0 .. 1e15;
    LoadForce, "force" ["N"] from -1e12 .. 1e12;
    BendingStiffness, "bending stiffness" ["N m2"] from 0.0 .. 1e15;
    /// EA or GA of a section.
    AxialRigidity, "rigidity" ["N"] from 1e-12 .. 1e15;
    /// EI or GJ of a section.
    BendingRigidity, "rigidity" ["N m2"] from 1e-18 .. 1e15;
    MassPerLength, "mass per length" ["kg/m"] from 1e-12 .. 1e9;
    Stiffness, "stiffness" ["N/m"] above 0.0 .. 1e15;
    /// Stiffness of a contact, possibly zero.
    ContactStiffness, "stiffness" ["N/m"] from 0.0 .. 1e12;
    ContactDamping, "damping" ["N s/m"] from 0.0 .. 1e12;
    /// Force per volume.
    VolumeStiffness, "stiffness" ["N/m3"] above 0.0 .. 1e18;
    VolumeDamping, "damping" ["N s/m3"] from 0.0 .. 1e18;
    /// Mass as which something gives way, possibly none.
    VirtualMass, "mass" ["kg"] from 0.0 .. 1e9;
    TurnInertia, "moment of inertia" ["kg m2"] from 0.0 .. 1e9;
    TurnStiffness, "stiffness" ["N m/rad"] from 0.0 .. 1e15;
    TurnDamping, "damping" ["N m s/rad"] from 0.0 .. 1e15;
    Viscosity, "viscosity" ["N s/m3 or N s2/m4"] from 0.0 .. 1e12;
    Energy, "energy" ["J"] above 0.0 .. 1e12;
    /// Angular velocity.
    Spin, "angular velocity" ["rad/s"] from -1e6 .. 1e6;
    /// A weight of an integration scheme.
    Weight, "weight" ["-"] from 0.0 .. 1.0;
    Curvature, "curvature" ["1/m"] above 0.0 .. 1e9;
    /// A signed natural curvature.
    Bend, "curvature" ["1/m"] from -1e9 .. 1e9;
    Twist, "twist" ["rad/m"] from -1e9 .. 1e9;
    /// A twist over the whole length.
    WholeTwist, "twist" ["degrees"] from -1e9 .. 1e9;
    Mobility, "scaling" ["m/N"] above 0.0 .. 1e9;
    Fraction, "fraction" ["-"] from 0.0 .. 1.0;
    /// A factor of something that must not vanish.
    Factor, "factor" ["-"] from 1e-9 .. 1e9;
    Damping, "damping" ["1/s"] from 0.0 .. 1e9;
    Stabilisation, "stabilisation" ["1/s"] from 0.0 .. 1e6;
    DampingTime, "damping time" ["s"] from 0.0 .. 1e6;
    /// Damping of a mode over its angular frequency.
    LossFactor, "loss factor" ["-"] from 0.0 .. 2.0;
    Restitution, "restitution" ["-"] from 0.0 .. 1.0;
    LineLoad, "load" ["N/m"] from -1e12 .. 1e12;
    LoadTorque, "torque" ["N m"] from -1e12 .. 1e12;
    /// Standard deviation of a torque.
    TorqueNoise, "noise" ["N m"] from 0.0 .. 1e12;
    StepLimit, "limit" ["segments"] above 0.0 .. 10.0;
    /// A coordinate of a joint.
    JointValue, "coordinate" ["rad or m"] from -1e6 .. 1e6;
    Mass, "mass" ["kg"] above 0.0 .. 1e9;
    /// Allowed error of an angle.
    AngleTolerance, "tolerance" ["rad"] from 1e-13 .. 0.1;
    /// Allowed relative error of an inertia matrix.
    InertiaError, "error" ["-"] from 1e-6 .. 1.0;
    /// How many times shorter cells are in one place than in another.
    Crowding, "ratio" ["-"] from 1.0 .. 1e3;
    /// A bound of an expectation, in the unit of its quantity.
    Bound, "number" ["unit of the quantity"] from -1e30 .. 1e30;
    /// A tolerance of an expectation, in the unit of its quantity.
    Tolerance, "tolerance" ["unit of the quantity"] from 0.0 .. 1e30;
}

struct Number<Q>(PhantomData<Q>);

impl<Q: Quantity> Visitor<'_> for Number<Q> {
    type Value = Q;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Q::expected())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Q, E> {
        if Q::RANGE.holds(value) {
            Ok(Q::of(value))
        } else {
            Err(E::custom(format!("expected {}, got {}", Q::expected(), short(value))))
        }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Q, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Q, E> {
        self.visit_f64(value as f64)
    }
}

fn number_schema<Q: Quantity>() -> Schema {
    let least = if Q::RANGE.open { "exclusiveMinimum" } else { "minimum" };
    let mut schema = json_schema!({ "type": "number", "unit": Q::UNIT });
    schema.insert(least.into(), Q::RANGE.min.into());
    if Q::RANGE.max.is_finite() {
        schema.insert("maximum".into(), Q::RANGE.max.into());
    }
    schema
}

/// A fixed number of quantities, such as the coordinates of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tuple<Q, const N: usize>(pub(crate) [Q; N]);

/// Three quantities, along x, y and z.
pub(crate) type Triple<Q> = Tuple<Q, 3>;

impl<Q: Quantity, const N: usize> Tuple<Q, N> {
    pub(crate) fn numbers(&self) -> [f64; N] {
        self.0.map(Quantity::get)
    }
}

impl<Q: Quantity> Triple<Q> {
    pub(crate) fn vector(&self) -> Vec3 {
        Vec3::from_array(self.numbers())
    }
}

impl<'de, Q: Quantity + Deserialize<'de>, const N: usize> Deserialize<'de> for Tuple<Q, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Numbers(PhantomData))
    }
}

struct Numbers<Q, const N: usize>(PhantomData<Q>);

impl<'de, Q: Quantity + Deserialize<'de>, const N: usize> Visitor<'de> for Numbers<Q, N> {
    type Value = Tuple<Q, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{N} numbers in brackets [{}]", Q::UNIT)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let wrong_length = |got| de::Error::invalid_length(got, &self);
        let mut values = [Q::of(0.0); N];
        for (index, value) in values.iter_mut().enumerate() {
            *value = seq.next_element()?.ok_or_else(|| wrong_length(index))?;
        }
        let mut extra = 0;
        while seq.next_element::<de::IgnoredAny>()?.is_some() {
            extra += 1;
        }
        if extra > 0 { Err(wrong_length(N + extra)) } else { Ok(Tuple(values)) }
    }
}

impl<Q: Quantity + JsonSchema, const N: usize> JsonSchema for Tuple<Q, N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("{}x{N}", Q::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": Q::json_schema(generator), "minItems": N, "maxItems": N })
    }
}

/// An integer from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Count<const MIN: usize, const MAX: usize>(pub(crate) usize);

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Count<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(Whole::<MIN, MAX>)
    }
}

struct Whole<const MIN: usize, const MAX: usize>;

impl<const MIN: usize, const MAX: usize> Visitor<'_> for Whole<MIN, MAX> {
    type Value = Count<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {MIN} to {MAX}")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        match usize::try_from(value) {
            Ok(count) if (MIN..=MAX).contains(&count) => Ok(Count(count)),
            _ => Err(E::custom(format!("expected a whole number from {MIN} to {MAX}, got {value}"))),
        }
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        self.visit_i64(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Count<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Count{MIN}to{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}
