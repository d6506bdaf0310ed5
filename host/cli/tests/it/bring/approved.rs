//! What was approved for a component is an upper bound of what its tools get.

use super::{add, digest, follow, project, reader, tool};
use crate::program::{Home, Said};
use serde_json::Value;

const RENAMES: [&str; 6] =
    ["--rename", "read_file=peek", "--rename", "list_files=ls", "--rename", "search_text=grep"];

fn with_reader(config: &str, more: &[&str]) -> Home {
    let home = project();
    home.write(".config/ringfence/config.toml", config);
    let said = add(&home, "reader.wasm", &reader(), &[&RENAMES[..], more].concat());
    assert_eq!(said.code, 0, "{said}");
    home
}

fn peek(home: &Home, path: &str, more: &[&str]) -> Said {
    let path = format!("file_path={path}");
    tool(home, &[&["call", "peek", "--arg", &path], more].concat())
}

fn shown(home: &Home, tool: &str) -> Value {
    let said = home.run(["policy", "show", "project", "--tool", tool, "--json"]);
    serde_json::from_str::<Value>(&said.out).unwrap_or_else(|_| panic!("{said}"))["tools"][0].clone()
}

#[test]
fn without_a_word_it_reads_what_the_project_grants_and_does_nothing_else() {
    let policy = "grants.dirs = [{ path = 'src', access = 'write' }]\ngrants.hosts = ['https://a.example']\ngrants.env = ['LANG']\n";
    let home = with_reader(policy, &[]);
    let (own, other) = (shown(&home, "peek"), shown(&home, "edit_file"));
    assert_eq!((&own["dirs"][0]["path"], &own["dirs"][0]["access"]), (&"src".into(), &"read".into()));
    assert_eq!(other["dirs"][0]["access"], "write");
    assert_eq!((&own["can"]["writes"], &own["can"]["egress"]), (&false.into(), &false.into()));
    assert_eq!(own["settings"]["hosts"]["from"][0]["at"], "ringfence.lock, `reader`");
    assert!(peek(&home, "src/main.rs", &[]).out.contains("fn main"));
    assert_eq!(peek(&home, "docs/guide.md", &[]).code, 1);
}

#[test]
fn the_hint_of_what_the_lock_leaves_out_can_be_followed() {
    let home = with_reader("", &["--dir", "src"]);
    assert!(peek(&home, "src/main.rs", &[]).out.contains("fn main"));
    let explained =
        home.run(["policy", "explain", "docs/guide.md", "--project", "project", "--tool", "peek"]);
    assert!(explained.out.contains("tool update reader"), "{explained}");
    let said = peek(&home, "docs/guide.md", &[]);
    assert!(said.code == 1 && said.err.contains("that ringfence.lock approves for it"), "{said}");
    let hint = said.err.split('`').find(|part| part.contains("tool update reader")).unwrap();
    assert!(hint.ends_with("--dir docs"), "{hint}");
    let words = hint.replace("[HOME]", &home.path().canonicalize().unwrap().display().to_string());
    let asked = home.run(words.split(' ').skip(1));
    assert!(asked.code == 2 && asked.out.contains("more than before"), "{asked}");
    let said = follow(&home, &asked);
    assert_eq!(said.code, 0, "{said}");
    assert!(peek(&home, "docs/guide.md", &[]).out.contains("# Guide"));
    assert!(peek(&home, "src/main.rs", &[]).out.contains("fn main"), "what was approved stays");
}

#[test]
fn neither_a_flag_nor_a_section_gives_more_than_was_approved() {
    let home = with_reader("[tools.peek]\ndirs = ['docs', 'src']\n", &["--dir", "src"]);
    for more in [&["--dir", "docs"][..], &["--dir", "."], &[]] {
        assert_eq!(peek(&home, "docs/guide.md", more).code, 1, "{more:?}");
    }
    assert_eq!(shown(&home, "peek")["dirs"].as_array().unwrap().len(), 1);
    assert_eq!(shown(&home, "ls")["dirs"][0]["path"], "src");
}

#[test]
fn what_is_approved_is_in_the_journal_and_holds_when_a_run_goes_on() {
    let home = with_reader("grants.dirs = [{ path = '.', access = 'write' }]", &["--dir", "src"]);
    let begun = home.run(["run", "project"]);
    assert_eq!(begun.code, 3, "{begun}");
    let runs: Value = serde_json::from_str(&home.run(["runs", "--json"]).out).unwrap();
    let id = runs[0]["id"].as_str().unwrap();
    let shown: Value = serde_json::from_str(&home.run(["show", id, "--json"]).out).unwrap();
    let text = shown.to_string();
    assert!(
        text.contains(&digest(&reader()))
            && text.contains(r#""approved":{"dirs":[{"path":"src","access":"read"}]"#)
    );
    let can = |name: &str| {
        let tools =
            shown["settings"]["tools"].as_array().or_else(|| shown["state"]["settings"]["tools"].as_array());
        let found = tools.unwrap().iter().find(|tool| tool["name"] == name).cloned();
        found.unwrap_or_else(|| panic!("{name}: {shown}"))["can"].clone()
    };
    assert_eq!((&can("peek")["writes"], &can("edit_file")["writes"]), (&false.into(), &true.into()));
    assert_eq!(tool(&home, &["remove", "reader"]).code, 0);
    assert_eq!(home.run(["resume", id, "--approve"]).code, 0);
}

#[test]
fn what_is_approved_is_shown_and_what_the_policy_doesn_t_grant_of_it() {
    let home = project();
    home.write(".config/ringfence/config.toml", "grants.dirs = ['src']\n");
    let more =
        ["--dir", "src", "--dir", "docs:write", "--allow-host", "https://a.example", "--allow-env", "TZ"];
    let said = add(&home, "reader.wasm", &reader(), &[&RENAMES[..], &more].concat());
    assert_eq!(said.code, 0, "{said}");
    for line in [
        "  approved   write `docs`; read `src`; ask https://a.example; see TZ\n",
        "doesn't grant: write `docs`; ask https://a.example; see TZ\n",
    ] {
        assert!(said.out.contains(line), "{line}: {said}");
    }
    let more = ["update", "reader", "--dir", "tests", "--json"];
    let told: Value = serde_json::from_str(&tool(&home, &more).out).unwrap();
    assert_eq!(told[0]["approved_besides"]["dirs"][0]["path"], "tests");
    assert_eq!(told[0]["approved_besides"]["hosts"], serde_json::json!([]));
    assert_eq!(told[0]["not_granted"]["env"][0], "TZ");
    let said = tool(&home, &["update", "reader", "--dir", "tests"]);
    for line in
        ["more than before: read `tests`\n", "as before: write `docs`; read `src`; ask https://a.example"]
    {
        assert!(said.out.contains(line), "{line}: {said}");
    }
}
