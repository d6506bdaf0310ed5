//! JSON into component values.

use super::error::InputError;
use super::number::{f32_from, f64_from, large, small};
use super::path::{Path, one_of, quoted};
use crate::reflect::{Names, Param, Record, Signature, Variant, WitName, WitType};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use wasmtime::component::Val;

const ARGUMENTS: &str = "an object with the arguments";

/// The arguments of a call: an object with the parameters, in the order that the function wants.
pub fn input_to_vals(signature: &Signature, input: &Value) -> Result<Vec<Val>, InputError> {
    let params: Vec<_> = signature.params.iter().map(|param| (&param.name, &param.ty)).collect();
    let object = as_object(input, ARGUMENTS, Path::ROOT)?;
    let values = properties(object, &params, "argument", Path::ROOT)?;
    Ok(values.into_iter().map(|(_, val)| val).collect())
}

/// One argument of type `string`, after a look that nothing else is there than the signature has.
pub(super) fn argument_text(
    signature: &Signature,
    param: &Param,
    input: &Value,
) -> Result<String, InputError> {
    let at = Path::ROOT.key(param.name.snake());
    Ok(as_str(&WitType::String, argument(signature, param, input)?, at)?.to_owned())
}

/// The same of type `list<u8>`.
pub(super) fn argument_bytes(
    signature: &Signature,
    param: &Param,
    input: &Value,
) -> Result<Vec<u8>, InputError> {
    bytes(argument(signature, param, input)?, Path::ROOT.key(param.name.snake()))
}

fn argument<'v>(signature: &Signature, param: &Param, input: &'v Value) -> Result<&'v Value, InputError> {
    let object = as_object(input, ARGUMENTS, Path::ROOT)?;
    let names = || signature.params.iter().map(|param| &param.name);
    if let Some((key, value)) = object.iter().find(|(key, _)| !names().any(|name| name.snake() == *key)) {
        return Err(unknown("argument", names(), key, value, Path::ROOT));
    }
    object
        .get(param.name.snake())
        .ok_or_else(|| Path::ROOT.key(param.name.snake()).missing(expectation(&param.ty)))
}

fn unknown<'n>(
    kind: &str,
    names: impl Iterator<Item = &'n WitName>,
    key: &str,
    value: &Value,
    path: Path<'_>,
) -> InputError {
    let names = one_of(names.map(WitName::snake));
    path.key(key).refuse(format!("no {kind} of this name (there is {names})"), value)
}

fn as_object<'v>(
    value: &'v Value,
    expected: &str,
    path: Path<'_>,
) -> Result<&'v Map<String, Value>, InputError> {
    value.as_object().ok_or_else(|| path.refuse(expected, value))
}

/// Every declared name once, in order; absent options are none; nothing else may be there.
fn properties(
    object: &Map<String, Value>,
    declared: &[(&WitName, &WitType)],
    kind: &str,
    path: Path<'_>,
) -> Result<Vec<(String, Val)>, InputError> {
    let mut found = 0;
    let mut values = Vec::with_capacity(declared.len());
    for (name, ty) in declared {
        let at = path.key(name.snake());
        let val = match (object.get(name.snake()), ty) {
            (Some(value), _) => {
                found += 1;
                val(ty, value, at)?
            }
            (None, WitType::Option(_)) => Val::Option(None),
            (None, _) => return Err(at.missing(expectation(ty))),
        };
        values.push((name.kebab().to_owned(), val));
    }
    if found < object.len() {
        let known = |key: &String| declared.iter().any(|(name, _)| name.snake() == key);
        if let Some((key, value)) = object.iter().find(|(key, _)| !known(key)) {
            return Err(unknown(kind, declared.iter().map(|(name, _)| *name), key, value, path));
        }
    }
    Ok(values)
}

fn val(ty: &WitType, value: &Value, path: Path<'_>) -> Result<Val, InputError> {
    Ok(match ty {
        WitType::Bool => Val::Bool(value.as_bool().ok_or_else(|| path.refuse(expectation(ty), value))?),
        WitType::S8 => Val::S8(small(value, "s8", (i8::MIN.into(), i8::MAX.into()), path)?),
        WitType::U8 => Val::U8(small(value, "u8", (u8::MIN.into(), u8::MAX.into()), path)?),
        WitType::S16 => Val::S16(small(value, "s16", (i16::MIN.into(), i16::MAX.into()), path)?),
        WitType::U16 => Val::U16(small(value, "u16", (u16::MIN.into(), u16::MAX.into()), path)?),
        WitType::S32 => Val::S32(small(value, "s32", (i32::MIN.into(), i32::MAX.into()), path)?),
        WitType::U32 => Val::U32(small(value, "u32", (u32::MIN.into(), u32::MAX.into()), path)?),
        WitType::S64 => Val::S64(large(value, "s64", path)?),
        WitType::U64 => Val::U64(large(value, "u64", path)?),
        WitType::F32 => Val::Float32(f32_from(value, path)?),
        WitType::F64 => Val::Float64(f64_from(value, path)?),
        WitType::Char => Val::Char(one_char(value, path)?),
        WitType::String => Val::String(as_str(ty, value, path)?.to_owned()),
        WitType::Bytes => Val::List(bytes(value, path)?.into_iter().map(Val::U8).collect()),
        WitType::List(element) => Val::List(elements(element, as_array(ty, value, path)?, path)?),
        WitType::FixedList { element, length } => {
            let items = array_of(*length as usize, ty, value, path)?;
            Val::FixedLengthList(elements(element, items, path)?)
        }
        WitType::Map { key, value: of } => Val::Map(map(key, of, value, path)?),
        WitType::Tuple(types) => {
            let items = array_of(types.len(), ty, value, path)?;
            let vals = types.iter().zip(items).enumerate();
            Val::Tuple(vals.map(|(at, (ty, item))| val(ty, item, path.index(at))).collect::<Result<_, _>>()?)
        }
        WitType::Option(inner) => Val::Option(option(inner, value, path)?),
        WitType::Result { ok, err } => Val::Result(result(ok.as_deref(), err.as_deref(), value, path)?),
        WitType::Record(record) => Val::Record(fields(record, value, path)?),
        WitType::Variant(cases) => variant(cases, value, path)?,
        WitType::Enum(names) => Val::Enum(one_name(names, value, path)?.1.to_owned()),
        WitType::Flags(names) => Val::Flags(flags(names, value, path)?),
    })
}

fn expectation(ty: &WitType) -> String {
    match ty {
        WitType::Bool => "true or false".to_owned(),
        WitType::S8 | WitType::U8 | WitType::S16 | WitType::U16 | WitType::S32 | WitType::U32 => {
            format!("an integer ({})", ty.label())
        }
        WitType::S64 | WitType::U64 => format!("a 64-bit integer ({})", ty.label()),
        WitType::F32 | WitType::F64 => format!("a number ({})", ty.label()),
        WitType::Char => "a string of one character".to_owned(),
        WitType::String => "a string".to_owned(),
        WitType::Bytes => "a string of base64 (standard alphabet, padded)".to_owned(),
        WitType::List(_) => "an array".to_owned(),
        WitType::FixedList { length, .. } => format!("an array of {length}"),
        WitType::Map { key, .. } => match **key {
            WitType::String => "an object".to_owned(),
            _ => "an array of [key, value] pairs".to_owned(),
        },
        WitType::Tuple(types) => format!("an array of {}", types.len()),
        WitType::Option(inner) => match **inner {
            WitType::Option(_) => "null or {\"some\": value}".to_owned(),
            _ => format!("null or {}", expectation(inner)),
        },
        WitType::Result { .. } => "{\"ok\": value} or {\"err\": value}".to_owned(),
        WitType::Record(record) => {
            format!("an object with {}", one_of(record.fields.iter().map(|field| field.name.snake())))
        }
        WitType::Variant(variant) => format!(
            "{{\"case\": name, \"value\": payload}} with one of the cases {}",
            one_of(variant.cases.iter().map(|case| case.name.snake()))
        ),
        WitType::Enum(names) => format!("one of {}", names_of(names)),
        WitType::Flags(names) => format!("an array of names out of {}", names_of(names)),
    }
}

fn names_of(names: &Names) -> String {
    one_of(names.names.iter().map(|named| named.name.snake()))
}

fn as_str<'v>(ty: &WitType, value: &'v Value, path: Path<'_>) -> Result<&'v str, InputError> {
    value.as_str().ok_or_else(|| path.refuse(expectation(ty), value))
}

fn as_array<'v>(ty: &WitType, value: &'v Value, path: Path<'_>) -> Result<&'v [Value], InputError> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| path.refuse(expectation(ty), value))
}

fn array_of<'v>(
    length: usize,
    ty: &WitType,
    value: &'v Value,
    path: Path<'_>,
) -> Result<&'v [Value], InputError> {
    let items = as_array(ty, value, path)?;
    if items.len() == length { Ok(items) } else { Err(path.refuse(expectation(ty), value)) }
}

fn elements(element: &WitType, items: &[Value], path: Path<'_>) -> Result<Vec<Val>, InputError> {
    items.iter().enumerate().map(|(at, item)| val(element, item, path.index(at))).collect()
}

fn one_char(value: &Value, path: Path<'_>) -> Result<char, InputError> {
    let mut chars = as_str(&WitType::Char, value, path)?.chars();
    match (chars.next(), chars.next()) {
        (Some(char), None) => Ok(char),
        _ => Err(path.refuse(expectation(&WitType::Char), value)),
    }
}

fn bytes(value: &Value, path: Path<'_>) -> Result<Vec<u8>, InputError> {
    let text = as_str(&WitType::Bytes, value, path)?;
    STANDARD
        .decode(text)
        .map_err(|why| path.refuse(format!("{}; this isn't: {why}", expectation(&WitType::Bytes)), value))
}

fn map(key: &WitType, of: &WitType, value: &Value, path: Path<'_>) -> Result<Vec<(Val, Val)>, InputError> {
    let ty = || expectation(&WitType::Map { key: Box::new(key.clone()), value: Box::new(WitType::Bool) });
    if *key == WitType::String {
        let object = as_object(value, &ty(), path)?;
        return object
            .iter()
            .map(|(name, value)| Ok((Val::String(name.clone()), val(of, value, path.key(name))?)))
            .collect();
    }
    let pairs = value.as_array().ok_or_else(|| path.refuse(ty(), value))?;
    pairs
        .iter()
        .enumerate()
        .map(|(at, pair)| {
            let at = path.index(at);
            match pair.as_array().map(Vec::as_slice) {
                Some([first, second]) => Ok((val(key, first, at.index(0))?, val(of, second, at.index(1))?)),
                _ => Err(at.refuse("a [key, value] pair", pair)),
            }
        })
        .collect()
}

fn option(inner: &WitType, value: &Value, path: Path<'_>) -> Result<Option<Box<Val>>, InputError> {
    if value.is_null() {
        return Ok(None);
    }
    let some = match inner {
        WitType::Option(_) => match as_entry(value) {
            Some(("some", some)) => val(inner, some, path.key("some"))?,
            _ => return Err(path.refuse("null or {\"some\": value} (an option of an option)", value)),
        },
        _ => val(inner, value, path)?,
    };
    Ok(Some(Box::new(some)))
}

type Payload = Option<Box<Val>>;

fn result(
    ok: Option<&WitType>,
    err: Option<&WitType>,
    value: &Value,
    path: Path<'_>,
) -> Result<Result<Payload, Payload>, InputError> {
    match as_entry(value) {
        Some(("ok", value)) => Ok(Ok(payload(ok, value, path.key("ok"))?)),
        Some(("err", value)) => Ok(Err(payload(err, value, path.key("err"))?)),
        _ => Err(path.refuse("{\"ok\": value} or {\"err\": value}", value)),
    }
}

fn payload(ty: Option<&WitType>, value: &Value, path: Path<'_>) -> Result<Payload, InputError> {
    match ty {
        Some(ty) => Ok(Some(Box::new(val(ty, value, path)?))),
        None if value.is_null() => Ok(None),
        None => Err(path.refuse("null (there is no payload)", value)),
    }
}

/// The only entry of an object.
fn as_entry(value: &Value) -> Option<(&str, &Value)> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.iter().next().map(|(key, value)| (key.as_str(), value))
}

fn fields(record: &Record, value: &Value, path: Path<'_>) -> Result<Vec<(String, Val)>, InputError> {
    let object = value.as_object().ok_or_else(|| {
        path.refuse(
            format!("an object with {}", one_of(record.fields.iter().map(|field| field.name.snake()))),
            value,
        )
    })?;
    let declared: Vec<_> = record.fields.iter().map(|field| (&field.name, &field.ty)).collect();
    properties(object, &declared, "field", path)
}

fn variant(variant: &Variant, value: &Value, path: Path<'_>) -> Result<Val, InputError> {
    let cases = || one_of(variant.cases.iter().map(|case| case.name.snake()));
    let object =
        as_object(value, &format!("{{\"case\": name, \"value\": payload}} with one of {}", cases()), path)?;
    let name = object.get("case").ok_or_else(|| path.key("case").missing(format!("one of {}", cases())))?;
    let case = name.as_str().and_then(|name| variant.cases.iter().find(|case| case.name.snake() == name));
    let case = case.ok_or_else(|| path.key("case").refuse(format!("one of {}", cases()), name))?;
    if let Some((key, value)) = object.iter().find(|(key, _)| !matches!(key.as_str(), "case" | "value")) {
        return Err(path.key(key).refuse("only `case` and `value` here", value));
    }
    let at = path.key("value");
    let payload = match (&case.ty, object.get("value")) {
        (Some(ty), Some(value)) => Some(Box::new(val(ty, value, at)?)),
        (None, None) => None,
        (Some(ty), None) => return Err(at.missing(expectation(ty))),
        (None, Some(value)) => {
            return Err(at.refuse(format!("nothing: the case `{}` has no value", case.name.snake()), value));
        }
    };
    Ok(Val::Variant(case.name.kebab().to_owned(), payload))
}

/// A declared name: its position and WIT's spelling.
fn one_name<'n>(names: &'n Names, value: &Value, path: Path<'_>) -> Result<(usize, &'n str), InputError> {
    let at = value.as_str().and_then(|text| names.names.iter().position(|named| named.name.snake() == text));
    let named = at.and_then(|at| Some((at, names.names.get(at)?.name.kebab())));
    named.ok_or_else(|| path.refuse(format!("one of {}", names_of(names)), value))
}

fn flags(names: &Names, value: &Value, path: Path<'_>) -> Result<Vec<String>, InputError> {
    let expected = || format!("an array of names out of {}", names_of(names));
    let items = value.as_array().ok_or_else(|| path.refuse(expected(), value))?;
    let mut set = vec![false; names.names.len()];
    for (index, item) in items.iter().enumerate() {
        let at = path.index(index);
        let (flag, name) = one_name(names, item, at)?;
        match set.get_mut(flag) {
            Some(seen) if !*seen => *seen = true,
            _ => return Err(at.refuse(format!("each flag once; {} is there twice", quoted(name)), item)),
        }
    }
    // In the declared order, as a component gives them.
    let chosen = names.names.iter().zip(set).filter(|(_, set)| *set);
    Ok(chosen.map(|(named, _)| named.name.kebab().to_owned()).collect())
}
