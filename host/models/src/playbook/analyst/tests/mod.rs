mod code_tools;

use super::{About, Claim, Observation, Setting, claims, graph};
use proptest::prelude::*;
use serde_json::{Value, json};

fn seen(step: u64, tool: &str, input: Value, value: Value) -> Observation {
    serde_json::from_value(
        json!({ "step": step, "tool": tool, "input": input, "status": "done", "value": value }),
    )
    .unwrap()
}

fn listing(step: u64, files: &[(&str, u64)]) -> Observation {
    let entries: Vec<Value> =
        files.iter().map(|(path, size)| json!({ "path": path, "kind": "file", "size": size })).collect();
    seen(
        step,
        "list_files",
        json!({ "directory": ".", "recursive": true }),
        json!({ "directory": ".", "entries": entries, "total": files.len(), "cut": false }),
    )
}

fn of<'c>(claims: &'c [Claim], topic: &str) -> &'c Claim {
    claims.iter().find(|claim| claim.topic == topic).unwrap_or_else(|| panic!("no claim on {topic}"))
}

#[test]
fn languages_are_told_by_size_and_vendored_code_is_left_out() {
    let found = claims(&[listing(
        1,
        &[("src/a.py", 9000), ("web/b.ts", 1000), ("node_modules/x/index.js", 900_000), ("README.md", 10)],
    )]);
    let languages = of(&found, "languages");
    assert_eq!(languages.text, "Code by size: Python 90% (1 file, 9 KB), TypeScript 10% (1 file, 1000 B).");
    assert_eq!((languages.evidence[0].step, languages.evidence[0].file.as_ref()), (1, None));
}

#[test]
fn an_outline_says_what_a_file_defines_and_which_imports_are_the_projects_own() {
    let symbol = |kind: &str, name: &str, owner: Option<&str>, first: u32, last: u32| {
        json!({ "kind": kind, "name": name, "owner": owner, "first_line": first, "last_line": last,
                "signature": "", "exported": true, "doc": null })
    };
    let import = |module: &str| json!({ "kind": "import", "module": module, "names": [], "line": 1 });
    let found = claims(&[seen(
        3,
        "analyze_code",
        json!({ "file_path": "src/shop/app.py" }),
        json!({
            "path": "src/shop/app.py", "language": "python", "package_name": null,
            "outline": [symbol("function", "make", None, 40, 60), symbol("class", "App", None, 5, 30),
                        symbol("method", "run", Some("App"), 6, 29)],
            "imports": [import("os.path"), import("flask"), import(".models"), import("shop.db")],
            "counts": { "lines": 60, "code_lines": 50, "functions": 1, "methods": 1, "classes": 1 },
            "syntax_errors": 0, "cut": false, "size": 900,
        }),
    )]);
    let outline = of(&found, "outline");
    assert_eq!(
        outline.text,
        "`src/shop/app.py` (60 lines, 50 of code): 1 type, 1 function, 1 method. Defines `App`, `make`. Uses from the \
         project: `.models`, `shop.db`. From outside: `os`, `flask`."
    );
    assert_eq!(
        (outline.items[0].text.as_str(), outline.items[0].detail.as_str()),
        ("App", "class, 1 method")
    );
    assert_eq!(outline.items[0].evidence.lines, Some((5, 30)));
}

#[test]
fn long_functions_are_a_finding_with_their_lines() {
    let found = claims(&[seen(
        2,
        "analyze_code",
        json!({ "file_path": "a.go" }),
        json!({ "path": "a.go", "language": "go", "counts": {}, "outline": [
            { "kind": "function", "name": "Huge", "first_line": 10, "last_line": 400, "exported": true }] }),
    )]);
    let long = of(&found, "long-function");
    assert_eq!((long.items[0].detail.as_str(), long.items[0].evidence.lines), ("391 lines", Some((10, 400))));
}

#[test]
fn calls_that_failed_support_nothing() {
    let mut failed = listing(1, &[("a.py", 100)]);
    failed.status = "denied".to_owned();
    assert_eq!(claims(&[failed]), []);
}

#[test]
fn settings_are_told_by_paths() {
    for (path, setting) in [
        ("src/flask/app.py", Setting::Product),
        ("src/packaging/tags.py", Setting::Product),
        ("tests/test_app.py", Setting::Test),
        ("context_1.16_test.go", Setting::Test),
        ("web/src/a.spec.ts", Setting::Test),
        ("examples/a/main.py", Setting::Example),
        ("docs/conf.py", Setting::Documentation),
        ("node_modules/a/test/b.js", Setting::Vendored),
        ("crates/core/target/spec.rs", Setting::Product),
        ("target/debug/build/x.rs", Setting::Vendored),
        ("api/v1/a.pb.go", Setting::Generated),
        ("setup.py", Setting::Tooling),
        (".github/workflows/ci.yml", Setting::Tooling),
    ] {
        assert_eq!(Setting::of(path), setting, "{path}");
    }
}

#[test]
fn only_steps_that_added_something_are_cited() {
    let mut top = listing(9, &[("src/a.py", 9000)]);
    top.input = json!({ "directory": "." });
    let found = claims(&[listing(1, &[("src/a.py", 9000), ("b.md", 5)]), top]);
    for topic in ["languages", "layout"] {
        let steps: Vec<u64> = of(&found, topic).evidence.iter().map(|place| place.step).collect();
        assert_eq!(steps, [1], "{topic}");
    }
}

#[test]
fn a_little_of_another_language_leaves_less_than_all_to_the_first() {
    let text = of(&claims(&[listing(1, &[("a.go", 10_000_000), ("b.proto", 10)])]), "languages").text.clone();
    assert!(text.contains("Go over 99%") && text.contains("Protocol Buffers under 1%"), "{text}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("path"),
        Just("text"),
        Just("entries"),
        Just("matches"),
        Just("outline"),
        Just("imports"),
        Just("first_line"),
        Just("last_line"),
        Just("line"),
        Just("size"),
        Just("total"),
        Just("kind"),
        Just("counts"),
        Just("name"),
        Just("owner"),
        Just("pattern"),
        Just("directory"),
        Just("cut"),
        Just("found"),
        Just("rules"),
        Just("rule"),
        Just("id"),
        Just("modules"),
        Just("packages"),
        Just("layer"),
        Just("hardest"),
        Just("cyclomatic"),
        Just("to"),
        Just("members"),
        Just("cycles"),
        Just("externals"),
        Just("entry_points"),
        Just("searched"),
        Just("skipped"),
        Just("reason"),
        Just("manifests"),
        Just("technologies"),
        Just("dependencies"),
        Just("languages"),
        Just("next"),
        Just("skip"),
        Just("files"),
        Just("total_packages"),
        Just("set_apart"),
    ];
    let text = prop_oneof![
        Just("Cargo.toml".to_owned()),
        Just("package.json".to_owned()),
        Just("go.mod".to_owned()),
        Just("pom.xml".to_owned()),
        Just("a/b.py".to_owned()),
        Just("file".to_owned()),
        Just("class".to_owned()),
        Just("18446744073709551615".to_owned()),
        ".{0,40}",
    ];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        text.prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 48, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..8).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_a_tool_returned_claims_can_be_made(
        tool in prop_oneof![
            Just("list_files"), Just("read_file"), Just("search_text"), Just("analyze_code"), Just("detect_stack"),
            Just("map_code"), Just("find_problems"),
        ],
        input in any_json(),
        value in any_json(),
        step in any::<u64>(),
    ) {
        let seen = [seen(step, tool, input, value)];
        graph(&seen);
        for claim in claims(&seen) {
            prop_assert!(!claim.evidence.is_empty());
            prop_assert!(claim.severity.is_none() || claim.about == About::Problem);
        }
    }
}
