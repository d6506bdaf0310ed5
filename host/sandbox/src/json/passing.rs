//! How values are handed over: as dynamic values, or typed where bytes are the whole of a
//! parameter or result. A dynamic `list<u8>` makes a value of each byte, hundreds of times slower
//! and forty times larger than the bytes; so the usual shapes of functions that take or give bytes
//! have a typed path, and JSON's base64 is decoded straight into it.

use super::error::{InputError, OutputError};
use super::input::{argument_bytes, argument_text, input_to_vals};
use super::output::{Returned, bytes_to_json, result_to_json};
use crate::reflect::{Signature, WitType};
use serde_json::Value;
use wasmtime::Store;
use wasmtime::component::{ComponentNamedList, Func, Lift, Lower, Val};

/// The arguments of one call, checked against the signature and ready to be passed.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments(Form);

#[derive(Debug, Clone, PartialEq)]
enum Form {
    Dynamic { params: Vec<Val>, results: usize },
    Typed { params: Params, result: ResultShape },
}

#[derive(Debug, Clone, PartialEq)]
enum Params {
    None,
    Text(String),
    Bytes(Vec<u8>),
    TextBytes(String, Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ResultShape {
    Nothing,
    Text,
    Bytes,
    NothingOrText,
    TextOrText,
    BytesOrText,
}

/// What a call gave, before it is JSON.
#[derive(Debug)]
pub struct Results(Given);

#[derive(Debug)]
enum Given {
    Dynamic(Vec<Val>),
    Typed(Returned),
}

/// Checks the arguments of a call against the signature and converts them.
pub fn arguments(signature: &Signature, input: &Value) -> Result<Arguments, InputError> {
    if let Some(result) = result_shape(signature)
        && let Some(params) = typed_params(signature, input)?
    {
        return Ok(Arguments(Form::Typed { params, result }));
    }
    let results = signature.result_count();
    Ok(Arguments(Form::Dynamic { params: input_to_vals(signature, input)?, results }))
}

impl Arguments {
    /// Whether the call takes the typed path.
    pub fn is_typed(&self) -> bool {
        matches!(self.0, Form::Typed { .. })
    }

    /// Calls the function that the signature was read from.
    pub async fn call<T: Send>(self, function: &Func, store: &mut Store<T>) -> wasmtime::Result<Results> {
        let given = match self.0 {
            Form::Dynamic { params, results } => {
                let mut values = vec![Val::Bool(false); results];
                function.call_async(store, &params, &mut values).await?;
                Given::Dynamic(values)
            }
            Form::Typed { params, result } => Given::Typed(match params {
                Params::None => typed(function, store, (), result).await?,
                Params::Text(text) => typed(function, store, (text,), result).await?,
                Params::Bytes(bytes) => typed(function, store, (bytes,), result).await?,
                Params::TextBytes(text, bytes) => typed(function, store, (text, bytes), result).await?,
            }),
        };
        Ok(Results(given))
    }
}

impl Results {
    /// The result as JSON.
    pub fn into_json(self, signature: &Signature) -> Result<Returned, OutputError> {
        match self.0 {
            Given::Dynamic(values) => result_to_json(signature, values),
            Given::Typed(returned) => Ok(returned),
        }
    }
}

/// The typed form of a result; none where bytes are nowhere, which is as fast the dynamic way.
fn result_shape(signature: &Signature) -> Option<ResultShape> {
    let shape = match &signature.result {
        None => ResultShape::Nothing,
        Some(WitType::String) => ResultShape::Text,
        Some(WitType::Bytes) => ResultShape::Bytes,
        Some(WitType::Result { ok, err: Some(err) }) if **err == WitType::String => match ok.as_deref() {
            None => ResultShape::NothingOrText,
            Some(WitType::String) => ResultShape::TextOrText,
            Some(WitType::Bytes) => ResultShape::BytesOrText,
            Some(_) => return None,
        },
        Some(_) => return None,
    };
    let gives_bytes = matches!(shape, ResultShape::Bytes | ResultShape::BytesOrText);
    let takes_bytes = signature.params.iter().any(|param| param.ty == WitType::Bytes);
    (gives_bytes || takes_bytes).then_some(shape)
}

fn typed_params(signature: &Signature, input: &Value) -> Result<Option<Params>, InputError> {
    Ok(Some(match signature.params.as_slice() {
        [] => {
            input_to_vals(signature, input)?;
            Params::None
        }
        [one] if one.ty == WitType::String => Params::Text(argument_text(signature, one, input)?),
        [one] if one.ty == WitType::Bytes => Params::Bytes(argument_bytes(signature, one, input)?),
        [text, bytes] if text.ty == WitType::String && bytes.ty == WitType::Bytes => Params::TextBytes(
            argument_text(signature, text, input)?,
            argument_bytes(signature, bytes, input)?,
        ),
        _ => return Ok(None),
    }))
}

async fn typed<T: Send, P: ComponentNamedList + Lower>(
    function: &Func,
    store: &mut Store<T>,
    params: P,
    result: ResultShape,
) -> wasmtime::Result<Returned> {
    match result {
        ResultShape::Nothing => {
            function.typed::<P, ()>(&*store)?.call_async(store, params).await?;
            Ok(Returned::Value(Value::Null))
        }
        ResultShape::Text => one::<T, P, String>(function, store, params).await,
        ResultShape::Bytes => one::<T, P, Vec<u8>>(function, store, params).await,
        ResultShape::NothingOrText => one::<T, P, Result<(), String>>(function, store, params).await,
        ResultShape::TextOrText => one::<T, P, Result<String, String>>(function, store, params).await,
        ResultShape::BytesOrText => one::<T, P, Result<Vec<u8>, String>>(function, store, params).await,
    }
}

async fn one<T: Send, P: ComponentNamedList + Lower, R: Lift + Typed + 'static>(
    function: &Func,
    store: &mut Store<T>,
    params: P,
) -> wasmtime::Result<Returned> {
    let (result,) = function.typed::<P, (R,)>(&*store)?.call_async(store, params).await?;
    Ok(result.returned())
}

/// A result with a typed path.
trait Typed {
    fn returned(self) -> Returned;
}

impl Typed for String {
    fn returned(self) -> Returned {
        Returned::Value(Value::String(self))
    }
}

impl Typed for Vec<u8> {
    fn returned(self) -> Returned {
        Returned::Value(bytes_to_json(&self))
    }
}

impl Typed for () {
    fn returned(self) -> Returned {
        Returned::Value(Value::Null)
    }
}

impl<R: Typed> Typed for Result<R, String> {
    fn returned(self) -> Returned {
        match self {
            Ok(value) => value.returned(),
            Err(error) => Returned::Err(Value::String(error)),
        }
    }
}
