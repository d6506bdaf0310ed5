//! The fence as a person meets it: every standard tool, called through the real binary with the
//! grant `src`, against a project with secrets beside it and links that lead to them.

use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

const SECRET: &str = "zebra-secret-4711";

struct Fenced {
    product: Product,
    project: PathBuf,
}

impl Fenced {
    fn new() -> Self {
        let product = Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"));
        let project = product.home().join("项目");
        for folder in ["src/sub", "lib", ".ringfence"] {
            fs::create_dir_all(project.join(folder)).unwrap();
        }
        fs::write(project.join("src/a.py"), "def granted():\n    return 1\n").unwrap();
        for secret in ["lib/secret.py", "secret.py", ".ringfence/secret.py", "../secret.py"] {
            fs::write(project.join(secret), format!("# {SECRET}\n")).unwrap();
        }
        for (link, target) in [
            ("out.py", PathBuf::from("../secret.py")),
            ("absolute.py", product.home().join("secret.py")),
            ("chain.py", "sub/../out.py".into()),
            ("folder", "../lib".into()),
            ("loop.py", "loop.py".into()),
        ] {
            symlink(target, project.join("src").join(link)).unwrap();
        }
        Self { product, project }
    }

    fn call(&self, tool: &str, input: &Value) -> Ended {
        let input = input.to_string();
        let project = self.project.to_str().unwrap();
        self.product
            .run(&["tool", "call", tool, &input, "--project", project, "--dir", "src", "--receipt"], &[])
    }
}

/// Each standard tool with a path in place of the thing it reads.
fn calls(path: &str) -> [(&'static str, Value); 4] {
    [
        ("read_file", json!({ "file_path": path })),
        ("analyze_code", json!({ "file_path": path })),
        ("list_files", json!({ "directory": path, "recursive": true })),
        ("search_text", json!({ "pattern": "zebra|granted", "directory": path })),
    ]
}

#[test]
fn no_standard_tool_reaches_anything_outside_the_grant_and_each_refusal_says_what_is_granted() {
    let fenced = Fenced::new();
    let host_path = fenced.project.join("src/a.py");
    let outside = [
        "../secret.py",
        "..",
        "src/../../secret.py",
        "src/../../项目/secret.py",
        "secret.py",
        "lib/secret.py",
        "/etc/passwd",
        "/proc/self/environ",
        host_path.to_str().unwrap(),
        ".ringfence/secret.py",
        "src/out.py",
        "src/absolute.py",
        "src/chain.py",
        "src/folder",
        "src/folder/secret.py",
    ];
    for path in outside {
        for (tool, input) in calls(path) {
            let ended = fenced.call(tool, &input);
            let told = format!("{tool} {input}: {ended:?}");
            assert_eq!(ended.code, Some(1), "{told}");
            assert!(ended.stderr.contains("src, read)"), "{told}");
            assert!(!ended.stdout.contains(SECRET) && !ended.stderr.contains(SECRET), "{told}");
            assert!(ended.stderr.contains(path), "what was asked is named: {told}");
            assert!(ended.stderr.contains("\"denials\": [\n"), "the receipt has the denial: {told}");
        }
    }
}

#[test]
fn no_standard_tool_reaches_what_is_masked_and_each_refusal_says_so_and_what_would_show_it() {
    let fenced = Fenced::new();
    let src = fenced.project.join("src");
    fs::create_dir_all(src.join(".git/hooks")).unwrap();
    for secret in [".env", ".git/config", ".git/hooks/x.py", "sub/server.pem", "id_rsa"] {
        fs::write(src.join(secret), format!("# {SECRET}\n")).unwrap();
    }
    symlink(".env", src.join("settings.py")).unwrap();
    symlink(".git", src.join("history")).unwrap();
    for (path, shown) in [
        ("src/.env", "!/src/.env"),
        ("src/sub/../.env", "!/src/.env"),
        ("src/.ENV", "!/src/.ENV"),
        ("src/.git", "!/src/.git"),
        ("src/.git/hooks/x.py", "!/src/.git"),
        ("src/sub/server.pem", "!/src/sub/server.pem"),
        ("src/id_rsa", "!/src/id_rsa"),
        ("src/settings.py", "!/src/.env"),
        ("src/history/config", "!/src/.git"),
    ] {
        for (tool, input) in calls(path) {
            let ended = fenced.call(tool, &input);
            let told = format!("{tool} {input}: {ended:?}");
            assert_eq!(ended.code, Some(1), "{told}");
            let line = format!("{path} is masked (keys and credentials are hidden from tools)");
            assert!(ended.stderr.contains(&line), "{told}");
            assert!(ended.stderr.contains(&format!("`--mask '{shown}'` would allow it")), "{told}");
            assert!(ended.stderr.contains("\"reason\": \"masked\""), "{told}");
            assert!(!ended.stdout.contains(SECRET) && !ended.stderr.contains(SECRET), "{told}");
        }
    }
    let listed = fenced.call("list_files", &json!({ "directory": ".", "recursive": true }));
    let found = fenced.call("search_text", &json!({ "pattern": SECRET }));
    for ended in [listed, found] {
        assert_eq!(ended.code, Some(0), "{ended:?}");
        for hidden in [".env", ".git", "server.pem", "id_rsa", "\"text\":\"# zebra"] {
            assert!(!ended.stdout.contains(hidden), "{hidden}: {ended:?}");
        }
        assert!(ended.stderr.contains("\"denials\": []"), "nothing hidden was asked for: {ended:?}");
    }
}

#[test]
fn a_single_file_can_be_granted_and_nothing_beside_it_is_seen() {
    let fenced = Fenced::new();
    let project = fenced.project.to_str().unwrap();
    let call = |tool: &str, input: Value| {
        let input = input.to_string();
        fenced.product.run(&["tool", "call", tool, &input, "--project", project, "--dir", "src/a.py"], &[])
    };
    let read = call("read_file", json!({ "file_path": "src/a.py" }));
    assert!(read.code == Some(0) && read.stdout.contains("granted"), "{read:?}");
    let listed = call("list_files", json!({ "directory": ".", "recursive": true }));
    let listing: Value = serde_json::from_str(&listed.stdout).expect("JSON");
    let paths = listing["entries"].as_array().expect("entries").iter().map(|entry| entry["path"].clone());
    assert_eq!(paths.collect::<Vec<_>>(), ["src", "src/a.py"], "{listed:?}");
    let beside = call("read_file", json!({ "file_path": "secret.py" }));
    let line = "secret.py is outside the granted folders (src/a.py, read); `--dir secret.py` would allow it";
    assert!(beside.code == Some(1) && beside.stderr.contains(line), "{beside:?}");
}

#[test]
fn masks_are_added_by_anyone_and_taken_away_by_the_user_alone() {
    let fenced = Fenced::new();
    let project = fenced.project.to_str().unwrap();
    fs::write(fenced.project.join("src/.env"), SECRET).unwrap();
    let read = |path: &str, flags: &[&str]| {
        let input = json!({ "file_path": path }).to_string();
        let mut args = vec!["tool", "call", "read_file", &input, "--project", project];
        args.extend(flags);
        fenced.product.run(&args, &[])
    };
    let shown = read("src/.env", &["--mask", "!/src/.env"]);
    assert!(shown.code == Some(0) && shown.stdout.contains(SECRET), "{shown:?}");
    let hidden = read("src/a.py", &["--mask", "*.py"]);
    assert_eq!(hidden.code, Some(1), "{hidden:?}");
    assert!(hidden.stderr.contains("src/a.py is masked (`*.py` is hidden from tools)"), "{hidden:?}");
    let broken = read("src/a.py", &["--mask", "[a"]);
    assert!(broken.code == Some(2) && broken.stderr.contains("`[a` is no mask"), "{broken:?}");

    for widening in ["masks = [\"!.env\"]", "default_masks = false"] {
        let config = format!("[grants]\ndirs = [{{ path = \"src\", {widening} }}]\n");
        fs::write(fenced.project.join("ringfence.toml"), config).unwrap();
        let refused = read("src/.env", &[]);
        assert_eq!(refused.code, Some(2), "{widening}: {refused:?}");
        assert!(refused.stderr.contains("never show what is hidden"), "{widening}: {refused:?}");
    }

    fs::remove_file(fenced.project.join("ringfence.toml")).unwrap();
    let own = fenced.product.home().join(".config/ringfence");
    fs::create_dir_all(&own).unwrap();
    for showing in ["masks = [\"!.env\"]", "default_masks = false"] {
        let config = format!("[grants]\ndirs = [{{ path = \"src\", {showing} }}]\n");
        fs::write(own.join("config.toml"), config).unwrap();
        let shown = read("src/.env", &[]);
        assert!(shown.code == Some(0) && shown.stdout.contains(SECRET), "{showing}: {shown:?}");
    }
    fs::remove_file(own.join("config.toml")).unwrap();

    let config = "[grants]\ndirs = [{ path = \"src\", masks = [\"sub\"] }]\n";
    fs::write(fenced.project.join("ringfence.toml"), config).unwrap();
    let asked = read("src/a.py", &[]);
    let hash =
        asked.stderr.split_whitespace().skip_while(|word| *word != "--trust").nth(1).unwrap().to_owned();
    fs::write(fenced.project.join("src/sub/b.py"), SECRET).unwrap();
    for flags in [&["--trust", &hash][..], &["--dir", "src/../src"]] {
        let ended = read("src/sub/b.py", flags);
        assert!(ended.stderr.contains("is masked (`sub` is hidden"), "{flags:?}: {ended:?}");
    }
}

#[test]
fn all_spellings_of_a_granted_path_name_the_same_file() {
    let fenced = Fenced::new();
    let plain = fenced.call("read_file", &json!({ "file_path": "src/a.py" }));
    assert_eq!(plain.code, Some(0), "{plain:?}");
    let text = |ended: &Ended| serde_json::from_str::<Value>(&ended.stdout).expect("JSON")["text"].clone();
    for path in ["./src/a.py", "/src/a.py", "src/../src/a.py", "src//sub/.././a.py", "../项目/src/a.py"] {
        let same = fenced.call("read_file", &json!({ "file_path": path }));
        if path.starts_with("..") {
            assert_eq!(same.code, Some(1), "the project's own name is nothing in it: {same:?}");
        } else {
            assert_eq!(text(&same), text(&plain), "{path}");
        }
    }
}

#[test]
fn a_listing_of_the_root_shows_the_granted_folder_and_nothing_else() {
    let fenced = Fenced::new();
    let ended = fenced.call("list_files", &json!({ "directory": ".", "recursive": true }));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let listing: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    for entry in listing["entries"].as_array().expect("entries") {
        let path = entry["path"].as_str().expect("a path");
        assert!(path == "src" || path.starts_with("src/"), "{path}");
        assert!(!path.contains("secret"), "{path}: a link is shown and not followed");
    }
}

#[test]
fn a_search_of_everything_finds_nothing_outside_the_grant() {
    let fenced = Fenced::new();
    let ended = fenced.call("search_text", &json!({ "pattern": "zebra|granted" }));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("src/a.py") && !ended.stdout.contains(SECRET), "{ended:?}");
}

#[test]
fn a_policy_that_can_t_be_kept_is_refused_before_anything_runs() {
    let fenced = Fenced::new();
    let project = fenced.project.to_str().unwrap();
    for (config, named) in [
        ("[grants]\ndirs = [{ path = \"src\", access = \"everything\" }]\n", "everything"),
        ("[grants]\nhosts = [{ url = \"https://*.example.com\" }]\n", "*.example.com"),
        ("[grants]\ndirs = [{ path = \"nowhere\", access = \"read\" }]\n", "nowhere"),
        ("[grants]\ndirs = [{ path = \"../\", access = \"read\" }]\n", "../"),
        ("[grant]\n", "grant"),
    ] {
        fs::write(fenced.project.join("ringfence.toml"), config).unwrap();
        let untrusted = fenced.product.run(&["run", project, "--yes"], &[]);
        assert_eq!(untrusted.code, Some(2), "{config}: {untrusted:?}");
        let hash = untrusted.stderr.split_whitespace().skip_while(|word| *word != "--trust").nth(1);
        let ended = match hash {
            Some(hash) => fenced.product.run(&["run", project, "--yes", "--trust", hash], &[]),
            None => untrusted,
        };
        assert_eq!(ended.code, Some(2), "{config}: {ended:?}");
        assert!(ended.stderr.contains(named), "{config}: {ended:?}");
    }
}
