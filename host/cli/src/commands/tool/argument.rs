//! A tool's arguments as they are typed: one JSON object, or `--arg name=value` read by type.

use crate::args::ToolArgument;
use crate::exit::Refusal;
use anyhow::{Context, Result};
use ringfence_sandbox::reflect::{Signature, WitType};
use serde_json::{Map, Value};
use std::io::Read;

/// Bytes of an argument object at most.
const INPUT_BYTES: u64 = 64 << 20;

/// The input object of a call.
pub(super) fn input(signature: &Signature, json: Option<&str>, arguments: &[ToolArgument]) -> Result<Value> {
    match json {
        Some("-") => {
            let mut text = String::new();
            std::io::stdin()
                .take(INPUT_BYTES)
                .read_to_string(&mut text)
                .context("the arguments can't be read from standard input")?;
            object(&text)
        }
        Some(text) => object(text),
        None => by_type(signature, arguments),
    }
}

fn object(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| {
        Refusal::usage(format!("the arguments aren't JSON: {error}"))
            .hint("give one object in quotes, '{\"file_path\": \"src/main.rs\"}', or --arg file_path=src/main.rs")
            .into()
    })
}

fn by_type(signature: &Signature, arguments: &[ToolArgument]) -> Result<Value> {
    let mut object = Map::new();
    for ToolArgument { name, value } in arguments {
        // Both spellings are one name.
        let snake = name.replace('-', "_");
        let Some(param) = signature.params.iter().find(|param| param.name.snake() == snake) else {
            let names: Vec<_> = signature.params.iter().map(|param| param.name.snake()).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(Refusal::usage(format!("the tool has no parameter `{name}`"))
                .hint(format!("it has {names}"))
                .into());
        };
        if object.contains_key(&snake) {
            return Err(Refusal::usage(format!("the argument `{snake}` is given twice")).into());
        }
        let read = typed(&param.ty, value).map_err(|wanted| {
            Refusal::usage(format!("`{value}` can't be the argument `{snake}`: want {wanted}"))
        })?;
        object.insert(snake, read);
    }
    Ok(Value::Object(object))
}

/// The text as a value of this type; what is wanted, if it can't be one.
fn typed(ty: &WitType, text: &str) -> Result<Value, String> {
    match ty {
        WitType::String | WitType::Char | WitType::Bytes | WitType::Enum(_) => Ok(Value::from(text)),
        WitType::Bool => text.trim().parse::<bool>().map(Value::from).map_err(|_| "true or false".to_owned()),
        WitType::S8
        | WitType::U8
        | WitType::S16
        | WitType::U16
        | WitType::S32
        | WitType::U32
        | WitType::S64
        | WitType::U64
        | WitType::F32
        | WitType::F64 => match serde_json::from_str(text.trim()) {
            Ok(number @ Value::Number(_)) => Ok(number),
            _ => Err("a number".to_owned()),
        },
        WitType::Option(inner) => match inner.as_ref() {
            WitType::Option(_) => json(text),
            inner => typed(inner, text),
        },
        WitType::List(_)
        | WitType::FixedList { .. }
        | WitType::Map { .. }
        | WitType::Tuple(_)
        | WitType::Result { .. }
        | WitType::Record(_)
        | WitType::Variant(_)
        | WitType::Flags(_) => json(text),
    }
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("JSON ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_sandbox::reflect::Param;
    use serde_json::json;

    fn signature() -> Signature {
        let param = |name: &str, ty| Param { name: name.into(), ty };
        Signature {
            params: vec![
                param("file-path", WitType::String),
                param("first-line", WitType::Option(Box::new(WitType::U32))),
                param("deep", WitType::Option(Box::new(WitType::Bool))),
                param("names", WitType::List(Box::new(WitType::String))),
            ],
            result: None,
        }
    }

    fn read(words: &[&str]) -> Result<Value> {
        let arguments: Vec<ToolArgument> = words.iter().map(|word| word.parse().unwrap()).collect();
        input(&signature(), None, &arguments)
    }

    #[test]
    fn a_value_is_read_by_its_parameter_s_type() {
        let value = read(&["file_path=12", "first-line=3", "deep=true", r#"names=["a"]"#]).unwrap();
        assert_eq!(value, json!({"file_path": "12", "first_line": 3, "deep": true, "names": ["a"]}));
        assert_eq!(
            read(&[r#"file_path="quoted" = yes"#]).unwrap(),
            json!({"file_path": r#""quoted" = yes"#})
        );
    }

    #[test]
    fn an_argument_that_doesn_t_fit_names_what_is_wanted() {
        for (words, said) in [
            (vec!["first_line=x"], "`x` can't be the argument `first_line`: want a number"),
            (vec!["deep=1"], "`1` can't be the argument `deep`: want true or false"),
            (vec!["path=x"], "the tool has no parameter `path`"),
            (vec!["file_path=a", "file-path=b"], "the argument `file_path` is given twice"),
        ] {
            assert_eq!(read(&words).unwrap_err().to_string(), said);
        }
        assert!(read(&["names=a"]).unwrap_err().to_string().contains("want JSON"));
    }

    #[test]
    fn an_object_is_taken_as_it_is() {
        assert_eq!(input(&signature(), Some(r#"{"a": 1}"#), &[]).unwrap(), json!({"a": 1}));
        assert!(input(&signature(), Some("{a: 1}"), &[]).is_err());
    }
}
