use super::super::file::{ConfigFile, parse};
use super::super::reading;
use super::*;
use jsonschema::Validator;
use std::fmt::Write;

const README: &str = include_str!("../../../../../README.md");
const CONFIGURATION: &str = include_str!("../../../../../docs/configuration.md");
const CHECKED_IN: &str = include_str!("../../../../../docs/ringfence.schema.json");

/// A way to write a table, with a hole for more of its keys, and the table's description.
struct Written {
    name: &'static str,
    text: fn(&str) -> String,
    table: &'static Table,
}

/// Every table of the language once, in a file that is otherwise right.
fn tables() -> Vec<Written> {
    let of = |table: &'static Table, name: &str| -> &'static Table {
        let key = table.keys.iter().find(|key| key.name == name).expect("a key");
        match &key.kind {
            Kind::Table(table)
            | Kind::Named(_, table)
            | Kind::List(
                Kind::PathOr(table) | Kind::FileOr(table) | Kind::HostOr(table) | Kind::Table(table),
            ) => table,
            other => panic!("{name} is no table: {other:?}"),
        }
    };
    let (root, grants, models) = (root(), of(root(), "grants"), of(root(), "models"));
    let component = of(root, "components");
    let written = |name, table, text| Written { name, text, table };
    vec![
        written("", root, |more| format!("{more}\n")),
        written("component", component, |more| format!("components = [{{ path = \"x.wasm\", {more} }}]\n")),
        written("override", of(component, "tools"), |more| {
            format!("components = [{{ path = \"x.wasm\", tools = {{ t = {{ {more} }} }} }}]\n")
        }),
        written("grants", grants, |more| format!("[grants]\n{more}\n")),
        written("dirs", of(grants, "dirs"), |more| format!("grants.dirs = [{{ path = \"src\", {more} }}]\n")),
        written("hosts", of(grants, "hosts"), |more| {
            format!("grants.hosts = [{{ url = \"https://a.example\", {more} }}]\n")
        }),
        written("secrets", of(root, "secrets"), |more| {
            let says_where = ["env =", "file =", "keyring ="].iter().any(|key| more.starts_with(key));
            let value = if says_where { "" } else { "env = \"E\"" };
            format!("[secrets.x]\nhost = \"https://a.example\"\nheader = \"x\"\n{value}\n{more}\n")
        }),
        written("limits", of(root, "limits"), |more| format!("[limits]\n{more}\n")),
        written("tools", of(root, "tools"), |more| format!("[tools.x]\n{more}\n")),
        written("roles", of(root, "roles"), |more| format!("[roles.x]\ntools = []\n{more}\n")),
        written("models", models, |more| format!("[models]\n{more}\n")),
        written("model", of(models, "plan"), |more| {
            format!("[models.plan]\nprovider = \"openai\"\n{more}\n")
        }),
        written("experts", of(root, "experts"), |more| format!("[experts.x]\n{more}\n")),
    ]
}

/// The words between backticks that a reader's message says it expected.
fn expected(text: &str) -> Vec<String> {
    let message = parse(text).expect_err(text).message().to_owned();
    let (_, words) = message.split_once("expected").unwrap_or_else(|| panic!("{message}"));
    let mut words: Vec<_> = words.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    words.sort();
    words
}

fn sorted(names: impl Iterator<Item = &'static str>) -> Vec<String> {
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    names.sort();
    names
}

fn validator() -> Validator {
    jsonschema::validator_for(&schema()).expect("a schema")
}

fn fits(validator: &Validator, text: &str) -> bool {
    let read: toml::Table = toml::from_str(text).expect(text);
    validator.is_valid(&serde_json::to_value(read).expect("JSON"))
}

/// Values that a kind takes, and values that it doesn't.
fn values(kind: &Kind) -> (Vec<String>, Vec<String>) {
    let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    let dirs = |good: &[&str], bad: &[&str]| (owned(good), owned(bad));
    match kind {
        Kind::Bool => dirs(&["true", "false"], &["1", "\"yes\""]),
        Kind::Text => dirs(&["\"some text\""], &["1", "true", "[]"]),
        Kind::Count(least, _) => {
            (owned(&["1", "16", "1_000"]), vec!["-1".to_owned(), "\"2\"".to_owned(), (least - 1).to_string()])
        }
        Kind::Number => dirs(&["0.5", "1"], &["\"warm\""]),
        Kind::Time => {
            dirs(&["\"500ms\"", "\"30s\"", "\"1h30m\""], &["30", "\"30\"", "\"0s\"", "\"soon\"", "\"\""])
        }
        Kind::Size => {
            dirs(&["65536", "\"64KiB\"", "\"2 MiB\""], &["-1", "\"lots\"", "\"1.5MiB\"", "\"1TB\""])
        }
        Kind::Money => dirs(&["2", "0.5", "\"$1.50\""], &["0", "-1", "\"much\"", "\"1,5\"", "true"]),
        Kind::OneOf(words) => {
            (words.iter().map(|word| format!("\"{word}\"")).collect(), owned(&["\"nonsense\"", "1", "\"\""]))
        }
        Kind::Path => dirs(&["\"src\"", "\"./a/../b\"", "\".\""], &["\"/etc\"", "\"../up\"", "\"\"", "1"]),
        Kind::Mask => dirs(&["\"*.csv\"", "\"/data/\""], &["\"\"", "\"../x\"", "\"# no\"", "1"]),
        Kind::Url => dirs(
            &["\"https://a.example\"", "\"http://a.example:8080/v1/\""],
            &[
                "\"a.example\"",
                "\"ftp://a.example\"",
                "\"https://*.example\"",
                "\"https://a.example?q\"",
                "1",
            ],
        ),
        Kind::Methods => {
            dirs(&["[\"GET\"]", "[\"POST\", \"PUT\"]"], &["[]", "[\"get\"]", "[\"TRACE\"]", "\"GET\"", "[1]"])
        }
        Kind::Header => dirs(&["\"x-key\"", "\"Authorization\""], &["\"a b\"", "\"\"", "1"]),
        Kind::KeyringEntry => dirs(
            &["\"ringfence/key\"", "\"https://a.example/v1/me\""],
            &["\"key\"", "\"/key\"", "\"a/\"", "1"],
        ),
        Kind::Variable => {
            dirs(&["\"LANG\"", "\"a.b-c\""], &["\"A=B\"", "\"\"", "\"A\\u0000\"", "\"A\\u0085\"", "1"])
        }
        Kind::Secret => dirs(&["\"brave\"", "\"my-key_2\""], &["\"a b\"", "\"\"", "1"]),
        Kind::HostOr(_) => dirs(
            &["\"https://a.example/v1\"", "{ url = \"http://a.example\" }"],
            &["{ methods = [\"GET\"] }", "\"a.example\"", "1", "{ url = \"a.example\" }"],
        ),
        Kind::ToolName => dirs(&["\"read_prose\"", "\"X2\""], &["\"read-prose\"", "\"2x\"", "\"\"", "1"]),
        Kind::FileOr(_) => dirs(
            &["\"tools/x.wasm\"", "\"/opt/x.wasm\"", "{ path = \"x.wasm\", tools = {} }"],
            &["{ tools = {} }", "1", "{ path = \"x\", name = \"y\" }"],
        ),
        Kind::List(of) => {
            let (good, bad) = values(of);
            let list = |value: String| format!("[{value}]");
            let mut bad: Vec<_> = bad.into_iter().map(list).collect();
            bad.push("\"no list\"".to_owned());
            (good.into_iter().map(list).chain(["[]".to_owned()]).collect(), bad)
        }
        Kind::PathOr(_) => dirs(
            &["\"src\"", "{ path = \"src\" }"],
            &["{ access = \"read\" }", "\"/etc\"", "1", "{ path = \"../up\" }"],
        ),
        Kind::Each(words, of) => {
            let word = words.first().expect("some");
            let (good, bad) = values(of);
            let table = |value: String| format!("{{ {word} = {value} }}");
            let mut bad: Vec<_> = bad.into_iter().map(table).collect();
            bad.push("{ nonsense = \"1s\" }".to_owned());
            (good.into_iter().map(table).collect(), bad)
        }
        // Tables are tried key by key.
        Kind::Table(table) if table.keys.iter().any(|key| key.required) => dirs(&[], &["{}", "1", "\"x\""]),
        Kind::Table(_) | Kind::Named(..) => dirs(&["{}"], &["1", "\"x\""]),
    }
}

#[test]
fn the_description_has_the_keys_that_the_reader_knows_and_no_others() {
    for Written { name, text, table } in tables() {
        let described = sorted(table.keys.iter().map(|key| key.name));
        assert_eq!(described, expected(&text("nonsense = 1")), "{name}");
    }
}

#[test]
fn the_description_has_the_words_that_the_reader_knows_and_no_others() {
    for Written { name, text, table } in tables() {
        for key in table.keys.iter().filter(|key| !key.required) {
            let (words, value) = match &key.kind {
                Kind::OneOf(words) => (words, "\"nonsense\""),
                Kind::List(Kind::OneOf(words)) => (words, "[\"nonsense\"]"),
                Kind::Each(words, _) => (words, "{ nonsense = \"1s\" }"),
                _ => continue,
            };
            let known = expected(&text(&format!("{} = {value}", key.name)));
            assert_eq!(sorted(words.iter().copied()), known, "{name}.{}", key.name);
        }
    }
}

#[test]
fn schema_and_reader_agree_on_every_kind_of_value() {
    let validator = validator();
    for Written { name, text, table } in tables() {
        for key in table.keys.iter().filter(|key| !key.required) {
            let (good, bad) = values(&key.kind);
            for value in good {
                let text = text(&format!("{} = {value}", key.name));
                assert_eq!(parse(&text).map(drop), Ok(()), "{name}: {text}");
                assert!(fits(&validator, &text), "{name}: {text}");
            }
            for value in bad {
                let text = text(&format!("{} = {value}", key.name));
                assert!(parse(&text).is_err(), "{name}: {text}");
                assert!(!fits(&validator, &text), "{name}: {text}");
                assert!(!faults(&text).problems.is_empty(), "{name}: {text}");
            }
        }
        let text = text("nonsense = 1");
        assert!(!fits(&validator, &text), "{text}");
    }
    for missing in [
        "grants.hosts = [{ private = true }]",
        "[secrets.x]\nenv = \"E\"\nheader = \"x\"",
        "[roles.x]\nprompt = \"p\"",
        "[models.plan]\nmodel = \"m\"",
        "grants.dirs = [{ masks = [] }]",
    ] {
        assert!(parse(missing).is_err() && !fits(&validator, missing), "{missing}");
        assert!(faults(missing).problems[0].what.contains("is missing"), "{missing}");
    }
}

#[test]
fn the_schema_takes_every_example_in_the_documents() {
    let validator = validator();
    let blocks = [README, CONFIGURATION].into_iter().flat_map(|document| document.split("```toml\n").skip(1));
    let mut count = 0;
    let blocks = blocks.filter_map(|rest| rest.split("```").next());
    for block in blocks.filter(|block| !block.starts_with("[[tasks]]")) {
        assert_eq!(parse(block).map(drop), Ok(()), "{block}");
        assert!(fits(&validator, block), "{block}");
        count += 1;
    }
    assert!(count > 0, "no example");
}

#[test]
fn the_schema_that_is_checked_in_is_the_one_that_is_printed() {
    let same = format!("{:#}\n", schema()) == CHECKED_IN;
    assert!(same, "run: ringfence policy schema > docs/ringfence.schema.json");
}

#[test]
fn a_beginning_changes_nothing_and_every_line_of_it_can_be_taken() {
    for folders in [vec![], vec!["src".to_owned(), "it's \"odd\"".to_owned()]] {
        let text = commented(&folders);
        assert_eq!(parse(&text), Ok(ConfigFile::default()), "{text}");
        let mut taken = String::new();
        for line in text.lines() {
            let code = line.strip_prefix("# ").filter(|rest| {
                let key = rest.split(" = ").next().unwrap_or_default();
                rest.starts_with('[')
                    || rest.contains(" = ") && key.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            });
            let _ = writeln!(taken, "{}", code.unwrap_or(line));
        }
        let read = parse(&taken).unwrap_or_else(|error| panic!("{error}\n{taken}"));
        assert!(read.roles.contains_key("reader") && read.limits.money.is_some(), "{taken}");
        assert!(fits(&validator(), &taken), "{taken}");
        assert_eq!(read.grants.dirs.map_or(0, |dirs| dirs.len()), folders.len().max(1));
    }
}

#[test]
fn the_usual_values_are_the_ones_that_hold() {
    use super::super::{Flags, Resolved};
    let none = ConfigFile::default();
    let of = |config: &ConfigFile| Resolved::of_layers(&none, config, &Flags::default()).unwrap();
    let usual =
        of(&parse(&tables().iter().filter(|written| ["", "grants", "limits"].contains(&written.name)).fold(
            String::new(),
            |mut text, Written { name, table, .. }| {
                let header = if name.is_empty() { String::new() } else { format!("[{name}]\n") };
                text.push_str(&header);
                for key in table.keys {
                    if let Some(usual) = key.usual {
                        let _ = writeln!(text, "{} = {usual}", key.name);
                    }
                }
                text
            },
        ))
        .unwrap());
    let nothing = of(&none);
    assert_eq!(usual.grants, nothing.grants);
    assert_eq!(usual.limits, nothing.limits);
    assert_eq!((usual.flow, usual.pause, usual.parallel), (nothing.flow, nothing.pause, nothing.parallel));
    assert_eq!((usual.durability, usual.on_stage_failure), (nothing.durability, nothing.on_stage_failure));
}

#[test]
fn mistakes_are_all_named_with_their_place_and_what_was_likely_meant() {
    let text = "\
flwo = \"staged\"
pause = [\"after_plan\", \"befor_tool\"]
dirs = [\"src\"]

[grants]
dir = [\"src\"]
dirs = [\"src\", { path = \"lib\", mask = [\"*.csv\"] }, { access = \"red\", path = \"x\" }, \"/etc\"]
hosts = []

[limits]
tokens = \"many\"
time = \"30\"
memroy = \"1GiB\"
stage_timeouts = { plann = \"1s\", decide = \"x\" }

[tools.read_file]
timeuot = \"1s\"

[roles.analyst]
prompt = \"look\"

[models.decide]
provider = \"antropic\"
zzz = 1
";
    let told: String = reading::read("x", text)
        .unwrap_err()
        .iter()
        .map(|problem| format!("{}: {}\n", problem.at, problem.what))
        .collect();
    insta::assert_snapshot!(told);
    let syntax = reading::read("x", "a = \nb = 'c\n").unwrap_err();
    assert_eq!((syntax[0].at.line, syntax.len()), (1, 2), "{syntax:?}");
    assert_eq!(reading::read("x", "é = 1").unwrap_err()[0].at, Position { line: 1, column: 1 });
}

#[test]
fn a_word_is_only_taken_for_another_that_is_near() {
    let words = ["dirs", "entropy", "tool_timeout", "read_file", "list_files"];
    for (asked, meant) in [
        ("dir", Some("dirs")),
        ("Dirs", Some("dirs")),
        ("timeout", Some("tool_timeout")),
        ("reed_file", Some("read_file")),
        ("list_file", Some("list_files")),
        ("x", None),
        ("network", None),
    ] {
        assert_eq!(nearest(asked, words), meant, "{asked}");
    }
}

#[test]
fn what_a_file_says_beside_its_mistakes_can_still_be_read() {
    let text = "paus = []\nflow = 'react'\n[grants]\ndirs = ['../up', 'src', { path = 'docs', mask = 1 }]\n[limits]\ntime = 'soon'\nmemory = '8GiB'\n[roles.r]\nprompt = 'x'\n[tools.'a.b']\ntimeout = 5\npolling = true\n";
    let reading = reading::survey("x", text);
    let rest = "flow = 'react'\n[grants]\ndirs = ['src', { path = 'docs' }]\n[limits]\nmemory = '8GiB'\n[roles]\n[tools.'a.b']\npolling = true\n";
    let expected =
        ConfigFile { named: "x".to_owned(), said_at: reading.config.said_at.clone(), ..parse(rest).unwrap() };
    assert_eq!(reading.config, expected);
    let lines: Vec<_> = reading.problems.iter().map(|problem| problem.at.line).collect();
    assert_eq!(lines, [1, 4, 4, 6, 7, 8, 11]);
    assert!(!reading.lacks_components);
    for text in ["components = [1]", "flow = ", "flow = 99999999999999999999"] {
        assert!(reading::survey("x", text).lacks_components, "{text}");
    }
}
