//! `ringfence policy`: what it writes, checks, shows and explains.

use crate::program::{Home, Said};
use insta::assert_snapshot;
use std::os::unix::fs::symlink;

const USER: &str = "\
[grants]
dirs = [\"src\", { path = \"docs\", masks = [\"*.csv\"] }]

[limits]
tokens = 100000

[tools.read_file]
dirs = [\"src\"]
timeout = \"5s\"

[roles.analyst]
tools = [\"read_file\", \"list_files\"]
dirs = [\"src/api\"]
";

const PROJECT: &str = "pause = [\"before_tool\"]\n\n[limits]\niterations = 7\ntool_timeout = \"9h\"\n";

/// A project with a configuration of its own that is confirmed, and one of the user's.
fn home() -> Home {
    let home = Home::new();
    home.write("project/src/a.txt", "a");
    home.write("project/src/.env", "SECRET");
    home.write("project/src/api/b.txt", "b");
    home.write("project/docs/rows.csv", "1");
    home.write("project/top.txt", "top");
    symlink("../top.txt", home.path().join("project/src/out")).unwrap();
    home.write("project/ringfence.toml", PROJECT);
    home.write(".config/ringfence/config.toml", USER);
    let refused = home.run(["tool", "list", "project"]);
    let (_, hash) = refused.err.split_once("--trust ").expect("a hash");
    assert_eq!(home.run(["tool", "list", "project", "--trust", hash.trim()]).code, 0);
    home
}

/// What was said, with the binary's own path replaced.
fn told(said: &Said) -> String {
    said.to_string().replace(env!("CARGO_BIN_EXE_ringfence"), "ringfence")
}

#[test]
fn a_beginning_is_written_once_and_changes_nothing() {
    let home = Home::new();
    home.write("project/src/a.txt", "a");
    home.write("project/node_modules/x.js", "x");
    home.write("project/.git/config", "x");
    let before = home.run(["policy", "show", "project", "--json"]);
    let said = home.run(["policy", "init", "project"]);
    assert_snapshot!("init", told(&said));
    let written = std::fs::read_to_string(home.path().join("project/ringfence.toml")).unwrap();
    assert_snapshot!("init_file", written);
    let checked = home.run(["policy", "check", "project"]);
    assert_snapshot!("check_fine", told(&checked));
    let hash = checked.out.lines().find_map(|line| line.strip_prefix("hash: ")).expect("a hash");
    let after = home.run(["policy", "show", "project", "--json", "--trust", hash]);
    assert_eq!(after.out, before.out);
    let again = home.run(["policy", "init", "project"]);
    assert!(again.code == 2 && again.err.contains("already; nothing was written"), "{again}");
    assert_eq!(std::fs::read_to_string(home.path().join("project/ringfence.toml")).unwrap(), written);
}

#[test]
fn a_beginning_is_never_written_through_a_link() {
    let home = Home::new();
    std::fs::create_dir(home.path().join("project")).unwrap();
    for target in ["elsewhere.toml", "nothing.toml"] {
        let link = home.path().join("project/ringfence.toml");
        let _ = std::fs::remove_file(&link);
        home.write("elsewhere.toml", "mine");
        symlink(home.path().join(target), &link).unwrap();
        let said = home.run(["policy", "init", "project"]);
        assert_eq!(said.code, 2, "{said}");
        assert!(!home.path().join("nothing.toml").exists());
        assert_eq!(std::fs::read_to_string(home.path().join("elsewhere.toml")).unwrap(), "mine");
    }
}

#[test]
fn a_check_names_everything_that_is_wrong_in_both_files() {
    let home = Home::new();
    home.write(
        "project/ringfence.toml",
        "notify = \"x\"\ndurability = \"full\"\ncomponents = [\"gone.wasm\", \"../up.wasm\"]\n",
    );
    home.write("project/.ringfence/prompts/plann.md", "x");
    home.write(".config/ringfence/config.toml", "[grants]\ndir = [\"src\"]\n\n[limits]\ntime = \"soon\"\n");
    assert_snapshot!("check_files", told(&home.run(["policy", "check", "project"])));
    let home = Home::new();
    home.write("project/src/a.txt", "a");
    home.write(
        ".config/ringfence/config.toml",
        "[grants]\ndirs = [\"src\", \"gone\", \"lost\"]\n\n[tools.raed_file]\ntimeout = \"1s\"\n\n[roles.a]\ntools = [\"lst_files\"]\n\n[roles.b]\ntools = []\ndirs = [\"docs\"]\n",
    );
    assert_snapshot!("check_what_they_name", told(&home.run(["policy", "check", "project"])));
}

#[test]
fn a_check_finds_in_one_go_what_no_file_can_say_and_what_isn_t_there() {
    let home = Home::new();
    home.write("project/src/a.txt", "a");
    home.write(
        "project/ringfence.toml",
        "parallel = 99\npaus = []\n\n[grants]\ndirs = [\"nope\", \"../up\", \"src\"]\n\n[limits]\nmemory = \"8GiB\"\ntime = \"soon\"\n\n[tools.reed_file]\ndirs = [\"src/lost\"]\n\n[roles.r]\ntools = [\"x\"]\n",
    );
    home.write(
        ".config/ringfence/config.toml",
        "parallel = 0\n[tools.list_files]\ntimeout = \"2s\"\nmemory = 1\nprovider = \"brave\"\n",
    );
    assert_snapshot!("check_in_one_go", told(&home.run(["policy", "check", "project"])));
}

#[test]
fn a_check_calls_no_tool_unknown_that_a_component_may_have() {
    let home = Home::new();
    home.write("project/a.txt", "a");
    home.write(
        "project/ringfence.toml",
        "components = [\"gone.wasm\"]\nparallel = 99\n[tools.own]\ntimeout = \"1s\"\n",
    );
    let said = home.run(["policy", "check", "project"]);
    assert!(
        said.code == 2 && said.err.contains("gone.wasm") && said.err.contains("parallel is 99"),
        "{said}"
    );
    assert!(!said.err.contains("there is no tool"), "{said}");
}

#[test]
fn a_check_names_grants_that_cannot_be_honoured_beside_everything_else() {
    let home = Home::new();
    home.write("project/src/a.txt", "a");
    home.write("project/ringfence.toml", "notify = \"x\"\n");
    home.write(
        ".config/ringfence/config.toml",
        "[grants]\ndirs = [\"src\", \"gone\"]\nhosts = [\"https://a.example\"]\n\n[roles.a]\ntools = [\"read_file\"]\ndirs = [\"src/lost\"]\n\n[secrets.key]\nenv = \"RINGFENCE_TEST_NOT_SET\"\nhost = \"https://a.example\"\nheader = \"x-key\"\n",
    );
    let said = home.run(["policy", "check", "project"]);
    assert_eq!(said.code, 2, "{said}");
    for wrong in [
        "notify",
        "`gone` can't be granted",
        "[roles.a] can't be honoured",
        "RINGFENCE_TEST_NOT_SET is not set",
    ] {
        assert!(said.err.contains(wrong), "{wrong}: {said}");
    }
    home.write("project/ringfence.toml", "[tools.read_file]\ndirs = [\"src/nowhere\"]\n");
    let said = home.run(["policy", "check", "project"]);
    assert!(said.err.contains("`src/nowhere` can't be granted") && said.err.contains("`gone`"), "{said}");
}

#[test]
fn a_check_says_of_each_secret_whether_its_value_can_be_read_and_never_the_value() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.write("project/a.txt", "a");
    let secret = |name: &str, host: &str| {
        format!("[secrets.{name}]\nfile = \"{name}\"\nhost = \"{host}\"\nheader = \"x-{name}\"\n\n")
    };
    let config = format!(
        "[grants]\nhosts = [\"https://a.example\"]\n\n{}{}",
        secret("needed", "https://a.example"),
        secret("other", "https://b.example")
    );
    home.write(".config/ringfence/config.toml", &config);
    home.write(".config/ringfence/needed", "hunter2-hunter2-hunter2");
    let file = home.path().join(".config/ringfence/needed");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let said = home.run(["policy", "check", "project"]);
    assert!(said.code == 2 && said.err.contains("others can read"), "{said}");
    assert!(!said.to_string().contains("hunter2"), "{said}");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let said = home.run(["policy", "check", "project"]);
    assert!(said.code == 0 && said.out.contains("secret `needed`: its value can be read"), "{said}");
    assert!(
        said.out.contains("secret `other`: no granted host needs it; the secret `other` can't be used"),
        "{said}"
    );
    assert!(!said.to_string().contains("hunter2"), "{said}");
}

#[test]
fn a_project_s_limits_that_don_t_hold_are_noted() {
    let home = Home::new();
    home.write("project/ringfence.toml", "[limits]\nmemory = \"4GiB\"\niterations = 9\n");
    let note = "ringfence.toml, line 2, column 1: the project's `limits.memory` is 4GiB; 256MiB holds: more can be given in your own file\n";
    let checked = home.run(["policy", "check", "project"]);
    assert!(checked.code == 0 && checked.out.ends_with(&format!("note: {note}")), "{checked}");
    let hash = checked.out.lines().find_map(|line| line.strip_prefix("hash: ")).expect("a hash");
    let shown = home.run(["policy", "show", "project", "--trust", hash]);
    assert!(shown.out.contains(&format!("note     {note}")), "{shown}");
    home.write(".config/ringfence/config.toml", "limits.memory = \"4GiB\"");
    for command in ["check", "show"] {
        let said = home.run(["policy", command, "project"]);
        assert!(said.code == 0 && !said.out.contains("note"), "{said}");
    }
}

#[test]
fn a_check_notes_what_a_search_provider_lacks() {
    let home = Home::new();
    home.write("project/a.txt", "a");
    home.write(".config/ringfence/config.toml", "[tools.web_search]\nprovider = \"brave\"\n");
    let said = home.run(["policy", "check", "project"]);
    let notes: Vec<_> = said.out.lines().filter(|line| line.starts_with("note: ")).collect();
    assert!(said.code == 0 && notes.len() == 2, "{said}");
    assert!(notes[0].contains("isn't granted to ask https://api.search.brave.com"), "{said}");
    assert!(notes[1].contains("there is no secret for https://api.search.brave.com"), "{said}");
}

#[test]
fn what_holds_is_shown_with_whose_word_it_is() {
    let home = home();
    assert_snapshot!("show", told(&home.run(["policy", "show", "project"])));
    let role = ["policy", "show", "project", "--role", "analyst", "--tool", "read_file", "--max-tokens", "5"];
    assert_snapshot!("show_role", told(&home.run(role)));
    let json = ["policy", "show", "project", "--tool", "read_file", "--dir", "src/api", "--json"];
    assert_snapshot!("show_json", told(&home.run(json)));
}

#[test]
fn what_decides_about_a_path_is_explained_with_what_would_allow_it() {
    let home = home();
    let explain = |words: &[&str]| {
        let all = ["policy", "explain", "--project", "project"].iter().chain(words);
        format!("$ policy explain {}\n{}\n", words.join(" "), told(&home.run(all)))
    };
    let questions: [&[&str]; 12] = [
        &["src/a.txt"],
        &["src/api/../a.txt", "--tool", "read_file"],
        &["top.txt"],
        &["docs/rows.csv"],
        &["src/.env"],
        &["src/out", "--tool", "list_files"],
        &["src/new.txt", "--tool", "list_files", "--write"],
        &["src/gone.txt"],
        &["/etc/passwd", "--tool", "list_files"],
        &["src/a.txt", "--role", "analyst"],
        &["https://api.example.com/v1"],
        &["src/a.txt", "--tool", "raed_file"],
    ];
    assert_snapshot!("explain", questions.map(explain).concat());
    let json = ["policy", "explain", "top.txt", "--project", "project", "--json"];
    assert_snapshot!("explain_json", told(&home.run(json)));
}

#[test]
fn one_tool_that_could_is_a_yes_and_comes_first() {
    let home = home();
    let asked = |words: &[&str]| {
        let said = home.run(["policy", "explain", "--project", "project"].iter().chain(words));
        (said.code, said.out.split(' ').take(2).collect::<Vec<_>>().join(" "))
    };
    let write = ["src/a.txt", "--write", "--dir", "src:write"];
    assert_eq!(asked(&write), (0, "yes: edit_file,".to_owned()));
    assert_eq!(asked(&[&write[..], &["--tool", "list_files"]].concat()).0, 1);
    assert_eq!(asked(&[&write[..], &["--tool", "edit_file"]].concat()).0, 0);
    let url = ["https://a.example/x", "--allow-host", "https://a.example"];
    assert_eq!(asked(&url), (0, "yes: fetch_page,".to_owned()));
    assert_eq!(asked(&["docs/rows.csv"]).0, 1);
}

#[test]
fn a_password_in_a_url_is_not_told_again() {
    let home = home();
    for url in
        ["https://me:hunter2@api.example.com/v1", "https://me:hunter2@[/v1", "https://me:hun/ter2@a.example"]
    {
        for more in [&[][..], &["--json"], &["--tool", "fetch_page"], &["--write"]] {
            let words = ["policy", "explain", url, "--project", "project"];
            let said = home.run(words.iter().chain(more));
            assert_eq!(said.code, 1, "{said}");
            assert!(!said.to_string().contains("hunter2") && !said.to_string().contains("ter2"), "{said}");
        }
    }
}

#[test]
fn a_path_of_the_host_is_answered_as_a_tool_would_get_it() {
    let home = home();
    let path = home.path().canonicalize().unwrap().join("project/src/a.txt");
    let said = home.run(["policy", "explain", &path.display().to_string(), "--project", "project"]);
    assert!(said.code == 1 && said.out.contains("it would ask for src/a.txt"), "{said}");
}

#[test]
fn what_would_allow_it_does() {
    let home = home();
    let answer = |words: &[&str]| {
        let said = home.run(["policy", "explain", "--project", "project"].iter().chain(words));
        (said.code, said.out)
    };
    for path in ["top.txt", "docs/rows.csv", "src/.env"] {
        let (code, out) = answer(&[path, "--tool", "list_files"]);
        assert_eq!(code, 1, "{out}");
        let flags = out.lines().find_map(|line| line.trim().strip_prefix("would allow it: ")).expect("flags");
        let flags: Vec<_> = flags.split(' ').map(|word| word.trim_matches('\'')).collect();
        let (code, out) = answer(&[&[path, "--tool", "list_files"][..], &flags].concat());
        assert_eq!(code, 0, "{flags:?}: {out}");
    }
    for url in ["https://api.example.com/v1", "http://127.0.0.1:8080/", "https://a.example/?q=1"] {
        let (code, out) = answer(&[url, "--tool", "fetch_page"]);
        assert_eq!(code, 1, "{out}");
        let flag = out.lines().find_map(|line| line.trim().strip_prefix("would allow it: --allow-host "));
        let flag = flag.expect("a flag").trim_matches('\'');
        let (code, out) = answer(&[url, "--tool", "fetch_page", "--allow-host", flag]);
        assert_eq!(code, 0, "{flag}: {out}");
    }
    let (_, out) = answer(&["top.txt", "--tool", "read_file"]);
    let lines: String = out
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .fold(String::new(), |all, line| all + line + "\n");
    home.write(".config/ringfence/config.toml", &lines);
    assert_eq!(answer(&["top.txt", "--tool", "read_file"]).0, 0, "{lines}");
}

#[test]
fn an_explanation_is_what_a_call_gets() {
    let home = home();
    for path in ["src/a.txt", "src/out", "src/.env", "top.txt", "../x", "src/gone.txt"] {
        let told = home.run(["policy", "explain", path, "--project", "project", "--tool", "read_file"]);
        let argument = format!("file_path={path}");
        let called = home.run(["tool", "call", "read_file", "--project", "project", "--arg", &argument]);
        assert_eq!(told.code, called.code, "{path}: {told}{called}");
    }
}
