//! Component values into JSON.

use super::error::OutputError;
use super::number::{f32_to_json, f64_to_json, integer_of, large_to_json};
use super::path::Path;
use crate::reflect::{Names, Signature, WitName, WitType};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use wasmtime::component::Val;

/// What a function returned.
#[derive(Debug, Clone, PartialEq)]
pub enum Returned {
    /// It went well: the value; of a `result<T, E>` its T; null where there is none.
    Value(Value),
    /// The E of a `result<T, E>`: the function says that it failed.
    Err(Value),
}

/// The result of a call, as `Func::call` leaves it: one value, or none.
pub fn result_to_json(signature: &Signature, results: Vec<Val>) -> Result<Returned, OutputError> {
    let path = Path::ROOT;
    let mut results = results.into_iter();
    match (&signature.result, results.next(), results.next()) {
        (None, None, None) => Ok(Returned::Value(Value::Null)),
        (Some(WitType::Result { ok, .. }), Some(Val::Result(Ok(value))), None) => {
            payload(ok.as_deref(), value, path).map(Returned::Value)
        }
        (Some(WitType::Result { err, .. }), Some(Val::Result(Err(value))), None) => {
            payload(err.as_deref(), value, path).map(Returned::Err)
        }
        (Some(ty), Some(value), None) => json_of(ty, value, path).map(Returned::Value),
        (Some(_) | None, _, _) => {
            Err(path.unwritable("the call gave another number of results than declared"))
        }
    }
}

fn payload(ty: Option<&WitType>, value: Option<Box<Val>>, path: Path<'_>) -> Result<Value, OutputError> {
    match (ty, value) {
        (Some(ty), Some(value)) => json_of(ty, *value, path),
        (None, None) => Ok(Value::Null),
        (Some(_), None) | (None, Some(_)) => Err(path.unwritable("the payload isn't as declared")),
    }
}

fn json_of(ty: &WitType, value: Val, path: Path<'_>) -> Result<Value, OutputError> {
    Ok(match (ty, value) {
        (WitType::Bool, Val::Bool(value)) => Value::Bool(value),
        (
            WitType::S8
            | WitType::U8
            | WitType::S16
            | WitType::U16
            | WitType::S32
            | WitType::U32
            | WitType::S64
            | WitType::U64,
            value,
        ) => large_to_json(integer_of(&value).ok_or_else(|| mismatch(ty, path))?),
        (WitType::F32, Val::Float32(value)) => f32_to_json(value, path)?,
        (WitType::F64, Val::Float64(value)) => f64_to_json(value, path)?,
        (WitType::Char, Val::Char(value)) => Value::String(value.into()),
        (WitType::String, Val::String(value)) => Value::String(value),
        (WitType::Bytes, Val::List(values)) => bytes(values, path)?,
        (WitType::List(element), Val::List(values)) => elements(element, values, path)?,
        (WitType::FixedList { element, .. }, Val::FixedLengthList(values)) => {
            elements(element, values, path)?
        }
        (WitType::Map { key, value }, Val::Map(pairs)) => map(key, value, pairs, path)?,
        (WitType::Tuple(types), Val::Tuple(values)) if types.len() == values.len() => {
            let pairs = types.iter().zip(values).enumerate();
            Value::Array(
                pairs
                    .map(|(at, (ty, value))| json_of(ty, value, path.index(at)))
                    .collect::<Result<_, _>>()?,
            )
        }
        (WitType::Option(_), Val::Option(None)) => Value::Null,
        (WitType::Option(inner), Val::Option(Some(value))) => match **inner {
            WitType::Option(_) => json!({"some": json_of(inner, *value, path.key("some"))?}),
            _ => json_of(inner, *value, path)?,
        },
        (WitType::Result { ok, .. }, Val::Result(Ok(value))) => {
            json!({"ok": payload(ok.as_deref(), value, path.key("ok"))?})
        }
        (WitType::Result { err, .. }, Val::Result(Err(value))) => {
            json!({"err": payload(err.as_deref(), value, path.key("err"))?})
        }
        (WitType::Record(record), Val::Record(values)) if record.fields.len() == values.len() => {
            let mut object = Map::with_capacity(values.len());
            for (field, (_, value)) in record.fields.iter().zip(values) {
                let name = field.name.snake();
                object.insert(name.to_owned(), json_of(&field.ty, value, path.key(name))?);
            }
            Value::Object(object)
        }
        (WitType::Variant(variant), Val::Variant(name, value)) => {
            let case = variant.cases.iter().find(|case| case.name.kebab() == name);
            let case = case.ok_or_else(|| mismatch(ty, path))?;
            let name = case.name.snake();
            match (&case.ty, value) {
                (None, None) => json!({"case": name}),
                (Some(ty), Some(value)) => {
                    json!({"case": name, "value": json_of(ty, *value, path.key("value"))?})
                }
                (Some(_), None) | (None, Some(_)) => return Err(mismatch(ty, path)),
            }
        }
        (WitType::Enum(names), Val::Enum(name)) => {
            Value::String(declared(names, &name, path)?.snake().to_owned())
        }
        (WitType::Flags(names), Val::Flags(set)) => {
            let set = set.iter().map(|name| Ok(Value::from(declared(names, name, path)?.snake())));
            Value::Array(set.collect::<Result<_, _>>()?)
        }
        (ty, _) => return Err(mismatch(ty, path)),
    })
}

fn mismatch(ty: &WitType, path: Path<'_>) -> OutputError {
    path.unwritable(format!("the value isn't the declared {}", ty.label()))
}

fn declared<'n>(names: &'n Names, name: &str, path: Path<'_>) -> Result<&'n WitName, OutputError> {
    let found = names.names.iter().map(|named| &named.name).find(|known| known.kebab() == name);
    found.ok_or_else(|| path.unwritable("a name that isn't declared"))
}

fn elements(element: &WitType, values: Vec<Val>, path: Path<'_>) -> Result<Value, OutputError> {
    let values = values.into_iter().enumerate();
    values
        .map(|(at, value)| json_of(element, value, path.index(at)))
        .collect::<Result<_, _>>()
        .map(Value::Array)
}

fn bytes(values: Vec<Val>, path: Path<'_>) -> Result<Value, OutputError> {
    let bytes: Option<Vec<u8>> =
        values.iter().map(|value| if let Val::U8(byte) = value { Some(*byte) } else { None }).collect();
    bytes.map(|bytes| bytes_to_json(&bytes)).ok_or_else(|| mismatch(&WitType::Bytes, path))
}

/// Bytes as base64.
pub(super) fn bytes_to_json(bytes: &[u8]) -> Value {
    Value::String(STANDARD.encode(bytes))
}

fn map(key: &WitType, of: &WitType, pairs: Vec<(Val, Val)>, path: Path<'_>) -> Result<Value, OutputError> {
    if *key == WitType::String {
        let mut object = Map::with_capacity(pairs.len());
        for (name, value) in pairs {
            let Val::String(name) = name else { return Err(mismatch(key, path)) };
            let value = json_of(of, value, path.key(&name))?;
            // Of equal keys the last one counts, as the component model has it.
            object.insert(name, value);
        }
        return Ok(Value::Object(object));
    }
    let pairs = pairs.into_iter().enumerate().map(|(index, (name, value))| {
        let at = path.index(index);
        Ok(Value::Array(vec![json_of(key, name, at.index(0))?, json_of(of, value, at.index(1))?]))
    });
    pairs.collect::<Result<_, _>>().map(Value::Array)
}
