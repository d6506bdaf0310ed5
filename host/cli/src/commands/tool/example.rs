//! A complete call of a tool, to be copied and changed.

use crate::shell;
use ringfence_sandbox::reflect::{Signature, WitType};
use serde_json::{Value, json};

/// The command with an argument for everything that is needed; `words` are those up to the arguments.
pub(super) fn command(words: &[String], signature: &Signature) -> String {
    let mut words = words.to_vec();
    for param in &signature.params {
        if matches!(param.ty, WitType::Option(_)) {
            continue;
        }
        let name = param.name.snake();
        let text = match value(&param.ty, name) {
            Value::String(text) => text,
            other => other.to_string(),
        };
        words.extend(["--arg".to_owned(), format!("{name}={text}")]);
    }
    shell::command(words)
}

/// A value that shows what is wanted.
fn value(ty: &WitType, name: &str) -> Value {
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
        WitType::F32 | WitType::F64 => json!(0.5),
        WitType::Char => json!("a"),
        WitType::String => text(name),
        WitType::Bytes => json!("AAEC"),
        WitType::List(element) => json!([value(element, name)]),
        WitType::FixedList { element, length } => {
            let shown = usize::try_from(*length).unwrap_or(usize::MAX).min(16);
            Value::Array(vec![value(element, name); shown])
        }
        WitType::Map { key, value: of } if **key == WitType::String => json!({ "key": value(of, name) }),
        WitType::Map { key, value: of } => json!([[value(key, name), value(of, name)]]),
        WitType::Tuple(parts) => parts.iter().map(|part| value(part, name)).collect(),
        WitType::Option(_) => Value::Null,
        WitType::Result { ok, .. } => {
            json!({ "ok": ok.as_deref().map_or(Value::Null, |ok| value(ok, name)) })
        }
        WitType::Record(record) => {
            let needed = record.fields.iter().filter(|field| !matches!(field.ty, WitType::Option(_)));
            needed
                .map(|field| (field.name.snake().to_owned(), value(&field.ty, field.name.snake())))
                .collect()
        }
        WitType::Variant(variant) => variant.cases.first().map_or(Value::Null, |case| match &case.ty {
            Some(ty) => json!({ "case": case.name.snake(), "value": value(ty, case.name.snake()) }),
            None => json!(case.name.snake()),
        }),
        WitType::Enum(names) => names.names.first().map_or(Value::Null, |name| json!(name.name.snake())),
        WitType::Flags(names) => names.names.iter().take(1).map(|name| json!(name.name.snake())).collect(),
    }
}

fn text(name: &str) -> Value {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        () if has(&["dir", "folder"]) => json!("src"),
        () if has(&["path", "file"]) => json!("README.md"),
        () if has(&["url", "uri"]) => json!("https://example.com/"),
        () => json!("some text"),
    }
}
