//! JSON as a tool's argument, and back: a tool that gives back what it is given.
//!
//! What is taken comes back in the form that is always written, and that form comes back as it
//! is; what isn't taken is refused with a bounded error, and nothing is called.

use arbitrary::Unstructured;
use ringfence_sandbox::{
    CallError, CallRequest, CancellationToken, ComponentSource, EgressContext, GrantedTree, Grants, Limits,
    Outcome, ProjectDir, Sandbox, SandboxConfig, Toolset,
};
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Types of every kind; the first byte of an input says which one it is for.
const TYPES: &[(&str, &str)] = &[
    ("", "tuple<u8, s8, u16, s16, u32, s32>"),
    ("", "tuple<u64, s64, f32, f64, bool, char>"),
    ("", "list<tuple<string, option<option<u8>>>>"),
    ("record r { a: option<u32>, b: list<u8>, c: result<string, u8> }", "r"),
    ("variant v { none, text(string), deep(list<list<s64>>) } enum e { red, green }", "tuple<v, e>"),
    ("flags f { a, b, c-d }", "tuple<f, result<_, string>, result>"),
];

/// More than sixteen flat parameters travel as one block of memory, and so do the results.
const ECHO: &str = r#"(module
  (memory (export "memory") 4)
  (global $free (mut i32) (i32.const 1024))
  (func (export "echo") (param i32) (result i32) (local.get 0))
  (func (export "cabi_realloc") (param i32 i32) (param $align i32) (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and
      (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
      (i32.sub (i32.const 0) (local.get $align))))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (block $enough
      (loop $grow
        (br_if $enough (i32.le_u (global.get $free) (i32.shl (memory.size) (i32.const 16))))
        (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
        (br $grow)))
    (local.get $at)))"#;

struct Bench {
    sandbox: Sandbox,
    tools: Vec<Toolset>,
    tree: Arc<GrantedTree>,
}

static BENCH: LazyLock<Bench> = LazyLock::new(|| {
    let sandbox = Sandbox::new(SandboxConfig::default()).unwrap();
    let load = |(types, given): &(&str, &str)| {
        let source = ComponentSource::from_bytes("echo", echo(types, given));
        Toolset::new([sandbox.load(source).unwrap()]).unwrap()
    };
    let project = tempfile::tempdir().unwrap();
    let tree =
        GrantedTree::open(&ProjectDir::open(project.path()).unwrap(), &Grants::whole_project()).unwrap();
    Bench { tools: TYPES.iter().map(load).collect(), sandbox, tree }
});

fn echo(types: &str, given: &str) -> Vec<u8> {
    let padding: String = (0..17).map(|at| format!(", p{at}: u8")).collect();
    let wit = format!(
        "package test:echo; world tools {{ {types}
           record padded {{ value: {given}{padding} }} export echo: func(given: padded) -> padded; }}"
    );
    let mut resolve = Resolve::default();
    let package = resolve.push_source("echo.wit", &wit).unwrap();
    let world = resolve.select_world(&[package], Some("tools")).unwrap();
    let mut module = wat::parse_str(ECHO).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().encode().unwrap()
}

/// What comes back; none where it isn't taken.
fn echoed(tools: &Toolset, value: &Value) -> Option<Value> {
    let mut given: Map<String, Value> = (0..17).map(|at| (format!("p{at}"), json!(0))).collect();
    given.insert("value".to_owned(), value.clone());
    let request = CallRequest {
        tool: tools.get("echo").unwrap().clone(),
        input: json!({ "given": given }),
        tree: BENCH.tree.clone(),
        limits: Limits::default(),
        stage: None,
        known: Default::default(),
        egress: EgressContext::default(),
        env: Arc::default(),
        cancel: CancellationToken::new(),
    };
    match BENCH.sandbox.block_on(BENCH.sandbox.call(request)) {
        Ok(report) => match report.outcome {
            Outcome::Done(mut value) => Some(value["value"].take()),
            other => panic!("{value}: {other:?}"),
        },
        Err(error @ CallError::Input { .. }) => {
            assert!(error.to_string().len() < 4_000, "{} bytes of error", error.to_string().len());
            None
        }
        Err(error) => panic!("{value}: {error}"),
    }
}

/// Values of the types, to be changed.
const VALUES: &[&str] = &[
    "[255, -128, 65535, -32768, 4294967295, -2147483648]",
    r#"["18446744073709551615", -9007199254740993, 1.5, -0.0, true, "\ud83e\udd80"]"#,
    r#"[["a", null], ["\ud83e\udd80", {"some": null}], ["", {"some": 3}]]"#,
    r#"{"a": 7, "b": "AAEC", "c": {"ok": "x"}}"#,
    r#"[{"case": "deep", "value": [[1, "2"], []]}, "green"]"#,
    r#"[["a", "c_d"], {"err": "x"}, {"ok": null}]"#,
];

/// Words that mean something to one type or another.
const WORDS: [&str; 16] = [
    "",
    "a",
    "b",
    "c_d",
    "c-d",
    "red",
    "green",
    "none",
    "text",
    "deep",
    "ok",
    "err",
    "some",
    "18446744073709551615",
    "NaN",
    "-0",
];

/// A value in the place of another; often of its kind.
fn leaf(old: &Value, u: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    let kind = match (old, u.ratio(2, 3)?) {
        (Value::Bool(_), true) => 1,
        (Value::Number(number), true) if number.is_f64() => 6,
        (Value::Number(_), true) => 12,
        (Value::String(_), true) => u.int_in_range(8..=10)?,
        _ => u.int_in_range(0..=11)?,
    };
    Ok(match kind {
        0 => Value::Null,
        1 => json!(u.arbitrary::<bool>()?),
        2 => json!(u.arbitrary::<i64>()?),
        3 => json!(u.arbitrary::<u64>()?),
        4 | 5 => json!(u.arbitrary::<i16>()?),
        6 => json!(u.arbitrary::<f64>()?),
        7 => json!(u.arbitrary::<f32>()?),
        8 => json!(u.arbitrary::<u64>()?.to_string()),
        9 => json!(u.arbitrary::<&str>()?),
        10 => json!(*u.choose(&WORDS)?),
        12 => json!(u.arbitrary::<i8>()?.unsigned_abs()),
        _ => json!({ *u.choose(&WORDS)?: *u.choose(&WORDS)?, "value": null }),
    })
}

/// Changes something somewhere in a value.
fn change(value: &mut Value, u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    match value {
        Value::Array(items) if !items.is_empty() && u.ratio(5, 6)? => {
            let at = u.choose_index(items.len())?;
            match u.int_in_range(0..=7)? {
                0 => items.push(items[at].clone()),
                1 => drop(items.remove(at)),
                _ => change(&mut items[at], u)?,
            }
        }
        Value::Object(fields) if !fields.is_empty() && u.ratio(5, 6)? => {
            let at = u.choose_index(fields.len())?;
            let name = fields.keys().nth(at).cloned().unwrap_or_default();
            match u.int_in_range(0..=9)? {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert((*u.choose(&WORDS)?).to_owned(), Value::Null)),
                2 => {
                    let moved = fields.remove(&name).unwrap_or_default();
                    fields.insert((*u.choose(&WORDS)?).to_owned(), moved);
                }
                _ => change(&mut fields[&name], u)?,
            }
        }
        _ => *value = leaf(value, u)?,
    }
    Ok(())
}

/// One input: a byte for the type; then JSON, or changes of a value of the type.
pub(crate) fn target(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let kind = usize::from(*kind) % (2 * TYPES.len());
    let at = kind % TYPES.len();
    let value = if kind < TYPES.len() {
        serde_json::from_slice::<Value>(rest).ok()
    } else {
        let (mut value, mut u) = (serde_json::from_str(VALUES[at]).unwrap(), Unstructured::new(rest));
        for _ in 0..u.int_in_range(1..=3).unwrap_or(1) {
            // Where the bytes end, so do the changes.
            let _ = change(&mut value, &mut u);
        }
        Some(value)
    };
    let Some(value) = value else { return };
    let Some(first) = echoed(&BENCH.tools[at], &value) else { return };
    let second =
        echoed(&BENCH.tools[at], &first).unwrap_or_else(|| panic!("{first} came back and isn't taken"));
    assert_eq!(first.to_string(), second.to_string(), "{value}");
}

/// Inputs to begin with.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let text = (0..TYPES.len()).map(|at| [&[at as u8], VALUES[at].as_bytes()].concat());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as u8
    };
    let changes: Vec<Vec<u8>> = (0..90)
        .map(|seed| {
            let kind = (TYPES.len() + seed % TYPES.len()) as u8;
            std::iter::once(kind).chain((0..80).map(|_| byte())).collect()
        })
        .collect();
    text.chain(changes).collect()
}
