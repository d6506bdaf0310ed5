//! Numbers between JSON and WIT, exactly or not at all.
//!
//! An integer may be written as a whole float (`5.0`, `1e3`) within ±2^53, as JSON Schema has it;
//! `-0` is 0. 64-bit integers beyond ±2^53 are decimal strings in output, because most readers of
//! JSON round them; in input they may be a string of any size, or an exact integer number.

use super::error::{InputError, OutputError};
use super::path::Path;
use serde_json::{Number, Value};
use wasmtime::component::Val;

/// Integers up to here survive every reader of JSON.
const EXACT: u64 = 1 << 53;

/// An integer type of WIT with at most 32 bits.
pub(super) fn small<T: TryFrom<i128>>(
    value: &Value,
    name: &str,
    range: (i64, i64),
    path: Path<'_>,
) -> Result<T, InputError> {
    let expected = || format!("an integer from {} to {} ({name})", range.0, range.1);
    let number = value.as_number().and_then(whole).and_then(|whole| T::try_from(whole).ok());
    number.ok_or_else(|| path.refuse(expected(), value))
}

/// `s64` or `u64`.
pub(super) fn large<T: TryFrom<i128>>(value: &Value, name: &str, path: Path<'_>) -> Result<T, InputError> {
    let whole = match value {
        Value::Number(number) => whole(number),
        Value::String(text) => canonical(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    whole.and_then(|whole| T::try_from(whole).ok()).ok_or_else(|| {
        path.refuse(format!("a 64-bit integer ({name}), or a string of its plain decimal digits"), value)
    })
}

fn whole(number: &Number) -> Option<i128> {
    if let Some(unsigned) = number.as_u64() {
        return Some(i128::from(unsigned));
    }
    if let Some(signed) = number.as_i64() {
        return Some(i128::from(signed));
    }
    let float = number.as_f64()?;
    // Within ±2^53 a whole float is exactly what was written.
    (float.fract() == 0.0 && float.abs() <= EXACT as f64).then_some(float as i128)
}

/// Digits as they'd be printed: no sign but a minus, no leading zeros, no `-0`.
fn canonical(text: &str) -> Option<i128> {
    if text.len() > 20 {
        return None;
    }
    let number: i128 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// A 64-bit integer as JSON.
pub(super) fn large_to_json(value: i128) -> Value {
    match (i64::try_from(value), value.unsigned_abs() <= u128::from(EXACT)) {
        (Ok(exact), true) => Value::from(exact),
        _ => Value::String(value.to_string()),
    }
}

/// `f64`.
pub(super) fn f64_from(value: &Value, path: Path<'_>) -> Result<f64, InputError> {
    let number = value.as_f64().filter(|float| float.is_finite());
    number.ok_or_else(|| path.refuse("a number (f64; NaN and infinities can't be passed)", value))
}

/// `f32`: the nearest one, if the number is within its range.
pub(super) fn f32_from(value: &Value, path: Path<'_>) -> Result<f32, InputError> {
    let number = value.as_f64().map(|float| float as f32).filter(|float| float.is_finite());
    number.ok_or_else(|| {
        path.refuse("a number in the range of f32 (NaN and infinities can't be passed)", value)
    })
}

/// `f64` as JSON: printed by the shortest digits that read back to it.
pub(super) fn f64_to_json(float: f64, path: Path<'_>) -> Result<Value, OutputError> {
    Number::from_f64(float).map(Value::Number).ok_or_else(|| {
        path.unwritable(format!("{float} has no form in JSON; NaN and infinities are refused"))
    })
}

/// `f32` as JSON: the shortest digits that read back to it, not those of the wider f64.
pub(super) fn f32_to_json(float: f32, path: Path<'_>) -> Result<Value, OutputError> {
    let exact = f64::from(float);
    let short =
        float.to_string().parse::<f64>().ok().filter(|short| (*short as f32).to_bits() == float.to_bits());
    f64_to_json(short.unwrap_or(exact), path)
}

/// Whole numbers of any WIT integer type.
pub(super) fn integer_of(val: &Val) -> Option<i128> {
    Some(match val {
        Val::S8(value) => i128::from(*value),
        Val::U8(value) => i128::from(*value),
        Val::S16(value) => i128::from(*value),
        Val::U16(value) => i128::from(*value),
        Val::S32(value) => i128::from(*value),
        Val::U32(value) => i128::from(*value),
        Val::S64(value) => i128::from(*value),
        Val::U64(value) => i128::from(*value),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn u64_of(value: Value) -> Option<u64> {
        large(&value, "u64", Path::ROOT).ok()
    }

    fn s64_of(value: Value) -> Option<i64> {
        large(&value, "s64", Path::ROOT).ok()
    }

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_64_bit_integer_is_taken_as_an_exact_number_or_as_canonical_digits() {
        assert_eq!(u64_of(json!("18446744073709551615")), Some(u64::MAX));
        assert_eq!(u64_of(parsed("18446744073709551615")), Some(u64::MAX));
        assert_eq!(u64_of(json!("7")), Some(7));
        assert_eq!(s64_of(json!("-9223372036854775808")), Some(i64::MIN));
        for bad in ["", "+5", "05", "-0", "1.0", " 5", "5 ", "1e3", "0x5", "１", "18446744073709551616", "-1"]
        {
            assert_eq!(u64_of(json!(bad)), None, "{bad:?}");
        }
        assert_eq!(u64_of(parsed("1.8446744073709552e19")), None);
        assert_eq!(u64_of(parsed("18446744073709551616")), None);
    }

    #[test]
    fn whole_floats_are_integers_and_others_are_not() {
        let small_of = |text: &str| small::<u8>(&parsed(text), "u8", (0, 255), Path::ROOT).ok();
        assert_eq!(small_of("5.0"), Some(5));
        assert_eq!(small_of("1e2"), Some(100));
        assert_eq!(small_of("-0"), Some(0));
        for bad in ["1.5", "256", "-1", "1e300", "\"5\"", "true", "null"] {
            assert_eq!(small_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn output_beyond_2_to_the_53_is_a_string() {
        assert_eq!(large_to_json(1 << 53), json!(9007199254740992u64));
        assert_eq!(large_to_json(-(1 << 53)), json!(-9007199254740992i64));
        assert_eq!(large_to_json((1 << 53) + 1), json!("9007199254740993"));
        assert_eq!(large_to_json(-(1 << 53) - 1), json!("-9007199254740993"));
        assert_eq!(large_to_json(u64::MAX.into()), json!("18446744073709551615"));
    }

    #[test]
    fn f32_prints_the_shortest_digits_that_read_back() {
        assert_eq!(f32_to_json(0.1, Path::ROOT).unwrap().to_string(), "0.1");
        assert_eq!(f32_to_json(-0.0, Path::ROOT).unwrap().to_string(), "-0.0");
        assert!(f32_to_json(f32::NAN, Path::ROOT).is_err());
        assert!(f32_from(&json!(3.5e38), Path::ROOT).is_err());
        assert_eq!(f32_from(&json!(3.4028234663852886e38), Path::ROOT), Ok(f32::MAX));
    }
}
