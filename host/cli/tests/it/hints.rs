//! What a refusal says would allow it: followed, it does; where a section leaves a tool less, the
//! section is named and no flag.

use crate::program::{Home, Said};
use serde_json::Value;

fn home(config: &str) -> Home {
    let home = Home::new();
    for file in ["src/main.py", "docs/a.md", "tests/t.py"] {
        home.write(&format!("project/{file}"), "x = 1\n");
    }
    home.write(".config/ringfence/config.toml", config);
    home
}

fn read(home: &Home, path: &str, more: &[&str]) -> Said {
    let input = format!(r#"{{"file_path": "{path}"}}"#);
    let words = ["tool", "call", "read_file", &input, "--project", "project", "--receipt"];
    home.run(words.iter().chain(more))
}

fn fetch(home: &Home, url: &str, more: &[&str]) -> Said {
    let input = format!(r#"{{"url": "{url}"}}"#);
    let words = ["tool", "call", "fetch_page", &input, "--project", "project", "--receipt"];
    home.run(words.iter().chain(more))
}

fn denial(said: &Said) -> Value {
    let receipt: Value = serde_json::from_str(&said.err[said.err.find("\n{").unwrap()..]).unwrap();
    receipt["denials"][0].clone()
}

/// The section is told, on the receipt as well, and nothing else.
fn is_left_out_by(said: &Said, section: &str) {
    assert_eq!(said.code, 1, "{said}");
    let line = said.err.lines().find(|line| line.starts_with("error: denied: ")).unwrap();
    assert!(line.ends_with(&format!("; {section} leave it out")), "{said}");
    assert!(!line.contains("--dir") && !line.contains("--allow-host"), "{said}");
    let denial = denial(said);
    assert_eq!((&denial["would_allow"], denial["left_out_by"].as_str()), (&Value::Null, Some(section)));
}

#[test]
fn folders_that_a_tool_s_section_leaves_out_are_offered_by_no_flag() {
    let home = home("[grants]\ndirs = [\"src\", \"docs\"]\n[tools.read_file]\ndirs = [\"docs\"]\n");
    let section = "its own [tools.read_file] dirs";
    for (path, more) in [
        ("src/main.py", &[][..]),
        ("src/main.py", &["--dir", "src"]),
        ("tests/t.py", &[]),
        ("tests/t.py", &["--dir", "src"]),
    ] {
        is_left_out_by(&read(&home, path, more), section);
    }
    assert_eq!(read(&home, "docs/a.md", &[]).code, 0);
    // What the section has is had by the flag.
    let said = read(&home, "docs/a.md", &["--dir", "src"]);
    assert!(said.code == 1 && said.err.contains("; `--dir docs` would allow it"), "{said}");
    assert_eq!(read(&home, "docs/a.md", &["--dir", "docs"]).code, 0);
}

#[test]
fn a_section_that_names_what_is_granted_anyway_leaves_out_the_rest() {
    let home = home("[grants]\ndirs = [\"docs\"]\n[tools.read_file]\ndirs = [\"docs\"]\n");
    is_left_out_by(&read(&home, "src/main.py", &[]), "its own [tools.read_file] dirs");
}

#[test]
fn what_a_tool_s_section_hides_is_shown_by_no_flag() {
    let home = home("[tools.read_file]\ndirs = [{ path = \".\", masks = [\"*.py\"] }]\n");
    is_left_out_by(&read(&home, "src/main.py", &[]), "its own [tools.read_file] dirs");
    is_left_out_by(
        &read(&home, "src/main.py", &["--mask", "!/src/main.py"]),
        "its own [tools.read_file] dirs",
    );
}

#[test]
fn what_a_role_leaves_out_is_offered_by_no_flag() {
    let home = home(
        "[roles.r]\ntools = [\"read_file\", \"fetch_page\"]\ndirs = [\"docs\"]\nhosts = []\n\
         [tools.read_file]\ndirs = [\"docs\", \"tests\"]\n",
    );
    let both = "its own [tools.read_file] dirs and the role's [roles.r] dirs";
    for (path, section) in [("src/main.py", both), ("tests/t.py", "the role's [roles.r] dirs")] {
        is_left_out_by(&read(&home, path, &["--role", "r"]), section);
        is_left_out_by(&read(&home, path, &["--role", "r", "--dir", "."]), section);
    }
}

#[test]
fn hosts_that_a_tool_s_section_leaves_out_are_offered_by_no_flag() {
    let home = home(
        "[grants]\nhosts = [\"https://a.example\"]\n[tools.fetch_page]\nhosts = [\"https://a.example\"]\n",
    );
    let section = "its own [tools.fetch_page] hosts";
    is_left_out_by(&fetch(&home, "https://b.example/x?y=1", &[]), section);
    let role = home_with_role();
    is_left_out_by(&fetch(&role, "https://b.example/", &["--role", "r"]), "the role's [roles.r] hosts");
}

fn home_with_role() -> Home {
    home(
        "[grants]\nhosts = [\"https://a.example\", \"https://b.example\"]\n\
         [roles.r]\ntools = [\"fetch_page\"]\nhosts = [\"https://a.example\"]\n",
    )
}

#[test]
fn a_host_is_offered_as_a_whole_flag() {
    let home = home("[grants]\nhosts = [\"https://a.example\"]\n");
    let said = fetch(&home, "https://example.com/x", &[]);
    assert!(said.err.contains("; `--allow-host https://example.com` would allow it"), "{said}");
    let said = fetch(&home, "http://127.0.0.1:1/x", &[]);
    let flag = r#"--allow-host '{ url = "http://127.0.0.1:1", private = true }'"#;
    assert!(said.err.contains(&format!("; `{flag}` would allow it")), "{said}");
    assert_eq!(denial(&said)["would_allow"], flag);
}

#[test]
fn a_project_is_not_told_to_say_what_it_can_t() {
    let home = home("");
    home.write("project/ringfence.toml", "[grants]\nhosts = [\"http://127.0.0.1:1\"]\n");
    let said = home.run(["policy", "check", "project"]);
    assert_eq!(said.code, 2, "{said}");
    assert!(said.err.contains("only your own configuration or --allow-host can grant that"), "{said}");
}

#[test]
fn an_explanation_offers_flags_only_as_far_as_sections_reach() {
    let home = home(
        "[grants]\ndirs = [\"docs\"]\nhosts = [\"https://a.example\"]\n\
         [tools.read_file]\ndirs = [\"docs\"]\n[tools.fetch_page]\nhosts = [\"https://a.example\"]\n",
    );
    let allowing = |what: &str, tool: &str, more: &[&str]| {
        let words = ["policy", "explain", what, "--project", "project", "--tool", tool, "--json"];
        let said = home.run(words.iter().chain(more));
        let value: Value = serde_json::from_str(&said.out).unwrap();
        value["answers"][0]["would_allow"].clone()
    };
    for (what, tool) in [("src/main.py", "read_file"), ("https://b.example/x", "fetch_page")] {
        let allowing = allowing(what, tool, &[]);
        assert_eq!(allowing["flags"], Value::Null, "{what}");
        assert!(allowing["toml"].as_str().unwrap().starts_with(&format!("[tools.{tool}]")), "{allowing}");
    }
    assert_eq!(allowing("docs/a.md", "read_file", &["--dir", "src"])["flags"], "--dir src --dir docs");
}

#[test]
fn what_is_shown_of_a_tool_is_what_it_is_given() {
    let home = home("[grants]\ndirs = [{ path = \"src\", access = \"write\" }]\n");
    let shown = |tool: &str| {
        let more = ["--allow-env", "LANG", "--allow-host", "https://example.com"];
        let said = home.run(["policy", "show", "project", "--tool", tool].iter().chain(&more));
        assert_eq!(said.code, 0, "{said}");
        move |key: &str| {
            let row = said.out.lines().rfind(|line| line.trim_start().starts_with(&format!("{key} ")));
            row.expect("a row").split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
        }
    };
    let writes = shown("write_file");
    assert_eq!((writes("env"), writes("hosts")), ("none default".to_owned(), "none default".to_owned()));
    assert!(writes("dirs").starts_with("src (write) "), "{}", writes("dirs"));
    assert_eq!(writes("deterministic"), "it is anyway default");
    let fetches = shown("fetch_page");
    assert_eq!((fetches("dirs"), fetches("env")), ("none default".to_owned(), "none default".to_owned()));
    assert_eq!(fetches("hosts"), "https://example.com --allow-host");
    assert_eq!(fetches("deterministic"), "no default");
    assert!(shown("read_file")("dirs").starts_with("src (read) "));
}
