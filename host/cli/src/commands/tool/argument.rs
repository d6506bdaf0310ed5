//! A tool's arguments as they are typed: one JSON object, or `--arg name=value` read by type.

use super::shape;
use crate::args::ToolArgument;
use crate::exit::Refusal;
use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ringfence_sandbox::reflect::{Signature, WitType};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Read;

/// Bytes of an argument object at most.
const INPUT_BYTES: u64 = 64 << 20;

/// Arguments as a command line has them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Typed<'a> {
    /// One object; `-` for standard input.
    pub(super) json: Option<&'a str>,
    /// Single ones.
    pub(super) arguments: &'a [ToolArgument],
    /// Single ones whose values are in files.
    pub(super) files: &'a [ToolArgument],
}

/// The input object of a call; `hint` says what the tool takes.
pub(super) fn input(signature: &Signature, typed: Typed<'_>, hint: &str) -> Result<Value> {
    match typed.json {
        Some("-") => {
            let mut text = String::new();
            std::io::stdin()
                .take(INPUT_BYTES)
                .read_to_string(&mut text)
                .context("the arguments can't be read from standard input")?;
            object(&text, hint)
        }
        Some(text) => object(text, hint),
        None => by_type(signature, typed, hint),
    }
}

fn object(text: &str, hint: &str) -> Result<Value> {
    let refused = |what: String| Err(Refusal::usage(what).hint(hint).into());
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => refused("the arguments aren't a JSON object: {\"name\": value, …}".to_owned()),
        Err(error) => refused(format!("the arguments aren't JSON: {error}")),
    }
}

fn by_type(signature: &Signature, typed: Typed<'_>, hint: &str) -> Result<Value> {
    let refused = |what: String| anyhow::Error::from(Refusal::usage(what).hint(hint));
    let mut object = Map::new();
    let all = typed.arguments.iter().map(|argument| (argument, false));
    for (ToolArgument { name, value }, is_file) in all.chain(typed.files.iter().map(|one| (one, true))) {
        // Both spellings are one name.
        let snake = name.replace('-', "_");
        let Some(param) = signature.params.iter().find(|param| param.name.snake() == snake) else {
            return Err(refused(format!("the tool has no parameter `{name}`")));
        };
        let ty = given(&param.ty);
        let read = if is_file { from_file(ty, value)? } else { read(ty, value) };
        let read = read.map_err(|wanted| {
            refused(format!("{} can't be the argument `{snake}`: want {wanted}", shown(value, is_file)))
        })?;
        match (object.get_mut(&snake), ty, read) {
            (None, _, read) => drop(object.insert(snake, read)),
            // A list can be given entry by entry.
            (Some(Value::Array(known)), WitType::List(_) | WitType::Flags(_), Value::Array(more)) => {
                known.extend(more);
            }
            (Some(_), _, _) => return Err(refused(format!("the argument `{snake}` is given twice"))),
        }
    }
    let missing: Vec<_> = signature
        .params
        .iter()
        .filter(|param| !matches!(param.ty, WitType::Option(_)) && !object.contains_key(param.name.snake()))
        .map(|param| format!("`{}` ({})", param.name.snake(), shape::of(&param.ty)))
        .collect();
    match missing.as_slice() {
        [] => Ok(Value::Object(object)),
        [one] => Err(refused(format!("the argument {one} is missing"))),
        several => Err(refused(format!("the arguments {} are missing", several.join(", ")))),
    }
}

fn shown(value: &str, is_file: bool) -> String {
    const CHARACTERS: usize = 200;
    let value = match value.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    };
    if is_file { format!("what is in {value}") } else { format!("`{value}`") }
}

/// The type of a value that is there.
fn given(ty: &WitType) -> &WitType {
    match ty {
        WitType::Option(inner) if !matches!(inner.as_ref(), WitType::Option(_)) => inner,
        other => other,
    }
}

/// What a file holds as a value of this type; what is wanted, if it can't be one.
fn from_file(ty: &WitType, path: &str) -> Result<Result<Value, String>> {
    let unreadable = |error: std::io::Error| Refusal::usage(format!("{path} can't be read: {error}"));
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(INPUT_BYTES + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > INPUT_BYTES {
        return Err(Refusal::usage(format!("{path} has more than {INPUT_BYTES} bytes")).into());
    }
    if matches!(ty, WitType::Bytes) {
        return Ok(Ok(Value::String(STANDARD.encode(bytes))));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => read(ty, &text),
        Err(_) => Err("UTF-8 text".to_owned()),
    })
}

/// The text as a value of this type; what is wanted, if it can't be one.
fn read(ty: &WitType, text: &str) -> Result<Value, String> {
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
            Ok(_) | Err(_) => Err(format!("a number ({})", shape::of(ty))),
        },
        WitType::List(element) => match whole_list(text) {
            Some(list) => Ok(list),
            None => Ok(json!([read(element, text)?])),
        },
        WitType::Flags(_) => match whole_list(text) {
            Some(list) => Ok(list),
            None => Ok(text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()),
        },
        WitType::Variant(variant) if variant.cases.iter().any(|case| case.name.snake() == text) => {
            Ok(json!({ "case": text }))
        }
        WitType::Option(_)
        | WitType::FixedList { .. }
        | WitType::Map { .. }
        | WitType::Tuple(_)
        | WitType::Result { .. }
        | WitType::Record(_)
        | WitType::Variant(_) => {
            serde_json::from_str(text).map_err(|error| format!("{} as JSON ({error})", shape::of(ty)))
        }
    }
}

/// A list that is given at once, as JSON.
fn whole_list(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_array)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_sandbox::reflect::{Case, Named, Names, Param, Variant};

    fn signature() -> Signature {
        let param = |name: &str, ty| Param { name: name.into(), ty };
        let named = |name: &str| Named { name: name.into(), docs: None };
        let case = |name: &str, ty| Case { name: name.into(), docs: None, ty };
        let option = |ty| WitType::Option(Box::new(ty));
        Signature {
            params: vec![
                param("file-path", WitType::String),
                param("first-line", option(WitType::U32)),
                param("deep", option(WitType::Bool)),
                param("names", option(WitType::List(Box::new(WitType::String)))),
                param("counts", option(WitType::List(Box::new(WitType::U8)))),
                param("data", option(WitType::Bytes)),
                param(
                    "modes",
                    option(WitType::Flags(Names { docs: None, names: vec![named("a"), named("b")] })),
                ),
                param(
                    "how",
                    option(WitType::Variant(Variant {
                        docs: None,
                        cases: vec![case("at-once", None), case("after", Some(WitType::U32))],
                    })),
                ),
                param("pair", option(WitType::Tuple(vec![WitType::U8, WitType::String]))),
            ],
            result: None,
        }
    }

    fn typed(words: &[&str], files: &[&str]) -> Result<Value> {
        let parsed =
            |words: &[&str]| words.iter().map(|word| word.parse().unwrap()).collect::<Vec<ToolArgument>>();
        let (arguments, files) = (parsed(words), parsed(files));
        input(&signature(), Typed { json: None, arguments: &arguments, files: &files }, "HINT")
    }

    #[test]
    fn a_value_is_read_by_its_parameter_s_type() {
        let value = typed(&["file_path=12", "first-line=3", "deep=true", r#"names=["a"]"#], &[]).unwrap();
        assert_eq!(value, json!({"file_path": "12", "first_line": 3, "deep": true, "names": ["a"]}));
        let value = typed(&[r#"file_path="读" = yes"#, "modes=a, b", "how=at_once", r#"pair=[1, "x"]"#], &[]);
        let wanted = json!({"file_path": r#""读" = yes"#, "modes": ["a", "b"], "how": {"case": "at_once"}, "pair": [1, "x"]});
        assert_eq!(value.unwrap(), wanted);
    }

    #[test]
    fn a_list_can_be_given_at_once_or_entry_by_entry() {
        let value = typed(&["file_path=x", "names=a", "names=[b", "counts=1", "counts=[2, 3]"], &[]).unwrap();
        assert_eq!(value, json!({"file_path": "x", "names": ["a", "[b"], "counts": [1, 2, 3]}));
    }

    #[test]
    fn a_value_can_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a=b.txt");
        std::fs::write(&file, b"\x00\xff\x01").unwrap();
        let data = format!("data={}", file.display());
        assert_eq!(typed(&["file_path=x"], &[&data]).unwrap()["data"], "AP8B");
        let error = typed(&[], &[&data.replace("data=", "file_path=")]).unwrap_err().to_string();
        assert!(error.starts_with("what is in ") && error.ends_with("want UTF-8 text"), "{error}");
        std::fs::write(&file, "[1, 2]").unwrap();
        let counts = data.replace("data=", "counts=");
        assert_eq!(typed(&["file_path=x"], &[&counts]).unwrap()["counts"], json!([1, 2]));
        assert!(typed(&[], &["data=/nowhere"]).unwrap_err().to_string().contains("/nowhere can't be read"));
    }

    #[test]
    fn an_argument_that_doesn_t_fit_names_what_is_wanted() {
        for (words, said) in [
            (vec!["first_line=x"], "`x` can't be the argument `first_line`: want a number (u32)"),
            (vec!["deep=1"], "`1` can't be the argument `deep`: want true or false"),
            (vec!["path=x"], "the tool has no parameter `path`"),
            (vec!["file_path=a", "file-path=b"], "the argument `file_path` is given twice"),
            (vec!["deep=true"], "the argument `file_path` (string) is missing"),
            (vec!["counts=x"], "`x` can't be the argument `counts`: want a number (u8)"),
        ] {
            assert_eq!(typed(&words, &[]).unwrap_err().to_string(), said);
        }
        let error = typed(&["pair=x"], &[]).unwrap_err().to_string();
        assert!(error.contains("want (u8, string) as JSON ("), "{error}");
    }

    #[test]
    fn an_object_is_taken_as_it_is() {
        let of = |json| input(&signature(), Typed { json: Some(json), ..Typed::default() }, "HINT");
        assert_eq!(of(r#"{"a": 1}"#).unwrap(), json!({"a": 1}));
        assert!(of("{a: 1}").unwrap_err().to_string().starts_with("the arguments aren't JSON: "));
        assert!(of("[1]").unwrap_err().to_string().starts_with("the arguments aren't a JSON object"));
    }
}
