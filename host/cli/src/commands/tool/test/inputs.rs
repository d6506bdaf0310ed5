//! Inputs that a tool may meet, made from its types alone: the ordinary, and what nobody thought of.
//!
//! The same signature always has the same inputs in the same order. One parameter at a time is odd, the
//! others are plain. Owns: the values. Doesn't own: what is done with them.

use ringfence_sandbox::reflect::{Signature, WitType};
use serde_json::{Map, Value, json};

/// Inputs of one tool at most.
pub(super) const MOST: usize = 160;
/// Bytes of a large text, and of a large list as JSON.
const LARGE: usize = 1 << 20;
/// Entries of a large list.
const MANY: usize = 10_000;
/// Values tried in a list, a field or a case; their combinations aren't.
const WITHIN: usize = 6;

/// One input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Input {
    /// All arguments.
    pub(super) value: Value,
    /// What is special about it: `path is empty`.
    pub(super) said: String,
}

/// A value, and what is special about it.
type Odd = (String, Value);

/// The inputs of a function.
pub(super) fn inputs(signature: &Signature) -> Vec<Input> {
    let plain = |with_options: bool| -> Map<String, Value> {
        let is_given = |ty: &WitType| with_options || !matches!(ty, WitType::Option(_));
        let params = signature.params.iter().filter(|param| is_given(&param.ty));
        params.map(|param| (param.name.snake().to_owned(), plain(&param.ty, param.name.snake()))).collect()
    };
    let mut all =
        vec![Input { value: Value::Object(plain(false)), said: "plain arguments, no options".to_owned() }];
    if signature.params.iter().any(|param| matches!(param.ty, WitType::Option(_))) {
        all.push(Input {
            value: Value::Object(plain(true)),
            said: "plain arguments, every option".to_owned(),
        });
    }
    for param in &signature.params {
        for (said, value) in odd(&param.ty, param.name.snake()) {
            let mut arguments = plain(false);
            arguments.insert(param.name.snake().to_owned(), value);
            all.push(Input {
                value: Value::Object(arguments),
                said: format!("{} {said}", param.name.snake()),
            });
        }
    }
    all.truncate(MOST);
    all
}

/// A value that a caller in good faith could give.
pub(super) fn plain(ty: &WitType, name: &str) -> Value {
    match ty {
        WitType::Bool => json!(true),
        WitType::S8
        | WitType::U8
        | WitType::S16
        | WitType::U16
        | WitType::S32
        | WitType::U32
        | WitType::S64
        | WitType::U64 => json!(1),
        WitType::F32 | WitType::F64 => json!(1.5),
        WitType::Char => json!("a"),
        WitType::String => json!(plain_text(name)),
        WitType::Bytes => json!("dGV4dA=="),
        WitType::List(element) => json!([plain(element, name)]),
        WitType::FixedList { element, length } => {
            // Its length is the type's; a longer one than any list here can't be plain.
            let length = usize::try_from(*length).unwrap_or(MANY).min(MANY);
            Value::Array(vec![plain(element, name); length])
        }
        WitType::Map { key, value } => map_of(key, vec![(plain(key, name), plain(value, name))]),
        WitType::Tuple(parts) => parts.iter().map(|part| plain(part, name)).collect(),
        WitType::Option(inner) => some(inner, plain(inner, name)),
        WitType::Result { ok, .. } => {
            json!({ "ok": ok.as_deref().map_or(Value::Null, |ok| plain(ok, name)) })
        }
        WitType::Record(record) => record
            .fields
            .iter()
            .map(|field| (field.name.snake().to_owned(), plain(&field.ty, field.name.snake())))
            .collect(),
        WitType::Variant(variant) => variant.cases.first().map_or(Value::Null, |case| {
            case_of(case.name.snake(), case.ty.as_ref().map(|ty| plain(ty, case.name.snake())))
        }),
        WitType::Enum(names) => names.names.first().map_or(Value::Null, |name| json!(name.name.snake())),
        WitType::Flags(_) => json!([]),
    }
}

fn plain_text(name: &str) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        () if has(&["dir", "folder"]) => "src",
        () if has(&["path", "file"]) => "notes.txt",
        () if has(&["url", "uri"]) => "https://example.com/",
        () => "text",
    }
}

/// A map: an object where its keys are texts, else pairs.
fn map_of(key: &WitType, entries: Vec<(Value, Value)>) -> Value {
    match key {
        WitType::String => entries
            .into_iter()
            .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value)))
            .collect::<Map<_, _>>()
            .into(),
        _ => entries.into_iter().map(|(key, value)| json!([key, value])).collect(),
    }
}

/// A value that is there, of an option.
fn some(inner: &WitType, value: Value) -> Value {
    if matches!(inner, WitType::Option(_)) { json!({ "some": value }) } else { value }
}

fn case_of(name: &str, payload: Option<Value>) -> Value {
    match payload {
        Some(value) => json!({ "case": name, "value": value }),
        None => json!({ "case": name }),
    }
}

/// Values that are allowed by the type and rarely thought of.
fn odd(ty: &WitType, name: &str) -> Vec<Odd> {
    match ty {
        WitType::Bool => vec![is("true", true), is("false", false)],
        WitType::S8 => numbers(&[0, -1, i8::MIN.into(), i8::MAX.into()]),
        WitType::U8 => numbers(&[0, u8::MAX.into()]),
        WitType::S16 => numbers(&[0, -1, i16::MIN.into(), i16::MAX.into()]),
        WitType::U16 => numbers(&[0, u16::MAX.into()]),
        WitType::S32 => numbers(&[0, -1, i32::MIN.into(), i32::MAX.into()]),
        WitType::U32 => numbers(&[0, u32::MAX.into()]),
        WitType::S64 => numbers(&[0, -1, i64::MIN.into(), i64::MAX.into()]),
        WitType::U64 => numbers(&[0, u64::MAX.into()]),
        WitType::F32 => [0.0, -0.0, -1.0, 1e-40, f64::from(f32::MAX), f64::from(f32::MIN)]
            .map(|number: f64| is(format!("{number:e}"), number))
            .to_vec(),
        WitType::F64 => [0.0, -0.0, -1.0, 5e-324, f64::MAX, f64::MIN]
            .map(|number: f64| is(format!("{number:e}"), number))
            .to_vec(),
        WitType::Char => ["\0", "\n", "中", "\u{202e}", "\u{10ffff}"]
            .map(|text| is(format!("'{}'", text.escape_unicode()), text))
            .to_vec(),
        WitType::String => texts(),
        WitType::Bytes => vec![
            is("empty", ""),
            is("bytes that are no text", "AP+A/w=="),
            is("large", "AAAA".repeat(LARGE / 3)),
        ],
        WitType::List(element) => lists(element, name),
        WitType::FixedList { .. } => vec![is("plain", plain(ty, name))],
        WitType::Map { key, value } => {
            let entry = || (plain(key, name), plain(value, name));
            let twice = map_of(key, vec![entry(), entry()]);
            vec![is("empty", map_of(key, Vec::new())), is("one entry twice", twice)]
        }
        WitType::Tuple(parts) => {
            let all: Vec<_> = parts.iter().map(|part| plain(part, name)).collect();
            let with = |at: usize, value: Value| {
                let mut all = all.clone();
                if let Some(place) = all.get_mut(at) {
                    *place = value;
                }
                Value::Array(all)
            };
            let part = |(at, part): (usize, &WitType)| {
                let values = odd(part, name).into_iter().take(WITHIN);
                values.map(|(said, value)| (format!("[{at}] {said}"), with(at, value))).collect::<Vec<_>>()
            };
            parts.iter().enumerate().flat_map(part).collect()
        }
        WitType::Option(inner) => {
            let within = if matches!(inner.as_ref(), WitType::Option(_)) { "[some] " } else { "" };
            let values = odd(inner, name).into_iter();
            let values = values.map(|(said, value)| (format!("{within}{said}"), some(inner, value)));
            [is("nothing", Value::Null)].into_iter().chain(values).collect()
        }
        WitType::Result { ok, err } => [("ok", ok), ("err", err)]
            .map(|(key, ty)| is(key, json!({ key: ty.as_deref().map_or(Value::Null, |ty| plain(ty, name)) })))
            .to_vec(),
        WitType::Record(record) => {
            let Value::Object(all) = plain(ty, name) else { return Vec::new() };
            let with = |field: &str, value: Value| {
                let mut all = all.clone();
                all.insert(field.to_owned(), value);
                Value::Object(all)
            };
            let field = |field: &ringfence_sandbox::reflect::Field| {
                let name = field.name.snake();
                let values = odd(&field.ty, name).into_iter().take(WITHIN);
                values.map(|(said, value)| (format!(".{name} {said}"), with(name, value))).collect::<Vec<_>>()
            };
            record.fields.iter().flat_map(field).collect()
        }
        WitType::Variant(variant) => {
            let case = |case: &ringfence_sandbox::reflect::Case| {
                let name = case.name.snake();
                is(format!("`{name}`"), case_of(name, case.ty.as_ref().map(|ty| plain(ty, name))))
            };
            variant.cases.iter().map(case).collect()
        }
        WitType::Enum(names) => {
            names.names.iter().map(|name| is(format!("`{}`", name.name.snake()), name.name.snake())).collect()
        }
        WitType::Flags(names) => {
            let all: Vec<_> = names.names.iter().map(|name| name.name.snake()).collect();
            vec![is("empty", json!([])), is("every flag", json!(all))]
        }
    }
}

fn is(said: impl Into<String>, value: impl Into<Value>) -> Odd {
    (format!("is {}", said.into()), value.into())
}

/// Whole numbers, those that JSON's readers may round as text.
fn numbers(all: &[i128]) -> Vec<Odd> {
    const EXACT: i128 = 1 << 53;
    let one = |number: &i128| match i64::try_from(*number) {
        Ok(small) if number.abs() <= EXACT => is(number.to_string(), small),
        Ok(_) | Err(_) => is(number.to_string(), number.to_string()),
    };
    all.iter().map(one).collect()
}

/// Texts: of no kind, of other scripts, and paths that lead everywhere.
fn texts() -> Vec<Odd> {
    let mut all: Vec<_> = [
        ("empty", ""),
        ("white space", " \t\n"),
        ("a file", "notes.txt"),
        ("an empty file", "empty.txt"),
        ("a file that is no text", "picture.bin"),
        ("a file with other scripts", "中文/说明.txt"),
        ("a folder", "src"),
        ("this folder", "."),
        ("a path to nothing", "no/such/file.txt"),
        ("a path through a file", "notes.txt/more"),
        ("a path out of the project", "../outside.txt"),
        ("an absolute path", "/etc/passwd"),
        ("a file that is hidden", ".env"),
        ("a link that leads out", "outside-link"),
        ("a text with NUL in it", "a\0b"),
        ("control characters", "\u{1b}[2J\r\u{7f}\u{202e}"),
        ("quotes and braces", "\"'`{}[]()\\$%"),
        ("numbers", "-1e999"),
        ("other scripts", "你好，мир 🦀"),
        ("a regular expression that is broken", "(a[*"),
    ]
    .map(|(said, text)| is(said, text))
    .to_vec();
    all.push(is("1 MiB of text", "x".repeat(LARGE)));
    all.push(is("1 MiB of lines", "中\n".repeat(LARGE / 4)));
    all
}

fn lists(element: &WitType, name: &str) -> Vec<Odd> {
    let one = plain(element, name);
    let fits = (LARGE / one.to_string().len().max(1)).clamp(1, MANY);
    let mut all = vec![is("empty", json!([])), is(format!("{fits} entries"), vec![one; fits])];
    let entries = odd(element, name).into_iter().take(WITHIN);
    all.extend(entries.map(|(said, value)| (format!("[0] {said}"), json!([value]))));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_sandbox::json::input_to_vals;
    use ringfence_sandbox::reflect::{Case, Field, Named, Names, Param, Record, Variant};
    use std::collections::BTreeSet;

    fn every_type() -> Vec<WitType> {
        let boxed = |ty: WitType| Box::new(ty);
        let named = |name: &str| Named { name: name.into(), docs: None };
        let names = Names { docs: None, names: vec![named("deep-red"), named("blue")] };
        let field = |name: &str, ty| Field { name: name.into(), docs: None, ty };
        let case = |name: &str, ty| Case { name: name.into(), docs: None, ty };
        vec![
            WitType::Bool,
            WitType::S8,
            WitType::U8,
            WitType::S16,
            WitType::U16,
            WitType::S32,
            WitType::U32,
            WitType::S64,
            WitType::U64,
            WitType::F32,
            WitType::F64,
            WitType::Char,
            WitType::String,
            WitType::Bytes,
            WitType::List(boxed(WitType::String)),
            WitType::List(boxed(WitType::List(boxed(WitType::U64)))),
            WitType::FixedList { element: boxed(WitType::U8), length: 3 },
            WitType::Map { key: boxed(WitType::String), value: boxed(WitType::U32) },
            WitType::Tuple(vec![WitType::String, WitType::S64]),
            WitType::Option(boxed(WitType::Option(boxed(WitType::Bool)))),
            WitType::Result { ok: Some(boxed(WitType::U8)), err: None },
            WitType::Record(Record {
                docs: None,
                fields: vec![field("file-path", WitType::String), field("n", WitType::U8)],
            }),
            WitType::Variant(Variant {
                docs: None,
                cases: vec![case("none-at-all", None), case("some", Some(WitType::F32))],
            }),
            WitType::Enum(names.clone()),
            WitType::Flags(names),
        ]
    }

    fn of(ty: &WitType) -> Signature {
        Signature { params: vec![Param { name: "the-path".into(), ty: ty.clone() }], result: None }
    }

    #[test]
    fn every_input_fits_the_type_that_it_was_made_for() {
        for ty in every_type() {
            let signature = of(&ty);
            let all = inputs(&signature);
            assert!(all.len() > 1, "{ty:?}");
            for input in &all {
                let read = input_to_vals(&signature, &input.value);
                assert!(read.is_ok(), "{ty:?}: {}: {read:?}", input.said);
            }
            let said: BTreeSet<_> = all.iter().map(|input| &input.said).collect();
            assert_eq!(said.len(), all.len(), "{ty:?}");
        }
    }

    #[test]
    fn inputs_are_the_same_every_time_and_bounded() {
        let params = every_type().into_iter().chain(every_type()).enumerate();
        let params = params.map(|(at, ty)| Param { name: format!("p{at}").as_str().into(), ty }).collect();
        let signature = Signature { params, result: None };
        let all = inputs(&signature);
        assert_eq!(all.len(), MOST);
        assert_eq!(all, inputs(&signature));
        let largest = all.iter().map(|input| input.value.to_string().len()).max();
        assert!(largest < Some(3 << 20), "{largest:?}");
    }

    #[test]
    fn a_parameter_that_is_a_path_gets_one_that_is_there() {
        assert_eq!(inputs(&of(&WitType::String))[0].value, json!({ "the_path": "notes.txt" }));
    }
}
