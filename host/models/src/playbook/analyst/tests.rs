use super::setting::Setting;
use super::{About, Claim, Observation, claims};
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
    assert_eq!(
        languages.text,
        "Code by size: Python 90% (1 file, 9 KB), TypeScript 10% (1 file, 1000 B). 2 of 4 files are code."
    );
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
fn one_line_that_two_steps_show_is_one_finding() {
    let line = json!({ "path": "a.py", "line": 2, "text": "os.system(x)", "before": [], "after": [] });
    let found = claims(&[
        seen(4, "search_text", json!({ "pattern": "x" }), json!({ "matches": [line], "total": 1 })),
        seen(
            5,
            "read_file",
            json!({ "file_path": "a.py" }),
            json!({ "path": "a.py", "text": "import os\nos.system(x)\n", "first_line": 1 }),
        ),
    ]);
    let shell = of(&found, "py-os-system");
    assert_eq!(shell.items.len(), 1);
    assert_eq!(shell.items[0].evidence.step, 4);
}

#[test]
fn what_tests_do_is_counted_and_left_out() {
    let text = |path: &str| json!({ "path": path, "text": "os.system(x)\n", "first_line": 1 });
    let found = claims(&[
        seen(1, "read_file", json!({}), text("tests/test_a.py")),
        seen(2, "read_file", json!({}), text("src/a.py")),
        seen(3, "read_file", json!({}), text("docs/conf.py")),
    ]);
    let shell = of(&found, "py-os-system");
    assert_eq!(shell.text, "A command goes through the shell: 1 place; 2 more outside product code.");
    assert!(of(&found, "aside").text.contains("1 in tests, 1 in documentation"));
}

#[test]
fn a_key_among_test_data_is_only_worth_knowing() {
    let key = format!("-----BEGIN RSA PRIVATE {}-----\nMII\n", "KEY");
    let at = |path: &str| {
        let value = json!({ "path": path, "text": key, "first_line": 1 });
        of(&claims(&[seen(1, "read_file", json!({}), value)]), "secret-key-block").severity.map(|s| s.name())
    };
    assert_eq!(at("testdata/key.pem"), Some("info"));
    assert_eq!(at("config/key.pem"), Some("high"));
}

#[test]
fn dependencies_without_a_version_are_a_finding_with_their_line() {
    let text = "{\n \"name\": \"x\",\n \"dependencies\": {\n  \"a\": \"*\",\n  \"b\": \"^1\",\n  \"c\": \"github:x/y\",\n  \"d\": \"git+https://e/f#0123456789abcdef\"\n }\n}\n";
    let found = claims(&[seen(
        2,
        "read_file",
        json!({}),
        json!({ "path": "package.json", "text": text, "first_line": 1 }),
    )]);
    let any = of(&found, "any-version");
    assert_eq!(
        (any.items.len(), any.items[0].text.as_str(), any.items[0].evidence.lines),
        (1, "a *", Some((4, 4)))
    );
    let moving = of(&found, "moving-source");
    assert_eq!((moving.items.len(), moving.items[0].text.as_str()), (1, "c github:x/y"));
}

#[test]
fn calls_that_failed_support_nothing() {
    let mut failed = listing(1, &[("a.py", 100)]);
    failed.status = "denied".to_owned();
    assert_eq!(claims(&[failed]), []);
}

#[test]
fn places_are_told_by_paths() {
    for (path, place) in [
        ("src/flask/app.py", Setting::Product),
        ("src/packaging/tags.py", Setting::Product),
        ("tests/test_app.py", Place::Tests),
        ("context_1.16_test.go", Place::Tests),
        ("web/src/a.spec.ts", Place::Tests),
        ("examples/a/main.py", Place::Examples),
        ("docs/conf.py", Setting::Documentation),
        ("node_modules/a/test/b.js", Setting::Vendored),
        ("crates/core/target/spec.rs", Setting::Product),
        ("target/debug/build/x.rs", Setting::Vendored),
        ("api/v1/a.pb.go", Setting::Vendored),
        ("setup.py", Setting::Tooling),
        (".github/workflows/ci.yml", Setting::Tooling),
    ] {
        assert_eq!(Setting::of(path), place, "{path}");
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

#[test]
fn a_requirement_keeps_its_backticks() {
    let manifest = json!({ "path": "package.json", "first_line": 1,
        "text": "{\n \"name\": \"x\",\n \"dependencies\": {\n  \"a\": \"^1 `b`\"\n }\n}\n" });
    let found = claims(&[seen(2, "read_file", json!({}), manifest)]);
    assert!(
        of(&found, "dependencies").text.contains("`` a ^1 `b` ``"),
        "{}",
        of(&found, "dependencies").text
    );
}

/// A search for the shapes of problems in all files.
fn search(step: u64, value: Value) -> Observation {
    let set = crate::playbook::rules::SETS.iter().find(|set| set.is_universal()).unwrap();
    let patterns: Vec<&str> = set.rules.iter().map(|rule| rule.pattern.as_str()).collect();
    seen(step, "search_text", json!({ "pattern": patterns.join("|"), "directory": "." }), value)
}

#[test]
fn files_that_a_search_passed_over_are_told_with_the_reason() {
    let value = json!({ "matches": [], "total": 0, "files_searched": 7, "binary_files": 2, "complete": true,
        "unsearched": ["`big.sql`: 20971520 bytes; files over 16777216 are not searched", "x: io"] });
    let found = claims(&[search(3, value)]);
    let coverage = of(&found, "coverage");
    assert!(coverage.text.contains("Skipped as binary: 2 files."), "{}", coverage.text);
    assert!(coverage.text.contains("Passed over: 2 files or folders, `big.sql` (20971520 bytes; files over"));
    assert_eq!(coverage.partial.as_deref(), Some("2 files or folders passed over"));
}

#[test]
fn a_search_that_ended_early_or_shows_a_part_is_no_whole_search() {
    let line = json!({ "path": "a.txt", "line": 1, "text": "x", "before": [], "after": [] });
    let value = json!({ "matches": [line], "total": 9, "cut": true, "files_searched": 7, "complete": false });
    let found = claims(&[search(3, value)]);
    let coverage = of(&found, "coverage");
    assert_eq!(coverage.partial.as_deref(), Some("step 3 showed 1 of 9 lines; step 3 ended early"));
}

#[test]
fn a_failed_search_that_was_made_up_for_leaves_no_gap() {
    let value = json!({ "matches": [], "total": 0, "files_searched": 7, "complete": true });
    let mut failed = search(3, Value::Null);
    failed.status = "exceeded".to_owned();
    failed.message = "too slow".to_owned();
    let alone = claims(&[failed.clone()]);
    assert_eq!(
        of(&alone, "not-searched").text,
        "Known problems were not searched for: 1 search gave no result (step 3, exceeded: too slow)."
    );
    assert_eq!(of(&claims(&[failed, search(4, value)]), "coverage").partial, None);
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
        tool in prop_oneof![Just("list_files"), Just("read_file"), Just("search_text"), Just("analyze_code")],
        input in any_json(),
        value in any_json(),
        step in any::<u64>(),
    ) {
        for claim in claims(&[seen(step, tool, input, value)]) {
            prop_assert!(!claim.evidence.is_empty());
            prop_assert!(claim.severity.is_none() || claim.about == About::Problem);
        }
    }
}
